/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements: changes in order become journal lines that say what went and what came.
 *
 * A line's removals take effect before its additions. Changes gather in one line as long as this
 * order is theirs; a removal after an addition starts the next line.
 */
#include "base/ensure.h"
#include "model/commit/decide.h"
#include "model/record/keys.h"

struct gathering {
    struct decision *d;
    struct found *found;
    struct statement *removed, *added;
    size_t removed_count, added_count, capacity;
    uint64_t in_force; /* statements of the resource, with what has been gathered */
    bool changed;      /* some line was written or is being gathered */
    uint64_t version;  /* object version that will hold them, or 0 */
};

static enum error_code
write_line(struct gathering *g, struct error *error)
{
    const struct node *node = &g->found->node;
    struct line line = {.operation = OPERATION_STATEMENTS,
                        .id = g->found->id,
                        .removed = {g->removed, g->removed_count},
                        .added = {g->added, g->added_count},
                        .statements = g->in_force,
                        .statements_version = g->version};
    line.flags = g->in_force > 0 ? node->flags | RESOURCE_DESCRIBED
                                 : node->flags & ~(uint64_t)RESOURCE_DESCRIBED;
    if (g->removed_count == 0 && g->added_count == 0)
        return ERROR_NONE;
    g->removed_count = g->added_count = 0;
    g->removed = g->added = NULL;
    g->capacity = 0;
    g->changed = true;
    return decide_journal(g->d, &line, error);
}

static bool
reserve(struct gathering *g)
{
    if (g->removed_count < g->capacity && g->added_count < g->capacity)
        return true;
    size_t capacity = g->capacity == 0 ? 16 : g->capacity * 2;
    struct statement *removed = arena_alloc(&g->d->arena, capacity * sizeof *removed);
    struct statement *added = arena_alloc(&g->d->arena, capacity * sizeof *added);
    if (removed == NULL || added == NULL)
        return false;
    if (g->removed_count > 0)
        memcpy(removed, g->removed, g->removed_count * sizeof *removed);
    if (g->added_count > 0)
        memcpy(added, g->added, g->added_count * sizeof *added);
    g->removed = removed;
    g->added = added;
    g->capacity = capacity;
    return true;
}

static enum error_code
is_there(struct gathering *g, const struct statement *statement, bool *ret, struct text *ret_extra,
         struct error *error)
{
    struct key key;
    struct statement stored;
    key_statement(&key, g->found->id, statement);
    enum error_code code = lookup_get(&g->d->lookup, key_text(&key), &g->d->scratch, error);
    *ret = code == ERROR_NONE;
    if (code == ERROR_NOT_FOUND)
        return ERROR_NONE;
    if (code == ERROR_NONE)
        code = statement_decode(key_text(&key), buffer_text(&g->d->scratch), &stored, error);
    if (code == ERROR_NONE)
        *ret_extra = stored.extra;
    return code;
}

/* In the overlay at once, so that the next change of this line sees it; the line's effects repeat it. */
static void
note_in_overlay(struct gathering *g, const struct statement *s, bool present)
{
    struct key key;
    struct buffer value = {0};
    key_statement(&key, g->found->id, s);
    if (!present) {
        overlay_delete(g->d->now->overlay, key_text(&key));
        return;
    }
    buffer_append_counted(&value, s->value);
    buffer_append_counted(&value, s->qualifier);
    buffer_append_counted(&value, s->extra);
    overlay_put(g->d->now->overlay, key_text(&key), buffer_text(&value));
    buffer_release(&value);
}

static enum error_code
add(struct gathering *g, const struct statement *statement, struct error *error)
{
    bool there;
    struct text extra = TEXT("");
    enum error_code code = is_there(g, statement, &there, &extra, error);
    if (code != ERROR_NONE || (there && text_equal(extra, statement->extra)))
        return code;
    if (!there && g->in_force >= g->d->model->limits.statements_per_resource)
        return error_set(error, ERROR_LIMIT, "a resource has at most %llu statements (statements_per_resource)",
                         (unsigned long long)g->d->model->limits.statements_per_resource);
    if (!reserve(g))
        return arena_status(&g->d->arena, error);
    g->added[g->added_count++] = *statement;
    g->in_force += there ? 0 : 1;
    note_in_overlay(g, statement, true);
    return ERROR_NONE;
}

static enum error_code
take_out(struct gathering *g, const struct statement *statement, struct error *error)
{
    if (!reserve(g))
        return arena_status(&g->d->arena, error);
    g->removed[g->removed_count++] = *statement;
    g->in_force--;
    note_in_overlay(g, statement, false);
    return ERROR_NONE;
}

static enum error_code
remove_one(struct gathering *g, const struct statement *statement, struct error *error)
{
    bool there;
    struct text extra;
    enum error_code code = g->added_count > 0 ? write_line(g, error) : ERROR_NONE;
    if (code == ERROR_NONE)
        code = is_there(g, statement, &there, &extra, error);
    if (code != ERROR_NONE)
        return code;
    if (!there)
        return error_set(error, ERROR_NOT_FOUND, "there is no such statement of %.*s", TEXT_ARG(statement->attribute));
    struct statement plain = *statement;
    plain.extra = TEXT("");
    return take_out(g, &plain, error);
}

/* All statements of an attribute ("": of the resource), copied. */
static enum error_code
of_attribute(struct gathering *g, struct text attribute, struct statement **ret, size_t *ret_count,
             struct error *error)
{
    struct key prefix;
    struct text key, value;
    struct overlay_scan *scan;
    struct arena *arena = &g->d->arena;
    size_t count = 0, capacity = 0;
    struct statement *found = NULL;
    key_statement_prefix(&prefix, g->found->id, attribute);
    enum error_code code = overlay_scan_under(g->d->now->overlay, &prefix, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && overlay_scan_next(scan, &key, &value)) {
        if (count == capacity) {
            size_t more = capacity == 0 ? 16 : capacity * 2;
            struct statement *bigger = arena_alloc(arena, more * sizeof *bigger);
            if (bigger == NULL)
                break;
            if (count > 0)
                memcpy(bigger, found, count * sizeof *bigger);
            found = bigger;
            capacity = more;
        }
        struct statement *s = &found[count++];
        code = statement_decode(key, value, s, error);
        s->attribute = arena_copy(arena, s->attribute);
        s->value = arena_copy(arena, s->value);
        s->qualifier = arena_copy(arena, s->qualifier);
        s->extra = TEXT("");
    }
    enum error_code closed = overlay_scan_close(scan, code == ERROR_NONE ? error : NULL);
    *ret = found;
    *ret_count = count;
    return code != ERROR_NONE ? code : closed != ERROR_NONE ? closed : arena_status(arena, error);
}

static enum error_code
remove_attribute(struct gathering *g, struct text attribute, struct error *error)
{
    struct statement *found;
    size_t count;
    enum error_code code = g->added_count > 0 ? write_line(g, error) : ERROR_NONE;
    if (code == ERROR_NONE)
        code = of_attribute(g, attribute, &found, &count, error);
    for (size_t i = 0; code == ERROR_NONE && i < count; i++)
        code = take_out(g, &found[i], error);
    return code;
}

static enum error_code
append(struct gathering *g, const struct statement *statement, struct error *error)
{
    struct statement placed = *statement;
    struct statement *found;
    size_t count;
    enum error_code code = of_attribute(g, statement->attribute, &found, &count, error);
    if (code != ERROR_NONE)
        return code;
    if (count > 0 && found[count - 1].place == UINT32_MAX)
        return error_set(error, ERROR_LIMIT, "no place is left after the last");
    placed.place = count == 0 ? 1 : found[count - 1].place + 1;
    return add(g, &placed, error);
}

static enum error_code
gather(struct gathering *g, const struct statement_change *change, struct error *error)
{
    switch (change->kind) {
    case STATEMENT_ADD:
        return add(g, &change->statement, error);
    case STATEMENT_APPEND:
        return append(g, &change->statement, error);
    case STATEMENT_REMOVE:
        return remove_one(g, &change->statement, error);
    case STATEMENT_REMOVE_ATTRIBUTE:
        return remove_attribute(g, change->statement.attribute, error);
    case STATEMENT_REMOVE_ALL:
        return remove_attribute(g, TEXT(""), error);
    }
    return error_set(error, ERROR_INVALID, "unknown change of statements");
}

/* A version of the object that holds the statements; for a file its content stays. */
static enum error_code
write_version(struct gathering *g, struct error *error)
{
    struct decision *d = g->d;
    struct node *node = &g->found->node;
    struct line line = {.operation = OPERATION_VERSION, .id = g->found->id, .version = node->version + 1,
                        .statements_version = g->version, .before_bytes = node->size_bytes,
                        .message = d->transaction->message};
    struct object_version want = {.object = g->found->id, .previous = node->version, .write_statements = true};
    struct object_outcome outcome;
    if (node->kind == RESOURCE_FILE) {
        want.file_name = arena_copy(&d->arena, node->name);
        want.kept_digest = arena_copy(&d->arena, node->digest);
        line.content = (struct line_content){node->content, node->size_bytes, want.kept_digest,
                                             arena_copy(&d->arena, node->block_sums), node->sums};
        line.media_type = arena_copy(&d->arena, node->media_type);
        line.filename = arena_copy(&d->arena, node->filename);
        line.source_mtime_plus = node->source_mtime_plus;
        line.source_mode = node->source_mode;
        line.fixity = arena_copy(&d->arena, node->fixity);
    }
    line.in = decide_ancestors(d, &g->found->walk, g->found->walk.count - 1);
    enum error_code code = object_write_version(d, &want, &outcome, error);
    line.inventory = outcome.inventory;
    return code != ERROR_NONE ? code : decide_journal(d, &line, error);
}

enum error_code
decide_change_statements(struct decision *d, struct error *error)
{
    struct stage *stage = d->stage;
    struct found found;
    struct gathering g = {.d = d, .found = &found};
    enum error_code code = decide_find(d, &stage->target, &d->node_storage, &found, error);
    if (code == ERROR_NONE)
        code = decide_require(d, &found.walk, found.node.owner, RIGHT_WRITE, error);
    if (code == ERROR_NONE)
        code = decide_condition(&stage->condition, &found, error);
    if (code != ERROR_NONE)
        return code;
    bool in_aggregate = found.node.aggregate != 0 || (found.node.flags & RESOURCE_AGGREGATE) != 0;
    g.in_force = found.node.statements;
    if (stage->snapshot && !in_aggregate)
        g.version = found.node.version + 1;
    for (size_t i = 0; i < stage->change_count && code == ERROR_NONE; i++)
        code = gather(&g, &stage->changes[i], error);
    if (code == ERROR_NONE)
        code = write_line(&g, error);
    if (code == ERROR_NONE && g.changed && g.version != 0)
        code = write_version(&g, error);
    if (code == ERROR_NONE && g.changed && stage->snapshot && (found.node.flags & RESOURCE_AGGREGATE) != 0)
        code = aggregate_touch(d, found.id, error);
    return code != ERROR_NONE ? code : decide_result(d, found.id, false, error);
}
