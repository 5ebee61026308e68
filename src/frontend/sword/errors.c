/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors: one document for all of them (SWORD 1.3 section "Error documents", 2.0 section 12). Whatever is refused, 403 and 404
 * too, is told this way; the URIs under purl.org only for what the profiles name, ours for the rest (the Java client
 * of 1.3 refuses any other URI below that prefix).
 */
#include "format/date.h"
#include "frontend/sword/sword_private.h"

#include <stdarg.h>

#define SWORD_ERROR_URI "http://purl.org/net/sword/error/"
#define OWN_ERROR_URI "https://archivolt.org/ns/sword/errors/"

static const struct {
    const char *end;
    unsigned status[2];
} named[SWORD_ERROR_COUNT] = {
#define X(name, end, status_1, status_2) [SWORD_ERROR_##name] = {end, {status_1, status_2}},
    SWORD_ERRORS(X)
#undef X
};

/* X(code, status in 1.3, status in 2.0, named error or SWORD_ERROR_COUNT) */
#define CODES(X)                                                                                   \
    X(NOT_FOUND, 404, 404, COUNT)                                                                  \
    X(GONE, 404, 404, COUNT)                                                                       \
    X(EXISTS, 409, 409, COUNT)                                                                     \
    X(CONFLICT, 409, 409, COUNT)                                                                   \
    X(PRECONDITION, 412, 412, COUNT)                                                               \
    X(DENIED, 403, 403, COUNT)                                                                     \
    X(UNAUTHENTICATED, 401, 401, COUNT)                                                            \
    X(INVALID, 400, 400, BAD_REQUEST)                                                              \
    X(DIGEST, 412, 412, CHECKSUM)                                                                  \
    X(LIMIT, 413, 413, TOO_LARGE)                                                                  \
    X(FULL, 507, 507, COUNT)                                                                       \
    X(IO, 500, 500, COUNT)                                                                         \
    X(CORRUPT, 500, 500, COUNT)                                                                    \
    X(BUSY, 503, 503, COUNT)                                                                       \
    X(TIMEOUT, 503, 503, COUNT)                                                                    \
    X(CLOSED, 503, 503, COUNT)                                                                     \
    X(UNSUPPORTED, 415, 415, CONTENT)                                                              \
    X(PROTOCOL, 400, 400, BAD_REQUEST)                                                             \
    X(NO_MEMORY, 503, 503, COUNT)

static const struct {
    unsigned status[2];
    enum sword_error name;
} codes[ERROR_CODE_COUNT] = {
#define X(code, status_1, status_2, name) [ERROR_##code] = {{status_1, status_2}, SWORD_ERROR_##name},
    CODES(X)
#undef X
};

unsigned
sword_status(enum sword_version version, enum error_code code)
{
    return codes[code].status[version];
}

static void
answer_document(struct http_request *request, unsigned status, const char *uri, const char *message)
{
    struct sword *sword = sword_of(request);
    struct buffer body = {0};
    struct xml_writer xml = xml_writer(&body);
    bool first = sword->version == SWORD_1_3;
    xml_put_declaration(&xml);
    xml_begin_element(&xml, "sword:error");
    xml_put_attribute(&xml, "xmlns:sword",
                      first ? TEXT("http://purl.org/net/sword/") : TEXT("http://purl.org/net/sword/terms/"));
    xml_put_attribute(&xml, "xmlns:atom", TEXT("http://www.w3.org/2005/Atom"));
    xml_put_attribute(&xml, "href", text_from(uri));
    xml_put_element(&xml, "atom:title", TEXT("ERROR"));
    sword_put_time(&xml, "atom:updated", model_settled_us(request->model));
    xml_begin_element(&xml, "atom:generator");
    xml_put_attribute(&xml, "uri", TEXT("https://archivolt.org/"));
    xml_put_attribute(&xml, "version", TEXT(ARCHIVOLT_VERSION));
    xml_put_text(&xml, TEXT("Archivolt"));
    xml_end_element(&xml);
    xml_put_element(&xml, "atom:summary", text_from(message));
    xml_put_element(&xml, "sword:treatment", TEXT("Nothing was kept."));
    if (http_has(request, HTTP_HEADER_USER_AGENT))
        xml_put_element(&xml, "sword:userAgent", request->headers[HTTP_HEADER_USER_AGENT]);
    if (sword->intent.verbose || !first)
        xml_put_element(&xml, "sword:verboseDescription", text_from(message));
    xml_end_element(&xml);
    if (status == 401)
        http_set_header_static(request, "WWW-Authenticate", first ? "Basic realm=\"SWORD\"" : "Basic realm=\"SWORD2\"");
    if (status == 503)
        http_set_header_static(request, "Retry-After", "1");
    http_set_header_static(request, "Content-Type", first ? "application/xml; charset=UTF-8" : "text/xml; charset=UTF-8");
    if (buffer_status(&body, NULL) == ERROR_NONE) {
        http_answer_owned(request, status, &body.data, body.length);
        body = (struct buffer){0};
    } else {
        http_answer_empty(request, status);
    }
    buffer_release(&body);
}

static void
answer_named(struct http_request *request, enum sword_error which, unsigned status, const char *message)
{
    char uri[96];
    snprintf(uri, sizeof uri, SWORD_ERROR_URI "%s", named[which].end);
    answer_document(request, status, uri, message);
}

void
sword_refuse(struct http_request *request, enum sword_error which, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    answer_named(request, which, named[which].status[sword_of(request)->version], message);
}

void
sword_fail(struct http_request *request, const struct error *error)
{
    unsigned status = sword_status(sword_of(request)->version, error->code);
    char uri[96];
    if (codes[error->code].name != SWORD_ERROR_COUNT) {
        answer_named(request, codes[error->code].name, status, error->message);
        return;
    }
    snprintf(uri, sizeof uri, OWN_ERROR_URI "%s", error_word(error->code));
    answer_document(request, status, uri, error->message);
}
