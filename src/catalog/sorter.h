/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct sorter: an external merge sort of (key, order, value) with bounded memory, for rebuilding.
 * Sorted by key bytes, then by order (ascending).
 *
 * Life: sorter_new(folder for spill files, memory budget) - sorter_add()... - sorter_finish() -
 * sorter_next() until false - sorter_free() (removes the spill files). Threads: one.
 */
#ifndef ARCHIVOLT_CATALOG_SORTER_H
#define ARCHIVOLT_CATALOG_SORTER_H

#include "base/error.h"
#include "base/text.h"

struct sorter;

struct sorter_record {
    struct text key;
    uint64_t order;
    struct text value;
};

enum error_code sorter_new(const char *folder, size_t memory_bytes, struct sorter **ret_sorter,
                           struct error *error) AV_MUST_USE;
enum error_code sorter_add(struct sorter *sorter, const struct sorter_record *record,
                           struct error *error) AV_MUST_USE;
enum error_code sorter_finish(struct sorter *sorter, struct error *error) AV_MUST_USE;
/* False at the end (`error` untouched) or after a fault (its code in sorter_status()). Borrowed until the next call. */
bool sorter_next(struct sorter *sorter, struct sorter_record *ret_record);
enum error_code sorter_status(const struct sorter *sorter, struct error *error) AV_MUST_USE;
void sorter_free(struct sorter *sorter);

#endif
