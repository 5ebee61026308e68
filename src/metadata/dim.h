/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIM, DSpace's intermediate metadata: fields as XML, in order, without loss. What stylesheets see and give, and
 * `metadata/dim.xml` of an item. Namespace http://www.dspace.org/xmlns/dspace/dim; dim:dim with
 * dim:field @mdschema @element [@qualifier] [@lang] [@authority [@confidence]]. Threads: any.
 */
#ifndef ARCHIVOLT_METADATA_DIM_H
#define ARCHIVOLT_METADATA_DIM_H

#include "metadata/fields.h"
#include "xml/xml_read.h"

/* Appends a document. */
void fields_write_dim(const struct fields *fields, struct buffer *buffer);
/* Adds the fields of a dim:dim element, or of any whose children are dim:field. A field with elements inside is a compound value and becomes
 * JSON. INVALID: a name, a confidence, a value (with the line). */
enum error_code fields_read_dim(const struct xml_node *dim, struct fields *fields, struct error *error) AV_MUST_USE;

#endif
