/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time and chance behind two small vtables, so that tests and simulations decide them.
 * Each has a real and a simulated implementation. Threads: the real ones, any; the simulated, one.
 */
#ifndef ARCHIVOLT_IO_CLOCK_H
#define ARCHIVOLT_IO_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct clock {
    int64_t (*now_us)(struct clock *clock); /* microseconds since 1970 UTC */
};

struct clock *clock_real(void); /* static; ARCHIVOLT_TEST_CLOCK_OFFSET_S shifts it (tests of embargoes) */
struct clock_simulated {
    struct clock clock;
    int64_t time_us;
    int64_t step_us; /* added at each look */
};
void clock_simulated_init(struct clock_simulated *clock, int64_t start_us, int64_t step_us);

/* Monotonic, for measuring only. */
uint64_t clock_monotonic_ns(void);

struct random_source {
    void (*fill)(struct random_source *source, void *data, size_t length);
};
struct random_source *random_real(void); /* getrandom; static; buffered per thread */
struct random_simulated {
    struct random_source source;
    uint64_t state;
};
void random_simulated_init(struct random_simulated *source, uint64_t seed);

#endif
