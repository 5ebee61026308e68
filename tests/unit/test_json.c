/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: the canonical writer and the strict reader. */
#include "unit.h"

#include "format/json.h"

static void
the_writer_escapes_only_what_it_must(void **state)
{
    struct buffer buffer = {0};
    struct json_writer w = json_writer(&buffer);
    (void)state;
    json_begin_object(&w);
    json_key(&w, "a\"");
    json_begin_array(&w);
    json_put_text(&w, text_of("\0\b\t\n\f\r\x1f\"\\/ \x7fé\xF0\x9F\x98\x80", 18));
    json_put_u64(&w, UINT64_MAX);
    json_put_i64(&w, INT64_MIN);
    json_put_bool(&w, true);
    json_put_null(&w);
    json_end_array(&w);
    json_key(&w, "b");
    json_begin_object(&w);
    json_end_object(&w);
    json_key(&w, "c");
    json_put_hex(&w, "\xAB", 1);
    json_end_object(&w);
    assert_text(buffer_text(&buffer),
                TEXT("{\"a\\\"\":[\"\\u0000\\b\\t\\n\\f\\r\\u001f\\\"\\\\/ \x7fé\xF0\x9F\x98\x80\","
                     "18446744073709551615,-9223372036854775808,true,null],\"b\":{},\"c\":\"ab\"}"));
    buffer_release(&buffer);
}

static void
text_that_is_no_utf8_makes_the_writer_fail(void **state)
{
    struct buffer buffer = {0};
    struct json_writer w = json_writer(&buffer);
    (void)state;
    json_put_text(&w, TEXT("\xC0\xAF"));
    json_put_u64(&w, 1);
    assert_code(buffer_status(&buffer, NULL), ERROR_INVALID);
    buffer_release(&buffer);
}

static void
a_document_becomes_a_tree_with_decoded_strings(void **state)
{
    struct arena arena;
    struct json *root;
    struct text text;
    uint64_t u;
    int64_t i;
    bool b;
    (void)state;
    arena_init(&arena, 0);
    assert_code(json_parse(&arena,
                           TEXT(" {\"a\\u0062\":\"x\\n\\u00e9\\ud83d\\ude00\\/\",\"n\":18446744073709551615,\n"
                                "\"m\":-9223372036854775808 , \"t\":true,\"l\":[1,2.5e+1,null,[]],\"e\":{}}\t"),
                           &root, NULL),
                ERROR_NONE);
    assert_true(json_get_text(root, "ab", &text));
    assert_text(text, TEXT("x\né\xF0\x9F\x98\x80/"));
    assert_true(json_get_u64(root, "n", &u));
    assert_true(u == UINT64_MAX);
    assert_true(json_get_i64(root, "m", &i));
    assert_true(i == INT64_MIN);
    assert_true(json_get_bool(root, "t", &b));
    assert_true(b);
    const struct json *list = json_get(root, "l");
    assert_int_equal(list->count, 4);
    assert_text(list->first->next->text, TEXT("2.5e+1"));
    assert_false(json_u64(list->first->next, &u));
    assert_int_equal(list->first->next->next->kind, JSON_NULL);
    assert_text(list->text, TEXT("[1,2.5e+1,null,[]]"));
    assert_null(json_get(root, "absent"));
    assert_false(json_get_text(root, "n", &text));
    assert_false(json_get_i64(root, "n", &i));
    assert_false(json_get_u64(root, "m", &u));
    arena_release(&arena);
}

static void
wrong_documents_are_refused(void **state)
{
    static const char *const bad[] = {
        "", " ", "{", "}", "[1,]", "[,1]", "{\"a\":1,}", "{\"a\"}", "{a:1}", "{1:2}", "01", "-", "1.", ".5",
        "1e", "+1", "0x1", "tru", "nul", "NaN", "\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"",
        "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "\"\x01\"", "\"\xC0\xAF\"", "1 2",
        "{} x", "'a'", "[1 2]", "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}",
        "/* */1", "\xEF\xBB\xBF" "1", "\"a\tb\""};
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct json *root;
        struct error error = {0};
        if (json_parse(&arena, text_from(bad[i]), &root, &error) != ERROR_INVALID)
            fail_msg("accepted: %s", bad[i]);
        assert_true(strlen(error.message) > 0);
        arena_reset(&arena);
    }
    arena_release(&arena);
}

static void
duplicate_keys_are_found_in_large_objects_too(void **state)
{
    struct buffer buffer = {0};
    struct arena arena;
    struct json *root;
    (void)state;
    arena_init(&arena, 0);
    for (int twice = 0; twice < 2; twice++) {
        buffer_clear(&buffer);
        buffer_append_string(&buffer, "{");
        for (int i = 0; i < 1000; i++)
            buffer_printf(&buffer, "\"k%d\":0,", i);
        buffer_printf(&buffer, "\"k%d\":0}", twice ? 500 : 1000);
        assert_code(json_parse(&arena, buffer_text(&buffer), &root, NULL),
                    twice ? ERROR_INVALID : ERROR_NONE);
    }
    buffer_release(&buffer);
    arena_release(&arena);
}

static void
depth_and_memory_are_bounded(void **state)
{
    char deep[2 * JSON_DEPTH_MAX + 2];
    struct arena arena;
    struct json *root;
    (void)state;
    arena_init(&arena, 0);
    memset(deep, '[', JSON_DEPTH_MAX + 1);
    memset(deep + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
    assert_code(json_parse(&arena, text_of(deep, sizeof deep), &root, NULL), ERROR_INVALID);
    assert_code(json_parse(&arena, text_of(deep + 1, sizeof deep - 2), &root, NULL), ERROR_NONE);
    arena_release(&arena);
    arena_init(&arena, 200);
    assert_code(json_parse(&arena, TEXT("[1,2,3,4,5,6]"), &root, NULL), ERROR_LIMIT);
    arena_release(&arena);
}

static void
what_is_written_is_read_back(void **state)
{
    struct buffer buffer = {0};
    struct json_writer w = json_writer(&buffer);
    struct arena arena;
    struct json *root;
    char all[128];
    (void)state;
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (char)i;
    json_put_text(&w, text_of(all, sizeof all));
    arena_init(&arena, 0);
    assert_code(json_parse(&arena, buffer_text(&buffer), &root, NULL), ERROR_NONE);
    assert_true(text_equal(root->text, text_of(all, sizeof all)));
    arena_release(&arena);
    buffer_release(&buffer);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_writer_escapes_only_what_it_must),
        cmocka_unit_test(text_that_is_no_utf8_makes_the_writer_fail),
        cmocka_unit_test(a_document_becomes_a_tree_with_decoded_strings),
        cmocka_unit_test(wrong_documents_are_refused),
        cmocka_unit_test(duplicate_keys_are_found_in_large_objects_too),
        cmocka_unit_test(depth_and_memory_are_bounded),
        cmocka_unit_test(what_is_written_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
