/* SPDX-License-Identifier: Apache-2.0 */
/* tar headers: field by field, and there and back. What other programs make of them is tested by
 * tests/interop/unpacked_volumes.py and tests/interop/large_entries.py. */
#include "unit.h"

#include "format/tar.h"

static void
assert_round_trip(const char *path, uint64_t size, bool preamble)
{
    char data[TAR_HEADER_MAX + 1], path_out[TAR_PATH_MAX];
    struct tar_entry entry = {text_from(path), size, 1796086292};
    struct tar_found found;
    size_t length = preamble ? TAR_PREAMBLE_SIZE : tar_header_size(size);
    memset(data, 'x', sizeof data);
    assert_code((preamble ? tar_write_preamble : tar_write_header)(&entry, data, NULL), ERROR_NONE);
    assert_int_equal(data[length], 'x');
    assert_code(tar_parse_entry(text_of(data, TAR_HEADER_MAX), path_out, &found, NULL), ERROR_NONE);
    assert_text(found.entry.path, text_from(path));
    assert_true(found.entry.size == size);
    assert_int_equal(found.entry.mtime_s, 1796086292);
    assert_int_equal(found.header_size, length);
    assert_code(tar_parse_entry(text_of(data, length - 1), path_out, &found, NULL), ERROR_CORRUPT);
}

static void
headers_of_every_shape_go_there_and_back(void **state)
{
    static const uint64_t sizes[] = {0, 1, 511, 512, TAR_USTAR_SIZE_MAX, TAR_USTAR_SIZE_MAX + 1,
                                     UINT64_C(1) << 40};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_round_trip("ocfl/abc/def/v1/content/1.txt", sizes[i], false);
        assert_round_trip("ocfl/abc/def/v1/content/1.txt", sizes[i], true);
        assert_round_trip("a", sizes[i], true);
    }
}

static void
what_is_left_of_a_preamble_is_told_from_other_headers(void **state)
{
    char data[TAR_PREAMBLE_SIZE], left[TAR_BLOCK_SIZE];
    struct tar_entry entry = {TEXT("journal/sums/1"), 100, 1796086292};
    (void)state;
    assert_code(tar_write_preamble(&entry, data, NULL), ERROR_NONE);
    for (size_t length = 0; length <= sizeof left; length++) {
        memset(left, 0, sizeof left);
        memcpy(left, data, length);
        assert_int_equal(tar_block_begins_preamble(left), length > 0);
    }
    assert_code(tar_write_header(&entry, data, NULL), ERROR_NONE);
    assert_false(tar_block_begins_preamble(data));
}

static void
fields_stand_where_ustar_wants_them(void **state)
{
    unsigned char block[TAR_BLOCK_SIZE];
    struct tar_entry entry = {TEXT("journal/x.jsonl"), 01234, 7};
    (void)state;
    assert_code(tar_write_header(&entry, block, NULL), ERROR_NONE);
    assert_memory_equal(block, "journal/x.jsonl\0", 16);
    assert_memory_equal(block + 100, "0000644\0000000000\0000000000\000", 24);
    assert_memory_equal(block + 124, "00000001234\00000000000007\000", 24);
    assert_int_equal(block[156], '0');
    assert_memory_equal(block + 257, "ustar\00000", 8);
    assert_int_equal(block[265], 0);
    unsigned sum = 0;
    for (int i = 0; i < 512; i++)
        sum += i >= 148 && i < 156 ? ' ' : block[i];
    char checksum[9];
    snprintf(checksum, sizeof checksum, "%06o%c ", sum, 0);
    checksum[7] = ' ';
    assert_memory_equal(block + 148, checksum, 8);
}

static void
long_paths_are_split_at_a_slash_or_refused(void **state)
{
    char path[400] = "";
    struct tar_entry entry = {text_from(path), 0, 0};
    unsigned char block[TAR_BLOCK_SIZE];
    (void)state;
    memset(path, 'a', sizeof path);
    path[155] = '/';
    path[256] = '\0';
    assert_round_trip(path, 5, false); /* 155 + 1 + 100 */
    path[155] = 'a';
    entry.path = text_of(path, 101);
    assert_code(tar_write_header(&entry, block, NULL), ERROR_INVALID);
    entry.path = text_of(path, 100);
    assert_code(tar_write_header(&entry, block, NULL), ERROR_NONE);
    path[0] = '/';
    entry.path = text_of(path, 101);
    assert_false(tar_path_fits(entry.path));
    path[0] = 'a';
    path[1] = '/';
    assert_false(tar_path_fits(text_of(path, 103)));
    assert_true(tar_path_fits(text_of(path, 102)));
    assert_false(tar_path_fits(TEXT("")));
    assert_false(tar_path_fits(TEXT("a/")));
    assert_false(tar_path_fits(TEXT("a\0b")));
    entry = (struct tar_entry){TEXT("a"), 0, UINT64_C(1) << 33};
    assert_code(tar_write_header(&entry, block, NULL), ERROR_INVALID);
}

static void
any_flipped_bit_in_a_header_is_noticed(void **state)
{
    char data[TAR_PREAMBLE_SIZE], path_out[TAR_PATH_MAX];
    struct tar_entry entry = {TEXT("ocfl/a/b"), 77, 1};
    struct tar_found found;
    (void)state;
    assert_code(tar_write_preamble(&entry, data, NULL), ERROR_NONE);
    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        size_t byte = bit / 8;
        if (byte >= TAR_BLOCK_SIZE && byte < TAR_BLOCK_SIZE + TAR_PREAMBLE_RECORDS_SIZE)
            continue; /* records carry no checksum */
        data[byte] ^= (char)(1 << bit % 8);
        if (tar_parse_entry(text_of(data, sizeof data), path_out, &found, NULL) == ERROR_NONE)
            assert_true(byte % TAR_BLOCK_SIZE >= 154 && byte % TAR_BLOCK_SIZE < 156);
        data[byte] ^= (char)(1 << bit % 8);
    }
}

static void
zero_blocks_end_an_archive_and_other_types_are_refused(void **state)
{
    unsigned char block[TAR_BLOCK_SIZE] = {0};
    char path_out[TAR_PATH_MAX];
    struct tar_found found;
    (void)state;
    struct text data = text_of((char *)block, sizeof block);
    assert_true(tar_block_is_zero(block));
    assert_code(tar_parse_entry(data, path_out, &found, NULL), ERROR_NOT_FOUND);
    block[511] = 1;
    assert_false(tar_block_is_zero(block));
    assert_code(tar_parse_entry(data, path_out, &found, NULL), ERROR_CORRUPT);
}

static void
pax_records_are_read_strictly(void **state)
{
    static const char *const bad[] = {"5 a=", "6 a=b\n x", "7 a=b\n", "x a=b\n", "6 ab\nc\n", "5 =b\n",
                                      "0 a=b\n", "9 size=x\n", "8 path=\n", "99999999999 a=b\n", "-6 a=b\n", "6"};
    struct tar_pax pax;
    (void)state;
    assert_code(tar_parse_pax(TEXT("6 a=b\n12 path=a=b\n\n21 size=18446744073709551615\n"), &pax, NULL),
                ERROR_CORRUPT);
    assert_code(tar_parse_pax(TEXT("6 a=b\n12 path=a=\n\n11 size=12\n"), &pax, NULL), ERROR_NONE);
    assert_true(pax.has_path && pax.has_size);
    assert_text(pax.path, TEXT("a=\n"));
    assert_int_equal(pax.size, 12);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (tar_parse_pax(text_from(bad[i]), &pax, NULL) != ERROR_CORRUPT)
            fail_msg("accepted: %s", bad[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_of_every_shape_go_there_and_back),
        cmocka_unit_test(what_is_left_of_a_preamble_is_told_from_other_headers),
        cmocka_unit_test(fields_stand_where_ustar_wants_them),
        cmocka_unit_test(long_paths_are_split_at_a_slash_or_refused),
        cmocka_unit_test(any_flipped_bit_in_a_header_is_noticed),
        cmocka_unit_test(zero_blocks_end_an_archive_and_other_types_are_refused),
        cmocka_unit_test(pax_records_are_read_strictly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
