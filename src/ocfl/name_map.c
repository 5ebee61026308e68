/* SPDX-License-Identifier: Apache-2.0 */
/* Text to pointer: see name_map.h. Open addressing, linear steps, at most half full. The hash begins
 * with an address, which the loader chooses anew for each process, so that nobody can prepare names
 * that collide. */
#include "ocfl/name_map.h"

enum { IN_LINE_MAX = 8 };

static uint64_t
hash_of(struct text key)
{
    static const char seed;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ ((uint64_t)(uintptr_t)&seed << 16);
    for (size_t i = 0; i < key.length; i++) {
        hash ^= (unsigned char)key.data[i];
        hash *= UINT64_C(0x100000001b3);
    }
    return hash ^ hash >> 32;
}

static bool
same(struct text a, struct text b)
{
    return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

static struct name_slot *
find_in_line(const struct name_map *map, struct text key)
{
    size_t i = 0;
    while (i < map->used && !same(map->slots[i].key, key))
        i++;
    return &map->slots[i];
}

static struct name_slot *
find_by_hash(const struct name_map *map, struct text key, uint64_t hash)
{
    size_t i = (size_t)hash & (map->capacity - 1);
    while (map->slots[i].key.data != NULL &&
           !(map->slots[i].hash == hash && same(map->slots[i].key, key)))
        i = (i + 1) & (map->capacity - 1);
    return &map->slots[i];
}

/* The slot of the key, or the free one where it belongs. The map has a free slot. */
static struct name_slot *
find(const struct name_map *map, struct text key)
{
    if (map->capacity <= IN_LINE_MAX)
        return find_in_line(map, key);
    return find_by_hash(map, key, hash_of(key));
}

void *
name_map_get(const struct name_map *map, struct text key)
{
    if (map->used == 0)
        return NULL;
    if (map->capacity <= IN_LINE_MAX && map->used == map->capacity) {
        for (size_t i = 0; i < map->used; i++) {
            if (same(map->slots[i].key, key))
                return map->slots[i].value;
        }
        return NULL;
    }
    return find(map, key)->value;
}

static bool
grow(struct name_map *map)
{
    struct name_map bigger = {.arena = map->arena};
    bigger.capacity = map->capacity == 0 ? IN_LINE_MAX : map->capacity * 4;
    bigger.slots = arena_alloc(map->arena, bigger.capacity * sizeof *bigger.slots);
    if (bigger.slots == NULL)
        return false;
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].value != NULL)
            name_map_put(&bigger, map->slots[i].key, map->slots[i].value);
    }
    *map = bigger;
    return true;
}

void
name_map_put(struct name_map *map, struct text key, void *value)
{
    bool full = map->capacity <= IN_LINE_MAX ? map->used == map->capacity
                                             : map->used >= map->capacity / 2;
    if (full && !grow(map))
        return;
    struct name_slot *slot = find(map, key);
    if (slot->key.data == NULL) {
        map->used++;
        slot->key = key.data == NULL ? TEXT("") : key;
        slot->hash = map->capacity <= IN_LINE_MAX ? 0 : hash_of(key);
    }
    slot->value = value;
}

void
name_map_remove(struct name_map *map, struct text key)
{
    if (map->used > 0 && name_map_get(map, key) != NULL)
        find(map, key)->value = NULL;
}
