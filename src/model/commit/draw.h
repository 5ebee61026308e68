/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct draws: numbers of counters at hand, from blocks journalled beforehand. A block grows with use (1, 2, 4, … 256), so a
 * command that draws one number takes one. Internal to the model; any thread.
 */
#ifndef ARCHIVOLT_MODEL_DRAW_H
#define ARCHIVOLT_MODEL_DRAW_H

#include "base/error.h"
#include "base/text.h"

#include <stdint.h>

struct model;
struct draws;

struct draws *draws_new(void);
void draws_free(struct draws *draws); /* NULL is fine */
/* An imported number that may lie in the block at hand is passed over. */
void draws_skip(struct draws *draws, struct text counter, uint64_t value);
/* Journals what is left of the blocks as not drawn, where nobody else drew since. */
void draws_give_back(struct model *model);

#endif
