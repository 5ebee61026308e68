/* SPDX-License-Identifier: Apache-2.0 */
/* Figures from samples. Pure. */
#ifndef ARCHIVOLT_BENCH_STATISTICS_H
#define ARCHIVOLT_BENCH_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

void statistics_sort(uint64_t *values, uint64_t count);
/*
 * Of sorted values, by nearest rank: the smallest value that at least `per_10000` of 10,000 of them do not exceed. 0 of none.
 * In whole numbers, because 0.07 x 100 is more than 7 in binary fractions, which is the next rank.
 */
uint64_t statistics_quantile(const uint64_t *sorted, uint64_t count, unsigned per_10000);
/*
 * Rates a second of `parts` stretches of equal number, from the times (ns, ascending, the clock started at 0) at which operations
 * ended. False when there are fewer operations than parts. A stretch that took no time has rate 0.
 */
bool statistics_rates(const uint64_t *ends_ns, uint64_t count, unsigned parts, double *ret_rates);

#endif
