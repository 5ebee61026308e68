/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request headers that anyone here looks at. They are read once, in one pass over the head, into
 * an array; a header sent twice is joined by ", " where HTTP allows lists, else the request is refused.
 */
#ifndef ARCHIVOLT_HTTP_HEADER_H
#define ARCHIVOLT_HTTP_HEADER_H

#include "base/text.h"

/* X(NAME, "name", list): list 1 when several are joined. */
#define HTTP_HEADERS(X)                                                                            \
    X(ACCEPT, "Accept", 1)                                                                         \
    X(ACCEPT_PACKAGING, "Accept-Packaging", 0)                                                     \
    X(AUTHORIZATION, "Authorization", 0)                                                           \
    X(CONTENT_DIGEST, "Content-Digest", 1)                                                         \
    X(CONTENT_DISPOSITION, "Content-Disposition", 0)                                               \
    X(CONTENT_ENCODING, "Content-Encoding", 1)                                                     \
    X(CONTENT_LENGTH, "Content-Length", 0)                                                         \
    X(CONTENT_MD5, "Content-MD5", 0)                                                               \
    X(CONTENT_RANGE, "Content-Range", 0)                                                           \
    X(CONTENT_TYPE, "Content-Type", 0)                                                             \
    X(DIGEST, "Digest", 1)                                                                         \
    X(EXPECT, "Expect", 1)                                                                         \
    X(HOST, "Host", 0)                                                                             \
    X(IF_MATCH, "If-Match", 1)                                                                     \
    X(IF_MODIFIED_SINCE, "If-Modified-Since", 0)                                                   \
    X(IF_NONE_MATCH, "If-None-Match", 1)                                                           \
    X(IF_RANGE, "If-Range", 0)                                                                     \
    X(IF_UNMODIFIED_SINCE, "If-Unmodified-Since", 0)                                               \
    X(IDEMPOTENCY_KEY, "Idempotency-Key", 0)                                                       \
    X(IN_PROGRESS, "In-Progress", 0)                                                               \
    X(LINK, "Link", 1)                                                                             \
    X(METADATA_RELEVANT, "Metadata-Relevant", 0)                                                   \
    X(ON_BEHALF_OF, "On-Behalf-Of", 0)                                                             \
    X(OVERWRITE_TOMBSTONE, "Overwrite-Tombstone", 0)                                               \
    X(PACKAGING, "Packaging", 0)                                                                   \
    X(RANGE, "Range", 0)                                                                           \
    X(REPR_DIGEST, "Repr-Digest", 1)                                                               \
    X(SLUG, "Slug", 0)                                                                             \
    X(TRANSFER_ENCODING, "Transfer-Encoding", 1)                                                   \
    X(USER_AGENT, "User-Agent", 0)                                                                 \
    X(WANT_CONTENT_DIGEST, "Want-Content-Digest", 1)                                               \
    X(WANT_DIGEST, "Want-Digest", 1)                                                               \
    X(WANT_REPR_DIGEST, "Want-Repr-Digest", 1)                                                     \
    X(X_FORMAT_NAMESPACE, "X-Format-Namespace", 0)                                                 \
    X(X_NO_OP, "X-No-Op", 0)                                                                       \
    X(X_ON_BEHALF_OF, "X-On-Behalf-Of", 0)                                                         \
    X(X_PACKAGING, "X-Packaging", 0)                                                               \
    X(X_REQUEST_ID, "X-Request-Id", 0)                                                             \
    X(X_VERBOSE, "X-Verbose", 0)

enum http_header {
#define X(name, text, list) HTTP_HEADER_##name,
    HTTP_HEADERS(X)
#undef X
        HTTP_HEADER_COUNT
};

/* HTTP_HEADER_COUNT when it is not in the table. Case does not matter. */
enum http_header http_header_from_name(struct text name);
struct text http_header_name(enum http_header header);
bool http_header_is_list(enum http_header header);

/* X(NAME): methods that are known; others get 501. */
#define HTTP_METHODS(X) X(GET) X(HEAD) X(PUT) X(POST) X(DELETE) X(OPTIONS) X(PATCH)

enum http_method {
#define X(name) HTTP_##name,
    HTTP_METHODS(X)
#undef X
        HTTP_METHOD_COUNT
};
enum http_method http_method_from_name(struct text name); /* HTTP_METHOD_COUNT: not known */

#endif
