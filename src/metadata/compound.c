/* SPDX-License-Identifier: Apache-2.0 */
/* Compound values of EPrints (a person's name with an identifier, a funder, …) as one JSON value, and back to elements. */
#include "metadata/metadata_private.h"

enum { MEMBERS_MAX = 1000, DEPTH_MAX = 8 };

/* ---- from elements ---- */

struct making {
    struct arena *arena;
    struct json_writer writer;
    struct error *error;
    enum error_code code;
};

static void put_members(struct making *making, const struct xml_node *element, unsigned depth);

static void
put_value(struct making *making, const struct xml_node *element, unsigned depth)
{
    if (xml_child(element, NULL, NULL) != NULL)
        put_members(making, element, depth + 1);
    else
        json_put_text(&making->writer, metadata__regular(xml_text(element, making->arena), making->arena));
}

/* The next element of the same name that is not empty, or NULL. */
static const struct xml_node *
next_of_name(const struct xml_node *element)
{
    const struct xml_node *next = element;
    do
        next = xml_sibling(next, NULL, xml_name(element).data); /* names of the tree end in NUL */
    while (next != NULL && !xml_has_text(next));
    return next;
}

static bool
came_before(const struct xml_node *element)
{
    for (const struct xml_node *each = xml_child(xml_parent(element), NULL, NULL); each != element; each = xml_sibling(each, NULL, NULL))
        if (text_equal(xml_name(each), xml_name(element)) && xml_has_text(each))
            return true;
    return false;
}

static void
put_member(struct making *making, const struct xml_node *element, unsigned depth)
{
    const struct xml_node *next = next_of_name(element);
    json_key_text(&making->writer, xml_name(element));
    if (next == NULL) {
        put_value(making, element, depth);
        return;
    }
    json_begin_array(&making->writer);
    for (const struct xml_node *each = element; each != NULL; each = next_of_name(each))
        put_value(making, each, depth);
    json_end_array(&making->writer);
}

static void
put_members(struct making *making, const struct xml_node *element, unsigned depth)
{
    size_t count = 0;
    json_begin_object(&making->writer);
    xml_each(child, element, NULL, NULL)
    {
        if (++count > MEMBERS_MAX || depth > DEPTH_MAX || !metadata__is_name(xml_name(child))) {
            making->code = error_set(making->error, ERROR_INVALID, "line %ld: a compound value has %s", xml_line(child),
                                     count > MEMBERS_MAX ? "too many members"
                                     : depth > DEPTH_MAX ? "too many levels"
                                                         : "a member whose name has other than letters, digits, '_' and '-'");
            return;
        }
        if (xml_has_text(child) && !came_before(child))
            put_member(making, child, depth);
    }
    json_end_object(&making->writer);
}

enum error_code
compound__of_element(const struct xml_node *element, struct arena *arena, struct text *ret_value, struct error *error)
{
    struct buffer buffer = {0};
    struct making making = {arena, json_writer(&buffer), error, ERROR_NONE};
    *ret_value = TEXT("");
    if (!xml_has_text(element))
        return ERROR_NONE;
    if (xml_is(xml_child(element, NULL, NULL), DIM_NAMESPACE, "text"))
        put_value(&making, xml_child(element, NULL, NULL), 0);
    else
        put_members(&making, element, 1);
    if (making.code == ERROR_NONE)
        making.code = buffer_status(&buffer, error);
    *ret_value = arena_copy(arena, buffer_text(&buffer));
    buffer_release(&buffer);
    return making.code;
}

/* ---- to elements ---- */

static bool
is_element_name(struct text name)
{
    return metadata__is_name(name) && name.data[0] != '-' && !(name.data[0] >= '0' && name.data[0] <= '9');
}

/* Made of what compound__of_element() makes. */
static bool
is_compound(const struct json *value, unsigned depth)
{
    if (value->kind == JSON_STRING)
        return true;
    if ((value->kind != JSON_OBJECT && value->kind != JSON_ARRAY) || depth > 2 * DEPTH_MAX)
        return false;
    json_each(child, value)
    {
        bool named = value->kind == JSON_ARRAY ? child->kind != JSON_ARRAY : is_element_name(child->key);
        if (!named || !is_compound(child, depth + 1))
            return false;
    }
    return true;
}

/* The value as JSON, or NULL: it is plain text. */
static const struct json *
read_compound(struct text value, struct arena *arena)
{
    struct json *root;
    if (value.length == 0 || (value.data[0] != '{' && value.data[0] != '"'))
        return NULL;
    return json_parse(arena, value, &root, NULL) == ERROR_NONE && is_compound(root, 0) ? root : NULL;
}

static void
write_value(const struct json *value, struct arena *arena, struct xml_writer *writer)
{
    if (value->kind == JSON_STRING) {
        xml_put_text(writer, value->text);
        return;
    }
    json_each(member, value)
    {
        char *name = arena_string(arena, member->key);
        const struct json *each = member->kind == JSON_ARRAY ? member->first : member;
        for (; each != NULL && name != NULL; each = member->kind == JSON_ARRAY ? each->next : NULL) {
            xml_begin_element(writer, name);
            write_value(each, arena, writer);
            xml_end_element(writer);
        }
    }
}

void
compound__write(struct text value, struct arena *arena, struct xml_writer *writer)
{
    const struct json *compound = read_compound(value, arena);
    if (compound == NULL)
        xml_put_text(writer, value);
    else
        write_value(compound, arena, writer);
}

/* ---- without e-mail addresses ---- */

static bool
may_leave(const struct json *value)
{
    if (value->kind == JSON_STRING) {
        struct text left = value->text, word;
        while (metadata__next_word(&left, &word))
            if (publish__holds_address(word))
                return false;
        return true;
    }
    json_each(child, value)
        if (may_leave(child))
            return true;
    return value->first == NULL;
}

static void
put_public(const struct json *value, struct json_writer *writer)
{
    if (value->kind == JSON_STRING) {
        json_put_text(writer, value->text);
        return;
    }
    bool object = value->kind == JSON_OBJECT;
    object ? json_begin_object(writer) : json_begin_array(writer);
    json_each(child, value)
    {
        if (!may_leave(child))
            continue;
        if (object)
            json_key_text(writer, child->key);
        put_public(child, writer);
    }
    object ? json_end_object(writer) : json_end_array(writer);
}

struct text
compound__publish(struct text value, struct arena *arena)
{
    const struct json *compound = read_compound(value, arena);
    struct buffer buffer = {0};
    struct json_writer writer = json_writer(&buffer);
    if (compound == NULL)
        return value;
    if (!may_leave(compound))
        return TEXT("");
    put_public(compound, &writer);
    struct text public = arena_copy(arena, buffer_text(&buffer));
    buffer_release(&buffer);
    return public;
}
