/* SPDX-License-Identifier: Apache-2.0 */
/* Long transactions: what they hold, who waits, and for how long. On a real store in a temporary folder. */
#include "model/model.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

static struct model *model;
static char folder[] = "/tmp/archivolt-hold-XXXXXX";

static struct principal
admin(void)
{
    return principal_local();
}

static struct transaction *
begin(void)
{
    struct principal who = admin();
    struct transaction *t;
    assert_int_equal(transaction_new(model, &who, &t, NULL), ERROR_NONE);
    return t;
}

static enum error_code
title(struct transaction *t, const char *path, const char *value, struct error *error)
{
    struct statement_change change = {STATEMENT_APPEND, {.attribute = TEXT("dc.title"), .value = text_from(value)}};
    enum error_code code =
        transaction_change_statements(t, target_path(text_from(path)), &change, 1, false, NULL, error);
    return code != ERROR_NONE ? code : transaction_commit(t, error);
}

static void
make(const char *path)
{
    struct container_options options = {.make_parents = true, .exist_ok = true};
    struct transaction *t = begin();
    assert_int_equal(transaction_make_container(t, target_path(text_from(path)), &options, NULL), ERROR_NONE);
    assert_int_equal(transaction_commit(t, NULL), ERROR_NONE);
    transaction_free(t);
}

static int
set_up(void **state)
{
    struct model_options options = {.folder = folder, .limits = model_limits_default()};
    char token[TOKEN_TEXT_BYTES];
    options.limits.lock_wait_ms = 400;
    options.limits.transaction_idle_ms = 1500;
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

static void
a_short_transaction_waits_and_is_told_when_its_time_is_over(void **state)
{
    struct error error = {0};
    make("/held");
    struct transaction *keeper = begin(), *other = begin();
    assert_int_equal(transaction_hold(keeper, target_path(TEXT("/held")), NULL), ERROR_NONE);
    assert_int_equal(title(other, "/held", "other", &error), ERROR_TIMEOUT);
    assert_non_null(strstr(error.message, "lock_wait_ms"));
    assert_int_equal(title(keeper, "/held", "keeper", NULL), ERROR_NONE);
    transaction_free(keeper);
    transaction_free(other);
}

static void *
release_soon(void *context)
{
    usleep(150000);
    transaction_free(context);
    return NULL;
}

static void
a_short_transaction_goes_on_as_soon_as_the_hold_ends(void **state)
{
    pthread_t thread;
    make("/freed");
    struct transaction *keeper = begin(), *other = begin();
    assert_int_equal(transaction_hold(keeper, target_path(TEXT("/freed")), NULL), ERROR_NONE);
    assert_int_equal(pthread_create(&thread, NULL, release_soon, keeper), 0);
    assert_int_equal(title(other, "/freed", "other", NULL), ERROR_NONE);
    pthread_join(thread, NULL);
    transaction_free(other);
}

static void
others_work_beside_it_and_below_it(void **state)
{
    make("/busy");
    make("/idle");
    struct transaction *keeper = begin(), *other = begin();
    assert_int_equal(transaction_hold(keeper, target_path(TEXT("/busy")), NULL), ERROR_NONE);
    assert_int_equal(title(other, "/idle", "other", NULL), ERROR_NONE);
    make("/busy/child"); /* a parent is not held for its children */
    transaction_free(keeper);
    transaction_free(other);
}

static void
an_idle_owner_loses_what_it_holds(void **state)
{
    struct error error = {0};
    make("/lost");
    struct transaction *keeper = begin(), *other = begin();
    assert_int_equal(transaction_hold(keeper, target_path(TEXT("/lost")), NULL), ERROR_NONE);
    usleep(1600000);
    assert_int_equal(title(other, "/lost", "other", NULL), ERROR_NONE);
    assert_int_equal(title(keeper, "/lost", "keeper", &error), ERROR_TIMEOUT);
    assert_non_null(strstr(error.message, "transaction_idle_ms"));
    transaction_free(keeper);
    transaction_free(other);
}

static void
two_long_ones_wait_for_each_other_a_bounded_time(void **state)
{
    make("/twice");
    struct transaction *first = begin(), *second = begin();
    assert_int_equal(transaction_hold(first, target_path(TEXT("/twice")), NULL), ERROR_NONE);
    assert_int_equal(transaction_hold(first, target_path(TEXT("/twice")), NULL), ERROR_NONE);
    assert_int_equal(transaction_hold(second, target_path(TEXT("/twice")), NULL), ERROR_TIMEOUT);
    transaction_free(first);
    assert_int_equal(transaction_hold(second, target_path(TEXT("/twice")), NULL), ERROR_NONE);
    transaction_free(second);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_transaction_waits_and_is_told_when_its_time_is_over),
        cmocka_unit_test(a_short_transaction_goes_on_as_soon_as_the_hold_ends),
        cmocka_unit_test(others_work_beside_it_and_below_it),
        cmocka_unit_test(an_idle_owner_loses_what_it_holds),
        cmocka_unit_test(two_long_ones_wait_for_each_other_a_bounded_time),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
