/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purge: a resource and everything below it is erased in place, from volumes, journal and catalog.
 *
 *     delete (when live) -> followers catch up -> for each batch of resources:
 *     gather spans and lines -> PURGE line (the intent, durable) -> catalog flushed -> bytes erased, synced
 *     -> PURGED line (and the new SHA-256 of each sealed volume), catalog keys removed
 *
 * Invariants:
 * 1. Nothing is erased before its intent is durable; an intent without completion is repeated at the next start.
 * 2. Nothing is erased that a replay may still need: the catalog is flushed in between.
 * 3. What the erased lines had done to the counts of other resources is in the intent (`kept`), for rebuilds.
 * Batches go from the leaves up, so that what a stopped purge left can be found again.
 */
#include "base/ensure.h"
#include "model/record/keys.h"
#include "model/maintenance.h"
#include "model/private.h"
#include "ocfl/layout.h"
#include "model/upkeep/journal_walk.h"
#include "volume/store.h"

#define BATCH_RESOURCES 200u

struct purge {
    struct model *model;
    struct arena arena; /* of one batch */
    uint64_t ids[BATCH_RESOURCES];
    size_t id_count;
    struct buffer spans, lines; /* runs of uint64_t, 4 a row */
    struct buffer kept;         /* runs of struct kept_counts */
    struct buffer sequences;    /* runs of struct step */
    maintenance_proceed *proceed;
    void *context;
    uint64_t done;
};

struct step { /* one line of one of the resources */
    uint64_t sequence, index, id;
};

struct kept_counts {
    uint64_t id;
    struct counts counts;
};

/* ---- gathering ---------------------------------------------------------------------------------------- */

static bool
in_batch(const struct purge *p, uint64_t id)
{
    for (size_t i = 0; i < p->id_count; i++)
        if (p->ids[i] == id)
            return true;
    return false;
}

static enum error_code
gather_history(struct purge *p, uint64_t id, struct error *error)
{
    struct lookup lookup = {.catalog = p->model->catalog};
    struct key prefix;
    struct text key, value;
    struct catalog_scan *scan;
    key_of(&prefix, FAMILY_HISTORY, id);
    enum error_code code = lookup_scan(&lookup, &prefix, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (catalog_scan_next(scan, &key, &value)) {
        struct step step = {key_read_number(key, 9), key_read_number32(key, 17), id};
        buffer_append(&p->sequences, &step, sizeof step);
    }
    code = catalog_scan_close(scan, error);
    return code != ERROR_NONE ? code : buffer_status(&p->sequences, error);
}

static void
append_row(struct buffer *rows, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t row[4] = {a, b, c, d};
    buffer_append(rows, row, sizeof row);
}

static bool
is_bulk(struct model *model, uint64_t volume)
{
    struct key key;
    struct buffer value = {0};
    struct volume_record record = {.bulk = false};
    key_of(&key, FAMILY_VOLUME, volume);
    if (catalog_get(model->catalog, NULL, key_text(&key), &value, NULL) == ERROR_NONE)
        (void)!volume_decode(buffer_text(&value), &record, NULL);
    bool bulk = record.bulk;
    buffer_release(&value);
    return bulk;
}

/* Entries of the group that lie in the object of a resource. */
static void
gather_entries(struct purge *p, const struct journal_group *group, uint64_t id)
{
    char prefix[5 + OCFL_OBJECT_PATH_LENGTH + 2] = "ocfl/";
    ocfl_object_path(p->model->identity.uuid, id, prefix + 5);
    memcpy(prefix + 5 + OCFL_OBJECT_PATH_LENGTH, "/", 2);
    for (unsigned i = 0; i < group->entry_count; i++) {
        const struct journal_tar_entry *entry = &group->entries[i];
        if (text_starts_with(entry->path, text_from(prefix)))
            append_row(&p->spans, entry->place.volume, entry->place.offset, entry->length,
                       is_bulk(p->model, entry->place.volume));
    }
}

/* The sums of bulk content stand beside it, under a path of their own. */
static void
gather_sums(struct purge *p, const struct journal_group *group, struct place sums)
{
    for (unsigned i = 0; i < group->entry_count; i++) {
        const struct journal_tar_entry *entry = &group->entries[i];
        if (entry->place.volume == sums.volume && entry->place.offset == sums.offset)
            append_row(&p->spans, sums.volume, sums.offset, entry->length, 0);
    }
}

static enum error_code
is_purged(struct model *model, uint64_t id, bool *ret, struct error *error)
{
    struct buffer value = {0};
    struct key key;
    key_node(&key, id);
    enum error_code code = catalog_get(model->catalog, NULL, key_text(&key), &value, error);
    buffer_release(&value);
    *ret = code == ERROR_NOT_FOUND;
    return *ret ? ERROR_NONE : code;
}

/* Count effects on resources that stay. Those that it once was below may have been purged. */
static enum error_code
keep_effect(void *context, enum fold fold, struct text key, struct text operand, struct error *error)
{
    struct purge *p = context;
    struct kept_counts one = {0};
    if (fold != FOLD_COUNTS || in_batch(p, one.id = key_read_number(key, 1)))
        return ERROR_NONE;
    enum error_code code = counts_decode(operand, &one.counts, error);
    struct kept_counts *all = (struct kept_counts *)(void *)p->kept.data;
    size_t count = p->kept.length / sizeof *all;
    for (size_t i = 0; i < count && code == ERROR_NONE; i++)
        if (all[i].id == one.id) {
            all[i].counts.children += one.counts.children;
            all[i].counts.resources += one.counts.resources;
            all[i].counts.files += one.counts.files;
            all[i].counts.bytes += one.counts.bytes;
            if (one.counts.change > all[i].counts.change)
                all[i].counts.change = one.counts.change;
            return ERROR_NONE;
        }
    bool purged = false;
    if (code == ERROR_NONE)
        code = is_purged(p->model, one.id, &purged, error);
    if (code == ERROR_NONE && !purged)
        buffer_append(&p->kept, &one, sizeof one);
    return code != ERROR_NONE ? code : buffer_status(&p->kept, error);
}

static enum error_code
gather_line(struct purge *p, const struct journal_group *group, const struct step *step, struct error *error)
{
    struct line line;
    bool purged;
    struct arena arena;
    struct line_origin origin = {step->sequence, (unsigned)step->index, group->time_us};
    if (step->index >= group->line_count)
        return error_set(error, ERROR_CORRUPT, "group %llu has no line %llu", (unsigned long long)step->sequence,
                         (unsigned long long)step->index);
    arena_init(&arena, 0);
    enum error_code code = line_parse(&arena, group->lines[step->index], &line, &purged, error);
    if (code == ERROR_NONE && !purged) {
        append_row(&p->lines, group->position.volume, group->position.offset, group->line_offsets[step->index],
                   group->lines[step->index].length);
        gather_entries(p, group, step->id);
        if (line.content.sums.volume != 0)
            gather_sums(p, group, line.content.sums);
        code = line_effects(&line, &origin, keep_effect, p, error);
    }
    arena_release(&arena);
    return code;
}

static int
by_place(const void *a, const void *b)
{
    const struct step *left = a, *right = b;
    if (left->sequence != right->sequence)
        return left->sequence < right->sequence ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static enum error_code
read_group(struct purge *p, uint64_t sequence, const struct step *steps, size_t count, struct error *error)
{
    struct journal_reader *reader;
    struct journal_group group;
    enum error_code status = ERROR_NONE;
    enum error_code code = journal_reader_open(p->model->store, sequence, false, &reader, error);
    if (code != ERROR_NONE)
        return code;
    if (!journal_reader_next(reader, &group, &status, error) || status != ERROR_NONE ||
        group.position.sequence != sequence)
        code = error_set(error, ERROR_CORRUPT, "group %llu cannot be read", (unsigned long long)sequence);
    for (size_t i = 0; i < count && code == ERROR_NONE; i++)
        code = gather_line(p, &group, &steps[i], error);
    journal_reader_close(reader);
    return code;
}

static int
by_numbers(const void *a, const void *b)
{
    return memcmp(a, b, 4 * sizeof(uint64_t));
}

/* The same root copy may have been found for two lines of one group. */
static void
drop_repeated_rows(struct buffer *rows)
{
    size_t width = 4 * sizeof(uint64_t), count = rows->length / width, kept = 0;
    if (count == 0)
        return;
    qsort(rows->data, count, width, by_numbers);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || memcmp(rows->data + i * width, rows->data + (i - 1) * width, width) != 0)
            memmove(rows->data + kept++ * width, rows->data + i * width, width);
    buffer_truncate(rows, kept * width);
}

static enum error_code
gather(struct purge *p, struct error *error)
{
    enum error_code code = ERROR_NONE;
    buffer_clear(&p->spans);
    buffer_clear(&p->lines);
    buffer_clear(&p->kept);
    buffer_clear(&p->sequences);
    for (size_t i = 0; i < p->id_count && code == ERROR_NONE; i++)
        code = gather_history(p, p->ids[i], error);
    if (code != ERROR_NONE)
        return code;
    struct step *steps = (struct step *)(void *)p->sequences.data;
    size_t count = p->sequences.length / sizeof *steps;
    if (count > 0)
        qsort(steps, count, sizeof *steps, by_place);
    for (size_t i = 0; i < count && code == ERROR_NONE;) {
        size_t end = i;
        while (end < count && steps[end].sequence == steps[i].sequence)
            end++;
        code = read_group(p, steps[i].sequence, steps + i, end - i, error);
        i = end;
    }
    drop_repeated_rows(&p->spans);
    return code;
}

/* ---- erasing ------------------------------------------------------------------------------------------ */

/* What an intent says, as the store wants it. `spans` and `lines` are the caller's to free. */
static struct purge_request
request_of(const struct line *intent, struct purge_span **spans, struct purge_line **lines)
{
    struct purge_request request = {.span_count = intent->spans.rows, .line_count = intent->lines.rows};
    *spans = calloc(request.span_count + 1, sizeof **spans);
    *lines = calloc(request.line_count + 1, sizeof **lines);
    ensure(*spans != NULL && *lines != NULL);
    for (size_t i = 0; i < request.span_count; i++) {
        const uint64_t *row = intent->spans.numbers + i * 4;
        (*spans)[i] = (struct purge_span){{row[0], row[1]}, row[2], row[3] != 0};
    }
    for (size_t i = 0; i < request.line_count; i++) {
        const uint64_t *row = intent->lines.numbers + i * 4;
        (*lines)[i] = (struct purge_line){{row[0], row[1]}, row[2], row[3]};
    }
    request.spans = *spans;
    request.lines = *lines;
    return request;
}

static enum error_code
erase(struct model *model, const struct line *intent, struct error *error)
{
    struct purge_span *spans;
    struct purge_line *lines;
    struct purge_request request = request_of(intent, &spans, &lines);
    enum error_code code = store_purge(model->store, &request, error);
    free(spans);
    free(lines);
    return code;
}

struct resealing {
    struct model *model;
    const struct line *intent;
    struct line *lines;
    unsigned char (*digests)[32];
    size_t count, capacity;
    enum error_code code;
    struct error *error;
};

static bool
is_touched(const struct line *intent, uint64_t volume)
{
    for (size_t i = 0; i < intent->spans.rows; i++)
        if (intent->spans.numbers[i * 4] == volume)
            return true;
    for (size_t i = 0; i < intent->lines.rows; i++)
        if (intent->lines.numbers[i * 4] == volume)
            return true;
    return false;
}

static bool
note_touched(void *context, const struct volume_facts *facts)
{
    struct resealing *r = context;
    if (!facts->sealed || !is_touched(r->intent, facts->number))
        return true;
    if (r->count == r->capacity) {
        r->capacity = r->capacity == 0 ? 16 : r->capacity * 2;
        r->lines = realloc(r->lines, r->capacity * sizeof *r->lines);
        ensure(r->lines != NULL);
    }
    r->lines[r->count++] = (struct line){.operation = OPERATION_SEALED, .volume = facts->number, .bulk = facts->bulk,
                                         .generation = facts->generation, .size_bytes = facts->size_bytes};
    return true;
}

/* SEALED lines of the sealed volumes that were touched, after the PURGED line. */
static enum error_code
reseal(struct resealing *r, struct error *error)
{
    enum error_code code = ERROR_NONE;
    store_volumes(r->model->store, note_touched, r);
    r->digests = calloc(r->count + 1, sizeof *r->digests);
    ensure(r->digests != NULL);
    for (size_t i = 1; i < r->count && code == ERROR_NONE; i++) {
        code = store_volume_sha256(r->model->store, r->lines[i].volume, 0, r->digests[i], error);
        r->lines[i].sha256 = text_of((const char *)r->digests[i], 32);
    }
    return code;
}

static enum error_code
complete(struct model *model, const struct line *intent, const struct line_origin *origin, struct error *error)
{
    uint64_t cause[2] = {origin->sequence, origin->index};
    struct resealing r = {.model = model, .intent = intent, .error = error};
    enum error_code code = erase(model, intent, error);
    if (code != ERROR_NONE)
        return code;
    r.capacity = 16;
    r.lines = calloc(r.capacity, sizeof *r.lines);
    ensure(r.lines != NULL);
    r.lines[r.count++] = (struct line){.operation = OPERATION_PURGED, .by = intent->by, .cause = {cause, 1, 2},
                                       .ids = intent->ids, .kept = intent->kept, .done = 1};
    code = reseal(&r, error);
    if (code == ERROR_NONE)
        code = committer_journal(model, r.lines, r.count, true, &intent->ids, NULL, error);
    free(r.lines);
    free(r.digests);
    return code;
}

static uint64_t
zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static struct number_table
kept_table(struct purge *p)
{
    const struct kept_counts *all = (const struct kept_counts *)(const void *)p->kept.data;
    size_t count = p->kept.length / sizeof *all;
    uint64_t *numbers = arena_alloc(&p->arena, (count + 1) * 6 * sizeof *numbers);
    if (numbers == NULL)
        return (struct number_table){0};
    for (size_t i = 0; i < count; i++) {
        uint64_t *row = numbers + i * 6;
        row[0] = all[i].id;
        row[1] = zigzag(all[i].counts.children);
        row[2] = zigzag(all[i].counts.resources);
        row[3] = zigzag(all[i].counts.files);
        row[4] = zigzag(all[i].counts.bytes);
        row[5] = all[i].counts.change;
    }
    return (struct number_table){numbers, count, 6};
}

static enum error_code
purge_batch(struct purge *p, uint64_t by, struct error *error)
{
    struct line_origin origin;
    arena_reset(&p->arena);
    enum error_code code = gather(p, error);
    if (code != ERROR_NONE || p->id_count == 0)
        return code;
    struct line intent = {
        .operation = OPERATION_PURGE,
        .by = by,
        .ids = {p->ids, p->id_count},
        .spans = {(const uint64_t *)(const void *)p->spans.data, p->spans.length / 32, 4},
        .lines = {(const uint64_t *)(const void *)p->lines.data, p->lines.length / 32, 4},
        .kept = kept_table(p),
    };
    code = arena_status(&p->arena, error);
    if (code == ERROR_NONE)
        code = committer_journal(p->model, &intent, 1, true, NULL, &origin, error);
    if (code == ERROR_NONE)
        code = catalog_flush(p->model->catalog, error);
    if (code == ERROR_NONE)
        code = complete(p->model, &intent, &origin, error);
    p->done += p->id_count;
    p->id_count = 0;
    if (code == ERROR_NONE && !p->proceed(p->context, "purge", p->done, 0))
        return error_set(error, ERROR_CLOSED, "stopped after %llu resources", (unsigned long long)p->done);
    return code;
}

/* ---- what is to be purged ------------------------------------------------------------------------------ */

static enum error_code
add_to_batch(struct purge *p, uint64_t id, uint64_t by, struct error *error)
{
    p->ids[p->id_count++] = id;
    return p->id_count == BATCH_RESOURCES ? purge_batch(p, by, error) : ERROR_NONE;
}

/* Ids of the children of a container, live or deleted, into a buffer of uint64_t. */
static enum error_code
children_of(struct model *model, uint64_t id, enum family family, struct buffer *ret, struct error *error)
{
    struct lookup lookup = {.catalog = model->catalog};
    struct key prefix;
    struct text key, value;
    struct catalog_scan *scan;
    key_of(&prefix, family, id);
    enum error_code code = lookup_scan(&lookup, &prefix, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && catalog_scan_next(scan, &key, &value)) {
        struct child_record child = {0};
        if (family == FAMILY_GONE)
            child.id = key_read_number(key, key.length - 8);
        else
            code = child_decode(value, &child, error);
        buffer_append(ret, &child.id, sizeof child.id);
    }
    enum error_code closed = catalog_scan_close(scan, code == ERROR_NONE ? error : NULL);
    if (code == ERROR_NONE)
        code = closed;
    return code != ERROR_NONE ? code : buffer_status(ret, error);
}

static enum error_code
purge_tree(struct purge *p, uint64_t id, uint64_t by, unsigned depth, struct error *error)
{
    struct buffer below = {0};
    enum error_code code = children_of(p->model, id, FAMILY_CHILD, &below, error);
    if (code == ERROR_NONE)
        code = children_of(p->model, id, FAMILY_GONE, &below, error);
    const uint64_t *ids = (const uint64_t *)(const void *)below.data;
    for (size_t i = 0; i < below.length / sizeof *ids && code == ERROR_NONE && depth <= WALK_DEPTH_MAXIMUM; i++)
        code = purge_tree(p, ids[i], by, depth + 1, error);
    buffer_release(&below);
    return code != ERROR_NONE ? code : add_to_batch(p, id, by, error);
}

static bool
take_first(void *context, uint64_t id, int64_t deleted_us)
{
    *(uint64_t *)context = id;
    return false;
}

/* The resource by id, or at a path: the live one, else the newest deleted one. */
static enum error_code
find_resource(struct model *model, const struct principal *principal, struct text path, uint64_t *id, bool *ret_live,
              struct error *error)
{
    struct view *view;
    struct resource resource = {0};
    enum error_code code = view_open(model, principal, &view, error);
    if (code != ERROR_NONE)
        return code;
    if (*id != 0) {
        code = view_get(view, *id, &resource, error);
    } else {
        code = path_check(path, &model->limits, error);
        if (code == ERROR_NONE)
            code = view_resolve(view, path, &resource, error);
        if (code == ERROR_GONE) {
            uint64_t gone = 0;
            code = view_deleted_at(view, path, take_first, &gone, error);
            if (code == ERROR_NONE && gone == 0)
                code = error_set(error, ERROR_NOT_FOUND, "below a deleted container: purge that, or name the id");
            if (code == ERROR_NONE)
                code = view_get(view, gone, &resource, error);
        }
    }
    *id = resource.id;
    *ret_live = (resource.flags & RESOURCE_DELETED) == 0;
    if (code == ERROR_NONE && resource.id == ROOT_ID)
        code = error_set(error, ERROR_CONFLICT, "the root cannot be purged");
    if (code == ERROR_NONE && resource.aggregate != 0 && resource.aggregate != resource.id)
        code = error_set(error, ERROR_CONFLICT,
                         "its content is part of an aggregate's object: purge the aggregate, or copy what is to stay");
    view_close(view);
    return code;
}

static enum error_code
delete_first(struct model *model, const struct principal *principal, uint64_t id, struct error *error)
{
    struct transaction *transaction;
    enum error_code code = transaction_new(model, principal, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    code = transaction_delete(transaction, target_id(id), true, NULL, error);
    if (code == ERROR_NONE)
        code = transaction_commit(transaction, error);
    transaction_free(transaction);
    return code;
}

static bool
always_proceed(void *context, const char *what, uint64_t done, uint64_t total)
{
    return true;
}

enum error_code
model_purge(struct model *model, const struct principal *principal, struct text path, uint64_t id,
            maintenance_proceed *proceed, void *context, struct error *error)
{
    struct purge p = {.model = model, .proceed = proceed == NULL ? always_proceed : proceed, .context = context};
    bool live;
    if (principal->role != ROLE_ADMINISTRATOR)
        return error_set(error, ERROR_DENIED, "only an administrator may purge");
    if (model->committer == NULL)
        return error_set(error, ERROR_CLOSED, "the store is open for reading only");
    arena_init(&p.arena, 0);
    enum error_code code = find_resource(model, principal, path, &id, &live, error);
    if (code == ERROR_NONE && live)
        code = delete_first(model, principal, id, error);
    if (code == ERROR_NONE) /* tombstones still to be written would be new lines about what is being erased */
        code = follower_settle(model, error);
    if (code == ERROR_NONE)
        code = purge_tree(&p, id, principal->user, 0, error);
    if (code == ERROR_NONE)
        code = purge_batch(&p, principal->user, error);
    arena_release(&p.arena);
    buffer_release(&p.spans);
    buffer_release(&p.lines);
    buffer_release(&p.kept);
    buffer_release(&p.sequences);
    return code;
}

/* ---- after a restart, and on copies ---------------------------------------------------------------------- */

/* Parses line `index` of group `sequence`. */
static enum error_code
read_intent(struct model *model, const struct line_origin *origin, struct arena *arena, struct line *ret,
            struct error *error)
{
    struct journal_reader *reader;
    struct journal_group group;
    enum error_code status = ERROR_NONE;
    bool purged = false;
    enum error_code code = journal_reader_open(model->store, origin->sequence, false, &reader, error);
    if (code != ERROR_NONE)
        return code;
    if (!journal_reader_next(reader, &group, &status, error) || status != ERROR_NONE ||
        group.position.sequence != origin->sequence || origin->index >= group.line_count)
        code = error_set(error, ERROR_CORRUPT, "the intent of a purge in group %llu cannot be read",
                         (unsigned long long)origin->sequence);
    if (code == ERROR_NONE)
        code = line_parse(arena, arena_copy(arena, group.lines[origin->index]), ret, &purged, error);
    journal_reader_close(reader);
    return code;
}

static enum error_code
pending_intents(struct model *model, struct buffer *ret_origins, struct error *error)
{
    struct lookup lookup = {.catalog = model->catalog};
    struct key family;
    struct catalog_scan *scan;
    struct text key, value;
    key_begin(&family, FAMILY_WORK);
    enum error_code code = lookup_scan(&lookup, &family, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (catalog_scan_next(scan, &key, &value)) {
        struct cursor cursor = cursor_of(value.data, value.length);
        struct line_origin origin = {key_read_number(key, 1), key_read_number32(key, 9), 0};
        if (cursor_varint(&cursor) == OPERATION_PURGE)
            buffer_append(ret_origins, &origin, sizeof origin);
    }
    return catalog_scan_close(scan, error);
}

enum error_code
purge_resume(struct model *model, struct error *error)
{
    struct buffer origins = {0};
    struct arena arena;
    struct line intent;
    enum error_code code = pending_intents(model, &origins, error);
    const struct line_origin *all = (const struct line_origin *)(const void *)origins.data;
    arena_init(&arena, 0);
    for (size_t i = 0; i < origins.length / sizeof *all && code == ERROR_NONE; i++) {
        arena_reset(&arena);
        code = catalog_flush(model->catalog, error);
        if (code == ERROR_NONE)
            code = read_intent(model, &all[i], &arena, &intent, error);
        if (code == ERROR_NONE)
            code = complete(model, &intent, &all[i], error);
    }
    arena_release(&arena);
    buffer_release(&origins);
    return code;
}

struct copy_purge {
    struct device *copy;
    struct arena arena;
    uint64_t damaged;
    maintenance_line *line;
    void *context;
};

static void
tell_copy_fault(void *context, const struct store_fault *fault)
{
    struct copy_purge *p = context;
    struct buffer json = {0};
    buffer_printf(&json, "{\"fault\":\"%s\",\"volume\":%llu,\"what\":\"%s\"}", error_word(fault->code),
                  (unsigned long long)fault->volume, fault->what);
    (void)p->line(p->context, buffer_text(&json));
    buffer_release(&json);
}

static enum error_code
apply_to_copy(struct copy_purge *p, const struct line *intent, struct error *error)
{
    struct purge_span *spans;
    struct purge_line *lines;
    struct purge_request request = request_of(intent, &spans, &lines);
    enum error_code code = store_purge_copy(p->copy, &request, tell_copy_fault, p, error);
    free(spans);
    free(lines);
    return code;
}

static enum error_code
apply_group_to_copy(void *context, const struct journal_group *group, struct error *error)
{
    struct copy_purge *p = context;
    enum error_code code = ERROR_NONE;
    for (unsigned i = 0; i < group->line_count && code == ERROR_NONE; i++) {
        struct line line;
        bool purged;
        arena_reset(&p->arena);
        code = line_parse(&p->arena, group->lines[i], &line, &purged, error);
        if (code == ERROR_NONE && !purged && line.operation == OPERATION_PURGE)
            code = apply_to_copy(p, &line, error);
    }
    return code;
}

static enum error_code
count_damage(void *context, const char *why, struct error *error)
{
    struct copy_purge *p = context;
    p->damaged++;
    return ERROR_NONE;
}

enum error_code
model_purge_copy(struct model *model, const char *folder, maintenance_line *tell, void *context, struct error *error)
{
    struct copy_purge p = {.line = tell, .context = context};
    struct journal_walk walk = {1, JOURNAL_TO_THE_END, false, apply_group_to_copy, count_damage, &p};
    enum error_code code = device_files_new(folder, &p.copy, error);
    if (code != ERROR_NONE)
        return code;
    arena_init(&p.arena, 0);
    code = journal_walk(model->store, &walk, error);
    arena_release(&p.arena);
    device_free(p.copy);
    if (code == ERROR_NONE && p.damaged > 0)
        return error_set(error, ERROR_CORRUPT,
                         "the journal is damaged in %llu places: purges that stood there were not applied to the copy",
                         (unsigned long long)p.damaged);
    return code;
}
