/* SPDX-License-Identifier: Apache-2.0 */
/* Percent-encoding: see percent.h. */
#include "format/percent.h"

#include "format/hex.h"

#define BIT(context) (1u << PERCENT_##context)
#define EVERYWHERE                                                                                 \
    (BIT(URI_SEGMENT) | BIT(URI_QUERY) | BIT(OCFL_LOGICAL) | BIT(OCFL_LAYOUT) | BIT(URN))
#define UNRESERVED (EVERYWHERE & ~BIT(OCFL_LAYOUT)) /* unreserved, but not safe in layout 0003 */
#define PCHAR (BIT(URI_SEGMENT) | BIT(OCFL_LOGICAL))
#define LOGICAL BIT(OCFL_LOGICAL)

/* For each byte, the contexts in which it stays as it is. */
static const unsigned char safe[256] = {
    ['A' ... 'Z'] = EVERYWHERE,
    ['a' ... 'z'] = EVERYWHERE,
    ['0' ... '9'] = EVERYWHERE,
    ['-'] = EVERYWHERE,
    ['_'] = EVERYWHERE,
    ['.'] = UNRESERVED,
    ['~'] = UNRESERVED,
    ['!'] = PCHAR,
    ['$'] = PCHAR,
    ['&' ... ','] = PCHAR, /* & ' ( ) * + , */
    [';'] = PCHAR,
    ['='] = PCHAR,
    [':'] = PCHAR,
    ['@'] = PCHAR,
    [' '] = LOGICAL,
    ['#'] = LOGICAL,
    ['/'] = LOGICAL,
    ['<'] = LOGICAL,
    ['>'] = LOGICAL,
    ['?'] = LOGICAL,
    ['['] = LOGICAL,
    [']'] = LOGICAL,
    ['^'] = LOGICAL,
    ['`'] = LOGICAL,
    ['{' ... '}'] = LOGICAL,
    [0x80 ... 0xFF] = LOGICAL,
};

static bool
is_safe(enum percent_context context, char c)
{
    return (safe[(unsigned char)c] >> context & 1) != 0;
}

bool
percent_is_clean(enum percent_context context, struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (!is_safe(context, text.data[i]))
            return false;
    }
    return true;
}

void
percent_encode(struct buffer *buffer, enum percent_context context, struct text text)
{
    const char *digits = context == PERCENT_OCFL_LAYOUT ? "0123456789abcdef" : "0123456789ABCDEF";
    for (size_t i = 0, from = 0; i <= text.length; i++) {
        if (i < text.length && is_safe(context, text.data[i]))
            continue;
        buffer_append(buffer, text.data + from, i - from);
        from = i + 1;
        if (i == text.length)
            break;
        unsigned char c = (unsigned char)text.data[i];
        buffer_append(buffer, (const char[]){'%', digits[c >> 4], digits[c & 15]}, 3);
    }
}

/* Decodes into `out`, which has text.length bytes; false on a bad escape. */
static bool
decode_into(struct text text, char *out, size_t *ret_length)
{
    size_t used = 0;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        if (c == '%') {
            int high = text.length - i > 2 ? hex_digit(text.data[i + 1]) : -1;
            int low = high < 0 ? -1 : hex_digit(text.data[i + 2]);
            if (low < 0)
                return false;
            c = (char)(high << 4 | low);
            i += 2;
        }
        out[used++] = c;
    }
    *ret_length = used;
    return true;
}

static enum error_code
bad_escape(struct error *error)
{
    return error_set(error, ERROR_INVALID, "'%%' must be followed by two hexadecimal digits");
}

enum error_code
percent_decode(struct buffer *buffer, struct text text, struct error *error)
{
    size_t length;
    char *out = buffer_reserve(buffer, text.length);
    if (out == NULL)
        return buffer_status(buffer, error);
    if (!decode_into(text, out, &length))
        return bad_escape(error);
    buffer->length += length;
    return ERROR_NONE;
}

/* One raw segment, before decoding: what may not be there at all. */
static enum error_code
check_raw(struct text raw, struct error *error)
{
    for (size_t i = 0; i < raw.length; i++) {
        unsigned char c = (unsigned char)raw.data[i];
        if (c == '?' || c == '#')
            return error_set(error, ERROR_INVALID, "'%c' in a path must be written %%%02X", c, c);
        if (c <= ' ' || c == 0x7F)
            return error_set(error, ERROR_INVALID,
                             "a blank or control character in a path must be written %%%02X", c);
    }
    return ERROR_NONE;
}

static enum error_code
check_decoded(struct text segment, struct error *error)
{
    if (segment.length == 0)
        return error_set(error, ERROR_INVALID, "a path may not hold an empty segment (\"//\")");
    if (memchr(segment.data, '/', segment.length) != NULL)
        return error_set(error, ERROR_INVALID,
                         "a name may not hold '/', so %%2F is not allowed in a path");
    if (memchr(segment.data, '\0', segment.length) != NULL)
        return error_set(error, ERROR_INVALID, "a name may not hold NUL (%%00)");
    if (text_equal(segment, TEXT(".")) || text_equal(segment, TEXT("..")))
        return error_set(error, ERROR_INVALID, "'.' and '..' are not names, and are not followed");
    if (!text_is_utf8(segment))
        return error_set(error, ERROR_INVALID, "a name must be UTF-8");
    return ERROR_NONE;
}

static enum error_code
decode_segment(struct arena *arena, struct text raw, struct text *ret_segment, struct error *error)
{
    enum error_code code = check_raw(raw, error);
    if (code != ERROR_NONE)
        return code;
    char *out = arena_alloc(arena, raw.length + 1);
    if (out == NULL)
        return arena_status(arena, error);
    struct text segment = text_of(out, 0);
    if (!decode_into(raw, out, &segment.length))
        return bad_escape(error);
    code = check_decoded(segment, error);
    if (code == ERROR_NONE)
        *ret_segment = segment;
    return code;
}

static size_t
count_of(struct text text, char c)
{
    size_t count = 0;
    for (size_t i = 0; i < text.length; i++)
        count += text.data[i] == c;
    return count;
}

enum error_code
percent_split_path(struct arena *arena, struct text raw_path, struct percent_path *ret_path,
                   struct error *error)
{
    struct percent_path path = {0};
    if (raw_path.length == 0 || raw_path.data[0] != '/')
        return error_set(error, ERROR_INVALID, "a path must begin with '/'");
    struct text rest = text_of(raw_path.data + 1, raw_path.length - 1);
    if (rest.length > 0 && rest.data[rest.length - 1] == '/') {
        path.trailing_slash = true;
        rest.length--;
    } else if (rest.length == 0) {
        rest.data = NULL;
    }
    path.segments = arena_alloc(arena, (count_of(rest, '/') + 1) * sizeof *path.segments);
    if (path.segments == NULL)
        return arena_status(arena, error);
    while (rest.data != NULL) {
        struct text raw = text_cut(rest, '/', &rest);
        enum error_code code = decode_segment(arena, raw, &path.segments[path.count++], error);
        if (code != ERROR_NONE)
            return code;
    }
    *ret_path = path;
    return ERROR_NONE;
}
