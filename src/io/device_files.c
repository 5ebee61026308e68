/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device of a directory: each volume is a file in it. Every call is one system call or a loop
 * of one; nothing is cached. A failed sync is reported once and never tried again: the kernel has
 * dropped the pages by then and a second call would lie.
 *
 * Built with ARCHIVOLT_OMIT_SYNC, sync and sync_names do nothing: the crash tests must notice.
 */
#include "base/ensure.h"
#include "io/device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct files_device {
    struct device device;
    int folder; /* descriptor of the directory */
    char *path;
};

struct files_file {
    struct device_file file;
    int descriptor;
    char *name;
    uint64_t unsent_from; /* bytes of a long upload from here on have not been sent to the disk */
};

/* Parts handed to one pwritev; IOV_MAX is 1,024. */
enum { PARTS_AT_ONCE = 256 };
/* No system call moves more than this; Linux stops a little under 2 GiB. */
static const size_t bytes_at_once = (size_t)1 << 30;
/* A long upload is sent to the disk in pieces of this, so that its sync at the end is short. */
static const uint64_t bytes_unsent = (uint64_t)8 << 20;

static struct files_device *
files_device(struct device *device)
{
    return (struct files_device *)device;
}

static struct files_file *
files_file(struct device_file *file)
{
    return (struct files_file *)file;
}

static bool
name_is_flat(const char *name)
{
    return name[0] != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

static enum error_code
offset_of(const struct files_file *file, uint64_t offset, off_t *ret_offset, struct error *error)
{
    if (offset > INT64_MAX)
        return error_set(error, ERROR_INVALID, "%s: offset %llu is beyond any file", file->name,
                         (unsigned long long)offset);
    *ret_offset = (off_t)offset;
    return ERROR_NONE;
}

static enum error_code
files_list(struct device *device, device_list_function *each, void *context, struct error *error)
{
    struct files_device *self = files_device(device);
    int descriptor = openat(self->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (folder == NULL) {
        enum error_code failed = error_set_errno(error, errno, "cannot list %s", self->path);
        if (descriptor >= 0)
            close(descriptor);
        return failed;
    }
    enum error_code code = ERROR_NONE;
    struct dirent *entry;
    while ((void)(errno = 0), (entry = readdir(folder)) != NULL) {
        struct stat stat;
        if (fstatat(self->folder, entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno == ENOENT)
                continue; /* removed meanwhile */
            code = error_set_errno(error, errno, "cannot look at %s/%s", self->path, entry->d_name);
            break;
        }
        if (S_ISREG(stat.st_mode) && !each(context, entry->d_name, (uint64_t)stat.st_size))
            break;
    }
    if (code == ERROR_NONE && entry == NULL && errno != 0)
        code = error_set_errno(error, errno, "cannot list %s", self->path);
    closedir(folder);
    return code;
}

static enum error_code
files_open(struct device *device, const char *name, enum device_open_mode mode,
           struct device_file **ret_file, struct error *error)
{
    static const int flags[] = {[DEVICE_READ] = O_RDONLY,
                                [DEVICE_READ_WRITE] = O_RDWR,
                                [DEVICE_CREATE] = O_RDWR | O_CREAT | O_EXCL};
    struct files_device *self = files_device(device);
    int descriptor;
    ensure(name_is_flat(name));
    do
        descriptor = openat(self->folder, name, flags[mode] | O_CLOEXEC | O_NOFOLLOW, 0644);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0)
        return error_set_errno(error, errno, "cannot open %s/%s", self->path, name);
    struct files_file *file = calloc(1, sizeof *file);
    ensure(file != NULL);
    file->file.device = device;
    file->descriptor = descriptor;
    file->name = text_copy(text_from(name));
    *ret_file = &file->file;
    return ERROR_NONE;
}

static void
files_close(struct device_file *file)
{
    struct files_file *self = files_file(file);
    close(self->descriptor);
    free(self->name);
    free(self);
}

static enum error_code
files_size(struct device_file *file, uint64_t *ret_bytes, struct error *error)
{
    struct files_file *self = files_file(file);
    struct stat stat;
    if (fstat(self->descriptor, &stat) != 0)
        return error_set_errno(error, errno, "cannot look at %s", self->name);
    *ret_bytes = (uint64_t)stat.st_size;
    return ERROR_NONE;
}

static enum error_code
files_read(struct device_file *file, uint64_t offset, void *data, size_t length, size_t *ret_read,
           struct error *error)
{
    struct files_file *self = files_file(file);
    size_t done = 0;
    off_t at;
    enum error_code code = offset_of(self, offset, &at, error);
    if (code != ERROR_NONE)
        return code;
    while (done < length) {
        size_t wanted = length - done < bytes_at_once ? length - done : bytes_at_once;
        ssize_t got = pread(self->descriptor, (char *)data + done, wanted, at + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(error, errno, "cannot read %s", self->name);
        if (got == 0)
            break;
        done += (size_t)got;
    }
    *ret_read = done;
    return ERROR_NONE;
}

/* Steps over `written` bytes of the parts: `*first` moves on, the part it ends in is shortened. */
static void
parts_advance(struct iovec *parts, size_t count, size_t *first, size_t written)
{
    while (*first < count && written >= parts[*first].iov_len) {
        written -= parts[*first].iov_len;
        (*first)++;
    }
    if (written > 0) {
        ensure(*first < count);
        parts[*first].iov_base = (char *)parts[*first].iov_base + written;
        parts[*first].iov_len -= written;
    }
}

/* At most PARTS_AT_ONCE parts, which it uses up. `*at` moves on. */
static enum error_code
write_some_parts(struct files_file *self, struct iovec *parts, size_t count, off_t *at,
                 struct error *error)
{
    size_t first = 0;
    parts_advance(parts, count, &first, 0);
    while (first < count) {
        ssize_t written = pwritev(self->descriptor, parts + first, (int)(count - first), *at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return error_set_errno(error, errno, "cannot write %s", self->name);
        *at += written;
        parts_advance(parts, count, &first, (size_t)written);
    }
    return ERROR_NONE;
}

/* Begins to write out and does not wait; says nothing about success, which only a sync does. */
static void
send_early(struct files_file *self, uint64_t offset, uint64_t end)
{
    if (offset < self->unsent_from)
        self->unsent_from = offset;
    if (end - self->unsent_from < bytes_unsent)
        return;
#ifndef ARCHIVOLT_OMIT_SYNC
    int ignored = sync_file_range(self->descriptor, (off_t)self->unsent_from,
                                  (off_t)(end - self->unsent_from), SYNC_FILE_RANGE_WRITE);
    (void)ignored; /* a hint */
#endif
    self->unsent_from = end;
}

static enum error_code
files_write(struct device_file *file, uint64_t offset, const struct iovec *parts, size_t part_count,
            struct error *error)
{
    struct files_file *self = files_file(file);
    struct iovec some[PARTS_AT_ONCE];
    off_t at;
    enum error_code code = offset_of(self, offset, &at, error);
    for (size_t done = 0; code == ERROR_NONE && done < part_count;) {
        size_t count = part_count - done < PARTS_AT_ONCE ? part_count - done : PARTS_AT_ONCE;
        memcpy(some, parts + done, count * sizeof *some);
        code = write_some_parts(self, some, count, &at, error);
        done += count;
    }
    if (code == ERROR_NONE)
        send_early(self, offset, (uint64_t)at);
    return code;
}

static enum error_code
files_sync(struct device_file *file, struct error *error)
{
#ifdef ARCHIVOLT_OMIT_SYNC
    (void)file;
    (void)error;
#else
    struct files_file *self = files_file(file);
    if (fdatasync(self->descriptor) != 0)
        return error_set_errno(error, errno, "cannot sync %s", self->name);
    self->unsent_from = UINT64_MAX; /* the next write begins anew */
#endif
    return ERROR_NONE;
}

static enum error_code
files_truncate(struct device_file *file, uint64_t size_bytes, struct error *error)
{
    struct files_file *self = files_file(file);
    off_t size;
    enum error_code code = offset_of(self, size_bytes, &size, error);
    if (code != ERROR_NONE)
        return code;
    int result;
    do
        result = ftruncate(self->descriptor, size);
    while (result != 0 && errno == EINTR);
    if (result != 0)
        return error_set_errno(error, errno, "cannot truncate %s", self->name);
    return ERROR_NONE;
}

/* Where the file system cannot punch: zeros, never beyond the end, so that the size stays. */
static enum error_code
write_zeros(struct device_file *file, uint64_t offset, uint64_t length, struct error *error)
{
    static const char zeros[65536];
    uint64_t size;
    enum error_code code = files_size(file, &size, error);
    if (code != ERROR_NONE || offset >= size)
        return code;
    if (length > size - offset)
        length = size - offset;
    while (code == ERROR_NONE && length > 0) {
        size_t some = length < sizeof zeros ? (size_t)length : sizeof zeros;
        union {
            const char *from;
            char *to; /* struct iovec knows no const; a write does not change it */
        } part = {.from = zeros};
        code = files_write(file, offset, &(struct iovec){part.to, some}, 1, error);
        offset += some;
        length -= some;
    }
    return code;
}

static enum error_code
files_punch(struct device_file *file, uint64_t offset, uint64_t length, struct error *error)
{
    struct files_file *self = files_file(file);
    off_t at, span;
    if (length == 0)
        return ERROR_NONE;
    enum error_code code = offset_of(self, offset, &at, error);
    if (code == ERROR_NONE)
        code = offset_of(self, length, &span, error);
    if (code != ERROR_NONE)
        return code;
    int result;
    do
        result = fallocate(self->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, span);
    while (result != 0 && errno == EINTR);
    if (result == 0)
        return ERROR_NONE;
    if (errno == EOPNOTSUPP || errno == ENOSYS)
        return write_zeros(file, offset, length, error);
    return error_set_errno(error, errno, "cannot punch a hole into %s", self->name);
}

static enum error_code
files_protect(struct device_file *file, bool read_only, struct error *error)
{
    struct files_file *self = files_file(file);
    if (fchmod(self->descriptor, read_only ? 0444 : 0644) != 0)
        return error_set_errno(error, errno, "cannot change the mode of %s", self->name);
    return ERROR_NONE;
}

static enum error_code
files_rename(struct device *device, const char *from, const char *to, struct error *error)
{
    struct files_device *self = files_device(device);
    ensure(name_is_flat(from) && name_is_flat(to));
    if (renameat(self->folder, from, self->folder, to) != 0)
        return error_set_errno(error, errno, "cannot rename %s/%s to %s", self->path, from, to);
    return ERROR_NONE;
}

static enum error_code
files_remove(struct device *device, const char *name, struct error *error)
{
    struct files_device *self = files_device(device);
    ensure(name_is_flat(name));
    if (unlinkat(self->folder, name, 0) != 0)
        return error_set_errno(error, errno, "cannot remove %s/%s", self->path, name);
    return ERROR_NONE;
}

static enum error_code
files_sync_names(struct device *device, struct error *error)
{
#ifdef ARCHIVOLT_OMIT_SYNC
    (void)device;
    (void)error;
#else
    struct files_device *self = files_device(device);
    if (fsync(self->folder) != 0)
        return error_set_errno(error, errno, "cannot sync the folder %s", self->path);
#endif
    return ERROR_NONE;
}

static enum error_code
files_space(struct device *device, struct device_space *ret_space, struct error *error)
{
    struct files_device *self = files_device(device);
    struct statvfs stat;
    if (fstatvfs(self->folder, &stat) != 0)
        return error_set_errno(error, errno, "cannot ask for the space of %s", self->path);
    ret_space->free_bytes = (uint64_t)stat.f_bavail * stat.f_frsize;
    ret_space->total_bytes = (uint64_t)stat.f_blocks * stat.f_frsize;
    return ERROR_NONE;
}

static void
files_free(struct device *device)
{
    struct files_device *self = files_device(device);
    close(self->folder);
    free(self->path);
    free(self);
}

static const struct device_operations files_operations = {
    .name = "files",
    .list = files_list,
    .open = files_open,
    .close = files_close,
    .size = files_size,
    .read = files_read,
    .write = files_write,
    .sync = files_sync,
    .truncate = files_truncate,
    .punch = files_punch,
    .protect = files_protect,
    .rename = files_rename,
    .remove = files_remove,
    .sync_names = files_sync_names,
    .space = files_space,
    .free = files_free,
};

enum error_code
device_files_make_folder(const char *path, struct error *error)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return ERROR_NONE;
    return error_set_errno(error, errno, "cannot make the folder %s", path);
}

enum error_code
device_files_new(const char *path, struct device **ret_device, struct error *error)
{
    int folder;
    do
        folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (folder < 0 && errno == EINTR);
    if (folder < 0)
        return error_set_errno(error, errno, "cannot open the folder %s", path);
    struct files_device *self = calloc(1, sizeof *self);
    ensure(self != NULL);
    self->device.operations = &files_operations;
    self->folder = folder;
    self->path = text_copy(text_from(path));
    *ret_device = &self->device;
    return ERROR_NONE;
}
