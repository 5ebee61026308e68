/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Staging: what a caller wants is checked for shape and limits, copied, and kept until the commit.
 * State is looked at by the committer only (committer.c, decide_*.c).
 */
#include "auth/password.h"
#include "auth/token.h"
#include "base/ensure.h"
#include "model/commit/draw.h"
#include "model/commit/hold.h"
#include "model/commit/transaction_private.h"

#define TRANSACTION_MEMORY_BYTES (64u << 20)

static void
copy_principal(struct arena *arena, const struct principal *principal, struct principal *ret)
{
    *ret = *principal;
    ret->name = arena_copy(arena, principal->name);
    if (principal->group_count > 0) {
        uint64_t *groups = arena_alloc(arena, principal->group_count * sizeof *groups);
        if (groups != NULL)
            memcpy(groups, principal->groups, principal->group_count * sizeof *groups);
        ret->groups = groups;
    }
}

enum error_code
transaction_new(struct model *model, const struct principal *principal,
                struct transaction **ret_transaction, struct error *error)
{
    struct transaction *t = calloc(1, sizeof *t);
    if (t == NULL)
        return error_set(error, ERROR_NO_MEMORY, "out of memory");
    t->magic = TRANSACTION_MAGIC;
    t->model = model;
    arena_init(&t->arena, TRANSACTION_MEMORY_BYTES);
    copy_principal(&t->arena, principal, &t->principal);
    enum error_code code = arena_status(&t->arena, error);
    if (code != ERROR_NONE) {
        transaction_free(t);
        return code;
    }
    *ret_transaction = t;
    return ERROR_NONE;
}

void
transaction_free(struct transaction *t)
{
    if (t == NULL)
        return;
    ensure(t->magic == TRANSACTION_MAGIC && !t->submitted);
    if (t->holds)
        holds_end(t->model->holds, t);
    for (struct stage *stage = t->first; stage != NULL; stage = stage->next)
        upload_free(stage->upload);
    t->magic = 0;
    arena_release(&t->arena);
    free(t);
}

void
transaction_set_message(struct transaction *t, struct text message)
{
    t->message = arena_copy(&t->arena, message);
}

struct stage *
transaction_stage(struct transaction *t, enum stage_kind kind, struct error *error)
{
    ensure(t->magic == TRANSACTION_MAGIC && !t->submitted);
    if (t->count >= t->model->limits.transaction_operations) {
        error_set(error, ERROR_LIMIT, "a transaction holds at most %llu operations (transaction_operations)",
                  (unsigned long long)t->model->limits.transaction_operations);
        return NULL;
    }
    struct stage *stage = arena_alloc(&t->arena, sizeof *stage);
    if (stage == NULL) {
        (void)!arena_status(&t->arena, error);
        return NULL;
    }
    stage->kind = kind;
    stage->trusted = t->trusted;
    if (t->last == NULL)
        t->first = stage;
    else
        t->last->next = stage;
    t->last = stage;
    t->count++;
    return stage;
}

/* A failed staging call leaves the transaction as it was before it. */
static enum error_code
unstage(struct transaction *t, const struct stage *before, enum error_code code)
{
    struct stage *last = t->first;
    if (before == NULL) {
        t->first = t->last = NULL;
    } else {
        while (last != before)
            last = last->next;
        last->next = NULL;
        t->last = last;
    }
    t->count--;
    return code;
}

static enum error_code
copy_target(struct transaction *t, struct target target, struct target *ret, struct error *error)
{
    *ret = target;
    if (target.id != 0)
        return ERROR_NONE;
    enum error_code code = path_check_existing(target.path, &t->model->limits, error);
    if (code == ERROR_NONE)
        ret->path = arena_copy(&t->arena, target.path);
    return code;
}

/* Of what may be created: within the limits. */
static enum error_code
copy_new_target(struct transaction *t, struct target target, struct target *ret, struct error *error)
{
    enum error_code code = target.id != 0 ? ERROR_NONE : path_check(target.path, &t->model->limits, error);
    return code != ERROR_NONE ? code : copy_target(t, target, ret, error);
}

static void
copy_condition(struct transaction *t, const struct condition *condition, struct condition *ret)
{
    if (condition == NULL) {
        *ret = (struct condition){0};
        return;
    }
    *ret = *condition;
    if (condition->count == 0)
        return;
    struct resource_state *states = arena_alloc(&t->arena, condition->count * sizeof *states);
    if (states != NULL)
        memcpy(states, condition->states, condition->count * sizeof *states);
    ret->states = states;
}

static enum error_code
finish_stage(struct transaction *t, const struct stage *before, enum error_code code, struct error *error)
{
    if (code == ERROR_NONE)
        code = arena_status(&t->arena, error);
    return code == ERROR_NONE ? code : unstage(t, before, code);
}

#define BEGIN_STAGE(name)                                                                          \
    struct stage *before = t->last;                                                                \
    struct stage *stage = transaction_stage(t, STAGE_##name, error);                               \
    if (stage == NULL)                                                                             \
        return error == NULL ? ERROR_LIMIT : error->code

static enum error_code
check_utf8(const char *what, struct text value, size_t limit, struct error *error)
{
    if (value.length > limit)
        return error_set(error, ERROR_LIMIT, "%s has more than %zu bytes", what, limit);
    if (!text_is_utf8(value) || (value.length > 0 && memchr(value.data, '\0', value.length) != NULL))
        return error_set(error, ERROR_INVALID, "%s is not UTF-8 without NUL", what);
    return ERROR_NONE;
}

#define MEDIA_TYPE_BYTES_MAXIMUM 1024u
#define FILENAME_BYTES_MAXIMUM 1024u

static enum error_code
copy_file_options(struct transaction *t, const struct file_options *options, struct file_options *ret,
                  struct error *error)
{
    enum error_code code = check_utf8("the media type", options->media_type, MEDIA_TYPE_BYTES_MAXIMUM, error);
    if (code == ERROR_NONE)
        code = check_utf8("the file name", options->filename, FILENAME_BYTES_MAXIMUM, error);
    if (code != ERROR_NONE)
        return code;
    *ret = *options;
    ret->media_type = arena_copy(&t->arena, options->media_type);
    ret->filename = arena_copy(&t->arena, options->filename);
    return ERROR_NONE;
}

enum error_code
transaction_put_file(struct transaction *t, struct target target, struct upload **upload,
                     const struct file_options *options, struct error *error)
{
    BEGIN_STAGE(put_file);
    ensure((*upload)->magic == UPLOAD_MAGIC && (*upload)->finished);
    enum error_code code = copy_new_target(t, target, &stage->target, error);
    if (code == ERROR_NONE)
        code = copy_file_options(t, options, &stage->file, error);
    copy_condition(t, &options->condition, &stage->condition);
    code = finish_stage(t, before, code, error);
    if (code == ERROR_NONE) {
        stage->upload = *upload;
        stage->is_file = true;
        *upload = NULL;
    }
    return code;
}

enum error_code
transaction_make_container(struct transaction *t, struct target target,
                           const struct container_options *options, struct error *error)
{
    BEGIN_STAGE(make_container);
    enum error_code code = copy_new_target(t, target, &stage->target, error);
    stage->container = *options;
    copy_condition(t, &options->condition, &stage->condition);
    return finish_stage(t, before, code, error);
}

enum error_code
transaction_add_child(struct transaction *t, struct target parent, struct text slug, struct upload **upload,
                      const struct file_options *file, const struct container_options *container,
                      struct error *error)
{
    BEGIN_STAGE(add_child);
    enum error_code code = copy_target(t, parent, &stage->target, error);
    stage->is_file = upload != NULL && *upload != NULL;
    if (code == ERROR_NONE && stage->is_file)
        code = copy_file_options(t, file, &stage->file, error);
    if (container != NULL)
        stage->container = *container;
    if (name_check(slug, &t->model->limits, NULL) == ERROR_NONE)
        stage->name = arena_copy(&t->arena, slug);
    code = finish_stage(t, before, code, error);
    if (code == ERROR_NONE && stage->is_file) {
        ensure((*upload)->magic == UPLOAD_MAGIC && (*upload)->finished);
        stage->upload = *upload;
        *upload = NULL;
    }
    return code;
}

static enum error_code
check_statement(const struct transaction *t, const struct statement_change *change, struct error *error)
{
    const struct statement *s = &change->statement;
    enum error_code code = ERROR_NONE;
    if (change->kind == STATEMENT_REMOVE_ALL)
        return ERROR_NONE;
    if (s->attribute.length == 0)
        return error_set(error, ERROR_INVALID, "a statement needs an attribute");
    code = check_utf8("the attribute", s->attribute, STATEMENT_ATTRIBUTE_BYTES_MAXIMUM, error);
    if (code != ERROR_NONE || change->kind == STATEMENT_REMOVE_ATTRIBUTE)
        return code;
    if (s->value.length > t->model->limits.statement_value_bytes)
        return error_set(error, ERROR_LIMIT, "a value has %zu bytes; at most %llu (statement_value_bytes)",
                         s->value.length, (unsigned long long)t->model->limits.statement_value_bytes);
    code = check_utf8("the value", s->value, s->value.length, error);
    if (code == ERROR_NONE)
        code = check_utf8("the qualifier", s->qualifier, STATEMENT_QUALIFIER_BYTES_MAXIMUM, error);
    if (code == ERROR_NONE)
        code = check_utf8("the extra", s->extra, 65536, error);
    return code;
}

enum error_code
transaction_change_statements(struct transaction *t, struct target target,
                              const struct statement_change *changes, size_t count, bool snapshot,
                              const struct condition *condition, struct error *error)
{
    BEGIN_STAGE(change_statements);
    enum error_code code = copy_target(t, target, &stage->target, error);
    struct statement_change *copies = arena_alloc(&t->arena, count * sizeof *copies);
    for (size_t i = 0; i < count && code == ERROR_NONE && copies != NULL; i++) {
        const struct statement *s = &changes[i].statement;
        code = check_statement(t, &changes[i], error);
        copies[i] = changes[i];
        copies[i].statement.attribute = arena_copy(&t->arena, s->attribute);
        copies[i].statement.value = arena_copy(&t->arena, s->value);
        copies[i].statement.qualifier = arena_copy(&t->arena, s->qualifier);
        copies[i].statement.extra = arena_copy(&t->arena, s->extra);
    }
    stage->changes = copies;
    stage->change_count = count;
    stage->snapshot = snapshot;
    copy_condition(t, condition, &stage->condition);
    return finish_stage(t, before, code, error);
}

enum error_code
transaction_move(struct transaction *t, struct target from, struct text to, bool make_parents,
                 const struct condition *condition, struct error *error)
{
    BEGIN_STAGE(move);
    enum error_code code = copy_target(t, from, &stage->target, error);
    if (code == ERROR_NONE)
        code = path_check(to, &t->model->limits, error);
    stage->name = arena_copy(&t->arena, to);
    stage->make_parents = make_parents;
    copy_condition(t, condition, &stage->condition);
    return finish_stage(t, before, code, error);
}

enum error_code
transaction_delete(struct transaction *t, struct target target, bool recursive,
                   const struct condition *condition, struct error *error)
{
    BEGIN_STAGE(delete);
    enum error_code code = copy_target(t, target, &stage->target, error);
    stage->recursive = recursive;
    copy_condition(t, condition, &stage->condition);
    return finish_stage(t, before, code, error);
}

enum error_code
transaction_forget_tombstone(struct transaction *t, struct text path, struct error *error)
{
    BEGIN_STAGE(forget_tombstone);
    return finish_stage(t, before, copy_target(t, target_path(path), &stage->target, error), error);
}

enum error_code
transaction_set_access(struct transaction *t, struct target target, const struct rule_entry *entries,
                       size_t count, struct error *error)
{
    BEGIN_STAGE(set_access);
    enum error_code code = copy_target(t, target, &stage->target, error);
    if (code == ERROR_NONE && count > RULE_ENTRIES_MAXIMUM)
        code = error_set(error, ERROR_LIMIT, "a rule has at most %u entries", RULE_ENTRIES_MAXIMUM);
    stage->inherit = entries == NULL;
    if (entries != NULL && code == ERROR_NONE) {
        struct rule_entry *copies = arena_alloc(&t->arena, (count + 1) * sizeof *copies);
        if (copies != NULL && count > 0)
            memcpy(copies, entries, count * sizeof *copies);
        stage->entries = copies;
        stage->entry_count = count;
    }
    return finish_stage(t, before, code, error);
}

enum error_code
transaction_set_owner(struct transaction *t, struct target target, uint64_t user, struct error *error)
{
    BEGIN_STAGE(set_owner);
    stage->number = user;
    return finish_stage(t, before, copy_target(t, target, &stage->target, error), error);
}

/* ---- persons ----------------------------------------------------------------------------------- */

/* Names of users and groups go into Basic credentials, logs and lists. */
static enum error_code
check_login(struct text name, struct error *error)
{
    if (name.length == 0)
        return error_set(error, ERROR_INVALID, "a name is needed");
    enum error_code code = check_utf8("the name", name, 255, error);
    for (size_t i = 0; i < name.length && code == ERROR_NONE; i++)
        if ((unsigned char)name.data[i] < 0x20 || name.data[i] == 0x7F || name.data[i] == ':')
            code = error_set(error, ERROR_INVALID, "a name has no colon and no control characters");
    return code;
}

static enum error_code
stage_user(struct transaction *t, struct stage *stage, const struct user_change *user, struct error *error)
{
    enum error_code code = check_utf8("the full name", user->full_name, 1024, error);
    if (code == ERROR_NONE)
        code = check_utf8("the e-mail address", user->email, 1024, error);
    stage->user = *user;
    stage->user.name = arena_copy(&t->arena, user->name);
    stage->user.full_name = arena_copy(&t->arena, user->full_name);
    stage->user.email = arena_copy(&t->arena, user->email);
    t->changes_persons = true;
    return code;
}

enum error_code
transaction_add_user(struct transaction *t, const struct user_change *user, struct error *error)
{
    BEGIN_STAGE(add_user);
    enum error_code code = check_login(user->name, error);
    if (code == ERROR_NONE)
        code = stage_user(t, stage, user, error);
    return finish_stage(t, before, code, error);
}

enum error_code
transaction_change_user(struct transaction *t, uint64_t id, const struct user_change *user, struct error *error)
{
    BEGIN_STAGE(change_user);
    stage->number = id;
    return finish_stage(t, before, stage_user(t, stage, user, error), error);
}

/* The stages that are a number and nothing else. */
#define STAGE_OF_NUMBER(name)                                                                      \
    enum error_code transaction_##name(struct transaction *t, uint64_t id, struct error *error)    \
    {                                                                                              \
        BEGIN_STAGE(name);                                                                         \
        stage->number = id;                                                                        \
        t->changes_persons = true;                                                                 \
        return finish_stage(t, before, ERROR_NONE, error);                                         \
    }
STAGE_OF_NUMBER(remove_user)
STAGE_OF_NUMBER(remove_group)
STAGE_OF_NUMBER(remove_token)

enum error_code
transaction_set_password(struct transaction *t, uint64_t user, struct text password, struct error *error)
{
    BEGIN_STAGE(set_password);
    char hash[PASSWORD_HASH_BYTES];
    enum error_code code = ERROR_NONE;
    stage->number = user;
    t->changes_persons = true;
    if (password.length > 0) {
        code = password_hash(password, hash, error);
        if (code == ERROR_NONE)
            stage->secret = arena_copy(&t->arena, text_from(hash));
    }
    return finish_stage(t, before, code, error);
}

enum error_code
transaction_add_group(struct transaction *t, struct text name, struct error *error)
{
    BEGIN_STAGE(add_group);
    stage->name = arena_copy(&t->arena, name);
    return finish_stage(t, before, check_login(name, error), error);
}

enum error_code
transaction_set_member(struct transaction *t, uint64_t group, uint64_t user, bool member, struct error *error)
{
    BEGIN_STAGE(set_member);
    stage->group = group;
    stage->number = user;
    stage->member = member;
    t->changes_persons = true;
    return finish_stage(t, before, ERROR_NONE, error);
}

enum error_code
transaction_add_token(struct transaction *t, uint64_t user, struct text label, int64_t expires_us,
                      char ret_token[64], struct error *error)
{
    BEGIN_STAGE(add_token);
    unsigned char hash[32];
    char token[TOKEN_TEXT_BYTES];
    enum error_code code = check_utf8("the label", label, 255, error);
    token_make(t->model->random, token);
    token_hash(text_from(token), hash);
    stage->number = user;
    stage->name = arena_copy(&t->arena, label);
    stage->group = (uint64_t)expires_us;
    stage->secret = arena_copy(&t->arena, text_of((const char *)hash, sizeof hash));
    code = finish_stage(t, before, code, error);
    if (code == ERROR_NONE)
        memcpy(ret_token, token, strlen(token) + 1);
    return code;
}

static enum error_code
check_counter(struct text counter, struct error *error)
{
    return counter.length == 0 ? error_set(error, ERROR_INVALID, "a counter needs a name")
                               : check_utf8("the counter's name", counter, 255, error);
}

enum error_code
transaction_draw(struct transaction *t, struct text counter, struct error *error)
{
    return transaction_draw_block(t, counter, 1, error);
}

enum error_code
transaction_draw_block(struct transaction *t, struct text counter, uint64_t count, struct error *error)
{
    BEGIN_STAGE(draw);
    enum error_code code = check_counter(counter, error);
    stage->name = arena_copy(&t->arena, counter);
    stage->number = count;
    return finish_stage(t, before, code, error);
}

enum error_code
transaction_raise(struct transaction *t, struct text counter, uint64_t value, struct error *error)
{
    BEGIN_STAGE(raise);
    enum error_code code = check_counter(counter, error);
    stage->name = arena_copy(&t->arena, counter);
    stage->number = value;
    if (code == ERROR_NONE)
        draws_skip(t->model->draws, counter, value);
    return finish_stage(t, before, code, error);
}

enum error_code
transaction_set_identifier(struct transaction *t, struct target target, struct text scheme, struct text value,
                           struct error *error)
{
    BEGIN_STAGE(set_identifier);
    enum error_code code = copy_target(t, target, &stage->target, error);
    if (code == ERROR_NONE && (scheme.length == 0 || value.length == 0))
        code = error_set(error, ERROR_INVALID, "an identifier has a scheme and a value");
    if (code == ERROR_NONE)
        code = check_utf8("the scheme", scheme, IDENTIFIER_SCHEME_BYTES_MAXIMUM, error);
    if (code == ERROR_NONE)
        code = check_utf8("the identifier", value, IDENTIFIER_BYTES_MAXIMUM, error);
    stage->name = arena_copy(&t->arena, scheme);
    stage->secret = arena_copy(&t->arena, value);
    return finish_stage(t, before, code, error);
}

enum error_code
transaction_make_record(struct transaction *t, struct target target, struct error *error)
{
    BEGIN_STAGE(make_record);
    return finish_stage(t, before, copy_target(t, target, &stage->target, error), error);
}

enum error_code
transaction_require(struct transaction *t, struct target target, const struct principal *person, rights needed,
                    struct error *error)
{
    BEGIN_STAGE(require_right);
    enum error_code code = copy_target(t, target, &stage->target, error);
    copy_principal(&t->arena, person, &stage->person);
    stage->rights = needed;
    return finish_stage(t, before, code, error);
}

void
transaction_trust(struct transaction *t)
{
    t->trusted = true;
}

enum error_code
transaction_set_due(struct transaction *t, struct target target, struct text kind, int64_t due_us,
                    struct error *error)
{
    BEGIN_STAGE(set_due);
    enum error_code code = copy_target(t, target, &stage->target, error);
    if (code == ERROR_NONE)
        code = kind.length == 0 || due_us < 0 ? error_set(error, ERROR_INVALID, "a due date needs a kind and a time after 1970")
                                              : check_utf8("the kind", kind, 255, error);
    stage->name = arena_copy(&t->arena, kind);
    stage->number = (uint64_t)due_us;
    return finish_stage(t, before, code, error);
}

/* ---- long transactions --------------------------------------------------------------------------- */

enum error_code
transaction_hold(struct transaction *t, struct target target, struct error *error)
{
    struct lookup lookup = {.catalog = t->model->catalog};
    struct walk walk;
    enum error_code code = ERROR_NONE;
    if (target.id == 0)
        code = path_check_existing(target.path, &t->model->limits, error);
    if (code == ERROR_NONE)
        code = target.id != 0 ? lookup_ancestry(&lookup, target.id, &walk, error)
                              : lookup_path(&lookup, target.path, &walk, error);
    if (code != ERROR_NONE)
        return code;
    t->holds = true;
    code = holds_take(t->model->holds, t, walk.ids[walk.count - 1], error);
    if (code == ERROR_NONE && walk.aggregate != 0)
        code = holds_take(t->model->holds, t, walk.aggregate, error);
    return code;
}

void
transaction_touch(struct transaction *t)
{
    if (t->holds)
        (void)holds_touch(t->model->holds, t);
}

/* ---- results ----------------------------------------------------------------------------------- */

enum error_code
transaction_outcome(const struct transaction *t, struct error *error)
{
    if (t->outcome.code != ERROR_NONE && error != NULL)
        *error = t->outcome;
    return t->outcome.code;
}

const struct operation_result *
transaction_result(const struct transaction *t, size_t operation)
{
    const struct stage *stage = t->first;
    ensure(operation < t->count);
    while (operation-- > 0)
        stage = stage->next;
    return &stage->result;
}

size_t
transaction_operation_count(const struct transaction *t)
{
    return t->count;
}

uint64_t
transaction_sequence(const struct transaction *t)
{
    return t->sequence;
}

const struct transaction_timing *
transaction_timing(const struct transaction *t)
{
    return &t->timing;
}

/* ---- waiting ----------------------------------------------------------------------------------- */

struct waiter {
    struct lock lock;
    struct signal signal;
    bool done;
};

static void
wake_waiter(void *context, struct transaction *t)
{
    struct waiter *waiter = context;
    lock_take(&waiter->lock);
    waiter->done = true;
    signal_one(&waiter->signal);
    lock_give(&waiter->lock);
}

enum error_code
transaction_commit(struct transaction *t, struct error *error)
{
    struct waiter waiter = {.done = false};
    lock_init(&waiter.lock, LOCK_RANK_LEAF);
    signal_init(&waiter.signal);
    enum error_code code = transaction_submit(t, wake_waiter, &waiter, error);
    if (code == ERROR_NONE) {
        committer_drain(t->model->committer);
        lock_take(&waiter.lock);
        while (!waiter.done)
            signal_wait_locked(&waiter.signal, &waiter.lock);
        lock_give(&waiter.lock);
        code = transaction_outcome(t, error);
    }
    signal_release(&waiter.signal);
    lock_release(&waiter.lock);
    return code;
}
