/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct moment: one state of the catalog that any number of views share, and what they found out about it that
 * the next would have to look up again: which container stands at a path, and what a rule says.
 *
 * Most reads ask for files in a few containers: with what is remembered, a path costs two look-ups however deep it is.
 * Since a moment never changes, nothing that is remembered can be wrong; it ends as a whole with the moment.
 *
 * Life: moments_new() - [moments_take() - recall, remember - moment_release()]... - moments_free(). After each
 * write to the catalog, and before anybody is told of it, moments_pass(): the next view takes a new moment.
 * Bounds: MOMENT_PATHS containers of at most MOMENT_PATH_BYTES, MOMENT_RULES rules of at most MOMENT_RULE_ENTRIES; first come,
 * first kept, until MOMENT_REFUSALS others found their place taken: then the next view takes a new moment too, so that a
 * store that is only read does not remember for ever what was read first. Moments alive: those of open views, and
 * the current one.
 * Threads: any. What is recalled is borrowed while the moment is held.
 */
#ifndef ARCHIVOLT_MODEL_MOMENT_H
#define ARCHIVOLT_MODEL_MOMENT_H

#include "catalog/catalog.h"
#include "model/record/line.h"

#define MOMENT_PATHS 512u
#define MOMENT_PATH_BYTES 1024u
#define MOMENT_RULES 64u
#define MOMENT_RULE_ENTRIES 100u
#define MOMENT_REFUSALS 8192u

struct moment;
struct moments;

struct moments *moments_new(struct catalog *catalog);
void moments_free(struct moments *moments); /* before the catalog is closed; no view is open. NULL is fine */
void moments_pass(struct moments *moments); /* NULL is fine */
enum error_code moments_take(struct moments *moments, struct moment **ret_moment, struct error *error) AV_MUST_USE;
/* Of the caller's own, shared with nobody. */
enum error_code moment_new(struct catalog *catalog, struct moment **ret_moment, struct error *error) AV_MUST_USE;
void moment_release(struct moment *moment); /* given back; the last one frees it */
struct catalog_snapshot *moment_snapshot(const struct moment *moment);

struct remembered_container {
    uint64_t id;
    uint64_t rule_of; /* nearest with a rule of its own */
};
bool moment_recall_path(const struct moment *moment, struct text path, struct remembered_container *ret_container);
void moment_remember_path(struct moment *moment, struct text path, struct remembered_container container);
/* By the resource whose own rule it is; NULL when it is not remembered. */
const struct rule_list *moment_recall_rule(const struct moment *moment, uint64_t rule_of);
void moment_remember_rule(struct moment *moment, uint64_t rule_of, const struct rule_list *rule);

#endif
