/* SPDX-License-Identifier: Apache-2.0 */
/* struct package itself, the packagings and their readers. */
#include "package/package.h"

#include "package/reader.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

/* ---- packagings ---- */

struct packaging_names {
    const char *word, *uri, *uri_1;
};
static const struct packaging_names packagings[PACKAGING_COUNT] = {
#define X(name, word, uri, uri_1) {word, uri, uri_1},
    PACKAGINGS(X)
#undef X
};

static package_reader *const readers[PACKAGING_COUNT] = {
    [PACKAGING_BINARY] = read_binary,   [PACKAGING_SIMPLE_ZIP] = read_simple_zip,
    [PACKAGING_METS] = read_mets,       [PACKAGING_BAGIT] = read_bagit,
    [PACKAGING_SWORD_BAGIT] = read_sword_bagit, [PACKAGING_EPRINTS] = read_eprints,
    [PACKAGING_SAF] = read_saf,
};

const char *
packaging_word(enum packaging packaging)
{
    return packagings[packaging].word;
}

const char *
packaging_uri(enum packaging packaging)
{
    return packagings[packaging].uri;
}

const char *
packaging_uri_1(enum packaging packaging)
{
    const struct packaging_names *names = &packagings[packaging];
    return names->uri_1[0] != '\0' ? names->uri_1 : names->uri;
}

static struct text
last_segment(const char *uri)
{
    const char *slash = strrchr(uri, '/');
    return text_from(slash == NULL ? uri : slash + 1);
}

bool
packaging_from_text(struct text text, enum packaging *ret_packaging)
{
    /* SWORD 3 moved the names of SWORD 2 to a folder of its own. */
    static const struct text sword_3 = {"http://purl.org/net/sword/3.0/package/", 38};
    if (text.length == 0)
        return false;
    for (unsigned i = 0; i < PACKAGING_COUNT; i++) {
        const struct packaging_names *names = &packagings[i];
        struct text bare = i == PACKAGING_EPRINTS ? TEXT("") : last_segment(names->uri);
        struct text in_sword_3 = text;
        if (text_starts_with(text, sword_3))
            in_sword_3 = text_of(text.data + sword_3.length, text.length - sword_3.length);
        if (text_equal(text, text_from(names->uri)) || text_equal(text, text_from(names->uri_1)) ||
            text_equal(text, text_from(names->word)) || (bare.length > 0 && text_equal(in_sword_3, bare))) {
            *ret_packaging = (enum packaging)i;
            return true;
        }
    }
    return false;
}

struct package_limits
package_limits_default(void)
{
    return (struct package_limits){
#define X(key, value, help) .key = value,
        PACKAGE_LIMITS(X)
#undef X
    };
}

/* ---- sources ---- */

static enum error_code
read_upload(void *context, uint64_t offset, void *data, size_t length, struct error *error)
{
    return upload_read(context, offset, data, length, error);
}

struct package_source
package_source_of_upload(struct upload *upload)
{
    return (struct package_source){upload_size(upload), read_upload, upload};
}

static enum error_code
read_file(void *context, uint64_t offset, void *data, size_t length, struct error *error)
{
    int fd = (int)(intptr_t)context;
    for (char *at = data; length > 0;) {
        ssize_t got = pread(fd, at, length, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(error, errno, "the package cannot be read");
        if (got == 0)
            return error_set(error, ERROR_IO, "the package became shorter while it was read");
        at += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return ERROR_NONE;
}

struct package_source
package_source_of_file(int fd, uint64_t size_bytes)
{
    return (struct package_source){size_bytes, read_file, (void *)(intptr_t)fd};
}

/* ---- a package ---- */

void
package_init(struct package *package, struct arena *arena)
{
    *package = (struct package){.arena = arena};
    fields_init(&package->fields, arena);
}

void
package_release(struct package *package)
{
    for (size_t i = 0; i < package->file_count; i++)
        upload_free(package->files[i].upload);
    free(package->files);
    free(package->by_path);
    buffer_release(&package->report);
    package->files = NULL;
    package->by_path = NULL;
    package->file_count = package->file_capacity = package->slot_count = 0;
}

void
package_note(struct package *package, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    buffer_append_string(&package->report, line);
    buffer_append_char(&package->report, '\n');
}

/* ---- files by bundle and path: found at once, however many there are ---- */

static size_t
slot_of(const struct package *package, struct text bundle, struct text path)
{
    uint64_t hash = reader_hash(reader_hash(READER_HASH_START, bundle), path);
    size_t slot = (size_t)(hash ^ hash >> 32) & (package->slot_count - 1);
    for (; package->by_path[slot] != 0; slot = (slot + 1) & (package->slot_count - 1)) {
        const struct package_file *other = &package->files[package->by_path[slot] - 1];
        if (text_equal(other->bundle, bundle) && text_equal(other->path, path))
            break;
    }
    return slot;
}

bool
package_has_file(const struct package *package, struct text bundle, struct text path)
{
    return package->slot_count > 0 && package->by_path[slot_of(package, bundle, path)] != 0;
}

static enum error_code
grow_files(struct package *package, struct error *error)
{
    size_t capacity = package->file_capacity == 0 ? 16 : package->file_capacity * 2;
    struct package_file *files = realloc(package->files, capacity * sizeof *files);
    uint32_t *slots = calloc(capacity * 2, sizeof *slots);
    if (files != NULL)
        package->files = files;
    if (files == NULL || slots == NULL) {
        free(slots);
        return error_set(error, ERROR_NO_MEMORY, "no memory for the files of a package");
    }
    free(package->by_path);
    package->by_path = slots;
    package->slot_count = capacity * 2;
    package->file_capacity = capacity;
    for (size_t i = 0; i < package->file_count; i++)
        slots[slot_of(package, package->files[i].bundle, package->files[i].path)] = (uint32_t)i + 1;
    return ERROR_NONE;
}

enum error_code
package_add_file(struct package *package, const struct package_file *file, struct error *error)
{
    struct arena *arena = package->arena;
    enum error_code code = ERROR_NONE;
    if (package->file_count == package->file_capacity)
        code = grow_files(package, error);
    if (code != ERROR_NONE)
        return code;
    size_t slot = slot_of(package, file->bundle, file->path);
    if (package->by_path[slot] != 0) {
        const struct package_file *other = &package->files[package->by_path[slot] - 1];
        const struct text *a = other->original_name.length > 0 ? &other->original_name : &other->path;
        const struct text *b = file->original_name.length > 0 ? &file->original_name : &file->path;
        return error_set(error, ERROR_EXISTS, "\"%.*s\" and \"%.*s\" are both file \"%.*s\" in bundle %.*s", TEXT_ARG(*a),
                         TEXT_ARG(*b), TEXT_ARG(file->path), TEXT_ARG(file->bundle));
    }
    struct package_file copy = *file;
    copy.bundle = arena_copy(arena, file->bundle);
    copy.path = arena_copy(arena, file->path);
    copy.original_name = arena_copy(arena, file->original_name);
    copy.media_type = arena_copy(arena, file->media_type);
    copy.description = arena_copy(arena, file->description);
    copy.group = arena_copy(arena, file->group);
    code = arena_status(arena, error);
    if (code != ERROR_NONE)
        return code;
    package->files[package->file_count++] = copy;
    package->by_path[slot] = (uint32_t)package->file_count;
    return ERROR_NONE;
}

/* ---- reading ---- */

enum error_code
package_upload(const struct package_request *request, unsigned also, struct upload **ret_upload, struct error *error)
{
    enum error_code code = upload_begin(request->model, request->also | also, ret_upload, error);
    if (code == ERROR_NONE)
        upload_share(*ret_upload, request->batch);
    return code;
}

enum error_code
packages_add(struct packages *packages, const struct package_request *request, struct package **ret_package,
             struct error *error)
{
    if (packages->count == packages->capacity) {
        size_t capacity = packages->capacity == 0 ? 2 : packages->capacity * 2;
        struct package *grown = realloc(packages->items, capacity * sizeof *grown);
        if (grown == NULL)
            return error_set(error, ERROR_NO_MEMORY, "no memory for a package");
        packages->items = grown;
        packages->capacity = capacity;
    }
    *ret_package = &packages->items[packages->count++];
    package_init(*ret_package, request->arena);
    return ERROR_NONE;
}

void
packages_release(struct packages *packages)
{
    for (size_t i = 0; i < packages->count; i++)
        package_release(&packages->items[i]);
    free(packages->items);
    *packages = (struct packages){0};
}

enum error_code
package_read_all(const struct package_request *request, struct packages *ret_packages, struct error *error)
{
    struct packages packages = {0};
    struct package_request own = *request;
    enum error_code code = upload_batch_new(request->model, &own.batch, error);
    if (code == ERROR_NONE)
        code = readers[request->packaging](&own, &packages, error);
    upload_batch_free(own.batch); /* the uploads hold it */
    if (code == ERROR_NONE && packages.count == 0)
        code = error_set(error, ERROR_INVALID, "there is nothing in the package");
    for (size_t i = 0; i < packages.count && code == ERROR_NONE; i++) {
        reader_note_contents(&packages.items[i]);
        code = buffer_status(&packages.items[i].report, error);
    }
    if (code != ERROR_NONE) {
        packages_release(&packages);
        return code;
    }
    *ret_packages = packages;
    return ERROR_NONE;
}

enum error_code
package_read(const struct package_request *request, struct package *ret_package, struct error *error)
{
    struct packages packages = {0};
    enum error_code code = package_read_all(request, &packages, error);
    if (code != ERROR_NONE)
        return code;
    if (packages.count > 1) {
        code = error_set(error, ERROR_INVALID, "%zu packages where one is expected", packages.count);
        packages_release(&packages);
        return code;
    }
    *ret_package = packages.items[0];
    free(packages.items);
    return ERROR_NONE;
}
