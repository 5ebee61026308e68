/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the view: its struct, and what its files call of each other. Internal to the model.
 *
 * Invariants
 * 1. `node` is decoded from `storage` and belongs to `node_id`; whoever loads another sets all three.
 * 2. What a view remembers (standings, rules) is bounded and only ever a copy of what its snapshot says.
 * 3. `visiting` holds what one callback is shown, and is reset before the next.
 */
#ifndef ARCHIVOLT_MODEL_VIEW_PRIVATE_H
#define ARCHIVOLT_MODEL_VIEW_PRIVATE_H

#include "model/record/keys.h"
#include "model/private.h"
#include "model/read/moment.h"

#define VIEW_STANDINGS 64u
#define VIEW_RULES 16u

/* Where a resource stands: whose rule is in force, and whether it or an ancestor is deleted. */
struct standing {
    uint64_t id; /* 0: an empty place */
    uint64_t rule_of;
    bool deleted;
};

struct remembered_rule {
    uint64_t rule_of; /* 0: an empty place */
    struct rule_list rule;
};

struct view {
    struct model *model;
    struct principal principal;
    struct moment *moment;
    struct lookup lookup; /* in the moment's snapshot */
    struct arena arena;    /* results */
    struct arena visiting; /* what one callback is shown */
    struct arena rule_arena;
    struct buffer storage;
    struct node node;
    uint64_t node_id; /* 0: none */
    uint64_t user_id; /* whose name `user_name` is; 0: none */
    struct buffer user_name;
    unsigned rules_loaded;
    struct remembered_rule rules[VIEW_RULES];
    struct standing standings[VIEW_STANDINGS];
    struct walk walk; /* scratch; last, and not zeroed */
};

bool view_is_administrator(const struct view *view);
/* The node, borrowed until the next is loaded. NOT_FOUND when there is none. */
enum error_code view_node(struct view *view, uint64_t id, const struct node **ret_node,
                          struct error *error) AV_MUST_USE;
enum error_code view_standing(struct view *view, uint64_t id, struct standing *ret_standing,
                              struct error *error) AV_MUST_USE;
/* Borrowed until the next rule is asked for. */
enum error_code view_rule(struct view *view, uint64_t rule_of, const struct rule_list **ret_rule,
                          struct error *error) AV_MUST_USE;
enum error_code view_rights_at(struct view *view, uint64_t rule_of, uint64_t owner, rights *ret_rights,
                               struct error *error) AV_MUST_USE;
/* NOT_FOUND in the words for what is not there at all; UNAUTHENTICATED for anonymous. */
enum error_code view_conceal(const struct view *view, struct error *error, const char *format, ...)
    AV_PRINTF(3, 4) AV_MUST_USE;

/* That a resource is there and may be discovered. The node stays loaded. */
enum view_deleted {
    VIEW_DELETED_GONE,    /* GONE unless the principal is an administrator */
    VIEW_DELETED_ADMITTED /* whoever may discover it: history, the change feed */
};
enum error_code view_admit(struct view *view, uint64_t id, enum view_deleted deleted,
                           struct standing *ret_standing, struct error *error) AV_MUST_USE;
/* The same as a question, for lists: *ret_visible. `deleted_too`: whether deleted ones count. */
enum error_code view_is_visible(struct view *view, uint64_t id, bool deleted_too, bool *ret_visible,
                                struct error *error) AV_MUST_USE;
/* The admitted resource whose node is loaded. */
enum error_code view_fill(struct view *view, const struct standing *standing, struct arena *arena,
                          struct resource *ret_resource, struct error *error) AV_MUST_USE;
/* A user's name for versions and events, "" when removed; borrowed until the next is asked for. */
enum error_code view_user_name(struct view *view, uint64_t user, struct text *ret_name,
                               struct error *error) AV_MUST_USE;
/* A scan of all keys that begin with `prefix`, from `from` on. */
enum error_code view_scan(struct view *view, const struct key *from, const struct key *prefix, bool backward,
                          struct catalog_scan **ret_scan, struct error *error) AV_MUST_USE;
/* Closes it; the first error is kept: `code`, with what `error` says of it already, or else the scan's own. */
enum error_code view_scan_close(struct catalog_scan *scan, enum error_code code, struct error *error) AV_MUST_USE;

#endif
