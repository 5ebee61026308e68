/* SPDX-License-Identifier: Apache-2.0 */
/* Volumes as a whole: listing, sealing on demand, their SHA-256. */
#include "volume/store_private.h"

#include <time.h>

static struct volume_facts
facts_of(const struct volume *volume)
{
    struct volume_facts facts = {.number = volume->number,
                                 .bulk = volume->bulk,
                                 .sealed = volume->sealed,
                                 .generation = volume->generation,
                                 .size_bytes = volume->size_bytes};
    volume__file_name(volume, facts.name);
    return facts;
}

void
store_volumes(struct store *store, store_volume_function *visit, void *context)
{
    for (size_t i = 0;; i++) { /* the table only grows, and at its end (I1) */
        struct volume_facts facts = {0};
        lock_take(&store->lock);
        bool there = i < store->volume_count;
        if (there)
            facts = facts_of(store->volumes[i]);
        lock_give(&store->lock);
        if (!there || !visit(context, &facts))
            return;
    }
}

/* One after the other; an upload that begins meanwhile takes another volume. */
static enum error_code
seal_idle_bulk(struct store *store, struct error *error)
{
    enum error_code code = ERROR_NONE;
    lock_take(&store->lock);
    struct volume *idle = store->bulk_idle;
    store->bulk_idle = NULL;
    lock_give(&store->lock);
    while (idle != NULL) {
        struct volume *volume = idle;
        idle = volume->next_idle;
        volume->next_idle = NULL;
        bool empty = volume->size_bytes <= HEAD_BYTES;
        if (code == ERROR_NONE && !empty)
            code = seal__bulk(store, volume, error);
        if (volume->sealed) {
            volume__unpin(store, volume);
            continue;
        }
        lock_take(&store->lock);
        volume->next_idle = store->bulk_idle;
        store->bulk_idle = volume;
        lock_give(&store->lock);
    }
    return code;
}

enum error_code
store_seal(struct store *store, struct error *error)
{
    ensure(store__no_group(store));
    enum error_code code = store__may_write(store, error);
    if (code == ERROR_NONE && store->group_end > HEAD_BYTES)
        code = seal__roll(store, error);
    if (code == ERROR_NONE)
        code = seal_idle_bulk(store, error);
    return code;
}

void
store__keep_pace(uint64_t started_ns, uint64_t done_bytes, uint64_t bytes_per_second)
{
    if (bytes_per_second == 0)
        return;
    double due_ns = (double)done_bytes * 1e9 / (double)bytes_per_second;
    double early_ns = due_ns - (double)(clock_monotonic_ns() - started_ns);
    if (early_ns < 1e6)
        return;
    struct timespec pause = {(time_t)(early_ns / 1e9), 0};
    pause.tv_nsec = (long)(early_ns - (double)pause.tv_sec * 1e9);
    nanosleep(&pause, NULL);
}

struct file_hash {
    struct store *store;
    uint64_t number, at, size;
    unsigned generation; /* 0: before the first piece */
    struct digest_stream stream;
    char *chunk;
};

/* One piece; the volume is given back between pieces, so that a purge never waits long. */
static enum error_code
hash_piece(struct file_hash *hash, struct error *error)
{
    struct volume *volume = NULL;
    enum error_code code = volume__use(hash->store, hash->number, &volume, error);
    if (code != ERROR_NONE)
        return code;
    if (hash->generation == 0) {
        hash->generation = volume->generation;
        code = store__device_size(volume->file, &hash->size, error);
    }
    if (code == ERROR_NONE && (!volume->sealed || volume->generation != hash->generation))
        code =
            error_set(error, ERROR_CONFLICT, "volume %llu is not sealed, or was compacted just now",
                      (unsigned long long)hash->number);
    uint64_t left = hash->size - hash->at;
    size_t part = left < COPY_CHUNK_BYTES ? (size_t)left : COPY_CHUNK_BYTES;
    if (code == ERROR_NONE)
        code = device_read_exactly(volume->file, hash->at, hash->chunk, part, error);
    volume__end_use(hash->store, volume);
    if (code == ERROR_NONE) {
        digest_stream_update(&hash->stream, hash->chunk, part);
        hash->at += part;
    }
    return code;
}

enum error_code
store_volume_sha256(struct store *store, uint64_t number, uint64_t bytes_per_second,
                    unsigned char ret_digest[32], struct error *error)
{
    struct file_hash hash = {.store = store, .number = number, .chunk = malloc(COPY_CHUNK_BYTES)};
    uint64_t started = clock_monotonic_ns();
    enum error_code code = ERROR_NONE;
    ensure(hash.chunk != NULL);
    digest_stream_init(&hash.stream, DIGEST_SHA256);
    do {
        code = hash_piece(&hash, error);
        store__keep_pace(started, hash.at, bytes_per_second);
    } while (code == ERROR_NONE && hash.at < hash.size);
    if (code == ERROR_NONE)
        digest_stream_finish(&hash.stream, ret_digest);
    digest_stream_release(&hash.stream);
    free(hash.chunk);
    return code;
}
