/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of the load generator is told as: one JSON object on standard output. Threads: one. */
#ifndef ARCHIVOLT_BENCH_REPORT_H
#define ARCHIVOLT_BENCH_REPORT_H

#include "client.h"

/* `size`: bytes of a body. The rate of each tenth of the operations, and its ratio to the first, are there from 10 operations on. */
void report_print(const char *what, uint64_t size, const struct load *load);

#endif
