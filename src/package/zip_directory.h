/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The central directory of a zip (APPNOTE 6.3.9 sections 4.3.12 to 4.3.16, zip64 too): what the archive says that it
 * holds, before anything is unpacked, and whether the local headers agree.
 * Threads: any. Errors: INVALID (no zip, damaged, two headers that differ), UNSUPPORTED (encrypted, in several parts,
 * packed by a method that is not known), LIMIT (more entries than package_files allows).
 */
#ifndef ARCHIVOLT_PACKAGE_ZIP_DIRECTORY_H
#define ARCHIVOLT_PACKAGE_ZIP_DIRECTORY_H

#include "package/package.h"

struct zip_entry {
    struct text name; /* raw; borrowed for the call */
    bool utf8;        /* the archive says that the name is UTF-8 */
    unsigned host;    /* the system that made it (section 4.4.2.2): 0 DOS, 3 Unix, … */
    unsigned mode;    /* st_mode, when the system has one; else 0 */
    unsigned flags, method;
    uint32_t crc;
    uint64_t packed_bytes, size_bytes;
    uint64_t header_offset; /* of its local header, in the file */
};
typedef enum error_code zip_visit(void *context, const struct zip_entry *entry, struct error *error);

bool zip_recognised(const struct package_source *source); /* it begins as a zip does */
/* Each entry in the order of the directory. `entries_max`: LIMIT beyond. */
enum error_code zip_directory_read(const struct package_source *source, uint64_t entries_max, zip_visit *visit,
                                   void *context, struct error *error) AV_MUST_USE;
/* Compares the local header with the entry; *ret_end: the byte after its packed data. */
enum error_code zip_check_local(const struct package_source *source, const struct zip_entry *entry, uint64_t *ret_end,
                                struct error *error) AV_MUST_USE;

/* What makes a zip of its own out of the entry's bytes, from its local header to its end, when it follows them: a directory of
 * this one entry. So a member can be unpacked without a look at the others. */
enum { ZIP_TAIL_BYTES_MAX = 256 };
size_t zip_write_tail(const struct zip_entry *entry, uint64_t entry_bytes, unsigned char out[ZIP_TAIL_BYTES_MAX]);

#endif
