/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registered schemas: the prefix of a field ("dc") and the namespace of its predicate. One that is not registered
 * has "urn:archivolt:schema:PREFIX:", so that every field has an IRI and comes back from it. Threads: any.
 */
#ifndef ARCHIVOLT_METADATA_SCHEMAS_H
#define ARCHIVOLT_METADATA_SCHEMAS_H

#include "metadata/fields.h"

/* X(prefix, namespace IRI) */
#define SCHEMAS(X)                                                                                 \
    X("dc", "http://purl.org/dc/elements/1.1/")                                                    \
    X("dcterms", "http://purl.org/dc/terms/")                                                      \
    X("eprints", "http://eprints.org/ep2/data/2.0/")                                               \
    X("local", "http://dspace.org/namespace/local/")                                               \
    X("dspace", "http://dspace.org/dspace/")                                                       \
    X("eperson", "http://dspace.org/eperson/")                                                     \
    X("relation", "http://dspace.org/relation/")                                                   \
    X("relationship", "http://dspace.org/relationship/")                                           \
    X("person", "http://schema.org/Person/")                                                       \
    X("organization", "http://schema.org/Organization/")                                           \
    X("project", "http://schema.org/Project/")                                                     \
    X("journal", "http://schema.org/Periodical/")                                                  \
    X("journalvolume", "http://schema.org/PublicationVolume/")                                     \
    X("journalissue", "http://schema.org/PublicationIssue/")                                       \
    X("creativework", "http://schema.org/CreativeWork/")                                           \
    X("oaire", "http://namespace.openaire.eu/schema/oaire/")                                       \
    X("datacite", "http://datacite.org/schema/kernel-4/")                                          \
    X("thesis", "http://www.ndltd.org/standards/metadata/etdms/1.0/")

struct schema {
    const char *prefix, *namespace_iri;
};
/* All that are registered; ends with a NULL prefix. */
const struct schema *schemas_registered(void);

/* Namespace IRI plus `element[.qualifier]`, into the arena. */
struct text field_predicate(const struct field *field, struct arena *arena);
/* Schema, element and qualifier, borrowed; the rest empty. False: the IRI is no field's. */
bool field_from_predicate(struct text iri, struct field *ret_field);

#endif
