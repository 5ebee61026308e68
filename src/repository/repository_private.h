/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this module share: the words that it writes into statements, and small readers and stagers. */
#ifndef ARCHIVOLT_REPOSITORY_REPOSITORY_PRIVATE_H
#define ARCHIVOLT_REPOSITORY_REPOSITORY_PRIVATE_H

#include "metadata/crosswalk.h"
#include "repository/repository.h"

/* X(NAME, "attribute"): the archivist of 2060 reads them in the OCFL objects. */
#define ATTRIBUTES(X)                                                                              \
    X(KIND, "archivolt.kind")               /* community, collection, item */                      \
    X(NAME, "archivolt.name")               /* of a community or collection, for people */         \
    X(STATE, "archivolt.state")             /* of an item */                                       \
    X(REASON, "archivolt.reason")           /* of its withdrawal or rejection */                   \
    X(MEDIATOR, "archivolt.mediator")       /* login name of who deposited it for its owner */     \
    X(SLUG, "archivolt.slug")               /* the name that the depositor's program gave it */    \
    X(EMBARGO, "archivolt.embargo")         /* YYYY-MM-DD: its files are closed until then */      \
    X(SEQUENCE, "archivolt.sequence")       /* of a file in its item */                            \
    X(DESCRIPTION, "archivolt.description") /* of a file */                                        \
    X(PRIMARY, "archivolt.primary")         /* yes: the first file to show of its bundle */        \
    X(GROUP, "archivolt.group")             /* path of the file that it was made from */           \
    X(PACKAGING, "archivolt.packaging")     /* of a package kept as it came */                     \
    X(REQUEST, "archivolt.request")         /* what was noted of the request that made it, if that had a key */
enum attribute {
#define X(name, word) ATTRIBUTE_##name,
    ATTRIBUTES(X)
#undef X
        ATTRIBUTE_COUNT
};
struct text attribute_text(enum attribute attribute);

/* Keys of a collection's policy: X(member, "key", KIND). The statement's attribute is "archivolt.policy.KEY". */
#define POLICY_KEYS(X)                                                                             \
    X(review, "review", SWITCH)                                                                    \
    X(on_behalf_of, "on-behalf-of", SWITCH)                                                        \
    X(keep, "keep", SWITCH)                                                                        \
    X(treatment, "treatment", TEXT)                                                                \
    X(policy, "policy", TEXT)                                                                      \
    X(abstract, "abstract", TEXT)                                                                  \
    X(licence, "licence", TEXT)                                                                    \
    X(accept, "accept", TEXT)                                                                      \
    X(packagings, "packagings", TEXT)                                                              \
    X(maximum_bytes, "maximum-bytes", NUMBER)                                                      \
    X(depositors, "depositors", GROUP)                                                             \
    X(reviewers, "reviewers", GROUP)

#define COUNTER_NUMBERS "repository"
#define SCHEME_HANDLE "handle"
#define SCHEME_UUID "uuid"
#define SCHEME_SET "set"
#define SCHEME_NUMBER "number"
#define SCHEME_REQUEST "request"
#define BUNDLE_ORIGINAL "ORIGINAL"
#define BUNDLE_METADATA "METADATA"
#define BUNDLE_LICENSE "LICENSE"
#define BUNDLE_SWORD "SWORD"
#define DUE_EMBARGO "embargo"

struct repository {
    struct repository_options options; /* texts point at the copies below */
    struct crosswalk_set *crosswalks;
    struct record_cache *records;
    struct arena arena;
};

/* ---- statements: statements.c ---- */

/* A list of changes to one resource, in an arena. */
struct changes {
    struct arena *arena;
    struct statement_change *items;
    size_t count, capacity;
    bool fresh; /* of a resource that the same transaction makes: there is nothing to take away */
};
/* The attribute has this value and no other; "" takes it away. */
void changes_set(struct changes *changes, struct text attribute, struct text value);
void changes_add(struct changes *changes, const struct statement *statement);
enum error_code changes_stage(const struct changes *changes, struct transaction *transaction, struct target target,
                              bool snapshot, struct error *error) AV_MUST_USE;
/* The first value of an attribute, into the view's arena; "" when there is none. */
enum error_code statement_value(struct view *view, uint64_t id, struct text attribute, struct text *ret_value,
                                struct error *error) AV_MUST_USE;

/* ---- entity.c ---- */
struct text join_text(struct arena *arena, struct text a, const char *between, struct text b);
struct text number_text(struct arena *arena, uint64_t number);
/* Draws a number and a UUID; path below `parent`. */
enum error_code new_entity(struct repository *repository, struct text parent_path, struct arena *arena,
                           struct new_entity *ret_new, struct error *error) AV_MUST_USE;
/* The same with the handle and UUID that are wanted ("" none): a handle of ours brings its number. INVALID: no handle, no UUID. */
enum error_code kept_entity(struct repository *repository, struct text parent_path, struct text handle, struct text uuid,
                            struct arena *arena, struct new_entity *ret_new, struct error *error) AV_MUST_USE;
/* The counter of numbers moves past this one. */
enum error_code stage_number(struct transaction *transaction, uint64_t number, struct error *error) AV_MUST_USE;
enum error_code stage_names(struct transaction *transaction, const struct new_entity *made, struct target target,
                            const char *set_prefix /* NULL: no set */, struct arena *arena, struct error *error) AV_MUST_USE;
struct text handle_of(struct repository *repository, uint64_t number, struct arena *arena);

/* ---- access.c: rules ---- */
struct rule {
    struct rule_entry entries[8];
    size_t count;
};
void rule_add(struct rule *rule, enum subject_kind kind, uint64_t id, rights granted);
/* The id of a group by its name; 0 for "". */
enum error_code group_id(struct view *view, struct text name, uint64_t *ret_id, struct error *error) AV_MUST_USE;
enum error_code collection_rule(struct view *view, const struct collection_policy *policy, struct rule *ret_rule,
                                struct error *error) AV_MUST_USE;
/* Of an item that is not archived: its owner, its mediator, the reviewers. */
enum error_code private_rule(struct view *view, const struct collection_policy *policy, uint64_t mediator, bool review,
                             struct rule *ret_rule, struct error *error) AV_MUST_USE;

/* ---- fields.c ---- */
/* Behind the last field of the item. */
enum error_code next_field_place(struct view *view, uint64_t id, uint32_t *ret_place, struct error *error) AV_MUST_USE;
/* As statements with places from `first` on: the place is the order of all fields. */
enum error_code changes_add_fields(struct changes *changes, const struct fields *fields, uint32_t first,
                                   struct error *error) AV_MUST_USE;

/* ---- item.c ---- */
/* What archiving adds: handle, dates, provenance, the rule of the collection, and that harvesters are told. `changes` are
 * staged by the caller. `own`: fields of an item that was archived before (NULL: of none), which keeps its dates. */
enum error_code stage_archiving(struct repository *repository, struct transaction *transaction, struct target item,
                                struct text handle, struct text provenance, const struct fields *own, uint32_t first_place, struct changes *changes,
                                struct error *error) AV_MUST_USE;
void changes_set_state(struct changes *changes, enum item_state state, struct text reason);
/* What repository_stage_complete() stages, for whom the rights are checked; `more` fields were staged before it. CONFLICT. */
enum error_code stage_completion(struct repository *repository, struct transaction *transaction, struct view *view,
                                 const struct principal *person, const struct entity *item, bool approve, uint32_t more,
                                 struct error *error) AV_MUST_USE;
/* The day "YYYY-MM-DD" as the time at which it begins in the zone; INVALID. */
enum error_code embargo_time(struct repository *repository, struct text day, int64_t *ret_us, struct error *error) AV_MUST_USE;

#endif
