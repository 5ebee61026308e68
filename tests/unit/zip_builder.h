/* SPDX-License-Identifier: Apache-2.0 */
/* Zips built in memory by hand, so that each of their fields can lie. Life: {0} - zip_add()... - zip_end(). */
#ifndef ARCHIVOLT_TESTS_ZIP_BUILDER_H
#define ARCHIVOLT_TESTS_ZIP_BUILDER_H

#include "base/buffer.h"

struct zip_part {
    const char *name;
    const void *data;
    size_t length;
    const char *local_name;       /* NULL: the same */
    bool utf8, encrypted;
    unsigned host, mode, method;  /* host 0: DOS */
    bool descriptor;              /* sizes follow the data */
    bool wide;                    /* zip64 fields */
    uint32_t crc_xor;             /* a wrong checksum, in both headers */
    int64_t size_more;            /* the declared size is so much more, in both headers */
};

struct zip {
    struct buffer bytes, directory;
    unsigned entries;
};

static inline uint32_t
fixture_crc32(const void *data, size_t length)
{
    uint32_t crc = UINT32_MAX;
    const unsigned char *at = data;
    for (size_t i = 0; i < length; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
    }
    return ~crc;
}

static inline void
put_little(struct buffer *buffer, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        buffer_append_char(buffer, (char)(value >> 8 * i));
}

static inline void
put_common(struct buffer *out, const struct zip_part *part, bool local)
{
    uint64_t size = part->length + (uint64_t)part->size_more;
    bool later = local && part->descriptor;
    put_little(out, part->wide ? 45 : 20, 2);
    put_little(out, (part->utf8 ? 1u << 11 : 0) | (part->descriptor ? 8u : 0) | (part->encrypted ? 1u : 0), 2);
    put_little(out, part->method, 2);
    put_little(out, 0, 4);
    put_little(out, later ? 0 : fixture_crc32(part->data, part->length) ^ part->crc_xor, 4);
    put_little(out, later ? 0 : part->wide ? UINT32_MAX : part->length, 4);
    put_little(out, later ? 0 : part->wide ? UINT32_MAX : size, 4);
}

static inline void
put_wide(struct buffer *out, const struct zip_part *part)
{
    put_little(out, 1, 2);
    put_little(out, 16, 2);
    put_little(out, part->length + (uint64_t)part->size_more, 8);
    put_little(out, part->length, 8);
}

static inline void
zip_add(struct zip *zip, struct zip_part part)
{
    struct buffer *d = &zip->directory, *l = &zip->bytes;
    size_t at = l->length, name = strlen(part.name);
    const char *local_name = part.local_name == NULL ? part.name : part.local_name;
    put_little(l, 0x04034b50, 4);
    put_common(l, &part, true);
    put_little(l, strlen(local_name), 2);
    put_little(l, part.wide ? 20 : 0, 2);
    buffer_append_string(l, local_name);
    if (part.wide)
        put_wide(l, &part);
    buffer_append(l, part.data, part.length);
    if (part.descriptor) {
        put_little(l, 0x08074b50, 4);
        put_little(l, fixture_crc32(part.data, part.length), 4);
        put_little(l, part.length, 4);
        put_little(l, part.length, 4);
    }
    put_little(d, 0x02014b50, 4);
    put_little(d, part.host << 8 | 20, 2);
    put_common(d, &part, false);
    put_little(d, name, 2);
    put_little(d, part.wide ? 20 : 0, 2);
    put_little(d, 0, 2 + 2 + 2);
    put_little(d, (uint64_t)part.mode << 16, 4);
    put_little(d, at, 4);
    buffer_append_string(d, part.name);
    if (part.wide)
        put_wide(d, &part);
    zip->entries++;
}

/* A plain file. */
static inline void
zip_file(struct zip *zip, const char *name, const char *content)
{
    zip_add(zip, (struct zip_part){.name = name, .data = content, .length = strlen(content), .host = 3, .mode = 0100644});
}

/* The whole; `zip` is empty after it. `entries`: what the end record counts. */
static inline struct buffer
zip_end_counting(struct zip *zip, unsigned entries)
{
    size_t at = zip->bytes.length;
    buffer_append_text(&zip->bytes, buffer_text(&zip->directory));
    put_little(&zip->bytes, 0x06054b50, 4);
    put_little(&zip->bytes, 0, 4);
    put_little(&zip->bytes, entries, 2);
    put_little(&zip->bytes, entries, 2);
    put_little(&zip->bytes, zip->directory.length, 4);
    put_little(&zip->bytes, at, 4);
    put_little(&zip->bytes, 0, 2);
    struct buffer whole = zip->bytes;
    buffer_release(&zip->directory);
    *zip = (struct zip){0};
    return whole;
}

static inline struct buffer
zip_end(struct zip *zip)
{
    return zip_end_counting(zip, zip->entries);
}

#endif
