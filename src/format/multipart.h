/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct multipart: reads a MIME multipart body (RFC 2046 section 5.1) as it comes, in pieces of any size. What stands
 * before the first boundary and after the last is passed over; lines end with CRLF or LF; a line that only begins like a boundary is
 * content.
 *
 * Life: multipart_init() - multipart_write()... - multipart_finish() - multipart_release(). The first error, its own or a
 * callback's, ends it. Memory: one part's head, and as much as the boundary is long. Threads: one at a time.
 */
#ifndef ARCHIVOLT_FORMAT_MULTIPART_H
#define ARCHIVOLT_FORMAT_MULTIPART_H

#include "base/buffer.h"
#include "base/error.h"

#define MULTIPART_BOUNDARY_BYTES 70u /* the RFC's limit */
#define MULTIPART_HEAD_BYTES 16384u

struct multipart_handler {
    /* A part begins: its head, raw, one field a line (folded ones on several), without the empty line. Borrowed. */
    enum error_code (*begin)(void *context, struct text head, struct error *error);
    enum error_code (*data)(void *context, const char *data, size_t length, struct error *error);
    enum error_code (*end)(void *context, struct error *error);
    void *context;
};

enum multipart_state { MULTIPART_PREAMBLE, MULTIPART_HEAD, MULTIPART_BODY, MULTIPART_EPILOGUE };

struct multipart {
    struct multipart_handler handler;
    char delimiter[2 + MULTIPART_BOUNDARY_BYTES];
    size_t delimiter_length;
    enum multipart_state state;
    struct buffer line;    /* the line under way, as far as it may still be a boundary; a head */
    bool line_is_content;  /* it is none: the rest of it goes straight on */
    char line_end[2];      /* of the content line before: belongs to the boundary if one follows */
    size_t line_end_length;
    unsigned parts;
};

/* INVALID: the boundary is empty, too long, or has characters that none may have. */
enum error_code multipart_init(struct multipart *multipart, struct text boundary, const struct multipart_handler *handler,
                               struct error *error) AV_MUST_USE;
enum error_code multipart_write(struct multipart *multipart, const void *data, size_t length,
                                struct error *error) AV_MUST_USE;
/* INVALID: the last boundary is missing (something was cut off), or there is no part. */
enum error_code multipart_finish(struct multipart *multipart, struct error *error) AV_MUST_USE;
void multipart_release(struct multipart *multipart);

/* A field of a part's head by its name (any case), unfolded into the buffer, trimmed. False: it has none. */
bool multipart_field(struct text head, const char *name, struct buffer *ret_value);

#endif
