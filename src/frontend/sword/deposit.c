/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POST of a deposit to a collection:
 *
 *   head --look()--> refused | receiving --body--> worker: sword_unpack(), stage --> commit (or X-No-Op: nothing) --> entry
 *
 * The whole package is received into an upload (hashed as it comes), then unpacked from there into uploads of its files. One
 * transaction makes the item with all that belongs to it, so a deposit is whole or was never there.
 *
 * With an Idempotency-Key the same transaction gives the item that key as an identifier, which is unique: of two that are
 * sent at once one fails with EXISTS, and every later one finds the item and gets its entry, after a crash too.
 */
#include "frontend/sword/sword_private.h"

#include <inttypes.h>

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

#define KEY_LIFE_US (INT64_C(7) * 86400 * 1000000)

static unsigned
status_of(const struct sword *sword, enum item_state state)
{
    return sword->version == SWORD_1_3 && state != ITEM_ARCHIVED ? 202 : 201;
}

/* ---- requests that have a key ---------------------------------------------------------------------------------- */

/* SHA-256 of all that the request asks for, in hexadecimal. */
static struct text
fingerprint_of(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    const struct sword_intent *intent = &sword->intent;
    const struct text parts[] = {sword->rest, intent->packaging_text, intent->filename, intent->media_type, intent->on_behalf_of,
                                 intent->slug, text_from(intent->in_progress ? "in progress" : "")};
    struct buffer whole = {0};
    unsigned char digest[DIGEST_SIZE_MAX];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        buffer_append_counted(&whole, parts[i]);
    if (upload_digest(*http_upload(request), DIGEST_SHA512, digest))
        buffer_append(&whole, digest, digest_size(DIGEST_SHA512));
    digest_compute(DIGEST_SHA256, whole.data, whole.length, digest);
    buffer_clear(&whole);
    buffer_append_hex(&whole, digest, digest_size(DIGEST_SHA256));
    struct text fingerprint = arena_copy(&sword->arena, buffer_text(&whole));
    buffer_release(&whole);
    return fingerprint;
}

/* A new view: of the state that is now. */
static enum error_code
look_anew(struct http_request *request, struct error *error)
{
    struct sword *sword = sword_of(request);
    view_close(sword->view);
    sword->view = NULL;
    return view_open(request->model, &sword->depositor, &sword->view, error);
}

/* What a retry is answered. */
struct first_answer {
    struct entity item;
    struct text fingerprint;
    uint64_t status;
};

/* "FINGERPRINT STATUS" */
static struct text
request_note(struct http_request *request, unsigned status)
{
    struct sword *sword = sword_of(request);
    return text_from(arena_printf(&sword->arena, "%.*s %u", TEXT_ARG(sword->fingerprint), status));
}

static bool
is_forgotten(const struct http_request *request, const struct entity *item)
{
    return item->resource.created_us + KEY_LIFE_US < model_settled_us(request->model);
}

/* Sets sword->first, where the deposit has been made; NONE also where it has not. A key whose time is over is free for another
 * deposit, which takes the next identifier made from it. */
static enum error_code
find_first(struct http_request *request, struct error *error)
{
    struct sword *sword = sword_of(request);
    struct text note;
    if (sword->intent.request_key.length == 0)
        return ERROR_NONE;
    struct first_answer *first = arena_alloc(&sword->arena, sizeof *first);
    enum error_code code = first == NULL ? arena_status(&sword->arena, error) : look_anew(request, error);
    struct text key = sword->intent.request_key;
    for (uint64_t again = 1; code == ERROR_NONE; again++) {
        code = repository_by_request(sword->repository, sword->view, sword->intent.request_key, &first->item, &note, error);
        if (code != ERROR_NONE || !is_forgotten(request, &first->item))
            break;
        sword->intent.request_key = text_from(arena_printf(&sword->arena, "%.*s-%" PRIu64, TEXT_ARG(key), again));
    }
    if (code == ERROR_NONE) {
        first->fingerprint = text_cut(note, ' ', &note);
        (void)text_to_u64(note, &first->status);
        sword->first = first;
    }
    return error_forgive(error, code, ERROR_NOT_FOUND);
}

static void
answer_again(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    if (!text_equal(sword->first->fingerprint, sword->fingerprint))
        sword_refuse(request, SWORD_ERROR_KEY_REUSED, "this Idempotency-Key was that of another deposit");
    else
        sword_answer_entry(request, (unsigned)sword->first->status, &sword->first->item);
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
        .request_key = sword->intent.request_key,
        .request_note = request_note(request, status_of(sword, sword->policy.review ? ITEM_IN_REVIEW : ITEM_ARCHIVED)),
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
    if (sword->intent.request_key.length > 0)
        sword->fingerprint = fingerprint_of(request);
    if (find_first(request, &sword->error) != ERROR_NONE || sword->first != NULL)
        return;
    if (sword_unpack(request, &sword->error) == ERROR_NONE)
        (void)!stage(request, &sword->error);
}

static enum error_code
find_made(struct http_request *request, struct entity *ret_item, struct error *error)
{
    struct sword *sword = sword_of(request);
    enum error_code code = look_anew(request, error);
    return code != ERROR_NONE ? code : repository_by_uuid(sword->repository, sword->view, sword->made.uuid, ret_item, error);
}

static void
answer(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct entity item;
    struct error error = {0};
    request->timing = *transaction_timing(sword->transaction);
    request->has_timing = true;
    enum error_code code = transaction_outcome(sword->transaction, &error);
    struct error ignored = {0};
    if (code == ERROR_EXISTS && find_first(request, &ignored) == ERROR_NONE && sword->first != NULL)
        answer_again(request);
    else if (code != ERROR_NONE || find_made(request, &item, &error) != ERROR_NONE)
        sword_fail(request, &error);
    else
        sword_answer_entry(request, status_of(sword, item.state), &item);
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
    sword_answer_entry(request, status_of(sword, item.state), &item);
}

static void
commit(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    if (sword->error.code != ERROR_NONE)
        sword_fail(request, &sword->error);
    else if (sword->first != NULL)
        answer_again(request);
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
