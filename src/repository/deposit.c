/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A deposit: a package becomes an aggregate in its collection, with bundles as containers and bitstreams as files, in one
 * transaction. The rights that are asked for are those on the collection, of everyone whom its rules name; the rest is
 * done by the repository itself, owned by the submitter.
 */
#include "format/media_type.h"
#include "repository/repository_private.h"

struct staging {
    struct repository *repository;
    struct transaction *transaction;
    struct view *view;
    const struct deposit *deposit;
    struct collection_policy policy;
    struct arena *arena;
    struct new_entity *made;
    uint64_t sequence; /* the last given to a file */
    bool closed;       /* files wait for the end of an embargo */
    bool editing;      /* of an item that is there: its documents of metadata may be replaced */
    int64_t embargo_us;
};

/* ---- files -------------------------------------------------------------------------------------------------------- */

static struct text
file_path(const struct staging *s, const struct package_file *file)
{
    struct text bundle = join_text(s->arena, s->made->path, "/", file->bundle);
    return join_text(s->arena, bundle, "/", file->path);
}

static enum error_code
describe_file(struct staging *s, const struct package_file *file, struct target target, struct error *error)
{
    char uuid[MODEL_UUID_BYTES];
    struct changes changes = {.arena = s->arena, .fresh = true};
    uint64_t sequence = file->sequence != 0 ? file->sequence : ++s->sequence;
    changes_set(&changes, attribute_text(ATTRIBUTE_SEQUENCE), number_text(s->arena, sequence));
    if (file->original_name.length > 0)
        changes_set(&changes, TEXT("dc.title"), file->original_name);
    if (file->description.length > 0)
        changes_set(&changes, attribute_text(ATTRIBUTE_DESCRIPTION), file->description);
    if (file->primary)
        changes_set(&changes, attribute_text(ATTRIBUTE_PRIMARY), TEXT("yes"));
    if (file->group.length > 0)
        changes_set(&changes, attribute_text(ATTRIBUTE_GROUP), file->group);
    model_uuid(s->repository->options.model, uuid);
    enum error_code code = changes_stage(&changes, s->transaction, target, false, error);
    if (code == ERROR_NONE)
        code = transaction_set_identifier(s->transaction, target, TEXT(SCHEME_UUID), text_from(uuid), error);
    return code;
}

static bool
is_content_bundle(struct text bundle)
{
    return !text_equal(bundle, TEXT(BUNDLE_LICENSE)) && !text_equal(bundle, TEXT(BUNDLE_METADATA));
}

/* Until the embargo ends its content is the owner's alone; that it is there may be known. */
static enum error_code
close_file(struct staging *s, struct target target, struct error *error)
{
    static const struct rule_entry closed[] = {{SUBJECT_ANONYMOUS, 0, RIGHT_DISCOVER},
                                               {SUBJECT_OWNER, 0, RIGHT_DISCOVER | RIGHT_READ}};
    enum error_code code = transaction_set_access(s->transaction, target, closed, 2, error);
    return code != ERROR_NONE ? code
                              : transaction_set_due(s->transaction, target, TEXT(DUE_EMBARGO), s->embargo_us, error);
}

/* What the sender's documents and packages hold (addresses, remarks) is not for everybody. */
static bool
is_inner_bundle(struct text bundle)
{
    return text_equal(bundle, TEXT(BUNDLE_METADATA)) || text_equal(bundle, TEXT(BUNDLE_SWORD));
}

static enum error_code
keep_inside(struct staging *s, struct target target, struct error *error)
{
    struct rule rule = {.count = 0};
    rule_add(&rule, SUBJECT_OWNER, 0, RIGHT_DISCOVER | RIGHT_READ);
    if (s->deposit->mediator.user != 0)
        rule_add(&rule, SUBJECT_USER, s->deposit->mediator.user, RIGHT_DISCOVER | RIGHT_READ);
    return transaction_set_access(s->transaction, target, rule.entries, rule.count, error);
}

static enum error_code
stage_file(struct staging *s, struct package_file *file, struct error *error)
{
    struct file_options options = {.make_parents = true,
                                   .fail_if_exists = !s->editing || is_content_bundle(file->bundle),
                                   .media_type = file->media_type.length > 0 ? file->media_type
                                                                             : text_from(media_type_of_name(file->path)),
                                   .filename = TEXT(""),
                                   .source_mtime_us = INT64_MIN};
    struct target target = target_path(file_path(s, file));
    enum error_code code = arena_status(s->arena, error);
    if (code == ERROR_NONE)
        code = transaction_put_file(s->transaction, target, &file->upload, &options, error);
    if (code == ERROR_NONE)
        code = describe_file(s, file, target, error);
    if (code == ERROR_NONE && is_inner_bundle(file->bundle))
        code = keep_inside(s, target, error);
    else if (code == ERROR_NONE && s->closed && is_content_bundle(file->bundle))
        code = close_file(s, target, error);
    return code != ERROR_NONE ? error_prefix(error, "%.*s", TEXT_ARG(file->path)) : ERROR_NONE;
}

static bool
is_there(const struct staging *s, const struct package_file *file)
{
    struct resource resource;
    return view_resolve(s->view, file_path(s, file), &resource, NULL) == ERROR_NONE;
}

/* The package as it came, in a bundle of its own, when the collection keeps it. */
static enum error_code
stage_original(struct staging *s, struct error *error)
{
    const struct deposit *deposit = s->deposit;
    struct changes changes = {.arena = s->arena};
    struct package_file file = {
        .bundle = TEXT(BUNDLE_SWORD),
        .path = deposit->original_name.length > 0 ? deposit->original_name : TEXT("package"),
        .original_name = TEXT(""),
        .media_type = deposit->original_type,
        .description = join_text(s->arena, TEXT("deposited as "), "", text_from(packaging_word(deposit->packaging))),
        .group = TEXT(""),
    };
    if (deposit->original == NULL || *deposit->original == NULL || !s->policy.keep)
        return ERROR_NONE;
    if (name_check(file.path, model_limits(s->repository->options.model), NULL) != ERROR_NONE)
        file.path = TEXT("package");
    if (s->editing && is_there(s, &file))
        file.path = join_text(s->arena, number_text(s->arena, s->sequence + 1), "-", file.path);
    file.upload = *deposit->original;
    *deposit->original = NULL;
    enum error_code code = stage_file(s, &file, error);
    if (file.upload != NULL)
        upload_free(file.upload);
    changes_set(&changes, attribute_text(ATTRIBUTE_PACKAGING), text_from(packaging_word(deposit->packaging)));
    return code != ERROR_NONE
               ? code
               : changes_stage(&changes, s->transaction, target_path(file_path(s, &file)), false, error);
}

static void
find_last_sequence(struct staging *s)
{
    for (size_t i = 0; i < s->deposit->package->file_count; i++)
        if (s->deposit->package->files[i].sequence > s->sequence)
            s->sequence = s->deposit->package->files[i].sequence;
}

/* ---- the item ------------------------------------------------------------------------------------------------------- */

static enum item_state
first_state(const struct staging *s)
{
    if (s->deposit->in_progress)
        return ITEM_IN_PROGRESS;
    return s->policy.review && !s->deposit->restore ? ITEM_IN_REVIEW : ITEM_ARCHIVED;
}

static enum error_code
require_rights(struct staging *s, struct error *error)
{
    const struct deposit *deposit = s->deposit;
    struct target collection = target_id(deposit->collection.resource.id);
    enum error_code code =
        transaction_require(s->transaction, collection, &deposit->submitter, RIGHT_DEPOSIT, error);
    if (code == ERROR_NONE && deposit->mediator.user != 0)
        code = transaction_require(s->transaction, collection, &deposit->mediator, RIGHT_DEPOSIT | RIGHT_ON_BEHALF_OF, error);
    if (code == ERROR_NONE)
        transaction_trust(s->transaction);
    return code;
}

static void
describe_item(struct staging *s, struct changes *changes)
{
    changes_set(changes, attribute_text(ATTRIBUTE_KIND), text_from(entity_kind_word(ENTITY_ITEM)));
    if (s->deposit->mediator.user != 0)
        changes_set(changes, attribute_text(ATTRIBUTE_MEDIATOR), number_text(s->arena, s->deposit->mediator.user));
    if (s->deposit->slug.length > 0)
        changes_set(changes, attribute_text(ATTRIBUTE_SLUG), s->deposit->slug);
    if (s->deposit->package->embargo.length > 0)
        changes_set(changes, attribute_text(ATTRIBUTE_EMBARGO), s->deposit->package->embargo);
    if (s->deposit->request_key.length > 0)
        changes_set(changes, attribute_text(ATTRIBUTE_REQUEST), s->deposit->request_note);
}

static struct text
provenance_of(struct staging *s)
{
    const struct deposit *deposit = s->deposit;
    struct text words = join_text(s->arena, TEXT("Submitted by "), "", deposit->submitter.name);
    if (deposit->mediator.user != 0)
        words = join_text(s->arena, words, ", sent by ", deposit->mediator.name);
    return words;
}

/* In progress or in review: its own rule. Archived: handle, dates, harvesters. */
static enum error_code
stage_first_state(struct staging *s, struct target target, struct changes *changes, struct error *error)
{
    enum item_state state = first_state(s);
    struct rule rule;
    if (state == ITEM_ARCHIVED)
        return stage_archiving(s->repository, s->transaction, target, s->made->handle, provenance_of(s),
                               s->deposit->restore ? &s->deposit->package->fields : NULL, (uint32_t)s->deposit->package->fields.count + 1, changes, error);
    changes_set_state(changes, state, TEXT(""));
    enum error_code code =
        private_rule(s->view, &s->policy, s->deposit->mediator.user, state == ITEM_IN_REVIEW, &rule, error);
    return code != ERROR_NONE ? code : transaction_set_access(s->transaction, target, rule.entries, rule.count, error);
}

static enum error_code
stage_item(struct staging *s, struct error *error)
{
    struct container_options options = {.aggregate = true, .condition = {.kind = CONDITION_ABSENT}};
    struct changes changes = {.arena = s->arena, .fresh = true};
    struct target target = target_path(s->made->path);
    describe_item(s, &changes);
    enum error_code code = transaction_make_container(s->transaction, target, &options, error);
    if (code == ERROR_NONE)
        code = stage_names(s->transaction, s->made, target, NULL, s->arena, error);
    if (code == ERROR_NONE && s->deposit->restore)
        code = stage_number(s->transaction, s->made->number, error);
    if (code == ERROR_NONE && s->deposit->request_key.length > 0)
        code = transaction_set_identifier(s->transaction, target, TEXT(SCHEME_REQUEST), s->deposit->request_key, error);
    if (code == ERROR_NONE)
        code = changes_add_fields(&changes, &s->deposit->package->fields, 1, error);
    if (code == ERROR_NONE)
        code = stage_first_state(s, target, &changes, error);
    return code != ERROR_NONE ? code : changes_stage(&changes, s->transaction, target, true, error);
}

static enum error_code
stage_files(struct staging *s, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (size_t i = 0; i < s->deposit->package->file_count && code == ERROR_NONE; i++)
        code = stage_file(s, &s->deposit->package->files[i], error);
    return code != ERROR_NONE ? code : stage_original(s, error);
}

static enum error_code
make_entity(struct staging *s, struct text parent, struct error *error)
{
    const struct package *package = s->deposit->package;
    return s->deposit->restore
               ? kept_entity(s->repository, parent, package->handle, package->uuid, s->arena, s->made, error)
               : new_entity(s->repository, parent, s->arena, s->made, error);
}

static enum error_code
read_embargo(struct staging *s, struct error *error)
{
    struct text day = s->deposit->package->embargo;
    if (day.length == 0)
        return ERROR_NONE;
    enum error_code code = embargo_time(s->repository, day, &s->embargo_us, error);
    s->closed = code == ERROR_NONE && s->embargo_us > model_settled_us(s->repository->options.model);
    return code;
}

enum error_code
repository_stage_deposit(struct repository *repository, struct transaction *transaction, struct view *view,
                         const struct deposit *deposit, struct arena *arena, struct new_entity *ret_new,
                         struct error *error)
{
    struct staging s = {.repository = repository, .transaction = transaction, .view = view, .deposit = deposit,
                        .arena = arena, .made = ret_new};
    struct text parent;
    enum error_code code = repository_policy(repository, view, &deposit->collection, &s.policy, error);
    if (code == ERROR_NONE)
        code = view_path(view, deposit->collection.resource.id, &parent, error);
    if (code == ERROR_NONE)
        code = read_embargo(&s, error);
    if (code == ERROR_NONE)
        code = make_entity(&s, parent, error);
    if (code == ERROR_NONE)
        code = require_rights(&s, error);
    if (code == ERROR_NONE)
        code = stage_item(&s, error);
    find_last_sequence(&s);
    return code != ERROR_NONE ? code : stage_files(&s, error);
}

/* ---- edits ------------------------------------------------------------------------------------------------------------- */

static bool
note_sequence(void *context, const struct bitstream *bitstream)
{
    struct staging *s = context;
    if (bitstream->sequence > s->sequence)
        s->sequence = bitstream->sequence;
    return true;
}

/* By their bundles: one operation each, however many files there are. */
static enum error_code
delete_contents(struct staging *s, const struct entity *item, struct error *error)
{
    struct child_iterator *iterator;
    struct child child;
    enum error_code code = view_children(s->view, &item->resource, TEXT(""), &iterator, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && child_iterator_next(iterator, &child))
        if (child.kind == RESOURCE_CONTAINER && is_content_bundle(child.name))
            code = transaction_delete(s->transaction, target_id(child.id), true, NULL, error);
    enum error_code closed = child_iterator_close(iterator, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}

/* The item's own embargo counts for files that come later, unless they bring one. */
static enum error_code
find_embargo(struct staging *s, const struct entity *item, struct error *error)
{
    enum error_code code = ERROR_NONE;
    if (s->deposit->package->embargo.length == 0)
        code = statement_value(s->view, item->resource.id, attribute_text(ATTRIBUTE_EMBARGO),
                               &s->deposit->package->embargo, error);
    return code != ERROR_NONE ? code : read_embargo(s, error);
}

static enum error_code
edit_files(struct staging *s, const struct entity *item, const struct edit *edit, struct error *error)
{
    enum error_code code = find_embargo(s, item, error);
    if (code == ERROR_NONE && edit->files == EDIT_REPLACE)
        code = delete_contents(s, item, error);
    if (code == ERROR_NONE)
        code = repository_bitstreams(s->repository, s->view, item, TEXT(""), note_sequence, s, error);
    find_last_sequence(s);
    return code != ERROR_NONE ? code : stage_files(s, error);
}

enum error_code
repository_stage_edit(struct repository *repository, struct transaction *transaction, struct view *view,
                      const struct principal *person, const struct entity *item, const struct edit *edit,
                      struct arena *arena, struct error *error)
{
    struct new_entity there = {.number = item->number};
    struct deposit deposit = {.package = edit->package, .original = edit->original, .original_name = edit->original_name,
                              .original_type = edit->original_type, .packaging = edit->packaging};
    struct staging s = {.repository = repository, .transaction = transaction, .view = view, .deposit = &deposit,
                        .arena = arena, .made = &there, .editing = true};
    bool has_fields = edit->fields != EDIT_KEEP && (edit->fields == EDIT_REPLACE || edit->package->fields.count > 0);
    enum error_code code = repository_by_id(repository, view, item->resource.parent, &deposit.collection, error);
    if (code == ERROR_NONE)
        code = repository_policy(repository, view, &deposit.collection, &s.policy, error);
    if (code == ERROR_NONE)
        code = view_path(view, item->resource.id, &there.path, error);
    if (code == ERROR_NONE)
        code = transaction_require(transaction, target_id(item->resource.id), person, RIGHT_WRITE, error);
    if (code != ERROR_NONE)
        return code;
    transaction_trust(transaction);
    if (has_fields)
        code = repository_stage_fields(repository, transaction, view, item, &edit->package->fields,
                                       edit->fields == EDIT_REPLACE, error);
    if (code == ERROR_NONE)
        code = edit_files(&s, item, edit, error);
    if (code == ERROR_NONE && edit->complete)
        code = stage_completion(repository, transaction, view, person, item, false,
                                has_fields ? (uint32_t)edit->package->fields.count : 0, error);
    return code;
}

/* ---- the end of embargoes ---------------------------------------------------------------------------------------------- */

struct due_list {
    struct transaction *transaction;
    struct error *error;
    enum error_code code;
    size_t count;
};

#define DUE_BATCH 500u

static bool
lift(void *context, const struct due *due)
{
    struct due_list *list = context;
    if (!text_equal(due->kind, TEXT(DUE_EMBARGO)))
        return true;
    list->code = transaction_set_access(list->transaction, target_id(due->id), NULL, 0, list->error);
    if (list->code == ERROR_NONE)
        list->code = transaction_set_due(list->transaction, target_id(due->id), due->kind, 0, list->error);
    list->count++;
    return list->code == ERROR_NONE && list->count < DUE_BATCH;
}

enum error_code
repository_lift_embargoes(struct repository *repository, size_t *ret_lifted, struct error *error)
{
    struct principal local = principal_local();
    struct due_list list = {.error = error};
    struct view *view;
    *ret_lifted = 0;
    enum error_code code = view_open(repository->options.model, &local, &view, error);
    if (code != ERROR_NONE)
        return code;
    code = transaction_new(repository->options.model, &local, &list.transaction, error);
    if (code == ERROR_NONE)
        code = view_due(view, model_settled_us(repository->options.model), lift, &list, error);
    if (code == ERROR_NONE)
        code = list.code;
    if (code == ERROR_NONE && list.count > 0)
        code = transaction_commit(list.transaction, error);
    if (code == ERROR_NONE)
        *ret_lifted = list.count;
    transaction_free(list.transaction);
    view_close(view);
    return code;
}
