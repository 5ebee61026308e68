/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct record_cache: items as crosswalks made them, by a key that changes with the item. What is stale is never asked for
 * again, and goes when room is needed. Bounded in bytes. Life: _new() - _get(), _put() - _free(). Threads: any.
 */
#ifndef ARCHIVOLT_REPOSITORY_RECORD_CACHE_H
#define ARCHIVOLT_REPOSITORY_RECORD_CACHE_H

#include "base/buffer.h"

#define RECORD_CACHE_ENTRY_MAXIMUM 65536u /* bytes; larger records are made each time */

struct record_cache;

struct record_cache *record_cache_new(size_t limit_bytes); /* 0: keeps nothing */
void record_cache_free(struct record_cache *cache);        /* NULL is fine */
/* Appends the record. False: it is not there. */
bool record_cache_get(struct record_cache *cache, struct text key, struct buffer *buffer);
void record_cache_put(struct record_cache *cache, struct text key, struct text record);
size_t record_cache_bytes(struct record_cache *cache); /* of all keys and records now */

#endif
