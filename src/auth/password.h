/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passwords: hashed and verified with Argon2id (libsodium's interactive strength: 64 MiB and some
 * 50 ms each). The caller bounds how many run at once.
 * Threads: any. Nothing is kept between calls.
 */
#ifndef ARCHIVOLT_AUTH_PASSWORD_H
#define ARCHIVOLT_AUTH_PASSWORD_H

#include "base/error.h"
#include "base/text.h"

#define PASSWORD_BYTES_MAXIMUM 1024u
#define PASSWORD_HASH_BYTES 128 /* holds the hash as a NUL-terminated string */

/* A fresh salt each time. INVALID: empty; LIMIT: longer than PASSWORD_BYTES_MAXIMUM; NO_MEMORY. */
enum error_code password_hash(struct text password, char ret_hash[PASSWORD_HASH_BYTES],
                              struct error *error) AV_MUST_USE;
/* Whether `hash` was made of this password. False too for a hash that is none. */
bool password_verify(struct text password, struct text hash);
/* The work of a verification, for persons that do not exist or have no password; always false. */
bool password_verify_nobody(struct text password);

#endif
