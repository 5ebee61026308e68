/* SPDX-License-Identifier: Apache-2.0 */
/* Base64, standard alphabet with padding (RFC 4648 section 4), strict: no blanks, no missing
 * padding, no stray bits. Threads: any. */
#ifndef ARCHIVOLT_FORMAT_BASE64_H
#define ARCHIVOLT_FORMAT_BASE64_H

#include "base/buffer.h"

/* Bytes needed to hold what `encoded_length` characters may decode to. */
#define BASE64_DECODED_MAX(encoded_length) ((encoded_length) / 4 * 3)

void base64_append(struct buffer *buffer, const void *data, size_t length);
/* `out` has room for BASE64_DECODED_MAX(encoded.length); false on anything not canonical. */
bool base64_decode(struct text encoded, unsigned char *out, size_t *ret_length);

#endif
