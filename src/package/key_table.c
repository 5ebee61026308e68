/* SPDX-License-Identifier: Apache-2.0 */
#include "package/key_table.h"

enum error_code
key_table_add(struct key_table *table, struct text key, const void *value, struct error *error)
{
    if (key.length == 0)
        return ERROR_NONE;
    if (table->count == table->capacity) {
        size_t capacity = table->capacity == 0 ? 64 : table->capacity * 2;
        struct key *grown = realloc(table->items, capacity * sizeof *grown);
        if (grown == NULL)
            return error_set(error, ERROR_NO_MEMORY, "no memory for the keys of a package");
        table->items = grown;
        table->capacity = capacity;
    }
    table->items[table->count] = (struct key){key, table->count, value};
    table->count++;
    return ERROR_NONE;
}

static int
compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = text_compare(x->key, y->key);
    return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

void
key_table_sort(struct key_table *table)
{
    if (table->count > 0)
        qsort(table->items, table->count, sizeof *table->items, compare_keys);
}

const void *
key_table_find(const struct key_table *table, struct text key)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (text_compare(table->items[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table->count && text_equal(table->items[low].key, key) ? table->items[low].value : NULL;
}

void
key_table_release(struct key_table *table)
{
    free(table->items);
    *table = (struct key_table){0};
}
