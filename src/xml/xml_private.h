/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader and XSLT share: the document, the one start of the libraries, and where their complaints go. */
#ifndef ARCHIVOLT_XML_XML_PRIVATE_H
#define ARCHIVOLT_XML_XML_PRIVATE_H

#include "xml/xml_read.h"

#include <libxml/tree.h>

struct xml_document {
    xmlDoc *tree;
};

/* The libraries' first complaint, caught instead of printed. One a thread may be in force. */
struct xml_complaint {
    int line;           /* 0: not known */
    char message[256];  /* one line; "" when there was none */
    bool no_memory;
};

/* Starts the libraries once, and makes `complaint` this thread's, until xml_complaint_end(). */
void xml__complaint_begin(struct xml_complaint *complaint);
void xml__complaint_end(void);
/* For the libraries' callbacks of the printf kind and of the structured kind. */
void xml__complain(void *context, const char *format, ...) AV_PRINTF(2, 3);
void xml__complain_structured(void *context, xmlErrorPtr complaint);

enum error_code xml__document_new(xmlDoc *tree, struct xml_document **ret_document, struct error *error) AV_MUST_USE;

#endif
