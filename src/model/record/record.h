/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of the catalog: what stands under each key, encoded compactly, and how a change is folded
 * into what was there. Internal to the model.
 *
 * A node record, and a change of one, are the same thing: a mask of the fields that follow. Folding
 * a change replaces these fields and leaves the rest. NODE_BUMP adds one to the state counter.
 */
#ifndef ARCHIVOLT_MODEL_RECORD_H
#define ARCHIVOLT_MODEL_RECORD_H

#include "base/buffer.h"
#include "format/digest.h"
#include "volume/place.h"
#include "volume/store.h"

/* After all of a record has been taken: CORRUPT when that was too much, or not all. `what` it is, for people. */
enum error_code record_end(const struct cursor *cursor, const char *what, struct error *error) AV_MUST_USE;

/* X(NAME, kind of value, member). Order is the order on disk; new fields go to the end. */
#define NODE_FIELDS(X)                                                                             \
    X(KIND, NUMBER, kind)                                                                          \
    X(FLAGS, NUMBER, flags)                                                                        \
    X(PARENT, NUMBER, parent)                                                                      \
    X(NAME, TEXT, name)                                                                            \
    X(OWNER, NUMBER, owner)                                                                        \
    X(CREATED, NUMBER, created_us)                                                                 \
    X(MODIFIED, NUMBER, modified_us)                                                               \
    X(COUNTER, NUMBER, counter)                                                                    \
    X(VERSION, NUMBER, version)                                                                    \
    X(VERSION_SEQUENCE, NUMBER, version_sequence)                                                  \
    X(AGGREGATE, NUMBER, aggregate)                                                                \
    X(RULE, NUMBER, rule)                                                                          \
    X(SIZE, NUMBER, size_bytes)                                                                    \
    X(DIGEST, TEXT, digest)                                                                        \
    X(MEDIA_TYPE, TEXT, media_type)                                                                \
    X(FILENAME, TEXT, filename)                                                                    \
    X(SOURCE_MTIME, NUMBER, source_mtime_plus) /* microseconds since 1970 + 2^62; 0: not known */  \
    X(SOURCE_MODE, NUMBER, source_mode)                                                            \
    X(FIXITY, TEXT, fixity)                                                                        \
    X(VOLUME, NUMBER, content.volume)                                                              \
    X(OFFSET, NUMBER, content.offset)                                                              \
    X(BLOCK_SUMS, TEXT, block_sums)                                                                \
    X(SUMS_VOLUME, NUMBER, sums.volume)                                                            \
    X(SUMS_OFFSET, NUMBER, sums.offset)                                                            \
    X(STATEMENTS, NUMBER, statements)                                                              \
    X(DELETED, NUMBER, deleted_us)                                                                 \
    X(STATEMENTS_VERSION, NUMBER, statements_version) /* object version that last held them */

enum node_field {
#define X(name, kind, member) NODE_##name,
    NODE_FIELDS(X)
#undef X
        NODE_FIELD_COUNT
};
#define NODE_BIT(field) (UINT64_C(1) << NODE_##field)
#define NODE_BUMP (UINT64_C(1) << 40) /* in a change: add one to the counter */

struct node {
    uint64_t present; /* mask of NODE_BIT */
    uint64_t kind, flags, parent, owner, created_us, modified_us, counter, version, version_sequence;
    uint64_t aggregate, rule, size_bytes, source_mtime_plus, source_mode, statements, deleted_us;
    uint64_t statements_version;
    struct text name, digest, media_type, filename, fixity, block_sums;
    struct place content, sums;
};
#define SOURCE_MTIME_BIAS (INT64_C(1) << 62)

void node_encode(const struct node *node, uint64_t extra_bits, struct buffer *out);
/* Texts are borrowed from `value`. CORRUPT on anything else than what encode writes. */
enum error_code node_decode(struct text value, struct node *ret_node, uint64_t *ret_extra_bits,
                            struct error *error) AV_MUST_USE;
void node_merge(struct node *node, const struct node *change, uint64_t extra_bits);

/* Kept counts of a container: children and everything below (live), and the last change among children. */
struct counts {
    int64_t children, resources, files, bytes;
    uint64_t change; /* sequence; folded by maximum */
};
void counts_encode(const struct counts *counts, struct buffer *out);
enum error_code counts_decode(struct text value, struct counts *ret_counts, struct error *error) AV_MUST_USE;

struct version_record {
    uint64_t sequence, time_us, user, size_bytes;
    struct place inventory; /* data of vN/inventory.json; volume 0 for a file inside an aggregate */
    uint64_t inventory_bytes;
    struct place content, sums;
    struct text digest, media_type, block_sums, message;
    uint64_t flags; /* VERSION_* */
};
#define VERSION_DELETED 1u  /* an empty state */
#define VERSION_CONTENT 2u  /* a file's content is here */
void version_encode(const struct version_record *version, struct buffer *out);
enum error_code version_decode(struct text value, struct version_record *ret_version,
                               struct error *error) AV_MUST_USE;

/* A volume as the journal has told of it. */
struct volume_record {
    uint64_t committed_bytes; /* folded by maximum; bulk: end of the last content that a group names */
    uint64_t generation;
    uint64_t sealed_bytes;    /* 0: not sealed (or its digest is not journalled yet) */
    struct text sha256;       /* 32 bytes, or empty */
    bool bulk;
};
void volume_encode(const struct volume_record *volume, struct buffer *out);
enum error_code volume_decode(struct text value, struct volume_record *ret_volume,
                              struct error *error) AV_MUST_USE;

/* ---- folding ----------------------------------------------------------------------------------- */

enum fold {
    FOLD_SET,    /* the operand is the value */
    FOLD_DELETE, /* gone */
    FOLD_NODE,   /* the operand is a change of a node record; nothing there: stays absent */
    FOLD_COUNTS, /* sums, and the maximum of `change` */
    FOLD_VOLUME  /* maximum of committed bytes; other fields replaced where given */
};

/* Gives the value after the change: *ret_present false when there is none. `before` NULL: absent. */
enum error_code fold_apply(enum fold fold, const struct text *before, struct text operand,
                           struct buffer *ret_after, bool *ret_present, struct error *error) AV_MUST_USE;

#endif
