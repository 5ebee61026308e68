/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a sealed volume, and what is in it:
 *
 *     log            journal/index/log-N   lines "sequence offset length", then one summary line
 *     log, compacted journal/index/log-N   the same
 *                    journal/map/log-N     lines "old-offset new-offset length", then a summary
 * line bulk           nothing;  bulk, compacted: journal/map/bulk-N all            two zero blocks
 *
 * A line has 63 bytes: three numbers of 20 digits. The summary line is "0 header-offset lines": it
 * tells a reader who comes from the end where the entry begins.
 */
#include "volume/store_private.h"

void
fixed_line_append(struct buffer *buffer, struct fixed_line line)
{
    char *to = buffer_reserve(buffer, FIXED_LINE_BYTES);
    if (to == NULL)
        return;
    decimal_write_wide(to, 20, line.a);
    to[20] = ' ';
    decimal_write_wide(to + 21, 20, line.b);
    to[41] = ' ';
    decimal_write_wide(to + 42, 20, line.c);
    to[62] = '\n';
    buffer->length += FIXED_LINE_BYTES;
}

bool
fixed_line_parse(const char *data, struct fixed_line *ret_line)
{
    struct fixed_line line;
    if (data[20] != ' ' || data[41] != ' ' || data[62] != '\n' ||
        !text_to_u64(text_of(data, 20), &line.a) || !text_to_u64(text_of(data + 21, 20), &line.b) ||
        !text_to_u64(text_of(data + 42, 20), &line.c))
        return false;
    *ret_line = line;
    return true;
}

enum error_code
fixed_table_read(struct device_file *file, const struct fixed_table *table, uint64_t line,
                 struct fixed_line *ret_line, struct error *error)
{
    char data[FIXED_LINE_BYTES];
    enum error_code code = device_read_exactly(file, table->offset + line * FIXED_LINE_BYTES, data,
                                               sizeof data, error);
    if (code == ERROR_NONE && !fixed_line_parse(data, ret_line))
        code = error_set(error, ERROR_CORRUPT, "a damaged line in an index or map");
    return code;
}

enum error_code
fixed_table_search(struct device_file *file, const struct fixed_table *table, uint64_t key,
                   uint64_t *ret_line, struct error *error)
{
    uint64_t low = 0, high = table->lines;
    while (low < high) {
        struct fixed_line line;
        uint64_t middle = low + (high - low) / 2;
        enum error_code code = fixed_table_read(file, table, middle, &line, error);
        if (code != ERROR_NONE)
            return code;
        if (line.a < key)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_line = low;
    return ERROR_NONE;
}

struct text
seal__path(const char *kind, const struct volume *volume, char out[PATH_TEXT_MAX])
{
    int length = snprintf(out, PATH_TEXT_MAX, "journal/%s/%s-%010llu", kind,
                          volume->bulk ? "bulk" : "log", (unsigned long long)volume->number);
    return text_of(out, (size_t)length);
}

/* ---- reading the end ---- */

/* The table whose entry ends (with its padding) at `end`. `header` is where that entry begins. */
static bool
table_before(struct device_file *file, uint64_t end, struct text kind,
             struct fixed_table *ret_table, uint64_t *ret_header, enum error_code *ret_code,
             struct error *error)
{
    char tail[TAR_BLOCK_SIZE + FIXED_LINE_BYTES], header[TAR_BLOCK_SIZE], path[TAR_PATH_MAX];
    struct fixed_line summary;
    struct tar_found found;
    size_t used = sizeof tail;
    *ret_code = ERROR_NONE;
    if (end < HEAD_BYTES + 2 * TAR_BLOCK_SIZE)
        return false;
    *ret_code = device_read_exactly(file, end - sizeof tail, tail, sizeof tail, error);
    if (*ret_code != ERROR_NONE)
        return false;
    while (used > 0 && tail[used - 1] == '\0')
        used--;
    if (used < FIXED_LINE_BYTES || !fixed_line_parse(tail + used - FIXED_LINE_BYTES, &summary) ||
        summary.a != 0 || summary.b < HEAD_BYTES || summary.b > end - 2 * TAR_BLOCK_SIZE ||
        summary.c > end / FIXED_LINE_BYTES)
        return false;
    *ret_code = device_read_exactly(file, summary.b, header, sizeof header, error);
    if (*ret_code != ERROR_NONE)
        return false;
    uint64_t size = (summary.c + 1) * FIXED_LINE_BYTES;
    if (tar_parse_entry(text_of(header, sizeof header), path, &found, NULL) != ERROR_NONE ||
        !text_starts_with(found.entry.path, kind) || found.entry.size != size ||
        summary.b + TAR_BLOCK_SIZE + tar_padded(size) != end)
        return false;
    *ret_table = (struct fixed_table){summary.b + TAR_BLOCK_SIZE, summary.c, true};
    *ret_header = summary.b;
    return true;
}

static enum error_code
ends_with_zeros(struct device_file *file, uint64_t size, bool *ret_zeros, struct error *error)
{
    unsigned char end[END_BYTES];
    *ret_zeros = false;
    if (size < HEAD_BYTES + END_BYTES || size % TAR_BLOCK_SIZE != 0)
        return ERROR_NONE;
    enum error_code code = device_read_exactly(file, size - END_BYTES, end, sizeof end, error);
    if (code == ERROR_NONE)
        *ret_zeros = tar_block_is_zero(end) && tar_block_is_zero(end + TAR_BLOCK_SIZE);
    return code;
}

enum error_code
seal__read_trailer(struct device_file *file, bool bulk, unsigned generation,
                   struct volume_trailer *ret_trailer, struct error *error)
{
    struct volume_trailer trailer = {0};
    uint64_t size;
    bool zeros = false;
    enum error_code code = store__device_size(file, &size, error);
    if (code == ERROR_NONE)
        code = ends_with_zeros(file, size, &zeros, error);
    if (code != ERROR_NONE || !zeros) {
        *ret_trailer = trailer;
        return code;
    }
    trailer.start = size - END_BYTES;
    bool good = true;
    if (generation > 1)
        good = table_before(file, trailer.start, TEXT("journal/map/"), &trailer.map, &trailer.start,
                            &code, error);
    if (good && !bulk)
        good = table_before(file, trailer.start, TEXT("journal/index/"), &trailer.index,
                            &trailer.start, &code, error);
    trailer.sealed = good;
    if (code == ERROR_NONE)
        *ret_trailer = trailer;
    return code;
}

/* ---- sealing ---- */

static enum error_code
index_entry(struct store *store, uint64_t header_at, struct buffer *out, struct error *error)
{
    char path[PATH_TEXT_MAX];
    struct clock *clock = store__clock(store);
    uint64_t lines = store->index.count;
    struct tar_entry entry = {seal__path("index", store->log, path), (lines + 1) * FIXED_LINE_BYTES,
                              (uint64_t)clock->now_us(clock) / 1000000u};
    char *header = buffer_reserve(out, TAR_BLOCK_SIZE);
    if (header == NULL)
        return buffer_status(out, error);
    enum error_code code = tar_write_header(&entry, header, error);
    if (code != ERROR_NONE)
        return code;
    out->length += TAR_BLOCK_SIZE;
    for (size_t i = 0; i < lines; i++)
        fixed_line_append(out, store->index.items[i]);
    fixed_line_append(out, (struct fixed_line){0, header_at, lines});
    buffer_append_zeros(out, (size_t)(tar_padded(entry.size) - entry.size) + END_BYTES);
    return buffer_status(out, error);
}

/* A trailer that could not be written is cut off again: the volume then stays open. */
static void
undo(struct store *store, const struct error *why)
{
    struct error ignored = {0};
    struct device_file *file = store->log->file;
    if (store->device->operations->truncate(file, store->group_end, &ignored) != ERROR_NONE ||
        store__sync(store, file, &ignored) != ERROR_NONE)
        store__fail(store, why);
}

static enum error_code
write_trailer(struct store *store, const struct buffer *trailer, struct error *error)
{
    struct error why = {0};
    struct device_file *file = store->log->file;
    enum error_code code =
        store__write(file, store->group_end, trailer->data, trailer->length, &why);
    if (code == ERROR_NONE)
        code = store__sync(store, file, &why);
    else
        undo(store, &why);
    if (code != ERROR_NONE)
        error_set(error, code, "cannot seal a log volume: %s", why.message);
    return code;
}

enum error_code
seal__log(struct store *store, struct error *error)
{
    struct buffer trailer AV_CLEANUP(buffer_release) = {0};
    enum error_code code = index__complete(store, error);
    if (code == ERROR_NONE)
        code = index_entry(store, store->group_end, &trailer, error);
    if (code != ERROR_NONE)
        return code;
    lock_take(&store->writing);
    code = write_trailer(store, &trailer, error);
    lock_give(&store->writing);
    if (code != ERROR_NONE)
        return code;
    struct volume *volume = store->log;
    (void)store->device->operations->protect(volume->file, true, NULL);
    lock_take(&store->lock);
    volume->index =
        (struct fixed_table){store->group_end + TAR_BLOCK_SIZE, store->index.count, true};
    volume->first_sequence = store->index.count == 0 ? 0 : store->index.items[0].a;
    volume->last_sequence =
        store->index.count == 0 ? 0 : store->index.items[store->index.count - 1].a;
    volume->size_bytes = store->group_end + trailer.length;
    volume->sealed = true;
    lock_give(&store->lock);
    return ERROR_NONE;
}

enum error_code
seal__roll(struct store *store, struct error *error)
{
    struct volume *next = NULL, *sealed = store->log;
    enum error_code code = ERROR_NONE;
    if (!sealed->sealed)
        code = seal__log(store, error);
    if (code == ERROR_NONE)
        code = volume__create(store, false, &next, error);
    if (code != ERROR_NONE)
        return code;
    lock_take(&store->lock);
    store->log = next;
    store->group_end = HEAD_BYTES;
    free(store->index.items);
    store->index = (struct volume_index){.whole = true};
    lock_give(&store->lock);
    volume__unpin(store, sealed);
    return ERROR_NONE;
}

enum error_code
seal__bulk(struct store *store, struct volume *volume, struct error *error)
{
    static const char zeros[END_BYTES];
    struct error why = {0};
    enum error_code code =
        store__write(volume->file, volume->size_bytes, zeros, sizeof zeros, &why);
    if (code == ERROR_NONE)
        code = store__sync(store, volume->file, &why);
    if (code != ERROR_NONE)
        return error_set(error, code, "cannot seal a bulk volume: %s", why.message);
    (void)store->device->operations->protect(volume->file, true, NULL);
    lock_take(&store->lock);
    volume->size_bytes += sizeof zeros;
    volume->sealed = true;
    lock_give(&store->lock);
    return ERROR_NONE;
}
