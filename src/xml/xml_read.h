/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct xml_document: a namespace-aware tree of an XML 1.0 document from outside, over libxml2.
 *
 * Refused with INVALID, the line in the message: what is not well formed (undeclared prefixes too), a document type
 * declaration (and so every entity but the five), bytes that are not of the encoding. Refused with LIMIT: what is over
 * struct xml_limits. Nothing is ever loaded from elsewhere. Comments and processing instructions are not kept, CDATA is text.
 *
 * Life: xml_document_parse() or xml_document_read() - nodes, borrowed from the document - xml_document_free().
 * Threads: a document belongs to one thread at a time; different documents may be read at once. libxml2 prints nothing.
 */
#ifndef ARCHIVOLT_XML_XML_READ_H
#define ARCHIVOLT_XML_XML_READ_H

#include "base/arena.h"
#include "base/buffer.h"

struct xml_document;
struct xml_node; /* an element */

/* X(key, default, help) */
#define XML_LIMITS(X)                                                                              \
    X(bytes, 16u << 20, "the document as it is sent, without diverted text")                       \
    X(nodes, 500000u, "elements and attributes")                                                   \
    X(depth, 100u, "elements within elements")                                                     \
    X(attribute_bytes, 1u << 20, "one attribute's value")                                          \
    X(text_bytes, 8u << 20, "text between two tags")

struct xml_limits {
#define X(key, value, help) size_t key;
    XML_LIMITS(X)
#undef X
};
struct xml_limits xml_limits_default(void);

/* Text that does not enter the tree but goes to the caller in pieces as it is read (files in base64): that of each
 * element of this name. An error stops the reading. Elements inside such an element enter the tree as usual. */
struct xml_diversion {
    const char *namespace_uri, *name;
    /* The element, its attributes, and all before it in the document can be looked at. */
    enum error_code (*begin)(void *context, const struct xml_node *element, struct error *error);
    enum error_code (*text)(void *context, struct text piece, struct error *error);
    enum error_code (*end)(void *context, const struct xml_node *element, struct error *error);
    void *context;
};

/* Puts up to `capacity` bytes; *ret_length 0 is the end. */
typedef enum error_code xml_read_bytes(void *context, void *data, size_t capacity, size_t *ret_length, struct error *error);

struct xml_source {
    xml_read_bytes *read;
    void *context;
    const struct xml_limits *limits;       /* NULL: the default */
    const struct xml_diversion *diversion; /* NULL: none */
};

/* With the default limits. */
enum error_code xml_document_parse(struct text bytes, struct xml_document **ret_document, struct error *error) AV_MUST_USE;
enum error_code xml_document_read(const struct xml_source *source, struct xml_document **ret_document,
                                  struct error *error) AV_MUST_USE;
void xml_document_free(struct xml_document *document); /* NULL is fine */
void xml_document_clean(struct xml_document **document); /* for AV_CLEANUP */

/* ---- looking: names, namespaces and nodes are borrowed from the document; NULL in gives NULL or "" out ---- */

const struct xml_node *xml_root(const struct xml_document *document);
const struct xml_node *xml_parent(const struct xml_node *node); /* NULL: of the root */
/* Child and sibling elements of a namespace ("" none, NULL any) and local name (NULL any), in document order. */
const struct xml_node *xml_child(const struct xml_node *node, const char *namespace_uri, const char *name);
const struct xml_node *xml_sibling(const struct xml_node *node, const char *namespace_uri, const char *name);
#define xml_each(node_, parent_, namespace_uri_, name_)                                            \
    for (const struct xml_node *node_ = xml_child(parent_, namespace_uri_, name_); node_ != NULL;  \
         node_ = xml_sibling(node_, namespace_uri_, name_))

bool xml_is(const struct xml_node *node, const char *namespace_uri, const char *name); /* "" none, NULL any */
struct text xml_name(const struct xml_node *node); /* local */
struct text xml_namespace(const struct xml_node *node);
long xml_line(const struct xml_node *node);

/* All text in the element and below, joined, into the arena. */
struct text xml_text(const struct xml_node *node, struct arena *arena);
/* Whether there is any but white space. */
bool xml_has_text(const struct xml_node *node);
/* Of the first child of that name; "" when there is none. */
struct text xml_child_text(const struct xml_node *node, const char *namespace_uri, const char *name, struct arena *arena);
/* False: it has no such attribute. The value goes into the arena. */
bool xml_attribute(const struct xml_node *node, const char *namespace_uri, const char *name, struct arena *arena,
                   struct text *ret_value);
/* The index-th attribute; false: no more. Names are borrowed, the value goes into the arena. */
struct xml_attribute {
    struct text namespace_uri, name, value;
};
bool xml_attribute_at(const struct xml_node *node, size_t index, struct arena *arena, struct xml_attribute *ret_attribute);

/* ---- a part as a whole ------------------------------------------------------------------------------------ */

/* A document of its own with this element as the root; prefixes that are in scope stay declared. */
enum error_code xml_document_of(const struct xml_node *node, struct xml_document **ret_document,
                                struct error *error) AV_MUST_USE;
/* Appends the element as UTF-8 without declaration; prefixes that are in scope are declared on it. */
enum error_code xml_write_node(const struct xml_node *node, struct buffer *buffer, struct error *error) AV_MUST_USE;

#endif
