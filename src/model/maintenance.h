/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What administrators do to a whole store: dump, check, verify, seal, compact, purge, export.
 * All need an administrator. Each runs in the calling thread beside the running store, reports
 * progress, and stops cleanly when `proceed` returns false (CLOSED).
 */
#ifndef ARCHIVOLT_MODEL_MAINTENANCE_H
#define ARCHIVOLT_MODEL_MAINTENANCE_H

#include "model/model.h"

typedef bool maintenance_proceed(void *context, const char *what, uint64_t done, uint64_t total);
/* One JSON object, no newline. False: nobody listens any more; what only tells stops then (CLOSED), what changes goes on. */
typedef bool maintenance_line(void *context, struct text json);

/* The whole catalog as canonical JSON lines, in key order. Waits for followers first, so that nothing but new work
 * changes the next dump. TIMEOUT when they do not come to an end. */
enum error_code model_dump(struct model *model, maintenance_line *line, void *context, struct error *error) AV_MUST_USE;
/* Catalog against itself (counts, parents, children, what was deleted, versions, statements, people, and what leads to
 * each), against the journal (position, chain, creations) and against the volumes (that the place of each version is
 * committed and its entry is there, by the tar header), without reading content. Each fault is one line; their words are
 * the table in model/upkeep/fsck.h. Beside writers: all of one moment. */
enum error_code model_fsck(struct model *model, maintenance_proceed *proceed, maintenance_line *line, void *context,
                           uint64_t *ret_faults, struct error *error) AV_MUST_USE;
/* Every byte. Faults name resource (id, path), version, volume, offset. Resumable: state is kept in the
 * data folder and continued unless `since` is given. */
struct model_verify_options {
    uint64_t since_sequence;   /* 0: go on where the last run stopped, or from the start */
    uint64_t bytes_per_second; /* 0: no limit */
};
enum error_code model_verify(struct model *model, const struct model_verify_options *options,
                             maintenance_proceed *proceed, maintenance_line *line, void *context,
                             uint64_t *ret_faults, struct error *error) AV_MUST_USE;
enum error_code model_seal(struct model *model, struct error *error) AV_MUST_USE;
/* Compacts every sealed volume of which at least `least_gain` (0 to 1) would be given back. */
enum error_code model_compact(struct model *model, double least_gain, maintenance_proceed *proceed,
                              maintenance_line *line, void *context, struct error *error) AV_MUST_USE;
/* Erases a deleted or live resource, all versions, names, statements and, for a container, everything below. */
enum error_code model_purge(struct model *model, const struct principal *principal, struct text path, uint64_t id,
                            maintenance_proceed *proceed, void *context, struct error *error) AV_MUST_USE;
/* Applies every journalled purge to a folder that holds copies of volumes. */
enum error_code model_purge_copy(struct model *model, const char *folder, maintenance_line *line, void *context,
                                 struct error *error) AV_MUST_USE;
/* The journal byte for byte as it stands in the volumes, one line a line, each group's own last; `check` verifies the
 * chain; `expect` "SEQ:HASH" or "". */
enum error_code model_journal(struct model *model, uint64_t after, bool check, struct text expect,
                              maintenance_line *line, void *context, struct error *error) AV_MUST_USE;
/* The live volumes as an extracted OCFL root. */
enum error_code model_export_ocfl(struct model *model, const char *folder, maintenance_proceed *proceed, void *context,
                                  struct error *error) AV_MUST_USE;
/* Volumes, one JSON line each. */
enum error_code model_volumes(struct model *model, maintenance_line *line, void *context, struct error *error) AV_MUST_USE;

#endif
