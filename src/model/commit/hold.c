/* SPDX-License-Identifier: Apache-2.0 */
/* Holds of long transactions: see hold.h. They are few; a list serves. */
#include "model/commit/hold.h"

#include "base/ensure.h"
#include "base/lock.h"
#include "io/clock.h"

#include <stdatomic.h>

struct hold {
    struct hold *next;
    struct transaction *owner;
    uint64_t id, touched_ns;
    bool broken; /* no longer keeps anybody out; its owner's commit fails */
};

struct holds {
    struct lock lock;
    struct signal changed;
    struct hold *first;
    atomic_uint count;
    uint64_t wait_ms, idle_ms;
    holds_released *released;
    void *context;
};

struct holds *
holds_new(uint64_t wait_ms, uint64_t idle_ms)
{
    struct holds *holds = calloc(1, sizeof *holds);
    ensure(holds != NULL);
    lock_init(&holds->lock, LOCK_RANK_TRANSACTION);
    signal_init(&holds->changed);
    holds->wait_ms = wait_ms;
    holds->idle_ms = idle_ms;
    return holds;
}

void
holds_free(struct holds *holds)
{
    if (holds == NULL)
        return;
    while (holds->first != NULL) {
        struct hold *next = holds->first->next;
        free(holds->first);
        holds->first = next;
    }
    signal_release(&holds->changed);
    lock_release(&holds->lock);
    free(holds);
}

void
holds_on_release(struct holds *holds, holds_released *released, void *context)
{
    holds->released = released;
    holds->context = context;
}

bool
holds_any(struct holds *holds)
{
    return atomic_load(&holds->count) > 0;
}

/* The hold of another that keeps `asking` out, NULL when there is none. */
static struct hold *
blocking_locked(struct holds *holds, const struct transaction *asking, uint64_t id, uint64_t now_ns)
{
    for (struct hold *hold = holds->first; hold != NULL; hold = hold->next) {
        if (hold->id != id || hold->owner == asking || hold->broken)
            continue;
        if (now_ns - hold->touched_ns > holds->idle_ms * 1000000) {
            hold->broken = true;
            continue;
        }
        return hold;
    }
    return NULL;
}

bool
holds_blocked(struct holds *holds, const struct transaction *asking, uint64_t id)
{
    lock_take(&holds->lock);
    bool blocked = blocking_locked(holds, asking, id, clock_monotonic_ns()) != NULL;
    lock_give(&holds->lock);
    return blocked;
}

static bool
has_locked(const struct holds *holds, const struct transaction *owner, uint64_t id)
{
    for (const struct hold *hold = holds->first; hold != NULL; hold = hold->next)
        if (hold->owner == owner && hold->id == id && !hold->broken)
            return true;
    return false;
}

enum error_code
holds_take(struct holds *holds, struct transaction *owner, uint64_t id, struct error *error)
{
    uint64_t began_ns = clock_monotonic_ns(), now_ns = began_ns, wait_ns = holds->wait_ms * 1000000;
    enum error_code code = ERROR_NONE;
    lock_take(&holds->lock);
    while (blocking_locked(holds, owner, id, now_ns) != NULL && now_ns - began_ns < wait_ns) {
        /* woken by an end; an idle owner is noticed by looking again now and then */
        uint64_t left_ms = (wait_ns - (now_ns - began_ns)) / 1000000 + 1;
        signal_wait_for_locked(&holds->changed, &holds->lock, left_ms < 100 ? left_ms : 100);
        now_ns = clock_monotonic_ns();
    }
    if (blocking_locked(holds, owner, id, now_ns) != NULL) {
        code = error_set(error, ERROR_TIMEOUT, "another transaction has held resource %llu for %llu ms (lock_wait_ms)",
                         (unsigned long long)id, (unsigned long long)holds->wait_ms);
    } else if (!has_locked(holds, owner, id)) {
        struct hold *hold = calloc(1, sizeof *hold);
        ensure(hold != NULL);
        *hold = (struct hold){holds->first, owner, id, now_ns, false};
        holds->first = hold;
        atomic_fetch_add(&holds->count, 1);
    }
    lock_give(&holds->lock);
    return code;
}

bool
holds_touch(struct holds *holds, struct transaction *owner)
{
    bool whole = true;
    uint64_t now_ns = clock_monotonic_ns();
    lock_take(&holds->lock);
    for (struct hold *hold = holds->first; hold != NULL; hold = hold->next)
        if (hold->owner == owner) {
            hold->touched_ns = now_ns;
            whole &= !hold->broken;
        }
    lock_give(&holds->lock);
    return whole;
}

void
holds_end(struct holds *holds, struct transaction *owner)
{
    bool any = false;
    lock_take(&holds->lock);
    for (struct hold **at = &holds->first; *at != NULL;) {
        struct hold *hold = *at;
        if (hold->owner != owner) {
            at = &hold->next;
            continue;
        }
        *at = hold->next;
        free(hold);
        atomic_fetch_sub(&holds->count, 1);
        any = true;
    }
    if (any)
        signal_all(&holds->changed);
    lock_give(&holds->lock);
    if (any && holds->released != NULL)
        holds->released(holds->context);
}
