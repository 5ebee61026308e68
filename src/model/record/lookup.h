/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct lookup: reading catalog records either in a frozen snapshot (views) or on the committer's
 * overlay (catalog plus all that is laid out). What must be the same on both sides lives here: paths, ancestry,
 * rights. Internal to the model. Threads: that of what it reads from.
 */
#ifndef ARCHIVOLT_MODEL_LOOKUP_H
#define ARCHIVOLT_MODEL_LOOKUP_H

#include "catalog/catalog.h"
#include "catalog/overlay.h"
#include "model/record/effect.h"
#include "model/limits.h"
#include "model/record/record.h"
#include "model/view.h"

struct lookup {
    struct catalog *catalog;
    struct catalog_snapshot *snapshot; /* NULL: the newest state */
    struct overlay *overlay;           /* when given, read instead */
};

#define WALK_DEPTH_MAXIMUM 1024u

/* From the root to a resource. */
struct walk {
    uint64_t ids[WALK_DEPTH_MAXIMUM + 1]; /* ids[0] is the root */
    size_t count;                         /* ids filled in: the resource itself is ids[count - 1] */
    uint64_t rule_of;   /* nearest of them that has a rule of its own */
    uint64_t aggregate; /* nearest of them that is an aggregate, or 0 */
    bool deleted;       /* one of them is deleted */
    /* lookup_path that stopped early: */
    struct text missing; /* the first segment that is not there, borrowed from the path */
    struct text rest;    /* the path after it, without its slash; data NULL when nothing follows */
    uint64_t gone;       /* id of the deleted resource that marks that name there, or 0 */
};

enum error_code lookup_get(const struct lookup *lookup, struct text key, struct buffer *ret_value,
                           struct error *error) AV_MUST_USE;
/* Every key that begins with `prefix`, in order; of the catalog or its snapshot, not of an overlay. */
struct key;
enum error_code lookup_scan(const struct lookup *lookup, const struct key *prefix, struct catalog_scan **ret_scan,
                            struct error *error) AV_MUST_USE;
/* The same of the overlay and what is below it. */
enum error_code overlay_scan_under(struct overlay *overlay, const struct key *prefix, struct overlay_scan **ret_scan,
                                   struct error *error) AV_MUST_USE;
/* The node's texts are borrowed from `storage`. NOT_FOUND. */
enum error_code lookup_node(const struct lookup *lookup, uint64_t id, struct buffer *storage,
                            struct node *ret_node, struct error *error) AV_MUST_USE;
/* All zeros when there is no record. */
enum error_code lookup_counts(const struct lookup *lookup, uint64_t id, struct counts *ret_counts,
                              struct error *error) AV_MUST_USE;
enum error_code lookup_child(const struct lookup *lookup, uint64_t parent, struct text name,
                             struct child_record *ret_child, struct error *error) AV_MUST_USE;
/* `path` has passed path_check(). NOT_FOUND or GONE leave `missing`, `rest` and the ids so far in the walk;
 * CONFLICT when a file stands where a container must. */
enum error_code lookup_path(const struct lookup *lookup, struct text path, struct walk *ret_walk,
                            struct error *error) AV_MUST_USE;
/* From an id upwards. NOT_FOUND when there is no such node at all; deleted ones succeed, `deleted` set. */
enum error_code lookup_ancestry(const struct lookup *lookup, uint64_t id, struct walk *ret_walk,
                                struct error *error) AV_MUST_USE;
/* The path of a walked resource, by the names of its nodes. */
enum error_code lookup_path_of(const struct lookup *lookup, const struct walk *walk, struct buffer *ret_path,
                               struct error *error) AV_MUST_USE;
/* The entries of the rule in force: that of `rule_of`. Into the arena. */
enum error_code lookup_rule(const struct lookup *lookup, uint64_t rule_of, struct arena *arena,
                            struct rule_list *ret_rule, struct error *error) AV_MUST_USE;
/* What `principal` may on a resource owned by `owner`, whose rule is that of `rule_of`. */
enum error_code lookup_rights(const struct lookup *lookup, const struct principal *principal, uint64_t rule_of,
                              uint64_t owner, rights *ret_rights, struct error *error) AV_MUST_USE;
/* The decision itself, pure. */
rights access_decide(const struct principal *principal, uint64_t owner, const struct rule_list *rule);
/* DENIED, or UNAUTHENTICATED for anonymous, naming the missing rights. NONE when all are there. */
enum error_code access_require(const struct principal *principal, rights held, rights needed,
                               struct error *error) AV_MUST_USE;

/* Statements: a decoded record of the statement family; texts borrowed from key and value. */
enum error_code statement_decode(struct text key, struct text value, struct statement *ret_statement,
                                 struct error *error) AV_MUST_USE;

#endif
