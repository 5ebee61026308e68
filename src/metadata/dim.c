/* SPDX-License-Identifier: Apache-2.0 */
/* Fields as DIM, and back: see dim.h. */
#include "metadata/dim.h"

#include "metadata/metadata_private.h"

static void
put_unless_empty(struct xml_writer *writer, const char *name, struct text value)
{
    if (value.length > 0)
        xml_put_attribute(writer, name, value);
}

static void
put_field(struct xml_writer *writer, const struct field *field)
{
    xml_begin_element(writer, "dim:field");
    xml_put_attribute(writer, "mdschema", field->schema);
    xml_put_attribute(writer, "element", field->element);
    put_unless_empty(writer, "qualifier", field->qualifier);
    put_unless_empty(writer, "lang", field->language);
    put_unless_empty(writer, "authority", field->authority);
    if (field->confidence >= 0)
        xml_put_attribute_u64(writer, "confidence", (uint64_t)field->confidence);
    xml_put_text(writer, field->value);
    xml_end_element(writer);
}

void
dim__put_fields(struct xml_writer *writer, const struct fields *fields)
{
    for (size_t i = 0; i < fields->count; i++)
        put_field(writer, &fields->items[i]);
}

void
fields_write_dim(const struct fields *fields, struct buffer *buffer)
{
    struct xml_writer writer = xml_writer(buffer);
    xml_put_declaration(&writer);
    xml_begin_element(&writer, "dim:dim");
    xml_put_attribute(&writer, "xmlns:dim", TEXT(DIM_NAMESPACE));
    xml_put_attribute(&writer, "dspaceType", TEXT("ITEM"));
    dim__put_fields(&writer, fields);
    xml_end_element(&writer);
}

/* ---- reading ---- */

static struct text
attribute_or_empty(const struct xml_node *node, const char *name, struct arena *arena)
{
    struct text value;
    return xml_attribute(node, "", name, arena, &value) ? value : TEXT("");
}

static enum error_code
read_confidence(const struct xml_node *node, struct arena *arena, int *ret_confidence, struct error *error)
{
    struct text value = attribute_or_empty(node, "confidence", arena);
    uint64_t number;
    *ret_confidence = -1;
    if (value.length == 0 || text_equal(value, TEXT("-1")))
        return ERROR_NONE;
    if (!text_to_u64(value, &number) || number > INT32_MAX)
        return error_set(error, ERROR_INVALID, "\"%.*s\" is no confidence", TEXT_ARG(value));
    *ret_confidence = (int)number;
    return ERROR_NONE;
}

static enum error_code
read_value(const struct xml_node *node, struct arena *arena, struct text *ret_value, struct error *error)
{
    if (xml_child(node, NULL, NULL) != NULL)
        return compound__of_element(node, arena, ret_value, error);
    *ret_value = xml_text(node, arena);
    return ERROR_NONE;
}

static enum error_code
read_field(const struct xml_node *node, struct fields *fields, struct error *error)
{
    struct arena *arena = fields->arena;
    struct field field = {.schema = attribute_or_empty(node, "mdschema", arena),
                          .element = attribute_or_empty(node, "element", arena),
                          .qualifier = attribute_or_empty(node, "qualifier", arena),
                          .language = attribute_or_empty(node, "lang", arena),
                          .authority = attribute_or_empty(node, "authority", arena)};
    enum error_code code = read_confidence(node, arena, &field.confidence, error);
    if (code == ERROR_NONE)
        code = read_value(node, arena, &field.value, error);
    return code == ERROR_NONE ? fields_add(fields, &field, error) : code;
}

enum error_code
fields_read_dim(const struct xml_node *dim, struct fields *fields, struct error *error)
{
    xml_each(node, dim, DIM_NAMESPACE, "field")
    {
        enum error_code code = read_field(node, fields, error);
        if (code != ERROR_NONE)
            return error_prefix(error, "DIM, line %ld: ", xml_line(node));
    }
    return arena_status(fields->arena, error);
}
