/* SPDX-License-Identifier: Apache-2.0 */
/*
 * API tokens: 32 random bytes as 43 characters of base64url (RFC 4648 section 5, no padding). Only the SHA-256
 * of the text is kept: it is random enough that no slow hash is needed.
 * Threads: any.
 */
#ifndef ARCHIVOLT_AUTH_TOKEN_H
#define ARCHIVOLT_AUTH_TOKEN_H

#include "base/text.h"
#include "io/clock.h"

#define TOKEN_CHARACTERS 43u
#define TOKEN_HASH_BYTES 32u

/* 43 characters and NUL. */
void token_make(struct random_source *random, char ret_token[TOKEN_CHARACTERS + 1]);
/* Whether a text has the shape of a token. */
bool token_has_shape(struct text text);
void token_hash(struct text token, unsigned char ret_hash[TOKEN_HASH_BYTES]);

#endif
