/* SPDX-License-Identifier: Apache-2.0 */
/* Growing bytes with a sticky status: see buffer.h. */
#include "base/buffer.h"

#include "base/ensure.h"

#include <stdarg.h>

void
buffer_init(struct buffer *buffer, size_t limit_bytes)
{
    *buffer = (struct buffer){.limit = limit_bytes};
}

void
buffer_release(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){.limit = buffer->limit};
}

void
buffer_clear(struct buffer *buffer)
{
    buffer->length = 0;
    buffer->status = ERROR_NONE;
}

char *
buffer_reserve(struct buffer *buffer, size_t length)
{
    size_t needed;
    if (buffer->status != ERROR_NONE)
        return NULL;
    if (__builtin_add_overflow(buffer->length, length, &needed) ||
        (buffer->limit != 0 && needed > buffer->limit)) {
        buffer->status = ERROR_LIMIT;
        return NULL;
    }
    if (needed > buffer->capacity || buffer->data == NULL) {
        size_t capacity = buffer->capacity < 128 ? 128 : buffer->capacity;
        while (capacity < needed)
            capacity = capacity > SIZE_MAX / 2 ? needed : capacity * 2;
        char *data = realloc(buffer->data, capacity);
        if (data == NULL) {
            buffer->status = ERROR_NO_MEMORY;
            return NULL;
        }
        buffer->data = data;
        buffer->capacity = capacity;
    }
    return buffer->data + buffer->length;
}

void
buffer_append(struct buffer *buffer, const void *data, size_t length)
{
    char *to = buffer_reserve(buffer, length);
    if (to == NULL || length == 0)
        return;
    memcpy(to, data, length);
    buffer->length += length;
}

void
buffer_append_text(struct buffer *buffer, struct text text)
{
    buffer_append(buffer, text.data, text.length);
}

void
buffer_append_string(struct buffer *buffer, const char *string)
{
    buffer_append(buffer, string, strlen(string));
}

void
buffer_append_char(struct buffer *buffer, char c)
{
    buffer_append(buffer, &c, 1);
}

void
buffer_append_zeros(struct buffer *buffer, size_t length)
{
    char *to = buffer_reserve(buffer, length);
    if (to == NULL)
        return;
    memset(to, 0, length);
    buffer->length += length;
}

void
buffer_append_u64(struct buffer *buffer, uint64_t value)
{
    char digits[20];
    buffer_append(buffer, digits, decimal_write(digits, value));
}

void
buffer_append_i64(struct buffer *buffer, int64_t value)
{
    if (value < 0)
        buffer_append_char(buffer, '-');
    buffer_append_u64(buffer, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void
buffer_append_hex(struct buffer *buffer, const void *data, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = data;
    char *to = buffer_reserve(buffer, length * 2);
    if (to == NULL)
        return;
    for (size_t i = 0; i < length; i++) {
        to[2 * i] = digits[from[i] >> 4];
        to[2 * i + 1] = digits[from[i] & 15];
    }
    buffer->length += length * 2;
}

void
buffer_append_be(struct buffer *buffer, uint64_t value, unsigned bytes)
{
    unsigned char out[8];
    ensure(bytes >= 1 && bytes <= 8);
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
    buffer_append(buffer, out, bytes);
}

void
buffer_append_varint(struct buffer *buffer, uint64_t value)
{
    unsigned char out[10];
    size_t used = 0;
    while (value >= 0x80) {
        out[used++] = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    out[used++] = (unsigned char)value;
    buffer_append(buffer, out, used);
}

void
buffer_append_counted(struct buffer *buffer, struct text text)
{
    buffer_append_varint(buffer, text.length);
    buffer_append_text(buffer, text);
}

void
buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    ensure(length >= 0);
    char *to = buffer_reserve(buffer, (size_t)length + 1);
    if (to != NULL) {
        vsnprintf(to, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
}

void
buffer_truncate(struct buffer *buffer, size_t length)
{
    ensure(length <= buffer->length);
    buffer->length = length;
}

void
buffer_consume(struct buffer *buffer, size_t length)
{
    ensure(length <= buffer->length);
    if (length > 0)
        memmove(buffer->data, buffer->data + length, buffer->length - length);
    buffer->length -= length;
}

struct text
buffer_text(const struct buffer *buffer)
{
    return text_of(buffer->data == NULL ? "" : buffer->data, buffer->length);
}

const char *
buffer_string(struct buffer *buffer)
{
    char *end = buffer_reserve(buffer, 1);
    if (end == NULL)
        return "";
    *end = '\0';
    return buffer->data;
}

enum error_code
buffer_status(const struct buffer *buffer, struct error *error)
{
    if (buffer->status == ERROR_LIMIT)
        return error_set(error, ERROR_LIMIT, "more than %zu bytes", buffer->limit);
    if (buffer->status != ERROR_NONE)
        return error_set(error, buffer->status, "out of memory");
    return ERROR_NONE;
}

struct cursor
cursor_of(const void *data, size_t length)
{
    return (struct cursor){data, length, false};
}

uint64_t
cursor_be(struct cursor *cursor, unsigned bytes)
{
    uint64_t value = 0;
    struct text from = cursor_bytes(cursor, bytes);
    for (size_t i = 0; i < from.length; i++)
        value = value << 8 | (unsigned char)from.data[i];
    return value;
}

uint64_t
cursor_varint(struct cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        struct text from = cursor_bytes(cursor, 1);
        if (from.length == 0)
            return 0;
        unsigned char byte = (unsigned char)from.data[0];
        value |= (uint64_t)(byte & 0x7F) << shift;
        if ((byte & 0x80) == 0)
            return value;
    }
    cursor->bad = true;
    return 0;
}

struct text
cursor_bytes(struct cursor *cursor, size_t length)
{
    if (cursor->bad || cursor->left < length) {
        cursor->bad = true;
        return text_of("", 0);
    }
    struct text taken = text_of((const char *)cursor->data, length);
    cursor->data += length;
    cursor->left -= length;
    return taken;
}

struct text
cursor_counted(struct cursor *cursor)
{
    uint64_t length = cursor_varint(cursor);
    if (length > cursor->left) {
        cursor->bad = true;
        return TEXT("");
    }
    return cursor_bytes(cursor, (size_t)length);
}
