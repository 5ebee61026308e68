/* SPDX-License-Identifier: Apache-2.0 */
/* Identifiers, numbers, trusted stages and harvest stamps, on a whole model. */
#include "model_fixture.h"

#include "model/commit/draw.h"

/* ---- numbers ------------------------------------------------------------------------------------------ */

static uint64_t
draw(struct store_fixture *s, const char *counter)
{
    uint64_t number = 0;
    struct error error = {0};
    must(model_draw(s->model, text_from(counter), &number, &error), &error);
    return number;
}

static void
numbers_follow_each_other_and_come_once(void **state)
{
    struct store_fixture *s = store_new();
    for (uint64_t i = 1; i <= 10; i++)
        assert_int_equal(draw(s, "items"), i);
    assert_int_equal(draw(s, "documents"), 1);
    store_restart(s); /* what was not used has been given back */
    assert_int_equal(draw(s, "items"), 11);
    assert_int_equal(draw(s, "items"), 12);
    assert_int_equal(draw(s, "items"), 13);
    /* the process dies with number 14 and perhaps more at hand: nothing is given back */
    draws_free(s->model->draws);
    s->model->draws = draws_new();
    store_restart(s);
    assert_true(draw(s, "items") >= 14);
    store_replay(s);
    assert_true(draw(s, "items") >= 15);
    store_free(s);
}

static void
imported_numbers_are_passed_over(void **state)
{
    struct store_fixture *s = store_new();
    struct error error = {0};
    for (uint64_t i = 1; i <= 4; i++)
        (void)draw(s, "items"); /* 5, 6, 7 are at hand */
    struct transaction *transaction = store_begin(s, NULL);
    must(transaction_raise(transaction, TEXT("items"), 6, &error), &error);
    assert_int_equal(store_commit(transaction, NULL), ERROR_NONE);
    assert_int_equal(draw(s, "items"), 7);
    transaction = store_begin(s, NULL);
    must(transaction_raise(transaction, TEXT("items"), 1000, &error), &error);
    assert_int_equal(store_commit(transaction, NULL), ERROR_NONE);
    assert_int_equal(draw(s, "items"), 1001);
    store_free(s);
}

/* ---- identifiers -------------------------------------------------------------------------------------- */

static enum error_code
name_it(struct store_fixture *s, uint64_t id, const char *scheme, const char *value)
{
    struct transaction *transaction = store_begin(s, NULL);
    struct error error = {0};
    must(transaction_set_identifier(transaction, target_id(id), text_from(scheme), text_from(value), &error), &error);
    return store_commit(transaction, NULL);
}

static uint64_t
identified(struct store_fixture *s, const char *scheme, const char *value)
{
    struct view *view = store_view(s);
    uint64_t id = 0;
    enum error_code code = view_identified(view, text_from(scheme), text_from(value), &id, NULL);
    assert_true(code == ERROR_NONE || code == ERROR_NOT_FOUND);
    view_close(view);
    return id;
}

static bool
go_on(void *context, const char *what, uint64_t done, uint64_t total)
{
    return true;
}

static void
purge(struct store_fixture *s, uint64_t id)
{
    struct principal local = principal_local();
    struct error error = {0};
    must(model_purge(s->model, &local, TEXT(""), id, go_on, NULL, &error), &error);
}

static void
identifiers_are_unique_and_outlive_the_resource(void **state)
{
    struct store_fixture *s = store_new();
    uint64_t a = store_put(s, "/a", "first"), b = store_put(s, "/b", "second");
    struct view *view;
    struct text value;
    assert_int_equal(name_it(s, a, "handle", "123456789/1"), ERROR_NONE);
    assert_int_equal(name_it(s, a, "handle", "123456789/1"), ERROR_NONE);
    assert_int_equal(name_it(s, b, "handle", "123456789/1"), ERROR_EXISTS);
    assert_int_equal(name_it(s, b, "uuid", "123456789/1"), ERROR_NONE);
    assert_int_equal(name_it(s, a, "handle", "123456789/2"), ERROR_NONE);
    view = store_view(s);
    must(view_identifier(view, a, TEXT("handle"), &value, &(struct error){0}), &(struct error){0});
    assert_text(value, TEXT("123456789/2")); /* the newest */
    assert_int_equal(view_identifier(view, b, TEXT("handle"), &value, NULL), ERROR_NOT_FOUND);
    view_close(view);
    purge(s, a);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(identified(s, "handle", "123456789/1"), a);
        assert_int_equal(identified(s, "uuid", "123456789/1"), b);
        assert_int_equal(identified(s, "handle", "123456789/3"), 0);
        assert_int_equal(name_it(s, b, "handle", "123456789/1"), ERROR_EXISTS);
        store_replay(s);
    }
    store_free(s);
}

/* ---- trusted stages ------------------------------------------------------------------------------------- */

static uint64_t
add_person(struct store_fixture *s, const char *name)
{
    struct transaction *transaction = store_begin(s, NULL);
    struct user_change user = {.name = text_from(name), .role = ROLE_DEPOSITOR};
    struct error error = {0};
    uint64_t id = 0;
    must(transaction_add_user(transaction, &user, &error), &error);
    assert_int_equal(store_commit(transaction, &id), ERROR_NONE);
    return id;
}

static void
set_rule(struct store_fixture *s, uint64_t id, const struct rule_entry *entries, size_t count)
{
    struct transaction *transaction = store_begin(s, NULL);
    struct error error = {0};
    must(transaction_set_access(transaction, target_id(id), entries, count, &error), &error);
    assert_int_equal(store_commit(transaction, NULL), ERROR_NONE);
}

static enum error_code
deposit_as(struct store_fixture *s, const struct principal *person, const struct principal *required)
{
    struct transaction *transaction = store_begin(s, person);
    struct error error = {0};
    struct container_options options = {.aggregate = true};
    must(transaction_require(transaction, target_path(TEXT("/in")), required, RIGHT_APPEND, &error), &error);
    transaction_trust(transaction);
    must(transaction_make_container(transaction, target_path(TEXT("/in/item")), &options, &error), &error);
    stage_file(s, transaction, "/in/item/ORIGINAL/a.txt", "content");
    return store_commit(transaction, NULL);
}

static void
a_deposit_needs_its_rule_and_no_more(void **state)
{
    struct store_fixture *s = store_new();
    struct principal anna = {.user = add_person(s, "anna"), .name = TEXT("anna"), .role = ROLE_DEPOSITOR};
    struct principal bob = {.user = add_person(s, "bob"), .name = TEXT("bob"), .role = ROLE_DEPOSITOR};
    struct rule_entry rule[] = {{SUBJECT_ANONYMOUS, 0, RIGHT_DISCOVER}, {SUBJECT_USER, anna.user, RIGHT_APPEND}};
    struct resource resource;
    struct error error = {0};
    set_rule(s, store_make(s, "/in", &(struct container_options){0}), rule, 2);
    assert_int_equal(deposit_as(s, &bob, &bob), ERROR_DENIED);
    assert_int_equal(deposit_as(s, &anna, &bob), ERROR_DENIED);
    assert_int_equal(deposit_as(s, &anna, &anna), ERROR_NONE);
    struct view *view = store_view(s);
    must(view_resolve(view, TEXT("/in/item"), &resource, &error), &error);
    assert_int_equal(resource.owner, anna.user);
    view_close(view);
    store_free(s);
}

/* ---- harvest stamps -------------------------------------------------------------------------------------- */

struct listed {
    char text[512]; /* "id+ id- ": live or deleted, in order */
    struct harvest_stamp last;
};

static bool
list_stamp(void *context, const struct harvest_stamp *stamp)
{
    struct listed *listed = context;
    size_t used = strlen(listed->text);
    snprintf(listed->text + used, sizeof listed->text - used, "%llu%c ", (unsigned long long)stamp->id,
             stamp->live ? '+' : '-');
    listed->last = *stamp;
    return true;
}

static const char *
harvest(struct store_fixture *s, uint64_t set)
{
    static struct listed listed;
    struct harvest_range range = {.set = set, .until_us = INT64_MAX - 1};
    struct view *view = store_view(s);
    struct error error = {0};
    listed = (struct listed){0};
    must(view_harvest(view, &range, list_stamp, &listed, &error), &error);
    view_close(view);
    return listed.text;
}

static const char *
expected(const char *format, ...)
{
    static char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}
#define N(id) (unsigned long long)(id)

static void
make_record(struct store_fixture *s, uint64_t id)
{
    struct transaction *transaction = store_begin(s, NULL);
    struct error error = {0};
    must(transaction_make_record(transaction, target_id(id), &error), &error);
    assert_int_equal(store_commit(transaction, NULL), ERROR_NONE);
}

struct archive {
    struct store_fixture *s;
    uint64_t community, other, collection, second, a, b;
};

static const struct rule_entry for_all[] = {{SUBJECT_ANONYMOUS, 0, RIGHT_DISCOVER | RIGHT_READ}};
static const struct rule_entry for_nobody[] = {{SUBJECT_OWNER, 0, RIGHT_DISCOVER}};

/* Two communities, two collections in the first, two items in the first collection, both records. */
static struct archive
archive_new(void)
{
    struct store_fixture *s = store_new();
    struct container_options set = {.is_set = true}, item = {.aggregate = true};
    struct archive x = {.s = s};
    x.community = store_make(s, "/c", &set);
    x.other = store_make(s, "/o", &set);
    set_rule(s, x.community, for_all, 1);
    set_rule(s, x.other, for_all, 1);
    x.collection = store_make(s, "/c/k", &set);
    x.second = store_make(s, "/c/l", &set);
    assert_int_equal(name_it(s, x.second, "uuid", "second"), ERROR_NONE);
    x.a = store_make(s, "/c/k/a", &item);
    x.b = store_make(s, "/c/k/b", &item);
    make_record(s, x.a);
    make_record(s, x.b);
    return x;
}

static void
records_are_listed_once_by_their_last_change(void **state)
{
    struct archive x = archive_new();
    struct store_fixture *s = x.s;
    const uint64_t all[] = {0, x.community, x.collection};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(harvest(s, all[i]), expected("%llu+ %llu+ ", N(x.a), N(x.b)));
    assert_string_equal(harvest(s, x.other), "");
    assert_string_equal(harvest(s, x.second), "");
    (void)store_put(s, "/c/k/a/ORIGINAL/file", "content of a file in the item");
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(harvest(s, all[i]), expected("%llu+ %llu+ ", N(x.b), N(x.a)));
    (void)store_put(s, "/c/k/plain", "no record");
    assert_string_equal(harvest(s, 0), expected("%llu+ %llu+ ", N(x.b), N(x.a)));
    store_replay(s);
    assert_string_equal(harvest(s, x.community), expected("%llu+ %llu+ ", N(x.b), N(x.a)));
    store_free(s);
}

static void
what_was_never_public_is_never_told(void **state)
{
    struct archive x = archive_new();
    struct store_fixture *s = x.s;
    struct harvest_stamp stamp;
    uint64_t hidden = store_make(s, "/c/k/hidden", &(struct container_options){.aggregate = true});
    set_rule(s, hidden, for_nobody, 1);
    make_record(s, hidden);
    (void)store_put(s, "/c/k/hidden/file", "text");
    struct view *view = store_view(s);
    assert_int_equal(view_harvest_stamp(view, hidden, &stamp, NULL), ERROR_NOT_FOUND);
    view_close(view);
    assert_string_equal(harvest(s, 0), expected("%llu+ %llu+ ", N(x.a), N(x.b)));
    set_rule(s, hidden, for_all, 1); /* now it is */
    assert_string_equal(harvest(s, x.collection), expected("%llu+ %llu+ %llu+ ", N(x.a), N(x.b), N(hidden)));
    store_free(s);
}

static void
withdrawn_deleted_and_purged_records_stay_as_deleted(void **state)
{
    struct archive x = archive_new();
    struct store_fixture *s = x.s;
    struct error error = {0};
    set_rule(s, x.a, for_nobody, 1);
    assert_string_equal(harvest(s, x.collection), expected("%llu+ %llu- ", N(x.b), N(x.a)));
    (void)store_put(s, "/c/k/a/more", "nobody sees it: no news for harvesters");
    assert_string_equal(harvest(s, x.collection), expected("%llu+ %llu- ", N(x.b), N(x.a)));
    struct transaction *transaction = store_begin(s, NULL);
    must(transaction_delete(transaction, target_id(x.b), true, NULL, &error), &error);
    assert_int_equal(store_commit(transaction, NULL), ERROR_NONE);
    assert_string_equal(harvest(s, x.community), expected("%llu- %llu- ", N(x.a), N(x.b)));
    purge(s, x.b);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(harvest(s, x.community), expected("%llu- %llu- ", N(x.a), N(x.b)));
        store_replay(s);
    }
    set_rule(s, x.a, NULL, 0); /* reinstated: inherits */
    assert_string_equal(harvest(s, 0), expected("%llu- %llu+ ", N(x.b), N(x.a)));
    store_free(s);
}

static void
changes_of_containers_reach_the_records_below(void **state)
{
    struct archive x = archive_new();
    struct store_fixture *s = x.s;
    struct error error = {0};
    struct transaction *transaction = store_begin(s, NULL);
    must(transaction_move(transaction, target_id(x.collection), TEXT("/o/k"), false, NULL, &error), &error);
    assert_int_equal(store_commit(transaction, NULL), ERROR_NONE);
    store_settle(s);
    assert_string_equal(harvest(s, x.other), expected("%llu+ %llu+ ", N(x.a), N(x.b)));
    assert_string_equal(harvest(s, x.community), "");
    set_rule(s, x.other, for_nobody, 1);
    store_settle(s);
    assert_string_equal(harvest(s, 0), expected("%llu- %llu- ", N(x.a), N(x.b)));
    assert_string_equal(harvest(s, x.other), expected("%llu- %llu- ", N(x.a), N(x.b)));
    store_replay(s);
    assert_string_equal(harvest(s, x.other), expected("%llu- %llu- ", N(x.a), N(x.b)));
    store_free(s);
}

static int64_t
stamp_time(struct store_fixture *s, uint64_t id)
{
    struct harvest_stamp stamp;
    struct error error = {0};
    struct view *view = store_view(s);
    must(view_harvest_stamp(view, id, &stamp, &error), &error);
    view_close(view);
    return stamp.time_us;
}

/* Followers go through a record's files afterwards: what was told is not told again. */
static void
a_change_of_a_record_is_told_once(void **state)
{
    static const struct rule_entry narrower[] = {{SUBJECT_ANONYMOUS, 0, RIGHT_DISCOVER}};
    struct archive x = archive_new();
    struct store_fixture *s = x.s;
    (void)store_put(s, "/c/k/a/ORIGINAL/file", "content");
    store_settle(s); /* the rules of the communities are spread */
    int64_t before = stamp_time(s, x.a);
    set_rule(s, x.a, narrower, 1);
    int64_t told = stamp_time(s, x.a);
    assert_true(told > before);
    store_settle(s);
    assert_int_equal(stamp_time(s, x.a), told);
    set_rule(s, x.a, narrower, 1); /* as it is already */
    store_settle(s);
    assert_int_equal(stamp_time(s, x.a), told);
    set_rule(s, x.collection, narrower, 1);
    store_settle(s);
    assert_true(stamp_time(s, x.a) > told);
    store_free(s);
}

static void
mapped_records_are_in_further_sets(void **state)
{
    struct archive x = archive_new();
    struct store_fixture *s = x.s;
    struct error error = {0};
    struct statement_change map = {STATEMENT_ADD, {TEXT(STATEMENT_MAPPED), 0, TEXT("second"), TEXT(""), TEXT("")}};
    struct statement_change nowhere = {STATEMENT_ADD, {TEXT(STATEMENT_MAPPED), 0, TEXT("nowhere"), TEXT(""), TEXT("")}};
    for (int i = 0; i < 2; i++) {
        struct transaction *transaction = store_begin(s, NULL);
        must(transaction_change_statements(transaction, target_id(x.a), &map, 1, false, NULL, &error), &error);
        must(transaction_change_statements(transaction, target_id(x.a), &nowhere, 1, false, NULL, &error), &error);
        assert_int_equal(store_commit(transaction, NULL), ERROR_NONE);
        assert_string_equal(harvest(s, x.second), i == 0 ? expected("%llu+ ", N(x.a)) : "");
        assert_string_equal(harvest(s, x.community), expected("%llu+ %llu+ ", N(x.b), N(x.a)));
        map.kind = nowhere.kind = STATEMENT_REMOVE;
    }
    store_free(s);
}

static bool
stop_at_first(void *context, const struct harvest_stamp *stamp)
{
    *(struct harvest_stamp *)context = *stamp;
    return false;
}

static void
lists_go_on_after_a_stamp_and_end_at_their_bound(void **state)
{
    struct archive x = archive_new();
    struct store_fixture *s = x.s;
    struct error error = {0};
    struct harvest_stamp first = {0}, second = {0}, none = {0};
    struct harvest_range range = {.until_us = INT64_MAX - 1};
    struct view *view = store_view(s);
    must(view_harvest(view, &range, stop_at_first, &first, &error), &error);
    assert_int_equal(first.id, x.a);
    range.after_us = first.time_us;
    range.after_id = first.id;
    must(view_harvest(view, &range, stop_at_first, &second, &error), &error);
    assert_int_equal(second.id, x.b);
    range.until_us = second.time_us - 1;
    must(view_harvest(view, &range, stop_at_first, &none, &error), &error);
    assert_int_equal(none.id, 0);
    range = (struct harvest_range){.from_us = second.time_us, .until_us = second.time_us};
    must(view_harvest(view, &range, stop_at_first, &none, &error), &error);
    assert_int_equal(none.id, x.b);
    view_close(view);
    store_free(s);
}

static void
what_is_settled_stays_settled_though_the_clock_goes_back(void **state)
{
    struct archive x = archive_new();
    struct store_fixture *s = x.s;
    struct harvest_stamp stamp;
    struct error error = {0};
    int64_t settled = model_settled_us(s->model);
    s->clock.time_us -= 5000000;
    (void)store_put(s, "/c/k/a/late", "after the clock went back");
    struct view *view = store_view(s);
    must(view_harvest_stamp(view, x.a, &stamp, &error), &error);
    assert_true(stamp.time_us > settled);
    view_close(view);
    assert_true(model_created_us(s->model) >= FIXTURE_START_US);
    assert_true(model_created_us(s->model) < settled);
    store_free(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_follow_each_other_and_come_once),
        cmocka_unit_test(imported_numbers_are_passed_over),
        cmocka_unit_test(identifiers_are_unique_and_outlive_the_resource),
        cmocka_unit_test(a_deposit_needs_its_rule_and_no_more),
        cmocka_unit_test(records_are_listed_once_by_their_last_change),
        cmocka_unit_test(what_was_never_public_is_never_told),
        cmocka_unit_test(withdrawn_deleted_and_purged_records_stay_as_deleted),
        cmocka_unit_test(changes_of_containers_reach_the_records_below),
        cmocka_unit_test(a_change_of_a_record_is_told_once),
        cmocka_unit_test(mapped_records_are_in_further_sets),
        cmocka_unit_test(lists_go_on_after_a_stamp_and_end_at_their_bound),
        cmocka_unit_test(what_is_settled_stays_settled_though_the_clock_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
