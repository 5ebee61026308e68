/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct unpack: an archive (zip, tar, tar.gz) as a list of members, each unpacked into an upload when it is asked for.
 * The list is complete and checked before the first byte is unpacked: names (member_name.h), no name twice, no file where
 * another has a folder, files and folders only, counts and sizes within the limits; for a zip by its central directory,
 * with which every local header must agree.
 *
 * Life: unpack_open() - look at `members` - unpack_member() in any order (of a tar, going back costs the way from its beginning) - unpack_free(), which gives
 * up the uploads that nobody took. Threads: one at a time.
 */
#ifndef ARCHIVOLT_PACKAGE_UNPACK_H
#define ARCHIVOLT_PACKAGE_UNPACK_H

#include "package/package.h"

struct member {
    struct text path;     /* model names between '/' */
    struct text original; /* as the archive has it, decoded */
    bool folder;          /* nothing to unpack */
    bool empty;           /* a folder with nothing in it */
    bool wanted;          /* by unpack_wanted() */
    bool guessed;         /* the name was not UTF-8 */
    uint64_t size_bytes;  /* as declared; what comes out is the same, or it is refused */
    uint64_t place;       /* order of the data in the archive */
    uint64_t packed_bytes, header_offset, end_offset; /* zip; this line and the next */
    uint32_t crc;
    unsigned flags, method;
    struct upload *upload; /* finished, or NULL: not unpacked yet, or taken */
};

struct unpack_reading; /* over libarchive */
struct unpack {
    const struct package_request *request;
    struct arena arena; /* of the members' names */
    struct member *members; /* in the order of the archive's list */
    size_t count, capacity;
    size_t file_count;
    uint64_t total_bytes;
    bool zip;
    uint32_t *order; /* members by place */
    uint32_t *slots; /* hash table by path: index + 1 */
    size_t slot_count;
    struct unpack_reading *reading;
};

enum error_code unpack_open(const struct package_request *request, struct unpack **ret_unpack,
                            struct error *error) AV_MUST_USE;
void unpack_free(struct unpack *unpack);       /* NULL is fine */
void unpack_clean(struct unpack **unpack);     /* for AV_CLEANUP */
/* A file or folder of exactly this path, or NULL. */
struct member *unpack_find(const struct unpack *unpack, struct text path);
/* Fills member->upload; once it is there, does nothing. `also`: digests besides those that the request asks for. */
enum error_code unpack_member(struct unpack *unpack, struct member *member, unsigned also, struct error *error) AV_MUST_USE;
/* The members that are marked, and all, in the archive's order, whatever the order of its list is. */
enum error_code unpack_wanted(struct unpack *unpack, unsigned also, struct error *error) AV_MUST_USE;
enum error_code unpack_all(struct unpack *unpack, unsigned also, struct error *error) AV_MUST_USE;
/* Appends the member's bytes. LIMIT: over package_metadata_bytes. */
enum error_code unpack_text(struct unpack *unpack, struct member *member, struct buffer *ret_text,
                            struct error *error) AV_MUST_USE;

#endif
