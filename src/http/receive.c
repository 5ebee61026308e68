/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that become content: see receive.h. */
#include "http/receive.h"

struct http_receipt {
    struct upload *upload;
    const struct expected_digests *digests; /* in the arena */
    http_step *next;
    http_failed *failed;
    enum error_code outcome;
    struct error error;
};

static bool
receive_piece(struct http_request *request, const void *data, size_t length)
{
    struct http_receipt *receipt = request->receipt;
    if (upload_write(receipt->upload, data, length, &receipt->error) == ERROR_NONE)
        return true;
    receipt->failed(request, &receipt->error);
    return false;
}

/* Every digest that does not match is named; the values are told for the first. */
static void
check_digests(struct http_receipt *receipt)
{
    char names[160] = "";
    size_t length = 0;
    for (size_t i = 0; i < receipt->digests->count; i++) {
        const struct expected_digest *item = &receipt->digests->items[i];
        struct error error = {0};
        enum error_code code = upload_check_digest(receipt->upload, item->algorithm, item->value, &error);
        if (code == ERROR_NONE)
            continue;
        if (receipt->outcome == ERROR_NONE) {
            receipt->outcome = code;
            receipt->error = error;
        }
        int added = snprintf(names + length, sizeof names - length, "%s%s", length == 0 ? "" : ", ",
                             digest_name(item->algorithm, DIGEST_NAMES_RFC3230));
        if (added > 0 && (size_t)added < sizeof names - length)
            length += (size_t)added;
    }
    if (receipt->outcome != ERROR_NONE)
        error_prefix(&receipt->error, "wrong: %s", names);
}

static void
finish(struct http_request *request)
{
    struct http_receipt *receipt = request->receipt;
    receipt->outcome = upload_finish(receipt->upload, &receipt->error);
    if (receipt->outcome == ERROR_NONE)
        check_digests(receipt);
}

static void
finished(struct http_request *request)
{
    struct http_receipt *receipt = request->receipt;
    if (receipt->outcome != ERROR_NONE)
        receipt->failed(request, &receipt->error);
    else
        receipt->next(request);
}

static void
body_is_whole(struct http_request *request)
{
    struct http_receipt *receipt = request->receipt;
    if (!upload_is_bulk(receipt->upload)) {
        finish(request);
        finished(request);
        return;
    }
    /* The worker may be done before http_work() returns: the receipt's outcome is its own. */
    struct error error = {0};
    if (http_work(request, finish, finished, &error) != ERROR_NONE)
        receipt->failed(request, &error);
}

enum error_code
http_receive_upload(struct http_request *request, const struct expected_digests *digests, http_step *next,
                    http_failed *failed, struct error *error)
{
    struct http_receipt *receipt = arena_alloc(request->arena, sizeof *receipt);
    struct expected_digests *kept = arena_alloc(request->arena, sizeof *kept);
    if (receipt == NULL || kept == NULL)
        return arena_status(request->arena, error);
    *kept = *digests;
    receipt->digests = kept;
    receipt->next = next;
    receipt->failed = failed;
    enum error_code code = upload_begin(request->model, digests->algorithms, &receipt->upload, error);
    if (code != ERROR_NONE)
        return code;
    request->receipt = receipt;
    http_receive(request, receive_piece, body_is_whole);
    return ERROR_NONE;
}

struct upload **
http_upload(struct http_request *request)
{
    return &request->receipt->upload;
}

void
receipt_release(struct http_request *request)
{
    if (request->receipt != NULL)
        upload_free(request->receipt->upload);
    request->receipt = NULL;
}
