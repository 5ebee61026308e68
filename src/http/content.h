/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Content out: whole or by ranges, each block checked before it is sent. Short answers are one
 * buffer, long ones a stream of aligned blocks. Damage before the first byte is an error answer; later the
 * connection is cut.
 */
#ifndef ARCHIVOLT_HTTP_CONTENT_H
#define ARCHIVOLT_HTTP_CONTENT_H

#include "http/condition.h"

/* Moves the reader in. The caller has set the headers that do not depend on the range and decided the
 * conditions; this sets Content-Type, Content-Range and Accept-Ranges, and answers 200, 206 or 416.
 * An error (CORRUPT, IO) is returned before anything is answered. */
enum error_code content_answer(struct http_request *request, struct content_reader **reader,
                               struct text media_type, const struct representation *current,
                               struct error *error) AV_MUST_USE;

#endif
