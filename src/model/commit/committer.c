/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The committer: one thread that turns waiting transactions into commit groups.
 *
 *     queue --take--> decide each (lay out, or roll back and remember the error) --> root copies -->
 *     volumes: one write, one sync --> catalog: one batch --> answers
 *
 * Invariants:
 * 1. No transaction is answered with success before its group is durable and its effects are readable.
 * 2. A transaction's entries, lines and overlay changes are all in a group or none is.
 * 3. After a failed write to the catalog nothing is decided any more (the catalog lags behind the
 *    volumes; the next process catches up).
 *
 * States: RUNNING -> FAILED (catalog write failed: invariant 3) ; any -> STOPPED (committer_free).
 * In a simulation there is no thread: transaction_submit() runs a group itself.
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

struct committer {
    struct model *model;
    struct lock lock;     /* queue, tasks, stop, statistics */
    struct signal work;   /* to the thread */
    struct signal idle;   /* from it: a task is done */
    struct transaction *first, *last;
    uint64_t waiting;
    struct task *tasks;
    bool stop, threaded;
    bool released;              /* a hold has ended: what is parked may go on */
    struct transaction *parked; /* the thread's: they met a hold, and wait for its end or their time */
    atomic_bool failed;
    _Atomic int64_t settled_us; /* while a group is under way: the time of the last one before it; else 0 */
    pthread_t thread;
    struct statistics statistics;
    /* the thread's own: */
    struct decision d;
    struct catalog_batch *batch;
    struct bulk_length *bulk_ends;
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
    return (struct mark){group_mark(d->group), overlay_mark(d->overlay), d->write_count, d->leased_until};
}

static void
roll_back(struct decision *d, const struct mark *mark)
{
    group_roll_back(d->group, mark->group);
    overlay_roll_back(d->overlay, mark->overlay);
    d->write_count = mark->write_count;
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
        code = overlay_forget(d->overlay, forget->ids[i], error);
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

/* ---- one group ----------------------------------------------------------------------------------- */

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

static enum error_code
apply_group(struct committer *c, const struct position *position, struct error *error)
{
    struct decision *d = &c->d;
    struct group_effects effects = {*position, c->bulk_ends, c->bulk_end_count};
    enum error_code code = group_effects(&effects, overlay_apply, d->overlay, error);
    if (code != ERROR_NONE)
        return code;
    catalog_batch_clear(c->batch);
    overlay_to_batch(d->overlay, c->batch);
    code = catalog_write(c->model->catalog, c->batch, error);
    moments_pass(c->model->moments); /* whoever is answered sees what was written */
    return code;
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
finish_transactions(struct committer *c, struct transaction *list, const struct position *position,
                    const struct transaction_timing *timing, uint64_t began_ns)
{
    uint64_t count = 0;
    bool wake = false;
    for (struct transaction *t = list; t != NULL; t = t->next) {
        t->sequence = position->sequence;
        t->timing = *timing;
        t->timing.wait_ns = began_ns - t->submitted_ns;
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

/* Lays out transactions from *pending until the group is full; returns those taken. */
static struct transaction *
lay_out(struct committer *c, struct transaction **pending)
{
    struct transaction *taken = NULL, *last = NULL;
    uint64_t limit = c->model->limits.group_bytes;
    while (*pending != NULL && (last == NULL || group_bytes(c->d.group) < limit)) {
        struct transaction *t = *pending, *rest = t->next;
        decide_transaction(&c->d, t);
        *pending = rest;
        if (park(c, t))
            continue;
        if (last == NULL)
            taken = t;
        else
            last->next = t;
        if (t->outcome.code == ERROR_NONE)
            for (const struct stage *stage = t->first; stage != NULL; stage = stage->next)
                if (stage->bulk_sums.volume != 0)
                    note_bulk_end(c, stage->bulk_sums, content_summary(stage->upload->content)->size_bytes);
        last = t;
        t->next = NULL;
    }
    return taken;
}

static bool
nothing_to_write(const struct transaction *list)
{
    for (; list != NULL; list = list->next)
        if (list->outcome.code == ERROR_NONE)
            return false;
    return true;
}

static enum error_code
commit_and_apply(struct committer *c, struct position *ret_position, struct transaction_timing *timing,
                 struct error *error)
{
    struct group_timing group_timing = {0};
    enum error_code code = decide_finish_group(&c->d, error);
    if (code != ERROR_NONE) {
        group_abandon(c->d.group);
        return code;
    }
    code = group_commit(c->d.group, ret_position, &group_timing, error);
    if (code != ERROR_NONE)
        return code;
    uint64_t before = clock_monotonic_ns();
    code = apply_group(c, ret_position, error);
    timing->catalog_ns = clock_monotonic_ns() - before;
    timing->write_ns = group_timing.write_ns;
    timing->sync_ns = group_timing.sync_ns + group_timing.bulk_sync_ns;
    add_timing(c, timing, &group_timing);
    if (code != ERROR_NONE) {
        atomic_store(&c->failed, true);
        error_prefix(error, "stored, but the catalog failed (it will be seen after a restart)");
    }
    return code;
}

static void
begin_layout(struct committer *c)
{
    overlay_clear(c->d.overlay);
    c->d.write_count = 0;
    c->bulk_end_count = 0;
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

/* Opens a group for *pending. On a full disk only what frees space goes on; the rest is answered. */
static enum error_code
open_group(struct committer *c, struct transaction **pending, struct error *error)
{
    enum error_code code;
    if (atomic_load(&c->failed))
        return error_set(error, ERROR_CLOSED, "the catalog failed: restart the server");
    code = group_begin(c->model->store, false, &c->d.group, &c->d.info, error);
    if (code != ERROR_FULL)
        return code;
    struct error full = *error;
    struct transaction *urgent = take_urgent(pending);
    refuse(*pending, code, &full);
    *pending = urgent;
    return urgent == NULL ? ERROR_NONE : group_begin(c->model->store, true, &c->d.group, &c->d.info, error);
}

/* No group is under way. After a catalog that failed, what was stored last is not seen: the bound stays. */
static void
settle(struct committer *c)
{
    if (!atomic_load(&c->failed))
        atomic_store(&c->settled_us, 0);
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

/* One group of *pending; what did not fit stays there. */
static void
run_group(struct committer *c, struct transaction **pending)
{
    struct error error = {0};
    struct position position = {0};
    struct transaction_timing timing = {0};
    uint64_t began_ns = clock_monotonic_ns();
    atomic_store(&c->settled_us, store_position(c->model->store).time_us);
    enum error_code code = open_group(c, pending, &error);
    if (code != ERROR_NONE) {
        refuse(*pending, code, &error);
        *pending = NULL;
    }
    if (*pending == NULL) {
        settle(c);
        return;
    }
    uint64_t leased_until = c->d.leased_until;
    begin_layout(c);
    struct transaction *taken = lay_out(c, pending);
    timing.layout_ns = clock_monotonic_ns() - began_ns;
    if (nothing_to_write(taken)) {
        group_abandon(c->d.group);
    } else {
        code = commit_and_apply(c, &position, &timing, &error);
        if (code != ERROR_NONE) {
            fail_all(taken, code, &error);
            c->d.leased_until = leased_until; /* a lease that did not become durable is none: ids drawn are gaps */
        }
    }
    settle(c);
    finish_transactions(c, taken, &position, &timing, began_ns);
    answer(taken);
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

#define PARKED_LOOK_MS 50u /* how often what is parked is looked at, should nobody wake it */

static void
wait_for_work_locked(struct committer *c)
{
    while (c->first == NULL && c->tasks == NULL && !c->stop && !c->released) {
        if (c->parked == NULL)
            signal_wait_locked(&c->work, &c->lock);
        else if (!signal_wait_for_locked(&c->work, &c->lock, PARKED_LOOK_MS))
            break;
    }
    c->released = false;
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

static void *
committer_thread(void *context)
{
    struct committer *c = context;
    struct transaction *pending = NULL;
    for (;;) {
        lock_take(&c->lock);
        wait_for_work_locked(c);
        bool over = c->stop && c->first == NULL && c->tasks == NULL && c->parked == NULL;
        pending = unpark(c, take_queue_locked(c));
        lock_give(&c->lock);
        if (over)
            return NULL;
        run_tasks(c);
        while (pending != NULL)
            run_group(c, &pending);
    }
}

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
        struct transaction *pending = t;
        t->submitted = true;
        while (pending != NULL)
            run_group(c, &pending);
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
        signal_one(&c->work);
    }
    lock_give(&c->lock);
    return code;
}

/* ---- the model's own lines ------------------------------------------------------------------------ */

static enum error_code
commit_own(struct transaction *t, struct line_origin *ret_origin, struct error *error)
{
    t->urgent = true;
    enum error_code code = transaction_commit(t, error);
    if (code == ERROR_NONE && ret_origin != NULL)
        *ret_origin = (struct line_origin){t->sequence, t->last->line_index, t->last->result.time_us};
    transaction_free(t);
    return code;
}

enum error_code
committer_journal(struct committer *c, const struct line *lines, size_t count, bool urgent,
                  const struct id_list *forget, struct line_origin *ret_origin, struct error *error)
{
    struct principal self = {.role = ROLE_ADMINISTRATOR, .name = TEXT("archivolt")};
    struct transaction *t;
    enum error_code code = transaction_new(c->model, &self, &t, error);
    if (code != ERROR_NONE)
        return code;
    for (size_t i = 0; i < count; i++) {
        struct stage *stage = transaction_stage(t, STAGE_line, error);
        if (stage == NULL) {
            transaction_free(t);
            return ERROR_LIMIT;
        }
        stage->line = lines[i];
    }
    t->forget = forget;
    return commit_own(t, ret_origin, error);
}

enum error_code
committer_tombstones(struct committer *c, const struct id_list *ids, const struct line *affected,
                     struct error *error)
{
    struct principal self = {.role = ROLE_ADMINISTRATOR, .name = TEXT("archivolt")};
    struct transaction *t;
    enum error_code code = transaction_new(c->model, &self, &t, error);
    if (code != ERROR_NONE)
        return code;
    transaction_set_message(t, TEXT("deleted"));
    for (size_t i = 0; i <= ids->count; i++) {
        struct stage *stage = transaction_stage(t, i < ids->count ? STAGE_tombstone : STAGE_line, error);
        if (stage == NULL) {
            transaction_free(t);
            return ERROR_LIMIT;
        }
        if (i < ids->count)
            stage->target = target_id(ids->ids[i]);
        else
            stage->line = *affected;
    }
    return commit_own(t, NULL, error);
}

enum error_code
committer_run(struct committer *c, committer_task *function, void *context, struct error *error)
{
    struct task task = {.function = function, .context = context};
    if (!c->threaded)
        return function(context, error);
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

enum error_code
committer_new(struct model *model, bool threaded, struct committer **ret_committer, struct error *error)
{
    struct committer *c = calloc(1, sizeof *c);
    if (c == NULL)
        return error_set(error, ERROR_NO_MEMORY, "out of memory");
    c->model = model;
    c->threaded = threaded;
    lock_init(&c->lock, LOCK_RANK_COMMITTER);
    signal_init(&c->work);
    signal_init(&c->idle);
    c->d.model = model;
    c->d.overlay = overlay_new(model->catalog);
    c->d.lookup = (struct lookup){model->catalog, NULL, c->d.overlay};
    arena_init(&c->d.arena, 0);
    arena_init(&c->d.json_arena, 0);
    c->batch = catalog_batch_new();
    holds_on_release(model->holds, on_release, c);
    enum error_code code = load_next_id(model->catalog, &c->d.next_id, error);
    c->d.leased_until = c->d.next_id;
    c->d.lease = model->options.id_lease != 0 ? model->options.id_lease : ID_LEASE_STANDARD;
    if (code == ERROR_NONE && threaded && pthread_create(&c->thread, NULL, committer_thread, c) != 0) {
        c->threaded = false;
        code = error_set(error, ERROR_NO_MEMORY, "the committer's thread cannot start");
    }
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
    if (c->threaded) {
        lock_take(&c->lock);
        c->stop = true;
        signal_all(&c->work);
        lock_give(&c->lock);
        pthread_join(c->thread, NULL);
    }
    holds_on_release(c->model->holds, NULL, NULL);
    overlay_free(c->d.overlay);
    catalog_batch_free(c->batch);
    arena_release(&c->d.arena);
    arena_release(&c->d.json_arena);
    buffer_release(&c->d.line_json);
    buffer_release(&c->d.scratch);
    buffer_release(&c->d.inventory_json);
    buffer_release(&c->d.node_storage);
    buffer_release(&c->d.old_node_storage);
    free(c->d.writes);
    free(c->d.touched);
    free(c->bulk_ends);
    signal_release(&c->work);
    signal_release(&c->idle);
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
