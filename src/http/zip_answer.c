/* SPDX-License-Identifier: Apache-2.0 */
/* Many files as one zip: see zip_answer.h. */
#include "http/zip_answer.h"

#include "format/digest.h"
#include "http/disposition.h"
#include "http/range.h"

#define BLOCK_BYTES 65536u /* content is checked in blocks of this size */

/* ---- making it, from its beginning ---------------------------------------------------------------------------- */

static void
put_directory(struct zip_answer *zip, struct buffer *out)
{
    size_t before = out->length;
    for (size_t i = 0; i < zip->count; i++)
        zip_put_central(out, &zip->files[i].record);
    zip_put_end(out, zip->count, zip->data_bytes, out->length - before);
}

static bool
begin_file(struct zip_answer *zip)
{
    struct zip_answer_file *file = &zip->files[zip->next];
    if (file->resource.id != 0 && view_content(zip->view, &file->resource, 0, &zip->reader, NULL) != ERROR_NONE)
        return false;
    zip_put_local(&zip->ready, &file->record);
    zip->offset = 0;
    zip->in_file = true;
    return true;
}

static void
end_file(struct zip_answer *zip)
{
    zip_put_descriptor(&zip->ready, &zip->files[zip->next++].record);
    content_reader_close(zip->reader);
    zip->reader = NULL;
    zip->in_file = false;
}

/* What comes after what was made: the next file's head, or the directory. False: an error. */
static bool
advance(struct zip_answer *zip)
{
    bool good = true;
    buffer_clear(&zip->ready);
    zip->sent = 0;
    if (zip->in_file) {
        end_file(zip);
    } else if (zip->next < zip->count) {
        good = begin_file(zip);
    } else {
        put_directory(zip, &zip->ready);
        zip->ended = true;
    }
    return good && buffer_status(&zip->ready, NULL) == ERROR_NONE;
}

static ssize_t
make_content(struct zip_answer *zip, char *bytes, size_t room)
{
    struct zip_answer_file *file = &zip->files[zip->next];
    uint64_t left = file->record.size_bytes - zip->offset, to_boundary = BLOCK_BYTES - zip->offset % BLOCK_BYTES;
    size_t length = room < to_boundary ? room : (size_t)to_boundary;
    length = length < left ? length : (size_t)left;
    if (file->resource.id == 0)
        memcpy(bytes, file->bytes.data + zip->offset, length);
    else if (content_reader_read(zip->reader, zip->offset, bytes, length, NULL) != ERROR_NONE)
        return HTTP_STREAM_FAILED;
    file->record.crc = zip_crc(file->record.crc, bytes, length);
    zip->offset += length;
    return (ssize_t)length;
}

/* The next bytes of the zip. */
static ssize_t
make(struct zip_answer *zip, char *bytes, size_t room)
{
    while (true) {
        if (zip->sent < zip->ready.length) {
            size_t length = zip->ready.length - zip->sent;
            length = length < room ? length : room;
            memcpy(bytes, zip->ready.data + zip->sent, length);
            zip->sent += length;
            return (ssize_t)length;
        }
        if (zip->in_file && zip->offset < zip->files[zip->next].record.size_bytes)
            return make_content(zip, bytes, room);
        if (zip->ended)
            return HTTP_STREAM_END;
        if (!advance(zip))
            return HTTP_STREAM_FAILED;
    }
}

static ssize_t
stream_read(struct http_stream *base, uint64_t position, char *bytes, size_t room)
{
    struct zip_answer *zip = (struct zip_answer *)base;
    uint64_t left = zip->length - position; /* they come in order */
    return left == 0 ? HTTP_STREAM_END : make(zip, bytes, room < left ? room : (size_t)left);
}

/* After the request's release(): the list is gone, the stream itself is not. */
static void
stream_free(struct http_stream *base)
{
    struct zip_answer *zip = (struct zip_answer *)base;
    content_reader_close(zip->reader);
    buffer_release(&zip->ready);
}

void
zip_answer_release(struct zip_answer *zip)
{
    stream_free(&zip->stream);
    zip->reader = NULL;
    zip->ready = (struct buffer){0};
}

/* ---- the list ------------------------------------------------------------------------------------------------- */

void
zip_answer_init(struct zip_answer *zip, struct view *view, struct arena *arena)
{
    *zip = (struct zip_answer){.stream = {stream_read, stream_free}, .view = view, .arena = arena};
}

static enum error_code
add(struct zip_answer *zip, const struct zip_answer_file *file, struct error *error)
{
    if (file->record.name.length == 0 || file->record.name.length > UINT16_MAX)
        return error_set(error, ERROR_LIMIT, "a name of %zu bytes does not fit into a zip", file->record.name.length);
    if (zip->count == zip->capacity) {
        size_t capacity = zip->capacity == 0 ? 16 : zip->capacity * 2;
        struct zip_answer_file *files = arena_alloc(zip->arena, capacity * sizeof *files);
        if (files == NULL)
            return arena_status(zip->arena, error);
        if (zip->count > 0)
            memcpy(files, zip->files, zip->count * sizeof *files);
        zip->files = files;
        zip->capacity = capacity;
    }
    zip->files[zip->count++] = *file;
    return ERROR_NONE;
}

enum error_code
zip_answer_add(struct zip_answer *zip, struct text name, const struct resource *resource, struct error *error)
{
    const struct zip_answer_file file = {.record = {.name = name, .size_bytes = resource->size_bytes}, .resource = *resource};
    return add(zip, &file, error);
}

enum error_code
zip_answer_add_bytes(struct zip_answer *zip, struct text name, struct text bytes, struct error *error)
{
    const struct zip_answer_file file = {.record = {.name = name, .size_bytes = bytes.length}, .bytes = bytes};
    return add(zip, &file, error);
}

/* ---- before it is sent ---------------------------------------------------------------------------------------- */

/* Places of all records, and the size of the whole. */
static enum error_code
measure(struct zip_answer *zip, struct error *error)
{
    struct buffer records AV_CLEANUP(buffer_release) = {0};
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
    zip->size_bytes = at + records.length;
    return buffer_status(&records, error);
}

/* Strong: content of a state never changes, and all else in the zip follows from names, sizes and contents. */
static void
make_tag(struct zip_answer *zip)
{
    struct digest_stream stream = {0};
    unsigned char digest[DIGEST_SIZE_MAX];
    struct buffer facts = {0};
    digest_stream_init(&stream, DIGEST_SHA256);
    for (size_t i = 0; i < zip->count; i++) {
        const struct zip_answer_file *file = &zip->files[i];
        buffer_clear(&facts);
        buffer_append_counted(&facts, file->record.name);
        buffer_append_varint(&facts, file->resource.id);
        buffer_append_varint(&facts, file->resource.counter);
        if (file->resource.id == 0)
            buffer_append_counted(&facts, file->bytes);
        digest_stream_update(&stream, facts.data, facts.length);
    }
    digest_stream_finish(&stream, digest);
    digest_stream_release(&stream);
    buffer_clear(&facts);
    buffer_append_hex(&facts, digest, digest_size(DIGEST_SHA256));
    memcpy(zip->tag, buffer_string(&facts), sizeof zip->tag);
    buffer_release(&facts);
}

static struct representation
representation_of(const struct zip_answer *zip)
{
    return (struct representation){text_from(zip->tag), false, INT64_MAX};
}

/* Makes all before the first byte that is wanted, for the checksums. */
static enum error_code
skip(struct zip_answer *zip, struct error *error)
{
    char *bytes = malloc(BLOCK_BYTES);
    enum error_code code = bytes == NULL ? error_set(error, ERROR_NO_MEMORY, "no memory for a zip") : ERROR_NONE;
    for (uint64_t left = zip->first; left > 0 && code == ERROR_NONE;) {
        ssize_t made = make(zip, bytes, left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES);
        if (made <= 0)
            code = error_set(error, ERROR_CORRUPT, "a file before the range cannot be read");
        left -= made > 0 ? (uint64_t)made : left;
    }
    free(bytes);
    return code;
}

enum error_code
zip_answer_prepare(struct zip_answer *zip, const struct http_request *request, struct error *error)
{
    struct byte_range ranges[BYTE_RANGES_MAXIMUM];
    size_t count = 0;
    enum error_code code = measure(zip, error);
    if (code != ERROR_NONE)
        return code;
    make_tag(zip);
    zip->length = zip->size_bytes;
    const struct representation current = representation_of(zip);
    struct text range = request == NULL ? (struct text){NULL, 0} : request->headers[HTTP_HEADER_RANGE];
    if (range.data == NULL || request->method != HTTP_GET || !condition_range_holds(request, &current))
        return ERROR_NONE;
    switch (range_parse(range, zip->size_bytes, ranges, &count)) {
    case RANGE_UNSATISFIABLE:
        zip->length = 0;
        break;
    case RANGE_PART:
        if (count == 1) {
            zip->first = ranges[0].first;
            zip->length = ranges[0].length;
        }
        break;
    case RANGE_WHOLE:
        break;
    }
    return zip->first == 0 ? ERROR_NONE : skip(zip, error);
}

static void
set_headers(struct zip_answer *zip, struct http_request *request, struct text filename)
{
    struct buffer disposition = {0};
    disposition_write(&disposition, "attachment", filename);
    http_set_header(request, "Content-Disposition", buffer_text(&disposition));
    buffer_release(&disposition);
    http_set_header_static(request, "Content-Type", "application/zip");
    http_set_header_static(request, "Accept-Ranges", "bytes");
    http_set_header_static(request, "Cache-Control", request->principal.user == 0 ? "no-cache" : "private, no-cache");
    http_set_header_format(request, "ETag", "\"%s\"", zip->tag);
}

void
zip_answer_send(struct zip_answer *zip, struct http_request *request, struct text filename)
{
    const struct representation current = representation_of(zip);
    enum condition_verdict verdict = condition_of_read(request, &current);
    struct http_stream *stream = &zip->stream;
    bool part = zip->length != zip->size_bytes;
    if (verdict == CONDITION_FAILED) {
        http_refuse(request, 412, ERROR_PRECONDITION, "the state is not the one that the conditions name");
    } else if (verdict == CONDITION_NOT_MODIFIED) {
        set_headers(zip, request, filename);
        http_answer_empty(request, 304);
    } else if (zip->length == 0) {
        http_set_header_format(request, "Content-Range", "bytes */%llu", (unsigned long long)zip->size_bytes);
        http_refuse(request, 416, ERROR_INVALID, "the zip has %llu bytes", (unsigned long long)zip->size_bytes);
    } else {
        set_headers(zip, request, filename);
        if (part)
            http_set_header_format(request, "Content-Range", "bytes %llu-%llu/%llu", (unsigned long long)zip->first,
                                   (unsigned long long)(zip->first + zip->length - 1), (unsigned long long)zip->size_bytes);
        http_answer_stream(request, part ? 206 : 200, zip->length, &stream);
        return;
    }
    zip_answer_release(zip);
}
