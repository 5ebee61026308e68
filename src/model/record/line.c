/* SPDX-License-Identifier: Apache-2.0 */
/* Journal lines to and from JSON, driven by the table of fields in line.h. */
#include "model/record/line.h"

#include "base/ensure.h"
#include "format/hex.h"
#include "format/json.h"

static const char *const operation_words[OPERATION_COUNT] = {
#define X(name, word, about) [OPERATION_##name] = word,
    OPERATIONS(X)
#undef X
};

const char *
operation_word(enum operation operation)
{
    return operation < OPERATION_COUNT ? operation_words[operation] : "unknown";
}

/* ---- writing ----------------------------------------------------------------------------------- */

static void
write_NUMBER(struct json_writer *w, const char *key, const uint64_t *value)
{
    if (*value == 0)
        return;
    json_key(w, key);
    json_put_u64(w, *value);
}

static void
write_TEXT(struct json_writer *w, const char *key, const struct text *value)
{
    if (value->length == 0)
        return;
    json_key(w, key);
    json_put_text(w, *value);
}

static void
write_HEX(struct json_writer *w, const char *key, const struct text *value)
{
    if (value->length == 0)
        return;
    json_key(w, key);
    json_put_hex(w, value->data, value->length);
}

static void
write_IDS(struct json_writer *w, const char *key, const struct id_list *value)
{
    if (value->count == 0)
        return;
    json_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < value->count; i++)
        json_put_u64(w, value->ids[i]);
    json_end_array(w);
}

static void
write_RULES(struct json_writer *w, const char *key, const struct rule_list *value)
{
    if (value->count == 0)
        return;
    json_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < value->count; i++) {
        json_begin_array(w);
        json_put_u64(w, value->entries[i].kind);
        json_put_u64(w, value->entries[i].id);
        json_put_u64(w, value->entries[i].rights);
        json_end_array(w);
    }
    json_end_array(w);
}

static void
write_EXTENT(struct json_writer *w, const char *key, const struct line_extent *value)
{
    if (value->place.volume == 0)
        return;
    json_key(w, key);
    json_begin_array(w);
    json_put_u64(w, value->place.volume);
    json_put_u64(w, value->place.offset);
    json_put_u64(w, value->length);
    json_end_array(w);
}

static void
write_CONTENT(struct json_writer *w, const char *key, const struct line_content *value)
{
    if (value->place.volume == 0)
        return;
    json_key(w, key);
    json_begin_array(w);
    json_put_u64(w, value->place.volume);
    json_put_u64(w, value->place.offset);
    json_put_u64(w, value->size_bytes);
    json_put_hex(w, value->digest.data, value->digest.length);
    if (value->sums.volume != 0) {
        json_begin_array(w);
        json_put_u64(w, value->sums.volume);
        json_put_u64(w, value->sums.offset);
        json_end_array(w);
    } else {
        json_put_hex(w, value->block_sums.data, value->block_sums.length);
    }
    json_end_array(w);
}

static void
write_STATEMENTS(struct json_writer *w, const char *key, const struct statement_list *value)
{
    if (value->count == 0)
        return;
    json_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < value->count; i++) {
        const struct statement *s = &value->statements[i];
        json_begin_array(w);
        json_put_text(w, s->attribute);
        json_put_u64(w, s->place);
        json_put_text(w, s->value);
        json_put_text(w, s->qualifier);
        if (s->extra.length > 0)
            json_put_text(w, s->extra);
        json_end_array(w);
    }
    json_end_array(w);
}

static void
write_SUBTREE(struct json_writer *w, const char *key, const struct line_subtree *value)
{
    if (value->resources == 0)
        return;
    json_key(w, key);
    json_begin_array(w);
    json_put_u64(w, value->resources);
    json_put_u64(w, value->files);
    json_put_u64(w, value->bytes);
    json_end_array(w);
}

static void
write_TABLE(struct json_writer *w, const char *key, const struct number_table *value)
{
    if (value->rows == 0)
        return;
    json_key(w, key);
    json_begin_array(w);
    for (size_t row = 0; row < value->rows; row++) {
        json_begin_array(w);
        for (size_t i = 0; i < value->width; i++)
            json_put_u64(w, value->numbers[row * value->width + i]);
        json_end_array(w);
    }
    json_end_array(w);
}

void
line_write(const struct line *line, struct buffer *out)
{
    struct json_writer w = json_writer(out);
    ensure(line->operation < OPERATION_COUNT);
    json_begin_object(&w);
    json_key(&w, "op");
    json_put_string(&w, operation_words[line->operation]);
#define X(key, kind, member) write_##kind(&w, key, &line->member);
    LINE_FIELDS(X)
#undef X
    json_end_object(&w);
}

/* ---- reading ----------------------------------------------------------------------------------- */

static bool
read_NUMBER(struct arena *arena, const struct json *value, uint64_t *ret)
{
    return json_u64(value, ret);
}

static bool
read_TEXT(struct arena *arena, const struct json *value, struct text *ret)
{
    return json_text(value, ret);
}

static bool
read_HEX(struct arena *arena, const struct json *value, struct text *ret)
{
    struct text hex;
    if (!json_text(value, &hex) || hex.length % 2 != 0)
        return false;
    unsigned char *bytes = arena_alloc(arena, hex.length / 2 + 1);
    if (bytes == NULL || !hex_decode(hex, bytes, hex.length / 2))
        return false;
    *ret = text_of((const char *)bytes, hex.length / 2);
    return true;
}

static bool
is_array(const struct json *value)
{
    return value != NULL && value->kind == JSON_ARRAY;
}

/* The numbers of a flat array; false unless there are exactly `count`. */
static bool
read_numbers(const struct json *array, uint64_t *ret, size_t count)
{
    size_t i = 0;
    if (!is_array(array) || array->count != count)
        return false;
    json_each (item, array)
        if (!json_u64(item, &ret[i++]))
            return false;
    return true;
}

static bool
read_IDS(struct arena *arena, const struct json *value, struct id_list *ret)
{
    if (!is_array(value))
        return false;
    uint64_t *ids = arena_alloc(arena, value->count * sizeof *ids);
    if (ids == NULL || !read_numbers(value, ids, value->count))
        return false;
    *ret = (struct id_list){ids, value->count};
    return true;
}

static bool
read_RULES(struct arena *arena, const struct json *value, struct rule_list *ret)
{
    size_t i = 0;
    if (!is_array(value))
        return false;
    struct rule_entry *entries = arena_alloc(arena, value->count * sizeof *entries);
    if (entries == NULL)
        return false;
    json_each (item, value) {
        uint64_t three[3];
        if (!read_numbers(item, three, 3) || three[0] > SUBJECT_GROUP || three[2] > RIGHTS_ALL)
            return false;
        entries[i++] = (struct rule_entry){(enum subject_kind)three[0], three[1], (rights)three[2]};
    }
    *ret = (struct rule_list){entries, value->count};
    return true;
}

static bool
read_EXTENT(struct arena *arena, const struct json *value, struct line_extent *ret)
{
    uint64_t three[3];
    if (!read_numbers(value, three, 3))
        return false;
    *ret = (struct line_extent){{three[0], three[1]}, three[2]};
    return true;
}

static bool
read_CONTENT(struct arena *arena, const struct json *value, struct line_content *ret)
{
    if (!is_array(value) || value->count != 5)
        return false;
    const struct json *volume = value->first, *offset = volume->next, *size = offset->next;
    const struct json *digest = size->next, *sums = digest->next;
    struct line_content content = {0};
    if (!json_u64(volume, &content.place.volume) || !json_u64(offset, &content.place.offset) ||
        !json_u64(size, &content.size_bytes) || !read_HEX(arena, digest, &content.digest))
        return false;
    if (is_array(sums)) {
        uint64_t two[2];
        if (!read_numbers(sums, two, 2))
            return false;
        content.sums = (struct place){two[0], two[1]};
    } else if (!read_HEX(arena, sums, &content.block_sums)) {
        return false;
    }
    *ret = content;
    return true;
}

static bool
read_statement(const struct json *value, struct statement *ret)
{
    uint64_t place;
    if (!is_array(value) || value->count < 4 || value->count > 5)
        return false;
    const struct json *attribute = value->first, *at = attribute->next, *text = at->next;
    const struct json *qualifier = text->next;
    *ret = (struct statement){.extra = TEXT("")};
    if (!json_text(attribute, &ret->attribute) || !json_u64(at, &place) || place > UINT32_MAX ||
        !json_text(text, &ret->value) || !json_text(qualifier, &ret->qualifier))
        return false;
    ret->place = (uint32_t)place;
    return qualifier->next == NULL || json_text(qualifier->next, &ret->extra);
}

static bool
read_STATEMENTS(struct arena *arena, const struct json *value, struct statement_list *ret)
{
    size_t i = 0;
    if (!is_array(value))
        return false;
    struct statement *statements = arena_alloc(arena, value->count * sizeof *statements);
    if (statements == NULL)
        return false;
    json_each (item, value)
        if (!read_statement(item, &statements[i++]))
            return false;
    *ret = (struct statement_list){statements, value->count};
    return true;
}

static bool
read_SUBTREE(struct arena *arena, const struct json *value, struct line_subtree *ret)
{
    uint64_t three[3];
    if (!read_numbers(value, three, 3))
        return false;
    *ret = (struct line_subtree){three[0], three[1], three[2]};
    return true;
}

static bool
read_TABLE(struct arena *arena, const struct json *value, struct number_table *ret)
{
    size_t row = 0;
    if (!is_array(value) || value->count == 0 || !is_array(value->first))
        return false;
    size_t width = value->first->count;
    uint64_t *numbers = arena_alloc(arena, value->count * width * sizeof *numbers);
    if (numbers == NULL)
        return false;
    json_each (item, value)
        if (!read_numbers(item, numbers + width * row++, width))
            return false;
    *ret = (struct number_table){numbers, value->count, width};
    return true;
}

static bool
read_field(struct arena *arena, const struct json *value, struct line *line)
{
#define X(name, kind, member)                                                                      \
    if (text_equal(value->key, TEXT(name)))                                                        \
        return read_##kind(arena, value, &line->member);
    LINE_FIELDS(X)
#undef X
    return true; /* a later program's addition: kept in the volume, of no effect here */
}

static enum operation
operation_of(struct text word)
{
    for (unsigned i = 0; i < OPERATION_COUNT; i++)
        if (text_equal(word, text_from(operation_words[i])))
            return (enum operation)i;
    return OPERATION_UNKNOWN;
}

enum error_code
line_parse(struct arena *arena, struct text json, struct line *ret_line, bool *ret_purged,
           struct error *error)
{
    struct json *root = NULL;
    struct text word;
    struct line line = {0};
    enum error_code code = json_parse(arena, json, &root, error);
    if (code == ERROR_INVALID)
        return error_set(error, ERROR_CORRUPT, "a journal line is not JSON: %.*s", TEXT_ARG(json));
    if (code != ERROR_NONE)
        return code;
    *ret_purged = json_get(root, "purged") != NULL;
    if (*ret_purged)
        return ERROR_NONE;
    if (!json_get_text(root, "op", &word))
        return error_set(error, ERROR_CORRUPT, "a journal line names no operation");
    line.operation = operation_of(word);
    if (line.operation == OPERATION_UNKNOWN)
        line.unknown = word;
    json_each (field, root)
        if (line.operation != OPERATION_UNKNOWN && !read_field(arena, field, &line)) {
            if ((code = arena_status(arena, error)) != ERROR_NONE)
                return code;
            return error_set(error, ERROR_CORRUPT, "a journal line's member \"%.*s\" is not what it should be",
                             TEXT_ARG(field->key));
        }
    *ret_line = line;
    return ERROR_NONE;
}
