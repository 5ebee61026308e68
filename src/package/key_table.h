/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct key_table: things of a document by their IDs, sorted: it may have ten thousand files, each with sections of its own.
 * Life: {0} - key_table_add()... - key_table_sort() - key_table_find()... - key_table_release(). Threads: one at a time.
 */
#ifndef ARCHIVOLT_PACKAGE_KEY_TABLE_H
#define ARCHIVOLT_PACKAGE_KEY_TABLE_H

#include "base/error.h"
#include "base/text.h"

struct key {
    struct text key; /* borrowed */
    size_t order;    /* of adding, so that the first of equal ones is found */
    const void *value;
};
struct key_table {
    struct key *items;
    size_t count, capacity;
};
/* An empty key is left out. */
enum error_code key_table_add(struct key_table *table, struct text key, const void *value, struct error *error) AV_MUST_USE;
void key_table_sort(struct key_table *table);
const void *key_table_find(const struct key_table *table, struct text key); /* NULL: none */
void key_table_release(struct key_table *table);

#endif
