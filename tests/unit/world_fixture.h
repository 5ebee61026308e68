/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole model on simulated devices and a catalog in memory, without threads.
 * Life: world_init() - put(), transactions, views - world_release().
 */
#ifndef ARCHIVOLT_TESTS_WORLD_FIXTURE_H
#define ARCHIVOLT_TESTS_WORLD_FIXTURE_H

#include "base/ensure.h"
#include "io/device.h"
#include "model/private.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct world {
    struct device *volumes, *lost;
    struct catalog *catalog;
    struct clock_simulated clock;
    struct random_simulated random;
    struct model *model;
};

static inline struct model_options
options_of_world(void)
{
    return (struct model_options){.folder = "/nowhere", .limits = model_limits_default(),
                                  .small_content_bytes = 100000};
}

static inline void
world_init(struct world *w)
{
    struct device_simulated_options device = {.seed = 1};
    struct model_options options = options_of_world();
    struct error error = {0};
    char token[TOKEN_TEXT_BYTES];
    clock_simulated_init(&w->clock, INT64_C(1700000000000000), 1000);
    random_simulated_init(&w->random, 5);
    w->volumes = device_simulated_new(&device);
    w->lost = device_simulated_new(&device);
    w->catalog = catalog_memory_new();
    struct model_parts parts = {w->volumes, w->lost, w->catalog, &w->clock.clock, &w->random.source};
    assert_int_equal(model_create_parts(&options, &parts, token, &error), ERROR_NONE);
    assert_int_equal(model_open_parts(&options, &parts, &w->model, &error), ERROR_NONE);
}

static inline void
world_release(struct world *w)
{
    model_close(w->model);
    catalog_close(w->catalog);
    device_free(w->volumes);
    device_free(w->lost);
}

static inline unsigned char
byte_at(uint64_t offset, unsigned version)
{
    return (unsigned char)(offset * 31 + offset / 251 + version);
}

static inline enum error_code
commit_and_free(struct transaction *transaction)
{
    struct error error = {0};
    enum error_code code = transaction_commit(transaction, &error);
    transaction_free(transaction);
    return code;
}

static inline void
put(struct world *w, const char *path, size_t length, unsigned version)
{
    struct principal local = principal_local();
    struct transaction *transaction = NULL;
    struct upload *upload = NULL;
    struct error error = {0};
    struct file_options options = {.source_mtime_us = INT64_MIN, .make_parents = true};
    unsigned char *bytes = malloc(length + 1);
    ensure(bytes != NULL);
    for (size_t i = 0; i < length; i++)
        bytes[i] = byte_at(i, version);
    assert_int_equal(upload_begin(w->model, 0, &upload, &error), ERROR_NONE);
    assert_int_equal(upload_write(upload, bytes, length, &error), ERROR_NONE);
    assert_int_equal(upload_finish(upload, &error), ERROR_NONE);
    assert_int_equal(transaction_new(w->model, &local, &transaction, &error), ERROR_NONE);
    assert_int_equal(transaction_put_file(transaction, target_path(text_from(path)), &upload, &options, &error),
                     ERROR_NONE);
    assert_int_equal(commit_and_free(transaction), ERROR_NONE);
    free(bytes);
}

#endif
