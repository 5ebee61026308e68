/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar entries as volumes hold them: POSIX ustar (IEEE 1003.1 pax), type '0', mode 0644, uid = gid =
 * 0, no names, and a pax `x` header only where a size of 8 GiB or more needs one, or in the
 * fixed-size preamble of bulk uploads. An entry's header is a pure function of path, size and time.
 *
 *     ordinary      [ustar 512]                                      size < 8 GiB
 *     large         [x header 512][records 512][ustar 512]           size >= 8 GiB
 *     preamble      [x header 512][records 1024][ustar 512]          any size: TAR_PREAMBLE_SIZE
 *
 * Threads: any. Errors: INVALID when a path does not fit; CORRUPT for bytes that are not a header.
 */
#ifndef ARCHIVOLT_FORMAT_TAR_H
#define ARCHIVOLT_FORMAT_TAR_H

#include "base/error.h"
#include "base/text.h"

enum {
    TAR_BLOCK_SIZE = 512,
    TAR_PREAMBLE_RECORDS_SIZE = 1024,
    TAR_PREAMBLE_SIZE = 2048,
    TAR_HEADER_MAX = 2048, /* the longest that tar_parse_entry() takes */
    TAR_LARGE_HEADER_SIZE = 1536,
    TAR_PATH_MAX = 256 /* 155 + '/' + 100 */
};
#define TAR_USTAR_SIZE_MAX UINT64_C(077777777777) /* 8 GiB - 1 */

struct tar_entry {
    struct text path;  /* relative, no NUL, no leading or trailing slash */
    uint64_t size;     /* of the content */
    uint64_t mtime_s;  /* seconds since 1970, below 2^33 */
};

/* `size` rounded up to whole blocks. */
static inline uint64_t
tar_padded(uint64_t size)
{
    return (size + (TAR_BLOCK_SIZE - 1)) & ~(uint64_t)(TAR_BLOCK_SIZE - 1);
}

/* Length of what tar_write_header() writes for content of this size: 512 or 1536. */
size_t tar_header_size(uint64_t content_size);
/* Whether the path fits ustar's two fields. */
bool tar_path_fits(struct text path);
/* `out` has tar_header_size(entry->size) bytes. INVALID: path or time do not fit. */
enum error_code tar_write_header(const struct tar_entry *entry, void *out,
                                 struct error *error) AV_MUST_USE;
/* Always TAR_PREAMBLE_SIZE bytes. INVALID: path or time do not fit. */
enum error_code tar_write_preamble(const struct tar_entry *entry, void *out,
                                   struct error *error) AV_MUST_USE;

/* One 512-byte block, not interpreted beyond its own fields. */
struct tar_block {
    char type;         /* '0' for NUL too */
    uint64_t size;     /* as this block says; a pax size may replace it */
    uint64_t mtime_s;
    struct text path;  /* prefix and name joined, in the caller's memory */
};

bool tar_block_is_zero(const void *block);
/* Whether the block is the first of a preamble, or as much of it as a write that failed has left. */
bool tar_block_begins_preamble(const void *block);
/* Checks checksum, magic, octal fields and path. CORRUPT. `path_out` holds TAR_PATH_MAX bytes. */
enum error_code tar_parse_block(const void *block, char *path_out, struct tar_block *ret_block,
                                struct error *error) AV_MUST_USE;

struct tar_pax {
    bool has_path, has_size;
    struct text path; /* borrowed from the records */
    uint64_t size;
};

/* Records of an `x` header, exactly its size field's length; unknown keywords are passed over. CORRUPT. */
enum error_code tar_parse_pax(struct text records, struct tar_pax *ret_pax,
                              struct error *error) AV_MUST_USE;

struct tar_found {
    struct tar_entry entry; /* path in the caller's memory */
    size_t header_size;     /* content starts this far on, and ends tar_padded(size) later */
};

/* The entry whose header starts at `data`: the three shapes above and nothing else. Give
 * TAR_HEADER_MAX bytes where the volume has them. NOT_FOUND: a zero block (end of archive); CORRUPT:
 * not one of ours, damaged, or cut off. `path_out` holds TAR_PATH_MAX bytes. */
enum error_code tar_parse_entry(struct text data, char *path_out, struct tar_found *ret_found,
                                struct error *error) AV_MUST_USE;

#endif
