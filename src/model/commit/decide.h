/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions: the committer's half of each operation. A decision looks at the overlay (catalog plus
 * all that is laid out before it, in this group and in the one that is being written), checks rights, conditions and state, adds entries and lines to
 * the group, and applies the lines' effects to the overlay. A decision that fails leaves garbage in both: the
 * committer rolls the whole transaction back to its mark.
 *
 * Internal to the model. Threads: the committer's only.
 */
#ifndef ARCHIVOLT_MODEL_DECIDE_H
#define ARCHIVOLT_MODEL_DECIDE_H

#include "model/commit/transaction_private.h"
#include "ocfl/inventory.h"
#include "ocfl/layout.h"

#define ID_LEASE_STANDARD 10000u

/* An object's OCFL id, and its folder in the volume with a slash at the end. */
struct object_paths {
    uint64_t object;
    char id[OCFL_ID_LENGTH + 1];
    char prefix[sizeof "ocfl//" + OCFL_OBJECT_PATH_LENGTH];
};
#define OBJECT_PREFIX_LENGTH (sizeof "ocfl//" - 1 + OCFL_OBJECT_PATH_LENGTH)

/* An object version that a group holds: its root copies are written once, at the end of the group. */
struct object_write {
    struct object_paths paths;
    size_t inventory, sidecar; /* entries of the group */
    bool again;                /* an earlier one of this group is superseded */
};

/* An aggregate that a transaction is changing: one version of it at the end. */
struct open_aggregate {
    struct open_aggregate *next;
    uint64_t id;
    struct ocfl_inventory *inventory;
    unsigned version; /* being made */
};

/* One group as it is laid out. */
struct layout {
    struct group *group;
    struct overlay *overlay;
    struct object_write *writes;
    size_t write_count, write_capacity;
};

struct decision {
    struct model *model;
    struct lookup lookup;        /* on the overlay */
    struct layout *now;
    const struct layout *before; /* of the group that is on its way to the disk, or NULL */
    struct group_info info;
    struct transaction *transaction;
    struct stage *stage;
    struct arena arena;       /* of one transaction, reset after it */
    struct arena json_arena;
    struct buffer line_json, scratch, inventory_json;
    struct buffer node_storage, old_node_storage;
    struct object_paths paths; /* of the object asked for last */
    /* of one transaction */
    struct open_aggregate *aggregates;
    uint64_t *touched; /* resources whose records get a stamp: decide_harvest.c */
    size_t touched_count, touched_capacity;
    uint64_t next_id, leased_until;
    unsigned lease; /* ids at a time */
};

/* ---- decide.c: what all decisions share ---- */
/* Journals a line (its `by` is filled in) and applies its effects. LIMIT when the arena that holds its texts was full. */
enum error_code decide_journal(struct decision *d, struct line *line, struct error *error) AV_MUST_USE;
enum error_code decide_new_id(struct decision *d, uint64_t *ret_id, struct error *error) AV_MUST_USE;
/* A live resource by target: its walk and node. NOT_FOUND, GONE. */
struct found {
    struct walk walk;
    struct node node; /* texts in storage */
    uint64_t id;
};
enum error_code decide_find(struct decision *d, const struct target *target, struct buffer *storage,
                            struct found *ret_found, struct error *error) AV_MUST_USE;
enum error_code decide_require(struct decision *d, const struct walk *walk, uint64_t owner, rights needed,
                               struct error *error) AV_MUST_USE;
/* `found` NULL: nothing is there. */
enum error_code decide_condition(const struct condition *condition, const struct found *found,
                                 struct error *error) AV_MUST_USE;
struct id_list decide_ancestors(struct decision *d, const struct walk *walk, size_t count);
/* Fills the stage's result from the overlay. */
enum error_code decide_result(struct decision *d, uint64_t id, bool created, struct error *error) AV_MUST_USE;

/* What the committer's own principal asks of `person`; decide_require() asks of the transaction's. */
enum error_code decide_require_of(struct decision *d, const struct principal *person, const struct walk *walk,
                                  uint64_t owner, rights needed, struct error *error) AV_MUST_USE;

/* ---- decide_harvest.c ---- */
void harvest_note(struct decision *d, const struct line *line);
/* Stamps the records that the transaction touched. */
enum error_code decide_finish_harvest(struct decision *d, struct error *error) AV_MUST_USE;

/* ---- decide_tree.c ---- */
/* Makes the containers of walk->missing and walk->rest (all but the last segment when `keep_last`); the walk ends
 * at the deepest, *ret_name is the last segment. */
enum error_code decide_parents(struct decision *d, struct walk *walk, bool allowed, struct text path,
                               struct text *ret_name, struct error *error) AV_MUST_USE;

enum error_code decide_set_flags(struct decision *d, const struct found *found, uint64_t flags,
                                 struct error *error) AV_MUST_USE;
/* `parent` ends at the parent, and at the new container afterwards. */
enum error_code decide_make_child_container(struct decision *d, struct walk *parent, struct text name,
                                            const struct container_options *options, uint64_t *ret_id,
                                            struct error *error) AV_MUST_USE;

/* ---- decide_file.c ---- */
/* Path inside an aggregate as its inventory has it, "files/a/b". `walk` ends at the parent of `name`, or
 * at the resource itself when `name` is empty. */
enum error_code decide_logical_path(struct decision *d, const struct walk *walk, struct text name,
                                    struct text *ret_path, struct error *error) AV_MUST_USE;

/* ---- object.c: OCFL versions ---- */
struct object_version {
    uint64_t object;         /* resource id */
    uint64_t previous;       /* version before, 0: the object begins */
    struct text file_name;   /* of a plain file, for its logical path and extension */
    struct upload *upload;   /* new content, or NULL */
    struct text kept_digest; /* a file whose content stays: its digest */
    bool write_statements;   /* snapshot the statements in force */
    bool tombstone;          /* empty state */
};
struct object_outcome {
    unsigned version;
    struct line_extent inventory;
    struct line_content content; /* place.volume 0: no new content entry */
    bool content_reused;         /* an equal file of this object stands for it: content is its reference */
};
enum error_code object_write_version(struct decision *d, const struct object_version *want,
                                     struct object_outcome *ret_outcome, struct error *error) AV_MUST_USE;
/* Aggregates: changes gather, decide_finish_aggregates() writes one version each. */
enum error_code aggregate_put_file(struct decision *d, uint64_t aggregate, struct text logical_path,
                                   struct text name, struct upload *upload, struct line_content *ret_content,
                                   struct error *error) AV_MUST_USE;
enum error_code aggregate_remove(struct decision *d, uint64_t aggregate, struct text logical_path,
                                 struct error *error) AV_MUST_USE;
enum error_code aggregate_rename(struct decision *d, uint64_t aggregate, struct text from, struct text to,
                                 struct error *error) AV_MUST_USE;
enum error_code aggregate_touch(struct decision *d, uint64_t aggregate, struct error *error) AV_MUST_USE;
enum error_code decide_finish_aggregates(struct decision *d, struct error *error) AV_MUST_USE;
/* Root copies of every object that this group versioned. */
enum error_code decide_finish_group(struct decision *d, struct error *error) AV_MUST_USE;
/* A line's content from an upload that was added at a place. */
void content_of_upload(struct arena *arena, struct upload *upload, struct place place, struct place sums,
                       size_t digest_bytes, struct line_content *ret_content);

/* One decision a kind of stage. */
typedef enum error_code decide_function(struct decision *d, struct error *error);
#define X(name) decide_function decide_##name;
STAGES(X)
#undef X

#endif
