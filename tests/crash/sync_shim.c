/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to preload under a server: it delays, fails and records the syncs and writes of files
 * below one folder, so that tests see whether an answer waited for the disk.
 *
 *     ARCHIVOLT_SHIM_FOLDER    absolute path; calls on files elsewhere pass untouched
 *     ARCHIVOLT_SHIM_LOG       file to which each call that ended is appended, one line
 *     ARCHIVOLT_SHIM_CONTROL   file read anew at each call, so a test can change its mind; lines
 *         sync_delay_ms N      each sync sleeps so long before it is done
 *         sync_fail N | all    the N-th sync since the process began (from 1), or each, fails with EIO
 *         write_fail N | all   the same for writes
 *         write_errno N        what a write fails with (default ENOSPC)
 *
 * Lines of the log (times: CLOCK_MONOTONIC in ns; SIZE: that of the file when the call began, so all
 * bytes before it are on disk once the line is there):
 *
 *     sync START END DEVICE INODE SIZE PATH        a sync that succeeded
 *     sync_failed START END DEVICE INODE SIZE PATH
 *     write_failed START END DEVICE INODE SIZE PATH
 *
 * Syncs are fsync and fdatasync; sync_file_range promises nothing and passes untouched.
 * Threads: any; counters are atomic, a log line is one write.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct control {
    long sync_delay_ms;
    long sync_fail; /* 0 none, -1 all */
    long write_fail;
    long write_errno;
};

struct call {
    int64_t start_ns;
    struct stat file;
    char path[PATH_MAX];
};

static atomic_long sync_count;
static atomic_long write_count;

/* The function of the C library that ours stands before. */
#define REAL(type, name) ((type)dlsym(RTLD_NEXT, name))

static int64_t
now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* True if the file is below the folder; fills the call. */
static bool
watched(int fd, struct call *call)
{
    const char *folder = getenv("ARCHIVOLT_SHIM_FOLDER");
    char link[64];
    int saved = errno;

    if (folder == NULL)
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, call->path, sizeof call->path - 1);
    if (length >= 0)
        call->path[length] = '\0';
    size_t prefix = strlen(folder);
    bool below = length >= 0 && strncmp(call->path, folder, prefix) == 0 &&
                 call->path[prefix] == '/' && fstat(fd, &call->file) == 0;
    errno = saved;
    call->start_ns = now_ns();
    return below;
}

static long
control_number(const char *text, const char *key, long otherwise)
{
    const char *line = strstr(text, key);

    if (line == NULL)
        return otherwise;
    line += strlen(key);
    return strncmp(line, " all", 4) == 0 ? -1 : strtol(line, NULL, 10);
}

static struct control
read_control(void)
{
    const char *name = getenv("ARCHIVOLT_SHIM_CONTROL");
    char text[512] = "";
    int saved = errno;
    int fd = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        ssize_t length = read(fd, text, sizeof text - 1);
        text[length > 0 ? length : 0] = '\0';
        close(fd);
    }
    errno = saved;
    return (struct control){
        .sync_delay_ms = control_number(text, "sync_delay_ms", 0),
        .sync_fail = control_number(text, "sync_fail", 0),
        .write_fail = control_number(text, "write_fail", 0),
        .write_errno = control_number(text, "write_errno", ENOSPC),
    };
}

static void
record(const char *word, const struct call *call)
{
    const char *name = getenv("ARCHIVOLT_SHIM_LOG");
    char line[PATH_MAX + 200];
    int saved = errno;
    int fd = name == NULL ? -1 : open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

    if (fd >= 0) {
        int length = snprintf(line, sizeof line, "%s %lld %lld %llu %llu %lld %s\n", word,
                              (long long)call->start_ns, (long long)now_ns(),
                              (unsigned long long)call->file.st_dev,
                              (unsigned long long)call->file.st_ino, (long long)call->file.st_size,
                              call->path);
        if (length > 0) {
            ssize_t (*real_write)(int, const void *, size_t) =
                REAL(ssize_t(*)(int, const void *, size_t), "write");
            (void)!real_write(fd, line, (size_t)length);
        }
        close(fd);
    }
    errno = saved;
}

static bool
due(long wanted, atomic_long *count)
{
    long number = atomic_fetch_add(count, 1) + 1;

    return wanted == -1 || wanted == number;
}

static void
sleep_ms(long milliseconds)
{
    struct timespec rest = {milliseconds / 1000, milliseconds % 1000 * 1000000};

    while (milliseconds > 0 && nanosleep(&rest, &rest) != 0 && errno == EINTR)
        continue;
}

static int
sync_file(int fd, const char *name)
{
    struct call call;
    int (*real)(int) = REAL(int (*)(int), name);

    if (!watched(fd, &call))
        return real(fd);
    struct control control = read_control();
    sleep_ms(control.sync_delay_ms);
    if (due(control.sync_fail, &sync_count)) {
        record("sync_failed", &call);
        errno = EIO;
        return -1;
    }
    int result = real(fd);
    record(result == 0 ? "sync" : "sync_failed", &call);
    return result;
}

int
fsync(int fd)
{
    return sync_file(fd, "fsync");
}

int
fdatasync(int fd)
{
    return sync_file(fd, "fdatasync");
}

/* True if this write has to fail; errno says how. */
static bool
write_fails(int fd)
{
    struct call call;

    if (!watched(fd, &call))
        return false;
    struct control control = read_control();
    if (!due(control.write_fail, &write_count))
        return false;
    record("write_failed", &call);
    errno = (int)control.write_errno;
    return true;
}

ssize_t
write(int fd, const void *data, size_t size)
{
    ssize_t (*real)(int, const void *, size_t) = REAL(ssize_t(*)(int, const void *, size_t), "write");
    return write_fails(fd) ? -1 : real(fd, data, size);
}

ssize_t
pwrite(int fd, const void *data, size_t size, off_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off_t) =
        REAL(ssize_t(*)(int, const void *, size_t, off_t), "pwrite");
    return write_fails(fd) ? -1 : real(fd, data, size, offset);
}

ssize_t
pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off64_t) =
        REAL(ssize_t(*)(int, const void *, size_t, off64_t), "pwrite64");
    return write_fails(fd) ? -1 : real(fd, data, size, offset);
}

ssize_t
writev(int fd, const struct iovec *parts, int count)
{
    ssize_t (*real)(int, const struct iovec *, int) =
        REAL(ssize_t(*)(int, const struct iovec *, int), "writev");
    return write_fails(fd) ? -1 : real(fd, parts, count);
}

ssize_t
pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    ssize_t (*real)(int, const struct iovec *, int, off_t) =
        REAL(ssize_t(*)(int, const struct iovec *, int, off_t), "pwritev");
    return write_fails(fd) ? -1 : real(fd, parts, count, offset);
}

ssize_t
pwritev64(int fd, const struct iovec *parts, int count, off64_t offset)
{
    ssize_t (*real)(int, const struct iovec *, int, off64_t) =
        REAL(ssize_t(*)(int, const struct iovec *, int, off64_t), "pwritev64");
    return write_fails(fd) ? -1 : real(fd, parts, count, offset);
}

ssize_t
pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    ssize_t (*real)(int, const struct iovec *, int, off_t, int) =
        REAL(ssize_t(*)(int, const struct iovec *, int, off_t, int), "pwritev2");
    return write_fails(fd) ? -1 : real(fd, parts, count, offset, flags);
}

ssize_t
pwritev64v2(int fd, const struct iovec *parts, int count, off64_t offset, int flags)
{
    ssize_t (*real)(int, const struct iovec *, int, off64_t, int) =
        REAL(ssize_t(*)(int, const struct iovec *, int, off64_t, int), "pwritev64v2");
    return write_fails(fd) ? -1 : real(fd, parts, count, offset, flags);
}
