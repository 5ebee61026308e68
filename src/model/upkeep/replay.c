/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Catching up: groups that the volumes hold and the catalog does not yet reflect are applied through an
 * overlay, in batches that each carry their position.
 */
#include "base/ensure.h"
#include "model/record/keys.h"
#include "model/private.h"
#include "volume/store.h"

#define REPLAY_BATCH_KEYS 50000u
#define TAR_BLOCK 512u

enum error_code
overlay_apply(void *context, enum fold fold, struct text key, struct text operand, struct error *error)
{
    struct overlay *overlay = context;
    enum error_code code;
    bool present;
    if (fold == FOLD_SET) {
        overlay_put(overlay, key, operand);
        return ERROR_NONE;
    }
    if (fold == FOLD_DELETE) {
        overlay_delete(overlay, key);
        return ERROR_NONE;
    }
    struct buffer before = {0}, after = {0};
    code = overlay_get(overlay, key, &before, error);
    struct text before_text = buffer_text(&before);
    if (code == ERROR_NONE || code == ERROR_NOT_FOUND)
        code = fold_apply(fold, code == ERROR_NONE ? &before_text : NULL, operand, &after, &present, error);
    if (code == ERROR_NONE && present)
        overlay_put(overlay, key, buffer_text(&after));
    buffer_release(&before);
    buffer_release(&after);
    return code;
}

enum error_code
load_position(struct catalog *catalog, struct position *ret_position, struct error *error)
{
    struct buffer value = {0};
    *ret_position = (struct position){0};
    enum error_code code = catalog_get(catalog, NULL, TEXT(KEY_POSITION), &value, error);
    if (code == ERROR_NONE)
        code = position_decode(buffer_text(&value), ret_position, error);
    else if (code == ERROR_NOT_FOUND)
        code = ERROR_NONE;
    buffer_release(&value);
    return code;
}

enum error_code
bulk_ends_of_group(struct store *store, const struct journal_group *group, struct arena *arena,
                   struct bulk_length **ret_ends, size_t *ret_count, struct error *error)
{
    static const char sums_folder[] = "journal/sums/";
    size_t count = 0;
    struct bulk_length *ends = NULL;
    for (unsigned i = 0; i < group->entry_count; i++) {
        const struct journal_tar_entry *entry = &group->entries[i];
        if (!text_starts_with(entry->path, text_from(sums_folder)))
            continue;
        if (ends == NULL)
            ends = arena_alloc(arena, group->entry_count * sizeof *ends);
        if (ends == NULL)
            return arena_status(arena, error);
        ends[count++] = (struct bulk_length){entry->place.volume,
                                             entry->place.offset + (entry->length + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK};
    }
    *ret_ends = ends;
    *ret_count = count;
    return ERROR_NONE;
}

/* ---- forgetting what was purged ------------------------------------------------------------------- */

static enum error_code
delete_range(struct overlay *overlay, const struct key *prefix, struct error *error)
{
    struct key to;
    struct text key, value;
    struct overlay_scan *scan;
    struct buffer keys = {0};
    ensure(key_after(prefix, &to));
    enum error_code code = overlay_scan_open(overlay, key_text(prefix), key_text(&to), &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (overlay_scan_next(scan, &key, &value)) {
        buffer_append_varint(&keys, key.length);
        buffer_append_text(&keys, key);
    }
    code = overlay_scan_close(scan, error);
    struct cursor cursor = cursor_of(keys.data, keys.length);
    while (code == ERROR_NONE && cursor.left > 0) {
        uint64_t length = cursor_varint(&cursor);
        overlay_delete(overlay, cursor_bytes(&cursor, (size_t)length));
    }
    buffer_release(&keys);
    return code;
}

/* Inverse keys of the statements, digests of the versions, changes of the history: found by what is there. */
static enum error_code
delete_derived(struct overlay *overlay, uint64_t id, enum family family,
               void (*derive)(struct overlay *, uint64_t id, struct text key, struct text value), struct error *error)
{
    struct key prefix, to;
    struct text key, value;
    struct overlay_scan *scan;
    struct buffer pairs = {0};
    key_begin(&prefix, family);
    key_number(&prefix, id);
    ensure(key_after(&prefix, &to));
    enum error_code code = overlay_scan_open(overlay, key_text(&prefix), key_text(&to), &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (overlay_scan_next(scan, &key, &value)) {
        buffer_append_varint(&pairs, key.length);
        buffer_append_text(&pairs, key);
        buffer_append_varint(&pairs, value.length);
        buffer_append_text(&pairs, value);
    }
    code = overlay_scan_close(scan, error);
    struct cursor cursor = cursor_of(pairs.data, pairs.length);
    while (code == ERROR_NONE && cursor.left > 0) {
        key = cursor_bytes(&cursor, (size_t)cursor_varint(&cursor));
        value = cursor_bytes(&cursor, (size_t)cursor_varint(&cursor));
        derive(overlay, id, key, value);
    }
    buffer_release(&pairs);
    return code;
}

static void
delete_inverse(struct overlay *overlay, uint64_t id, struct text key, struct text value)
{
    struct statement statement;
    struct key inverse;
    double number;
    if (statement_decode(key, value, &statement, NULL) != ERROR_NONE)
        return;
    key_inverse(&inverse, id, &statement, INVERSE_TEXT);
    overlay_delete(overlay, key_text(&inverse));
    if (!value_is_decimal(statement.value, &number))
        return;
    key_inverse(&inverse, id, &statement, INVERSE_NUMBER);
    overlay_delete(overlay, key_text(&inverse));
}

static void
delete_digest(struct overlay *overlay, uint64_t id, struct text key, struct text value)
{
    struct version_record version;
    struct key digest;
    if (version_decode(value, &version, NULL) != ERROR_NONE || version.digest.length < 16)
        return;
    key_digest(&digest, version.digest, id);
    overlay_delete(overlay, key_text(&digest));
}

static void
delete_change(struct overlay *overlay, uint64_t id, struct text key, struct text value)
{
    struct key change;
    key_change(&change, key_read_number(key, 9), key_read_number32(key, 17) << 16);
    overlay_delete(overlay, key_text(&change));
}

static void
delete_due(struct overlay *overlay, uint64_t id, struct text key, struct text value)
{
    struct key due;
    struct cursor cursor = cursor_of(value.data, value.length);
    key_begin(&due, FAMILY_DUE);
    key_number(&due, cursor_varint(&cursor));
    key_number(&due, id);
    key_bytes(&due, key.data + 9, key.length - 9);
    overlay_delete(overlay, key_text(&due));
}

/* The name is marked by the newest of those that are left and were not forgotten, as a rebuild would have it. */
static enum error_code
renew_tombstone(struct overlay *overlay, uint64_t parent, struct text name, struct error *error)
{
    struct key from, to, mark;
    struct text key, value;
    struct overlay_scan *scan;
    uint64_t id = 0;
    key_gone(&from, parent, name, 0);
    key_gone(&to, parent, name, UINT64_MAX);
    enum error_code code = overlay_scan_open(overlay, key_text(&from), key_text(&to), &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (overlay_scan_next(scan, &key, &value)) {
        struct cursor cursor = cursor_of(value.data, value.length);
        (void)cursor_varint(&cursor);
        (void)cursor_varint(&cursor);
        id = cursor_varint(&cursor) == 0 ? key_read_number(key, key.length - 8) : 0;
    }
    code = overlay_scan_close(scan, error);
    key_tombstone(&mark, parent, name);
    if (id == 0) {
        overlay_delete(overlay, key_text(&mark));
        return code;
    }
    struct buffer operand = {0};
    buffer_append_varint(&operand, id);
    overlay_put(overlay, key_text(&mark), buffer_text(&operand));
    buffer_release(&operand);
    return code;
}

/* The entry under the parent, live or deleted. */
static enum error_code
delete_place(struct overlay *overlay, uint64_t id, struct error *error)
{
    struct lookup lookup = {.overlay = overlay};
    struct buffer storage = {0};
    struct node node;
    struct child_record child;
    struct key key;
    enum error_code code = lookup_node(&lookup, id, &storage, &node, NULL);
    if (code == ERROR_NONE) {
        if (lookup_child(&lookup, node.parent, node.name, &child, NULL) == ERROR_NONE && child.id == id) {
            key_child(&key, node.parent, node.name);
            overlay_delete(overlay, key_text(&key));
        }
        key_gone(&key, node.parent, node.name, id);
        overlay_delete(overlay, key_text(&key));
        code = renew_tombstone(overlay, node.parent, node.name, error);
        key_node(&key, id);
        overlay_delete(overlay, key_text(&key));
        key_counts(&key, id);
        overlay_delete(overlay, key_text(&key));
    }
    buffer_release(&storage);
    return code == ERROR_NOT_FOUND ? ERROR_NONE : code == ERROR_NONE ? code : error_set(error, code, "the catalog cannot be read");
}

enum error_code
overlay_forget(struct overlay *overlay, uint64_t id, struct error *error)
{
    static const enum family owned[] = {FAMILY_STATEMENT, FAMILY_VERSION, FAMILY_HISTORY, FAMILY_DUE_OF, FAMILY_CHILD};
    enum error_code code = delete_derived(overlay, id, FAMILY_STATEMENT, delete_inverse, error);
    if (code == ERROR_NONE)
        code = delete_derived(overlay, id, FAMILY_VERSION, delete_digest, error);
    if (code == ERROR_NONE)
        code = delete_derived(overlay, id, FAMILY_HISTORY, delete_change, error);
    if (code == ERROR_NONE)
        code = delete_derived(overlay, id, FAMILY_DUE_OF, delete_due, error);
    if (code == ERROR_NONE)
        code = delete_place(overlay, id, error);
    for (size_t i = 0; i < sizeof owned / sizeof *owned && code == ERROR_NONE; i++) {
        struct key prefix;
        key_begin(&prefix, owned[i]);
        key_number(&prefix, id);
        code = delete_range(overlay, &prefix, error);
    }
    return code;
}

/* ---- replaying ------------------------------------------------------------------------------------ */

struct replay {
    struct model *model;
    struct overlay *overlay;
    struct catalog_batch *batch;
    struct arena arena;
    bool from_nothing; /* the catalog was empty: purged lines have never been applied to it */
    bool unknown_operation;
};

static enum error_code
apply_line(struct replay *r, const struct journal_group *group, unsigned index, struct error *error)
{
    struct line line;
    bool purged;
    struct line_origin origin = {group->position.sequence, index, group->time_us};
    enum error_code code = line_parse(&r->arena, group->lines[index], &line, &purged, error);
    if (code != ERROR_NONE || purged)
        return code;
    r->unknown_operation |= line.operation == OPERATION_UNKNOWN;
    code = line_effects(&line, &origin, overlay_apply, r->overlay, error);
    if (line.operation == OPERATION_PURGED)
        for (size_t i = 0; i < line.ids.count && code == ERROR_NONE; i++)
            code = overlay_forget(r->overlay, line.ids.ids[i], error);
    if (line.operation == OPERATION_PURGED && r->from_nothing && code == ERROR_NONE)
        code = line_effects_kept(&line, overlay_apply, r->overlay, error);
    return code;
}

static enum error_code
apply_journal_group(struct replay *r, const struct journal_group *group, struct error *error)
{
    struct group_effects effects = {.position = group->position};
    struct bulk_length *ends = NULL;
    enum error_code code = ERROR_NONE;
    arena_reset(&r->arena);
    for (unsigned i = 0; i < group->line_count && code == ERROR_NONE; i++)
        code = apply_line(r, group, i, error);
    if (code == ERROR_NONE)
        code = bulk_ends_of_group(r->model->store, group, &r->arena, &ends, &effects.bulk_count, error);
    effects.bulk = ends;
    if (code == ERROR_NONE)
        code = group_effects(&effects, overlay_apply, r->overlay, error);
    return code;
}

static enum error_code
flush(struct replay *r, struct error *error)
{
    catalog_batch_clear(r->batch);
    overlay_to_batch(r->overlay, r->batch);
    enum error_code code = catalog_write(r->model->catalog, r->batch, error);
    overlay_clear(r->overlay);
    return code;
}

static enum error_code
replay_groups(struct replay *r, struct journal_reader *reader, uint64_t until, struct error *error)
{
    struct journal_group group;
    enum error_code status = ERROR_NONE, code = ERROR_NONE;
    uint64_t done = 0;
    while (code == ERROR_NONE && journal_reader_next(reader, &group, &status, error)) {
        if (status != ERROR_NONE) {
            if (r->model->options.notice != NULL)
                r->model->options.notice(r->model->options.context, "damaged group", text_from(error == NULL ? "" : error->message));
            continue; /* reported when the store was opened; later groups apply */
        }
        code = apply_journal_group(r, &group, error);
        if (code == ERROR_NONE && overlay_count(r->overlay) >= REPLAY_BATCH_KEYS)
            code = flush(r, error);
        if (r->model->options.progress != NULL && ++done % 1000 == 0)
            r->model->options.progress(r->model->options.context, "replay", group.position.sequence, until);
    }
    return code == ERROR_NONE && overlay_count(r->overlay) > 0 ? flush(r, error) : code;
}

enum error_code
replay_journal(struct model *model, struct error *error)
{
    struct position known, last = store_position(model->store);
    struct journal_reader *reader;
    struct replay r = {.model = model};
    enum error_code code = load_position(model->catalog, &known, error);
    if (code != ERROR_NONE || known.sequence >= last.sequence)
        return code;
    code = journal_reader_open(model->store, known.sequence + 1, true, &reader, error);
    if (code != ERROR_NONE)
        return code;
    r.from_nothing = known.sequence == 0;
    r.overlay = overlay_new(model->catalog);
    r.batch = catalog_batch_new();
    arena_init(&r.arena, 0);
    code = replay_groups(&r, reader, last.sequence, error);
    journal_reader_close(reader);
    overlay_free(r.overlay);
    catalog_batch_free(r.batch);
    arena_release(&r.arena);
    if (code == ERROR_NONE && r.unknown_operation)
        code = error_set(error, ERROR_UNSUPPORTED,
                         "the journal holds operations of a later program: this one does not write here");
    return code;
}
