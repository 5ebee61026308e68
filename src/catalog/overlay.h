/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct overlay: pending changes over a catalog, readable as if they were applied: the state that
 * the committer decides on while a group is being laid out. A mark remembers a point; rolling back
 * to it undoes all since (a transaction that failed half-way).
 *
 * An overlay can stand on another one whose changes are about to be written to the catalog: it then
 * reads as if they were there.
 *
 * Life: overlay_new(catalog) - [overlay_stand_on()] - get, put, delete, scan, mark, roll back - overlay_to_batch() -
 * overlay_clear() for the next group - overlay_free(). Threads: one.
 */
#ifndef ARCHIVOLT_CATALOG_OVERLAY_H
#define ARCHIVOLT_CATALOG_OVERLAY_H

#include "catalog/catalog.h"

struct overlay;
struct overlay_scan;

struct overlay *overlay_new(struct catalog *catalog);
void overlay_free(struct overlay *overlay);
void overlay_clear(struct overlay *overlay); /* it stands on the catalog again */
/* `below` stands on the catalog itself and does not change while another one stands on it; NULL: the
 * catalog holds its changes now. */
void overlay_stand_on(struct overlay *overlay, struct overlay *below);
/* NOT_FOUND when deleted here or absent below. The value is copied into the buffer. Values read
 * from below are remembered until clear(), so hot keys cost one catalog read a group. */
enum error_code overlay_get(struct overlay *overlay, struct text key, struct buffer *ret_value,
                            struct error *error) AV_MUST_USE;
void overlay_put(struct overlay *overlay, struct text key, struct text value);
void overlay_delete(struct overlay *overlay, struct text key);
/* Merged, ascending only; the overlay must not change while a scan is open. */
enum error_code overlay_scan_open(struct overlay *overlay, struct text from, struct text to,
                                  struct overlay_scan **ret_scan, struct error *error) AV_MUST_USE;
bool overlay_scan_next(struct overlay_scan *scan, struct text *ret_key, struct text *ret_value);
enum error_code overlay_scan_close(struct overlay_scan *scan, struct error *error) AV_MUST_USE;
size_t overlay_mark(const struct overlay *overlay);
void overlay_roll_back(struct overlay *overlay, size_t mark);
/* Adds every changed key, in ascending order of keys. */
void overlay_to_batch(const struct overlay *overlay, struct catalog_batch *batch);
size_t overlay_count(const struct overlay *overlay); /* changed keys */

#endif
