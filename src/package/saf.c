/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch of the Simple Archive Format: one directory an item, in an archive or on this machine, read one at a time. An
 * item's directory is one that holds dublin_core.xml, contents or metadata_*.xml; what lies above it does not count.
 */
#include "package/saf_item.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct saf_item {
    struct text folder; /* path of its directory in the batch; "" the batch is one item */
    size_t from, to;    /* archive: its members, in `sorted` */
};

struct package_batch {
    struct package_request request;
    struct arena arena;
    struct saf_item *items;
    size_t count, capacity;
    struct unpack *unpack;   /* archive, or NULL */
    struct member **sorted;  /* by path */
    int folder;              /* directory, or -1 */
    size_t current;          /* the item that is being read */
};

static enum error_code
add_item(struct package_batch *batch, struct text folder, size_t from, size_t to, struct error *error)
{
    if (batch->count == batch->capacity) {
        size_t capacity = batch->capacity == 0 ? 16 : batch->capacity * 2;
        struct saf_item *grown = realloc(batch->items, capacity * sizeof *grown);
        if (grown == NULL)
            return error_set(error, ERROR_NO_MEMORY, "no memory for a batch");
        batch->items = grown;
        batch->capacity = capacity;
    }
    batch->items[batch->count++] = (struct saf_item){arena_copy(&batch->arena, folder), from, to};
    return arena_status(&batch->arena, error);
}

static bool
makes_an_item(struct text name)
{
    return text_equal(name, TEXT("dublin_core.xml")) || text_equal(name, TEXT("contents")) ||
           (text_starts_with(name, TEXT("metadata_")) && text_ends_with(name, TEXT(".xml")));
}

/* ---- natural order: runs of digits by their number ---- */

static size_t
digits_at(struct text t)
{
    size_t n = 0;
    while (n < t.length && t.data[n] >= '0' && t.data[n] <= '9')
        n++;
    return n;
}

static int
compare_natural(struct text a, struct text b)
{
    while (a.length > 0 && b.length > 0) {
        size_t x = digits_at(a), y = digits_at(b);
        int order;
        if (x > 0 && y > 0) {
            struct text m = {a.data, x}, n = {b.data, y};
            for (; m.length > 1 && m.data[0] == '0'; m.data++)
                m.length--;
            for (; n.length > 1 && n.data[0] == '0'; n.data++)
                n.length--;
            order = m.length != n.length ? (m.length > n.length) - (m.length < n.length) : text_compare(m, n);
        } else {
            order = (unsigned char)a.data[0] - (unsigned char)b.data[0];
            x = y = 1;
        }
        if (order != 0)
            return order;
        a = text_of(a.data + x, a.length - x);
        b = text_of(b.data + y, b.length - y);
    }
    return (a.length > 0) - (b.length > 0);
}

static int
compare_items(const void *a, const void *b)
{
    const struct saf_item *x = a, *y = b;
    int order = compare_natural(x->folder, y->folder);
    return order != 0 ? order : text_compare(x->folder, y->folder);
}

/* ---- items of an archive ---- */

static int
compare_members(const void *a, const void *b)
{
    struct member *const *x = a, *const *y = b;
    return text_compare((*x)->path, (*y)->path);
}

static struct text
folder_of(struct text path)
{
    struct text base = reader_base_name(path);
    return text_of(path.data, base.length == path.length ? 0 : path.length - base.length - 1);
}

static bool
is_below(struct text path, struct text folder)
{
    return folder.length == 0 ||
           (text_starts_with(path, folder) && path.length > folder.length && path.data[folder.length] == '/');
}

/* The first member whose path is not before `path`. */
static size_t
lower_bound(const struct package_batch *batch, struct text path)
{
    size_t low = 0, high = batch->unpack->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (text_compare(batch->sorted[middle]->path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* An item's members are those from "FOLDER/" on. */
static enum error_code
add_archive_item(struct package_batch *batch, struct text folder, struct error *error)
{
    struct buffer start AV_CLEANUP(buffer_release) = {0};
    buffer_append_text(&start, folder);
    if (folder.length > 0)
        buffer_append_char(&start, '/');
    size_t from = lower_bound(batch, buffer_text(&start)), to = from;
    while (to < batch->unpack->count && is_below(batch->sorted[to]->path, folder))
        to++;
    return add_item(batch, folder, from, to, error);
}

static enum error_code
list_archive(struct package_batch *batch, struct error *error)
{
    struct text last = {NULL, 0};
    enum error_code code = unpack_open(&batch->request, &batch->unpack, error);
    if (code != ERROR_NONE)
        return code;
    batch->sorted = calloc(batch->unpack->count + 1, sizeof *batch->sorted);
    if (batch->sorted == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for a batch");
    for (size_t i = 0; i < batch->unpack->count; i++)
        batch->sorted[i] = &batch->unpack->members[i];
    qsort(batch->sorted, batch->unpack->count, sizeof *batch->sorted, compare_members);
    for (size_t i = 0; i < batch->unpack->count && code == ERROR_NONE; i++) {
        const struct member *member = batch->sorted[i];
        struct text folder = folder_of(member->path);
        if (member->folder || !makes_an_item(reader_base_name(member->path)) ||
            (last.data != NULL && (text_equal(folder, last) || is_below(folder, last))))
            continue; /* what lies below an item is a file of it */
        code = add_archive_item(batch, folder, error);
        last = folder;
    }
    return code;
}

static struct member *
archive_member(const struct package_batch *batch, struct text name)
{
    struct buffer path AV_CLEANUP(buffer_release) = {0};
    buffer_append_text(&path, batch->items[batch->current].folder);
    if (path.length > 0)
        buffer_append_char(&path, '/');
    buffer_append_text(&path, name);
    struct member *member = unpack_find(batch->unpack, buffer_text(&path));
    return member == NULL || member->folder ? NULL : member;
}

static enum error_code
archive_text(void *context, struct text name, struct buffer *ret_text, struct error *error)
{
    struct package_batch *batch = context;
    struct member *member = archive_member(batch, name);
    return member == NULL ? error_set(error, ERROR_NOT_FOUND, "\"%.*s\" is missing", TEXT_ARG(name))
                          : unpack_text(batch->unpack, member, ret_text, error);
}

static enum error_code
archive_add(void *context, struct text name, struct package *package, const struct package_file *file, struct error *error)
{
    struct package_batch *batch = context;
    struct member *member = archive_member(batch, name);
    struct package_file added = *file;
    added.original_name = TEXT("");
    if (member == NULL)
        return error_set(error, ERROR_NOT_FOUND, "\"%.*s\" is missing", TEXT_ARG(name));
    if (member->upload == NULL)
        return error_set(error, ERROR_INVALID, "\"%.*s\" is named twice", TEXT_ARG(name));
    added.upload = member->upload;
    added.size_bytes = member->size_bytes;
    enum error_code code = package_add_file(package, &added, error);
    if (code == ERROR_NONE)
        member->upload = NULL;
    return code;
}

static int
compare_places(const void *a, const void *b)
{
    struct member *const *x = a, *const *y = b;
    return ((*x)->place > (*y)->place) - ((*x)->place < (*y)->place);
}

/* All files of an item, in the order of the archive: going back in it costs a look at its whole list. */
static enum error_code
unpack_item(struct package_batch *batch, const struct saf_item *item, struct error *error)
{
    enum error_code code = ERROR_NONE;
    size_t count = item->to - item->from;
    struct member **members = calloc(count + 1, sizeof *members);
    if (members == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for a batch");
    memcpy(members, batch->sorted + item->from, count * sizeof *members);
    qsort(members, count, sizeof *members, compare_places);
    for (size_t i = 0; i < count && code == ERROR_NONE; i++) {
        if (!members[i]->folder)
            code = unpack_member(batch->unpack, members[i], 0, error);
    }
    free(members);
    return code;
}

static enum error_code
read_archive_item(struct package_batch *batch, struct package *package, struct error *error)
{
    const struct saf_item *item = &batch->items[batch->current];
    const struct saf_files files = {archive_text, archive_add, NULL, batch};
    struct text *names = calloc(item->to - item->from + 1, sizeof *names);
    size_t count = 0, skip = item->folder.length == 0 ? 0 : item->folder.length + 1;
    if (names == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for a batch");
    for (size_t i = item->from; i < item->to; i++) {
        struct member *member = batch->sorted[i];
        if (member->folder)
            continue;
        names[count++] = text_of(member->path.data + skip, member->path.length - skip);
    }
    enum error_code code = unpack_item(batch, item, error);
    if (code == ERROR_NONE)
        code = saf_read_item(&batch->request, &files, names, count, package, error);
    for (size_t i = item->from; i < item->to; i++) { /* what nobody took is not kept until the end of the batch */
        upload_free(batch->sorted[i]->upload);
        batch->sorted[i]->upload = NULL;
    }
    free(names);
    return code;
}

/* ---- items of a directory ---- */

static int
open_below(int folder, struct text name, int flags)
{
    char *path = text_copy(name);
    int fd = openat(folder, path[0] == '\0' ? "." : path, flags | O_CLOEXEC | O_NOFOLLOW);
    free(path);
    return fd;
}

/* Opens a file by its segments, so that no link leads out of the directory. */
static enum error_code
open_file(int folder, struct text name, int *ret_fd, uint64_t *ret_size, struct error *error)
{
    struct stat status;
    int at = dup(folder);
    for (struct text rest = name; at >= 0 && rest.data != NULL;) {
        struct text segment = text_cut(rest, '/', &rest);
        int next = open_below(at, segment, rest.data != NULL ? O_RDONLY | O_DIRECTORY : O_RDONLY | O_NONBLOCK);
        int saved = errno;
        close(at);
        errno = saved;
        at = next;
    }
    if (at < 0)
        return error_set_errno(error, errno, "\"%.*s\"", TEXT_ARG(name));
    if (fstat(at, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(at);
        return error_set(error, ERROR_INVALID, "\"%.*s\" is no file", TEXT_ARG(name));
    }
    *ret_fd = at;
    *ret_size = (uint64_t)status.st_size;
    return ERROR_NONE;
}

static enum error_code
open_item_folder(const struct package_batch *batch, int *ret_fd, struct error *error)
{
    *ret_fd = open_below(batch->folder, batch->items[batch->current].folder, O_RDONLY | O_DIRECTORY);
    return *ret_fd < 0 ? error_set_errno(error, errno, "the directory cannot be opened") : ERROR_NONE;
}

/* The source of a file of the item; the caller closes *ret_fd. */
static enum error_code
open_item_file(const struct package_batch *batch, struct text name, int *ret_fd, struct package_request *ret_request,
               struct error *error)
{
    int folder = -1;
    uint64_t size = 0;
    enum error_code code = open_item_folder(batch, &folder, error);
    if (code != ERROR_NONE)
        return code;
    code = open_file(folder, name, ret_fd, &size, error);
    close(folder);
    *ret_request = batch->request;
    if (code == ERROR_NONE)
        ret_request->source = package_source_of_file(*ret_fd, size);
    return code;
}

static enum error_code
folder_text(void *context, struct text name, struct buffer *ret_text, struct error *error)
{
    struct package_request request;
    int fd = -1;
    enum error_code code = open_item_file(context, name, &fd, &request, error);
    if (code != ERROR_NONE)
        return code;
    code = reader_source_text(&request, ret_text, error);
    close(fd);
    return code;
}

static enum error_code
add_file_of(int fd, const struct package_request *request, struct package *package, const struct package_file *file,
            struct error *error)
{
    struct package_file added = *file;
    enum error_code code = reader_copy_source(request, &added.upload, error);
    close(fd);
    if (code != ERROR_NONE)
        return code;
    added.size_bytes = request->source.size_bytes;
    code = package_add_file(package, &added, error);
    if (code != ERROR_NONE)
        upload_free(added.upload);
    return code;
}

static enum error_code
folder_add(void *context, struct text name, struct package *package, const struct package_file *file, struct error *error)
{
    struct package_request request;
    int fd = -1;
    enum error_code code = open_item_file(context, name, &fd, &request, error);
    return code != ERROR_NONE ? code : add_file_of(fd, &request, package, file, error);
}

static enum error_code
folder_add_registered(void *context, struct text name, struct package *package, const struct package_file *file,
                      struct error *error)
{
    struct package_batch *batch = context;
    struct package_request request = batch->request;
    uint64_t size = 0;
    int fd = -1, store = open_below(AT_FDCWD, batch->request.asset_store, O_RDONLY | O_DIRECTORY);
    if (store < 0)
        return error_set_errno(error, errno, "the asset store %.*s", TEXT_ARG(batch->request.asset_store));
    enum error_code code = open_file(store, name, &fd, &size, error);
    close(store);
    if (code != ERROR_NONE)
        return code;
    request.source = package_source_of_file(fd, size);
    return add_file_of(fd, &request, package, file, error);
}

/* Names of a directory's entries, without those that begin with ".". */
struct names {
    struct text *items;
    size_t count, capacity;
};

static void
names_release(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free((char *)(uintptr_t)names->items[i].data);
    free(names->items);
}

static enum error_code
list_folder(int folder, struct names *names, struct error *error)
{
    enum error_code code = ERROR_NONE;
    struct dirent *entry;
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = copy < 0 ? NULL : fdopendir(copy);
    if (listing == NULL) {
        code = error_set_errno(error, errno, "a directory cannot be read");
        if (copy >= 0)
            close(copy);
        return code;
    }
    while (code == ERROR_NONE && (entry = readdir(listing)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        if (names->count == names->capacity) {
            size_t capacity = names->capacity == 0 ? 16 : names->capacity * 2;
            struct text *grown = realloc(names->items, capacity * sizeof *grown);
            if (grown == NULL) {
                code = error_set(error, ERROR_NO_MEMORY, "no memory for a batch");
                break;
            }
            names->items = grown;
            names->capacity = capacity;
        }
        struct text name = text_from(entry->d_name);
        names->items[names->count++] = text_of(text_copy(name), name.length);
    }
    closedir(listing);
    return code;
}

static int
compare_names(const void *a, const void *b)
{
    return text_compare(*(const struct text *)a, *(const struct text *)b);
}

static enum error_code
list_batch_folder(struct package_batch *batch, const char *folder, struct error *error)
{
    struct names names AV_CLEANUP(names_release) = {0};
    bool single = false;
    batch->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (batch->folder < 0)
        return error_set_errno(error, errno, "%s", folder);
    enum error_code code = list_folder(batch->folder, &names, error);
    for (size_t i = 0; i < names.count; i++)
        single |= makes_an_item(names.items[i]);
    if (code == ERROR_NONE && single)
        return add_item(batch, TEXT(""), 0, 0, error);
    for (size_t i = 0; i < names.count && code == ERROR_NONE; i++) {
        int fd = open_below(batch->folder, names.items[i], O_RDONLY | O_DIRECTORY);
        if (fd < 0)
            continue; /* a file beside the items: a map file, a log */
        close(fd);
        code = add_item(batch, names.items[i], 0, 0, error);
    }
    return code;
}

static enum error_code
read_folder_item(struct package_batch *batch, struct package *package, struct error *error)
{
    struct saf_files files = {folder_text, folder_add, NULL, batch};
    struct names names AV_CLEANUP(names_release) = {0};
    int fd = -1;
    if (batch->request.asset_store.length > 0)
        files.add_registered = folder_add_registered;
    enum error_code code = open_item_folder(batch, &fd, error);
    if (code != ERROR_NONE)
        return code;
    code = list_folder(fd, &names, error);
    close(fd);
    if (code == ERROR_NONE && names.count > 0)
        qsort(names.items, names.count, sizeof *names.items, compare_names);
    return code == ERROR_NONE ? saf_read_item(&batch->request, &files, names.items, names.count, package, error) : code;
}

/* ---- a batch ---- */

enum error_code
package_batch_open(const struct package_request *request, const char *folder, struct package_batch **ret_batch,
                   struct error *error)
{
    struct package_batch *batch = calloc(1, sizeof *batch);
    if (batch == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for a batch");
    batch->request = *request;
    batch->folder = -1;
    enum error_code code = folder == NULL ? list_archive(batch, error) : list_batch_folder(batch, folder, error);
    if (code == ERROR_NONE && batch->count == 0)
        code = error_set(error, ERROR_INVALID, "there is no item (a directory with dublin_core.xml)");
    if (code != ERROR_NONE) {
        package_batch_free(batch);
        return code;
    }
    qsort(batch->items, batch->count, sizeof *batch->items, compare_items);
    *ret_batch = batch;
    return ERROR_NONE;
}

size_t
package_batch_count(const struct package_batch *batch)
{
    return batch->count;
}

struct text
package_batch_name(const struct package_batch *batch, size_t index)
{
    return reader_base_name(batch->items[index].folder);
}

static bool
is_in_batch(const struct package_batch *batch, struct text name)
{
    for (size_t i = 0; i < batch->count; i++)
        if (text_equal(package_batch_name(batch, i), name))
            return true;
    return false;
}

/* "relation.KEY TARGET" a line: kept as they are, where the target is an item of the batch; there are no other entities here. */
static enum error_code
check_relations(const struct package_batch *batch, const struct package *package, struct error *error)
{
    unsigned number = 0;
    for (struct text rest = package->relations; rest.data != NULL;) {
        struct text line = text_trim(reader_cut_line(rest, &rest)), target;
        number++;
        (void)text_cut(line, ' ', &target);
        if (line.length == 0)
            continue;
        if (target.data == NULL || !text_starts_with(target, TEXT("folderName:")) ||
            !is_in_batch(batch, text_trim(text_of(target.data + 11, target.length - 11))))
            return error_set(error, ERROR_UNSUPPORTED, "relationships, line %u: \"%.*s\" points at no item of this batch", number,
                             TEXT_ARG(line));
    }
    return ERROR_NONE;
}

/* Fills a package that has been begun. */
static enum error_code
read_item(struct package_batch *batch, size_t index, struct package *package, struct error *error)
{
    batch->current = index;
    package_note(package, "item \"%.*s\"", TEXT_ARG(batch->items[index].folder));
    enum error_code code = batch->unpack != NULL ? read_archive_item(batch, package, error)
                                                 : read_folder_item(batch, package, error);
    if (code == ERROR_NONE)
        code = check_relations(batch, package, error);
    return code == ERROR_NONE ? code : error_prefix(error, "item \"%.*s\"", TEXT_ARG(batch->items[index].folder));
}

enum error_code
package_batch_read(struct package_batch *batch, size_t index, struct arena *arena, struct package *ret_package,
                   struct error *error)
{
    struct package package;
    package_init(&package, arena);
    enum error_code code = upload_batch_new(batch->request.model, &batch->request.batch, error);
    if (code == ERROR_NONE)
        code = read_item(batch, index, &package, error);
    upload_batch_free(batch->request.batch); /* the uploads hold it */
    batch->request.batch = NULL;
    if (code == ERROR_NONE) {
        reader_note_contents(&package);
        code = buffer_status(&package.report, error);
    }
    if (code != ERROR_NONE) {
        package_release(&package);
        return code;
    }
    *ret_package = package;
    return ERROR_NONE;
}

void
package_batch_free(struct package_batch *batch)
{
    if (batch == NULL)
        return;
    unpack_free(batch->unpack);
    if (batch->folder >= 0)
        close(batch->folder);
    free(batch->sorted);
    free(batch->items);
    arena_release(&batch->arena);
    free(batch);
}

enum error_code
read_saf(const struct package_request *request, struct packages *packages, struct error *error)
{
    struct package_batch *batch = NULL;
    enum error_code code = package_batch_open(request, NULL, &batch, error);
    for (size_t i = 0; code == ERROR_NONE && i < batch->count; i++) {
        struct package *package = NULL;
        code = packages_add(packages, request, &package, error);
        if (code == ERROR_NONE)
            code = read_item(batch, i, package, error);
    }
    package_batch_free(batch);
    return code;
}
