/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of the load generator is told as: one JSON object on standard output, and a file of its rows. Threads: one. */
#ifndef ARCHIVOLT_BENCH_REPORT_H
#define ARCHIVOLT_BENCH_REPORT_H

#include "client.h"

/* The rate of each tenth of the operations, and its ratio to the first, are there from 10 operations on. */
void report_print(const char *what, const struct load *load);
/* CSV, one row an operation, in the order of struct sample. */
enum error_code report_log(const char *path, const struct load *load, struct error *error) AV_MUST_USE;

#endif
