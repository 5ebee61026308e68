/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entity tags and conditional requests (RFC 9110 sections 8.8 and 13).
 *
 * A tag is "<id>-<counter>-<representation>": id and state counter of the resource, and what tells
 * representations apart. Reads are decided here; writes hand id and counter to the committer
 * (struct condition), which alone can decide races. There, a tag that a client shows without or with W/ means the
 * same state, because a state counter is exact even where two listings of it may differ in form.
 */
#ifndef ARCHIVOLT_HTTP_CONDITION_H
#define ARCHIVOLT_HTTP_CONDITION_H

#include "http/request.h"

#define ENTITY_TAG_BYTES 96u

struct entity_tag {
    struct text opaque; /* without quotes */
    bool weak;
};
/* Cuts the next tag of a list; false at the end or at what is no tag (the rest is then dropped). */
bool entity_tag_next(struct text *rest, struct entity_tag *ret_tag);
/* The state that one of our own tags names; false for a stranger's. */
bool entity_tag_state(struct text opaque, struct resource_state *ret_state);

struct representation {
    struct text tag;       /* opaque, without quotes */
    bool weak;
    int64_t modified_us;
};

enum condition_verdict { CONDITION_PROCEED, CONDITION_NOT_MODIFIED, CONDITION_FAILED };
/* GET and HEAD: in the order of RFC 9110 section 13.2.2. */
enum condition_verdict condition_of_read(const struct http_request *request, const struct representation *current);
/* Whether a Range is to be honoured: no If-Range, or the strong tag or exact date of what is there. */
bool condition_range_holds(const struct http_request *request, const struct representation *current);

/* PUT, POST, DELETE: what the committer is to check. `states` are in the request's arena.
 * INVALID: a combination that no condition can express. */
enum error_code condition_of_write(struct http_request *request, struct condition *ret_condition,
                                   struct error *error) AV_MUST_USE;
/* The same decided now against what a view shows; a hint before the body is read. NULL: nothing is there. */
bool condition_would_hold(const struct condition *condition, const struct resource *resource);

#endif
