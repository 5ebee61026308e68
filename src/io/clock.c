/* SPDX-License-Identifier: Apache-2.0 */
/* Time and chance, real and simulated: see clock.h. */
#include "io/clock.h"

#include "base/ensure.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/random.h>

static int64_t test_offset_us;
static pthread_once_t test_offset_once = PTHREAD_ONCE_INIT;

static void
read_test_offset(void)
{
    const char *text = getenv("ARCHIVOLT_TEST_CLOCK_OFFSET_S");
    char *end = NULL;
    if (text == NULL || text[0] == '\0')
        return;
    errno = 0;
    long long seconds = strtoll(text, &end, 10);
    if (errno == 0 && *end == '\0' && seconds > -10000000000LL && seconds < 10000000000LL)
        test_offset_us = seconds * 1000000;
}

static int64_t
real_now_us(struct clock *clock)
{
    struct timespec now;
    (void)clock;
    pthread_once(&test_offset_once, read_test_offset);
    ensure(clock_gettime(CLOCK_REALTIME, &now) == 0);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000 + test_offset_us;
}

struct clock *
clock_real(void)
{
    static struct clock real = {real_now_us};
    return &real;
}

static int64_t
simulated_now_us(struct clock *clock)
{
    struct clock_simulated *self = (struct clock_simulated *)clock;
    int64_t now = self->time_us;
    self->time_us += self->step_us;
    return now;
}

void
clock_simulated_init(struct clock_simulated *clock, int64_t start_us, int64_t step_us)
{
    *clock = (struct clock_simulated){{simulated_now_us}, start_us, step_us};
}

uint64_t
clock_monotonic_ns(void)
{
    struct timespec now;
    ensure(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Random bytes are fetched for each thread a pool at a time, and wiped as they are given out. A
 * forked child must not give out what its parent will: the generation tells that a pool is from
 * before the fork.
 */
enum { POOL_BYTES = 2048 };
static _Thread_local struct {
    unsigned char bytes[POOL_BYTES];
    size_t left; /* the last `left` bytes are unused */
    unsigned generation;
} pool;
static atomic_uint generation = 1;
static pthread_once_t generation_once = PTHREAD_ONCE_INIT;

static void
new_generation(void)
{
    atomic_fetch_add(&generation, 1);
}

static void
watch_forks(void)
{
    ensure(pthread_atfork(NULL, NULL, new_generation) == 0);
}

static void
kernel_random(void *data, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = getrandom((char *)data + done, length - done, 0);
        ensure(got > 0 || errno == EINTR);
        if (got > 0)
            done += (size_t)got;
    }
}

static void
real_fill(struct random_source *source, void *data, size_t length)
{
    (void)source;
    if (length > POOL_BYTES / 4) {
        kernel_random(data, length);
        return;
    }
    pthread_once(&generation_once, watch_forks);
    unsigned now = atomic_load(&generation);
    if (pool.left < length || pool.generation != now) {
        kernel_random(pool.bytes, sizeof pool.bytes);
        pool.left = sizeof pool.bytes;
        pool.generation = now;
    }
    unsigned char *from = pool.bytes + sizeof pool.bytes - pool.left;
    memcpy(data, from, length);
    explicit_bzero(from, length);
    pool.left -= length;
}

struct random_source *
random_real(void)
{
    static struct random_source real = {real_fill};
    return &real;
}

/* splitmix64 (Steele, Lea, Flood 2014): every state is a good one. */
static uint64_t
next_simulated(struct random_simulated *self)
{
    uint64_t z = self->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void
simulated_fill(struct random_source *source, void *data, size_t length)
{
    struct random_simulated *self = (struct random_simulated *)source;
    unsigned char *to = data;
    while (length > 0) {
        uint64_t value = next_simulated(self);
        for (unsigned i = 0; i < 8 && length > 0; i++, length--)
            *to++ = (unsigned char)(value >> (8 * i));
    }
}

void
random_simulated_init(struct random_simulated *source, uint64_t seed)
{
    *source = (struct random_simulated){{simulated_fill}, seed};
}
