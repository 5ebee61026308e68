/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contents that arrive one after the other and belong together lie one behind the other in one bulk volume:
 *
 *     committed | part | part | part being written
 *
 *     LIVE --content_free()--> FREE        LIVE --group_prepare()--> COMMITTING --group_publish()--> COMMITTED
 *
 * Until the first of them is committed its place is zeros, so that a reader of the volume sees its end there. When one is committed, all
 * before it must be entries: those that are not committed with it become void entries, as purged ones do. Only the last parts can be cut
 * away.
 *
 * Invariants:
 *   1. Parts are ascending and touch each other; the last one ends at `end`, the first begins where the volume's committed bytes ended
 *      when the batch took it.
 *   2. No part before `committed_end` is taken off the list.
 */
#include "volume/store_private.h"

enum part_state { PART_LIVE, PART_FREE, PART_COMMITTING, PART_COMMITTED, PART_VOID };

struct part {
    uint64_t preamble, end;
    enum part_state state;
};

struct content_batch {
    struct store *store;
    struct volume *volume; /* NULL until one of them needs it */
    uint64_t end, committed_end, committing_end;
    bool writing; /* the last part is not finished */
    bool spoilt;  /* it could not be cut: bytes of what was given up may lie behind `end` */
    size_t references;
    struct content_batch *successor; /* once `volume` is full; holds a reference */
    struct part *parts;
    size_t count, capacity;
    size_t filled; /* so many parts have been looked at for holes */
};

enum error_code
content_batch_new(struct store *store, struct content_batch **ret_batch, struct error *error)
{
    struct content_batch *batch = calloc(1, sizeof *batch);
    if (batch == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for uploads");
    batch->store = store;
    batch->references = 1;
    *ret_batch = batch;
    return ERROR_NONE;
}

void
batch__hold(struct content_batch *batch)
{
    lock_take(&batch->store->lock);
    batch->references++;
    lock_give(&batch->store->lock);
}

void
batch__release(struct content_batch *batch)
{
    struct store *store = batch->store;
    lock_take(&store->lock);
    bool last = --batch->references == 0;
    lock_give(&store->lock);
    if (!last)
        return;
    if (batch->volume != NULL && batch->spoilt)
        bulk__retire(store, batch->volume);
    else if (batch->volume != NULL)
        bulk__give(store, batch->volume, batch->committed_end);
    if (batch->successor != NULL)
        batch__release(batch->successor);
    free(batch->parts);
    free(batch);
}

void
content_batch_free(struct content_batch *batch)
{
    if (batch != NULL)
        batch__release(batch);
}

/* ---- parts ---- */

static void
add_part(struct content_batch *batch)
{
    if (batch->count == batch->capacity) {
        batch->capacity = batch->capacity == 0 ? 16 : batch->capacity * 2;
        batch->parts = realloc(batch->parts, batch->capacity * sizeof *batch->parts);
        ensure(batch->parts != NULL);
    }
    batch->parts[batch->count++] = (struct part){batch->end, batch->end, PART_LIVE};
}

/* The reference goes over to the batch of the first volume that takes more. */
static enum error_code
find_room(struct content_batch **batch, struct error *error)
{
    struct content_batch *at = *batch;
    while (at->volume != NULL && (at->spoilt || at->end >= at->store->options.volume_size_bytes)) {
        enum error_code code = at->successor != NULL ? ERROR_NONE : content_batch_new(at->store, &at->successor, error);
        if (code != ERROR_NONE)
            return code;
        at = at->successor;
    }
    if (at == *batch)
        return ERROR_NONE;
    batch__hold(at);
    batch__release(*batch);
    *batch = at;
    return ERROR_NONE;
}

enum error_code
batch__enter(struct content_batch **batch_of_content, struct volume **ret_volume, uint64_t *ret_preamble, struct error *error)
{
    enum error_code found = find_room(batch_of_content, error);
    if (found != ERROR_NONE)
        return found;
    struct content_batch *batch = *batch_of_content;
    struct store *store = batch->store;
    *ret_volume = NULL;
    if (batch->writing)
        return ERROR_NONE;
    if (batch->volume == NULL) {
        enum error_code code = bulk__take(store, &batch->volume, error);
        if (code != ERROR_NONE)
            return code;
        batch->end = batch->volume->size_bytes;
    }
    lock_take(&store->lock);
    add_part(batch);
    batch->writing = true;
    lock_give(&store->lock);
    *ret_preamble = batch->end;
    *ret_volume = batch->volume;
    return ERROR_NONE;
}

void
batch__finish_part(struct content_batch *batch, uint64_t end)
{
    lock_take(&batch->store->lock);
    ensure(batch->writing && batch->count > 0);
    batch->parts[batch->count - 1].end = batch->end = end;
    batch->writing = false;
    lock_give(&batch->store->lock);
}

static struct part *
part_at_locked(struct content_batch *batch, uint64_t preamble)
{
    size_t low = 0, high = batch->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (batch->parts[middle].preamble < preamble)
            low = middle + 1;
        else
            high = middle;
    }
    ensure(low < batch->count && batch->parts[low].preamble == preamble);
    return &batch->parts[low];
}

void
batch__drop_part(struct content_batch *batch, uint64_t preamble)
{
    struct store *store = batch->store;
    struct error ignored = {0};
    lock_take(&store->lock);
    struct part *part = part_at_locked(batch, preamble);
    if (part == &batch->parts[batch->count - 1])
        batch->writing = false;
    part->state = PART_FREE;
    batch->filled = 0;
    uint64_t before = batch->end;
    while (batch->count > 0 && batch->parts[batch->count - 1].state == PART_FREE &&
           batch->parts[batch->count - 1].preamble >= batch->committed_end)
        batch->end = batch->parts[--batch->count].preamble;
    uint64_t end = batch->end;
    bool cut = end < before || end == preamble;
    lock_give(&store->lock);
    if (cut && (store_state(store, NULL) == STORE_FAILED ||
                store->device->operations->truncate(batch->volume->file, end, &ignored) != ERROR_NONE))
        batch->spoilt = true; /* what stays is cut at the next opening: it begins where an upload does */
}

/* Left behind, now or by the group that is on its way to the disk. */
bool
batch__is_void(struct content_batch *batch, uint64_t preamble)
{
    lock_take(&batch->store->lock);
    const struct part *part = part_at_locked(batch, preamble);
    bool is_void = part->state == PART_VOID || (part->state == PART_LIVE && preamble < batch->committing_end);
    lock_give(&batch->store->lock);
    return is_void;
}

/* ---- at a commit ---- */

void
batch__committing(struct content_batch *batch, uint64_t preamble)
{
    lock_take(&batch->store->lock);
    struct part *part = part_at_locked(batch, preamble);
    part->state = PART_COMMITTING;
    if (part->end > batch->committing_end)
        batch->committing_end = part->end;
    lock_give(&batch->store->lock);
}

/* The index behind the last part that this group commits. */
static size_t
last_committing(const struct content_batch *batch)
{
    size_t count = batch->count;
    while (count > 0 && batch->parts[count - 1].state != PART_COMMITTING)
        count--;
    return count;
}

enum error_code
batch__fill_holes(struct content_batch *batch, struct error *error)
{
    enum error_code code = ERROR_NONE;
    size_t count = last_committing(batch);
    for (size_t i = batch->filled; i < count && code == ERROR_NONE; i++) {
        struct part *part = &batch->parts[i];
        if (part->preamble < batch->committed_end || part->state == PART_COMMITTING || part->state == PART_VOID)
            continue;
        code = void__write(batch->store->device, batch->volume->file, batch->volume->number, part->preamble,
                           part->end - part->preamble, error);
        if (code == ERROR_NONE)
            part->state = PART_VOID;
    }
    if (code == ERROR_NONE && count > batch->filled)
        batch->filled = count;
    return code;
}

void
batch__committed(struct content_batch *batch, uint64_t preamble)
{
    lock_take(&batch->store->lock);
    struct part *part = part_at_locked(batch, preamble);
    part->state = PART_COMMITTED;
    if (part->end > batch->committed_end)
        batch->committed_end = part->end;
    if (batch->committed_end > batch->volume->size_bytes)
        batch->volume->size_bytes = batch->committed_end;
    lock_give(&batch->store->lock);
    batch__release(batch);
}
