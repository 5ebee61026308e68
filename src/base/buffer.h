/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct buffer: growing bytes. Sticky: the first failure (out of memory, over the limit) is
 * remembered, later calls do nothing, and buffer_status() reports it at the end.
 *
 * Life: `struct buffer b = {0};` or buffer_init() - appends - buffer_status() - buffer_release().
 * Threads: one at a time.
 */
#ifndef ARCHIVOLT_BASE_BUFFER_H
#define ARCHIVOLT_BASE_BUFFER_H

#include "base/error.h"
#include "base/text.h"

struct buffer {
    char *data;
    size_t length;
    size_t capacity;
    size_t limit; /* 0: none */
    enum error_code status;
};

void buffer_init(struct buffer *buffer, size_t limit_bytes);
void buffer_release(struct buffer *buffer); /* back to empty, memory freed; safe on {0} */
void buffer_clear(struct buffer *buffer);   /* empty, status NONE, memory kept */
void buffer_append(struct buffer *buffer, const void *data, size_t length);
void buffer_append_text(struct buffer *buffer, struct text text);
void buffer_append_string(struct buffer *buffer, const char *string);
void buffer_append_char(struct buffer *buffer, char c);
void buffer_append_zeros(struct buffer *buffer, size_t length);
void buffer_append_u64(struct buffer *buffer, uint64_t value); /* decimal */
void buffer_append_i64(struct buffer *buffer, int64_t value);  /* decimal */
void buffer_append_hex(struct buffer *buffer, const void *data, size_t length); /* lower case */
void buffer_append_be(struct buffer *buffer, uint64_t value, unsigned bytes);   /* big-endian, 1 to 8 bytes */
void buffer_append_varint(struct buffer *buffer, uint64_t value); /* LEB128 */
void buffer_append_counted(struct buffer *buffer, struct text text); /* its length as a varint before it */
void buffer_printf(struct buffer *buffer, const char *format, ...) AV_PRINTF(2, 3);
/* Room for `length` more bytes; NULL after a failure. The caller writes them, then adds to length. */
char *buffer_reserve(struct buffer *buffer, size_t length);
void buffer_truncate(struct buffer *buffer, size_t length);
/* Moves everything after the first `length` bytes to the front. */
void buffer_consume(struct buffer *buffer, size_t length);
struct text buffer_text(const struct buffer *buffer); /* borrowed until the next append */
/* NUL-terminates without counting the NUL; "" after a failure. Borrowed until the next append. */
const char *buffer_string(struct buffer *buffer);
enum error_code buffer_status(const struct buffer *buffer, struct error *error) AV_MUST_USE;

/* Reading back what append_be and append_varint wrote: a cursor that goes bad once and stays so. */
struct cursor {
    const unsigned char *data;
    size_t left;
    bool bad;
};
struct cursor cursor_of(const void *data, size_t length);
uint64_t cursor_be(struct cursor *cursor, unsigned bytes);
uint64_t cursor_varint(struct cursor *cursor);
struct text cursor_bytes(struct cursor *cursor, size_t length);
struct text cursor_counted(struct cursor *cursor); /* what buffer_append_counted wrote; borrowed */

#endif
