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
        code = group_add_line(d->now->group, buffer_text(&d->line_json), &origin.index, error);
    if (code == ERROR_NONE && d->stage != NULL)
        d->stage->line_index = origin.index;
    if (code == ERROR_NONE)
        code = line_effects(line, &origin, overlay_apply, d->now->overlay, error);
    if (code == ERROR_NONE)
        harvest_note(d, line);
    return code;
}

enum error_code
decide_new_id(struct decision *d, uint64_t *ret_id, struct error *error)
{
    if (d->next_id >= d->leased_until) {
        struct line lease = {.operation = OPERATION_LEASE, .next = d->next_id + d->lease};
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
decide_require_of(struct decision *d, const struct principal *person, const struct walk *walk, uint64_t owner,
                  rights needed, struct error *error)
{
    rights held;
    enum error_code code = lookup_rights(&d->lookup, person, walk->rule_of, owner, &held, error);
    if (code != ERROR_NONE)
        return code;
    /* What may not even be discovered is not there, as for readers. */
    if ((held & needed) != needed && (held & RIGHT_DISCOVER) == 0 && person->user != 0)
        return error_set(error, ERROR_NOT_FOUND, "there is no such resource");
    return access_require(person, held, needed, error);
}

enum error_code
decide_require(struct decision *d, const struct walk *walk, uint64_t owner, rights needed, struct error *error)
{
    if (d->stage != NULL && d->stage->trusted)
        return ERROR_NONE;
    return decide_require_of(d, &d->transaction->principal, walk, owner, needed, error);
}

enum error_code
decide_require_right(struct decision *d, struct error *error)
{
    struct found found;
    enum error_code code = decide_find(d, &d->stage->target, &d->node_storage, &found, error);
    if (code == ERROR_NONE)
        code = decide_require_of(d, &d->stage->person, &found.walk, found.node.owner, d->stage->rights, error);
    d->stage->result.id = code == ERROR_NONE ? found.id : 0;
    return code;
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

/* ---- counters --------------------------------------------------------------------------------------- */

/* 0 when none was drawn yet. */
static enum error_code
last_drawn(struct decision *d, struct text counter, uint64_t *ret_value, struct error *error)
{
    struct key key;
    *ret_value = 0;
    key_begin(&key, FAMILY_COUNTER);
    key_append(&key, counter);
    enum error_code code = lookup_get(&d->lookup, key_text(&key), &d->scratch, NULL);
    if (code == ERROR_NONE) {
        struct cursor cursor = cursor_of(d->scratch.data, d->scratch.length);
        *ret_value = cursor_varint(&cursor);
    }
    return code == ERROR_NONE || code == ERROR_NOT_FOUND
               ? ERROR_NONE
               : error_set(error, code, "the counter %.*s cannot be read", TEXT_ARG(counter));
}

static enum error_code
set_counter(struct decision *d, uint64_t value, struct error *error)
{
    struct line line = {.operation = OPERATION_COUNTER, .name = d->stage->name, .value = value};
    d->stage->result.id = value;
    d->stage->result.time_us = d->info.time_us;
    return decide_journal(d, &line, error);
}

enum error_code
decide_draw(struct decision *d, struct error *error)
{
    uint64_t last, next;
    enum error_code code = last_drawn(d, d->stage->name, &last, error);
    if (code == ERROR_NONE && __builtin_add_overflow(last, d->stage->number, &next))
        code = error_set(error, ERROR_LIMIT, "the counter %.*s has no numbers left", TEXT_ARG(d->stage->name));
    return code != ERROR_NONE ? code : set_counter(d, next, error);
}

enum error_code
decide_raise(struct decision *d, struct error *error)
{
    uint64_t last;
    enum error_code code = last_drawn(d, d->stage->name, &last, error);
    return code != ERROR_NONE || last >= d->stage->number ? code : set_counter(d, d->stage->number, error);
}

enum error_code
decide_give_back(struct decision *d, struct error *error)
{
    uint64_t last;
    enum error_code code = last_drawn(d, d->stage->name, &last, error);
    return code != ERROR_NONE || last != d->stage->group ? code : set_counter(d, d->stage->number, error);
}

/* ---- identifiers ------------------------------------------------------------------------------------- */

enum error_code
decide_set_identifier(struct decision *d, struct error *error)
{
    struct stage *stage = d->stage;
    struct found found;
    struct key key;
    struct line line = {.operation = OPERATION_IDENTIFIER, .scheme = stage->name, .identifier = stage->secret};
    enum error_code code = decide_find(d, &stage->target, &d->node_storage, &found, error);
    if (code == ERROR_NONE)
        code = decide_require(d, &found.walk, found.node.owner, RIGHT_WRITE, error);
    if (code != ERROR_NONE)
        return code;
    line.id = found.id;
    key_external(&key, line.scheme, line.identifier);
    code = lookup_get(&d->lookup, key_text(&key), &d->scratch, NULL);
    if (code == ERROR_NONE) {
        struct cursor cursor = cursor_of(d->scratch.data, d->scratch.length);
        if (cursor_varint(&cursor) != found.id)
            return error_set(error, ERROR_EXISTS, "the %.*s %.*s has been given to another", TEXT_ARG(line.scheme),
                             TEXT_ARG(line.identifier));
        return decide_result(d, found.id, false, error);
    }
    if (code != ERROR_NOT_FOUND)
        return error_set(error, code, "an identifier cannot be looked up");
    code = decide_journal(d, &line, error);
    return code != ERROR_NONE ? code : decide_result(d, found.id, true, error);
}
