/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock of a data folder: flock(2) on the file `lock`, which the kernel gives up with the last
 * descriptor. The file is never removed (a second process could then lock a file without a name);
 * it is emptied when the lock is given back. The text in it is for people and never decides.
 */
#include "io/data_lock.h"

#include "base/buffer.h"
#include "base/ensure.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

struct data_lock {
    int descriptor;
};

/* Up to `size` - 1 bytes, NUL-terminated, without the newline at the end; "" when unreadable. */
static void
read_short(int descriptor, char *text, size_t size)
{
    ssize_t got;
    do
        got = pread(descriptor, text, size - 1, 0);
    while (got < 0 && errno == EINTR);
    text[got > 0 ? got : 0] = '\0';
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '\n')
        text[length - 1] = '\0';
}

static void
read_boot_id(char *text, size_t size)
{
    int descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    text[0] = '\0';
    if (descriptor < 0)
        return;
    read_short(descriptor, text, size);
    close(descriptor);
}

static enum error_code
write_holder(int descriptor, const char *folder, struct error *error)
{
    char host[256] = "", boot_id[64], line[400];
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    read_boot_id(boot_id, sizeof boot_id);
    int length = snprintf(line, sizeof line, "process %ld on host %s, boot id %s\n", (long)getpid(),
                          host, boot_id);
    ensure(length > 0 && (size_t)length < sizeof line);
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, line, (size_t)length, 0) != length)
        return error_set_errno(error, errno, "cannot write %s/lock", folder);
    return ERROR_NONE;
}

static enum error_code
refuse_as_busy(int descriptor, const char *folder, struct error *error)
{
    char holder[400];
    read_short(descriptor, holder, sizeof holder);
    return error_set(error, ERROR_BUSY, "the data folder %s is in use by %s", folder,
                     holder[0] != '\0' ? holder : "a process that has not told its name yet");
}

static enum error_code
take_open(int descriptor, const char *folder, struct error *error)
{
    int result;
    do
        result = flock(descriptor, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    if (result == 0)
        return write_holder(descriptor, folder, error);
    if (errno == EWOULDBLOCK)
        return refuse_as_busy(descriptor, folder, error);
    return error_set_errno(error, errno, "cannot lock %s/lock", folder);
}

enum error_code
data_lock_take(const char *folder, struct data_lock **ret_lock, struct error *error)
{
    struct buffer path = {0};
    buffer_printf(&path, "%s/lock", folder);
    int descriptor;
    do
        descriptor = open(buffer_string(&path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    while (descriptor < 0 && errno == EINTR);
    int open_errno = errno;
    buffer_release(&path);
    if (descriptor < 0)
        return error_set_errno(error, open_errno, "cannot open %s/lock", folder);
    enum error_code code = take_open(descriptor, folder, error);
    if (code != ERROR_NONE) {
        close(descriptor);
        return code;
    }
    struct data_lock *lock = calloc(1, sizeof *lock);
    ensure(lock != NULL);
    lock->descriptor = descriptor;
    *ret_lock = lock;
    return ERROR_NONE;
}

void
data_lock_free(struct data_lock *lock)
{
    if (lock == NULL)
        return;
    if (ftruncate(lock->descriptor, 0) != 0) {
        /* the text stays; nobody decides by it */
    }
    close(lock->descriptor);
    free(lock);
}
