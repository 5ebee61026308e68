/* SPDX-License-Identifier: Apache-2.0 */
/* Zips written record by record are read back by our own reader: small ones, zip64 by size, by place and by count. */
#include "unit.h"

#include "format/zip_write.h"
#include "package/zip_directory.h"

enum { PIECES_MAX = 16 };

/* An archive whose contents are zeros that take no memory: records at their places. */
struct archive {
    struct {
        uint64_t offset;
        struct buffer bytes;
    } pieces[PIECES_MAX];
    size_t count;
    uint64_t size;
};

static struct buffer *
next_piece(struct archive *archive)
{
    assert_true(archive->count < PIECES_MAX);
    archive->pieces[archive->count].offset = archive->size;
    return &archive->pieces[archive->count++].bytes;
}

static enum error_code
read_archive(void *context, uint64_t offset, void *data, size_t length, struct error *error)
{
    const struct archive *archive = context;
    (void)error;
    memset(data, 0, length);
    for (size_t i = 0; i < archive->count; i++) {
        const struct buffer *bytes = &archive->pieces[i].bytes;
        uint64_t start = archive->pieces[i].offset, end = start + bytes->length;
        uint64_t from = start > offset ? start : offset, to = end < offset + length ? end : offset + length;
        if (from < to)
            memcpy((char *)data + (from - offset), bytes->data + (from - start), (size_t)(to - from));
    }
    return ERROR_NONE;
}

static void
write_archive(struct archive *archive, struct zip_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct buffer *out = next_piece(archive);
        records[i].offset = archive->size;
        zip_put_local(out, &records[i]);
        archive->size += out->length + records[i].size_bytes;
        out = next_piece(archive);
        zip_put_descriptor(out, &records[i]);
        archive->size += out->length;
    }
    struct buffer *out = next_piece(archive);
    for (size_t i = 0; i < count; i++)
        zip_put_central(out, &records[i]);
    zip_put_end(out, count, archive->size, out->length);
    archive->size += out->length;
}

struct reading {
    struct package_source source;
    const struct zip_record *expected;
    size_t count;
};

static enum error_code
compare(void *context, const struct zip_entry *entry, struct error *error)
{
    struct reading *reading = context;
    const struct zip_record *expected = &reading->expected[reading->count++];
    uint64_t end;
    assert_text(entry->name, expected->name);
    assert_true(entry->utf8);
    assert_int_equal(entry->method, 0);
    assert_int_equal(entry->crc, expected->crc);
    assert_true(entry->size_bytes == expected->size_bytes && entry->packed_bytes == expected->size_bytes);
    assert_true(entry->header_offset == expected->offset);
    return zip_check_local(&reading->source, entry, &end, error);
}

static void
assert_read_back(struct zip_record *records, size_t count)
{
    struct archive archive = {.count = 0};
    struct error error = {0};
    write_archive(&archive, records, count);
    struct reading reading = {{archive.size, read_archive, &archive}, records, 0};
    if (zip_directory_read(&reading.source, 100, compare, &reading, &error) != ERROR_NONE)
        fail_msg("%s", error.message);
    assert_int_equal(reading.count, count);
    for (size_t i = 0; i < archive.count; i++)
        buffer_release(&archive.pieces[i].bytes);
}

static void
small_ones(void **state)
{
    (void)state;
    struct zip_record records[] = {{TEXT("a.txt"), 3, 0, 0x352441C2}, {TEXT("\xC3\xBC/empty"), 0, 0, 0}};
    assert_read_back(records, 2);
    assert_read_back(records, 0);
}

static void
large_and_far_ones(void **state)
{
    (void)state;
    struct zip_record records[] = {{TEXT("below"), UINT32_MAX - 1, 0, 1}, {TEXT("at the limit"), UINT32_MAX, 0, 2},
                                   {TEXT("above"), UINT64_C(5) << 30, 0, 3}, {TEXT("far"), 1, 0, 4}};
    assert_read_back(records, 4);
}

static enum error_code
count_entry(void *context, const struct zip_entry *entry, struct error *error)
{
    (void)entry;
    (void)error;
    ++*(size_t *)context;
    return ERROR_NONE;
}

static void
many(void **state)
{
    (void)state;
    static const size_t counts[] = {65534, 65535, 65536};
    struct zip_record record = {TEXT("same"), 0, 0, 0};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct archive archive = {.count = 0};
        struct error error = {0};
        struct buffer *out = next_piece(&archive);
        size_t seen = 0;
        zip_put_local(out, &record);
        zip_put_descriptor(out, &record);
        archive.size = out->length;
        out = next_piece(&archive);
        for (size_t j = 0; j < counts[i]; j++)
            zip_put_central(out, &record);
        zip_put_end(out, counts[i], archive.size, out->length);
        archive.size += out->length;
        struct package_source source = {archive.size, read_archive, &archive};
        if (zip_directory_read(&source, 100000, count_entry, &seen, &error) != ERROR_NONE)
            fail_msg("%zu entries: %s", counts[i], error.message);
        assert_int_equal(seen, counts[i]);
        buffer_release(&archive.pieces[0].bytes);
        buffer_release(&archive.pieces[1].bytes);
    }
}

static void
checksums(void **state)
{
    (void)state;
    assert_int_equal(zip_crc(0, "123456789", 9), 0xCBF43926);
    assert_int_equal(zip_crc(zip_crc(0, "1234", 4), "56789", 5), 0xCBF43926);
    assert_int_equal(zip_crc(0, NULL, 0), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_ones),
        cmocka_unit_test(large_and_far_ones),
        cmocka_unit_test(many),
        cmocka_unit_test(checksums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
