/* SPDX-License-Identifier: Apache-2.0 */
/*
 * N-Triples (RDF 1.1): the pieces of a line, and how a statement becomes one. Pure functions onto a buffer.
 * The bytes of statements in volumes come from here: docs/format.md.
 */
#ifndef ARCHIVOLT_FORMAT_NTRIPLES_H
#define ARCHIVOLT_FORMAT_NTRIPLES_H

#include "base/buffer.h"

/* In <>; what must not stand there is escaped. */
void ntriples_append_iri(struct buffer *out, struct text iri);
/* In quotes; only what must be is escaped. */
void ntriples_append_literal(struct buffer *out, struct text value);
/* An attribute that is an absolute IRI stands for itself, any other is urn:archivolt:attribute:NAME. */
void ntriples_append_attribute(struct buffer *out, struct text attribute);
/* A statement's value. Qualifier "<>": it is an IRI; "@en": its language; "^^IRI": its datatype. What is none of these, or only
 * looks like it, leaves a plain literal. */
void ntriples_append_value(struct buffer *out, struct text value, struct text qualifier);

#endif
