/* SPDX-License-Identifier: Apache-2.0 */
/* Sealing, purge, compaction and verification over a real folder, read by the tars of others. */
#include "format/tar.h"
#include "store_fixture.h"

#include <dirent.h>

enum { COUNT = 24 };

struct deposits {
    struct content_reference references[COUNT];
    struct buffer sums[COUNT];
    struct position positions[COUNT];
};

/* Small ones, every fifth large. */
static void
make_deposits(struct fixture *f, struct deposits *d)
{
    struct error error = {0};
    memset(d, 0, sizeof *d);
    make_fixture(f);
    open_store(f, NULL);
    check(store_set_bulk_lengths(f->store, NULL, 0, &error), &error);
    for (unsigned i = 0; i < COUNT; i++)
        d->positions[i] =
            deposit(f, i, i % 5 == 4 ? 150000 + i : 3000 + i, &d->references[i], &d->sums[i]);
}

static void
release_deposits(struct fixture *f, struct deposits *d)
{
    for (unsigned i = 0; i < COUNT; i++)
        buffer_release(&d->sums[i]);
    release(f);
}

static void
reopen(struct fixture *f, const struct deposits *d)
{
    struct error error = {0};
    struct bulk_length lengths[COUNT];
    size_t count = 0;
    store_close(f->store);
    open_store(f, NULL);
    for (unsigned i = 0; i < COUNT; i++) {
        const struct content_reference *r = &d->references[i];
        if (r->sums.volume != 0)
            lengths[count++] = (struct bulk_length){r->place.volume, r->sums.offset + 512};
    }
    /* One volume took them all, one after the other: the last is the longest. */
    check(store_set_bulk_lengths(f->store, &lengths[count - 1], 1, &error), &error);
}

/* Every tar lists every volume, without a word. */
static void
expect_tars_content(struct fixture *f)
{
    static const char *const readers[] = {"tar -tvf '%s' >/dev/null 2>'%s/err'",
                                          "bsdtar -tvf '%s' >/dev/null 2>'%s/err'",
                                          "python3 -m tarfile -l '%s' >/dev/null 2>'%s/err'"};
    DIR *folder = opendir(f->volumes);
    assert_non_null(folder);
    for (struct dirent *item; (item = readdir(folder)) != NULL;) {
        char path[400], command[1200], err[100];
        struct stat stat_buffer;
        if (item->d_name[0] == '.')
            continue;
        assert_non_null(strstr(item->d_name, ".tar"));
        snprintf(path, sizeof path, "%s/%s", f->volumes, item->d_name);
        for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(command, sizeof command, readers[i], path, f->folder);
#pragma GCC diagnostic pop
            snprintf(err, sizeof err, "%s/err", f->folder);
            if (system(command) != 0)
                fail_msg("%s", command);
            assert_int_equal(stat(err, &stat_buffer), 0);
            if (stat_buffer.st_size != 0)
                fail_msg("%s says something", command);
        }
    }
    closedir(folder);
}

static bool
stop_at_once(void *context, uint64_t done, uint64_t total, uint64_t sequence)
{
    (void)context;
    assert_true(done > 0 && total > done && sequence > 0);
    return false;
}

static unsigned
verify(struct fixture *f)
{
    struct error error = {0};
    struct verify_options options = {0};
    uint64_t faults;
    unsigned before = f->faults;
    check(store_verify(f->store, &options, count_fault, f, &faults, &error), &error);
    assert_int_equal(f->faults - before, faults);
    return (unsigned)faults;
}

struct listing {
    unsigned sealed, open, compacted;
};

static bool
count_volume(void *context, const struct volume_facts *facts)
{
    struct listing *listing = context;
    *(facts->sealed ? &listing->sealed : &listing->open) += 1;
    listing->compacted += facts->generation > 1;
    return true;
}

static struct listing
list_volumes(struct fixture *f)
{
    struct listing listing = {0};
    store_volumes(f->store, count_volume, &listing);
    return listing;
}

/* How often the bytes occur in the folder. */
static unsigned
occurrences(struct fixture *f, const char *pattern)
{
    char command[400], words[32] = "";
    snprintf(command, sizeof command, "cat %s/*.tar | grep -a -o -F '%s' | wc -l", f->volumes,
             pattern);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(words, sizeof words, pipe));
    assert_int_equal(pclose(pipe), 0);
    return (unsigned)strtoul(words, NULL, 10);
}

static void
sealed_volumes_end_are_protected_and_can_be_hashed(void **state)
{
    struct fixture f;
    struct deposits d;
    struct error error = {0};
    struct stat facts;
    unsigned char digest[32], again[32];
    char path[120];
    (void)state;
    make_deposits(&f, &d);
    assert_int_equal(store_volume_sha256(f.store, 1, 0, digest, &error), ERROR_CONFLICT);
    check(store_seal(f.store, &error), &error);
    assert_int_equal(list_volumes(&f).sealed, 2);
    snprintf(path, sizeof path, "%s/log-0000000001.tar", f.volumes);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0222, 0);
    check(store_volume_sha256(f.store, 1, 0, digest, &error), &error);
    expect_tars_content(&f);
    reopen(&f, &d);
    assert_int_equal(list_volumes(&f).sealed, 2);
    check(store_volume_sha256(f.store, 1, 0, again, &error), &error);
    assert_memory_equal(digest, again, 32);
    assert_int_equal(count_groups(&f, 0), COUNT);
    assert_int_equal(verify(&f), 0);
    for (unsigned i = 0; i < COUNT; i++)
        expect_content(&f, i, &d.references[i]);
    release_deposits(&f, &d);
}

static void
run(const char *format, const char *folder)
{
    char command[400];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(command, sizeof command, format, folder, folder);
#pragma GCC diagnostic pop
    if (system(command) != 0)
        fail_msg("%s", command);
}

static void
find_line(struct fixture *f, uint64_t sequence, struct purge_line *line)
{
    struct error error = {0};
    struct journal_reader *reader;
    struct journal_group group;
    enum error_code status;
    check(journal_reader_open(f->store, sequence, true, &reader, &error), &error);
    assert_true(journal_reader_next(reader, &group, &status, &error));
    *line = (struct purge_line){{group.position.volume, group.position.offset},
                                group.line_offsets[0],
                                group.lines[0].length};
    journal_reader_close(reader);
}

static struct purge_span
span_of(const struct content_reference *reference)
{
    return (struct purge_span){reference->place, reference->size_bytes,
                               reference->sums.volume != 0};
}

static void
purge_deposit(struct fixture *f, const struct deposits *d, unsigned i)
{
    struct error error = {0};
    struct purge_line line;
    struct purge_span span = span_of(&d->references[i]);
    struct purge_request request = {&span, 1, &line, 1};
    find_line(f, d->positions[i].sequence, &line);
    check(store_purge(f->store, &request, &error), &error);
    check(store_purge(f->store, &request, &error), &error); /* again: no harm */
}

static void
what_is_purged_is_gone_and_chain_and_tar_stay_whole(void **state)
{
    struct fixture f;
    struct deposits d;
    struct error error = {0};
    char data[160000];
    (void)state;
    make_deposits(&f, &d);
    assert_int_equal(occurrences(&f, "\"op\":\"put\""), COUNT);
    for (unsigned i = 2; i < 14; i++) /* neighbours, small and large, in the open volumes */
        purge_deposit(&f, &d, i);
    check(store_seal(f.store, &error), &error);
    purge_deposit(&f, &d, 20); /* and in sealed ones */
    purge_deposit(&f, &d, 19);
    assert_int_equal(occurrences(&f, "\"op\":\"put\""), COUNT - 14);
    assert_int_equal(occurrences(&f, "{\"purged\":\""), 14);
    assert_int_equal(occurrences(&f, "journal/void/"), 14);
    expect_tars_content(&f);
    assert_int_equal(verify(&f), 0);
    assert_int_equal(count_groups(&f, 0), COUNT);
    reopen(&f, &d);
    assert_int_equal(f.faults, 0);
    assert_int_equal(count_groups(&f, 0), COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        bool purged = (i >= 2 && i < 14) || i == 19 || i == 20;
        if (!purged)
            expect_content(&f, i, &d.references[i]);
        else
            assert_int_equal(store_read_content(f.store, &d.references[i], 0, data,
                                                d.references[i].size_bytes, &error),
                             ERROR_CORRUPT);
    }
    release_deposits(&f, &d);
}

/* An entry of bulk content of the given size, all zeros, at the end of a new bulk volume. */
static void
make_huge_entry(struct fixture *f, uint64_t size)
{
    struct error error = {0};
    struct device_file *file;
    struct content *content = make_content(f, 100000, 1); /* makes the volume; given up */
    content_free(content);
    unsigned char preamble[TAR_PREAMBLE_SIZE];
    struct tar_entry entry = {TEXT("ocfl/huge"), size, 1700000000};
    struct iovec part = {preamble, sizeof preamble};
    check(tar_write_preamble(&entry, preamble, &error), &error);
    check(device_open_file(f->device, "bulk-0000000002.tar", DEVICE_READ_WRITE, &file, &error),
          &error);
    check(device_write(file, 1024, &part, 1, &error), &error);
    check(
        f->device->operations->truncate(file, 1024 + TAR_PREAMBLE_SIZE + tar_padded(size), &error),
        &error);
    device_close_file(file);
}

static void
entries_around_eight_gigabytes_become_voids_of_their_length(void **state)
{
    const uint64_t eight = UINT64_C(8) << 30;
    const uint64_t totals[] = {eight - 512,  eight,        eight + 512,
                               eight + 1024, eight + 1536, eight + 2048};
    (void)state;
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        struct fixture f;
        struct error error = {0};
        uint64_t size = totals[i] - TAR_PREAMBLE_SIZE;
        struct bulk_length length = {2, 1024 + totals[i]};
        struct purge_span span = {{2, 1024 + TAR_PREAMBLE_SIZE}, size, true};
        struct purge_request request = {&span, 1, NULL, 0};
        make_fixture(&f);
        open_store(&f, NULL);
        check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
        make_huge_entry(&f, size);
        store_close(f.store);
        open_store(&f, NULL);
        check(store_set_bulk_lengths(f.store, &length, 1, &error), &error);
        check(store_purge(f.store, &request, &error), &error);
        check(store_purge(f.store, &request, &error), &error);
        assert_int_equal(verify(&f), 0); /* header to header, to the very end */
        run("test $(tar -tf %s/bulk-0000000002.tar | wc -l) = 2", f.volumes);
        run("bsdtar -tf %s/bulk-0000000002.tar | grep -q journal/void/", f.volumes);
        release(&f);
    }
}

static void
a_purge_that_names_something_else_touches_nothing(void **state)
{
    struct fixture f;
    struct deposits d;
    struct error error = {0};
    struct purge_line line;
    (void)state;
    make_deposits(&f, &d);
    struct purge_span span = span_of(&d.references[3]);
    struct purge_request request = {&span, 1, NULL, 0};
    span.length -= 600;
    assert_int_equal(store_purge(f.store, &request, &error), ERROR_CORRUPT);
    span = span_of(&d.references[3]);
    span.place.offset += 512;
    assert_int_equal(store_purge(f.store, &request, &error), ERROR_CORRUPT);
    find_line(&f, 4, &line);
    request = (struct purge_request){NULL, 0, &line, 1};
    line.line_length -= 1;
    assert_int_equal(store_purge(f.store, &request, &error), ERROR_CORRUPT);
    assert_int_equal(verify(&f), 0);
    release_deposits(&f, &d);
}

static void
a_purge_is_applied_to_copies_and_missing_volumes_are_reported(void **state)
{
    struct fixture f;
    struct deposits d;
    struct error error = {0};
    struct device *copy;
    struct purge_line line;
    char command[400], folder[100];
    (void)state;
    make_deposits(&f, &d);
    struct purge_span spans[2] = {span_of(&d.references[3]), span_of(&d.references[4])};
    find_line(&f, 4, &line);
    struct purge_request request = {spans, 2, &line, 1};
    snprintf(folder, sizeof folder, "%s/copy", f.folder);
    snprintf(command, sizeof command, "mkdir %s && cp %s/log-0000000001.tar %s", folder, f.volumes,
             folder);
    assert_int_equal(system(command), 0);
    check(device_files_new(folder, &copy, &error), &error);
    check(store_purge_copy(copy, &request, count_fault, &f, &error), &error);
    assert_int_equal(f.faults, 1);
    assert_int_equal(f.last_fault.code, ERROR_NOT_FOUND);
    assert_int_equal(f.last_fault.volume, 2);
    device_free(copy);
    run("tar -tf %s/log-0000000001.tar | grep -q journal/void/", folder);
    assert_int_equal(verify(&f), 0); /* the store itself is untouched */
    expect_content(&f, 3, &d.references[3]);
    release_deposits(&f, &d);
}

/* Drops the inventories of the first ten deposits. */
static bool
keep_some(void *context, struct text path, struct place place, uint64_t length)
{
    unsigned *asked = context;
    uint64_t number;
    struct text rest = text_of(path.data + 9, path.length - 9);
    (void)place, (void)length;
    (*asked)++;
    assert_true(text_starts_with(path, TEXT("ocfl/aaa/")));
    assert_true(text_to_u64(text_cut(rest, '/', &rest), &number));
    return !text_equal(rest, TEXT("inventory.json")) || number >= 10;
}

static void
a_compacted_volume_keeps_places_journal_and_chain(void **state)
{
    struct fixture f;
    struct deposits d;
    struct error error = {0};
    struct compaction_result result;
    unsigned asked = 0;
    unsigned char digest[32];
    char data[160000], path[120];
    (void)state;
    make_deposits(&f, &d);
    assert_int_equal(store_compact(f.store, 1, keep_some, &asked, &result, &error), ERROR_CONFLICT);
    check(store_seal(f.store, &error), &error);
    purge_deposit(&f, &d, 12);
    purge_deposit(&f, &d, 14);
    for (unsigned round = 2; round < 4; round++) { /* a compacted volume can be compacted */
        for (uint64_t volume = 1; volume < 3; volume++) {
            check(store_compact(f.store, volume, keep_some, &asked, &result, &error), &error);
            assert_int_equal(result.generation, round);
            if (round == 2)
                assert_true(result.bytes_after < result.bytes_before);
            check(store_volume_sha256(f.store, volume, 0, digest, &error), &error);
            assert_memory_equal(digest, result.sha256, 32);
        }
        purge_deposit(&f, &d, round); /* and purged afterwards */
        purge_deposit(&f, &d, round == 2 ? 19 : 22);
    }
    assert_int_equal(occurrences(&f, "\"n\":5}"), 0);
    assert_int_equal(occurrences(&f, "\"n\":15}"), 1);
    snprintf(path, sizeof path, "%s/log-0000000001.tar", f.volumes);
    assert_int_not_equal(access(path, F_OK), 0);
    expect_tars_content(&f);
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(verify(&f), 0);
        assert_int_equal(count_groups(&f, 0), COUNT);
        for (unsigned i = 0; i < COUNT; i++) {
            bool purged = i == 12 || i == 14 || i == 2 || i == 3 || i == 19 || i == 22;
            if (!purged)
                expect_content(&f, i, &d.references[i]);
        }
        enum error_code code = store_read_content(f.store, &d.references[12], 0, data, 10, &error);
        assert_int_equal(code, ERROR_GONE);
        reopen(&f, &d);
        assert_int_equal(f.faults, 0);
        assert_int_equal(list_volumes(&f).compacted, 2);
    }
    release_deposits(&f, &d);
}

static void
of_two_generations_the_later_whole_one_wins(void **state)
{
    struct fixture f;
    struct deposits d;
    struct error error = {0};
    struct compaction_result result;
    unsigned asked = 0;
    (void)state;
    make_deposits(&f, &d);
    check(store_seal(f.store, &error), &error);
    run("cp %s/log-0000000001.tar %s/../saved.tar", f.volumes);
    check(store_compact(f.store, 1, keep_some, &asked, &result, &error), &error);
    run("cp %s/../saved.tar %s/log-0000000001.tar", f.volumes); /* as if not yet removed */
    run("echo half > %s/log-0000000001.g3.tar.new", f.volumes);
    reopen(&f, &d);
    assert_int_equal(list_volumes(&f).compacted, 1);
    run("test ! -e %s/log-0000000001.tar && test ! -e %s/log-0000000001.g3.tar.new", f.volumes);
    assert_int_equal(verify(&f), 0);
    store_close(f.store);
    run("cp %s/../saved.tar %s/log-0000000001.tar", f.volumes);
    run("chmod u+w %s/*g2.tar; truncate -s -700 %s/log-0000000001.g2.tar", f.volumes);
    open_store(&f, NULL);
    assert_int_equal(list_volumes(&f).compacted, 0);
    assert_int_equal(verify(&f), 0);
    release_deposits(&f, &d);
}

static void
verification_finds_each_kind_of_damage(void **state)
{
    struct fixture f;
    struct deposits d;
    struct error error = {0};
    (void)state;
    make_deposits(&f, &d);
    assert_int_equal(verify(&f), 0);
    flip(&f, "log-0000000001.tar", d.references[1].place.offset + 5); /* small content */
    assert_int_equal(verify(&f), 1);
    assert_int_equal(f.last_fault.sequence, 2);
    assert_int_equal(f.last_fault.offset, d.references[1].place.offset);
    flip(&f, "log-0000000001.tar", d.references[2].place.offset - 512 + 3); /* its header's path */
    assert_int_equal(verify(&f), 2);
    flip(&f, "bulk-0000000002.tar", d.references[4].place.offset + 149999); /* large content */
    assert_int_equal(verify(&f), 3);
    flip(&f, "bulk-0000000002.tar", d.references[9].sums.offset + 2); /* sums */
    assert_int_equal(verify(&f), 4);
    flip(&f, "bulk-0000000002.tar", d.references[14].place.offset - 512 + 3); /* a preamble */
    assert_true(verify(&f) >= 5);
    unsigned before = verify(&f);
    flip(&f, "log-0000000001.tar", d.positions[20].offset + 30); /* the journal: a line */
    assert_true(verify(&f) > before);
    struct verify_options options = {.proceed = stop_at_once};
    uint64_t faults;
    assert_int_equal(store_verify(f.store, &options, NULL, NULL, &faults, &error), ERROR_CLOSED);
    release_deposits(&f, &d);
}

static void
verification_finds_missing_volumes_and_damaged_ends(void **state)
{
    struct fixture f;
    struct deposits d;
    struct error error = {0};
    (void)state;
    make_deposits(&f, &d);
    check(store_seal(f.store, &error), &error);
    run("chmod u+w %s/*; dd if=/dev/urandom of=%s/log-0000000001.tar bs=1 count=4 conv=notrunc "
        "oflag=append status=none",
        f.volumes);
    assert_int_equal(verify(&f), 1);
    run("rm %s/bulk-0000000002.tar", f.volumes);
    store_close(f.store);
    open_store(&f, NULL);
    assert_true(verify(&f) >= 5); /* four contents, four sums */
    release_deposits(&f, &d);
}

static void
extracted_in_order_the_last_version_of_a_path_wins(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct group *group;
    struct group_info info;
    struct place place;
    (void)state;
    make_fixture(&f);
    open_store(&f, NULL);
    for (unsigned i = 0; i < 3; i++) {
        char text[20];
        snprintf(text, sizeof text, "version %u", i + 1);
        check(group_begin(f.store, false, &group, &info, &error), &error);
        check(group_add_entry(group, TEXT("ocfl/inventory.json"), text_from(text), &place, &error),
              &error);
        check(group_add_line(group, TEXT("{\"op\":\"x\"}"), NULL, &error), &error);
        check(group_commit(group, NULL, NULL, &error), &error);
        check(store_seal(f.store, &error), &error);
    }
    run("mkdir %s/out", f.folder);
    run("for v in %s/volumes/*.tar; do tar -xf $v -C %s/out; done", f.folder);
    run("grep -qx 'version 3' %s/out/ocfl/inventory.json", f.folder);
    run("test $(stat -c %%a %s/out/ocfl/inventory.json) = 644", f.folder);
    release(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sealed_volumes_end_are_protected_and_can_be_hashed),
        cmocka_unit_test(what_is_purged_is_gone_and_chain_and_tar_stay_whole),
        cmocka_unit_test(entries_around_eight_gigabytes_become_voids_of_their_length),
        cmocka_unit_test(a_purge_that_names_something_else_touches_nothing),
        cmocka_unit_test(a_purge_is_applied_to_copies_and_missing_volumes_are_reported),
        cmocka_unit_test(a_compacted_volume_keeps_places_journal_and_chain),
        cmocka_unit_test(of_two_generations_the_later_whole_one_wins),
        cmocka_unit_test(verification_finds_each_kind_of_damage),
        cmocka_unit_test(verification_finds_missing_volumes_and_damaged_ends),
        cmocka_unit_test(extracted_in_order_the_last_version_of_a_path_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
