/* SPDX-License-Identifier: Apache-2.0 */
/* The door: from a target to a path and a part, and from a method to the function that answers it. */
#include "frontend/fedora/fedora_private.h"

#include "http/field.h"

static void
release(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    view_close(fedora->view);
    transaction_free(fedora->transaction);
}

static enum fedora_part
part_from_segment(struct text segment)
{
#define X(name, word)                                                                              \
    if (text_equal(segment, TEXT(word)))                                                           \
        return FEDORA_PART_##name;
    FEDORA_PARTS(X)
#undef X
    return FEDORA_PART_OTHER;
}

static struct text
join(struct arena *arena, const struct text *segments, size_t count)
{
    if (count == 0)
        return TEXT("/");
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += 1 + segments[i].length;
    char *path = arena_alloc(arena, length + 1);
    if (path == NULL)
        return TEXT("/");
    char *end = path;
    for (size_t i = 0; i < count; i++) {
        *end++ = '/';
        memcpy(end, segments[i].data, segments[i].length);
        end += segments[i].length;
    }
    return text_of(path, length);
}

static enum error_code
read_target(struct http_request *request, struct fedora *fedora, struct error *error)
{
    struct text raw = request->below.length == 0 ? TEXT("/") : request->below;
    struct percent_path path;
    if (percent_split_path(request->arena, raw, &path, error) != ERROR_NONE)
        return error->code;
    size_t count = 0;
    while (count < path.count && !text_starts_with(path.segments[count], TEXT("fcr:")))
        count++;
    fedora->path = join(request->arena, path.segments, count);
    if (count < path.count) {
        fedora->part = part_from_segment(path.segments[count]);
        fedora->part_name = join(request->arena, path.segments + count, path.count - count);
        bool sub = fedora->part != FEDORA_PART_CONSTRAINTS && path.count > count + 1;
        fedora->part = sub ? FEDORA_PART_OTHER : fedora->part;
    }
    return path_check_existing(fedora->path, model_limits(request->model), error);
}

static void
refuse_part(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    bool changes = !http_is_read(request) && request->method != HTTP_OPTIONS;
    fedora_refuse(request, FEDORA_CONSTRAINT_ServerManagedTypeException, changes ? 409 : 501,
                  "%.*s is not served here (names that begin with fcr: belong to the server)",
                  TEXT_ARG(fedora->part_name));
}

static void
refuse_method(struct http_request *request, const char *allow)
{
    http_set_header_static(request, "Allow", allow);
    http_refuse(request, 405, ERROR_UNSUPPORTED, "this method is not for this resource; it allows %s", allow);
}

static void
dispatch_part(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    if (fedora->part == FEDORA_PART_OTHER)
        refuse_part(request);
    else if (request->method == HTTP_OPTIONS)
        fedora_options(request);
    else if (fedora->part == FEDORA_PART_CONSTRAINTS && http_is_read(request))
        fedora_answer_constraint(request);
    else if (fedora->part == FEDORA_PART_TOMBSTONE && request->method == HTTP_DELETE)
        fedora_delete(request);
    else if (fedora->part == FEDORA_PART_TOMBSTONE)
        refuse_method(request, "DELETE, OPTIONS");
    else if (http_is_read(request))
        fedora_get(request);
    else
        refuse_method(request, "GET, HEAD, OPTIONS");
}

static void
begin(struct http_request *request)
{
    struct fedora *fedora = arena_alloc(request->arena, sizeof *fedora);
    struct error error = {0};
    if (fedora == NULL || read_target(request, fedora, &error) != ERROR_NONE) {
        fedora_fail(request, &error);
        return;
    }
    request->state = fedora;
    request->release = release;
    if (fedora->part != FEDORA_PART_NONE) {
        dispatch_part(request);
        return;
    }
    switch (request->method) {
    case HTTP_GET:
    case HTTP_HEAD:
        fedora_get(request);
        break;
    case HTTP_PUT:
        fedora_put(request);
        break;
    case HTTP_POST:
        fedora_post(request);
        break;
    case HTTP_DELETE:
        fedora_delete(request);
        break;
    case HTTP_OPTIONS:
        fedora_options(request);
        break;
    case HTTP_PATCH:
        http_refuse(request, 501, ERROR_UNSUPPORTED, "PATCH is not done here yet");
        break;
    case HTTP_METHOD_COUNT:
        http_refuse(request, 501, ERROR_UNSUPPORTED, "this method is not known here");
        break;
    }
}

const struct http_front_end fedora_front_end = {.name = "fedora", .prefix = FEDORA_PREFIX, .begin = begin};
