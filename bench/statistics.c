/* SPDX-License-Identifier: Apache-2.0 */
/* Figures from samples: see statistics.h. */
#include "statistics.h"

#include <stdlib.h>

static int
ascending(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

void
statistics_sort(uint64_t *values, uint64_t count)
{
    qsort(values, count, sizeof *values, ascending);
}

uint64_t
statistics_quantile(const uint64_t *sorted, uint64_t count, unsigned per_10000)
{
    uint64_t rank = (count * per_10000 + 9999) / 10000;
    if (count == 0)
        return 0;
    return sorted[rank == 0 ? 0 : rank - 1];
}

bool
statistics_rates(const uint64_t *ends_ns, uint64_t count, unsigned parts, double *ret_rates)
{
    if (count < parts)
        return false;
    for (unsigned i = 0; i < parts; i++) {
        uint64_t from = count * i / parts, to = count * (i + 1) / parts;
        uint64_t span_ns = ends_ns[to - 1] - (from == 0 ? 0 : ends_ns[from - 1]);
        ret_rates[i] = span_ns == 0 ? 0 : (double)(to - from) * 1e9 / (double)span_ns;
    }
    return true;
}
