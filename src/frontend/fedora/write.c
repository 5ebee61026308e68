/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PUT, POST and DELETE. The committer decides about existence, rights and conditions; what is looked
 * at before is a view, so that a body that cannot be kept is refused before it is read:
 *
 *   head --look()--> refused | receiving --body--> commit --done--> answer
 */
#include "frontend/fedora/fedora_private.h"

#include "http/receive.h"

/* Bodies from this size on are checked for rights and space before they are read. */
#define EARLY_CHECK_BYTES (64u << 10)

/* What a view shows at the path, before anything is changed. */
struct found {
    struct resource resource; /* when there is one */
    bool exists, gone;
};

/* ---- looking before --------------------------------------------------------------------------------- */

/* False: answered. */
static bool
look(struct http_request *request, struct found *ret_found)
{
    struct fedora *fedora = fedora_of(request);
    struct error error = {0};
    *ret_found = (struct found){.exists = false};
    if (view_open(request->model, &request->principal, &fedora->view, &error) != ERROR_NONE) {
        fedora_fail(request, &error);
        return false;
    }
    enum error_code code = view_resolve(fedora->view, fedora->path, &ret_found->resource, &error);
    ret_found->exists = code == ERROR_NONE;
    ret_found->gone = code == ERROR_GONE;
    /* what may not be seen, or is not there, is the committer's to judge */
    if (code == ERROR_NONE || code == ERROR_GONE || code == ERROR_NOT_FOUND || code == ERROR_DENIED ||
        code == ERROR_UNAUTHENTICATED || code == ERROR_CONFLICT)
        return true;
    fedora_fail(request, &error);
    return false;
}

static struct text
parent_path(struct text path)
{
    size_t length = path.length;
    while (length > 1 && path.data[length - 1] != '/')
        length--;
    return text_of(path.data, length > 1 ? length - 1 : 1);
}

/* The rights that the write will need, on the resource or on the nearest ancestor that is there. */
static enum error_code
require_rights(struct http_request *request, const struct found *found, struct error *error)
{
    struct fedora *fedora = fedora_of(request);
    struct text path = fedora->path;
    struct resource ancestor;
    if (found->exists)
        return view_require(fedora->view, &found->resource,
                            request->method == HTTP_POST ? RIGHT_APPEND : RIGHT_WRITE, error);
    enum error_code code = ERROR_NOT_FOUND;
    while (code != ERROR_NONE && path.length > 1) {
        path = parent_path(path);
        code = view_resolve(fedora->view, path, &ancestor, error);
        if (code != ERROR_NONE && code != ERROR_NOT_FOUND && code != ERROR_GONE)
            return code;
    }
    if (code != ERROR_NONE) /* not even the root may be seen */
        return error_set(error, request->principal.user == 0 ? ERROR_UNAUTHENTICATED : ERROR_DENIED,
                         "nothing may be created here by this person");
    return view_require(fedora->view, &ancestor, RIGHT_APPEND, error);
}

static enum error_code
require_space(struct http_request *request, struct error *error)
{
    struct model_health health;
    model_health(request->model, &health);
    if (!health.writable)
        return error_set(error, ERROR_FULL, "the store takes no writes now: %s", health.why);
    if (request->body_bytes != HTTP_SIZE_UNKNOWN && request->body_bytes > health.free_bytes)
        return error_set(error, ERROR_FULL, "%llu bytes are free", (unsigned long long)health.free_bytes);
    return ERROR_NONE;
}

/* Refuses before the body is read what the committer would refuse after it. False: answered. */
static bool
check_early(struct http_request *request, const struct found *found)
{
    struct fedora *fedora = fedora_of(request);
    struct error error = {0};
    if (!request->has_body || (request->body_bytes < EARLY_CHECK_BYTES && !http_has(request, HTTP_HEADER_EXPECT)))
        return true;
    if (require_rights(request, found, &error) != ERROR_NONE || require_space(request, &error) != ERROR_NONE) {
        fedora_fail(request, &error);
        return false;
    }
    if (!condition_would_hold(&fedora->condition, found->exists ? &found->resource : NULL)) {
        http_refuse(request, 412, ERROR_PRECONDITION, "the state is not the one that the conditions name");
        return false;
    }
    return true;
}

static void
stop_looking(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    view_close(fedora->view);
    fedora->view = NULL;
}

/* A deleted path is taken again only by those who say so. */
static bool
check_tombstone(struct http_request *request, const struct found *found)
{
    struct error error = {0};
    if (!found->gone ||
        text_equal_ignoring_case(request->headers[HTTP_HEADER_OVERWRITE_TOMBSTONE], TEXT("true")))
        return true;
    error_set(&error, ERROR_GONE, "it was deleted; Overwrite-Tombstone: true makes another resource at its path, "
                                  "DELETE of its fcr:tombstone frees the path");
    fedora_fail(request, &error);
    return false;
}

/* ---- after the commit ------------------------------------------------------------------------------- */

static bool
committed(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    struct error error = {0};
    request->timing = *transaction_timing(fedora->transaction);
    request->has_timing = true;
    if (transaction_outcome(fedora->transaction, &error) == ERROR_NONE)
        return true;
    fedora_fail(request, &error);
    return false;
}

static void
answer_deleted(struct http_request *request)
{
    if (committed(request))
        http_answer_empty(request, 204);
}

static void
answer_made(struct http_request *request, const struct operation_result *result, struct text path, bool is_file)
{
    struct fedora *fedora = fedora_of(request);
    char tag[ENTITY_TAG_BYTES];
    if (is_file) {
        int length = snprintf(tag, sizeof tag, "%llu-%llu-b", (unsigned long long)result->id,
                              (unsigned long long)result->counter);
        fedora_set_tag(request, text_of(tag, (size_t)length), false);
        fedora_set_modified(request, result->time_us);
    }
    if (!result->created && !fedora->made_explicit) {
        http_answer_empty(request, 204);
        return;
    }
    struct text url = fedora_url(request, path);
    http_set_header(request, "Location", url);
    if (is_file)
        http_set_header_format(request, "Link", "<%.*s/fcr:metadata>; rel=\"describedby\"", TEXT_ARG(url));
    http_answer_text(request, 201, "text/plain; charset=utf-8", url);
}

static void
answer_file(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    if (committed(request))
        answer_made(request, transaction_result(fedora->transaction, 0), fedora->path, true);
}

static void
answer_container(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    if (committed(request))
        answer_made(request, transaction_result(fedora->transaction, 0), fedora->path, false);
}

static void
answer_child(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    if (!committed(request))
        return;
    const struct operation_result *result = transaction_result(fedora->transaction, 0);
    answer_made(request, result, result->path, request->receipt != NULL);
}

/* ---- committing -------------------------------------------------------------------------------------- */

static void
put_file(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    struct error error = {0};
    if (transaction_new(request->model, &request->principal, &fedora->transaction, &error) != ERROR_NONE ||
        transaction_put_file(fedora->transaction, target_path(fedora->path), http_upload(request), &fedora->file,
                             &error) != ERROR_NONE ||
        http_commit(request, fedora->transaction, answer_file, &error) != ERROR_NONE)
        fedora_fail(request, &error);
}

static void
put_container(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    struct error error = {0};
    if (transaction_new(request->model, &request->principal, &fedora->transaction, &error) != ERROR_NONE ||
        transaction_make_container(fedora->transaction, target_path(fedora->path), &fedora->container, &error) !=
            ERROR_NONE ||
        http_commit(request, fedora->transaction, answer_container, &error) != ERROR_NONE)
        fedora_fail(request, &error);
}

static void
add_child(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    struct error error = {0};
    bool file = fedora->model == FEDORA_MODEL_BINARY;
    if (transaction_new(request->model, &request->principal, &fedora->transaction, &error) != ERROR_NONE ||
        transaction_add_child(fedora->transaction, target_path(fedora->path), fedora->slug,
                              file ? http_upload(request) : NULL, &fedora->file, &fedora->container, &error) !=
            ERROR_NONE ||
        http_commit(request, fedora->transaction, answer_child, &error) != ERROR_NONE)
        fedora_fail(request, &error);
}

static void
receive(struct http_request *request, const struct expected_digests *digests, http_step *next)
{
    struct error error = {0};
    if (http_receive_upload(request, digests, next, fedora_fail, &error) != ERROR_NONE)
        fedora_fail(request, &error);
}

/* ---- what it is to be ---------------------------------------------------------------------------------- */

/*
 * A type link decides; else a media type that is not RDF makes a file, and so do bytes without one; no bytes and
 * no type make a container, unless a file is there already.
 */
static enum fedora_model
choose_model(const struct http_request *request, const struct fedora *fedora, const struct found *found)
{
    if (fedora->model != FEDORA_MODEL_NONE)
        return fedora->model;
    bool replaces_file = request->method == HTTP_PUT && found->exists && found->resource.kind == RESOURCE_FILE;
    if (replaces_file)
        return FEDORA_MODEL_BINARY;
    if (fedora->file.media_type.length > 0)
        return fedora_is_rdf_type(fedora->file.media_type) ? FEDORA_MODEL_CONTAINER : FEDORA_MODEL_BINARY;
    return request->has_body ? FEDORA_MODEL_BINARY : FEDORA_MODEL_CONTAINER;
}

/* A description must not be dropped silently. False: answered. */
static bool
check_description(struct http_request *request, const struct fedora *fedora)
{
    if (fedora->model != FEDORA_MODEL_CONTAINER || !request->has_body)
        return true;
    fedora_refuse(request, FEDORA_CONSTRAINT_MalformedRdfException, 415,
                  "a container is made with an empty body: descriptions in RDF are not taken here yet; to store these "
                  "bytes as a file send Link: <" LDP "NonRDFSource>; rel=\"type\"");
    return false;
}

/* A small file by its head alone: the committer decides all that matters, and a look beforehand would save nothing. */
static bool
is_plain_small_file(const struct http_request *request, const struct fedora *fedora)
{
    bool file = fedora->model == FEDORA_MODEL_BINARY ||
                (fedora->model == FEDORA_MODEL_NONE && fedora->file.media_type.length > 0 &&
                 !fedora_is_rdf_type(fedora->file.media_type));
    return file && request->has_body && request->body_bytes < EARLY_CHECK_BYTES && !http_has(request, HTTP_HEADER_EXPECT);
}

void
fedora_put(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    struct expected_digests digests;
    struct found found;
    if (!fedora_read_intent(request, &digests))
        return;
    fedora->file.refuse_gone =
        !text_equal_ignoring_case(request->headers[HTTP_HEADER_OVERWRITE_TOMBSTONE], TEXT("true"));
    if (is_plain_small_file(request, fedora)) {
        fedora->model = FEDORA_MODEL_BINARY;
        fedora->file.condition = fedora->condition;
        receive(request, &digests, put_file);
        return;
    }
    if (!look(request, &found) || !check_tombstone(request, &found))
        return;
    fedora->model = choose_model(request, fedora, &found);
    fedora->file.condition = fedora->container.condition = fedora->condition;
    fedora->made_explicit = found.exists && (found.resource.flags & RESOURCE_IMPLIED) != 0;
    if (!check_description(request, fedora) || !check_early(request, &found))
        return;
    stop_looking(request);
    if (fedora->model == FEDORA_MODEL_BINARY)
        receive(request, &digests, put_file);
    else
        put_container(request);
}

/* RFC 5023 section 9.7: percent-encoded UTF-8; names of the server are not given away. */
static struct text
read_slug(struct http_request *request)
{
    struct text raw = request->headers[HTTP_HEADER_SLUG];
    struct buffer decoded = {0};
    struct text slug = TEXT("");
    if (raw.data == NULL)
        return slug;
    if (percent_decode(&decoded, raw, NULL) == ERROR_NONE)
        slug = arena_copy(request->arena, buffer_text(&decoded));
    else
        slug = raw;
    buffer_release(&decoded);
    struct error error;
    bool good = name_check(slug, model_limits(request->model), &error) == ERROR_NONE;
    return good && !text_starts_with(slug, TEXT("fcr:")) ? slug : TEXT("");
}

void
fedora_post(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    struct expected_digests digests;
    struct resource parent;
    if (!fedora_read_intent(request, &digests) || !fedora_resolve(request, &parent))
        return;
    if (parent.kind == RESOURCE_FILE) {
        fedora_allow(request, &parent);
        http_refuse(request, 405, ERROR_UNSUPPORTED, "a file has no children");
        return;
    }
    struct found found = {parent, true, false};
    fedora->model = choose_model(request, fedora, &found);
    fedora->slug = read_slug(request);
    if (!check_description(request, fedora) || !check_early(request, &found))
        return;
    if (!condition_would_hold(&fedora->condition, &parent)) {
        http_refuse(request, 412, ERROR_PRECONDITION, "the container's state is not the one that the conditions name");
        return;
    }
    stop_looking(request);
    if (fedora->model == FEDORA_MODEL_BINARY)
        receive(request, &digests, add_child);
    else
        add_child(request);
}

void
fedora_delete(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    struct error error = {0};
    enum error_code code = condition_of_write(request, &fedora->condition, &error);
    if (code == ERROR_NONE)
        code = transaction_new(request->model, &request->principal, &fedora->transaction, &error);
    if (code == ERROR_NONE && fedora->part == FEDORA_PART_TOMBSTONE)
        code = transaction_forget_tombstone(fedora->transaction, fedora->path, &error);
    else if (code == ERROR_NONE)
        code = transaction_delete(fedora->transaction, target_path(fedora->path), true, &fedora->condition, &error);
    if (code == ERROR_NONE)
        code = http_commit(request, fedora->transaction, answer_deleted, &error);
    if (code != ERROR_NONE)
        fedora_fail(request, &error);
}
