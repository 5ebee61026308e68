/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Catching up: groups that the volumes hold and the catalog does not yet reflect are applied through an
 * overlay, in batches that each carry their position.
 */
#include "base/ensure.h"
#include "model/record/keys.h"
#include "model/private.h"
#include "model/upkeep/journal_walk.h"

#define REPLAY_BATCH_KEYS 50000u

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
load_next_id(struct catalog *catalog, uint64_t *ret_id, struct error *error)
{
    struct buffer value = {0};
    *ret_id = ROOT_ID;
    enum error_code code = catalog_get(catalog, NULL, TEXT(KEY_NEXT_ID), &value, error);
    if (code == ERROR_NONE) {
        struct cursor cursor = cursor_of(value.data, value.length);
        *ret_id = cursor_varint(&cursor);
    }
    buffer_release(&value);
    return error_forgive(error, code, ERROR_NOT_FOUND);
}

/* ---- forgetting what was purged ------------------------------------------------------------------- */

static enum error_code
delete_range(struct overlay *overlay, const struct key *prefix, struct error *error)
{
    struct text key, value;
    struct overlay_scan *scan;
    struct buffer keys = {0};
    enum error_code code = overlay_scan_under(overlay, prefix, &scan, error);
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
    struct key prefix;
    struct text key, value;
    struct overlay_scan *scan;
    struct buffer pairs = {0};
    key_of(&prefix, family, id);
    enum error_code code = overlay_scan_under(overlay, &prefix, &scan, error);
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
    key_due(&due, cursor_varint(&cursor), id, text_of(key.data + 9, key.length - 9));
    overlay_delete(overlay, key_text(&due));
}

/* The name is marked by what was deleted there last of all that is left, unless that was forgotten, as a rebuild would
 * have it. Of two of one group the later was made later. */
static enum error_code
renew_tombstone(struct overlay *overlay, uint64_t parent, struct text name, struct error *error)
{
    struct key from, to, mark;
    struct text key, value;
    struct overlay_scan *scan;
    uint64_t id = 0, newest = 0;
    key_gone(&from, parent, name, 0);
    key_gone(&to, parent, name, UINT64_MAX);
    enum error_code code = overlay_scan_open(overlay, key_text(&from), key_text(&to), &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (overlay_scan_next(scan, &key, &value)) {
        struct cursor cursor = cursor_of(value.data, value.length);
        uint64_t sequence = cursor_varint(&cursor);
        (void)cursor_varint(&cursor);
        bool forgotten = cursor_varint(&cursor) != 0;
        if (sequence < newest)
            continue;
        newest = sequence;
        id = forgotten ? 0 : key_read_number(key, key.length - 8);
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
    }
    key_node(&key, id);
    overlay_delete(overlay, key_text(&key));
    key_counts(&key, id); /* lines of others may have made them where its own are erased */
    overlay_delete(overlay, key_text(&key));
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
        key_of(&prefix, owned[i], id);
        code = delete_range(overlay, &prefix, error);
    }
    return code;
}

/* ---- replaying ------------------------------------------------------------------------------------ */

struct replay {
    struct catalog *catalog;
    struct overlay *overlay;
    struct catalog_batch *batch;
};

static enum error_code
apply_effect(void *context, enum fold fold, struct text key, struct text operand, struct error *error)
{
    struct replay *r = context;
    return overlay_apply(r->overlay, fold, key, operand, error);
}

static enum error_code
forget(void *context, uint64_t id, struct error *error)
{
    struct replay *r = context;
    return overlay_forget(r->overlay, id, error);
}

static enum error_code
flush(struct replay *r, struct error *error)
{
    catalog_batch_clear(r->batch);
    overlay_to_batch(r->overlay, r->batch);
    enum error_code code = catalog_write(r->catalog, r->batch, error);
    overlay_clear(r->overlay);
    return code;
}

static enum error_code
flush_when_large(void *context, struct error *error)
{
    struct replay *r = context;
    return overlay_count(r->overlay) >= REPLAY_BATCH_KEYS ? flush(r, error) : ERROR_NONE;
}

enum error_code
replay_journal(struct model *model, struct error *error)
{
    struct replay r = {.catalog = model->catalog};
    struct journal_effects effects = {.model = model, .apply = apply_effect, .forget = forget,
                                      .after_group = flush_when_large, .context = &r, .progress = "replay"};
    enum error_code code = load_position(model->catalog, &effects.known, error);
    if (code != ERROR_NONE || effects.known.sequence >= store_position(model->store).sequence)
        return code;
    code = load_next_id(model->catalog, &effects.next_id, error);
    if (code != ERROR_NONE)
        return code;
    r.overlay = overlay_new(model->catalog);
    r.batch = catalog_batch_new();
    code = journal_effects_apply(&effects, error);
    if (code == ERROR_NONE && overlay_count(r.overlay) > 0)
        code = flush(&r, error);
    overlay_free(r.overlay);
    catalog_batch_free(r.batch);
    return code;
}
