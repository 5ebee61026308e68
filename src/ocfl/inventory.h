/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct ocfl_inventory: an OCFL 1.1 inventory that we write, version after version.
 *
 * Life: ocfl_inventory_new() or ocfl_inventory_parse() - ocfl_inventory_begin_version() - content,
 * state and fixity of that version - ocfl_inventory_write() - perhaps the next begin_version ... -
 * ends with its arena. Texts passed in are copied; texts handed out live as long as the arena (and
 * the parsed input, which is borrowed).
 *
 * Form: canonical JSON without white space, keys in a fixed order, raw UTF-8, and never an escape in
 * any string. The same calls give the same bytes. Digests stand in the order in which they were added,
 * logical paths of one digest in the order in which they were set. Blocks of older versions are
 * carried as the bytes that they are. Equal digests share one manifest key with one content path.
 * Work is linear in the inventory's size.
 *
 * Errors: LIMIT (versions, files, memory), INVALID (a call that makes no sense in this state, named),
 * CORRUPT (parse: not what we write). Threads: one at a time.
 */
#ifndef ARCHIVOLT_OCFL_INVENTORY_H
#define ARCHIVOLT_OCFL_INVENTORY_H

#include "base/arena.h"
#include "base/buffer.h"
#include "format/digest.h"

enum { OCFL_FILES_MAX = 10000 }; /* logical paths in one state; versions: OCFL_VERSION_MAX */

struct ocfl_inventory;

/* What a version says about itself. Texts may hold anything: they pass ocfl_clean(). Empty message
 * or user name become "-" and "unknown"; an empty address is left out (W008). */
struct ocfl_version_info {
    int64_t created_us;       /* written to the microsecond, with Z */
    struct text message;
    struct text user_name;
    struct text user_address; /* a URI without personal data */
};

/* `"` becomes `'`, `\` becomes `/`, control characters become blanks, bytes that are no UTF-8
 * become `?`. In the arena, or `text` itself when it is clean. */
struct text ocfl_clean(struct arena *arena, struct text text);

/* No version yet: begin_version comes next. `algorithm`: DIGEST_SHA512 or DIGEST_SHA256. NULL when the
 * arena is exhausted. */
struct ocfl_inventory *ocfl_inventory_new(struct arena *arena, struct text id,
                                          enum digest_algorithm algorithm);
/* Strict: exactly the form that ocfl_inventory_write() gives. Only the head's state becomes entries.
 * CORRUPT otherwise. */
enum error_code ocfl_inventory_parse(struct arena *arena, struct text json,
                                     struct ocfl_inventory **ret_inventory,
                                     struct error *error) AV_MUST_USE;

/* Starts the next version with the state of the one before. LIMIT: OCFL_VERSION_MAX. */
enum error_code ocfl_inventory_begin_version(struct ocfl_inventory *inventory,
                                             const struct ocfl_version_info *info,
                                             struct error *error) AV_MUST_USE;

/* Number for the next content file of this version, from 1: goes up by one with each call. */
unsigned ocfl_inventory_next_number(struct ocfl_inventory *inventory);
/* The content path that holds this digest already, in any version; false when none does. `digest`
 * is digest_size(algorithm) bytes here and below. */
bool ocfl_inventory_find_content(const struct ocfl_inventory *inventory,
                                 const unsigned char *digest, struct text *ret_content_path);
/* A new content file of this version. INVALID: the digest is there already (use it), or the path is not one of
 * this version. Its digest must then be named by set_state before the write. */
enum error_code ocfl_inventory_add_content(struct ocfl_inventory *inventory,
                                           const unsigned char *digest, struct text content_path,
                                           struct error *error) AV_MUST_USE;
/* Names content in the head's state, replacing what the logical path named. The path is encoded
 * already (PERCENT_OCFL_LOGICAL, segments joined by '/'). INVALID: no such digest; LIMIT: OCFL_FILES_MAX. */
enum error_code ocfl_inventory_set_state(struct ocfl_inventory *inventory, struct text logical_path,
                                         const unsigned char *digest,
                                         struct error *error) AV_MUST_USE;
/* NOT_FOUND: no such path. */
enum error_code ocfl_inventory_remove_state(struct ocfl_inventory *inventory,
                                            struct text logical_path,
                                            struct error *error) AV_MUST_USE;
/* NOT_FOUND: no `from`. EXISTS: `to` is there. */
enum error_code ocfl_inventory_rename(struct ocfl_inventory *inventory, struct text from,
                                      struct text to, struct error *error) AV_MUST_USE;
/* Empties the head's state (a tombstone). */
void ocfl_inventory_clear_state(struct ocfl_inventory *inventory);
/* Another digest of a content file; nothing happens when it is there already. NOT_FOUND: no such file in the manifest. */
enum error_code ocfl_inventory_add_fixity(struct ocfl_inventory *inventory,
                                          enum digest_algorithm algorithm,
                                          const unsigned char *digest, struct text content_path,
                                          struct error *error) AV_MUST_USE;

/* Appends the JSON. INVALID: content of this version that no state names (it would be E107), or no
 * version begun. */
enum error_code ocfl_inventory_write(struct ocfl_inventory *inventory, struct buffer *buffer,
                                     struct error *error) AV_MUST_USE;
/* Appends a sidecar's content, "<hex> inventory.json\n", for the digest of an inventory's bytes; its name is
 * "inventory.json." and the OCFL name of the algorithm. */
void ocfl_append_sidecar(struct buffer *buffer, enum digest_algorithm algorithm,
                         const unsigned char *digest);

struct text ocfl_inventory_id(const struct ocfl_inventory *inventory);
enum digest_algorithm ocfl_inventory_algorithm(const struct ocfl_inventory *inventory);
unsigned ocfl_inventory_head(const struct ocfl_inventory *inventory); /* 0 before the first */
size_t ocfl_inventory_file_count(const struct ocfl_inventory *inventory); /* in the head's state */

struct ocfl_file {
    struct text logical_path;
    struct text content_path;
    struct text digest_hex;
};
/* False when the head's state does not name it. */
bool ocfl_inventory_find(const struct ocfl_inventory *inventory, struct text logical_path,
                         struct ocfl_file *ret_file);

/* Walks the head's state in the order of writing: start with {0}, until false. No changes meanwhile. */
struct ocfl_walk {
    const struct ocfl_content *content;
    const struct ocfl_path *path;
    bool started;
};
bool ocfl_inventory_next(const struct ocfl_inventory *inventory, struct ocfl_walk *walk,
                         struct ocfl_file *ret_file);

#endif
