/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of header values (RFC 9110 section 5.6): lists, parameters, quoted strings.
 * Threads: any. Results are borrowed from the input unless said.
 */
#ifndef ARCHIVOLT_HTTP_FIELD_H
#define ARCHIVOLT_HTTP_FIELD_H

#include "base/arena.h"

/* Cuts the next element of a comma-separated list, trimmed, empty ones skipped; commas within "quoted
 * strings" and <angle brackets> do not separate. False at the end. */
bool field_list_next(struct text *rest, struct text *ret_element);
/* Cuts the next part of `a; b=c; d="e"` likewise, at semicolons. */
bool field_part_next(struct text *rest, struct text *ret_part);
/* "name=value" to its halves, trimmed; the value's quotes stay. Without '=', the value's data is NULL. */
void field_pair(struct text part, struct text *ret_name, struct text *ret_value);
/* The text of a token or a quoted string (unescaped into the arena). False when it is neither. */
bool field_unquote(struct arena *arena, struct text value, struct text *ret_text);
bool field_is_token(struct text text);

#endif
