/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Harvest stamps: what a transaction did to records, seen from outside, at its end.
 *
 * Each journalled line notes which resources it is about; at the end of the transaction the records among them and
 * among the aggregates they are in get one `harvest` line each, with what harvesters were told before, so that its
 * effects are a function of the line. A change of a container reaches the records below by the follower's `affected` lines.
 */
#include "base/ensure.h"
#include "model/commit/decide.h"
#include "model/record/harvest_record.h"
#include "model/record/keys.h"

/* What harvesters do not see, or what is told by other lines of the same transaction. */
static bool
concerns_harvesters(enum operation operation)
{
    switch ((int)operation) {
    case OPERATION_CREATE:
    case OPERATION_VERSION:
    case OPERATION_STATEMENTS:
    case OPERATION_MOVE:
    case OPERATION_DELETE:
    case OPERATION_ACCESS:
    case OPERATION_OWNER:
    case OPERATION_FLAGS:
    case OPERATION_IDENTIFIER:
        return true;
    default:
        return false;
    }
}

static void
note(struct decision *d, uint64_t id)
{
    if (d->touched_count > 0 && d->touched[d->touched_count - 1] == id)
        return;
    if (d->touched_count == d->touched_capacity) {
        d->touched_capacity = d->touched_capacity == 0 ? 64 : d->touched_capacity * 2;
        d->touched = realloc(d->touched, d->touched_capacity * sizeof *d->touched);
        ensure(d->touched != NULL);
    }
    d->touched[d->touched_count++] = id;
}

/* The record that a resource is or is in; 0: none. */
static enum error_code
record_of(struct decision *d, uint64_t id, uint64_t *ret, struct error *error)
{
    struct node node;
    *ret = 0;
    enum error_code code = lookup_node(&d->lookup, id, &d->scratch, &node, NULL);
    if (code == ERROR_NONE && node.aggregate != 0 && node.aggregate != id) {
        id = node.aggregate;
        code = lookup_node(&d->lookup, id, &d->scratch, &node, NULL);
    }
    if (code == ERROR_NONE && (node.flags & RESOURCE_RECORD) != 0)
        *ret = id;
    return code == ERROR_NONE || code == ERROR_NOT_FOUND ? ERROR_NONE /* purged since */
                                                         : error_set(error, code, "a record cannot be read");
}

/* A change of a record, or of a container in one, was told by the transaction that made it: its files do not tell it again. */
static void
note_affected(struct decision *d, const struct line *line)
{
    uint64_t record;
    if (record_of(d, line->id, &record, NULL) == ERROR_NONE && record != 0)
        return;
    for (size_t i = 0; i < line->ids.count; i++)
        note(d, line->ids.ids[i]);
}

void
harvest_note(struct decision *d, const struct line *line)
{
    if (line->operation == OPERATION_AFFECTED)
        note_affected(d, line);
    else if (line->operation == OPERATION_CREATE && line->aggregate != 0)
        note(d, line->aggregate);
    else if (concerns_harvesters(line->operation) &&
             !(line->operation == OPERATION_CREATE && (line->flags & RESOURCE_AGGREGATE) == 0))
        note(d, line->id);
}

/* ---- sets ------------------------------------------------------------------------------------------------ */

struct sets {
    struct decision *d;
    uint64_t *ids;
    size_t count, capacity;
};

static enum error_code
add_set(struct sets *sets, uint64_t id, struct error *error)
{
    size_t at = 0;
    while (at < sets->count && sets->ids[at] < id)
        at++;
    if (at < sets->count && sets->ids[at] == id)
        return ERROR_NONE;
    if (sets->count == sets->capacity) {
        size_t capacity = sets->capacity == 0 ? 16 : sets->capacity * 2;
        uint64_t *ids = arena_alloc(&sets->d->arena, capacity * sizeof *ids);
        if (ids == NULL)
            return arena_status(&sets->d->arena, error);
        if (sets->count > 0)
            memcpy(ids, sets->ids, sets->count * sizeof *ids);
        sets->ids = ids;
        sets->capacity = capacity;
    }
    memmove(sets->ids + at + 1, sets->ids + at, (sets->count - at) * sizeof *sets->ids);
    sets->ids[at] = id;
    sets->count++;
    return ERROR_NONE;
}

/* Those of a walk's containers that are sets. */
static enum error_code
add_sets_of(struct sets *sets, const struct walk *walk, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (size_t i = 0; i < walk->count && code == ERROR_NONE; i++) {
        struct node node;
        code = lookup_node(&sets->d->lookup, walk->ids[i], &sets->d->scratch, &node, error);
        if (code == ERROR_NONE && (node.flags & RESOURCE_SET) != 0)
            code = add_set(sets, walk->ids[i], error);
    }
    return code;
}

/* The collection of that UUID and the sets above it; one that is not there counts for nothing. */
static enum error_code
add_mapped(struct sets *sets, struct text uuid, struct error *error)
{
    struct walk walk;
    struct key key;
    key_external(&key, TEXT("uuid"), uuid);
    enum error_code code = lookup_get(&sets->d->lookup, key_text(&key), &sets->d->scratch, NULL);
    if (code == ERROR_NONE) {
        struct cursor cursor = cursor_of(sets->d->scratch.data, sets->d->scratch.length);
        code = lookup_ancestry(&sets->d->lookup, cursor_varint(&cursor), &walk, NULL);
    }
    if (code == ERROR_NOT_FOUND || (code == ERROR_NONE && walk.deleted))
        return ERROR_NONE;
    return code != ERROR_NONE ? error_set(error, code, "a mapped collection cannot be read")
                              : add_sets_of(sets, &walk, error);
}

/* Texts of a resource's statements of one attribute, copied into the arena. */
static enum error_code
mapped_uuids(struct decision *d, uint64_t id, struct text **ret, size_t *ret_count, struct error *error)
{
    struct key from, to;
    struct text key, value;
    struct overlay_scan *scan;
    size_t capacity = 0;
    *ret = NULL;
    *ret_count = 0;
    key_statement_prefix(&from, id, TEXT(STATEMENT_MAPPED));
    ensure(key_after(&from, &to));
    enum error_code code = overlay_scan_open(d->now->overlay, key_text(&from), key_text(&to), &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && overlay_scan_next(scan, &key, &value)) {
        struct statement statement;
        if (*ret_count == capacity) {
            capacity = capacity == 0 ? 8 : capacity * 2;
            struct text *more = arena_alloc(&d->arena, capacity * sizeof *more);
            if (more == NULL)
                break;
            if (*ret_count > 0)
                memcpy(more, *ret, *ret_count * sizeof *more);
            *ret = more;
        }
        code = statement_decode(key, value, &statement, error);
        if (code == ERROR_NONE)
            (*ret)[(*ret_count)++] = arena_copy(&d->arena, statement.value);
    }
    enum error_code closed = overlay_scan_close(scan, code == ERROR_NONE ? error : NULL);
    if (code == ERROR_NONE)
        code = closed;
    return code != ERROR_NONE ? code : arena_status(&d->arena, error);
}

static enum error_code
sets_of(struct decision *d, uint64_t id, const struct walk *walk, struct id_list *ret, struct error *error)
{
    struct sets sets = {.d = d};
    struct text *uuids;
    size_t count;
    enum error_code code = add_sets_of(&sets, walk, error);
    if (code == ERROR_NONE)
        code = mapped_uuids(d, id, &uuids, &count, error);
    for (size_t i = 0; code == ERROR_NONE && i < count; i++)
        code = add_mapped(&sets, uuids[i], error);
    *ret = (struct id_list){sets.ids, sets.count};
    return code;
}

/* ---- stamps ------------------------------------------------------------------------------------------------ */

/* Whether anybody who does not say who they are may discover it. */
static enum error_code
is_live(struct decision *d, const struct walk *walk, bool *ret, struct error *error)
{
    static const struct principal anonymous = {.role = ROLE_READER};
    rights held = 0;
    enum error_code code = ERROR_NONE;
    if (!walk->deleted)
        code = lookup_rights(&d->lookup, &anonymous, walk->rule_of, 0, &held, error);
    *ret = (held & RIGHT_DISCOVER) != 0;
    return code;
}

static enum error_code
stamp(struct decision *d, uint64_t id, struct error *error)
{
    struct walk walk;
    struct key key;
    struct harvest_record before = {0};
    bool live;
    struct line line = {.operation = OPERATION_HARVEST, .id = id};
    enum error_code code = lookup_ancestry(&d->lookup, id, &walk, error);
    if (code == ERROR_NONE)
        code = is_live(d, &walk, &live, error);
    if (code != ERROR_NONE)
        return code;
    key_stamp(&key, id);
    code = lookup_get(&d->lookup, key_text(&key), &d->scratch, NULL);
    if (code == ERROR_NONE)
        code = harvest_record_decode(buffer_text(&d->scratch), &d->arena, &before, error);
    else if (code != ERROR_NOT_FOUND)
        return error_set(error, code, "a harvest stamp cannot be read");
    if (code == ERROR_CORRUPT || (!live && !before.live)) /* never shown, or shown as deleted already */
        return code == ERROR_CORRUPT ? code : ERROR_NONE;
    line.live = live;
    line.sets_before = before.sets;
    line.stamp_before_us = (uint64_t)before.time_us;
    code = ERROR_NONE;
    if (live)
        code = sets_of(d, id, &walk, &line.sets, error);
    else
        line.sets = before.sets; /* whoever harvests one of its sets is told */
    return code != ERROR_NONE ? code : decide_journal(d, &line, error);
}

static int
compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

enum error_code
decide_finish_harvest(struct decision *d, struct error *error)
{
    size_t records = 0, count = d->touched_count;
    enum error_code code = ERROR_NONE;
    for (size_t i = 0; i < count && code == ERROR_NONE; i++) {
        uint64_t id;
        code = record_of(d, d->touched[i], &id, error);
        if (id != 0)
            d->touched[records++] = id;
    }
    if (records > 1)
        qsort(d->touched, records, sizeof *d->touched, compare_ids);
    for (size_t i = 0; i < records && code == ERROR_NONE; i++)
        if (i == 0 || d->touched[i] != d->touched[i - 1])
            code = stamp(d, d->touched[i], error);
    return code;
}

enum error_code
decide_make_record(struct decision *d, struct error *error)
{
    struct found found;
    enum error_code code = decide_find(d, &d->stage->target, &d->node_storage, &found, error);
    if (code == ERROR_NONE)
        code = decide_require(d, &found.walk, found.node.owner, RIGHT_WRITE, error);
    if (code == ERROR_NONE && (found.node.flags & RESOURCE_AGGREGATE) == 0)
        code = error_set(error, ERROR_CONFLICT, "only an aggregate can be a record");
    if (code != ERROR_NONE || (found.node.flags & RESOURCE_RECORD) != 0)
        return code != ERROR_NONE ? code : decide_result(d, found.id, false, error);
    code = decide_set_flags(d, &found, found.node.flags | RESOURCE_RECORD, error);
    return code != ERROR_NONE ? code : decide_result(d, found.id, false, error);
}
