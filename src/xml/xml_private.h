/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader and XSLT share: the document, the one start of the libraries, and where their complaints go. */
#ifndef ARCHIVOLT_XML_XML_PRIVATE_H
#define ARCHIVOLT_XML_XML_PRIVATE_H

#include "xml/xml_read.h"

#include <libxml/tree.h>
#include <libxslt/documents.h>

struct xml_document {
    xmlDoc *tree;
};

/* The libraries' first complaint, caught instead of printed. They may nest: a diversion may read XML itself. */
struct xml_complaint {
    struct xml_complaint *outer;
    int line;           /* 0: not known */
    char message[256];  /* one line; "" when there was none */
    bool no_memory;
};

/* Starts the libraries once, and makes `complaint` this thread's, until xml__complaint_end(). */
void xml__complaint_begin(struct xml_complaint *complaint);
void xml__complaint_end(void);
/* For the libraries' callbacks of the printf kind and of the structured kind. */
void xml__complain(void *context, const char *format, ...) AV_PRINTF(2, 3);
void xml__complain_structured(void *context, xmlErrorPtr complaint);

/* libxslt's loader: from the library of the stylesheet that this thread compiles, else nothing. */
xmlDoc *xslt__load(const xmlChar *uri, xmlDict *dictionary, int options, void *context, xsltLoadType type);

/* Reads the text's bytes and moves it forward; borrowed. */
struct xml_source xml__source_of_text(struct text *text);
/* The parse alone, within a complaint that has begun; NULL after an error, which is set. `names`: where those of
 * the document go, when it is to share them with another; or NULL. */
xmlDoc *xml__parse(const struct xml_source *source, xmlDict *names, struct xml_complaint *complaint, struct error *error);

size_t xml__count_below(const xmlNode *top); /* elements and texts */

enum error_code xml__document_new(xmlDoc *tree, struct xml_document **ret_document, struct error *error) AV_MUST_USE;

#endif
