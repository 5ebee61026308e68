/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct holds: resources that long transactions keep for themselves while they are being staged.
 *
 * A hold belongs to one transaction and ends with it, or when that transaction has been idle for
 * `transaction_idle_ms` and somebody else wants the resource: then it is broken, and its owner's commit fails.
 * Whoever meets a hold waits, at most `lock_wait_ms`: another long transaction in holds_take(), a short one parked by
 * the committer. Parents are not held for the creation of children.
 * Internal to the model. Threads: any.
 */
#ifndef ARCHIVOLT_MODEL_HOLD_H
#define ARCHIVOLT_MODEL_HOLD_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct holds;
struct transaction;

struct holds *holds_new(uint64_t wait_ms, uint64_t idle_ms);
void holds_free(struct holds *holds);
/* Called (with no lock held) whenever a hold ends: what is parked may go on. */
typedef void holds_released(void *context);
void holds_on_release(struct holds *holds, holds_released *released, void *context);
/* TIMEOUT when another transaction kept it all the while. Taking it twice is fine. */
enum error_code holds_take(struct holds *holds, struct transaction *owner, uint64_t id, struct error *error) AV_MUST_USE;
/* Does somebody else than `asking` hold it? Breaks a hold whose owner has been idle for too long. */
bool holds_blocked(struct holds *holds, const struct transaction *asking, uint64_t id);
/* The owner is alive. False when one of its holds was broken meanwhile. */
bool holds_touch(struct holds *holds, struct transaction *owner);
void holds_end(struct holds *holds, struct transaction *owner);
bool holds_any(struct holds *holds); /* quick: is anything held at all? */

#endif
