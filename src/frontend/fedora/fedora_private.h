/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Fedora front end share. Nobody else includes this. */
#ifndef ARCHIVOLT_FRONTEND_FEDORA_PRIVATE_H
#define ARCHIVOLT_FRONTEND_FEDORA_PRIVATE_H

#include "format/percent.h"
#include "frontend/fedora/fedora.h"
#include "http/condition.h"
#include "http/digest_field.h"
#include "http/request.h"

#define FEDORA_PREFIX "/rest"
#define LDP "http://www.w3.org/ns/ldp#"
#define FEDORA "http://fedora.info/definitions/v4/repository#"

/* What follows the path of a resource in a target: X(NAME, "segment"). */
#define FEDORA_PARTS(X)                                                                            \
    X(METADATA, "fcr:metadata")                                                                    \
    X(TOMBSTONE, "fcr:tombstone")                                                                  \
    X(VERSIONS, "fcr:versions")                                                                    \
    X(CONSTRAINTS, "fcr:constraints")

enum fedora_part {
    FEDORA_PART_NONE,
#define X(name, segment) FEDORA_PART_##name,
    FEDORA_PARTS(X)
#undef X
    FEDORA_PART_OTHER /* known to Fedora, not done here */
};

/* X(NAME, explanation): the documents that rel="constrainedBy" points at. */
#define FEDORA_CONSTRAINTS(X)                                                                      \
    X(ServerManagedTypeException, "Names that begin with fcr: belong to the server.")              \
    X(InteractionModelViolationException, "What is a container stays one, what is a binary stays one; delete it "   \
                                          "first to make the other at its path.")                  \
    X(CannotCreateResourceException, "The type that the Link header names cannot be created: use "  \
                                     "ldp:BasicContainer, ldp:NonRDFSource, or fedora:ArchivalGroup for containers.") \
    X(ExternalMessageBodyException, "External content is not taken here: send the bytes.")         \
    X(MalformedRdfException, "RDF bodies are not taken here yet: create the container with an empty body.")

enum fedora_constraint {
#define X(name, explanation) FEDORA_CONSTRAINT_##name,
    FEDORA_CONSTRAINTS(X)
#undef X
        FEDORA_CONSTRAINT_COUNT
};

enum fedora_model { FEDORA_MODEL_NONE, FEDORA_MODEL_BINARY, FEDORA_MODEL_CONTAINER };

/* One request's state, in its arena. */
struct fedora {
    struct text path;      /* of the resource, as the model has it */
    enum fedora_part part;
    struct text part_name; /* the fcr: segment and what follows it */
    struct view *view;     /* open or NULL */
    struct transaction *transaction;
    /* writes */
    struct condition condition;
    struct file_options file;
    struct container_options container;
    enum fedora_model model;
    bool made_explicit;    /* an implied container becomes one of its own */
    struct text slug;
};

static inline struct fedora *
fedora_of(struct http_request *request)
{
    return request->state;
}

/* ---- answers: answer.c ----------------------------------------------------------------------------- */

void fedora_fail(struct http_request *request, const struct error *error);
void fedora_refuse(struct http_request *request, enum fedora_constraint constraint, unsigned status,
                   const char *format, ...) AV_PRINTF(4, 5);
void fedora_answer_constraint(struct http_request *request);
/* The URL of a path, encoded once; in the arena. */
struct text fedora_url(struct http_request *request, struct text path);
void fedora_append_url(struct buffer *buffer, struct text base_url, struct text path);
void fedora_set_tag(struct http_request *request, struct text tag, bool weak);
void fedora_set_modified(struct http_request *request, int64_t time_us);
void fedora_allow(struct http_request *request, const struct resource *resource);
void fedora_set_type_links(struct http_request *request, const struct resource *resource);

/* ---- methods ----------------------------------------------------------------------------------------- */

/* Opens the view if needed and resolves the path; false: the error is answered. */
bool fedora_resolve(struct http_request *request, struct resource *ret_resource);
void fedora_get(struct http_request *request);
void fedora_get_listing(struct http_request *request, const struct resource *container);
void fedora_get_description(struct http_request *request, const struct resource *file);
void fedora_get_versions(struct http_request *request, const struct resource *resource);
void fedora_options(struct http_request *request);
void fedora_put(struct http_request *request);
void fedora_post(struct http_request *request);
void fedora_delete(struct http_request *request);
/* What the head says about the thing to be made: type links, digests, disposition, conditions. False: answered. */
bool fedora_read_intent(struct http_request *request, struct expected_digests *ret_digests);
/* Whether the head alone says that this is content and not a description. */
bool fedora_is_rdf_type(struct text content_type);

#endif
