/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct xslt_stylesheet: an XSLT 1.0 stylesheet, compiled once, over libxslt. It can read and write nothing but the
 * document and parameters that it is given: no files, no network, no document(), no extensions; what it includes or imports
 * comes from its library alone. Depth and work are bounded. <xsl:message terminate="yes"> is an error whose text is the message.
 *
 * Life: xslt_stylesheet_new() or _load() - xslt_apply()... - xslt_stylesheet_free().
 * Threads: a stylesheet may be applied by many threads at once; a source document by one.
 */
#ifndef ARCHIVOLT_XML_XSLT_H
#define ARCHIVOLT_XML_XSLT_H

#include "xml/xml_read.h"

struct xslt_stylesheet;

struct xslt_parameter {
    const char *name;
    struct text value; /* a string for the stylesheet, never an expression */
};

/* What xsl:include and xsl:import find by their href, taken as a name. False: there is none. Used while compiling only. */
typedef bool xslt_library(const char *name, struct text *ret_xsl);

/* INVALID: it does not compile. `name` is for messages; copied. `library` NULL: it includes nothing. */
enum error_code xslt_stylesheet_new(const char *name, struct text xsl, xslt_library *library,
                                    struct xslt_stylesheet **ret_stylesheet, struct error *error) AV_MUST_USE;
/* NOT_FOUND: there is no such file. LIMIT: over 1 MiB. */
enum error_code xslt_stylesheet_load(const char *path, xslt_library *library, struct xslt_stylesheet **ret_stylesheet,
                                     struct error *error) AV_MUST_USE;
void xslt_stylesheet_free(struct xslt_stylesheet *stylesheet); /* NULL is fine */

/* INVALID: the stylesheet refuses the source, fails or goes over its limits. May strip white space of the source. */
enum error_code xslt_apply(const struct xslt_stylesheet *stylesheet, struct xml_document *source,
                           const struct xslt_parameter *parameters, size_t parameter_count,
                           struct xml_document **ret_result, struct error *error) AV_MUST_USE;
/* The result as text, as the stylesheet's xsl:output says, in UTF-8, appended. */
enum error_code xslt_apply_to_text(const struct xslt_stylesheet *stylesheet, struct xml_document *source,
                                   const struct xslt_parameter *parameters, size_t parameter_count,
                                   struct buffer *buffer, struct error *error) AV_MUST_USE;

#endif
