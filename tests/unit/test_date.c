/* SPDX-License-Identifier: Apache-2.0 */
/* Dates: RFC 3339 and HTTP. */
#include "unit.h"

#include "format/date.h"

static void
assert_written(int64_t time_us, enum date_precision precision, const char *expected)
{
    char out[DATE_TEXT_SIZE];
    size_t length = date_write(time_us, precision, out);
    assert_string_equal(out, expected);
    assert_int_equal(length, strlen(expected));
}

static void
assert_parsed(const char *text, int64_t expected)
{
    int64_t time_us = -1;
    if (!date_parse(text_from(text), &time_us))
        fail_msg("refused: %s", text);
    assert_int_equal(time_us, expected);
}

static void
rfc3339_is_written_at_each_precision(void **state)
{
    (void)state;
    assert_written(0, DATE_SECONDS, "1970-01-01T00:00:00Z");
    assert_written(1796086292123456, DATE_MICROSECONDS, "2026-12-01T00:51:32.123456Z");
    assert_written(1796086292123456, DATE_MILLISECONDS, "2026-12-01T00:51:32.123Z");
    assert_written(1796086292123456, DATE_DAYS, "2026-12-01");
    assert_written(-1, DATE_MICROSECONDS, "1969-12-31T23:59:59.999999Z");
    assert_written(951782400000000, DATE_SECONDS, "2000-02-29T00:00:00Z");
    assert_written(DATE_MIN, DATE_SECONDS, "0000-01-01T00:00:00Z");
    assert_written(DATE_MAX, DATE_MICROSECONDS, "9999-12-31T23:59:59.999999Z");
    assert_written(INT64_MAX, DATE_DAYS, "9999-12-31");
}

static void
rfc3339_is_read_with_fractions_and_offsets(void **state)
{
    (void)state;
    assert_parsed("1985-04-12T23:20:50.52Z", 482196050520000); /* RFC 3339 section 5.8 */
    assert_parsed("1996-12-19T16:39:57-08:00", 851042397000000);
    assert_parsed("1937-01-01T12:00:27.87+00:20", -1041337172130000);
    assert_parsed("2026-12-01t00:51:32.1234567899z", 1796086292123456);
    assert_parsed("0000-01-01T00:00:00Z", DATE_MIN);
    assert_parsed("9999-12-31T23:59:59.999999Z", DATE_MAX);
}

static void
what_is_no_date_is_refused(void **state)
{
    static const char *const bad[] = {
        "", "2026-12-01", "2026-12-01T00:51Z", "2026-12-01T00:51:32", "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
        "2026-04-31T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T23:60:00Z", "1990-12-31T23:59:60Z",
        "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+24:00",
        "2026-01-01 00:00:00Z", "2026-01-01T00:00:00Zx", "+026-01-01T00:00:00Z",
        "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2013-01-16T2000:00:00z"};
    int64_t time_us;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (date_parse(text_from(bad[i]), &time_us))
            fail_msg("accepted: %s", bad[i]);
    }
    assert_false(date_parse_day(TEXT("2026-1-01"), &time_us));
    assert_true(date_parse_day(TEXT("1970-01-02"), &time_us));
    assert_int_equal(time_us, 86400000000);
}

static void
every_day_of_400_years_goes_there_and_back(void **state)
{
    (void)state;
    for (int64_t day = -150000; day < 150000; day += 7) {
        char out[DATE_TEXT_SIZE];
        int64_t back;
        size_t length = date_write(day * 86400000000, DATE_DAYS, out);
        assert_true(date_parse_day(text_of(out, length), &back));
        assert_int_equal(back, day * 86400000000);
    }
}

static void
http_dates_come_in_three_forms_and_go_out_in_one(void **state)
{
    static const char *const forms[] = {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                                        "Sun Nov  6 08:49:37 1994"};
    const int64_t now = 1796086292000000;
    char out[DATE_TEXT_SIZE];
    int64_t time_us;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_true(date_parse_http(text_from(forms[i]), now, &time_us));
        assert_int_equal(time_us, 784111777000000);
    }
    date_write_http(784111777999999, out);
    assert_string_equal(out, forms[0]);
    date_write_http(0, out);
    assert_string_equal(out, "Thu, 01 Jan 1970 00:00:00 GMT");
    assert_true(date_parse_http(TEXT("Sunday, 06-Nov-76 08:49:37 GMT"), now, &time_us));
    date_write(time_us, DATE_DAYS, out);
    assert_string_equal(out, "2076-11-06");
    assert_true(date_parse_http(TEXT("Sunday, 06-Nov-77 08:49:37 GMT"), now, &time_us));
    date_write(time_us, DATE_DAYS, out);
    assert_string_equal(out, "1977-11-06");
}

static void
bad_http_dates_are_refused(void **state)
{
    static const char *const bad[] = {"", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:60 GMT",
                                      "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
                                      "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
                                      "1994-11-06T08:49:37Z", "Sun Nov 06 08:49:37 1994 GMT"};
    int64_t time_us;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (date_parse_http(text_from(bad[i]), 0, &time_us))
            fail_msg("accepted: %s", bad[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc3339_is_written_at_each_precision),
        cmocka_unit_test(rfc3339_is_read_with_fractions_and_offsets),
        cmocka_unit_test(what_is_no_date_is_refused),
        cmocka_unit_test(every_day_of_400_years_goes_there_and_back),
        cmocka_unit_test(http_dates_come_in_three_forms_and_go_out_in_one),
        cmocka_unit_test(bad_http_dates_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
