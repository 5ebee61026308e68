/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SimpleZip made on demand: the files of an item, stored, one after the other, as they are read; nothing is kept
 * but the list. The size is told before the first byte. A file that turns out damaged cuts the connection.
 */
#include "format/zip_write.h"
#include "frontend/sword/sword_private.h"

#define BLOCK_BYTES 65536u /* content is checked in blocks of this size */

struct zip_file {
    struct zip_record record;
    struct resource resource;
};

struct zip_stream {
    struct http_stream stream; /* first */
    struct view *view;
    struct arena *arena;
    struct zip_file *files;
    size_t count, capacity;
    struct buffer ready;  /* records that are to be sent before anything else */
    size_t sent;          /* of `ready` */
    size_t next;          /* file */
    struct content_reader *reader;
    uint64_t offset;      /* in the file that is read */
    uint64_t data_bytes;  /* all before the directory */
    bool ended;           /* the directory is written */
};

/* ---- sending ---- */

static void
put_directory(struct zip_stream *zip, struct buffer *out)
{
    size_t before = out->length;
    for (size_t i = 0; i < zip->count; i++)
        zip_put_central(out, &zip->files[i].record);
    zip_put_end(out, zip->count, zip->data_bytes, out->length - before);
}

/* What comes after what was sent: the next file's head, or the directory. False: an error. */
static bool
advance(struct zip_stream *zip)
{
    buffer_clear(&zip->ready);
    zip->sent = 0;
    if (zip->reader != NULL) {
        zip_put_descriptor(&zip->ready, &zip->files[zip->next++].record);
        content_reader_close(zip->reader);
        zip->reader = NULL;
    } else if (zip->next < zip->count) {
        struct zip_file *file = &zip->files[zip->next];
        if (view_content(zip->view, &file->resource, 0, &zip->reader, NULL) != ERROR_NONE)
            return false;
        zip_put_local(&zip->ready, &file->record);
        zip->offset = 0;
    } else {
        put_directory(zip, &zip->ready);
        zip->ended = true;
    }
    return buffer_status(&zip->ready, NULL) == ERROR_NONE;
}

static ssize_t
send_ready(struct zip_stream *zip, char *bytes, size_t room)
{
    size_t length = zip->ready.length - zip->sent;
    length = length < room ? length : room;
    memcpy(bytes, zip->ready.data + zip->sent, length);
    zip->sent += length;
    return (ssize_t)length;
}

static ssize_t
send_content(struct zip_stream *zip, char *bytes, size_t room)
{
    struct zip_file *file = &zip->files[zip->next];
    uint64_t left = file->record.size_bytes - zip->offset, to_boundary = BLOCK_BYTES - zip->offset % BLOCK_BYTES;
    size_t length = room < to_boundary ? room : (size_t)to_boundary;
    length = length < left ? length : (size_t)left;
    if (content_reader_read(zip->reader, zip->offset, bytes, length, NULL) != ERROR_NONE)
        return HTTP_STREAM_FAILED;
    file->record.crc = zip_crc(file->record.crc, bytes, length);
    zip->offset += length;
    return (ssize_t)length;
}

static ssize_t
stream_read(struct http_stream *base, uint64_t position, char *bytes, size_t room)
{
    struct zip_stream *zip = (struct zip_stream *)base;
    (void)position; /* they come in order */
    while (true) {
        if (zip->sent < zip->ready.length)
            return send_ready(zip, bytes, room);
        if (zip->reader != NULL && zip->offset < zip->files[zip->next].record.size_bytes)
            return send_content(zip, bytes, room);
        if (zip->ended)
            return HTTP_STREAM_END;
        if (!advance(zip))
            return HTTP_STREAM_FAILED;
    }
}

/* After the request's release(): the list is gone, the stream itself is not. */
static void
stream_free(struct http_stream *base)
{
    struct zip_stream *zip = (struct zip_stream *)base;
    content_reader_close(zip->reader);
    buffer_release(&zip->ready);
}

/* ---- the list ---- */

static bool
add_file(void *context, const struct bitstream *bitstream)
{
    struct zip_stream *zip = context;
    if (zip->count == zip->capacity) {
        size_t capacity = zip->capacity == 0 ? 16 : zip->capacity * 2;
        struct zip_file *files = arena_alloc(zip->arena, capacity * sizeof *files);
        if (files == NULL)
            return false; /* the arena remembers */
        if (zip->count > 0)
            memcpy(files, zip->files, zip->count * sizeof *files);
        zip->files = files;
        zip->capacity = capacity;
    }
    zip->files[zip->count++] = (struct zip_file){
        .record = {.name = bitstream->path, .size_bytes = bitstream->resource.size_bytes}, .resource = bitstream->resource};
    return true;
}

/* Places of all records, and the size of the whole. */
static enum error_code
measure(struct zip_stream *zip, uint64_t *ret_bytes, struct error *error)
{
    struct buffer records = {0};
    uint64_t at = 0;
    for (size_t i = 0; i < zip->count; i++) {
        struct zip_record *record = &zip->files[i].record;
        record->offset = at;
        buffer_clear(&records);
        zip_put_local(&records, record);
        zip_put_descriptor(&records, record);
        at += records.length + record->size_bytes;
    }
    zip->data_bytes = at;
    buffer_clear(&records);
    put_directory(zip, &records);
    *ret_bytes = at + records.length;
    enum error_code code = buffer_status(&records, error);
    buffer_release(&records);
    return code;
}

/* Whoever may not read one of the files gets none. */
static enum error_code
require_all(struct zip_stream *zip, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (size_t i = 0; i < zip->count && code == ERROR_NONE; i++)
        code = view_require(zip->view, &zip->files[i].resource, RIGHT_READ, error);
    return code;
}

enum error_code
sword_answer_zip(struct http_request *request, struct error *error)
{
    struct sword *sword = sword_of(request);
    struct zip_stream *zip = arena_alloc(request->arena, sizeof *zip);
    uint64_t size;
    if (zip == NULL)
        return arena_status(request->arena, error);
    *zip = (struct zip_stream){.stream = {stream_read, stream_free}, .view = sword->view, .arena = &sword->arena};
    enum error_code code =
        repository_bitstreams(sword->repository, sword->view, &sword->entity, TEXT("ORIGINAL"), add_file, zip, error);
    if (code == ERROR_NONE)
        code = arena_status(&sword->arena, error);
    if (code == ERROR_NONE)
        code = require_all(zip, error);
    if (code == ERROR_NONE)
        code = measure(zip, &size, error);
    if (code != ERROR_NONE)
        return code;
    struct http_stream *stream = &zip->stream;
    http_set_header_static(request, "Content-Type", "application/zip");
    http_set_header_static(request, "Packaging", packaging_uri(PACKAGING_SIMPLE_ZIP));
    http_set_header_format(request, "Content-Disposition", "attachment; filename=\"%.*s.zip\"", TEXT_ARG(sword->entity.uuid));
    http_answer_stream(request, 200, size, &stream);
    return ERROR_NONE;
}
