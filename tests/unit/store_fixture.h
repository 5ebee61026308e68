/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the store share: a store over a folder or over simulated devices, deposits
 * whose bytes follow from a number, and comparing what is read with them. */
#ifndef ARCHIVOLT_TESTS_STORE_FIXTURE_H
#define ARCHIVOLT_TESTS_STORE_FIXTURE_H

#include "volume/store.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Each test program uses some of these. */
#define FIXTURE_FUNCTION __attribute__((unused)) static

struct fixture {
    char folder[64], volumes[80], lost[80];
    struct device *device, *lost_device;
    struct clock_simulated clock;
    struct random_simulated random;
    struct store_options options;
    struct store *store;
    struct store_recovery recovery;
    unsigned faults;
    struct store_fault last_fault; /* without its entry */
};

FIXTURE_FUNCTION void
count_fault(void *context, const struct store_fault *fault)
{
    struct fixture *f = context;
    f->faults++;
    f->last_fault = *fault;
    f->last_fault.entry = TEXT("");
}

FIXTURE_FUNCTION void
check(enum error_code code, const struct error *error)
{
    if (code != ERROR_NONE)
        fail_msg("%s: %s", error_word(code), error->message);
}

__attribute__((unused)) static const struct store_identity fixture_identity = {
    .uuid = "0123456789abcde", .node = 1, .digest = DIGEST_SHA512};

FIXTURE_FUNCTION void
set_options(struct fixture *f)
{
    struct error error = {0};
    clock_simulated_init(&f->clock, INT64_C(1700000000000000), 1000);
    random_simulated_init(&f->random, 42);
    f->options = (struct store_options){.volumes = f->device,
                                        .lost_and_found = f->lost_device,
                                        .clock = &f->clock.clock,
                                        .random = &f->random.source,
                                        .volume_size_bytes = 4 << 20,
                                        .small_content_bytes = 64 << 10,
                                        .sums_memory_bytes = 8,
                                        .reserve_bytes = 1 << 20};
    check(store_create(&f->options, &fixture_identity, &error), &error);
}

/* Over a real folder. */
FIXTURE_FUNCTION void
make_fixture(struct fixture *f)
{
    struct error error = {0};
    memset(f, 0, sizeof *f);
    snprintf(f->folder, sizeof f->folder, "/tmp/archivolt-store-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->volumes, sizeof f->volumes, "%s/volumes", f->folder);
    snprintf(f->lost, sizeof f->lost, "%s/lost+found", f->folder);
    assert_int_equal(mkdir(f->volumes, 0755), 0);
    assert_int_equal(mkdir(f->lost, 0755), 0);
    check(device_files_new(f->volumes, &f->device, &error), &error);
    check(device_files_new(f->lost, &f->lost_device, &error), &error);
    set_options(f);
}

/* Over simulated devices. */
FIXTURE_FUNCTION void
make_simulated_fixture(struct fixture *f)
{
    struct device_simulated_options calm = {.seed = 1};
    memset(f, 0, sizeof *f);
    f->device = device_simulated_new(&calm);
    f->lost_device = device_simulated_new(&calm);
    set_options(f);
}

FIXTURE_FUNCTION void
open_store(struct fixture *f, const struct position *known)
{
    struct error error = {0};
    check(store_open(&f->options, known, count_fault, f, &f->store, &f->recovery, &error), &error);
}

FIXTURE_FUNCTION void
release(struct fixture *f)
{
    char command[128];
    store_close(f->store);
    device_free(f->device);
    device_free(f->lost_device);
    if (f->folder[0] == '\0')
        return;
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    assert_int_equal(system(command), 0);
}

FIXTURE_FUNCTION struct content *
make_content(struct fixture *f, size_t size, unsigned seed)
{
    struct error error = {0};
    struct content *content = NULL;
    check(content_begin(f->store, 0, &content, &error), &error);
    char *data = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        data[i] = (char)(seed + i * 7 + i / 251);
    for (size_t at = 0; at < size; at += 10000)
        check(content_write(content, data + at, size - at < 10000 ? size - at : 10000, &error),
              &error);
    check(content_finish(content, &error), &error);
    free(data);
    return content;
}

FIXTURE_FUNCTION void
add_content_line(struct group *group, struct content *content, struct place place)
{
    struct error error = {0};
    struct buffer line = {0};
    const struct content_summary *summary = content_summary(content);
    buffer_printf(&line, "{\"op\":\"put\",\"content\":[%llu,%llu,%llu,\"",
                  (unsigned long long)place.volume, (unsigned long long)place.offset,
                  (unsigned long long)summary->size_bytes);
    buffer_append_hex(&line, summary->digest, 64);
    buffer_append_string(&line, "\"]}");
    check(group_add_line(group, buffer_text(&line), NULL, &error), &error);
    buffer_release(&line);
}

/* One deposit; fills in where it is. */
FIXTURE_FUNCTION struct position
deposit(struct fixture *f, unsigned number, size_t size, struct content_reference *reference,
        struct buffer *sums)
{
    struct error error = {0};
    struct group *group;
    struct group_info info;
    struct position position;
    struct place place, sums_place, inventory;
    char path[100], text[100];
    struct content *content = make_content(f, size, number);
    check(group_begin(f->store, false, &group, &info, &error), &error);
    snprintf(path, sizeof path, "ocfl/aaa/%u/v1/content/1", number);
    check(group_add_content(group, text_from(path), content, &place, &sums_place, &error), &error);
    snprintf(path, sizeof path, "ocfl/aaa/%u/inventory.json", number);
    snprintf(text, sizeof text, "{\"head\":\"v1\",\"n\":%u}", number);
    check(group_add_entry(group, text_from(path), text_from(text), &inventory, &error), &error);
    add_content_line(group, content, place);
    check(group_commit(group, &position, NULL, &error), &error);
    if (reference != NULL) {
        buffer_append_text(sums, content_summary(content)->block_sums);
        *reference = (struct content_reference){place, size, buffer_text(sums), sums_place};
    }
    content_free(content);
    return position;
}

FIXTURE_FUNCTION void
expect_content(struct fixture *f, unsigned number, const struct content_reference *reference)
{
    struct error error = {0};
    char *data = malloc(reference->size_bytes + 1);
    check(store_read_content(f->store, reference, 0, data, reference->size_bytes, &error), &error);
    for (size_t i = 0; i < reference->size_bytes; i++) {
        if (data[i] != (char)(number + i * 7 + i / 251))
            fail_msg("byte %zu of content %u is wrong", i, number);
    }
    if (reference->size_bytes > 100) {
        size_t at = reference->size_bytes / 3, length = reference->size_bytes / 2;
        check(store_read_content(f->store, reference, at, data, length, &error), &error);
        for (size_t i = 0; i < length; i++)
            assert_int_equal(data[i], (char)(number + (at + i) * 7 + (at + i) / 251));
    }
    free(data);
}

FIXTURE_FUNCTION unsigned
count_groups(struct fixture *f, uint64_t from)
{
    struct error error = {0};
    struct journal_reader *reader;
    struct journal_group group;
    enum error_code status;
    unsigned count = 0;
    check(journal_reader_open(f->store, from, true, &reader, &error), &error);
    while (journal_reader_next(reader, &group, &status, &error)) {
        assert_int_equal(group.position.sequence, (from == 0 ? 1 : from) + count);
        assert_int_equal(group.line_count, 1);
        count++;
    }
    check(status, &error);
    journal_reader_close(reader);
    return count;
}

FIXTURE_FUNCTION void
cut_file(struct fixture *f, const char *name, long by)
{
    char path[160];
    struct stat stat_buffer;
    snprintf(path, sizeof path, "%s/%s", f->volumes, name);
    assert_int_equal(stat(path, &stat_buffer), 0);
    assert_int_equal(truncate(path, stat_buffer.st_size - by), 0);
}

FIXTURE_FUNCTION void
flip(struct fixture *f, const char *name, uint64_t offset)
{
    char path[160], byte;
    snprintf(path, sizeof path, "%s/%s", f->volumes, name);
    int descriptor = open(path, O_RDWR);
    assert_true(descriptor >= 0);
    assert_int_equal(pread(descriptor, &byte, 1, (off_t)offset), 1);
    byte ^= 4;
    assert_int_equal(pwrite(descriptor, &byte, 1, (off_t)offset), 1);
    close(descriptor);
}

#endif
