/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a zip with stored entries (APPNOTE 6.3.9 sections 4.3.7 to 4.3.16), for a writer that streams: sizes
 * are known before, checksums follow the data (bit 3 of the flags), so the size of the whole is known before too. Records are
 * zip64 where an entry or a place needs it. Names are UTF-8, dates are left at the first day that a zip knows.
 *
 * For each entry: zip_put_local() - its bytes - zip_put_descriptor(); at the end zip_put_central() of each, zip_put_end().
 * Each appends to the buffer, whose status tells of errors. Threads: any.
 */
#ifndef ARCHIVOLT_FORMAT_ZIP_WRITE_H
#define ARCHIVOLT_FORMAT_ZIP_WRITE_H

#include "base/buffer.h"

struct zip_record {
    struct text name; /* 1 to 65,535 bytes */
    uint64_t size_bytes;
    uint64_t offset;  /* of its local record, in the archive */
    uint32_t crc;
};

void zip_put_local(struct buffer *out, const struct zip_record *record);
void zip_put_descriptor(struct buffer *out, const struct zip_record *record);
void zip_put_central(struct buffer *out, const struct zip_record *record);
/* `directory_bytes` of central records, that begin at `directory_offset`. */
void zip_put_end(struct buffer *out, uint64_t entries, uint64_t directory_offset, uint64_t directory_bytes);

/* CRC-32 as zips have it; 0 at the beginning. */
uint32_t zip_crc(uint32_t crc, const void *data, size_t length);

#endif
