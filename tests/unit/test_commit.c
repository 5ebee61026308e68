/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that are laid out while the one before them is being written: what each sees, who is told what and when, and what
 * comes of both when the first fails. Without threads, the second always laid out before the first is written. */
#include "model_fixture.h"

#include <errno.h>

#define SUBMITTED_MAXIMUM 8

/* Operations and what was said of each, in the order in which it was said. */
struct told {
    char names[SUBMITTED_MAXIMUM + 1];
    enum error_code codes[SUBMITTED_MAXIMUM];
    int64_t times_us[SUBMITTED_MAXIMUM];
    size_t count;
};

struct submitted {
    struct told *told;
    char name;
};

static void
tell(void *context, struct transaction *transaction)
{
    struct submitted *submitted = context;
    struct told *told = submitted->told;
    struct error error = {0};
    assert_true(told->count < SUBMITTED_MAXIMUM);
    told->names[told->count] = submitted->name;
    told->codes[told->count] = transaction_outcome(transaction, &error);
    if (told->codes[told->count] == ERROR_NONE)
        told->times_us[told->count] = transaction_result(transaction, 0)->time_us;
    told->count++;
    transaction_free(transaction);
    free(submitted);
}

static void
submit(struct told *told, char name, struct transaction *transaction)
{
    struct error error = {0};
    struct submitted *submitted = malloc(sizeof *submitted);
    ensure(submitted != NULL);
    *submitted = (struct submitted){told, name};
    must(transaction_submit(transaction, tell, submitted, &error), &error);
}

static void
submit_file(struct store_fixture *s, struct told *told, char name, const char *path, const char *content)
{
    struct transaction *transaction = store_begin(s, NULL);
    stage_file(s, transaction, path, content);
    submit(told, name, transaction);
}

static void
submit_new_container(struct store_fixture *s, struct told *told, char name, const char *path)
{
    struct container_options options = {0};
    struct transaction *transaction = store_begin(s, NULL);
    struct error error = {0};
    must(transaction_make_container(transaction, target_path(text_from(path)), &options, &error), &error);
    submit(told, name, transaction);
}

static struct store_fixture *
overlapping(void)
{
    struct store_fixture *s = store_new();
    committer_overlap(s->model->committer);
    return s;
}

static enum error_code
look(struct store_fixture *s, const char *path, struct resource *ret_resource)
{
    struct view *view = store_view(s);
    struct error error = {0};
    enum error_code code = view_resolve(view, text_from(path), ret_resource, &error);
    view_close(view);
    return code;
}

static bool
note_fault(void *context, struct text line)
{
    fail_msg("fsck: %.*s", TEXT_ARG(line));
    return true;
}

static void
assert_sound(struct store_fixture *s)
{
    struct error error = {0};
    uint64_t faults = 0;
    must(model_fsck(s->model, NULL, note_fault, NULL, &faults, &error), &error);
    assert_int_equal(faults, 0);
}

static void
nothing_is_told_or_shown_before_it_is_on_disk(void **state)
{
    struct store_fixture *s = overlapping();
    struct told told = {.count = 0};
    struct resource resource;
    (void)state;
    submit_file(s, &told, 'a', "/a", "first");
    assert_int_equal(told.count, 0);
    assert_int_equal(look(s, "/a", &resource), ERROR_NOT_FOUND);
    submit_file(s, &told, 'b', "/b", "second");
    assert_string_equal(told.names, "a");
    assert_int_equal(look(s, "/a", &resource), ERROR_NONE);
    assert_int_equal(look(s, "/b", &resource), ERROR_NOT_FOUND);
    committer_drain(s->model->committer);
    assert_string_equal(told.names, "ab");
    assert_int_equal(look(s, "/b", &resource), ERROR_NONE);
    store_free(s);
}

static void
an_object_is_versioned_on_what_is_not_in_the_volume_yet(void **state)
{
    static const char *const contents[] = {"one", "another", "a third", "number four"};
    struct store_fixture *s = overlapping();
    struct told told = {.count = 0};
    struct resource resource;
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        submit_file(s, &told, (char)('a' + i), "/file", contents[i]);
    committer_drain(s->model->committer);
    assert_string_equal(told.names, "abcd");
    for (size_t i = 0; i < told.count; i++)
        assert_int_equal(told.codes[i], ERROR_NONE);
    assert_int_equal(look(s, "/file", &resource), ERROR_NONE);
    assert_int_equal(resource.version, 4);
    assert_int_equal(resource.size_bytes, strlen(contents[3]));
    assert_sound(s);
    store_replay(s);
    assert_int_equal(look(s, "/file", &resource), ERROR_NONE);
    assert_int_equal(resource.version, 4);
    assert_sound(s);
    store_free(s);
}

static void
what_is_refused_for_a_group_under_way_is_told_after_it(void **state)
{
    struct store_fixture *s = overlapping();
    struct told told = {.count = 0};
    (void)state;
    submit_new_container(s, &told, 'a', "/same");
    submit_new_container(s, &told, 'b', "/same");
    assert_string_equal(told.names, "ab");
    assert_int_equal(told.codes[0], ERROR_NONE);
    assert_int_equal(told.codes[1], ERROR_EXISTS);
    store_free(s);
}

static void
a_sync_that_fails_takes_what_was_laid_out_on_it_along(void **state)
{
    struct store_fixture *s = overlapping();
    struct told told = {.count = 0};
    struct resource resource;
    struct device_simulated_options faults = {.seed = 1, .fail_sync = 1, .fail_errno = EIO};
    (void)state;
    submit_new_container(s, &told, 'a', "/same");
    device_simulated_set(s->volumes, &faults);
    submit_new_container(s, &told, 'b', "/same"); /* would be refused, if the first were there */
    submit_new_container(s, &told, 'c', "/other");
    assert_string_equal(told.names, "abc");
    assert_int_equal(told.codes[0], ERROR_IO);
    assert_int_equal(told.codes[1], ERROR_IO);
    assert_int_equal(told.codes[2], ERROR_CLOSED);
    assert_int_equal(look(s, "/same", &resource), ERROR_NOT_FOUND);
    store_free(s);
}

/* Two files that need more than the megabyte that a group needs to begin. */
static void
submit_large(struct store_fixture *s, struct told *told, char name)
{
    enum { LENGTH = 900000 };
    char *content = malloc(LENGTH + 1);
    struct transaction *transaction = store_begin(s, NULL);
    ensure(content != NULL);
    memset(content, 'x', LENGTH);
    content[LENGTH] = '\0';
    stage_file(s, transaction, "/large/1", content);
    content[0] = 'y';
    stage_file(s, transaction, "/large/2", content);
    submit(told, name, transaction);
    free(content);
}

static uint64_t
used_bytes(struct store_fixture *s)
{
    enum { ROOM = 1 << 30 };
    struct device_simulated_options roomy = {.seed = 1, .capacity_bytes = ROOM};
    struct device_space space;
    struct error error = {0};
    device_simulated_set(s->volumes, &roomy);
    must(s->volumes->operations->space(s->volumes, &space, &error), &error);
    return ROOM - space.free_bytes;
}

static void
a_group_that_did_not_fit_leaves_no_trace_and_the_next_goes_on(void **state)
{
    struct store_fixture *s = overlapping();
    struct told told = {.count = 0};
    struct resource resource;
    (void)state;
    uint64_t reserve = UINT64_C(16) << 20;
    struct device_simulated_options small = {.seed = 1, .capacity_bytes = used_bytes(s) + reserve + 1300000};
    device_simulated_set(s->volumes, &small);
    submit_large(s, &told, 'a');
    submit_file(s, &told, 'b', "/large/3", "laid out on the first");
    submit_file(s, &told, 'c', "/c", "after both");
    committer_drain(s->model->committer);
    assert_string_equal(told.names, "abc");
    assert_int_equal(told.codes[0], ERROR_FULL);
    assert_int_equal(told.codes[1], ERROR_FULL);
    assert_int_equal(told.codes[2], ERROR_NONE);
    assert_int_equal(look(s, "/large", &resource), ERROR_NOT_FOUND);
    assert_int_equal(look(s, "/c", &resource), ERROR_NONE);
    assert_sound(s);
    store_replay(s);
    assert_int_equal(look(s, "/large", &resource), ERROR_NOT_FOUND);
    assert_int_equal(look(s, "/c", &resource), ERROR_NONE);
    store_free(s);
}

static void
the_bound_of_lists_is_the_last_group_that_can_be_read(void **state)
{
    struct store_fixture *s = overlapping();
    struct told told = {.count = 0};
    (void)state;
    submit_new_container(s, &told, 'a', "/a");
    int64_t before_first = model_settled_us(s->model);
    submit_new_container(s, &told, 'b', "/b");
    int64_t before_second = model_settled_us(s->model);
    committer_drain(s->model->committer);
    assert_true(before_first < told.times_us[0]);
    assert_true(before_second >= told.times_us[0]);
    assert_true(before_second < told.times_us[1]);
    assert_true(model_settled_us(s->model) >= told.times_us[1]);
    store_free(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_told_or_shown_before_it_is_on_disk),
        cmocka_unit_test(an_object_is_versioned_on_what_is_not_in_the_volume_yet),
        cmocka_unit_test(what_is_refused_for_a_group_under_way_is_told_after_it),
        cmocka_unit_test(a_sync_that_fails_takes_what_was_laid_out_on_it_along),
        cmocka_unit_test(a_group_that_did_not_fit_leaves_no_trace_and_the_next_goes_on),
        cmocka_unit_test(the_bound_of_lists_is_the_last_group_that_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
