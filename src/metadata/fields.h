/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct fields: descriptive metadata as DSpace has it (DIM): an ordered list of
 * schema.element[.qualifier], value, language, authority. Order counts, equal fields may repeat (authors).
 * This is the form that all crosswalks meet in.
 *
 * Life: fields_init() - fields_add()... - read `items`; everything lies in the arena.
 * Threads: one at a time.
 */
#ifndef ARCHIVOLT_METADATA_FIELDS_H
#define ARCHIVOLT_METADATA_FIELDS_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"

struct field {
    struct text schema;    /* "dc", "dcterms", "eprints", a registered one */
    struct text element;
    struct text qualifier; /* "" none */
    struct text language;  /* "" not given */
    struct text value;     /* UTF-8; runs of white space are one blank, none at the ends */
    struct text authority; /* "" none */
    int confidence;        /* -1: not given */
};

struct fields {
    struct arena *arena;
    struct field *items;
    size_t count, capacity;
};

void fields_init(struct fields *fields, struct arena *arena);
/* Copies the texts; white space is made regular; an empty value is left out. INVALID: no UTF-8, a name with anything but
 * letters, digits, '_' and '-'. LIMIT, NO_MEMORY: of the arena. */
enum error_code fields_add(struct fields *fields, const struct field *field, struct error *error) AV_MUST_USE;
/* The first of that name, or NULL; qualifier "" means none, "*" any. */
const struct field *fields_first(const struct fields *fields, const char *schema, const char *element,
                                 const char *qualifier);

/* "dc.contributor.author", into the arena: the attribute of a statement. */
struct text field_attribute(const struct field *field, struct arena *arena);
/* The other way; texts borrowed from the attribute. False: it is no such name. */
bool field_from_attribute(struct text attribute, struct field *ret_field);
/* Authority and confidence as a statement's extra ("" when neither is given), and back. */
struct text field_extra(const struct field *field, struct arena *arena);
void field_read_extra(struct text extra, struct field *field);

#endif
