/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, addresses, and documents that a worker makes. Their tag is a digest of their bytes: right whatever they show. */
#include "format/date.h"
#include "format/digest.h"
#include "format/percent.h"
#include "frontend/web/web_private.h"
#include "http/html.h"

#include <stdarg.h>

/* X(CODE, status): every error of the model. */
#define STATUSES(X)                                                                                \
    X(NOT_FOUND, 404)                                                                              \
    X(GONE, 410)                                                                                   \
    X(EXISTS, 500)                                                                                 \
    X(CONFLICT, 500)                                                                               \
    X(PRECONDITION, 412)                                                                           \
    X(DENIED, 403)                                                                                 \
    X(UNAUTHENTICATED, 401)                                                                        \
    X(INVALID, 400)                                                                                \
    X(DIGEST, 500)                                                                                 \
    X(LIMIT, 500)                                                                                  \
    X(FULL, 500)                                                                                   \
    X(IO, 500)                                                                                     \
    X(CORRUPT, 500)                                                                                \
    X(BUSY, 503)                                                                                   \
    X(TIMEOUT, 503)                                                                                \
    X(CLOSED, 503)                                                                                 \
    X(UNSUPPORTED, 406)                                                                            \
    X(PROTOCOL, 400)                                                                               \
    X(NO_MEMORY, 503)

static const unsigned statuses[ERROR_CODE_COUNT] = {
#define X(code_, status) [ERROR_##code_] = status,
    STATUSES(X)
#undef X
};

void
web_fail(struct http_request *request, const struct error *error)
{
    if (error->code == ERROR_GONE && web_answer_tombstone(request))
        return;
    unsigned status = statuses[error->code];
    if (status == 503)
        http_set_header_static(request, "Retry-After", "5");
    http_answer_error(request, status == 0 ? 500 : status, error);
}

/* ---- addresses ----------------------------------------------------------------------------------------------- */

struct text
web_url(struct http_request *request, const char *format, ...)
{
    struct buffer url = {0};
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *path = arena_alloc(request->arena, (size_t)length + 1);
    if (path == NULL)
        return TEXT("");
    va_start(arguments, format);
    vsnprintf(path, (size_t)length + 1, format, arguments);
    va_end(arguments);
    buffer_append_text(&url, request->base_url);
    for (struct text rest = text_of(path, (size_t)length); rest.data != NULL;) {
        struct text after, segment = text_cut(rest, '/', &after);
        buffer_append_char(&url, '/');
        percent_encode(&url, PERCENT_URI_SEGMENT, segment);
        rest = after;
    }
    struct text text = arena_copy(request->arena, buffer_text(&url));
    buffer_release(&url);
    return text;
}

struct text
web_entity_url(struct http_request *request, const struct entity *entity)
{
    return entity->handle.length > 0 ? web_url(request, "handle/%.*s", TEXT_ARG(entity->handle))
                                     : web_url(request, "items/%.*s", TEXT_ARG(entity->uuid));
}

struct text
web_file_name(struct http_request *request, struct text name, const char *end)
{
    char *whole = arena_printf(request->arena, "%.*s%s", TEXT_ARG(name), end);
    for (char *at = whole; at != NULL && *at != '\0'; at++)
        if (*at == '/')
            *at = '-';
    return text_from(whole);
}

void
web_add_link(struct http_request *request, struct text url, const char *rel, const char *type)
{
    struct buffer *links = &web_of(request)->links;
    buffer_printf(links, "%s<%.*s>; rel=\"%s\"", links->length > 0 ? ", " : "", TEXT_ARG(url), rel);
    if (type != NULL)
        buffer_printf(links, "; type=\"%s\"", type);
}

/* ---- entities ------------------------------------------------------------------------------------------------ */

static enum error_code
find_named(struct http_request *request, struct error *error)
{
    struct web *web = web_of(request);
    uint64_t number;
    if (strcmp(web->scheme, "handle") == 0)
        return repository_by_handle(web->repository, web->view, web->name, &web->entity, error);
    if (strcmp(web->scheme, "uuid") == 0)
        return repository_by_uuid(web->repository, web->view, web->name, &web->entity, error);
    if (!text_to_u64(web->name, &number))
        return error_set(error, ERROR_NOT_FOUND, "%.*s is no number of an item", TEXT_ARG(web->name));
    return repository_by_number(web->repository, web->view, number, &web->entity, error);
}

/* One that was shown and then withdrawn is closed to most readers: they are told that it is gone, not to sign in. */
enum error_code
web_find_entity(struct http_request *request, struct error *error)
{
    struct web *web = web_of(request);
    struct tombstone tombstone;
    enum error_code code = find_named(request, error);
    if ((code == ERROR_UNAUTHENTICATED || code == ERROR_DENIED) &&
        repository_tombstone(web->repository, web->scheme, web->name, request->arena, &tombstone, NULL) == ERROR_NONE &&
        tombstone.withdrawn)
        return error_set(error, ERROR_GONE, "%s %.*s has been withdrawn", web->scheme, TEXT_ARG(web->name));
    return code;
}

bool
web_sees_all(struct http_request *request, const struct entity *entity)
{
    rights held = 0;
    return request->principal.user != 0 &&
           view_rights(web_of(request)->view, &entity->resource, &held, NULL) == ERROR_NONE && (held & RIGHT_WRITE) != 0;
}

/* ---- documents from a worker ------------------------------------------------------------------------------------ */

static void
work(struct http_request *request)
{
    struct web *web = web_of(request);
    if (web->make(request, &web->error) == ERROR_NONE)
        (void)!buffer_status(&web->body, &web->error);
}

static void
set_headers(struct http_request *request, const struct representation *current)
{
    struct web *web = web_of(request);
    char date[DATE_TEXT_SIZE];
    http_set_header_format(request, "ETag", "\"%.*s\"", TEXT_ARG(current->tag));
    if (current->modified_us != INT64_MAX)
        http_set_header(request, "Last-Modified", text_of(date, date_write_http(current->modified_us, date)));
    if (web->links.length > 0)
        http_set_header(request, "Link", buffer_text(&web->links));
    http_set_header_static(request, "Cache-Control", request->principal.user == 0 ? "no-cache" : "private, no-cache");
    http_set_header_static(request, "Vary", "Accept, Authorization");
    http_set_header_static(request, "X-Content-Type-Options", "nosniff");
    http_set_header(request, "Content-Security-Policy", html_security_policy());
}

static void
finish(struct http_request *request)
{
    struct web *web = web_of(request);
    unsigned char digest[DIGEST_SIZE_MAX];
    struct buffer tag = {0};
    if (web->error.code != ERROR_NONE) {
        web_fail(request, &web->error);
        return;
    }
    digest_compute(DIGEST_SHA256, web->body.data, web->body.length, digest);
    buffer_append_hex(&tag, digest, 16);
    struct representation current = {arena_copy(request->arena, buffer_text(&tag)), false, web->modified_us};
    buffer_release(&tag);
    enum condition_verdict verdict = condition_of_read(request, &current);
    if (verdict == CONDITION_FAILED) {
        http_refuse(request, 412, ERROR_PRECONDITION, "the state is not the one that the conditions name");
        return;
    }
    set_headers(request, &current);
    if (verdict == CONDITION_NOT_MODIFIED) {
        http_answer_empty(request, 304);
        return;
    }
    http_set_header_static(request, "Content-Type", web->media_type);
    http_answer_owned(request, 200, &web->body.data, web->body.length);
    web->body = (struct buffer){0};
}

void
web_make(struct http_request *request, enum error_code (*make)(struct http_request *request, struct error *error),
         const char *media_type)
{
    struct error error = {0};
    web_of(request)->make = make;
    web_of(request)->media_type = media_type;
    if (http_work(request, work, finish, &error) != ERROR_NONE)
        web_fail(request, &error);
}
