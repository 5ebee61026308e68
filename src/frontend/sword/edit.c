/* SPDX-License-Identifier: Apache-2.0 */
/* The Edit-IRI of 2.0: the receipt, the end of a deposit in progress, and its deletion. */
#include "frontend/sword/sword_private.h"

static void
get_receipt(struct http_request *request)
{
    sword_answer_entry(request, 200, &sword_of(request)->entity);
}

/* ---- changes: staged here, committed, answered --------------------------------------------------------------- */

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

static void
answer_deleted(struct http_request *request)
{
    if (committed(request))
        http_answer_empty(request, 204);
}

static void
answer_completed(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    uint64_t id = sword->entity.resource.id;
    if (!committed(request))
        return;
    view_close(sword->view);
    sword->view = NULL;
    if (view_open(request->model, &request->principal, &sword->view, &error) != ERROR_NONE ||
        repository_by_id(sword->repository, sword->view, id, &sword->entity, &error) != ERROR_NONE)
        sword_fail(request, &error);
    else
        get_receipt(request);
}

static void
commit(struct http_request *request, enum error_code code, http_step *next, struct error *error)
{
    if (code == ERROR_NONE)
        code = http_commit(request, sword_of(request)->transaction, next, error);
    if (code != ERROR_NONE)
        sword_fail(request, error);
}

static void
delete_item(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    enum error_code code = transaction_new(request->model, &request->principal, &sword->transaction, &error);
    if (code == ERROR_NONE)
        code = transaction_delete(sword->transaction, target_id(sword->entity.resource.id), true, NULL, &error);
    commit(request, code, answer_deleted, &error);
}

static void
complete(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    if (!sword_read_intent(request))
        return;
    if (request->has_body || sword->intent.in_progress) {
        sword_refuse(request, SWORD_ERROR_BAD_REQUEST, "an empty body with In-Progress: false ends a deposit");
        return;
    }
    enum error_code code = transaction_new(request->model, &request->principal, &sword->transaction, &error);
    if (code == ERROR_NONE)
        code = repository_stage_complete(sword->repository, sword->transaction, sword->view, &request->principal,
                                         &sword->entity, false, &error);
    commit(request, code, answer_completed, &error);
}

void
sword_edit(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    enum error_code code = repository_by_uuid(sword->repository, sword->view, sword->rest, &sword->entity, &error);
    if (code == ERROR_NONE && sword->entity.kind != ENTITY_ITEM)
        code = error_set(&error, ERROR_NOT_FOUND, "%.*s is no item", TEXT_ARG(sword->rest));
    if (code != ERROR_NONE) {
        sword_fail(request, &error);
    } else if (http_is_read(request)) {
        get_receipt(request);
    } else if (request->method == HTTP_DELETE) {
        delete_item(request);
    } else if (request->method == HTTP_POST) {
        complete(request);
    } else {
        http_set_header_static(request, "Allow", "GET, HEAD, POST, DELETE, OPTIONS");
        sword_refuse(request, SWORD_ERROR_METHOD, "this method is not for an Edit-IRI");
    }
}
