/* SPDX-License-Identifier: Apache-2.0 */
/* Batch import: see ingest.h. */
#include "repository/ingest.h"

#include "base/ensure.h"
#include "base/lock.h"
#include "format/digest.h"
#include "repository/repository_private.h"

#include <pthread.h>

#define ARENA_BYTES (256u << 20)

struct run {
    const struct ingest *ingest;
    struct package_request request;
    struct lock lock; /* all below */
    size_t next, count;
    bool stop;
    struct ingest_counts counts;
    struct error error; /* the first of a source that could not be opened */
};

/* One package on its way. */
struct passage {
    struct run *run;
    struct package *package;
    struct arena *arena;
    struct view *view;
    struct text name, key;
    struct ingest_result result;
};

/* ---- one package ---------------------------------------------------------------------------------------------- */

static struct text
key_of(const struct passage *passage)
{
    const struct ingest *ingest = passage->run->ingest;
    struct buffer bytes AV_CLEANUP(buffer_release) = {0};
    unsigned char digest[DIGEST_SIZE_MAX];
    buffer_append_counted(&bytes, TEXT("import"));
    buffer_append_counted(&bytes, ingest->collection.uuid);
    buffer_append_counted(&bytes, ingest->run);
    buffer_append_counted(&bytes, passage->name);
    digest_compute(DIGEST_SHA256, bytes.data, bytes.length, digest);
    buffer_clear(&bytes);
    buffer_append_hex(&bytes, digest, digest_size(DIGEST_SHA256));
    return arena_copy(passage->arena, buffer_text(&bytes));
}

/* Whether an earlier run has made it. What was deleted since is not made again either. */
static enum error_code
look_for_earlier(struct passage *passage, struct error *error)
{
    const struct ingest *ingest = passage->run->ingest;
    struct entity item = {.handle = TEXT(""), .uuid = TEXT("")};
    struct text note;
    enum error_code code = repository_by_request(ingest->repository, passage->view, passage->key, &item, &note, error);
    if (code == ERROR_NONE || code == ERROR_GONE) {
        passage->result.outcome = INGEST_PRESENT;
        passage->result.handle = arena_copy(passage->arena, item.handle);
        passage->result.uuid = arena_copy(passage->arena, item.uuid);
        *error = (struct error){0};
        return ERROR_NONE;
    }
    return code;
}

static enum error_code
stage_and_commit(struct passage *passage, struct new_entity *made, struct error *error)
{
    const struct ingest *ingest = passage->run->ingest;
    struct transaction *transaction;
    const struct deposit deposit = {
        .collection = ingest->collection,
        .package = passage->package,
        .original_name = TEXT(""),
        .original_type = TEXT(""),
        .submitter = ingest->person,
        .mediator = principal_anonymous(),
        .restore = ingest->restore,
        .slug = TEXT(""),
        .request_key = passage->key,
        .request_note = TEXT("import"),
    };
    enum error_code code = transaction_new(repository_model(ingest->repository), &ingest->person, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    code = repository_stage_deposit(ingest->repository, transaction, passage->view, &deposit, passage->arena, made, error);
    if (code == ERROR_NONE)
        code = transaction_commit(transaction, error);
    transaction_free(transaction);
    return code;
}

static enum error_code
make_item(struct passage *passage, struct error *error)
{
    struct new_entity made;
    enum error_code code = look_for_earlier(passage, error);
    if (code != ERROR_NOT_FOUND)
        return code;
    *error = (struct error){0};
    code = stage_and_commit(passage, &made, error);
    if (code != ERROR_NONE)
        return code;
    passage->result.outcome = INGEST_ADDED;
    passage->result.handle = made.handle;
    passage->result.uuid = made.uuid;
    return ERROR_NONE;
}

static void
tell(struct run *run, const struct ingest_result *result)
{
    lock_take(&run->lock);
    run->counts.added += result->outcome == INGEST_ADDED;
    run->counts.present += result->outcome == INGEST_PRESENT;
    run->counts.failed += result->outcome == INGEST_FAILED;
    run->stop |= !run->ingest->done(run->ingest->context, result);
    lock_give(&run->lock);
}

static struct text
title_of(const struct package *package)
{
    const struct field *title = fields_first(&package->fields, "dc", "title", "*");
    return title == NULL ? TEXT("") : title->value;
}

static void
pass(struct run *run, struct package *package, struct text name, struct arena *arena)
{
    struct passage passage = {.run = run, .package = package, .arena = arena, .name = name};
    struct error error = {0};
    const struct ingest *ingest = run->ingest;
    passage.key = key_of(&passage);
    passage.result = (struct ingest_result){.outcome = INGEST_FAILED, .name = name, .handle = TEXT(""), .uuid = TEXT(""),
                                            .title = title_of(package), .report = buffer_text(&package->report)};
    enum error_code code = view_open(repository_model(ingest->repository), &ingest->person, &passage.view, &error);
    if (code == ERROR_NONE)
        code = make_item(&passage, &error);
    view_close(passage.view);
    passage.result.error = code == ERROR_NONE ? NULL : &error;
    if (code != ERROR_NONE)
        passage.result.outcome = INGEST_FAILED;
    tell(run, &passage.result);
}

/* ---- units ---------------------------------------------------------------------------------------------------- */

static void
take_unit(struct run *run, struct units *units, size_t index, struct arena *arena)
{
    struct packages packages = {0};
    struct error error = {0};
    struct text name = units_name(units, index);
    if (units_read(units, index, arena, &packages, &error) != ERROR_NONE) {
        const struct ingest_result result = {.outcome = INGEST_FAILED, .name = name, .handle = TEXT(""), .uuid = TEXT(""),
                                             .title = TEXT(""), .report = TEXT(""), .error = &error};
        tell(run, &result);
        return;
    }
    for (size_t i = 0; i < packages.count && !run->stop; i++)
        pass(run, &packages.items[i], i == 0 ? name : text_from(arena_printf(arena, "%.*s#%zu", TEXT_ARG(name), i + 1)), arena);
    packages_release(&packages);
}

/* False: there are no more. */
static bool
next_unit(struct run *run, size_t *ret_index)
{
    lock_take(&run->lock);
    bool more = !run->stop && run->next < run->count;
    if (more)
        *ret_index = run->next++;
    lock_give(&run->lock);
    return more;
}

static void *
worker(void *context)
{
    struct run *run = context;
    struct units *units = NULL;
    struct error error = {0};
    struct arena arena;
    size_t index;
    if (units_open(&run->request, run->ingest->format, run->ingest->source, run->ingest->whole, &units, &error) != ERROR_NONE) {
        lock_take(&run->lock);
        if (run->error.code == ERROR_NONE)
            run->error = error;
        run->stop = true;
        lock_give(&run->lock);
        return NULL;
    }
    arena_init(&arena, ARENA_BYTES);
    while (next_unit(run, &index)) {
        take_unit(run, units, index, &arena);
        arena_reset(&arena);
    }
    arena_release(&arena);
    units_free(units);
    return NULL;
}

static enum error_code
count_units(struct run *run, struct error *error)
{
    struct units *units;
    enum error_code code = units_open(&run->request, run->ingest->format, run->ingest->source, run->ingest->whole, &units, error);
    if (code != ERROR_NONE)
        return code;
    run->count = units_count(units);
    units_free(units);
    return ERROR_NONE;
}

enum error_code
ingest_run(const struct ingest *ingest, struct ingest_counts *ret_counts, struct error *error)
{
    pthread_t threads[INGEST_THREADS_MAXIMUM];
    struct run run = {.ingest = ingest};
    ensure(ingest->threads > 0 && ingest->threads <= INGEST_THREADS_MAXIMUM);
    run.request = (struct package_request){
        .model = repository_model(ingest->repository),
        .limits = ingest->limits,
        .crosswalks = repository_crosswalks(ingest->repository),
        .asset_store = ingest->asset_store,
    };
    enum error_code code = count_units(&run, error);
    if (code != ERROR_NONE)
        return code;
    lock_init(&run.lock, LOCK_RANK_REQUEST);
    unsigned started = 0;
    unsigned wanted = run.count < ingest->threads ? (unsigned)run.count : ingest->threads;
    while (started < wanted && pthread_create(&threads[started], NULL, worker, &run) == 0)
        started++;
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    lock_release(&run.lock);
    *ret_counts = run.counts;
    if (started == 0 && wanted > 0)
        return error_set(error, ERROR_NO_MEMORY, "no thread for an import");
    if (run.error.code == ERROR_NONE)
        return ERROR_NONE;
    *error = run.error;
    return run.error.code;
}
