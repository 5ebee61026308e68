/* SPDX-License-Identifier: Apache-2.0 */
/* Reading content, each block checked before a byte of it is given out, whole entries, and headers. */
#include "format/crc32c.h"
#include "format/hex.h"
#include "volume/store_private.h"

struct checked_read {
    struct store *store;
    const struct content_reference *reference;
    struct volume *volume;
    struct volume *sums_volume; /* NULL: sums are in the reference */
    uint64_t physical;          /* of the content */
    uint64_t sums_physical;
};

static enum error_code
sums_from_reference(const struct content_reference *reference, uint64_t block, size_t count,
                    uint32_t *sums, struct error *error)
{
    if (block + count > reference->block_sums.length / 4)
        return error_set(error, ERROR_CORRUPT, "a block of content without a checksum");
    const unsigned char *at = (const unsigned char *)reference->block_sums.data + block * 4;
    for (size_t i = 0; i < count; i++, at += 4)
        sums[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    return ERROR_NONE;
}

static bool
parse_sum(const char *line, uint32_t *ret_sum)
{
    unsigned char bytes[4];
    if (line[8] != '\n' || !hex_decode(text_of(line, 8), bytes, 4))
        return false;
    *ret_sum =
        (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
    return true;
}

enum { SUMS_AT_ONCE = 64 };

static enum error_code
sums_from_volume(const struct checked_read *read, uint64_t block, size_t count, uint32_t *sums,
                 struct error *error)
{
    char lines[SUMS_AT_ONCE * SUM_LINE_BYTES];
    enum error_code code =
        device_read_exactly(read->sums_volume->file, read->sums_physical + block * SUM_LINE_BYTES,
                            lines, count * SUM_LINE_BYTES, error);
    for (size_t i = 0; code == ERROR_NONE && i < count; i++) {
        if (!parse_sum(lines + i * SUM_LINE_BYTES, &sums[i]))
            code =
                error_set(error, ERROR_CORRUPT, "the checksums of the content at %llu are damaged",
                          (unsigned long long)read->reference->place.offset);
    }
    return code;
}

/* Reads `count` blocks from `block` on into `data` and checks them; the last may be short. */
static enum error_code
read_blocks(const struct checked_read *read, uint64_t block, size_t count, char *data,
            struct error *error)
{
    uint32_t sums[SUMS_AT_ONCE];
    uint64_t start = block * CONTENT_BLOCK_BYTES, size = read->reference->size_bytes;
    uint64_t length = size - start < (uint64_t)count * CONTENT_BLOCK_BYTES
                          ? size - start
                          : (uint64_t)count * CONTENT_BLOCK_BYTES;
    enum error_code code = read->sums_volume == NULL
                               ? sums_from_reference(read->reference, block, count, sums, error)
                               : sums_from_volume(read, block, count, sums, error);
    if (code == ERROR_NONE)
        code = device_read_exactly(read->volume->file, read->physical + start, data, (size_t)length,
                                   error);
    for (size_t i = 0; code == ERROR_NONE && i < count; i++) {
        uint64_t at = (uint64_t)i * CONTENT_BLOCK_BYTES;
        size_t part =
            length - at < CONTENT_BLOCK_BYTES ? (size_t)(length - at) : CONTENT_BLOCK_BYTES;
        if (crc32c(0, data + at, part) != sums[i])
            code = error_set(error, ERROR_CORRUPT, "the checksum of a block is wrong (byte %llu)",
                             (unsigned long long)(start + at));
    }
    return code;
}

/* A block of which only a part is wanted. */
static enum error_code
read_part(const struct checked_read *read, uint64_t offset, char *data, size_t length,
          struct error *error)
{
    char *whole = malloc(CONTENT_BLOCK_BYTES);
    if (whole == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory to read content");
    enum error_code code = read_blocks(read, offset / CONTENT_BLOCK_BYTES, 1, whole, error);
    if (code == ERROR_NONE)
        memcpy(data, whole + offset % CONTENT_BLOCK_BYTES, length);
    free(whole);
    return code;
}

static enum error_code
read_range(const struct checked_read *read, uint64_t offset, char *data, size_t length,
           struct error *error)
{
    enum error_code code = ERROR_NONE;
    while (code == ERROR_NONE && length > 0) {
        size_t within = (size_t)(offset % CONTENT_BLOCK_BYTES), done;
        uint64_t left = read->reference->size_bytes - offset; /* >= length */
        if (within == 0 && (length >= CONTENT_BLOCK_BYTES || length == left)) {
            size_t blocks = length / CONTENT_BLOCK_BYTES;
            if (length == left)
                blocks = (length + CONTENT_BLOCK_BYTES - 1) / CONTENT_BLOCK_BYTES;
            if (blocks > SUMS_AT_ONCE)
                blocks = SUMS_AT_ONCE;
            done = blocks * CONTENT_BLOCK_BYTES < length ? blocks * CONTENT_BLOCK_BYTES : length;
            code = read_blocks(read, offset / CONTENT_BLOCK_BYTES, blocks, data, error);
        } else {
            done = CONTENT_BLOCK_BYTES - within < length ? CONTENT_BLOCK_BYTES - within : length;
            code = read_part(read, offset, data, done, error);
        }
        offset += done;
        data += done;
        length -= done;
    }
    return code;
}

/* With the content's volume in use. */
static enum error_code
read_with_sums(struct checked_read *read, uint64_t offset, void *data, size_t length,
               struct error *error)
{
    const struct content_reference *reference = read->reference;
    enum error_code code =
        volume__locate(read->store, read->volume, reference->place.offset, &read->physical, error);
    /* A second use of the same volume could wait for a claim that waits for the first. */
    if (reference->sums.volume == reference->place.volume)
        read->sums_volume = read->volume;
    else if (code == ERROR_NONE && reference->sums.volume != 0)
        code = volume__use(read->store, reference->sums.volume, &read->sums_volume, error);
    if (code == ERROR_NONE && read->sums_volume != NULL)
        code = volume__locate(read->store, read->sums_volume, reference->sums.offset,
                              &read->sums_physical, error);
    if (code == ERROR_NONE)
        code = read_range(read, offset, data, length, error);
    if (read->sums_volume != NULL && read->sums_volume != read->volume)
        volume__end_use(read->store, read->sums_volume);
    return code;
}

enum error_code
store_read_content(struct store *store, const struct content_reference *reference, uint64_t offset,
                   void *data, size_t length, struct error *error)
{
    struct checked_read read = {.store = store, .reference = reference};
    if (offset > reference->size_bytes || length > reference->size_bytes - offset)
        return error_set(error, ERROR_INVALID, "a range beyond the end of the content");
    if (length == 0)
        return ERROR_NONE;
    enum error_code code = volume__use(store, reference->place.volume, &read.volume, error);
    if (code != ERROR_NONE)
        return code;
    code = read_with_sums(&read, offset, data, length, error);
    volume__end_use(store, read.volume);
    if (code != ERROR_NONE)
        error_prefix(error, "volume %llu, content at %llu",
                     (unsigned long long)reference->place.volume,
                     (unsigned long long)reference->place.offset);
    return code;
}

enum error_code
store_read_entry(struct store *store, struct place place, uint64_t size_bytes,
                 struct buffer *ret_data, struct error *error)
{
    struct volume *volume = NULL;
    uint64_t physical = 0;
    if (size_bytes > JOURNAL_ENTRY_MAX)
        return error_set(error, ERROR_LIMIT, "an entry over %llu bytes is not read whole",
                         (unsigned long long)JOURNAL_ENTRY_MAX);
    char *to = buffer_reserve(ret_data, (size_t)size_bytes);
    if (to == NULL)
        return buffer_status(ret_data, error);
    enum error_code code = volume__use(store, place.volume, &volume, error);
    if (code != ERROR_NONE)
        return code;
    code = volume__locate(store, volume, place.offset, &physical, error);
    if (code == ERROR_NONE)
        code = device_read_exactly(volume->file, physical, to, (size_t)size_bytes, error);
    volume__end_use(store, volume);
    if (code == ERROR_NONE)
        ret_data->length += (size_t)size_bytes;
    return code;
}

enum error_code
volume__read_header(struct volume *volume, uint64_t physical, uint64_t before, char path_out[TAR_PATH_MAX],
                    struct tar_found *ret_found, struct error *error)
{
    char header[TAR_HEADER_MAX];
    ensure(before <= sizeof header);
    if (physical < HEAD_BYTES + before)
        return error_set(error, ERROR_CORRUPT, "no entry can be there");
    enum error_code code = device_read_exactly(volume->file, physical - before, header, (size_t)before, error);
    if (code == ERROR_NONE)
        code = tar_parse_entry(text_of(header, (size_t)before), path_out, ret_found, error);
    if (code == ERROR_NOT_FOUND)
        return error_set(error, ERROR_CORRUPT, "zeros in the place of a tar header");
    return code;
}

enum error_code
store_read_header(struct store *store, struct place place, bool content, char *ret_path, uint64_t *ret_size_bytes,
                  struct error *error)
{
    struct volume *volume = NULL;
    struct tar_found found;
    uint64_t physical = 0, before = TAR_BLOCK_SIZE;
    enum error_code code = volume__use(store, place.volume, &volume, error);
    if (code != ERROR_NONE)
        return code;
    if (volume->bulk && content)
        before = TAR_PREAMBLE_SIZE;
    code = volume__locate(store, volume, place.offset, &physical, error);
    if (code == ERROR_NONE)
        code = volume__read_header(volume, physical, before, ret_path, &found, error);
    volume__end_use(store, volume);
    if (code == ERROR_NONE && found.header_size != before && !text_starts_with(found.entry.path, TEXT("journal/void/")))
        code = error_set(error, ERROR_CORRUPT, "no entry has its data there");
    if (code != ERROR_NONE)
        return code;
    memmove(ret_path, found.entry.path.data, found.entry.path.length);
    ret_path[found.entry.path.length] = '\0';
    *ret_size_bytes = found.entry.size;
    return ERROR_NONE;
}
