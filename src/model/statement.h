/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A statement about a resource: (attribute, place, value, qualifier, extra).
 * Place keeps order and lets equal values repeat (authors); where a dialect is a set, place is 0.
 * Qualifier: "" a plain literal, "@lang", "^^IRI" a datatype, "<>" the value is an IRI; or a unit (iRODS).
 * Two statements are the same when attribute, place, value and qualifier are; extra is carried along.
 */
#ifndef ARCHIVOLT_MODEL_STATEMENT_H
#define ARCHIVOLT_MODEL_STATEMENT_H

#include "base/text.h"

#define STATEMENT_ATTRIBUTE_BYTES_MAXIMUM 1024u
#define STATEMENT_QUALIFIER_BYTES_MAXIMUM 1024u
/* The UUID of a further container that a record is in as a set of harvesters (transaction_make_record()). */
#define STATEMENT_MAPPED "archivolt.mapped"

struct statement {
    struct text attribute; /* 1 to 1,024 bytes of UTF-8 without NUL */
    uint32_t place;
    struct text value;     /* UTF-8 without NUL; its limit is statement_value_bytes */
    struct text qualifier; /* to 1,024 bytes */
    struct text extra;     /* free for the front end, UTF-8, to 64 KiB */
};

#endif
