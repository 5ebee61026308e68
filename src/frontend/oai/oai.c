/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The door: GET with a query or POST with a form, answered in a worker (crosswalks take their time).
 *
 *   head --GET--> work --> answer
 *   head --POST--> body --> work --> answer
 */
#include "frontend/oai/oai_private.h"

#define FORM_BYTES_MAXIMUM (64u << 10)
#define FORM_TYPE "application/x-www-form-urlencoded"

/* X("context") */
#define CONTEXTS(X) X("request") X("driver") X("openaire4")

static void
release(struct http_request *request)
{
    struct oai_request *oai = oai_of(request);
    view_close(oai->view);
    buffer_release(&oai->body);
    buffer_release(&oai->answer);
}

static bool
is_context(struct text word)
{
#define X(context)                                                                                 \
    if (text_equal(word, TEXT(context)))                                                           \
        return true;
    CONTEXTS(X)
#undef X
    return false;
}

static void
finish(struct http_request *request)
{
    struct oai_request *oai = oai_of(request);
    if (oai->error.code == ERROR_NONE && buffer_status(&oai->answer, &oai->error) == ERROR_NONE) {
        http_set_header_static(request, "Content-Type", "text/xml; charset=UTF-8");
        http_answer_owned(request, 200, &oai->answer.data, oai->answer.length);
        oai->answer = (struct buffer){0};
        return;
    }
    if (oai->error.code == ERROR_BUSY || oai->error.code == ERROR_TIMEOUT) {
        http_set_header_static(request, "Retry-After", "5");
        http_answer_error(request, 503, &oai->error);
        return;
    }
    http_answer_error(request, 500, &oai->error);
}

static void
start_work(struct http_request *request)
{
    struct error error = {0};
    if (http_work(request, oai_answer, finish, &error) == ERROR_NONE)
        return;
    http_set_header_static(request, "Retry-After", "5");
    http_answer_error(request, 503, &error);
}

static void
take_form(struct http_request *request)
{
    struct oai_request *oai = oai_of(request);
    oai->raw = buffer_text(&oai->body);
    start_work(request);
}

static bool
receive_form(struct http_request *request, const void *data, size_t length)
{
    struct oai_request *oai = oai_of(request);
    if (oai->body.length + length > FORM_BYTES_MAXIMUM) {
        http_refuse(request, 413, ERROR_LIMIT, "a form has at most %u bytes here", FORM_BYTES_MAXIMUM);
        return false;
    }
    buffer_append(&oai->body, data, length);
    return true;
}

static bool
is_form(struct text content_type)
{
    struct text rest;
    return text_equal_ignoring_case(text_trim(text_cut(content_type, ';', &rest)), TEXT(FORM_TYPE));
}

static void
begin(struct http_request *request)
{
    struct oai_request *oai = arena_alloc(request->arena, sizeof *oai);
    if (oai == NULL) {
        http_refuse(request, 500, ERROR_NO_MEMORY, "out of memory");
        return;
    }
    request->state = oai;
    request->release = release;
    oai->repository = request->repository;
    oai->context = request->below.length > 0 ? text_of(request->below.data + 1, request->below.length - 1) : TEXT("");
    if (!is_context(oai->context)) {
        http_refuse(request, 404, ERROR_NOT_FOUND, "OAI-PMH is at %s/request", request->front_end->prefix);
    } else if (http_is_read(request)) {
        oai->raw = request->query;
        start_work(request);
    } else if (request->method != HTTP_POST) {
        http_set_header_static(request, "Allow", "GET, HEAD, POST, OPTIONS");
        http_refuse(request, 405, ERROR_UNSUPPORTED, "OAI-PMH is asked by GET and POST");
    } else if (request->has_body && !is_form(request->headers[HTTP_HEADER_CONTENT_TYPE])) {
        http_refuse(request, 415, ERROR_UNSUPPORTED, "the body of a POST is " FORM_TYPE);
    } else {
        http_receive(request, receive_form, take_form);
    }
}

const struct http_front_end oai_front_end = {.name = "oai", .prefix = "/oai", .begin = begin};
const struct http_front_end oai_server_front_end = {.name = "oai", .prefix = "/server/oai", .begin = begin};
