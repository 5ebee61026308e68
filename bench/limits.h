/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's own limits: what a server's figures are held against. Each call measures once. Threads: one caller. */
#ifndef ARCHIVOLT_BENCH_LIMITS_H
#define ARCHIVOLT_BENCH_LIMITS_H

#include "base/error.h"

#include <stdint.h>

/* 1 MiB writes, one fdatasync at the end. */
enum error_code limit_sequential_write(const char *folder, uint64_t bytes, double *ret_bytes_per_second,
                                       struct error *error) AV_MUST_USE;
double limit_sha512(void); /* bytes a second of one core, 16 KiB blocks */
/* Temporary, fsync, rename, folder fsync; files stay in `folder`. */
enum error_code limit_safe_files(const char *folder, unsigned threads, uint64_t count, uint64_t size,
                                 double *ret_per_second, struct error *error) AV_MUST_USE;

struct appends { /* what one writer does that appends and syncs, nothing else */
    uint64_t deposits;
    double rate;     /* of them, a second */
    uint64_t p50_ns; /* of one write and its sync */
};
/* `batch` deposits of `size` bytes in one write, then fdatasync; again and again, for `for_ms`. */
enum error_code limit_appends(const char *folder, unsigned batch, uint64_t size, unsigned for_ms, struct appends *ret,
                              struct error *error) AV_MUST_USE;

struct discard { /* an HTTP server in this process that throws bodies away */
    char port[8];
    void *daemon, *response;
};
enum error_code discard_start(unsigned threads, struct discard *ret, struct error *error) AV_MUST_USE;
void discard_stop(struct discard *server);

#endif
