/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of an archive through libarchive, forward only: start, next..., end; of a zip, of one member alone. Shared by
 * unpack.c and unpack_read.c.
 */
#ifndef ARCHIVOLT_PACKAGE_UNPACK_READ_H
#define ARCHIVOLT_PACKAGE_UNPACK_READ_H

#include "package/unpack.h"

struct archive_entry;
/* `member`: of a zip; NULL: a tar, from its beginning. */
enum error_code unpack_read__start(struct unpack *unpack, const struct member *member, struct error *error) AV_MUST_USE;
/* *ret_entry NULL: no more. Borrowed until the next call. */
enum error_code unpack_read__next(struct unpack *unpack, struct archive_entry **ret_entry,
                                  struct error *error) AV_MUST_USE;
void unpack_read__end(struct unpack *unpack);

#endif
