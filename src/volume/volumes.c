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
    ensure(!store->group.open);
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

static enum error_code
hash_file(struct device_file *file, uint64_t bytes_per_second, unsigned char ret_digest[32],
          struct error *error)
{
    uint64_t size = 0, started = clock_monotonic_ns();
    struct digest_stream stream = {0};
    enum error_code code = store__device_size(file, &size, error);
    char *chunk = malloc(COPY_CHUNK_BYTES);
    ensure(chunk != NULL);
    digest_stream_init(&stream, DIGEST_SHA256);
    for (uint64_t at = 0; code == ERROR_NONE && at < size;) {
        size_t part = size - at < COPY_CHUNK_BYTES ? (size_t)(size - at) : COPY_CHUNK_BYTES;
        code = device_read_exactly(file, at, chunk, part, error);
        if (code == ERROR_NONE)
            digest_stream_update(&stream, chunk, part);
        at += part;
        store__keep_pace(started, at, bytes_per_second);
    }
    if (code == ERROR_NONE)
        digest_stream_finish(&stream, ret_digest);
    digest_stream_release(&stream);
    free(chunk);
    return code;
}

enum error_code
store_volume_sha256(struct store *store, uint64_t number, uint64_t bytes_per_second,
                    unsigned char ret_digest[32], struct error *error)
{
    struct volume *volume = NULL;
    enum error_code code = volume__use(store, number, &volume, error);
    if (code != ERROR_NONE)
        return code;
    if (!volume->sealed)
        code = error_set(error, ERROR_CONFLICT, "volume %llu is not sealed",
                         (unsigned long long)number);
    else
        code = hash_file(volume->file, bytes_per_second, ret_digest, error);
    volume__end_use(store, volume);
    return code;
}
