/* SPDX-License-Identifier: Apache-2.0 */
/* Ordered descriptive fields, and their form as statements: see fields.h. */
#include "metadata/fields.h"

#include "metadata/metadata_private.h"
#include "xml/xml_write.h"

void
fields_init(struct fields *fields, struct arena *arena)
{
    *fields = (struct fields){.arena = arena};
}

bool
metadata__is_name(struct text name)
{
    for (size_t i = 0; i < name.length; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-')
            return false;
    }
    return name.length > 0;
}

static bool
is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool
metadata__next_word(struct text *left, struct text *ret_word)
{
    size_t begin = 0, end;
    while (begin < left->length && is_blank(left->data[begin]))
        begin++;
    end = begin;
    while (end < left->length && !is_blank(left->data[end]))
        end++;
    if (begin == end)
        return false;
    *ret_word = text_of(left->data + begin, end - begin);
    *left = text_of(left->data + end, left->length - end);
    return true;
}

/* What XML cannot hold is replaced here once, so that statements, DIM and answers all say the same. */
struct text
metadata__regular(struct text value, struct arena *arena)
{
    struct buffer buffer = {0};
    struct text word;
    while (metadata__next_word(&value, &word)) {
        if (buffer.length > 0)
            buffer_append_char(&buffer, ' ');
        xml_append_clean(&buffer, word);
    }
    struct text regular = arena_copy(arena, buffer_text(&buffer));
    if (buffer.status != ERROR_NONE && arena->status == ERROR_NONE)
        arena->status = buffer.status;
    buffer_release(&buffer);
    return regular;
}

static enum error_code
check(const struct field *field, struct error *error)
{
    if (!metadata__is_name(field->schema) || !metadata__is_name(field->element) ||
        (field->qualifier.length > 0 && !metadata__is_name(field->qualifier)))
        return error_set(error, ERROR_INVALID, "\"%.*s.%.*s%s%.*s\" is no name of a field: letters, digits, '_' and '-'",
                         TEXT_ARG(field->schema), TEXT_ARG(field->element), field->qualifier.length > 0 ? "." : "",
                         TEXT_ARG(field->qualifier));
    if (!text_is_utf8(field->value) || !text_is_utf8(field->language) || !text_is_utf8(field->authority))
        return error_set(error, ERROR_INVALID, "%.*s.%.*s has a value that is no UTF-8", TEXT_ARG(field->schema),
                         TEXT_ARG(field->element));
    return ERROR_NONE;
}

static bool
make_room(struct fields *fields)
{
    if (fields->count < fields->capacity)
        return true;
    size_t capacity = fields->capacity == 0 ? 16 : fields->capacity * 2;
    struct field *items = arena_alloc(fields->arena, capacity * sizeof *items);
    if (items == NULL)
        return false;
    if (fields->count > 0)
        memcpy(items, fields->items, fields->count * sizeof *items);
    fields->items = items;
    fields->capacity = capacity;
    return true;
}

enum error_code
fields_add(struct fields *fields, const struct field *field, struct error *error)
{
    struct arena *arena = fields->arena;
    enum error_code code = check(field, error);
    if (code != ERROR_NONE)
        return code;
    struct field copy = {.value = metadata__regular(field->value, arena), .confidence = field->confidence};
    if (copy.value.length > 0 && make_room(fields)) {
        copy.schema = arena_copy(arena, field->schema);
        copy.element = arena_copy(arena, field->element);
        copy.qualifier = arena_copy(arena, field->qualifier);
        copy.language = metadata__regular(field->language, arena);
        copy.authority = metadata__regular(field->authority, arena);
        fields->items[fields->count] = copy;
        if (arena->status == ERROR_NONE)
            fields->count++;
    }
    return arena_status(arena, error);
}

bool
metadata__is_field(const struct field *field, const char *schema, const char *element, const char *qualifier)
{
    return text_equal(field->schema, text_from(schema)) && text_equal(field->element, text_from(element)) &&
           (strcmp(qualifier, "*") == 0 || text_equal(field->qualifier, text_from(qualifier)));
}

const struct field *
fields_first(const struct fields *fields, const char *schema, const char *element, const char *qualifier)
{
    for (size_t i = 0; i < fields->count; i++)
        if (metadata__is_field(&fields->items[i], schema, element, qualifier))
            return &fields->items[i];
    return NULL;
}

/* ---- as statements ---- */

struct text
field_attribute(const struct field *field, struct arena *arena)
{
    return text_from(arena_printf(arena, "%.*s.%.*s%s%.*s", TEXT_ARG(field->schema), TEXT_ARG(field->element),
                                  field->qualifier.length > 0 ? "." : "", TEXT_ARG(field->qualifier)));
}

bool
field_from_attribute(struct text attribute, struct field *ret_field)
{
    struct field field = {.confidence = -1, .qualifier = TEXT(""), .language = TEXT(""), .value = TEXT(""), .authority = TEXT("")};
    struct text rest, qualifier;
    field.schema = text_cut(attribute, '.', &rest);
    field.element = text_cut(rest, '.', &qualifier);
    if (qualifier.data != NULL)
        field.qualifier = qualifier;
    if (!metadata__is_name(field.schema) || !metadata__is_name(field.element) ||
        (qualifier.data != NULL && !metadata__is_name(qualifier)))
        return false;
    *ret_field = field;
    return true;
}

/* "AUTHORITY::CONFIDENCE", as in DSpace's CSV; the number is always there, so that an authority may hold "::" itself. */
struct text
field_extra(const struct field *field, struct arena *arena)
{
    if (field->authority.length == 0 && field->confidence < 0)
        return TEXT("");
    return text_from(arena_printf(arena, "%.*s::%d", TEXT_ARG(field->authority), field->confidence));
}

void
field_read_extra(struct text extra, struct field *field)
{
    size_t at = extra.length;
    uint64_t number;
    field->authority = extra;
    field->confidence = -1;
    while (at > 0 && extra.data[at - 1] != ':')
        at--;
    if (at < 2 || extra.data[at - 2] != ':')
        return;
    struct text last = text_of(extra.data + at, extra.length - at);
    if (text_to_u64(last, &number) && number <= INT32_MAX)
        field->confidence = (int)number;
    else if (!text_equal(last, TEXT("-1")))
        return;
    field->authority = text_of(extra.data, at - 2);
}
