/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of requests: see metrics.h. */
#include "http/metrics.h"

static const uint64_t bounds[HTTP_LATENCY_BUCKETS] = {
#define X(us) us,
    HTTP_LATENCY_BOUNDS(X)
#undef X
        UINT64_MAX};

uint64_t
http_latency_bound_us(size_t bucket)
{
    return bounds[bucket];
}

static void
add(_Atomic uint64_t *counter, uint64_t amount)
{
    atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

void
http_metrics_count(struct http_front_end_metrics *metrics, unsigned status, uint64_t duration_us,
                   uint64_t received_bytes, uint64_t sent_bytes)
{
    unsigned class = status / 100;
    add(&metrics->requests[class < HTTP_STATUS_CLASSES ? class : 0], 1);
    add(&metrics->received_bytes, received_bytes);
    add(&metrics->sent_bytes, sent_bytes);
    add(&metrics->latency_sum_us, duration_us);
    size_t bucket = 0;
    while (duration_us > bounds[bucket])
        bucket++;
    add(&metrics->latency[bucket], 1);
}
