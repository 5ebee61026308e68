/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of the catalog: a family byte, then big-endian numbers and texts, so that the order of bytes
 * is the order wanted. Growing numbers come first wherever a query allows it (ascending keys are cheap).
 * Internal to the model.
 */
#ifndef ARCHIVOLT_MODEL_KEYS_H
#define ARCHIVOLT_MODEL_KEYS_H

#include "base/buffer.h"
#include "model/statement.h"

/* X(NAME, byte, word): the word names the family in dumps. */
#define FAMILIES(X)                                                                                \
    X(STAMP, 'a', "stamp")           /* id -> stamp_record: what harvesters were told last */      \
    X(VOLUME, 'b', "volume")         /* number -> volume_record */                                 \
    X(CHILD, 'c', "child")           /* parent, name -> id, kind, flags */                         \
    X(DIGEST, 'd', "digest")         /* first 16 bytes of a digest, id -> nothing */               \
    X(DUE_OF, 'e', "due-of")         /* id, kind -> time */                                        \
    X(CHANGE, 'f', "change")         /* sequence, index -> id, operation */                        \
    X(GONE, 'g', "gone")             /* parent, name, 0, id -> sequence, time, forgotten */        \
    X(HISTORY, 'h', "history")       /* id, sequence, index -> operation, user, version */         \
    X(INVERSE, 'i', "inverse")       /* attribute, 0, class, value, 0, id, place, hash -> nothing */ \
    X(COUNTS, 'k', "counts")         /* id -> counts */                                            \
    X(TOMBSTONE, 'j', "tombstone")   /* parent, name -> id of the newest that marks the path */    \
    X(HARVEST, 'l', "harvest")       /* set (0: all), time, id -> live or not */                   \
    X(MEMBER, 'm', "member")         /* user, group -> nothing */                                  \
    X(NODE, 'n', "node")             /* id -> node */                                              \
    X(COUNTER, 'o', "counter")       /* name -> last number drawn */                               \
    X(GROUP, 'p', "group")           /* id -> name */                                              \
    X(GROUP_MEMBER, 'q', "group-member") /* group, user -> nothing */                              \
    X(RULE, 'r', "rule")             /* id -> entries */                                           \
    X(STATEMENT, 's', "statement")   /* id, attribute, 0, place, value's start, hash -> value, qualifier, extra */ \
    X(TOKEN, 't', "token")           /* id -> user, label, times, sha256 */                        \
    X(USER, 'u', "user")             /* id -> names, role, password hash */                        \
    X(VERSION, 'v', "version")       /* id, number -> version_record */                            \
    X(WORK, 'w', "work")             /* sequence, index -> what a follower still has to spread */  \
    X(EXTERNAL, 'x', "external-id")  /* scheme, 0, value -> id */                                  \
    X(IDENTIFIER, 'y', "identifier") /* id, scheme, 0, sequence, index -> value */                 \
    X(STATE, 'z', "state")           /* name -> position, next ids */                              \
    X(DUE, 'D', "due")               /* time, id, kind -> nothing */                               \
    X(GROUP_NAME, 'P', "group-name") /* name -> id */                                              \
    X(RULE_HASH, 'R', "rule-hash")   /* hash of entries -> id */                                   \
    X(TOKEN_HASH, 'T', "token-hash") /* sha256 -> id */                                            \
    X(USER_NAME, 'U', "user-name")   /* name -> id */

enum family {
#define X(name, byte, word) FAMILY_##name = byte,
    FAMILIES(X)
#undef X
};

#define KEY_POSITION "z\x01position"
#define KEY_NEXT_ID "z\x02next-id"
#define KEY_LATER "z\x04later" /* the last group with an operation of a later program, and that operation */

/* A key being built on the stack. Longest: an inverse key (attribute 1,024 + value start 128 + numbers). */
#define KEY_BYTES_MAXIMUM 1400u
struct key {
    size_t length;
    unsigned char bytes[KEY_BYTES_MAXIMUM];
};

struct text key_text(const struct key *key);
void key_begin(struct key *key, enum family family);
void key_number(struct key *key, uint64_t number);        /* 8 bytes big-endian */
void key_number32(struct key *key, uint32_t number);      /* 4 bytes big-endian */
void key_bytes(struct key *key, const void *bytes, size_t length);
void key_byte(struct key *key, unsigned char byte);
static inline void
key_append(struct key *key, struct text text)
{
    key_bytes(key, text.data, text.length);
}
/* The first key after all that begin with `key`: the end of its range. False when there is none. */
bool key_after(const struct key *prefix, struct key *ret_after);
/* The id with which the keys of its family begin; 0: those of its family begin with something else. */
uint64_t key_leading_id(struct text key);
uint64_t key_read_number(struct text key, size_t offset); /* 8 bytes at offset; they must be there */
uint32_t key_read_number32(struct text key, size_t offset);

void key_of(struct key *key, enum family family, uint64_t id); /* of a family whose keys begin with an id */
void key_init(struct key *key); /* when the store was made */
void key_node(struct key *key, uint64_t id);
void key_counts(struct key *key, uint64_t id);
void key_child(struct key *key, uint64_t parent, struct text name);
void key_gone(struct key *key, uint64_t parent, struct text name, uint64_t id);
void key_tombstone(struct key *key, uint64_t parent, struct text name);
void key_version(struct key *key, uint64_t id, uint64_t number);
void key_history(struct key *key, uint64_t id, uint64_t sequence, uint32_t index);
void key_change(struct key *key, uint64_t sequence, uint32_t index);
void key_due(struct key *key, uint64_t due_us, uint64_t id, struct text kind);
void key_digest(struct key *key, struct text digest, uint64_t id);
void key_rule_hash(struct key *key, struct text entries); /* as the record of the rule has them */
void key_external(struct key *key, struct text scheme, struct text value);
/* The start shared by all identifiers of a resource in a scheme. */
void key_identifier_prefix(struct key *key, uint64_t id, struct text scheme);
void key_stamp(struct key *key, uint64_t id);
void key_harvest(struct key *key, uint64_t set, int64_t time_us, uint64_t id);
void key_statement(struct key *key, uint64_t id, const struct statement *statement);
/* The start shared by all statements of an attribute (or of the resource, attribute ""). */
void key_statement_prefix(struct key *key, uint64_t id, struct text attribute);

/* Inverse keys: every value under class TEXT by its first 128 bytes; plain decimal numbers also under
 * class NUMBER in numeric order. */
#define INVERSE_VALUE_BYTES 128u
enum inverse_class { INVERSE_NUMBER = 1, INVERSE_TEXT = 2 };
void key_inverse_prefix(struct key *key, struct text attribute, enum inverse_class class);
void key_inverse(struct key *key, uint64_t id, const struct statement *statement, enum inverse_class class);
/* An optional minus, digits, optionally a point and digits; at most 40 characters. */
bool value_is_decimal(struct text value, double *ret_number);
void key_ordered_double(struct key *key, double number); /* 8 bytes whose order is that of the numbers */
/* From an inverse key: the id, the statement's place. */
uint64_t key_inverse_id(struct text key);
uint32_t key_inverse_place(struct text key);

/* Whether it begins with a family and has the numbers that keys of that family have. */
bool key_is_whole(struct text key);

#endif
