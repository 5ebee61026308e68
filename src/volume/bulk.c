/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool of open bulk volumes: one for each large upload in flight.
 *
 *     idle --bulk__take()--> busy --bulk__give()--> idle | sealed (over volume_size)
 *
 * After opening, no upload may begin before store_set_bulk_lengths() said what is committed.
 */
#include "volume/store_private.h"

/* An idle volume, or NULL with a slot reserved for a new one. */
static enum error_code
take_slot(struct store *store, struct volume **ret_volume, struct error *error)
{
    enum error_code code = ERROR_NONE;
    lock_take(&store->lock);
    if (!store->bulk_ready)
        code = error_set(error, ERROR_BUSY, "uploads are not open yet");
    else if (store->bulk_busy >= store->options.bulk_open)
        code = error_set(error, ERROR_BUSY, "%u large uploads are in flight (bulk_open)",
                         store->bulk_busy);
    if (code == ERROR_NONE) {
        store->bulk_busy++;
        *ret_volume = store->bulk_idle;
        if (store->bulk_idle != NULL) {
            store->bulk_idle = store->bulk_idle->next_idle;
            (*ret_volume)->next_idle = NULL;
            (*ret_volume)->busy = true;
        }
    }
    lock_give(&store->lock);
    return code;
}

enum error_code
bulk__take(struct store *store, struct volume **ret_volume, struct error *error)
{
    struct volume *volume = NULL;
    enum error_code code = take_slot(store, &volume, error);
    if (code != ERROR_NONE || volume != NULL) {
        *ret_volume = volume;
        return code;
    }
    code = volume__create(store, true, &volume, error);
    lock_take(&store->lock);
    if (code != ERROR_NONE)
        store->bulk_busy--;
    else
        volume->busy = true;
    lock_give(&store->lock);
    if (code == ERROR_NONE)
        *ret_volume = volume;
    return code;
}

/* Gives the volume back to the pool, or takes it out of use when it can no longer be written. */
static void
put_back(struct store *store, struct volume *volume, bool usable)
{
    lock_take(&store->lock);
    volume->busy = false;
    store->bulk_busy--;
    if (usable) {
        volume->next_idle = store->bulk_idle;
        store->bulk_idle = volume;
    }
    lock_give(&store->lock);
    if (!usable)
        volume__unpin(store, volume);
}

void
bulk__retire(struct store *store, struct volume *volume)
{
    put_back(store, volume, false);
}

void
bulk__give(struct store *store, struct volume *volume, uint64_t committed_end)
{
    struct error ignored = {0};
    bool usable = store_state(store, NULL) != STORE_FAILED;
    if (committed_end > 0) {
        lock_take(&store->lock);
        volume->size_bytes = committed_end;
        lock_give(&store->lock);
    } else if (usable) {
        /* What stays behind after a failed cut is cut when the store is opened next. */
        usable = store->device->operations->truncate(volume->file, volume->size_bytes, &ignored) ==
                 ERROR_NONE;
    }
    if (usable && volume->size_bytes >= store->options.volume_size_bytes) {
        /* Whether or not it could be sealed, it takes no more; opening seals it then. */
        enum error_code sealed = seal__bulk(store, volume, &ignored);
        (void)sealed;
        usable = false;
    }
    put_back(store, volume, usable);
}

/* ---- after opening ---- */

/* A volume whose end is committed content and two zero blocks is sealed; one that is damaged is
 * taken for sealed. An upload that came to nothing leaves zeros behind what is committed, or the
 * preamble that was to stand there. Anything else is committed content, moved by bytes put in
 * before it: to cut it would lose it. */
static enum error_code
is_sealed(struct volume *volume, uint64_t committed, uint64_t size, bool *ret_sealed,
          struct error *error)
{
    unsigned char end[END_BYTES] = {0};
    size_t length;
    *ret_sealed = volume->generation > 1 || committed > size;
    if (*ret_sealed || size == committed)
        return ERROR_NONE;
    enum error_code code = device_read(volume->file, committed, end, sizeof end, &length, error);
    if (code != ERROR_NONE)
        return code;
    if (tar_block_is_zero(end))
        *ret_sealed = size == committed + END_BYTES && tar_block_is_zero(end + TAR_BLOCK_SIZE);
    else
        *ret_sealed = !tar_block_begins_preamble(end);
    return ERROR_NONE;
}

/* Also where nothing is to be cut: the last process may have cut it without a sync, or with one that failed. */
static enum error_code
cut_to(struct store *store, struct volume *volume, uint64_t committed, uint64_t size,
       struct error *error)
{
    if (size < committed)
        return ERROR_NONE;
    enum error_code code = store->device->operations->truncate(volume->file, committed, error);
    return code != ERROR_NONE ? code : store__sync(store, volume->file, error);
}

static enum error_code
settle(struct store *store, struct volume *volume, uint64_t committed, struct error *error)
{
    struct volume *used = NULL;
    uint64_t size = 0;
    bool sealed = false;
    if (committed < HEAD_BYTES)
        committed = HEAD_BYTES;
    enum error_code code = volume__use(store, volume->number, &used, error);
    if (code == ERROR_NONE) {
        code = store__device_size(used->file, &size, error);
        if (code == ERROR_NONE)
            code = is_sealed(used, committed, size, &sealed, error);
        volume__end_use(store, used);
    }
    if (code == ERROR_CORRUPT || code == ERROR_INVALID || code == ERROR_NOT_FOUND) {
        sealed = true; /* damaged: never written again; whoever reads it is told */
        code = ERROR_NONE;
    }
    lock_take(&store->lock);
    volume->sealed = sealed;
    volume->size_bytes = sealed ? size : committed;
    lock_give(&store->lock);
    if (code != ERROR_NONE || sealed || store->options.read_only)
        return code;
    code = volume__pin(store, volume, error);
    if (code != ERROR_NONE)
        return code;
    code = cut_to(store, volume, committed, size, error);
    if (code == ERROR_NONE && committed == HEAD_BYTES)
        code = volume__renew(store, volume, error); /* a killed process may have made it */
    if (code == ERROR_NONE && committed >= store->options.volume_size_bytes)
        code = seal__bulk(store, volume, error);
    if (code != ERROR_NONE || volume->sealed) {
        volume__unpin(store, volume);
        return code;
    }
    lock_take(&store->lock);
    volume->next_idle = store->bulk_idle;
    store->bulk_idle = volume;
    lock_give(&store->lock);
    return ERROR_NONE;
}

static int
compare_lengths(const void *left, const void *right)
{
    const struct bulk_length *a = left, *b = right;
    return a->volume < b->volume ? -1 : a->volume > b->volume;
}

static uint64_t
length_of(const struct bulk_length *sorted, size_t count, uint64_t volume)
{
    struct bulk_length key = {volume, 0};
    const struct bulk_length *found =
        count == 0 ? NULL : bsearch(&key, sorted, count, sizeof key, compare_lengths);
    return found == NULL ? 0 : found->committed_bytes;
}

/* The bulk volumes now; malloc'ed. */
static struct volume **
bulk_volumes(struct store *store, size_t *ret_count)
{
    size_t count = 0;
    lock_take(&store->lock);
    struct volume **list = calloc(store->volume_count + 1, sizeof(void *));
    ensure(list != NULL);
    for (size_t i = 0; i < store->volume_count; i++) {
        if (store->volumes[i]->bulk)
            list[count++] = store->volumes[i];
    }
    lock_give(&store->lock);
    *ret_count = count;
    return list;
}

enum error_code
store_set_bulk_lengths(struct store *store, const struct bulk_length *lengths, size_t count,
                       struct error *error)
{
    size_t volumes;
    enum error_code code = ERROR_NONE;
    if (store->bulk_ready)
        return error_set(error, ERROR_CONFLICT, "the lengths of bulk volumes are set already");
    struct volume **list = bulk_volumes(store, &volumes);
    struct bulk_length *sorted = calloc(count + 1, sizeof *sorted);
    ensure(sorted != NULL);
    if (count > 0) {
        memcpy(sorted, lengths, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_lengths);
    }
    for (size_t i = 0; code == ERROR_NONE && i < volumes; i++)
        code = settle(store, list[i], length_of(sorted, count, list[i]->number), error);
    free(sorted);
    free(list);
    if (code != ERROR_NONE)
        return code;
    lock_take(&store->lock);
    store->bulk_ready = true;
    lock_give(&store->lock);
    return ERROR_NONE;
}
