/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as Fedora's clients know them, links, tags, addresses. */
#include "format/date.h"
#include "frontend/fedora/fedora_private.h"

#include <stdarg.h>

/* X(CODE, status): every error of the model. A digest that does not match is 409 as in Fedora, for the headers of
 * RFC 9530 too. */
#define STATUSES(X)                                                                                \
    X(NOT_FOUND, 404)                                                                              \
    X(GONE, 410)                                                                                   \
    X(EXISTS, 409)                                                                                 \
    X(CONFLICT, 409)                                                                               \
    X(PRECONDITION, 412)                                                                           \
    X(DENIED, 403)                                                                                 \
    X(UNAUTHENTICATED, 401)                                                                        \
    X(INVALID, 400)                                                                                \
    X(DIGEST, 409)                                                                                 \
    X(LIMIT, 400)                                                                                  \
    X(FULL, 507)                                                                                   \
    X(IO, 500)                                                                                     \
    X(CORRUPT, 500)                                                                                \
    X(BUSY, 503)                                                                                   \
    X(TIMEOUT, 503)                                                                                \
    X(CLOSED, 503)                                                                                 \
    X(UNSUPPORTED, 501)                                                                            \
    X(PROTOCOL, 400)                                                                               \
    X(NO_MEMORY, 503)

unsigned
fedora_status(enum error_code code)
{
    static const unsigned statuses[ERROR_CODE_COUNT] = {
#define X(code_, status) [ERROR_##code_] = status,
        STATUSES(X)
#undef X
    };
    return code < ERROR_CODE_COUNT ? statuses[code] : 0;
}

static const char *const constraint_names[FEDORA_CONSTRAINT_COUNT] = {
#define X(name, explanation) #name,
    FEDORA_CONSTRAINTS(X)
#undef X
};

static void
link_constraint(struct http_request *request, enum fedora_constraint constraint)
{
    http_set_header_format(request, "Link", "<%.*s" FEDORA_PREFIX "/fcr:constraints/%s>; rel=\"" LDP "constrainedBy\"",
                           TEXT_ARG(request->base_url), constraint_names[constraint]);
}

static void
link_tombstone(struct http_request *request)
{
    struct text url = fedora_url(request, fedora_of(request)->path);
    http_set_header_format(request, "Link", "<%.*s/fcr:tombstone>; rel=\"hasTombstone\"", TEXT_ARG(url));
}

void
fedora_fail(struct http_request *request, const struct error *error)
{
    unsigned status = fedora_status(error->code);
    if (error->code == ERROR_GONE && request->state != NULL)
        link_tombstone(request);
    if (error->code == ERROR_CONFLICT)
        link_constraint(request, FEDORA_CONSTRAINT_InteractionModelViolationException);
    if (status == 503)
        http_set_header_static(request, "Retry-After", "1");
    http_answer_error(request, status == 0 ? 500 : status, error);
}

void
fedora_refuse(struct http_request *request, enum fedora_constraint constraint, unsigned status, const char *format, ...)
{
    struct error error = {.code = status == 409   ? ERROR_CONFLICT
                                  : status == 501 ? ERROR_UNSUPPORTED
                                  : status == 415 ? ERROR_UNSUPPORTED
                                                  : ERROR_INVALID};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.message, sizeof error.message, format, arguments);
    va_end(arguments);
    link_constraint(request, constraint);
    http_answer_error(request, status, &error);
}

/* GET .../fcr:constraints/NAME: what a constrainedBy link says. */
void
fedora_answer_constraint(struct http_request *request)
{
    static const char *const explanations[FEDORA_CONSTRAINT_COUNT] = {
#define X(name, explanation) explanation "\n",
        FEDORA_CONSTRAINTS(X)
#undef X
    };
    struct text name = fedora_of(request)->part_name;
    for (unsigned i = 0; i < FEDORA_CONSTRAINT_COUNT; i++) {
        if (!text_ends_with(name, text_from(constraint_names[i])))
            continue;
        http_answer_text(request, 200, "text/plain; charset=utf-8", text_from(explanations[i]));
        return;
    }
    http_refuse(request, 404, ERROR_NOT_FOUND, "no such constraint");
}

/* ---- addresses and headers --------------------------------------------------------------------------- */

void
fedora_append_url(struct buffer *buffer, struct text base_url, struct text path)
{
    buffer_append_text(buffer, base_url);
    buffer_append_string(buffer, FEDORA_PREFIX);
    struct text rest = text_of(path.data + 1, path.length - 1);
    if (rest.length == 0) {
        buffer_append_char(buffer, '/');
        return;
    }
    while (rest.data != NULL) {
        struct text after;
        struct text segment = text_cut(rest, '/', &after);
        buffer_append_char(buffer, '/');
        percent_encode(buffer, PERCENT_URI_SEGMENT, segment);
        rest = after;
    }
}

struct text
fedora_url(struct http_request *request, struct text path)
{
    struct buffer buffer = {0};
    fedora_append_url(&buffer, request->base_url, path);
    struct text url = arena_copy(request->arena, buffer_text(&buffer));
    buffer_release(&buffer);
    return url;
}

void
fedora_set_tag(struct http_request *request, struct text tag, bool weak)
{
    http_set_header_format(request, "ETag", "%s\"%.*s\"", weak ? "W/" : "", TEXT_ARG(tag));
}

void
fedora_set_modified(struct http_request *request, int64_t time_us)
{
    char date[DATE_TEXT_SIZE];
    size_t length = date_write_http(time_us, date);
    http_set_header(request, "Last-Modified", text_of(date, length));
}

void
fedora_allow(struct http_request *request, const struct resource *resource)
{
    if (resource->kind == RESOURCE_FILE) {
        http_set_header_static(request, "Allow", "DELETE, HEAD, GET, PUT, OPTIONS");
        return;
    }
    bool root = text_equal(fedora_of(request)->path, TEXT("/")); /* is never deleted */
    http_set_header_static(request, "Allow", root ? "POST, HEAD, GET, PUT, OPTIONS" : "DELETE, POST, HEAD, GET, PUT, OPTIONS");
    http_set_header_static(request, "Accept-Post", "*/*");
}

void
fedora_set_type_links(struct http_request *request, const struct resource *resource)
{
    if (resource->kind == RESOURCE_FILE)
        http_set_header_format(request, "Link",
                               "<" LDP "Resource>; rel=\"type\", <" LDP "NonRDFSource>; rel=\"type\", "
                               "<%.*s/fcr:metadata>; rel=\"describedby\"",
                               TEXT_ARG(fedora_url(request, fedora_of(request)->path)));
    else
        http_set_header_static(request, "Link",
                               resource->flags & RESOURCE_AGGREGATE
                                   ? "<" LDP "Resource>; rel=\"type\", <" LDP "RDFSource>; rel=\"type\", <" LDP
                                     "Container>; rel=\"type\", <" LDP "BasicContainer>; rel=\"type\", <" FEDORA
                                     "ArchivalGroup>; rel=\"type\""
                                   : "<" LDP "Resource>; rel=\"type\", <" LDP "RDFSource>; rel=\"type\", <" LDP
                                     "Container>; rel=\"type\", <" LDP "BasicContainer>; rel=\"type\"");
}
