/* SPDX-License-Identifier: Apache-2.0 */
/* Archives: what comes out of good ones, and that hostile ones are refused by name and leave nothing. */
#include "package_fixture.h"
#include "package/zip_directory.h"

#define FILE_MODE 0100644

static void
a_zip_and_a_tar_give_their_files_in_their_folders(void **state)
{
    static const char *const formats[] = {"zip", "tar", "tar.gz"};
    static const struct packed_part parts[] = {{"a.txt", "one", 3, NULL}, {"d/e/b.txt", "two!", 4, NULL}, {"empty", "", 0, NULL}};
    struct world w;
    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct package package = read_accepted(&w, PACKAGING_SIMPLE_ZIP, pack(formats[i], parts, 3));
        assert_int_equal(package.file_count, 3);
        assert_file(&package, "ORIGINAL", "a.txt", "one");
        assert_file(&package, "ORIGINAL", "d/e/b.txt", "two!");
        assert_file(&package, "ORIGINAL", "empty", "");
        assert_reported(&package, "file ORIGINAL/d/e/b.txt, 4 bytes");
        package_release(&package);
    }
    world_release(&w);
}

static void
sizes_may_follow_the_data_and_be_64_bits_wide(void **state)
{
    struct world w;
    struct zip zip = {0};
    (void)state;
    world_init(&w);
    zip_add(&zip, (struct zip_part){.name = "wide", .data = "12345", .length = 5, .wide = true, .host = 3, .mode = FILE_MODE});
    zip_file(&zip, "plain", "678");
    struct package package = read_accepted(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip));
    assert_file(&package, "ORIGINAL", "wide", "12345");
    assert_file(&package, "ORIGINAL", "plain", "678");
    package_release(&package);
    zip_add(&zip, (struct zip_part){.name = "later", .data = "12345", .length = 5, .descriptor = true});
    zip_file(&zip, "next", "6");
    package = read_accepted(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip));
    assert_file(&package, "ORIGINAL", "later", "12345");
    assert_file(&package, "ORIGINAL", "next", "6");
    package_release(&package);
    world_release(&w);
}

static void
a_large_file_passes_through_to_a_bulk_volume(void **state)
{
    struct world w;
    size_t length = 3 * SMALL_BYTES;
    char *data = malloc(length), *found = malloc(length);
    (void)state;
    ensure(data != NULL && found != NULL);
    for (size_t i = 0; i < length; i++)
        data[i] = (char)(i * 2654435761u >> 13);
    world_init(&w);
    struct packed_part part = {"large", data, length, NULL};
    struct package package = read_accepted(&w, PACKAGING_SIMPLE_ZIP, pack("zip", &part, 1));
    const struct package_file *file = file_of(&package, "ORIGINAL", "large");
    assert_true(upload_is_bulk(file->upload));
    assert_int_equal(upload_read(file->upload, 0, found, length, NULL), ERROR_NONE);
    assert_memory_equal(found, data, length);
    package_release(&package);
    world_release(&w);
    free(data);
    free(found);
}

static void
names_are_read_by_flag_then_as_utf8_then_as_code_page_437(void **state)
{
    struct world w;
    struct zip zip = {0};
    (void)state;
    world_init(&w);
    zip_add(&zip, (struct zip_part){.name = "gr\xc3\xbc\xc3\x9f" "e", .data = "a", .length = 1, .utf8 = true});
    zip_add(&zip, (struct zip_part){.name = "\xd0\xb4\xd0\xb0", .data = "b", .length = 1, .host = 3, .mode = FILE_MODE});
    zip_add(&zip, (struct zip_part){.name = "M\x81ller \xe1.txt", .data = "c", .length = 1});
    zip_add(&zip, (struct zip_part){.name = "u\xcc\x88", .data = "d", .length = 1, .utf8 = true});
    zip_add(&zip, (struct zip_part){.name = "\xc3\xbc", .data = "e", .length = 1, .utf8 = true});
    struct package package = read_accepted(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip));
    assert_file(&package, "ORIGINAL", "grüße", "a");
    assert_file(&package, "ORIGINAL", "да", "b");
    assert_file(&package, "ORIGINAL", "Müller ß.txt", "c");
    assert_file(&package, "ORIGINAL", "u\xcc\x88", "d"); /* names are not normalised: these are two files */
    assert_file(&package, "ORIGINAL", "\xc3\xbc", "e");
    assert_reported(&package, "the name of entry 3 is not UTF-8: read as \"Müller ß.txt\"");
    package_release(&package);
    world_release(&w);
}

static void
backslashes_separate_where_the_archive_was_made_so(void **state)
{
    struct world w;
    struct zip zip = {0};
    (void)state;
    world_init(&w);
    zip_add(&zip, (struct zip_part){.name = "folder\\a.txt", .data = "a", .length = 1, .host = 0});
    zip_add(&zip, (struct zip_part){.name = "one\\name", .data = "b", .length = 1, .host = 3, .mode = FILE_MODE});
    struct package package = read_accepted(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip));
    assert_file(&package, "ORIGINAL", "folder/a.txt", "a");
    assert_true(text_equal(file_of(&package, "ORIGINAL", "folder/a.txt")->original_name, TEXT("folder\\a.txt")));
    assert_file(&package, "ORIGINAL", "one\\name", "b");
    package_release(&package);
    world_release(&w);
}

static void
folders_that_are_empty_are_reported_and_system_files_kept(void **state)
{
    struct world w;
    struct zip zip = {0};
    (void)state;
    world_init(&w);
    zip_add(&zip, (struct zip_part){.name = "nothing/", .data = "", .host = 3, .mode = 040755});
    zip_add(&zip, (struct zip_part){.name = "full/", .data = "", .host = 3, .mode = 040755});
    zip_file(&zip, "full/.DS_Store", "x");
    zip_file(&zip, "__MACOSX/._a", "y");
    struct package package = read_accepted(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip));
    assert_int_equal(package.file_count, 2);
    assert_reported(&package, "folder \"nothing\" is empty: not kept");
    assert_null(strstr(buffer_string(&package.report), "folder \"full\""));
    assert_file(&package, "ORIGINAL", "full/.DS_Store", "x");
    assert_file(&package, "ORIGINAL", "__MACOSX/._a", "y");
    assert_reported(&package, "\"__MACOSX/._a\" is a file of the sender's system");
    package_release(&package);
    world_release(&w);
}

/* ---- hostile names ---- */

static void
names_that_leave_the_package_are_refused(void **state)
{
    static const struct {
        const char *name, *words;
    } bad[] = {
        {"../x", "\"../x\" leaves the package"},
        {"a/../../x", "\"a/../../x\" leaves"},
        {"a/..", "\"a/..\" leaves"},
        {"..\\x", "\"..\\x\" leaves"},
        {"a\\..\\..\\x", "leaves"},
        {"/etc/passwd", "\"/etc/passwd\" has an absolute name"},
        {"\\windows\\x", "absolute"},
        {"\\\\host\\share\\x", "absolute"},
        {"C:\\x", "drive letter"},
        {"c:x", "drive letter"},
        {"", "an entry without a name"},
    };
    struct world w;
    struct zip zip = {0};
    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (unsigned host = 0; host <= 3; host += 3) {
            zip_file(&zip, "good", "1");
            zip_add(&zip, (struct zip_part){.name = bad[i].name, .data = "x", .length = 1, .host = host, .mode = FILE_MODE});
            assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_INVALID, bad[i].words);
        }
        if (bad[i].name[0] == '\0')
            continue;
        struct packed_part part = {bad[i].name, "x", 1, NULL};
        assert_refused(&w, PACKAGING_SIMPLE_ZIP, pack("tar", &part, 1), ERROR_INVALID, bad[i].words);
    }
    char longest[300];
    memset(longest, 'n', sizeof longest - 1);
    longest[256] = '\0';
    zip_file(&zip, longest, "x");
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_LIMIT, "longer than 255 bytes");
    world_release(&w);
}

static void
links_and_devices_are_refused(void **state)
{
    struct world w;
    struct zip zip = {0};
    (void)state;
    world_init(&w);
    zip_add(&zip, (struct zip_part){.name = "link", .data = "/etc/passwd", .length = 11, .host = 3, .mode = 0120777});
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_INVALID, "\"link\" is a link or a device");
    zip_add(&zip, (struct zip_part){.name = "null", .data = "", .host = 3, .mode = 020666});
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_INVALID, "\"null\" is a link or a device");
    struct packed_part part = {"link", NULL, 0, "/etc/passwd"};
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, pack("tar", &part, 1), ERROR_INVALID, "\"link\" is a link or a device");
    world_release(&w);
}

static void
names_that_are_there_twice_are_refused_and_both_named(void **state)
{
    struct world w;
    struct zip zip = {0};
    (void)state;
    world_init(&w);
    zip_file(&zip, "a/b.txt", "1");
    zip_file(&zip, "other", "2");
    zip_file(&zip, "a/./b.txt", "3");
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_INVALID, "entries 1 (\"a/b.txt\") and 3 (\"a/./b.txt\")");
    zip_add(&zip, (struct zip_part){.name = "\x81", .data = "1", .length = 1});
    zip_add(&zip, (struct zip_part){.name = "\xc3\xbc", .data = "2", .length = 1, .utf8 = true});
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_INVALID, "same name"); /* once decoded */
    zip_file(&zip, "a", "1");
    zip_file(&zip, "a/b", "2");
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_INVALID, "\"a/b\" lies below \"a\", which is a file");
    zip_file(&zip, "a", "1");
    zip_add(&zip, (struct zip_part){.name = "a/", .data = "", .host = 3, .mode = 040755});
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_INVALID, "same name");
    static const struct packed_part parts[] = {{"x", "1", 1, NULL}, {"./x", "2", 1, NULL}};
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, pack("tar", parts, 2), ERROR_INVALID, "same name");
    world_release(&w);
}

/* ---- hostile content ---- */

static void
bombs_are_refused_before_they_go_off(void **state)
{
    enum { ZEROS = 3 << 20 };
    struct world w;
    struct package package;
    char *zeros = calloc(1, ZEROS);
    struct packed_part part = {"zeros", zeros, ZEROS, NULL};
    (void)state;
    ensure(zeros != NULL);
    world_init(&w);
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, pack("zip", &part, 1), ERROR_LIMIT, "\"zeros\" grows by more than package_ratio");
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, pack("tar.gz", &part, 1), ERROR_LIMIT, "grows by more than package_ratio");
    struct buffer bytes = pack("zip", &part, 1);
    struct package_request request = request_of(&w, PACKAGING_SIMPLE_ZIP, &bytes);
    request.limits.package_bytes = ZEROS - 1;
    request.limits.package_ratio = 5000;
    assert_int_equal(package_read(&request, &package, &w.error), ERROR_LIMIT);
    assert_non_null(strstr(w.error.message, "package_bytes"));
    request.limits.package_bytes = ZEROS;
    assert_int_equal(package_read(&request, &package, &w.error), ERROR_NONE); /* it is the limits that refuse it */
    package_release(&package);
    buffer_release(&bytes);
    free(zeros);
    world_release(&w);
}

static void
more_files_than_allowed_are_refused_by_the_directory_alone(void **state)
{
    struct world w;
    struct zip zip = {0};
    struct package package;
    char name[32];
    (void)state;
    world_init(&w);
    for (unsigned i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "f%u", i);
        zip_file(&zip, name, "x");
    }
    struct buffer bytes = zip_end(&zip);
    struct package_request request = request_of(&w, PACKAGING_SIMPLE_ZIP, &bytes);
    request.limits.package_files = 11;
    assert_int_equal(package_read(&request, &package, &w.error), ERROR_LIMIT);
    assert_non_null(strstr(w.error.message, "package_files (11)"));
    request.limits.package_files = 12;
    assert_int_equal(package_read(&request, &package, &w.error), ERROR_NONE);
    package_release(&package);
    buffer_release(&bytes);
    world_release(&w);
}

static void
content_that_is_not_as_declared_is_refused(void **state)
{
    struct world w;
    struct zip zip = {0};
    (void)state;
    world_init(&w);
    zip_file(&zip, "good", "1");
    zip_add(&zip, (struct zip_part){.name = "bad", .data = "12345", .length = 5, .crc_xor = 1, .host = 3, .mode = FILE_MODE});
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_INVALID, "entry \"bad\"");
    zip_add(&zip, (struct zip_part){.name = "longer", .data = "12345", .length = 5, .size_more = 1000000});
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_INVALID, "entry \"longer\"");
    zip_add(&zip, (struct zip_part){.name = "shorter", .data = "12345", .length = 5, .size_more = -2});
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_INVALID, "entry \"shorter\"");
    zip_add(&zip, (struct zip_part){.name = "shown", .local_name = "other", .data = "1", .length = 1});
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_INVALID, "entry \"shown\": its local header");
    zip_add(&zip, (struct zip_part){.name = "secret", .data = "1", .length = 1, .encrypted = true});
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_UNSUPPORTED, "encrypted");
    zip_add(&zip, (struct zip_part){.name = "implode", .data = "1", .length = 1, .method = 6});
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_UNSUPPORTED, "method 6");
    zip_add(&zip, (struct zip_part){.name = "folder/", .data = "1", .length = 1});
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end(&zip), ERROR_INVALID, "folder with content");
    world_release(&w);
}

static void
directories_that_lie_are_refused(void **state)
{
    struct world w;
    struct zip zip = {0};
    (void)state;
    world_init(&w);
    zip_file(&zip, "a", "1");
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end_counting(&zip, 2), ERROR_INVALID, "directory");
    zip_file(&zip, "a", "1");
    zip_file(&zip, "b", "1");
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end_counting(&zip, 1), ERROR_INVALID, "more than the 1 entries");
    /* One local entry that two of the directory share: the data would be unpacked twice. */
    zip_file(&zip, "a", "1");
    buffer_append_text(&zip.directory, buffer_text(&zip.directory));
    zip.directory.data[zip.directory.length - 1] = 'b';
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end_counting(&zip, 2), ERROR_INVALID, "do not agree");
    zip_file(&zip, "a", "1");
    buffer_append_text(&zip.directory, buffer_text(&zip.directory));
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, zip_end_counting(&zip, 2), ERROR_INVALID, "overlap");
    world_release(&w);
}

static void
an_archive_cut_anywhere_is_refused_and_leaves_nothing(void **state)
{
    static const struct packed_part parts[] = {{"a.txt", "one and more of it", 18, NULL}, {"b.txt", "two!", 4, NULL}};
    struct world w;
    struct package package;
    (void)state;
    world_init(&w);
    struct buffer whole = pack("zip", parts, 2);
    for (size_t length = 0; length < whole.length; length++) {
        struct buffer cut = {0};
        buffer_append(&cut, whole.data, length);
        assert_int_equal(read_bytes(&w, PACKAGING_SIMPLE_ZIP, cut, &package), ERROR_INVALID);
        assert_nothing_left(&w);
    }
    buffer_release(&whole);
    struct buffer nothing = {0};
    buffer_append_string(&nothing, "neither this nor that");
    assert_refused(&w, PACKAGING_SIMPLE_ZIP, nothing, ERROR_INVALID, "neither a zip nor a tar");
    world_release(&w);
}

/* A source over 5 GiB that is not in memory: a zip of one stored file of zeros, then one small file. */
struct sparse {
    struct buffer head, tail;
    uint64_t gap, size;
};

static enum error_code
read_sparse(void *context, uint64_t offset, void *data, size_t length, struct error *error)
{
    const struct sparse *sparse = context;
    (void)error;
    for (size_t i = 0; i < length; i++, offset++) {
        char *to = (char *)data + i;
        if (offset < sparse->head.length)
            *to = sparse->head.data[offset];
        else if (offset < sparse->head.length + sparse->gap)
            *to = 0;
        else
            *to = sparse->tail.data[offset - sparse->head.length - sparse->gap];
    }
    return ERROR_NONE;
}

static void
what_lies_beyond_4_gib_is_found(void **state)
{
    struct world w;
    struct zip zip = {0};
    struct package package;
    struct sparse s = {.gap = UINT64_C(5) << 30};
    (void)state;
    world_init(&w);
    zip_file(&zip, "beyond", "here");
    size_t local = zip.bytes.length, at = zip.directory.length - 6 - 4; /* of the offset in the directory */
    struct buffer directory = {0};
    /* The same entry with its offset in a zip64 field. */
    buffer_append(&directory, zip.directory.data, at);
    put_little(&directory, UINT32_MAX, 4);
    directory.data[30] = 12;
    buffer_append_string(&directory, "beyond");
    put_little(&directory, 1, 2);
    put_little(&directory, 8, 2);
    put_little(&directory, s.gap, 8);
    buffer_append(&s.tail, zip.bytes.data, local);
    buffer_append_text(&s.tail, buffer_text(&directory));
    uint64_t end64 = s.gap + s.tail.length;
    put_little(&s.tail, 0x06064b50, 4);
    put_little(&s.tail, 44, 8);
    put_little(&s.tail, 45 | 45 << 16, 4);
    put_little(&s.tail, 0, 8);
    put_little(&s.tail, 1, 8);
    put_little(&s.tail, 1, 8);
    put_little(&s.tail, directory.length, 8);
    put_little(&s.tail, s.gap + local, 8);
    put_little(&s.tail, 0x07064b50, 4);
    put_little(&s.tail, 0, 4);
    put_little(&s.tail, end64, 8);
    put_little(&s.tail, 1, 4);
    put_little(&s.tail, 0x06054b50, 4);
    put_little(&s.tail, 0, 4);
    put_little(&s.tail, 1, 2);
    put_little(&s.tail, 1, 2);
    put_little(&s.tail, UINT32_MAX, 4);
    put_little(&s.tail, UINT32_MAX, 4);
    put_little(&s.tail, 0, 2);
    /* It must begin as a zip does. */
    buffer_append_string(&s.head, "PK\003\004");
    s.gap -= 4;
    s.size = s.head.length + s.gap + s.tail.length;
    struct package_request request = {.model = w.model, .arena = &w.arena, .limits = package_limits_default(),
                                      .packaging = PACKAGING_SIMPLE_ZIP, .source = {s.size, read_sparse, &s}};
    if (package_read(&request, &package, &w.error) != ERROR_NONE)
        fail_msg("%s", w.error.message);
    assert_file(&package, "ORIGINAL", "beyond", "here");
    package_release(&package);
    buffer_release(&directory);
    buffer_release(&s.head);
    buffer_release(&s.tail);
    buffer_release(&zip.bytes);
    buffer_release(&zip.directory);
    world_release(&w);
}

static enum error_code
compare_entry(void *context, const struct zip_entry *entry, struct error *error)
{
    const struct zip_entry *wanted = context;
    (void)error;
    assert_int_equal(entry->size_bytes, wanted->size_bytes);
    assert_int_equal(entry->packed_bytes, wanted->packed_bytes);
    assert_int_equal(entry->crc, wanted->crc);
    assert_int_equal(entry->method, wanted->method);
    assert_int_equal(entry->header_offset, 0);
    return ERROR_NONE;
}

static void
the_directory_of_one_entry_says_what_the_entry_is(void **state)
{
    static const uint64_t sizes[] = {0, 5, UINT32_MAX - 1, UINT32_MAX, UINT64_C(5) << 30};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct zip_entry entry = {.method = 8, .crc = 0x12345678, .size_bytes = sizes[i] * 3, .packed_bytes = sizes[i]};
        unsigned char tail[ZIP_TAIL_BYTES_MAX];
        struct sparse s = {.gap = sizes[i] + 31};
        struct error error = {0};
        buffer_append(&s.tail, tail, zip_write_tail(&entry, s.gap, tail));
        struct package_source source = {s.gap + s.tail.length, read_sparse, &s};
        if (zip_directory_read(&source, 1, compare_entry, &entry, &error) != ERROR_NONE)
            fail_msg("%s", error.message);
        buffer_release(&s.tail);
    }
}

static enum error_code
read_nothing(void *context, uint64_t offset, void *data, size_t length, struct error *error)
{
    struct buffer *bytes = context;
    if (offset > 10 && offset + length < bytes->length - 200)
        return error_set(error, ERROR_IO, "the disk is gone");
    return fixture_read_buffer(context, offset, data, length, error);
}

static void
a_source_that_fails_says_so_itself(void **state)
{
    struct world w;
    struct package package;
    char *data = malloc(SMALL_BYTES);
    (void)state;
    ensure(data != NULL);
    for (size_t i = 0; i < SMALL_BYTES; i++)
        data[i] = (char)(i * 2654435761u >> 11);
    world_init(&w);
    struct packed_part parts[] = {{"a", data, SMALL_BYTES, NULL}, {"b", data, SMALL_BYTES, NULL}};
    struct buffer bytes = pack("tar", parts, 2);
    struct package_request request = request_of(&w, PACKAGING_SIMPLE_ZIP, &bytes);
    request.source.read = read_nothing;
    assert_int_equal(package_read(&request, &package, &w.error), ERROR_IO);
    assert_non_null(strstr(w.error.message, "the disk is gone"));
    buffer_release(&bytes);
    free(data);
    world_release(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zip_and_a_tar_give_their_files_in_their_folders),
        cmocka_unit_test(sizes_may_follow_the_data_and_be_64_bits_wide),
        cmocka_unit_test(a_large_file_passes_through_to_a_bulk_volume),
        cmocka_unit_test(names_are_read_by_flag_then_as_utf8_then_as_code_page_437),
        cmocka_unit_test(backslashes_separate_where_the_archive_was_made_so),
        cmocka_unit_test(folders_that_are_empty_are_reported_and_system_files_kept),
        cmocka_unit_test(names_that_leave_the_package_are_refused),
        cmocka_unit_test(links_and_devices_are_refused),
        cmocka_unit_test(names_that_are_there_twice_are_refused_and_both_named),
        cmocka_unit_test(bombs_are_refused_before_they_go_off),
        cmocka_unit_test(more_files_than_allowed_are_refused_by_the_directory_alone),
        cmocka_unit_test(content_that_is_not_as_declared_is_refused),
        cmocka_unit_test(directories_that_lie_are_refused),
        cmocka_unit_test(an_archive_cut_anywhere_is_refused_and_leaves_nothing),
        cmocka_unit_test(what_lies_beyond_4_gib_is_found),
        cmocka_unit_test(the_directory_of_one_entry_says_what_the_entry_is),
        cmocka_unit_test(a_source_that_fails_says_so_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
