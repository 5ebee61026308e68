/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct transaction: staged operations that happen together or not at all.
 *
 * Life: transaction_new() - stage operations - transaction_commit() or transaction_submit() -
 * results - transaction_free(). Staging checks shape and limits at once; state (does it exist, may this
 * principal) is decided by the committer, on the catalog plus all that is laid out before it.
 * A target is a path, so that racing creators of one path meet in the committer and nowhere else; or an id.
 * Texts handed to staging functions are copied; content is moved in.
 * Threads: one at a time until submitted; then untouched until `done` is called.
 *
 * Errors of a commit: NOT_FOUND, GONE, EXISTS, CONFLICT, PRECONDITION, DENIED, UNAUTHENTICATED, INVALID,
 * LIMIT, DIGEST, BUSY (queue full), TIMEOUT (a long transaction holds it), FULL, IO, CLOSED.
 */
#ifndef ARCHIVOLT_MODEL_TRANSACTION_H
#define ARCHIVOLT_MODEL_TRANSACTION_H

#include "base/error.h"
#include "base/text.h"
#include "format/digest.h"
#include "model/access.h"
#include "model/statement.h"

struct model;
struct transaction;
struct upload;

struct target {
    struct text path; /* used when id is 0 */
    uint64_t id;
};
static inline struct target
target_path(struct text path)
{
    return (struct target){path, 0};
}
static inline struct target
target_id(uint64_t id)
{
    return (struct target){{NULL, 0}, id};
}

/* What the caller demands of the state; PRECONDITION when it does not hold. */
enum condition_kind {
    CONDITION_NONE,
    CONDITION_ABSENT, /* nothing there (If-None-Match: *) */
    CONDITION_EXISTS, /* something there (If-Match: *) */
    CONDITION_STATE,  /* its (id, counter) is one of these (If-Match) */
    CONDITION_STATE_NOT /* it is none of these (If-None-Match with tags) */
};
struct resource_state {
    uint64_t id, counter;
};
struct condition {
    enum condition_kind kind;
    const struct resource_state *states; /* copied by staging */
    size_t count;
    int64_t unmodified_since_us; /* 0: no such condition */
};

/* ---- uploads: content on its way in, hashed as it passes; any thread, one at a time ------------- */

/* `also`: bits (1u << enum digest_algorithm) of digests to compute besides the store's own. */
enum error_code upload_begin(struct model *model, unsigned also, struct upload **ret_upload,
                             struct error *error) AV_MUST_USE;
enum error_code upload_write(struct upload *upload, const void *data, size_t length,
                             struct error *error) AV_MUST_USE;
enum error_code upload_finish(struct upload *upload, struct error *error) AV_MUST_USE; /* may sync: blocks */
uint64_t upload_size(const struct upload *upload);
bool upload_is_bulk(const struct upload *upload); /* past the small limit: finish will sync */
/* After finish. DIGEST with both values in the message when they differ; INVALID when it was not
 * asked for at the beginning. A digest that was checked is kept in the fixity block. */
enum error_code upload_check_digest(struct upload *upload, enum digest_algorithm algorithm,
                                    const unsigned char *expected, struct error *error) AV_MUST_USE;
bool upload_digest(const struct upload *upload, enum digest_algorithm algorithm, unsigned char *ret_digest);
/* After finish: `length` bytes at `offset`. INVALID: a range beyond the end. Blocks on the disk when it is bulk. */
enum error_code upload_read(struct upload *upload, uint64_t offset, void *data, size_t length,
                            struct error *error) AV_MUST_USE;
void upload_free(struct upload *upload); /* gives it up; NULL is fine */
/* Uploads that come one after the other and are committed in that order, the files of a package: what does not stay in memory shares
 * one bulk volume, however many there are. upload_share() before the first write. Freed before or after the commit. */
struct upload_batch;
enum error_code upload_batch_new(struct model *model, struct upload_batch **ret_batch, struct error *error) AV_MUST_USE;
void upload_batch_free(struct upload_batch *batch); /* NULL is fine */
void upload_share(struct upload *upload, struct upload_batch *batch); /* batch NULL: nothing happens */

/* ---- staging ------------------------------------------------------------------------------------- */

enum error_code transaction_new(struct model *model, const struct principal *principal,
                                struct transaction **ret_transaction, struct error *error) AV_MUST_USE;
void transaction_free(struct transaction *transaction); /* not while submitted; NULL is fine */
/*
 * A program that stands for its own rules (a deposit makes an item in a collection where the depositor may only append)
 * requires the rights that these rules ask for, of the persons whom they ask, and then acts itself: stages after
 * transaction_trust() are not asked for rights. They are journalled as the principal's, who owns what they make.
 */
enum error_code transaction_require(struct transaction *transaction, struct target target,
                                    const struct principal *person, rights needed, struct error *error) AV_MUST_USE;
void transaction_trust(struct transaction *transaction);
/* For the version's record; default "". User names and addresses come from the principal. */
void transaction_set_message(struct transaction *transaction, struct text message);

struct file_options {
    bool make_parents;   /* missing ones become containers with RESOURCE_IMPLIED */
    bool fail_if_exists; /* EXISTS instead of replacing */
    bool refuse_gone;    /* GONE where something was deleted, at the path or above it, instead of making another */
    struct text media_type; /* "" keeps (replace) or leaves empty (create) */
    struct text filename;
    int64_t source_mtime_us; /* INT64_MIN: not known */
    unsigned source_mode;    /* 0: not known */
    struct condition condition;
};
/* Creates or replaces (a new version). CONFLICT when a container is there. Moves the upload in. */
enum error_code transaction_put_file(struct transaction *transaction, struct target target,
                                     struct upload **upload, const struct file_options *options,
                                     struct error *error) AV_MUST_USE;
struct container_options {
    bool make_parents;
    bool exist_ok;       /* an existing container is fine, and loses RESOURCE_IMPLIED */
    bool aggregate;
    bool implied;
    bool is_set;         /* RESOURCE_SET: harvesters see it as a set */
    struct condition condition;
};
enum error_code transaction_make_container(struct transaction *transaction, struct target target,
                                           const struct container_options *options,
                                           struct error *error) AV_MUST_USE;
/* POST: a child of `parent` under the name `slug` when it is given, valid and free, else under a fresh
 * time-ordered UUID. A file when `upload` points at one, else a container. */
enum error_code transaction_add_child(struct transaction *transaction, struct target parent,
                                      struct text slug, struct upload **upload,
                                      const struct file_options *file, const struct container_options *container,
                                      struct error *error) AV_MUST_USE;

enum statement_change_kind {
    STATEMENT_ADD,        /* EXISTS silently when the same is there */
    STATEMENT_APPEND,     /* at the next place of its attribute */
    STATEMENT_REMOVE,     /* exactly this; NOT_FOUND when absent */
    STATEMENT_REMOVE_ATTRIBUTE, /* all of this attribute; none is fine */
    STATEMENT_REMOVE_ALL
};
struct statement_change {
    enum statement_change_kind kind;
    struct statement statement;
};
/* In order. `snapshot`: also make a new version whose OCFL object holds the statements in force
 * (the journal has them either way). */
enum error_code transaction_change_statements(struct transaction *transaction, struct target target,
                                              const struct statement_change *changes, size_t count,
                                              bool snapshot, const struct condition *condition /* or NULL */,
                                              struct error *error) AV_MUST_USE;
/* To a full path; its parent must exist (or make_parents). EXISTS, CONFLICT (into itself). O(1). */
enum error_code transaction_move(struct transaction *transaction, struct target from, struct text to,
                                 bool make_parents, const struct condition *condition,
                                 struct error *error) AV_MUST_USE;
/* CONFLICT when a container has children and not `recursive`. One line, in force at once. */
enum error_code transaction_delete(struct transaction *transaction, struct target target, bool recursive,
                                   const struct condition *condition, struct error *error) AV_MUST_USE;
/* Forgets a tombstone, so that the path is as if never used (history stays). NOT_FOUND without one. */
enum error_code transaction_forget_tombstone(struct transaction *transaction, struct text path,
                                             struct error *error) AV_MUST_USE;
/* entries NULL: inherit again. Needs OWN. */
enum error_code transaction_set_access(struct transaction *transaction, struct target target,
                                       const struct rule_entry *entries, size_t count,
                                       struct error *error) AV_MUST_USE;
enum error_code transaction_set_owner(struct transaction *transaction, struct target target, uint64_t user,
                                      struct error *error) AV_MUST_USE;

/*
 * Identifiers: names of a resource in a scheme of others ("handle", "uuid"), unique in their scheme. They outlive
 * the resource, also its purge, so that an old name is never given to another. EXISTS: another resource has it
 * (the same one: nothing happens). Scheme 1 to 32 bytes, value 1 to 1,024 bytes, UTF-8 without NUL.
 */
#define IDENTIFIER_SCHEME_BYTES_MAXIMUM 32u
#define IDENTIFIER_BYTES_MAXIMUM 1024u
enum error_code transaction_set_identifier(struct transaction *transaction, struct target target, struct text scheme,
                                           struct text value, struct error *error) AV_MUST_USE;
/*
 * Harvesting. A record is an aggregate that harvesters are told of from now on (RESOURCE_RECORD; there is no way back):
 * each change of it, of what is in it or of who may see it gets a harvest stamp. It is shown as live while anonymous may
 * discover it, else as deleted. Its sets are the containers above it that are sets (RESOURCE_SET), and those that its
 * statements `archivolt.mapped` name by their identifier "uuid", with the sets above them. CONFLICT: no aggregate.
 */
enum error_code transaction_make_record(struct transaction *transaction, struct target target,
                                        struct error *error) AV_MUST_USE;

/* Persons: administrators only (a person may change their own password and tokens). */
struct user_change {
    struct text name; /* 1 to 255 bytes, no ':' , no control characters; immutable */
    struct text full_name, email;
    enum role role;
    bool disabled;
};
enum error_code transaction_add_user(struct transaction *transaction, const struct user_change *user,
                                     struct error *error) AV_MUST_USE;
enum error_code transaction_change_user(struct transaction *transaction, uint64_t id,
                                        const struct user_change *user, struct error *error) AV_MUST_USE;
enum error_code transaction_remove_user(struct transaction *transaction, uint64_t id, struct error *error) AV_MUST_USE;
/* Hashes with Argon2id before staging: blocks for some 50 ms; an empty password removes it. */
enum error_code transaction_set_password(struct transaction *transaction, uint64_t user, struct text password,
                                         struct error *error) AV_MUST_USE;
enum error_code transaction_add_group(struct transaction *transaction, struct text name, struct error *error) AV_MUST_USE;
enum error_code transaction_remove_group(struct transaction *transaction, uint64_t id, struct error *error) AV_MUST_USE;
enum error_code transaction_set_member(struct transaction *transaction, uint64_t group, uint64_t user, bool member,
                                       struct error *error) AV_MUST_USE;
/* The token's text goes out once; only its SHA-256 is kept. */
enum error_code transaction_add_token(struct transaction *transaction, uint64_t user, struct text label,
                                      int64_t expires_us, char ret_token[64], struct error *error) AV_MUST_USE;
enum error_code transaction_remove_token(struct transaction *transaction, uint64_t id, struct error *error) AV_MUST_USE;

/* Draws the next number of a named, journalled counter (numbers of items). */
enum error_code transaction_draw(struct transaction *transaction, struct text counter, struct error *error) AV_MUST_USE;
/* The counter moves past `value`, if it has not yet (imported numbers). */
enum error_code transaction_raise(struct transaction *transaction, struct text counter, uint64_t value,
                                  struct error *error) AV_MUST_USE;
/* The date-ordered family: something falls due at a time (replaces an earlier date of the same kind); 0 removes. */
enum error_code transaction_set_due(struct transaction *transaction, struct target target, struct text kind,
                                    int64_t due_us, struct error *error) AV_MUST_USE;

/*
 * Long transactions: staged over many requests. hold() keeps a resource (all of an aggregate, when it is in one) from
 * changes by others until the transaction is committed or freed; it waits at most lock_wait_ms for another
 * that has it (TIMEOUT). Blocks: not for event loops. A transaction that has not been touched for
 * transaction_idle_ms may lose what it holds to whoever asks; its commit then fails with TIMEOUT.
 */
enum error_code transaction_hold(struct transaction *transaction, struct target target, struct error *error) AV_MUST_USE;
void transaction_touch(struct transaction *transaction);

/* ---- committing ---------------------------------------------------------------------------------- */

struct operation_result { /* one a staged operation, in order */
    uint64_t id;          /* resource, user, group, token; or the number drawn */
    uint64_t counter;
    uint64_t version;     /* that it made, or 0 */
    bool created;
    int64_t time_us;
    struct text path;     /* of what add_child made; borrowed from the transaction */
};
struct transaction_timing { /* of this transaction, for Server-Timing */
    uint64_t wait_ns, layout_ns, write_ns, sync_ns, catalog_ns;
};

typedef void transaction_done(void *context, struct transaction *transaction);
/* Hands it to the committer. `done` is called once, from the committer's thread: it must be quick and
 * must not wait for a commit. Errors at once (BUSY, CLOSED): `done` is not called. */
enum error_code transaction_submit(struct transaction *transaction, transaction_done *done, void *context,
                                   struct error *error) AV_MUST_USE;
/* After `done`: how it went. */
enum error_code transaction_outcome(const struct transaction *transaction, struct error *error) AV_MUST_USE;
/* Submit and wait. */
enum error_code transaction_commit(struct transaction *transaction, struct error *error) AV_MUST_USE;
const struct operation_result *transaction_result(const struct transaction *transaction, size_t operation);
size_t transaction_operation_count(const struct transaction *transaction);
uint64_t transaction_sequence(const struct transaction *transaction); /* of its group */
const struct transaction_timing *transaction_timing(const struct transaction *transaction);

#endif
