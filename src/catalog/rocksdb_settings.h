/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of the RocksDB catalog, used alike to serve it and to load it: the tables that the
 * loader writes must be those that the server would have written. Threads: one.
 */
#ifndef ARCHIVOLT_CATALOG_ROCKSDB_SETTINGS_H
#define ARCHIVOLT_CATALOG_ROCKSDB_SETTINGS_H

#include "base/error.h"

#include <rocksdb/c.h>
#include <stdint.h>

struct catalog_rocksdb_options;

/* Owned by the caller: destroy the options before the cache. */
struct rocksdb_settings {
    rocksdb_options_t *options;
    rocksdb_cache_t *cache;
};

void rocksdb_settings_init(struct rocksdb_settings *settings,
                           const struct catalog_rocksdb_options *wanted);
void rocksdb_settings_release(struct rocksdb_settings *settings);
/* Takes and frees RocksDB's message; NULL is success. FULL, CORRUPT, BUSY (its lock), NOT_FOUND,
 * else IO. */
enum error_code rocksdb_failure(char *message, struct error *error, const char *doing) AV_MUST_USE;

#endif
