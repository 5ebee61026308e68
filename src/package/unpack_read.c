/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading an archive through libarchive, which does the unpacking and nothing else: names, kinds and sizes of a zip come
 * from zip_directory.c, so that they do not depend on a locale. A tar is read forward, its members in the order of `place`. Of a zip
 * each member is shown to libarchive as a zip of its own: the member's bytes, then a directory of one entry.
 */
#include "package/unpack_read.h"

#include "base/ensure.h"
#include "package/zip_directory.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

enum { CHUNK_BYTES = 64 << 10 };

struct unpack_reading {
    const struct package_source *source;
    struct archive *archive;
    uint64_t from, window_bytes; /* what of the source is shown */
    unsigned char tail[ZIP_TAIL_BYTES_MAX]; /* shown after it */
    size_t tail_bytes;
    uint64_t offset; /* of the next byte to hand over, in window and tail */
    uint64_t next;   /* place of the entry that the next header is of */
    struct error failure; /* of the source */
    char chunk[CHUNK_BYTES], data[CHUNK_BYTES];
};

/* ---- libarchive's view of the source ---- */

static uint64_t
shown_bytes(const struct unpack_reading *reading)
{
    return reading->window_bytes + reading->tail_bytes;
}

static la_ssize_t
give_chunk(struct archive *archive, void *context, const void **ret_data)
{
    struct unpack_reading *reading = context;
    const struct package_source *source = reading->source;
    if (reading->offset >= reading->window_bytes) {
        size_t within = (size_t)(reading->offset - reading->window_bytes);
        *ret_data = reading->tail + within;
        reading->offset = shown_bytes(reading);
        return (la_ssize_t)(reading->tail_bytes - within);
    }
    uint64_t left = reading->window_bytes - reading->offset;
    size_t length = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
    enum error_code code = source->read(source->context, reading->from + reading->offset, reading->chunk, length, &reading->failure);
    if (code != ERROR_NONE) {
        reading->failure.code = code;
        archive_set_error(archive, EIO, "the source cannot be read");
        return ARCHIVE_FATAL;
    }
    reading->offset += length;
    *ret_data = reading->chunk;
    return (la_ssize_t)length;
}

static la_int64_t
skip_bytes(struct archive *archive, void *context, la_int64_t request)
{
    struct unpack_reading *reading = context;
    uint64_t left = shown_bytes(reading) - reading->offset;
    uint64_t length = request < 0 ? 0 : (uint64_t)request < left ? (uint64_t)request : left;
    (void)archive;
    reading->offset += length;
    return (la_int64_t)length;
}

static la_int64_t
seek_to(struct archive *archive, void *context, la_int64_t offset, int whence)
{
    struct unpack_reading *reading = context;
    int64_t size = (int64_t)shown_bytes(reading), at;
    int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_END ? size : (int64_t)reading->offset;
    (void)archive;
    if (__builtin_add_overflow(base, offset, &at) || at < 0 || at > size)
        return ARCHIVE_FATAL;
    reading->offset = (uint64_t)at;
    return at;
}

static enum error_code
read_failed(struct unpack *unpack, struct error *error)
{
    struct unpack_reading *reading = unpack->reading;
    const char *why = archive_error_string(reading->archive);
    if (reading->failure.code != ERROR_NONE) {
        if (error != NULL)
            *error = reading->failure;
        return reading->failure.code;
    }
    if (archive_errno(reading->archive) == ENOMEM)
        return error_set(error, ERROR_NO_MEMORY, "no memory to unpack a package");
    return error_set(error, ERROR_INVALID, "the archive is damaged: %s", why == NULL ? "no reason given" : why);
}

static void
show_member(struct unpack_reading *reading, const struct member *member)
{
    const struct zip_entry entry = {.flags = member->flags, .method = member->method, .crc = member->crc,
                                    .packed_bytes = member->packed_bytes, .size_bytes = member->size_bytes};
    reading->from = member->header_offset;
    reading->window_bytes = member->end_offset - member->header_offset;
    reading->tail_bytes = zip_write_tail(&entry, reading->window_bytes, reading->tail);
}

enum error_code
unpack_read__start(struct unpack *unpack, const struct member *member, struct error *error)
{
    ensure(unpack->reading == NULL && unpack->zip == (member != NULL));
    struct unpack_reading *reading = calloc(1, sizeof *reading);
    struct archive *archive = reading == NULL ? NULL : archive_read_new();
    if (archive == NULL) {
        free(reading);
        return error_set(error, ERROR_NO_MEMORY, "no memory to unpack a package");
    }
    unpack->reading = reading;
    reading->archive = archive;
    reading->source = &unpack->request->source;
    reading->window_bytes = reading->source->size_bytes;
    if (member != NULL) {
        show_member(reading, member);
        archive_read_support_format_zip_seekable(archive);
    } else {
        archive_read_support_format_tar(archive);
        archive_read_support_filter_gzip(archive);
    }
    archive_read_set_read_callback(archive, give_chunk);
    archive_read_set_skip_callback(archive, skip_bytes);
    archive_read_set_seek_callback(archive, seek_to);
    archive_read_set_callback_data(archive, reading);
    if (archive_read_open1(archive) == ARCHIVE_OK)
        return ERROR_NONE;
    if (reading->failure.code == ERROR_NONE)
        return error_set(error, ERROR_INVALID, "neither a zip nor a tar");
    return read_failed(unpack, error);
}

enum error_code
unpack_read__next(struct unpack *unpack, struct archive_entry **ret_entry, struct error *error)
{
    struct unpack_reading *reading = unpack->reading;
    int status = archive_read_next_header(reading->archive, ret_entry);
    if (status == ARCHIVE_EOF)
        *ret_entry = NULL;
    else if (status == ARCHIVE_FATAL && reading->next == 0 && !unpack->zip && reading->failure.code == ERROR_NONE)
        return error_set(error, ERROR_INVALID, "neither a zip nor a tar");
    else if (status != ARCHIVE_OK && status != ARCHIVE_WARN) /* a warning is about names, which are not taken from here */
        return read_failed(unpack, error);
    reading->next++;
    return ERROR_NONE;
}

void
unpack_read__end(struct unpack *unpack)
{
    if (unpack->reading == NULL)
        return;
    archive_read_free(unpack->reading->archive);
    free(unpack->reading);
    unpack->reading = NULL;
}

/* ---- a member ---- */

/* Goes forward to the member's header; in a tar from the beginning, when that is behind. */
static enum error_code
find_header(struct unpack *unpack, const struct member *member, struct error *error)
{
    struct archive_entry *entry = NULL;
    enum error_code code = ERROR_NONE;
    uint64_t place = unpack->zip ? 0 : member->place;
    if (unpack->reading != NULL && unpack->reading->next > place)
        unpack_read__end(unpack);
    if (unpack->reading == NULL)
        code = unpack_read__start(unpack, unpack->zip ? member : NULL, error);
    while (code == ERROR_NONE && unpack->reading->next <= place) {
        code = unpack_read__next(unpack, &entry, error);
        if (code == ERROR_NONE && entry == NULL)
            code = error_set(error, ERROR_INVALID, "the archive has fewer entries than it lists");
    }
    if (code == ERROR_NONE && archive_entry_size_is_set(entry) && (uint64_t)archive_entry_size(entry) != member->size_bytes)
        code = error_set(error, ERROR_INVALID, "its size is not the one that the archive's list says");
    return code;
}

static enum error_code
copy_data(struct unpack *unpack, const struct member *member, struct upload *upload, struct error *error)
{
    struct unpack_reading *reading = unpack->reading;
    for (uint64_t done = 0;;) {
        la_ssize_t got = archive_read_data(reading->archive, reading->data, sizeof reading->data);
        if (got < 0)
            return read_failed(unpack, error);
        done += (uint64_t)got;
        if (done > member->size_bytes || (got == 0 && done < member->size_bytes))
            return error_set(error, ERROR_INVALID, "it is not %llu bytes long as the archive says",
                             (unsigned long long)member->size_bytes);
        if (got == 0)
            return ERROR_NONE;
        enum error_code code = upload_write(upload, reading->data, (size_t)got, error);
        if (code != ERROR_NONE)
            return code;
    }
}

enum error_code
unpack_member(struct unpack *unpack, struct member *member, unsigned also, struct error *error)
{
    struct upload *upload = NULL;
    if (member->upload != NULL)
        return ERROR_NONE;
    ensure(!member->folder);
    enum error_code code = package_upload(unpack->request, also, &upload, error);
    if (code != ERROR_NONE)
        return code;
    code = find_header(unpack, member, error);
    if (code == ERROR_NONE)
        code = copy_data(unpack, member, upload, error);
    if (code == ERROR_NONE)
        code = upload_finish(upload, error);
    if (code != ERROR_NONE) {
        upload_free(upload);
        return error_prefix(error, "entry \"%.*s\"", TEXT_ARG(member->original));
    }
    member->upload = upload;
    return ERROR_NONE;
}
