/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the model: the struct that its files share, and what they call of each other.
 */
#ifndef ARCHIVOLT_MODEL_PRIVATE_H
#define ARCHIVOLT_MODEL_PRIVATE_H

#include "base/lock.h"
#include "io/data_lock.h"
#include "model/record/lookup.h"
#include "model/model.h"

#include <stdatomic.h>

struct committer;
struct follower;
struct holds;
struct password_cache;
struct principal_cache;
struct draws;
struct moments;

struct model {
    char *folder;
    struct model_options options; /* `folder` points at the copy above */
    struct model_limits limits;
    struct data_lock *data_lock;
    struct device *volumes, *lost_and_found; /* owned unless `borrowed_parts` */
    struct catalog *catalog;
    struct store *store;
    struct store_identity identity;
    bool borrowed_parts; /* devices and catalog came from a test */
    struct clock *clock;
    struct random_source *random;
    struct committer *committer;
    struct follower *follower;
    struct password_cache *passwords;
    struct holds *holds; /* of long transactions */
    struct principal_cache *principals;
    struct draws *draws;
    struct moments *moments; /* states that views share; NULL: each takes its own */
};

/* ---- open.c ---- */
/* For simulations: on devices and a catalog of the caller's, which outlive the model. No lock, no threads:
 * the committer runs inside transaction_commit(). `created`: makes the store first. */
struct model_parts {
    struct device *volumes, *lost_and_found;
    struct catalog *catalog;
    struct clock *clock;
    struct random_source *random;
};
enum error_code model_open_parts(const struct model_options *options, const struct model_parts *parts,
                                 struct model **ret_model, struct error *error) AV_MUST_USE;
enum error_code model_create_parts(const struct model_options *options, const struct model_parts *parts,
                                   char ret_token[TOKEN_TEXT_BYTES], struct error *error) AV_MUST_USE;

/* What every store begins with: the root's rule, the root, the first administrator. Nothing in it is of this store alone. */
#define FIRST_LINE_COUNT 3
void first_lines(struct line ret[FIRST_LINE_COUNT]);

/* To whom the options name, if anybody. */
void model_tell_progress(const struct model *model, const char *what, uint64_t done, uint64_t total);

void uuid_mint(struct model *model, int64_t time_us, char ret[MODEL_UUID_BYTES]);

/* ---- committer.c ---- */
enum error_code committer_new(struct model *model, bool threaded, struct committer **ret_committer,
                              struct error *error) AV_MUST_USE;
void committer_free(struct committer *committer); /* after what was submitted has been answered */
/* Without threads, for simulations: from now on a group stays as being written until another transaction is submitted, which
 * is laid out on it first, or committer_drain() ends it. */
void committer_overlap(struct committer *committer);
void committer_drain(struct committer *committer); /* nothing with threads */
void committer_health(struct committer *committer, struct model_health *ret_health);
int64_t committer_settled_us(struct committer *committer);
/* Runs a function on the committer's thread while no group is under way (sealing). */
typedef enum error_code committer_task(void *context, struct error *error);
enum error_code committer_run(struct committer *committer, committer_task *task, void *context,
                              struct error *error) AV_MUST_USE;

/* ---- own_lines.c ---- */
/* Lines that the model itself journals (leases, sealed volumes, followers' batches, purges), through the same
 * queue and groups; waits until durable. `urgent` may use the reserve. The lines are complete: nothing is decided.
 * `forget` (ids, may be NULL) are removed from the catalog whole, in the same batch (after a purge).
 * `ret_origin` (may be NULL): where the last line stands. */
enum error_code committer_journal(struct model *model, const struct line *lines, size_t count,
                                  bool urgent, const struct id_list *forget,
                                  struct line_origin *ret_origin, struct error *error) AV_MUST_USE;
/* The tombstone versions of these deleted resources (those that have an object and none yet), their statements
 * taken out, and `affected`, in one group. */
enum error_code committer_tombstones(struct model *model, const struct id_list *ids,
                                     const struct line *affected, struct error *error) AV_MUST_USE;

/* ---- replay.c ---- */
/* Applies every group after the catalog's position, in batches. CONFLICT: as journal_effects_apply(). */
enum error_code replay_journal(struct model *model, struct error *error) AV_MUST_USE;
enum error_code load_position(struct catalog *catalog, struct position *ret_position, struct error *error) AV_MUST_USE;
/* The id that is leased next. */
enum error_code load_next_id(struct catalog *catalog, uint64_t *ret_id, struct error *error) AV_MUST_USE;
/* Applies one effect to an overlay. */
enum error_code overlay_apply(void *overlay, enum fold fold, struct text key, struct text operand,
                              struct error *error) AV_MUST_USE;
/* Removes every key that belongs to a resource (after its purge), by families. */
enum error_code overlay_forget(struct overlay *overlay, uint64_t id, struct error *error) AV_MUST_USE;

/* ---- follower.c ---- */
enum error_code follower_new(struct model *model, struct follower **ret_follower, struct error *error) AV_MUST_USE;
void follower_free(struct follower *follower);
void follower_wake(struct follower *follower); /* any thread */
/* Waits until there is nothing left to spread or to journal about volumes; TIMEOUT after two minutes. */
enum error_code follower_settle(struct model *model, struct error *error) AV_MUST_USE;
void follower_health(struct follower *follower, struct model_health *ret_health);
/* One bounded step; *ret_more when there is work left. For simulations, and the thread's own loop. */
enum error_code follower_step(struct model *model, bool *ret_more, struct error *error) AV_MUST_USE;

/* ---- volumes.c ---- */
/* Volumes that hold something and whose files are not there. */
typedef void volume_missing(void *context, uint64_t number, bool bulk);
enum error_code missing_volumes(struct model *model, volume_missing *tell, void *context, struct error *error) AV_MUST_USE;

/* ---- purge.c ---- */
/* Repeats what was intended and not completed before the process ended. */
enum error_code purge_resume(struct model *model, struct error *error) AV_MUST_USE;

/* ---- authenticate.c ---- */
struct password_cache *password_cache_new(struct random_source *random);
void password_cache_free(struct password_cache *cache);
/* A user's password, state or name changed: what was remembered of them is forgotten. (With it goes
 * principal_cache_people_changed(), after a change of any person, group, membership or token.) */
void password_cache_forget(struct password_cache *cache, uint64_t user);

/* ---- identity records (identity_record.c) ---- */
struct user_record {
    uint64_t role, disabled;
    struct text name, full_name, email, password;
};
enum error_code user_decode(struct text value, struct user_record *ret_user, struct error *error) AV_MUST_USE;
struct token_record {
    uint64_t user, created_us, expires_us;
    struct text label, sha256;
};
enum error_code token_decode(struct text value, struct token_record *ret_token, struct error *error) AV_MUST_USE;
enum error_code lookup_user(const struct lookup *lookup, uint64_t id, struct buffer *storage,
                            struct user_record *ret_user, struct error *error) AV_MUST_USE;
enum error_code lookup_id_by_name(const struct lookup *lookup, int family, struct text name, uint64_t *ret_id,
                                  struct error *error) AV_MUST_USE;

/* ---- view.c ---- */
const struct lookup *view_lookup(const struct view *view);
const struct principal *view_principal(const struct view *view);
struct model *view_model(const struct view *view);
/* A resource from its node and counts; texts copied into the arena. */
enum error_code resource_fill(const struct lookup *lookup, uint64_t id, const struct node *node, struct arena *arena,
                              struct resource *ret_resource, struct error *error) AV_MUST_USE;

#endif
