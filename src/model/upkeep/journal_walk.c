/* SPDX-License-Identifier: Apache-2.0 */
/* Going through the journal, and the effects of its groups: see journal_walk.h. */
#include "model/upkeep/journal_walk.h"

#include "format/tar.h"
#include "model/private.h"
#include "ocfl/layout.h"

#define PROGRESS_GROUPS 256u
/* More ids than a group can give out: a group's lines are 64 MiB at most, and one that gives an id has over 16 bytes. */
#define IDS_OF_GROUP_MAXIMUM (UINT64_C(1) << 22)

enum error_code
journal_walk(struct store *store, const struct journal_walk *walk, struct error *error)
{
    struct journal_reader *reader;
    struct journal_group group;
    enum error_code code = journal_reader_open(store, walk->from, walk->check_chain, &reader, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE) {
        enum error_code status;
        struct error why = {0};
        if (journal_reader_next(reader, &group, &status, &why)) {
            if (group.position.sequence > walk->until)
                break;
            code = walk->group(walk->context, &group, error);
        } else if (status == ERROR_NONE) {
            break; /* the end */
        } else if (status == ERROR_CORRUPT) {
            code = walk->damage(walk->context, why.message, error);
        } else {
            code = error_set(error, status, "%s", why.message);
        }
    }
    journal_reader_close(reader);
    return code;
}

/* ---- effects ------------------------------------------------------------------------------------------ */

struct application {
    struct journal_effects *effects;
    struct arena arena;
    uint64_t expected; /* sequence of the next group */
    uint64_t last, done;
};

static enum error_code
bulk_ends_of_group(const struct journal_group *group, struct arena *arena, struct group_effects *ret,
                   struct error *error)
{
    size_t count = 0;
    struct bulk_length *ends = NULL;
    for (unsigned i = 0; i < group->entry_count; i++) {
        const struct journal_tar_entry *entry = &group->entries[i];
        if (!text_starts_with(entry->path, TEXT("journal/sums/")))
            continue;
        if (ends == NULL)
            ends = arena_alloc(arena, group->entry_count * sizeof *ends);
        if (ends == NULL)
            return arena_status(arena, error);
        ends[count++] = (struct bulk_length){entry->place.volume, entry->place.offset + tar_padded(entry->length)};
    }
    ret->bulk = ends;
    ret->bulk_count = count;
    return ERROR_NONE;
}

static enum error_code
apply_first_lines(struct application *a, struct error *error)
{
    struct line lines[FIRST_LINE_COUNT];
    enum error_code code = ERROR_NONE;
    first_lines(lines);
    for (unsigned i = 0; i < FIRST_LINE_COUNT && code == ERROR_NONE; i++) {
        struct line_origin origin = {.sequence = 1, .index = i};
        code = line_effects(&lines[i], &origin, a->effects->apply, a->effects->context, error);
    }
    return code;
}

/*
 * From the group expected up to (not including) `sequence` there is nothing sound. The leases in there are lost, and with
 * them which ids are in use: what is given out next begins beyond all that they can be. Where the first group is lost, the
 * root is made as it was at first, or nothing could be reached.
 */
static enum error_code
skip_to(struct application *a, uint64_t sequence, struct error *error)
{
    struct journal_effects *e = a->effects;
    struct line_origin origin = {.sequence = a->expected};
    uint64_t skipped;
    if (sequence <= a->expected)
        return ERROR_NONE;
    if (__builtin_mul_overflow(sequence - a->expected, IDS_OF_GROUP_MAXIMUM, &skipped) ||
        __builtin_add_overflow(e->next_id, skipped, &e->next_id) || e->next_id > OCFL_RESOURCE_ID_LIMIT)
        e->next_id = OCFL_RESOURCE_ID_LIMIT; /* no id is left; all that there is can be read */
    enum error_code code = a->expected == 1 ? apply_first_lines(a, error) : ERROR_NONE;
    struct line lease = {.operation = OPERATION_LEASE, .next = e->next_id};
    a->expected = sequence;
    return code != ERROR_NONE ? code : line_effects(&lease, &origin, e->apply, e->context, error);
}

/* A purge erases lines when the catalog has them (purge.c, invariant 2). One that reflects less than the intent is a copy from
 * before, or a replay that was stopped: some of these lines it has, others not, and what was kept of them is of all. */
static bool
lacks_erased_lines(const struct journal_effects *e, const struct line *purged)
{
    return e->known.sequence != 0 && purged->cause.rows == 1 && purged->cause.width == 2 &&
           purged->cause.numbers[0] > e->known.sequence;
}

static enum error_code
apply_line(struct application *a, const struct journal_group *group, unsigned index, struct error *error)
{
    struct journal_effects *e = a->effects;
    struct line line;
    bool purged;
    struct line_origin origin = {group->position.sequence, index, group->time_us};
    enum error_code code = line_parse(&a->arena, group->lines[index], &line, &purged, error);
    if (code != ERROR_NONE || purged)
        return code;
    if (line.operation == OPERATION_LEASE)
        e->next_id = line.next;
    code = line_effects(&line, &origin, e->apply, e->context, error);
    if (line.operation != OPERATION_PURGED)
        return code;
    if (code == ERROR_NONE && lacks_erased_lines(e, &line))
        return error_set(error, ERROR_CONFLICT, "the catalog lacks what has been purged since group %llu",
                         (unsigned long long)e->known.sequence);
    for (size_t i = 0; i < line.ids.count && code == ERROR_NONE; i++)
        code = e->forget(e->context, line.ids.ids[i], error);
    if (e->known.sequence == 0 && code == ERROR_NONE)
        code = line_effects_kept(&line, e->apply, e->context, error);
    return code;
}

static enum error_code
apply_group(void *context, const struct journal_group *group, struct error *error)
{
    struct application *a = context;
    struct journal_effects *e = a->effects;
    struct group_effects effects = {.position = group->position};
    enum error_code code = skip_to(a, group->position.sequence, error);
    a->expected = group->position.sequence + 1;
    arena_reset(&a->arena);
    for (unsigned i = 0; i < group->line_count && code == ERROR_NONE; i++)
        code = apply_line(a, group, i, error);
    if (code == ERROR_NONE)
        code = bulk_ends_of_group(group, &a->arena, &effects, error);
    if (code == ERROR_NONE)
        code = group_effects(&effects, e->apply, e->context, error);
    if (code == ERROR_NONE && e->after_group != NULL)
        code = e->after_group(e->context, error);
    if (++a->done % PROGRESS_GROUPS == 0)
        model_tell_progress(e->model, e->progress, group->position.sequence, a->last);
    return code;
}

static enum error_code
tell_damage(void *context, const char *why, struct error *error)
{
    struct application *a = context;
    const struct model_options *options = &a->effects->model->options;
    if (options->notice != NULL)
        options->notice(options->context, "damaged group", text_from(why));
    return ERROR_NONE;
}

enum error_code
journal_effects_apply(struct journal_effects *effects, struct error *error)
{
    struct application a = {.effects = effects, .expected = effects->known.sequence + 1,
                            .last = store_position(effects->model->store).sequence};
    struct journal_walk walk = {a.expected, JOURNAL_TO_THE_END, true, apply_group, tell_damage, &a};
    arena_init(&a.arena, 0);
    enum error_code code = journal_walk(effects->model->store, &walk, error);
    if (code == ERROR_NONE)
        code = skip_to(&a, a.last + 1, error);
    arena_release(&a.arena);
    return code;
}
