/* SPDX-License-Identifier: Apache-2.0 */
/* Whom credentials stood for a moment ago: see principal_cache.h. A table of sets, each of a few places. */
#include "model/persons/principal_cache.h"

#include "base/ensure.h"
#include "base/lock.h"

#include "model/persons/mark.h"
#include <sodium.h>

#define NAME_BYTES 255u
#define SETS 256u
#define PLACES_IN_SET 4u
#define LIFETIME_NS ((uint64_t)PRINCIPAL_REMEMBERED_MS * 1000000u)

struct known {
    unsigned char mark[MARK_BYTES];
    uint64_t until_ns; /* 0: a free place */
    int64_t expires_us;
    uint64_t user;
    enum role role;
    unsigned group_count;
    uint64_t groups[PRINCIPAL_GROUPS_REMEMBERED];
    size_t name_length;
    char name[NAME_BYTES];
};

struct principal_cache {
    struct lock lock;
    unsigned char key[MARK_BYTES];
    uint64_t generation;
    struct known places[SETS][PLACES_IN_SET];
};

struct principal_cache *
principal_cache_new(struct random_source *random)
{
    struct principal_cache *cache = calloc(1, sizeof *cache);
    ensure(cache != NULL);
    ensure(sodium_init() >= 0);
    lock_init(&cache->lock, LOCK_RANK_MODEL_CACHE);
    random->fill(random, cache->key, sizeof cache->key);
    return cache;
}

void
principal_cache_free(struct principal_cache *cache)
{
    if (cache == NULL)
        return;
    lock_release(&cache->lock);
    sodium_memzero(cache->key, sizeof cache->key);
    free(cache);
}

void
principal_cache_people_changed(struct principal_cache *cache)
{
    if (cache == NULL)
        return;
    lock_take(&cache->lock);
    cache->generation++;
    for (unsigned set = 0; set < SETS; set++)
        for (unsigned i = 0; i < PLACES_IN_SET; i++)
            cache->places[set][i].until_ns = 0;
    lock_give(&cache->lock);
}

uint64_t
principal_cache_generation(struct principal_cache *cache)
{
    if (cache == NULL)
        return 0;
    lock_take(&cache->lock);
    uint64_t generation = cache->generation;
    lock_give(&cache->lock);
    return generation;
}

static struct known *
make_mark(struct principal_cache *cache, const struct credentials *credentials, unsigned char mark[MARK_BYTES])
{
    const struct text texts[] = {credentials->token_alone ? TEXT("token") : TEXT("name"), credentials->name,
                                 credentials->secret};
    mark_make(cache->key, texts, 3, mark);
    return cache->places[mark[0] % SETS];
}

static bool
hand_out(const struct known *known, struct arena *arena, struct principal *ret_principal)
{
    struct principal principal = {.user = known->user, .role = known->role, .group_count = known->group_count};
    principal.name = arena_copy(arena, text_of(known->name, known->name_length));
    if (known->group_count > 0) {
        uint64_t *groups = arena_alloc(arena, known->group_count * sizeof *groups);
        if (groups == NULL)
            return false;
        memcpy(groups, known->groups, known->group_count * sizeof *groups);
        principal.groups = groups;
    }
    if (arena->status != ERROR_NONE)
        return false;
    *ret_principal = principal;
    return true;
}

bool
principal_cache_find(struct principal_cache *cache, const struct credentials *credentials, int64_t now_us,
                     struct arena *arena, struct principal *ret_principal)
{
    unsigned char mark[MARK_BYTES];
    struct known found = {.until_ns = 0};
    uint64_t now_ns = clock_monotonic_ns();
    if (cache == NULL)
        return false;
    struct known *set = make_mark(cache, credentials, mark);
    lock_take(&cache->lock);
    for (unsigned i = 0; i < PLACES_IN_SET; i++)
        if (set[i].until_ns > now_ns && sodium_memcmp(set[i].mark, mark, MARK_BYTES) == 0)
            found = set[i];
    lock_give(&cache->lock);
    if (found.until_ns == 0 || (found.expires_us != 0 && found.expires_us <= now_us))
        return false;
    return arena == NULL || hand_out(&found, arena, ret_principal);
}

/* That of the same credentials, else the one that ends first. */
static struct known *
choose_place(struct known *set, const unsigned char mark[MARK_BYTES])
{
    struct known *best = &set[0];
    for (unsigned i = 0; i < PLACES_IN_SET; i++) {
        if (memcmp(set[i].mark, mark, MARK_BYTES) == 0)
            return &set[i];
        if (set[i].until_ns < best->until_ns)
            best = &set[i];
    }
    return best;
}

void
principal_cache_remember(struct principal_cache *cache, const struct credentials *credentials, uint64_t generation,
                         const struct principal *principal, int64_t expires_us)
{
    struct known known = {.until_ns = clock_monotonic_ns() + LIFETIME_NS,
                          .expires_us = expires_us,
                          .user = principal->user,
                          .role = principal->role,
                          .group_count = (unsigned)principal->group_count,
                          .name_length = principal->name.length};
    if (cache == NULL || principal->group_count > PRINCIPAL_GROUPS_REMEMBERED ||
        principal->name.length > NAME_BYTES)
        return;
    struct known *set = make_mark(cache, credentials, known.mark);
    if (principal->group_count > 0)
        memcpy(known.groups, principal->groups, principal->group_count * sizeof *known.groups);
    if (principal->name.length > 0)
        memcpy(known.name, principal->name.data, principal->name.length);
    lock_take(&cache->lock);
    if (cache->generation == generation)
        *choose_place(set, known.mark) = known;
    lock_give(&cache->lock);
}
