/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load generator over HTTP/1.1: N keep-alive connections in one thread, closed loop (each sends its next request when the last
 * was answered). Independent of the server's code.
 *
 * Life: fill struct load - load_run() - look at the samples - load_release().
 * An operation is one row: start and end (ns since the run began), status, bytes sent. A connection that breaks counts as
 * an error (status 0) and is opened again. Threads: one.
 */
#ifndef ARCHIVOLT_BENCH_CLIENT_H
#define ARCHIVOLT_BENCH_CLIENT_H

#include "base/buffer.h"

struct sample {
    uint64_t start_ns, end_ns;
    unsigned status, connection;
};

struct load;
/* Appends the whole request number `number` (head and body) to `out`. */
typedef void load_request(struct load *load, uint64_t number, struct buffer *out);

struct load {
    const char *host, *port;
    unsigned in_flight;
    uint64_t count;       /* requests in all */
    load_request *request;
    void *context;
    /* results */
    struct sample *samples;
    uint64_t done, errors;
    uint64_t body_bytes;  /* received */
    uint64_t elapsed_ns;
};

enum error_code load_run(struct load *load, struct error *error) AV_MUST_USE;
void load_release(struct load *load);

#endif
