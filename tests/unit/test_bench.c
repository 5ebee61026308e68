/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the load tester: bodies, figures, and a limit of the disk. */
#include "unit.h"

#include "bench/body.h"
#include "bench/limits.h"
#include "bench/statistics.h"

#include <unistd.h>

static void
bodies_of_two_numbers_are_never_the_same(void **state)
{
    enum { NUMBERS = 65536 };
    static bool seen[NUMBERS];
    struct buffer body = {0};
    (void)state;
    for (uint64_t number = 0; number < NUMBERS; number++) { /* two bytes tell 65,536 numbers apart, so more bytes do too */
        buffer_clear(&body);
        body_append(7, number, 2, &body);
        assert_int_equal(body.length, 2);
        unsigned found = (unsigned)(uint8_t)body.data[0] | (unsigned)(uint8_t)body.data[1] << 8;
        assert_false(seen[found]);
        seen[found] = true;
    }
    buffer_release(&body);
}

static void
bodies_follow_from_seed_and_number(void **state)
{
    struct buffer first = {0}, again = {0}, other = {0}, longer = {0};
    (void)state;
    body_append(1, 5, 100, &first);
    body_append(1, 5, 100, &again);
    body_append(2, 5, 100, &other);
    body_append(1, 5, 1000, &longer);
    assert_text(buffer_text(&again), buffer_text(&first));
    assert_false(text_equal(buffer_text(&other), buffer_text(&first)));
    assert_text(text_of(longer.data, 100), buffer_text(&first));
    buffer_release(&first);
    buffer_release(&again);
    buffer_release(&other);
    buffer_release(&longer);
}

static void
any_piece_of_a_body_can_be_made_alone(void **state)
{
    struct buffer whole = {0};
    char piece[40];
    (void)state;
    body_append(3, 11, 40, &whole);
    for (size_t from = 0; from < 40; from++)
        for (size_t length = 0; length <= 40 - from; length++) {
            body_fill(3, 11, from, piece, length);
            assert_memory_equal(piece, whole.data + from, length);
        }
    buffer_release(&whole);
}

/* Every byte value about as often as any other, within one body and from one body to the next. */
static void
bodies_look_like_noise(void **state)
{
    uint64_t within[256] = {0}, across[256] = {0};
    struct buffer body = {0};
    (void)state;
    body_append(0, 0, 256 * 1000, &body);
    for (size_t i = 0; i < body.length; i++)
        within[(uint8_t)body.data[i]]++;
    for (uint64_t number = 0; number < 256 * 1000; number++) {
        char byte;
        body_fill(0, number, 50, &byte, 1);
        across[(uint8_t)byte]++;
    }
    for (int i = 0; i < 256; i++) { /* expected 1,000; the standard deviation is 32 */
        assert_in_range(within[i], 800, 1200);
        assert_in_range(across[i], 800, 1200);
    }
    buffer_release(&body);
}

static void
quantiles_by_nearest_rank(void **state)
{
    /* The worked example of the nearest-rank method, and one whose parts fall on ranks exactly. */
    static const uint64_t five[] = {15, 20, 35, 40, 50};
    uint64_t hundred[100];
    (void)state;
    assert_int_equal(statistics_quantile(five, 5, 500), 15);
    assert_int_equal(statistics_quantile(five, 5, 3000), 20);
    assert_int_equal(statistics_quantile(five, 5, 4000), 20);
    assert_int_equal(statistics_quantile(five, 5, 5000), 35);
    assert_int_equal(statistics_quantile(five, 5, 10000), 50);
    for (uint64_t i = 0; i < 100; i++)
        hundred[i] = i + 1;
    for (unsigned percent = 1; percent <= 100; percent++)
        assert_int_equal(statistics_quantile(hundred, 100, percent * 100), percent);
    assert_int_equal(statistics_quantile(hundred, 100, 9990), 100);
    assert_int_equal(statistics_quantile(hundred, 100, 0), 1);
}

static void
quantiles_of_none_one_and_two(void **state)
{
    static const uint64_t values[] = {3, 9};
    static const unsigned parts[] = {0, 5000, 5001, 10000};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(statistics_quantile(NULL, 0, parts[i]), 0);
        assert_int_equal(statistics_quantile(values, 1, parts[i]), 3);
        assert_int_equal(statistics_quantile(values, 2, parts[i]), i < 2 ? 3 : 9);
    }
}

static void
values_are_sorted_as_numbers(void **state)
{
    uint64_t values[] = {UINT64_MAX, 0, 10, 9, UINT64_MAX - 1, 9};
    static const uint64_t sorted[] = {0, 9, 9, 10, UINT64_MAX - 1, UINT64_MAX};
    (void)state;
    statistics_sort(values, 6);
    assert_memory_equal(values, sorted, sizeof sorted);
}

static void
rates_of_stretches(void **state)
{
    /* Two operations in the first second, then four, then none measurable. */
    static const uint64_t ends[] = {500000000, 1000000000, 1250000000, 1500000000, 1500000000, 1500000000};
    double rates[3] = {-1, -1, -1};
    (void)state;
    assert_true(statistics_rates(ends, 6, 3, rates));
    assert_float_equal(rates[0], 2, 1e-9);
    assert_float_equal(rates[1], 4, 1e-9);
    assert_float_equal(rates[2], 0, 1e-9);
    assert_true(statistics_rates(ends, 4, 3, rates)); /* stretches of 1, 1 and 2 */
    assert_float_equal(rates[0], 2, 1e-9);
    assert_float_equal(rates[2], 4, 1e-9);
    rates[0] = -1;
    assert_false(statistics_rates(ends, 2, 3, rates));
    assert_float_equal(rates[0], -1, 1e-9);
}

static void
appends_are_measured_and_leave_nothing(void **state)
{
    char folder[] = "/tmp/archivolt-test-bench-XXXXXX";
    struct appends found = {0};
    struct error error = {0};
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_code(limit_appends(folder, 3, 1000, 0, &found, &error), ERROR_NONE); /* no time: one append all the same */
    assert_int_equal(found.deposits, 3);
    assert_true(found.rate > 0 && found.p50_ns > 0);
    assert_int_equal(rmdir(folder), 0);
    assert_code(limit_appends(folder, 1, 1000, 0, &found, &error), ERROR_NOT_FOUND);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_two_numbers_are_never_the_same),
        cmocka_unit_test(bodies_follow_from_seed_and_number),
        cmocka_unit_test(any_piece_of_a_body_can_be_made_alone),
        cmocka_unit_test(bodies_look_like_noise),
        cmocka_unit_test(quantiles_by_nearest_rank),
        cmocka_unit_test(quantiles_of_none_one_and_two),
        cmocka_unit_test(values_are_sorted_as_numbers),
        cmocka_unit_test(rates_of_stretches),
        cmocka_unit_test(appends_are_measured_and_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
