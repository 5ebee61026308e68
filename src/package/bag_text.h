/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text files of a bag (RFC 8493 section 2; drafts 0.93 to 0.97): declaration, manifests, fetch.txt, bag-info.txt.
 * Pure functions. Threads: any.
 */
#ifndef ARCHIVOLT_PACKAGE_BAG_TEXT_H
#define ARCHIVOLT_PACKAGE_BAG_TEXT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "format/digest.h"

/* X(name in file names, with a hyphen (SWORDBagIt), bytes, of enum digest_algorithm or DIGEST_ALGORITHM_COUNT, OpenSSL) */
#define BAG_ALGORITHMS(X)                                                                          \
    X("md5", "md-5", 16, DIGEST_MD5, "MD5")                                                        \
    X("sha1", "sha-1", 20, DIGEST_SHA1, "SHA1")                                                    \
    X("sha224", "sha-224", 28, DIGEST_ALGORITHM_COUNT, "SHA224")                                   \
    X("sha256", "sha-256", 32, DIGEST_SHA256, "SHA256")                                            \
    X("sha384", "sha-384", 48, DIGEST_ALGORITHM_COUNT, "SHA384")                                   \
    X("sha512", "sha-512", 64, DIGEST_SHA512, "SHA512")

struct bag_algorithm {
    const char *name, *hyphenated;
    size_t size_bytes;
    enum digest_algorithm digest;
    const char *openssl;
};

struct bag_declaration {
    unsigned major, minor;
    struct text encoding; /* borrowed */
};
/* bagit.txt. INVALID; UNSUPPORTED: another version than 0.93 to 0.97 and 1.0. */
enum error_code bag_read_declaration(struct text text, struct bag_declaration *ret_declaration,
                                     struct error *error) AV_MUST_USE;
/* Appends the text as UTF-8. UNSUPPORTED: an encoding that is not known; INVALID: bytes that are not of it. */
enum error_code bag_decode(struct text text, struct text encoding, struct buffer *ret_text,
                           struct error *error) AV_MUST_USE;

/* What a file's name says of it: "manifest-sha256.txt". False: it is no manifest. *ret_algorithm NULL: an algorithm that
 * is not known. */
struct bag_manifest_name {
    bool tags;       /* of tag files: tagmanifest */
    bool hyphenated; /* as SWORDBagIt writes them */
    const struct bag_algorithm *algorithm;
};
bool bag_manifest_name(struct text name, struct bag_manifest_name *ret_name);

struct bag_line {
    unsigned char digest[DIGEST_SIZE_MAX];
    struct text path; /* borrowed; as written, without what is said below */
    bool starred;     /* "*" before it: of md5sum and its like */
    bool dotted;      /* "./" before it */
};
enum error_code bag_read_line(struct text line, const struct bag_algorithm *algorithm, struct bag_line *ret_line,
                              struct error *error) AV_MUST_USE;
/* Of a line of fetch.txt, the file's name. */
enum error_code bag_read_fetch_line(struct text line, struct text *ret_path, struct error *error) AV_MUST_USE;
/* %0A, %0D and %25 stand for what they encode (RFC 8493 section 2.1.3); into the arena. */
struct text bag_unescape(struct text path, struct arena *arena);
/* INVALID: absolute, of a home directory, with "..", with a drive letter, or not below `data/` / below it. */
enum error_code bag_check_path(struct text path, bool payload, struct error *error) AV_MUST_USE;

/* The next element of bag-info.txt, continuation lines joined into the arena. False: no more; INVALID in *ret_code. */
struct bag_element {
    struct text label, value;
};
enum error_code bag_read_element(struct text *rest, struct arena *arena, struct bag_element *ret_element, bool *ret_found,
                                 struct error *error) AV_MUST_USE;

/* Names that some file systems take for one: ASCII case does not count, nor whether an accented Latin letter is one
 * character or two. */
bool bag_names_are_alike(struct text a, struct text b);

#endif
