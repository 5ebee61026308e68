/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorting of many records in memory by key bytes, then by order: a multikey quicksort on pointers,
 * each with the eight bytes of its key that matter at the moment (Bentley and Sedgewick 1997, with
 * cached words). Common beginnings are looked at once, not in each comparison. Threads: one for
 * each array.
 */
#ifndef ARCHIVOLT_CATALOG_KEY_SORT_H
#define ARCHIVOLT_CATALOG_KEY_SORT_H

#include <stddef.h>
#include <stdint.h>

struct key_sort_record {
    uint64_t order;
    uint32_t key_length;
    uint32_t value_length;
    char bytes[]; /* the key, then the value */
};

struct key_sort_entry {
    uint64_t word; /* scratch of the sort */
    const struct key_sort_record *record;
};

void key_sort(struct key_sort_entry *entries, size_t count);

#endif
