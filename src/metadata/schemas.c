/* SPDX-License-Identifier: Apache-2.0 */
/* Fields and their predicates: see schemas.h. */
#include "metadata/schemas.h"

#include "metadata/metadata_private.h"

#define UNREGISTERED "urn:archivolt:schema:"

static const struct schema registered[] = {
#define X(prefix, namespace_iri) {prefix, namespace_iri},
    SCHEMAS(X)
#undef X
    {NULL, NULL}};

const struct schema *
schemas_registered(void)
{
    return registered;
}

struct text
field_predicate(const struct field *field, struct arena *arena)
{
    const struct schema *schema = registered;
    while (schema->prefix != NULL && !text_equal(field->schema, text_from(schema->prefix)))
        schema++;
    const char *dot = field->qualifier.length > 0 ? "." : "";
    if (schema->prefix != NULL)
        return text_from(arena_printf(arena, "%s%.*s%s%.*s", schema->namespace_iri, TEXT_ARG(field->element), dot,
                                      TEXT_ARG(field->qualifier)));
    return text_from(arena_printf(arena, UNREGISTERED "%.*s:%.*s%s%.*s", TEXT_ARG(field->schema), TEXT_ARG(field->element),
                                  dot, TEXT_ARG(field->qualifier)));
}

static struct text
without(struct text iri, const char *start)
{
    size_t length = strlen(start);
    return text_of(iri.data + length, iri.length - length);
}

static bool
set_names(struct text schema, struct text names, struct field *ret_field)
{
    struct field field = {.schema = schema, .qualifier = TEXT(""), .language = TEXT(""), .value = TEXT(""),
                          .authority = TEXT(""), .confidence = -1};
    struct text qualifier;
    field.element = text_cut(names, '.', &qualifier);
    if (qualifier.data != NULL)
        field.qualifier = qualifier;
    if (!metadata__is_name(schema) || !metadata__is_name(field.element) ||
        (qualifier.data != NULL && !metadata__is_name(qualifier)))
        return false;
    *ret_field = field;
    return true;
}

bool
field_from_predicate(struct text iri, struct field *ret_field)
{
    for (const struct schema *schema = registered; schema->prefix != NULL; schema++)
        if (text_starts_with(iri, text_from(schema->namespace_iri)))
            return set_names(text_from(schema->prefix), without(iri, schema->namespace_iri), ret_field);
    if (!text_starts_with(iri, TEXT(UNREGISTERED)))
        return false;
    struct text names, schema = text_cut(without(iri, UNREGISTERED), ':', &names);
    for (const struct schema *known = registered; known->prefix != NULL; known++)
        if (text_equal(schema, text_from(known->prefix)))
            return false; /* has another IRI: one predicate a field */
    return set_names(schema, names, ret_field);
}
