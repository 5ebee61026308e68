/* SPDX-License-Identifier: Apache-2.0 */
/* Which names and paths there may be. */
#include "base/buffer.h"
#include "model/limits.h"
#include "model/view.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void
check_name(struct text name, enum error_code expected, const char *word)
{
    struct model_limits limits = model_limits_default();
    struct error error = {0};
    assert_int_equal(name_check(name, &limits, &error), expected);
    if (word != NULL)
        assert_non_null(strstr(error.message, word));
}

static void
check_path(struct text path, enum error_code expected, const char *word)
{
    struct model_limits limits = model_limits_default();
    struct error error = {0};
    assert_int_equal(path_check(path, &limits, &error), expected);
    if (word != NULL)
        assert_non_null(strstr(error.message, word));
}

static void
hostile_names_that_are_names_are_taken(void **state)
{
    static const char *const names[] = {
        " ", "  leading and trailing  ", "...", "..a", "%2F", "a\\b", "\x01\x7F", "\n", "\"quoted\"", "a:b", "*?",
        "-rf", "CON", "\xE2\x80\xAE" "right-to-left", "e\xCC\x81", "\xC3\xA9", "\xF0\x9F\x98\x80", "fcr:versions",
        "<script>", "#", "?", "&amp;", "\xEF\xBB\xBF" "bom", "~", "$(rm)", "\xE2\x80\x8B",
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_name(text_from(names[i]), ERROR_NONE, NULL);
}

static void
each_refusal_names_its_rule(void **state)
{
    (void)state;
    check_name(TEXT(""), ERROR_INVALID, "empty");
    check_name(TEXT("."), ERROR_INVALID, "\".\"");
    check_name(TEXT(".."), ERROR_INVALID, "\"..\"");
    check_name(TEXT("a/b"), ERROR_INVALID, "slash");
    check_name(TEXT("a\0b"), ERROR_INVALID, "NUL");
    check_name(TEXT("caf\xE9"), ERROR_INVALID, "UTF-8");
    check_name(TEXT("\xED\xA0\x80"), ERROR_INVALID, "UTF-8");
    check_name(TEXT("\xC0\xAF"), ERROR_INVALID, "UTF-8");
}

static void
a_name_has_255_bytes_at_most_counted_in_bytes(void **state)
{
    char name[257];
    (void)state;
    memset(name, 'n', sizeof name);
    check_name(text_of(name, 255), ERROR_NONE, NULL);
    check_name(text_of(name, 256), ERROR_LIMIT, "name_bytes");
    for (size_t i = 0; i < 256; i += 2)
        memcpy(name + i, "\xC3\xA9", 2);
    check_name(text_of(name, 254), ERROR_NONE, NULL);
    check_name(text_of(name, 256), ERROR_LIMIT, "name_bytes");
}

static void
paths_begin_with_a_slash_and_have_no_empty_segments(void **state)
{
    (void)state;
    check_path(TEXT("/"), ERROR_NONE, NULL);
    check_path(TEXT("/a/b c/\xC3\xA9"), ERROR_NONE, NULL);
    check_path(TEXT(""), ERROR_INVALID, "begins");
    check_path(TEXT("a"), ERROR_INVALID, "begins");
    check_path(TEXT("/a/"), ERROR_INVALID, "end with");
    check_path(TEXT("//"), ERROR_INVALID, "end with");
    check_path(TEXT("//a"), ERROR_INVALID, "empty segment");
    check_path(TEXT("/a//b"), ERROR_INVALID, "empty segment");
    check_path(TEXT("/a/../b"), ERROR_INVALID, "\"..\"");
    check_path(TEXT("/a/./b"), ERROR_INVALID, "\".\"");
    check_path(TEXT("/a\0b"), ERROR_INVALID, "NUL");
}

static void
lengths_and_depths_of_paths_are_limited(void **state)
{
    struct buffer path = {0};
    (void)state;
    for (int i = 0; i < 256; i++)
        buffer_append_string(&path, "/d");
    check_path(buffer_text(&path), ERROR_NONE, NULL);
    buffer_append_string(&path, "/d");
    check_path(buffer_text(&path), ERROR_LIMIT, "depth");
    buffer_clear(&path);
    for (int i = 0; i < 16; i++) {
        buffer_append_char(&path, '/');
        for (int j = 0; j < 255; j++)
            buffer_append_char(&path, 'x');
    }
    check_path(buffer_text(&path), ERROR_NONE, NULL);
    buffer_append_string(&path, "/y");
    check_path(buffer_text(&path), ERROR_LIMIT, "path_bytes");
    buffer_release(&path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_names_that_are_names_are_taken),
        cmocka_unit_test(each_refusal_names_its_rule),
        cmocka_unit_test(a_name_has_255_bytes_at_most_counted_in_bytes),
        cmocka_unit_test(paths_begin_with_a_slash_and_have_no_empty_segments),
        cmocka_unit_test(lengths_and_depths_of_paths_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
