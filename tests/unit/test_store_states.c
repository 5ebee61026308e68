/* SPDX-License-Identifier: Apache-2.0 */
/* When the store opens and when it does not, what it does when writing fails, and limits. */
#include "format/hex.h"
#include "format/tar.h"
#include "store_fixture.h"

#include <errno.h>

static enum error_code
try_open(struct fixture *f, struct error *error)
{
    struct store *store = NULL;
    enum error_code code =
        store_open(&f->options, NULL, count_fault, f, &store, &f->recovery, error);
    if (code == ERROR_NONE)
        f->store = store;
    return code;
}

static void
close_store(struct fixture *f)
{
    store_close(f->store);
    f->store = NULL;
}

static void
write_bytes(struct fixture *f, const char *name, uint64_t offset, const char *bytes)
{
    struct error error = {0};
    struct device_file *file;
    struct iovec part = {(void *)(uintptr_t)bytes, strlen(bytes)};
    check(device_open_file(f->device, name, DEVICE_READ_WRITE, &file, &error), &error);
    check(device_write(file, offset, &part, 1, &error), &error);
    check(device_sync(file, &error), &error);
    device_close_file(file);
}

static uint64_t
size_of(struct fixture *f, const char *name)
{
    struct error error = {0};
    struct device_file *file;
    uint64_t size;
    check(device_open_file(f->device, name, DEVICE_READ, &file, &error), &error);
    check(f->device->operations->size(file, &size, &error), &error);
    device_close_file(file);
    return size;
}

static void
cut_to(struct fixture *f, const char *name, uint64_t size)
{
    struct error error = {0};
    struct device_file *file;
    check(device_open_file(f->device, name, DEVICE_READ_WRITE, &file, &error), &error);
    check(f->device->operations->truncate(file, size, &error), &error);
    device_close_file(file);
}

static void
faults_of_the_device(struct fixture *f, struct device_simulated_options options)
{
    device_simulated_set(f->device, &options);
}

static enum error_code
try_deposit(struct fixture *f, unsigned number, bool urgent, struct error *error)
{
    struct group *group;
    struct group_info info;
    struct place place;
    struct position position;
    char path[60];
    enum error_code code = group_begin(f->store, urgent, &group, &info, error);
    if (code != ERROR_NONE)
        return code;
    snprintf(path, sizeof path, "ocfl/%u", number);
    check(group_add_entry(group, text_from(path), TEXT("some bytes"), &place, error), error);
    check(group_add_line(group, TEXT("{\"op\":\"x\"}"), NULL, error), error);
    return group_commit(group, &position, NULL, error);
}

/* ---- opening ---- */

static void
creating_twice_is_refused(void **state)
{
    struct fixture f;
    struct error error = {0};
    (void)state;
    make_simulated_fixture(&f);
    assert_int_equal(store_create(&f.options, &fixture_identity, &error), ERROR_EXISTS);
    release(&f);
}

static void
an_empty_folder_is_no_store(void **state)
{
    struct fixture f;
    struct error error = {0};
    (void)state;
    make_simulated_fixture(&f);
    check(f.device->operations->remove(f.device, "log-0000000001.tar", &error), &error);
    assert_int_equal(try_open(&f, &error), ERROR_NOT_FOUND);
    release(&f);
}

static void
a_creation_that_did_not_end_is_begun_again(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct device_file *file;
    (void)state;
    make_simulated_fixture(&f);
    check(device_open_file(f.device, "log-0000000001.tar", DEVICE_READ_WRITE, &file, &error),
          &error);
    check(f.device->operations->truncate(file, 700, &error), &error);
    device_close_file(file);
    check(store_create(&f.options, &fixture_identity, &error), &error);
    check(try_open(&f, &error), &error);
    release(&f);
}

static void
a_newer_format_is_read_but_not_written(void **state)
{
    struct fixture f;
    struct error error = {0};
    (void)state;
    make_simulated_fixture(&f);
    write_bytes(&f, "log-0000000001.tar", 512 + 10, "7");
    assert_int_equal(try_open(&f, &error), ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "format 7"));
    f.options.read_only = true;
    check(try_open(&f, &error), &error);
    assert_true(store_identity(f.store)->newer_format);
    assert_int_equal(store_state(f.store, NULL), STORE_READ_ONLY);
    assert_int_equal(try_deposit(&f, 1, false, &error), ERROR_CLOSED);
    release(&f);
}

static void
a_volume_of_another_store_is_refused(void **state)
{
    struct fixture f;
    struct error error = {0};
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    check(try_deposit(&f, 1, false, &error), &error);
    check(store_seal(f.store, &error), &error);
    close_store(&f);
    const char *uuid = "99999999"; /* "store":"… begins at 20 */
    write_bytes(&f, "log-0000000002.tar", 512 + 21, uuid);
    assert_int_equal(try_open(&f, &error), ERROR_INVALID);
    release(&f);
}

static void
a_clock_far_behind_is_refused_unless_accepted(void **state)
{
    struct fixture f;
    struct error error = {0};
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    check(try_deposit(&f, 1, false, &error), &error);
    int64_t last = store_position(f.store).time_us;
    close_store(&f);
    f.clock.time_us = last - INT64_C(3700) * 1000000;
    assert_int_equal(try_open(&f, &error), ERROR_INVALID);
    assert_non_null(strstr(error.message, "--accept-clock"));
    f.options.accept_clock = true;
    check(try_open(&f, &error), &error);
    check(try_deposit(&f, 2, false, &error), &error);
    assert_int_equal(store_position(f.store).time_us, last + 1);
    release(&f);
}

static void
times_grow_although_the_clock_stands_still(void **state)
{
    struct fixture f;
    struct error error = {0};
    int64_t last = 0;
    (void)state;
    make_simulated_fixture(&f);
    f.clock.step_us = 0;
    open_store(&f, NULL);
    for (unsigned i = 0; i < 5; i++) {
        check(try_deposit(&f, i, false, &error), &error);
        assert_true(store_position(f.store).time_us > last);
        last = store_position(f.store).time_us;
    }
    release(&f);
}

static void
reading_only_changes_nothing(void **state)
{
    struct fixture f;
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    deposit(&f, 1, 3000, NULL, NULL);
    close_store(&f);
    uint64_t size = size_of(&f, "log-0000000001.tar");
    write_bytes(&f, "log-0000000001.tar", size, "a torn tail");
    device_simulated_set(f.device, &(struct device_simulated_options){0});
    f.options.read_only = true;
    open_store(&f, NULL);
    assert_int_equal(count_groups(&f, 0), 1);
    close_store(&f);
    assert_int_equal(size_of(&f, "log-0000000001.tar"), size + 11);
    assert_int_equal(device_simulated_syncs(f.device), 0);
    release(&f);
}

static void
the_copy_of_a_tail_is_what_was_cut(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct device_file *file;
    char data[11];
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    deposit(&f, 1, 3000, NULL, NULL);
    close_store(&f);
    uint64_t size = size_of(&f, "log-0000000001.tar");
    write_bytes(&f, "log-0000000001.tar", size, "a torn tail");
    open_store(&f, NULL);
    assert_int_equal(f.recovery.tail_bytes, 11);
    assert_int_equal(size_of(&f, "log-0000000001.tar"), size);
    check(device_open_file(f.lost_device, f.recovery.tail_copy, DEVICE_READ, &file, &error),
          &error);
    check(device_read_exactly(file, 0, data, sizeof data, &error), &error);
    assert_memory_equal(data, "a torn tail", sizeof data);
    device_close_file(file);
    release(&f);
}

static void
the_last_group_is_hashed_and_torn_ones_are_cut_unless_the_catalog_has_them(void **state)
{
    struct fixture f;
    struct content_reference reference;
    struct buffer sums = {0};
    struct position first, last;
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    first = deposit(&f, 1, 3000, NULL, NULL);
    last = deposit(&f, 2, 3000, &reference, &sums);
    close_store(&f);
    device_simulated_flip(f.device, "log-0000000001.tar", reference.place.offset + 100, 3);
    open_store(&f, &last); /* acknowledged: damage, not a torn write */
    assert_int_equal(f.faults, 1);
    assert_int_equal(f.last_fault.sequence, 2);
    assert_int_equal(store_position(f.store).sequence, 2);
    assert_int_equal(f.recovery.tail_bytes, 0);
    close_store(&f);
    open_store(&f, &first); /* nobody was told */
    assert_int_equal(store_position(f.store).sequence, 1);
    assert_int_not_equal(f.recovery.tail_bytes, 0);
    buffer_release(&sums);
    release(&f);
}

static void
bulk_content_of_the_last_group_is_hashed_too(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct content_reference reference;
    struct buffer sums = {0};
    struct position first;
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
    first = deposit(&f, 1, 3000, NULL, NULL);
    deposit(&f, 2, 300000, &reference, &sums);
    close_store(&f);
    device_simulated_flip(f.device, "bulk-0000000002.tar", reference.place.offset + 299999, 0);
    open_store(&f, &first);
    assert_int_equal(store_position(f.store).sequence, 1);
    buffer_release(&sums);
    release(&f);
}

/* A journal entry, header and all, that is right in everything but the mark, for use as content. */
static void
forge(struct buffer *out, uint64_t sequence, const unsigned char *previous, const char *mark)
{
    static const char line[] = "{\"op\":\"token\",\"user\":1,\"salt\":\"00112233445566778899aabbccddeeff\"}      ";
    struct error error = {0};
    unsigned char hashes[96], chain[32];
    char path[60];
    struct buffer last = {0};
    snprintf(path, sizeof path, "journal/00000000000000/000/%020llu.jsonl", (unsigned long long)sequence);
    buffer_printf(&last,
                  "{\"op\":\"group\",\"sequence\":%llu,\"node\":1,\"node_sequence\":%llu,"
                  "\"time_us\":1700000099000000,\"mark\":\"%.32s\",\"lines\":1,\"entries\":[],\"previous\":\"",
                  (unsigned long long)sequence, (unsigned long long)sequence, mark);
    buffer_append_hex(&last, previous, 32);
    buffer_append_char(&last, '"');
    memcpy(hashes, previous, 32);
    digest_compute(DIGEST_SHA256, line, sizeof line - 1, hashes + 32);
    digest_compute(DIGEST_SHA256, last.data, last.length, hashes + 64);
    digest_compute(DIGEST_SHA256, hashes, sizeof hashes, chain);
    buffer_append_string(&last, ",\"hash\":\"");
    buffer_append_hex(&last, chain, 32);
    buffer_append_string(&last, "\"}\n");
    struct tar_entry entry = {text_from(path), sizeof line + last.length, 1700000099};
    char *header = buffer_reserve(out, 512);
    check(tar_write_header(&entry, header, &error), &error);
    out->length += 512;
    buffer_append(out, line, sizeof line - 1);
    buffer_append_char(out, '\n');
    buffer_append_text(out, buffer_text(&last));
    buffer_append_zeros(out, (size_t)(tar_padded(entry.size) - entry.size));
    buffer_release(&last);
}

/* Deposits it as content; returns where. */
static struct place
deposit_bytes(struct fixture *f, struct text bytes)
{
    struct error error = {0};
    struct content *content;
    struct group *group;
    struct group_info info;
    struct place place;
    check(content_begin(f->store, 0, &content, &error), &error);
    check(content_write(content, bytes.data, bytes.length, &error), &error);
    check(content_finish(content, &error), &error);
    check(group_begin(f->store, false, &group, &info, &error), &error);
    check(group_add_content(group, TEXT("ocfl/evil"), content, &place, NULL, &error), &error);
    add_content_line(group, content, place);
    check(group_commit(group, NULL, NULL, &error), &error);
    content_free(content);
    return place;
}

/* A group inside content whose header is lost, at the end or in the middle of the volume; 0: the
 * store does not open. */
static uint64_t
last_sequence_with_forgery(uint64_t sequence, bool know_mark, bool torn)
{
    struct fixture f;
    struct error error = {0};
    struct position first;
    struct buffer forged = {0};
    struct device_file *file;
    char head[1024], mark[33] = "00000000000000000000000000000000";
    make_simulated_fixture(&f);
    check(device_open_file(f.device, "log-0000000001.tar", DEVICE_READ_WRITE, &file, &error), &error);
    check(device_read_exactly(file, 0, head, sizeof head, &error), &error);
    if (know_mark)
        memcpy(mark, strstr(head + 512, "\"mark\":\"") + 8, 32);
    device_close_file(file); /* opening puts another in the place of an empty volume */
    open_store(&f, NULL);
    first = deposit(&f, 1, 3000, NULL, NULL);
    forge(&forged, sequence, first.chain, mark);
    struct place place = deposit_bytes(&f, buffer_text(&forged));
    if (!torn)
        deposit(&f, 3, 3000, NULL, NULL);
    close_store(&f);
    if (torn)
        cut_to(&f, "log-0000000001.tar", place.offset + forged.length);
    device_simulated_flip(f.device, "log-0000000001.tar", place.offset - 512 + 3, 2);
    enum error_code code = try_open(&f, &error);
    uint64_t last = code == ERROR_NONE ? store_position(f.store).sequence : 0;
    assert_true(code == ERROR_NONE || code == ERROR_CORRUPT);
    buffer_release(&forged);
    release(&f);
    return last;
}

static void
content_cannot_pass_for_a_group(void **state)
{
    (void)state;
    for (uint64_t sequence = 2; sequence < 9; sequence++) {
        assert_int_equal(last_sequence_with_forgery(sequence, false, true), 1);
        assert_int_equal(last_sequence_with_forgery(sequence, false, false), 3);
    }
    /* The forgery is a good one: it fails by the mark. Where it follows it is not in its place, and
     * might be a group before which something was put in: a person must look. */
    assert_int_equal(last_sequence_with_forgery(3, true, true), 3);
    assert_int_equal(last_sequence_with_forgery(2, true, true), 0);
}

static void
a_damaged_index_does_not_hide_groups(void **state)
{
    struct fixture f;
    struct error error = {0};
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    for (unsigned i = 0; i < 10; i++)
        deposit(&f, i, 500, NULL, NULL);
    check(store_seal(f.store, &error), &error);
    deposit(&f, 10, 500, NULL, NULL);
    close_store(&f);
    uint64_t size = size_of(&f, "log-0000000001.tar");
    device_simulated_flip(f.device, "log-0000000001.tar", size - 2560 + 10, 3); /* its header */
    device_simulated_flip(f.device, "log-0000000001.tar", size - 1024 - 400, 3);
    open_store(&f, NULL);
    assert_int_equal(count_groups(&f, 0), 11);
    assert_int_equal(count_groups(&f, 4), 8);
    release(&f);
}

static void
a_missing_sealed_volume_is_reported_and_the_rest_is_read(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct journal_reader *reader;
    struct journal_group group;
    enum error_code status;
    unsigned groups = 0, corrupt = 0;
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    for (unsigned i = 0; i < 9; i++) {
        deposit(&f, i, 500, NULL, NULL);
        if (i % 3 == 2)
            check(store_seal(f.store, &error), &error);
    }
    close_store(&f);
    check(f.device->operations->remove(f.device, "log-0000000002.tar", &error), &error);
    open_store(&f, NULL);
    assert_int_equal(store_position(f.store).sequence, 9);
    check(journal_reader_open(f.store, 0, true, &reader, &error), &error);
    for (;;) {
        if (journal_reader_next(reader, &group, &status, &error))
            groups++;
        else if (status == ERROR_CORRUPT)
            corrupt++;
        else
            break;
    }
    journal_reader_close(reader);
    assert_int_equal(status, ERROR_NONE);
    assert_int_equal(groups, 6);
    assert_int_equal(corrupt, 1);
    release(&f);
}

/* ---- failing ---- */

static void
a_failed_sync_stops_writing_until_a_new_process_has_recovered(void **state)
{
    struct fixture f;
    struct error error = {0}, why = {0};
    struct content_reference reference;
    struct buffer sums = {0};
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    deposit(&f, 1, 3000, &reference, &sums);
    faults_of_the_device(&f, (struct device_simulated_options){.fail_call = 4, .fail_errno = EIO});
    assert_int_equal(try_deposit(&f, 2, false, &error), ERROR_IO); /* space, space, write, sync */
    assert_int_equal(store_state(f.store, &why), STORE_FAILED);
    assert_non_null(strstr(why.message, "sync"));
    assert_int_equal(try_deposit(&f, 3, false, &error), ERROR_CLOSED);
    expect_content(&f, 1, &reference);
    close_store(&f);
    open_store(&f, NULL); /* the group can be read, so it is made durable */
    assert_int_equal(store_position(f.store).sequence, 2);
    close_store(&f);
    device_simulated_reboot(f.device, 5);
    open_store(&f, NULL);
    assert_int_equal(store_position(f.store).sequence, 2);
    expect_content(&f, 1, &reference);
    buffer_release(&sums);
    release(&f);
}

static bool
keep_everything(void *context, struct text path, struct place place, uint64_t length)
{
    (void)context, (void)path, (void)place, (void)length;
    return true;
}

static enum error_code
try_large_deposit(struct fixture *f, struct place *ret_place, struct error *error)
{
    static char data[100000];
    struct content *content = NULL;
    struct group *group = NULL;
    struct group_info info;
    struct place sums;
    enum error_code code = content_begin(f->store, 0, &content, error);
    if (code == ERROR_NONE)
        code = content_write(content, data, sizeof data, error);
    if (code == ERROR_NONE)
        code = content_finish(content, error);
    if (code == ERROR_NONE)
        code = group_begin(f->store, false, &group, &info, error);
    if (code == ERROR_NONE) {
        check(group_add_content(group, TEXT("ocfl/large"), content, ret_place, &sums, error), error);
        add_content_line(group, content, *ret_place);
        code = group_commit(group, NULL, NULL, error);
    }
    content_free(content);
    return code;
}

/* A new bulk volume and its sealing, a group, a sealed and a new log volume, a purge, a compaction. */
static enum error_code
try_every_kind_of_write(struct fixture *f, struct error *error)
{
    struct purge_span span = {.length = 100000, .bulk_preamble = true};
    struct purge_request request = {.spans = &span, .span_count = 1};
    struct compaction_result result;
    enum error_code code = try_large_deposit(f, &span.place, error);
    if (code == ERROR_NONE)
        code = try_deposit(f, 1, false, error);
    if (code == ERROR_NONE)
        code = store_seal(f->store, error);
    if (code == ERROR_NONE)
        code = store_purge(f->store, &request, error);
    if (code == ERROR_NONE)
        code = store_compact(f->store, 1, keep_everything, NULL, &result, error);
    return code;
}

static void
every_sync_that_fails_stops_writing(void **state)
{
    struct fixture f;
    struct error error = {0};
    bool reached = true;
    uint64_t syncs = 0;
    (void)state;
    for (uint64_t n = 1; reached; n++) {
        make_simulated_fixture(&f);
        open_store(&f, NULL);
        check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
        faults_of_the_device(&f, (struct device_simulated_options){.fail_sync = n});
        enum error_code code = try_every_kind_of_write(&f, &error);
        syncs = device_simulated_syncs(f.device);
        reached = syncs >= n;
        if (reached && store_state(f.store, NULL) != STORE_FAILED)
            fail_msg("sync %llu failed and the store takes writes", (unsigned long long)n);
        if (reached && (code == ERROR_NONE || try_deposit(&f, 2, true, &error) != ERROR_CLOSED))
            fail_msg("sync %llu failed and nobody was told", (unsigned long long)n);
        if (!reached)
            check(code, &error);
        release(&f);
    }
    /* large 5, small 1; log sealed 1, new one 2, bulk sealed 1; purge 5; compaction 3 */
    assert_int_equal(syncs, 18);
}

static void
a_full_disk_is_cut_back_and_writable_again_by_itself(void **state)
{
    struct fixture f;
    struct error error = {0};
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    deposit(&f, 1, 3000, NULL, NULL);
    uint64_t size = size_of(&f, "log-0000000001.tar");
    faults_of_the_device(&f,
                         (struct device_simulated_options){.fail_call = 3, .fail_errno = ENOSPC});
    assert_int_equal(try_deposit(&f, 2, false, &error), ERROR_FULL);
    assert_int_equal(size_of(&f, "log-0000000001.tar"), size);
    faults_of_the_device(&f, (struct device_simulated_options){0});
    assert_int_equal(store_state(f.store, NULL), STORE_OPEN);
    check(try_deposit(&f, 3, false, &error), &error);
    assert_int_equal(count_groups(&f, 0), 2);
    release(&f);
}

static void
deletes_use_a_reserve_that_deposits_do_not(void **state)
{
    struct fixture f;
    struct error error = {0};
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    deposit(&f, 1, 3000, NULL, NULL);
    uint64_t used = size_of(&f, "log-0000000001.tar");
    faults_of_the_device(
        &f, (struct device_simulated_options){.capacity_bytes = used + (1 << 20) + 70000});
    assert_int_equal(try_deposit(&f, 2, false, &error), ERROR_FULL);
    assert_int_equal(store_state(f.store, NULL), STORE_FULL);
    check(try_deposit(&f, 3, true, &error), &error);
    assert_int_equal(store_state(f.store, NULL), STORE_FULL);
    faults_of_the_device(&f, (struct device_simulated_options){.capacity_bytes = used + (3 << 20)});
    check(try_deposit(&f, 4, false, &error), &error);
    assert_int_equal(store_state(f.store, NULL), STORE_OPEN);
    release(&f);
}

/* ---- groups ---- */

static void
an_empty_group_writes_nothing(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct group *group;
    struct group_info info;
    struct place place;
    struct position position;
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    check(group_begin(f.store, false, &group, &info, &error), &error);
    check(group_add_entry(group, TEXT("ocfl/x"), TEXT("y"), &place, &error), &error);
    check(group_commit(group, &position, NULL, &error), &error);
    assert_int_equal(position.sequence, 0);
    assert_int_equal(size_of(&f, "log-0000000001.tar"), 1024);
    release(&f);
}

static struct group *
lay_out(struct fixture *f, const char *path, struct group_info *ret_info)
{
    struct error error = {0};
    struct group *group;
    struct place place;
    check(group_begin(f->store, false, &group, ret_info, &error), &error);
    check(group_add_entry(group, text_from(path), TEXT("some bytes"), &place, &error), &error);
    check(group_add_line(group, TEXT("{\"op\":\"x\"}"), NULL, &error), &error);
    return group;
}

static void
write_and_publish(struct group *group)
{
    struct error error = {0};
    struct group_timing timing;
    check(group_write(group, &timing, &error), &error);
    group_publish(group);
}

static void
a_group_is_laid_out_on_one_that_is_not_written_yet(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct group_info first_info, second_info;
    struct position first, second;
    struct journal_reader *reader;
    struct journal_group found;
    enum error_code status;
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    struct group *one = lay_out(&f, "ocfl/1", &first_info);
    check(group_prepare(one, &first, &error), &error);
    struct group *two = lay_out(&f, "ocfl/2", &second_info);
    assert_int_equal(second_info.sequence, first_info.sequence + 1);
    assert_true(second_info.time_us > first_info.time_us);
    write_and_publish(one);
    check(group_prepare(two, &second, &error), &error);
    assert_int_equal(store_position(f.store).sequence, first.sequence);
    write_and_publish(two);
    check(journal_reader_open(f.store, 0, true, &reader, &error), &error);
    assert_true(journal_reader_next(reader, &found, &status, &error));
    assert_memory_equal(&found.position, &first, sizeof first);
    assert_true(journal_reader_next(reader, &found, &status, &error));
    assert_memory_equal(&found.position, &second, sizeof second);
    journal_reader_close(reader);
    release(&f);
}

static void
a_volume_ends_only_when_its_last_group_is_over(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct group_info info;
    struct group *none;
    struct position position;
    (void)state;
    make_simulated_fixture(&f);
    f.options.volume_size_bytes = 2048;
    open_store(&f, NULL);
    struct group *one = lay_out(&f, "ocfl/1", &info);
    check(group_prepare(one, &position, &error), &error);
    assert_int_equal(group_begin(f.store, false, &none, &info, &error), ERROR_BUSY);
    write_and_publish(one);
    struct group *two = lay_out(&f, "ocfl/2", &info);
    check(group_prepare(two, &position, &error), &error);
    assert_int_equal(position.volume, 2);
    write_and_publish(two);
    release(&f);
}

static void
what_is_rolled_back_leaves_no_trace(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct group *group;
    struct group_info info;
    struct place place, again;
    struct position position;
    struct content *content;
    struct buffer data = {0};
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    content = make_content(&f, 9000, 3);
    check(group_begin(f.store, false, &group, &info, &error), &error);
    check(group_add_entry(group, TEXT("ocfl/kept"), TEXT("kept bytes"), &place, &error), &error);
    struct group_mark mark = group_mark(group);
    check(group_add_entry(group, TEXT("ocfl/gone"), TEXT("gone bytes"), &again, &error), &error);
    check(group_add_content(group, TEXT("ocfl/gone2"), content, &again, NULL, &error), &error);
    check(group_add_line(group, TEXT("{\"op\":\"gone\"}"), NULL, &error), &error);
    group_roll_back(group, mark);
    check(group_add_entry(group, TEXT("ocfl/next"), TEXT("next bytes"), &again, &error), &error);
    assert_int_equal(again.offset, place.offset + 1024);
    check(group_add_line(group, TEXT("{\"op\":\"kept\"}"), NULL, &error), &error);
    check(group_commit(group, &position, NULL, &error), &error);
    check(store_read_entry(f.store, again, 10, &data, &error), &error);
    assert_memory_equal(data.data, "next bytes", 10);
    struct journal_reader *reader;
    struct journal_group found;
    enum error_code status;
    check(journal_reader_open(f.store, 0, true, &reader, &error), &error);
    assert_true(journal_reader_next(reader, &found, &status, &error));
    assert_int_equal(found.entry_count, 2);
    assert_int_equal(found.line_count, 1);
    assert_true(text_starts_with(found.lines[0], TEXT("{\"op\":\"kept\",\"salt\":\"")));
    journal_reader_close(reader);
    content_free(content);
    buffer_release(&data);
    close_store(&f);
    open_store(&f, NULL);
    assert_int_equal(store_position(f.store).sequence, 1);
    release(&f);
}

/* The journal tells path, length and digest of an entry. */
static void
expect_entry(const struct journal_group *group, size_t number, const char *path, struct text data)
{
    unsigned char sha256[32], told[32];
    const struct journal_tar_entry *entry = &group->entries[number];
    digest_compute(DIGEST_SHA256, data.data, data.length, sha256);
    assert_true(text_equal(entry->path, text_from(path)));
    assert_int_equal(entry->length, data.length);
    assert_true(hex_decode(entry->sha256_hex, told, sizeof told));
    assert_memory_equal(told, sha256, sizeof sha256);
}

static void
a_copy_has_the_bytes_and_the_digest_of_its_entry(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct group *group;
    struct group_info info;
    struct journal_reader *reader;
    struct journal_group found;
    enum error_code status;
    struct buffer data = {0};
    char path[40], text[700];
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    check(group_begin(f.store, false, &group, &info, &error), &error);
    struct group_mark mark = group_mark(group);
    check(group_add_entry(group, TEXT("ocfl/gone"), TEXT("gone bytes"), NULL, &error), &error);
    group_roll_back(group, mark);
    for (unsigned i = 0; i < 40; i++) { /* enough for the buffers to move */
        memset(text, (int)('a' + i % 26), sizeof text);
        snprintf(path, sizeof path, "ocfl/%u", i);
        check(group_add_entry(group, text_from(path), text_of(text, 500 + i * 5), NULL, &error), &error);
        assert_int_equal(group_last_entry(group), i);
    }
    for (unsigned i = 0; i < 40; i++) {
        snprintf(path, sizeof path, "ocfl/copy/%u", i);
        check(group_add_copy(group, text_from(path), i, &error), &error);
        assert_true(text_equal(group_entry_data(group, 40 + i), group_entry_data(group, i)));
    }
    check(group_add_line(group, TEXT("{\"op\":\"x\"}"), NULL, &error), &error);
    check(group_commit(group, NULL, NULL, &error), &error);
    check(journal_reader_open(f.store, 0, true, &reader, &error), &error);
    assert_true(journal_reader_next(reader, &found, &status, &error));
    assert_int_equal(found.entry_count, 80);
    for (unsigned i = 0; i < 40; i++) {
        memset(text, (int)('a' + i % 26), sizeof text);
        snprintf(path, sizeof path, "ocfl/copy/%u", i);
        expect_entry(&found, 40 + i, path, text_of(text, 500 + i * 5));
        buffer_clear(&data);
        check(store_read_entry(f.store, found.entries[40 + i].place, 500 + i * 5, &data, &error), &error);
        assert_memory_equal(data.data, text, 500 + i * 5);
    }
    journal_reader_close(reader);
    buffer_release(&data);
    release(&f);
}

static void
paths_that_json_or_tar_cannot_hold_are_refused(void **state)
{
    static const char *const bad[] = {"", "a\"b", "a\\b", "a\nb", "a\x7f", "\xff\xfe"};
    struct fixture f;
    struct error error = {0};
    struct group *group;
    struct group_info info;
    struct place place;
    char longest[256];
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    check(group_begin(f.store, false, &group, &info, &error), &error);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(group_add_entry(group, text_from(bad[i]), TEXT(""), &place, &error),
                         ERROR_INVALID);
    memset(longest, 'x', sizeof longest);
    assert_int_equal(group_add_entry(group, text_of(longest, 101), TEXT(""), &place, &error),
                     ERROR_INVALID);
    longest[155] = '/';
    check(group_add_entry(group, text_of(longest, 255), TEXT(""), &place, &error), &error);
    group_abandon(group);
    release(&f);
}

static void
a_reader_of_the_journal_sees_groups_only_when_they_are_durable(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct journal_reader *reader;
    struct journal_group group;
    enum error_code status;
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    check(journal_reader_open(f.store, 0, true, &reader, &error), &error);
    assert_false(journal_reader_next(reader, &group, &status, &error));
    assert_int_equal(status, ERROR_NONE);
    check(try_deposit(&f, 1, false, &error), &error);
    assert_true(journal_reader_next(reader, &group, &status, &error));
    assert_false(journal_reader_next(reader, &group, &status, &error));
    check(store_seal(f.store, &error), &error);
    check(try_deposit(&f, 2, false, &error), &error);
    assert_true(journal_reader_next(reader, &group, &status, &error));
    assert_int_equal(group.position.sequence, 2);
    journal_reader_close(reader);
    release(&f);
}

/* ---- uploads ---- */

static void
large_uploads_are_limited_and_given_up_ones_leave_nothing(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct content *contents[3];
    static char data[100000];
    (void)state;
    make_simulated_fixture(&f);
    f.options.bulk_open = 2;
    open_store(&f, NULL);
    check(content_begin(f.store, 0, &contents[0], &error), &error);
    assert_int_equal(content_write(contents[0], data, sizeof data, &error), ERROR_BUSY);
    content_free(contents[0]);
    check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
    for (unsigned i = 0; i < 3; i++)
        check(content_begin(f.store, 0, &contents[i], &error), &error);
    check(content_write(contents[0], data, sizeof data, &error), &error);
    check(content_write(contents[1], data, sizeof data, &error), &error);
    assert_int_equal(content_write(contents[2], data, sizeof data, &error), ERROR_BUSY);
    for (unsigned i = 0; i < 3; i++)
        content_free(contents[i]);
    assert_int_equal(size_of(&f, "bulk-0000000002.tar"), 1024);
    assert_int_equal(size_of(&f, "bulk-0000000003.tar"), 1024);
    deposit(&f, 1, 100000, NULL, NULL); /* reuses one of them */
    assert_int_equal(count_groups(&f, 0), 1);
    release(&f);
}

/* A bulk content of `size` bytes, all `fill`, in the batch. */
static struct content *
batch_content(struct fixture *f, struct content_batch *batch, size_t size, char fill)
{
    struct content *content;
    struct error error = {0};
    char *data = malloc(size);
    memset(data, fill, size);
    check(content_begin(f->store, 0, &content, &error), &error);
    content_share(content, batch);
    check(content_write(content, data, size, &error), &error);
    check(content_finish(content, &error), &error);
    assert_true(content_summary(content)->bulk);
    free(data);
    return content;
}

/* Commits the contents that are not NULL, in one group. */
static void
commit_contents(struct fixture *f, struct content **contents, size_t count, struct place *places)
{
    struct group *group;
    struct group_info info;
    struct error error = {0};
    unsigned index;
    check(group_begin(f->store, false, &group, &info, &error), &error);
    for (size_t i = 0; i < count; i++) {
        char path[80];
        struct place sums;
        if (contents[i] == NULL)
            continue;
        snprintf(path, sizeof path, "ocfl/batch-%zu/v1/content/1", i);
        check(group_add_content(group, text_from(path), contents[i], &places[i], &sums, &error), &error);
    }
    check(group_add_line(group, TEXT("{\"op\":\"put\"}"), &index, &error), &error);
    check(group_commit(group, NULL, NULL, &error), &error);
}

static void
contents_of_a_batch_share_a_volume_and_what_is_left_out_becomes_void(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct content_batch *batch;
    struct content *contents[6];
    struct place places[6] = {0};
    (void)state;
    make_simulated_fixture(&f);
    f.options.bulk_open = 1;
    open_store(&f, NULL);
    check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
    check(content_batch_new(f.store, &batch, &error), &error);
    for (unsigned i = 0; i < 6; i++)
        contents[i] = batch_content(&f, batch, 100000, (char)('a' + i));
    uint64_t whole = size_of(&f, "bulk-0000000002.tar");
    content_free(contents[1]); /* in the middle: a hole */
    content_free(contents[5]); /* at the end: cut */
    assert_true(size_of(&f, "bulk-0000000002.tar") < whole);
    struct content *left_behind = contents[2];
    contents[1] = contents[2] = contents[5] = NULL;
    commit_contents(&f, contents, 5, places);
    assert_int_equal(places[0].volume, 2);
    assert_int_equal(places[4].volume, 2);
    struct group *group;
    struct group_info info;
    check(group_begin(f.store, false, &group, &info, &error), &error);
    assert_int_equal(group_add_content(group, TEXT("ocfl/x/v1/content/1"), left_behind, &places[2], &places[5], &error),
                     ERROR_CONFLICT);
    group_abandon(group);
    content_free(left_behind);
    for (unsigned i = 0; i < 5; i++)
        content_free(contents[i]);
    content_batch_free(batch);
    deposit(&f, 1, 100000, NULL, NULL); /* the volume is free again, and ends where the last one did */
    struct verify_options options = {0};
    uint64_t faults = 0;
    check(store_verify(f.store, &options, NULL, NULL, &faults, &error), &error);
    assert_int_equal(faults, 0);
    release(&f);
}

static void
a_content_of_a_batch_that_the_group_being_written_leaves_out_is_refused(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct content_batch *batch;
    struct content *contents[2];
    struct group *one, *two;
    struct group_info info;
    struct position position;
    struct place place, sums;
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
    check(content_batch_new(f.store, &batch, &error), &error);
    for (unsigned i = 0; i < 2; i++)
        contents[i] = batch_content(&f, batch, 100000, (char)('a' + i));
    check(group_begin(f.store, false, &one, &info, &error), &error);
    check(group_add_content(one, TEXT("ocfl/x/v1/content/1"), contents[1], &place, &sums, &error), &error);
    check(group_add_line(one, TEXT("{\"op\":\"put\"}"), NULL, &error), &error);
    check(group_prepare(one, &position, &error), &error);
    check(group_begin(f.store, false, &two, &info, &error), &error);
    assert_int_equal(group_add_content(two, TEXT("ocfl/y/v1/content/1"), contents[0], &place, &sums, &error), ERROR_CONFLICT);
    group_abandon(two);
    write_and_publish(one);
    for (unsigned i = 0; i < 2; i++)
        content_free(contents[i]);
    content_batch_free(batch);
    release(&f);
}

static void
the_last_group_stays_when_its_bulk_volume_was_compacted(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct compaction_result result;
    struct content_reference first;
    struct buffer sums = {0};
    (void)state;
    make_simulated_fixture(&f);
    f.options.volume_size_bytes = 150000;
    open_store(&f, NULL);
    check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
    deposit(&f, 1, 100000, &first, &sums);
    deposit(&f, 2, 100000, NULL, NULL); /* behind it, and the volume is full: sealed */
    struct purge_span span = {first.place, first.size_bytes, true};
    struct purge_request request = {&span, 1, NULL, 0};
    check(store_purge(f.store, &request, &error), &error);
    check(store_compact(f.store, first.place.volume, keep_everything, NULL, &result, &error), &error);
    assert_true(result.bytes_after < result.bytes_before); /* the second one has moved */
    store_close(f.store);
    open_store(&f, NULL);
    assert_int_equal(store_position(f.store).sequence, 2);
    buffer_release(&sums);
    release(&f);
}

static void
a_batch_that_is_given_up_leaves_nothing(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct content_batch *batch;
    struct content *contents[4];
    (void)state;
    make_simulated_fixture(&f);
    f.options.bulk_open = 1;
    open_store(&f, NULL);
    check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
    check(content_batch_new(f.store, &batch, &error), &error);
    for (unsigned i = 0; i < 4; i++)
        contents[i] = batch_content(&f, batch, 70000, 'x');
    content_batch_free(batch); /* the contents hold it */
    for (unsigned i = 0; i < 4; i++)
        content_free(contents[(i + 2) % 4]);
    assert_int_equal(size_of(&f, "bulk-0000000002.tar"), 1024);
    deposit(&f, 1, 100000, NULL, NULL);
    release(&f);
}

static void
past_the_budget_of_memory_small_content_goes_to_bulk(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct content *contents[4];
    static char data[40000];
    (void)state;
    make_simulated_fixture(&f);
    f.options.content_memory_bytes = 100000;
    open_store(&f, NULL);
    check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
    for (unsigned i = 0; i < 4; i++) {
        check(content_begin(f.store, 0, &contents[i], &error), &error);
        check(content_write(contents[i], data, sizeof data, &error), &error);
        check(content_finish(contents[i], &error), &error);
        assert_int_equal(content_summary(contents[i])->bulk, i >= 2);
    }
    for (unsigned i = 0; i < 4; i++)
        content_free(contents[i]);
    check(content_begin(f.store, 0, &contents[0], &error), &error);
    check(content_write(contents[0], data, sizeof data, &error), &error);
    check(content_finish(contents[0], &error), &error);
    assert_false(content_summary(contents[0])->bulk); /* what was given back counts again */
    content_free(contents[0]);
    release(&f);
}

static void
digests_that_were_asked_for_come_from_the_same_pass(void **state)
{
    struct fixture f;
    struct error error = {0};
    static char data[200000];
    (void)state;
    make_simulated_fixture(&f);
    open_store(&f, NULL);
    check(store_set_bulk_lengths(f.store, NULL, 0, &error), &error);
    for (size_t size = 0; size <= sizeof data; size += 40000) {
        struct content *content;
        unsigned char expected[DIGEST_SIZE_MAX], actual[DIGEST_SIZE_MAX];
        memset(data, (int)(size / 1000), sizeof data);
        check(content_begin(f.store, 1u << DIGEST_MD5 | 1u << DIGEST_SHA256, &content, &error),
              &error);
        for (size_t at = 0; at < size; at += 8000)
            check(content_write(content, data + at, 8000, &error), &error);
        check(content_finish(content, &error), &error);
        for (unsigned i = 0; i < DIGEST_ALGORITHM_COUNT; i++) {
            bool asked = i == DIGEST_MD5 || i == DIGEST_SHA256 || i == DIGEST_SHA512;
            assert_int_equal(content_digest(content, (enum digest_algorithm)i, actual), asked);
            digest_compute((enum digest_algorithm)i, data, size, expected);
            if (asked)
                assert_memory_equal(actual, expected, digest_size((enum digest_algorithm)i));
        }
        content_free(content);
    }
    release(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creating_twice_is_refused),
        cmocka_unit_test(an_empty_folder_is_no_store),
        cmocka_unit_test(a_creation_that_did_not_end_is_begun_again),
        cmocka_unit_test(a_newer_format_is_read_but_not_written),
        cmocka_unit_test(a_volume_of_another_store_is_refused),
        cmocka_unit_test(a_clock_far_behind_is_refused_unless_accepted),
        cmocka_unit_test(times_grow_although_the_clock_stands_still),
        cmocka_unit_test(reading_only_changes_nothing),
        cmocka_unit_test(the_copy_of_a_tail_is_what_was_cut),
        cmocka_unit_test(
            the_last_group_is_hashed_and_torn_ones_are_cut_unless_the_catalog_has_them),
        cmocka_unit_test(bulk_content_of_the_last_group_is_hashed_too),
        cmocka_unit_test(content_cannot_pass_for_a_group),
        cmocka_unit_test(a_damaged_index_does_not_hide_groups),
        cmocka_unit_test(a_missing_sealed_volume_is_reported_and_the_rest_is_read),
        cmocka_unit_test(a_failed_sync_stops_writing_until_a_new_process_has_recovered),
        cmocka_unit_test(every_sync_that_fails_stops_writing),
        cmocka_unit_test(a_full_disk_is_cut_back_and_writable_again_by_itself),
        cmocka_unit_test(deletes_use_a_reserve_that_deposits_do_not),
        cmocka_unit_test(an_empty_group_writes_nothing),
        cmocka_unit_test(a_group_is_laid_out_on_one_that_is_not_written_yet),
        cmocka_unit_test(a_volume_ends_only_when_its_last_group_is_over),
        cmocka_unit_test(what_is_rolled_back_leaves_no_trace),
        cmocka_unit_test(a_copy_has_the_bytes_and_the_digest_of_its_entry),
        cmocka_unit_test(paths_that_json_or_tar_cannot_hold_are_refused),
        cmocka_unit_test(a_reader_of_the_journal_sees_groups_only_when_they_are_durable),
        cmocka_unit_test(large_uploads_are_limited_and_given_up_ones_leave_nothing),
        cmocka_unit_test(contents_of_a_batch_share_a_volume_and_what_is_left_out_becomes_void),
        cmocka_unit_test(a_batch_that_is_given_up_leaves_nothing),
        cmocka_unit_test(a_content_of_a_batch_that_the_group_being_written_leaves_out_is_refused),
        cmocka_unit_test(the_last_group_stays_when_its_bulk_volume_was_compacted),
        cmocka_unit_test(past_the_budget_of_memory_small_content_goes_to_bulk),
        cmocka_unit_test(digests_that_were_asked_for_come_from_the_same_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
