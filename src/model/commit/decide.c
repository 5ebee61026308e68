/* SPDX-License-Identifier: Apache-2.0 */
/* What all decisions share: see decide.h. */
#include "model/commit/decide.h"

#include "model/commit/hold.h"
#include "model/record/keys.h"

enum error_code
decide_journal(struct decision *d, struct line *line, struct error *error)
{
    struct line_origin origin = {.sequence = d->info.sequence, .time_us = d->info.time_us};
    enum error_code code = arena_status(&d->arena, error);
    if (code != ERROR_NONE)
        return code;
    if (line->by == 0)
        line->by = d->transaction->principal.user;
    buffer_clear(&d->line_json);
    line_write(line, &d->line_json);
    code = buffer_status(&d->line_json, error);
    if (code == ERROR_NONE)
        code = group_add_line(d->group, buffer_text(&d->line_json), &origin.index, error);
    if (code == ERROR_NONE && d->stage != NULL)
        d->stage->line_index = origin.index;
    if (code == ERROR_NONE)
        code = line_effects(line, &origin, overlay_apply, d->overlay, error);
    return code;
}

enum error_code
decide_new_id(struct decision *d, uint64_t *ret_id, struct error *error)
{
    if (d->next_id >= d->leased_until) {
        struct line lease = {.operation = OPERATION_LEASE, .next = d->next_id + ID_LEASE_BLOCK};
        if (lease.next >= OCFL_RESOURCE_ID_LIMIT)
            return error_set(error, ERROR_LIMIT, "all ids below 2^53 have been used");
        enum error_code code = decide_journal(d, &lease, error);
        if (code != ERROR_NONE)
            return code;
        d->leased_until = lease.next;
    }
    *ret_id = d->next_id++;
    return ERROR_NONE;
}

/* Somebody's long transaction holds the resource, or the aggregate that it is in. */
static enum error_code
refuse_held(struct decision *d, const struct walk *walk, struct error *error)
{
    struct holds *holds = d->model->holds;
    uint64_t id = walk->ids[walk->count - 1];
    if (!holds_any(holds) || (!holds_blocked(holds, d->transaction, id) &&
                              (walk->aggregate == 0 || !holds_blocked(holds, d->transaction, walk->aggregate))))
        return ERROR_NONE;
    d->transaction->blocked = true;
    return error_set(error, ERROR_TIMEOUT, "another transaction holds resource %llu (lock_wait_ms)", (unsigned long long)id);
}

enum error_code
decide_find(struct decision *d, const struct target *target, struct buffer *storage, struct found *ret_found,
            struct error *error)
{
    enum error_code code = target->id != 0 ? lookup_ancestry(&d->lookup, target->id, &ret_found->walk, error)
                                           : lookup_path(&d->lookup, target->path, &ret_found->walk, error);
    if (code == ERROR_NOT_FOUND && target->id == 0) {
        enum error_code over = path_check(target->path, &d->model->limits, error); /* not there, and never could be */
        return over != ERROR_NONE ? over : code;
    }
    if (code != ERROR_NONE)
        return code;
    ret_found->id = ret_found->walk.ids[ret_found->walk.count - 1];
    if (ret_found->walk.deleted)
        return error_set(error, ERROR_GONE, "resource %llu has been deleted", (unsigned long long)ret_found->id);
    code = refuse_held(d, &ret_found->walk, error);
    return code != ERROR_NONE ? code : lookup_node(&d->lookup, ret_found->id, storage, &ret_found->node, error);
}

enum error_code
decide_require(struct decision *d, const struct walk *walk, uint64_t owner, rights needed, struct error *error)
{
    rights held;
    enum error_code code =
        lookup_rights(&d->lookup, &d->transaction->principal, walk->rule_of, owner, &held, error);
    if (code != ERROR_NONE)
        return code;
    /* What may not even be discovered is not there, as for readers. */
    if ((held & needed) != needed && (held & RIGHT_DISCOVER) == 0 && d->transaction->principal.user != 0)
        return error_set(error, ERROR_NOT_FOUND, "there is no such resource");
    return access_require(&d->transaction->principal, held, needed, error);
}

static bool
state_matches(const struct condition *condition, const struct found *found)
{
    for (size_t i = 0; i < condition->count; i++)
        if (condition->states[i].id == found->id && condition->states[i].counter == found->node.counter)
            return true;
    return false;
}

enum error_code
decide_condition(const struct condition *condition, const struct found *found, struct error *error)
{
    bool holds = true;
    switch (condition->kind) {
    case CONDITION_NONE:
        break;
    case CONDITION_ABSENT:
        holds = found == NULL;
        break;
    case CONDITION_EXISTS:
        holds = found != NULL;
        break;
    case CONDITION_STATE:
        holds = found != NULL && state_matches(condition, found);
        break;
    case CONDITION_STATE_NOT:
        holds = found == NULL || !state_matches(condition, found);
        break;
    }
    if (holds && condition->unmodified_since_us != 0 && found != NULL)
        holds = (int64_t)found->node.modified_us <= condition->unmodified_since_us;
    if (holds)
        return ERROR_NONE;
    return error_set(error, ERROR_PRECONDITION, found == NULL ? "nothing is there, and the request demands something"
                                                              : "its state is not the one that the request demands");
}

struct id_list
decide_ancestors(struct decision *d, const struct walk *walk, size_t count)
{
    uint64_t *ids = arena_alloc(&d->arena, count * sizeof *ids);
    if (ids == NULL)
        return (struct id_list){NULL, 0};
    memcpy(ids, walk->ids, count * sizeof *ids);
    return (struct id_list){ids, count};
}

enum error_code
decide_result(struct decision *d, uint64_t id, bool created, struct error *error)
{
    struct node node;
    enum error_code code = lookup_node(&d->lookup, id, &d->scratch, &node, error);
    if (code != ERROR_NONE)
        return code;
    d->stage->result.id = id;
    d->stage->result.counter = node.counter;
    d->stage->result.version = node.version;
    d->stage->result.created = created;
    d->stage->result.time_us = d->info.time_us;
    return ERROR_NONE;
}

enum error_code
decide_draw(struct decision *d, struct error *error)
{
    struct key key;
    struct line line = {.operation = OPERATION_COUNTER, .name = d->stage->name};
    key_begin(&key, FAMILY_COUNTER);
    key_append(&key, d->stage->name);
    enum error_code code = lookup_get(&d->lookup, key_text(&key), &d->scratch, error);
    if (code == ERROR_NONE) {
        struct cursor cursor = cursor_of(d->scratch.data, d->scratch.length);
        line.value = cursor_varint(&cursor);
    } else if (code != ERROR_NOT_FOUND) {
        return code;
    }
    line.value++;
    d->stage->result.id = line.value;
    d->stage->result.time_us = d->info.time_us;
    return decide_journal(d, &line, error);
}
