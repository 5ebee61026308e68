/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct xml_writer: XML 1.0 onto a struct buffer, with prefixes exactly as given (SWORD clients read by prefix,
 * harvesters want none). Well formed whatever the texts are: what XML cannot hold (control characters, bytes that
 * are no UTF-8) becomes U+FFFD; CR is written as a reference, so that it comes back. No white space of its own.
 *     struct xml_writer w = xml_writer(&buffer);
 *     xml_put_declaration(&w);
 *     xml_begin_element(&w, "atom:entry"); xml_put_attribute(&w, "xmlns:atom", TEXT("http://www.w3.org/2005/Atom"));
 *     xml_put_element(&w, "atom:title", title); xml_end_element(&w);
 * Errors are the buffer's (sticky): a name that is no XML name makes its status INVALID, nesting over XML_WRITE_DEPTH_MAX LIMIT.
 * Attributes come before anything else in their element, no name twice; begin and end pair: not checked.
 * Threads: one at a time.
 */
#ifndef ARCHIVOLT_XML_XML_WRITE_H
#define ARCHIVOLT_XML_XML_WRITE_H

#include "base/buffer.h"

enum { XML_WRITE_DEPTH_MAX = 64 };

struct xml_writer {
    struct buffer *buffer;
    bool tag_open; /* `>` of the last start tag is still to be written */
    unsigned depth;
    const char *names[XML_WRITE_DEPTH_MAX]; /* of open elements, borrowed until their end */
};

static inline struct xml_writer
xml_writer(struct buffer *buffer)
{
    return (struct xml_writer){.buffer = buffer};
}

void xml_put_declaration(struct xml_writer *writer); /* version and UTF-8, then a line end */
void xml_begin_element(struct xml_writer *writer, const char *name);
void xml_put_attribute(struct xml_writer *writer, const char *name, struct text value);
void xml_put_attribute_u64(struct xml_writer *writer, const char *name, uint64_t value);
void xml_put_text(struct xml_writer *writer, struct text text);
void xml_put_u64(struct xml_writer *writer, uint64_t value);
/* Well-formed content made before (of a crosswalk, of another writer), as it is. */
void xml_put_raw(struct xml_writer *writer, struct text xml);
void xml_end_element(struct xml_writer *writer);
/* An element with text only. */
void xml_put_element(struct xml_writer *writer, const char *name, struct text text);
void xml_put_element_u64(struct xml_writer *writer, const char *name, uint64_t value);

/* Appends the text with U+FFFD for each byte or character that XML 1.0 cannot hold; nothing is escaped. */
void xml_append_clean(struct buffer *buffer, struct text text);

#endif
