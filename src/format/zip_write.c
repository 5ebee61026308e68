/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a zip: see zip_write.h. */
#include "format/zip_write.h"

#include "base/ensure.h"

#include <pthread.h>

#define WIDE UINT32_MAX      /* "look in the zip64 field" */
#define FLAGS 0x0808u        /* the checksum follows the data; the name is UTF-8 */
#define FIRST_DAY 0x0021u    /* 1980-01-01 */
#define ZIP64_ID 0x0001u

static void
put(struct buffer *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        buffer_append_char(out, (char)(value >> 8 * i & 0xFF));
}

static bool
is_wide(const struct zip_record *record)
{
    return record->size_bytes >= WIDE;
}

static uint64_t
narrow(uint64_t value)
{
    return value < WIDE ? value : WIDE;
}

/* What local and central records share, from the version needed to the length of the name. */
static void
put_common(struct buffer *out, const struct zip_record *record, bool wide, uint32_t crc, uint64_t size)
{
    ensure(record->name.length > 0 && record->name.length <= UINT16_MAX);
    put(out, wide ? 45 : 20, 2);
    put(out, FLAGS, 2);
    put(out, 0, 2); /* stored */
    put(out, 0, 2);
    put(out, FIRST_DAY, 2);
    put(out, crc, 4);
    put(out, narrow(size), 4);
    put(out, narrow(size), 4);
    put(out, record->name.length, 2);
}

void
zip_put_local(struct buffer *out, const struct zip_record *record)
{
    bool wide = is_wide(record);
    put(out, 0x04034B50, 4);
    put_common(out, record, wide, 0, wide ? WIDE : 0);
    put(out, wide ? 20 : 0, 2);
    buffer_append_text(out, record->name);
    if (!wide)
        return;
    put(out, ZIP64_ID, 2); /* says that the sizes in the descriptor have 8 bytes */
    put(out, 16, 2);
    put(out, 0, 8);
    put(out, 0, 8);
}

void
zip_put_descriptor(struct buffer *out, const struct zip_record *record)
{
    unsigned bytes = is_wide(record) ? 8 : 4;
    put(out, 0x08074B50, 4);
    put(out, record->crc, 4);
    put(out, record->size_bytes, bytes);
    put(out, record->size_bytes, bytes);
}

void
zip_put_central(struct buffer *out, const struct zip_record *record)
{
    bool far = record->offset >= WIDE;
    unsigned extra = (is_wide(record) ? 16u : 0) + (far ? 8u : 0);
    put(out, 0x02014B50, 4);
    put(out, extra > 0 ? 45 : 20, 2);
    put_common(out, record, extra > 0, record->crc, record->size_bytes);
    put(out, extra > 0 ? extra + 4 : 0, 2);
    put(out, 0, 2); /* comment */
    put(out, 0, 2); /* disk */
    put(out, 0, 2);
    put(out, 0, 4); /* attributes */
    put(out, narrow(record->offset), 4);
    buffer_append_text(out, record->name);
    if (extra == 0)
        return;
    put(out, ZIP64_ID, 2);
    put(out, extra, 2);
    if (is_wide(record)) {
        put(out, record->size_bytes, 8);
        put(out, record->size_bytes, 8);
    }
    if (far)
        put(out, record->offset, 8);
}

static void
put_zip64_end(struct buffer *out, uint64_t entries, uint64_t directory_offset, uint64_t directory_bytes)
{
    put(out, 0x06064B50, 4);
    put(out, 44, 8); /* of what follows */
    put(out, 45, 2);
    put(out, 45, 2);
    put(out, 0, 4);
    put(out, 0, 4);
    put(out, entries, 8);
    put(out, entries, 8);
    put(out, directory_bytes, 8);
    put(out, directory_offset, 8);
    put(out, 0x07064B50, 4); /* the locator */
    put(out, 0, 4);
    put(out, directory_offset + directory_bytes, 8);
    put(out, 1, 4);
}

void
zip_put_end(struct buffer *out, uint64_t entries, uint64_t directory_offset, uint64_t directory_bytes)
{
    uint64_t count = entries < UINT16_MAX ? entries : UINT16_MAX;
    if (count == UINT16_MAX || directory_offset >= WIDE || directory_bytes >= WIDE)
        put_zip64_end(out, entries, directory_offset, directory_bytes);
    put(out, 0x06054B50, 4);
    put(out, 0, 4);
    put(out, count, 2);
    put(out, count, 2);
    put(out, narrow(directory_bytes), 4);
    put(out, narrow(directory_offset), 4);
    put(out, 0, 2);
}

/* ---- checksums ---- */

static uint32_t table[256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void
fill_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1)));
        table[i] = crc;
    }
}

uint32_t
zip_crc(uint32_t crc, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    pthread_once(&table_once, fill_table);
    crc = ~crc;
    for (size_t i = 0; i < length; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xFF];
    return ~crc;
}
