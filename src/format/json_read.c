/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The strict JSON reader: see json.h. UTF-8 is checked once over the whole input, so that strings
 * need only be scanned for their end; recursion is bounded by JSON_DEPTH_MAX.
 */
#include "format/json.h"

#include "format/hex.h"

enum { PAIRWISE_KEYS_MAX = 16 };

struct parser {
    struct arena *arena;
    const char *begin;
    const char *at;
    const char *end;
    const char *fault; /* first thing wrong, or NULL */
    unsigned depth;
};

static bool
fail(struct parser *parser, const char *fault)
{
    if (parser->fault == NULL)
        parser->fault = fault;
    return false;
}

static void
skip_blanks(struct parser *parser)
{
    while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\n' ||
                                        *parser->at == '\t' || *parser->at == '\r'))
        parser->at++;
}

static bool
next_is(struct parser *parser, char c)
{
    if (parser->at == parser->end || *parser->at != c)
        return false;
    parser->at++;
    return true;
}

/* The first byte at or after `at` that a string may not hold as it is: `"`, `\`, control, or end.
 * Eight bytes a step: a byte is special when subtracting makes its top bit rise. */
static const char *
scan_string(const char *at, const char *end)
{
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    for (; end - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
        uint64_t found = ((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) |
                         ((slash - ones) & ~slash);
        if ((found & tops) != 0)
            break;
    }
    while (at < end && (unsigned char)*at >= 0x20 && *at != '"' && *at != '\\')
        at++;
    return at;
}

static bool
read_hex4(struct parser *parser, uint32_t *ret_unit)
{
    uint32_t unit = 0;
    if (parser->end - parser->at < 4)
        return fail(parser, "a \\u escape is cut short");
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(parser->at[i]);
        if (digit < 0)
            return fail(parser, "a \\u escape without four hexadecimal digits");
        unit = unit << 4 | (uint32_t)digit;
    }
    parser->at += 4;
    *ret_unit = unit;
    return true;
}

static size_t
write_utf8(uint32_t point, char *to)
{
    if (point < 0x80) {
        to[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        to[0] = (char)(0xC0 | point >> 6);
        to[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        to[0] = (char)(0xE0 | point >> 12);
        to[1] = (char)(0x80 | (point >> 6 & 0x3F));
        to[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | point >> 18);
    to[1] = (char)(0x80 | (point >> 12 & 0x3F));
    to[2] = (char)(0x80 | (point >> 6 & 0x3F));
    to[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}

/* After `\u`. A surrogate must be one of a pair. */
static bool
read_code_point(struct parser *parser, uint32_t *ret_point)
{
    uint32_t high, low;
    if (!read_hex4(parser, &high))
        return false;
    *ret_point = high;
    if (high < 0xD800 || high > 0xDFFF)
        return true;
    if (high > 0xDBFF || !next_is(parser, '\\') || !next_is(parser, 'u'))
        return fail(parser, "a lone surrogate");
    if (!read_hex4(parser, &low))
        return false;
    if (low < 0xDC00 || low > 0xDFFF)
        return fail(parser, "a lone surrogate");
    *ret_point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

/* After `\`; writes what the escape stands for and adds its length to `*used`. */
static bool
read_escape(struct parser *parser, char *to, size_t *used)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    uint32_t point;
    if (parser->at == parser->end)
        return fail(parser, "a string without end");
    char c = *parser->at++;
    const char *found = c == '\0' ? NULL : strchr(letters, c);
    if (found != NULL) {
        to[(*used)++] = meanings[found - letters];
        return true;
    }
    if (c != 'u')
        return fail(parser, "an unknown escape");
    if (!read_code_point(parser, &point))
        return false;
    *used += write_utf8(point, to + *used);
    return true;
}

/* Where the string that starts at `at` ends: its closing quote, or NULL. */
static const char *
closing_quote(const char *at, const char *end)
{
    for (;;) {
        at = scan_string(at, end);
        if (at == end || (unsigned char)*at < 0x20)
            return NULL;
        if (*at == '"')
            return at;
        if (end - at < 2)
            return NULL;
        at += 2;
    }
}

static bool
read_escaped_string(struct parser *parser, struct text *ret_text)
{
    const char *close = closing_quote(parser->at, parser->end);
    if (close == NULL)
        return fail(parser, "a string without end, or with a control character");
    /* No escape is shorter than what it stands for. */
    char *to = arena_alloc(parser->arena, (size_t)(close - parser->at) + 1);
    size_t used = 0;
    if (to == NULL)
        return false;
    while (parser->at != close) {
        const char *stop = scan_string(parser->at, close);
        memcpy(to + used, parser->at, (size_t)(stop - parser->at));
        used += (size_t)(stop - parser->at);
        parser->at = stop;
        if (stop == close)
            break;
        parser->at++;
        if (!read_escape(parser, to, &used))
            return false;
    }
    parser->at = close + 1;
    *ret_text = text_of(to, used);
    return true;
}

/* After the opening quote. */
static bool
read_string(struct parser *parser, struct text *ret_text)
{
    const char *stop = scan_string(parser->at, parser->end);
    if (stop == parser->end)
        return fail(parser, "a string without end");
    if (*stop == '\\')
        return read_escaped_string(parser, ret_text);
    if (*stop != '"') {
        parser->at = stop;
        return fail(parser, "a control character in a string");
    }
    *ret_text = text_of(parser->at, (size_t)(stop - parser->at));
    parser->at = stop + 1;
    return true;
}

static bool
skip_digits(struct parser *parser)
{
    const char *from = parser->at;
    while (parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9')
        parser->at++;
    return parser->at > from || fail(parser, "a number without digits");
}

static bool
read_number(struct parser *parser)
{
    next_is(parser, '-');
    if (!next_is(parser, '0') && !skip_digits(parser))
        return false;
    if (next_is(parser, '.') && !skip_digits(parser))
        return false;
    if (next_is(parser, 'e') || next_is(parser, 'E')) {
        if (!next_is(parser, '-'))
            next_is(parser, '+');
        return skip_digits(parser);
    }
    return true;
}

static bool
read_word(struct parser *parser, struct text word)
{
    if ((size_t)(parser->end - parser->at) < word.length ||
        memcmp(parser->at, word.data, word.length) != 0)
        return fail(parser, "not a JSON value");
    parser->at += word.length;
    return true;
}

static int
compare_keys(const void *a, const void *b)
{
    const struct json *const *left = a, *const *right = b;
    return text_compare((*left)->key, (*right)->key);
}

static bool
check_keys_sorted(struct parser *parser, const struct json *object)
{
    const struct json **sorted = arena_alloc(parser->arena, object->count * sizeof *sorted);
    size_t count = 0;
    if (sorted == NULL)
        return false;
    json_each(child, object)
        sorted[count++] = child;
    qsort(sorted, count, sizeof *sorted, compare_keys);
    for (size_t i = 1; i < count; i++) {
        if (text_equal(sorted[i - 1]->key, sorted[i]->key))
            return fail(parser, "a key twice in one object");
    }
    return true;
}

static bool
check_keys(struct parser *parser, const struct json *object)
{
    if (object->count > PAIRWISE_KEYS_MAX)
        return check_keys_sorted(parser, object);
    json_each(one, object) {
        for (const struct json *other = one->next; other != NULL; other = other->next) {
            if (one->key.length == other->key.length && text_equal(one->key, other->key))
                return fail(parser, "a key twice in one object");
        }
    }
    return true;
}

static bool read_value(struct parser *parser, struct json *value);

static bool
read_key(struct parser *parser, struct json *member)
{
    if (!next_is(parser, '"'))
        return fail(parser, "a key was expected");
    if (!read_string(parser, &member->key))
        return false;
    skip_blanks(parser);
    if (!next_is(parser, ':'))
        return fail(parser, "a colon was expected");
    skip_blanks(parser);
    return true;
}

/* After the opening bracket. */
static bool
read_children(struct parser *parser, struct json *parent, char close)
{
    struct json **link = &parent->first;
    skip_blanks(parser);
    if (next_is(parser, close))
        return true;
    for (;;) {
        struct json *child = arena_alloc(parser->arena, sizeof *child);
        if (child == NULL)
            return false;
        if (parent->kind == JSON_OBJECT && !read_key(parser, child))
            return false;
        if (!read_value(parser, child))
            return false;
        *link = child;
        link = &child->next;
        if (parent->count++ == UINT32_MAX)
            return fail(parser, "too many values");
        skip_blanks(parser);
        if (next_is(parser, close))
            return parent->kind == JSON_ARRAY || check_keys(parser, parent);
        if (!next_is(parser, ','))
            return fail(parser, "a comma or a closing bracket was expected");
        skip_blanks(parser);
    }
}

static bool
read_nested(struct parser *parser, struct json *value, enum json_kind kind, char close)
{
    value->kind = kind;
    parser->at++;
    if (++parser->depth > JSON_DEPTH_MAX)
        return fail(parser, "nested too deeply");
    bool good = read_children(parser, value, close);
    parser->depth--;
    return good;
}

static bool
read_kind(struct parser *parser, struct json *value)
{
    switch (*parser->at) {
    case '{':
        return read_nested(parser, value, JSON_OBJECT, '}');
    case '[':
        return read_nested(parser, value, JSON_ARRAY, ']');
    case 't':
        value->kind = JSON_TRUE;
        return read_word(parser, TEXT("true"));
    case 'f':
        value->kind = JSON_FALSE;
        return read_word(parser, TEXT("false"));
    case 'n':
        value->kind = JSON_NULL;
        return read_word(parser, TEXT("null"));
    case '-':
    case '0' ... '9':
        value->kind = JSON_NUMBER;
        return read_number(parser);
    default:
        return fail(parser, "a value was expected");
    }
}

static bool
read_value(struct parser *parser, struct json *value)
{
    const char *from = parser->at;
    if (parser->at == parser->end)
        return fail(parser, "the text ends too early");
    if (*parser->at == '"') {
        parser->at++;
        value->kind = JSON_STRING;
        return read_string(parser, &value->text);
    }
    if (!read_kind(parser, value))
        return false;
    value->text = text_of(from, (size_t)(parser->at - from));
    return true;
}

static bool
read_document(struct parser *parser, struct json *root)
{
    skip_blanks(parser);
    if (!read_value(parser, root))
        return false;
    skip_blanks(parser);
    return parser->at == parser->end || fail(parser, "bytes after the value");
}

enum error_code
json_parse(struct arena *arena, struct text input, struct json **ret_root, struct error *error)
{
    struct parser parser = {.arena = arena, .begin = input.data, .at = input.data};
    parser.end = input.length == 0 ? input.data : input.data + input.length;
    if (!text_is_utf8(input))
        return error_set(error, ERROR_INVALID, "JSON: not UTF-8");
    struct json *root = arena_alloc(arena, sizeof *root);
    if (root != NULL && read_document(&parser, root)) {
        *ret_root = root;
        return ERROR_NONE;
    }
    if (parser.fault == NULL)
        return arena_status(arena, error);
    return error_set(error, ERROR_INVALID, "JSON: %s, at byte %td", parser.fault,
                     parser.at - parser.begin);
}

const struct json *
json_get(const struct json *object, const char *key)
{
    if (object == NULL || object->kind != JSON_OBJECT)
        return NULL;
    struct text wanted = text_from(key);
    json_each(member, object) {
        if (member->key.length == wanted.length && text_equal(member->key, wanted))
            return member;
    }
    return NULL;
}

bool
json_text(const struct json *value, struct text *ret_text)
{
    if (value == NULL || value->kind != JSON_STRING)
        return false;
    *ret_text = value->text;
    return true;
}

bool
json_u64(const struct json *value, uint64_t *ret_value)
{
    return value != NULL && value->kind == JSON_NUMBER && text_to_u64(value->text, ret_value);
}

bool
json_i64(const struct json *value, int64_t *ret_value)
{
    uint64_t size;
    if (value == NULL || value->kind != JSON_NUMBER)
        return false;
    bool negative = value->text.data[0] == '-';
    struct text digits = value->text;
    if (negative)
        digits = text_of(digits.data + 1, digits.length - 1);
    if (!text_to_u64(digits, &size) || size > (uint64_t)INT64_MAX + negative)
        return false;
    *ret_value = negative ? (int64_t)(0 - size) : (int64_t)size;
    return true;
}

bool
json_bool(const struct json *value, bool *ret_value)
{
    if (value == NULL || (value->kind != JSON_TRUE && value->kind != JSON_FALSE))
        return false;
    *ret_value = value->kind == JSON_TRUE;
    return true;
}

bool
json_get_text(const struct json *object, const char *key, struct text *ret_text)
{
    return json_text(json_get(object, key), ret_text);
}

bool
json_get_u64(const struct json *object, const char *key, uint64_t *ret_value)
{
    return json_u64(json_get(object, key), ret_value);
}

bool
json_get_i64(const struct json *object, const char *key, int64_t *ret_value)
{
    return json_i64(json_get(object, key), ret_value);
}

bool
json_get_bool(const struct json *object, const char *key, bool *ret_value)
{
    return json_bool(json_get(object, key), ret_value);
}
