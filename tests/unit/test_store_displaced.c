/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes cut out of the open log volume, or put in: everything behind is whole but elsewhere. The
 * store is not written then, and above all nothing is taken for a torn tail. */
#include "format/tar.h"
#include "store_fixture.h"

enum { GROUPS = 9 }; /* the third and the seventh have no entries, only a line */
#define LOG "log-0000000001.tar"
#define BULK "bulk-0000000002.tar"

static void
commit_line(struct fixture *f)
{
    struct error error = {0};
    struct group *group;
    struct group_info info;
    check(group_begin(f->store, false, &group, &info, &error), &error);
    check(group_add_line(group, TEXT("{\"op\":\"x\"}"), NULL, &error), &error);
    check(group_commit(group, NULL, NULL, &error), &error);
}

static void
path_of(const struct fixture *f, const char *name, char path[160])
{
    snprintf(path, 160, "%s/%s", f->volumes, name);
}

static void
read_volume(struct fixture *f, const char *name, struct buffer *bytes)
{
    char path[160];
    struct stat facts;
    path_of(f, name, path);
    buffer_clear(bytes);
    assert_int_equal(stat(path, &facts), 0);
    char *to = buffer_reserve(bytes, (size_t)facts.st_size);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(to, 1, (size_t)facts.st_size, file), facts.st_size);
    bytes->length = (size_t)facts.st_size;
    fclose(file);
}

static void
write_volume(struct fixture *f, const char *name, struct text bytes)
{
    char path[160];
    path_of(f, name, path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.length, file), bytes.length);
    assert_int_equal(fclose(file), 0);
}

static void
close_store(struct fixture *f)
{
    store_close(f->store);
    f->store = NULL;
}

/* `whole`: the volume as it must be. */
static struct position
make_groups(struct fixture *f, unsigned groups, struct buffer *whole)
{
    make_fixture(f);
    open_store(f, NULL);
    for (unsigned i = 1; i <= groups; i++) {
        if (i == 3 || i == 7)
            commit_line(f);
        else
            deposit(f, i, 200 * i, NULL, NULL);
    }
    struct position last = store_position(f->store);
    close_store(f);
    read_volume(f, LOG, whole);
    return last;
}

static void
let_go(struct fixture *f, struct buffer *whole)
{
    buffer_release(whole);
    release(f);
}

struct damage {
    size_t at, removed, inserted; /* inserted as noise */
};

static void
spoil(struct fixture *f, const char *name, const struct buffer *whole, struct damage damage)
{
    struct buffer bytes = {0};
    buffer_append(&bytes, whole->data, damage.at);
    for (size_t i = 0; i < damage.inserted; i++)
        buffer_append_char(&bytes, (char)(i * 37 + 11));
    buffer_append(&bytes, whole->data + damage.at + damage.removed,
                  whole->length - damage.at - damage.removed);
    write_volume(f, name, buffer_text(&bytes));
    buffer_release(&bytes);
}

/* The store does not open, says where, and has changed nothing. */
static void
expect_refused(struct fixture *f, const struct buffer *whole, struct damage damage,
               const struct position *known)
{
    struct error error = {0};
    struct buffer before = {0}, after = {0};
    unsigned faults = f->faults;
    spoil(f, LOG, whole, damage);
    read_volume(f, LOG, &before);
    enum error_code code =
        store_open(&f->options, known, count_fault, f, &f->store, &f->recovery, &error);
    if (code != ERROR_CORRUPT || strstr(error.message, "log volume 1 is sound up to") == NULL)
        fail_msg("%zu bytes out and %zu in at %zu: %s: %s", damage.removed, damage.inserted,
                 damage.at, error_word(code), error.message);
    assert_true(f->faults > faults);
    read_volume(f, LOG, &after);
    assert_true(text_equal(buffer_text(&before), buffer_text(&after)));
    buffer_release(&before);
    buffer_release(&after);
}

static void
expect_all_groups(struct fixture *f, struct text bytes)
{
    write_volume(f, LOG, bytes);
    open_store(f, NULL);
    assert_int_equal(count_groups(f, 0), GROUPS);
    close_store(f);
}

/* ---- tests ---- */

static void
an_entry_that_is_cut_out_costs_no_group(void **state)
{
    struct fixture f;
    struct buffer whole = {0};
    char path[TAR_PATH_MAX];
    struct tar_found found;
    unsigned entries = 0;
    (void)state;
    struct position last = make_groups(&f, GROUPS, &whole);
    for (size_t at = 1024, length; at + TAR_BLOCK_SIZE < last.offset; at += length) {
        check(tar_parse_entry(text_of(whole.data + at, whole.length - at), path, &found, NULL),
              &(struct error){0});
        length = found.header_size + (size_t)tar_padded(found.entry.size);
        expect_refused(&f, &whole, (struct damage){at, length, 0}, NULL);
        expect_refused(&f, &whole, (struct damage){at, length, 0}, &last);
        entries++;
    }
    assert_int_equal(entries, 2 * (GROUPS - 2) + GROUPS - 1);
    expect_all_groups(&f, buffer_text(&whole));
    let_go(&f, &whole);
}

static void
bytes_that_are_cut_out_or_put_in_anywhere_cost_no_group(void **state)
{
    static const size_t amounts[] = {1, 100, 512, 1024, 5000};
    struct fixture f;
    struct buffer whole = {0};
    (void)state;
    struct position last = make_groups(&f, GROUPS, &whole);
    size_t end = last.offset - 512; /* of what lies before the last journal entry */
    for (size_t at = 1024; at < end; at += 777) {
        for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
            expect_refused(&f, &whole, (struct damage){at, 0, amounts[i]}, NULL);
            if (at + amounts[i] <= end)
                expect_refused(&f, &whole, (struct damage){at, amounts[i], 0}, NULL);
        }
    }
    expect_refused(&f, &whole, (struct damage){end, 0, 512}, NULL);
    expect_all_groups(&f, buffer_text(&whole));
    let_go(&f, &whole);
}

/* Its journal entry names no place, so it is out of place when it does not adjoin. */
static void
a_last_group_without_entries_is_not_lost_either(void **state)
{
    struct fixture f;
    struct buffer whole = {0};
    (void)state;
    struct position last = make_groups(&f, 3, &whole);
    expect_refused(&f, &whole, (struct damage){last.offset - 512, 0, 512}, NULL);
    expect_refused(&f, &whole, (struct damage){last.offset - 512, 0, 7}, NULL);
    expect_refused(&f, &whole, (struct damage){1024, 0, 512}, NULL);
    let_go(&f, &whole);
}

/* A search window is 1 MiB: a header that lies across its border is found. */
static void
a_group_beyond_the_first_window_is_found(void **state)
{
    enum { WINDOW = 1 << 20 };
    struct fixture f;
    struct buffer whole = {0};
    (void)state;
    struct position last = make_groups(&f, 2, &whole);
    size_t header = last.offset - 512;
    for (size_t before = 0; before <= 1100; before += 275)
        expect_refused(&f, &whole,
                       (struct damage){1024, 0, WINDOW - (header - 1024) - 512 + before}, NULL);
    let_go(&f, &whole);
}

static void
the_words_name_group_place_and_amount(void **state)
{
    struct fixture f;
    struct buffer whole = {0};
    struct error error = {0};
    char wanted[100];
    (void)state;
    struct position last = make_groups(&f, 2, &whole);
    spoil(&f, LOG, &whole, (struct damage){1024, 1024, 0});
    assert_int_equal(store_open(&f.options, NULL, count_fault, &f, &f.store, &f.recovery, &error),
                     ERROR_CORRUPT);
    assert_int_equal(f.last_fault.volume, 1);
    assert_int_equal(f.last_fault.sequence, 1);
    snprintf(wanted, sizeof wanted, "group 1 is whole, but at ");
    assert_non_null(strstr(error.message, wanted));
    assert_non_null(strstr(error.message, ": 1024 bytes before it are missing"));
    spoil(&f, LOG, &whole, (struct damage){last.offset - 512, 0, 1536});
    assert_int_equal(store_open(&f.options, NULL, count_fault, &f, &f.store, &f.recovery, &error),
                     ERROR_CORRUPT);
    snprintf(wanted, sizeof wanted,
             "group 2 is whole, but at %llu and not at %llu: 1536 bytes before it are too many",
             (unsigned long long)last.offset + 1024, (unsigned long long)last.offset - 512);
    assert_non_null(strstr(error.message, wanted));
    assert_int_equal(f.last_fault.offset, last.offset + 1024);
    let_go(&f, &whole);
}

static void
zeros_in_the_place_of_what_is_missing_bring_all_groups_back(void **state)
{
    struct fixture f;
    struct buffer whole = {0};
    (void)state;
    make_groups(&f, GROUPS, &whole);
    expect_refused(&f, &whole, (struct damage){1024, 1024, 0}, NULL);
    memset(whole.data + 1024, 0, 1024);
    expect_all_groups(&f, buffer_text(&whole));
    let_go(&f, &whole);
}

static void
for_reading_only_it_opens_and_verification_names_it(void **state)
{
    struct fixture f;
    struct buffer whole = {0};
    struct error error = {0};
    struct verify_options options = {0};
    uint64_t faults;
    (void)state;
    struct position last = make_groups(&f, 2, &whole);
    spoil(&f, LOG, &whole, (struct damage){last.offset - 512, 0, 1024});
    f.options.read_only = true;
    open_store(&f, NULL);
    assert_int_equal(f.faults, 1);
    assert_int_equal(store_position(f.store).sequence, 1);
    check(store_verify(f.store, &options, count_fault, &f, &faults, &error), &error);
    assert_int_equal(faults, 1);
    assert_int_equal(f.last_fault.sequence, 2);
    assert_int_equal(f.last_fault.offset, last.offset + 512);
    assert_int_equal(count_groups(&f, 0), 1);
    let_go(&f, &whole);
}

/* ---- bulk volumes ---- */

/* What moved behind the committed end of a bulk volume is content, not an upload that came to
 * nothing. */
static void
what_moved_in_a_bulk_volume_is_not_cut(void **state)
{
    struct fixture f;
    struct buffer whole = {0}, after = {0}, sums[2] = {{0}};
    struct content_reference references[2];
    struct error error = {0};
    struct verify_options options = {0};
    uint64_t faults;
    (void)state;
    make_fixture(&f);
    open_store(&f, NULL);
    check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
    for (unsigned i = 0; i < 2; i++)
        deposit(&f, i, 150000, &references[i], &sums[i]);
    close_store(&f);
    read_volume(&f, BULK, &whole);
    struct bulk_length length = {2, whole.length};
    for (size_t inserted = 512; inserted <= 2048; inserted += 512) {
        spoil(&f, BULK, &whole, (struct damage){4000, 0, inserted});
        open_store(&f, NULL);
        check(store_set_bulk_lengths(f.store, &length, 1, &error), &error);
        check(store_verify(f.store, &options, count_fault, &f, &faults, &error), &error);
        assert_true(faults > 0);
        close_store(&f);
        read_volume(&f, BULK, &after);
        assert_int_equal(after.length, whole.length + inserted);
    }
    write_volume(&f, BULK, buffer_text(&whole));
    open_store(&f, NULL);
    check(store_set_bulk_lengths(f.store, &length, 1, &error), &error);
    for (unsigned i = 0; i < 2; i++) {
        expect_content(&f, i, &references[i]);
        buffer_release(&sums[i]);
    }
    buffer_release(&after);
    let_go(&f, &whole);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_that_is_cut_out_costs_no_group),
        cmocka_unit_test(bytes_that_are_cut_out_or_put_in_anywhere_cost_no_group),
        cmocka_unit_test(a_last_group_without_entries_is_not_lost_either),
        cmocka_unit_test(a_group_beyond_the_first_window_is_found),
        cmocka_unit_test(the_words_name_group_place_and_amount),
        cmocka_unit_test(zeros_in_the_place_of_what_is_missing_bring_all_groups_back),
        cmocka_unit_test(what_moved_in_a_bulk_volume_is_not_cut),
        cmocka_unit_test(for_reading_only_it_opens_and_verification_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
