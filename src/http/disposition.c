/* SPDX-License-Identifier: Apache-2.0 */
/* Content-Disposition: see disposition.h. */
#include "http/disposition.h"

#include "format/percent.h"
#include "http/field.h"

static bool
is_plain(unsigned char c)
{
    return c >= ' ' && c < 0x7F;
}

static void
append_latin1(struct buffer *buffer, struct text bytes)
{
    for (size_t i = 0; i < bytes.length; i++) {
        unsigned char c = (unsigned char)bytes.data[i];
        if (c >= 0x80) {
            buffer_append_char(buffer, (char)(0xC0 | c >> 6));
            buffer_append_char(buffer, (char)(0x80 | (c & 0x3F)));
        } else {
            buffer_append_char(buffer, (char)c);
        }
    }
}

/* RFC 8187: charset'language'percent-encoded. */
static bool
decode_extended(struct arena *arena, struct text value, struct text *ret_text)
{
    struct text rest, encoded;
    struct text charset = text_cut(value, '\'', &rest);
    text_cut(rest, '\'', &encoded);
    struct buffer decoded = {0}, converted = {0};
    bool utf8 = text_equal_ignoring_case(charset, TEXT("UTF-8"));
    bool latin1 = text_equal_ignoring_case(charset, TEXT("ISO-8859-1"));
    bool good = encoded.data != NULL && (utf8 || latin1) && percent_decode(&decoded, encoded, NULL) == ERROR_NONE;
    if (good && latin1)
        append_latin1(&converted, buffer_text(&decoded));
    struct text result = latin1 ? buffer_text(&converted) : buffer_text(&decoded);
    good = good && text_is_utf8(result);
    if (good)
        *ret_text = arena_copy(arena, result);
    buffer_release(&decoded);
    buffer_release(&converted);
    return good;
}

/* A plain filename: UTF-8 as most clients send it, else taken for ISO-8859-1 as the RFC says. */
static bool
decode_plain(struct arena *arena, struct text value, struct text *ret_text)
{
    struct text text;
    if (!field_unquote(arena, value, &text)) {
        /* browsers and scripts send bare names with blanks or letters beyond ASCII */
        if (memchr(value.data, '"', value.length) != NULL)
            return false;
        text = value;
    }
    if (!text_is_utf8(text)) {
        struct buffer converted = {0};
        append_latin1(&converted, text);
        text = arena_copy(arena, buffer_text(&converted));
        buffer_release(&converted);
    }
    *ret_text = text;
    return true;
}

static struct text
last_segment(struct text name)
{
    for (size_t i = name.length; i > 0; i--) {
        if (name.data[i - 1] == '/' || name.data[i - 1] == '\\')
            return text_of(name.data + i, name.length - i);
    }
    return name;
}

enum error_code
disposition_parse(struct arena *arena, struct text value, struct text *ret_filename, struct error *error)
{
    struct text part, name, parameter, plain = TEXT(""), extended = TEXT("");
    bool good = true;
    if (value.data == NULL) {
        *ret_filename = TEXT("");
        return ERROR_NONE;
    }
    good = field_part_next(&value, &part) && field_is_token(part);
    while (good && field_part_next(&value, &part)) {
        field_pair(part, &name, &parameter);
        if (parameter.data == NULL)
            good = false;
        else if (text_equal_ignoring_case(name, TEXT("filename")))
            good = decode_plain(arena, parameter, &plain);
        else if (text_equal_ignoring_case(name, TEXT("filename*")))
            good = decode_extended(arena, parameter, &extended);
    }
    if (!good)
        return error_set(error, ERROR_INVALID, "Content-Disposition is not as RFC 6266 has it");
    *ret_filename = last_segment(extended.length > 0 ? extended : plain);
    if (memchr(ret_filename->data, '\0', ret_filename->length) != NULL)
        return error_set(error, ERROR_INVALID, "the file name in Content-Disposition holds a NUL byte");
    return ERROR_NONE;
}

static void
append_extended(struct buffer *buffer, struct text name)
{
    for (size_t i = 0; i < name.length; i++) {
        unsigned char c = (unsigned char)name.data[i];
        bool letter = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
        if (letter || (c != 0 && strchr("!#$&+-.^_`|~", c) != NULL))
            buffer_append_char(buffer, (char)c);
        else
            buffer_printf(buffer, "%%%02X", c);
    }
}

void
disposition_write(struct buffer *buffer, const char *type, struct text filename)
{
    bool plain = true;
    buffer_append_string(buffer, type);
    buffer_append_string(buffer, "; filename=\"");
    for (size_t i = 0; i < filename.length; i++) {
        unsigned char c = (unsigned char)filename.data[i];
        plain = plain && is_plain(c) && c != '%'; /* some agents decode %XX in the fallback */
        if ((c & 0xC0) == 0x80)
            continue; /* one `_` a character, not one a byte */
        if (c == '"' || c == '\\')
            buffer_append_char(buffer, '\\');
        buffer_append_char(buffer, is_plain(c) ? (char)c : '_');
    }
    buffer_append_char(buffer, '"');
    if (plain)
        return;
    buffer_append_string(buffer, "; filename*=UTF-8''");
    append_extended(buffer, filename);
}
