/* SPDX-License-Identifier: Apache-2.0 */
/* Finding resources by their statements. */
#include "view_fixture.h"

struct found {
    uint64_t ids[4096];
    size_t count, stop_after;
};

static bool
note_found(void *context, const struct resource *resource)
{
    struct found *found = context;
    if (found->count > 0)
        assert_true(resource->id > found->ids[found->count - 1]); /* in order, each once */
    found->ids[found->count++] = resource->id;
    return found->count != found->stop_after;
}

struct search {
    const struct find_condition *conditions;
    size_t count;
    uint64_t after;
    size_t limit;
};

/* Ids as text, each followed by a blank. */
static const char *
search_as(struct fixture *f, struct principal principal, const struct search *search)
{
    static char text[4096];
    struct error error = {0};
    struct found found = {0};
    size_t used = 0;
    struct view *view = fixture_view(f, principal);
    assert_int_equal(view_find(view, search->conditions, search->count, search->after, search->limit, note_found,
                               &found, &error),
                     ERROR_NONE);
    view_close(view);
    text[0] = '\0';
    for (size_t i = 0; i < found.count && used < sizeof text - 24; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%llu ", (unsigned long long)found.ids[i]);
    return text;
}

static const char *
search_one(struct fixture *f, const char *attribute, enum find_operator comparison, const char *value)
{
    struct find_condition condition = {text_from(attribute), comparison, text_from(value)};
    return search_as(f, principal_anonymous(), &(struct search){&condition, 1, 0, 0});
}

static void
add_file_with(struct fixture *f, uint64_t id, const char *attribute, const char *value)
{
    char name[24];
    snprintf(name, sizeof name, "f%llu", (unsigned long long)id);
    add_file(f, &(struct fixture_resource){.id = id, .parent = ROOT_ID, .name = name});
    add_statement(f, id, attribute, 0, value);
}

static void
text_is_compared_by_bytes(void **state)
{
    static const char *const titles[] = {"b", "a", "ab", "abc", "B", "\xC3\xA9", "", "ab "};
    struct fixture *f = fixture_new();
    (void)state;
    for (unsigned i = 0; i < sizeof titles / sizeof *titles; i++)
        add_file_with(f, 10 + i, "title", titles[i]);
    add_file_with(f, 20, "titles", "ab");
    add_file_with(f, 21, "titl", "ab");
    assert_string_equal(search_one(f, "title", FIND_EQUAL, "ab"), "12 ");
    assert_string_equal(search_one(f, "title", FIND_EQUAL, ""), "16 ");
    assert_string_equal(search_one(f, "title", FIND_EQUAL, "a "), "");
    assert_string_equal(search_one(f, "title", FIND_PREFIX, "ab"), "12 13 17 ");
    assert_string_equal(search_one(f, "title", FIND_PREFIX, ""), "10 11 12 13 14 15 16 17 ");
    assert_string_equal(search_one(f, "title", FIND_LESS, "ab"), "11 14 16 ");
    assert_string_equal(search_one(f, "title", FIND_LESS_EQUAL, "ab"), "11 12 14 16 ");
    assert_string_equal(search_one(f, "title", FIND_GREATER, "ab"), "10 13 15 17 ");
    assert_string_equal(search_one(f, "title", FIND_GREATER_EQUAL, "ab"), "10 12 13 15 17 ");
    fixture_free(f);
}

static void
numbers_are_compared_as_numbers(void **state)
{
    static const char *const years[] = {"9", "10", "-3", "2.5", "10.0", "0010", "x", "-0", "1e9"};
    struct fixture *f = fixture_new();
    (void)state;
    for (unsigned i = 0; i < sizeof years / sizeof *years; i++)
        add_file_with(f, 10 + i, "year", years[i]);
    assert_string_equal(search_one(f, "year", FIND_EQUAL, "10"), "11 14 15 ");
    assert_string_equal(search_one(f, "year", FIND_EQUAL, "0"), "17 ");
    assert_string_equal(search_one(f, "year", FIND_LESS, "10"), "10 12 13 17 ");
    assert_string_equal(search_one(f, "year", FIND_LESS_EQUAL, "10"), "10 11 12 13 14 15 17 ");
    assert_string_equal(search_one(f, "year", FIND_GREATER, "-3"), "10 11 13 14 15 17 ");
    assert_string_equal(search_one(f, "year", FIND_GREATER_EQUAL, "9.5"), "11 14 15 ");
    assert_string_equal(search_one(f, "year", FIND_GREATER, "w"), "16 ");
    assert_string_equal(search_one(f, "year", FIND_PREFIX, "10"), "11 14 ");
    fixture_free(f);
}

static void
numbers_that_a_double_cannot_tell_apart_are_told_apart(void **state)
{
    struct fixture *f = fixture_new();
    (void)state;
    add_file_with(f, 10, "n", "9007199254740992");
    add_file_with(f, 11, "n", "9007199254740993");
    add_file_with(f, 12, "n", "-9007199254740993");
    add_file_with(f, 13, "n", "0.1000000000000000000000001");
    assert_string_equal(search_one(f, "n", FIND_EQUAL, "9007199254740993"), "11 ");
    assert_string_equal(search_one(f, "n", FIND_LESS, "9007199254740993"), "10 12 13 ");
    assert_string_equal(search_one(f, "n", FIND_GREATER, "9007199254740992"), "11 ");
    assert_string_equal(search_one(f, "n", FIND_LESS, "-9007199254740992"), "12 ");
    assert_string_equal(search_one(f, "n", FIND_GREATER, "0.1"), "10 11 13 ");
    fixture_free(f);
}

static void
values_longer_than_their_keys_are_compared_whole(void **state)
{
    struct fixture *f = fixture_new();
    char exact[129], longer[201], other[201];
    (void)state;
    memset(exact, 'v', 128);
    exact[128] = '\0';
    snprintf(longer, sizeof longer, "%sa", exact);
    snprintf(other, sizeof other, "%sb", exact);
    add_file_with(f, 10, "t", other);
    add_file_with(f, 11, "t", longer);
    add_file_with(f, 12, "t", exact);
    assert_string_equal(search_one(f, "t", FIND_EQUAL, exact), "12 ");
    assert_string_equal(search_one(f, "t", FIND_EQUAL, longer), "11 ");
    assert_string_equal(search_one(f, "t", FIND_PREFIX, exact), "10 11 12 ");
    assert_string_equal(search_one(f, "t", FIND_PREFIX, other), "10 ");
    assert_string_equal(search_one(f, "t", FIND_LESS, longer), "12 ");
    assert_string_equal(search_one(f, "t", FIND_GREATER, longer), "10 ");
    assert_string_equal(search_one(f, "t", FIND_GREATER_EQUAL, exact), "10 11 12 ");
    assert_string_equal(search_one(f, "t", FIND_LESS_EQUAL, exact), "12 ");
    fixture_free(f);
}

static void
several_conditions_must_all_hold(void **state)
{
    struct fixture *f = fixture_new();
    (void)state;
    for (uint64_t id = 10; id < 40; id++) {
        char year[8];
        add_file_with(f, id, "type", id % 2 ? "article" : "book");
        snprintf(year, sizeof year, "%llu", (unsigned long long)(1980 + id));
        add_statement(f, id, "year", 0, year);
        add_statement(f, id, "tag", 0, "alpha");
        add_statement(f, id, "tag", 0, id % 3 ? "beta" : "gamma");
    }
    struct find_condition both[] = {{TEXT("year"), FIND_GREATER_EQUAL, TEXT("2010")},
                                    {TEXT("type"), FIND_EQUAL, TEXT("article")}};
    assert_string_equal(search_as(f, fixture_bob(), &(struct search){both, 2, 0, 0}), "31 33 35 37 39 ");
    assert_string_equal(search_as(f, fixture_bob(), &(struct search){both, 2, 33, 2}), "35 37 ");
    struct find_condition between[] = {{TEXT("year"), FIND_GREATER, TEXT("1995")},
                                       {TEXT("year"), FIND_LESS, TEXT("1999")}};
    assert_string_equal(search_as(f, fixture_bob(), &(struct search){between, 2, 0, 0}), "16 17 18 ");
    struct find_condition tags[] = {{TEXT("tag"), FIND_EQUAL, TEXT("alpha")},
                                    {TEXT("tag"), FIND_EQUAL, TEXT("gamma")},
                                    {TEXT("type"), FIND_PREFIX, TEXT("bo")}};
    assert_string_equal(search_as(f, fixture_bob(), &(struct search){tags, 3, 0, 0}), "12 18 24 30 36 ");
    struct find_condition never[] = {{TEXT("tag"), FIND_EQUAL, TEXT("alpha")},
                                     {TEXT("tag"), FIND_EQUAL, TEXT("delta")}};
    assert_string_equal(search_as(f, fixture_bob(), &(struct search){never, 2, 0, 0}), "");
    fixture_free(f);
}

static void
a_resource_is_found_once_however_often_it_matches(void **state)
{
    struct fixture *f = fixture_new();
    (void)state;
    add_file_with(f, 10, "author", "Abel");
    add_statement(f, 10, "author", 1, "Abel");
    add_statement(f, 10, "author", 2, "Abt");
    add_file_with(f, 11, "author", "Abel");
    assert_string_equal(search_one(f, "author", FIND_EQUAL, "Abel"), "10 11 ");
    assert_string_equal(search_one(f, "author", FIND_PREFIX, "Ab"), "10 11 ");
    assert_string_equal(search_one(f, "author", FIND_GREATER, "A"), "10 11 ");
    fixture_free(f);
}

static void
pages_go_on_after_an_id_in_its_order(void **state)
{
    struct fixture *f = fixture_new();
    struct find_condition equal = {TEXT("k"), FIND_EQUAL, TEXT("same")};
    struct find_condition range = {TEXT("n"), FIND_GREATER_EQUAL, TEXT("0")};
    (void)state;
    for (uint64_t id = 10; id < 110; id++) {
        char number[8];
        add_file_with(f, id, "k", "same");
        snprintf(number, sizeof number, "%llu", (unsigned long long)(id * 37 % 101)); /* in no order */
        add_statement(f, id, "n", 0, number);
    }
    assert_string_equal(search_as(f, fixture_bob(), &(struct search){&equal, 1, 0, 3}), "10 11 12 ");
    assert_string_equal(search_as(f, fixture_bob(), &(struct search){&equal, 1, 12, 3}), "13 14 15 ");
    assert_string_equal(search_as(f, fixture_bob(), &(struct search){&equal, 1, 107, 3}), "108 109 ");
    assert_string_equal(search_as(f, fixture_bob(), &(struct search){&equal, 1, UINT64_MAX, 3}), "");
    assert_string_equal(search_as(f, fixture_bob(), &(struct search){&range, 1, 0, 3}), "10 11 12 ");
    assert_string_equal(search_as(f, fixture_bob(), &(struct search){&range, 1, 55, 2}), "56 57 ");
    assert_string_equal(search_as(f, fixture_bob(), &(struct search){&range, 1, 109, 2}), "");
    fixture_free(f);
}

/* More than a search keeps at once: written by keys, in one batch. */
static void
add_many(struct fixture *f, uint64_t first, uint64_t count)
{
    struct catalog_batch *batch = catalog_batch_new();
    struct buffer value = {0};
    struct error error = {0};
    struct key key;
    for (uint64_t id = first; id < first + count; id++) {
        char number[24];
        struct node node = {.present = NODE_BIT(KIND) | NODE_BIT(PARENT), .kind = RESOURCE_FILE, .parent = ROOT_ID};
        snprintf(number, sizeof number, "%llu", (unsigned long long)(id * 7919 % count));
        struct statement statement = {TEXT("n"), 0, text_from(number), TEXT(""), TEXT("")};
        buffer_clear(&value);
        node_encode(&node, 0, &value);
        key_node(&key, id);
        catalog_batch_put(batch, key_text(&key), buffer_text(&value));
        buffer_clear(&value);
        buffer_append_varint(&value, statement.value.length);
        buffer_append_text(&value, statement.value);
        buffer_append(&value, "\0\0", 2);
        key_statement(&key, id, &statement);
        catalog_batch_put(batch, key_text(&key), buffer_text(&value));
        key_inverse(&key, id, &statement, INVERSE_NUMBER);
        catalog_batch_put(batch, key_text(&key), TEXT(""));
    }
    assert_int_equal(catalog_write(f->model.catalog, batch, &error), ERROR_NONE);
    moments_pass(f->model.moments);
    buffer_release(&value);
    catalog_batch_free(batch);
}

static bool
count_in_order(void *context, const struct resource *resource)
{
    uint64_t *next = context;
    assert_int_equal(resource->id, *next);
    ++*next;
    return true;
}

static void
more_than_one_block_of_a_range_comes_in_order(void **state)
{
    struct fixture *f = fixture_new();
    struct error error = {0};
    struct find_condition condition = {TEXT("n"), FIND_GREATER_EQUAL, TEXT("0")};
    const uint64_t count = 70000;
    uint64_t next = 100;
    (void)state;
    add_many(f, 100, count);
    struct view *view = fixture_view(f, principal_anonymous());
    assert_int_equal(view_find(view, &condition, 1, 0, 0, count_in_order, &next, &error), ERROR_NONE);
    assert_int_equal(next, 100 + count);
    next = 100 + count - 10;
    assert_int_equal(view_find(view, &condition, 1, next - 1, 0, count_in_order, &next, &error), ERROR_NONE);
    assert_int_equal(next, 100 + count);
    assert_true(view_arena(view)->used < 100000); /* what was shown is not kept */
    view_close(view);
    fixture_free(f);
}

static void
hidden_and_deleted_resources_are_not_found(void **state)
{
    struct fixture *f = fixture_new();
    const struct rule_entry staff[] = {{SUBJECT_GROUP, STAFF, RIGHT_DISCOVER}};
    struct find_condition condition = {TEXT("k"), FIND_EQUAL, TEXT("v")};
    struct search search = {&condition, 1, 0, 0}, first = {&condition, 1, 0, 1};
    (void)state;
    add_rule(f, 2, staff, 1);
    add_container(f, &(struct fixture_resource){.id = 2, .parent = ROOT_ID, .name = "hidden", .rule = 2});
    add_container(f, &(struct fixture_resource){.id = 3, .parent = ROOT_ID, .name = "deleted"});
    add_file(f, &(struct fixture_resource){.id = 4, .parent = 2, .name = "a"});
    add_file(f, &(struct fixture_resource){.id = 5, .parent = 3, .name = "b"});
    for (uint64_t id = 2; id <= 5; id++)
        add_statement(f, id, "k", 0, "v");
    add_file_with(f, 6, "k", "v");
    add_file_with(f, 7, "k", "v");
    delete_resource(f, 3, "deleted", RESOURCE_CONTAINER);
    delete_resource(f, 6, "f6", RESOURCE_FILE);
    assert_string_equal(search_as(f, fixture_bob(), &search), "7 ");
    assert_string_equal(search_as(f, fixture_bob(), &first), "7 "); /* the limit counts what is shown */
    assert_string_equal(search_as(f, fixture_anna(), &search), "2 4 7 ");
    assert_string_equal(search_as(f, principal_local(), &search), "2 4 7 ");
    condition.comparison = FIND_PREFIX;
    assert_string_equal(search_as(f, fixture_bob(), &first), "7 ");
    fixture_free(f);
}

static void
the_caller_may_stop(void **state)
{
    struct fixture *f = fixture_new();
    struct error error = {0};
    struct found found = {.stop_after = 2};
    struct find_condition condition = {TEXT("k"), FIND_PREFIX, TEXT("v")};
    (void)state;
    for (uint64_t id = 10; id < 20; id++)
        add_file_with(f, id, "k", "v");
    struct view *view = fixture_view(f, fixture_bob());
    assert_int_equal(view_find(view, &condition, 1, 0, 0, note_found, &found, &error), ERROR_NONE);
    assert_int_equal(found.count, 2);
    assert_int_equal(view_find(view, &condition, 0, 0, 0, note_found, &found, &error), ERROR_INVALID);
    condition.attribute = TEXT("");
    assert_int_equal(view_find(view, &condition, 1, 0, 0, note_found, &found, &error), ERROR_INVALID);
    view_close(view);
    fixture_free(f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_compared_by_bytes),
        cmocka_unit_test(numbers_are_compared_as_numbers),
        cmocka_unit_test(numbers_that_a_double_cannot_tell_apart_are_told_apart),
        cmocka_unit_test(values_longer_than_their_keys_are_compared_whole),
        cmocka_unit_test(several_conditions_must_all_hold),
        cmocka_unit_test(a_resource_is_found_once_however_often_it_matches),
        cmocka_unit_test(pages_go_on_after_an_id_in_its_order),
        cmocka_unit_test(more_than_one_block_of_a_range_comes_in_order),
        cmocka_unit_test(hidden_and_deleted_resources_are_not_found),
        cmocka_unit_test(the_caller_may_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
