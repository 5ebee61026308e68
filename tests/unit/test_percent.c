/* SPDX-License-Identifier: Apache-2.0 */
/* Percent-encoding: each context, and request paths. */
#include "unit.h"

#include "format/percent.h"

static void
assert_encoded(enum percent_context context, struct text text, const char *expected)
{
    struct buffer buffer = {0};
    percent_encode(&buffer, context, text);
    assert_text(buffer_text(&buffer), text_from(expected));
    assert_int_equal(percent_is_clean(context, text), text_equal(text, text_from(expected)));
    buffer_release(&buffer);
}

static void
each_context_encodes_what_it_must_and_nothing_else(void **state)
{
    struct text hostile = TEXT("a b/c%20'\"\\(),;:@&=+$!*~^[]{}|<>#?é\n\x7f");
    (void)state;
    assert_encoded(PERCENT_URI_SEGMENT, hostile,
                   "a%20b%2Fc%2520'%22%5C(),;:@&=+$!*~%5E%5B%5D%7B%7D%7C%3C%3E%23%3F%C3%A9%0A%7F");
    assert_encoded(PERCENT_OCFL_LOGICAL, hostile,
                   "a b/c%2520'%22%5C(),;:@&=+$!*~^[]{}|<>#?é%0A%7F");
    assert_encoded(PERCENT_OCFL_LAYOUT, TEXT("..hor/rib:l\xC3\xA9-$id_1"),
                   "%2e%2ehor%2frib%3al%c3%a9-%24id_1");
    assert_encoded(PERCENT_URN, TEXT("dc.title/é ü-_~"), "dc.title%2F%C3%A9%20%C3%BC-_~");
    assert_encoded(PERCENT_URI_QUERY, TEXT("a+b&c=d/e"), "a%2Bb%26c%3Dd%2Fe");
    assert_encoded(PERCENT_URI_SEGMENT, TEXT("plain-Name_1.txt"), "plain-Name_1.txt");
    assert_encoded(PERCENT_URI_SEGMENT, TEXT(""), "");
}

static void
decoding_happens_once_and_refuses_bad_escapes(void **state)
{
    struct buffer buffer = {0};
    (void)state;
    assert_code(percent_decode(&buffer, TEXT("a%2520b+%c3%A9"), NULL), ERROR_NONE);
    assert_text(buffer_text(&buffer), TEXT("a%20b+é"));
    assert_code(percent_decode(&buffer, TEXT("%"), NULL), ERROR_INVALID);
    assert_code(percent_decode(&buffer, TEXT("a%2"), NULL), ERROR_INVALID);
    assert_code(percent_decode(&buffer, TEXT("%zz"), NULL), ERROR_INVALID);
    assert_text(buffer_text(&buffer), TEXT("a%20b+é"));
    buffer_release(&buffer);
}

static void
a_path_is_split_and_each_segment_decoded_once(void **state)
{
    struct arena arena;
    struct percent_path path;
    (void)state;
    arena_init(&arena, 0);
    assert_code(percent_split_path(&arena, TEXT("/a%20b/c+d/%25e/\xC3\xA9/%2e%2E%2e"), &path, NULL),
                ERROR_NONE);
    assert_int_equal(path.count, 5);
    assert_text(path.segments[0], TEXT("a b"));
    assert_text(path.segments[1], TEXT("c+d"));
    assert_text(path.segments[2], TEXT("%e"));
    assert_text(path.segments[3], TEXT("é"));
    assert_text(path.segments[4], TEXT("..."));
    assert_false(path.trailing_slash);
    assert_code(percent_split_path(&arena, TEXT("/"), &path, NULL), ERROR_NONE);
    assert_int_equal(path.count, 0);
    assert_false(path.trailing_slash);
    assert_code(percent_split_path(&arena, TEXT("/a/b/"), &path, NULL), ERROR_NONE);
    assert_int_equal(path.count, 2);
    assert_true(path.trailing_slash);
    arena_release(&arena);
}

static void
each_refused_path_is_told_why(void **state)
{
    static const struct {
        const char *path;
        const char *word; /* in the message */
    } bad[] = {
        {"", "begin with"},      {"a", "begin with"},      {"//", "empty segment"},
        {"/a//b", "empty segment"}, {"/a//", "empty segment"}, {"/a%2Fb", "%2F"},
        {"/a%2fb", "%2F"},       {"/a%00", "NUL"},         {"/.", "'.'"},
        {"/a/..", "'..'"},       {"/%2e%2E/x", "'..'"},    {"/%ff", "UTF-8"},
        {"/a%9", "hexadecimal"}, {"/a%", "hexadecimal"},   {"/a b", "blank"},
        {"/a?b", "%3F"},         {"/a#b", "%23"},          {"/\x90", "UTF-8"},
        {"/a\nb", "%0A"},
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct percent_path path;
        struct error error = {0};
        assert_code(percent_split_path(&arena, text_from(bad[i].path), &path, &error), ERROR_INVALID);
        if (strstr(error.message, bad[i].word) == NULL)
            fail_msg("%s: %s", bad[i].path, error.message);
    }
    arena_release(&arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_context_encodes_what_it_must_and_nothing_else),
        cmocka_unit_test(decoding_happens_once_and_refuses_bad_escapes),
        cmocka_unit_test(a_path_is_split_and_each_segment_decoded_once),
        cmocka_unit_test(each_refused_path_is_told_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
