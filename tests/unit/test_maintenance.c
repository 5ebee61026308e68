/* SPDX-License-Identifier: Apache-2.0 */
/* What administrators do to a whole store, as seen by who listens. On a real store in a temporary folder. */
#include "model/maintenance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

static struct model *model;
static char folder[] = "/tmp/archivolt-maintenance-XXXXXX";

static int
set_up(void **state)
{
    struct model_options options = {.folder = folder, .limits = model_limits_default()};
    char token[TOKEN_TEXT_BYTES];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(model_create(&options, token, NULL), ERROR_NONE);
    assert_int_equal(model_open(&options, &model, NULL), ERROR_NONE);
    return 0;
}

static int
tear_down(void **state)
{
    char command[128];
    model_close(model);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

struct listener {
    size_t heard, leaves_after;
};

static bool
hear(void *context, struct text json)
{
    struct listener *listener = context;
    return ++listener->heard != listener->leaves_after;
}

static void
dump_stops_when_nobody_listens(void **state)
{
    struct listener whole = {0}, leaving = {.leaves_after = 2};
    assert_int_equal(model_dump(model, hear, &whole, NULL), ERROR_NONE);
    assert_true(whole.heard > 3);
    assert_int_equal(model_dump(model, hear, &leaving, NULL), ERROR_CLOSED);
    assert_int_equal(leaving.heard, 2);
}

static void
journal_stops_when_nobody_listens(void **state)
{
    struct listener whole = {0};
    assert_int_equal(model_journal(model, 0, true, TEXT(""), hear, &whole, NULL), ERROR_NONE);
    assert_true(whole.heard > 3);
    for (size_t after = 1; after <= whole.heard; after++) {
        struct listener leaving = {.leaves_after = after};
        assert_int_equal(model_journal(model, 0, true, TEXT(""), hear, &leaving, NULL), ERROR_CLOSED);
        assert_int_equal(leaving.heard, after);
    }
}

static uint64_t
id_of_new_container(struct text path)
{
    struct container_options options = {.make_parents = true};
    struct principal who = principal_local();
    struct transaction *t;
    assert_int_equal(transaction_new(model, &who, &t, NULL), ERROR_NONE);
    assert_int_equal(transaction_make_container(t, target_path(path), &options, NULL), ERROR_NONE);
    assert_int_equal(transaction_commit(t, NULL), ERROR_NONE);
    uint64_t id = transaction_result(t, 0)->id;
    transaction_free(t);
    return id;
}

static void
reopen(unsigned id_lease)
{
    struct model_options options = {.folder = folder, .limits = model_limits_default(), .id_lease = id_lease};
    model_close(model);
    assert_int_equal(model_open(&options, &model, NULL), ERROR_NONE);
}

static void
a_small_lease_loses_few_ids(void **state)
{
    reopen(7);
    uint64_t first = id_of_new_container(TEXT("/first"));
    reopen(7);
    assert_int_equal(id_of_new_container(TEXT("/second")), first + 7);
    for (unsigned i = 0; i < 20; i++) { /* several leases of one run follow each other without a gap */
        char path[16];
        snprintf(path, sizeof path, "/more-%u", i);
        assert_int_equal(id_of_new_container(text_from(path)), first + 8 + i);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dump_stops_when_nobody_listens),
        cmocka_unit_test(journal_stops_when_nobody_listens),
        cmocka_unit_test(a_small_lease_loses_few_ids),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
