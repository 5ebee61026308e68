/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical JSON writer: see json.h. */
#include "format/json.h"

static void
separate(struct json_writer *writer)
{
    if (writer->comma)
        buffer_append_char(writer->buffer, ',');
    writer->comma = true;
}

static void
begin(struct json_writer *writer, char bracket)
{
    separate(writer);
    buffer_append_char(writer->buffer, bracket);
    writer->comma = false;
}

static void
end(struct json_writer *writer, char bracket)
{
    buffer_append_char(writer->buffer, bracket);
    writer->comma = true;
}

void
json_begin_object(struct json_writer *writer)
{
    begin(writer, '{');
}

void
json_end_object(struct json_writer *writer)
{
    end(writer, '}');
}

void
json_begin_array(struct json_writer *writer)
{
    begin(writer, '[');
}

void
json_end_array(struct json_writer *writer)
{
    end(writer, ']');
}

static bool
needs_escape(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

/* Writes the escape of one byte; returns its length (at most 6). */
static size_t
write_escape(unsigned char c, char *to)
{
    static const char short_forms[0x20] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    static const char digits[] = "0123456789abcdef";
    to[0] = '\\';
    if (c >= 0x20 || short_forms[c] != 0) {
        to[1] = c >= 0x20 ? (char)c : short_forms[c];
        return 2;
    }
    memcpy(to + 1, "u00", 3);
    to[4] = digits[c >> 4];
    to[5] = digits[c & 15];
    return 6;
}

void
json_append_string(struct buffer *buffer, struct text value)
{
    size_t used = 0;
    if (!text_is_utf8(value)) {
        if (buffer->status == ERROR_NONE)
            buffer->status = ERROR_INVALID;
        return;
    }
    if (value.length > SIZE_MAX / 8) {
        buffer->status = ERROR_LIMIT;
        return;
    }
    char *to = buffer_reserve(buffer, value.length * 6 + 2);
    if (to == NULL)
        return;
    to[used++] = '"';
    for (size_t i = 0; i < value.length; i++) {
        unsigned char c = (unsigned char)value.data[i];
        if (needs_escape(c))
            used += write_escape(c, to + used);
        else
            to[used++] = (char)c;
    }
    to[used++] = '"';
    buffer->length += used;
}

void
json_key_text(struct json_writer *writer, struct text key)
{
    separate(writer);
    json_append_string(writer->buffer, key);
    buffer_append_char(writer->buffer, ':');
    writer->comma = false;
}

void
json_key(struct json_writer *writer, const char *key)
{
    json_key_text(writer, text_from(key));
}

void
json_put_text(struct json_writer *writer, struct text value)
{
    separate(writer);
    json_append_string(writer->buffer, value);
}

void
json_put_string(struct json_writer *writer, const char *value)
{
    json_put_text(writer, text_from(value));
}

void
json_put_u64(struct json_writer *writer, uint64_t value)
{
    separate(writer);
    buffer_append_u64(writer->buffer, value);
}

void
json_put_i64(struct json_writer *writer, int64_t value)
{
    separate(writer);
    buffer_append_i64(writer->buffer, value);
}

void
json_put_raw(struct json_writer *writer, struct text json)
{
    separate(writer);
    buffer_append_text(writer->buffer, json);
}

void
json_put_bool(struct json_writer *writer, bool value)
{
    json_put_raw(writer, value ? TEXT("true") : TEXT("false"));
}

void
json_put_null(struct json_writer *writer)
{
    json_put_raw(writer, TEXT("null"));
}

void
json_put_hex(struct json_writer *writer, const void *data, size_t length)
{
    separate(writer);
    buffer_append_char(writer->buffer, '"');
    buffer_append_hex(writer->buffer, data, length);
    buffer_append_char(writer->buffer, '"');
}

void
json_member_text(struct json_writer *writer, const char *key, struct text value)
{
    json_key(writer, key);
    json_put_text(writer, value);
}

void
json_member_string(struct json_writer *writer, const char *key, const char *value)
{
    json_key(writer, key);
    json_put_string(writer, value);
}

void
json_member_u64(struct json_writer *writer, const char *key, uint64_t value)
{
    json_key(writer, key);
    json_put_u64(writer, value);
}

void
json_member_i64(struct json_writer *writer, const char *key, int64_t value)
{
    json_key(writer, key);
    json_put_i64(writer, value);
}

void
json_member_bool(struct json_writer *writer, const char *key, bool value)
{
    json_key(writer, key);
    json_put_bool(writer, value);
}

void
json_member_hex(struct json_writer *writer, const char *key, const void *data, size_t length)
{
    json_key(writer, key);
    json_put_hex(writer, data, length);
}
