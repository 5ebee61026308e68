/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Staged operations, as the committer finds them. Internal to the model.
 */
#ifndef ARCHIVOLT_MODEL_TRANSACTION_PRIVATE_H
#define ARCHIVOLT_MODEL_TRANSACTION_PRIVATE_H

#include "base/arena.h"
#include "base/lock.h"
#include "model/record/line.h"
#include "model/private.h"
#include "volume/store.h"

#define UPLOAD_MAGIC 0x55504C44u
#define TRANSACTION_MAGIC 0x5452414Eu

struct upload {
    unsigned magic;
    struct content *content;
    unsigned also;    /* digests asked for, bits */
    unsigned checked; /* digests that were compared, bits */
    bool finished;
};

/* X(NAME): one a staging function; decide_NAME() is its decision. */
#define STAGES(X)                                                                                  \
    X(put_file)                                                                                    \
    X(make_container)                                                                              \
    X(add_child)                                                                                   \
    X(change_statements)                                                                           \
    X(move)                                                                                        \
    X(delete)                                                                                      \
    X(forget_tombstone)                                                                            \
    X(set_access)                                                                                  \
    X(set_owner)                                                                                   \
    X(add_user)                                                                                    \
    X(change_user)                                                                                 \
    X(remove_user)                                                                                 \
    X(set_password)                                                                                \
    X(add_group)                                                                                   \
    X(remove_group)                                                                                \
    X(set_member)                                                                                  \
    X(add_token)                                                                                   \
    X(remove_token)                                                                                \
    X(draw)                                                                                        \
    X(raise)                                                                                       \
    X(give_back) /* numbers drawn and not used, unless others were drawn since */                  \
    X(set_identifier)                                                                              \
    X(make_record)                                                                                 \
    X(require_right)                                                                                   \
    X(set_due)                                                                                     \
    X(line)      /* a complete line of the model's own */                                          \
    X(tombstone) /* the empty version of a deleted resource */

enum stage_kind {
#define X(name) STAGE_##name,
    STAGES(X)
#undef X
        STAGE_COUNT
};

struct stage { /* flat on purpose: few bytes, many kinds; who uses what is in the staging functions */
    struct stage *next;
    enum stage_kind kind;
    struct target target;
    struct condition condition;
    struct upload *upload; /* owned */
    struct file_options file;
    struct container_options container;
    bool is_file;
    struct text name; /* slug, new path, name of a user, group, counter, kind of a due date */
    const struct statement_change *changes;
    size_t change_count;
    bool snapshot, recursive, make_parents, inherit, member;
    const struct rule_entry *entries;
    size_t entry_count;
    struct user_change user;
    uint64_t number, group; /* user or token id; expiry; due time */
    struct text secret;     /* password hash, SHA-256 of a token; value of an identifier */
    struct principal person; /* of whom rights are required */
    rights rights;
    bool trusted;           /* the program itself acts: rights are not asked */
    struct line line;
    unsigned line_index; /* of the last line that it journalled, in its group */
    struct place bulk_sums; /* of its content, once laid out in a bulk volume */
    struct operation_result result;
};

struct transaction {
    unsigned magic;
    struct model *model;
    struct principal principal; /* copied into the arena */
    struct arena arena;
    struct text message;
    struct stage *first, *last;
    size_t count;
    bool submitted, urgent, changes_persons;
    bool trusted; /* stages from here on are */
    bool holds; /* it is a long one: what it holds ends with it */
    bool blocked; /* a decision met somebody else's hold: to be tried again */
    const struct id_list *forget; /* committer_journal */
    struct error outcome;
    uint64_t sequence;
    struct transaction_timing timing;
    uint64_t submitted_ns;
    transaction_done *done;
    void *context;
    struct transaction *next; /* in the committer's queue, then in its group */
};

/* The next `count` numbers; the result is the last of them. */
enum error_code transaction_draw_block(struct transaction *transaction, struct text counter, uint64_t count,
                                       struct error *error) AV_MUST_USE;
/* Adds a stage; NULL after the arena's or the configured limit (error is set). */
struct stage *transaction_stage(struct transaction *transaction, enum stage_kind kind, struct error *error);

#endif
