/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Going through the journal as all upkeep does (rebuild, replay, fsck, export, compaction, the journal command),
 * and what its groups do to a catalog. Internal to the model.
 *
 * A damaged group costs itself: the walk tells of it and goes on with those that follow. That reading itself fails
 * (IO, NO_MEMORY) is no damage: the walk ends there with that error, and nobody takes it for the end of the journal.
 */
#ifndef ARCHIVOLT_MODEL_JOURNAL_WALK_H
#define ARCHIVOLT_MODEL_JOURNAL_WALK_H

#include "model/record/effect.h"
#include "model/record/line.h"
#include "volume/store.h"

struct model;

typedef enum error_code journal_walk_group(void *context, const struct journal_group *group, struct error *error);
/* A group that cannot be read, or groups that are missing. NONE: the walk goes on. */
typedef enum error_code journal_walk_damage(void *context, const char *why, struct error *error);

struct journal_walk {
    uint64_t from, until; /* sequences, both included */
    bool check_chain;
    journal_walk_group *group;
    journal_walk_damage *damage;
    void *context;
};
#define JOURNAL_TO_THE_END UINT64_MAX

/* The first error of a callback ends the walk and is returned. */
enum error_code journal_walk(struct store *store, const struct journal_walk *walk, struct error *error) AV_MUST_USE;

/*
 * The effects of a stretch of the journal, for replay and rebuild: journal_effects_apply() from the group after
 * `known` on to the last, with `apply` called for each effect. Ids that damaged groups may have given out are skipped, so
 * that none is ever given out twice. CONFLICT: the catalog cannot be caught up with, because lines that it lacks have
 * been purged; it must be made anew.
 */
struct journal_effects {
    struct model *model;
    struct position known; /* the catalog has these groups already; {0}: it is empty */
    uint64_t next_id;      /* of the catalog */
    effect_function *apply;
    /* Takes a purged resource out of what was applied: its own lines, where the catalog had them before, and what
     * lines of others have added to its counts. */
    enum error_code (*forget)(void *context, uint64_t id, struct error *error);
    enum error_code (*after_group)(void *context, struct error *error); /* may be NULL */
    void *context;
    const char *progress;
};
enum error_code journal_effects_apply(struct journal_effects *effects, struct error *error) AV_MUST_USE;

#endif
