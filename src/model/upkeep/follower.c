/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The follower: spreads what happened to a container over everything below it, at its own pace.
 *
 * Each entry of the work family is one operation on a container (or the deletion of a file). A step takes the
 * oldest, walks on from where it stopped (depth first, by names), and journals one bounded batch: an `affected`
 * line with the ids, and after a deletion the tombstone versions of those that have objects. The cursor is in that
 * line, so a restart or a rebuild goes on where the last durable batch ended. Memory does not grow with the
 * subtree: the walk finds the next resource from the last one alone.
 *
 * When there is nothing to spread, volumes that were sealed since get their SHA-256 journalled.
 */
#include "base/ensure.h"
#include "model/record/keys.h"
#include "model/private.h"
#include "volume/store.h"

#define BATCH_RESOURCES 500u
#define RETRY_MS 1000u
#define SETTLE_MS 120000u
#define SEAL_BYTES_PER_SECOND UINT64_C(500000000)

struct follower {
    struct model *model;
    struct lock lock;
    struct signal signal;
    pthread_t thread;
    struct signal settled; /* it went to sleep with nothing left to do */
    bool woken, stop, running, idle;
};

struct work {
    uint64_t sequence;
    uint32_t index;
    enum operation operation;
    uint64_t id, after;
};

/* ---- the oldest work ------------------------------------------------------------------------------ */

static enum error_code
work_decode(struct text key, struct text value, struct work *ret, struct error *error)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    ret->sequence = key_read_number(key, 1);
    ret->index = key_read_number32(key, 9);
    ret->operation = (enum operation)cursor_varint(&cursor);
    ret->id = cursor_varint(&cursor);
    ret->after = cursor_varint(&cursor);
    return record_end(&cursor, "work", error);
}

static enum error_code
open_work(struct model *model, struct catalog_scan **ret_scan, struct error *error)
{
    struct lookup lookup = {.catalog = model->catalog};
    struct key family;
    key_begin(&family, FAMILY_WORK);
    return lookup_scan(&lookup, &family, ret_scan, error);
}

/* Intents of purges are not spread: purge.c ends them. NOT_FOUND when there is nothing to do. */
static enum error_code
oldest_work(struct model *model, struct work *ret, struct error *error)
{
    struct catalog_scan *scan;
    struct text key, value;
    bool found = false;
    enum error_code code = open_work(model, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (!found && code == ERROR_NONE && catalog_scan_next(scan, &key, &value)) {
        code = work_decode(key, value, ret, error);
        found = ret->operation != OPERATION_PURGE;
    }
    enum error_code closed = catalog_scan_close(scan, code == ERROR_NONE ? error : NULL);
    if (code == ERROR_NONE)
        code = closed;
    return code == ERROR_NONE && !found ? ERROR_NOT_FOUND : code;
}

/* ---- walking -------------------------------------------------------------------------------------- */

/* The first child of `parent` whose name comes after `after`; 0 when there is none. */
static enum error_code
child_after(const struct lookup *lookup, uint64_t parent, struct text after, uint64_t *ret_id, struct error *error)
{
    struct key from, to, prefix;
    struct catalog_scan *scan;
    struct text key, value;
    enum error_code code;
    *ret_id = 0;
    key_child(&from, parent, after);
    if (after.length > 0)
        key_byte(&from, 0); /* no name holds a NUL: the first key beyond `after` */
    key_child(&prefix, parent, TEXT(""));
    ensure(key_after(&prefix, &to));
    struct catalog_scan_range range = {key_text(&from), key_text(&to), false};
    code = catalog_scan_open(lookup->catalog, lookup->snapshot, &range, &scan, error);
    if (code != ERROR_NONE)
        return code;
    if (catalog_scan_next(scan, &key, &value)) {
        struct child_record child;
        code = child_decode(value, &child, error);
        if (code == ERROR_NONE)
            *ret_id = child.id;
    }
    enum error_code closed = catalog_scan_close(scan, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}

/* The next resource below `root` after `current`, depth first; 0 at the end. A `current` that has left the
 * subtree meanwhile starts the walk again: telling twice is harmless, leaving out is not. */
static enum error_code
next_below(const struct lookup *lookup, uint64_t root, uint64_t current, struct buffer *storage, uint64_t *ret_next,
           struct error *error)
{
    enum error_code code = child_after(lookup, current, TEXT(""), ret_next, error);
    while (code == ERROR_NONE && *ret_next == 0 && current != root) {
        struct node node;
        code = lookup_node(lookup, current, storage, &node, error);
        if (code == ERROR_NOT_FOUND || (code == ERROR_NONE && current == ROOT_ID))
            return child_after(lookup, root, TEXT(""), ret_next, error);
        if (code == ERROR_NONE)
            code = child_after(lookup, node.parent, node.name, ret_next, error);
        current = node.parent;
    }
    return code;
}

static enum error_code
gather(const struct lookup *lookup, const struct work *work, uint64_t *ids, size_t *ret_count, uint64_t *ret_last,
       bool *ret_done, struct error *error)
{
    struct buffer storage = {0};
    uint64_t current = work->after != 0 ? work->after : work->id;
    size_t count = 0;
    enum error_code code = ERROR_NONE;
    *ret_done = false;
    while (count < BATCH_RESOURCES && code == ERROR_NONE && !*ret_done) {
        uint64_t next;
        code = next_below(lookup, work->id, current, &storage, &next, error);
        if (code != ERROR_NONE)
            break;
        *ret_done = next == 0;
        if (next != 0)
            ids[count++] = current = next;
    }
    buffer_release(&storage);
    *ret_count = count;
    *ret_last = current;
    return code;
}

/* ---- steps ---------------------------------------------------------------------------------------- */

static enum error_code
spread(struct model *model, const struct work *work, struct error *error)
{
    struct lookup lookup = {.catalog = model->catalog};
    uint64_t ids[BATCH_RESOURCES + 1];
    uint64_t cause[2] = {work->sequence, work->index};
    size_t count;
    uint64_t last;
    bool done;
    enum error_code code = catalog_snapshot_take(model->catalog, &lookup.snapshot, error);
    if (code != ERROR_NONE)
        return code;
    code = gather(&lookup, work, ids, &count, &last, &done, error);
    catalog_snapshot_release(model->catalog, lookup.snapshot);
    if (code != ERROR_NONE)
        return code;
    struct line line = {.operation = OPERATION_AFFECTED,
                        .id = work->id,
                        .value = work->operation,
                        .cause = {cause, 1, 2},
                        .ids = {ids, count},
                        .after = last,
                        .done = done};
    if (work->operation != OPERATION_DELETE)
        return committer_journal(model, &line, 1, true, NULL, NULL, error);
    uint64_t objects[BATCH_RESOURCES + 1];
    size_t object_count = 0;
    if (work->after == 0)
        objects[object_count++] = work->id; /* the deleted one itself comes first */
    memcpy(objects + object_count, ids, count * sizeof *ids);
    struct id_list list = {objects, object_count + count};
    return committer_tombstones(model, &list, &line, error);
}

struct sealed_search {
    struct model *model;
    struct volume_facts found;
    bool any;
};

static bool
is_not_journalled(void *context, const struct volume_facts *facts)
{
    struct sealed_search *search = context;
    struct buffer value = {0};
    struct volume_record record = {0};
    struct key key;
    if (!facts->sealed)
        return true;
    key_of(&key, FAMILY_VOLUME, facts->number);
    if (catalog_get(search->model->catalog, NULL, key_text(&key), &value, NULL) == ERROR_NONE)
        (void)!volume_decode(buffer_text(&value), &record, NULL);
    if (record.sealed_bytes == 0) {
        search->found = *facts;
        search->any = true;
    }
    buffer_release(&value);
    return !search->any;
}

/* NOT_FOUND when every sealed volume's digest is in the journal. */
static enum error_code
journal_sealed(struct model *model, struct error *error)
{
    struct sealed_search search = {.model = model};
    unsigned char digest[32];
    store_volumes(model->store, is_not_journalled, &search);
    if (!search.any)
        return ERROR_NOT_FOUND;
    enum error_code code =
        store_volume_sha256(model->store, search.found.number, SEAL_BYTES_PER_SECOND, digest, error);
    if (code != ERROR_NONE)
        return code;
    struct line line = {.operation = OPERATION_SEALED,
                        .volume = search.found.number,
                        .bulk = search.found.bulk,
                        .generation = search.found.generation,
                        .size_bytes = search.found.size_bytes,
                        .sha256 = {(const char *)digest, sizeof digest}};
    return committer_journal(model, &line, 1, true, NULL, NULL, error);
}

enum error_code
follower_step(struct model *model, bool *ret_more, struct error *error)
{
    struct work work;
    enum error_code code = oldest_work(model, &work, error);
    if (code == ERROR_NONE)
        code = spread(model, &work, error);
    else if (code == ERROR_NOT_FOUND)
        code = journal_sealed(model, error);
    *ret_more = code == ERROR_NONE;
    return error_forgive(error, code, ERROR_NOT_FOUND);
}

/* ---- the thread ----------------------------------------------------------------------------------- */

/* False when it is to stop. */
static bool
sleep_until_woken(struct follower *f, bool failed)
{
    lock_take(&f->lock);
    f->idle = !failed && !f->woken;
    if (f->idle)
        signal_all(&f->settled);
    if (failed && !f->stop)
        signal_wait_for_locked(&f->signal, &f->lock, RETRY_MS);
    while (!failed && !f->woken && !f->stop)
        signal_wait_locked(&f->signal, &f->lock);
    f->woken = f->idle = false;
    bool go_on = !f->stop;
    lock_give(&f->lock);
    return go_on;
}

static bool
must_stop(struct follower *f)
{
    lock_take(&f->lock);
    bool stop = f->stop;
    lock_give(&f->lock);
    return stop;
}

static void *
follower_thread(void *context)
{
    struct follower *f = context;
    bool failed = false, more = true;
    do {
        struct error error = {0};
        do {
            failed = follower_step(f->model, &more, &error) != ERROR_NONE;
        } while (!failed && more && !must_stop(f));
    } while (sleep_until_woken(f, failed));
    return NULL;
}

enum error_code
follower_new(struct model *model, struct follower **ret_follower, struct error *error)
{
    struct follower *f = calloc(1, sizeof *f);
    if (f == NULL)
        return error_set(error, ERROR_NO_MEMORY, "out of memory");
    f->model = model;
    lock_init(&f->lock, LOCK_RANK_LEAF);
    signal_init(&f->signal);
    signal_init(&f->settled);
    if (pthread_create(&f->thread, NULL, follower_thread, f) != 0) {
        follower_free(f);
        return error_set(error, ERROR_NO_MEMORY, "the follower's thread cannot start");
    }
    f->running = true;
    *ret_follower = f;
    return ERROR_NONE;
}

void
follower_free(struct follower *f)
{
    if (f == NULL)
        return;
    if (f->running) {
        lock_take(&f->lock);
        f->stop = true;
        signal_all(&f->signal);
        lock_give(&f->lock);
        pthread_join(f->thread, NULL);
    }
    signal_release(&f->signal);
    signal_release(&f->settled);
    lock_release(&f->lock);
    free(f);
}

void
follower_wake(struct follower *f)
{
    lock_take(&f->lock);
    f->woken = true;
    signal_one(&f->signal);
    lock_give(&f->lock);
}

enum error_code
follower_settle(struct model *model, struct error *error)
{
    struct follower *f = model->follower;
    bool more = model->committer != NULL && f == NULL, idle = true;
    enum error_code code = ERROR_NONE;
    while (more && code == ERROR_NONE)
        code = follower_step(model, &more, error);
    if (f == NULL)
        return code;
    follower_wake(f);
    lock_take(&f->lock);
    while ((f->woken || !f->idle) && idle && !f->stop)
        idle = signal_wait_for_locked(&f->settled, &f->lock, SETTLE_MS);
    lock_give(&f->lock);
    return idle ? ERROR_NONE : error_set(error, ERROR_TIMEOUT, "followers have not caught up in %u s", SETTLE_MS / 1000);
}

#define PENDING_COUNTED_MAXIMUM 10000u

void
follower_health(struct follower *f, struct model_health *ret_health)
{
    struct catalog_scan *scan;
    struct text key, value;
    uint64_t pending = 0;
    ret_health->follower_sequence = ret_health->sequence;
    if (open_work(f->model, &scan, NULL) != ERROR_NONE)
        return;
    while (pending < PENDING_COUNTED_MAXIMUM && catalog_scan_next(scan, &key, &value))
        if (pending++ == 0)
            ret_health->follower_sequence = key_read_number(key, 1) - 1;
    (void)!catalog_scan_close(scan, NULL);
    ret_health->follower_pending = pending;
}
