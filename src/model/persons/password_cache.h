/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct password_cache: passwords that were verified in the last five minutes, under a keyed hash whose key
 * is made at each start; and how many verifications run now. Bounded: a full place gives way to the newer.
 *
 * Life: password_cache_new() - any calls - password_cache_free() (both in private.h). Threads: any.
 */
#ifndef ARCHIVOLT_MODEL_PASSWORD_CACHE_H
#define ARCHIVOLT_MODEL_PASSWORD_CACHE_H

#include "base/text.h"

struct password_cache;

#define PASSWORD_WORK_MAXIMUM 2u /* Argon2 runs at once, of 64 MiB each */
#define PASSWORD_REMEMBERED_MS (5u * 60u * 1000u)

/* `hash`: the user's Argon2 string as it stands now. */
bool password_cache_has(struct password_cache *cache, uint64_t user, struct text hash, struct text password);
/* False: as many are under way as may be. `ret_generation` goes to remember(). */
bool password_cache_begin_work(struct password_cache *cache, uint64_t *ret_generation);
void password_cache_end_work(struct password_cache *cache);
/* Nothing when anything was forgotten since the work began. */
void password_cache_remember(struct password_cache *cache, uint64_t user, struct text hash, struct text password,
                             uint64_t generation);

#endif
