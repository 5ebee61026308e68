/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole model without threads on simulated devices and a catalog in memory: commits run in the caller, the follower by
 * steps. Life: store_new() - transactions, views, store_restart() - store_free().
 */
#ifndef ARCHIVOLT_TESTS_MODEL_FIXTURE_H
#define ARCHIVOLT_TESTS_MODEL_FIXTURE_H

#include "unit.h"

#include "base/ensure.h"
#include "io/device.h"
#include "model/maintenance.h"
#include "model/private.h"

/* The call succeeds; else what it says is shown. */
#define must(call, error)                                                                          \
    do {                                                                                           \
        if ((call) != ERROR_NONE)                                                                  \
            fail_msg("%s: %s", #call, (error)->message);                                           \
    } while (0)

#define FIXTURE_START_US INT64_C(1796083200000000)

struct store_fixture {
    struct device *volumes, *lost_and_found;
    struct catalog *catalog;
    struct clock_simulated clock;
    struct random_simulated random;
    struct model *model;
    char token[TOKEN_TEXT_BYTES];
};

static inline struct model_parts
store_parts(struct store_fixture *s)
{
    return (struct model_parts){s->volumes, s->lost_and_found, s->catalog, &s->clock.clock, &s->random.source};
}

static inline struct model_options
store_options_plain(void)
{
    return (struct model_options){.folder = "simulated", .limits = model_limits_default(), .accept_clock = true};
}

static inline void
store_open_again(struct store_fixture *s)
{
    struct model_options options = store_options_plain();
    struct model_parts parts = store_parts(s);
    struct error error = {0};
    must(model_open_parts(&options, &parts, &s->model, &error), &error);
}

static inline struct store_fixture *
store_new(void)
{
    struct store_fixture *s = calloc(1, sizeof *s);
    struct device_simulated_options none = {.seed = 1};
    struct model_options options = store_options_plain();
    struct error error = {0};
    ensure(s != NULL);
    s->volumes = device_simulated_new(&none);
    s->lost_and_found = device_simulated_new(&none);
    s->catalog = catalog_memory_new();
    clock_simulated_init(&s->clock, FIXTURE_START_US, 1000);
    random_simulated_init(&s->random, 7);
    struct model_parts parts = store_parts(s);
    must(model_create_parts(&options, &parts, s->token, &error), &error);
    store_open_again(s);
    return s;
}

static inline void
store_restart(struct store_fixture *s)
{
    model_close(s->model);
    store_open_again(s);
}

/* The catalog is lost and made anew from the volumes. */
static inline void
store_replay(struct store_fixture *s)
{
    model_close(s->model);
    catalog_close(s->catalog);
    s->catalog = catalog_memory_new();
    store_open_again(s);
}

static inline void
store_free(struct store_fixture *s)
{
    model_close(s->model);
    catalog_close(s->catalog);
    device_free(s->volumes);
    device_free(s->lost_and_found);
    free(s);
}

/* Lets the follower do all there is. */
static inline void
store_settle(struct store_fixture *s)
{
    bool more = true;
    struct error error = {0};
    while (more)
        must(follower_step(s->model, &more, &error), &error);
}

static inline struct transaction *
store_begin(struct store_fixture *s, const struct principal *principal)
{
    struct principal local = principal_local();
    struct transaction *transaction;
    struct error error = {0};
    must(transaction_new(s->model, principal == NULL ? &local : principal, &transaction, &error), &error);
    return transaction;
}

/* Commits and frees; the code is what came of it. */
static inline enum error_code
store_commit(struct transaction *transaction, uint64_t *ret_id /* of the first operation, or NULL */)
{
    struct error error = {0};
    enum error_code code = transaction_commit(transaction, &error);
    if (code == ERROR_NONE && ret_id != NULL)
        *ret_id = transaction_result(transaction, 0)->id;
    transaction_free(transaction);
    return code;
}

static inline uint64_t
store_make(struct store_fixture *s, const char *path, const struct container_options *options)
{
    struct transaction *transaction = store_begin(s, NULL);
    struct error error = {0};
    uint64_t id = 0;
    must(transaction_make_container(transaction, target_path(text_from(path)), options, &error), &error);
    assert_int_equal(store_commit(transaction, &id), ERROR_NONE);
    return id;
}

static inline void
stage_file(struct store_fixture *s, struct transaction *transaction, const char *path, const char *content)
{
    struct upload *upload;
    struct file_options options = {.make_parents = true};
    struct error error = {0};
    must(upload_begin(s->model, 0, &upload, &error), &error);
    must(upload_write(upload, content, strlen(content), &error), &error);
    must(upload_finish(upload, &error), &error);
    must(transaction_put_file(transaction, target_path(text_from(path)), &upload, &options, &error), &error);
}

static inline uint64_t
store_put(struct store_fixture *s, const char *path, const char *content)
{
    struct transaction *transaction = store_begin(s, NULL);
    uint64_t id = 0;
    stage_file(s, transaction, path, content);
    assert_int_equal(store_commit(transaction, &id), ERROR_NONE);
    return id;
}

static inline struct view *
store_view(struct store_fixture *s)
{
    struct principal local = principal_local();
    struct view *view;
    struct error error = {0};
    must(view_open(s->model, &local, &view, &error), &error);
    return view;
}

#endif
