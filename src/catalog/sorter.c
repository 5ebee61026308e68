/* SPDX-License-Identifier: Apache-2.0 */
/*
 * External merge sort: see sorter.h.
 *
 *     filling --sorter_finish()--> draining (from memory when nothing was spilled, else by a merge)
 *
 * While filling, one region of the budget's size holds the records, growing from its start, and an
 * array of entries that point to them, growing down from its end. When they meet, the entries are
 * sorted and the records written to the spill file as a run. All runs are in one file that has no
 * name (nothing is left by a kill). MERGE_WIDTH runs of one level are merged to one of the next, so
 * that the last merge is never too wide for its buffers.
 *
 * A record in a run: key length, value length, order (all LEB128), key, value.
 */
#include "catalog/sorter.h"

#include "base/buffer.h"
#include "base/ensure.h"
#include "catalog/key_sort.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MERGE_WIDTH = 64, LEAST_MEMORY_BYTES = 64 << 10, LEAST_READ_BYTES = 4 << 10 };
enum { HEAD_BYTES = 30, AHEAD = 8 };

struct run {
    uint64_t offset, length;
    unsigned level;
};

struct run_reader {
    uint64_t offset, left; /* not read yet */
    char *buffer;
    size_t capacity, start, end; /* buffered: start to end */
    size_t taken;                /* bytes of the present record, which begins at start */
    struct sorter_record record; /* in the buffer */
};

struct merge {
    struct run_reader *readers;
    size_t reader_count;
    struct run_reader **heap; /* the least at 0 */
    size_t heap_count;
    bool begun;
};

struct sorter {
    char *folder;
    size_t memory_bytes;
    char *region;
    char *records_end;              /* the next record goes here */
    struct key_sort_entry *entries; /* the first; they reach to the end of the region */
    size_t count, at;

    int spill; /* -1: none yet */
    uint64_t spill_end;
    struct run *runs;
    size_t run_count, run_capacity;
    struct buffer out;
    struct merge merge;
    bool finished;
    struct error failure; /* code NONE while all is well */
};

static char *
region_end(const struct sorter *sorter)
{
    return sorter->region + sorter->memory_bytes;
}

static void
empty_region(struct sorter *sorter)
{
    sorter->records_end = sorter->region;
    sorter->entries = (struct key_sort_entry *)(void *)region_end(sorter);
    sorter->count = sorter->at = 0;
}

enum error_code
sorter_new(const char *folder, size_t memory_bytes, struct sorter **ret_sorter, struct error *error)
{
    if (memory_bytes < LEAST_MEMORY_BYTES)
        memory_bytes = LEAST_MEMORY_BYTES;
    memory_bytes &= ~(size_t)4095;
    char *region = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED)
        return error_set_errno(error, errno, "cannot get %zu bytes to sort in", memory_bytes);
    (void)madvise(region, memory_bytes, MADV_HUGEPAGE); /* a third less time where there are such */
    struct sorter *sorter = calloc(1, sizeof *sorter);
    ensure(sorter != NULL);
    sorter->folder = text_copy(text_from(folder));
    sorter->memory_bytes = memory_bytes;
    sorter->region = region;
    sorter->spill = -1;
    empty_region(sorter);
    *ret_sorter = sorter;
    return ERROR_NONE;
}

static void
merge_release(struct merge *merge)
{
    for (size_t i = 0; i < merge->reader_count; i++)
        free(merge->readers[i].buffer);
    free(merge->readers);
    free(merge->heap);
    *merge = (struct merge){0};
}

void
sorter_free(struct sorter *sorter)
{
    if (sorter == NULL)
        return;
    merge_release(&sorter->merge);
    if (sorter->region != NULL)
        munmap(sorter->region, sorter->memory_bytes);
    if (sorter->spill >= 0)
        close(sorter->spill);
    buffer_release(&sorter->out);
    free(sorter->runs);
    free(sorter->folder);
    free(sorter);
}

/* The first failure is kept and told by every later call. */
static enum error_code
fail(struct sorter *sorter, struct error *error)
{
    if (error != NULL)
        *error = sorter->failure;
    return sorter->failure.code;
}

enum error_code
sorter_status(const struct sorter *sorter, struct error *error)
{
    if (sorter->failure.code != ERROR_NONE && error != NULL)
        *error = sorter->failure;
    return sorter->failure.code;
}

/* ---- writing runs ---- */

static enum error_code
open_spill(struct sorter *sorter)
{
    int spill = open(sorter->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (spill < 0) { /* not every file system has files without names */
        struct buffer path = {0};
        buffer_printf(&path, "%s/sort-XXXXXX", sorter->folder);
        (void)buffer_string(&path);
        spill = mkostemp(path.data, O_CLOEXEC);
        if (spill >= 0)
            unlink(path.data);
        buffer_release(&path);
    }
    if (spill < 0)
        return error_set_errno(&sorter->failure, errno, "cannot create a file to sort in %s",
                               sorter->folder);
    sorter->spill = spill;
    return ERROR_NONE;
}

static enum error_code
flush_out(struct sorter *sorter)
{
    struct buffer *out = &sorter->out;
    for (size_t done = 0; done < out->length;) {
        ssize_t written =
            pwrite(sorter->spill, out->data + done, out->length - done, (off_t)sorter->spill_end);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return error_set_errno(&sorter->failure, errno, "cannot write a sorted run in %s",
                                   sorter->folder);
        done += (size_t)written;
        sorter->spill_end += (uint64_t)written;
    }
    buffer_clear(out);
    return ERROR_NONE;
}

/* An eighth of the budget, within reason. */
static size_t
write_buffer_bytes(const struct sorter *sorter)
{
    size_t bytes = sorter->memory_bytes / 8;
    return bytes > 1 << 20 ? 1 << 20 : bytes;
}

static enum error_code
run_append(struct sorter *sorter, const struct sorter_record *record)
{
    buffer_append_varint(&sorter->out, record->key.length);
    buffer_append_varint(&sorter->out, record->value.length);
    buffer_append_varint(&sorter->out, record->order);
    buffer_append_text(&sorter->out, record->key);
    buffer_append_text(&sorter->out, record->value);
    if (buffer_status(&sorter->out, &sorter->failure) != ERROR_NONE)
        return sorter->failure.code;
    return sorter->out.length < write_buffer_bytes(sorter) ? ERROR_NONE : flush_out(sorter);
}

static enum error_code
run_end(struct sorter *sorter, uint64_t offset, unsigned level)
{
    enum error_code code = flush_out(sorter);
    if (code != ERROR_NONE)
        return code;
    if (sorter->run_count == sorter->run_capacity) {
        sorter->run_capacity = sorter->run_capacity == 0 ? MERGE_WIDTH : sorter->run_capacity * 2;
        sorter->runs = realloc(sorter->runs, sorter->run_capacity * sizeof *sorter->runs);
        ensure(sorter->runs != NULL);
    }
    sorter->runs[sorter->run_count++] = (struct run){offset, sorter->spill_end - offset, level};
    return ERROR_NONE;
}

static struct sorter_record
record_of(const struct key_sort_record *stored)
{
    return (struct sorter_record){
        .key = text_of(stored->bytes, stored->key_length),
        .order = stored->order,
        .value = text_of(stored->bytes + stored->key_length, stored->value_length)};
}

static struct sorter_record
entry_record(const struct sorter *sorter, size_t at)
{
    if (at + AHEAD < sorter->count)
        __builtin_prefetch(sorter->entries[at + AHEAD].record);
    return record_of(sorter->entries[at].record);
}

static enum error_code
spill_region(struct sorter *sorter)
{
    uint64_t offset = sorter->spill_end;
    if (sorter->spill < 0 && open_spill(sorter) != ERROR_NONE)
        return sorter->failure.code;
    key_sort(sorter->entries, sorter->count);
    for (size_t i = 0; i < sorter->count; i++) {
        struct sorter_record record = entry_record(sorter, i);
        enum error_code code = run_append(sorter, &record);
        if (code != ERROR_NONE)
            return code;
    }
    empty_region(sorter);
    return run_end(sorter, offset, 0);
}

/* ---- reading and merging runs ---- */

static enum error_code
reader_fill(struct sorter *sorter, struct run_reader *reader)
{
    memmove(reader->buffer, reader->buffer + reader->start, reader->end - reader->start);
    reader->end -= reader->start;
    reader->start = 0;
    while (reader->left > 0 && reader->end < reader->capacity) {
        size_t wanted = reader->capacity - reader->end;
        if (wanted > reader->left)
            wanted = (size_t)reader->left;
        ssize_t got =
            pread(sorter->spill, reader->buffer + reader->end, wanted, (off_t)reader->offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(&sorter->failure, errno, "cannot read a sorted run");
        if (got == 0)
            return error_set(&sorter->failure, ERROR_CORRUPT, "a sorted run ends early");
        reader->end += (size_t)got;
        reader->offset += (uint64_t)got;
        reader->left -= (uint64_t)got;
    }
    return ERROR_NONE;
}

/* True when the whole record at `start` is buffered; else `*ret_needed` bytes may be needed. */
static bool
reader_parse(struct run_reader *reader, size_t *ret_needed)
{
    size_t there = reader->end - reader->start;
    struct cursor cursor = cursor_of(reader->buffer + reader->start, there);
    size_t key_length = (size_t)cursor_varint(&cursor);
    size_t value_length = (size_t)cursor_varint(&cursor);
    reader->record.order = cursor_varint(&cursor);
    *ret_needed = HEAD_BYTES;
    if (cursor.bad)
        return false;
    *ret_needed = key_length > UINT32_MAX || value_length > UINT32_MAX
                      ? SIZE_MAX
                      : HEAD_BYTES + key_length + value_length;
    reader->record.key = cursor_bytes(&cursor, key_length);
    reader->record.value = cursor_bytes(&cursor, value_length);
    reader->taken = there - cursor.left;
    return !cursor.bad;
}

/* Steps to the next record; `*ret_there` false at the end of the run. */
static enum error_code
reader_next(struct sorter *sorter, struct run_reader *reader, bool *ret_there)
{
    size_t needed;
    reader->start += reader->taken;
    reader->taken = 0;
    while (!reader_parse(reader, &needed)) {
        if (reader->left == 0 && reader->start == reader->end) {
            *ret_there = false;
            return ERROR_NONE;
        }
        if (needed > HEAD_BYTES + (reader->end - reader->start) + reader->left || reader->left == 0)
            return error_set(&sorter->failure, ERROR_CORRUPT, "a sorted run is damaged");
        if (needed > reader->capacity) {
            reader->buffer = realloc(reader->buffer, needed);
            ensure(reader->buffer != NULL);
            reader->capacity = needed;
        }
        enum error_code code = reader_fill(sorter, reader);
        if (code != ERROR_NONE)
            return code;
    }
    *ret_there = true;
    return ERROR_NONE;
}

static bool
reader_before(const struct run_reader *a, const struct run_reader *b)
{
    int order = text_compare(a->record.key, b->record.key);
    return order != 0 ? order < 0 : a->record.order < b->record.order;
}

static void
heap_sink(struct merge *merge, size_t at)
{
    struct run_reader *sinking = merge->heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= merge->heap_count)
            break;
        if (child + 1 < merge->heap_count &&
            reader_before(merge->heap[child + 1], merge->heap[child]))
            child++;
        if (!reader_before(merge->heap[child], sinking))
            break;
        merge->heap[at] = merge->heap[child];
        at = child;
    }
    merge->heap[at] = sinking;
}

/* Over the last `count` runs. */
static enum error_code
merge_begin(struct sorter *sorter, size_t count)
{
    struct merge *merge = &sorter->merge;
    size_t buffer_bytes = sorter->memory_bytes / (count + 1);
    if (buffer_bytes < LEAST_READ_BYTES)
        buffer_bytes = LEAST_READ_BYTES;
    *merge = (struct merge){.reader_count = count};
    merge->readers = calloc(count, sizeof *merge->readers);
    merge->heap = calloc(count, sizeof *merge->heap);
    ensure(merge->readers != NULL && merge->heap != NULL);
    for (size_t i = 0; i < count; i++) {
        const struct run *run = &sorter->runs[sorter->run_count - count + i];
        struct run_reader *reader = &merge->readers[i];
        bool there;
        *reader = (struct run_reader){.offset = run->offset, .left = run->length};
        reader->capacity = run->length < buffer_bytes ? (size_t)run->length : buffer_bytes;
        reader->buffer = malloc(reader->capacity + 1);
        ensure(reader->buffer != NULL);
        enum error_code code = reader_next(sorter, reader, &there);
        if (code != ERROR_NONE)
            return code;
        if (there)
            merge->heap[merge->heap_count++] = reader;
    }
    for (size_t at = merge->heap_count / 2; at-- > 0;)
        heap_sink(merge, at);
    return ERROR_NONE;
}

/* The present least is stepped over only when the next is asked for: it is borrowed till then. */
static enum error_code
merge_next(struct sorter *sorter, struct sorter_record *ret_record, bool *ret_there)
{
    struct merge *merge = &sorter->merge;
    if (merge->begun && merge->heap_count > 0) {
        bool there;
        enum error_code code = reader_next(sorter, merge->heap[0], &there);
        if (code != ERROR_NONE)
            return code;
        if (!there)
            merge->heap[0] = merge->heap[--merge->heap_count];
        if (merge->heap_count > 0)
            heap_sink(merge, 0);
    }
    merge->begun = true;
    *ret_there = merge->heap_count > 0;
    if (*ret_there)
        *ret_record = merge->heap[0]->record;
    return ERROR_NONE;
}

/* The region is empty: its pages are lent to the buffers of the merge. */
static void
lend_region(struct sorter *sorter)
{
    ensure(sorter->count == 0);
    (void)madvise(sorter->region, sorter->memory_bytes, MADV_DONTNEED);
}

static enum error_code
merge_to_one_run(struct sorter *sorter, size_t count, unsigned level)
{
    uint64_t offset = sorter->spill_end, first = sorter->runs[sorter->run_count - count].offset;
    bool there = true;
    lend_region(sorter);
    enum error_code code = merge_begin(sorter, count);
    while (code == ERROR_NONE && there) {
        struct sorter_record record;
        code = merge_next(sorter, &record, &there);
        if (code == ERROR_NONE && there)
            code = run_append(sorter, &record);
    }
    merge_release(&sorter->merge);
    if (code != ERROR_NONE)
        return code;
    sorter->run_count -= count;
    /* Where holes cannot be punched the space is given back at the end. */
    (void)fallocate(sorter->spill, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)first,
                    (off_t)(offset - first));
    return run_end(sorter, offset, level);
}

static enum error_code
merge_full_levels(struct sorter *sorter)
{
    for (;;) {
        size_t count = 0;
        if (sorter->run_count == 0)
            return ERROR_NONE;
        unsigned level = sorter->runs[sorter->run_count - 1].level;
        while (count < sorter->run_count &&
               sorter->runs[sorter->run_count - 1 - count].level == level)
            count++;
        if (count < MERGE_WIDTH)
            return ERROR_NONE;
        enum error_code code = merge_to_one_run(sorter, count, level + 1);
        if (code != ERROR_NONE)
            return code;
    }
}

/* ---- the calls ---- */

static bool
lengths_are_allowed(const struct sorter *sorter, const struct sorter_record *record)
{
    size_t most =
        sorter->memory_bytes - 2 * sizeof(struct key_sort_entry) - sizeof(struct key_sort_record);
    return record->key.length <= UINT32_MAX && record->value.length <= UINT32_MAX &&
           record->key.length <= most && record->value.length <= most - record->key.length;
}

static void
store_record(struct sorter *sorter, const struct sorter_record *record, size_t size)
{
    struct key_sort_record *stored = (struct key_sort_record *)(void *)sorter->records_end;
    stored->order = record->order;
    stored->key_length = (uint32_t)record->key.length;
    stored->value_length = (uint32_t)record->value.length;
    if (record->key.length > 0)
        memcpy(stored->bytes, record->key.data, record->key.length);
    if (record->value.length > 0)
        memcpy(stored->bytes + record->key.length, record->value.data, record->value.length);
    sorter->records_end += size;
    sorter->entries--;
    sorter->entries->record = stored;
    sorter->count++;
}

enum error_code
sorter_add(struct sorter *sorter, const struct sorter_record *record, struct error *error)
{
    ensure(!sorter->finished);
    if (sorter->failure.code != ERROR_NONE)
        return fail(sorter, error);
    if (!lengths_are_allowed(sorter, record))
        return error_set(error, ERROR_LIMIT, "a record of %zu bytes is more than the sort memory",
                         record->key.length + record->value.length);
    size_t size = sizeof(struct key_sort_record) + record->key.length + record->value.length;
    size = (size + 7) & ~(size_t)7;
    size_t room = (size_t)((char *)sorter->entries - sorter->records_end);
    if (size + sizeof(struct key_sort_entry) > room &&
        (spill_region(sorter) != ERROR_NONE || merge_full_levels(sorter) != ERROR_NONE))
        return fail(sorter, error);
    store_record(sorter, record, size);
    return ERROR_NONE;
}

enum error_code
sorter_finish(struct sorter *sorter, struct error *error)
{
    ensure(!sorter->finished);
    sorter->finished = true;
    if (sorter->failure.code != ERROR_NONE)
        return fail(sorter, error);
    if (sorter->run_count == 0) {
        key_sort(sorter->entries, sorter->count);
        return ERROR_NONE;
    }
    if (spill_region(sorter) != ERROR_NONE)
        return fail(sorter, error);
    lend_region(sorter);
    if (merge_begin(sorter, sorter->run_count) != ERROR_NONE)
        return fail(sorter, error);
    return ERROR_NONE;
}

bool
sorter_next(struct sorter *sorter, struct sorter_record *ret_record)
{
    bool there = false;
    ensure(sorter->finished);
    if (sorter->failure.code != ERROR_NONE)
        return false;
    if (sorter->run_count > 0)
        return merge_next(sorter, ret_record, &there) == ERROR_NONE && there;
    if (sorter->at == sorter->count)
        return false;
    *ret_record = entry_record(sorter, sorter->at++);
    return true;
}
