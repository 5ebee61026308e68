/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded engine: one column family of RocksDB, its own log off in every write (the journal of
 * the volumes is what makes things durable). What an unclean end loses is a suffix of the batches.
 *
 * RocksDB does not tell C of failures in the background: the count of them is looked at before each
 * write, and from the first one on every write fails, since what has been written since may never
 * reach the disk and a hole would be worse than a standstill.
 */
#include "catalog/catalog_private.h"

#include "base/ensure.h"
#include "catalog/rocksdb_settings.h"

struct rocksdb_catalog {
    struct catalog catalog;
    rocksdb_t *db;
    struct rocksdb_settings settings;
    rocksdb_readoptions_t *newest; /* reads the newest state; shared, never changed */
    rocksdb_writeoptions_t *write_options;
    rocksdb_flushoptions_t *flush_options;
    bool read_only;
};

struct catalog_snapshot {
    const rocksdb_snapshot_t *snapshot;
    rocksdb_readoptions_t *options;
};

struct rocksdb_scan {
    struct catalog_scan scan;
    rocksdb_readoptions_t *options;
    rocksdb_iterator_t *iterator;
    struct buffer from, to; /* RocksDB borrows the bounds while the iterator lives */
    bool backward;
    bool begun;
};

static struct rocksdb_catalog *
rocksdb_catalog(struct catalog *catalog)
{
    return (struct rocksdb_catalog *)catalog;
}

/* RocksDB counts each comparison for each thread unless the thread says no. */
static void
stop_counting(void)
{
    static _Thread_local bool stopped;
    if (!stopped)
        rocksdb_set_perf_level(rocksdb_disable);
    stopped = true;
}

static enum error_code
engine_get(struct catalog *catalog, struct catalog_snapshot *snapshot, struct text key,
           struct buffer *ret_value, struct error *error)
{
    struct rocksdb_catalog *self = rocksdb_catalog(catalog);
    char *message = NULL;
    stop_counting();
    rocksdb_pinnableslice_t *pinned =
        rocksdb_get_pinned(self->db, snapshot == NULL ? self->newest : snapshot->options, key.data,
                           key.length, &message);
    if (message != NULL)
        return rocksdb_failure(message, error, "cannot read from the catalog");
    if (pinned == NULL)
        return error_set(error, ERROR_NOT_FOUND, "no such key in the catalog");
    size_t length;
    const char *value = rocksdb_pinnableslice_value(pinned, &length);
    buffer_clear(ret_value);
    buffer_append(ret_value, value, length);
    rocksdb_pinnableslice_destroy(pinned);
    return buffer_status(ret_value, error);
}

static enum error_code
engine_scan_open(struct catalog *catalog, struct catalog_snapshot *snapshot,
                 const struct catalog_scan_range *range, struct catalog_scan **ret_scan,
                 struct error *error)
{
    struct rocksdb_catalog *self = rocksdb_catalog(catalog);
    struct rocksdb_scan *scan = calloc(1, sizeof *scan);
    (void)error;
    ensure(scan != NULL);
    stop_counting();
    scan->scan.catalog = catalog;
    scan->backward = range->backward;
    scan->options = rocksdb_readoptions_create();
    if (snapshot != NULL)
        rocksdb_readoptions_set_snapshot(scan->options, snapshot->snapshot);
    if (range->from.length > 0) {
        buffer_append_text(&scan->from, range->from);
        rocksdb_readoptions_set_iterate_lower_bound(scan->options, scan->from.data,
                                                    scan->from.length);
    }
    if (range->to.length > 0) {
        buffer_append_text(&scan->to, range->to);
        rocksdb_readoptions_set_iterate_upper_bound(scan->options, scan->to.data, scan->to.length);
    }
    scan->iterator = rocksdb_create_iterator(self->db, scan->options);
    *ret_scan = &scan->scan;
    return ERROR_NONE;
}

static void
step(struct rocksdb_scan *scan)
{
    if (scan->begun && scan->backward)
        rocksdb_iter_prev(scan->iterator);
    else if (scan->begun)
        rocksdb_iter_next(scan->iterator);
    else if (scan->backward)
        rocksdb_iter_seek_to_last(scan->iterator); /* of the range: the bound is honoured */
    else
        rocksdb_iter_seek_to_first(scan->iterator);
    scan->begun = true;
}

static bool
engine_scan_next(struct catalog_scan *scan, struct text *ret_key, struct text *ret_value)
{
    struct rocksdb_scan *self = (struct rocksdb_scan *)scan;
    if (self->begun && !rocksdb_iter_valid(self->iterator))
        return false;
    step(self);
    if (!rocksdb_iter_valid(self->iterator))
        return false;
    ret_key->data = rocksdb_iter_key(self->iterator, &ret_key->length);
    ret_value->data = rocksdb_iter_value(self->iterator, &ret_value->length);
    return true;
}

static enum error_code
engine_scan_close(struct catalog_scan *scan, struct error *error)
{
    struct rocksdb_scan *self = (struct rocksdb_scan *)scan;
    char *message = NULL;
    rocksdb_iter_get_error(self->iterator, &message);
    rocksdb_iter_destroy(self->iterator);
    rocksdb_readoptions_destroy(self->options);
    buffer_release(&self->from);
    buffer_release(&self->to);
    free(self);
    return rocksdb_failure(message, error, "cannot scan the catalog");
}

static void
add_to_write(void *context, struct text key, const struct text *value)
{
    rocksdb_writebatch_t *write = context;
    if (value == NULL)
        rocksdb_writebatch_delete(write, key.data, key.length);
    else
        rocksdb_writebatch_put(write, key.data, key.length, value->data, value->length);
}

static enum error_code
background_failure(struct rocksdb_catalog *self, struct error *error)
{
    uint64_t failures = 0;
    if (rocksdb_property_int(self->db, "rocksdb.background-errors", &failures) == 0 && failures > 0)
        return error_set(error, ERROR_IO,
                         "the catalog failed in the background %llu times: no write is taken until "
                         "the next start",
                         (unsigned long long)failures);
    return ERROR_NONE;
}

static enum error_code
engine_write(struct catalog *catalog, const struct catalog_batch *batch, struct error *error)
{
    struct rocksdb_catalog *self = rocksdb_catalog(catalog);
    char *message = NULL;
    if (self->read_only)
        return error_set(error, ERROR_CLOSED, "the catalog is open for reading only");
    enum error_code code = background_failure(self, error);
    if (code != ERROR_NONE)
        return code;
    stop_counting();
    rocksdb_writebatch_t *write = rocksdb_writebatch_create();
    catalog_batch_each(batch, add_to_write, write);
    rocksdb_write(self->db, self->write_options, write, &message);
    rocksdb_writebatch_destroy(write);
    return rocksdb_failure(message, error, "cannot write to the catalog");
}

static enum error_code
engine_snapshot_take(struct catalog *catalog, struct catalog_snapshot **ret_snapshot,
                     struct error *error)
{
    struct rocksdb_catalog *self = rocksdb_catalog(catalog);
    struct catalog_snapshot *snapshot = calloc(1, sizeof *snapshot);
    (void)error;
    ensure(snapshot != NULL);
    snapshot->snapshot = rocksdb_create_snapshot(self->db);
    snapshot->options = rocksdb_readoptions_create();
    rocksdb_readoptions_set_snapshot(snapshot->options, snapshot->snapshot);
    *ret_snapshot = snapshot;
    return ERROR_NONE;
}

static void
engine_snapshot_release(struct catalog *catalog, struct catalog_snapshot *snapshot)
{
    rocksdb_readoptions_destroy(snapshot->options);
    rocksdb_release_snapshot(rocksdb_catalog(catalog)->db, snapshot->snapshot);
    free(snapshot);
}

static enum error_code
engine_flush(struct catalog *catalog, struct error *error)
{
    struct rocksdb_catalog *self = rocksdb_catalog(catalog);
    char *message = NULL;
    if (self->read_only)
        return ERROR_NONE;
    rocksdb_flush(self->db, self->flush_options, &message);
    return rocksdb_failure(message, error, "cannot flush the catalog");
}

/* X(name in our JSON, RocksDB's property): whole numbers all. */
#define PROPERTIES(X)                                                          \
    X("table_bytes", "rocksdb.total-sst-files-size")                           \
    X("live_table_bytes", "rocksdb.live-sst-files-size")                       \
    X("live_data_bytes", "rocksdb.estimate-live-data-size")                    \
    X("keys_estimate", "rocksdb.estimate-num-keys")                            \
    X("memtable_bytes", "rocksdb.cur-size-all-mem-tables")                     \
    X("memtables_waiting", "rocksdb.num-immutable-mem-table")                  \
    X("table_reader_bytes", "rocksdb.estimate-table-readers-mem")              \
    X("cache_capacity_bytes", "rocksdb.block-cache-capacity")                  \
    X("cache_bytes", "rocksdb.block-cache-usage")                              \
    X("cache_pinned_bytes", "rocksdb.block-cache-pinned-usage")                \
    X("level0_files", "rocksdb.num-files-at-level0")                           \
    X("compaction_pending_bytes", "rocksdb.estimate-pending-compaction-bytes") \
    X("compactions_running", "rocksdb.num-running-compactions")                \
    X("flushes_running", "rocksdb.num-running-flushes")                        \
    X("delayed_write_rate_bytes", "rocksdb.actual-delayed-write-rate")         \
    X("writes_stopped", "rocksdb.is-write-stopped")                            \
    X("snapshots", "rocksdb.num-snapshots")                                    \
    X("background_errors", "rocksdb.background-errors")

static const struct {
    const char *name;
    const char *property;
} properties[] = {
#define X(json_name, rocksdb_name) {json_name, rocksdb_name},
    PROPERTIES(X)
#undef X
};

/* Some are told as text only. False when there is no such number. */
static bool
read_property(rocksdb_t *db, const char *property, uint64_t *ret_value)
{
    if (rocksdb_property_int(db, property, ret_value) == 0)
        return true;
    char *text = rocksdb_property_value(db, property);
    bool good = text != NULL && text_to_u64(text_from(text), ret_value);
    rocksdb_free(text);
    return good;
}

static void
engine_properties(struct catalog *catalog, struct buffer *ret_json)
{
    struct rocksdb_catalog *self = rocksdb_catalog(catalog);
    buffer_append_string(ret_json, "{\"engine\":\"rocksdb\"");
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        uint64_t value;
        if (read_property(self->db, properties[i].property, &value))
            buffer_printf(ret_json, ",\"%s\":%llu", properties[i].name, (unsigned long long)value);
    }
    buffer_append_char(ret_json, '}');
}

static void
release_all(struct rocksdb_catalog *self)
{
    if (self->db != NULL)
        rocksdb_close(self->db);
    rocksdb_flushoptions_destroy(self->flush_options);
    rocksdb_writeoptions_destroy(self->write_options);
    rocksdb_readoptions_destroy(self->newest);
    rocksdb_settings_release(&self->settings);
    free(self);
}

static void
engine_close(struct catalog *catalog)
{
    /* A flush that fails loses nothing: the journal is replayed from the position that is there. */
    if (engine_flush(catalog, NULL) != ERROR_NONE) {
    }
    release_all(rocksdb_catalog(catalog));
}

static const struct catalog_operations rocksdb_operations = {
    .name = "rocksdb",
    .get = engine_get,
    .scan_open = engine_scan_open,
    .scan_next = engine_scan_next,
    .scan_close = engine_scan_close,
    .write = engine_write,
    .snapshot_take = engine_snapshot_take,
    .snapshot_release = engine_snapshot_release,
    .flush = engine_flush,
    .properties = engine_properties,
    .close = engine_close,
};

enum error_code
catalog_rocksdb_open(const struct catalog_rocksdb_options *options, struct catalog **ret_catalog,
                     struct error *error)
{
    struct rocksdb_catalog *self = calloc(1, sizeof *self);
    char *message = NULL;
    ensure(self != NULL);
    self->catalog.operations = &rocksdb_operations;
    self->read_only = options->read_only;
    rocksdb_settings_init(&self->settings, options);
    self->newest = rocksdb_readoptions_create();
    self->write_options = rocksdb_writeoptions_create();
    rocksdb_writeoptions_disable_WAL(self->write_options, 1);
    self->flush_options = rocksdb_flushoptions_create();
    rocksdb_flushoptions_set_wait(self->flush_options, 1);
    self->db = options->read_only
                   ? rocksdb_open_for_read_only(self->settings.options, options->path, 0, &message)
                   : rocksdb_open(self->settings.options, options->path, &message);
    enum error_code code = rocksdb_failure(message, error, "cannot open the catalog");
    if (code != ERROR_NONE) {
        release_all(self);
        return code;
    }
    *ret_catalog = &self->catalog;
    return ERROR_NONE;
}
