/* SPDX-License-Identifier: Apache-2.0 */
/* What the HTTP side counts. Threads: any; each number is exact, a set of them is not one moment. */
#ifndef ARCHIVOLT_HTTP_METRICS_H
#define ARCHIVOLT_HTTP_METRICS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_FRONT_ENDS_MAXIMUM 16u
#define HTTP_STATUS_CLASSES 6u /* index: status / 100 */

/* Upper bounds of the latency histogram, microseconds; one more bucket takes the rest. */
#define HTTP_LATENCY_BOUNDS(X)                                                                     \
    X(100) X(250) X(500) X(1000) X(2500) X(5000) X(10000) X(25000) X(50000) X(100000) X(250000)    \
    X(500000) X(1000000) X(2500000) X(5000000) X(10000000)
#define X(us) +1
enum { HTTP_LATENCY_BUCKETS = 0 HTTP_LATENCY_BOUNDS(X) + 1 };
#undef X

struct http_front_end_metrics {
    _Atomic uint64_t requests[HTTP_STATUS_CLASSES];
    _Atomic uint64_t received_bytes, sent_bytes;
    _Atomic uint64_t latency[HTTP_LATENCY_BUCKETS];
    _Atomic uint64_t latency_sum_us;
};

struct http_metrics {
    struct http_front_end_metrics front_ends[HTTP_FRONT_ENDS_MAXIMUM + 1]; /* the last: no front end */
    _Atomic uint64_t cut; /* requests that ended before their answer did */
    _Atomic uint64_t in_flight;
};

uint64_t http_latency_bound_us(size_t bucket); /* UINT64_MAX for the last */
void http_metrics_count(struct http_front_end_metrics *metrics, unsigned status, uint64_t duration_us,
                        uint64_t received_bytes, uint64_t sent_bytes);

#endif
