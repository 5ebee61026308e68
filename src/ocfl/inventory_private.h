/* SPDX-License-Identifier: Apache-2.0 */
/* What inventory.c, inventory_write.c and inventory_parse.c share. */
#ifndef ARCHIVOLT_OCFL_INVENTORY_PRIVATE_H
#define ARCHIVOLT_OCFL_INVENTORY_PRIVATE_H

#include "ocfl/inventory.h"
#include "ocfl/name_map.h"

/* A logical path of the head's state. */
struct ocfl_path {
    struct text text;
    struct ocfl_content *content;
    struct ocfl_path *next, *previous; /* of the same content */
};

/* A key of the manifest. */
struct ocfl_content {
    struct text digest; /* lower-case hex */
    struct text path;
    struct ocfl_path *first, *last; /* who names it in the head */
    struct ocfl_content *next;
    bool old; /* a version before the head may name it */
};

/* One digest of the fixity block, with the files that have it. */
struct ocfl_fixity_path {
    struct text path;
    struct ocfl_fixity_path *next;
};
struct ocfl_fixity {
    struct text digest;
    struct ocfl_fixity_path *first, *last;
    struct ocfl_fixity *next;
};

/* A finished version, `"v1":{…}`, as bytes. */
struct ocfl_version_block {
    struct text json;
    struct ocfl_version_block *next;
};

struct ocfl_inventory {
    struct arena *arena;
    struct text id;
    enum digest_algorithm algorithm;
    unsigned head;
    unsigned next_number;
    size_t file_count;
    struct text created, message, user_name, user_address; /* of the head */
    struct text head_json; /* the head as parsed, while nothing has begun; else empty */
    struct ocfl_version_block *first_version, *last_version; /* before the head */
    struct ocfl_content *first_content, *last_content;
    struct name_map contents; /* by digest hex */
    struct name_map content_paths;
    struct name_map paths;
    struct {
        struct ocfl_fixity *first, *last;
        struct name_map digests;
    } fixity[DIGEST_ALGORITHM_COUNT];
};

struct ocfl_inventory *ocfl_inventory__allocate(struct arena *arena, enum digest_algorithm algorithm);
/* These borrow their texts; NULL when the arena is exhausted. */
struct ocfl_content *ocfl_inventory__append_content(struct ocfl_inventory *inventory,
                                                    struct text digest, struct text path);
struct ocfl_path *ocfl_inventory__append_path(struct ocfl_inventory *inventory,
                                              struct ocfl_content *content, struct text path);
bool ocfl_inventory__append_fixity(struct ocfl_inventory *inventory, enum digest_algorithm algorithm,
                                   struct text digest, struct text path);
bool ocfl_inventory__append_version(struct ocfl_inventory *inventory, struct text json);
void ocfl_inventory__write_head(const struct ocfl_inventory *inventory, struct buffer *buffer);
/* INVALID: content that no state names. */
enum error_code ocfl_inventory__check_named(const struct ocfl_inventory *inventory,
                                            struct error *error) AV_MUST_USE;
/* Text that stands in JSON without escape. */
bool ocfl_inventory__is_plain(struct text text);

#endif
