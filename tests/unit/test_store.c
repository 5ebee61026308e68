/* SPDX-License-Identifier: Apache-2.0 */
/* The store over a real folder: what is committed is there after reopening, and checked on reading.
 */
#include "store_fixture.h"

static void
what_is_committed_is_there_after_reopening(void **state)
{
    static const size_t sizes[] = {0, 1, 511, 512, 513, 4096, 10240, 65536, 65537, 200000, 1000000};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    struct content_reference references[COUNT];
    struct buffer sums[COUNT] = {0};
    struct fixture f;
    struct error error = {0};
    struct position last = {0};
    (void)state;
    make_fixture(&f);
    open_store(&f, NULL);
    check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
    for (unsigned i = 0; i < COUNT; i++)
        last = deposit(&f, i, sizes[i], &references[i], &sums[i]);
    for (unsigned i = 0; i < COUNT; i++)
        expect_content(&f, i, &references[i]);
    assert_int_equal(count_groups(&f, 0), COUNT);
    for (int with_known = 0; with_known < 2; with_known++) {
        store_close(f.store);
        open_store(&f, with_known ? &last : NULL);
        assert_int_equal(f.faults, 0);
        assert_int_equal(f.recovery.tail_bytes, 0);
        assert_true(f.recovery.last_group_rewritten);
        struct position now = store_position(f.store);
        assert_memory_equal(&now, &last, sizeof now);
        for (unsigned i = 0; i < COUNT; i++)
            expect_content(&f, i, &references[i]);
        assert_int_equal(count_groups(&f, 0), COUNT);
        assert_int_equal(count_groups(&f, 7), COUNT - 6);
    }
    for (unsigned i = 0; i < COUNT; i++)
        buffer_release(&sums[i]);
    release(&f);
}

static void
volumes_are_sealed_at_their_size_and_the_chain_goes_on(void **state)
{
    enum { COUNT = 300 };
    struct fixture f;
    struct content_reference *references = calloc(COUNT, sizeof *references);
    struct buffer *sums = calloc(COUNT, sizeof *sums);
    struct position last = {0};
    (void)state;
    make_fixture(&f);
    open_store(&f, NULL);
    for (unsigned i = 0; i < COUNT; i++)
        last = deposit(&f, i, 40000, &references[i], &sums[i]);
    assert_true(last.volume > 2);
    assert_int_equal(count_groups(&f, 0), COUNT);
    store_close(f.store);
    open_store(&f, NULL);
    struct position now = store_position(f.store);
    assert_memory_equal(&now, &last, sizeof now);
    assert_int_equal(count_groups(&f, 0), COUNT);
    assert_int_equal(count_groups(&f, 150), COUNT - 149);
    for (unsigned i = 0; i < COUNT; i++) {
        expect_content(&f, i, &references[i]);
        buffer_release(&sums[i]);
    }
    free(sums);
    free(references);
    release(&f);
}

static void
a_torn_tail_is_copied_and_cut(void **state)
{
    struct fixture f;
    struct position before, last;
    char path[200];
    (void)state;
    make_fixture(&f);
    open_store(&f, NULL);
    before = deposit(&f, 1, 5000, NULL, NULL);
    last = deposit(&f, 2, 5000, NULL, NULL);
    store_close(f.store);
    cut_file(&f, "log-0000000001.tar", 512);
    open_store(&f, &before);
    assert_int_not_equal(f.recovery.tail_bytes, 0);
    assert_false(f.recovery.position_unknown);
    snprintf(path, sizeof path, "%s/%s", f.lost, f.recovery.tail_copy);
    assert_int_equal(access(path, R_OK), 0);
    struct position now = store_position(f.store);
    assert_memory_equal(&now, &before, sizeof now);
    store_close(f.store);
    open_store(&f, &last);
    assert_true(f.recovery.position_unknown);
    deposit(&f, 3, 100, NULL, NULL);
    assert_int_equal(count_groups(&f, 0), 2);
    release(&f);
}

static void
a_damaged_block_is_refused_and_the_others_are_read(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct content_reference reference;
    struct buffer sums = {0};
    char name[40], *data = malloc(300000);
    (void)state;
    make_fixture(&f);
    open_store(&f, NULL);
    check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
    deposit(&f, 1, 300000, &reference, &sums);
    snprintf(name, sizeof name, "bulk-%010llu.tar", (unsigned long long)reference.place.volume);
    flip(&f, name, reference.place.offset + 70000);
    assert_int_equal(store_read_content(f.store, &reference, 0, data, 300000, &error),
                     ERROR_CORRUPT);
    assert_int_equal(store_read_content(f.store, &reference, 65535, data, 2, &error),
                     ERROR_CORRUPT);
    check(store_read_content(f.store, &reference, 0, data, 65536, &error), &error);
    check(store_read_content(f.store, &reference, 131072, data, 300000 - 131072, &error), &error);
    free(data);
    buffer_release(&sums);
    release(&f);
}

static void
damage_before_an_intact_group_cuts_nothing(void **state)
{
    struct fixture f;
    struct position first, second, last;
    (void)state;
    make_fixture(&f);
    open_store(&f, NULL);
    first = deposit(&f, 1, 5000, NULL, NULL);
    second = deposit(&f, 2, 5000, NULL, NULL);
    last = deposit(&f, 3, 5000, NULL, NULL);
    store_close(f.store);
    flip(&f, "log-0000000001.tar", second.offset + 20);
    open_store(&f, &first);
    assert_int_equal(f.recovery.tail_bytes, 0);
    assert_int_equal(f.faults, 1);
    struct position now = store_position(f.store);
    assert_memory_equal(&now, &last, sizeof now);
    release(&f);
}

static void
all_tars_list_a_live_volume(void **state)
{
    static const char *const readers[] = {
        "tar -tvf %s/%s >/dev/null 2>%s/err", "bsdtar -tvf %s/%s >/dev/null 2>%s/err",
        "python3 -c 'import sys,tarfile; tarfile.open(sys.argv[1]).getnames()' %s/%s 2>%s/err"};
    static const char *const volumes[] = {"log-0000000001.tar", "bulk-0000000002.tar"};
    struct fixture f;
    struct error error = {0};
    char command[400];
    struct stat stat_buffer;
    (void)state;
    make_fixture(&f);
    open_store(&f, NULL);
    check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
    for (unsigned i = 0; i < 20; i++)
        deposit(&f, i, i % 5 == 0 ? 100000 : 700, NULL, NULL);
    for (size_t r = 0; r < sizeof readers / sizeof *readers; r++) {
        for (size_t v = 0; v < 2; v++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(command, sizeof command, readers[r], f.volumes, volumes[v], f.folder);
#pragma GCC diagnostic pop
            if (system(command) != 0)
                fail_msg("%s", command);
            snprintf(command, sizeof command, "%s/err", f.folder);
            assert_int_equal(stat(command, &stat_buffer), 0);
            assert_int_equal(stat_buffer.st_size, 0);
        }
    }
    release(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_committed_is_there_after_reopening),
        cmocka_unit_test(volumes_are_sealed_at_their_size_and_the_chain_goes_on),
        cmocka_unit_test(a_torn_tail_is_copied_and_cut),
        cmocka_unit_test(a_damaged_block_is_refused_and_the_others_are_read),
        cmocka_unit_test(damage_before_an_intact_group_cuts_nothing),
        cmocka_unit_test(all_tars_list_a_live_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
