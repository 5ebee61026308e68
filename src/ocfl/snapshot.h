/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots of statements inside an object: metadata/statements.jsonl (exact, in order) and
 * metadata/statements.nt (for RDF tools; order is lost).
 *
 * JSON Lines: one object a line with the members attribute, place, value, qualifier, extra, in this order.
 * N-Triples: subject = the object's id; predicate = the attribute when it is an absolute IRI, else
 * urn:archivolt:attribute:<percent-encoded>; object by the qualifier: "" a plain literal, "@lang" a literal
 * with a language, "^^IRI" with a datatype, "<>" the value is an IRI; any other qualifier (a unit) gives a plain literal.
 * Errors: those of the buffer (sticky). Threads: any.
 */
#ifndef ARCHIVOLT_OCFL_SNAPSHOT_H
#define ARCHIVOLT_OCFL_SNAPSHOT_H

#include "base/buffer.h"

struct ocfl_statement {
    struct text attribute;
    uint32_t place;
    struct text value;
    struct text qualifier;
    struct text extra;
};

void ocfl_write_statements_jsonl(struct buffer *out, const struct ocfl_statement *statements, size_t count);
void ocfl_write_statements_nt(struct buffer *out, struct text subject, const struct ocfl_statement *statements,
                              size_t count);

#endif
