/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of a request: headers into the table, framing and limits checked, the front end found.
 * Refuses what two readers could understand differently (RFC 9112 section 6.3): a length beside
 * chunks, lengths that differ, NUL bytes.
 */
#include "base/ensure.h"
#include "http/http_private.h"
#include "io/clock.h"

#define TARGET_BYTES_MAXIMUM 16384u
#define REQUEST_ID_BYTES_MAXIMUM 128u
#define REQUEST_ID_CHARACTERS                                                                      \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:+/=@"

static bool
consists_of(struct text text, const char *characters)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] == '\0' || strchr(characters, text.data[i]) == NULL)
            return false;
    }
    return text.length > 0;
}

/* Always false: the head is not accepted. */
static bool
refuse_and_close(struct http_request *request, unsigned status, const char *message)
{
    http_refuse(request, status, ERROR_PROTOCOL, "%s", message);
    request->answer.close = true;
    return false;
}

static void
store_header(struct http_request *request, enum http_header header, struct text value)
{
    struct text *place = &request->headers[header];
    if (place->data == NULL) {
        *place = value;
    } else if (http_header_is_list(header)) {
        char *joined = arena_printf(request->arena, "%.*s, %.*s", TEXT_ARG(*place), TEXT_ARG(value));
        if (joined != NULL)
            *place = text_from(joined);
    } else if (!text_equal(*place, value) && !http_answered(request)) {
        http_refuse(request, 400, ERROR_PROTOCOL, "header %.*s is sent twice with different values",
                    TEXT_ARG(http_header_name(header)));
        request->answer.close = true;
    }
}

static enum MHD_Result
visit_header(void *context, enum MHD_ValueKind kind, const char *name, size_t name_length, const char *value,
             size_t value_length)
{
    struct http_request *request = context;
    if (name_length == 0)
        return MHD_YES;
    enum http_header header = http_header_from_name(text_of(name, name_length));
    if (header != HTTP_HEADER_COUNT)
        store_header(request, header, value == NULL ? TEXT("") : text_trim(text_of(value, value_length)));
    return MHD_YES;
}

static void
name_request(struct http_request *request)
{
    struct http_server *server = request->connection->server;
    struct text given = request->headers[HTTP_HEADER_X_REQUEST_ID];
    if (given.length <= REQUEST_ID_BYTES_MAXIMUM && consists_of(given, REQUEST_ID_CHARACTERS)) {
        request->id = given;
        return;
    }
    char made[48];
    int length = snprintf(made, sizeof made, "%s-%llx", server->id_prefix,
                          (unsigned long long)atomic_fetch_add_explicit(&server->next_id, 1, memory_order_relaxed));
    request->id = arena_copy(request->arena, text_of(made, (size_t)length));
}

static bool
check_framing(struct http_request *request)
{
    struct text coding = request->headers[HTTP_HEADER_TRANSFER_ENCODING];
    struct text length = request->headers[HTTP_HEADER_CONTENT_LENGTH];
    if (coding.data != NULL) {
        request->has_body = true;
        request->body_bytes = HTTP_SIZE_UNKNOWN;
        if (!text_equal_ignoring_case(coding, TEXT("chunked")))
            return refuse_and_close(request, 501, "the only transfer coding known here is chunked");
        if (length.data != NULL)
            return refuse_and_close(request, 400, "Content-Length beside Transfer-Encoding");
    } else if (length.data != NULL) {
        if (!text_to_u64(length, &request->body_bytes))
            return refuse_and_close(request, 400, "Content-Length is not a number");
        request->has_body = request->body_bytes > 0;
    }
    return true;
}

static bool
check_limits(struct http_request *request)
{
    const struct http_options *options = &request->connection->server->options;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(request->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (request->target.length > TARGET_BYTES_MAXIMUM) {
        http_refuse(request, 414, ERROR_LIMIT, "the request target is longer than %u bytes", TARGET_BYTES_MAXIMUM);
        return false;
    }
    if (info != NULL && info->header_size > options->head_bytes) {
        http_refuse(request, 431, ERROR_LIMIT, "the request head is longer than %zu bytes (limit http_head_bytes)",
                    options->head_bytes);
        return false;
    }
    if (options->body_bytes != 0 && request->body_bytes != HTTP_SIZE_UNKNOWN &&
        request->body_bytes > options->body_bytes) {
        http_refuse(request, 413, ERROR_LIMIT, "the body is longer than %llu bytes (limit http_body_bytes)",
                    (unsigned long long)options->body_bytes);
        return false;
    }
    return true;
}

static bool
check_server(struct http_request *request)
{
    struct http_server *server = request->connection->server;
    bool over = request->connection->over_limit;
    if (!over && !atomic_load_explicit(&server->stopping, memory_order_relaxed))
        return true;
    http_set_header_static(request, "Retry-After", over ? "1" : "10");
    if (over)
        http_refuse(request, 503, ERROR_BUSY, "more than %u connections (limit http_connections)",
                    server->options.connections);
    else
        http_refuse(request, 503, ERROR_CLOSED, "the server is stopping");
    request->answer.close = true;
    return false;
}

/* Host goes into links, so only what can be a host and port is taken. */
static bool
check_host(struct http_request *request, bool version_1_1)
{
    struct http_server *server = request->connection->server;
    struct text host = request->headers[HTTP_HEADER_HOST];
    if (host.data == NULL && version_1_1)
        return refuse_and_close(request, 400, "no Host header");
    if (host.length > 0 && (host.length > 300 || !consists_of(host, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                                                     "0123456789-._:[]%")))
        return refuse_and_close(request, 400, "Host is not a host name and port");
    if (server->options.base_url.length > 0) {
        request->base_url = server->options.base_url;
    } else if (host.length == 0) {
        request->base_url = text_from(server->url);
    } else {
        struct text scheme = server->certificate != NULL ? TEXT("https://") : TEXT("http://");
        char *url = arena_alloc(request->arena, scheme.length + host.length + 1);
        if (url == NULL)
            return true;
        memcpy(url, scheme.data, scheme.length);
        memcpy(url + scheme.length, host.data, host.length);
        request->base_url = text_of(url, scheme.length + host.length);
    }
    return true;
}

static bool
check_expectation(struct http_request *request)
{
    struct text expect = request->headers[HTTP_HEADER_EXPECT];
    if (expect.data == NULL || text_equal_ignoring_case(expect, TEXT("100-continue")))
        return true;
    http_refuse(request, 417, ERROR_UNSUPPORTED, "the only expectation known here is 100-continue");
    return false;
}

static bool
takes(const struct http_front_end *front_end, struct text path, struct text *ret_below)
{
    struct text prefix = text_from(front_end->prefix);
    if (text_equal(prefix, TEXT("/"))) {
        *ret_below = path;
        return true;
    }
    if (!text_starts_with(path, prefix) || (path.length > prefix.length && path.data[prefix.length] != '/'))
        return false;
    *ret_below = text_of(path.data + prefix.length, path.length - prefix.length);
    return true;
}

/* "http://host/path" (absolute form, RFC 9112 section 3.2.2) means "/path". */
static struct text
without_authority(struct text target)
{
    struct text schemes[] = {TEXT("http://"), TEXT("https://")};
    for (size_t i = 0; i < 2; i++) {
        if (!text_starts_with(target, schemes[i]))
            continue;
        const char *rest = target.data + schemes[i].length;
        const char *slash = memchr(rest, '/', target.length - schemes[i].length);
        return slash == NULL ? TEXT("/") : text_of(slash, target.length - (size_t)(slash - target.data));
    }
    return target;
}

static void
find_front_end(struct http_request *request)
{
    struct http_server *server = request->connection->server;
    request->path = text_cut(without_authority(request->target), '?', &request->query);
    if (request->method == HTTP_OPTIONS && text_equal(request->path, TEXT("*"))) {
        http_set_header_static(request, "Allow", "GET, HEAD, PUT, POST, DELETE, OPTIONS");
        http_answer_empty(request, 204);
        return;
    }
    if (!text_starts_with(request->path, TEXT("/"))) {
        refuse_and_close(request, 400, "the request target does not begin with /");
        return;
    }
    for (unsigned i = 0; server->options.front_ends[i] != NULL; i++) {
        if (!takes(server->options.front_ends[i], request->path, &request->below))
            continue;
        request->front_end = server->options.front_ends[i];
        request->front_end_index = i;
        return;
    }
    http_refuse(request, 404, ERROR_NOT_FOUND, "nothing is served at this path");
}

void
head_read(struct http_request *request, const char *method, const char *version)
{
    MHD_get_connection_values_n(request->mhd, MHD_HEADER_KIND, visit_header, request);
    name_request(request);
    request->method = http_method_from_name(text_from(method));
    if (http_answered(request))
        return;
    if (version[0] != '\0' && (size_t)(version - request->target_at) != request->target.length + 1) {
        refuse_and_close(request, 400, "a NUL byte in the request line");
        return;
    }
    if (!check_framing(request) || !check_server(request) || !check_host(request, strcmp(version, "HTTP/1.1") == 0) ||
        !check_limits(request) || !check_expectation(request))
        return;
    if (request->method == HTTP_METHOD_COUNT) {
        http_refuse(request, 501, ERROR_UNSUPPORTED, "the method %.40s is not known here", method);
        return;
    }
    find_front_end(request);
}
