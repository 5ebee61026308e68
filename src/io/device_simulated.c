/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device that fails and crashes on demand, wholly decided by its options and seeds.
 *
 * Each file has two images: `live`, what calls see, and `disk`, what a reboot finds. A change goes
 * to `live` at once and into the list of pending changes; sync() applies the list to `disk`. Reboot
 * decides for each pending change by the seed: applied, dropped, or (writes) torn: only the bytes
 * before a multiple of 512 are applied. Names are treated alike: `names` and `disk_names`, with a
 * list of pending creations, renames and removals.
 *
 *     running --crash at the n-th sync--> crashed --device_simulated_reboot()--> running
 *
 * Invariants: (1) what was synced is in `disk`, and only changes made after it can alter it; (2)
 * after a failed sync the pending changes are gone from the list and stay in `live`: no later sync
 * brings them to `disk`; (3) a file stays in `files` until the reboot that finds no name for it on
 * disk.
 */
#include "base/buffer.h"
#include "base/ensure.h"
#include "base/lock.h"
#include "io/device.h"

#include <errno.h>

enum { SECTOR_BYTES = 512 };

enum change_kind { CHANGE_WRITE, CHANGE_TRUNCATE, CHANGE_PUNCH };

struct change {
    struct change *next;
    enum change_kind kind;
    uint64_t offset; /* of a write or a punch */
    uint64_t length; /* of a punch; the size of a truncation; the bytes that follow of a write */
    char data[];
};

struct simulated_file {
    struct simulated_file *next;
    struct buffer live, disk;
    struct change *pending, **pending_end;
};

struct name {
    struct name *next;
    char *text;
    struct simulated_file *file;
};

enum name_change_kind { NAME_CREATED, NAME_RENAMED, NAME_REMOVED };

struct name_change {
    struct name_change *next;
    enum name_change_kind kind;
    struct simulated_file *file;
    char *name, *to;
};

struct simulated_device {
    struct device device;
    struct lock lock;
    struct device_simulated_options options;
    uint64_t random;
    uint64_t calls, syncs;
    bool crashed;
    size_t handles;
    struct simulated_file *files;
    struct name *names, *disk_names;
    struct name_change *pending_names, **pending_names_end;
};

struct simulated_handle {
    struct device_file handle;
    struct simulated_file *file;
    bool writable;
};

static struct simulated_device *
simulated_device(const struct device *device)
{
    union {
        const struct device *in;
        struct simulated_device *out;
    } cast = {.in = device};
    return cast.out;
}

static void *
allocate(size_t size)
{
    void *memory = calloc(1, size);
    ensure(memory != NULL);
    return memory;
}

/* splitmix64 */
static uint64_t
draw(struct simulated_device *self)
{
    uint64_t z = self->random += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* ---- images and pending changes ---- */

static void
image_resize(struct buffer *image, uint64_t size)
{
    if (size <= image->length)
        buffer_truncate(image, (size_t)size);
    else
        buffer_append_zeros(image, (size_t)size - image->length);
    ensure(image->status == ERROR_NONE);
}

static void
image_write(struct buffer *image, uint64_t offset, const char *data, uint64_t length)
{
    if (length == 0)
        return;
    if (offset + length > image->length)
        image_resize(image, offset + length);
    memcpy(image->data + offset, data, (size_t)length);
}

static void
image_punch(struct buffer *image, uint64_t offset, uint64_t length)
{
    if (offset >= image->length)
        return;
    if (length > image->length - offset)
        length = image->length - offset;
    memset(image->data + offset, 0, (size_t)length);
}

static void
change_apply(const struct change *change, struct buffer *image)
{
    switch (change->kind) {
    case CHANGE_WRITE:
        image_write(image, change->offset, change->data, change->length);
        break;
    case CHANGE_TRUNCATE:
        image_resize(image, change->length);
        break;
    case CHANGE_PUNCH:
        image_punch(image, change->offset, change->length);
        break;
    }
}

/* Only what lies before some multiple of 512 inside the write reaches the disk. */
static void
change_apply_torn(struct simulated_device *self, const struct change *change, struct buffer *image)
{
    uint64_t first = change->offset / SECTOR_BYTES + 1;
    uint64_t last = (change->offset + change->length - 1) / SECTOR_BYTES;
    if (change->length == 0 || first > last)
        return; /* inside one sector: dropped */
    uint64_t cut = (first + draw(self) % (last - first + 1)) * SECTOR_BYTES;
    image_write(image, change->offset, change->data, cut - change->offset);
}

static void
change_decide(struct simulated_device *self, const struct change *change, struct buffer *image)
{
    uint64_t outcome = draw(self) % 3;
    if (outcome == 0 || (outcome == 2 && change->kind != CHANGE_WRITE && draw(self) % 2 == 0))
        change_apply(change, image);
    else if (outcome == 2 && change->kind == CHANGE_WRITE)
        change_apply_torn(self, change, image);
}

static void
forget_pending(struct simulated_file *file)
{
    while (file->pending != NULL) {
        struct change *next = file->pending->next;
        free(file->pending);
        file->pending = next;
    }
    file->pending_end = &file->pending;
}

static void
add_pending(struct simulated_file *file, struct change *change)
{
    change_apply(change, &file->live);
    *file->pending_end = change;
    file->pending_end = &change->next;
}

static void
sync_file(struct simulated_file *file)
{
    for (struct change *change = file->pending; change != NULL; change = change->next)
        change_apply(change, &file->disk);
    forget_pending(file);
}

/* ---- names ---- */

static struct name **
find_name(struct name **list, const char *text)
{
    while (*list != NULL && strcmp((*list)->text, text) != 0)
        list = &(*list)->next;
    return list;
}

static void
name_remove(struct name **at)
{
    struct name *name = *at;
    *at = name->next;
    free(name->text);
    free(name);
}

static void
name_set(struct name **list, const char *text, struct simulated_file *file)
{
    struct name **at = find_name(list, text);
    if (*at == NULL) {
        *at = allocate(sizeof **at);
        (*at)->text = text_copy(text_from(text));
    }
    (*at)->file = file;
}

static void
names_free(struct name **list)
{
    while (*list != NULL)
        name_remove(list);
}

static void
names_copy(struct name **to, const struct name *from)
{
    names_free(to);
    for (; from != NULL; from = from->next)
        name_set(to, from->text, from->file);
}

static void
name_change_apply(const struct name_change *change, struct name **list)
{
    struct name **at = find_name(list, change->name);
    if (change->kind != NAME_CREATED && *at != NULL && (*at)->file == change->file)
        name_remove(at);
    if (change->kind == NAME_CREATED)
        name_set(list, change->name, change->file);
    if (change->kind == NAME_RENAMED)
        name_set(list, change->to, change->file);
}

static void
forget_pending_names(struct simulated_device *self)
{
    while (self->pending_names != NULL) {
        struct name_change *change = self->pending_names;
        self->pending_names = change->next;
        free(change->name);
        free(change->to);
        free(change);
    }
    self->pending_names_end = &self->pending_names;
}

static void
change_name(struct simulated_device *self, enum name_change_kind kind, struct simulated_file *file,
            const char *name, const char *to)
{
    struct name_change *change = allocate(sizeof *change);
    change->kind = kind;
    change->file = file;
    change->name = text_copy(text_from(name));
    change->to = to == NULL ? NULL : text_copy(text_from(to));
    name_change_apply(change, &self->names);
    *self->pending_names_end = change;
    self->pending_names_end = &change->next;
}

/* ---- faults ---- */

/* Counts the call; not NONE when it is to fail. */
static enum error_code
enter_locked(struct simulated_device *self, const char *doing, struct error *error)
{
    const struct device_simulated_options *options = &self->options;
    if (self->crashed)
        return error_set(error, ERROR_CLOSED, "%s: the simulated power is off", doing);
    self->calls++;
    if (options->fail_call == 0 || self->calls < options->fail_call ||
        (self->calls > options->fail_call && !options->fail_forever))
        return ERROR_NONE;
    return error_set_errno(error, options->fail_errno != 0 ? options->fail_errno : EIO,
                           "%s: call %llu fails as told", doing, (unsigned long long)self->calls);
}

/* The same for the two kinds of sync. */
static enum error_code
enter_sync_locked(struct simulated_device *self, struct error *error)
{
    enum error_code code = enter_locked(self, "sync", error);
    if (self->crashed)
        return code;
    self->syncs++;
    if (self->options.crash_at_sync != 0 && self->syncs >= self->options.crash_at_sync) {
        self->crashed = true;
        return error_set(error, ERROR_CLOSED, "the simulated power fails at sync %llu",
                         (unsigned long long)self->syncs);
    }
    if (code == ERROR_NONE && self->syncs == self->options.fail_sync)
        code = error_set_errno(error, self->options.fail_errno != 0 ? self->options.fail_errno : EIO,
                               "sync %llu fails as told", (unsigned long long)self->syncs);
    return code;
}

static uint64_t
used_bytes_locked(const struct simulated_device *self)
{
    uint64_t used = 0;
    for (const struct name *name = self->names; name != NULL; name = name->next)
        used += name->file->live.length;
    return used;
}

/* ---- operations ---- */

static struct simulated_handle *
handle_of(struct device_file *file)
{
    return (struct simulated_handle *)file;
}

static struct simulated_device *
device_of(struct device_file *file)
{
    return simulated_device(file->device);
}

static enum error_code
simulated_list(struct device *device, device_list_function *each, void *context,
               struct error *error)
{
    struct simulated_device *self = simulated_device(device);
    struct name *names = NULL;
    lock_take(&self->lock);
    enum error_code code = enter_locked(self, "list", error);
    if (code == ERROR_NONE)
        names_copy(&names, self->names); /* so that the callback may use the device */
    lock_give(&self->lock);
    for (struct name *name = names; name != NULL; name = name->next) {
        lock_take(&self->lock);
        uint64_t size = name->file->live.length;
        lock_give(&self->lock);
        if (!each(context, name->text, size))
            break;
    }
    names_free(&names);
    return code;
}

static struct simulated_file *
new_file_locked(struct simulated_device *self)
{
    struct simulated_file *file = allocate(sizeof *file);
    file->pending_end = &file->pending;
    file->next = self->files;
    self->files = file;
    return file;
}

static enum error_code
open_locked(struct simulated_device *self, const char *name, enum device_open_mode mode,
            struct simulated_file **ret_file, struct error *error)
{
    struct name *found = *find_name(&self->names, name);
    if (mode == DEVICE_CREATE) {
        if (found != NULL)
            return error_set_errno(error, EEXIST, "cannot open %s", name);
        *ret_file = new_file_locked(self);
        change_name(self, NAME_CREATED, *ret_file, name, NULL);
        return ERROR_NONE;
    }
    if (found == NULL)
        return error_set_errno(error, ENOENT, "cannot open %s", name);
    *ret_file = found->file;
    return ERROR_NONE;
}

static enum error_code
simulated_open(struct device *device, const char *name, enum device_open_mode mode,
               struct device_file **ret_file, struct error *error)
{
    struct simulated_device *self = simulated_device(device);
    struct simulated_file *file = NULL;
    lock_take(&self->lock);
    enum error_code code = enter_locked(self, "open", error);
    if (code == ERROR_NONE)
        code = open_locked(self, name, mode, &file, error);
    if (code == ERROR_NONE) {
        struct simulated_handle *handle = allocate(sizeof *handle);
        *handle = (struct simulated_handle){{device}, file, mode != DEVICE_READ};
        self->handles++;
        *ret_file = &handle->handle;
    }
    lock_give(&self->lock);
    return code;
}

static void
simulated_close(struct device_file *file)
{
    struct simulated_device *self = device_of(file);
    lock_take(&self->lock);
    self->handles--;
    lock_give(&self->lock);
    free(handle_of(file));
}

static enum error_code
simulated_size(struct device_file *file, uint64_t *ret_bytes, struct error *error)
{
    struct simulated_device *self = device_of(file);
    lock_take(&self->lock);
    enum error_code code = enter_locked(self, "size", error);
    if (code == ERROR_NONE)
        *ret_bytes = handle_of(file)->file->live.length;
    lock_give(&self->lock);
    return code;
}

static enum error_code
simulated_read(struct device_file *file, uint64_t offset, void *data, size_t length,
               size_t *ret_read, struct error *error)
{
    struct simulated_device *self = device_of(file);
    lock_take(&self->lock);
    enum error_code code = enter_locked(self, "read", error);
    if (code == ERROR_NONE) {
        const struct buffer *live = &handle_of(file)->file->live;
        size_t there = offset >= live->length ? 0 : live->length - (size_t)offset;
        size_t taken = length < there ? length : there;
        if (taken > 0)
            memcpy(data, live->data + offset, taken);
        *ret_read = taken;
    }
    lock_give(&self->lock);
    return code;
}

static struct change *
gather_write(uint64_t offset, const struct iovec *parts, size_t count)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        ensure(!__builtin_add_overflow(length, parts[i].iov_len, &length));
    struct change *change = allocate(sizeof *change + length);
    change->kind = CHANGE_WRITE;
    change->offset = offset;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].iov_len > 0)
            memcpy(change->data + change->length, parts[i].iov_base, parts[i].iov_len);
        change->length += parts[i].iov_len;
    }
    return change;
}

/* FULL, with the write cut to what fits, when the capacity does not allow all of it. */
static enum error_code
cut_to_capacity_locked(const struct simulated_device *self, const struct simulated_file *file,
                       struct change *change, struct error *error)
{
    uint64_t end = change->offset + change->length, used = used_bytes_locked(self);
    uint64_t capacity = self->options.capacity_bytes;
    if (capacity == 0 || end <= file->live.length)
        return ERROR_NONE;
    uint64_t limit = file->live.length + (used < capacity ? capacity - used : 0);
    if (end <= limit)
        return ERROR_NONE;
    change->length = limit > change->offset ? limit - change->offset : 0;
    return error_set_errno(error, ENOSPC, "cannot write beyond %llu bytes",
                           (unsigned long long)capacity);
}

static enum error_code
simulated_write(struct device_file *file, uint64_t offset, const struct iovec *parts,
                size_t part_count, struct error *error)
{
    struct simulated_device *self = device_of(file);
    struct simulated_handle *handle = handle_of(file);
    struct change *change = gather_write(offset, parts, part_count);
    ensure(handle->writable);
    lock_take(&self->lock);
    enum error_code code = enter_locked(self, "write", error);
    if (code == ERROR_NONE)
        code = cut_to_capacity_locked(self, handle->file, change, error);
    else if (code != ERROR_CLOSED && change->length > 0)
        change->length = draw(self) % change->length; /* a part of it is written all the same */
    if (code == ERROR_CLOSED || change->length == 0)
        free(change);
    else
        add_pending(handle->file, change);
    lock_give(&self->lock);
    return code;
}

static enum error_code
simulated_sync(struct device_file *file, struct error *error)
{
    struct simulated_device *self = device_of(file);
    lock_take(&self->lock);
    enum error_code code = enter_sync_locked(self, error);
    if (code == ERROR_NONE)
        sync_file(handle_of(file)->file);
    else if (!self->crashed)
        forget_pending(handle_of(file)->file); /* invariant 2 */
    lock_give(&self->lock);
    return code;
}

static enum error_code
change_simply(struct device_file *file, struct change wanted, const char *doing,
              struct error *error)
{
    struct simulated_device *self = device_of(file);
    ensure(handle_of(file)->writable);
    lock_take(&self->lock);
    enum error_code code = enter_locked(self, doing, error);
    if (code == ERROR_NONE) {
        struct change *change = allocate(sizeof *change);
        change->kind = wanted.kind;
        change->offset = wanted.offset;
        change->length = wanted.length;
        add_pending(handle_of(file)->file, change);
    }
    lock_give(&self->lock);
    return code;
}

static enum error_code
simulated_truncate(struct device_file *file, uint64_t size_bytes, struct error *error)
{
    return change_simply(file, (struct change){.kind = CHANGE_TRUNCATE, .length = size_bytes},
                         "truncate", error);
}

static enum error_code
simulated_punch(struct device_file *file, uint64_t offset, uint64_t length, struct error *error)
{
    return change_simply(file,
                         (struct change){.kind = CHANGE_PUNCH, .offset = offset, .length = length},
                         "punch", error);
}

static enum error_code
simulated_protect(struct device_file *file, bool read_only, struct error *error)
{
    struct simulated_device *self = device_of(file);
    (void)read_only; /* as for root */
    lock_take(&self->lock);
    enum error_code code = enter_locked(self, "protect", error);
    lock_give(&self->lock);
    return code;
}

/* `to` NULL: a removal. */
static enum error_code
simulated_rename_or_remove(struct device *device, const char *name, const char *to,
                           struct error *error)
{
    struct simulated_device *self = simulated_device(device);
    lock_take(&self->lock);
    enum error_code code = enter_locked(self, to == NULL ? "remove" : "rename", error);
    const struct name *found = *find_name(&self->names, name);
    if (code == ERROR_NONE && found == NULL)
        code = error_set_errno(error, ENOENT, "cannot rename or remove %s", name);
    if (code == ERROR_NONE && (to == NULL || strcmp(name, to) != 0))
        change_name(self, to == NULL ? NAME_REMOVED : NAME_RENAMED, found->file, name, to);
    lock_give(&self->lock);
    return code;
}

static enum error_code
simulated_rename(struct device *device, const char *from, const char *to, struct error *error)
{
    return simulated_rename_or_remove(device, from, to, error);
}

static enum error_code
simulated_remove(struct device *device, const char *name, struct error *error)
{
    return simulated_rename_or_remove(device, name, NULL, error);
}

static enum error_code
simulated_sync_names(struct device *device, struct error *error)
{
    struct simulated_device *self = simulated_device(device);
    lock_take(&self->lock);
    enum error_code code = enter_sync_locked(self, error);
    if (code == ERROR_NONE) {
        for (struct name_change *change = self->pending_names; change != NULL;
             change = change->next)
            name_change_apply(change, &self->disk_names);
    }
    if (!self->crashed)
        forget_pending_names(self);
    lock_give(&self->lock);
    return code;
}

static enum error_code
simulated_space(struct device *device, struct device_space *ret_space, struct error *error)
{
    struct simulated_device *self = simulated_device(device);
    lock_take(&self->lock);
    enum error_code code = enter_locked(self, "space", error);
    if (code == ERROR_NONE) {
        uint64_t used = used_bytes_locked(self), total = self->options.capacity_bytes;
        if (total == 0)
            total = (uint64_t)1 << 40;
        *ret_space = (struct device_space){used < total ? total - used : 0, total};
    }
    lock_give(&self->lock);
    return code;
}

static void
free_file(struct simulated_file *file)
{
    forget_pending(file);
    buffer_release(&file->live);
    buffer_release(&file->disk);
    free(file);
}

static void
simulated_free(struct device *device)
{
    struct simulated_device *self = simulated_device(device);
    ensure(self->handles == 0);
    names_free(&self->names);
    names_free(&self->disk_names);
    forget_pending_names(self);
    while (self->files != NULL) {
        struct simulated_file *next = self->files->next;
        free_file(self->files);
        self->files = next;
    }
    lock_release(&self->lock);
    free(self);
}

static const struct device_operations simulated_operations = {
    .name = "simulated",
    .list = simulated_list,
    .open = simulated_open,
    .close = simulated_close,
    .size = simulated_size,
    .read = simulated_read,
    .write = simulated_write,
    .sync = simulated_sync,
    .truncate = simulated_truncate,
    .punch = simulated_punch,
    .protect = simulated_protect,
    .rename = simulated_rename,
    .remove = simulated_remove,
    .sync_names = simulated_sync_names,
    .space = simulated_space,
    .free = simulated_free,
};

/* ---- for tests ---- */

static struct simulated_device *
checked(const struct device *device)
{
    ensure(device->operations == &simulated_operations);
    return simulated_device(device);
}

struct device *
device_simulated_new(const struct device_simulated_options *options)
{
    struct simulated_device *self = allocate(sizeof *self);
    self->device.operations = &simulated_operations;
    self->pending_names_end = &self->pending_names;
    lock_init(&self->lock, LOCK_RANK_DEVICE);
    self->options = *options;
    self->random = options->seed;
    return &self->device;
}

void
device_simulated_set(struct device *device, const struct device_simulated_options *options)
{
    struct simulated_device *self = checked(device);
    lock_take(&self->lock);
    self->options = *options;
    self->random = options->seed;
    self->calls = self->syncs = 0;
    lock_give(&self->lock);
}

uint64_t
device_simulated_calls(const struct device *device)
{
    struct simulated_device *self = checked(device);
    lock_take(&self->lock);
    uint64_t calls = self->calls;
    lock_give(&self->lock);
    return calls;
}

uint64_t
device_simulated_syncs(const struct device *device)
{
    struct simulated_device *self = checked(device);
    lock_take(&self->lock);
    uint64_t syncs = self->syncs;
    lock_give(&self->lock);
    return syncs;
}

bool
device_simulated_crashed(const struct device *device)
{
    struct simulated_device *self = checked(device);
    lock_take(&self->lock);
    bool crashed = self->crashed;
    lock_give(&self->lock);
    return crashed;
}

static void
decide_names_locked(struct simulated_device *self)
{
    for (struct name_change *change = self->pending_names; change != NULL; change = change->next) {
        if (draw(self) % 2 == 0)
            name_change_apply(change, &self->disk_names);
    }
    forget_pending_names(self);
    names_copy(&self->names, self->disk_names);
}

static bool
has_name_locked(const struct simulated_device *self, const struct simulated_file *file)
{
    const struct name *name = self->names;
    while (name != NULL && name->file != file)
        name = name->next;
    return name != NULL;
}

static void
decide_file_locked(struct simulated_device *self, struct simulated_file *file)
{
    for (struct change *change = file->pending; change != NULL; change = change->next)
        change_decide(self, change, &file->disk);
    forget_pending(file);
    image_resize(&file->live, 0);
    image_write(&file->live, 0, file->disk.data, file->disk.length);
}

void
device_simulated_reboot(struct device *device, uint64_t seed)
{
    struct simulated_device *self = checked(device);
    lock_take(&self->lock);
    ensure(self->handles == 0);
    self->random = seed;
    decide_names_locked(self);
    for (struct simulated_file **at = &self->files; *at != NULL;) {
        struct simulated_file *file = *at;
        decide_file_locked(self, file);
        if (has_name_locked(self, file)) {
            at = &file->next;
        } else {
            *at = file->next;
            free_file(file);
        }
    }
    self->options = (struct device_simulated_options){
        .seed = seed, .capacity_bytes = self->options.capacity_bytes};
    self->calls = self->syncs = 0;
    self->crashed = false;
    lock_give(&self->lock);
}

void
device_simulated_flip(struct device *device, const char *name, uint64_t offset, unsigned bit)
{
    struct simulated_device *self = checked(device);
    lock_take(&self->lock);
    const struct name *found = *find_name(&self->names, name);
    ensure(found != NULL && bit < 8 && offset < found->file->live.length);
    found->file->live.data[offset] = (char)(found->file->live.data[offset] ^ (1 << bit));
    if (offset < found->file->disk.length)
        found->file->disk.data[offset] = (char)(found->file->disk.data[offset] ^ (1 << bit));
    lock_give(&self->lock);
}
