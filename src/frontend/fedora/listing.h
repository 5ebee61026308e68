/* SPDX-License-Identifier: Apache-2.0 */
/* A resource written out: what the forms (JSON, N-Triples, HTML) share. Inside the front end only. */
#ifndef ARCHIVOLT_FRONTEND_FEDORA_LISTING_H
#define ARCHIVOLT_FRONTEND_FEDORA_LISTING_H

#include "frontend/fedora/fedora_private.h"

struct listing;

/* A way of writing. Errors are the buffer's (sticky). */
struct form {
    void (*head)(struct listing *listing, struct buffer *out);
    void (*child)(struct listing *listing, struct buffer *out, const struct child *child);
    void (*end)(struct listing *listing, struct buffer *out);
};
extern const struct form form_json, form_ntriples, form_html;

struct listing {
    const struct form *form;
    struct resource resource;
    struct view *view; /* the request's; open as long as the listing goes on */
    struct text base_url, path, url;
    uint64_t limit; /* 0: all */
    struct text after;
    struct text next_url; /* of the next page, or "" */
    struct child_iterator *children; /* NULL: none or over */
    bool comma;
    bool edits; /* the person may edit it, and sees all that is said of it */
};

/* The next statement that this person is shown: private fields (provenance, addresses) are for those who may edit. */
bool listing_next_statement(const struct listing *listing, struct statement_iterator *iterator, struct statement *ret);

/* The URL of a child, encoded once. */
void listing_append_child_url(const struct listing *listing, struct buffer *out, const struct child *child);

#endif
