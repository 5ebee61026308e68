/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about communities, collections and items. */
#include "server/admin/work.h"

/* ---- communities and collections ---------------------------------------------------------------------------- */

static void
put_new(struct call *call, const struct new_entity *made)
{
    json_member_text(&call->result, "handle", made->handle);
    json_member_text(&call->result, "uuid", made->uuid);
    json_member_text(&call->result, "path", made->path);
}

enum error_code
call_community_add(struct call *call, struct error *error)
{
    struct work w;
    struct entity parent;
    struct new_entity made;
    bool top = call_text(call, "parent").length == 0;
    enum error_code code = work_begin(&w, call, error);
    if (code == ERROR_NONE && !top)
        code = work_find_kind(&w, "parent", ENTITY_COMMUNITY, &parent, error);
    if (code == ERROR_NONE)
        code = repository_stage_community(w.repository, w.transaction, w.view, call_text(call, "name"),
                                          top ? NULL : &parent, &call->arena, &made, error);
    if (code == ERROR_NONE)
        code = work_commit(&w, error);
    if (code == ERROR_NONE)
        put_new(call, &made);
    return work_end(&w, code);
}

/* The policy's keys among the arguments: "review" "yes". */
static enum error_code
read_policy(struct call *call, struct collection_policy *policy, struct error *error)
{
    *policy = repository_policy_default();
    json_each (member, json_get(call->arguments, "policy")) {
        enum error_code code = collection_policy_set(policy, member->key, member->text, error);
        if (code != ERROR_NONE)
            return code;
    }
    return ERROR_NONE;
}

enum error_code
call_collection_add(struct call *call, struct error *error)
{
    struct work w;
    struct entity community;
    struct new_entity made;
    struct collection_policy policy;
    enum error_code code = work_begin(&w, call, error);
    if (code == ERROR_NONE)
        code = read_policy(call, &policy, error);
    if (code == ERROR_NONE)
        code = work_find_kind(&w, "community", ENTITY_COMMUNITY, &community, error);
    if (code == ERROR_NONE)
        code = repository_stage_collection(w.repository, w.transaction, w.view, call_text(call, "name"), &community, &policy,
                                           &call->arena, &made, error);
    if (code == ERROR_NONE)
        code = work_commit(&w, error);
    if (code == ERROR_NONE)
        put_new(call, &made);
    return work_end(&w, code);
}

enum error_code
call_collection_set(struct call *call, struct error *error)
{
    struct work w;
    struct entity collection;
    enum error_code code = work_begin(&w, call, error);
    if (code == ERROR_NONE)
        code = work_find_kind(&w, "collection", ENTITY_COLLECTION, &collection, error);
    if (code == ERROR_NONE)
        code = repository_stage_policy(w.repository, w.transaction, w.view, &collection, call_text(call, "key"),
                                       call_text(call, "value"), error);
    if (code == ERROR_NONE)
        code = work_commit(&w, error);
    return work_end(&w, code);
}

/* ---- items --------------------------------------------------------------------------------------------------- */

struct listing {
    struct work *work;
    struct text state; /* "" all */
    enum error_code code;
    struct error *error;
};

static void
put_entity(struct json_writer *line, const struct entity *entity)
{
    json_member_string(line, "kind", entity_kind_word(entity->kind));
    json_member_u64(line, "number", entity->number);
    json_member_text(line, "handle", entity->handle);
    json_member_text(line, "uuid", entity->uuid);
    json_member_text(line, "name", entity->name);
    if (entity->kind != ENTITY_ITEM)
        return;
    json_member_string(line, "state", item_state_word(entity->state));
    if (entity->reason.length > 0)
        json_member_text(line, "reason", entity->reason);
}

static bool list_entity(void *context, const struct entity *entity);

static enum error_code
list_below(struct listing *listing, uint64_t parent)
{
    return repository_children(listing->work->repository, listing->work->view, parent,
                               1u << ENTITY_COMMUNITY | 1u << ENTITY_COLLECTION | 1u << ENTITY_ITEM, TEXT(""), 0, list_entity,
                               listing, listing->error);
}

static bool
list_entity(void *context, const struct entity *entity)
{
    struct listing *listing = context;
    bool wanted = listing->state.length == 0 ||
                  (entity->kind == ENTITY_ITEM && text_equal(listing->state, text_from(item_state_word(entity->state))));
    if (wanted) {
        struct json_writer line = call_line_begin(listing->work->call);
        put_entity(&line, entity);
        listing->code = call_line_end(listing->work->call, &line, listing->error);
    }
    if (listing->code == ERROR_NONE && entity->kind != ENTITY_ITEM)
        listing->code = list_below(listing, entity->resource.id);
    return listing->code == ERROR_NONE;
}

enum error_code
call_item_ls(struct call *call, struct error *error)
{
    struct work w;
    struct entity above = {.kind = ENTITY_COMMUNITY};
    struct listing listing = {.work = &w, .state = call_text(call, "state"), .error = error};
    enum item_state state;
    enum error_code code = work_begin(&w, call, error);
    if (code == ERROR_NONE && listing.state.length > 0 && !item_state_from_word(listing.state, &state))
        code = error_set(error, ERROR_INVALID, "no item is ever %.*s", TEXT_ARG(listing.state));
    if (code == ERROR_NONE && call_text(call, "in").length > 0)
        code = work_find(&w, "in", &above, error);
    if (code == ERROR_NONE)
        code = list_below(&listing, above.resource.id);
    return work_end(&w, code != ERROR_NONE ? code : listing.code);
}

static bool
send_bitstream(void *context, const struct bitstream *bitstream)
{
    struct listing *listing = context;
    struct json_writer line = call_line_begin(listing->work->call);
    json_member_text(&line, "bundle", bitstream->bundle);
    json_member_text(&line, "path", bitstream->path);
    json_member_u64(&line, "sequence", bitstream->sequence);
    json_member_u64(&line, "size", bitstream->resource.size_bytes);
    json_member_text(&line, "type", bitstream->resource.media_type);
    json_member_text(&line, "uuid", bitstream->uuid);
    if (bitstream->description.length > 0)
        json_member_text(&line, "description", bitstream->description);
    json_member_bool(&line, "primary", bitstream->primary);
    listing->code = call_line_end(listing->work->call, &line, listing->error);
    return listing->code == ERROR_NONE;
}

static enum error_code
send_fields(struct work *w, const struct entity *item, struct error *error)
{
    struct fields fields;
    enum error_code code = repository_fields(w->repository, w->view, item, true, &fields, error);
    for (size_t i = 0; code == ERROR_NONE && i < fields.count; i++) {
        const struct field *field = &fields.items[i];
        struct json_writer line = call_line_begin(w->call);
        json_member_text(&line, "field", field_attribute(field, &w->call->arena));
        json_member_text(&line, "value", field->value);
        if (field->language.length > 0)
            json_member_text(&line, "language", field->language);
        code = call_line_end(w->call, &line, error);
    }
    return code;
}

enum error_code
call_item_show(struct call *call, struct error *error)
{
    struct work w;
    struct entity item;
    struct listing listing = {.work = &w, .error = error};
    enum error_code code = work_begin(&w, call, error);
    if (code == ERROR_NONE)
        code = work_find(&w, "item", &item, error);
    if (code == ERROR_NONE) {
        struct json_writer line = call_line_begin(call);
        put_entity(&line, &item);
        code = call_line_end(call, &line, error);
    }
    if (code == ERROR_NONE && item.kind == ENTITY_ITEM)
        code = send_fields(&w, &item, error);
    if (code == ERROR_NONE && item.kind == ENTITY_ITEM)
        code = repository_bitstreams(w.repository, w.view, &item, TEXT(""), send_bitstream, &listing, error);
    return work_end(&w, code != ERROR_NONE ? code : listing.code);
}

static enum error_code
stage_verb(struct work *w, const struct entity *item, struct error *error)
{
    struct call *call = w->call;
    struct text verb = call_text(call, "verb"), reason = call_text(call, "reason");
    if (text_equal(verb, TEXT("approve")))
        return repository_stage_complete(w->repository, w->transaction, w->view, &call->principal, item, true, error);
    if (text_equal(verb, TEXT("complete")))
        return repository_stage_complete(w->repository, w->transaction, w->view, &call->principal, item, false, error);
    enum item_state state = text_equal(verb, TEXT("reject"))     ? ITEM_REJECTED
                            : text_equal(verb, TEXT("withdraw")) ? ITEM_WITHDRAWN
                                                                 : ITEM_ARCHIVED;
    return repository_stage_state(w->repository, w->transaction, w->view, &call->principal, item, state, reason, error);
}

enum error_code
call_item_state(struct call *call, struct error *error)
{
    struct work w;
    struct entity item;
    enum error_code code = work_begin(&w, call, error);
    if (code == ERROR_NONE)
        code = work_find_kind(&w, "item", ENTITY_ITEM, &item, error);
    if (code == ERROR_NONE)
        code = stage_verb(&w, &item, error);
    if (code == ERROR_NONE)
        code = work_commit(&w, error);
    return work_end(&w, code);
}

/* map, unmap, move: an item and a collection. */
enum error_code
call_item_place(struct call *call, struct error *error)
{
    struct work w;
    struct entity item, collection;
    struct text verb = call_text(call, "verb"), path;
    enum error_code code = work_begin(&w, call, error);
    if (code == ERROR_NONE)
        code = work_find_kind(&w, "item", ENTITY_ITEM, &item, error);
    if (code == ERROR_NONE)
        code = work_find_kind(&w, "collection", ENTITY_COLLECTION, &collection, error);
    if (code == ERROR_NONE && !text_equal(verb, TEXT("move"))) {
        code = repository_stage_mapping(w.repository, w.transaction, &item, &collection, text_equal(verb, TEXT("map")), error);
    } else if (code == ERROR_NONE) {
        code = view_path(w.view, collection.resource.id, &path, error);
        struct buffer to = {0};
        buffer_printf(&to, "%.*s/%.*s", TEXT_ARG(path), TEXT_ARG(item.resource.name));
        if (code == ERROR_NONE)
            code = transaction_move(w.transaction, target_id(item.resource.id), buffer_text(&to), false, NULL, error);
        buffer_release(&to);
    }
    if (code == ERROR_NONE)
        code = work_commit(&w, error);
    return work_end(&w, code);
}
