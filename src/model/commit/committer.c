/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The committer: one thread that turns waiting transactions into commit groups, and one that writes them.
 *
 *     queue --take--> decide each (lay out, or roll back and remember the error) --> root copies -->
 *     volumes: one write, one sync --> catalog: one batch --> answers
 *
 * While a group is being written (`writing`), what comes is decided into the next one (`open`), on what the first will have
 * done. When the first is durable the second is handed to the writer, and then the first reaches the catalog and is answered:
 *
 *     committer   lay out 1 | lay out 2 ....... | catalog 1, answers 1, lay out 3 ... | catalog 2, ...
 *     writer                | write, sync 1     | write, sync 2                       | write, sync 3
 *
 * A group of one transaction with nothing before it has nothing to overlap with: the committer writes it itself.
 *
 * Invariants:
 * 1. No transaction is answered with success before its group is durable and its effects are readable; none is
 *    refused for what a group did that is not durable.
 * 2. A transaction's entries, lines and overlay changes are all in a group or none is.
 * 3. After a failed write to the catalog nothing is decided any more (the catalog lags behind the
 *    volumes; the next process catches up), and no later group reaches the catalog.
 * 4. At most two groups are under way, and a write begins only after the one before it is durable. When a group is
 *    not written, the one laid out on it is given up with it.
 *
 * States: RUNNING -> FAILED (catalog write failed: invariant 3) ; any -> STOPPED (committer_free).
 * In a simulation there are no threads: transaction_submit() runs a group itself, or, after committer_overlap(), leaves it as
 * being written until the next is laid out.
 */
#include "base/ensure.h"
#include "model/commit/decide.h"
#include "model/commit/hold.h"
#include "model/record/keys.h"
#include "model/persons/principal_cache.h"
#include "model/read/moment.h"

struct task {
    committer_task *function;
    void *context;
    struct error error;
    enum error_code code;
    bool done;
    struct task *next;
};

struct statistics {
    uint64_t groups, operations, layout_ns, bulk_sync_ns, write_ns, sync_ns, catalog_ns;
};

#define COMMITS_AT_ONCE 2

/* A group on its way. */
struct commit {
    struct layout layout;
    struct transaction *first, *last;
    struct position position; /* once prepared */
    struct transaction_timing timing;
    struct group_timing group_timing;
    uint64_t leased_until; /* before it */
    enum error_code code;  /* of its end */
    struct error error;
};

struct committer {
    struct model *model;
    struct lock lock;     /* queue, tasks, stop, statistics, to_write, written */
    struct signal work;   /* to the thread */
    struct signal idle;   /* from it: a task is done */
    struct signal write;  /* to the writer */
    struct commit *to_write;
    bool written;         /* `writing` is, or has failed */
    bool writer_stop;
    struct transaction *first, *last;
    uint64_t waiting;
    uint64_t wanted; /* so many wake the thread */
    struct task *tasks;
    bool stop, threaded;
    bool released;              /* a hold has ended: what is parked may go on */
    struct transaction *parked; /* the thread's: they met a hold, and wait for its end or their time */
    atomic_bool failed;
    _Atomic int64_t settled_us; /* while a group is under way: the time of the last one before it; else 0 */
    pthread_t thread, writer;
    bool has_writer;
    struct statistics statistics;
    /* the thread's own: */
    bool overlap; /* a simulation's: see committer_overlap() */
    struct commit commits[COMMITS_AT_ONCE];
    struct commit *open, *writing; /* or NULL */
    struct decision d;
    struct catalog_batch *batch;
    struct bulk_length *bulk_ends; /* of `open` */
    size_t bulk_end_count, bulk_end_capacity;
};

#define SUM_LINE_BYTES 9u
#define TAR_BLOCK 512u

/* ---- one transaction ---------------------------------------------------------------------------- */

struct mark {
    struct group_mark group;
    size_t overlay, write_count;
    uint64_t leased_until;
};

static struct mark
mark_of(const struct decision *d)
{
    return (struct mark){group_mark(d->now->group), overlay_mark(d->now->overlay), d->now->write_count, d->leased_until};
}

static void
roll_back(struct decision *d, const struct mark *mark)
{
    group_roll_back(d->now->group, mark->group);
    overlay_roll_back(d->now->overlay, mark->overlay);
    d->now->write_count = mark->write_count;
    d->leased_until = mark->leased_until; /* ids drawn since are gaps */
}

static decide_function *const decisions[STAGE_COUNT] = {
#define X(name) [STAGE_##name] = decide_##name,
    STAGES(X)
#undef X
};

static enum error_code
decide_stages(struct decision *d, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (d->stage = d->transaction->first; d->stage != NULL && code == ERROR_NONE; d->stage = d->stage->next)
        code = decisions[d->stage->kind](d, error);
    if (code == ERROR_NONE)
        code = decide_finish_aggregates(d, error);
    if (code == ERROR_NONE)
        code = decide_finish_harvest(d, error);
    const struct id_list *forget = d->transaction->forget;
    for (size_t i = 0; forget != NULL && i < forget->count && code == ERROR_NONE; i++)
        code = overlay_forget(d->now->overlay, forget->ids[i], error);
    return code;
}

static void
decide_transaction(struct decision *d, struct transaction *t)
{
    struct mark mark = mark_of(d);
    d->transaction = t;
    d->aggregates = NULL;
    d->touched_count = 0;
    t->outcome = (struct error){0};
    t->blocked = false;
    enum error_code code = ERROR_NONE;
    if (t->holds && !holds_touch(d->model->holds, t))
        code = error_set(&t->outcome, ERROR_TIMEOUT,
                         "the transaction was idle for too long and has lost what it held (transaction_idle_ms)");
    if (code == ERROR_NONE)
        code = decide_stages(d, &t->outcome);
    t->outcome.code = code; /* look-ups that found nothing, as they should, have written there too */
    if (code != ERROR_NONE)
        roll_back(d, &mark);
    arena_reset(&d->arena);
}

/* ---- a group reaches its end ---------------------------------------------------------------------- */

/* Ends of bulk volumes that a durable transaction's content reaches: kept counts of the catalog. */
static void
note_bulk_end(struct committer *c, struct place sums, uint64_t size_bytes)
{
    uint64_t blocks = (size_bytes + CONTENT_BLOCK_BYTES - 1) / CONTENT_BLOCK_BYTES;
    uint64_t length = blocks * SUM_LINE_BYTES;
    if (c->bulk_end_count == c->bulk_end_capacity) {
        c->bulk_end_capacity = c->bulk_end_capacity == 0 ? 16 : c->bulk_end_capacity * 2;
        c->bulk_ends = realloc(c->bulk_ends, c->bulk_end_capacity * sizeof *c->bulk_ends);
        ensure(c->bulk_ends != NULL);
    }
    c->bulk_ends[c->bulk_end_count++] =
        (struct bulk_length){sums.volume, sums.offset + (length + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK};
}

static void
fail_all(struct transaction *list, enum error_code code, const struct error *why)
{
    for (struct transaction *t = list; t != NULL; t = t->next)
        if (t->outcome.code == ERROR_NONE) {
            t->outcome = *why;
            t->outcome.code = code;
        }
}

static void
answer(struct transaction *list)
{
    while (list != NULL) {
        struct transaction *t = list;
        list = t->next;
        t->next = NULL;
        t->submitted = false;
        if (t->holds)
            holds_end(t->model->holds, t);
        t->holds = false;
        t->done(t->context, t); /* may free it */
    }
}

static void
forget_passwords(struct model *model, const struct transaction *t)
{
    if (!t->changes_persons || t->outcome.code != ERROR_NONE || model->passwords == NULL)
        return;
    principal_cache_people_changed(model->principals);
    for (const struct stage *stage = t->first; stage != NULL; stage = stage->next)
        if (stage->kind == STAGE_change_user || stage->kind == STAGE_remove_user ||
            stage->kind == STAGE_set_password || stage->kind == STAGE_set_member)
            password_cache_forget(model->passwords, stage->number);
}

static void
add_timing(struct committer *c, const struct transaction_timing *timing, const struct group_timing *group)
{
    lock_take(&c->lock);
    c->statistics.layout_ns += timing->layout_ns;
    c->statistics.bulk_sync_ns += group->bulk_sync_ns;
    c->statistics.write_ns += group->write_ns;
    c->statistics.sync_ns += group->sync_ns;
    c->statistics.catalog_ns += timing->catalog_ns;
    lock_give(&c->lock);
}

static void
finish_transactions(struct committer *c, const struct commit *commit)
{
    uint64_t count = 0;
    bool wake = false;
    for (struct transaction *t = commit->first; t != NULL; t = t->next) {
        uint64_t wait_ns = t->timing.wait_ns;
        t->sequence = commit->position.sequence;
        t->timing = commit->timing;
        t->timing.wait_ns = wait_ns;
        count += t->count;
        forget_passwords(c->model, t);
        for (const struct stage *stage = t->first; stage != NULL && !wake; stage = stage->next)
            wake = stage->kind == STAGE_delete || stage->kind == STAGE_move || stage->kind == STAGE_set_access;
    }
    lock_take(&c->lock);
    c->statistics.operations += count;
    c->statistics.groups++;
    lock_give(&c->lock);
    if (wake && c->model->follower != NULL)
        follower_wake(c->model->follower);
}

/* Answers every transaction of the list with one error. */
static void
refuse(struct transaction *list, enum error_code code, const struct error *why)
{
    for (struct transaction *t = list; t != NULL; t = t->next)
        t->outcome = (struct error){0};
    fail_all(list, code, why);
    answer(list);
}

/* Answers; the group is over. */
static void
finish(struct committer *c, struct commit *commit)
{
    if (commit->code != ERROR_NONE)
        fail_all(commit->first, commit->code, &commit->error);
    finish_transactions(c, commit);
    answer(commit->first);
}

/* Into the catalog. */
static void
apply(struct committer *c, struct commit *commit)
{
    uint64_t before = clock_monotonic_ns();
    if (atomic_load(&c->failed)) {
        commit->code = error_set(&commit->error, ERROR_CLOSED, "the catalog failed before");
    } else {
        catalog_batch_clear(c->batch);
        overlay_to_batch(commit->layout.overlay, c->batch);
        commit->code = catalog_write(c->model->catalog, c->batch, &commit->error);
    }
    moments_pass(c->model->moments); /* whoever is answered sees what was written */
    commit->timing.catalog_ns = clock_monotonic_ns() - before;
    add_timing(c, &commit->timing, &commit->group_timing);
    if (commit->code != ERROR_NONE) {
        atomic_store(&c->failed, true);
        error_prefix(&commit->error, "stored, but the catalog failed (it will be seen after a restart)");
    }
}

/* `bound_us` 0: no group is under way. After a catalog that failed, what was stored last is not seen: the bound stays. */
static void
settle(struct committer *c, int64_t bound_us)
{
    if (!atomic_load(&c->failed))
        atomic_store(&c->settled_us, bound_us);
}

int64_t
committer_settled_us(struct committer *c)
{
    int64_t bound = atomic_load(&c->settled_us);
    if (bound != 0)
        return bound;
    int64_t now = c->model->clock->now_us(c->model->clock);
    store_not_before(c->model->store, now); /* groups from now on are later */
    bound = atomic_load(&c->settled_us);    /* one that began in between may not have heard of it */
    return bound != 0 ? bound : now;
}

/* ---- writing --------------------------------------------------------------------------------------- */

static void
write_group(struct commit *commit)
{
    commit->code = group_write(commit->layout.group, &commit->group_timing, &commit->error);
    commit->timing.write_ns = commit->group_timing.write_ns;
    commit->timing.sync_ns = commit->group_timing.sync_ns + commit->group_timing.bulk_sync_ns;
}

static void *
writer_thread(void *context)
{
    struct committer *c = context;
    lock_take(&c->lock);
    for (;;) {
        while (c->to_write == NULL && !c->writer_stop)
            signal_wait_locked(&c->write, &c->lock);
        struct commit *commit = c->to_write;
        if (commit == NULL)
            break;
        c->to_write = NULL;
        lock_give(&c->lock);
        write_group(commit);
        lock_take(&c->lock);
        c->written = true;
        signal_one(&c->work);
    }
    lock_give(&c->lock);
    return NULL;
}

static void
hand_to_writer(struct committer *c, struct commit *commit)
{
    lock_take(&c->lock);
    c->to_write = commit;
    signal_one(&c->write);
    lock_give(&c->lock);
}

static bool
nothing_to_write(const struct transaction *list)
{
    for (; list != NULL; list = list->next)
        if (list->outcome.code == ERROR_NONE)
            return false;
    return true;
}

/* A lease that did not become durable is none: ids drawn are gaps. */
static void
give_up(struct committer *c, struct commit *commit)
{
    group_abandon(commit->layout.group);
    c->d.leased_until = commit->leased_until;
}

/* The group is complete: root copies, the journal entry, and the effects of the group itself. */
static enum error_code
prepare(struct committer *c, struct commit *commit, struct error *error)
{
    enum error_code code = decide_finish_group(&c->d, error);
    if (code == ERROR_NONE)
        code = group_prepare(commit->layout.group, &commit->position, error);
    if (code != ERROR_NONE)
        return code;
    struct group_effects effects = {commit->position, c->bulk_ends, c->bulk_end_count};
    return group_effects(&effects, overlay_apply, commit->layout.overlay, error);
}

/* The open group becomes the one that is being written; false: there is nothing to write, and it only wants its answers. */
static bool
close_open(struct committer *c)
{
    struct commit *commit = c->open;
    c->open = NULL;
    if (nothing_to_write(commit->first)) {
        group_abandon(commit->layout.group);
        return false;
    }
    commit->code = prepare(c, commit, &commit->error);
    if (commit->code != ERROR_NONE) {
        give_up(c, commit);
        return false;
    }
    c->writing = commit;
    return true;
}

/* The group that was being written is durable, or never will be; the one laid out on it follows it. */
static void
take_turn(struct committer *c)
{
    struct commit *done = c->writing, *next = c->open;
    c->writing = NULL;
    bool stored = done->code == ERROR_NONE;
    if (stored) {
        group_publish(done->layout.group);
        if (next != NULL && close_open(c) && c->threaded)
            hand_to_writer(c, next);
        apply(c, done);
        if (next != NULL)
            overlay_stand_on(next->layout.overlay, NULL);
    } else {
        c->open = NULL;
        if (next != NULL)
            group_abandon(next->layout.group);
        give_up(c, done);
    }
    settle(c, c->writing != NULL ? done->position.time_us : 0);
    finish(c, done);
    if (next != NULL && !stored)
        refuse(next->first, done->code, &done->error);
    else if (next != NULL && c->writing != next)
        finish(c, next);
}

/* Nothing is being written: the open group is, from now on or at once. */
static void
begin_writing(struct committer *c)
{
    struct commit *commit = c->open;
    if (!close_open(c)) {
        settle(c, 0);
        finish(c, commit);
    } else if (c->threaded && commit->first->next != NULL) {
        hand_to_writer(c, commit);
    } else if (!c->overlap) {
        write_group(commit);
        take_turn(c);
    }
}

/* ---- laying out ------------------------------------------------------------------------------------ */

/* A transaction that met a hold waits for its end, as long as its time has not come. */
static bool
park(struct committer *c, struct transaction *t)
{
    uint64_t waited_ns = clock_monotonic_ns() - t->submitted_ns;
    if (!t->blocked || !c->threaded || waited_ns >= c->model->limits.lock_wait_ms * 1000000)
        return false;
    t->next = c->parked;
    c->parked = t;
    return true;
}

/* Takes the urgent ones out of *pending. */
static struct transaction *
take_urgent(struct transaction **pending)
{
    struct transaction *urgent = NULL, **end = &urgent;
    while (*pending != NULL) {
        struct transaction *t = *pending;
        if (t->urgent) {
            *pending = t->next;
            t->next = NULL;
            *end = t;
            end = &t->next;
        } else {
            pending = &t->next;
        }
    }
    return urgent;
}

/* Opens a group in the store for *pending. On a full disk only what frees space goes on; the rest is answered. */
static enum error_code
begin_group(struct committer *c, struct transaction **pending, struct group **ret_group, struct error *error)
{
    enum error_code code;
    if (atomic_load(&c->failed))
        return error_set(error, ERROR_CLOSED, "the catalog failed: restart the server");
    code = group_begin(c->model->store, false, ret_group, &c->d.info, error);
    if (code != ERROR_FULL)
        return code;
    struct error full = *error;
    struct transaction *urgent = take_urgent(pending);
    refuse(*pending, code, &full);
    *pending = urgent;
    return urgent == NULL ? code : group_begin(c->model->store, true, ret_group, &c->d.info, error);
}

/* False: there is no group to lay out in now. What is still pending then waits for the group that is being written. */
static bool
open_group(struct committer *c, struct transaction **pending)
{
    struct commit *commit = &c->commits[c->writing == &c->commits[0] ? 1 : 0];
    struct layout *layout = &commit->layout;
    struct error error = {0};
    if (c->writing == NULL)
        atomic_store(&c->settled_us, store_position(c->model->store).time_us);
    enum error_code code = begin_group(c, pending, &layout->group, &error);
    if (code == ERROR_BUSY && c->writing != NULL)
        return false;
    if (code != ERROR_NONE) {
        refuse(*pending, code, &error);
        *pending = NULL;
        if (c->writing == NULL)
            settle(c, 0);
        return false;
    }
    *commit = (struct commit){.layout = *layout, .leased_until = c->d.leased_until};
    layout->write_count = 0;
    overlay_clear(layout->overlay);
    overlay_stand_on(layout->overlay, c->writing == NULL ? NULL : c->writing->layout.overlay);
    c->d.now = layout;
    c->d.before = c->writing == NULL ? NULL : &c->writing->layout;
    c->d.lookup.overlay = layout->overlay;
    c->bulk_end_count = 0;
    c->open = commit;
    return true;
}

static void
note_bulk_ends(struct committer *c, const struct transaction *t)
{
    for (const struct stage *stage = t->first; stage != NULL; stage = stage->next)
        if (stage->bulk_sums.volume != 0)
            note_bulk_end(c, stage->bulk_sums, content_summary(stage->upload->content)->size_bytes);
}

/* Decides transactions of *pending into the open group until it is full. */
static void
lay_out(struct committer *c, struct transaction **pending)
{
    struct commit *commit = c->open;
    uint64_t began_ns = clock_monotonic_ns(), limit = c->model->limits.group_bytes;
    while (*pending != NULL && (commit->last == NULL || group_bytes(commit->layout.group) < limit)) {
        struct transaction *t = *pending, *rest = t->next;
        decide_transaction(&c->d, t);
        *pending = rest;
        if (park(c, t))
            continue;
        t->timing.wait_ns = began_ns - t->submitted_ns;
        if (t->outcome.code == ERROR_NONE)
            note_bulk_ends(c, t);
        t->next = NULL;
        if (commit->last == NULL)
            commit->first = t;
        else
            commit->last->next = t;
        commit->last = t;
    }
    commit->timing.layout_ns += clock_monotonic_ns() - began_ns;
}

/* Goes on with *pending as far as it can without waiting. */
static void
advance(struct committer *c, struct transaction **pending)
{
    do {
        if (*pending != NULL && (c->open != NULL || open_group(c, pending)))
            lay_out(c, pending);
        if (c->open != NULL && c->writing == NULL)
            begin_writing(c);
    } while (*pending != NULL && c->writing == NULL);
}

/* ---- the queue ----------------------------------------------------------------------------------- */

static void
run_tasks(struct committer *c)
{
    lock_take(&c->lock);
    while (c->tasks != NULL) {
        struct task *task = c->tasks;
        c->tasks = task->next;
        lock_give(&c->lock);
        task->code = task->function(task->context, &task->error);
        lock_take(&c->lock);
        task->done = true;
        signal_all(&c->idle);
    }
    lock_give(&c->lock);
}

static struct transaction *
take_queue_locked(struct committer *c)
{
    struct transaction *list = c->first;
    c->first = c->last = NULL;
    c->waiting = 0;
    return list;
}

#define LAYOUT_BATCH 8u    /* while a group is being written, waking up pays for so many; fewer wait for its end */
#define PARKED_LOOK_MS 50u /* how often what is parked is looked at, should nobody wake it */

/* When the open group is full, or a task or the end waits for all groups, only the end of the write is work. */
static bool
has_work_locked(const struct committer *c, bool full)
{
    if (c->written)
        return true;
    if (c->writing != NULL && (full || c->tasks != NULL || c->stop))
        return false;
    return c->waiting >= c->wanted || c->tasks != NULL || c->released || c->stop;
}

static void
wait_for_work_locked(struct committer *c, bool full)
{
    c->wanted = c->writing == NULL ? 1 : LAYOUT_BATCH;
    while (!has_work_locked(c, full)) {
        if (c->parked == NULL)
            signal_wait_locked(&c->work, &c->lock);
        else if (!signal_wait_for_locked(&c->work, &c->lock, PARKED_LOOK_MS) && !full)
            break;
    }
}

/* What was parked comes first: it was submitted earlier. */
static struct transaction *
unpark(struct committer *c, struct transaction *queue)
{
    while (c->parked != NULL) {
        struct transaction *t = c->parked;
        c->parked = t->next;
        t->next = queue;
        queue = t;
    }
    return queue;
}

static void
on_release(void *context)
{
    struct committer *c = context;
    lock_take(&c->lock);
    c->released = true;
    signal_one(&c->work);
    lock_give(&c->lock);
}

/* What is to be decided next: what was parked, if it may go on, then the queue. */
static struct transaction *
take_work_locked(struct committer *c)
{
    bool again = c->released || c->open == NULL;
    struct transaction *queue = take_queue_locked(c);
    c->released = false;
    return again ? unpark(c, queue) : queue;
}

/* A task runs when no group is under way. */
static bool
has_task(struct committer *c)
{
    lock_take(&c->lock);
    bool has = c->tasks != NULL;
    lock_give(&c->lock);
    return has && c->open == NULL && c->writing == NULL;
}

static void *
committer_thread(void *context)
{
    struct committer *c = context;
    struct transaction *pending = NULL;
    for (;;) {
        bool full = pending != NULL;
        lock_take(&c->lock);
        wait_for_work_locked(c, full);
        bool over = c->stop && c->first == NULL && c->tasks == NULL && c->parked == NULL && c->writing == NULL && !full;
        bool written = c->written;
        c->written = false;
        if (!full && c->tasks == NULL)
            pending = take_work_locked(c);
        lock_give(&c->lock);
        if (over)
            return NULL;
        advance(c, &pending);
        if (written) {
            take_turn(c);
            advance(c, &pending);
        }
        if (has_task(c))
            run_tasks(c);
    }
}

/* ---- without threads ------------------------------------------------------------------------------- */

static void
end_writing(struct committer *c)
{
    write_group(c->writing);
    take_turn(c);
}

static void
run_here(struct committer *c, struct transaction *t)
{
    struct transaction *pending = t;
    advance(c, &pending);
    while (c->writing != NULL && (c->open != NULL || pending != NULL)) {
        end_writing(c);
        advance(c, &pending);
    }
}

void
committer_overlap(struct committer *c)
{
    ensure(!c->threaded);
    c->overlap = true;
}

void
committer_drain(struct committer *c)
{
    while (!c->threaded && c->writing != NULL)
        end_writing(c);
}

/* ---- submitting ------------------------------------------------------------------------------------ */

static bool
is_urgent(const struct transaction *t)
{
    for (const struct stage *stage = t->first; stage != NULL; stage = stage->next)
        if (stage->kind != STAGE_delete && stage->kind != STAGE_tombstone && stage->kind != STAGE_line)
            return false;
    return true;
}

enum error_code
transaction_submit(struct transaction *t, transaction_done *done, void *context, struct error *error)
{
    struct committer *c = t->model->committer;
    ensure(t->magic == TRANSACTION_MAGIC && !t->submitted);
    if (c == NULL)
        return error_set(error, ERROR_CLOSED, "the store is open for reading only");
    t->done = done;
    t->context = context;
    t->next = NULL;
    t->urgent |= is_urgent(t);
    t->submitted_ns = clock_monotonic_ns();
    if (!c->threaded) {
        t->submitted = true;
        run_here(c, t);
        return ERROR_NONE;
    }
    lock_take(&c->lock);
    enum error_code code = ERROR_NONE;
    if (c->stop)
        code = error_set(error, ERROR_CLOSED, "the store is closing");
    else if (c->waiting >= c->model->limits.queue_transactions)
        code = error_set(error, ERROR_BUSY, "%llu transactions are waiting already (queue_transactions)",
                         (unsigned long long)c->waiting);
    if (code == ERROR_NONE) {
        t->submitted = true;
        if (c->last == NULL)
            c->first = t;
        else
            c->last->next = t;
        c->last = t;
        c->waiting++;
        if (c->waiting >= c->wanted)
            signal_one(&c->work);
    }
    lock_give(&c->lock);
    return code;
}

/* ---- tasks ----------------------------------------------------------------------------------------- */

enum error_code
committer_run(struct committer *c, committer_task *function, void *context, struct error *error)
{
    struct task task = {.function = function, .context = context};
    if (!c->threaded) {
        committer_drain(c);
        return function(context, error);
    }
    lock_take(&c->lock);
    if (c->stop) {
        lock_give(&c->lock);
        return error_set(error, ERROR_CLOSED, "the store is closing");
    }
    task.next = c->tasks;
    c->tasks = &task;
    signal_one(&c->work);
    while (!task.done)
        signal_wait_locked(&c->idle, &c->lock);
    lock_give(&c->lock);
    if (task.code != ERROR_NONE && error != NULL)
        *error = task.error;
    return task.code;
}

/* ---- life ----------------------------------------------------------------------------------------- */

static enum error_code
start_threads(struct committer *c, struct error *error)
{
    c->has_writer = pthread_create(&c->writer, NULL, writer_thread, c) == 0;
    c->threaded = c->has_writer;
    if (c->has_writer && pthread_create(&c->thread, NULL, committer_thread, c) == 0)
        return ERROR_NONE;
    c->threaded = false;
    return error_set(error, ERROR_NO_MEMORY, "the committer's threads cannot start");
}

static void
stop_threads(struct committer *c)
{
    if (c->threaded) {
        lock_take(&c->lock);
        c->stop = true;
        signal_all(&c->work);
        lock_give(&c->lock);
        pthread_join(c->thread, NULL);
    }
    if (c->has_writer) {
        lock_take(&c->lock);
        c->writer_stop = true;
        signal_all(&c->write);
        lock_give(&c->lock);
        pthread_join(c->writer, NULL);
    }
}

enum error_code
committer_new(struct model *model, bool threaded, struct committer **ret_committer, struct error *error)
{
    struct committer *c = calloc(1, sizeof *c);
    if (c == NULL)
        return error_set(error, ERROR_NO_MEMORY, "out of memory");
    c->model = model;
    lock_init(&c->lock, LOCK_RANK_COMMITTER);
    signal_init(&c->work);
    signal_init(&c->idle);
    signal_init(&c->write);
    for (size_t i = 0; i < COMMITS_AT_ONCE; i++)
        c->commits[i].layout.overlay = overlay_new(model->catalog);
    c->d.model = model;
    c->d.lookup = (struct lookup){model->catalog, NULL, NULL};
    arena_init(&c->d.arena, 0);
    arena_init(&c->d.json_arena, 0);
    c->batch = catalog_batch_new();
    holds_on_release(model->holds, on_release, c);
    enum error_code code = load_next_id(model->catalog, &c->d.next_id, error);
    c->d.leased_until = c->d.next_id;
    c->d.lease = model->options.id_lease != 0 ? model->options.id_lease : ID_LEASE_STANDARD;
    if (code == ERROR_NONE && threaded)
        code = start_threads(c, error);
    if (code != ERROR_NONE) {
        committer_free(c);
        return code;
    }
    *ret_committer = c;
    return ERROR_NONE;
}

void
committer_free(struct committer *c)
{
    if (c == NULL)
        return;
    committer_drain(c);
    stop_threads(c);
    holds_on_release(c->model->holds, NULL, NULL);
    for (size_t i = 0; i < COMMITS_AT_ONCE; i++) {
        overlay_free(c->commits[i].layout.overlay);
        free(c->commits[i].layout.writes);
    }
    catalog_batch_free(c->batch);
    arena_release(&c->d.arena);
    arena_release(&c->d.json_arena);
    buffer_release(&c->d.line_json);
    buffer_release(&c->d.scratch);
    buffer_release(&c->d.inventory_json);
    buffer_release(&c->d.node_storage);
    buffer_release(&c->d.old_node_storage);
    free(c->d.touched);
    free(c->bulk_ends);
    signal_release(&c->work);
    signal_release(&c->idle);
    signal_release(&c->write);
    lock_release(&c->lock);
    free(c);
}

void
committer_health(struct committer *c, struct model_health *ret_health)
{
    lock_take(&c->lock);
    ret_health->groups = c->statistics.groups;
    ret_health->operations = c->statistics.operations;
    ret_health->layout_ns = c->statistics.layout_ns;
    ret_health->bulk_sync_ns = c->statistics.bulk_sync_ns;
    ret_health->write_ns = c->statistics.write_ns;
    ret_health->sync_ns = c->statistics.sync_ns;
    ret_health->catalog_ns = c->statistics.catalog_ns;
    ret_health->waiting = c->waiting;
    lock_give(&c->lock);
    if (atomic_load(&c->failed)) {
        ret_health->writable = false;
        snprintf(ret_health->why, sizeof ret_health->why, "the catalog failed");
    }
}
