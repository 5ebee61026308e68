/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Effects: what a journal line does to the catalog, as (key, fold, operand). A pure function of the
 * line and where it stands, so that the committer, a replay after a crash and a rebuild by sorting
 * cannot disagree. Internal to the model.
 */
#ifndef ARCHIVOLT_MODEL_EFFECT_H
#define ARCHIVOLT_MODEL_EFFECT_H

#include "model/record/line.h"
#include "model/record/record.h"

struct line_origin {
    uint64_t sequence;
    unsigned index; /* of the line in its group */
    int64_t time_us;
};

typedef enum error_code effect_function(void *context, enum fold fold, struct text key, struct text operand,
                                        struct error *error);

/* Calls `effect` for each. The first error stops and is returned. An unknown operation has one: that it was met. */
enum error_code line_effects(const struct line *line, const struct line_origin *origin,
                             effect_function *effect, void *context, struct error *error) AV_MUST_USE;
/* Of a group itself: journal position, and the lengths of bulk volumes that its entries reach. */
struct group_effects {
    struct position position;
    const struct bulk_length *bulk; /* ends reached by this group's content */
    size_t bulk_count;
};
enum error_code group_effects(const struct group_effects *group, effect_function *effect, void *context,
                              struct error *error) AV_MUST_USE;
/* The effects that a rebuild alone applies: what purged lines had done to others (line PURGED, member kept). */
enum error_code line_effects_kept(const struct line *line, effect_function *effect, void *context,
                                  struct error *error) AV_MUST_USE;

void position_encode(const struct position *position, struct buffer *out);
enum error_code position_decode(struct text value, struct position *ret_position, struct error *error) AV_MUST_USE;

/* The child family's value. */
struct child_record {
    uint64_t id;
    unsigned kind;
    unsigned flags; /* RESOURCE_IMPLIED, RESOURCE_AGGREGATE, CHILD_HAS_RULE */
};
#define CHILD_HAS_RULE 0x80u
void child_encode(const struct child_record *child, struct buffer *out);
enum error_code child_decode(struct text value, struct child_record *ret_child, struct error *error) AV_MUST_USE;

#endif
