/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bags: look-alikes of the conformance suite's folders made here, the samples of SWORD 3, and where they are on this
 * machine, the suite and the samples themselves.
 */
#include "format/digest.h"
#include "format/hex.h"
#include "package_fixture.h"

#define BAGIT_097 "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n"
#define BAGIT_10 "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
#define HELLO "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03" /* SHA-256 of "hello\n" */
#define HELLO_MD5 "b1946ac92492d2347c6235b4d2611184"
#define EMPTY_MD5 "d41d8cd98f00b204e9800998ecf8427e"

struct bag_file {
    const char *name, *content;
};
enum { BAG_FILES_MAX = 8 };

static struct buffer
bag_of(const struct bag_file *files)
{
    struct zip zip = {0};
    for (size_t i = 0; i < BAG_FILES_MAX && files[i].name != NULL; i++)
        zip_file(&zip, files[i].name, files[i].content);
    return zip_end(&zip);
}

/* ---- look-alikes ---- */

static const struct bag_file valid[][BAG_FILES_MAX] = {
    {{"bagit.txt", BAGIT_10}, {"manifest-sha256.txt", HELLO "  data/hello.txt\n"}, {"data/hello.txt", "hello\n"}},
    {{"bagit.txt", BAGIT_097}, {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\r\n"}, {"data/hello.txt", "hello\n"}},
    {{"b/bagit.txt", BAGIT_097}, {"b/manifest-md5.txt", HELLO_MD5 " data/hello.txt"}, {"b/data/hello.txt", "hello\n"}},
    {{"bagit.txt", "BagIt-Version: 0.93\r\nTag-File-Character-Encoding: UTF-8"},
     {"package-info.txt", "Packing-Date: 2009-10-14\r\nPayload-Oxum: 6.1\r\nNote: goes\r\n   on\r\n"},
     {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n"},
     {"data/hello.txt", "hello\n"}},
    {{"bagit.txt", BAGIT_097}, /* an algorithm that the store does not compute */
     {"manifest-sha224.txt", "2d6d67d91d0badcdd06cbbba1fe11538a68a37ec9c2e26457ceff12b  data/hello.txt\n"},
     {"data/hello.txt", "hello\n"}},
    {{"bagit.txt", BAGIT_097}, /* names with % are literal, then decoded */
     {"manifest-md5.txt", HELLO_MD5 "  data/%7Ea\n" HELLO_MD5 "  data/b%0Ac\n"},
     {"data/%7Ea", "hello\n"},
     {"data/b\nc", "hello\n"}},
    {{"bagit.txt", BAGIT_097}, /* fetch.txt of files that are there */
     {"fetch.txt", "http://example.org/ - data/hello.txt\n"},
     {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n"},
     {"data/hello.txt", "hello\n"}},
    {{"bagit.txt", BAGIT_097}, /* a payload file in one of two manifests: enough before 1.0 */
     {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n" HELLO_MD5 "  data/b\n"},
     {"manifest-sha256.txt", HELLO "  data/hello.txt\n"},
     {"data/hello.txt", "hello\n"},
     {"data/b", "hello\n"}},
};

static const struct {
    struct bag_file files[BAG_FILES_MAX];
    const char *warning;
} warned[] = {
    {{{"bagit.txt", BAGIT_097}, {"manifest-md5.txt", HELLO_MD5 " *data/hello.txt\n"}, {"data/hello.txt", "hello\n"}},
     "warning: \"data/hello.txt\" is listed with \"*\""},
    {{{"bagit.txt", BAGIT_10}, {"manifest-md5.txt", HELLO_MD5 "  ./data/hello.txt\n"}, {"data/hello.txt", "hello\n"}},
     "warning: \"data/hello.txt\" is listed with \"./\""},
    {{{"bagit.txt", BAGIT_097},
      {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n" HELLO_MD5 "  data/hello.txt\n"},
      {"data/hello.txt", "hello\n"}},
     "warning: \"data/hello.txt\" is listed twice"},
    {{{"bagit.txt", BAGIT_097},
      {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n" HELLO_MD5 "  data/HELLO.txt\n"},
      {"data/hello.txt", "hello\n"}},
     "warning: \"data/HELLO.txt\" is listed and \"data/hello.txt\" is there"},
    {{{"bagit.txt", BAGIT_097},
      {"manifest-md5.txt", HELLO_MD5 "  data/N\xc3\xba\xc3\xb1" "ez\n"},
      {"data/Nu\xcc\x81n\xcc\x83" "ez", "hello\n"}},
     "is there"},
    {{{"bagit.txt", BAGIT_097},
      {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n" EMPTY_MD5 "  data/.DS_Store\n"},
      {"data/hello.txt", "hello\n"}},
     "warning: \"data/.DS_Store\" is listed and has been taken away"},
};

static const struct {
    struct bag_file files[BAG_FILES_MAX];
    enum error_code code;
    const char *words;
} invalid[] = {
    {{{"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n"}, {"data/hello.txt", "hello\n"}}, ERROR_INVALID, "bagit.txt is missing"},
    {{{"bagit.txt", "BagIt-Version: 0.97\n"}, {"manifest-md5.txt", HELLO_MD5 "  data/a\n"}, {"data/a", "hello\n"}},
     ERROR_INVALID, "Tag-File-Character-Encoding"},
    {{{"bagit.txt", "\xef\xbb\xbf" BAGIT_097}, {"manifest-md5.txt", HELLO_MD5 "  data/a\n"}, {"data/a", "hello\n"}},
     ERROR_INVALID, "bagit.txt, line 1"},
    {{{"bagit.txt", "BagIt-Version : 1.0\nTag-File-Character-Encoding : UTF-8\n"},
      {"manifest-md5.txt", HELLO_MD5 "  data/a\n"},
      {"data/a", "hello\n"}},
     ERROR_INVALID, "bagit.txt, line 1"},
    {{{"bagit.txt", "BagIt-Version: .97\nTag-File-Character-Encoding: UTF-8\n"},
      {"manifest-md5.txt", HELLO_MD5 "  data/a\n"},
      {"data/a", "hello\n"}},
     ERROR_INVALID, "bagit.txt, line 1"},
    {{{"bagit.txt", "BagIt-Version: 2.0\nTag-File-Character-Encoding: UTF-8\n"},
      {"manifest-md5.txt", HELLO_MD5 "  data/a\n"},
      {"data/a", "hello\n"}},
     ERROR_UNSUPPORTED, "BagIt version 2.0"},
    {{{"bagit.txt", BAGIT_097}, {"data/a", "hello\n"}}, ERROR_INVALID, "no manifest"},
    {{{"bagit.txt", BAGIT_097}, {"manifest-md5.txt", ""}}, ERROR_INVALID, "data/ is missing"},
    {{{"bagit.txt", BAGIT_097}, {"manifest-whirlpool.txt", ""}, {"data/a", "hello\n"}}, ERROR_UNSUPPORTED, "manifest-whirlpool.txt"},
    {{{"bagit.txt", BAGIT_097}, {"manifest-md5.txt", EMPTY_MD5 "  data/hello.txt\n"}, {"data/hello.txt", "hello\n"}},
     ERROR_DIGEST, "manifest-md5.txt: line 1: \"data/hello.txt\""},
    {{{"bagit.txt", BAGIT_097},
      {"manifest-sha224.txt", "00000000000000000000000000000000000000000000000000000000  data/hello.txt\n"},
      {"data/hello.txt", "hello\n"}},
     ERROR_DIGEST, "sha224"},
    {{{"bagit.txt", BAGIT_097},
      {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n"},
      {"tagmanifest-md5.txt", EMPTY_MD5 "  bagit.txt\n"},
      {"data/hello.txt", "hello\n"}},
     ERROR_DIGEST, "tagmanifest-md5.txt: line 1: \"bagit.txt\""},
    {{{"bagit.txt", BAGIT_097},
      {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n"},
      {"tagmanifest-md5.txt", EMPTY_MD5 "  bag-info.txt\n"},
      {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "\"bag-info.txt\" is listed and missing"},
    {{{"bagit.txt", BAGIT_097}, {"manifest-md5.txt", HELLO_MD5 "  data/foo\n"}, {"data/foo", "hello\n"}, {"data/bar", "x"}},
     ERROR_INVALID, "\"data/bar\" is not in a manifest"},
    {{{"bagit.txt", BAGIT_10},
      {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n" HELLO_MD5 "  data/b\n"},
      {"manifest-sha256.txt", HELLO "  data/hello.txt\n"},
      {"data/hello.txt", "hello\n"},
      {"data/b", "hello\n"}},
     ERROR_INVALID, "\"data/b\" is not in every manifest"},
    {{{"bagit.txt", BAGIT_10},
      {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n" HELLO_MD5 "  data/hello.txt\n"},
      {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "listed twice"},
    {{{"bagit.txt", BAGIT_097},
      {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n" EMPTY_MD5 "  data/hello.txt\n"},
      {"data/hello.txt", "hello\n"}},
     ERROR_DIGEST, "line 2"},
    /* Alike in name is not enough: the content must be the one that is listed. */
    {{{"bagit.txt", BAGIT_097},
      {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n" EMPTY_MD5 "  data/HELLO.txt\n"},
      {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "\"data/HELLO.txt\" is listed and missing"},
    {{{"bagit.txt", BAGIT_097}, {"manifest-md5.txt", HELLO_MD5 "  ../../etc/x\n"}, {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "leaves the bag"},
    {{{"bagit.txt", BAGIT_097}, {"manifest-md5.txt", HELLO_MD5 "  data/../x\n"}, {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "leaves the bag"},
    {{{"bagit.txt", BAGIT_097}, {"manifest-md5.txt", HELLO_MD5 "  /tmp/foo\n"}, {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "does not lie in the bag"},
    {{{"bagit.txt", BAGIT_097}, {"manifest-md5.txt", HELLO_MD5 "  C:\\x.exe\n"}, {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "does not lie in the bag"},
    {{{"bagit.txt", BAGIT_097}, {"manifest-md5.txt", HELLO_MD5 "  ~root/foo\n"}, {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "does not lie in the bag"},
    {{{"bagit.txt", BAGIT_097}, {"manifest-md5.txt", HELLO_MD5 "  %HomeDrive%\\x\n"}, {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "does not lie below data/"},
    {{{"bagit.txt", BAGIT_097},
      {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n"},
      {"fetch.txt", "http://example.org/ - ../x\n"},
      {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "fetch.txt: \"../x\" leaves the bag"},
    {{{"bagit.txt", BAGIT_097},
      {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n" HELLO_MD5 "  data/far\n"},
      {"fetch.txt", "http://127.0.0.1:1/ 6 data/far\n"},
      {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "\"data/far\" is not in the bag, and fetch.txt is never followed"},
    {{{"bagit.txt", BAGIT_097},
      {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n"},
      {"bag-info.txt", "Payload-Oxum: 7.1\n"},
      {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "Payload-Oxum is 7.1, and 6.1 are there"},
    {{{"bagit.txt", BAGIT_097}, {"manifest-md5.txt", "broken data/hello.txt\n"}, {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "\"broken\" is no md5 checksum"},
    {{{"bagit.txt", BAGIT_097}, {"manifest-sha-256.txt", HELLO " data/hello.txt\n"}, {"data/hello.txt", "hello\n"}},
     ERROR_INVALID, "the algorithm is written sha256"},
    {{{"bagit.txt", "BagIt-Version: 0.97\nTag-File-Character-Encoding: NONSENSE\n"},
      {"manifest-md5.txt", HELLO_MD5 "  data/hello.txt\n"},
      {"data/hello.txt", "hello\n"}},
     ERROR_UNSUPPORTED, "\"NONSENSE\""},
};

static void
bags_that_are_valid_give_payload_and_tag_files(void **state)
{
    struct world w;
    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
        struct package package = read_accepted(&w, PACKAGING_BAGIT, bag_of(valid[i]));
        assert_non_null(find_file(&package, "METADATA", "bagit.txt"));
        assert_null(strstr(buffer_string(&package.report), "warning"));
        package_release(&package);
    }
    struct package package = read_accepted(&w, PACKAGING_BAGIT, bag_of(valid[0]));
    assert_file(&package, "ORIGINAL", "hello.txt", "hello\n");
    assert_file(&package, "METADATA", "manifest-sha256.txt", HELLO "  data/hello.txt\n");
    assert_int_equal(package.file_count, 3);
    package_release(&package);
    world_release(&w);
}

static void
bags_with_a_flaw_are_accepted_and_the_flaw_reported(void **state)
{
    struct world w;
    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof warned / sizeof *warned; i++) {
        struct package package = read_accepted(&w, PACKAGING_BAGIT, bag_of(warned[i].files));
        assert_reported(&package, warned[i].warning);
        package_release(&package);
    }
    world_release(&w);
}

static void
bags_that_are_invalid_are_refused_with_the_reason(void **state)
{
    struct world w;
    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        assert_refused(&w, PACKAGING_BAGIT, bag_of(invalid[i].files), invalid[i].code, invalid[i].words);
    world_release(&w);
}

static void
tag_files_are_read_in_the_encoding_that_the_bag_says(void **state)
{
    static const struct bag_file latin[BAG_FILES_MAX] = {
        {"bagit.txt", "BagIt-Version: 0.97\nTag-File-Character-Encoding: ISO-8859-1\n"},
        {"manifest-md5.txt", HELLO_MD5 "  data/\xfc\n"},
        {"data/\xc3\xbc", "hello\n"}};
    struct world w;
    struct zip zip = {0};
    char wide[256];
    size_t length = 0;
    (void)state;
    world_init(&w);
    struct package package = read_accepted(&w, PACKAGING_BAGIT, bag_of(latin));
    assert_file(&package, "ORIGINAL", "ü", "hello\n");
    package_release(&package);
    zip_file(&zip, "bagit.txt", "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-16\n");
    zip_file(&zip, "data/hello.txt", "hello\n");
    wide[length++] = (char)0xfe;
    wide[length++] = (char)0xff;
    for (const char *c = HELLO_MD5 "  data/hello.txt\n"; *c != '\0'; c++) {
        wide[length++] = 0;
        wide[length++] = *c;
    }
    zip_add(&zip, (struct zip_part){.name = "manifest-md5.txt", .data = wide, .length = length});
    package = read_accepted(&w, PACKAGING_BAGIT, zip_end(&zip));
    assert_file(&package, "ORIGINAL", "hello.txt", "hello\n");
    package_release(&package);
    world_release(&w);
}

/* ---- SWORDBagIt ---- */

static const struct bag_file sword_bag[BAG_FILES_MAX] = {
    {"SWORDBagIt/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8"},
    {"SWORDBagIt/bag-info.txt", "Bagging-Date: 2020-01-02\nExternal-Identifier: no-12"},
    {"SWORDBagIt/data/nested/hello.txt", "hello\n"},
    {"SWORDBagIt/manifest-sha-256.txt", HELLO "    data/nested/hello.txt"},
    {"SWORDBagIt/metadata/sword.json", "{\"@context\":\"x\",\"@type\":\"Metadata\",\"dc:title\":\"The title\","
                                       "\"dcterms:abstract\":\"This is  my abstract\",\"dc:contributor\":[\"A. B\",\"C. D\"],"
                                       "\"foaf:name\":\"no\"}"}};

static void
a_sword_bag_has_hyphens_and_metadata_in_json(void **state)
{
    struct world w;
    (void)state;
    world_init(&w);
    struct package package = read_accepted(&w, PACKAGING_SWORD_BAGIT, bag_of(sword_bag));
    assert_file(&package, "ORIGINAL", "nested/hello.txt", "hello\n");
    assert_non_null(find_file(&package, "METADATA", "metadata/sword.json"));
    assert_field(&package, 0, "dc.title=The title");
    assert_field(&package, 1, "dc.description.abstract=This is my abstract");
    assert_field(&package, 2, "dc.contributor=A. B");
    assert_field(&package, 3, "dc.contributor=C. D");
    assert_int_equal(package.fields.count, 4);
    assert_reported(&package, "not mapped: foaf:name");
    assert_true(text_equal(package.identifier, TEXT("no-12")));
    package_release(&package);
    assert_refused(&w, PACKAGING_BAGIT, bag_of(sword_bag), ERROR_INVALID, "manifest-sha-256.txt");
    world_release(&w);
}

static void
the_samples_of_sword_3_come_out_as_published(void **state)
{
    static const struct {
        const char *file;
        enum packaging packaging;
        enum error_code code;
        const char *words;
    } samples[] = {
        {"packages/sword3-bagit.zip", PACKAGING_BAGIT, ERROR_NONE, NULL},
        {"packages/sword3-bagit.zip", PACKAGING_SWORD_BAGIT, ERROR_NONE, NULL},
        {"packages/sword3-simple.zip", PACKAGING_SIMPLE_ZIP, ERROR_NONE, NULL},
        {"packages/sword3-bagit-broken-sha.zip", PACKAGING_BAGIT, ERROR_INVALID, "broken-sha"},
        {"packages/sword3-bagit-no-bagit-txt.zip", PACKAGING_BAGIT, ERROR_INVALID, "bagit.txt is missing"},
        {"packages/sword3-bagit-with-fetch.zip", PACKAGING_BAGIT, ERROR_INVALID, "data/example.org.html"},
        {"packages/sword3-swordbagit.zip", PACKAGING_SWORD_BAGIT, ERROR_INVALID, "\"data/anotherfile.txt\""},
    };
    struct world w;
    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct buffer bytes = {0};
        if (!read_sample(samples[i].file, &bytes))
            break;
        if (samples[i].code != ERROR_NONE) {
            assert_refused(&w, samples[i].packaging, bytes, samples[i].code, samples[i].words);
            continue;
        }
        struct package package = read_accepted(&w, samples[i].packaging, bytes);
        assert_int_equal(count_files(&package, "ORIGINAL"), 2);
        package_release(&package);
    }
    world_release(&w);
}

/* ---- the conformance suite: an archive of folders VERSION/KIND/BAG ---- */

struct suite_bag {
    char name[256];
    struct zip zip;
};

/* "v0.97/valid/bag-in-a-bag/data/x": where the bag's name ends, or 0. */
static size_t
bag_name_length(const char *path)
{
    unsigned slashes = 0;
    for (size_t i = 0; path[i] != '\0'; i++) {
        if (path[i] == '/' && ++slashes == 3)
            return i;
    }
    return 0;
}

static void
check_suite_bag(struct world *w, struct suite_bag *bag)
{
    struct package package = {0};
    bool valid_one = strstr(bag->name, "/valid/") != NULL, warning = strstr(bag->name, "/warning/") != NULL;
    enum error_code code = read_bytes(w, PACKAGING_BAGIT, zip_end(&bag->zip), &package);
    if ((code == ERROR_NONE) != (valid_one || warning))
        fail_msg("%s: %s (%s)", bag->name, error_word(code), w->error.message);
    if (code != ERROR_NONE)
        return;
    if (warning)
        assert_reported(&package, "warning");
    package_release(&package);
}

static void
the_conformance_suite_comes_out_as_its_folders_say(void **state)
{
    struct world w;
    struct buffer bytes = {0};
    struct suite_bag bag = {0};
    struct archive_entry *entry;
    unsigned count = 0;
    (void)state;
    if (!read_sample("bagit/conformance-suite.tar.xz", &bytes))
        return;
    world_init(&w);
    struct archive *archive = archive_read_new();
    archive_read_support_format_tar(archive);
    archive_read_support_filter_xz(archive);
    assert_int_equal(archive_read_open_memory(archive, bytes.data, bytes.length), ARCHIVE_OK);
    while (archive_read_next_header(archive, &entry) == ARCHIVE_OK) {
        const char *path = archive_entry_pathname(entry);
        static char content[1 << 16];
        path += strncmp(path, "./", 2) == 0 ? 2 : 0;
        size_t length = bag_name_length(path);
        if (archive_entry_filetype(entry) != AE_IFREG || length == 0)
            continue;
        if (strncmp(bag.name, path, length) != 0 || bag.name[length] != '\0') {
            if (bag.name[0] != '\0')
                check_suite_bag(&w, &bag);
            snprintf(bag.name, sizeof bag.name, "%.*s", (int)length, path);
            count++;
        }
        la_ssize_t got = archive_read_data(archive, content, sizeof content);
        assert_true(got >= 0 && (size_t)got < sizeof content);
        zip_add(&bag.zip, (struct zip_part){.name = path + length + 1, .data = content, .length = (size_t)got});
    }
    check_suite_bag(&w, &bag);
    assert_true(count >= 55);
    archive_read_free(archive);
    buffer_release(&bytes);
    world_release(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bags_that_are_valid_give_payload_and_tag_files),
        cmocka_unit_test(bags_with_a_flaw_are_accepted_and_the_flaw_reported),
        cmocka_unit_test(bags_that_are_invalid_are_refused_with_the_reason),
        cmocka_unit_test(tag_files_are_read_in_the_encoding_that_the_bag_says),
        cmocka_unit_test(a_sword_bag_has_hyphens_and_metadata_in_json),
        cmocka_unit_test(the_samples_of_sword_3_come_out_as_published),
        cmocka_unit_test(the_conformance_suite_comes_out_as_its_folders_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
