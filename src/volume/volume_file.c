/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Volumes as files: their names, the table of them, their handles, and the guards that keep readers
 * and rewriters of one volume apart.
 *
 *     closed --volume__use()--> in use --volume__end_use()--> kept open --(too many)--> closed
 *     closed | kept open --volume__claim()--> claimed --volume__end_claim()--> closed | kept open
 */
#include "volume/store_private.h"

static bool
take_digits(struct text *name, size_t least, uint64_t *ret_value)
{
    size_t digits = 0;
    while (digits < name->length && name->data[digits] >= '0' && name->data[digits] <= '9')
        digits++;
    if (digits < least || !text_to_u64(text_of(name->data, digits), ret_value))
        return false;
    *name = text_of(name->data + digits, name->length - digits);
    return true;
}

static bool
take_word(struct text *name, struct text word)
{
    if (!text_starts_with(*name, word))
        return false;
    *name = text_of(name->data + word.length, name->length - word.length);
    return true;
}

bool
volume__parse_name(struct text name, struct volume_name *ret_name)
{
    struct volume_name found = {.generation = 1};
    uint64_t generation;
    char again[VOLUME_NAME_BYTES];
    struct text whole = name;
    found.bulk = take_word(&name, TEXT("bulk-"));
    if (!found.bulk && !take_word(&name, TEXT("log-")))
        return false;
    if (!take_digits(&name, 10, &found.number) || found.number == 0)
        return false;
    if (take_word(&name, TEXT(".g"))) {
        if (!take_digits(&name, 1, &generation) || generation < 2 || generation > UINT32_MAX)
            return false;
        found.generation = (unsigned)generation;
    }
    if (!take_word(&name, TEXT(".tar")))
        return false;
    found.unfinished = take_word(&name, TEXT(".new"));
    volume__name(&found, again);
    if (name.length != 0 || !text_equal(whole, text_from(again)))
        return false;
    *ret_name = found;
    return true;
}

void
volume__name(const struct volume_name *name, char out[VOLUME_NAME_BYTES])
{
    char generation[16] = "";
    if (name->generation > 1)
        snprintf(generation, sizeof generation, ".g%u", name->generation);
    snprintf(out, VOLUME_NAME_BYTES, "%s-%010llu%.11s.tar%s", name->bulk ? "bulk" : "log",
             (unsigned long long)name->number % 100000000000ull, generation,
             name->unfinished ? ".new" : "");
}

void
volume__file_name(const struct volume *volume, char out[VOLUME_NAME_BYTES])
{
    struct volume_name name = {
        .number = volume->number, .generation = volume->generation, .bulk = volume->bulk};
    volume__name(&name, out);
}

/* ---- the table ---- */

/* Where `number` is or would be. */
static size_t
table_slot(const struct store *store, uint64_t number)
{
    size_t low = 0, high = store->volume_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (store->volumes[middle]->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct volume *
find_locked(const struct store *store, uint64_t number)
{
    size_t slot = table_slot(store, number);
    if (slot == store->volume_count || store->volumes[slot]->number != number)
        return NULL;
    return store->volumes[slot];
}

struct volume *
volume__find(struct store *store, uint64_t number)
{
    lock_take(&store->lock);
    struct volume *volume = find_locked(store, number);
    lock_give(&store->lock);
    return volume;
}

struct volume *
volume__add(struct store *store, uint64_t number, bool bulk)
{
    struct volume *volume = calloc(1, sizeof *volume);
    ensure(volume != NULL);
    volume->number = number;
    volume->bulk = bulk;
    volume->generation = 1;
    lock_take(&store->lock);
    if (store->volume_count == store->volume_capacity) {
        store->volume_capacity = store->volume_capacity == 0 ? 64 : store->volume_capacity * 2;
        store->volumes = reallocarray(store->volumes, store->volume_capacity, sizeof(void *));
        ensure(store->volumes != NULL);
    }
    size_t slot = table_slot(store, number);
    memmove(store->volumes + slot + 1, store->volumes + slot,
            (store->volume_count - slot) * sizeof(void *));
    store->volumes[slot] = volume;
    store->volume_count++;
    if (number >= store->next_number)
        store->next_number = number + 1;
    lock_give(&store->lock);
    return volume;
}

/* ---- handles ---- */

static void
lru_remove(struct store *store, struct volume *volume)
{
    if (volume->newer == NULL && volume->older == NULL && store->lru_newest != volume)
        return;
    if (volume->newer != NULL)
        volume->newer->older = volume->older;
    else
        store->lru_newest = volume->older;
    if (volume->older != NULL)
        volume->older->newer = volume->newer;
    else
        store->lru_oldest = volume->newer;
    volume->newer = volume->older = NULL;
    store->handles_idle--;
}

static void
close_handle(struct volume *volume)
{
    device_close_file(volume->file);
    volume->file = NULL;
    volume->writable = false;
}

static void
lru_add(struct store *store, struct volume *volume)
{
    volume->older = store->lru_newest;
    if (store->lru_newest != NULL)
        store->lru_newest->newer = volume;
    store->lru_newest = volume;
    if (store->lru_oldest == NULL)
        store->lru_oldest = volume;
    if (++store->handles_idle <= HANDLES_KEPT)
        return;
    struct volume *oldest = store->lru_oldest;
    lru_remove(store, oldest);
    close_handle(oldest);
}

/* Head and trailer, once. Called with a use. A damaged head does not hide the rest of the volume:
 * content and journal have their own checks. */
static enum error_code
check_volume(struct store *store, struct volume *volume, struct error *error)
{
    struct volume_head head;
    struct volume_trailer trailer = {0};
    enum error_code code = volume__head_read(volume->file, &head, error);
    bool damaged = code == ERROR_CORRUPT;
    if (damaged)
        code = ERROR_NONE;
    else if (code == ERROR_NONE &&
             (memcmp(head.identity.uuid, store->identity.uuid, sizeof head.identity.uuid) != 0 ||
              head.volume != volume->number || head.bulk != volume->bulk))
        code = error_set(error, ERROR_INVALID, "it belongs to another store or has another number");
    if (code == ERROR_NONE)
        code = seal__read_trailer(volume->file, volume->bulk, volume->generation, &trailer, error);
    if (code != ERROR_NONE) {
        error_prefix(error, "volume %llu", (unsigned long long)volume->number);
        return code;
    }
    lock_take(&store->lock);
    if (!volume->checked && !damaged) {
        memcpy(volume->mark, head.mark, sizeof volume->mark);
        volume->marked = true;
    }
    if (!volume->checked && (volume->sealed || volume->generation > 1)) {
        volume->index = trailer.index;
        volume->map = trailer.map;
    }
    volume->checked = true;
    lock_give(&store->lock);
    return ERROR_NONE;
}

static enum error_code
open_handle(struct store *store, struct volume *volume, enum device_open_mode mode,
            struct error *error)
{
    char name[VOLUME_NAME_BYTES];
    volume__file_name(volume, name);
    enum error_code code = device_open_file(store->device, name, mode, &volume->file, error);
    if (code == ERROR_NONE)
        volume->writable = mode != DEVICE_READ;
    return code;
}

static enum error_code
use_locked(struct store *store, uint64_t number, struct volume **ret_volume, struct error *error)
{
    struct volume *volume = find_locked(store, number);
    if (volume == NULL)
        return error_set(error, ERROR_NOT_FOUND, "volume %llu is missing",
                         (unsigned long long)number);
    while (volume->claimed)
        signal_wait_locked(&store->changed, &store->lock);
    if (volume->file == NULL) {
        enum error_code code = open_handle(store, volume, DEVICE_READ, error);
        if (code != ERROR_NONE)
            return code;
    } else if (volume->users == 0 && !volume->pinned) {
        lru_remove(store, volume);
    }
    volume->users++;
    *ret_volume = volume;
    return ERROR_NONE;
}

enum error_code
volume__use(struct store *store, uint64_t number, struct volume **ret_volume, struct error *error)
{
    struct volume *volume = NULL;
    lock_take(&store->lock);
    enum error_code code = use_locked(store, number, &volume, error);
    bool checked = code != ERROR_NONE || volume->checked;
    lock_give(&store->lock);
    if (code != ERROR_NONE)
        return code;
    if (!checked) {
        code = check_volume(store, volume, error);
        if (code != ERROR_NONE) {
            volume__end_use(store, volume);
            return code;
        }
    }
    *ret_volume = volume;
    return ERROR_NONE;
}

static void
idle_locked(struct store *store, struct volume *volume)
{
    if (volume->users > 0)
        return;
    if (volume->file != NULL && !volume->pinned && !volume->claimed)
        lru_add(store, volume);
    signal_all(&store->changed);
}

void
volume__end_use(struct store *store, struct volume *volume)
{
    lock_take(&store->lock);
    ensure(volume->users > 0);
    volume->users--;
    idle_locked(store, volume);
    lock_give(&store->lock);
}

enum error_code
volume__claim(struct store *store, uint64_t number, struct volume **ret_volume, struct error *error)
{
    lock_take(&store->lock);
    struct volume *volume = find_locked(store, number);
    if (volume == NULL) {
        lock_give(&store->lock);
        return error_set(error, ERROR_NOT_FOUND, "volume %llu is missing",
                         (unsigned long long)number);
    }
    while (volume->claimed)
        signal_wait_locked(&store->changed, &store->lock);
    if (volume->file != NULL && volume->users == 0 && !volume->pinned)
        lru_remove(store, volume);
    volume->claimed = true; /* new readers wait from here on */
    while (volume->users > 0)
        signal_wait_locked(&store->changed, &store->lock);
    lock_give(&store->lock);
    *ret_volume = volume;
    return ERROR_NONE;
}

void
volume__end_claim(struct store *store, struct volume *volume)
{
    lock_take(&store->lock);
    ensure(volume->claimed && volume->users == 0);
    volume->claimed = false;
    idle_locked(store, volume);
    lock_give(&store->lock);
}

enum error_code
volume__pin(struct store *store, struct volume *volume, struct error *error)
{
    enum error_code code = ERROR_NONE;
    lock_take(&store->lock);
    ensure(!volume->pinned);
    while (volume->users > 0 || volume->claimed) /* I4 */
        signal_wait_locked(&store->changed, &store->lock);
    if (volume->file != NULL)
        lru_remove(store, volume);
    if (volume->file != NULL && !volume->writable)
        close_handle(volume);
    if (volume->file == NULL)
        code = open_handle(store, volume, DEVICE_READ_WRITE, error);
    if (code == ERROR_NONE)
        volume->pinned = true;
    lock_give(&store->lock);
    return code;
}

void
volume__unpin(struct store *store, struct volume *volume)
{
    lock_take(&store->lock);
    ensure(volume->pinned);
    volume->pinned = false;
    idle_locked(store, volume);
    lock_give(&store->lock);
}

void
volume__close_all(struct store *store)
{
    for (size_t i = 0; i < store->volume_count; i++) {
        ensure(store->volumes[i]->users == 0);
        device_close_file(store->volumes[i]->file);
        if (store->volumes[i]->listing != NULL)
            free(store->volumes[i]->listing->items);
        free(store->volumes[i]->listing);
        free(store->volumes[i]);
    }
    free(store->volumes);
    store->volumes = NULL;
    store->volume_count = 0;
}

/* ---- new volumes ---- */

/* Everything that must be on disk before anything in the volume counts. */
static enum error_code
write_new_file(struct store *store, const char *name, const struct volume_head *description,
               struct device_file **ret_file, struct error *error)
{
    unsigned char head[HEAD_BYTES];
    struct clock *clock = store__clock(store);
    uint64_t now_s = (uint64_t)clock->now_us(clock) / 1000000u;
    struct device_file *file = NULL;
    enum error_code code = volume__head_write(description, now_s, head, error);
    if (code == ERROR_NONE)
        code = device_open_file(store->device, name, DEVICE_CREATE, &file, error);
    if (code != ERROR_NONE)
        return code;
    code = store__write(file, 0, head, sizeof head, error);
    if (code == ERROR_NONE)
        code = store__sync(store, file, error);
    if (code == ERROR_NONE)
        code = store__sync_names(store, error);
    if (code != ERROR_NONE) {
        device_close_file(file);
        (void)store->device->operations->remove(store->device, name, NULL);
        error_prefix(error, "new volume %s", name);
        return code;
    }
    *ret_file = file;
    return ERROR_NONE;
}

enum error_code
volume__create(struct store *store, bool bulk, struct volume **ret_volume, struct error *error)
{
    char text[VOLUME_NAME_BYTES];
    struct device_file *file = NULL;
    lock_take(&store->names);
    lock_take(&store->lock);
    uint64_t number = store->next_number++;
    lock_give(&store->lock);
    struct volume_name name = {.number = number, .generation = 1, .bulk = bulk};
    struct volume_head head = {store->identity, number, bulk, {0}};
    struct random_source *random = store__random(store);
    random->fill(random, head.mark, sizeof head.mark);
    volume__name(&name, text);
    enum error_code code = write_new_file(store, text, &head, &file, error);
    lock_give(&store->names);
    if (code != ERROR_NONE)
        return code;
    struct volume *volume = volume__add(store, number, bulk);
    lock_take(&store->lock);
    volume->file = file;
    volume->writable = volume->pinned = volume->checked = volume->marked = true;
    memcpy(volume->mark, head.mark, sizeof volume->mark);
    volume->size_bytes = HEAD_BYTES;
    lock_give(&store->lock);
    *ret_volume = volume;
    return ERROR_NONE;
}

/* An empty volume found at opening may have a name that never reached the disk, and no sync brings
 * it there: the same file is put under the same name once more. */
static enum error_code
write_renewed(struct store *store, const struct volume_name *name, const unsigned char *head,
              struct device_file **ret_file, struct error *error)
{
    const struct device_operations *operations = store->device->operations;
    struct volume_name finished = *name;
    char from[VOLUME_NAME_BYTES], to[VOLUME_NAME_BYTES];
    struct device_file *file = NULL;
    volume__name(name, from);
    finished.unfinished = false;
    volume__name(&finished, to);
    enum error_code code = device_open_file(store->device, from, DEVICE_CREATE, &file, error);
    if (code == ERROR_NONE)
        code = store__write(file, 0, head, HEAD_BYTES, error);
    if (code == ERROR_NONE)
        code = store__sync(store, file, error);
    if (code == ERROR_NONE)
        code = operations->rename(store->device, from, to, error);
    if (code == ERROR_NONE)
        code = store__sync_names(store, error);
    if (code != ERROR_NONE)
        device_close_file(file);
    else
        *ret_file = file;
    return code;
}

enum error_code
volume__renew(struct store *store, struct volume *volume, struct error *error)
{
    unsigned char head[HEAD_BYTES];
    struct volume_name name = {volume->number, volume->generation, volume->bulk, true};
    struct device_file *file = NULL;
    ensure(volume->pinned && volume->users == 0);
    enum error_code code = device_read_exactly(volume->file, 0, head, sizeof head, error);
    if (code != ERROR_NONE)
        return code;
    lock_take(&store->names);
    code = write_renewed(store, &name, head, &file, error);
    lock_give(&store->names);
    if (code != ERROR_NONE)
        return code;
    lock_take(&store->lock);
    device_close_file(volume->file);
    volume->file = file;
    lock_give(&store->lock);
    return ERROR_NONE;
}

enum error_code
volume__locate(struct store *store, struct volume *volume, uint64_t offset, uint64_t *ret_physical,
               struct error *error)
{
    uint64_t line;
    struct fixed_line found;
    (void)store;
    if (!volume->map.present && volume->generation > 1)
        return error_set(error, ERROR_CORRUPT, "the map of compacted volume %llu is damaged",
                         (unsigned long long)volume->number);
    if (!volume->map.present) {
        *ret_physical = offset;
        return ERROR_NONE;
    }
    enum error_code code = fixed_table_search(volume->file, &volume->map, offset, &line, error);
    if (code == ERROR_NONE && line < volume->map.lines)
        code = fixed_table_read(volume->file, &volume->map, line, &found, error);
    if (code != ERROR_NONE)
        return code;
    if (line == volume->map.lines || found.a != offset)
        return error_set(error, ERROR_GONE, "volume %llu has no entry at %llu any more",
                         (unsigned long long)volume->number, (unsigned long long)offset);
    *ret_physical = found.b;
    return ERROR_NONE;
}
