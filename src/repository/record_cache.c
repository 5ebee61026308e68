/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made records in memory: see record_cache.h. One place for each hash; a hand goes round and clears places when the bytes
 * would pass the limit, so that a harvest of everything costs no list of who was used last.
 *
 * Invariant: `bytes` is the sum of all places, and at most the limit.
 */
#include "repository/record_cache.h"

#include "base/ensure.h"
#include "base/lock.h"

#define PLACE_BYTES 2048u /* of the limit for each place: about the size of a record */

struct place {
    char *data; /* key, then record; NULL: free */
    size_t key_length, length;
};

struct record_cache {
    struct lock lock;
    size_t limit_bytes, bytes;
    size_t place_count, hand;
    struct place *places;
};

struct record_cache *
record_cache_new(size_t limit_bytes)
{
    struct record_cache *cache = calloc(1, sizeof *cache);
    ensure(cache != NULL);
    lock_init(&cache->lock, LOCK_RANK_LEAF);
    cache->limit_bytes = limit_bytes;
    cache->place_count = limit_bytes / PLACE_BYTES + 1;
    cache->places = calloc(cache->place_count, sizeof *cache->places);
    ensure(cache->places != NULL);
    return cache;
}

static void
clear(struct record_cache *cache, struct place *place)
{
    cache->bytes -= place->length;
    free(place->data);
    *place = (struct place){0};
}

void
record_cache_free(struct record_cache *cache)
{
    if (cache == NULL)
        return;
    for (size_t i = 0; i < cache->place_count; i++)
        clear(cache, &cache->places[i]);
    lock_release(&cache->lock);
    free(cache->places);
    free(cache);
}

static struct place *
place_of(struct record_cache *cache, struct text key)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (size_t i = 0; i < key.length; i++)
        hash = (hash ^ (unsigned char)key.data[i]) * UINT64_C(1099511628211);
    return &cache->places[(hash ^ hash >> 32) % cache->place_count];
}

bool
record_cache_get(struct record_cache *cache, struct text key, struct buffer *buffer)
{
    lock_take(&cache->lock);
    const struct place *place = place_of(cache, key);
    bool found = place->data != NULL && text_equal(text_of(place->data, place->key_length), key);
    if (found)
        buffer_append(buffer, place->data + place->key_length, place->length - place->key_length);
    lock_give(&cache->lock);
    return found;
}

static void
make_room_locked(struct record_cache *cache, size_t length)
{
    while (cache->bytes + length > cache->limit_bytes) {
        clear(cache, &cache->places[cache->hand]);
        cache->hand = (cache->hand + 1) % cache->place_count;
    }
}

void
record_cache_put(struct record_cache *cache, struct text key, struct text record)
{
    size_t length = key.length + record.length;
    if (length > RECORD_CACHE_ENTRY_MAXIMUM || length > cache->limit_bytes)
        return;
    char *data = malloc(length);
    if (data == NULL)
        return; /* it is made again */
    memcpy(data, key.data, key.length);
    memcpy(data + key.length, record.data, record.length);
    lock_take(&cache->lock);
    struct place *place = place_of(cache, key);
    clear(cache, place);
    make_room_locked(cache, length);
    *place = (struct place){data, key.length, length};
    cache->bytes += length;
    lock_give(&cache->lock);
}

size_t
record_cache_bytes(struct record_cache *cache)
{
    lock_take(&cache->lock);
    size_t bytes = cache->bytes;
    lock_give(&cache->lock);
    return bytes;
}
