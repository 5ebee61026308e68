/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct repository: communities, collections and items over the model; the one place that says what an item is.
 * SWORD, OAI-PMH, the URLs of DSpace and EPrints, batch import and the command line all stand on it.
 *
 * Where things are. Communities, collections and items draw one number N, which is their name in their parent:
 * `/repository/12/45/1007`. An item is an aggregate; its bundles are containers in it, its bitstreams files in these.
 * What is said of them are statements: descriptive fields (`dc.title`), and those of this module (`archivolt.…`,
 * repository_private.h). Handle, UUID and the name as a set of harvesters ("com_123456789_12", "col_123456789_45") are identifiers of
 * the model ("handle", "uuid", "set"): unique, kept after a purge.
 *
 * Life: repository_new() once a model - everything else - repository_free().
 * Threads: any thread; what is borrowed lives in the view's or the given arena.
 * Writing: functions called stage_… put operations into the caller's transaction, which the caller commits; nothing is
 * kept between the two, so a commit that fails leaves nothing.
 */
#ifndef ARCHIVOLT_REPOSITORY_REPOSITORY_H
#define ARCHIVOLT_REPOSITORY_REPOSITORY_H

#include "package/package.h"

struct repository;

struct crosswalk_set;

struct repository_options {
    struct model *model;
    struct text name;                    /* of the repository, for people */
    struct text email;                   /* of its administrator */
    struct text oai_identifier;          /* "repository.example.org": the middle of OAI identifiers */
    const char *crosswalk_folder;        /* of the site's stylesheets, or NULL */
    struct text handle_prefix;           /* "123456789" */
    struct text handle_canonical_prefix; /* "http://hdl.handle.net/" */
    struct text root_path;               /* "/repository" */
    struct text zone;                    /* of embargo dates, "UTC" */
    size_t record_cache_bytes;           /* memory for records that were made; 0: none */
    struct package_limits package_limits; /* of what is deposited */
};
enum error_code repository_new(const struct repository_options *options, struct repository **ret_repository,
                               struct error *error) AV_MUST_USE;
void repository_free(struct repository *repository);
const struct repository_options *repository_options(const struct repository *repository);
const struct crosswalk_set *repository_crosswalks(const struct repository *repository);
struct model *repository_model(struct repository *repository);

/* X(NAME, word) */
#define ENTITY_KINDS(X)                                                                            \
    X(COMMUNITY, "community")                                                                      \
    X(COLLECTION, "collection")                                                                    \
    X(ITEM, "item")
enum entity_kind {
#define X(name, word) ENTITY_##name,
    ENTITY_KINDS(X)
#undef X
};
const char *entity_kind_word(enum entity_kind kind);
bool entity_kind_from_word(struct text word, enum entity_kind *ret_kind);

/* X(NAME, word, sentence for people) */
#define ITEM_STATES(X)                                                                             \
    X(IN_PROGRESS, "in-progress", "The depositor has not finished it.")                            \
    X(IN_REVIEW, "in-review", "It waits for a reviewer.")                                          \
    X(ARCHIVED, "archived", "It is part of the archive.")                                          \
    X(WITHDRAWN, "withdrawn", "It has been withdrawn.")                                            \
    X(REJECTED, "rejected", "A reviewer has sent it back.")
enum item_state {
#define X(name, word, sentence) ITEM_##name,
    ITEM_STATES(X)
#undef X
};
const char *item_state_word(enum item_state state);
bool item_state_from_word(struct text word, enum item_state *ret_state);
const char *item_state_sentence(enum item_state state);

/* A community, collection or item as a view sees it. */
struct entity {
    enum entity_kind kind;
    struct resource resource;
    uint64_t number;
    struct text handle;      /* "123456789/1007"; "" before it has one */
    struct text uuid;
    struct text name;        /* community, collection: for people; item: its first title or "" */
    enum item_state state;   /* items */
    struct text reason;      /* of a rejection or withdrawal */
    uint64_t submitter, mediator; /* user ids; mediator 0: none */
};

/* Errors of all look-ups: NOT_FOUND (also what may not be discovered), GONE (with the tombstone), UNAUTHENTICATED, DENIED. */
enum error_code repository_by_handle(struct repository *repository, struct view *view, struct text handle,
                                     struct entity *ret_entity, struct error *error) AV_MUST_USE;
enum error_code repository_by_uuid(struct repository *repository, struct view *view, struct text uuid,
                                   struct entity *ret_entity, struct error *error) AV_MUST_USE;
enum error_code repository_by_number(struct repository *repository, struct view *view, uint64_t number,
                                     struct entity *ret_entity, struct error *error) AV_MUST_USE;
enum error_code repository_by_id(struct repository *repository, struct view *view, uint64_t id,
                                 struct entity *ret_entity, struct error *error) AV_MUST_USE;
/* What is said of one that is GONE, to everybody; `scheme`: "handle", "uuid" or "number". Texts in the arena.
 * NOT_FOUND: also of what was never shown to all. */
struct tombstone {
    struct text handle, uuid, reason; /* reason: of a withdrawal; "" for what was deleted */
    bool withdrawn;
};
enum error_code repository_tombstone(struct repository *repository, const char *scheme, struct text value,
                                     struct arena *arena, struct tombstone *ret_tombstone, struct error *error) AV_MUST_USE;
/* No number has been given that is above it. */
enum error_code repository_last_number(struct repository *repository, struct view *view, uint64_t *ret_number,
                                       struct error *error) AV_MUST_USE;
/* Of an item that anybody may see: its handle and when it changed last for harvesters. NOT_FOUND: the number has none. */
enum error_code repository_public_number(struct repository *repository, struct view *view, uint64_t number, struct text *ret_handle,
                                         int64_t *ret_changed_us, struct error *error) AV_MUST_USE;
/* "http://hdl.handle.net/123456789/1007" */
struct text repository_handle_uri(struct repository *repository, struct text handle, struct arena *arena);

/* What is directly below one (0: the top), by name, after `after` ("" from the first); only those of `kinds` (bits). */
typedef bool entity_visit(void *context, const struct entity *entity);
enum error_code repository_children(struct repository *repository, struct view *view, uint64_t parent, unsigned kinds,
                                    struct text after, size_t limit /* 0: all */, entity_visit *visit, void *context,
                                    struct error *error) AV_MUST_USE;

/* ---- communities and collections ----------------------------------------------------------------------- */

struct collection_policy {
    bool review;            /* deposits wait for a reviewer */
    bool on_behalf_of;      /* deposits for others are taken */
    bool keep;              /* the package is kept (bundle SWORD) */
    struct text treatment, policy, abstract; /* words for service documents */
    struct text licence;    /* default licence, text; "" none */
    struct text accept;     /* media types, blanks between; "" all */
    struct text packagings; /* words of enum packaging, blanks between; "" all */
    uint64_t maximum_bytes; /* of one deposit; 0: no limit */
    struct text depositors, reviewers; /* names of groups; "" none */
};
struct collection_policy repository_policy_default(void);
/* One key by its word ("on-behalf-of", "yes"); a text value is borrowed. INVALID names the keys that there are. */
enum error_code collection_policy_set(struct collection_policy *policy, struct text key, struct text value,
                                      struct error *error) AV_MUST_USE;
/* UNSUPPORTED: what the policy says of a package of this kind and media type. */
enum error_code collection_policy_takes(const struct collection_policy *policy, enum packaging packaging, struct text media_type,
                                        struct error *error) AV_MUST_USE;
enum error_code collection_policy_takes_bytes(const struct collection_policy *policy, uint64_t size_bytes,
                                              struct error *error) AV_MUST_USE; /* LIMIT */
/* Numbers are drawn at once, which may block; that of a transaction that fails is a gap. */
struct new_entity {
    uint64_t number;
    struct text handle, uuid, path; /* in the arena given */
};
enum error_code repository_stage_community(struct repository *repository, struct transaction *transaction, struct view *view,
                                           struct text name, const struct entity *parent /* NULL: top */,
                                           struct arena *arena, struct new_entity *ret_new, struct error *error) AV_MUST_USE;
enum error_code repository_stage_collection(struct repository *repository, struct transaction *transaction,
                                            struct view *view, struct text name, const struct entity *community,
                                            const struct collection_policy *policy, struct arena *arena,
                                            struct new_entity *ret_new, struct error *error) AV_MUST_USE;
enum error_code repository_policy(struct repository *repository, struct view *view, const struct entity *collection,
                                  struct collection_policy *ret_policy, struct error *error) AV_MUST_USE;
/* One key of the policy, by the words of the command line ("review", "yes"). INVALID names the keys there are. */
enum error_code repository_stage_policy(struct repository *repository, struct transaction *transaction, struct view *view,
                                        const struct entity *collection, struct text key, struct text value,
                                        struct error *error) AV_MUST_USE;

/* NONE when the person may deposit in the collection, else DENIED or UNAUTHENTICATED. */
enum error_code repository_may_deposit(struct repository *repository, struct view *view, const struct entity *collection,
                                       const struct principal *person, struct error *error) AV_MUST_USE;
/* NONE when `person` may deposit there for others: the policy says so, and the right on-behalf-of is held. */
enum error_code repository_may_mediate(struct repository *repository, struct view *view, const struct entity *collection,
                                       const struct principal *person, struct error *error) AV_MUST_USE;

/* ---- items ---------------------------------------------------------------------------------------------- */

struct deposit {
    struct entity collection;
    struct package *package;      /* its uploads are moved into the transaction */
    struct upload **original;     /* the package itself, kept when the policy says so (moved); or NULL */
    struct text original_name, original_type; /* of `original` */
    enum packaging packaging;
    struct principal submitter, mediator; /* whom it belongs to; who sent it for them (user 0: nobody) */
    bool in_progress;
    bool restore; /* archived at once, under the handle and UUID that the package wants (EXISTS when they are taken) */
    struct text slug;
    struct text request_key;  /* of the sender: no two deposits of the store have the same one; "" none */
    struct text request_note; /* kept with the key: what that request was */
};
/* Stages a new item, archived, in review or in progress as policy and deposit say. Rights are decided at the commit, which
 * fails with EXISTS when there is a deposit with its request key. */
enum error_code repository_stage_deposit(struct repository *repository, struct transaction *transaction,
                                         struct view *view, const struct deposit *deposit, struct arena *arena,
                                         struct new_entity *ret_new, struct error *error) AV_MUST_USE;
/* The item that the deposit with this key made, and what was noted with it. Errors of look-ups. */
enum error_code repository_by_request(struct repository *repository, struct view *view, struct text request_key,
                                      struct entity *ret_item, struct text *ret_note, struct error *error) AV_MUST_USE;
/* A change of an item by what arrived together: one transaction, one version of each thing. */
enum edit_part { EDIT_KEEP, EDIT_ADD, EDIT_REPLACE };
struct edit {
    struct package *package;      /* what comes; package_init() alone: nothing */
    struct upload **original;     /* as in struct deposit */
    struct text original_name, original_type;
    enum packaging packaging;
    enum edit_part fields;        /* ADD: behind those that are there; REPLACE: but for what this program wrote */
    enum edit_part files;         /* ADD: EXISTS for a name that is taken; REPLACE: of all bundles but LICENSE and METADATA */
    bool complete;                /* then as repository_stage_complete() */
};
/* Needs WRITE: submitter and mediator have it until the item is archived, then whoever the collection's rule gives it. */
enum error_code repository_stage_edit(struct repository *repository, struct transaction *transaction, struct view *view,
                                      const struct principal *person, const struct entity *item, const struct edit *edit,
                                      struct arena *arena, struct error *error) AV_MUST_USE;
/* The end of in-progress or in-review: draws no new number; archives or hands to review by the policy. `approve`: a reviewer
 * says so. CONFLICT: not in a state for it. */
enum error_code repository_stage_complete(struct repository *repository, struct transaction *transaction, struct view *view,
                                          const struct principal *person, const struct entity *item, bool approve,
                                          struct error *error) AV_MUST_USE;
/* REJECTED, WITHDRAWN, or ARCHIVED (reinstates). CONFLICT: not in a state for it. */
enum error_code repository_stage_state(struct repository *repository, struct transaction *transaction, struct view *view,
                                       const struct principal *person, const struct entity *item, enum item_state state,
                                       struct text reason, struct error *error) AV_MUST_USE;
/* Into a further collection, or out of it again: counted in its set. */
enum error_code repository_stage_mapping(struct repository *repository, struct transaction *transaction,
                                         const struct entity *item, const struct entity *collection, bool mapped,
                                         struct error *error) AV_MUST_USE;
/* Opens the files whose embargo has ended, at most 500 at a time; how many. For a timer. */
enum error_code repository_lift_embargoes(struct repository *repository, size_t *ret_lifted, struct error *error) AV_MUST_USE;

/* An item's fields in order; those that never leave (provenance, e-mail addresses) only when `all`. */
enum error_code repository_fields(struct repository *repository, struct view *view, const struct entity *item, bool all,
                                  struct fields *ret_fields, struct error *error) AV_MUST_USE;
/* Adds them after those that are there, or puts them in place of all but what this program wrote (dates, handle, provenance). */
enum error_code repository_stage_fields(struct repository *repository, struct transaction *transaction, struct view *view,
                                        const struct entity *item, const struct fields *fields, bool replace,
                                        struct error *error) AV_MUST_USE;

struct record_options {
    const char *format;     /* of crosswalk_out() */
    struct text identifier; /* of the record */
    struct text base_url;   /* what stands before /bitstreams/ in the URLs of files */
    int64_t datestamp_us;   /* of the record's harvest stamp */
};
/* Appends a public item in a format, without private fields. For views of nobody in particular: what one may read, all may.
 * From memory when neither counter nor datestamp have moved. Errors as of look-ups. */
enum error_code repository_record(struct repository *repository, struct view *view, uint64_t id,
                                  const struct record_options *options, struct buffer *buffer,
                                  struct error *error) AV_MUST_USE;

struct bitstream {
    struct resource resource;
    struct text bundle, path; /* path: in the bundle */
    struct text uuid, description;
    struct text packaging;       /* word, of a package kept as it came; else "" */
    uint64_t sequence, document; /* document: EPrints' number */
    bool primary;
};
typedef bool bitstream_visit(void *context, const struct bitstream *bitstream);
/* In order of bundle, then name; after (bundle, path), at most `limit` (0: all). */
enum error_code repository_bitstreams(struct repository *repository, struct view *view, const struct entity *item,
                                      struct text bundle /* "" all */, bitstream_visit *visit, void *context,
                                      struct error *error) AV_MUST_USE;
enum error_code repository_bitstream_by_sequence(struct repository *repository, struct view *view,
                                                 const struct entity *item, uint64_t sequence,
                                                 struct bitstream *ret_bitstream, struct error *error) AV_MUST_USE;
/* By UUID or by its path in the item ("ORIGINAL/a.pdf"), without reading the others. */
enum error_code repository_bitstream_by_uuid(struct repository *repository, struct view *view, struct text uuid,
                                             struct bitstream *ret_bitstream, struct error *error) AV_MUST_USE;
enum error_code repository_bitstream_by_path(struct repository *repository, struct view *view, const struct entity *item,
                                             struct text path, struct bitstream *ret_bitstream,
                                             struct error *error) AV_MUST_USE;

#endif
