/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Percent-encoding: one context for each place that text goes to, each encoded exactly once; and
 * the decoding of request paths, once, with a message for each thing that is refused.
 * Threads: any.
 */
#ifndef ARCHIVOLT_FORMAT_PERCENT_H
#define ARCHIVOLT_FORMAT_PERCENT_H

#include "base/arena.h"
#include "base/buffer.h"

enum percent_context {
    PERCENT_URI_SEGMENT,  /* a path segment: all but pchar (RFC 3986 section 3.3); upper case */
    PERCENT_URI_QUERY,    /* a key or value of a query: all but unreserved; upper case */
    PERCENT_OCFL_LOGICAL, /* a segment of an OCFL logical path: only 00-1F, 7F, `"`, `\`, `%`; upper case */
    PERCENT_OCFL_LAYOUT,  /* an object's folder in layout 0003: all but A-Za-z0-9-_; lower case */
    PERCENT_URN,          /* the last part of urn:archivolt:attribute: all but unreserved; upper case */
    PERCENT_CONTEXT_COUNT
};

/* Appends the encoded text; any bytes may come in. */
void percent_encode(struct buffer *buffer, enum percent_context context, struct text text);
/* Whether the text would come out as it is. */
bool percent_is_clean(enum percent_context context, struct text text);
/* Appends the decoded text. INVALID: `%` without two hexadecimal digits (nothing is appended). */
enum error_code percent_decode(struct buffer *buffer, struct text text,
                               struct error *error) AV_MUST_USE;

struct percent_path {
    struct text *segments; /* decoded UTF-8 without NUL or `/`; in the arena */
    size_t count;          /* 0: the root */
    bool trailing_slash;   /* one, after the last segment; false for "/" itself */
};

/* Splits a raw request path ("/a/b%20c", without query) and decodes each segment once. INVALID with
 * a message of its own for: no leading slash, a bad escape, %2F, %00, an empty segment, `.` or `..`
 * (also when written with escapes), bytes that are no UTF-8, a raw `?` or `#`, blank or control character.
 * LIMIT of the arena. */
enum error_code percent_split_path(struct arena *arena, struct text raw_path,
                                   struct percent_path *ret_path, struct error *error) AV_MUST_USE;

#endif
