/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct http_server: HTTP/1.1 over libmicrohttpd for a static table of front ends.
 *
 * Life: http_server_start() - requests come in - http_server_stop(): stops accepting, lets answers in
 * flight finish, cuts uploads. The model must outlive the server.
 * Threads: `threads` event threads run every step of every request; `workers` threads run what
 * blocks (password hashes, the end of large uploads). A request belongs to one thread at a time.
 * Limits: head size, connections, idle time, memory of a request: each an option, each named in its error.
 */
#ifndef ARCHIVOLT_HTTP_HTTP_H
#define ARCHIVOLT_HTTP_HTTP_H

#include "base/error.h"
#include "base/text.h"
#include "http/metrics.h"

#include <stdint.h>

struct model;
struct repository;
struct http_request;
struct http_server;

typedef void http_step(struct http_request *request);

/* One protocol. Registered in the server's wiring table; see docs/howto/add-a-front-end.md. */
struct http_front_end {
    const char *name;   /* in logs and metrics */
    const char *prefix; /* "/rest": takes "/rest" and all below "/rest/"; "/" takes what nobody else does */
    bool open;          /* answers without looking at credentials (health, metrics) */
    /* Called once, when head and principal are known; the body has not been read. It answers, asks for
     * the body (http_receive), or waits (http_commit, http_work). */
    http_step *begin;
};

/* X(NAME, word): which requests get a line in the log. */
#define ACCESS_LOGS(X)                                                                             \
    X(OFF, "off")                                                                                  \
    X(ERRORS, "errors") /* status 500 and above, refused credentials (401), cut connections */     \
    X(WRITES, "writes") /* these, and whatever may change something */                             \
    X(ALL, "all")

enum access_log {
#define X(name, word) ACCESS_LOG_##name,
    ACCESS_LOGS(X)
#undef X
};
bool access_log_from_word(struct text word, enum access_log *ret_access_log);

struct http_options {
    struct text address; /* "127.0.0.1:8080", "[::1]:8080", ":8080"; port 0 takes a free one */
    unsigned threads;
    unsigned workers;
    unsigned queue;                 /* jobs that may wait for a worker; beyond: 503 */
    size_t connection_memory_bytes; /* head and read buffer of one connection */
    size_t head_bytes;              /* longest request head */
    uint64_t body_bytes;            /* longest body; 0: no limit */
    size_t request_memory_bytes;    /* arena of one request */
    unsigned connections;
    unsigned idle_timeout_s; /* 0: none */
    const char *tls_certificate_file, *tls_key_file; /* PEM; NULL or "": plain HTTP */
    struct text base_url; /* what clients see before the prefix, "https://example.org"; "" from Host */
    enum access_log access_log;
    const struct http_front_end *const *front_ends; /* NULL-terminated, static */
    struct model *model;
    struct repository *repository; /* for front ends that know items; opaque here */
    void *context; /* for the front ends of the server itself */
};

/* INVALID: address; IO: cannot listen; NOT_FOUND, INVALID: certificate or key. */
enum error_code http_server_start(const struct http_options *options, struct http_server **ret_server,
                                  struct error *error) AV_MUST_USE;
void http_server_stop(struct http_server *server); /* NULL is fine */
uint16_t http_server_port(const struct http_server *server);
/* "http://127.0.0.1:8080", as bound. Lives as long as the server. */
const char *http_server_url(const struct http_server *server);
struct http_metrics *http_server_metrics(struct http_server *server);
unsigned http_server_connections(const struct http_server *server);

#endif
