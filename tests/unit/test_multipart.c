/* SPDX-License-Identifier: Apache-2.0 */
/* Multipart bodies as the clients of SWORD write them, in pieces of every size. */
#include "unit.h"

#include "base/error.h"
#include "format/multipart.h"

struct seen {
    struct buffer text; /* "[head]content|" for each part */
};

static enum error_code
part_begins(void *context, struct text head, struct error *error)
{
    struct seen *seen = context;
    buffer_append_char(&seen->text, '[');
    buffer_append_text(&seen->text, head);
    buffer_append_char(&seen->text, ']');
    return ERROR_NONE;
}

static enum error_code
part_goes_on(void *context, const char *data, size_t length, struct error *error)
{
    buffer_append(&((struct seen *)context)->text, data, length);
    return ERROR_NONE;
}

static enum error_code
part_ends(void *context, struct error *error)
{
    buffer_append_char(&((struct seen *)context)->text, '|');
    return ERROR_NONE;
}

/* In pieces of `piece` bytes; the code of the first call that fails. */
static enum error_code
read_in_pieces(struct text body, const char *boundary, size_t piece, struct buffer *ret, struct error *error)
{
    struct seen seen = {{0}};
    struct multipart_handler handler = {part_begins, part_goes_on, part_ends, &seen};
    struct multipart multipart;
    enum error_code code = multipart_init(&multipart, text_from(boundary), &handler, error);
    for (size_t at = 0; at < body.length && code == ERROR_NONE; at += piece)
        code = multipart_write(&multipart, body.data + at, body.length - at < piece ? body.length - at : piece, error);
    if (code == ERROR_NONE)
        code = multipart_finish(&multipart, error);
    multipart_release(&multipart);
    *ret = seen.text;
    return code;
}

static void
assert_parts(struct text body, const char *boundary, const char *expected)
{
    for (size_t piece = 1; piece <= body.length; piece++) {
        struct buffer seen;
        struct error error = {0};
        enum error_code code = read_in_pieces(body, boundary, piece, &seen, &error);
        if (code != ERROR_NONE)
            fail_msg("in pieces of %zu: %s", piece, error.message);
        assert_text(buffer_text(&seen), text_from(expected));
        buffer_release(&seen);
    }
}

static void
assert_refused(struct text body, const char *boundary, enum error_code expected)
{
    for (size_t piece = 1; piece <= body.length; piece++) {
        struct buffer seen;
        assert_code(read_in_pieces(body, boundary, piece, &seen, NULL), expected);
        buffer_release(&seen);
    }
}

static void
parts_come_out_as_they_went_in(void **state)
{
    assert_parts(TEXT("--b\r\nA: 1\r\n\r\none\r\n--b\r\n\r\ntwo\r\nlines\r\n\r\n--b--\r\n"), "b",
                 "[A: 1\r\n]one|[]two\r\nlines\r\n|");
    assert_parts(TEXT("--b\nA: 1\n\none\n--b\n\ntwo\n--b--"), "b", "[A: 1\n]one|[]two|"); /* LF alone, no last line end */
}

static void
preamble_and_epilogue_are_passed_over(void **state)
{
    assert_parts(TEXT("Media Post\r\n--===============SWORDPARTS==\r\n\r\nx\r\n--===============SWORDPARTS==--\r\nafter\r\n"
                      "--===============SWORDPARTS==\r\nno part"),
                 "===============SWORDPARTS==", "[]x|");
    assert_parts(TEXT("\r\n--===============0123_$ \t\r\n\r\n\r\n--===============0123_$--"), "===============0123_$", "[]|");
}

static void
what_only_looks_like_a_boundary_is_content(void **state)
{
    assert_parts(TEXT("--b\r\n\r\n--bb\r\n--b-\r\n--b x\r\n-- b\r\n --b\r\n\r--b\r\n\r\r\n--b--"), "b",
                 "[]--bb\r\n--b-\r\n--b x\r\n-- b\r\n --b\r\n\r--b\r\n\r|");
}

static void
a_long_line_is_not_held_back(void **state)
{
    struct buffer body = {0}, expected = {0}, seen;
    buffer_append_string(&body, "--b\r\n\r\n--b");
    buffer_append_string(&expected, "[]--b");
    for (int i = 0; i < 2000; i++) {
        buffer_append_char(&body, ' ');
        buffer_append_char(&expected, ' ');
    }
    buffer_append_string(&body, "\r\n--b--");
    buffer_append_char(&expected, '|');
    assert_code(read_in_pieces(buffer_text(&body), "b", 7, &seen, NULL), ERROR_NONE);
    assert_text(buffer_text(&seen), buffer_text(&expected));
    buffer_release(&seen);
    buffer_release(&body);
    buffer_release(&expected);
}

static void
a_body_that_was_cut_off_is_refused(void **state)
{
    static const char whole[] = "--b\r\nA: 1\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--";
    for (size_t length = 1; length < sizeof whole - 1; length++)
        assert_refused(text_of(whole, length), "b", ERROR_INVALID);
    assert_refused(TEXT("no boundary at all\r\n"), "b", ERROR_INVALID);
    assert_refused(TEXT("--b--\r\n"), "b", ERROR_INVALID);
}

static void
bad_boundaries_and_endless_heads_are_refused(void **state)
{
    struct buffer body = {0};
    assert_refused(TEXT("x"), "", ERROR_INVALID);
    assert_refused(TEXT("x"), "a b ", ERROR_INVALID);
    assert_refused(TEXT("x"), "a\r\nb", ERROR_INVALID);
    assert_refused(TEXT("x"), "12345678901234567890123456789012345678901234567890123456789012345678901", ERROR_INVALID);
    buffer_append_string(&body, "--b\r\nA: ");
    for (size_t i = 0; i < MULTIPART_HEAD_BYTES; i++)
        buffer_append_char(&body, 'x');
    struct buffer seen;
    assert_code(read_in_pieces(buffer_text(&body), "b", 1000, &seen, NULL), ERROR_LIMIT);
    buffer_release(&seen);
    buffer_release(&body);
}

static void
fields_of_a_head_are_unfolded(void **state)
{
    struct text head = TEXT("Content-Type: application/zip\r\ncontent-disposition: attachment;\r\n name=\"payload\";\r\n"
                            "\tfilename=a.zip\r\nEmpty:\r\nContent-Type: second\r\n");
    struct buffer value = {0};
    assert_true(multipart_field(head, "Content-Disposition", &value));
    assert_text(buffer_text(&value), TEXT("attachment; name=\"payload\"; filename=a.zip"));
    buffer_clear(&value);
    assert_true(multipart_field(head, "CONTENT-TYPE", &value));
    assert_text(buffer_text(&value), TEXT("application/zip"));
    buffer_clear(&value);
    assert_true(multipart_field(head, "Empty", &value));
    assert_text(buffer_text(&value), TEXT(""));
    assert_false(multipart_field(head, "Content", &value));
    buffer_release(&value);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_come_out_as_they_went_in),
        cmocka_unit_test(preamble_and_epilogue_are_passed_over),
        cmocka_unit_test(what_only_looks_like_a_boundary_is_content),
        cmocka_unit_test(a_long_line_is_not_held_back),
        cmocka_unit_test(a_body_that_was_cut_off_is_refused),
        cmocka_unit_test(bad_boundaries_and_endless_heads_are_refused),
        cmocka_unit_test(fields_of_a_head_are_unfolded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
