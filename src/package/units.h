/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct units: what a batch import reads, one unit after another, from files of this machine. A unit gives one package, or several
 * (an EPrints document, a table of metadata).
 *
 * Life: units_open() - units_read()... - units_free(). Threads: one at a time; several may be open over one source.
 * Safety: as package.h; symbolic links are not followed below the source.
 */
#ifndef ARCHIVOLT_PACKAGE_UNITS_H
#define ARCHIVOLT_PACKAGE_UNITS_H

#include "package/package.h"

/* X(NAME, "word", what a unit is) */
#define UNIT_FORMATS(X)                                                                            \
    X(SAF, "saf", "an item's directory in the Simple Archive Format, in a directory or a zip")     \
    X(BAGIT, "bagit", "a bag: a directory, a zip or a tar")                                        \
    X(EPRINTS, "eprints", "an EPrints XML document")                                               \
    X(CSV, "csv", "a table of metadata as DSpace writes it")                                       \
    X(PACKAGE, "package", "a file that is a package of any kind, or a file like others")           \
    X(TREE, "tree", "a file, or a directory with all that is below it")

enum unit_format {
#define X(name, word, help) UNIT_##name,
    UNIT_FORMATS(X)
#undef X
        UNIT_FORMAT_COUNT
};
const char *unit_format_word(enum unit_format format);
bool unit_format_from_word(struct text word, enum unit_format *ret_format);

struct units;
/* `request`: model, crosswalks, limits, asset_store; the rest is set here. `path`: a file or a directory, which holds units, or with
 * `whole` is one. NOT_FOUND, INVALID. */
enum error_code units_open(const struct package_request *request, enum unit_format format, const char *path, bool whole,
                           struct units **ret_units, struct error *error) AV_MUST_USE;
size_t units_count(const struct units *units);
struct text units_name(const struct units *units, size_t index); /* borrowed: of its file or directory */
/* All packages of a unit, or none; errors as package_read(). Their texts lie in `arena`. */
enum error_code units_read(struct units *units, size_t index, struct arena *arena, struct packages *ret_packages,
                           struct error *error) AV_MUST_USE;
void units_free(struct units *units); /* NULL is fine */

#endif
