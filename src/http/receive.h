/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies that become content: streamed into the model as they come, hashed there, and held against
 * the digests that the head named. The end of a large one, which syncs, runs in a worker.
 */
#ifndef ARCHIVOLT_HTTP_RECEIVE_H
#define ARCHIVOLT_HTTP_RECEIVE_H

#include "http/digest_field.h"
#include "http/request.h"

struct http_receipt;

/* Receives the body; then `next`, which takes the upload. Errors (digest, space, I/O) call `failed` with
 * the error, which answers; `next` is then not called. */
typedef void http_failed(struct http_request *request, const struct error *error);
enum error_code http_receive_upload(struct http_request *request, const struct expected_digests *digests,
                                    http_step *next, http_failed *failed, struct error *error) AV_MUST_USE;
/* Where the finished upload stands; move it into a transaction. It is freed at the end otherwise. */
struct upload **http_upload(struct http_request *request);

/* connection.c's, at the end of a request. */
void receipt_release(struct http_request *request);

#endif
