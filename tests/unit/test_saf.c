/* SPDX-License-Identifier: Apache-2.0 */
/* The Simple Archive Format: items of an archive and of a directory, flags in any order, and what is refused. */
#include "package_fixture.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define DC "<dublin_core><dcvalue element=\"title\" qualifier=\"none\">A Tale of Two Cities</dcvalue>" \
    "<dcvalue element=\"date\" qualifier=\"issued\">1990</dcvalue>" \
    "<dcvalue element=\"title\" qualifier=\"alternative\" language=\"fr\">J'aime les Printemps</dcvalue></dublin_core>"
#define DCTERMS "<dublin_core schema=\"dcterms\"><dcvalue element=\"title\" qualifier=\"\">Again</dcvalue></dublin_core>"

static void
an_item_of_an_archive_has_fields_files_handle_and_lists(void **state)
{
    struct world w;
    struct zip zip = {0};
    (void)state;
    world_init(&w);
    zip_file(&zip, "saf/item_000/file1.txt", "one");
    zip_file(&zip, "saf/item_000/sub/two words.txt", "two");
    zip_file(&zip, "saf/item_000/license.txt", "grant");
    zip_file(&zip, "saf/item_000/extra.txt", "x");
    zip_file(&zip, "saf/item_000/contents", "file1.txt\tprimary:true \tbundle:THUMBNAIL\tdescription:A b\n"
                                            "sub/two words.txt\tdescription:first\tpermissions:-r 'Anonymous'\r\nlicense.txt\n");
    zip_file(&zip, "saf/item_000/metadata_dcterms.xml", DCTERMS);
    zip_file(&zip, "saf/item_000/dublin_core.xml", DC);
    zip_file(&zip, "saf/item_000/handle", "123456789/12\n");
    zip_file(&zip, "saf/item_000/collections", "123456789/2\n123456789/3\n");
    zip_file(&zip, "saf/item_000/relationships", "relation.isPartOf folderName:item_000\n");
    struct package package = read_accepted(&w, PACKAGING_SAF, zip_end(&zip));
    assert_field(&package, 0, "dc.title=A Tale of Two Cities");
    assert_field(&package, 1, "dc.date.issued=1990");
    assert_field(&package, 2, "dc.title.alternative=J'aime les Printemps");
    assert_true(text_equal(package.fields.items[2].language, TEXT("fr")));
    assert_field(&package, 3, "dcterms.title=Again");
    assert_file(&package, "THUMBNAIL", "file1.txt", "one");
    assert_true(file_of(&package, "THUMBNAIL", "file1.txt")->primary);
    assert_true(text_equal(file_of(&package, "THUMBNAIL", "file1.txt")->description, TEXT("A b")));
    assert_file(&package, "ORIGINAL", "sub/two words.txt", "two");
    assert_file(&package, "LICENSE", "license.txt", "grant");
    assert_non_null(find_file(&package, "METADATA", "dublin_core.xml"));
    assert_non_null(find_file(&package, "METADATA", "metadata_dcterms.xml"));
    assert_file(&package, "METADATA", "relationships", "relation.isPartOf folderName:item_000\n");
    assert_int_equal(package.file_count, 6);
    assert_true(text_equal(package.handle, TEXT("123456789/12")));
    assert_true(text_equal(package.collections, TEXT("123456789/2\n123456789/3\n")));
    assert_true(text_equal(package.relations, TEXT("relation.isPartOf folderName:item_000\n")));
    assert_true(text_equal(package.embargo, TEXT("")));
    assert_reported(&package, "\"extra.txt\" is in the directory, and contents does not");
    package_release(&package);
    world_release(&w);
}

static void
a_batch_goes_on_after_an_item_that_is_wrong(void **state)
{
    struct world w;
    struct zip zip = {0};
    struct package_batch *batch = NULL;
    struct package package;
    (void)state;
    world_init(&w);
    zip_file(&zip, "item_10/dublin_core.xml", DC);
    zip_file(&zip, "item_9/dublin_core.xml", DC);
    zip_file(&zip, "item_9/contents", "missing.pdf\n");
    zip_file(&zip, "item_2/dublin_core.xml", DC);
    zip_file(&zip, "mapfile", "x");
    struct buffer bytes = zip_end(&zip);
    struct package_request request = request_of(&w, PACKAGING_SAF, &bytes);
    assert_int_equal(package_batch_open(&request, NULL, &batch, &w.error), ERROR_NONE);
    assert_int_equal(package_batch_count(batch), 3);
    assert_true(text_equal(package_batch_name(batch, 0), TEXT("item_2")));
    assert_true(text_equal(package_batch_name(batch, 1), TEXT("item_9")));
    assert_true(text_equal(package_batch_name(batch, 2), TEXT("item_10")));
    for (size_t i = 0; i < 3; i++) {
        enum error_code code = package_batch_read(batch, i, &w.arena, &package, &w.error);
        assert_int_equal(code, i == 1 ? ERROR_INVALID : ERROR_NONE);
        if (code == ERROR_NONE)
            package_release(&package);
        else
            assert_non_null(strstr(w.error.message, "item \"item_9\": contents, line 1: \"missing.pdf\" is missing"));
        assert_nothing_left(&w);
    }
    package_batch_free(batch);
    struct packages packages;
    assert_int_equal(package_read_all(&request, &packages, &w.error), ERROR_INVALID); /* all or none */
    buffer_release(&bytes);
    world_release(&w);
}

struct counted {
    struct buffer bytes;
    uint64_t read_bytes;
};

static enum error_code
read_counted(void *context, uint64_t offset, void *data, size_t length, struct error *error)
{
    struct counted *counted = context;
    counted->read_bytes += length;
    return fixture_read_buffer(&counted->bytes, offset, data, length, error);
}

static void
an_item_costs_the_same_wherever_it_lies_in_the_zip(void **state)
{
    enum { ITEMS = 300 };
    struct world w;
    struct zip zip = {0};
    struct counted counted = {0};
    struct package_batch *batch = NULL;
    struct package package;
    char name[64];
    (void)state;
    world_init(&w);
    for (unsigned i = ITEMS; i > 0; i--) { /* the other way round than they are read */
        snprintf(name, sizeof name, "item_%u/contents", i);
        zip_file(&zip, name, "a\n");
        snprintf(name, sizeof name, "item_%u/a", i);
        zip_file(&zip, name, name);
        snprintf(name, sizeof name, "item_%u/dublin_core.xml", i);
        zip_file(&zip, name, DC);
    }
    counted.bytes = zip_end(&zip);
    struct package_request request = request_of(&w, PACKAGING_SAF, &counted.bytes);
    request.source.read = read_counted;
    request.source.context = &counted;
    assert_int_equal(package_batch_open(&request, NULL, &batch, &w.error), ERROR_NONE);
    assert_int_equal(package_batch_count(batch), ITEMS);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(package_batch_read(batch, i, &w.arena, &package, &w.error), ERROR_NONE);
        snprintf(name, sizeof name, "item_%zu/a", i + 1);
        assert_file(&package, "ORIGINAL", "a", name);
        package_release(&package);
    }
    assert_true(counted.read_bytes < 10 * counted.bytes.length);
    package_batch_free(batch);
    buffer_release(&counted.bytes);
    world_release(&w);
}

static void
items_that_are_wrong_are_refused(void **state)
{
    static const struct {
        const char *contents, *dublin_core;
        enum error_code code;
        const char *words;
    } bad[] = {
        {"a\tcolour:red\n", DC, ERROR_INVALID, "contents, line 1: the flag \"colour:red\" is not known"},
        {"a\n\na\n", DC, ERROR_INVALID, "contents, line 3: \"a\" is named twice"},
        {"../a\n", DC, ERROR_INVALID, "\"../a\" leaves the package"},
        {"a\tbundle:X/Y\n", DC, ERROR_INVALID, "\"X/Y\" is no file"},
        {"-r -s 1 -f some/file.txt\tbundle:ORIGINAL\n", DC, ERROR_UNSUPPORTED, "some/file.txt\" is registered"},
        {"-r -s 1\n", DC, ERROR_INVALID, "names no file"},
        {"a\n", "<dublin_core><dcvalue>x</dcvalue></dublin_core>", ERROR_INVALID, "dublin_core.xml: line 1: a dcvalue without element"},
        {"a\n", "<other/>", ERROR_INVALID, "the root is not dublin_core"},
        {"a\n", "<!DOCTYPE x [<!ENTITY y SYSTEM \"file:///etc/passwd\">]><dublin_core/>", ERROR_INVALID, "dublin_core.xml"},
        {NULL, DC, ERROR_INVALID, "there are files (\"a\") and no contents file"},
        {"a\n", NULL, ERROR_INVALID, "dublin_core.xml is missing"},
    };
    struct world w;
    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct zip zip = {0};
        zip_file(&zip, "item/a", "1");
        if (bad[i].contents != NULL)
            zip_file(&zip, "item/contents", bad[i].contents);
        if (bad[i].dublin_core != NULL)
            zip_file(&zip, "item/dublin_core.xml", bad[i].dublin_core);
        assert_refused(&w, PACKAGING_SAF, zip_end(&zip), bad[i].code, bad[i].words);
    }
    struct zip zip = {0};
    zip_file(&zip, "item/a", "1");
    assert_refused(&w, PACKAGING_SAF, zip_end(&zip), ERROR_INVALID, "there is no item");
    zip_file(&zip, "item/a", "1");
    zip_file(&zip, "item/contents", "a\tpermissions:-r 'Staff'\n");
    zip_file(&zip, "item/dublin_core.xml", DC);
    struct package package = read_accepted(&w, PACKAGING_SAF, zip_end(&zip));
    assert_true(text_equal(package.embargo, TEXT("9999-12-31"))); /* a group's file is not opened to all */
    package_release(&package);
    world_release(&w);
}

/* ---- directories ---- */

static void
write_file(const char *folder, const char *name, const char *content)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ensure(file != NULL);
    fputs(content, file);
    fclose(file);
}

static void
make_folder(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void
remove_tree(const char *folder)
{
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void
items_of_a_directory_are_read_and_links_are_not_followed(void **state)
{
    struct world w;
    char root[] = "/tmp/archivolt-saf-XXXXXX", path[512], store[512];
    struct buffer none = {0};
    struct package_batch *batch = NULL;
    struct package package;
    (void)state;
    world_init(&w);
    assert_non_null(mkdtemp(root));
    make_folder(root, "batch");
    make_folder(root, "store");
    make_folder(root, "batch/i1");
    make_folder(root, "batch/i2");
    snprintf(store, sizeof store, "%s/store", root);
    write_file(store, "registered.txt", "in place");
    write_file(root, "batch/i1/dublin_core.xml", DC);
    write_file(root, "batch/i1/contents", "a.txt\n-r -s 1 -f registered.txt\tbundle:ORIGINAL\tdescription:D\n");
    write_file(root, "batch/i1/a.txt", "aaa");
    write_file(root, "batch/i2/dublin_core.xml", DC);
    write_file(root, "batch/i2/contents", "link.txt\n");
    snprintf(path, sizeof path, "%s/batch/i2/link.txt", root);
    assert_int_equal(symlink("../i1/a.txt", path), 0);
    snprintf(path, sizeof path, "%s/batch", root);
    struct package_request request = request_of(&w, PACKAGING_SAF, &none);
    request.asset_store = text_from(store);
    assert_int_equal(package_batch_open(&request, path, &batch, &w.error), ERROR_NONE);
    assert_int_equal(package_batch_count(batch), 2);
    if (package_batch_read(batch, 0, &w.arena, &package, &w.error) != ERROR_NONE)
        fail_msg("%s", w.error.message);
    assert_file(&package, "ORIGINAL", "a.txt", "aaa");
    assert_file(&package, "ORIGINAL", "registered.txt", "in place");
    assert_true(text_equal(file_of(&package, "ORIGINAL", "registered.txt")->description, TEXT("D")));
    package_release(&package);
    assert_int_not_equal(package_batch_read(batch, 1, &w.arena, &package, &w.error), ERROR_NONE);
    assert_non_null(strstr(w.error.message, "link.txt"));
    package_batch_free(batch);
    assert_nothing_left(&w);
    snprintf(path, sizeof path, "%s/batch/i1", root); /* one item alone */
    assert_int_equal(package_batch_open(&request, path, &batch, &w.error), ERROR_NONE);
    assert_int_equal(package_batch_count(batch), 1);
    package_batch_free(batch);
    remove_tree(root);
    world_release(&w);
}

static void
the_samples_of_dspace_come_out(void **state)
{
    struct world w;
    struct buffer bytes = {0};
    (void)state;
    if (!read_sample("packages/saf-bitstreams.zip", &bytes))
        return; /* an_item_of_an_archive_has_fields_files_handle_and_lists() has all of it */
    world_init(&w);
    struct package package = read_accepted(&w, PACKAGING_SAF, bytes);
    assert_field(&package, 0, "dc.title=A Tale of Two Cities");
    assert_field(&package, 3, "dcterms.title=A Tale of Two Cities");
    assert_int_equal(file_of(&package, "ORIGINAL", "file1.txt")->size_bytes, 15);
    package_release(&package);
    bytes = (struct buffer){0};
    assert_true(read_sample("packages/saf-relationships.zip", &bytes));
    assert_refused(&w, PACKAGING_SAF, bytes, ERROR_UNSUPPORTED, "points at no item of this batch");
    world_release(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_item_of_an_archive_has_fields_files_handle_and_lists),
        cmocka_unit_test(a_batch_goes_on_after_an_item_that_is_wrong),
        cmocka_unit_test(an_item_costs_the_same_wherever_it_lies_in_the_zip),
        cmocka_unit_test(items_that_are_wrong_are_refused),
        cmocka_unit_test(items_of_a_directory_are_read_and_links_are_not_followed),
        cmocka_unit_test(the_samples_of_dspace_come_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
