/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks for journal entries that are whole but not where they were written: somebody cut bytes out
 * of a log volume or put some in, and everything behind moved. A tail that the power tore never
 * looks like that, for what is written by half stays where it is.
 *
 * The search goes through every byte, since what moved need not stand on a block any more. The last
 * tar header of a journal entry before a mark is the one that the mark belongs to: between them are
 * only lines of JSON, which hold no header. Content cannot hold the mark, so it costs one pass.
 */
#include "volume/store_private.h"

struct search {
    const struct volume *volume;
    struct log_end after;
    uint64_t size; /* of the file */
    struct text mark;
    uint64_t header, length, sequence; /* of the last journal entry's header; header 0: none */
    struct journal_entry entry;
    struct displaced found; /* sequence 0: nothing yet */
};

/* Where the group's last entry in the volume said that the journal entry begins; 0: it has none. */
static uint64_t
written_at(const struct search *self)
{
    uint64_t end = 0;
    for (size_t i = 0; i < self->entry.entry_count; i++) {
        const struct journal_tar_entry *entry = &self->entry.entries[i];
        if (entry->place.volume == self->volume->number)
            end = entry->place.offset + tar_padded(entry->length);
    }
    return end;
}

static bool
is_displaced(const struct search *self)
{
    uint64_t start;
    if (self->header % TAR_BLOCK_SIZE != 0 ||
        !journal__lies_together(&self->entry, self->volume->number, self->header, &start))
        return true;
    return self->sequence == self->after.sequence + 1 && start != self->after.offset;
}

/* A mark was found: the header before it may begin a journal entry of this volume. */
static enum error_code
examine(struct search *self, struct error *error)
{
    uint64_t header = self->header;
    if (header == 0)
        return ERROR_NONE;
    enum error_code code = journal__read(self->volume->file, header + TAR_BLOCK_SIZE, self->length,
                                         self->sequence, &self->entry, error);
    if (code == ERROR_NONE && journal__belongs(&self->entry, self->volume) && is_displaced(self))
        self->found = (struct displaced){self->sequence, header, written_at(self)};
    self->header = 0;
    return code == ERROR_CORRUPT ? ERROR_NONE : code;
}

static void
remember_header(struct search *self, const char *block, uint64_t offset)
{
    char path[TAR_PATH_MAX];
    struct tar_block found;
    uint64_t sequence;
    if (tar_parse_block(block, path, &found, NULL) != ERROR_NONE || found.type != '0' ||
        !journal__parse_path(found.path, &sequence) || sequence <= self->after.sequence ||
        found.size > self->size - offset - TAR_BLOCK_SIZE)
        return;
    self->header = offset;
    self->length = found.size;
    self->sequence = sequence;
}

static const char *
find(struct text window, const char *from, struct text wanted)
{
    return memmem(from, window.length - (size_t)(from - window.data), wanted.data, wanted.length);
}

/* Headers and marks in the order in which they stand. */
static enum error_code
search_window(struct search *self, struct text window, uint64_t offset, struct error *error)
{
    static const struct text folder = {"journal/", 8};
    enum error_code code = ERROR_NONE;
    const char *path = find(window, window.data, folder);
    const char *mark = find(window, window.data, self->mark);
    while (code == ERROR_NONE && self->found.sequence == 0 && (path != NULL || mark != NULL)) {
        if (mark == NULL || (path != NULL && path < mark)) {
            size_t at = (size_t)(path - window.data);
            if (window.length - at >= TAR_BLOCK_SIZE)
                remember_header(self, path, offset + at);
            path = find(window, path + 1, folder);
        } else {
            code = examine(self, error);
            mark = find(window, mark + 1, self->mark);
        }
    }
    return code;
}

static enum error_code
search_file(struct search *self, struct error *error)
{
    enum error_code code = store__device_size(self->volume->file, &self->size, error);
    uint64_t at = self->after.offset;
    char *chunk = malloc(COPY_CHUNK_BYTES);
    ensure(chunk != NULL);
    while (code == ERROR_NONE && self->found.sequence == 0 && at + TAR_BLOCK_SIZE <= self->size) {
        uint64_t left = self->size - at;
        size_t part = left < COPY_CHUNK_BYTES ? (size_t)left : COPY_CHUNK_BYTES;
        code = device_read_exactly(self->volume->file, at, chunk, part, error);
        if (code == ERROR_NONE)
            code = search_window(self, text_of(chunk, part), at, error);
        at += part - (TAR_BLOCK_SIZE - 1); /* a header across the border comes again */
    }
    free(chunk);
    return code;
}

enum error_code
displaced__find(const struct volume *volume, struct log_end after, struct displaced *ret_displaced,
                struct error *error)
{
    struct buffer mark AV_CLEANUP(buffer_release) = {0};
    struct search self = {.volume = volume, .after = after};
    buffer_append_string(&mark, ",\"mark\":\"");
    if (volume->marked) /* else any mark will do */
        buffer_append_hex(&mark, volume->mark, sizeof volume->mark);
    enum error_code code = buffer_status(&mark, error);
    self.mark = buffer_text(&mark);
    if (code == ERROR_NONE)
        code = search_file(&self, error);
    journal__entry_release(&self.entry);
    if (code == ERROR_NONE)
        *ret_displaced = self.found;
    return code;
}

enum error_code
displaced__error(const struct displaced *found, const struct volume *volume, uint64_t sound_until,
                 struct error *error)
{
    uint64_t written = found->written_at, at = found->header;
    if (written == 0)
        error_set(error, ERROR_CORRUPT,
                  "the journal entry of group %llu is whole but not in its place, at %llu: "
                  "bytes were cut out or put in before it",
                  (unsigned long long)found->sequence, (unsigned long long)at);
    else
        error_set(error, ERROR_CORRUPT,
                  "the journal entry of group %llu is whole, but at %llu and not at %llu: "
                  "%llu bytes before it are %s",
                  (unsigned long long)found->sequence, (unsigned long long)at,
                  (unsigned long long)written,
                  (unsigned long long)(written > at ? written - at : at - written),
                  written > at ? "missing" : "too many");
    return error_prefix(error, "log volume %llu is sound up to %llu, then damaged",
                        (unsigned long long)volume->number, (unsigned long long)sound_until);
}
