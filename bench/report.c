/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of a run: see report.h. */
#include "report.h"

#include "base/ensure.h"
#include "statistics.h"

enum { TENTHS = 10 };

static void
print_quantiles(const struct load *load)
{
    static const struct {
        const char *name;
        double part;
    } quantiles[] = {{"p50_ms", 0.5}, {"p95_ms", 0.95}, {"p99_ms", 0.99}, {"max_ms", 1}};
    uint64_t *durations = calloc(load->done + 1, sizeof *durations);
    ensure(durations != NULL);
    for (uint64_t i = 0; i < load->done; i++)
        durations[i] = load->samples[i].end_ns - load->samples[i].start_ns;
    statistics_sort(durations, load->done);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        printf(",\"%s\":%.3f", quantiles[i].name, (double)statistics_quantile(durations, load->done, quantiles[i].part) / 1e6);
    free(durations);
}

/* Operations stand in the order in which they ended. */
static void
print_tenths(const struct load *load)
{
    double rates[TENTHS];
    uint64_t *ends = calloc(load->done + 1, sizeof *ends);
    ensure(ends != NULL);
    for (uint64_t i = 0; i < load->done; i++)
        ends[i] = load->samples[i].end_ns;
    if (statistics_rates(ends, load->done, TENTHS, rates)) {
        for (int i = 0; i < TENTHS; i++)
            printf("%s%.1f", i == 0 ? ",\"rate_tenths\":[" : ",", rates[i]);
        for (int i = 0; i < TENTHS; i++)
            printf("%s%.2f", i == 0 ? "],\"ratio_tenths\":[" : ",", rates[0] > 0 ? rates[i] / rates[0] : 0);
        putchar(']');
    }
    free(ends);
}

void
report_print(const char *what, uint64_t size, const struct load *load)
{
    double seconds = (double)load->elapsed_ns / 1e9;
    printf("{\"what\":\"%s\",\"count\":%llu,\"errors\":%llu,\"in_flight\":%u,\"size\":%llu,\"seconds\":%.3f,\"rate\":%.1f", what,
           (unsigned long long)load->done, (unsigned long long)load->errors, load->in_flight, (unsigned long long)size, seconds,
           seconds > 0 ? (double)load->done / seconds : 0);
    print_quantiles(load);
    printf(",\"body_bytes\":%llu", (unsigned long long)load->body_bytes);
    print_tenths(load);
    puts("}");
}
