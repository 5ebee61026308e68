/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct catalog: an ordered key-value view, behind a narrow vtable. Keys are compared as bytes.
 * Engines: catalog_rocksdb.c (a folder), catalog_memory.c (a sorted map, for simulations: it can
 * forget back to a prefix of its batches, as a crash does). A shared database is to be the third.
 *
 * Life: catalog_rocksdb_open() or catalog_memory_new() - reads, writes, snapshots - catalog_close().
 * Durability: none is promised by an engine. After a crash it holds an exact prefix of the batches
 * written; the position key, in every batch, says which (design.md 4).
 * Threads: any thread may read, any thread may write; a batch is atomic; a scan belongs to one thread.
 * Errors: NOT_FOUND (get only), IO, CORRUPT, CLOSED.
 */
#ifndef ARCHIVOLT_CATALOG_CATALOG_H
#define ARCHIVOLT_CATALOG_CATALOG_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"

struct catalog;
struct catalog_snapshot; /* a frozen view; released soon, it pins old data */
struct catalog_scan;
struct catalog_batch;

struct catalog_scan_range {
    struct text from; /* first key, inclusive; empty: the first of all */
    struct text to;   /* exclusive; empty: to the end */
    bool backward;    /* from the last key before `to` down to `from` */
};

struct catalog_operations {
    const char *name;
    enum error_code (*get)(struct catalog *, struct catalog_snapshot *, struct text key,
                           struct buffer *ret_value, struct error *);
    enum error_code (*scan_open)(struct catalog *, struct catalog_snapshot *,
                                 const struct catalog_scan_range *, struct catalog_scan **ret_scan,
                                 struct error *);
    bool (*scan_next)(struct catalog_scan *, struct text *ret_key, struct text *ret_value);
    enum error_code (*scan_close)(struct catalog_scan *, struct error *);
    enum error_code (*write)(struct catalog *, const struct catalog_batch *, struct error *);
    enum error_code (*snapshot_take)(struct catalog *, struct catalog_snapshot **, struct error *);
    void (*snapshot_release)(struct catalog *, struct catalog_snapshot *);
    enum error_code (*flush)(struct catalog *, struct error *);
    void (*properties)(struct catalog *, struct buffer *ret_json); /* sizes, stalls, for /metrics */
    void (*close)(struct catalog *);
};

struct catalog {
    const struct catalog_operations *operations;
};

/* Opens or creates a folder. Settings that matter are asserted (design_store.md, "Commit"). */
struct catalog_rocksdb_options {
    const char *path;
    uint64_t cache_bytes;     /* block cache; 0: 256 MiB */
    uint64_t memtable_bytes;  /* each of three; 0: 32 MiB */
    bool read_only;
};
enum error_code catalog_rocksdb_open(const struct catalog_rocksdb_options *options,
                                     struct catalog **ret_catalog, struct error *error) AV_MUST_USE;
struct catalog *catalog_memory_new(void);
/* As after a crash: forgets all batches after the first `kept` of those written so far. */
void catalog_memory_crash(struct catalog *catalog, uint64_t kept);
uint64_t catalog_memory_batches(const struct catalog *catalog);

/* `snapshot` NULL: the newest state. The value replaces what the buffer held. */
enum error_code catalog_get(struct catalog *catalog, struct catalog_snapshot *snapshot,
                            struct text key, struct buffer *ret_value, struct error *error) AV_MUST_USE;
enum error_code catalog_scan_open(struct catalog *catalog, struct catalog_snapshot *snapshot,
                                  const struct catalog_scan_range *range,
                                  struct catalog_scan **ret_scan, struct error *error) AV_MUST_USE;
/* False at the end or after a fault, which scan_close reports. Key and value are borrowed until the
 * next call on this scan. */
bool catalog_scan_next(struct catalog_scan *scan, struct text *ret_key, struct text *ret_value);
enum error_code catalog_scan_close(struct catalog_scan *scan, struct error *error) AV_MUST_USE;
enum error_code catalog_write(struct catalog *catalog, const struct catalog_batch *batch,
                              struct error *error) AV_MUST_USE;
enum error_code catalog_snapshot_take(struct catalog *catalog, struct catalog_snapshot **ret_snapshot,
                                      struct error *error) AV_MUST_USE;
void catalog_snapshot_release(struct catalog *catalog, struct catalog_snapshot *snapshot);
/* Writes memtables out (clean stop). */
enum error_code catalog_flush(struct catalog *catalog, struct error *error) AV_MUST_USE;
void catalog_close(struct catalog *catalog);

/* A batch: puts and deletes, applied together, later ones winning. */
struct catalog_batch *catalog_batch_new(void);
void catalog_batch_free(struct catalog_batch *batch);
void catalog_batch_clear(struct catalog_batch *batch);
void catalog_batch_put(struct catalog_batch *batch, struct text key, struct text value);
void catalog_batch_delete(struct catalog_batch *batch, struct text key);
size_t catalog_batch_count(const struct catalog_batch *batch);
/* For engines: each operation in order. `value` is NULL for a delete. */
typedef void catalog_batch_visit(void *context, struct text key, const struct text *value);
void catalog_batch_each(const struct catalog_batch *batch, catalog_batch_visit *visit, void *context);

/* Bulk loading: keys strictly ascending, into a folder that no catalog has open. finish() leaves a
 * folder that catalog_rocksdb_open() opens, compacted as loaded. */
struct catalog_loader;
enum error_code catalog_loader_new(const char *path, struct catalog_loader **ret_loader,
                                   struct error *error) AV_MUST_USE;
enum error_code catalog_loader_put(struct catalog_loader *loader, struct text key, struct text value,
                                   struct error *error) AV_MUST_USE;
enum error_code catalog_loader_finish(struct catalog_loader *loader, struct error *error) AV_MUST_USE;
void catalog_loader_free(struct catalog_loader *loader); /* unfinished: removes what it made */

#endif
