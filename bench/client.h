/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load generator over HTTP/1.1: N keep-alive connections in one thread, closed loop (each sends its next request when the last
 * was answered). Independent of the server's code.
 *
 * Life: fill struct load - load_run() - look at the samples - load_release().
 * An operation is one row, in the order in which they end. A connection that breaks counts as an error (status 0) and is opened
 * again. Threads: one.
 */
#ifndef ARCHIVOLT_BENCH_CLIENT_H
#define ARCHIVOLT_BENCH_CLIENT_H

#include "base/buffer.h"

struct sample {
    uint64_t intended_ns;      /* when it could have begun: in closed loop, when its worker was free. Since the run began, as are: */
    uint64_t start_ns, end_ns; /* first byte sent, last received */
    uint64_t items;            /* stored when it started */
    uint64_t size;             /* of the body: stored or received */
    unsigned in_flight;        /* at its start, itself among them */
    unsigned worker;           /* number of the connection */
    unsigned status;           /* of HTTP; 0: no whole answer, or a body that is not the one stored */
};

struct load;
/* Appends the whole request number `number` (head and body) to `out`. */
typedef void load_request(const struct load *load, uint64_t number, struct buffer *out);
/*
 * Looks at a piece of the body of a 2xx answer, and once more at its end with `data` NULL, when `offset` is the length of the whole.
 * False: not what was stored.
 */
typedef bool load_check(const struct load *load, uint64_t number, uint64_t offset, const char *data, size_t length);

struct load {
    const char *host, *port;
    unsigned in_flight;
    uint64_t count; /* requests in all */
    uint64_t items; /* stored before */
    uint64_t size;  /* bytes that a request stores; 0 when it stores none */
    load_request *request;
    load_check *check; /* NULL: bodies are thrown away unseen */
    void *context;
    /* results */
    struct sample *samples;
    uint64_t done, errors; /* errors: not 2xx, broken, or wrong */
    uint64_t wrong;        /* 2xx, but the body is not the one stored */
    uint64_t body_bytes;   /* received */
    uint64_t elapsed_ns;
};

enum error_code load_run(struct load *load, struct error *error) AV_MUST_USE;
void load_release(struct load *load);

#endif
