/* SPDX-License-Identifier: Apache-2.0 */
#include "package/bag_text.h"

#include "format/hex.h"
#include "package/reader.h"

#include <iconv.h>

static const struct bag_algorithm algorithms[] = {
#define X(name, hyphenated, size, digest, openssl) {name, hyphenated, size, digest, openssl},
    BAG_ALGORITHMS(X)
#undef X
};

/* ---- bagit.txt ---- */

static bool
cut_prefix(struct text *text, struct text prefix)
{
    if (!text_starts_with(*text, prefix))
        return false;
    *text = text_of(text->data + prefix.length, text->length - prefix.length);
    return true;
}

static bool
parse_version(struct text text, struct bag_declaration *declaration)
{
    struct text minor;
    struct text major = text_cut(text, '.', &minor);
    uint64_t a, b;
    if (minor.data == NULL || !text_to_u64(major, &a) || !text_to_u64(minor, &b) || a > 1000 || b > 1000)
        return false;
    declaration->major = (unsigned)a;
    declaration->minor = (unsigned)b;
    return true;
}

enum error_code
bag_read_declaration(struct text text, struct bag_declaration *ret_declaration, struct error *error)
{
    struct bag_declaration found = {0};
    struct text rest = text;
    struct text version = reader_cut_line(rest, &rest);
    struct text encoding = rest.data == NULL ? TEXT("") : reader_cut_line(rest, &rest);
    if (!cut_prefix(&version, TEXT("BagIt-Version:")) || !parse_version(text_trim(version), &found))
        return error_set(error, ERROR_INVALID, "bagit.txt, line 1: not \"BagIt-Version: M.N\"");
    if (!cut_prefix(&encoding, TEXT("Tag-File-Character-Encoding:")) || text_trim(encoding).length == 0)
        return error_set(error, ERROR_INVALID, "bagit.txt, line 2: not \"Tag-File-Character-Encoding: NAME\"");
    if (rest.data != NULL && text_trim(rest).length > 0)
        return error_set(error, ERROR_INVALID, "bagit.txt, line 3: there is more than two lines");
    if (!(found.major == 0 && found.minor >= 93 && found.minor <= 97) && !(found.major == 1 && found.minor == 0))
        return error_set(error, ERROR_UNSUPPORTED, "BagIt version %u.%u (0.93 to 0.97 and 1.0 are read)", found.major,
                         found.minor);
    found.encoding = text_trim(encoding);
    *ret_declaration = found;
    return ERROR_NONE;
}

enum error_code
bag_decode(struct text text, struct text encoding, struct buffer *ret_text, struct error *error)
{
    char name[64], out[4096];
    if (text_equal_ignoring_case(encoding, TEXT("UTF-8"))) {
        if (!text_is_utf8(text))
            return error_set(error, ERROR_INVALID, "not UTF-8 as bagit.txt says");
        buffer_append_text(ret_text, text);
        return buffer_status(ret_text, error);
    }
    snprintf(name, sizeof name, "%.*s", TEXT_ARG(encoding));
    /* A name with '/' would be an option of iconv's. */
    iconv_t converter = encoding.length >= sizeof name || strchr(name, '/') != NULL ? (iconv_t)-1 : iconv_open("UTF-8", name);
    if (converter == (iconv_t)-1)
        return error_set(error, ERROR_UNSUPPORTED, "bagit.txt: the encoding \"%.*s\" is not known", TEXT_ARG(encoding));
    char *from = (char *)(uintptr_t)text.data;
    size_t left = text.length, got = 0;
    do {
        char *to = out;
        size_t room = sizeof out, before = left;
        got = iconv(converter, &from, &left, &to, &room);
        buffer_append(ret_text, out, sizeof out - room);
        if (got == (size_t)-1 && left == before)
            break;
    } while (left > 0);
    iconv_close(converter);
    if (left > 0)
        return error_set(error, ERROR_INVALID, "not %.*s as bagit.txt says", TEXT_ARG(encoding));
    return buffer_status(ret_text, error);
}

/* ---- manifests ---- */

bool
bag_manifest_name(struct text name, struct bag_manifest_name *ret_name)
{
    struct bag_manifest_name found = {0};
    if (!text_ends_with(name, TEXT(".txt")))
        return false;
    name.length -= sizeof ".txt" - 1;
    if (cut_prefix(&name, TEXT("tagmanifest-")))
        found.tags = true;
    else if (!cut_prefix(&name, TEXT("manifest-")))
        return false;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        bool hyphenated = text_equal_ignoring_case(name, text_from(algorithms[i].hyphenated));
        if (hyphenated || text_equal_ignoring_case(name, text_from(algorithms[i].name))) {
            found.algorithm = &algorithms[i];
            found.hyphenated = hyphenated;
        }
    }
    *ret_name = found;
    return true;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

enum error_code
bag_read_line(struct text line, const struct bag_algorithm *algorithm, struct bag_line *ret_line, struct error *error)
{
    struct bag_line found = {0};
    struct text digest = {line.data, 0};
    while (digest.length < line.length && !is_blank(line.data[digest.length]))
        digest.length++;
    if (!hex_decode(digest, found.digest, algorithm->size_bytes))
        return error_set(error, ERROR_INVALID, "\"%.*s\" is no %s checksum",
                         (int)(digest.length < 200 ? digest.length : 200), digest.data, algorithm->name);
    size_t at = digest.length;
    while (at < line.length && is_blank(line.data[at]))
        at++;
    found.path = text_of(line.data + at, line.length - at);
    if (at > digest.length && cut_prefix(&found.path, TEXT("*")))
        found.starred = true;
    while (cut_prefix(&found.path, TEXT("./")))
        found.dotted = true;
    if (found.path.length == 0)
        return error_set(error, ERROR_INVALID, "a checksum without a file's name");
    *ret_line = found;
    return ERROR_NONE;
}

enum error_code
bag_read_fetch_line(struct text line, struct text *ret_path, struct error *error)
{
    size_t at = 0;
    for (int field = 0; field < 2; field++) {
        while (at < line.length && !is_blank(line.data[at]))
            at++;
        while (at < line.length && is_blank(line.data[at]))
            at++;
    }
    if (at == 0 || at >= line.length)
        return error_set(error, ERROR_INVALID, "not an address, a length and a file's name");
    *ret_path = text_of(line.data + at, line.length - at);
    return ERROR_NONE;
}

struct text
bag_unescape(struct text path, struct arena *arena)
{
    struct buffer out AV_CLEANUP(buffer_release) = {0};
    for (size_t i = 0; i < path.length; i++) {
        unsigned char byte = 0;
        if (path.data[i] == '%' && path.length - i > 2 && hex_decode(text_of(path.data + i + 1, 2), &byte, 1) &&
            (byte == '\n' || byte == '\r' || byte == '%')) {
            buffer_append_char(&out, (char)byte);
            i += 2;
        } else {
            buffer_append_char(&out, path.data[i]);
        }
    }
    return arena_copy(arena, buffer_text(&out));
}

enum error_code
bag_check_path(struct text path, bool payload, struct error *error)
{
    bool drive = path.length >= 2 && path.data[1] == ':';
    if (path.length == 0 || path.data[0] == '/' || path.data[0] == '\\' || path.data[0] == '~' || drive)
        return error_set(error, ERROR_INVALID, "\"%.*s\" does not lie in the bag", TEXT_ARG(path));
    for (struct text rest = path; rest.data != NULL;) {
        if (text_equal(text_cut(rest, '/', &rest), TEXT("..")))
            return error_set(error, ERROR_INVALID, "\"%.*s\" leaves the bag", TEXT_ARG(path));
    }
    if (payload != text_starts_with(path, TEXT("data/")))
        return error_set(error, ERROR_INVALID,
                         payload ? "\"%.*s\" does not lie below data/" : "\"%.*s\" lies below data/ and is no tag file",
                         TEXT_ARG(path));
    return ERROR_NONE;
}

/* ---- bag-info.txt ---- */

enum error_code
bag_read_element(struct text *rest, struct arena *arena, struct bag_element *ret_element, bool *ret_found,
                 struct error *error)
{
    struct buffer value AV_CLEANUP(buffer_release) = {0};
    struct text line = TEXT(""), after;
    *ret_found = false;
    while (rest->data != NULL && text_trim(line).length == 0)
        line = reader_cut_line(*rest, rest);
    if (text_trim(line).length == 0)
        return ERROR_NONE;
    struct text label = text_cut(line, ':', &after);
    if (after.data == NULL || is_blank(line.data[0]))
        return error_set(error, ERROR_INVALID, "\"%.*s\" is no \"Label: value\"",
                         (int)(line.length < 200 ? line.length : 200), line.data);
    buffer_append_text(&value, text_trim(after));
    while (rest->data != NULL && rest->length > 0 && is_blank(rest->data[0])) {
        buffer_append_char(&value, ' ');
        buffer_append_text(&value, text_trim(reader_cut_line(*rest, rest)));
    }
    *ret_element = (struct bag_element){arena_copy(arena, text_trim(label)), arena_copy(arena, buffer_text(&value))};
    *ret_found = true;
    return arena_status(arena, error);
}

/* ---- names that are alike ---- */

/* U+00C0 to U+017F as an ASCII letter and a mark of U+0300 and following; {0, 0}: it is not made of two. */
static const struct {
    char base;
    unsigned char mark;
} latin[192] = {
    {'A', 0x00}, {'A', 0x01}, {'A', 0x02}, {'A', 0x03}, {'A', 0x08}, {'A', 0x0a}, {0, 0}, {'C', 0x27},
    {'E', 0x00}, {'E', 0x01}, {'E', 0x02}, {'E', 0x08}, {'I', 0x00}, {'I', 0x01}, {'I', 0x02}, {'I', 0x08},
    {0, 0}, {'N', 0x03}, {'O', 0x00}, {'O', 0x01}, {'O', 0x02}, {'O', 0x03}, {'O', 0x08}, {0, 0},
    {0, 0}, {'U', 0x00}, {'U', 0x01}, {'U', 0x02}, {'U', 0x08}, {'Y', 0x01}, {0, 0}, {0, 0},
    {'a', 0x00}, {'a', 0x01}, {'a', 0x02}, {'a', 0x03}, {'a', 0x08}, {'a', 0x0a}, {0, 0}, {'c', 0x27},
    {'e', 0x00}, {'e', 0x01}, {'e', 0x02}, {'e', 0x08}, {'i', 0x00}, {'i', 0x01}, {'i', 0x02}, {'i', 0x08},
    {0, 0}, {'n', 0x03}, {'o', 0x00}, {'o', 0x01}, {'o', 0x02}, {'o', 0x03}, {'o', 0x08}, {0, 0},
    {0, 0}, {'u', 0x00}, {'u', 0x01}, {'u', 0x02}, {'u', 0x08}, {'y', 0x01}, {0, 0}, {'y', 0x08},
    {'A', 0x04}, {'a', 0x04}, {'A', 0x06}, {'a', 0x06}, {'A', 0x28}, {'a', 0x28}, {'C', 0x01}, {'c', 0x01},
    {'C', 0x02}, {'c', 0x02}, {'C', 0x07}, {'c', 0x07}, {'C', 0x0c}, {'c', 0x0c}, {'D', 0x0c}, {'d', 0x0c},
    {0, 0}, {0, 0}, {'E', 0x04}, {'e', 0x04}, {'E', 0x06}, {'e', 0x06}, {'E', 0x07}, {'e', 0x07},
    {'E', 0x28}, {'e', 0x28}, {'E', 0x0c}, {'e', 0x0c}, {'G', 0x02}, {'g', 0x02}, {'G', 0x06}, {'g', 0x06},
    {'G', 0x07}, {'g', 0x07}, {'G', 0x27}, {'g', 0x27}, {'H', 0x02}, {'h', 0x02}, {0, 0}, {0, 0},
    {'I', 0x03}, {'i', 0x03}, {'I', 0x04}, {'i', 0x04}, {'I', 0x06}, {'i', 0x06}, {'I', 0x28}, {'i', 0x28},
    {'I', 0x07}, {0, 0}, {0, 0}, {0, 0}, {'J', 0x02}, {'j', 0x02}, {'K', 0x27}, {'k', 0x27},
    {0, 0}, {'L', 0x01}, {'l', 0x01}, {'L', 0x27}, {'l', 0x27}, {'L', 0x0c}, {'l', 0x0c}, {0, 0},
    {0, 0}, {0, 0}, {0, 0}, {'N', 0x01}, {'n', 0x01}, {'N', 0x27}, {'n', 0x27}, {'N', 0x0c},
    {'n', 0x0c}, {0, 0}, {0, 0}, {0, 0}, {'O', 0x04}, {'o', 0x04}, {'O', 0x06}, {'o', 0x06},
    {'O', 0x0b}, {'o', 0x0b}, {0, 0}, {0, 0}, {'R', 0x01}, {'r', 0x01}, {'R', 0x27}, {'r', 0x27},
    {'R', 0x0c}, {'r', 0x0c}, {'S', 0x01}, {'s', 0x01}, {'S', 0x02}, {'s', 0x02}, {'S', 0x27}, {'s', 0x27},
    {'S', 0x0c}, {'s', 0x0c}, {'T', 0x27}, {'t', 0x27}, {'T', 0x0c}, {'t', 0x0c}, {0, 0}, {0, 0},
    {'U', 0x03}, {'u', 0x03}, {'U', 0x04}, {'u', 0x04}, {'U', 0x06}, {'u', 0x06}, {'U', 0x0a}, {'u', 0x0a},
    {'U', 0x0b}, {'u', 0x0b}, {'U', 0x28}, {'u', 0x28}, {'W', 0x02}, {'w', 0x02}, {'Y', 0x02}, {'y', 0x02},
    {'Y', 0x08}, {'Z', 0x01}, {'z', 0x01}, {'Z', 0x07}, {'z', 0x07}, {'Z', 0x0c}, {'z', 0x0c}, {0, 0},
};

/* The next unit of a name: bytes, except that a Latin letter with a mark gives the letter, then the mark. */
static bool
next_unit(struct text *rest, unsigned *pending, unsigned *ret_unit)
{
    enum { FIRST = 0xc0, LAST = 0x17f, MARKS = 0x300 };
    if (*pending != 0) {
        *ret_unit = *pending;
        *pending = 0;
        return true;
    }
    if (rest->length == 0)
        return false;
    unsigned c = (unsigned char)rest->data[0];
    size_t used = 1;
    if (c >= 0xc0 && c < 0xe0 && rest->length > 1) {
        c = (c & 0x1f) << 6 | ((unsigned char)rest->data[1] & 0x3f);
        used = 2;
    }
    *rest = text_of(rest->data + used, rest->length - used);
    if (used == 2 && c >= FIRST && c <= LAST && latin[c - FIRST].base != 0) {
        *pending = MARKS + latin[c - FIRST].mark;
        c = (unsigned char)latin[c - FIRST].base;
    }
    *ret_unit = c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
    return true;
}

bool
bag_names_are_alike(struct text a, struct text b)
{
    unsigned pending_a = 0, pending_b = 0, unit_a = 0, unit_b = 0;
    for (;;) {
        bool more_a = next_unit(&a, &pending_a, &unit_a), more_b = next_unit(&b, &pending_b, &unit_b);
        if (!more_a || !more_b)
            return more_a == more_b;
        if (unit_a != unit_b)
            return false;
    }
}
