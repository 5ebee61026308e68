/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct http_client: requests to servers of others over libcurl, on connections that are kept.
 *
 * Life: http_client_new() - http_client_send()... - http_client_free(). http_exchange_release() after each exchange.
 * Threads: a client belongs to one thread at a time; different clients may work at once.
 * Safety: http and https only; certificates are checked; no redirection is followed (its address is told); answers are
 * bounded; a peer that moves no byte for idle_ms is given up.
 */
#ifndef ARCHIVOLT_CLIENT_HTTP_CLIENT_H
#define ARCHIVOLT_CLIENT_HTTP_CLIENT_H

#include "base/buffer.h"

struct http_client_options {
    const char *user, *password; /* Basic, with each request; user NULL: none */
    uint64_t idle_ms;            /* 0: 300,000 */
    size_t answer_bytes;         /* 0: 16 MiB */
};

struct http_client;
/* Borrows the strings of the options. NO_MEMORY. */
enum error_code http_client_new(const struct http_client_options *options, struct http_client **ret_client,
                                struct error *error) AV_MUST_USE;
void http_client_free(struct http_client *client); /* NULL is fine */

enum { HTTP_CLIENT_HEADERS_MAX = 16 };

struct http_exchange {
    /* The request. */
    const char *method, *url;
    const char *headers[HTTP_CLIENT_HEADERS_MAX]; /* "Name: value"; NULL ends them */
    int body;                                     /* a file, from its beginning; -1: none */
    uint64_t body_bytes;
    /* The answer. */
    unsigned status;
    struct buffer location, content_type, retry_after, server, content;
    bool sent; /* something of the request left: without an answer nobody knows what became of it */
};

/* ERROR_NONE: there was an answer, whatever its status. CLOSED: no connection, or it broke; TIMEOUT; LIMIT: the answer is too
 * long; INVALID: the URL; PROTOCOL: what came is no HTTP, or a certificate that is not to be trusted; IO: the body. */
enum error_code http_client_send(struct http_client *client, struct http_exchange *exchange, struct error *error) AV_MUST_USE;
void http_exchange_release(struct http_exchange *exchange);

#endif
