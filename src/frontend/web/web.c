/* SPDX-License-Identifier: Apache-2.0 */
/* The door: from a path to its route. */
#include "format/percent.h"
#include "frontend/web/web_private.h"
#include "http/request.h"

static const struct web_route {
    const char *pattern;
    http_step *get;
} routes[] = {
#define X(pattern, function) {pattern, function},
    WEB_ROUTES(X)
#undef X
};

static void
release(struct http_request *request)
{
    struct web *web = web_of(request);
    view_close(web->view);
    buffer_release(&web->body);
    buffer_release(&web->links);
    web_zip_release(web->zip);
}

static struct text
join(struct arena *arena, const struct text *segments, size_t count)
{
    struct buffer whole = {0};
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_char(&whole, '/');
        buffer_append_text(&whole, segments[i]);
    }
    struct text text = arena_copy(arena, buffer_text(&whole));
    buffer_release(&whole);
    return text;
}

static bool
fits(struct text pattern, const struct percent_path *path, struct arena *arena, struct text *arguments)
{
    struct text rest = pattern;
    uint64_t number;
    size_t at = 0, count = 0;
    while (rest.length > 0) {
        struct text after, want = text_cut(rest, '/', &after);
        if (at == path->count)
            return false;
        bool any = text_equal(want, TEXT("*")), all = text_equal(want, TEXT("**")), digits = text_equal(want, TEXT("#"));
        if (!any && !all && (digits ? !text_to_u64(path->segments[at], &number) : !text_equal(want, path->segments[at])))
            return false;
        if (any || all || digits)
            arguments[count++] = all ? join(arena, path->segments + at, path->count - at) : path->segments[at];
        at = all ? path->count : at + 1;
        rest = after.data == NULL ? TEXT("") : after;
    }
    return at == path->count;
}

static bool
only_post(struct http_request *request)
{
    if (request->method == HTTP_POST)
        return true;
    http_set_header_static(request, "Allow", "POST, OPTIONS");
    if (request->method == HTTP_OPTIONS)
        http_answer_empty(request, 204);
    else
        http_refuse(request, 405, ERROR_UNSUPPORTED, "POST a list of handles or UUIDs");
    return false;
}

static void
begin(struct http_request *request)
{
    struct web *web = arena_alloc(request->arena, sizeof *web);
    struct percent_path path;
    struct error error = {0};
    if (web == NULL) {
        http_refuse(request, 503, ERROR_NO_MEMORY, "out of memory");
        return;
    }
    web->repository = request->repository;
    web->modified_us = INT64_MAX;
    request->state = web;
    request->release = release;
    if (percent_split_path(request->arena, request->path, &path, &error) != ERROR_NONE) {
        web_fail(request, &error);
        return;
    }
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        if (!fits(text_from(routes[i].pattern), &path, request->arena, web->arguments))
            continue;
        if (routes[i].get == web_post_zip ? !only_post(request) : !http_only_read(request))
            return;
        if (view_open(request->model, &request->principal, &web->view, &error) != ERROR_NONE)
            web_fail(request, &error);
        else
            routes[i].get(request);
        return;
    }
    http_refuse(request, 404, ERROR_NOT_FOUND, "nothing is served at this path; resources are below /rest/");
}

void
web_get_root(struct http_request *request)
{
    http_set_header_static(request, "Content-Security-Policy", "default-src 'none'");
    http_answer_text(request, 200, "text/html; charset=utf-8",
                     TEXT("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Archivolt</title></head>\n"
                          "<body><h1>Archivolt</h1><p><a href=\"/rest/\">resources</a></p></body></html>\n"));
}

const struct http_front_end web_front_end = {.name = "web", .prefix = "/", .begin = begin};
