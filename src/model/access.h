/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may do what: rights, rules, roles, and the principal that every call names.
 *
 * A rule is a list of (subject, rights). A resource has a rule of its own or inherits that of its
 * nearest ancestor that has one (looked up, never copied down; the root always has one). Equal rules are stored once.
 * One decision (access_decide): administrators may everything; anyone else has the rights that the
 * rule gives to one of their subjects (user, groups, `authenticated`, `anonymous`, `owner` when they own the
 * resource), cut to what their role allows.
 */
#ifndef ARCHIVOLT_MODEL_ACCESS_H
#define ARCHIVOLT_MODEL_ACCESS_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"

/* X(RIGHT, bit, word) */
#define RIGHTS(X)                                                                                  \
    X(DISCOVER, 0, "discover") /* see that it exists, its metadata, list it */                     \
    X(READ, 1, "read")         /* its content */                                                   \
    X(APPEND, 2, "append")     /* create children */                                               \
    X(WRITE, 3, "write")       /* replace, edit, move, delete */                                   \
    X(OWN, 4, "own")           /* change access */                                                 \
    X(ON_BEHALF_OF, 5, "on-behalf-of") /* deposit for another person */                            \
    X(DEPOSIT, 6, "deposit")   /* put items into a collection; no right on what lies in it */

enum right {
#define X(name, bit, word) RIGHT_##name = 1 << bit,
    RIGHTS(X)
#undef X
};
typedef unsigned rights; /* a set of bits */
#define RIGHTS_ALL ((rights)0x7F)

/* X(ROLE, word, ceiling): what a role may at most, whatever rules say. */
#define ROLES(X)                                                                                   \
    X(READER, "reader", RIGHT_DISCOVER | RIGHT_READ)                                               \
    X(DEPOSITOR, "depositor", RIGHT_DISCOVER | RIGHT_READ | RIGHT_APPEND | RIGHT_WRITE | RIGHT_DEPOSIT | \
                                   RIGHT_ON_BEHALF_OF)                                             \
    X(CURATOR, "curator", RIGHTS_ALL)                                                              \
    X(ADMINISTRATOR, "administrator", RIGHTS_ALL)

enum role {
#define X(name, word, ceiling) ROLE_##name,
    ROLES(X)
#undef X
        ROLE_COUNT
};

enum subject_kind {
    SUBJECT_ANONYMOUS,     /* everyone, known or not */
    SUBJECT_AUTHENTICATED, /* every known person */
    SUBJECT_OWNER,         /* whoever owns the resource */
    SUBJECT_USER,          /* `id` */
    SUBJECT_GROUP          /* `id` */
};

struct rule_entry {
    enum subject_kind kind;
    uint64_t id; /* of the user or group, else 0 */
    rights rights;
};

#define RULE_ENTRIES_MAXIMUM 1000u

/* Who is asking. Borrowed texts live as long as the principal's arena or, for the static ones, for ever. */
struct principal {
    uint64_t user; /* 0: anonymous */
    struct text name;
    enum role role;
    const uint64_t *groups;
    size_t group_count;
};

/* Words for people and protocols: "read", "user:anna", "group:staff", "anonymous", "read,append". */
bool rights_parse(struct text words, rights *ret_rights);
void rights_words(rights rights, struct buffer *ret_words); /* comma-separated */
bool role_parse(struct text word, enum role *ret_role);
const char *role_word(enum role role);

#endif
