/* SPDX-License-Identifier: Apache-2.0 */
/* Content out, whole or by ranges: see content.h. */
#include "http/content.h"

#include "base/ensure.h"
#include "http/range.h"
#include "io/clock.h"

#define BLOCK_BYTES 65536u        /* content is checked in blocks of this size */
#define ONE_BUFFER_BYTES 65536u   /* answers up to this size are read at once */

/* A part of the answer: some text, then some bytes of the content. */
struct part {
    struct text head;
    struct byte_range range;
    uint64_t start; /* of the head, in the body */
};

struct content_stream {
    struct http_stream stream; /* first */
    struct content_reader *reader;
    struct part *parts; /* the last one has the closing text and no bytes */
    size_t part_count;
    size_t current;
    char *first_block; /* read before the answer began; NULL when used up */
    size_t first_length;
};

static ssize_t
read_content(struct content_stream *stream, uint64_t offset, char *bytes, size_t room)
{
    uint64_t to_boundary = BLOCK_BYTES - offset % BLOCK_BYTES;
    size_t length = room < to_boundary ? room : (size_t)to_boundary;
    /* as many whole blocks more as fit */
    if (room > to_boundary)
        length += (room - (size_t)to_boundary) / BLOCK_BYTES * BLOCK_BYTES;
    if (content_reader_read(stream->reader, offset, bytes, length, NULL) != ERROR_NONE)
        return HTTP_STREAM_FAILED;
    return (ssize_t)length;
}

static struct part *
part_at(struct content_stream *stream, uint64_t position)
{
    struct part *part = &stream->parts[stream->current];
    while (position >= part->start + part->head.length + part->range.length) {
        if (++stream->current == stream->part_count)
            return NULL;
        part = &stream->parts[stream->current];
    }
    return part;
}

static ssize_t
stream_read(struct http_stream *base, uint64_t position, char *bytes, size_t room)
{
    struct content_stream *stream = (struct content_stream *)base;
    if (stream->first_block != NULL) {
        ensure(position < stream->first_length);
        size_t length = stream->first_length - (size_t)position;
        length = length < room ? length : room;
        memcpy(bytes, stream->first_block + position, length);
        if (position + length == stream->first_length) {
            free(stream->first_block);
            stream->first_block = NULL;
        }
        return (ssize_t)length;
    }
    struct part *part = part_at(stream, position);
    if (part == NULL)
        return HTTP_STREAM_END;
    uint64_t within = position - part->start;
    if (within < part->head.length) {
        size_t length = part->head.length - (size_t)within;
        length = length < room ? length : room;
        memcpy(bytes, part->head.data + within, length);
        return (ssize_t)length;
    }
    within -= part->head.length;
    uint64_t left = part->range.length - within;
    return read_content(stream, part->range.first + within, bytes, left < room ? (size_t)left : room);
}

static void
stream_free(struct http_stream *base)
{
    struct content_stream *stream = (struct content_stream *)base;
    content_reader_close(stream->reader);
    free(stream->first_block);
}

static struct content_stream *
stream_new(struct http_request *request, size_t parts)
{
    struct content_stream *stream = arena_alloc(request->arena, sizeof *stream);
    struct part *list = arena_alloc(request->arena, parts * sizeof *list);
    if (stream == NULL || list == NULL)
        return NULL;
    stream->stream = (struct http_stream){stream_read, stream_free};
    stream->parts = list;
    stream->part_count = parts;
    return stream;
}

/* One buffer: the usual way of small files. */
static enum error_code
answer_at_once(struct http_request *request, struct content_reader *reader, unsigned status,
               const struct byte_range *range, struct error *error)
{
    char *body = malloc(range->length + 1);
    if (body == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for an answer of %llu bytes", (unsigned long long)range->length);
    enum error_code code = content_reader_read(reader, range->first, body, (size_t)range->length, error);
    if (code == ERROR_NONE)
        http_answer_owned(request, status, &body, (size_t)range->length);
    free(body);
    return code;
}

/* Moves the reader into the stream on success. */
static enum error_code
answer_streamed(struct http_request *request, struct content_reader **reader, unsigned status,
                struct content_stream *stream, struct error *error)
{
    if (stream == NULL)
        return arena_status(request->arena, error);
    uint64_t total = 0;
    for (size_t i = 0; i < stream->part_count; i++) {
        stream->parts[i].start = total;
        total += stream->parts[i].head.length + stream->parts[i].range.length;
    }
    stream->reader = *reader;
    if (request->method != HTTP_HEAD) {
        char *block = malloc(BLOCK_BYTES);
        if (block == NULL)
            return error_set(error, ERROR_NO_MEMORY, "no memory for a block");
        const struct byte_range *range = &stream->parts[0].range;
        size_t head = stream->parts[0].head.length;
        size_t length = BLOCK_BYTES - (size_t)(range->first % BLOCK_BYTES);
        length = length < range->length ? length : (size_t)range->length;
        length = length < BLOCK_BYTES - head ? length : BLOCK_BYTES - head;
        memcpy(block, stream->parts[0].head.data, head);
        if (content_reader_read(*reader, range->first, block + head, length, error) != ERROR_NONE) {
            free(block);
            return error->code;
        }
        stream->first_block = block;
        stream->first_length = head + length;
    }
    *reader = NULL;
    struct http_stream *base = &stream->stream;
    http_answer_stream(request, status, total, &base);
    return ERROR_NONE;
}

static enum error_code
answer_one(struct http_request *request, struct content_reader **reader, unsigned status,
           const struct byte_range *range, struct error *error)
{
    if (range->length == 0) {
        http_answer_empty(request, status);
        return ERROR_NONE;
    }
    if (range->length <= ONE_BUFFER_BYTES && request->method != HTTP_HEAD)
        return answer_at_once(request, *reader, status, range, error);
    struct content_stream *stream = stream_new(request, 1);
    if (stream != NULL)
        stream->parts[0].range = *range;
    if (stream != NULL)
        stream->parts[0].head = TEXT("");
    return answer_streamed(request, reader, status, stream, error);
}

/* multipart/byteranges (RFC 9110 section 14.6) */
static enum error_code
answer_several(struct http_request *request, struct content_reader **reader, struct text media_type, uint64_t size,
               const struct byte_range *ranges, size_t count, struct error *error)
{
    struct content_stream *stream = stream_new(request, count + 1);
    uint64_t chance[2];
    random_real()->fill(random_real(), chance, sizeof chance);
    char *boundary = arena_printf(request->arena, "%016llx%016llx", (unsigned long long)chance[0],
                                  (unsigned long long)chance[1]);
    for (size_t i = 0; stream != NULL && boundary != NULL && i < count; i++) {
        stream->parts[i].range = ranges[i];
        stream->parts[i].head = text_from(arena_printf(
            request->arena, "%s--%s\r\nContent-Type: %.*s\r\nContent-Range: bytes %llu-%llu/%llu\r\n\r\n",
            i == 0 ? "" : "\r\n", boundary, TEXT_ARG(media_type), (unsigned long long)ranges[i].first,
            (unsigned long long)(ranges[i].first + ranges[i].length - 1), (unsigned long long)size));
    }
    char *last = arena_printf(request->arena, "\r\n--%s--\r\n", boundary == NULL ? "" : boundary);
    if (arena_status(request->arena, error) != ERROR_NONE)
        return error->code;
    ensure(stream != NULL);
    stream->parts[count].head = text_from(last);
    enum error_code code = answer_streamed(request, reader, 206, stream, error);
    if (code == ERROR_NONE)
        http_set_header_format(request, "Content-Type", "multipart/byteranges; boundary=%s", boundary);
    return code;
}

static enum error_code
answer_ranges(struct http_request *request, struct content_reader **reader, struct text media_type,
              const struct byte_range *ranges, size_t count, struct error *error)
{
    uint64_t size = content_reader_size(*reader);
    if (count > 1)
        return answer_several(request, reader, media_type, size, ranges, count, error);
    enum error_code code = answer_one(request, reader, 206, &ranges[0], error);
    if (code == ERROR_NONE) {
        http_set_header(request, "Content-Type", media_type);
        http_set_header_format(request, "Content-Range", "bytes %llu-%llu/%llu", (unsigned long long)ranges[0].first,
                               (unsigned long long)(ranges[0].first + ranges[0].length - 1), (unsigned long long)size);
    }
    return code;
}

enum error_code
content_answer(struct http_request *request, struct content_reader **reader, struct text media_type,
               const struct representation *current, struct error *error)
{
    struct error own = {0};
    error = error != NULL ? error : &own;
    struct byte_range ranges[BYTE_RANGES_MAXIMUM];
    size_t count = 0;
    uint64_t size = content_reader_size(*reader);
    enum range_verdict verdict = RANGE_WHOLE;
    /* RFC 9110 section 14.2: Range means something for GET alone */
    if (request->method == HTTP_GET && http_has(request, HTTP_HEADER_RANGE) && condition_range_holds(request, current))
        verdict = range_parse(request->headers[HTTP_HEADER_RANGE], size, ranges, &count);
    enum error_code code = ERROR_NONE;
    if (verdict == RANGE_UNSATISFIABLE) {
        http_set_header_format(request, "Content-Range", "bytes */%llu", (unsigned long long)size);
        http_refuse(request, 416, ERROR_INVALID, "no byte of the range exists; there are %llu", (unsigned long long)size);
    } else if (verdict == RANGE_PART) {
        code = answer_ranges(request, reader, media_type, ranges, count, error);
    } else {
        struct byte_range whole = {0, size};
        code = answer_one(request, reader, 200, &whole, error);
        if (code == ERROR_NONE)
            http_set_header(request, "Content-Type", media_type);
    }
    if (code == ERROR_NONE && request->answer.status != 416)
        http_set_header_static(request, "Accept-Ranges", "bytes");
    if (*reader != NULL)
        content_reader_close(*reader);
    *reader = NULL;
    return code;
}
