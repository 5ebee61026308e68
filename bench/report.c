/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of a run: see report.h. */
#include "report.h"

#include "base/ensure.h"
#include "statistics.h"

#include <errno.h>

enum { TENTHS = 10 };

static void
print_quantiles(const struct load *load)
{
    static const struct {
        const char *name;
        unsigned per_10000;
    } quantiles[] = {{"p50_ms", 5000}, {"p95_ms", 9500}, {"p99_ms", 9900}, {"max_ms", 10000}};
    uint64_t *durations = calloc(load->done + 1, sizeof *durations);
    ensure(durations != NULL);
    for (uint64_t i = 0; i < load->done; i++)
        durations[i] = load->samples[i].end_ns - load->samples[i].start_ns;
    statistics_sort(durations, load->done);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        printf(",\"%s\":%.3f", quantiles[i].name,
               (double)statistics_quantile(durations, load->done, quantiles[i].per_10000) / 1e6);
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
report_print(const char *what, const struct load *load)
{
    double seconds = (double)load->elapsed_ns / 1e9;
    printf("{\"what\":\"%s\",\"count\":%llu,\"errors\":%llu,\"wrong\":%llu,\"in_flight\":%u,\"size\":%llu", what,
           (unsigned long long)load->done, (unsigned long long)load->errors, (unsigned long long)load->wrong, load->in_flight,
           (unsigned long long)load->size);
    printf(",\"seconds\":%.3f,\"rate\":%.1f", seconds, seconds > 0 ? (double)load->done / seconds : 0);
    print_quantiles(load);
    printf(",\"body_bytes\":%llu", (unsigned long long)load->body_bytes);
    print_tenths(load);
    puts("}");
}

enum error_code
report_log(const char *path, const struct load *load, struct error *error)
{
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return error_set_errno(error, errno, "cannot make %s", path);
    fputs("intended_start_ns,start_ns,end_ns,items_stored,in_flight,worker,size,status\n", file);
    for (uint64_t i = 0; i < load->done; i++) {
        const struct sample *s = &load->samples[i];
        fprintf(file, "%llu,%llu,%llu,%llu,%u,%u,%llu,%u\n", (unsigned long long)s->intended_ns, (unsigned long long)s->start_ns,
                (unsigned long long)s->end_ns, (unsigned long long)s->items, s->in_flight, s->worker, (unsigned long long)s->size,
                s->status);
    }
    bool failed = ferror(file) != 0;
    failed |= fclose(file) != 0;
    return failed ? error_set_errno(error, errno, "cannot write %s", path) : ERROR_NONE;
}
