/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a sequence to the place of its journal entry: by the index at the end of a sealed volume,
 * read from disk; by an index in memory for the open log volume only. The latter begins with what
 * this process wrote or recovered, and is completed by a walk when somebody asks for earlier
 * groups.
 */
#include "volume/store_private.h"

static void
items_append(struct volume_index *index, struct fixed_line item)
{
    if (index->count == index->capacity) {
        index->capacity = index->capacity == 0 ? 256 : index->capacity * 2;
        index->items = reallocarray(index->items, index->capacity, sizeof *index->items);
        ensure(index->items != NULL);
    }
    index->items[index->count++] = item;
}

void
index__append(struct store *store, uint64_t sequence, uint64_t offset, uint64_t length)
{
    lock_take(&store->lock);
    items_append(&store->index, (struct fixed_line){sequence, offset, length});
    lock_give(&store->lock);
}

static bool
is_genuine(const struct volume *volume, const struct walk_entry *found, uint64_t sequence)
{
    struct journal_entry entry = {0};
    bool genuine = journal__read(volume->file, found->data, found->size, sequence, &entry, NULL) ==
                       ERROR_NONE &&
                   journal__belongs(&entry, volume);
    journal__entry_release(&entry);
    return genuine;
}

/* Lists the journal entries in [from the head, `end`) of a log volume. Damage is stepped over,
 * block by block: what is listed here is checked by whoever reads it. */
static enum error_code
list_groups(const struct volume *volume, uint64_t end, struct volume_index *found,
            struct error *error)
{
    struct walk walk;
    struct walk_entry entry;
    uint64_t sequence, last = 0;
    bool lost = false; /* a header is damaged: what looks like an entry may be inside content */
    enum error_code code = walk_init(&walk, volume->file, HEAD_BYTES, error);
    if (code == ERROR_NONE && walk.end > end)
        walk.end = end;
    while (code == ERROR_NONE && walk.at < walk.end) {
        code = walk_look(&walk, &entry, error);
        if (code == ERROR_CORRUPT || code == ERROR_NOT_FOUND) {
            walk.at += TAR_BLOCK_SIZE;
            code = ERROR_NONE;
            lost = true;
            continue;
        }
        if (code != ERROR_NONE)
            break;
        if (journal__parse_path(entry.path, &sequence) && sequence > last &&
            (!lost || is_genuine(volume, &entry, sequence))) {
            lost = false;
            items_append(found, (struct fixed_line){sequence, entry.data, entry.size});
            last = sequence;
        }
        walk.at = entry.next;
    }
    walk_release(&walk);
    return code;
}

enum error_code
index__complete(struct store *store, struct error *error)
{
    struct volume_index found = {0};
    struct volume *volume = NULL;
    lock_take(&store->lock);
    uint64_t number = store->index.whole || store->log == NULL ? 0 : store->log->number;
    uint64_t end = store->group_end;
    lock_give(&store->lock);
    if (number == 0)
        return ERROR_NONE;
    enum error_code code = volume__use(store, number, &volume, error);
    if (code != ERROR_NONE)
        return code;
    code = list_groups(volume, end, &found, error);
    volume__end_use(store, volume);
    lock_take(&store->lock);
    if (code == ERROR_NONE && store->log != NULL && store->log->number == number &&
        !store->index.whole) {
        uint64_t last = found.count == 0 ? 0 : found.items[found.count - 1].a;
        for (size_t i = 0; i < store->index.count; i++) {
            if (store->index.items[i].a > last)
                items_append(&found, store->index.items[i]);
        }
        free(store->index.items);
        store->index = found;
        store->index.whole = true;
        found.items = NULL;
    }
    lock_give(&store->lock);
    free(found.items);
    return code;
}

/* First item from `sequence` on; count when none. */
static size_t
items_search(const struct volume_index *index, uint64_t sequence)
{
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->items[middle].a < sequence)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- sealed volumes ---- */

/* Physical offsets of a compacted volume to those of its first generation: map lines ascend in
 * both. */
static enum error_code
unmap(const struct volume *volume, struct volume_index *listing, struct error *error)
{
    uint64_t line = 0;
    for (size_t i = 0; i < listing->count; i++) {
        struct fixed_line found = {0};
        while (line < volume->map.lines && found.b < listing->items[i].b) {
            enum error_code code =
                fixed_table_read(volume->file, &volume->map, line++, &found, error);
            if (code != ERROR_NONE)
                return code;
        }
        if (found.b == listing->items[i].b)
            listing->items[i].b = found.a;
    }
    return ERROR_NONE;
}

/* A sealed volume whose index is damaged is gone through once; the list is kept. */
static enum error_code
list_damaged(struct store *store, struct volume *volume, struct error *error)
{
    uint64_t size = 0;
    struct volume_index *listing = calloc(1, sizeof *listing);
    ensure(listing != NULL);
    enum error_code code = store__device_size(volume->file, &size, error);
    if (code == ERROR_NONE)
        code = list_groups(volume, size, listing, error);
    if (code == ERROR_NONE && volume->map.present)
        code = unmap(volume, listing, error);
    lock_take(&store->lock);
    if (code == ERROR_NONE && volume->listing == NULL) {
        volume->listing = listing;
        if (listing->count > 0) {
            volume->first_sequence = listing->items[0].a;
            volume->last_sequence = listing->items[listing->count - 1].a;
        }
        listing = NULL;
    }
    lock_give(&store->lock);
    if (listing != NULL)
        free(listing->items);
    free(listing);
    return code;
}

bool
index__distrust(struct store *store, uint64_t number)
{
    struct volume *volume = volume__find(store, number);
    lock_take(&store->lock);
    bool used = volume != NULL && volume->sealed && volume->index.present;
    if (used) {
        volume->index = (struct fixed_table){0};
        volume->first_sequence = volume->last_sequence = 0;
    }
    lock_give(&store->lock);
    return used;
}

/* Reads which groups a sealed log volume holds, once. */
static enum error_code
learn_range(struct store *store, struct volume *volume, struct error *error)
{
    struct fixed_line first = {0}, last = {0};
    enum error_code code = ERROR_NONE;
    if (volume->first_sequence != 0 || volume->listing != NULL)
        return ERROR_NONE;
    if (volume->index.present && volume->index.lines == 0)
        return ERROR_NONE;
    if (!volume->index.present)
        return list_damaged(store, volume, error);
    code = fixed_table_read(volume->file, &volume->index, 0, &first, error);
    if (code == ERROR_NONE)
        code =
            fixed_table_read(volume->file, &volume->index, volume->index.lines - 1, &last, error);
    if (code != ERROR_NONE && code != ERROR_CORRUPT)
        return code;
    /* Groups follow each other: an index that says otherwise is damaged, or stands for damage. */
    if (code != ERROR_NONE || first.a == 0 || last.a < first.a ||
        last.a - first.a != volume->index.lines - 1) {
        (void)index__distrust(store, volume->number);
        return list_damaged(store, volume, error);
    }
    lock_take(&store->lock);
    volume->first_sequence = first.a;
    volume->last_sequence = last.a;
    lock_give(&store->lock);
    return ERROR_NONE;
}

static enum error_code
range_of(struct store *store, struct volume *volume, uint64_t *ret_last, struct error *error)
{
    struct volume *used = NULL;
    lock_take(&store->lock);
    uint64_t last = volume->last_sequence, number = volume->number;
    lock_give(&store->lock);
    if (last == 0) {
        enum error_code code = volume__use(store, number, &used, error);
        if (code != ERROR_NONE)
            return code;
        code = learn_range(store, used, error);
        last = used->last_sequence;
        volume__end_use(store, used);
        if (code != ERROR_NONE)
            return code;
    }
    *ret_last = last;
    return ERROR_NONE;
}

/* The sealed log volumes now, ascending; malloc'ed. */
static struct volume **
sealed_logs(struct store *store, size_t *ret_count)
{
    size_t count = 0;
    lock_take(&store->lock);
    struct volume **list = calloc(store->volume_count + 1, sizeof(void *));
    ensure(list != NULL);
    for (size_t i = 0; i < store->volume_count; i++) {
        if (!store->volumes[i]->bulk && store->volumes[i]->sealed)
            list[count++] = store->volumes[i];
    }
    lock_give(&store->lock);
    *ret_count = count;
    return list;
}

/* The first sealed log volume whose last group is `sequence` or later: its slot, or `count`.
 * Volumes without an index sort as if they ended before everything, so the search looks to their
 * right. */
static enum error_code
search_sealed(struct store *store, struct volume **list, size_t count, uint64_t sequence,
              size_t *ret_slot, struct error *error)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t last = 0;
        size_t probe = middle;
        while (probe < high && last == 0) {
            enum error_code code = range_of(store, list[probe], &last, error);
            if (code != ERROR_NONE && code != ERROR_CORRUPT && code != ERROR_NOT_FOUND &&
                code != ERROR_INVALID)
                return code;
            if (last == 0)
                probe++;
        }
        if (last != 0 && last < sequence)
            low = probe + 1;
        else
            high = middle;
    }
    *ret_slot = low;
    return ERROR_NONE;
}

static enum error_code
find_in_listing(const struct volume *volume, uint64_t sequence, struct group_place *ret_place,
                struct error *error)
{
    size_t slot = volume->listing == NULL ? 0 : items_search(volume->listing, sequence);
    if (volume->listing == NULL || slot == volume->listing->count)
        return error_set(error, ERROR_NOT_FOUND, "no later group in the volume");
    const struct fixed_line *item = &volume->listing->items[slot];
    *ret_place = (struct group_place){item->a, volume->number, item->b, item->c};
    return ERROR_NONE;
}

static enum error_code
find_in_sealed(struct store *store, struct volume *volume, uint64_t sequence,
               struct group_place *ret_place, struct error *error)
{
    struct volume *used = NULL;
    struct fixed_line line = {0};
    uint64_t at = 0;
    enum error_code code = volume__use(store, volume->number, &used, error);
    if (code != ERROR_NONE)
        return code;
    code = learn_range(store, used, error);
    if (code == ERROR_NONE && !used->index.present) {
        code = find_in_listing(used, sequence, ret_place, error);
        volume__end_use(store, used);
        return code;
    }
    /* Groups follow each other without a gap in a sound volume. */
    if (code == ERROR_NONE && sequence > used->first_sequence &&
        sequence - used->first_sequence < used->index.lines) {
        at = sequence - used->first_sequence;
        code = fixed_table_read(used->file, &used->index, at, &line, error);
    }
    if (code == ERROR_NONE && line.a != sequence) {
        code = fixed_table_search(used->file, &used->index, sequence, &at, error);
        if (code == ERROR_NONE && at == used->index.lines)
            code = error_set(error, ERROR_NOT_FOUND, "no later group in the volume");
        if (code == ERROR_NONE)
            code = fixed_table_read(used->file, &used->index, at, &line, error);
    }
    if (code == ERROR_NONE)
        *ret_place = (struct group_place){line.a, used->number, line.b, line.c};
    volume__end_use(store, used);
    return code;
}

enum error_code
index__last(struct store *store, uint64_t number, struct fixed_line *ret_line, struct error *error)
{
    struct volume *used = NULL;
    struct group_place place;
    enum error_code code = volume__use(store, number, &used, error);
    if (code != ERROR_NONE)
        return code;
    code = learn_range(store, used, error);
    uint64_t last = used->last_sequence;
    volume__end_use(store, used);
    if (code == ERROR_NONE && last == 0)
        code = error_set(error, ERROR_NOT_FOUND, "volume %llu holds no group",
                         (unsigned long long)number);
    if (code == ERROR_NONE)
        code = find_in_sealed(store, used, last, &place, error);
    if (code == ERROR_NONE)
        *ret_line = (struct fixed_line){place.sequence, place.offset, place.length};
    return code;
}

/* Once a sequence is beyond all sealed volumes, or in a volume of them. */
static enum error_code
find_sealed(struct store *store, uint64_t sequence, struct group_place *ret_place,
            struct error *error)
{
    size_t count, slot = 0;
    struct volume **list = sealed_logs(store, &count);
    enum error_code code = search_sealed(store, list, count, sequence, &slot, error);
    if (code == ERROR_NONE) {
        code = ERROR_NOT_FOUND;
        for (; slot < count && code == ERROR_NOT_FOUND; slot++)
            code = find_in_sealed(store, list[slot], sequence, ret_place, error);
        if (code == ERROR_NOT_FOUND)
            code = error_set(error, ERROR_NOT_FOUND, "no such group in a sealed volume");
    }
    free(list);
    return code;
}

enum error_code
index__find_near(struct store *store, uint64_t sequence, uint64_t volume_hint,
                 struct group_place *ret_place, struct error *error)
{
    struct volume *hint = volume_hint == 0 ? NULL : volume__find(store, volume_hint);
    lock_take(&store->lock);
    bool usable = hint != NULL && hint->sealed && hint->index.present &&
                  hint->first_sequence <= sequence && sequence <= hint->last_sequence;
    lock_give(&store->lock);
    if (usable)
        return find_in_sealed(store, hint, sequence, ret_place, error);
    return index__find(store, sequence, ret_place, error);
}

/* ---- both ---- */

/* True when the index in memory answers: the group is there, or surely the first one in the open
 * volume. */
static bool
find_open_locked(struct store *store, uint64_t sequence, bool all_sealed_are_earlier,
                 struct group_place *ret_place)
{
    const struct volume_index *index = &store->index;
    size_t slot = items_search(index, sequence);
    if (slot == index->count || store->log == NULL)
        return false;
    if (slot == 0 && index->items[0].a != sequence && !(index->whole && all_sealed_are_earlier))
        return false;
    *ret_place = (struct group_place){index->items[slot].a, store->log->number,
                                      index->items[slot].b, index->items[slot].c};
    return true;
}

enum error_code
index__find(struct store *store, uint64_t sequence, struct group_place *ret_place,
            struct error *error)
{
    struct group_place place;
    lock_take(&store->lock);
    bool beyond = sequence > store->position.sequence;
    bool found = !beyond && find_open_locked(store, sequence, false, &place);
    lock_give(&store->lock);
    if (beyond)
        return error_set(error, ERROR_NOT_FOUND, "no later group");
    enum error_code code = ERROR_NONE;
    if (!found) {
        code = find_sealed(store, sequence, &place, error);
        found = code == ERROR_NONE;
        if (!found && code != ERROR_NOT_FOUND)
            return code;
    }
    if (!found) {
        code = index__complete(store, error);
        if (code != ERROR_NONE)
            return code;
        lock_take(&store->lock);
        found = find_open_locked(store, sequence, true, &place);
        lock_give(&store->lock);
    }
    if (!found)
        return error_set(error, ERROR_NOT_FOUND, "no later group");
    *ret_place = place;
    return ERROR_NONE;
}
