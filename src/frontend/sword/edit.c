/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Edit-IRI of 2.0, which is the SE-IRI too: the receipt, changes of an item that is there, the end of a deposit in progress,
 * and its deletion. Changes go the way of a deposit: received, unpacked in a worker, staged as one transaction, committed.
 */
#include "frontend/sword/sword_private.h"

bool
sword_find_item(struct http_request *request, struct text uuid)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    enum error_code code = repository_by_uuid(sword->repository, sword->view, uuid, &sword->entity, &error);
    if (code == ERROR_NONE && sword->entity.kind != ENTITY_ITEM)
        code = error_set(&error, ERROR_NOT_FOUND, "%.*s is no item", TEXT_ARG(uuid));
    if (code != ERROR_NONE)
        sword_fail(request, &error);
    return code == ERROR_NONE;
}

/* ---- changes: received, staged, committed -------------------------------------------------------------------- */

static bool
committed(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    request->timing = *transaction_timing(sword->transaction);
    request->has_timing = true;
    if (transaction_outcome(sword->transaction, &error) == ERROR_NONE)
        return true;
    sword_fail(request, &error);
    return false;
}

static enum error_code
stage(struct http_request *request, struct error *error)
{
    struct sword *sword = sword_of(request);
    enum error_code code = transaction_new(request->model, &request->principal, &sword->transaction, error);
    return code != ERROR_NONE ? code
                              : repository_stage_edit(sword->repository, sword->transaction, sword->view,
                                                      &request->principal, &sword->entity, &sword->edit, &sword->arena, error);
}

static void
work(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct edit *edit = &sword->edit;
    if (request->has_body && sword_unpack(request, &sword->error) != ERROR_NONE)
        return;
    if (!sword->has_package) {
        package_init(&sword->package, &sword->arena);
        sword->has_package = true;
    }
    edit->package = &sword->package;
    if (request->has_body) {
        edit->original = sword_original(request);
        edit->original_name = sword->intent.filename;
        edit->original_type = sword_body_kind(request) == SWORD_BODY_MULTIPART ? sword->intent.payload_type
                                                                               : sword->intent.media_type;
        edit->packaging = sword->intent.packaging;
    }
    (void)!stage(request, &sword->error);
}

/* A new view: of what the change made. */
static bool
look_again(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    uint64_t id = sword->entity.resource.id;
    view_close(sword->view);
    sword->view = NULL;
    enum error_code code = view_open(request->model, &request->principal, &sword->view, &error);
    if (code == ERROR_NONE)
        code = repository_by_id(sword->repository, sword->view, id, &sword->entity, &error);
    if (code != ERROR_NONE)
        sword_fail(request, &error);
    return code == ERROR_NONE;
}

static void
changed(struct http_request *request)
{
    if (committed(request) && look_again(request))
        sword_of(request)->changed(request);
}

static void
commit(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = sword->error;
    if (error.code != ERROR_NONE || http_commit(request, sword->transaction, changed, &error) != ERROR_NONE)
        sword_fail(request, &error);
}

static void
start_work(struct http_request *request)
{
    struct error error = {0};
    if (http_work(request, work, commit, &error) != ERROR_NONE)
        sword_fail(request, &error);
}

/* Asked before the body is read, and again by the committer. */
static enum error_code
may_change(struct http_request *request, struct error *error)
{
    struct sword *sword = sword_of(request);
    struct entity collection;
    enum error_code code = view_require(sword->view, &sword->entity.resource, RIGHT_WRITE, error);
    if (code == ERROR_NONE)
        code = repository_by_id(sword->repository, sword->view, sword->entity.resource.parent, &collection, error);
    if (code == ERROR_NONE)
        code = repository_policy(sword->repository, sword->view, &collection, &sword->policy, error);
    return code != ERROR_NONE || !request->has_body ? code : sword_check_policy(request, request->body_bytes, error);
}

void
sword_change(struct http_request *request, http_step *next)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    sword->changed = next;
    enum error_code code = may_change(request, &error);
    if (code == ERROR_NONE && !request->has_body)
        start_work(request);
    else if (code != ERROR_NONE ||
             http_receive_upload(request, &sword->intent.digests, start_work, sword_fail, &error) != ERROR_NONE)
        sword_fail(request, &error);
}

/* ---- the Edit-IRI -------------------------------------------------------------------------------------------------- */

static void
answer_receipt(struct http_request *request)
{
    sword_answer_entry(request, 200, &sword_of(request)->entity);
}

static void
answer_added(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    sword->location = sword_url(request, SWORD_PART_EDIT_MEDIA, sword->entity.uuid);
    sword_answer_entry(request, 201, &sword->entity);
}

static void
answer_deleted(struct http_request *request)
{
    if (committed(request))
        http_answer_empty(request, 204);
}

static void
delete_item(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    enum error_code code = transaction_new(request->model, &request->principal, &sword->transaction, &error);
    if (code == ERROR_NONE)
        code = transaction_delete(sword->transaction, target_id(sword->entity.resource.id), true, NULL, &error);
    if (code == ERROR_NONE)
        code = http_commit(request, sword->transaction, answer_deleted, &error);
    if (code != ERROR_NONE)
        sword_fail(request, &error);
}

/* An empty body ends a deposit that is in progress. */
static void
complete(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    if (request->method != HTTP_POST || sword->intent.in_progress) {
        sword_refuse(request, SWORD_ERROR_BAD_REQUEST, "an empty body with In-Progress: false ends a deposit");
        return;
    }
    sword->edit.complete = true;
    sword_change(request, answer_receipt);
}

/* PUT replaces, POST adds: the metadata by an entry, the content too by multipart. */
static void
change(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    enum edit_part how = request->method == HTTP_PUT ? EDIT_REPLACE : EDIT_ADD;
    bool multipart = sword_body_kind(request) == SWORD_BODY_MULTIPART;
    if (sword_body_kind(request) == SWORD_BODY_PAYLOAD) {
        sword_refuse(request, SWORD_ERROR_CONTENT, "an Edit-IRI takes an Atom entry, alone or in multipart/related");
        return;
    }
    sword->edit.fields = how;
    sword->edit.files = multipart ? how : EDIT_KEEP;
    sword->edit.complete = !sword->intent.in_progress && sword->entity.state == ITEM_IN_PROGRESS;
    sword_change(request, multipart && how == EDIT_ADD ? answer_added : answer_receipt);
}

void
sword_edit(struct http_request *request)
{
    if (!sword_find_item(request, sword_of(request)->rest))
        return;
    if (http_is_read(request)) {
        answer_receipt(request);
    } else if (request->method == HTTP_DELETE) {
        delete_item(request);
    } else if (request->method != HTTP_POST && request->method != HTTP_PUT) {
        http_set_header_static(request, "Allow", "GET, HEAD, POST, PUT, DELETE, OPTIONS");
        sword_refuse(request, SWORD_ERROR_METHOD, "this method is not for an Edit-IRI");
    } else if (sword_read_intent(request)) {
        if (request->has_body)
            change(request);
        else
            complete(request);
    }
}
