/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV (RFC 4180): rows of fields, quoted where they hold commas, quotes or line ends. Line ends are CR LF, LF or CR; a byte order
 * mark before the first row is no part of it. Pure.
 */
#ifndef ARCHIVOLT_FORMAT_CSV_H
#define ARCHIVOLT_FORMAT_CSV_H

#include "base/arena.h"

struct csv_row {
    struct text *fields; /* in the arena */
    size_t count, capacity;
    size_t line; /* of its beginning, from 1 */
};

struct csv {
    struct text rest;
    size_t line; /* of the beginning of `rest` */
};
struct csv csv_of(struct text text);
/* The next row that is not empty. *ret_found false: there is none. INVALID: a quote that is not closed, or text behind one. */
enum error_code csv_next(struct csv *csv, struct arena *arena, struct csv_row *ret_row, bool *ret_found,
                         struct error *error) AV_MUST_USE;

#endif
