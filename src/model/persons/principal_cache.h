/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct principal_cache: whom credentials stood for a moment ago, so that a client that sends them with each request costs
 * no look-ups. Only successes are remembered, under a keyed hash of the credentials; for ten seconds, and only until
 * anything about any person changes.
 *
 * Life: principal_cache_new() - find, and when it does not: generation, look-ups, remember - principal_cache_free().
 * principal_cache_people_changed() stands between the change and its answer. Threads: any. Bounded.
 */
#ifndef ARCHIVOLT_MODEL_PRINCIPAL_CACHE_H
#define ARCHIVOLT_MODEL_PRINCIPAL_CACHE_H

#include "base/arena.h"
#include "io/clock.h"
#include "model/access.h"

struct principal_cache;

#define PRINCIPAL_REMEMBERED_MS 10000u
#define PRINCIPAL_GROUPS_REMEMBERED 16u /* who is in more is looked up each time */

struct credentials {
    bool token_alone; /* without a name */
    struct text name;
    struct text secret;
};

struct principal_cache *principal_cache_new(struct random_source *random);
void principal_cache_free(struct principal_cache *cache); /* NULL is fine */
void principal_cache_people_changed(struct principal_cache *cache);
/* To be asked for before the catalog is looked at. */
uint64_t principal_cache_generation(struct principal_cache *cache);
/* Texts go into the arena; `arena` and `ret_principal` may be NULL together: is it remembered? */
bool principal_cache_find(struct principal_cache *cache, const struct credentials *credentials, int64_t now_us,
                          struct arena *arena, struct principal *ret_principal);
/* `expires_us`: of the token; 0: never. Nothing when people have changed since `generation`. */
void principal_cache_remember(struct principal_cache *cache, const struct credentials *credentials,
                              uint64_t generation, const struct principal *principal, int64_t expires_us);

#endif
