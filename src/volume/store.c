/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store as a whole: creating, opening, closing, its state.
 *
 *     OPEN --store__set_full(true)--> FULL --store__check_space() finds room--> OPEN
 *     OPEN | FULL --store__fail()--> FAILED (until a new process has recovered)
 */
#include "volume/store_private.h"

#define CLOCK_TOLERANCE_US (INT64_C(3600) * 1000000)

static const struct store_options defaults = {
    .volume_size_bytes = UINT64_C(4) << 30,
    .small_content_bytes = UINT64_C(1) << 20,
    .content_memory_bytes = UINT64_C(64) << 20,
    .sums_memory_bytes = UINT64_C(256) << 10,
    .reserve_bytes = UINT64_C(16) << 20,
    .bulk_open = 256,
};

/* ---- what all files use ---- */

struct clock *
store__clock(const struct store *store)
{
    return store->options.clock;
}

struct random_source *
store__random(const struct store *store)
{
    return store->options.random;
}

enum error_code
store__device_size(struct device_file *file, uint64_t *ret_size, struct error *error)
{
    return file->device->operations->size(file, ret_size, error);
}

enum error_code
store__write(struct device_file *file, uint64_t offset, const void *data, size_t length,
             struct error *error)
{
    struct iovec part = {(void *)(uintptr_t)data, length};
    return length == 0 ? ERROR_NONE : device_write(file, offset, &part, 1, error);
}

void
store__fault(struct store_fault_sink *sink, enum error_code code, uint64_t volume, uint64_t offset,
             uint64_t sequence, struct text entry, const char *what)
{
    struct store_fault fault = {code, volume, offset, sequence, entry, what};
    sink->count++;
    if (sink->report != NULL)
        sink->report(sink->context, &fault);
}

enum error_code
store__hash_range(struct device_file *file, uint64_t physical, uint64_t length,
                  enum digest_algorithm algorithm, unsigned char *ret_digest, struct error *error)
{
    enum error_code code = ERROR_NONE;
    struct digest_stream stream = {0};
    char *chunk = malloc(COPY_CHUNK_BYTES);
    ensure(chunk != NULL);
    digest_stream_init(&stream, algorithm);
    while (code == ERROR_NONE && length > 0) {
        size_t part = length < COPY_CHUNK_BYTES ? (size_t)length : COPY_CHUNK_BYTES;
        code = device_read_exactly(file, physical, chunk, part, error);
        if (code == ERROR_NONE)
            digest_stream_update(&stream, chunk, part);
        physical += part;
        length -= part;
    }
    if (code == ERROR_NONE)
        digest_stream_finish(&stream, ret_digest);
    digest_stream_release(&stream);
    free(chunk);
    return code;
}

/* ---- state ---- */

void
store__fail(struct store *store, const struct error *why)
{
    lock_take(&store->lock);
    if (store->state != STORE_FAILED) {
        store->state = STORE_FAILED;
        store->why = *why;
    }
    lock_give(&store->lock);
}

void
store__set_full(struct store *store, bool full, const struct error *why)
{
    lock_take(&store->lock);
    if (full && store->state == STORE_OPEN) {
        store->state = STORE_FULL;
        store->why = *why;
    } else if (!full && store->state == STORE_FULL) {
        store->state = STORE_OPEN;
        store->why = (struct error){0};
    }
    lock_give(&store->lock);
}

/* Whatever the reason (a full disk, too): what is on the disk is unknown now. */
static enum error_code
sync_ended(struct store *store, enum error_code code, const struct error *why, struct error *error)
{
    if (code == ERROR_NONE)
        return ERROR_NONE;
    store__fail(store, why);
    return error_set(error, code == ERROR_CLOSED ? code : ERROR_IO, "%s", why->message);
}

enum error_code
store__sync(struct store *store, struct device_file *file, struct error *error)
{
    struct error why = {0};
    enum error_code code = device_sync(file, &why);
    return sync_ended(store, code, &why, error);
}

enum error_code
store__sync_names(struct store *store, struct error *error)
{
    struct error why = {0};
    enum error_code code = store->device->operations->sync_names(store->device, &why);
    return sync_ended(store, code, &why, error);
}

enum error_code
store__may_write(struct store *store, struct error *error)
{
    struct error why = {0};
    lock_take(&store->lock);
    enum store_state state = store->state;
    if (state == STORE_FAILED)
        why = store->why;
    lock_give(&store->lock);
    if (state == STORE_FAILED)
        return error_set(error, ERROR_CLOSED, "the store takes no writes until a restart: %s",
                         why.message);
    if (state == STORE_READ_ONLY)
        return error_set(error, ERROR_CLOSED, "the store is open for reading only");
    return ERROR_NONE;
}

enum error_code
store__check_space(struct store *store, uint64_t need, bool urgent, struct error *error)
{
    struct device_space space;
    struct error why = {0};
    enum error_code code = store->device->operations->space(store->device, &space, error);
    if (code == ERROR_CLOSED)
        return code;
    if (code != ERROR_NONE)
        return ERROR_NONE; /* unknown: the write will tell */
    uint64_t kept = urgent ? 0 : store->options.reserve_bytes;
    if (space.free_bytes >= kept && space.free_bytes - kept >= need) {
        /* A delete that fits into the reserve does not make room for deposits. */
        if (!urgent)
            store__set_full(store, false, NULL);
        return ERROR_NONE;
    }
    error_set(&why, ERROR_FULL, "%llu bytes are free, %llu of them kept for deletes",
              (unsigned long long)space.free_bytes,
              (unsigned long long)store->options.reserve_bytes);
    store__set_full(store, true, &why);
    return error_set(error, ERROR_FULL, "%s", why.message);
}

enum store_state
store_state(struct store *store, struct error *ret_why)
{
    lock_take(&store->lock);
    bool full = store->state == STORE_FULL;
    lock_give(&store->lock);
    /* It may be over without anybody having written. */
    enum error_code checked = full ? store__check_space(store, 1 << 20, false, NULL) : ERROR_NONE;
    (void)checked;
    lock_take(&store->lock);
    enum store_state state = store->state;
    if (ret_why != NULL && (state == STORE_FAILED || state == STORE_FULL))
        *ret_why = store->why;
    lock_give(&store->lock);
    return state;
}

const struct store_identity *
store_identity(const struct store *store)
{
    return &store->identity;
}

struct position
store_position(struct store *store)
{
    lock_take(&store->lock);
    struct position position = store->position;
    lock_give(&store->lock);
    return position;
}

/* ---- creating ---- */

static void
fill_options(struct store_options *options)
{
    if (options->clock == NULL)
        options->clock = clock_real();
    if (options->random == NULL)
        options->random = random_real();
#define DEFAULT(field)       \
    if (options->field == 0) \
    options->field = defaults.field
    DEFAULT(volume_size_bytes);
    DEFAULT(small_content_bytes);
    DEFAULT(content_memory_bytes);
    DEFAULT(sums_memory_bytes);
    DEFAULT(reserve_bytes);
    DEFAULT(bulk_open);
#undef DEFAULT
}

static struct store *
new_store(const struct store_options *options)
{
    struct store *store = calloc(1, sizeof *store);
    ensure(store != NULL);
    store->magic = STORE_MAGIC;
    store->options = *options;
    fill_options(&store->options);
    store->device = options->volumes;
    store->next_number = 1;
    lock_init(&store->rewriting, LOCK_RANK_VOLUME_REWRITING);
    lock_init(&store->names, LOCK_RANK_VOLUME_NAMES);
    lock_init(&store->writing, LOCK_RANK_VOLUME_WRITING);
    lock_init(&store->lock, LOCK_RANK_STORE);
    signal_init(&store->changed);
    return store;
}

static void
release_group(struct group *group)
{
    buffer_release(&group->bytes);
    buffer_release(&group->journal);
    buffer_release(&group->listing);
    buffer_release(&group->hashes);
    buffer_release(&group->paths);
    free(group->parts);
    free(group->entries);
    free(group->line_ends);
    free(group->vector);
}

void
store_close(struct store *store)
{
    if (store == NULL)
        return;
    ensure(store->magic == STORE_MAGIC);
    volume__close_all(store);
    for (size_t i = 0; i < GROUPS_AT_ONCE; i++)
        release_group(&store->groups[i]);
    free(store->index.items);
    signal_release(&store->changed);
    lock_release(&store->lock);
    lock_release(&store->writing);
    lock_release(&store->names);
    lock_release(&store->rewriting);
    store->magic = 0;
    free(store);
}

/* ---- the table at opening ---- */

struct found_volume {
    struct volume_name name;
    uint64_t size;
};
struct found_volumes {
    struct found_volume *items;
    size_t count, capacity;
};

static bool
collect(void *context, const char *name, uint64_t size_bytes)
{
    struct found_volumes *found = context;
    struct volume_name parsed;
    if (!volume__parse_name(text_from(name), &parsed))
        return true; /* not ours */
    if (found->count == found->capacity) {
        found->capacity = found->capacity == 0 ? 64 : found->capacity * 2;
        found->items = reallocarray(found->items, found->capacity, sizeof *found->items);
        ensure(found->items != NULL);
    }
    found->items[found->count++] = (struct found_volume){parsed, size_bytes};
    return true;
}

/* By number, then the latest generation first. */
static int
compare_found(const void *left, const void *right)
{
    const struct found_volume *a = left, *b = right;
    if (a->name.number != b->name.number)
        return a->name.number < b->name.number ? -1 : 1;
    if (a->name.generation != b->name.generation)
        return a->name.generation > b->name.generation ? -1 : 1;
    return 0;
}

static enum error_code
list_volumes(struct device *device, struct found_volumes *found, struct error *error)
{
    enum error_code code = device->operations->list(device, collect, found, error);
    if (code == ERROR_NONE && found->count > 1)
        qsort(found->items, found->count, sizeof *found->items, compare_found);
    return code;
}

static enum error_code
remove_found(struct store *store, const struct volume_name *name, struct error *error)
{
    char text[VOLUME_NAME_BYTES];
    if (store->options.read_only)
        return ERROR_NONE;
    volume__name(name, text);
    return store->device->operations->remove(store->device, text, error);
}

/* A file that ends within its head was being created when the power went: nothing in it counts. */
static enum error_code
never_finished(struct store *store, const struct found_volume *item, bool *ret_never,
               struct error *error)
{
    char text[VOLUME_NAME_BYTES];
    struct device_file *file = NULL;
    struct volume_head head;
    *ret_never = false;
    if (item->size > HEAD_BYTES)
        return ERROR_NONE;
    volume__name(&item->name, text);
    enum error_code code = device_open_file(store->device, text, DEVICE_READ, &file, error);
    if (code != ERROR_NONE)
        return code;
    code = volume__head_read(file, &head, error);
    device_close_file(file);
    *ret_never = code == ERROR_CORRUPT;
    return code == ERROR_CORRUPT ? ERROR_NONE : code;
}

/* A compacted volume wins over its source when its end is there. */
static enum error_code
is_complete(struct store *store, const struct volume_name *name, bool *ret_complete,
            struct error *error)
{
    char text[VOLUME_NAME_BYTES];
    struct device_file *file = NULL;
    struct volume_trailer trailer = {.sealed = true};
    enum error_code code = ERROR_NONE;
    if (name->generation > 1) {
        volume__name(name, text);
        code = device_open_file(store->device, text, DEVICE_READ, &file, error);
        if (code == ERROR_NONE)
            code = seal__read_trailer(file, name->bulk, name->generation, &trailer, error);
        device_close_file(file);
    }
    *ret_complete = trailer.sealed;
    return code;
}

/* A later generation is about to replace its source for good: if the process that put it in place
 * could not sync the names, no sync does it now, so it is renamed once more. */
static enum error_code
confirm_name(struct store *store, const struct volume_name *name, struct error *error)
{
    const struct device_operations *operations = store->device->operations;
    char finished[VOLUME_NAME_BYTES], unfinished[VOLUME_NAME_BYTES];
    struct volume_name other = *name;
    if (store->options.read_only)
        return ERROR_NONE;
    other.unfinished = true;
    volume__name(name, finished);
    volume__name(&other, unfinished);
    enum error_code code = operations->rename(store->device, finished, unfinished, error);
    if (code == ERROR_NONE)
        code = operations->rename(store->device, unfinished, finished, error);
    return code != ERROR_NONE ? code : store__sync_names(store, error);
}

/* Decides about one file; files of one number come latest generation first. */
static enum error_code
take_found(struct store *store, const struct found_volumes *found, size_t at, struct error *error)
{
    const struct found_volume *item = &found->items[at];
    bool drop = item->name.unfinished, complete = true, last_of_number;
    enum error_code code = ERROR_NONE;
    const struct volume *earlier =
        store->volume_count == 0 ? NULL : store->volumes[store->volume_count - 1];
    last_of_number =
        at + 1 == found->count || found->items[at + 1].name.number != item->name.number;
    if (!drop && earlier != NULL && earlier->number == item->name.number)
        drop = true; /* a later generation has been taken */
    if (!drop)
        code = never_finished(store, item, &drop, error);
    if (code == ERROR_NONE && !drop && !last_of_number)
        code = is_complete(store, &item->name, &complete, error);
    if (code == ERROR_NONE && !drop && complete && !last_of_number && item->name.generation > 1)
        code = confirm_name(store, &item->name, error);
    if (code != ERROR_NONE)
        return code;
    if (drop || !complete)
        return remove_found(store, &item->name, error);
    struct volume *volume = volume__add(store, item->name.number, item->name.bulk);
    volume->generation = item->name.generation;
    volume->size_bytes = item->size;
    volume->sealed = volume->generation > 1;
    return ERROR_NONE;
}

static enum error_code
load_table(struct store *store, struct error *error)
{
    struct found_volumes found = {0};
    enum error_code code = list_volumes(store->device, &found, error);
    for (size_t i = 0; code == ERROR_NONE && i < found.count; i++)
        code = take_found(store, &found, i, error);
    free(found.items);
    if (code == ERROR_NONE && store->volume_count == 0)
        code = error_set(error, ERROR_NOT_FOUND, "there are no volumes");
    return code;
}

/* Every log volume but the last is sealed. The last is `log`. */
static enum error_code
choose_log(struct store *store, struct error *error)
{
    struct volume *last = NULL;
    for (size_t i = 0; i < store->volume_count; i++) {
        if (store->volumes[i]->bulk)
            continue;
        if (last != NULL)
            last->sealed = true;
        last = store->volumes[i];
    }
    if (last == NULL)
        return error_set(error, ERROR_CORRUPT, "there is no log volume");
    store->log = last;
    return ERROR_NONE;
}

static enum error_code
head_of(struct store *store, const struct volume *volume, struct volume_head *ret_head,
        struct error *error)
{
    char name[VOLUME_NAME_BYTES];
    struct device_file *file = NULL;
    volume__file_name(volume, name);
    enum error_code code = device_open_file(store->device, name, DEVICE_READ, &file, error);
    if (code == ERROR_NONE)
        code = volume__head_read(file, ret_head, error);
    device_close_file(file);
    return code;
}

/* From the first volume; the last one tells whether a later program has written here. */
static enum error_code
read_identity(struct store *store, struct error *error)
{
    struct volume_head head = {0}, last;
    enum error_code code = ERROR_CORRUPT;
    for (size_t i = 0; code == ERROR_CORRUPT && i < store->volume_count; i++)
        code = head_of(store, store->volumes[i], &head, error);
    if (code != ERROR_NONE)
        return code;
    code = head_of(store, store->volumes[store->volume_count - 1], &last, NULL);
    if (code == ERROR_NONE && last.identity.format > head.identity.format) {
        head.identity.format = last.identity.format;
        head.identity.newer_format = last.identity.newer_format;
    }
    store->identity = head.identity;
    if (head.identity.newer_format && !store->options.read_only)
        return error_set(error, ERROR_UNSUPPORTED,
                         "the volumes have format %u; this program writes format %u",
                         head.identity.format, STORE_FORMAT_VERSION);
    return ERROR_NONE;
}

enum error_code
store_create(const struct store_options *options, const struct store_identity *identity,
             struct error *error)
{
    struct volume *volume = NULL;
    struct store *store = new_store(options);
    ensure(identity->digest == DIGEST_SHA512 || identity->digest == DIGEST_SHA256);
    enum error_code code = load_table(store, error);
    if (code == ERROR_NONE)
        code = error_set(error, ERROR_EXISTS, "there are volumes already");
    else if (code == ERROR_NOT_FOUND)
        code = ERROR_NONE;
    store->identity = *identity;
    store->identity.format = STORE_FORMAT_VERSION;
    if (code == ERROR_NONE)
        code = volume__create(store, false, &volume, error);
    store_close(store);
    return code;
}

static enum error_code
check_clock(struct store *store, struct error *error)
{
    struct clock *clock = store__clock(store);
    int64_t behind = store->position.time_us - clock->now_us(clock);
    if (behind <= CLOCK_TOLERANCE_US || store->options.accept_clock || store->options.read_only)
        return ERROR_NONE;
    return error_set(error, ERROR_INVALID,
                     "the clock is %lld minutes behind the last commit; set it, or accept it "
                     "with --accept-clock",
                     (long long)(behind / 60000000));
}

enum error_code
store_open(const struct store_options *options, const struct position *known,
           store_fault_function *on_fault, void *context, struct store **ret_store,
           struct store_recovery *ret_recovery, struct error *error)
{
    static const struct position nothing;
    struct store_fault_sink faults = {on_fault, context, 0};
    struct store_recovery recovery = {0};
    struct store *store = new_store(options);
    enum error_code code = load_table(store, error);
    if (code == ERROR_NONE)
        code = choose_log(store, error);
    if (code == ERROR_NONE)
        code = read_identity(store, error);
    if (code == ERROR_NONE && !options->read_only)
        code = content__remove_spools(store->options.lost_and_found, error);
    if (code == ERROR_NONE && !options->read_only)
        code = purge__redo(NULL, store->device, error);
    if (code == ERROR_NONE)
        code = recovery__run(store, known == NULL ? &nothing : known, &faults, &recovery, error);
    if (code == ERROR_NONE)
        code = check_clock(store, error);
    if (code != ERROR_NONE) {
        store_close(store);
        return code;
    }
    store->state = options->read_only ? STORE_READ_ONLY : STORE_OPEN;
    *ret_store = store;
    *ret_recovery = recovery;
    return ERROR_NONE;
}
