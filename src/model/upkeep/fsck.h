/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of fsck share: the faults that there are, each with words of its own, and what each check needs.
 * Internal to the model.
 */
#ifndef ARCHIVOLT_MODEL_FSCK_H
#define ARCHIVOLT_MODEL_FSCK_H

#include "model/maintenance.h"
#include "model/private.h"
#include "model/record/keys.h"

#define FSCK_FAULTS(X)                                                                             \
    /* where the catalog stands */                                                                 \
    X(POSITION_MISSING, "the catalog does not say which group it reflects")                        \
    X(KEY_DAMAGED, "a key of the catalog is damaged")                                              \
    X(POSITION_BEYOND, "the catalog reflects a group that the volumes do not hold")                \
    X(POSITION_DIFFERS, "the group that the catalog reflects is not as it says")                   \
    X(GROUP_DAMAGED, "a group of the journal is damaged")                                          \
    X(LINE_DAMAGED, "a journal line is damaged")                                                   \
    X(CREATION_LOST, "the journal creates it, the catalog has it not")                             \
    /* resources and where they are */                                                             \
    X(NODE_DAMAGED, "its record is damaged")                                                       \
    X(PARENT_MISSING, "its parent has no record")                                                  \
    X(CHILD_MISSING, "it is not among its parent's children")                                      \
    X(NAME_TAKEN, "its name is taken by another")                                                  \
    X(CHILD_DIFFERS, "its entry among the children differs from its record")                       \
    X(CHILD_DAMAGED, "an entry among its children is damaged")                                     \
    X(CHILD_WITHOUT_NODE, "a child has no record")                                                 \
    X(CHILD_ELSEWHERE, "its record names another place")                                           \
    X(CHILD_DELETED, "it is deleted and still among the children")                                 \
    X(GONE_MISSING, "it is deleted, and where it was does not say so")                             \
    X(GONE_WRONG, "it is noted as deleted where it was not deleted")                               \
    X(TOMBSTONE_WRONG, "its path is marked by what was not deleted there")                         \
    X(COUNTS_DAMAGED, "its counts are damaged")                                                    \
    X(COUNTS_WITHOUT_NODE, "counts without a resource")                                            \
    X(COUNTS_MISSING, "it has children and no counts")                                             \
    X(COUNTS_WRONG, "its kept counts are not what its children add up to")                         \
    X(HISTORY_WITHOUT_NODE, "a history without a resource")                                        \
    X(DUE_MISSING, "what falls due of it is not among what falls due")                             \
    X(DUE_WRONG, "it falls due at a time that is not its own")                                     \
    /* versions and content */                                                                     \
    X(VERSION_DAMAGED, "the record of a version is damaged")                                       \
    X(VERSION_WITHOUT_NODE, "a version without a resource")                                        \
    X(VERSION_MISSING, "a version is missing")                                                     \
    X(VERSION_BEYOND, "a version beyond its newest one")                                           \
    X(CONTENT_DIFFERS, "its content is not that of its newest version")                            \
    X(PLACE_MISSING, "a version says of no place where it is")                                     \
    X(PLACE_UNKNOWN, "a version lies in a volume that is not there")                               \
    X(PLACE_BEYOND, "a version lies beyond what was committed")                                    \
    X(PLACE_EMPTY, "no entry begins where a version lies")                                         \
    X(PLACE_OF_ANOTHER, "the entry where a version lies is not its own")                           \
    X(DIGEST_MISSING, "a version cannot be found by its digest")                                   \
    X(DIGEST_WRONG, "found by a digest that it does not have")                                     \
    X(VOLUME_DAMAGED, "the record of a volume is damaged")                                         \
    X(VOLUME_MISSING, "a volume's file is not there")                                              \
    X(VOLUME_DIFFERS, "a sealed volume is not as the catalog says")                                \
    /* statements */                                                                               \
    X(STATEMENT_DAMAGED, "a statement is damaged")                                                 \
    X(STATEMENT_COUNT, "its count of statements is wrong")                                         \
    X(STATEMENT_WITHOUT_NODE, "a statement without a resource")                                    \
    X(INVERSE_MISSING, "a statement cannot be found by its value")                                 \
    X(INVERSE_WRONG, "found by a statement that it does not have")                                 \
    /* identifiers and harvesting */                                                               \
    X(IDENTIFIER_DAMAGED, "an identifier is damaged")                                              \
    X(IDENTIFIER_MISSING, "it cannot be found by its identifier")                                  \
    X(IDENTIFIER_WRONG, "found by an identifier that it does not have")                            \
    X(STAMP_DAMAGED, "its harvest stamp is damaged")                                               \
    X(HARVEST_MISSING, "harvesters are not told of it by its stamp")                               \
    X(HARVEST_WRONG, "harvesters are told of it by a stamp that it does not have")                 \
    /* access rules and people */                                                                  \
    X(RULE_MISSING, "its access rule is not there")                                                \
    X(RULE_HASH_MISSING, "an access rule cannot be found by its entries")                          \
    X(RULE_HASH_WRONG, "an access rule is found by entries that it does not have")                 \
    X(USER_DAMAGED, "the record of a user is damaged")                                             \
    X(USER_NAME_MISSING, "a user cannot be found by the login name")                               \
    X(USER_NAME_WRONG, "a login name leads to nobody of that name")                                \
    X(GROUP_DAMAGED_RECORD, "the record of a group of users is damaged")                           \
    X(GROUP_NAME_MISSING, "a group of users cannot be found by its name")                          \
    X(GROUP_NAME_WRONG, "a name leads to no group of users of that name")                          \
    X(TOKEN_DAMAGED, "the record of a token is damaged")                                           \
    X(TOKEN_WITHOUT_USER, "a token of nobody")                                                     \
    X(TOKEN_HASH_MISSING, "a token cannot be found by its hash")                                   \
    X(TOKEN_HASH_WRONG, "a hash leads to no token that has it")                                    \
    X(MEMBER_WITHOUT_USER, "a member that is no user")                                             \
    X(MEMBER_WITHOUT_GROUP, "a membership of what is no group of users")                           \
    X(MEMBER_NOT_IN_GROUP, "a user's membership that the group does not know of")                  \
    X(MEMBER_NOT_IN_USER, "a group's member that does not know of it")

enum fsck_fault {
#define X(name, words) FSCK_##name,
    FSCK_FAULTS(X)
#undef X
        FSCK_FAULT_COUNT
};
extern const char *const fsck_words[FSCK_FAULT_COUNT];

struct fsck {
    struct model *model;
    struct lookup lookup;     /* one snapshot for all */
    struct position position; /* of that snapshot */
    maintenance_line *line;
    void *context;
    uint64_t faults;
    enum error_code status; /* sticky: reading failed, which is no fault of what is stored */
    struct error why;
    uint64_t node_id; /* 0, or the last that fsck_node_is_there() was asked for */
    bool node_there;
    struct buffer storage, other;
};

/* `id` 0: of no resource. */
void fsck_tell(struct fsck *fsck, enum fsck_fault fault, uint64_t id, struct text detail);
/* False too when reading failed: then `status` says so, and nothing is told of any more. */
bool fsck_get(struct fsck *fsck, const struct key *key, struct buffer *ret_value);
bool fsck_is_there(struct fsck *fsck, const struct key *key);
bool fsck_node_is_there(struct fsck *fsck, uint64_t id);
/* A value that is one number, as names and hashes have it. 0: it is not there or damaged. */
uint64_t fsck_number_under(struct fsck *fsck, const struct key *key);
uint64_t fsck_number(struct text value);

/* Calls `see` for each record whose key begins with `prefix`, until it returns false. */
typedef bool fsck_see(void *context, struct text key, struct text value);
void fsck_each(struct fsck *fsck, const struct key *prefix, fsck_see *see, void *context);

/* One record each, by its family; false: the family is not of this file's. */
bool fsck_version_record(struct fsck *fsck, struct text key, struct text value); /* fsck_content.c */
bool fsck_person_record(struct fsck *fsck, struct text key, struct text value);  /* fsck_persons.c */
bool fsck_harvest_record(struct fsck *fsck, struct text key, struct text value); /* fsck_harvest.c */

#endif
