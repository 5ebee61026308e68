/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine for simulations: a sorted map of version chains in memory. Nothing is ever forgotten
 * before close, so a snapshot is a number (the count of batches that it sees), and a crash takes
 * the versions off the chains again that later batches put on.
 *
 * Invariants: (1) a chain goes from the newest version to the oldest, by strictly falling batch
 * numbers; (2) every node is in order. Threads: any; one lock around each call.
 */
#include "catalog/catalog_private.h"

#include "base/ensure.h"
#include "base/lock.h"
#include "catalog/sorted_map.h"

struct version {
    struct version *older;
    uint64_t batch; /* the n-th batch wrote it, from 1 */
    bool deleted;
    struct text value;
};

struct memory_catalog {
    struct catalog catalog;
    struct lock lock;
    struct sorted_map *map;
    uint64_t batches;
    uint64_t snapshots; /* taken and not released */
};

struct catalog_snapshot {
    uint64_t batches; /* sees the versions of this many */
};

struct memory_scan {
    struct catalog_scan scan;
    uint64_t batches;
    struct buffer from, to;
    bool backward;
    bool begun;
    bool ended;
    const struct sorted_map_node *at; /* the last one given out */
};

static struct memory_catalog *
memory_catalog(const struct catalog *catalog)
{
    union {
        const struct catalog *in;
        struct memory_catalog *out;
    } cast = {.in = catalog};
    return cast.out;
}

static const struct version *
visible_version(const struct sorted_map_node *node, uint64_t batches)
{
    const struct version *version = node == NULL ? NULL : node->item;
    while (version != NULL && version->batch > batches)
        version = version->older;
    return version == NULL || version->deleted ? NULL : version;
}

static uint64_t
batches_seen_locked(const struct memory_catalog *self, const struct catalog_snapshot *snapshot)
{
    return snapshot == NULL ? self->batches : snapshot->batches;
}

static enum error_code
memory_get(struct catalog *catalog, struct catalog_snapshot *snapshot, struct text key,
           struct buffer *ret_value, struct error *error)
{
    struct memory_catalog *self = memory_catalog(catalog);
    lock_take(&self->lock);
    const struct version *version =
        visible_version(sorted_map_find(self->map, key), batches_seen_locked(self, snapshot));
    if (version != NULL) {
        buffer_clear(ret_value);
        buffer_append_text(ret_value, version->value);
    }
    lock_give(&self->lock);
    if (version == NULL)
        return error_set(error, ERROR_NOT_FOUND, "no such key in the catalog");
    return buffer_status(ret_value, error);
}

static enum error_code
memory_scan_open(struct catalog *catalog, struct catalog_snapshot *snapshot,
                 const struct catalog_scan_range *range, struct catalog_scan **ret_scan,
                 struct error *error)
{
    struct memory_catalog *self = memory_catalog(catalog);
    struct memory_scan *scan = calloc(1, sizeof *scan);
    (void)error;
    ensure(scan != NULL);
    scan->scan.catalog = catalog;
    buffer_append_text(&scan->from, range->from);
    buffer_append_text(&scan->to, range->to);
    scan->backward = range->backward;
    lock_take(&self->lock);
    scan->batches = batches_seen_locked(self, snapshot);
    lock_give(&self->lock);
    *ret_scan = &scan->scan;
    return ERROR_NONE;
}

static struct sorted_map_node *
step_locked(struct memory_catalog *self, const struct memory_scan *scan)
{
    struct text from = buffer_text(&scan->from), to = buffer_text(&scan->to);
    if (!scan->backward)
        return scan->begun ? sorted_map_next(scan->at) : sorted_map_at_or_after(self->map, from);
    if (scan->begun)
        return sorted_map_before(self->map, scan->at->key);
    return to.length == 0 ? sorted_map_last(self->map) : sorted_map_before(self->map, to);
}

static bool
in_range(const struct memory_scan *scan, struct text key)
{
    struct text from = buffer_text(&scan->from), to = buffer_text(&scan->to);
    return text_compare(key, from) >= 0 && (to.length == 0 || text_compare(key, to) < 0);
}

static const struct version *
scan_next_locked(struct memory_catalog *self, struct memory_scan *scan)
{
    while (!scan->ended) {
        struct sorted_map_node *node = step_locked(self, scan);
        if (node == NULL || !in_range(scan, node->key)) {
            scan->ended = true;
            break;
        }
        scan->at = node;
        scan->begun = true;
        const struct version *version = visible_version(node, scan->batches);
        if (version != NULL)
            return version;
    }
    return NULL;
}

static bool
memory_scan_next(struct catalog_scan *scan, struct text *ret_key, struct text *ret_value)
{
    struct memory_scan *self = (struct memory_scan *)scan;
    struct memory_catalog *catalog = memory_catalog(scan->catalog);
    lock_take(&catalog->lock);
    const struct version *version = scan_next_locked(catalog, self);
    lock_give(&catalog->lock);
    if (version == NULL)
        return false;
    *ret_key = self->at->key;
    *ret_value = version->value;
    return true;
}

static enum error_code
memory_scan_close(struct catalog_scan *scan, struct error *error)
{
    struct memory_scan *self = (struct memory_scan *)scan;
    (void)error;
    buffer_release(&self->from);
    buffer_release(&self->to);
    free(self);
    return ERROR_NONE;
}

static void
apply_locked(void *context, struct text key, const struct text *value)
{
    struct memory_catalog *self = context;
    struct sorted_map_node *node = sorted_map_add(self->map, key);
    struct version *newest = node->item;
    struct version *version;
    sorted_map_put_in_order(self->map, node);
    if (newest != NULL && newest->batch == self->batches) {
        version = newest; /* the same batch again: the later operation wins */
    } else {
        version = sorted_map_memory(self->map, sizeof *version);
        version->older = newest;
        version->batch = self->batches;
        node->item = version;
    }
    version->deleted = value == NULL;
    version->value = value == NULL ? TEXT("") : sorted_map_copy(self->map, *value);
}

static enum error_code
memory_write(struct catalog *catalog, const struct catalog_batch *batch, struct error *error)
{
    struct memory_catalog *self = memory_catalog(catalog);
    (void)error;
    lock_take(&self->lock);
    self->batches++;
    catalog_batch_each(batch, apply_locked, self);
    lock_give(&self->lock);
    return ERROR_NONE;
}

static enum error_code
memory_snapshot_take(struct catalog *catalog, struct catalog_snapshot **ret_snapshot,
                     struct error *error)
{
    struct memory_catalog *self = memory_catalog(catalog);
    struct catalog_snapshot *snapshot = calloc(1, sizeof *snapshot);
    (void)error;
    ensure(snapshot != NULL);
    lock_take(&self->lock);
    snapshot->batches = self->batches;
    self->snapshots++;
    lock_give(&self->lock);
    *ret_snapshot = snapshot;
    return ERROR_NONE;
}

static void
memory_snapshot_release(struct catalog *catalog, struct catalog_snapshot *snapshot)
{
    struct memory_catalog *self = memory_catalog(catalog);
    lock_take(&self->lock);
    self->snapshots--;
    lock_give(&self->lock);
    free(snapshot);
}

static enum error_code
memory_flush(struct catalog *catalog, struct error *error)
{
    (void)catalog;
    (void)error;
    return ERROR_NONE;
}

static void
memory_properties(struct catalog *catalog, struct buffer *ret_json)
{
    struct memory_catalog *self = memory_catalog(catalog);
    lock_take(&self->lock);
    buffer_printf(ret_json, "{\"engine\":\"memory\",\"memory_bytes\":%zu,\"batches\":%llu}",
                  sorted_map_memory_used(self->map), (unsigned long long)self->batches);
    lock_give(&self->lock);
}

static void
memory_close(struct catalog *catalog)
{
    struct memory_catalog *self = memory_catalog(catalog);
    ensure(self->snapshots == 0);
    sorted_map_free(self->map);
    lock_release(&self->lock);
    free(self);
}

static const struct catalog_operations memory_operations = {
    .name = "memory",
    .get = memory_get,
    .scan_open = memory_scan_open,
    .scan_next = memory_scan_next,
    .scan_close = memory_scan_close,
    .write = memory_write,
    .snapshot_take = memory_snapshot_take,
    .snapshot_release = memory_snapshot_release,
    .flush = memory_flush,
    .properties = memory_properties,
    .close = memory_close,
};

struct catalog *
catalog_memory_new(void)
{
    struct memory_catalog *self = calloc(1, sizeof *self);
    ensure(self != NULL);
    self->catalog.operations = &memory_operations;
    self->map = sorted_map_new();
    lock_init(&self->lock, LOCK_RANK_CATALOG);
    return &self->catalog;
}

void
catalog_memory_crash(struct catalog *catalog, uint64_t kept)
{
    struct memory_catalog *self = memory_catalog(catalog);
    ensure(catalog->operations == &memory_operations);
    lock_take(&self->lock);
    ensure(kept <= self->batches && self->snapshots == 0);
    struct sorted_map_node *node = sorted_map_at_or_after(self->map, TEXT(""));
    for (; node != NULL; node = sorted_map_next(node)) {
        struct version *version = node->item;
        while (version != NULL && version->batch > kept)
            version = version->older;
        node->item = version;
    }
    self->batches = kept;
    lock_give(&self->lock);
}

uint64_t
catalog_memory_batches(const struct catalog *catalog)
{
    struct memory_catalog *self = memory_catalog(catalog);
    lock_take(&self->lock);
    uint64_t batches = self->batches;
    lock_give(&self->lock);
    return batches;
}
