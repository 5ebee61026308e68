/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Content-Disposition (RFC 6266): the file's name in, by filename or filename* (RFC 8187, UTF-8 and
 * ISO-8859-1), and out, with an ASCII fallback and filename* whenever the name is more than that.
 */
#ifndef ARCHIVOLT_HTTP_DISPOSITION_H
#define ARCHIVOLT_HTTP_DISPOSITION_H

#include "base/arena.h"
#include "base/buffer.h"

/* "" when it names no file. What is before the last '/' or '\' is dropped, as the RFC wants. INVALID: broken. */
enum error_code disposition_parse(struct arena *arena, struct text value, struct text *ret_filename,
                                  struct error *error) AV_MUST_USE;
void disposition_write(struct buffer *buffer, const char *type, struct text filename);

#endif
