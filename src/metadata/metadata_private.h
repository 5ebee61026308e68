/* SPDX-License-Identifier: Apache-2.0 */
/* What the sources of this module share: names, words, and the compound values of EPrints. */
#ifndef ARCHIVOLT_METADATA_METADATA_PRIVATE_H
#define ARCHIVOLT_METADATA_METADATA_PRIVATE_H

#include "format/json.h"
#include "metadata/fields.h"
#include "xml/xml_read.h"
#include "xml/xml_write.h"

#define DIM_NAMESPACE "http://www.dspace.org/xmlns/dspace/dim"
#define EPRINTS_NAMESPACE "http://eprints.org/ep2/data/2.0"

bool metadata__is_name(struct text name);
/* Words between white space. */
bool metadata__next_word(struct text *left, struct text *ret_word);
/* Runs of white space as one blank; into the arena. */
struct text metadata__regular(struct text value, struct arena *arena);
bool metadata__is_field(const struct field *field, const char *schema, const char *element, const char *qualifier);

/* A compound value is a JSON object made of an element's children: texts, objects, and arrays where a name repeats. Text
 * that could be taken for one (it begins with `{` or `"`) is kept as a JSON string. */
enum error_code compound__of_element(const struct xml_node *element, struct arena *arena, struct text *ret_value,
                                     struct error *error) AV_MUST_USE;
/* The other way: writes the children, or the text. Any value is taken; what is no compound is its own text. */
void compound__write(struct text value, struct arena *arena, struct xml_writer *writer);
/* Without members that hold an e-mail address; "" when nothing is left. What is no compound comes back as it is. */
struct text compound__publish(struct text value, struct arena *arena);

bool publish__holds_address(struct text word); /* an e-mail address somewhere in it */

void dim__put_fields(struct xml_writer *writer, const struct fields *fields);

#endif
