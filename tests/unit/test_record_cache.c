/* SPDX-License-Identifier: Apache-2.0 */
/* Made records in memory: found by their key alone, bounded in bytes. */
#include "unit.h"

#include "repository/record_cache.h"

static struct text
key_of_number(char text[32], unsigned n)
{
    return text_of(text, (size_t)snprintf(text, 32, "key %u", n));
}

static void
records_are_found_by_their_whole_key(void **state)
{
    struct record_cache *cache = record_cache_new(100000);
    struct buffer found = {0};
    buffer_append_string(&found, "before ");
    assert_false(record_cache_get(cache, TEXT("a"), &found));
    record_cache_put(cache, TEXT("a"), TEXT("first"));
    record_cache_put(cache, TEXT("ab"), TEXT("second"));
    record_cache_put(cache, TEXT("a"), TEXT("third")); /* in its place */
    assert_true(record_cache_get(cache, TEXT("a"), &found));
    assert_text(buffer_text(&found), TEXT("before third"));
    assert_false(record_cache_get(cache, TEXT("at"), &found));
    assert_false(record_cache_get(cache, TEXT(""), &found));
    assert_int_equal(record_cache_bytes(cache), 1 + 5 + 2 + 6);
    buffer_release(&found);
    record_cache_free(cache);
}

static void
its_bytes_stay_under_the_limit(void **state)
{
    enum { LIMIT = 200000, COUNT = 3000 };
    struct record_cache *cache = record_cache_new(LIMIT);
    char record[1000], name[32];
    size_t found = 0;
    memset(record, 'r', sizeof record);
    for (unsigned n = 0; n < COUNT; n++) {
        struct buffer buffer = {0};
        record_cache_put(cache, key_of_number(name, n), text_of(record, n % sizeof record));
        assert_true(record_cache_bytes(cache) <= LIMIT);
        assert_true(record_cache_get(cache, key_of_number(name, n), &buffer)); /* the newest is always there */
        assert_int_equal(buffer.length, n % sizeof record);
        buffer_release(&buffer);
    }
    for (unsigned n = 0; n < COUNT; n++) {
        struct buffer buffer = {0};
        found += record_cache_get(cache, key_of_number(name, n), &buffer);
        buffer_release(&buffer);
    }
    assert_true(found > 30 && found < 400);
    record_cache_free(cache);
}

static void
what_is_too_large_is_not_kept(void **state)
{
    static char record[RECORD_CACHE_ENTRY_MAXIMUM + 1];
    struct record_cache *none = record_cache_new(0), *small = record_cache_new(100), *large = record_cache_new(1 << 20);
    struct buffer found = {0};
    record_cache_put(none, TEXT("k"), TEXT("v"));
    assert_false(record_cache_get(none, TEXT("k"), &found));
    record_cache_put(small, TEXT("k"), text_of(record, 100));
    assert_false(record_cache_get(small, TEXT("k"), &found));
    record_cache_put(small, TEXT("k"), text_of(record, 99));
    assert_true(record_cache_get(small, TEXT("k"), &found));
    record_cache_put(large, TEXT("k"), text_of(record, sizeof record));
    assert_false(record_cache_get(large, TEXT("k"), &found));
    buffer_release(&found);
    record_cache_free(none);
    record_cache_free(small);
    record_cache_free(large);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_found_by_their_whole_key),
        cmocka_unit_test(its_bytes_stay_under_the_limit),
        cmocka_unit_test(what_is_too_large_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
