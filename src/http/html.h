/* SPDX-License-Identifier: Apache-2.0 */
/* HTML for people: one plain style, no scripts, everything escaped. Errors are the buffer's (sticky). Threads: any. */
#ifndef ARCHIVOLT_HTTP_HTML_H
#define ARCHIVOLT_HTTP_HTML_H

#include "base/buffer.h"

/* The Content-Security-Policy of such pages; lives for ever. */
struct text html_security_policy(void);
/* Up to the style; what follows goes into the head. Then the heading begins the body. */
void html_begin(struct buffer *out, struct text title);
void html_begin_body(struct buffer *out, struct text heading);
void html_end(struct buffer *out);
/* Text or the value of an attribute. */
void html_append(struct buffer *out, struct text text);
void html_append_link(struct buffer *out, struct text url, struct text label);

#endif
