/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared states of the catalog and what is remembered of them: see moment.h.
 *
 * What is remembered stands in tables of pointers, each set once from NULL by compare-and-exchange and never changed
 * until the moment is freed; so reading it needs no lock.
 */
#include "model/read/moment.h"

#include "base/ensure.h"
#include "base/lock.h"

#include <stdatomic.h>

#define MOMENT_MAGIC 0x6D6F6D65u

struct path_memory {
    struct remembered_container container;
    size_t length;
    char path[];
};

struct rule_memory {
    uint64_t rule_of;
    struct rule_list rule; /* points at `entries` */
    struct rule_entry entries[];
};

struct moment {
    unsigned magic;
    atomic_uint references;
    atomic_uint refusals; /* what was not remembered for want of a place */
    struct catalog *catalog;
    struct catalog_snapshot *snapshot;
    _Atomic(struct path_memory *) paths[MOMENT_PATHS];
    _Atomic(struct rule_memory *) rules[MOMENT_RULES];
};

struct moments {
    struct lock lock;
    struct catalog *catalog;
    struct moment *current; /* NULL: the next view makes one */
};

/* ---- life ---------------------------------------------------------------------------------------------- */

enum error_code
moment_new(struct catalog *catalog, struct moment **ret_moment, struct error *error)
{
    struct moment *moment = calloc(1, sizeof *moment);
    if (moment == NULL)
        return error_set(error, ERROR_NO_MEMORY, "out of memory");
    enum error_code code = catalog_snapshot_take(catalog, &moment->snapshot, error);
    if (code != ERROR_NONE) {
        free(moment);
        return code;
    }
    moment->magic = MOMENT_MAGIC;
    moment->catalog = catalog;
    atomic_init(&moment->references, 1);
    *ret_moment = moment;
    return ERROR_NONE;
}

void
moment_release(struct moment *moment)
{
    if (moment == NULL)
        return;
    ensure(moment->magic == MOMENT_MAGIC);
    if (atomic_fetch_sub_explicit(&moment->references, 1, memory_order_acq_rel) != 1)
        return;
    catalog_snapshot_release(moment->catalog, moment->snapshot);
    for (size_t i = 0; i < MOMENT_PATHS; i++)
        free(atomic_load_explicit(&moment->paths[i], memory_order_relaxed));
    for (size_t i = 0; i < MOMENT_RULES; i++)
        free(atomic_load_explicit(&moment->rules[i], memory_order_relaxed));
    moment->magic = 0;
    free(moment);
}

struct catalog_snapshot *
moment_snapshot(const struct moment *moment)
{
    return moment->snapshot;
}

struct moments *
moments_new(struct catalog *catalog)
{
    struct moments *moments = calloc(1, sizeof *moments);
    ensure(moments != NULL);
    lock_init(&moments->lock, LOCK_RANK_MODEL_CACHE);
    moments->catalog = catalog;
    return moments;
}

void
moments_free(struct moments *moments)
{
    if (moments == NULL)
        return;
    moment_release(moments->current);
    lock_release(&moments->lock);
    free(moments);
}

/* A snapshot that is taken under the lock is either of after the write, or is seen here and let go. */
void
moments_pass(struct moments *moments)
{
    if (moments == NULL)
        return;
    lock_take(&moments->lock);
    struct moment *passed = moments->current;
    moments->current = NULL;
    lock_give(&moments->lock);
    moment_release(passed);
}

enum error_code
moments_take(struct moments *moments, struct moment **ret_moment, struct error *error)
{
    enum error_code code = ERROR_NONE;
    struct moment *crowded = NULL;
    lock_take(&moments->lock);
    if (moments->current != NULL &&
        atomic_load_explicit(&moments->current->refusals, memory_order_relaxed) >= MOMENT_REFUSALS) {
        crowded = moments->current;
        moments->current = NULL;
    }
    if (moments->current == NULL)
        code = moment_new(moments->catalog, &moments->current, error);
    if (code == ERROR_NONE) {
        atomic_fetch_add_explicit(&moments->current->references, 1, memory_order_relaxed);
        *ret_moment = moments->current;
    }
    lock_give(&moments->lock);
    moment_release(crowded);
    return code;
}

/* ---- what is remembered ----------------------------------------------------------------------------------- */

/* FNV-1a, eight bytes at a time where there are as many: only spreads, nothing hangs on its strength. */
static size_t
path_place(struct text path)
{
    uint64_t hash = UINT64_C(14695981039346656037), word;
    size_t i = 0;
    for (; i + sizeof word <= path.length; i += sizeof word) {
        memcpy(&word, path.data + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(1099511628211);
        hash ^= hash >> 29;
    }
    for (; i < path.length; i++)
        hash = (hash ^ (unsigned char)path.data[i]) * UINT64_C(1099511628211);
    return (size_t)((hash ^ hash >> 32) % MOMENT_PATHS);
}

bool
moment_recall_path(const struct moment *moment, struct text path, struct remembered_container *ret_container)
{
    const struct path_memory *memory =
        atomic_load_explicit(&moment->paths[path_place(path)], memory_order_acquire);
    if (memory == NULL || !text_equal(text_of(memory->path, memory->length), path))
        return false;
    *ret_container = memory->container;
    return true;
}

void
moment_remember_path(struct moment *moment, struct text path, struct remembered_container container)
{
    size_t at = path_place(path);
    struct path_memory *none = NULL;
    if (path.length > MOMENT_PATH_BYTES)
        return;
    if (atomic_load_explicit(&moment->paths[at], memory_order_relaxed) != NULL) {
        atomic_fetch_add_explicit(&moment->refusals, 1, memory_order_relaxed);
        return;
    }
    struct path_memory *memory = malloc(sizeof *memory + path.length);
    if (memory == NULL)
        return;
    memory->container = container;
    memory->length = path.length;
    if (path.length > 0)
        memcpy(memory->path, path.data, path.length);
    if (!atomic_compare_exchange_strong_explicit(&moment->paths[at], &none, memory, memory_order_release,
                                                 memory_order_relaxed))
        free(memory);
}

const struct rule_list *
moment_recall_rule(const struct moment *moment, uint64_t rule_of)
{
    const struct rule_memory *memory =
        atomic_load_explicit(&moment->rules[rule_of % MOMENT_RULES], memory_order_acquire);
    return memory != NULL && memory->rule_of == rule_of ? &memory->rule : NULL;
}

void
moment_remember_rule(struct moment *moment, uint64_t rule_of, const struct rule_list *rule)
{
    _Atomic(struct rule_memory *) *place = &moment->rules[rule_of % MOMENT_RULES];
    struct rule_memory *none = NULL;
    if (rule->count > MOMENT_RULE_ENTRIES)
        return;
    if (atomic_load_explicit(place, memory_order_relaxed) != NULL) {
        atomic_fetch_add_explicit(&moment->refusals, 1, memory_order_relaxed);
        return;
    }
    struct rule_memory *memory = malloc(sizeof *memory + rule->count * sizeof *memory->entries);
    if (memory == NULL)
        return;
    memory->rule_of = rule_of;
    memory->rule = (struct rule_list){memory->entries, rule->count};
    if (rule->count > 0)
        memcpy(memory->entries, rule->entries, rule->count * sizeof *memory->entries);
    if (!atomic_compare_exchange_strong_explicit(place, &none, memory, memory_order_release,
                                                 memory_order_relaxed))
        free(memory);
}
