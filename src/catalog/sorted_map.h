/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct sorted_map: keys to items in memory. A hash table answers for single keys; order is made
 * only when somebody asks for it: keys that want order wait in a list, which the first ordered
 * question sorts and threads into a skip list. So a map that is filled and looked up in pays
 * nothing for order, and one that is walked between changes pays for the changes only.
 *
 * Life: sorted_map_new() - sorted_map_add()... - sorted_map_clear() or sorted_map_free(). Keys are
 * copied and live, like nodes, until clear or free; a node is never removed, its item may be NULL.
 * Nodes do not move. Memory for items can come from sorted_map_memory() and lives as long.
 * Threads: one at a time (asking for order changes the map, too).
 */
#ifndef ARCHIVOLT_CATALOG_SORTED_MAP_H
#define ARCHIVOLT_CATALOG_SORTED_MAP_H

#include "base/text.h"

struct sorted_map;

struct sorted_map_node {
    struct text key;
    void *item;                    /* the caller's */
    struct sorted_map_node **next; /* the map's: successors by level; NULL while not in order */
};

struct sorted_map *sorted_map_new(void);
void sorted_map_free(struct sorted_map *map);
void sorted_map_clear(struct sorted_map *map);
/* NULL when there is no such key. */
struct sorted_map_node *sorted_map_find(const struct sorted_map *map, struct text key);
/* The node of the key, made with item NULL when there was none. It is not in order yet. */
struct sorted_map_node *sorted_map_add(struct sorted_map *map, struct text key);
/* From the next ordered question on, the node is part of the order. Again: nothing happens. */
void sorted_map_put_in_order(struct sorted_map *map, struct sorted_map_node *node);
/* Among the nodes in order: the first with a key at or after `key`, or NULL. */
struct sorted_map_node *sorted_map_at_or_after(struct sorted_map *map, struct text key);
/* The last with a key before `key`, or NULL. */
struct sorted_map_node *sorted_map_before(struct sorted_map *map, struct text key);
struct sorted_map_node *sorted_map_last(struct sorted_map *map);
/* The next in order, or NULL; nodes put in order since the last ordered question are not seen. */
struct sorted_map_node *sorted_map_next(const struct sorted_map_node *node);
/* Bytes aligned for any type, not zeroed, until clear or free. Stops the program when memory is
 * out. */
void *sorted_map_memory(struct sorted_map *map, size_t length);
struct text sorted_map_copy(struct sorted_map *map, struct text text);
size_t sorted_map_memory_used(const struct sorted_map *map);

#endif
