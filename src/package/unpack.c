/* SPDX-License-Identifier: Apache-2.0 */
/* The list of members and its checks; the bytes come from unpack_read.c. */
#include "package/unpack.h"

#include "base/ensure.h"
#include "package/member_name.h"
#include "package/reader.h"
#include "package/unpack_read.h"
#include "package/zip_directory.h"

#include <archive_entry.h>

enum { NAMES_BYTES_MAX = 256 << 20, RATIO_FREE_BYTES = 1 << 20 };

/* Folders have entries too; a package of them alone must end. */
static uint64_t
entries_max(const struct package_limits *limits)
{
    return limits->package_files > UINT32_MAX / 4 ? UINT32_MAX / 2 : 2 * limits->package_files + 16;
}

static enum error_code
check_sizes(const struct unpack *unpack, const struct member *member, uint64_t packed_bytes, struct error *error)
{
    const struct package_limits *limits = &unpack->request->limits;
    uint64_t packed = packed_bytes == 0 ? 1 : packed_bytes;
    if (unpack->file_count > limits->package_files)
        return error_set(error, ERROR_LIMIT, "more files than package_files (%llu) allows",
                         (unsigned long long)limits->package_files);
    if (unpack->total_bytes > limits->package_bytes)
        return error_set(error, ERROR_LIMIT, "with entry \"%.*s\" the package is over package_bytes (%llu)",
                         TEXT_ARG(member->original), (unsigned long long)limits->package_bytes);
    if (member->size_bytes > RATIO_FREE_BYTES && member->size_bytes / packed >= limits->package_ratio)
        return error_set(error, ERROR_LIMIT, "entry \"%.*s\" grows by more than package_ratio (%llu)",
                         TEXT_ARG(member->original), (unsigned long long)limits->package_ratio);
    return ERROR_NONE;
}

/* Adds what `name` says with the sizes of `member`. */
static enum error_code
add_member(struct unpack *unpack, const struct member_name *name, const struct member *sizes, struct error *error)
{
    if (unpack->count >= entries_max(&unpack->request->limits))
        return error_set(error, ERROR_LIMIT, "more entries than package_files (%llu) allows",
                         (unsigned long long)unpack->request->limits.package_files);
    if (unpack->count == unpack->capacity) {
        size_t capacity = unpack->capacity == 0 ? 64 : unpack->capacity * 2;
        struct member *grown = realloc(unpack->members, capacity * sizeof *grown);
        if (grown == NULL)
            return error_set(error, ERROR_NO_MEMORY, "no memory for the names of a package");
        unpack->members = grown;
        unpack->capacity = capacity;
    }
    struct member *member = &unpack->members[unpack->count++];
    *member = *sizes;
    member->path = name->path;
    member->original = name->original;
    member->folder |= name->folder || name->path.length == 0;
    member->guessed = name->guessed;
    if (member->folder)
        return ERROR_NONE;
    unpack->file_count++;
    if (__builtin_add_overflow(unpack->total_bytes, member->size_bytes, &unpack->total_bytes))
        unpack->total_bytes = UINT64_MAX;
    return ERROR_NONE;
}

/* ---- the list of a zip ---- */

static enum error_code
list_zip_entry(void *context, const struct zip_entry *entry, struct error *error)
{
    enum { TYPE_MASK = 0170000, TYPE_FILE = 0100000, TYPE_FOLDER = 0040000, HOST_UNIX = 3 };
    struct unpack *unpack = context;
    struct member_raw raw = {entry->name, MEMBER_CP437, entry->host != HOST_UNIX};
    struct member_name name;
    struct member sizes = {.size_bytes = entry->size_bytes, .packed_bytes = entry->packed_bytes, .crc = entry->crc,
                           .flags = entry->flags, .method = entry->method, .header_offset = entry->header_offset};
    enum error_code code = member_name(&unpack->arena, &raw, &name, error);
    if (code != ERROR_NONE)
        return code;
    unsigned type = entry->mode & TYPE_MASK;
    if (type != 0 && type != TYPE_FILE && type != TYPE_FOLDER)
        return error_set(error, ERROR_INVALID, "entry \"%.*s\" is a link or a device", TEXT_ARG(name.original));
    code = zip_check_local(&unpack->request->source, entry, &sizes.end_offset, error);
    if (code != ERROR_NONE)
        return error_prefix(error, "entry \"%.*s\"", TEXT_ARG(name.original));
    code = add_member(unpack, &name, &sizes, error);
    const struct member *member = code == ERROR_NONE ? &unpack->members[unpack->count - 1] : NULL;
    if (member != NULL && member->folder && member->size_bytes > 0)
        return error_set(error, ERROR_INVALID, "entry \"%.*s\" is a folder with content", TEXT_ARG(name.original));
    return member == NULL ? code : check_sizes(unpack, member, entry->packed_bytes, error);
}

static int
compare_offsets(const void *a, const void *b, void *context)
{
    const struct unpack *unpack = context;
    uint64_t x = unpack->members[*(const uint32_t *)a].header_offset;
    uint64_t y = unpack->members[*(const uint32_t *)b].header_offset;
    return (x > y) - (x < y);
}

/* The members by their offsets (those of a tar have none and stay as they are); data that two entries share is a bomb. */
static enum error_code
order_members(struct unpack *unpack, struct error *error)
{
    uint32_t *order = unpack->order = calloc(unpack->count + 1, sizeof *order);
    if (order == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for the names of a package");
    for (size_t i = 0; i < unpack->count; i++)
        order[i] = (uint32_t)i;
    if (unpack->zip)
        qsort_r(order, unpack->count, sizeof *order, compare_offsets, unpack);
    for (size_t i = 0; i < unpack->count; i++) {
        struct member *member = &unpack->members[order[i]];
        const struct member *before = i == 0 ? NULL : &unpack->members[order[i - 1]];
        member->place = i;
        if (before != NULL && before->end_offset > member->header_offset)
            return error_set(error, ERROR_INVALID, "entries \"%.*s\" and \"%.*s\" overlap", TEXT_ARG(before->original),
                             TEXT_ARG(member->original));
    }
    return ERROR_NONE;
}

static enum error_code
list_zip(struct unpack *unpack, struct error *error)
{
    return zip_directory_read(&unpack->request->source, entries_max(&unpack->request->limits), list_zip_entry, unpack,
                              error);
}

/* ---- the list of a tar ---- */

static enum error_code
list_tar_entry(struct unpack *unpack, struct archive_entry *entry, struct error *error)
{
    struct member_raw raw = {text_from(archive_entry_pathname(entry)), MEMBER_LATIN_1, false};
    struct member_name name;
    enum error_code code = raw.name.data == NULL
                               ? error_set(error, ERROR_INVALID, "the name of entry %zu cannot be read", unpack->count + 1)
                               : member_name(&unpack->arena, &raw, &name, error);
    if (code != ERROR_NONE)
        return code;
    unsigned type = (unsigned)archive_entry_filetype(entry);
    if (archive_entry_hardlink(entry) != NULL || (type != AE_IFREG && type != AE_IFDIR))
        return error_set(error, ERROR_INVALID, "entry \"%.*s\" is a link or a device", TEXT_ARG(name.original));
    int64_t size = type == AE_IFDIR ? 0 : archive_entry_size(entry);
    if (size < 0)
        return error_set(error, ERROR_INVALID, "entry \"%.*s\" has no size", TEXT_ARG(name.original));
    struct member sizes = {.size_bytes = (uint64_t)size, .folder = type == AE_IFDIR};
    code = add_member(unpack, &name, &sizes, error);
    if (code != ERROR_NONE)
        return code;
    /* Not packed one by one: the whole must not grow out of proportion. */
    const struct member *member = &unpack->members[unpack->count - 1];
    const struct member whole = {.original = member->original, .size_bytes = unpack->total_bytes};
    return check_sizes(unpack, &whole, unpack->request->source.size_bytes, error);
}

static enum error_code
list_tar(struct unpack *unpack, struct error *error)
{
    struct archive_entry *entry = NULL;
    enum error_code code = unpack_read__start(unpack, NULL, error);
    while (code == ERROR_NONE && (code = unpack_read__next(unpack, &entry, error)) == ERROR_NONE && entry != NULL)
        code = list_tar_entry(unpack, entry, error);
    unpack_read__end(unpack);
    return code;
}

/* ---- names as a whole ---- */

static size_t
slot_of(const struct unpack *unpack, struct text path)
{
    uint64_t hash = reader_hash(READER_HASH_START, path);
    size_t slot = (size_t)(hash ^ hash >> 32) & (unpack->slot_count - 1);
    while (unpack->slots[slot] != 0 && !text_equal(unpack->members[unpack->slots[slot] - 1].path, path))
        slot = (slot + 1) & (unpack->slot_count - 1);
    return slot;
}

struct member *
unpack_find(const struct unpack *unpack, struct text path)
{
    uint32_t index = unpack->slots[slot_of(unpack, path)];
    return index == 0 ? NULL : &unpack->members[index - 1];
}

static enum error_code
index_names(struct unpack *unpack, struct error *error)
{
    unpack->slot_count = 64;
    while (unpack->slot_count < unpack->count * 2)
        unpack->slot_count *= 2;
    unpack->slots = calloc(unpack->slot_count, sizeof *unpack->slots);
    if (unpack->slots == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for the names of a package");
    for (size_t i = 0; i < unpack->count; i++) {
        struct member *member = &unpack->members[i];
        size_t slot = slot_of(unpack, member->path);
        const struct member *other = unpack->slots[slot] == 0 ? NULL : &unpack->members[unpack->slots[slot] - 1];
        if (other == NULL)
            unpack->slots[slot] = (uint32_t)i + 1;
        else if (!member->folder || !other->folder)
            return error_set(error, ERROR_INVALID, "entries %zu (\"%.*s\") and %zu (\"%.*s\") have the same name",
                             (size_t)(other - unpack->members) + 1, TEXT_ARG(other->original), i + 1,
                             TEXT_ARG(member->original));
    }
    return ERROR_NONE;
}

/* No file may lie where another has a folder; folders that have something in them are not empty. */
static enum error_code
check_folders(struct unpack *unpack, struct error *error)
{
    for (size_t i = 0; i < unpack->count; i++)
        unpack->members[i].empty = unpack->members[i].folder;
    for (size_t i = 0; i < unpack->count; i++) {
        const struct member *member = &unpack->members[i];
        for (size_t length = member->path.length; length-- > 1;) {
            if (member->path.data[length] != '/')
                continue;
            struct member *above = unpack_find(unpack, text_of(member->path.data, length));
            if (above == NULL)
                continue;
            if (!above->folder)
                return error_set(error, ERROR_INVALID, "entry \"%.*s\" lies below \"%.*s\", which is a file",
                                 TEXT_ARG(member->original), TEXT_ARG(above->original));
            above->empty = false;
        }
    }
    return ERROR_NONE;
}

/* ---- life ---- */

enum error_code
unpack_open(const struct package_request *request, struct unpack **ret_unpack, struct error *error)
{
    struct unpack *unpack = calloc(1, sizeof *unpack);
    if (unpack == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory to unpack a package");
    unpack->request = request;
    arena_init(&unpack->arena, NAMES_BYTES_MAX);
    unpack->zip = zip_recognised(&request->source);
    enum error_code code = unpack->zip ? list_zip(unpack, error) : list_tar(unpack, error);
    if (code == ERROR_NONE)
        code = order_members(unpack, error);
    if (code == ERROR_NONE)
        code = index_names(unpack, error);
    if (code == ERROR_NONE)
        code = check_folders(unpack, error);
    if (code != ERROR_NONE) {
        unpack_free(unpack);
        return code;
    }
    *ret_unpack = unpack;
    return ERROR_NONE;
}

void
unpack_free(struct unpack *unpack)
{
    if (unpack == NULL)
        return;
    unpack_read__end(unpack);
    for (size_t i = 0; i < unpack->count; i++)
        upload_free(unpack->members[i].upload);
    free(unpack->members);
    free(unpack->order);
    free(unpack->slots);
    arena_release(&unpack->arena);
    free(unpack);
}

void
unpack_clean(struct unpack **unpack)
{
    unpack_free(*unpack);
    *unpack = NULL;
}

enum error_code
unpack_wanted(struct unpack *unpack, unsigned also, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (size_t i = 0; i < unpack->count && code == ERROR_NONE; i++) {
        struct member *member = &unpack->members[unpack->order[i]];
        if (member->wanted && !member->folder)
            code = unpack_member(unpack, member, also, error);
    }
    return code;
}

enum error_code
unpack_all(struct unpack *unpack, unsigned also, struct error *error)
{
    for (size_t i = 0; i < unpack->count; i++)
        unpack->members[i].wanted = true;
    return unpack_wanted(unpack, also, error);
}

enum error_code
unpack_text(struct unpack *unpack, struct member *member, struct buffer *ret_text, struct error *error)
{
    if (member->size_bytes > unpack->request->limits.package_metadata_bytes)
        return error_set(error, ERROR_LIMIT, "\"%.*s\" is over package_metadata_bytes (%llu)", TEXT_ARG(member->original),
                         (unsigned long long)unpack->request->limits.package_metadata_bytes);
    enum error_code code = unpack_member(unpack, member, 0, error);
    return code != ERROR_NONE ? code : reader_text_of(member->upload, ret_text, error);
}
