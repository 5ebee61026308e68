/* SPDX-License-Identifier: Apache-2.0 */
/* The sorter against qsort: in memory, spilling, and with runs of runs. */
#include "catalog/sorter.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

struct sample {
    char key[40];
    size_t key_length;
    uint64_t order;
    char value[64];
    size_t value_length;
};

static uint64_t random_state;

static uint32_t
draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

/* Keys of few different bytes, zeros among them, of every length from none on: many are equal, many
 * begin alike, many differ by zeros at the end only. */
static void
make_sample(struct sample *sample, uint64_t number)
{
    sample->key_length = draw(4) == 0 ? draw(40) : draw(4) * 8 + draw(3);
    for (size_t i = 0; i < sample->key_length; i++)
        sample->key[i] = draw(8) == 0 ? (char)(draw(3) * 127) : 'k';
    sample->order = draw(2) == 0 ? number : number + ((uint64_t)draw(5) << 40);
    sample->value_length = draw(sizeof sample->value);
    memset(sample->value, (int)(number & 0xFF), sample->value_length);
}

static int
compare_samples(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    int order = text_compare(text_of(a->key, a->key_length), text_of(b->key, b->key_length));
    if (order != 0)
        return order;
    return a->order < b->order ? -1 : a->order > b->order;
}

static size_t
files_in(const char *folder)
{
    DIR *directory = opendir(folder);
    size_t count = 0;
    assert_non_null(directory);
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count - 2;
}

static void
sort_and_compare(uint64_t seed, size_t count, size_t memory_bytes)
{
    char folder[] = "/tmp/archivolt-sorter-XXXXXX";
    struct sample *samples = calloc(count + 1, sizeof *samples);
    struct sorter *sorter;
    struct sorter_record record;
    struct error error = {0};
    assert_non_null(mkdtemp(folder));
    assert_int_equal(sorter_new(folder, memory_bytes, &sorter, &error), ERROR_NONE);
    random_state = seed;
    for (size_t i = 0; i < count; i++) {
        make_sample(&samples[i], i);
        record =
            (struct sorter_record){text_of(samples[i].key, samples[i].key_length), samples[i].order,
                                   text_of(samples[i].value, samples[i].value_length)};
        assert_int_equal(sorter_add(sorter, &record, &error), ERROR_NONE);
    }
    assert_int_equal(sorter_finish(sorter, &error), ERROR_NONE);
    qsort(samples, count, sizeof *samples, compare_samples);
    for (size_t i = 0; i < count; i++) {
        assert_true(sorter_next(sorter, &record));
        assert_true(text_equal(record.key, text_of(samples[i].key, samples[i].key_length)));
        assert_true(record.order == samples[i].order);
        assert_true(text_equal(record.value, text_of(samples[i].value, samples[i].value_length)));
    }
    assert_false(sorter_next(sorter, &record));
    assert_int_equal(sorter_status(sorter, &error), ERROR_NONE);
    sorter_free(sorter);
    assert_int_equal(files_in(folder), 0);
    assert_int_equal(rmdir(folder), 0);
    free(samples);
}

static void
in_memory_it_agrees_with_qsort(void **state)
{
    (void)state;
    sort_and_compare(1, 0, 1 << 20);
    sort_and_compare(2, 1, 1 << 20);
    sort_and_compare(3, 13, 1 << 20);
    sort_and_compare(4, 30000, 8 << 20);
}

static void
spilling_it_agrees_with_qsort(void **state)
{
    (void)state;
    sort_and_compare(5, 2000, 64 << 10);
    sort_and_compare(6, 20000, 64 << 10);
}

static void
with_more_runs_than_one_merge_takes_it_agrees_with_qsort(void **state)
{
    (void)state;
    sort_and_compare(7, 100000, 64 << 10); /* some 140 runs: two merges of 64 before the last */
}

static void
records_nearly_as_large_as_the_memory_pass_and_larger_ones_are_refused(void **state)
{
    struct sorter *sorter;
    struct sorter_record record;
    struct error error = {0};
    static char large[64 << 10];
    (void)state;
    assert_int_equal(sorter_new("/tmp", 64 << 10, &sorter, &error), ERROR_NONE);
    for (uint64_t i = 0; i < 3; i++) {
        record = (struct sorter_record){TEXT("k"), 3 - i, text_of(large, 60000)};
        assert_int_equal(sorter_add(sorter, &record, &error), ERROR_NONE);
    }
    record.value.length = sizeof large;
    assert_int_equal(sorter_add(sorter, &record, &error), ERROR_LIMIT);
    assert_int_equal(sorter_finish(sorter, &error), ERROR_NONE);
    for (uint64_t i = 1; i <= 3; i++) {
        assert_true(sorter_next(sorter, &record));
        assert_true(record.order == i && record.value.length == 60000);
    }
    assert_false(sorter_next(sorter, &record));
    sorter_free(sorter);
}

static void
a_folder_that_is_not_there_fails_when_it_must_spill(void **state)
{
    struct sorter *sorter;
    struct sorter_record record = {TEXT("k"), 0, TEXT("0123456789012345678901234567890123456789")};
    struct error error = {0};
    enum error_code code = ERROR_NONE;
    (void)state;
    assert_int_equal(sorter_new("/tmp/archivolt-no-such", 64 << 10, &sorter, &error), ERROR_NONE);
    for (uint64_t i = 0; i < 2000 && code == ERROR_NONE; i++)
        code = sorter_add(sorter, &record, &error);
    assert_int_equal(code, ERROR_NOT_FOUND);
    assert_int_equal(sorter_finish(sorter, &error), ERROR_NOT_FOUND);
    assert_false(sorter_next(sorter, &record));
    assert_int_equal(sorter_status(sorter, &error), ERROR_NOT_FOUND);
    sorter_free(sorter);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory_it_agrees_with_qsort),
        cmocka_unit_test(spilling_it_agrees_with_qsort),
        cmocka_unit_test(with_more_runs_than_one_merge_takes_it_agrees_with_qsort),
        cmocka_unit_test(records_nearly_as_large_as_the_memory_pass_and_larger_ones_are_refused),
        cmocka_unit_test(a_folder_that_is_not_there_fails_when_it_must_spill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
