/* SPDX-License-Identifier: Apache-2.0 */
#include "package/member_name.h"

#include "base/buffer.h"

enum { SEGMENT_BYTES_MAX = 255 };

/* Code page 437, 0x80 to 0xff. */
static const uint16_t code_page_437[128] = {
    0x00c7, 0x00fc, 0x00e9, 0x00e2, 0x00e4, 0x00e0, 0x00e5, 0x00e7,
    0x00ea, 0x00eb, 0x00e8, 0x00ef, 0x00ee, 0x00ec, 0x00c4, 0x00c5,
    0x00c9, 0x00e6, 0x00c6, 0x00f4, 0x00f6, 0x00f2, 0x00fb, 0x00f9,
    0x00ff, 0x00d6, 0x00dc, 0x00a2, 0x00a3, 0x00a5, 0x20a7, 0x0192,
    0x00e1, 0x00ed, 0x00f3, 0x00fa, 0x00f1, 0x00d1, 0x00aa, 0x00ba,
    0x00bf, 0x2310, 0x00ac, 0x00bd, 0x00bc, 0x00a1, 0x00ab, 0x00bb,
    0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556,
    0x2555, 0x2563, 0x2551, 0x2557, 0x255d, 0x255c, 0x255b, 0x2510,
    0x2514, 0x2534, 0x252c, 0x251c, 0x2500, 0x253c, 0x255e, 0x255f,
    0x255a, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550, 0x256c, 0x2567,
    0x2568, 0x2564, 0x2565, 0x2559, 0x2558, 0x2552, 0x2553, 0x256b,
    0x256a, 0x2518, 0x250c, 0x2588, 0x2584, 0x258c, 0x2590, 0x2580,
    0x03b1, 0x00df, 0x0393, 0x03c0, 0x03a3, 0x03c3, 0x00b5, 0x03c4,
    0x03a6, 0x0398, 0x03a9, 0x03b4, 0x221e, 0x03c6, 0x03b5, 0x2229,
    0x2261, 0x00b1, 0x2265, 0x2264, 0x2320, 0x2321, 0x00f7, 0x2248,
    0x00b0, 0x2219, 0x00b7, 0x221a, 0x207f, 0x00b2, 0x25a0, 0x00a0,
};

static void
append_character(struct buffer *out, unsigned c)
{
    if (c < 0x80) {
        buffer_append_char(out, (char)c);
    } else if (c < 0x800) {
        buffer_append_char(out, (char)(0xc0 | c >> 6));
        buffer_append_char(out, (char)(0x80 | (c & 0x3f)));
    } else {
        buffer_append_char(out, (char)(0xe0 | c >> 12));
        buffer_append_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
        buffer_append_char(out, (char)(0x80 | (c & 0x3f)));
    }
}

static struct text
decode(struct arena *arena, const struct member_raw *raw)
{
    struct buffer out AV_CLEANUP(buffer_release) = {0};
    for (size_t i = 0; i < raw->name.length; i++) {
        unsigned char byte = (unsigned char)raw->name.data[i];
        append_character(&out, byte < 0x80 || raw->charset == MEMBER_LATIN_1 ? byte : code_page_437[byte - 0x80]);
    }
    return arena_copy(arena, buffer_text(&out));
}

static bool
is_separator(char c, bool backslashes)
{
    return c == '/' || (backslashes && c == '\\');
}

static struct text
cut_segment(struct text *rest, bool backslashes)
{
    struct text segment = {rest->data, 0};
    while (segment.length < rest->length && !is_separator(rest->data[segment.length], backslashes))
        segment.length++;
    size_t used = segment.length < rest->length ? segment.length + 1 : segment.length;
    *rest = text_of(rest->data + used, rest->length - used);
    return segment;
}

static bool
has_drive_letter(struct text name)
{
    return name.length >= 2 && name.data[1] == ':' &&
           ((name.data[0] >= 'a' && name.data[0] <= 'z') || (name.data[0] >= 'A' && name.data[0] <= 'Z'));
}

/* Either separator counts, wherever the archive was made: what leaves it on one system is refused on all. */
static enum error_code
check_safety(struct text name, struct error *error)
{
    if (name.length == 0)
        return error_set(error, ERROR_INVALID, "an entry without a name");
    if (memchr(name.data, '\0', name.length) != NULL)
        return error_set(error, ERROR_INVALID, "the name of entry \"%.*s\" contains a NUL byte", TEXT_ARG(name));
    if (is_separator(name.data[0], true))
        return error_set(error, ERROR_INVALID, "entry \"%.*s\" has an absolute name", TEXT_ARG(name));
    if (has_drive_letter(name))
        return error_set(error, ERROR_INVALID, "the name of entry \"%.*s\" begins with a drive letter", TEXT_ARG(name));
    for (struct text rest = name; rest.length > 0;) {
        if (text_equal(cut_segment(&rest, true), TEXT("..")))
            return error_set(error, ERROR_INVALID, "entry \"%.*s\" leaves the package", TEXT_ARG(name));
    }
    return ERROR_NONE;
}

/* Segments that say nothing ("" and ".") are left out. */
static enum error_code
append_path(struct text name, bool backslashes, struct buffer *path, struct error *error)
{
    for (struct text rest = name; rest.length > 0;) {
        struct text segment = cut_segment(&rest, backslashes);
        if (segment.length == 0 || text_equal(segment, TEXT(".")))
            continue;
        if (segment.length > SEGMENT_BYTES_MAX)
            return error_set(error, ERROR_LIMIT, "a name in entry \"%.80s…\" is longer than %d bytes", name.data,
                             SEGMENT_BYTES_MAX);
        if (path->length > 0)
            buffer_append_char(path, '/');
        buffer_append_text(path, segment);
    }
    return buffer_status(path, error);
}

enum error_code
member_name(struct arena *arena, const struct member_raw *raw, struct member_name *ret_name, struct error *error)
{
    struct buffer path AV_CLEANUP(buffer_release) = {0};
    bool guessed = !text_is_utf8(raw->name);
    struct text name = guessed ? decode(arena, raw) : arena_copy(arena, raw->name);
    enum error_code code = arena_status(arena, error);
    if (code == ERROR_NONE)
        code = check_safety(name, error);
    if (code == ERROR_NONE)
        code = append_path(name, raw->backslashes, &path, error);
    if (code != ERROR_NONE)
        return code;
    *ret_name = (struct member_name){.path = arena_copy(arena, buffer_text(&path)),
                                     .original = name,
                                     .folder = is_separator(name.data[name.length - 1], raw->backslashes),
                                     .guessed = guessed};
    return arena_status(arena, error);
}
