/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pending changes over a catalog: see overlay.h. A sorted map holds one entry a key; the undo log
 * holds, for each change since the last clear, the entry that was there before.
 *
 * Invariants: (1) entries are never written again once made; a change makes a new one; (2) the item
 * of a node is NULL when nothing is known of the key, else its present entry; (3) a node is in the
 * map's order from its first change on; (4) `changed` counts the nodes whose entry is a change.
 */
#include "catalog/overlay.h"

#include "base/ensure.h"
#include "catalog/sorted_map.h"

enum entry_kind {
    ENTRY_ABSENT_BELOW, /* read from the catalog: not there */
    ENTRY_READ,         /* read from the catalog */
    ENTRY_PUT,          /* changed here */
    ENTRY_DELETED       /* changed here */
};

struct entry {
    enum entry_kind kind;
    struct text value;
};

struct undo {
    struct sorted_map_node *node;
    void *entry; /* what it had before */
};

struct overlay {
    struct catalog *catalog;
    struct overlay *below; /* between this one and the catalog, or NULL */
    struct sorted_map *map;
    struct undo *undo;
    size_t undo_count, undo_capacity;
    size_t changed;
    size_t open_scans;
};

struct overlay_scan {
    struct overlay *overlay;
    struct overlay_scan *between; /* of the overlay below, or NULL */
    struct catalog_scan *below;   /* else of the catalog */
    struct buffer to;
    const struct sorted_map_node *node; /* the next change, or NULL */
    struct text below_key, below_value; /* the next below, while below_there */
    bool below_there;
    bool step_below;
};

struct overlay *
overlay_new(struct catalog *catalog)
{
    struct overlay *overlay = calloc(1, sizeof *overlay);
    ensure(overlay != NULL);
    overlay->catalog = catalog;
    overlay->map = sorted_map_new();
    return overlay;
}

void
overlay_free(struct overlay *overlay)
{
    if (overlay == NULL)
        return;
    ensure(overlay->open_scans == 0);
    sorted_map_free(overlay->map);
    free(overlay->undo);
    free(overlay);
}

void
overlay_clear(struct overlay *overlay)
{
    ensure(overlay->open_scans == 0);
    sorted_map_clear(overlay->map);
    overlay->below = NULL;
    overlay->undo_count = 0;
    overlay->changed = 0;
}

void
overlay_stand_on(struct overlay *overlay, struct overlay *below)
{
    ensure(overlay->open_scans == 0 && overlay != below && (below == NULL || below->below == NULL));
    overlay->below = below;
}

static bool
is_change(const struct entry *entry)
{
    return entry != NULL && (entry->kind == ENTRY_PUT || entry->kind == ENTRY_DELETED);
}

static bool
has_value(const struct entry *entry)
{
    return entry->kind == ENTRY_PUT || entry->kind == ENTRY_READ;
}

static struct entry *
new_entry(struct overlay *overlay, enum entry_kind kind, struct text value)
{
    struct entry *entry = sorted_map_memory(overlay->map, sizeof *entry + value.length);
    char *copy = (char *)(entry + 1);
    if (value.length > 0)
        memcpy(copy, value.data, value.length);
    *entry = (struct entry){kind, text_of(copy, value.length)};
    return entry;
}

static enum error_code
absent(struct error *error)
{
    return error_set(error, ERROR_NOT_FOUND, "no such key in the catalog");
}

/* What the catalog says, remembered. */
static enum error_code
read_catalog(struct overlay *overlay, struct text key, struct buffer *ret_value, struct error *error)
{
    enum error_code code = catalog_get(overlay->catalog, NULL, key, ret_value, error);
    if (code == ERROR_NONE)
        sorted_map_add(overlay->map, key)->item =
            new_entry(overlay, ENTRY_READ, buffer_text(ret_value));
    else if (code == ERROR_NOT_FOUND)
        sorted_map_add(overlay->map, key)->item = new_entry(overlay, ENTRY_ABSENT_BELOW, TEXT(""));
    return code;
}

static const struct entry *
entry_of(const struct overlay *overlay, struct text key)
{
    const struct sorted_map_node *node = sorted_map_find(overlay->map, key);
    return node == NULL ? NULL : node->item;
}

enum error_code
overlay_get(struct overlay *overlay, struct text key, struct buffer *ret_value, struct error *error)
{
    const struct entry *entry = entry_of(overlay, key);
    if (entry == NULL && overlay->below != NULL)
        entry = entry_of(overlay->below, key);
    if (entry == NULL)
        return read_catalog(overlay, key, ret_value, error);
    if (!has_value(entry))
        return absent(error);
    buffer_clear(ret_value);
    buffer_append_text(ret_value, entry->value);
    return buffer_status(ret_value, error);
}

static void
change(struct overlay *overlay, struct text key, enum entry_kind kind, struct text value)
{
    ensure(overlay->open_scans == 0);
    struct sorted_map_node *node = sorted_map_add(overlay->map, key);
    if (overlay->undo_count == overlay->undo_capacity) {
        overlay->undo_capacity = overlay->undo_capacity == 0 ? 256 : overlay->undo_capacity * 2;
        overlay->undo = realloc(overlay->undo, overlay->undo_capacity * sizeof *overlay->undo);
        ensure(overlay->undo != NULL);
    }
    overlay->undo[overlay->undo_count++] = (struct undo){node, node->item};
    if (!is_change(node->item))
        overlay->changed++;
    node->item = new_entry(overlay, kind, value);
    sorted_map_put_in_order(overlay->map, node);
}

void
overlay_put(struct overlay *overlay, struct text key, struct text value)
{
    change(overlay, key, ENTRY_PUT, value);
}

void
overlay_delete(struct overlay *overlay, struct text key)
{
    change(overlay, key, ENTRY_DELETED, TEXT(""));
}

size_t
overlay_mark(const struct overlay *overlay)
{
    return overlay->undo_count;
}

void
overlay_roll_back(struct overlay *overlay, size_t mark)
{
    ensure(mark <= overlay->undo_count && overlay->open_scans == 0);
    while (overlay->undo_count > mark) {
        struct undo undo = overlay->undo[--overlay->undo_count];
        undo.node->item = undo.entry;
        if (!is_change(undo.entry))
            overlay->changed--;
    }
}

size_t
overlay_count(const struct overlay *overlay)
{
    return overlay->changed;
}

void
overlay_to_batch(const struct overlay *overlay, struct catalog_batch *batch)
{
    const struct sorted_map_node *node = sorted_map_at_or_after(overlay->map, TEXT(""));
    for (; node != NULL; node = sorted_map_next(node)) {
        const struct entry *entry = node->item;
        if (!is_change(entry))
            continue;
        if (entry->kind == ENTRY_PUT)
            catalog_batch_put(batch, node->key, entry->value);
        else
            catalog_batch_delete(batch, node->key);
    }
}

/* The first node from this one on that is a change inside the range, or NULL. */
static const struct sorted_map_node *
next_change(const struct overlay_scan *scan, const struct sorted_map_node *node)
{
    struct text to = buffer_text(&scan->to);
    while (node != NULL && !is_change(node->item))
        node = sorted_map_next(node);
    if (node != NULL && to.length > 0 && text_compare(node->key, to) >= 0)
        return NULL;
    return node;
}

enum error_code
overlay_scan_open(struct overlay *overlay, struct text from, struct text to,
                  struct overlay_scan **ret_scan, struct error *error)
{
    struct catalog_scan *below = NULL;
    struct overlay_scan *between = NULL;
    const struct catalog_scan_range range = {.from = from, .to = to};
    enum error_code code = overlay->below != NULL
                               ? overlay_scan_open(overlay->below, from, to, &between, error)
                               : catalog_scan_open(overlay->catalog, NULL, &range, &below, error);
    if (code != ERROR_NONE)
        return code;
    struct overlay_scan *scan = calloc(1, sizeof *scan);
    ensure(scan != NULL);
    scan->overlay = overlay;
    scan->between = between;
    scan->below = below;
    scan->step_below = true;
    buffer_append_text(&scan->to, to);
    scan->node = next_change(scan, sorted_map_at_or_after(overlay->map, from));
    overlay->open_scans++;
    *ret_scan = scan;
    return ERROR_NONE;
}

static bool
step_below(struct overlay_scan *scan)
{
    return scan->between != NULL
               ? overlay_scan_next(scan->between, &scan->below_key, &scan->below_value)
               : catalog_scan_next(scan->below, &scan->below_key, &scan->below_value);
}

/* True when it gave one out; a deleted key is stepped over. */
static bool
take_change(struct overlay_scan *scan, struct text *ret_key, struct text *ret_value)
{
    const struct sorted_map_node *node = scan->node;
    const struct entry *entry = node->item;
    scan->node = next_change(scan, sorted_map_next(node));
    if (entry->kind == ENTRY_DELETED)
        return false;
    *ret_key = node->key;
    *ret_value = entry->value;
    return true;
}

bool
overlay_scan_next(struct overlay_scan *scan, struct text *ret_key, struct text *ret_value)
{
    for (;;) {
        /* What was given out last is borrowed from below: it is stepped over only now. */
        if (scan->step_below)
            scan->below_there = step_below(scan);
        scan->step_below = false;
        if (!scan->below_there && scan->node == NULL)
            return false;
        int order = !scan->below_there   ? 1
                    : scan->node == NULL ? -1
                                         : text_compare(scan->below_key, scan->node->key);
        scan->step_below = scan->below_there && order <= 0;
        if (order < 0) {
            *ret_key = scan->below_key;
            *ret_value = scan->below_value;
            return true;
        }
        if (take_change(scan, ret_key, ret_value))
            return true;
    }
}

enum error_code
overlay_scan_close(struct overlay_scan *scan, struct error *error)
{
    enum error_code code = scan->between != NULL ? overlay_scan_close(scan->between, error)
                                                 : catalog_scan_close(scan->below, error);
    scan->overlay->open_scans--;
    buffer_release(&scan->to);
    free(scan);
    return code;
}
