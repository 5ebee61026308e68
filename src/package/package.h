/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct package: what a deposit brings, whatever it was wrapped in: fields, files in bundles, and what the
 * sender wishes. Reading one unpacks it into uploads of the model, hashing as the bytes pass; it stages nothing.
 *
 * Life: package_read(), or package_read_all() where one deposit may bring several, - use - the release, which gives up
 * uploads that nobody took. A batch (SAF) goes one item at a time: package_batch_open() - package_batch_read()... -
 * package_batch_free().
 * Threads: one at a time; package_read() blocks on the disk: not for event loops.
 * Safety: names that leave the package, absolute names, drive letters, links and devices, duplicates, bombs (ratio, count
 * and sums: struct package_limits), DTDs and entities are refused, and nothing is left behind. Archives inside
 * an archive are files like others.
 */
#ifndef ARCHIVOLT_PACKAGE_PACKAGE_H
#define ARCHIVOLT_PACKAGE_PACKAGE_H

#include "metadata/crosswalk.h"
#include "metadata/fields.h"
#include "model/model.h"

/* X(NAME, word, URI of SWORD 2 (and 3), URI of SWORD 1.3 or "") */
#define PACKAGINGS(X)                                                                              \
    X(BINARY, "binary", "http://purl.org/net/sword/package/Binary", "")                            \
    X(SIMPLE_ZIP, "zip", "http://purl.org/net/sword/package/SimpleZip", "")                        \
    X(METS, "mets", "http://purl.org/net/sword/package/METSDSpaceSIP",                             \
      "http://purl.org/net/sword-types/METSDSpaceSIP")                                             \
    X(BAGIT, "bagit", "http://purl.org/net/sword/package/BagIt", "")                               \
    X(SWORD_BAGIT, "swordbagit", "http://purl.org/net/sword/3.0/package/SWORDBagIt", "")           \
    X(EPRINTS, "eprints", "http://eprints.org/ep2/data/2.0", "http://eprints.org/ep2/data/2.0")    \
    X(SAF, "saf", "", "")

enum packaging {
#define X(name, word, uri, uri_1) PACKAGING_##name,
    PACKAGINGS(X)
#undef X
        PACKAGING_COUNT
};
const char *packaging_word(enum packaging packaging);
const char *packaging_uri(enum packaging packaging);   /* "" when it has none */
const char *packaging_uri_1(enum packaging packaging); /* for SWORD 1.3; that of SWORD 2 where it has none of its own */
/* By either URI (on either endpoint), the bare name ("METSDSpaceSIP"), its SWORD 3 URI, or the word. */
bool packaging_from_text(struct text text, enum packaging *ret_packaging);

/* Bytes to be read at any place. */
struct package_source {
    uint64_t size_bytes;
    /* Exactly `length` bytes at `offset`, which lie within the size. */
    enum error_code (*read)(void *context, uint64_t offset, void *data, size_t length, struct error *error);
    void *context;
};
struct package_source package_source_of_upload(struct upload *upload); /* a finished one */
struct package_source package_source_of_file(int fd, uint64_t size_bytes);

struct package_file {
    struct text bundle;     /* "ORIGINAL", "LICENSE", "METADATA", "THUMBNAIL", "TEXT", … */
    struct text path;       /* in the bundle: segments between '/', each a valid name */
    struct text original_name; /* as the package has it, when `path` is not the same; else "" */
    struct text media_type; /* "" not said */
    struct text description;
    uint64_t sequence;      /* in the item, from 1; 0: the next one */
    bool primary;           /* of its bundle */
    struct text group;      /* of a derived file: the path of its original, or "" */
    struct upload *upload;  /* finished; whoever takes it sets NULL */
    uint64_t size_bytes;
};

struct package {
    struct arena *arena;
    struct fields fields;
    struct package_file *files;
    size_t file_count, file_capacity;
    uint32_t *by_path; /* hash table of `files`: index + 1 */
    size_t slot_count;
    struct text handle;      /* that it wants to keep, or "" */
    struct text identifier;  /* what the sender calls it (OBJID), or "" */
    struct text uuid;        /* that it wants to keep, or "" */
    struct text embargo;     /* "YYYY-MM-DD": files are closed until then; "" none */
    struct text collections; /* lines of handles (SAF), first is the owner; or "" */
    struct text relations;   /* lines (SAF `relationships`), or "" */
    struct buffer report;    /* what was done with it, one line each: verbose descriptions, `check` */
};

/* Each a configuration key, each named in the error that enforces it. X(key, default, help) */
#define PACKAGE_LIMITS(X)                                                                          \
    X(package_files, 10000, "files of one package")                                                \
    X(package_bytes, 1099511627776, "all files of one package, unpacked, bytes")                   \
    X(package_ratio, 200, "how many times a packed file may grow (only past 1 MiB)")               \
    X(package_metadata_bytes, 16777216, "a metadata document (mets.xml, an entry, a manifest), bytes")

struct package_limits {
#define X(key, value, help) uint64_t key;
    PACKAGE_LIMITS(X)
#undef X
};
struct package_limits package_limits_default(void);

struct package_request {
    struct model *model;
    struct arena *arena;
    struct package_limits limits;
    const struct crosswalk_set *crosswalks;
    enum packaging packaging;
    struct package_source source;
    struct text filename;   /* as the sender calls the whole; "" none */
    struct text media_type; /* "" none */
    struct upload **whole;  /* BINARY: the upload itself becomes the file (moved out); NULL: it is copied from `source` */
    struct text asset_store; /* SAF from a directory: where registered files (-r -s -f) lie; "" they are refused */
    unsigned also;          /* digests to compute of each file besides the store's own */
    struct upload_batch *batch; /* internal: that the files' uploads share */
};
/* An upload for a file of the package: with the digests that are asked for (`also`: more of them), sharing the batch. */
enum error_code package_upload(const struct package_request *request, unsigned also, struct upload **ret_upload,
                               struct error *error) AV_MUST_USE;
/* Reads the whole, which must be one package. INVALID: not what its packaging says, with the entry and the line in the message; UNSUPPORTED: a
 * packaging or a metadata form that is not known; DIGEST: a checksum in it is wrong; LIMIT; CORRUPT of the archive is INVALID. */
enum error_code package_read(const struct package_request *request, struct package *ret_package,
                             struct error *error) AV_MUST_USE;
void package_release(struct package *package);

/* The same where there may be several: an EPrints document of two eprints, a SAF batch. All or none; at least one. */
struct packages {
    struct package *items;
    size_t count, capacity;
};
enum error_code package_read_all(const struct package_request *request, struct packages *ret_packages,
                                 struct error *error) AV_MUST_USE;
void packages_release(struct packages *packages);

/* An Atom entry (SWORD) gives fields, no files but itself in bundle METADATA. `request->source` is the entry; its packaging is
 * not looked at. */
enum error_code package_read_entry(const struct package_request *request, struct package *ret_package,
                                   struct error *error) AV_MUST_USE;

/* SAF items one after the other, in natural order of their directories' names: an archive of them (request->source),
 * or directories on this machine. An item that fails does not end the batch. */
struct package_batch;
enum error_code package_batch_open(const struct package_request *request, const char *folder /* NULL: the archive */,
                                   struct package_batch **ret_batch, struct error *error) AV_MUST_USE;
size_t package_batch_count(const struct package_batch *batch);
struct text package_batch_name(const struct package_batch *batch, size_t index); /* of the item's directory */
/* Reads one item; `arena` is that of its texts. Of a zip and of a directory it costs no more than the item itself. */
enum error_code package_batch_read(struct package_batch *batch, size_t index, struct arena *arena,
                                   struct package *ret_package, struct error *error) AV_MUST_USE;
void package_batch_free(struct package_batch *batch); /* NULL is fine */

/* A line of the report, without its end. */
void package_note(struct package *package, const char *format, ...) AV_PRINTF(2, 3);
/* Adds a file; for readers of packages and for front ends that make one by hand (an entry with a file). Moves the upload in.
 * EXISTS: the same bundle and path twice, both named. */
enum error_code package_add_file(struct package *package, const struct package_file *file, struct error *error) AV_MUST_USE;
bool package_has_file(const struct package *package, struct text bundle, struct text path);
void package_init(struct package *package, struct arena *arena);

#endif
