/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing numbers: see draw.h and model_draw(). */
#include "model/commit/draw.h"

#include "base/ensure.h"
#include "model/commit/transaction_private.h"

#define BLOCK_MAXIMUM 256u

struct counter {
    struct counter *next;
    char *name;
    uint64_t at, until; /* the next number, and the last one at hand */
    uint64_t block;     /* how many are drawn at once the next time */
    bool filling;       /* a thread is waiting for a block */
};

struct draws {
    struct lock lock;
    struct signal filled;
    struct counter *counters;
};

struct draws *
draws_new(void)
{
    struct draws *draws = calloc(1, sizeof *draws);
    ensure(draws != NULL);
    lock_init(&draws->lock, LOCK_RANK_LEAF);
    signal_init(&draws->filled);
    return draws;
}

void
draws_free(struct draws *draws)
{
    if (draws == NULL)
        return;
    while (draws->counters != NULL) {
        struct counter *counter = draws->counters;
        draws->counters = counter->next;
        free(counter->name);
        free(counter);
    }
    signal_release(&draws->filled);
    lock_release(&draws->lock);
    free(draws);
}

static struct counter *
counter_locked(struct draws *draws, struct text name)
{
    struct counter *counter = draws->counters;
    while (counter != NULL && !text_equal(text_from(counter->name), name))
        counter = counter->next;
    if (counter != NULL)
        return counter;
    counter = calloc(1, sizeof *counter);
    ensure(counter != NULL);
    counter->name = text_copy(name);
    counter->at = 1; /* `until` 0: nothing at hand */
    counter->block = 1;
    counter->next = draws->counters;
    draws->counters = counter;
    return counter;
}

void
draws_skip(struct draws *draws, struct text name, uint64_t value)
{
    lock_take(&draws->lock);
    struct counter *counter = counter_locked(draws, name);
    if (value >= counter->at && value <= counter->until)
        counter->at = value + 1;
    lock_give(&draws->lock);
}

bool
model_drawn_at_hand(struct model *model, struct text name)
{
    lock_take(&model->draws->lock);
    const struct counter *counter = counter_locked(model->draws, name);
    bool at_hand = counter->at <= counter->until;
    lock_give(&model->draws->lock);
    return at_hand;
}

/* A transaction of the model's own with one stage, made by `stage`. */
static enum error_code
draw_block(struct model *model, struct text name, uint64_t count, uint64_t *ret_last, struct error *error)
{
    struct principal self = {.role = ROLE_ADMINISTRATOR, .name = TEXT("archivolt")};
    struct transaction *transaction;
    enum error_code code = transaction_new(model, &self, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    code = transaction_draw_block(transaction, name, count, error);
    if (code == ERROR_NONE)
        code = transaction_commit(transaction, error);
    if (code == ERROR_NONE)
        *ret_last = transaction_result(transaction, 0)->id;
    transaction_free(transaction);
    return code;
}

/* One thread fetches a block, the others wait for it. */
static enum error_code
fill(struct model *model, struct counter *counter, struct error *error)
{
    struct draws *draws = model->draws;
    uint64_t count, last;
    lock_take(&draws->lock);
    while (counter->filling)
        signal_wait_locked(&draws->filled, &draws->lock);
    bool mine = counter->at > counter->until;
    counter->filling = mine;
    count = counter->block;
    lock_give(&draws->lock);
    if (!mine)
        return ERROR_NONE;
    enum error_code code = draw_block(model, text_from(counter->name), count, &last, error);
    lock_take(&draws->lock);
    if (code == ERROR_NONE) {
        counter->at = last - count + 1;
        counter->until = last;
        counter->block = count < BLOCK_MAXIMUM ? 2 * count : count;
    }
    counter->filling = false;
    signal_all(&draws->filled);
    lock_give(&draws->lock);
    return code;
}

enum error_code
model_draw(struct model *model, struct text name, uint64_t *ret_number, struct error *error)
{
    struct draws *draws = model->draws;
    enum error_code code = ERROR_NONE;
    bool drawn = false;
    while (!drawn && code == ERROR_NONE) {
        lock_take(&draws->lock);
        struct counter *counter = counter_locked(draws, name);
        drawn = counter->at <= counter->until;
        if (drawn)
            *ret_number = counter->at++;
        lock_give(&draws->lock);
        if (!drawn)
            code = fill(model, counter, error);
    }
    return code;
}

static void
give_back(struct model *model, struct counter *counter)
{
    struct principal self = {.role = ROLE_ADMINISTRATOR, .name = TEXT("archivolt")};
    struct transaction *transaction;
    if (counter->at > counter->until || transaction_new(model, &self, &transaction, NULL) != ERROR_NONE)
        return;
    struct stage *stage = transaction_stage(transaction, STAGE_give_back, NULL);
    if (stage != NULL) {
        stage->name = text_from(counter->name);
        stage->number = counter->at - 1;
        stage->group = counter->until;
        (void)!transaction_commit(transaction, NULL); /* else they are gaps */
    }
    transaction_free(transaction);
    counter->at = counter->until + 1;
}

void
draws_give_back(struct model *model)
{
    for (struct counter *counter = model->draws->counters; counter != NULL; counter = counter->next)
        give_back(model, counter);
}
