/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: one set of test bodies over both, then crashes and faults of the simulated one. */
#include "io/device.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct device *device;
    char folder[64]; /* "" for the simulated one */
};

static const struct device_simulated_options no_faults = {.seed = 1};

static int
set_up_files(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/archivolt-device-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    assert_int_equal(device_files_new(fixture->folder, &fixture->device, NULL), ERROR_NONE);
    *state = fixture;
    return 0;
}

static int
set_up_simulated(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->device = device_simulated_new(&no_faults);
    *state = fixture;
    return 0;
}

static int
remove_entry(const char *path, const struct stat *stat, int kind, struct FTW *where)
{
    (void)stat;
    (void)kind;
    (void)where;
    return remove(path);
}

static int
tear_down(void **state)
{
    struct fixture *fixture = *state;
    device_free(fixture->device);
    if (fixture->folder[0] != '\0')
        assert_int_equal(nftw(fixture->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(fixture);
    return 0;
}

static struct device *
device_in(void **state)
{
    return ((struct fixture *)*state)->device;
}

static struct device_file *
open_as(struct device *device, const char *name, enum device_open_mode mode)
{
    struct device_file *file = NULL;
    struct error error = {0};
    assert_int_equal(device_open_file(device, name, mode, &file, &error), ERROR_NONE);
    return file;
}

static enum error_code
try_write(struct device_file *file, uint64_t offset, const void *data, size_t length,
          struct error *error)
{
    union {
        const void *from;
        void *to;
    } part = {.from = data};
    return device_write(file, offset, &(struct iovec){part.to, length}, 1, error);
}

static void
write_at(struct device_file *file, uint64_t offset, const void *data, size_t length)
{
    assert_int_equal(try_write(file, offset, data, length, NULL), ERROR_NONE);
}

static void
sync_file(struct device_file *file)
{
    assert_int_equal(device_sync(file, NULL), ERROR_NONE);
}

static void
sync_names(struct device *device)
{
    assert_int_equal(device->operations->sync_names(device, NULL), ERROR_NONE);
}

static uint64_t
size_of(struct device_file *file)
{
    uint64_t size = 0;
    assert_int_equal(file->device->operations->size(file, &size, NULL), ERROR_NONE);
    return size;
}

static void
assert_bytes(struct device_file *file, uint64_t offset, const char *expected)
{
    char found[64];
    size_t length = strlen(expected);
    assert_true(length <= sizeof found);
    assert_int_equal(device_read_exactly(file, offset, found, length, NULL), ERROR_NONE);
    assert_memory_equal(found, expected, length);
}

static void
what_is_written_is_read_and_reading_stops_at_the_end(void **state)
{
    struct device_file *file = open_as(device_in(state), "a", DEVICE_CREATE);
    char found[16];
    size_t got = 99;
    struct error error = {0};
    write_at(file, 0, "hello", 5);
    write_at(file, 8, "world", 5);
    assert_int_equal(size_of(file), 13);
    assert_int_equal(device_read(file, 0, found, sizeof found, &got, NULL), ERROR_NONE);
    assert_int_equal(got, 13);
    assert_memory_equal(found, "hello\0\0\0world", 13);
    assert_int_equal(device_read(file, 13, found, 4, &got, NULL), ERROR_NONE);
    assert_int_equal(got, 0);
    assert_int_equal(device_read_exactly(file, 10, found, 4, &error), ERROR_CORRUPT);
    assert_non_null(strstr(error.message, "ends early"));
    sync_file(file);
    device_close_file(file);
}

static void
a_write_of_thousands_of_parts_arrives_in_order(void **state)
{
    enum { PARTS = 3000 };
    struct device_file *file = open_as(device_in(state), "a", DEVICE_CREATE);
    static char bytes[PARTS], found[PARTS * 2];
    static struct iovec parts[PARTS];
    size_t total = 0;
    for (size_t i = 0; i < PARTS; i++) {
        bytes[i] = (char)('a' + i % 23);
        parts[i] = (struct iovec){&bytes[i], i % 3 == 0 ? 0 : 1};
    }
    assert_int_equal(device_write(file, 100, parts, PARTS, NULL), ERROR_NONE);
    assert_int_equal(size_of(file), 100 + PARTS - PARTS / 3);
    assert_int_equal(device_read_exactly(file, 100, found, PARTS - PARTS / 3, NULL), ERROR_NONE);
    for (size_t i = 0; i < PARTS; i++) {
        if (i % 3 != 0)
            assert_int_equal(found[total++], bytes[i]);
    }
    device_close_file(file);
}

static void
opening_tells_what_exists_and_what_does_not(void **state)
{
    struct device *device = device_in(state);
    struct device_file *file = open_as(device, "a", DEVICE_CREATE), *other = NULL;
    struct error error = {0};
    assert_int_equal(device_open_file(device, "a", DEVICE_CREATE, &other, &error), ERROR_EXISTS);
    assert_int_equal(device_open_file(device, "b", DEVICE_READ, &other, &error), ERROR_NOT_FOUND);
    assert_int_equal(error.os_errno, ENOENT);
    assert_int_equal(device_open_file(device, "b", DEVICE_READ_WRITE, &other, &error),
                     ERROR_NOT_FOUND);
    other = open_as(device, "a", DEVICE_READ);
    write_at(file, 0, "x", 1);
    assert_bytes(other, 0, "x");
    device_close_file(other);
    device_close_file(file);
}

static void
a_punched_range_reads_as_zeros_and_the_size_stays(void **state)
{
    struct device_file *file = open_as(device_in(state), "a", DEVICE_CREATE);
    static char bytes[20000], found[20000];
    memset(bytes, 'x', sizeof bytes);
    write_at(file, 0, bytes, sizeof bytes);
    assert_int_equal(file->device->operations->punch(file, 1000, 12000, NULL), ERROR_NONE);
    assert_int_equal(file->device->operations->punch(file, 19000, 5000, NULL), ERROR_NONE);
    assert_int_equal(size_of(file), sizeof bytes);
    memset(bytes + 1000, 0, 12000);
    memset(bytes + 19000, 0, 1000);
    assert_int_equal(device_read_exactly(file, 0, found, sizeof found, NULL), ERROR_NONE);
    assert_memory_equal(found, bytes, sizeof bytes);
    device_close_file(file);
}

static void
truncating_cuts_and_extends_with_zeros(void **state)
{
    struct device_file *file = open_as(device_in(state), "a", DEVICE_CREATE);
    char found[6];
    write_at(file, 0, "abcdef", 6);
    assert_int_equal(file->device->operations->truncate(file, 3, NULL), ERROR_NONE);
    assert_int_equal(size_of(file), 3);
    assert_int_equal(file->device->operations->truncate(file, 6, NULL), ERROR_NONE);
    assert_int_equal(device_read_exactly(file, 0, found, 6, NULL), ERROR_NONE);
    assert_memory_equal(found, "abc\0\0\0", 6);
    device_close_file(file);
}

static bool
collect(void *context, const char *name, uint64_t size_bytes)
{
    char *seen = context; /* of 64 bytes; one digit a name: its size; a-z by name */
    size_t at = (size_t)(name[0] - 'a');
    seen[at] = (char)('0' + size_bytes);
    return true;
}

static bool
stop_at_once(void *context, const char *name, uint64_t size_bytes)
{
    (void)name;
    (void)size_bytes;
    ++*(int *)context;
    return false;
}

static void
names_are_listed_renamed_over_and_removed(void **state)
{
    struct device *device = device_in(state);
    char seen[27] = "..........................";
    int calls = 0;
    for (char name[2] = "a"; name[0] <= 'd'; name[0]++) {
        struct device_file *file = open_as(device, name, DEVICE_CREATE);
        write_at(file, 0, "1234", (size_t)(name[0] - 'a') + 1);
        device_close_file(file);
    }
    assert_int_equal(device->operations->rename(device, "a", "b", NULL), ERROR_NONE);
    assert_int_equal(device->operations->rename(device, "c", "e", NULL), ERROR_NONE);
    assert_int_equal(device->operations->remove(device, "d", NULL), ERROR_NONE);
    assert_int_equal(device->operations->remove(device, "d", NULL), ERROR_NOT_FOUND);
    assert_int_equal(device->operations->rename(device, "c", "f", NULL), ERROR_NOT_FOUND);
    sync_names(device);
    assert_int_equal(device->operations->list(device, collect, seen, NULL), ERROR_NONE);
    assert_string_equal(seen, ".1..3.....................");
    assert_int_equal(device->operations->list(device, stop_at_once, &calls, NULL), ERROR_NONE);
    assert_int_equal(calls, 1);
}

static void
space_and_modes_are_answered(void **state)
{
    struct device *device = device_in(state);
    struct device_file *file = open_as(device, "a", DEVICE_CREATE);
    struct device_space space = {0};
    assert_int_equal(device->operations->space(device, &space, NULL), ERROR_NONE);
    assert_true(space.total_bytes > 0 && space.free_bytes <= space.total_bytes);
    assert_int_equal(device->operations->protect(file, true, NULL), ERROR_NONE);
    assert_int_equal(device->operations->protect(file, false, NULL), ERROR_NONE);
    device_close_file(file);
}

static void
a_protected_file_has_no_write_bits(void **state)
{
    struct fixture *fixture = *state;
    struct device_file *file = open_as(fixture->device, "a", DEVICE_CREATE);
    char path[128];
    struct stat stat_of;
    snprintf(path, sizeof path, "%s/a", fixture->folder);
    assert_int_equal(fixture->device->operations->protect(file, true, NULL), ERROR_NONE);
    assert_int_equal(stat(path, &stat_of), 0);
    assert_int_equal(stat_of.st_mode & 07777, 0444);
    assert_int_equal(fixture->device->operations->protect(file, false, NULL), ERROR_NONE);
    assert_int_equal(stat(path, &stat_of), 0);
    assert_int_equal(stat_of.st_mode & 07777, 0644);
    device_close_file(file);
}

static void
a_folder_that_is_not_there_is_not_found(void **state)
{
    struct device *device = NULL;
    (void)state;
    assert_int_equal(device_files_new("/tmp/archivolt-no-such-folder", &device, NULL),
                     ERROR_NOT_FOUND);
    assert_null(device);
}

/* ---- the simulated device ---- */

/* A file "a" with `synced` on disk under a synced name. */
static struct device *
device_with_synced(const char *synced)
{
    struct device *device = device_simulated_new(&no_faults);
    struct device_file *file = open_as(device, "a", DEVICE_CREATE);
    write_at(file, 0, synced, strlen(synced));
    sync_file(file);
    sync_names(device);
    device_close_file(file);
    return device;
}

static void
what_was_synced_survives_every_crash_and_the_rest_by_chance(void **state)
{
    unsigned kept = 0, lost = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 64; seed++) {
        struct device *device = device_with_synced("synced");
        struct device_file *file = open_as(device, "a", DEVICE_READ_WRITE);
        write_at(file, 6, "pending", 7);
        device_close_file(file);
        device_simulated_reboot(device, seed);
        file = open_as(device, "a", DEVICE_READ);
        assert_bytes(file, 0, "synced");
        if (size_of(file) == 6) {
            lost++;
        } else {
            assert_bytes(file, 0, "syncedpending");
            kept++;
        }
        device_close_file(file);
        device_free(device);
    }
    assert_true(kept > 8 && lost > 8);
}

static void
pending_writes_are_decided_one_by_one(void **state)
{
    bool seen[4] = {false};
    (void)state;
    for (uint64_t seed = 1; seed <= 64; seed++) {
        struct device *device = device_with_synced("..");
        struct device_file *file = open_as(device, "a", DEVICE_READ_WRITE);
        char found[2];
        write_at(file, 0, "x", 1);
        write_at(file, 1, "y", 1);
        device_close_file(file);
        device_simulated_reboot(device, seed);
        file = open_as(device, "a", DEVICE_READ);
        assert_int_equal(device_read_exactly(file, 0, found, 2, NULL), ERROR_NONE);
        seen[(found[0] == 'x') + 2 * (found[1] == 'y')] = true;
        device_close_file(file);
        device_free(device);
    }
    assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
}

static void
a_torn_write_ends_at_a_multiple_of_512(void **state)
{
    unsigned torn = 0;
    static char bytes[5000];
    (void)state;
    memset(bytes, 'x', sizeof bytes);
    for (uint64_t seed = 1; seed <= 64; seed++) {
        struct device *device = device_with_synced("head");
        struct device_file *file = open_as(device, "a", DEVICE_READ_WRITE);
        write_at(file, 4, bytes, sizeof bytes);
        device_close_file(file);
        device_simulated_reboot(device, seed);
        file = open_as(device, "a", DEVICE_READ);
        uint64_t size = size_of(file);
        if (size != 4 && size != 4 + sizeof bytes) {
            assert_int_equal(size % 512, 0);
            torn++;
        }
        device_close_file(file);
        device_free(device);
    }
    assert_true(torn > 8);
}

static void
equal_seeds_give_equal_disks(void **state)
{
    uint64_t sizes[2] = {0, 0};
    (void)state;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        for (int run = 0; run < 2; run++) {
            struct device *device = device_with_synced("head");
            struct device_file *file = open_as(device, "a", DEVICE_READ_WRITE);
            static char bytes[100000];
            write_at(file, 0, bytes, sizeof bytes);
            device_close_file(file);
            device_simulated_reboot(device, seed);
            file = open_as(device, "a", DEVICE_READ);
            sizes[run] = size_of(file);
            device_close_file(file);
            device_free(device);
        }
        assert_true(sizes[0] == sizes[1]);
    }
}

static void
a_failed_sync_loses_the_pages_while_reads_still_return_them(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        struct device *device = device_with_synced("good");
        struct device_file *file = open_as(device, "a", DEVICE_READ_WRITE);
        struct error error = {0};
        write_at(file, 0, "lost", 4);
        device_simulated_set(device, &(struct device_simulated_options){
                                         .seed = seed, .fail_call = 1, .fail_errno = EIO});
        assert_int_equal(device_sync(file, &error), ERROR_IO);
        assert_int_equal(error.os_errno, EIO);
        assert_bytes(file, 0, "lost");
        write_at(file, 4, "more", 4);
        sync_file(file); /* believed by nobody: it says nothing of the pages that were dropped */
        assert_bytes(file, 0, "lostmore");
        device_close_file(file);
        device_simulated_reboot(device, seed);
        file = open_as(device, "a", DEVICE_READ);
        assert_bytes(file, 0, "goodmore");
        device_close_file(file);
        device_free(device);
    }
}

static bool
exists(struct device *device, const char *name)
{
    struct device_file *file = NULL;
    bool there = device_open_file(device, name, DEVICE_READ, &file, NULL) == ERROR_NONE;
    device_close_file(file);
    return there;
}

static void
names_are_pending_until_they_are_synced(void **state)
{
    unsigned old_names = 0, new_names = 0, created = 0, both = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 64; seed++) {
        struct device *device = device_with_synced("a");
        device_close_file(open_as(device, "b", DEVICE_CREATE));
        assert_int_equal(device->operations->rename(device, "a", "c", NULL), ERROR_NONE);
        assert_false(exists(device, "a"));
        device_simulated_reboot(device, seed);
        old_names += exists(device, "a");
        new_names += exists(device, "c");
        both += exists(device, "a") && exists(device, "c");
        created += exists(device, "b");
        assert_true(exists(device, "a") || exists(device, "c"));
        device_free(device);
    }
    assert_true(old_names > 8 && new_names > 8 && created > 8 && created < 56);
    assert_int_equal(both, 0);
}

static void
a_crash_at_the_second_sync_closes_everything_until_the_reboot(void **state)
{
    struct device *device = device_with_synced("good");
    struct device_file *file = open_as(device, "a", DEVICE_READ_WRITE), *other = NULL;
    char byte;
    size_t got;
    (void)state;
    device_simulated_set(device, &(struct device_simulated_options){.seed = 3, .crash_at_sync = 2});
    write_at(file, 0, "GOOD", 4);
    sync_file(file);
    assert_false(device_simulated_crashed(device));
    assert_int_equal(device->operations->sync_names(device, NULL), ERROR_CLOSED);
    assert_true(device_simulated_crashed(device));
    assert_int_equal(device_simulated_syncs(device), 2);
    assert_int_equal(device_read(file, 0, &byte, 1, &got, NULL), ERROR_CLOSED);
    assert_int_equal(try_write(file, 0, "x", 1, NULL), ERROR_CLOSED);
    assert_int_equal(device_open_file(device, "a", DEVICE_READ, &other, NULL), ERROR_CLOSED);
    device_close_file(file);
    device_simulated_reboot(device, 9);
    assert_false(device_simulated_crashed(device));
    file = open_as(device, "a", DEVICE_READ);
    assert_bytes(file, 0, "GOOD");
    device_close_file(file);
    device_free(device);
}

static void
the_nth_call_fails_once_or_for_ever(void **state)
{
    struct device *device = device_with_synced("x");
    struct device_file *file = open_as(device, "a", DEVICE_READ_WRITE);
    struct device_simulated_options options = {.seed = 1, .fail_call = 2, .fail_errno = ENOSPC};
    uint64_t size;
    struct error error = {0};
    (void)state;
    device_simulated_set(device, &options);
    assert_int_equal(device->operations->size(file, &size, NULL), ERROR_NONE);
    assert_int_equal(try_write(file, 0, "y", 1, &error), ERROR_FULL);
    assert_int_equal(device->operations->size(file, &size, NULL), ERROR_NONE);
    assert_int_equal(device_simulated_calls(device), 3);
    options.fail_forever = true;
    options.fail_errno = 0;
    device_simulated_set(device, &options);
    assert_int_equal(device->operations->size(file, &size, NULL), ERROR_NONE);
    assert_int_equal(device->operations->size(file, &size, NULL), ERROR_IO);
    assert_int_equal(device->operations->size(file, &size, NULL), ERROR_IO);
    device_close_file(file);
    device_free(device);
}

static void
beyond_the_capacity_it_is_full_and_cutting_makes_room(void **state)
{
    const struct device_simulated_options options = {.seed = 1, .capacity_bytes = 10};
    struct device *device = device_simulated_new(&options);
    struct device_file *file = open_as(device, "a", DEVICE_CREATE);
    struct device_space space;
    struct error error = {0};
    (void)state;
    write_at(file, 0, "12345678", 8);
    assert_int_equal(try_write(file, 8, "9012", 4, &error), ERROR_FULL);
    assert_int_equal(error.os_errno, ENOSPC);
    assert_true(size_of(file) <= 10);
    write_at(file, 0, "ABCDEFGH", 8); /* over what is there: always */
    assert_int_equal(device->operations->truncate(file, 4, NULL), ERROR_NONE);
    assert_int_equal(device->operations->space(device, &space, NULL), ERROR_NONE);
    assert_int_equal(space.free_bytes, 6);
    write_at(file, 4, "123456", 6);
    device_close_file(file);
    device_free(device);
}

static void
a_flipped_bit_is_seen_before_and_after_a_reboot(void **state)
{
    struct device *device = device_with_synced("abc");
    struct device_file *file = open_as(device, "a", DEVICE_READ);
    (void)state;
    device_simulated_flip(device, "a", 1, 0);
    assert_bytes(file, 0, "acc");
    device_close_file(file);
    device_simulated_reboot(device, 1);
    file = open_as(device, "a", DEVICE_READ);
    assert_bytes(file, 0, "acc");
    device_close_file(file);
    device_free(device);
}

#define OVER_BOTH(test)                                              \
    {"files: " #test, test, set_up_files, tear_down, NULL},          \
    {                                                                \
        "simulated: " #test, test, set_up_simulated, tear_down, NULL \
    }

int
main(void)
{
    const struct CMUnitTest tests[] = {
        OVER_BOTH(what_is_written_is_read_and_reading_stops_at_the_end),
        OVER_BOTH(a_write_of_thousands_of_parts_arrives_in_order),
        OVER_BOTH(opening_tells_what_exists_and_what_does_not),
        OVER_BOTH(a_punched_range_reads_as_zeros_and_the_size_stays),
        OVER_BOTH(truncating_cuts_and_extends_with_zeros),
        OVER_BOTH(names_are_listed_renamed_over_and_removed),
        OVER_BOTH(space_and_modes_are_answered),
        cmocka_unit_test_setup_teardown(a_protected_file_has_no_write_bits, set_up_files,
                                        tear_down),
        cmocka_unit_test(a_folder_that_is_not_there_is_not_found),
        cmocka_unit_test(what_was_synced_survives_every_crash_and_the_rest_by_chance),
        cmocka_unit_test(pending_writes_are_decided_one_by_one),
        cmocka_unit_test(a_torn_write_ends_at_a_multiple_of_512),
        cmocka_unit_test(equal_seeds_give_equal_disks),
        cmocka_unit_test(a_failed_sync_loses_the_pages_while_reads_still_return_them),
        cmocka_unit_test(names_are_pending_until_they_are_synced),
        cmocka_unit_test(a_crash_at_the_second_sync_closes_everything_until_the_reboot),
        cmocka_unit_test(the_nth_call_fails_once_or_for_ever),
        cmocka_unit_test(beyond_the_capacity_it_is_full_and_cutting_makes_room),
        cmocka_unit_test(a_flipped_bit_is_seen_before_and_after_a_reboot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
