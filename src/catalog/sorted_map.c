/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table with open addressing (linear probing, at most half full) and a skip list over the
 * same nodes (Pugh 1990), threaded on demand: see sorted_map.h.
 *
 * A node's `next` is NULL (not in order), the waiting mark (in the list of those to be threaded),
 * or its tower. Waiting nodes are sorted first and threaded with a finger that only moves forward,
 * so that threading n sorted keys into an empty list costs n steps.
 */
#include "catalog/sorted_map.h"

#include "base/ensure.h"
#include "io/clock.h"

#include <stdalign.h>

enum { LEVELS = 16, FIRST_SLOTS = 1024, SLOTS_KEPT = 1 << 17 };
enum { FIRST_CHUNK_BYTES = 64 << 10, CHUNK_BYTES = 1 << 20, LARGE_BYTES = 64 << 10 };

struct slot {
    uint64_t hash;
    struct sorted_map_node *node; /* NULL: free */
};

struct chunk {
    struct chunk *next;
    alignas(max_align_t) char bytes[];
};

/* A waiting node with the first bytes of its key as a number, so that most comparisons need no
 * memory. */
struct waiting {
    uint64_t prefix;
    struct sorted_map_node *node;
};

struct sorted_map {
    struct slot *slots;
    size_t slot_count; /* a power of two */
    size_t node_count;
    uint64_t seed;
    uint64_t chance;

    struct chunk *chunks; /* the first is the one being filled */
    struct chunk *large;  /* each for one allocation */
    char *free_from;
    size_t free_bytes;
    size_t memory_used;

    struct waiting *waiting;
    size_t waiting_count, waiting_capacity;
    struct sorted_map_node *head[LEVELS];
};

/* Stands in `next` of nodes that wait to be threaded. */
static struct sorted_map_node *waiting_mark[1];

static void *
allocated(void *memory)
{
    ensure(memory != NULL);
    return memory;
}

struct sorted_map *
sorted_map_new(void)
{
    struct sorted_map *map = allocated(calloc(1, sizeof *map));
    map->slots = allocated(calloc(FIRST_SLOTS, sizeof *map->slots));
    map->slot_count = FIRST_SLOTS;
    random_real()->fill(random_real(), &map->seed, sizeof map->seed);
    map->chance = 0x9E3779B97F4A7C15u;
    return map;
}

static void
free_chunks(struct chunk *chunk)
{
    while (chunk != NULL) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

void
sorted_map_free(struct sorted_map *map)
{
    if (map == NULL)
        return;
    free_chunks(map->chunks);
    free_chunks(map->large);
    free(map->waiting);
    free(map->slots);
    free(map);
}

static void
clear_slots(struct sorted_map *map)
{
    if (map->slot_count > SLOTS_KEPT) {
        free(map->slots);
        map->slots = allocated(calloc(FIRST_SLOTS, sizeof *map->slots));
        map->slot_count = FIRST_SLOTS;
    } else if (map->node_count > 0) {
        memset(map->slots, 0, map->slot_count * sizeof *map->slots);
    }
    map->node_count = 0;
}

void
sorted_map_clear(struct sorted_map *map)
{
    clear_slots(map);
    free_chunks(map->chunks);
    free_chunks(map->large);
    map->chunks = map->large = NULL;
    map->free_from = NULL;
    map->free_bytes = map->memory_used = 0;
    map->waiting_count = 0;
    memset(map->head, 0, sizeof map->head);
}

static struct chunk *
add_chunk(struct chunk **list, size_t bytes)
{
    struct chunk *chunk = allocated(malloc(sizeof *chunk + bytes));
    chunk->next = *list;
    *list = chunk;
    return chunk;
}

void *
sorted_map_memory(struct sorted_map *map, size_t length)
{
    size_t rounded;
    ensure(!__builtin_add_overflow(length, alignof(max_align_t) - 1, &rounded));
    rounded &= ~(alignof(max_align_t) - 1);
    map->memory_used += rounded;
    if (rounded > LARGE_BYTES / 4)
        return add_chunk(&map->large, rounded)->bytes;
    if (rounded > map->free_bytes) {
        size_t bytes = map->chunks == NULL ? FIRST_CHUNK_BYTES : CHUNK_BYTES;
        map->free_from = add_chunk(&map->chunks, bytes)->bytes;
        map->free_bytes = bytes;
    }
    void *memory = map->free_from;
    map->free_from += rounded;
    map->free_bytes -= rounded;
    return memory;
}

struct text
sorted_map_copy(struct sorted_map *map, struct text text)
{
    if (text.length == 0)
        return TEXT("");
    char *copy = sorted_map_memory(map, text.length);
    memcpy(copy, text.data, text.length);
    return text_of(copy, text.length);
}

size_t
sorted_map_memory_used(const struct sorted_map *map)
{
    return map->memory_used + map->slot_count * sizeof *map->slots;
}

/* Folds the 128-bit product: the step of the wyhash family of hash functions. */
static uint64_t
fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Up to 8 bytes, big-endian, zeros after the end. */
static uint64_t
load_prefix(const char *data, size_t length)
{
    uint64_t value = 0;
    memcpy(&value, data, length < 8 ? length : 8);
    return __builtin_bswap64(value);
}

static uint64_t
hash_of(const struct sorted_map *map, struct text key)
{
    uint64_t hash = map->seed ^ key.length;
    const char *data = key.data;
    size_t left = key.length;
    for (; left > 8; left -= 8, data += 8)
        hash = fold(hash ^ load_prefix(data, 8), 0xA0761D6478BD642Fu);
    if (left > 0)
        hash = fold(hash ^ load_prefix(data, left), 0xE7037ED1A0B428DBu);
    return fold(hash, 0x8EBC6AF09C88C6E3u);
}

/* The slot of the key, or the free one where it belongs. */
static struct slot *
slot_of(const struct sorted_map *map, struct text key, uint64_t hash)
{
    size_t mask = map->slot_count - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        struct slot *slot = &map->slots[at];
        if (slot->node == NULL || (slot->hash == hash && text_equal(slot->node->key, key)))
            return slot;
    }
}

struct sorted_map_node *
sorted_map_find(const struct sorted_map *map, struct text key)
{
    return slot_of(map, key, hash_of(map, key))->node;
}

static void
grow_slots(struct sorted_map *map)
{
    struct slot *old = map->slots;
    size_t old_count = map->slot_count, mask = old_count * 2 - 1;
    map->slots = allocated(calloc(old_count * 2, sizeof *map->slots));
    map->slot_count = old_count * 2;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].node == NULL)
            continue;
        size_t at = old[i].hash & mask;
        while (map->slots[at].node != NULL)
            at = (at + 1) & mask;
        map->slots[at] = old[i];
    }
    free(old);
}

struct sorted_map_node *
sorted_map_add(struct sorted_map *map, struct text key)
{
    uint64_t hash = hash_of(map, key);
    struct slot *slot = slot_of(map, key, hash);
    if (slot->node != NULL)
        return slot->node;
    if (map->node_count * 2 >= map->slot_count) {
        grow_slots(map);
        slot = slot_of(map, key, hash);
    }
    struct sorted_map_node *node = sorted_map_memory(map, sizeof *node + key.length);
    char *copy = (char *)(node + 1);
    if (key.length > 0)
        memcpy(copy, key.data, key.length);
    *node = (struct sorted_map_node){.key = text_of(copy, key.length)};
    *slot = (struct slot){hash, node};
    map->node_count++;
    return node;
}

void
sorted_map_put_in_order(struct sorted_map *map, struct sorted_map_node *node)
{
    if (node->next != NULL)
        return;
    if (map->waiting_count == map->waiting_capacity) {
        map->waiting_capacity = map->waiting_capacity == 0 ? 256 : map->waiting_capacity * 2;
        map->waiting =
            allocated(realloc(map->waiting, map->waiting_capacity * sizeof *map->waiting));
    }
    map->waiting[map->waiting_count++] =
        (struct waiting){load_prefix(node->key.data, node->key.length), node};
    node->next = waiting_mark;
}

static int
compare_waiting(const void *left, const void *right)
{
    const struct waiting *a = left, *b = right;
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix ? -1 : 1;
    return text_compare(a->node->key, b->node->key);
}

/* One level more with a chance of 1 in 4: 4/3 levels in the mean. */
static unsigned
draw_height(struct sorted_map *map)
{
    map->chance ^= map->chance << 13;
    map->chance ^= map->chance >> 7;
    map->chance ^= map->chance << 17;
    unsigned height = 1;
    for (uint64_t bits = map->chance; height < LEVELS && (bits & 3) == 0; bits >>= 2)
        height++;
    return height;
}

static void
thread_in(struct sorted_map *map, struct sorted_map_node *node, struct sorted_map_node **before[])
{
    /* before[l] is the tower in which level l is followed; every level only moves forward. */
    struct sorted_map_node **tower = map->head;
    bool follow = false;
    for (unsigned level = LEVELS; level-- > 0;) {
        if (!follow)
            tower = before[level];
        while (tower[level] != NULL && text_compare(tower[level]->key, node->key) < 0) {
            tower = tower[level]->next;
            follow = true;
        }
        before[level] = tower;
    }
    unsigned height = draw_height(map);
    node->next = sorted_map_memory(map, height * sizeof(struct sorted_map_node *));
    for (unsigned level = 0; level < height; level++) {
        node->next[level] = before[level][level];
        before[level][level] = node;
        before[level] = node->next;
    }
}

static void
make_order(struct sorted_map *map)
{
    struct sorted_map_node **before[LEVELS];
    if (map->waiting_count == 0)
        return;
    if (map->waiting_count > 1)
        qsort(map->waiting, map->waiting_count, sizeof *map->waiting, compare_waiting);
    for (unsigned level = 0; level < LEVELS; level++)
        before[level] = map->head;
    for (size_t i = 0; i < map->waiting_count; i++)
        thread_in(map, map->waiting[i].node, before);
    map->waiting_count = 0;
}

/* The tower of the last node before `key`, or the head. `last` says which node, NULL for the head.
 */
static struct sorted_map_node **
tower_before(struct sorted_map *map, struct text key, struct sorted_map_node **last)
{
    struct sorted_map_node **tower = map->head;
    *last = NULL;
    make_order(map);
    for (unsigned level = LEVELS; level-- > 0;) {
        while (tower[level] != NULL && text_compare(tower[level]->key, key) < 0) {
            *last = tower[level];
            tower = tower[level]->next;
        }
    }
    return tower;
}

struct sorted_map_node *
sorted_map_at_or_after(struct sorted_map *map, struct text key)
{
    struct sorted_map_node *last;
    return tower_before(map, key, &last)[0];
}

struct sorted_map_node *
sorted_map_before(struct sorted_map *map, struct text key)
{
    struct sorted_map_node *last;
    tower_before(map, key, &last);
    return last;
}

struct sorted_map_node *
sorted_map_last(struct sorted_map *map)
{
    struct sorted_map_node **tower = map->head, *last = NULL;
    make_order(map);
    for (unsigned level = LEVELS; level-- > 0;) {
        while (tower[level] != NULL) {
            last = tower[level];
            tower = last->next;
        }
    }
    return last;
}

struct sorted_map_node *
sorted_map_next(const struct sorted_map_node *node)
{
    ensure(node->next != NULL && node->next != waiting_mark);
    return node->next[0];
}
