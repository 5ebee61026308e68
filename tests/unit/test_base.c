/* SPDX-License-Identifier: Apache-2.0 */
/* Base: errors, texts, buffers, arenas. */
#include "base/arena.h"
#include "base/buffer.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void
utf8_refuses_surrogates_overlong_forms_and_beyond_unicode(void **state)
{
    (void)state;
    assert_true(text_is_utf8(TEXT("Ärger \xF0\x9F\x98\x80 \xEF\xBF\xBE")));
    assert_false(text_is_utf8(TEXT("\x90")));
    assert_false(text_is_utf8(TEXT("\xC0\xAF")));
    assert_false(text_is_utf8(TEXT("\xED\xA0\x80")));
    assert_false(text_is_utf8(TEXT("\xF4\x90\x80\x80")));
    assert_false(text_is_utf8(TEXT("\xE2\x82")));
}

static void
numbers_that_overflow_or_carry_signs_are_refused(void **state)
{
    uint64_t value = 7;
    (void)state;
    assert_true(text_to_u64(TEXT("18446744073709551615"), &value));
    assert_true(value == UINT64_MAX);
    assert_false(text_to_u64(TEXT("18446744073709551616"), &value));
    assert_false(text_to_u64(TEXT("+1"), &value));
    assert_false(text_to_u64(TEXT(""), &value));
    assert_true(value == UINT64_MAX);
}

static void
numbers_of_bytes_have_units(void **state)
{
    static const struct {
        struct text text;
        uint64_t bytes;
    } cases[] = {{TEXT("0"), 0}, {TEXT("10240"), 10240}, {TEXT("7B"), 7}, {TEXT("10KiB"), 10240}, {TEXT("1MB"), 1000000},
                 {TEXT("50MiB"), 52428800}, {TEXT("3kB"), 3000}, {TEXT("2G"), 2000000000}, {TEXT("4GiB"), UINT64_C(4) << 30}};
    static const struct text refused[] = {TEXT(""), TEXT("KiB"), TEXT("10 KiB"), TEXT("10kib"), TEXT("1.5MB"), TEXT("-1"),
                                          TEXT("1MiBx"), TEXT("17179869184GiB"), TEXT("99999999999999999999")};
    uint64_t value;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(text_to_bytes(cases[i].text, &value));
        assert_true(value == cases[i].bytes);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(text_to_bytes(refused[i], &value));
    assert_true(text_to_bytes(text_of("12KiB", 2), &value)); /* not a byte past its length is looked at */
    assert_true(value == 12);
}

static void
numbers_are_written_short_and_wide(void **state)
{
    char out[24];
    (void)state;
    memset(out, 'x', sizeof out);
    assert_int_equal(decimal_write(out, 0), 1);
    assert_memory_equal(out, "0x", 2);
    assert_int_equal(decimal_write(out, 1009), 4);
    assert_memory_equal(out, "1009x", 5);
    assert_int_equal(decimal_write(out, UINT64_MAX), 20);
    assert_memory_equal(out, "18446744073709551615x", 21);
    decimal_write_wide(out, 6, 1009);
    assert_memory_equal(out, "001009", 6);
    decimal_write_wide(out, 3, 1009);
    assert_memory_equal(out, "0090", 3);
}

static void
a_buffer_over_its_limit_stays_failed(void **state)
{
    struct buffer buffer;
    struct error error = {0};
    (void)state;
    buffer_init(&buffer, 4);
    buffer_append_string(&buffer, "abc");
    assert_int_equal(buffer_status(&buffer, &error), ERROR_NONE);
    buffer_append_string(&buffer, "de");
    buffer_append_string(&buffer, "f");
    assert_int_equal(buffer_status(&buffer, &error), ERROR_LIMIT);
    assert_int_equal(buffer.length, 3);
    buffer_release(&buffer);
}

static void
varints_and_big_endian_numbers_come_back(void **state)
{
    struct buffer buffer = {0};
    (void)state;
    buffer_append_varint(&buffer, UINT64_MAX);
    buffer_append_varint(&buffer, 0);
    buffer_append_be(&buffer, 0x0102030405060708u, 8);
    struct cursor cursor = cursor_of(buffer.data, buffer.length);
    assert_true(cursor_varint(&cursor) == UINT64_MAX);
    assert_true(cursor_varint(&cursor) == 0);
    assert_true(cursor_be(&cursor, 8) == 0x0102030405060708u);
    assert_false(cursor.bad);
    cursor_be(&cursor, 1);
    assert_true(cursor.bad);
    buffer_release(&buffer);
}

static void
an_arena_over_its_limit_says_so(void **state)
{
    struct arena arena;
    struct error error = {0};
    (void)state;
    arena_init(&arena, 100);
    assert_non_null(arena_alloc(&arena, 64));
    assert_null(arena_alloc(&arena, 64));
    assert_int_equal(arena_status(&arena, &error), ERROR_LIMIT);
    arena_reset(&arena);
    assert_string_equal(arena_copy(&arena, TEXT("again")).data, "again");
    arena_release(&arena);
}

static void
a_forgiven_failure_leaves_no_error(void **state)
{
    struct error error = {0};
    assert_int_equal(error_forgive(&error, error_set(&error, ERROR_IO, "no"), ERROR_NOT_FOUND), ERROR_IO);
    assert_string_equal(error.message, "no");
    assert_int_equal(error_forgive(&error, error_set(&error, ERROR_NOT_FOUND, "none"), ERROR_NOT_FOUND), ERROR_NONE);
    assert_int_equal(error.code, ERROR_NONE);
    assert_string_equal(error.message, "");
    assert_int_equal(error_forgive(NULL, ERROR_NOT_FOUND, ERROR_NOT_FOUND), ERROR_NONE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_refuses_surrogates_overlong_forms_and_beyond_unicode),
        cmocka_unit_test(numbers_that_overflow_or_carry_signs_are_refused),
        cmocka_unit_test(numbers_of_bytes_have_units),
        cmocka_unit_test(numbers_are_written_short_and_wide),
        cmocka_unit_test(a_buffer_over_its_limit_stays_failed),
        cmocka_unit_test(varints_and_big_endian_numbers_come_back),
        cmocka_unit_test(an_arena_over_its_limit_says_so),
        cmocka_unit_test(a_forgiven_failure_leaves_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
