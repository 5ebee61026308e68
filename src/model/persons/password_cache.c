/* SPDX-License-Identifier: Apache-2.0 */
/* Verified passwords, remembered for a while: see password_cache.h. A table of sets, each of a few places. */
#include "model/persons/password_cache.h"

#include "base/ensure.h"
#include "model/persons/mark.h"
#include "model/private.h"

#include <sodium.h>

#define SETS 256u
#define PLACES_IN_SET 4u
#define LIFETIME_NS ((uint64_t)PASSWORD_REMEMBERED_MS * 1000000u)

struct remembered {
    uint64_t user; /* 0: free */
    uint64_t until_ns;
    unsigned char mark[MARK_BYTES];
};

struct password_cache {
    struct lock lock;
    unsigned char key[MARK_BYTES];
    unsigned working;
    uint64_t generation; /* grows with each password_cache_forget() */
    struct remembered places[SETS][PLACES_IN_SET];
};

struct password_cache *
password_cache_new(struct random_source *random)
{
    struct password_cache *cache = calloc(1, sizeof *cache);
    ensure(cache != NULL);
    ensure(sodium_init() >= 0);
    lock_init(&cache->lock, LOCK_RANK_MODEL_CACHE);
    random->fill(random, cache->key, sizeof cache->key);
    return cache;
}

void
password_cache_free(struct password_cache *cache)
{
    if (cache == NULL)
        return;
    lock_release(&cache->lock);
    sodium_memzero(cache, sizeof *cache);
    free(cache);
}

static void
make_mark(const struct password_cache *cache, struct text hash, struct text password,
          unsigned char mark[MARK_BYTES])
{
    const struct text texts[] = {hash, password};
    mark_make(cache->key, texts, 2, mark);
}

static struct remembered *
set_of(struct password_cache *cache, uint64_t user)
{
    return cache->places[user % SETS];
}

bool
password_cache_has(struct password_cache *cache, uint64_t user, struct text hash, struct text password)
{
    unsigned char mark[MARK_BYTES];
    bool has = false;
    uint64_t now_ns = clock_monotonic_ns();
    struct remembered *set = set_of(cache, user);
    make_mark(cache, hash, password, mark);
    lock_take(&cache->lock);
    for (unsigned i = 0; i < PLACES_IN_SET; i++)
        if (set[i].user == user && set[i].until_ns > now_ns && sodium_memcmp(set[i].mark, mark, MARK_BYTES) == 0)
            has = true;
    lock_give(&cache->lock);
    return has;
}

bool
password_cache_begin_work(struct password_cache *cache, uint64_t *ret_generation)
{
    lock_take(&cache->lock);
    bool may = cache->working < PASSWORD_WORK_MAXIMUM;
    if (may) {
        cache->working++;
        *ret_generation = cache->generation;
    }
    lock_give(&cache->lock);
    return may;
}

void
password_cache_end_work(struct password_cache *cache)
{
    lock_take(&cache->lock);
    ensure(cache->working > 0);
    cache->working--;
    lock_give(&cache->lock);
}

/* The user's own place, else the one that ends first (a free one has ended). */
static struct remembered *
choose_place(struct remembered *set, uint64_t user)
{
    struct remembered *best = &set[0];
    for (unsigned i = 0; i < PLACES_IN_SET; i++) {
        if (set[i].user == user)
            return &set[i];
        if (set[i].until_ns < best->until_ns)
            best = &set[i];
    }
    return best;
}

void
password_cache_remember(struct password_cache *cache, uint64_t user, struct text hash, struct text password,
                        uint64_t generation)
{
    struct remembered entry = {user, clock_monotonic_ns() + LIFETIME_NS, {0}};
    make_mark(cache, hash, password, entry.mark);
    lock_take(&cache->lock);
    if (cache->generation == generation)
        *choose_place(set_of(cache, user), user) = entry;
    lock_give(&cache->lock);
}

void
password_cache_forget(struct password_cache *cache, uint64_t user)
{
    lock_take(&cache->lock);
    struct remembered *set = set_of(cache, user);
    cache->generation++;
    for (unsigned i = 0; i < PLACES_IN_SET; i++)
        if (set[i].user == user)
            sodium_memzero(&set[i], sizeof set[i]);
    lock_give(&cache->lock);
}
