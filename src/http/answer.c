/* SPDX-License-Identifier: Apache-2.0 */
/* Answers: headers, bodies, errors in the client's language, and handing them to libmicrohttpd. */
#include "base/ensure.h"
#include "format/json.h"
#include "http/accept.h"
#include "http/http_private.h"

#include <stdarg.h>

#define STREAM_BLOCK_BYTES 65536u

void
http_set_header_static(struct http_request *request, const char *name, const char *value)
{
    struct http_answer *answer = &request->answer;
    ensure(answer->header_count < HTTP_ANSWER_HEADERS_MAXIMUM);
    answer->headers[answer->header_count++] = (struct http_answer_header){name, value};
}

void
http_set_header(struct http_request *request, const char *name, struct text value)
{
    char *copy = arena_string(request->arena, value);
    if (copy == NULL)
        return;
    for (size_t i = 0; i < value.length; i++) {
        if ((unsigned char)copy[i] < ' ' || copy[i] == 0x7F)
            copy[i] = '?';
    }
    http_set_header_static(request, name, copy);
}

void
http_set_header_format(struct http_request *request, const char *name, const char *format, ...)
{
    char stack[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(stack, sizeof stack, format, arguments);
    va_end(arguments);
    ensure(length >= 0);
    if ((size_t)length < sizeof stack) {
        http_set_header(request, name, text_of(stack, (size_t)length));
        return;
    }
    char *long_value = arena_alloc(request->arena, (size_t)length + 1);
    if (long_value == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(long_value, (size_t)length + 1, format, arguments);
    va_end(arguments);
    http_set_header(request, name, text_of(long_value, (size_t)length));
}

static void
set_status(struct http_request *request, unsigned status)
{
    ensure(request->answer.status == 0 && status >= 200 && status < 600);
    request->answer.status = status;
}

void
http_answer_empty(struct http_request *request, unsigned status)
{
    set_status(request, status);
    request->answer.body = TEXT("");
}

void
http_answer_text(struct http_request *request, unsigned status, const char *content_type, struct text body)
{
    set_status(request, status);
    http_set_header_static(request, "Content-Type", content_type);
    request->answer.body = body;
}

void
http_answer_owned(struct http_request *request, unsigned status, char **body, size_t length)
{
    set_status(request, status);
    request->answer.owned_body = *body;
    request->answer.body = text_of(*body, length);
    *body = NULL;
}

void
http_answer_stream(struct http_request *request, unsigned status, uint64_t size_bytes, struct http_stream **stream)
{
    set_status(request, status);
    request->answer.stream = *stream;
    request->answer.size_bytes = size_bytes;
    *stream = NULL;
}

void
http_answer_reset(struct http_request *request)
{
    struct http_answer *answer = &request->answer;
    if (answer->stream != NULL && answer->stream->free != NULL)
        answer->stream->free(answer->stream);
    free(answer->owned_body);
    answer->stream = NULL;
    answer->owned_body = NULL;
    answer->body = TEXT("");
    answer->status = 0;
    answer->header_count = 0;
}

/* ---- errors --------------------------------------------------------------------------------------- */

static bool
wants_json(const struct http_request *request)
{
    static const struct media_type offered[] = {{"text", "plain"}, {"application", "json"}};
    return accept_choose(request->headers[HTTP_HEADER_ACCEPT], offered, 2) == 1;
}

static struct text
error_body(struct http_request *request, unsigned status, const struct error *error, bool json)
{
    struct buffer buffer = {0};
    if (json) {
        struct json_writer writer = json_writer(&buffer);
        json_begin_object(&writer);
        json_member_string(&writer, "error", error_word(error->code));
        json_member_u64(&writer, "status", status);
        json_key(&writer, "message");
        if (text_is_utf8(text_from(error->message)))
            json_put_string(&writer, error->message);
        else
            json_put_string(&writer, "the message is not UTF-8");
        json_member_text(&writer, "request_id", request->id);
        json_end_object(&writer);
        buffer_append_char(&buffer, '\n');
    } else {
        buffer_printf(&buffer, "%s: %s\nrequest id: %.*s\n", error_word(error->code), error->message,
                      TEXT_ARG(request->id));
    }
    struct text body = arena_copy(request->arena, buffer_text(&buffer));
    buffer_release(&buffer);
    return body;
}

void
http_answer_error(struct http_request *request, unsigned status, const struct error *error)
{
    bool json = wants_json(request);
    if (status == 401) {
        http_set_header_static(request, "WWW-Authenticate", "Basic realm=\"archivolt\", charset=\"UTF-8\"");
        http_set_header_static(request, "WWW-Authenticate", "Bearer realm=\"archivolt\"");
    }
    if (status == 503 || status == 429)
        request->answer.close = request->answer.close || request->has_body;
    http_answer_text(request, status, json ? "application/json" : "text/plain; charset=utf-8",
                     error_body(request, status, error, json));
}

void
http_refuse(struct http_request *request, unsigned status, enum error_code code, const char *format, ...)
{
    struct error error = {.code = code};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.message, sizeof error.message, format, arguments);
    va_end(arguments);
    http_answer_error(request, status, &error);
}

bool
http_only_read(struct http_request *request)
{
    if (http_is_read(request))
        return true;
    http_set_header_static(request, "Allow", "GET, HEAD, OPTIONS");
    if (request->method == HTTP_OPTIONS)
        http_answer_empty(request, 204);
    else
        http_refuse(request, 405, ERROR_UNSUPPORTED, "this is only read");
    return false;
}

/* ---- to libmicrohttpd ------------------------------------------------------------------------------ */

static ssize_t
read_stream(void *context, uint64_t position, char *bytes, size_t room)
{
    struct http_request *request = context;
    struct http_stream *stream = request->answer.stream;
    ensure(request->magic == HTTP_REQUEST_MAGIC && stream != NULL);
    ssize_t count = stream->read(stream, position, bytes, room);
    if (count == HTTP_STREAM_END)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (count <= 0)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    ensure((size_t)count <= room);
    request->sent_bytes += (uint64_t)count;
    return count;
}

static struct MHD_Response *
make_response(struct http_request *request)
{
    struct http_answer *answer = &request->answer;
    if (answer->stream != NULL) {
        uint64_t size = answer->size_bytes == HTTP_SIZE_UNKNOWN ? MHD_SIZE_UNKNOWN : answer->size_bytes;
        return MHD_create_response_from_callback(size, STREAM_BLOCK_BYTES, read_stream, request, NULL);
    }
    union {
        const char *in;
        void *out;
    } body = {.in = answer->body.data}; /* persistent: it is not written to */
    request->sent_bytes = request->method == HTTP_HEAD ? 0 : answer->body.length;
    return MHD_create_response_from_buffer(answer->body.length, body.out, MHD_RESPMEM_PERSISTENT);
}

static void
append_phase(struct buffer *value, struct text name, uint64_t duration_ns)
{
    uint64_t us = (duration_ns + 500) / 1000, part = us % 1000;
    buffer_append_text(value, name);
    buffer_append_text(value, TEXT(";dur="));
    buffer_append_u64(value, us / 1000);
    buffer_append_text(value, part < 10 ? TEXT(".00") : part < 100 ? TEXT(".0") : TEXT("."));
    buffer_append_u64(value, part);
}

/* Phases of a write, milliseconds (W3C Server Timing). */
static void
add_timing(struct http_request *request)
{
    const struct transaction_timing *t = &request->timing;
    struct buffer value = {0};
    if (!request->has_timing)
        return;
    append_phase(&value, TEXT("wait"), t->wait_ns);
    append_phase(&value, TEXT(", layout"), t->layout_ns);
    append_phase(&value, TEXT(", write"), t->write_ns);
    append_phase(&value, TEXT(", sync"), t->sync_ns);
    append_phase(&value, TEXT(", catalog"), t->catalog_ns);
    http_set_header(request, "Server-Timing", buffer_text(&value));
    buffer_release(&value);
}

static void
answer_out_of_memory(struct http_request *request)
{
    struct error error = {0};
    if (arena_status(request->arena, &error) == ERROR_NONE)
        return;
    http_answer_reset(request);
    request->has_timing = false;
    request->answer.status = error.code == ERROR_LIMIT ? 413 : 503;
    request->answer.body = TEXT("limit: the request needs more memory than one request may (limit http_request_bytes)\n");
    http_set_header_static(request, "Content-Type", "text/plain; charset=utf-8");
}

enum MHD_Result
answer_queue(struct http_request *request)
{
    struct http_answer *answer = &request->answer;
    answer_out_of_memory(request);
    add_timing(request);
    struct MHD_Response *response = make_response(request);
    if (response == NULL)
        return MHD_NO;
    for (unsigned i = 0; i < answer->header_count; i++)
        MHD_add_response_header(response, answer->headers[i].name, answer->headers[i].value);
    if (request->id.length > 0)
        MHD_add_response_header(response, "X-Request-Id", arena_string(request->arena, request->id));
    if (answer->close)
        MHD_add_response_header(response, "Connection", "close");
    request->phase = HTTP_PHASE_DONE;
    atomic_fetch_add(&request->connection->server->answering, 1);
    enum MHD_Result result = MHD_queue_response(request->mhd, answer->status, response);
    MHD_destroy_response(response);
    return result;
}
