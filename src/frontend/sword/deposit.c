/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POST of a deposit to a collection:
 *
 *   head --look()--> refused | receiving --body--> worker: sword_unpack(), stage --> commit (or X-No-Op: nothing) --> entry
 *
 * The whole package is received into an upload (hashed as it comes), then unpacked from there into uploads of its files. One
 * transaction makes the item with all that belongs to it, so a deposit is whole or was never there.
 */
#include "frontend/sword/sword_private.h"

/* ---- before the body ----------------------------------------------------------------------------------------- */

/* Sets sword->depositor. A person who deposits for another needs both rights, the other the right to deposit. */
static bool
find_depositor(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    sword->depositor = request->principal;
    if (sword->intent.on_behalf_of.length == 0) {
        if (repository_may_deposit(sword->repository, sword->view, &sword->entity, &sword->depositor, &error) == ERROR_NONE)
            return true;
        sword_fail(request, &error);
        return false;
    }
    if (repository_may_mediate(sword->repository, sword->view, &sword->entity, &request->principal, &error) != ERROR_NONE) {
        if (error.code == ERROR_UNAUTHENTICATED)
            sword_fail(request, &error);
        else
            sword_refuse(request, SWORD_ERROR_MEDIATION, "%s", error.message);
        return false;
    }
    if (model_find_person(request->model, sword->intent.on_behalf_of, request->arena, &sword->depositor, &error) !=
            ERROR_NONE ||
        repository_may_deposit(sword->repository, sword->view, &sword->entity, &sword->depositor, &error) != ERROR_NONE) {
        sword_refuse(request, SWORD_ERROR_TARGET_OWNER_UNKNOWN, "on behalf of %.*s: %s",
                     TEXT_ARG(sword->intent.on_behalf_of), error.message);
        return false;
    }
    return true;
}

static bool
find_collection(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    enum error_code code = repository_by_handle(sword->repository, sword->view, sword->rest, &sword->entity, &error);
    if (code == ERROR_NONE && sword->entity.kind != ENTITY_COLLECTION)
        code = error_set(&error, ERROR_NOT_FOUND, "%.*s is no collection", TEXT_ARG(sword->rest));
    if (code == ERROR_NONE)
        code = repository_policy(sword->repository, sword->view, &sword->entity, &sword->policy, &error);
    if (code == ERROR_NONE)
        return true;
    sword_fail(request, &error);
    return false;
}

/* ---- after the body ------------------------------------------------------------------------------------------- */

static enum error_code
stage(struct http_request *request, struct error *error)
{
    struct sword *sword = sword_of(request);
    bool mediated = sword->intent.on_behalf_of.length > 0;
    struct deposit deposit = {
        .collection = sword->entity,
        .package = &sword->package,
        .original = sword_original(request),
        .original_name = sword->intent.filename,
        .original_type = sword_body_kind(request) == SWORD_BODY_MULTIPART ? sword->intent.payload_type
                                                                          : sword->intent.media_type,
        .packaging = sword->intent.packaging,
        .submitter = sword->depositor,
        .mediator = mediated ? request->principal : principal_anonymous(),
        .in_progress = sword->intent.in_progress,
        .slug = sword->intent.slug,
    };
    enum error_code code = transaction_new(request->model, &sword->depositor, &sword->transaction, error);
    if (code == ERROR_NONE)
        code = repository_stage_deposit(sword->repository, sword->transaction, sword->view, &deposit, &sword->arena,
                                        &sword->made, error);
    return code;
}

static void
work(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    if (sword_unpack(request, &sword->error) == ERROR_NONE)
        (void)!stage(request, &sword->error);
}

/* A new view: of the state that the deposit made. */
static enum error_code
look_again(struct http_request *request, struct entity *ret_item, struct error *error)
{
    struct sword *sword = sword_of(request);
    view_close(sword->view);
    sword->view = NULL;
    enum error_code code = view_open(request->model, &sword->depositor, &sword->view, error);
    if (code == ERROR_NONE)
        code = repository_by_uuid(sword->repository, sword->view, sword->made.uuid, ret_item, error);
    return code;
}

static void
answer(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct entity item;
    struct error error = {0};
    request->timing = *transaction_timing(sword->transaction);
    request->has_timing = true;
    if (transaction_outcome(sword->transaction, &error) != ERROR_NONE || look_again(request, &item, &error) != ERROR_NONE)
        sword_fail(request, &error);
    else
        sword_answer_entry(request, sword->version == SWORD_1_3 && item.state != ITEM_ARCHIVED ? 202 : 201, &item);
}

/* X-No-Op: all has been done but the commit; the entry is that of an item that is not there. */
static void
answer_no_op(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct entity item = {.kind = ENTITY_ITEM, .uuid = sword->made.uuid, .handle = TEXT(""), .name = TEXT(""),
                          .submitter = sword->depositor.user};
    item.resource.modified_us = model_settled_us(request->model);
    item.state = sword->policy.review ? ITEM_IN_REVIEW : ITEM_ARCHIVED;
    sword_answer_entry(request, item.state == ITEM_ARCHIVED ? 201 : 202, &item);
}

static void
commit(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    if (sword->error.code != ERROR_NONE)
        sword_fail(request, &sword->error);
    else if (sword->intent.no_op)
        answer_no_op(request);
    else if (http_commit(request, sword->transaction, answer, &error) != ERROR_NONE)
        sword_fail(request, &error);
}

static void
start_work(struct http_request *request)
{
    struct error error = {0};
    if (http_work(request, work, commit, &error) != ERROR_NONE)
        sword_fail(request, &error);
}

void
sword_post_collection(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    if (!sword_read_intent(request) || !find_collection(request) || !find_depositor(request))
        return;
    if (sword_check_policy(request, request->body_bytes, &error) != ERROR_NONE ||
        http_receive_upload(request, &sword->intent.digests, start_work, sword_fail, &error) != ERROR_NONE)
        sword_fail(request, &error);
}
