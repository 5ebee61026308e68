/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /metrics in the text format of Prometheus. Adding a metric of the model: one line in MODEL_METRICS.
 */
#include "format/json.h"
#include "http/request.h"
#include "io/clock.h"
#include "server/server_private.h"

#include <unistd.h>

#define NANOSECONDS 1e-9

/* X(name, type, expression over `h` and the scale, help) */
#define MODEL_METRICS(X)                                                                           \
    X(store_writable, gauge, h->writable ? 1 : 0, "1 while the store takes writes")                \
    X(store_free_bytes, gauge, (double)h->free_bytes, "free space where the volumes are")          \
    X(store_total_bytes, gauge, (double)h->total_bytes, "size of the file system there")           \
    X(store_sequence, counter, (double)h->sequence, "number of the last durable commit group")     \
    X(groups_total, counter, (double)h->groups, "commit groups since the start")                   \
    X(operations_total, counter, (double)h->operations, "operations committed since the start")    \
    X(commit_layout_seconds_total, counter, (double)h->layout_ns * NANOSECONDS, "time spent laying groups out")  \
    X(commit_bulk_sync_seconds_total, counter, (double)h->bulk_sync_ns * NANOSECONDS, "time spent syncing bulk volumes") \
    X(commit_write_seconds_total, counter, (double)h->write_ns * NANOSECONDS, "time spent writing groups")       \
    X(commit_sync_seconds_total, counter, (double)h->sync_ns * NANOSECONDS, "time spent in fdatasync of groups") \
    X(commit_catalog_seconds_total, counter, (double)h->catalog_ns * NANOSECONDS, "time spent applying groups to the catalog") \
    X(commit_waiting, gauge, (double)h->waiting, "transactions that wait for the committer")       \
    X(follower_lag, gauge, (double)(h->sequence - h->follower_sequence), "groups that followers have not seen yet") \
    X(follower_pending, gauge, (double)h->follower_pending, "operations on containers still being spread") \
    X(resources, gauge, (double)h->resources, "live resources")                                    \
    X(files, gauge, (double)h->files, "live files")                                                \
    X(content_bytes, gauge, (double)h->bytes, "bytes of the live files")

static void
append_metric(struct buffer *out, const char *name, const char *type, double value, const char *help)
{
    buffer_printf(out, "# HELP archivolt_%s %s\n# TYPE archivolt_%s %s\narchivolt_%s %.9g\n", name, help, name, type, name,
                  value);
}

static void
append_model(struct buffer *out, struct model *model)
{
    struct model_health health;
    const struct model_health *h = &health;
    model_health(model, &health);
#define X(name, type, value, help) append_metric(out, #name, #type, value, help);
    MODEL_METRICS(X)
#undef X
}

/* ---- HTTP ------------------------------------------------------------------------------------------- */

static uint64_t
load(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static const char *
front_end_name(size_t index)
{
    return index < HTTP_FRONT_ENDS_MAXIMUM ? server_front_ends[index]->name : "none";
}

/* The places of the array that are in use: those of the table, and the last. */
static size_t
next_front_end(size_t index)
{
    if (index + 1 < HTTP_FRONT_ENDS_MAXIMUM && server_front_ends[index + 1] != NULL)
        return index + 1;
    return index < HTTP_FRONT_ENDS_MAXIMUM ? HTTP_FRONT_ENDS_MAXIMUM : index + 1;
}
#define each_front_end(i) size_t i = 0; i <= HTTP_FRONT_ENDS_MAXIMUM; i = next_front_end(i)

static void
append_requests(struct buffer *out, const struct http_metrics *metrics)
{
    buffer_append_string(out, "# HELP archivolt_http_requests_total requests by front end and class of status\n"
                              "# TYPE archivolt_http_requests_total counter\n");
    for (each_front_end(i)) {
        for (unsigned class = 1; class < HTTP_STATUS_CLASSES; class++) {
            uint64_t count = load(&metrics->front_ends[i].requests[class]);
            if (count > 0 || class == 2)
                buffer_printf(out, "archivolt_http_requests_total{front_end=\"%s\",status=\"%uxx\"} %llu\n",
                              front_end_name(i), class, (unsigned long long)count);
        }
    }
}

static void
append_bytes(struct buffer *out, const struct http_metrics *metrics)
{
    buffer_append_string(out, "# HELP archivolt_http_received_bytes_total bytes of request bodies\n"
                              "# TYPE archivolt_http_received_bytes_total counter\n");
    for (each_front_end(i))
        buffer_printf(out, "archivolt_http_received_bytes_total{front_end=\"%s\"} %llu\n", front_end_name(i),
                      (unsigned long long)load(&metrics->front_ends[i].received_bytes));
    buffer_append_string(out, "# HELP archivolt_http_sent_bytes_total bytes of answers' bodies\n"
                              "# TYPE archivolt_http_sent_bytes_total counter\n");
    for (each_front_end(i))
        buffer_printf(out, "archivolt_http_sent_bytes_total{front_end=\"%s\"} %llu\n", front_end_name(i),
                      (unsigned long long)load(&metrics->front_ends[i].sent_bytes));
}

static void
append_latency(struct buffer *out, const struct http_metrics *metrics)
{
    static const char name[] = "archivolt_http_request_seconds";
    buffer_printf(out, "# HELP %s time from the head of a request to the end of its answer\n# TYPE %s histogram\n", name,
                  name);
    for (each_front_end(i)) {
        const struct http_front_end_metrics *one = &metrics->front_ends[i];
        uint64_t total = 0;
        for (size_t bucket = 0; bucket < HTTP_LATENCY_BUCKETS; bucket++) {
            total += load(&one->latency[bucket]);
            buffer_printf(out, "%s_bucket{front_end=\"%s\",le=\"", name, front_end_name(i));
            if (bucket + 1 < HTTP_LATENCY_BUCKETS)
                buffer_printf(out, "%g\"} %llu\n", (double)http_latency_bound_us(bucket) / 1e6, (unsigned long long)total);
            else
                buffer_printf(out, "+Inf\"} %llu\n", (unsigned long long)total);
        }
        buffer_printf(out, "%s_sum{front_end=\"%s\"} %.6f\n%s_count{front_end=\"%s\"} %llu\n", name, front_end_name(i),
                      (double)load(&one->latency_sum_us) / 1e6, name, front_end_name(i), (unsigned long long)total);
    }
}

/* ---- process and catalog ----------------------------------------------------------------------------- */

static double
resident_bytes(void)
{
    unsigned long long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    int found = fscanf(file, "%llu %llu", &total, &resident);
    fclose(file);
    return found == 2 ? (double)resident * (double)sysconf(_SC_PAGESIZE) : 0;
}

/* Numbers among the engine's properties, one label each. */
static void
append_catalog(struct buffer *out, struct http_request *request)
{
    struct buffer properties = {0};
    struct json *root;
    model_catalog_properties(request->model, &properties);
    if (json_parse(request->arena, buffer_text(&properties), &root, NULL) == ERROR_NONE) {
        buffer_append_string(out, "# HELP archivolt_catalog_property figures of the catalog's engine\n"
                                  "# TYPE archivolt_catalog_property gauge\n");
        json_each(property, root)
        {
            uint64_t number;
            if (json_u64(property, &number))
                buffer_printf(out, "archivolt_catalog_property{name=\"%.*s\"} %llu\n", TEXT_ARG(property->key),
                              (unsigned long long)number);
        }
    }
    buffer_release(&properties);
}

static void
metrics(struct http_request *request)
{
    struct server *server = request->context;
    struct buffer buffer = {0};
    if (!http_only_read(request))
        return;
    struct http_server *door = http_request_server(request); /* server->http is set a moment later */
    struct http_metrics *http = http_server_metrics(door);
    append_model(&buffer, request->model);
    append_requests(&buffer, http);
    append_bytes(&buffer, http);
    append_latency(&buffer, http);
    append_metric(&buffer, "http_cut_total", "counter", (double)load(&http->cut), "requests cut before their answer ended");
    append_metric(&buffer, "http_in_flight", "gauge", (double)load(&http->in_flight), "requests being answered");
    append_metric(&buffer, "http_connections", "gauge", http_server_connections(door), "open connections");
    append_metric(&buffer, "process_resident_bytes", "gauge", resident_bytes(), "memory of the process");
    append_metric(&buffer, "process_uptime_seconds", "counter",
                  (double)(clock_monotonic_ns() - server->start_ns) * NANOSECONDS, "time since the start");
    append_catalog(&buffer, request);
    size_t length = buffer.length;
    http_set_header_static(request, "Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    http_answer_owned(request, 200, &buffer.data, length);
}

const struct http_front_end metrics_front_end = {.name = "metrics", .prefix = "/metrics", .open = true, .begin = metrics};
