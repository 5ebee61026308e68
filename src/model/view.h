/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct view: reading, as one principal, at one moment. A view sees one state of everything however
 * long it is used, and never waits for writers. Short-lived: open, read, close.
 *
 * Life: view_open() - resolve, list, read... - view_close(). Texts in results are borrowed from the
 * view's arena and live until view_close(), except where an iterator says less. What a callback is shown
 * (resources found, versions, events, persons) lives until it returns: copy what you keep.
 * Threads: one at a time.
 * Errors everywhere: NOT_FOUND (also where the principal may not discover it), GONE (deleted; the
 * tombstone's time is in the message), DENIED, UNAUTHENTICATED (anonymous, and a known person might), CORRUPT, IO.
 */
#ifndef ARCHIVOLT_MODEL_VIEW_H
#define ARCHIVOLT_MODEL_VIEW_H

#include "base/arena.h"
#include "base/buffer.h"
#include "format/digest.h"
#include "model/access.h"
#include "model/statement.h"

struct model;
struct model_limits;
struct view;

#define ROOT_ID 1u
#define ADMIN_ID 2u /* the first administrator; the local command line acts as this user */

enum resource_kind { RESOURCE_CONTAINER = 1, RESOURCE_FILE = 2 };

enum resource_flag {
    RESOURCE_IMPLIED = 1 << 0,   /* a container made on the way to something else */
    RESOURCE_AGGREGATE = 1 << 1, /* a container versioned as one unit */
    RESOURCE_DELETED = 1 << 2,   /* a tombstone, or below one */
    RESOURCE_DESCRIBED = 1 << 3, /* has statements */
    RESOURCE_SET = 1 << 4,       /* a container that harvesters see as a set */
    RESOURCE_RECORD = 1 << 5,    /* an aggregate that harvesters are told of */
};

struct resource {
    uint64_t id;
    uint64_t parent; /* 0: the root */
    struct text name; /* "" for the root */
    enum resource_kind kind;
    unsigned flags;
    uint64_t owner; /* user id */
    int64_t created_us, modified_us;
    uint64_t counter;         /* state counter: grows with each change of the resource itself */
    uint64_t children_change; /* sequence of the last change among its children; containers */
    uint64_t version;         /* number of the newest version; 0: none (a plain container) */
    uint64_t version_sequence;/* of the group that wrote it */
    uint64_t aggregate;       /* id of the aggregate that it belongs to, or 0 */
    /* files */
    uint64_t size_bytes;
    unsigned char digest[DIGEST_SIZE_MAX]; /* store's algorithm */
    struct text media_type;   /* "" when not given */
    struct text filename;     /* from Content-Disposition, or "" */
    int64_t source_mtime_us;  /* of the file it came from; INT64_MIN: not known */
    unsigned source_mode;     /* permission bits; 0: not known */
    /* further digests that a client sent or asked for, as "md5:hex sha-256:hex" */
    struct text fixity;
    /* containers: live children and everything below */
    uint64_t children, subtree_resources, subtree_files, subtree_bytes;
};

enum error_code view_open(struct model *model, const struct principal *principal,
                          struct view **ret_view, struct error *error) AV_MUST_USE;
void view_close(struct view *view); /* NULL is fine */
struct arena *view_arena(struct view *view);
uint64_t view_sequence(const struct view *view); /* the group that this view reflects */

/* Path: "/a/b", bytes as stored, no encoding; "/" is the root; a trailing slash is refused by
 * path_check() except "/". INVALID names the rule, LIMIT the limit. */
enum error_code path_check(struct text path, const struct model_limits *limits, struct error *error) AV_MUST_USE;
/* For what is there already: a tree that was moved down lies deeper than anything could be created, and stays reachable. */
enum error_code path_check_existing(struct text path, const struct model_limits *limits, struct error *error) AV_MUST_USE;
enum error_code name_check(struct text name, const struct model_limits *limits, struct error *error) AV_MUST_USE;

/* Needs the right DISCOVER. */
enum error_code view_resolve(struct view *view, struct text path, struct resource *ret_resource,
                             struct error *error) AV_MUST_USE;
enum error_code view_get(struct view *view, uint64_t id, struct resource *ret_resource,
                         struct error *error) AV_MUST_USE;
enum error_code view_path(struct view *view, uint64_t id, struct text *ret_path,
                          struct error *error) AV_MUST_USE;
/* The rights that the principal has on a resource. */
enum error_code view_rights(struct view *view, const struct resource *resource, rights *ret_rights,
                            struct error *error) AV_MUST_USE;
/* DENIED (or UNAUTHENTICATED) unless all of `needed` are held; the message names right and path. */
enum error_code view_require(struct view *view, const struct resource *resource, rights needed,
                             struct error *error) AV_MUST_USE;

/* Children by name, bytes ascending, live ones that may be discovered, after `after` ("" from the first). */
struct child {
    struct text name; /* borrowed until the next call */
    uint64_t id;
    enum resource_kind kind;
    unsigned flags;
};
struct child_iterator;
enum error_code view_children(struct view *view, const struct resource *container, struct text after,
                              struct child_iterator **ret_iterator, struct error *error) AV_MUST_USE;
bool child_iterator_next(struct child_iterator *iterator, struct child *ret_child);
enum error_code child_iterator_close(struct child_iterator *iterator, struct error *error) AV_MUST_USE;

/* Statements in order (attribute, place, value, qualifier). */
struct statement_iterator;
enum error_code view_statements(struct view *view, uint64_t id, struct text attribute /* "" all */,
                                struct statement_iterator **ret_iterator, struct error *error) AV_MUST_USE;
bool statement_iterator_next(struct statement_iterator *iterator, struct statement *ret_statement);
enum error_code statement_iterator_close(struct statement_iterator *iterator, struct error *error) AV_MUST_USE;

/* Find by metadata: all conditions hold (each by some statement). Live and discoverable only.
 * In order of id, after `after_id`. A condition whose value is a plain decimal holds for plain decimals only, compared
 * as numbers, exactly; other conditions, and FIND_PREFIX always, compare bytes. */
enum find_operator { FIND_EQUAL, FIND_PREFIX, FIND_LESS, FIND_LESS_EQUAL, FIND_GREATER, FIND_GREATER_EQUAL };
struct find_condition {
    struct text attribute;
    enum find_operator comparison;
    struct text value;
};
typedef bool view_found(void *context, const struct resource *resource); /* false: stop */
enum error_code view_find(struct view *view, const struct find_condition *conditions, size_t count,
                          uint64_t after_id, size_t limit /* 0: all */, view_found *found, void *context,
                          struct error *error) AV_MUST_USE;

/* Versions, oldest first. */
struct version {
    uint64_t number;
    uint64_t sequence;
    int64_t time_us;
    uint64_t user;
    struct text user_name;
    struct text message;
    uint64_t size_bytes;
    unsigned char digest[DIGEST_SIZE_MAX];
    struct text media_type;
    bool deleted; /* an empty state */
};
typedef bool view_version(void *context, const struct version *version);
enum error_code view_versions(struct view *view, uint64_t id, uint64_t after_number, view_version *visit,
                              void *context, struct error *error) AV_MUST_USE;
/* Everything that happened to a resource, oldest first; also to deleted ones at a path. */
struct event {
    uint64_t id;       /* of the resource */
    uint64_t sequence;
    unsigned index;
    int64_t time_us;
    const char *operation; /* "create", "version", "move", "delete", … static */
    uint64_t user;
    struct text user_name;
    uint64_t version;  /* that it made, or 0 */
};
typedef bool view_event(void *context, const struct event *event);
enum error_code view_history(struct view *view, uint64_t id, view_event *visit, void *context,
                             struct error *error) AV_MUST_USE;
/* Ids of resources that were deleted at this path, newest first. */
typedef bool view_gone(void *context, uint64_t id, int64_t deleted_us);
enum error_code view_deleted_at(struct view *view, struct text path, view_gone *visit, void *context,
                                struct error *error) AV_MUST_USE;
/* The change feed: resources changed, in commit order, after (sequence, index). */
struct change {
    uint64_t sequence;
    unsigned index;
    uint64_t id;
    const char *operation;
};
typedef bool view_change(void *context, const struct change *change);
enum error_code view_changes(struct view *view, uint64_t after_sequence, unsigned after_index, view_change *visit,
                             void *context, struct error *error) AV_MUST_USE;

/* The last number of a named counter that was drawn in a block (model_draw()); 0: none. */
enum error_code view_counter(struct view *view, struct text counter, uint64_t *ret_value, struct error *error) AV_MUST_USE;

/* The resource that has this identifier, be it live, deleted or purged. NOT_FOUND. The resource itself is another
 * question: view_get(). */
enum error_code view_identified(struct view *view, struct text scheme, struct text value, uint64_t *ret_id,
                                struct error *error) AV_MUST_USE;
/* Its identifier in a scheme, the newest when there are several; into the arena. NOT_FOUND. */
enum error_code view_identifier(struct view *view, uint64_t id, struct text scheme, struct text *ret_value,
                                struct error *error) AV_MUST_USE;

/* All identifiers of a scheme, ascending by value, after `after` ("" from the first). */
typedef bool view_identifier_visit(void *context, struct text value, uint64_t id);
enum error_code view_identifiers(struct view *view, struct text scheme, struct text after, view_identifier_visit *visit,
                                 void *context, struct error *error) AV_MUST_USE;

/*
 * Harvest lists (OAI-PMH): each record once, by its last stamp. What harvesters may know is the same for everybody: no
 * rights are asked here. A list is in order of (time, id); a stamp's time is that of its group, never decreasing.
 */
struct harvest_stamp {
    uint64_t id;
    int64_t time_us;
    bool live;            /* false: deleted, for ever or until it is shown again */
    const uint64_t *sets; /* ids of containers, ascending; in the arena (lists: until the callback returns) */
    size_t set_count;
};
struct harvest_range {
    uint64_t set;                /* id of a container, or 0: all */
    int64_t from_us, until_us;   /* both included */
    int64_t after_us;            /* goes on after (after_us, after_id); 0, 0: from the first */
    uint64_t after_id;
};
typedef bool view_stamp(void *context, const struct harvest_stamp *stamp); /* false: stop */
enum error_code view_harvest(struct view *view, const struct harvest_range *range, view_stamp *visit, void *context,
                             struct error *error) AV_MUST_USE;
/* NOT_FOUND: it was never shown. */
enum error_code view_harvest_stamp(struct view *view, uint64_t id, struct harvest_stamp *ret_stamp,
                                   struct error *error) AV_MUST_USE;

/* What falls due up to a time, in order. */
struct due {
    int64_t time_us;
    uint64_t id;
    struct text kind;
};
typedef bool view_due_visit(void *context, const struct due *due);
enum error_code view_due(struct view *view, int64_t until_us, view_due_visit *visit, void *context,
                         struct error *error) AV_MUST_USE;

/* Content of a file by ranges; needs READ. Every block that is read is checked first: CORRUPT gives no bytes.
 * The reader outlives the view that made it (it holds no snapshot). Threads: one at a time. */
struct content_reader;
enum error_code view_content(struct view *view, const struct resource *file, uint64_t version /* 0: newest */,
                             struct content_reader **ret_reader, struct error *error) AV_MUST_USE;
uint64_t content_reader_size(const struct content_reader *reader);
enum error_code content_reader_read(struct content_reader *reader, uint64_t offset, void *data,
                                    size_t length, struct error *error) AV_MUST_USE;
void content_reader_close(struct content_reader *reader);

/* Access of a resource: the rule in force and where it comes from. Needs OWN, or being administrator. */
struct access {
    uint64_t rule_of; /* id of the resource whose rule it is */
    const struct rule_entry *entries;
    size_t count;
};
enum error_code view_access(struct view *view, const struct resource *resource, struct access *ret_access,
                            struct error *error) AV_MUST_USE;

/* Persons. Administrators see all, others themselves, their groups and tokens. Curators, who set access, are told
 * id and name alone of others by the four look-ups. What may not be seen is NOT_FOUND. */
struct user {
    uint64_t id;
    struct text name, full_name, email;
    enum role role;
    bool disabled;
    bool has_password;
};
struct user_group {
    uint64_t id;
    struct text name;
    const uint64_t *members;
    size_t member_count;
};
struct token {
    uint64_t id;
    uint64_t user;
    struct text label;
    int64_t created_us, expires_us; /* 0: never */
};
typedef bool view_user(void *context, const struct user *user);
typedef bool view_group(void *context, const struct user_group *group);
typedef bool view_token(void *context, const struct token *token);
enum error_code view_users(struct view *view, view_user *visit, void *context, struct error *error) AV_MUST_USE;
enum error_code view_groups(struct view *view, view_group *visit, void *context, struct error *error) AV_MUST_USE;
enum error_code view_tokens(struct view *view, view_token *visit, void *context, struct error *error) AV_MUST_USE;
enum error_code view_user_by_name(struct view *view, struct text name, struct user *ret_user, struct error *error) AV_MUST_USE;
enum error_code view_user_by_id(struct view *view, uint64_t id, struct user *ret_user, struct error *error) AV_MUST_USE;
enum error_code view_group_by_name(struct view *view, struct text name, struct user_group *ret_group, struct error *error) AV_MUST_USE;
enum error_code view_group_by_id(struct view *view, uint64_t id, struct user_group *ret_group, struct error *error) AV_MUST_USE;

#endif
