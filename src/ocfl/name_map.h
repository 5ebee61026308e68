/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text to pointer, in an arena: what an inventory looks its digests and paths up in. Up to
 * eight entries are searched in line, more by hashing. Inside this module only.
 *
 * Life: `struct name_map map = {.arena = arena};` - put and get - ends with the arena. Keys are
 * borrowed: they live as long. A value of NULL means absent. Threads: one at a time.
 */
#ifndef ARCHIVOLT_OCFL_NAME_MAP_H
#define ARCHIVOLT_OCFL_NAME_MAP_H

#include "base/arena.h"

struct name_slot {
    struct text key; /* data NULL: never used */
    uint64_t hash;
    void *value;     /* NULL: removed */
};

struct name_map {
    struct arena *arena;
    struct name_slot *slots;
    size_t used; /* slots with a key, removed ones too */
    size_t capacity;
};

void *name_map_get(const struct name_map *map, struct text key); /* or NULL */
/* Sets the value; does nothing when the arena is exhausted (its status says so). */
void name_map_put(struct name_map *map, struct text key, void *value);
void name_map_remove(struct name_map *map, struct text key);

#endif
