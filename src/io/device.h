/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct device: where volumes live, behind a small vtable. A device is one flat folder of named
 * files. Implementations: device_files.c (a directory), device_simulated.c (memory that fails and
 * crashes on demand). An object store is to be the third.
 *
 * Life: device_files_new() or device_simulated_new() - device_open_file() ... device_close_file() -
 * device_free(). Handles do not outlive their device.
 * Threads: any thread may read any handle; one thread at a time writes, syncs, truncates or punches
 * a given handle; name operations are serialised by the caller.
 * Errors: NOT_FOUND, EXISTS, FULL (ENOSPC, EDQUOT), IO; the errno is in struct error.
 * A failed sync is never retried by a device: the caller must treat the file as undefined.
 */
#ifndef ARCHIVOLT_IO_DEVICE_H
#define ARCHIVOLT_IO_DEVICE_H

#include "base/error.h"
#include "base/text.h"

#include <sys/uio.h>

struct device;
struct device_file;

enum device_open_mode {
    DEVICE_READ,       /* exists, never written through this handle */
    DEVICE_READ_WRITE, /* exists */
    DEVICE_CREATE      /* must not exist: EXISTS otherwise */
};

struct device_space {
    uint64_t free_bytes; /* to this process */
    uint64_t total_bytes;
};

/* Called once a name, in no order; `context` as given. Return false to stop. */
typedef bool device_list_function(void *context, const char *name, uint64_t size_bytes);

struct device_operations {
    const char *name;
    enum error_code (*list)(struct device *, device_list_function *, void *context, struct error *);
    enum error_code (*open)(struct device *, const char *name, enum device_open_mode,
                            struct device_file **ret_file, struct error *);
    void (*close)(struct device_file *);
    enum error_code (*size)(struct device_file *, uint64_t *ret_bytes, struct error *);
    /* Reads up to `length`; fewer only at the end of the file. */
    enum error_code (*read)(struct device_file *, uint64_t offset, void *data, size_t length,
                            size_t *ret_read, struct error *);
    /* Writes all of it or fails; on failure any part may have been written. */
    enum error_code (*write)(struct device_file *, uint64_t offset, const struct iovec *parts,
                             size_t part_count, struct error *);
    enum error_code (*sync)(struct device_file *, struct error *);       /* data and size */
    enum error_code (*truncate)(struct device_file *, uint64_t size_bytes, struct error *);
    /* The range reads as zeros afterwards; space is given back where the device can. */
    enum error_code (*punch)(struct device_file *, uint64_t offset, uint64_t length, struct error *);
    enum error_code (*protect)(struct device_file *, bool read_only, struct error *); /* mode bits */
    enum error_code (*rename)(struct device *, const char *from, const char *to, struct error *);
    enum error_code (*remove)(struct device *, const char *name, struct error *);
    enum error_code (*sync_names)(struct device *, struct error *); /* creations, renames, removals */
    enum error_code (*space)(struct device *, struct device_space *ret_space, struct error *);
    void (*free)(struct device *);
};

struct device {
    const struct device_operations *operations;
};

struct device_file {
    struct device *device;
};

/* Makes a directory; fine when it is there. */
enum error_code device_files_make_folder(const char *path, struct error *error) AV_MUST_USE;
/* A directory that exists. `omit_sync` in the build options makes sync and sync_names do nothing
 * (for the test that proves the crash tests). */
enum error_code device_files_new(const char *path, struct device **ret_device, struct error *error)
    AV_MUST_USE;

/*
 * The simulated device. Pages that were written and not synced are pending; a crash decides for each
 * pending write, by the seed, whether it is applied, dropped or torn at a 512-byte boundary, and
 * the same for names that were not synced. After a failed sync the pages are dropped from the disk
 * while reads still return them, as kernels do.
 */
struct device_simulated_options {
    uint64_t seed;
    uint64_t capacity_bytes;     /* 0: no limit; beyond it FULL */
    uint64_t fail_call;          /* the n-th call (from 1) of any kind fails; 0: none */
    int fail_errno;              /* with this */
    bool fail_forever;           /* and every later call too */
    uint64_t fail_sync;          /* the n-th sync (of a file or of names) fails with fail_errno; 0: none */
    uint64_t crash_at_sync;      /* the n-th sync (of a file or of names) does not return: it and every
                                    later call fail with CLOSED; 0: none */
};
struct device *device_simulated_new(const struct device_simulated_options *options);
/* Changes the faults in mid-life; counters of calls and syncs start again at 0. */
void device_simulated_set(struct device *device, const struct device_simulated_options *options);
uint64_t device_simulated_calls(const struct device *device);
uint64_t device_simulated_syncs(const struct device *device);
bool device_simulated_crashed(const struct device *device);
/* Power is back: pending writes are applied, dropped or torn, all handles become invalid (close
 * them first), faults are cleared. Usable without a crash at a sync too (power cut now). */
void device_simulated_reboot(struct device *device, uint64_t seed);
/* Flips one bit, for tests of verification. */
void device_simulated_flip(struct device *device, const char *name, uint64_t offset, unsigned bit);

/* Thin wrappers, so that callers read like calls. */
static inline enum error_code
device_read(struct device_file *file, uint64_t offset, void *data, size_t length, size_t *ret_read,
            struct error *error)
{
    return file->device->operations->read(file, offset, data, length, ret_read, error);
}

static inline enum error_code
device_write(struct device_file *file, uint64_t offset, const struct iovec *parts, size_t part_count,
             struct error *error)
{
    return file->device->operations->write(file, offset, parts, part_count, error);
}

static inline enum error_code
device_sync(struct device_file *file, struct error *error)
{
    return file->device->operations->sync(file, error);
}

static inline enum error_code
device_open_file(struct device *device, const char *name, enum device_open_mode mode,
                 struct device_file **ret_file, struct error *error)
{
    return device->operations->open(device, name, mode, ret_file, error);
}

static inline void
device_close_file(struct device_file *file)
{
    if (file != NULL)
        file->device->operations->close(file);
}

static inline void
device_free(struct device *device)
{
    if (device != NULL)
        device->operations->free(device);
}

/* Reads exactly `length` bytes; CORRUPT ("ends early") when the file is shorter. */
enum error_code device_read_exactly(struct device_file *file, uint64_t offset, void *data,
                                    size_t length, struct error *error) AV_MUST_USE;

#endif
