/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a catalog from sorted keys. */
#include "catalog/catalog.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static int
remove_entry(const char *path, const struct stat *stat, int kind, struct FTW *where)
{
    (void)stat;
    (void)kind;
    (void)where;
    return remove(path);
}

static int
make_folder_name(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/archivolt-loader-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(rmdir(folder), 0); /* the loader makes it */
    return 0;
}

static int
remove_folder(void **state)
{
    (void)state;
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return 0;
}

static struct catalog *
open_catalog(void)
{
    const struct catalog_rocksdb_options options = {.path = folder, .cache_bytes = 8u << 20};
    struct catalog *catalog = NULL;
    assert_int_equal(catalog_rocksdb_open(&options, &catalog, NULL), ERROR_NONE);
    return catalog;
}

static void
put_number(struct catalog_loader *loader, uint64_t number)
{
    char key[16], value[16];
    int key_length = snprintf(key, sizeof key, "%08llu", (unsigned long long)number);
    int value_length = snprintf(value, sizeof value, "%llu", (unsigned long long)(number * 3));
    assert_int_equal(catalog_loader_put(loader, text_of(key, (size_t)key_length),
                                        text_of(value, (size_t)value_length), NULL),
                     ERROR_NONE);
}

static void
all_that_was_loaded_is_there_in_order_and_can_be_changed(void **state)
{
    enum { COUNT = 50000 };
    struct catalog_loader *loader;
    struct catalog_scan *scan;
    struct text key, value;
    const struct catalog_scan_range all = {.backward = false};
    (void)state;
    assert_int_equal(catalog_loader_new(folder, &loader, NULL), ERROR_NONE);
    for (uint64_t i = 0; i < COUNT; i++)
        put_number(loader, i);
    assert_int_equal(catalog_loader_finish(loader, NULL), ERROR_NONE);
    catalog_loader_free(loader);
    struct catalog *catalog = open_catalog();
    assert_int_equal(catalog_scan_open(catalog, NULL, &all, &scan, NULL), ERROR_NONE);
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t number = 0;
        assert_true(catalog_scan_next(scan, &key, &value));
        assert_true(text_to_u64(key, &number) && number == i);
        assert_true(text_to_u64(value, &number) && number == i * 3);
    }
    assert_false(catalog_scan_next(scan, &key, &value));
    assert_int_equal(catalog_scan_close(scan, NULL), ERROR_NONE);
    struct catalog_batch *batch = catalog_batch_new();
    struct buffer found = {0};
    catalog_batch_put(batch, TEXT("00000007"), TEXT("changed"));
    catalog_batch_delete(batch, TEXT("00000008"));
    assert_int_equal(catalog_write(catalog, batch, NULL), ERROR_NONE);
    assert_int_equal(catalog_get(catalog, NULL, TEXT("00000007"), &found, NULL), ERROR_NONE);
    assert_string_equal(buffer_string(&found), "changed");
    assert_int_equal(catalog_get(catalog, NULL, TEXT("00000008"), &found, NULL), ERROR_NOT_FOUND);
    buffer_release(&found);
    catalog_batch_free(batch);
    catalog_close(catalog);
}

static void
keys_that_do_not_ascend_are_corrupt_and_nothing_is_left(void **state)
{
    struct catalog_loader *loader;
    struct error error = {0};
    (void)state;
    for (int equal = 0; equal < 2; equal++) {
        assert_int_equal(catalog_loader_new(folder, &loader, NULL), ERROR_NONE);
        put_number(loader, 5);
        assert_int_equal(catalog_loader_put(loader, equal ? TEXT("00000005") : TEXT("00000004"),
                                            TEXT(""), &error),
                         ERROR_CORRUPT);
        assert_int_equal(catalog_loader_finish(loader, &error), ERROR_CORRUPT);
        catalog_loader_free(loader);
        assert_int_not_equal(access(folder, F_OK), 0);
    }
}

static void
an_unfinished_load_removes_what_it_made(void **state)
{
    struct catalog_loader *loader;
    (void)state;
    assert_int_equal(catalog_loader_new(folder, &loader, NULL), ERROR_NONE);
    put_number(loader, 1);
    catalog_loader_free(loader);
    assert_int_not_equal(access(folder, F_OK), 0);
}

static void
nothing_loaded_is_an_empty_catalog(void **state)
{
    struct catalog_loader *loader;
    struct buffer value = {0};
    (void)state;
    assert_int_equal(catalog_loader_new(folder, &loader, NULL), ERROR_NONE);
    assert_int_equal(catalog_loader_finish(loader, NULL), ERROR_NONE);
    catalog_loader_free(loader);
    struct catalog *catalog = open_catalog();
    assert_int_equal(catalog_get(catalog, NULL, TEXT("a"), &value, NULL), ERROR_NOT_FOUND);
    catalog_close(catalog);
    buffer_release(&value);
}

static void
a_folder_with_a_catalog_in_it_is_left_alone(void **state)
{
    struct catalog_loader *loader = NULL;
    (void)state;
    catalog_close(open_catalog());
    assert_int_equal(catalog_loader_new(folder, &loader, NULL), ERROR_EXISTS);
    assert_null(loader);
    catalog_close(open_catalog());
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder_name, remove_folder)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(all_that_was_loaded_is_there_in_order_and_can_be_changed),
        IN_FOLDER(keys_that_do_not_ascend_are_corrupt_and_nothing_is_left),
        IN_FOLDER(an_unfinished_load_removes_what_it_made),
        IN_FOLDER(nothing_loaded_is_an_empty_catalog),
        IN_FOLDER(a_folder_with_a_catalog_in_it_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
