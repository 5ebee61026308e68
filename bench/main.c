/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archivolt-bench: the load tester. So far: PUT, GET and listing over HTTP in closed loop, and the machine's own limits.
 * Prints one JSON object a measurement; tests/perf/ makes tables of them.
 */
#include "body.h"
#include "limits.h"
#include "package.h"
#include "report.h"

#include "format/base64.h"
#include "format/digest.h"

#include <errno.h>
#include <getopt.h>

struct options {
    const char *url, *user, *token, *prefix, *log, *folder;
    uint64_t size, count, in_flight, limit, made, seed;
    const char *after;
    bool any_bytes;
};

/* ---- requests ---------------------------------------------------------------------------------------------- */

struct work {
    const struct options *options;
    const char *authority, *base; /* of the URL */
};

/* Number n lies at PREFIX/x/y/n.bin, 1,000 files a folder; or flat under PREFIX with --flat (size of folder 0). */
static void
append_path(const struct work *work, uint64_t number, struct buffer *out)
{
    buffer_printf(out, "%s/%s/%llu/%llu/%llu.bin", work->base, work->options->prefix,
                  (unsigned long long)(number / 1000000), (unsigned long long)(number / 1000 % 1000),
                  (unsigned long long)number);
}

static void
append_head(const struct work *work, struct buffer *out)
{
    buffer_printf(out, " HTTP/1.1\r\nHost: %s\r\n", work->authority);
    if (work->options->token != NULL)
        buffer_printf(out, "Authorization: Bearer %s\r\n", work->options->token);
}

/* What ends the head of a PUT, and the body of the file with this number. */
static void
append_body(const struct work *work, uint64_t number, struct buffer *out)
{
    buffer_printf(out, "Content-Type: application/octet-stream\r\nContent-Length: %llu\r\n\r\n",
                  (unsigned long long)work->options->size);
    body_append(work->options->seed, number, work->options->size, out);
}

static void
request_put(const struct load *load, uint64_t number, struct buffer *out)
{
    const struct work *work = load->context;
    number += work->options->made;
    buffer_append_string(out, "PUT ");
    append_path(work, number, out);
    append_head(work, out);
    append_body(work, number, out);
}

/* The file that GET number `number` asks for. */
static uint64_t
drawn_file(const struct work *work, uint64_t number)
{
    return ((number * UINT64_C(6364136223846793005) + 1442695040888963407u) >> 33) % work->options->made;
}

static void
request_get(const struct load *load, uint64_t number, struct buffer *out)
{
    const struct work *work = load->context;
    buffer_append_string(out, "GET ");
    append_path(work, drawn_file(work, number), out);
    append_head(work, out);
    buffer_append_string(out, "\r\n");
}

/* The body as put made it; with --any-bytes any of that length. */
static bool
check_get(const struct load *load, uint64_t number, uint64_t offset, const char *data, size_t length)
{
    const struct work *work = load->context;
    char wanted[4096];
    if (data == NULL)
        return offset == work->options->size;
    while (length > 0 && !work->options->any_bytes) {
        size_t part = length < sizeof wanted ? length : sizeof wanted;
        body_fill(work->options->seed, drawn_file(work, number), offset, wanted, part);
        if (memcmp(data, wanted, part) != 0)
            return false;
        data += part;
        offset += part;
        length -= part;
    }
    return true;
}

static void
request_list(const struct load *load, uint64_t number, struct buffer *out)
{
    const struct work *work = load->context;
    buffer_printf(out, "GET %s/%s", work->base, work->options->prefix);
    if (work->options->limit > 0)
        buffer_printf(out, "?limit=%llu", (unsigned long long)work->options->limit);
    if (work->options->after != NULL)
        buffer_printf(out, "%cafter=%s", work->options->limit > 0 ? '&' : '?', work->options->after);
    append_head(work, out);
    buffer_append_string(out, "Accept: application/json\r\n\r\n");
}

static void
request_flat(const struct load *load, uint64_t number, struct buffer *out)
{
    const struct work *work = load->context;
    number += work->options->made;
    buffer_printf(out, "PUT %s/%s/%010llu", work->base, work->options->prefix, (unsigned long long)number);
    append_head(work, out);
    append_body(work, number, out);
}

/* SWORD 1.3 as the DSpace experiment spoke it: Basic and Content-MD5 each time. --prefix is the collection's handle. */
static void
request_sword(const struct load *load, uint64_t number, struct buffer *out)
{
    const struct work *work = load->context;
    const struct options *options = work->options;
    struct buffer package = {0}, login = {0};
    unsigned char md5[DIGEST_SIZE_MAX];
    package_append(options->seed, number + options->made, options->size, &package);
    digest_compute(DIGEST_MD5, package.data, package.length, md5);
    buffer_printf(&login, "%s:%s", options->user == NULL ? "admin" : options->user, options->token);
    buffer_printf(out, "POST %s/deposit/%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Basic ", work->base, options->prefix,
                  work->authority);
    base64_append(out, login.data, login.length);
    buffer_printf(out, "\r\nContent-Type: application/zip\r\nContent-Disposition: filename=package-%llu.zip\r\n"
                       "X-Packaging: http://purl.org/net/sword-types/METSDSpaceSIP\r\nContent-MD5: ",
                  (unsigned long long)number);
    buffer_append_hex(out, md5, digest_size(DIGEST_MD5));
    buffer_printf(out, "\r\nContent-Length: %zu\r\n\r\n", package.length);
    buffer_append_text(out, buffer_text(&package));
    buffer_release(&package);
    buffer_release(&login);
}

/* ---- running ----------------------------------------------------------------------------------------------- */

static int
fail(const struct error *error)
{
    fprintf(stderr, "archivolt-bench: %s\n", error->message);
    return 1;
}

/* A kind of operation. */
struct workload {
    const char *name;
    load_request *request;
    load_check *check;
    bool stores, reads; /* bodies of --size; reads files that were made before (--made) */
};

static const struct workload workloads[] = {
    {.name = "put", .request = request_put, .stores = true},
    {.name = "get", .request = request_get, .check = check_get, .reads = true},
    {.name = "list", .request = request_list},
    {.name = "flat", .request = request_flat, .stores = true},
    {.name = "sword", .request = request_sword, .stores = true},
};

static int
run_load(const char *what, const struct options *options, const struct workload *workload)
{
    struct work work = {.options = options};
    char host[256], port[8] = "80", authority[300];
    struct error error = {0};
    int used = 0;
    if (options->url == NULL || (sscanf(options->url, "http://%255[^:/]:%7[0-9]%n", host, port, &used) != 2 &&
                                 sscanf(options->url, "http://%255[^:/]%n", host, &used) != 1)) {
        fputs("archivolt-bench: an http:// URL is needed\n", stderr);
        return 2;
    }
    snprintf(authority, sizeof authority, "%s:%s", host, port);
    work.authority = authority;
    work.base = options->url + used;
    struct load load = {.host = host, .port = port, .in_flight = (unsigned)options->in_flight, .count = options->count,
                        .items = options->made, .size = workload->stores ? options->size : 0, .request = workload->request,
                        .check = workload->check, .context = &work};
    enum error_code code = load_run(&load, &error);
    if (code == ERROR_NONE)
        report_print(what, &load);
    if (code == ERROR_NONE && options->log != NULL)
        code = report_log(options->log, &load, &error);
    int status = code != ERROR_NONE ? fail(&error) : load.errors > 0;
    load_release(&load);
    return status;
}

/* ---- limits ------------------------------------------------------------------------------------------------ */

enum {
    APPEND_OVERHEAD_BYTES = 2048, /* heads and journal of a deposit: one of 10 KiB appends 12 KiB */
    APPEND_GROUP = 32,
    APPEND_MS = 3000,
};

static enum error_code
print_disk_limits(const struct options *options, struct error *error)
{
    double figure;
    enum error_code code = limit_sequential_write(options->folder, UINT64_C(1) << 30, &figure, error);
    if (code == ERROR_NONE)
        printf("{\"what\":\"raw sequential write\",\"bytes_per_second\":%.0f}\n", figure);
    for (unsigned batch = 1; code == ERROR_NONE && batch <= APPEND_GROUP; batch += APPEND_GROUP - 1) {
        struct appends found;
        code = limit_appends(options->folder, batch, options->size + APPEND_OVERHEAD_BYTES, APPEND_MS, &found, error);
        if (code == ERROR_NONE)
            printf("{\"what\":\"append and sync\",\"batch\":%u,\"size\":%llu,\"rate\":%.1f,\"p50_ms\":%.3f}\n", batch,
                   (unsigned long long)options->size + APPEND_OVERHEAD_BYTES, found.rate, (double)found.p50_ns / 1e6);
    }
    for (unsigned threads = 1; code == ERROR_NONE && threads <= 32; threads += 31) {
        code = limit_safe_files(options->folder, threads, threads == 1 ? 4000 : 16000, options->size, &figure, error);
        if (code == ERROR_NONE)
            printf("{\"what\":\"one file a deposit, synced\",\"in_flight\":%u,\"rate\":%.1f}\n", threads, figure);
    }
    return code;
}

static int
run_limits(struct options *options)
{
    struct error error = {0};
    if (options->folder == NULL) {
        fputs("archivolt-bench: limits needs --folder DIR\n", stderr);
        return 2;
    }
    if (print_disk_limits(options, &error) != ERROR_NONE)
        return fail(&error);
    printf("{\"what\":\"sha512 of one core\",\"bytes_per_second\":%.0f}\n", limit_sha512());
    for (unsigned in_flight = 1; in_flight <= 128; in_flight = in_flight == 1 ? 32 : in_flight * 4) {
        struct discard server;
        char url[64];
        if (discard_start(2, &server, &error) != ERROR_NONE)
            return fail(&error);
        snprintf(url, sizeof url, "http://127.0.0.1:%s/rest", server.port);
        options->url = url;
        options->in_flight = in_flight;
        options->count = in_flight == 1 ? 20000 : 60000;
        int status = run_load("HTTP discard", options, &workloads[0]);
        discard_stop(&server);
        if (status != 0)
            return status;
    }
    return 0;
}

/* ---- packages on disk -------------------------------------------------------------------------------------- */

static enum error_code
write_package(const struct options *options, uint64_t number, struct buffer *package, struct error *error)
{
    char path[4096];
    buffer_clear(package);
    package_append(options->seed, number + options->made, options->size, package);
    snprintf(path, sizeof path, "%s/package-%010llu.zip", options->folder, (unsigned long long)number);
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return error_set_errno(error, errno, "cannot make %s", path);
    bool failed = fwrite(package->data, 1, package->length, file) != package->length;
    failed |= fclose(file) != 0;
    return failed ? error_set_errno(error, errno, "cannot write %s", path) : buffer_status(package, error);
}

/* The packages that `sword` would deposit, as files. */
static int
run_packages(const struct options *options)
{
    struct error error = {0};
    struct buffer package = {0};
    enum error_code code = ERROR_NONE;
    if (options->folder == NULL) {
        fputs("archivolt-bench: packages needs --folder DIR\n", stderr);
        return 2;
    }
    for (uint64_t n = 0; n < options->count && code == ERROR_NONE; n++)
        code = write_package(options, n, &package, &error);
    buffer_release(&package);
    if (code != ERROR_NONE)
        return fail(&error);
    printf("{\"what\":\"packages\",\"count\":%llu}\n", (unsigned long long)options->count);
    return 0;
}

static int
usage(FILE *to, int status)
{
    fputs("usage: archivolt-bench put|get|list|flat|sword URL [options]\n"
          "       archivolt-bench limits --folder DIR [--size N]\n"
          "       archivolt-bench packages --folder DIR --count C [--made M] [--size BYTES]\n"
          "  --user U --token T --size BYTES (10KiB, 1MB) --in-flight N --count C --prefix P --made M --log FILE --limit N --after NAME --seed N --any-bytes\n"
          "  put: PREFIX/x/y/n.bin, 1,000 a folder, from number M on; get: at random among M; flat: all under PREFIX\n"
          "  sword: METS packages with one file of --size to URL/deposit/PREFIX (a collection's handle), Basic and Content-MD5\n"
          "  Bodies are made from the seed and their numbers: none compresses, no two of a run have one digest. get wants the bytes\n"
          "  that put sent (same seed and size); with --any-bytes the size alone.\n"
          "One JSON object a measurement. Exit status 1 when any answer was not 2xx or not what was stored.\n"
          "Example: archivolt-bench put http://127.0.0.1:8080/rest --token T --in-flight 32 --count 100000\n", to);
    return status;
}

static bool
read_options(int argc, char **argv, struct options *o)
{
    static const struct option longs[] = {{"token", 1, NULL, 't'}, {"user", 1, NULL, 'u'},  {"size", 1, NULL, 's'},   {"in-flight", 1, NULL, 'n'},
                                          {"count", 1, NULL, 'c'},  {"prefix", 1, NULL, 'p'}, {"made", 1, NULL, 'm'},
                                          {"log", 1, NULL, 'l'},    {"limit", 1, NULL, 'k'},  {"after", 1, NULL, 'a'},
                                          {"folder", 1, NULL, 'f'}, {"seed", 1, NULL, 'e'},   {"any-bytes", 0, NULL, 'y'},
                                          {NULL, 0, NULL, 0}};
    for (int letter; (letter = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        uint64_t number = 0;
        bool is_number = optarg != NULL && (letter == 's' ? text_to_bytes(text_from(optarg), &number)
                                                          : text_to_u64(text_from(optarg), &number));
        if (strchr("snckme", letter) != NULL && !is_number)
            return false;
        switch (letter) {
        case 't': o->token = optarg; break;
        case 'u': o->user = optarg; break;
        case 's': o->size = number; break;
        case 'n': o->in_flight = number; break;
        case 'c': o->count = number; break;
        case 'p': o->prefix = optarg; break;
        case 'm': o->made = number; break;
        case 'l': o->log = optarg; break;
        case 'k': o->limit = number; break;
        case 'y': o->any_bytes = true; break;
        case 'a': o->after = optarg; break;
        case 'e': o->seed = number; break;
        case 'f': o->folder = optarg; break;
        default: return false;
        }
    }
    return o->in_flight > 0 && o->in_flight <= 10000;
}

int
main(int argc, char **argv)
{
    struct options options = {.prefix = "bench", .size = 10240, .count = 10000, .in_flight = 1};
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        puts("archivolt-bench " ARCHIVOLT_VERSION);
        return 0;
    }
    if (argc < 2 || strcmp(argv[1], "--help") == 0)
        return usage(argc < 2 ? stderr : stdout, argc < 2 ? 2 : 0);
    if (!read_options(argc - 1, argv + 1, &options))
        return usage(stderr, 2);
    options.url = optind + 1 < argc ? argv[optind + 1] : NULL;
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        if (strcmp(argv[1], workloads[i].name) == 0 && (!workloads[i].reads || options.made > 0))
            return run_load(argv[1], &options, &workloads[i]);
    if (strcmp(argv[1], "packages") == 0)
        return run_packages(&options);
    if (strcmp(argv[1], "limits") == 0)
        return run_limits(&options);
    return usage(stderr, 2);
}
