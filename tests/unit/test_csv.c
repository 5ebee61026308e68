/* SPDX-License-Identifier: Apache-2.0 */
/* CSV, and media types by name. */
#include "unit.h"

#include "format/csv.h"
#include "format/media_type.h"

/* All rows as text: fields end with '|', rows with '/'. */
static enum error_code
rows_of(struct text text, struct buffer *out, struct error *error)
{
    struct csv csv = csv_of(text);
    struct arena arena = {0};
    enum error_code code = ERROR_NONE;
    for (bool found = true; found && code == ERROR_NONE;) {
        struct csv_row row;
        code = csv_next(&csv, &arena, &row, &found, error);
        for (size_t i = 0; code == ERROR_NONE && found && i < row.count; i++) {
            buffer_append_text(out, row.fields[i]);
            buffer_append_char(out, '|');
        }
        if (code == ERROR_NONE && found)
            buffer_append_char(out, '/');
    }
    arena_release(&arena);
    return code;
}

static void
assert_rows(struct text text, const char *expected)
{
    struct buffer out = {0};
    struct error error = {0};
    assert_int_equal(rows_of(text, &out, &error), ERROR_NONE);
    assert_text(buffer_text(&out), text_from(expected));
    buffer_release(&out);
}

static void
rows_come_out_as_rfc_4180_has_them(void **state)
{
    (void)state;
    assert_rows(TEXT(""), "");
    assert_rows(TEXT("a,b\nc,d"), "a|b|/c|d|/");
    assert_rows(TEXT("a,b\r\nc,d\r\n"), "a|b|/c|d|/");
    assert_rows(TEXT("a\rb\r"), "a|/b|/");
    assert_rows(TEXT("\n\n a , b \n\n"), " a | b |/");
    assert_rows(TEXT(",\n,,x"), "||/||x|/");
    assert_rows(TEXT("\"a,b\",\"c\"\"d\",\"e\nf\"\r\n\"\""), "a,b|c\"d|e\nf|/|/");
    assert_rows(TEXT("\xEF\xBB\xBF" "id,x"), "id|x|/");
    assert_rows(TEXT("a\"b,c"), "a\"b|c|/");
}

static void
a_quote_that_is_not_closed_is_told_with_its_line(void **state)
{
    struct buffer out = {0};
    struct error error = {0};
    (void)state;
    assert_int_equal(rows_of(TEXT("a\n\"b\nc\n"), &out, &error), ERROR_INVALID);
    assert_non_null(strstr(error.message, "line 2"));
    assert_int_equal(rows_of(TEXT("a,\"b\"c\n"), &out, &error), ERROR_INVALID);
    assert_non_null(strstr(error.message, "behind a closing quote"));
    buffer_release(&out);
}

static void
media_types_come_from_extensions(void **state)
{
    (void)state;
    assert_string_equal(media_type_of_name(TEXT("a/b/thesis.PDF")), "application/pdf");
    assert_string_equal(media_type_of_name(TEXT("x.tar.gz")), "application/gzip");
    assert_string_equal(media_type_of_name(TEXT("notes.txt")), "text/plain");
    assert_string_equal(media_type_of_name(TEXT("pdf")), "application/octet-stream");
    assert_string_equal(media_type_of_name(TEXT("a.pdf/b")), "application/octet-stream");
    assert_string_equal(media_type_of_name(TEXT("a.")), "application/octet-stream");
    assert_string_equal(media_type_of_name(TEXT("")), "application/octet-stream");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_out_as_rfc_4180_has_them),
        cmocka_unit_test(a_quote_that_is_not_closed_is_told_with_its_line),
        cmocka_unit_test(media_types_come_from_extensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
