/* SPDX-License-Identifier: Apache-2.0 */
#include "package/zip_directory.h"

enum {
    END_BYTES = 22,
    END64_BYTES = 56,
    LOCATOR64_BYTES = 20,
    CENTRAL_BYTES = 46,
    LOCAL_BYTES = 30,
    COMMENT_MAX = 65535,
    FLAG_ENCRYPTED = 1,
    FLAG_UTF8 = 1 << 11,
    HOST_UNIX = 3,
    HOST_MACINTOSH = 19,
    EXTRA_ZIP64 = 1
};
#define SIGNATURE_LOCAL 0x04034b50u
#define SIGNATURE_CENTRAL 0x02014b50u
#define SIGNATURE_END 0x06054b50u
#define SIGNATURE_END64 0x06064b50u
#define SIGNATURE_LOCATOR64 0x07064b50u
#define DIRECTORY_BYTES_MAX (256u << 20)

struct directory {
    uint64_t entries, size_bytes, offset;
    uint64_t shift; /* bytes before the archive that its offsets do not count */
};

static uint64_t
little(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i > 0; i--)
        value = value << 8 | at[i - 1];
    return value;
}

static enum error_code
read_source(const struct package_source *source, uint64_t offset, void *data, size_t length, struct error *error)
{
    if (offset > source->size_bytes || length > source->size_bytes - offset)
        return error_set(error, ERROR_INVALID, "the zip is cut off");
    return source->read(source->context, offset, data, length, error);
}

bool
zip_recognised(const struct package_source *source)
{
    unsigned char start[4];
    if (source->size_bytes < END_BYTES || source->read(source->context, 0, start, sizeof start, NULL) != ERROR_NONE)
        return false;
    return little(start, 4) == SIGNATURE_LOCAL || little(start, 4) == SIGNATURE_END;
}

/* ---- the end of the archive ---- */

/* The last end record whose comment reaches exactly to the end of the file. */
static bool
find_end(const unsigned char *tail, size_t length, size_t *ret_at)
{
    for (size_t at = length - END_BYTES + 1; at-- > 0;) {
        if (little(tail + at, 4) == SIGNATURE_END && at + END_BYTES + little(tail + at + 20, 2) == length) {
            *ret_at = at;
            return true;
        }
    }
    return false;
}

/* Some write the 64-bit records although nothing needs them: then they count, too. */
static bool
has_locator64(const struct package_source *source, uint64_t end_at)
{
    unsigned char signature[4];
    return end_at >= LOCATOR64_BYTES &&
           read_source(source, end_at - LOCATOR64_BYTES, signature, sizeof signature, NULL) == ERROR_NONE &&
           little(signature, 4) == SIGNATURE_LOCATOR64;
}

static enum error_code
read_end64(const struct package_source *source, uint64_t end_at, struct directory *directory, uint64_t *ret_at,
           struct error *error)
{
    unsigned char locator[LOCATOR64_BYTES], end[END64_BYTES];
    if (end_at < LOCATOR64_BYTES)
        return error_set(error, ERROR_INVALID, "the zip's end record points nowhere");
    enum error_code code = read_source(source, end_at - LOCATOR64_BYTES, locator, sizeof locator, error);
    if (code != ERROR_NONE)
        return code;
    if (little(locator, 4) != SIGNATURE_LOCATOR64)
        return error_set(error, ERROR_INVALID, "the zip64 locator is missing");
    if (little(locator + 16, 4) > 1)
        return error_set(error, ERROR_UNSUPPORTED, "a zip in several parts");
    *ret_at = little(locator + 8, 8);
    code = read_source(source, *ret_at, end, sizeof end, error);
    if (code != ERROR_NONE)
        return code;
    if (little(end, 4) != SIGNATURE_END64)
        return error_set(error, ERROR_INVALID, "the zip64 end record is missing");
    directory->entries = little(end + 32, 8);
    directory->size_bytes = little(end + 40, 8);
    directory->offset = little(end + 48, 8);
    return ERROR_NONE;
}

static enum error_code
read_end(const struct package_source *source, struct directory *directory, struct error *error)
{
    size_t length = source->size_bytes < END_BYTES + COMMENT_MAX ? (size_t)source->size_bytes : END_BYTES + COMMENT_MAX;
    size_t at = 0;
    if (length < END_BYTES)
        return error_set(error, ERROR_INVALID, "not a zip");
    unsigned char *tail = malloc(length);
    if (tail == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory to read a zip");
    enum error_code code = read_source(source, source->size_bytes - length, tail, length, error);
    if (code == ERROR_NONE && !find_end(tail, length, &at))
        code = error_set(error, ERROR_INVALID, "the end of the zip is missing: it may be cut off");
    uint64_t end_at = source->size_bytes - length + at;
    if (code == ERROR_NONE) {
        const unsigned char *end = tail + at;
        bool zip64 = little(end + 10, 2) == 0xffff || little(end + 12, 4) == 0xffffffff ||
                     little(end + 16, 4) == 0xffffffff || has_locator64(source, end_at);
        if (little(end + 4, 2) != little(end + 6, 2) || (little(end + 4, 2) != 0 && little(end + 4, 2) != 0xffff))
            code = error_set(error, ERROR_UNSUPPORTED, "a zip in several parts");
        *directory = (struct directory){.entries = little(end + 10, 2), .size_bytes = little(end + 12, 4),
                                        .offset = little(end + 16, 4)};
        if (code == ERROR_NONE && zip64)
            code = read_end64(source, end_at, directory, &end_at, error);
    }
    free(tail);
    if (code != ERROR_NONE)
        return code;
    if (directory->size_bytes > end_at || directory->offset > end_at - directory->size_bytes)
        return error_set(error, ERROR_INVALID, "the zip's directory does not lie within it");
    directory->shift = end_at - directory->size_bytes - directory->offset;
    return ERROR_NONE;
}

/* ---- entries ---- */

/* Takes the 64-bit values from the extra field, in the order of those that are 0xffffffff in the header. */
static bool
read_extra64(struct text extra, uint64_t *const values[], size_t count)
{
    const unsigned char *at = (const unsigned char *)extra.data;
    size_t left = extra.length, wanted = 0;
    for (size_t i = 0; i < count; i++)
        wanted += *values[i] == 0xffffffff;
    if (wanted == 0)
        return true;
    while (left >= 4) {
        size_t id = (size_t)little(at, 2), size = (size_t)little(at + 2, 2);
        if (size > left - 4)
            return false;
        if (id == EXTRA_ZIP64) {
            const unsigned char *value = at + 4;
            if (size < wanted * 8)
                return false;
            for (size_t i = 0; i < count; i++) {
                if (*values[i] == 0xffffffff) {
                    *values[i] = little(value, 8);
                    value += 8;
                }
            }
            return true;
        }
        at += 4 + size;
        left -= 4 + size;
    }
    return false;
}

/* Those that libarchive unpacks: stored, deflate, bzip2, LZMA, Zstandard, xz, PPMd. */
static bool
method_is_known(unsigned method)
{
    static const unsigned char methods[] = {0, 8, 12, 14, 93, 95, 98};
    return memchr(methods, (int)method, sizeof methods) != NULL && method < 256;
}

static enum error_code
parse_central(const unsigned char *at, size_t left, const struct directory *directory, struct zip_entry *entry,
              size_t *ret_length, struct error *error)
{
    if (left < CENTRAL_BYTES || little(at, 4) != SIGNATURE_CENTRAL)
        return error_set(error, ERROR_INVALID, "the zip's directory is damaged");
    size_t name = (size_t)little(at + 28, 2), extra = (size_t)little(at + 30, 2), comment = (size_t)little(at + 32, 2);
    unsigned flags = (unsigned)little(at + 8, 2), method = (unsigned)little(at + 10, 2);
    *ret_length = CENTRAL_BYTES + name + extra + comment;
    if (left < *ret_length)
        return error_set(error, ERROR_INVALID, "the zip's directory is damaged");
    *entry = (struct zip_entry){.name = text_of((const char *)at + CENTRAL_BYTES, name),
                                .utf8 = (flags & FLAG_UTF8) != 0, .host = at[5], .flags = flags, .method = method,
                                .crc = (uint32_t)little(at + 16, 4), .packed_bytes = little(at + 20, 4),
                                .size_bytes = little(at + 24, 4), .header_offset = little(at + 42, 4)};
    if (entry->host == HOST_UNIX || entry->host == HOST_MACINTOSH)
        entry->mode = (unsigned)little(at + 40, 2);
    uint64_t *const wide[] = {&entry->size_bytes, &entry->packed_bytes, &entry->header_offset};
    if (!read_extra64(text_of((const char *)at + CENTRAL_BYTES + name, extra), wide, 3))
        return error_set(error, ERROR_INVALID, "the zip64 field of an entry is damaged");
    if ((flags & FLAG_ENCRYPTED) != 0)
        return error_set(error, ERROR_UNSUPPORTED, "an entry is encrypted");
    if (!method_is_known(method))
        return error_set(error, ERROR_UNSUPPORTED, "an entry is packed by method %u", method);
    if (entry->header_offset > directory->offset)
        return error_set(error, ERROR_INVALID, "an entry does not lie within the zip");
    entry->header_offset += directory->shift;
    return ERROR_NONE;
}

static enum error_code
visit_entries(const unsigned char *bytes, const struct directory *directory, zip_visit *visit, void *context,
              struct error *error)
{
    size_t left = (size_t)directory->size_bytes;
    for (uint64_t i = 0; i < directory->entries; i++) {
        struct zip_entry entry;
        size_t length = 0;
        enum error_code code = parse_central(bytes, left, directory, &entry, &length, error);
        if (code == ERROR_NONE)
            code = visit(context, &entry, error);
        else
            error_prefix(error, "entry %llu of the zip", (unsigned long long)i + 1);
        if (code != ERROR_NONE)
            return code;
        bytes += length;
        left -= length;
    }
    if (left > 0)
        return error_set(error, ERROR_INVALID, "the zip's directory holds more than the %llu entries that it counts",
                         (unsigned long long)directory->entries);
    return ERROR_NONE;
}

enum error_code
zip_directory_read(const struct package_source *source, uint64_t entries_max, zip_visit *visit, void *context,
                   struct error *error)
{
    struct directory directory;
    enum error_code code = read_end(source, &directory, error);
    if (code != ERROR_NONE)
        return code;
    if (directory.entries > entries_max || directory.size_bytes > DIRECTORY_BYTES_MAX)
        return error_set(error, ERROR_LIMIT, "a zip of %llu entries is over package_files",
                         (unsigned long long)directory.entries);
    if (directory.size_bytes / CENTRAL_BYTES < directory.entries)
        return error_set(error, ERROR_INVALID, "the zip's directory is too short for its entries");
    unsigned char *bytes = malloc((size_t)directory.size_bytes + 1);
    if (bytes == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory to read a zip");
    code = read_source(source, directory.offset + directory.shift, bytes, (size_t)directory.size_bytes, error);
    if (code == ERROR_NONE)
        code = visit_entries(bytes, &directory, visit, context, error);
    free(bytes);
    return code;
}

/* A value of a local header: 0 (it follows the data) and 0xffffffff (it is in the extra field) say nothing. */
static bool
agrees(uint64_t local, uint64_t central)
{
    return local == 0 || local == 0xffffffff || local == central;
}

enum error_code
zip_check_local(const struct package_source *source, const struct zip_entry *entry, uint64_t *ret_end,
                struct error *error)
{
    unsigned char header[LOCAL_BYTES];
    char *name = NULL;
    enum error_code code = read_source(source, entry->header_offset, header, sizeof header, error);
    if (code != ERROR_NONE)
        return code;
    if (little(header, 4) != SIGNATURE_LOCAL)
        return error_set(error, ERROR_INVALID, "its local header is not where the directory says");
    size_t name_length = (size_t)little(header + 26, 2), extra_length = (size_t)little(header + 28, 2);
    uint64_t start = entry->header_offset + LOCAL_BYTES + name_length + extra_length;
    bool same = name_length == entry->name.length && agrees(little(header + 14, 4), entry->crc) &&
                agrees(little(header + 18, 4), entry->packed_bytes) &&
                agrees(little(header + 22, 4), entry->size_bytes);
    if (same && name_length > 0) {
        name = malloc(name_length);
        if (name == NULL)
            return error_set(error, ERROR_NO_MEMORY, "no memory to read a zip");
        code = read_source(source, entry->header_offset + LOCAL_BYTES, name, name_length, error);
        same = code == ERROR_NONE && memcmp(name, entry->name.data, name_length) == 0;
        free(name);
    }
    if (code != ERROR_NONE)
        return code;
    if (!same)
        return error_set(error, ERROR_INVALID, "its local header and the zip's directory do not agree");
    if (start > source->size_bytes || entry->packed_bytes > source->size_bytes - start)
        return error_set(error, ERROR_INVALID, "it is cut off");
    *ret_end = start + entry->packed_bytes;
    return ERROR_NONE;
}

/* ---- a zip of one entry ---- */

static unsigned char *
put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        *at++ = (unsigned char)(value >> 8 * i);
    return at;
}

size_t
zip_write_tail(const struct zip_entry *entry, uint64_t entry_bytes, unsigned char out[ZIP_TAIL_BYTES_MAX])
{
    enum { VERSION_ZIP64 = 45, NAME_BYTES = 1, EXTRA_BYTES = 4 + 16, REGULAR_FILE = 0100644 };
    const unsigned directory_bytes = CENTRAL_BYTES + NAME_BYTES + EXTRA_BYTES;
    unsigned char *at = put(out, SIGNATURE_CENTRAL, 4);
    at = put(at, HOST_UNIX << 8 | VERSION_ZIP64, 2);
    at = put(at, VERSION_ZIP64, 2);
    at = put(at, entry->flags, 2);
    at = put(at, entry->method, 2);
    at = put(at, 0, 4);
    at = put(at, entry->crc, 4);
    at = put(at, UINT32_MAX, 4);
    at = put(at, UINT32_MAX, 4);
    at = put(at, NAME_BYTES, 2);
    at = put(at, EXTRA_BYTES, 2);
    at = put(at, 0, 2 + 2 + 2);
    at = put(at, (uint64_t)REGULAR_FILE << 16, 4);
    at = put(at, 0, 4); /* the entry begins the archive */
    at = put(at, 'x', NAME_BYTES);
    at = put(at, EXTRA_ZIP64, 2);
    at = put(at, 16, 2);
    at = put(at, entry->size_bytes, 8);
    at = put(at, entry->packed_bytes, 8);
    at = put(at, SIGNATURE_END64, 4);
    at = put(at, END64_BYTES - 12, 8);
    at = put(at, VERSION_ZIP64 | VERSION_ZIP64 << 16, 4);
    at = put(at, 0, 8);
    at = put(at, 1, 8);
    at = put(at, 1, 8);
    at = put(at, directory_bytes, 8);
    at = put(at, entry_bytes, 8);
    at = put(at, SIGNATURE_LOCATOR64, 4);
    at = put(at, 0, 4);
    at = put(at, entry_bytes + directory_bytes, 8);
    at = put(at, 1, 4);
    at = put(at, SIGNATURE_END, 4);
    at = put(at, 0, 4);
    at = put(at, 1, 2);
    at = put(at, 1, 2);
    at = put(at, directory_bytes, 4);
    at = put(at, entry_bytes < UINT32_MAX ? entry_bytes : UINT32_MAX, 4);
    at = put(at, 0, 2);
    return (size_t)(at - out);
}
