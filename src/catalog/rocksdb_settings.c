/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of the RocksDB catalog. Those that correctness hangs on come first and are asserted:
 * one column family, no unordered or pipelined writes, one memtable to merge. With the log of
 * RocksDB off, they make what is found after a crash an exact prefix of the batches. The rest is
 * sized for a server of 512 MiB on two cores.
 */
#include "catalog/rocksdb_settings.h"

#include "base/ensure.h"
#include "catalog/catalog.h"

static const uint64_t default_cache_bytes = 256u << 20;
static const uint64_t default_memtable_bytes = 32u << 20;
/* Index and filters live in the block cache, so an open file costs its descriptor and little more.
 */
enum { MEMTABLES = 3, OPEN_FILES = 1000, BLOCK_BYTES = 4096, BACKGROUND_JOBS = 2 };

static void
set_tables(rocksdb_options_t *options, rocksdb_cache_t *cache)
{
    rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
    rocksdb_block_based_options_set_block_cache(table, cache);
    rocksdb_block_based_options_set_block_size(table, BLOCK_BYTES);
    rocksdb_block_based_options_set_format_version(table, 5);
    rocksdb_block_based_options_set_filter_policy(table,
                                                  rocksdb_filterpolicy_create_bloom_full(10));
    rocksdb_block_based_options_set_whole_key_filtering(table, 1);
    rocksdb_block_based_options_set_index_type(
        table, rocksdb_block_based_table_index_type_two_level_index_search);
    rocksdb_block_based_options_set_partition_filters(table, 1);
    rocksdb_block_based_options_set_metadata_block_size(table, BLOCK_BYTES);
    rocksdb_block_based_options_set_cache_index_and_filter_blocks(table, 1);
    rocksdb_block_based_options_set_cache_index_and_filter_blocks_with_high_priority(table, 1);
    rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(table, 1);
    rocksdb_block_based_options_set_pin_top_level_index_and_filter(table, 1);
    rocksdb_options_set_block_based_table_factory(options, table);
    rocksdb_block_based_options_destroy(table);
}

static void
set_levels(rocksdb_options_t *options)
{
    rocksdb_options_set_level_compaction_dynamic_level_bytes(options, 1);
    rocksdb_options_set_level0_file_num_compaction_trigger(options, 4);
    rocksdb_options_set_level0_slowdown_writes_trigger(options, 20);
    rocksdb_options_set_level0_stop_writes_trigger(options, 36);
    rocksdb_options_set_target_file_size_base(options, 64u << 20);
    rocksdb_options_set_max_bytes_for_level_base(options, 256u << 20);
    rocksdb_options_set_max_background_jobs(options, BACKGROUND_JOBS);
    rocksdb_options_set_compression(options, rocksdb_lz4_compression);
    rocksdb_options_set_bottommost_compression(options, rocksdb_zstd_compression);
    /* window bits and strategy: zstd's own; level 1; no dictionary */
    rocksdb_options_set_bottommost_compression_options(options, -14, 1, 0, 0, 1);
}

static void
set_memtables(rocksdb_options_t *options, uint64_t bytes)
{
    rocksdb_options_set_write_buffer_size(options, bytes);
    rocksdb_options_set_max_write_buffer_number(options, MEMTABLES);
    rocksdb_options_set_allow_concurrent_memtable_write(options, 0); /* there is one writer */
    /* Most keys that the committer asks for are not there: a filter before each memtable. */
    rocksdb_options_set_memtable_prefix_bloom_size_ratio(options, 0.05);
    rocksdb_options_set_memtable_whole_key_filtering(options, 1);
}

static void
set_housekeeping(rocksdb_options_t *options)
{
    rocksdb_options_set_max_open_files(options, OPEN_FILES);
    rocksdb_options_set_bytes_per_sync(options, 1u << 20);
    rocksdb_options_set_info_log_level(options, 2 /* warnings */);
    rocksdb_options_set_max_log_file_size(options, 1u << 20);
    rocksdb_options_set_keep_log_file_num(options, 2);
    rocksdb_options_set_stats_dump_period_sec(options, 0);
    rocksdb_options_set_stats_persist_period_sec(options, 0);
    rocksdb_options_set_max_manifest_file_size(options, 16u << 20);
    rocksdb_options_set_manifest_preallocation_size(options, 64u << 10);
    rocksdb_options_set_skip_stats_update_on_db_open(options, 1); /* start in constant time */
}

static void
set_what_crashes_need(rocksdb_options_t *options)
{
    rocksdb_options_set_unordered_write(options, 0);
    rocksdb_options_set_enable_pipelined_write(options, 0);
    rocksdb_options_set_min_write_buffer_number_to_merge(options, 1);
    rocksdb_options_set_inplace_update_support(options, 0);
    rocksdb_options_set_paranoid_checks(options, 1);
}

static void
ensure_what_crashes_need(rocksdb_options_t *options)
{
    ensure(rocksdb_options_get_unordered_write(options) == 0);
    ensure(rocksdb_options_get_enable_pipelined_write(options) == 0);
    ensure(rocksdb_options_get_min_write_buffer_number_to_merge(options) == 1);
    ensure(rocksdb_options_get_inplace_update_support(options) == 0);
    ensure(rocksdb_options_get_paranoid_checks(options) == 1);
}

void
rocksdb_settings_init(struct rocksdb_settings *settings,
                      const struct catalog_rocksdb_options *wanted)
{
    uint64_t cache = wanted->cache_bytes != 0 ? wanted->cache_bytes : default_cache_bytes;
    uint64_t memtable =
        wanted->memtable_bytes != 0 ? wanted->memtable_bytes : default_memtable_bytes;
    settings->cache = rocksdb_cache_create_lru(cache);
    settings->options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(settings->options, !wanted->read_only);
    set_tables(settings->options, settings->cache);
    set_levels(settings->options);
    set_memtables(settings->options, memtable);
    set_housekeeping(settings->options);
    set_what_crashes_need(settings->options);
    ensure_what_crashes_need(settings->options);
}

void
rocksdb_settings_release(struct rocksdb_settings *settings)
{
    rocksdb_options_destroy(settings->options);
    rocksdb_cache_destroy(settings->cache);
    *settings = (struct rocksdb_settings){0};
}

/* RocksDB tells its failures as text only. The first line that is found in it decides. */
static const struct {
    const char *words;
    enum error_code code;
} failure_words[] = {
    {"Corruption", ERROR_CORRUPT},
    {"No space left", ERROR_FULL},
    {"Disk quota exceeded", ERROR_FULL},
    {"While lock file", ERROR_BUSY},
    {"lock hold by current process", ERROR_BUSY},
    {"does not exist", ERROR_NOT_FOUND},
};

enum error_code
rocksdb_failure(char *message, struct error *error, const char *doing)
{
    enum error_code code = ERROR_IO;
    if (message == NULL)
        return ERROR_NONE;
    for (size_t i = 0; i < sizeof failure_words / sizeof *failure_words; i++) {
        if (strstr(message, failure_words[i].words) == NULL)
            continue;
        code = failure_words[i].code;
        break;
    }
    error_set(error, code, "%s: %s", doing, message);
    rocksdb_free(message);
    return code;
}
