/* SPDX-License-Identifier: Apache-2.0 */
/* The door: from a target to a part and what it names, and from a method to the function that answers it. */
#include "format/percent.h"
#include "frontend/sword/sword_private.h"

#define SWORD_MEMORY_BYTES (64u << 20) /* metadata of one package */

static const struct {
    const char *segment;
    unsigned versions;
} parts[SWORD_PART_COUNT] = {
#define X(name, segment, versions) [SWORD_PART_##name] = {segment, versions},
    SWORD_PARTS(X)
#undef X
};

static void
release(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    transaction_free(sword->transaction);
    upload_free(sword->entry);
    upload_free(sword->payload);
    if (sword->has_package)
        package_release(&sword->package);
    view_close(sword->view);
    arena_release(&sword->arena);
}

/* "/deposit/123456789/45" to the part and "123456789/45". */
static enum error_code
read_target(struct http_request *request, struct error *error)
{
    struct sword *sword = sword_of(request);
    struct percent_path path;
    struct buffer rest = {0};
    enum error_code code = percent_split_path(request->arena, request->below.length == 0 ? TEXT("/") : request->below,
                                              &path, error);
    if (code != ERROR_NONE)
        return code;
    sword->part = SWORD_PART_COUNT;
    for (int i = 0; i < SWORD_PART_COUNT && path.count > 0; i++)
        if (text_equal(path.segments[0], text_from(parts[i].segment)) && (parts[i].versions & 1u << sword->version) != 0)
            sword->part = (enum sword_part)i;
    for (size_t i = 1; i < path.count; i++) {
        if (i > 1)
            buffer_append_char(&rest, '/');
        buffer_append_text(&rest, path.segments[i]);
    }
    sword->rest = arena_copy(request->arena, buffer_text(&rest));
    buffer_release(&rest);
    return arena_status(request->arena, error);
}

static void
refuse_method(struct http_request *request, const char *allow)
{
    http_set_header_static(request, "Allow", allow);
    sword_refuse(request, SWORD_ERROR_METHOD, "this method is not for this resource; it allows %s", allow);
}

/* Service documents are for persons: anonymous is asked who they are. */
static bool
is_known(struct http_request *request)
{
    struct error error = {0};
    if (request->principal.user != 0)
        return true;
    error_set(&error, ERROR_UNAUTHENTICATED, "say who you are: Basic with name and password, or a token in its place");
    sword_fail(request, &error);
    return false;
}

static bool
find_owner(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct text who = http_has(request, HTTP_HEADER_ON_BEHALF_OF) ? request->headers[HTTP_HEADER_ON_BEHALF_OF]
                                                                   : request->headers[HTTP_HEADER_X_ON_BEHALF_OF];
    struct error error = {0};
    sword->depositor = request->principal;
    who = text_trim(who);
    if (who.length == 0 ||
        model_find_person(request->model, who, request->arena, &sword->depositor, &error) == ERROR_NONE)
        return true;
    sword_refuse(request, SWORD_ERROR_TARGET_OWNER_UNKNOWN, "on behalf of %.*s: %s", TEXT_ARG(who), error.message);
    return false;
}

/* Of an item that is there: whoever is named must be known, but rights are those of who asks. Nobody unknown learns who is known. */
static bool
names_known_owner(struct http_request *request)
{
    return request->principal.user == 0 || find_owner(request);
}

static void
dispatch(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    switch (sword->part) {
    case SWORD_PART_SERVICE:
        if (!http_is_read(request))
            refuse_method(request, "GET, HEAD, OPTIONS");
        else if (is_known(request) && find_owner(request))
            sword_get_service(request);
        break;
    case SWORD_PART_DEPOSIT:
    case SWORD_PART_COLLECTION:
        if (request->method != HTTP_POST)
            refuse_method(request, "POST, OPTIONS");
        else if (is_known(request))
            sword_post_collection(request);
        break;
    case SWORD_PART_MEDIA_LINK:
    case SWORD_PART_EDIT_MEDIA:
        if (names_known_owner(request))
            sword_media(request);
        break;
    case SWORD_PART_STATEMENT:
        if (http_is_read(request))
            sword_get_statement(request);
        else
            refuse_method(request, "GET, HEAD, OPTIONS");
        break;
    case SWORD_PART_EDIT:
        if (names_known_owner(request))
            sword_edit(request);
        break;
    case SWORD_PART_COUNT:
        error_set(&error, ERROR_NOT_FOUND, "SWORD begins at %s/servicedocument", request->front_end->prefix);
        sword_fail(request, &error);
        break;
    }
}

static void
begin_version(struct http_request *request, enum sword_version version)
{
    struct sword *sword = arena_alloc(request->arena, sizeof *sword);
    struct error error = {0};
    if (sword == NULL) {
        http_refuse(request, 503, ERROR_NO_MEMORY, "out of memory");
        return;
    }
    sword->version = version;
    sword->repository = request->repository;
    sword->location = TEXT("");
    sword->intent.filename = sword->intent.packaging_text = TEXT("");
    arena_init(&sword->arena, SWORD_MEMORY_BYTES);
    request->state = sword;
    request->release = release;
    http_set_header_static(request, "Server", "Archivolt/" ARCHIVOLT_VERSION);
    if (read_target(request, &error) != ERROR_NONE ||
        view_open(request->model, &request->principal, &sword->view, &error) != ERROR_NONE)
        sword_fail(request, &error);
    else
        dispatch(request);
}

static void
begin_1_3(struct http_request *request)
{
    begin_version(request, SWORD_1_3);
}

static void
begin_2_0(struct http_request *request)
{
    begin_version(request, SWORD_2_0);
}

const struct http_front_end sword_front_end = {.name = "sword", .prefix = "/sword", .begin = begin_1_3};
const struct http_front_end sword_server_front_end = {.name = "sword", .prefix = "/server/sword", .begin = begin_1_3};
const struct http_front_end swordv2_front_end = {.name = "swordv2", .prefix = "/swordv2", .begin = begin_2_0};
const struct http_front_end swordv2_server_front_end = {.name = "swordv2", .prefix = "/server/swordv2", .begin = begin_2_0};
