/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC32C of each 64 KiB block of content that passes by. A few bytes a block, but an upload has no
 * limit: past sums_memory_bytes they go to a spool file in lost+found, which is removed at the end.
 */
#include "format/crc32c.h"
#include "volume/store_private.h"

static void
end_block(struct block_sums *sums)
{
    buffer_append_be(&sums->recent, sums->crc, 4);
    sums->crc = 0;
    sums->crc_length = 0;
}

void
block_sums__add(struct block_sums *sums, const char *data, size_t length)
{
    while (length > 0) {
        size_t part = CONTENT_BLOCK_BYTES - sums->crc_length;
        if (part > length)
            part = length;
        sums->crc = crc32c(sums->crc, data, part);
        sums->crc_length += part;
        if (sums->crc_length == CONTENT_BLOCK_BYTES)
            end_block(sums);
        data += part;
        length -= part;
    }
}

void
block_sums__end(struct block_sums *sums)
{
    if (sums->crc_length > 0)
        end_block(sums);
}

uint64_t
block_sums__text_bytes(const struct block_sums *sums)
{
    return sums->spooled_bytes + sums->recent.length / 4 * SUM_LINE_BYTES;
}

static void
append_lines(const struct block_sums *sums, struct buffer *out)
{
    for (size_t i = 0; i + 4 <= sums->recent.length; i += 4) {
        buffer_append_hex(out, sums->recent.data + i, 4);
        buffer_append_char(out, '\n');
    }
}

/* ---- the spool ---- */

static enum error_code
open_spool(struct block_sums *sums, struct store *store, struct place place, struct error *error)
{
    if (sums->spool != NULL)
        return ERROR_NONE;
    snprintf(sums->spool_name, sizeof sums->spool_name, "sums-%llu-%llu.spool",
             (unsigned long long)place.volume, (unsigned long long)place.offset);
    lock_take(&store->names);
    enum error_code code = device_open_file(store->options.lost_and_found, sums->spool_name,
                                            DEVICE_CREATE, &sums->spool, error);
    lock_give(&store->names);
    return code;
}

enum error_code
block_sums__spool(struct block_sums *sums, struct store *store, struct place place,
                  struct error *error)
{
    struct buffer lines AV_CLEANUP(buffer_release) = {0};
    if (sums->recent.length < store->options.sums_memory_bytes)
        return ERROR_NONE;
    append_lines(sums, &lines);
    enum error_code code = buffer_status(&lines, error);
    if (code == ERROR_NONE)
        code = open_spool(sums, store, place, error);
    if (code == ERROR_NONE)
        code = store__write(sums->spool, sums->spooled_bytes, lines.data, lines.length, error);
    if (code != ERROR_NONE)
        return code;
    sums->spooled_bytes += lines.length;
    buffer_clear(&sums->recent);
    return ERROR_NONE;
}

static enum error_code
copy_spool(const struct block_sums *sums, struct device_file *file, uint64_t offset,
           struct digest_stream *stream, struct error *error)
{
    enum error_code code = ERROR_NONE;
    char *chunk = malloc(COPY_CHUNK_BYTES);
    ensure(chunk != NULL);
    for (uint64_t at = 0; code == ERROR_NONE && at < sums->spooled_bytes;) {
        uint64_t left = sums->spooled_bytes - at;
        size_t part = left < COPY_CHUNK_BYTES ? (size_t)left : COPY_CHUNK_BYTES;
        code = device_read_exactly(sums->spool, at, chunk, part, error);
        if (code == ERROR_NONE) {
            digest_stream_update(stream, chunk, part);
            code = store__write(file, offset + at, chunk, part, error);
        }
        at += part;
    }
    free(chunk);
    return code;
}

enum error_code
block_sums__write(struct block_sums *sums, struct device_file *file, uint64_t offset,
                  unsigned char ret_sha256[SHA256_BYTES], struct error *error)
{
    struct digest_stream stream = {0};
    struct buffer lines AV_CLEANUP(buffer_release) = {0};
    uint64_t total = block_sums__text_bytes(sums);
    append_lines(sums, &lines);
    digest_stream_init(&stream, DIGEST_SHA256);
    enum error_code code = copy_spool(sums, file, offset, &stream, error);
    digest_stream_update(&stream, lines.data == NULL ? "" : lines.data, lines.length);
    digest_stream_finish(&stream, ret_sha256);
    digest_stream_release(&stream);
    buffer_append_zeros(&lines, (size_t)(tar_padded(total) - total));
    if (code == ERROR_NONE)
        code = buffer_status(&lines, error);
    if (code == ERROR_NONE)
        code = store__write(file, offset + sums->spooled_bytes, lines.data, lines.length, error);
    return code;
}

void
block_sums__release(struct block_sums *sums, struct store *store)
{
    buffer_release(&sums->recent);
    if (sums->spool == NULL)
        return;
    struct device *device = store->options.lost_and_found;
    device_close_file(sums->spool);
    sums->spool = NULL;
    lock_take(&store->names);
    enum error_code ignored = device->operations->remove(device, sums->spool_name, NULL);
    (void)ignored; /* opening removes what is left */
    lock_give(&store->names);
}

/* ---- at opening ---- */

struct found_spool {
    char name[64];
};

static bool
find_spool(void *context, const char *name, uint64_t size_bytes)
{
    struct found_spool *found = context;
    struct text text = text_from(name);
    (void)size_bytes;
    if (!text_starts_with(text, TEXT("sums-")) || !text_ends_with(text, TEXT(".spool")) ||
        text.length >= sizeof found->name)
        return true;
    memcpy(found->name, name, text.length + 1);
    return false;
}

enum error_code
content__remove_spools(struct device *device, struct error *error)
{
    enum error_code code = ERROR_NONE;
    while (code == ERROR_NONE) {
        struct found_spool found = {{0}};
        code = device->operations->list(device, find_spool, &found, error);
        if (code != ERROR_NONE || found.name[0] == '\0')
            break;
        code = device->operations->remove(device, found.name, error);
    }
    return code;
}
