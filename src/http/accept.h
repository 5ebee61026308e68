/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a representation by Accept (RFC 9110 section 12.5.1). Threads: any. */
#ifndef ARCHIVOLT_HTTP_ACCEPT_H
#define ARCHIVOLT_HTTP_ACCEPT_H

#include "base/text.h"

struct media_type {
    const char *type, *subtype;
};

/* The index of the offer that the header likes best; among equals the first. No header: 0.
 * Nothing fits: `count`. A broken element is passed over. */
size_t accept_choose(struct text accept, const struct media_type *offered, size_t count);

#endif
