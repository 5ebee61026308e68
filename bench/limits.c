/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine's own limits, measured in the same run as a server: raw sequential write, sha512 of one core, one file a deposit
 * written safely (temporary, fsync, rename, folder fsync), one writer that appends and syncs (what a group commit could do at most), and an HTTP server that throws bodies away.
 */
#include "limits.h"

#include "body.h"
#include "statistics.h"

#include "base/ensure.h"
#include "format/digest.h"
#include "io/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRITE_BYTES (1u << 20)

static double
seconds_since(uint64_t began_ns)
{
    return (double)(clock_monotonic_ns() - began_ns) / 1e9;
}

enum error_code
limit_sequential_write(const char *folder, uint64_t bytes, double *ret_bytes_per_second, struct error *error)
{
    char path[4096];
    char *block = malloc(WRITE_BYTES);
    ensure(block != NULL);
    body_fill(0, 0, 0, block, WRITE_BYTES);
    snprintf(path, sizeof path, "%s/limit-write", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    enum error_code code = fd < 0 ? error_set_errno(error, errno, "cannot make %s", path) : ERROR_NONE;
    uint64_t began_ns = clock_monotonic_ns();
    for (uint64_t done = 0; code == ERROR_NONE && done < bytes; done += WRITE_BYTES)
        if (write(fd, block, WRITE_BYTES) != (ssize_t)WRITE_BYTES)
            code = error_set_errno(error, errno, "cannot write %s", path);
    if (code == ERROR_NONE && fdatasync(fd) != 0)
        code = error_set_errno(error, errno, "cannot sync %s", path);
    *ret_bytes_per_second = (double)bytes / seconds_since(began_ns);
    if (fd >= 0)
        close(fd);
    unlink(path);
    free(block);
    return code;
}

double
limit_sha512(void)
{
    static char block[16384];
    unsigned char digest[DIGEST_SIZE_MAX];
    struct digest_stream stream = {0};
    uint64_t began_ns = clock_monotonic_ns(), done = 0;
    digest_stream_init(&stream, DIGEST_SHA512);
    do {
        for (int i = 0; i < 64; i++)
            digest_stream_update(&stream, block, sizeof block);
        done += 64 * sizeof block;
    } while (seconds_since(began_ns) < 1);
    digest_stream_finish(&stream, digest);
    digest_stream_release(&stream);
    return (double)done / seconds_since(began_ns);
}

/* ---- one file a deposit ---------------------------------------------------------------------------------- */

struct file_writer {
    const char *folder;
    unsigned number;
    uint64_t count, size;
    bool failed;
};

static bool
deposit_file(const struct file_writer *w, int folder, const char *block, uint64_t number)
{
    char temporary[128], name[128];
    snprintf(temporary, sizeof temporary, "tmp-%u", w->number);
    snprintf(name, sizeof name, "f-%u-%llu", w->number, (unsigned long long)number);
    int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = fd >= 0 && write(fd, block, w->size) == (ssize_t)w->size && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return good && renameat(folder, temporary, folder, name) == 0 && fsync(folder) == 0;
}

static void *
write_files(void *context)
{
    struct file_writer *w = context;
    char path[4096];
    char *block = malloc(w->size);
    ensure(block != NULL);
    snprintf(path, sizeof path, "%s/files-%u", w->folder, w->number);
    w->failed = mkdir(path, 0777) != 0 && errno != EEXIST;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (uint64_t i = 0; i < w->count && !w->failed; i++) {
        body_fill(w->number, i, 0, block, w->size);
        w->failed = !deposit_file(w, folder, block, i);
    }
    if (folder >= 0)
        close(folder);
    free(block);
    return NULL;
}

enum error_code
limit_safe_files(const char *folder, unsigned threads, uint64_t count, uint64_t size, double *ret_per_second,
                 struct error *error)
{
    pthread_t ids[64];
    struct file_writer writers[64];
    bool failed = false;
    ensure(threads <= 64);
    uint64_t began_ns = clock_monotonic_ns();
    for (unsigned i = 0; i < threads; i++) {
        writers[i] = (struct file_writer){folder, i, count / threads, size, false};
        ensure(pthread_create(&ids[i], NULL, write_files, &writers[i]) == 0);
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        failed |= writers[i].failed;
    }
    *ret_per_second = (double)(count / threads * threads) / seconds_since(began_ns);
    return failed ? error_set(error, ERROR_IO, "files cannot be written in %s", folder) : ERROR_NONE;
}

/* ---- one writer that appends and syncs ------------------------------------------------------------------- */

enum { APPENDS_MAXIMUM = 1 << 20 };

/* Appends and syncs until the time is over; how long each took, ascending, and how many there were. */
static enum error_code
append_until(int fd, const struct buffer *block, uint64_t end_ns, uint64_t *took_ns, uint64_t *ret_count, struct error *error)
{
    uint64_t count = 0;
    for (uint64_t now_ns = clock_monotonic_ns(); count == 0 || (now_ns < end_ns && count < APPENDS_MAXIMUM); count++) {
        if (write(fd, block->data, block->length) != (ssize_t)block->length || fdatasync(fd) != 0)
            return error_set_errno(error, errno, "cannot append and sync");
        uint64_t then_ns = now_ns;
        now_ns = clock_monotonic_ns();
        took_ns[count] = now_ns - then_ns;
    }
    statistics_sort(took_ns, count);
    *ret_count = count;
    return ERROR_NONE;
}

enum error_code
limit_appends(const char *folder, unsigned batch, uint64_t size, unsigned for_ms, struct appends *ret, struct error *error)
{
    char path[4096];
    struct buffer block = {0};
    uint64_t *took_ns = calloc(APPENDS_MAXIMUM, sizeof *took_ns), count = 0;
    ensure(took_ns != NULL);
    body_append(0, batch, batch * size, &block);
    ensure(block.status == ERROR_NONE);
    snprintf(path, sizeof path, "%s/limit-append", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    enum error_code code = fd < 0 ? error_set_errno(error, errno, "cannot make %s", path) : ERROR_NONE;
    uint64_t began_ns = clock_monotonic_ns();
    if (code == ERROR_NONE)
        code = append_until(fd, &block, began_ns + (uint64_t)for_ms * 1000000, took_ns, &count, error);
    double seconds = seconds_since(began_ns);
    if (code == ERROR_NONE)
        *ret = (struct appends){count * batch, (double)(count * batch) / seconds, statistics_quantile(took_ns, count, 5000)};
    if (fd >= 0)
        close(fd);
    unlink(path);
    buffer_release(&block);
    free(took_ns);
    return code;
}

/* ---- an HTTP server that throws bodies away --------------------------------------------------------------- */

static enum MHD_Result
discard(void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
        const char *data, size_t *size, void **state)
{
    static int seen;
    if (*state == NULL) {
        *state = &seen;
        return MHD_YES;
    }
    if (*size > 0) {
        *size = 0;
        return MHD_YES;
    }
    return MHD_queue_response(connection, 201, context);
}

enum error_code
discard_start(unsigned threads, struct discard *ret, struct error *error)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO, 0, NULL, NULL, discard, response,
                         MHD_OPTION_THREAD_POOL_SIZE, threads, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)65536,
                         MHD_OPTION_CONNECTION_LIMIT, 1000u, MHD_OPTION_END);
    if (daemon == NULL)
        return error_set(error, ERROR_IO, "the discarding server does not start");
    snprintf(ret->port, sizeof ret->port, "%u", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    ret->daemon = daemon;
    ret->response = response;
    return ERROR_NONE;
}

void
discard_stop(struct discard *server)
{
    MHD_stop_daemon(server->daemon);
    MHD_destroy_response(server->response);
}
