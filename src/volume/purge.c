/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purge: entries become void entries, journal lines become {"purged":"<sha256>"}; nothing moves.
 *
 * A write that tears would lose what cannot be had again: the hash of a line, the length of an
 * entry. Therefore all changes are first written to the file `purge.redo` and synced, then made and
 * synced, then the file is removed. Opening, and the next purge, first finish what a redo file
 * says. Its lines: volume offset length generation what     20, 20, 20, 10 and 64 bytes, blanks
 * between; `what` is the SHA-256 of the line that goes, or "void-" and the place's offset, filled
 * with dots end <SHA-256 of all lines before> Offsets are those in the file as it is; in a later
 * generation of a volume the changes were made before it was compacted, so they are left out (a
 * removal of this file may not have reached the disk). An entry's header is synced before its data
 * is punched out, so that a volume can be walked at any moment.
 *
 * A volume is claimed while it is written, so readers of a span have ended. The writes go through a
 * handle of their own: the committer and uploads go on with theirs.
 */
#include "format/hex.h"
#include "volume/store_private.h"

#define REDO_NAME "purge.redo"
#define REDO_UNFINISHED "purge.redo.new"
enum {
    REDO_WHAT_BYTES = SHA256_HEX_BYTES,
    REDO_GENERATION_BYTES = 11, /* with its blank */
    REDO_LINE_BYTES = FIXED_LINE_BYTES + REDO_GENERATION_BYTES + REDO_WHAT_BYTES + 1,
    REDO_END_BYTES = 4 + SHA256_HEX_BYTES + 1
};

/* Volumes of a store, or of a folder of copies. */
struct target {
    struct store *store; /* NULL: copies */
    struct device *device;
    struct store_fault_sink faults; /* copies: what is missing */
    struct volume *claimed;
    struct volume copy; /* copies: the volume that is open */
};

/* ---- one volume, opened for rewriting ---- */

struct find_copy {
    uint64_t number;
    struct volume_name found;
};

static bool
find_copy(void *context, const char *name, uint64_t size_bytes)
{
    struct find_copy *wanted = context;
    struct volume_name parsed;
    (void)size_bytes;
    if (volume__parse_name(text_from(name), &parsed) && !parsed.unfinished &&
        parsed.number == wanted->number && parsed.generation >= wanted->found.generation)
        wanted->found = parsed;
    return true;
}

/* A sealed file is protected; that is lifted while it is rewritten. */
static enum error_code
open_writable(struct device *device, const char *name, struct device_file **ret_file,
              struct error *error)
{
    struct device_file *file = NULL;
    enum error_code code = device_open_file(device, name, DEVICE_READ, &file, error);
    if (code == ERROR_NONE)
        code = device->operations->protect(file, false, error);
    device_close_file(file);
    if (code == ERROR_NONE)
        code = device_open_file(device, name, DEVICE_READ_WRITE, ret_file, error);
    return code;
}

static enum error_code
open_copy(struct target *target, uint64_t number, struct error *error)
{
    struct find_copy wanted = {.number = number};
    struct volume_trailer trailer;
    char name[VOLUME_NAME_BYTES];
    enum error_code code =
        target->device->operations->list(target->device, find_copy, &wanted, error);
    if (code == ERROR_NONE && wanted.found.generation == 0)
        code =
            error_set(error, ERROR_NOT_FOUND, "volume %llu is missing", (unsigned long long)number);
    if (code != ERROR_NONE)
        return code;
    target->copy = (struct volume){
        .number = number, .bulk = wanted.found.bulk, .generation = wanted.found.generation};
    volume__name(&wanted.found, name);
    code = open_writable(target->device, name, &target->copy.file, error);
    if (code == ERROR_NONE)
        code = seal__read_trailer(target->copy.file, target->copy.bulk, target->copy.generation,
                                  &trailer, error);
    if (code == ERROR_NONE) {
        target->copy.sealed = trailer.sealed;
        target->copy.map = trailer.map;
    } else {
        device_close_file(target->copy.file);
    }
    return code;
}

static enum error_code
open_claimed(struct target *target, uint64_t number, struct error *error)
{
    struct volume *used = NULL;
    char name[VOLUME_NAME_BYTES];
    /* A use first: it checks whose the volume is and reads its trailer. */
    enum error_code code = volume__use(target->store, number, &used, error);
    if (code != ERROR_NONE)
        return code;
    volume__end_use(target->store, used);
    code = volume__claim(target->store, number, &target->claimed, error);
    if (code != ERROR_NONE)
        return code;
    lock_take(&target->store->lock);
    target->copy = *target->claimed;
    lock_give(&target->store->lock);
    target->copy.file = NULL;
    volume__file_name(&target->copy, name);
    code = open_writable(target->device, name, &target->copy.file, error);
    if (code != ERROR_NONE)
        volume__end_claim(target->store, target->claimed);
    return code;
}

static enum error_code
open_target(struct target *target, uint64_t number, struct error *error)
{
    return target->store != NULL ? open_claimed(target, number, error)
                                 : open_copy(target, number, error);
}

static void
close_target(struct target *target)
{
    bool sealed = target->copy.sealed;
    if (target->store != NULL) {
        lock_take(&target->store->lock);
        sealed = target->claimed->sealed;
        lock_give(&target->store->lock);
    }
    if (sealed) {
        enum error_code ignored =
            target->device->operations->protect(target->copy.file, true, NULL);
        (void)ignored; /* the bits are a courtesy */
    }
    device_close_file(target->copy.file);
    target->copy.file = NULL;
    if (target->store != NULL)
        volume__end_claim(target->store, target->claimed);
}

/* A sync that fails leaves the file undefined, the store's own pages too. */
static enum error_code
sync_file(struct target *target, struct device_file *file, struct error *error)
{
    return target->store != NULL ? store__sync(target->store, file, error)
                                 : device_sync(file, error);
}

static enum error_code
sync_names(struct target *target, struct error *error)
{
    return target->store != NULL ? store__sync_names(target->store, error)
                                 : target->device->operations->sync_names(target->device, error);
}

/* ---- changes ---- */

struct change {
    uint64_t volume, physical, length; /* of a line; of a whole entry, header to padding */
    unsigned generation;
    char what[REDO_WHAT_BYTES];
};
struct changes {
    struct change *items;
    size_t count;
};

static bool
is_void_change(const struct change *change)
{
    return memcmp(change->what, "void-", 5) == 0;
}

/* A whole line, or what a purge made of one. */
static bool
is_line(const char *data, size_t length)
{
    return length >= PURGED_LINE_BYTES && data[0] == '{' && data[length] == '\n' &&
           memchr(data, '\n', length) == NULL;
}

/* A copy that was made before these bytes were written has nothing to erase there. */
static bool
is_beyond_copy(const struct target *target, uint64_t physical)
{
    uint64_t size = 0;
    return target->store == NULL &&
           target->device->operations->size(target->copy.file, &size, NULL) == ERROR_NONE &&
           physical >= size;
}

/* Reads the line; adds nothing when it is purged already. */
static enum error_code
plan_line(struct target *target, const struct purge_line *line, struct changes *plan,
          struct error *error)
{
    uint64_t physical = 0;
    unsigned char hash[SHA256_BYTES];
    if (line->line_length > JOURNAL_ENTRY_MAX || line->line_length < PURGED_LINE_BYTES)
        return error_set(error, ERROR_INVALID, "a journal line of %llu bytes cannot be purged",
                         (unsigned long long)line->line_length);
    size_t length = (size_t)line->line_length;
    enum error_code code =
        volume__locate(target->store, &target->copy, line->place.offset, &physical, error);
    if (code != ERROR_NONE || is_beyond_copy(target, physical))
        return code;
    char *data = malloc(length + 1);
    ensure(data != NULL);
    code = device_read_exactly(target->copy.file, physical + line->line_offset, data, length + 1,
                               error);
    if (code == ERROR_NONE && !is_line(data, length))
        code = error_set(error, ERROR_CORRUPT, "there is no journal line at %llu of volume %llu",
                         (unsigned long long)(line->place.offset + line->line_offset),
                         (unsigned long long)line->place.volume);
    if (code == ERROR_NONE && !text_starts_with(text_of(data, length), TEXT("{\"purged\":\""))) {
        struct change *item = &plan->items[plan->count++];
        journal__line_hash(text_of(data, length), hash);
        *item = (struct change){
            line->place.volume, physical + line->line_offset, length, target->copy.generation, {0}};
        hex_write(hash, sizeof hash, item->what);
    }
    free(data);
    return code;
}

static enum error_code
replace_line(struct target *target, const struct change *item, struct error *error)
{
    char *data = malloc((size_t)item->length);
    ensure(data != NULL);
    memset(data, ' ', (size_t)item->length);
    memcpy(data, "{\"purged\":\"", 11);
    memcpy(data + 11, item->what, SHA256_HEX_BYTES);
    memcpy(data + 11 + SHA256_HEX_BYTES, "\"}", 2);
    enum error_code code =
        store__write(target->copy.file, item->physical, data, (size_t)item->length, error);
    free(data);
    return code;
}

/* ---- spans ---- */

/* The span must be the entry that it names, or void already, or left out by compaction. */
static enum error_code
plan_span(struct target *target, const struct purge_span *span, struct changes *plan,
          struct error *error)
{
    struct walk walk;
    struct walk_entry found;
    uint64_t physical = 0, before = span->bulk_preamble ? TAR_PREAMBLE_SIZE : TAR_BLOCK_SIZE;
    enum error_code code =
        volume__locate(target->store, &target->copy, span->place.offset, &physical, error);
    if (code != ERROR_NONE || is_beyond_copy(target, physical))
        return code == ERROR_GONE ? ERROR_NONE : code;
    if (physical < HEAD_BYTES + before)
        return error_set(error, ERROR_INVALID, "no entry can be at %llu",
                         (unsigned long long)span->place.offset);
    uint64_t header = physical - before, total = before + tar_padded(span->length);
    code = walk_init(&walk, target->copy.file, header, error);
    if (code == ERROR_NONE)
        code = walk_look(&walk, &found, error);
    bool fits = code == ERROR_NONE && found.next == header + total;
    bool is_void = fits && text_starts_with(found.path, TEXT("journal/void/"));
    walk_release(&walk);
    if (code != ERROR_NONE && code != ERROR_CORRUPT && code != ERROR_NOT_FOUND)
        return code;
    if (!is_void && (!fits || found.data != physical || found.size != span->length))
        return error_set(error, ERROR_CORRUPT, "the entry at %llu of volume %llu is not as named",
                         (unsigned long long)span->place.offset,
                         (unsigned long long)span->place.volume);
    struct change *item = &plan->items[plan->count++];
    *item = (struct change){span->place.volume, header, total, target->copy.generation, {0}};
    memset(item->what, '.', sizeof item->what);
    memcpy(item->what, "void-", 5);
    decimal_write_wide(item->what + 5, 20, span->place.offset);
    return ERROR_NONE;
}

/* The shortest of the three shapes that says how long the whole is. */
static size_t
void_header_size(uint64_t total)
{
    if (total - TAR_BLOCK_SIZE <= TAR_USTAR_SIZE_MAX)
        return TAR_BLOCK_SIZE;
    return total - TAR_LARGE_HEADER_SIZE > TAR_USTAR_SIZE_MAX ? TAR_LARGE_HEADER_SIZE
                                                              : TAR_PREAMBLE_SIZE;
}

static enum error_code
void_header(const struct change *item, char out[TAR_PREAMBLE_SIZE], size_t *ret_size,
            struct error *error)
{
    char path[PATH_TEXT_MAX];
    size_t size = void_header_size(item->length);
    int length = snprintf(path, sizeof path, "journal/void/%010llu-%.20s",
                          (unsigned long long)item->volume, item->what + 5);
    struct tar_entry entry = {text_of(path, (size_t)length), item->length - size, 0};
    *ret_size = size;
    return size == TAR_PREAMBLE_SIZE ? tar_write_preamble(&entry, out, error)
                                     : tar_write_header(&entry, out, error);
}

static enum error_code
write_void(struct target *target, const struct change *item, struct error *error)
{
    char header[TAR_PREAMBLE_SIZE];
    size_t size;
    enum error_code code = void_header(item, header, &size, error);
    return code != ERROR_NONE
               ? code
               : store__write(target->copy.file, item->physical, header, size, error);
}

enum error_code
void__write(struct device *device, struct device_file *file, uint64_t volume, uint64_t offset, uint64_t total,
            struct error *error)
{
    char header[TAR_PREAMBLE_SIZE], path[PATH_TEXT_MAX];
    int length = snprintf(path, sizeof path, "journal/void/%010llu-%020llu", (unsigned long long)volume,
                          (unsigned long long)offset + TAR_PREAMBLE_SIZE);
    struct tar_entry entry = {text_of(path, (size_t)length), total - TAR_PREAMBLE_SIZE, 0};
    enum error_code code = tar_write_preamble(&entry, header, error);
    if (code == ERROR_NONE)
        code = device->operations->punch(file, offset + TAR_PREAMBLE_SIZE, total - TAR_PREAMBLE_SIZE, error);
    return code != ERROR_NONE ? code : store__write(file, offset, header, TAR_PREAMBLE_SIZE, error);
}

static enum error_code
punch_void(struct target *target, const struct change *item, struct error *error)
{
    uint64_t header = void_header_size(item->length);
    if (item->length == header)
        return ERROR_NONE;
    return target->device->operations->punch(target->copy.file, item->physical + header,
                                             item->length - header, error);
}

/* ---- the redo file ---- */

static void
redo_line(struct buffer *out, const struct change *item)
{
    struct fixed_line numbers = {item->volume, item->physical, item->length};
    fixed_line_append(out, numbers);
    if (out->status == ERROR_NONE)
        out->data[out->length - 1] = ' ';
    buffer_printf(out, "%010u ", item->generation);
    buffer_append(out, item->what, REDO_WHAT_BYTES);
    buffer_append_char(out, '\n');
}

static enum error_code
write_redo(struct target *target, const struct changes *plan, struct error *error)
{
    unsigned char hash[SHA256_BYTES];
    struct buffer out AV_CLEANUP(buffer_release) = {0};
    struct device_file *file = NULL;
    for (size_t i = 0; i < plan->count; i++)
        redo_line(&out, &plan->items[i]);
    enum error_code code = buffer_status(&out, error);
    if (code != ERROR_NONE)
        return code;
    digest_compute(DIGEST_SHA256, out.data, out.length, hash);
    buffer_append_string(&out, "end ");
    buffer_append_hex(&out, hash, sizeof hash);
    buffer_append_char(&out, '\n');
    code = buffer_status(&out, error);
    enum error_code ignored =
        target->device->operations->remove(target->device, REDO_UNFINISHED, NULL);
    (void)ignored; /* mostly there is none */
    if (code == ERROR_NONE)
        code = device_open_file(target->device, REDO_UNFINISHED, DEVICE_CREATE, &file, error);
    if (code == ERROR_NONE)
        code = store__write(file, 0, out.data, out.length, error);
    if (code == ERROR_NONE)
        code = sync_file(target, file, error);
    device_close_file(file);
    if (code == ERROR_NONE)
        code =
            target->device->operations->rename(target->device, REDO_UNFINISHED, REDO_NAME, error);
    return code != ERROR_NONE ? code : sync_names(target, error);
}

static enum error_code
remove_redo(struct target *target, struct error *error)
{
    enum error_code code = target->device->operations->remove(target->device, REDO_NAME, error);
    return code != ERROR_NONE ? code : sync_names(target, error);
}

/* The changes of one volume, with a sync between headers and data. */
static enum error_code
apply_to_volume(struct target *target, const struct change *items, size_t count,
                struct error *error)
{
    enum error_code code = ERROR_NONE;
    bool voids = false;
    for (size_t i = 0; code == ERROR_NONE && i < count; i++) {
        voids = voids || is_void_change(&items[i]);
        code = is_void_change(&items[i]) ? write_void(target, &items[i], error)
                                         : replace_line(target, &items[i], error);
    }
    if (code == ERROR_NONE)
        code = sync_file(target, target->copy.file, error);
    for (size_t i = 0; code == ERROR_NONE && i < count; i++) {
        if (is_void_change(&items[i]))
            code = punch_void(target, &items[i], error);
    }
    if (code == ERROR_NONE && voids)
        code = sync_file(target, target->copy.file, error);
    return code;
}

static enum error_code
apply(struct target *target, const struct changes *plan, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (size_t i = 0, next; code == ERROR_NONE && i < plan->count; i = next) {
        uint64_t volume = plan->items[i].volume;
        for (next = i; next < plan->count && plan->items[next].volume == volume;)
            next++;
        code = open_target(target, volume, error);
        if (code == ERROR_NOT_FOUND) { /* taken away since */
            code = ERROR_NONE;
            continue;
        }
        if (code != ERROR_NONE)
            break;
        if (target->copy.generation == plan->items[i].generation)
            code = apply_to_volume(target, plan->items + i, next - i, error);
        close_target(target);
    }
    return code;
}

/* False: the file was not finished, so nothing has been put in place. */
static bool
parse_redo(struct text data, struct changes *plan)
{
    unsigned char stated[SHA256_BYTES], actual[SHA256_BYTES];
    if (data.length < REDO_END_BYTES || (data.length - REDO_END_BYTES) % REDO_LINE_BYTES != 0)
        return false;
    size_t count = (data.length - REDO_END_BYTES) / REDO_LINE_BYTES;
    const char *end = data.data + count * REDO_LINE_BYTES;
    if (memcmp(end, "end ", 4) != 0 ||
        !hex_decode(text_of(end + 4, SHA256_HEX_BYTES), stated, sizeof stated))
        return false;
    digest_compute(DIGEST_SHA256, data.data, count * REDO_LINE_BYTES, actual);
    if (memcmp(stated, actual, sizeof stated) != 0)
        return false;
    plan->items = calloc(count + 1, sizeof *plan->items);
    ensure(plan->items != NULL);
    for (size_t i = 0; i < count; i++) {
        char numbers[FIXED_LINE_BYTES];
        struct fixed_line line;
        uint64_t generation;
        memcpy(numbers, data.data + i * REDO_LINE_BYTES, sizeof numbers);
        numbers[FIXED_LINE_BYTES - 1] = '\n';
        const char *rest = data.data + i * REDO_LINE_BYTES + FIXED_LINE_BYTES;
        if (!fixed_line_parse(numbers, &line) || !text_to_u64(text_of(rest, 10), &generation) ||
            generation > UINT32_MAX)
            return false;
        struct change *item = &plan->items[plan->count++];
        *item = (struct change){line.a, line.b, line.c, (unsigned)generation, {0}};
        memcpy(item->what, rest + REDO_GENERATION_BYTES, REDO_WHAT_BYTES);
        if (is_void_change(item)
                ? item->length < TAR_BLOCK_SIZE
                : item->length < PURGED_LINE_BYTES || item->length > JOURNAL_ENTRY_MAX)
            return false;
    }
    return true;
}

enum error_code
purge__redo(struct store *store, struct device *device, struct error *error)
{
    struct device_file *file = NULL;
    struct changes plan = {0};
    struct target target = {.store = store, .device = device};
    struct buffer data AV_CLEANUP(buffer_release) = {0};
    uint64_t size = 0;
    enum error_code code = device_open_file(device, REDO_NAME, DEVICE_READ, &file, error);
    if (code == ERROR_NOT_FOUND)
        return ERROR_NONE;
    if (code == ERROR_NONE)
        code = store__device_size(file, &size, error);
    if (code == ERROR_NONE && buffer_reserve(&data, (size_t)size + 1) == NULL)
        code = buffer_status(&data, error);
    if (code == ERROR_NONE)
        code = device_read_exactly(file, 0, data.data, (size_t)size, error);
    data.length = (size_t)size;
    device_close_file(file);
    if (code == ERROR_NONE && parse_redo(buffer_text(&data), &plan)) {
        code = write_redo(&target, &plan, error); /* that it can be read is no proof */
        if (code == ERROR_NONE)
            code = apply(&target, &plan, error);
    }
    free(plan.items);
    if (code == ERROR_NONE)
        return remove_redo(&target, error);
    error_prefix(error, "an interrupted purge");
    return code;
}

/* ---- a request ---- */

/* One line or one span of a request. */
struct wanted {
    struct place place;
    const struct purge_line *line; /* NULL: a span */
    const struct purge_span *span;
};

static int
compare_wanted(const void *left, const void *right)
{
    const struct wanted *a = left, *b = right;
    if (a->place.volume != b->place.volume)
        return a->place.volume < b->place.volume ? -1 : 1;
    if (a->place.offset != b->place.offset)
        return a->place.offset < b->place.offset ? -1 : 1;
    if (a->line == NULL || b->line == NULL)
        return (a->line != NULL) - (b->line != NULL);
    return a->line->line_offset < b->line->line_offset
               ? -1
               : a->line->line_offset > b->line->line_offset;
}

/* By volume and place; malloc'ed. */
static struct wanted *
sorted_request(const struct purge_request *request, size_t *ret_count)
{
    size_t count = 0;
    struct wanted *all = calloc(request->line_count + request->span_count + 1, sizeof *all);
    ensure(all != NULL);
    for (size_t i = 0; i < request->line_count; i++)
        all[count++] = (struct wanted){request->lines[i].place, &request->lines[i], NULL};
    for (size_t i = 0; i < request->span_count; i++)
        all[count++] = (struct wanted){request->spans[i].place, NULL, &request->spans[i]};
    qsort(all, count, sizeof *all, compare_wanted);
    *ret_count = count;
    return all;
}

/* A copy may lack volumes: reported, left out. */
static bool
left_out(struct target *target, uint64_t volume, enum error_code code)
{
    if (target->store != NULL || code != ERROR_NOT_FOUND)
        return false;
    store__fault(&target->faults, ERROR_NOT_FOUND, volume, 0, 0, TEXT(""), "the volume is missing");
    return true;
}

/* Those of one volume. */
static enum error_code
plan_volume(struct target *target, const struct wanted *wanted, size_t count, struct changes *plan,
            struct error *error)
{
    uint64_t volume = wanted->place.volume;
    enum error_code code = open_target(target, volume, error);
    if (code != ERROR_NONE)
        return left_out(target, volume, code) ? ERROR_NONE : code;
    for (size_t i = 0; code == ERROR_NONE && i < count; i++)
        code = wanted[i].line != NULL ? plan_line(target, wanted[i].line, plan, error)
                                      : plan_span(target, wanted[i].span, plan, error);
    close_target(target);
    return code;
}

static enum error_code
plan_changes(struct target *target, const struct wanted *wanted, size_t count, struct changes *plan,
             struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (size_t i = 0, next; code == ERROR_NONE && i < count; i = next) {
        for (next = i; next < count && wanted[next].place.volume == wanted[i].place.volume;)
            next++;
        code = plan_volume(target, wanted + i, next - i, plan, error);
    }
    return code;
}

static enum error_code
purge(struct target *target, const struct purge_request *request, struct error *error)
{
    size_t count;
    struct wanted *wanted = sorted_request(request, &count);
    struct changes plan = {.items = calloc(count + 1, sizeof *plan.items)};
    ensure(plan.items != NULL);
    enum error_code code = purge__redo(target->store, target->device, error);
    if (code == ERROR_NONE)
        code = plan_changes(target, wanted, count, &plan, error);
    if (code == ERROR_NONE && plan.count > 0) {
        code = write_redo(target, &plan, error);
        if (code == ERROR_NONE)
            code = apply(target, &plan, error);
        if (code == ERROR_NONE)
            code = remove_redo(target, error);
    }
    free(plan.items);
    free(wanted);
    return code;
}

enum error_code
store_purge(struct store *store, const struct purge_request *request, struct error *error)
{
    struct target target = {.store = store, .device = store->device};
    enum error_code code = store__may_write(store, error);
    if (code != ERROR_NONE)
        return code;
    lock_take(&store->rewriting);
    code = purge(&target, request, error);
    lock_give(&store->rewriting);
    return code;
}

enum error_code
store_purge_copy(struct device *copy, const struct purge_request *request,
                 store_fault_function *on_fault, void *context, struct error *error)
{
    struct target target = {.device = copy, .faults = {on_fault, context, 0}};
    return purge(&target, request, error);
}
