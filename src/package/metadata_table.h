/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of metadata as DSpace exports and imports them (Batch Metadata Editing): a row an item, a column a field
 * ("dc.contributor.author[en]"), several values with "||" between them, authorities and confidences behind "::".
 */
#ifndef ARCHIVOLT_PACKAGE_METADATA_TABLE_H
#define ARCHIVOLT_PACKAGE_METADATA_TABLE_H

#include "package/package.h"

/* A package a row, without files. Columns `id` ("+" or nothing: a new item) and `collection` are no fields. INVALID, with the line;
 * UNSUPPORTED: a row that would change an item that is there. */
enum error_code metadata_table_read(const struct package_request *request, struct packages *packages,
                                    struct error *error) AV_MUST_USE;

#endif
