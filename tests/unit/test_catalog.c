/* SPDX-License-Identifier: Apache-2.0 */
/* The catalog: one set of test bodies over both engines, then what is special to each. */
#include "catalog/catalog.h"

#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct catalog *catalog;
    char folder[64]; /* "" for the memory engine */
};

static int
remove_entry(const char *path, const struct stat *stat, int kind, struct FTW *where)
{
    (void)stat;
    (void)kind;
    (void)where;
    return remove(path);
}

static void
remove_folder(const char *path)
{
    assert_int_equal(nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void
make_folder(char *path, size_t size)
{
    snprintf(path, size, "/tmp/archivolt-catalog-XXXXXX");
    assert_non_null(mkdtemp(path));
}

static struct catalog *
open_rocksdb(const char *folder)
{
    struct catalog *catalog = NULL;
    struct error error = {0};
    const struct catalog_rocksdb_options options = {
        .path = folder, .cache_bytes = 8u << 20, .memtable_bytes = 1u << 20};
    assert_int_equal(catalog_rocksdb_open(&options, &catalog, &error), ERROR_NONE);
    return catalog;
}

static int
set_up_memory(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->catalog = catalog_memory_new();
    *state = fixture;
    return 0;
}

static int
set_up_rocksdb(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    make_folder(fixture->folder, sizeof fixture->folder);
    fixture->catalog = open_rocksdb(fixture->folder);
    *state = fixture;
    return 0;
}

static int
tear_down(void **state)
{
    struct fixture *fixture = *state;
    catalog_close(fixture->catalog);
    if (fixture->folder[0] != '\0')
        remove_folder(fixture->folder);
    free(fixture);
    return 0;
}

static struct catalog *
catalog_of(void **state)
{
    return ((struct fixture *)*state)->catalog;
}

static void
write_batch(struct catalog *catalog, struct catalog_batch *batch)
{
    struct error error = {0};
    assert_int_equal(catalog_write(catalog, batch, &error), ERROR_NONE);
    catalog_batch_clear(batch);
}

static void
put_one(struct catalog *catalog, const char *key, const char *value)
{
    struct catalog_batch *batch = catalog_batch_new();
    catalog_batch_put(batch, text_from(key), text_from(value));
    write_batch(catalog, batch);
    catalog_batch_free(batch);
}

static void
delete_one(struct catalog *catalog, const char *key)
{
    struct catalog_batch *batch = catalog_batch_new();
    catalog_batch_delete(batch, text_from(key));
    write_batch(catalog, batch);
    catalog_batch_free(batch);
}

/* `expected` NULL: not found. */
static void
assert_value(struct catalog *catalog, struct catalog_snapshot *snapshot, const char *key,
             const char *expected)
{
    struct buffer value = {0};
    struct error error = {0};
    buffer_append_string(&value, "what was there before");
    enum error_code code = catalog_get(catalog, snapshot, text_from(key), &value, &error);
    if (expected == NULL) {
        assert_int_equal(code, ERROR_NOT_FOUND);
        assert_int_equal(error.code, ERROR_NOT_FOUND);
    } else {
        assert_int_equal(code, ERROR_NONE);
        assert_string_equal(buffer_string(&value), expected);
    }
    buffer_release(&value);
}

/* All of the range as "key=value " in one string. */
static void
assert_scan(struct catalog *catalog, struct catalog_snapshot *snapshot,
            struct catalog_scan_range range, const char *expected)
{
    struct catalog_scan *scan;
    struct error error = {0};
    struct buffer seen = {0};
    struct text key, value;
    assert_int_equal(catalog_scan_open(catalog, snapshot, &range, &scan, &error), ERROR_NONE);
    while (catalog_scan_next(scan, &key, &value))
        buffer_printf(&seen, "%.*s=%.*s ", TEXT_ARG(key), TEXT_ARG(value));
    assert_false(catalog_scan_next(scan, &key, &value));
    assert_int_equal(catalog_scan_close(scan, &error), ERROR_NONE);
    assert_string_equal(buffer_string(&seen), expected);
    buffer_release(&seen);
}

static void
what_is_put_is_got_and_what_is_deleted_is_not(void **state)
{
    struct catalog *catalog = catalog_of(state);
    assert_value(catalog, NULL, "a", NULL);
    put_one(catalog, "a", "1");
    put_one(catalog, "b", "");
    assert_value(catalog, NULL, "a", "1");
    assert_value(catalog, NULL, "b", "");
    put_one(catalog, "a", "2");
    assert_value(catalog, NULL, "a", "2");
    delete_one(catalog, "a");
    assert_value(catalog, NULL, "a", NULL);
    assert_value(catalog, NULL, "b", "");
}

static void
later_operations_of_a_batch_win(void **state)
{
    struct catalog *catalog = catalog_of(state);
    struct catalog_batch *batch = catalog_batch_new();
    catalog_batch_put(batch, TEXT("x"), TEXT("1"));
    catalog_batch_delete(batch, TEXT("x"));
    catalog_batch_put(batch, TEXT("y"), TEXT("1"));
    catalog_batch_delete(batch, TEXT("z"));
    catalog_batch_put(batch, TEXT("y"), TEXT("2"));
    catalog_batch_put(batch, TEXT("z"), TEXT("3"));
    assert_int_equal(catalog_batch_count(batch), 6);
    write_batch(catalog, batch);
    assert_int_equal(catalog_batch_count(batch), 0);
    catalog_batch_free(batch);
    assert_scan(catalog, NULL, (struct catalog_scan_range){.backward = false}, "y=2 z=3 ");
}

static void
ranges_are_inclusive_below_and_exclusive_above_in_both_directions(void **state)
{
    struct catalog *catalog = catalog_of(state);
    put_one(catalog, "d", "4");
    put_one(catalog, "a", "1");
    put_one(catalog, "c", "3");
    put_one(catalog, "b", "2");
    put_one(catalog, "bb", "22");
    assert_scan(catalog, NULL, (struct catalog_scan_range){.backward = false},
                "a=1 b=2 bb=22 c=3 d=4 ");
    assert_scan(catalog, NULL, (struct catalog_scan_range){.backward = true},
                "d=4 c=3 bb=22 b=2 a=1 ");
    assert_scan(catalog, NULL, (struct catalog_scan_range){.from = TEXT("b"), .to = TEXT("d")},
                "b=2 bb=22 c=3 ");
    assert_scan(catalog, NULL,
                (struct catalog_scan_range){.from = TEXT("b"), .to = TEXT("d"), .backward = true},
                "c=3 bb=22 b=2 ");
    assert_scan(catalog, NULL, (struct catalog_scan_range){.from = TEXT("bc")}, "c=3 d=4 ");
    assert_scan(catalog, NULL, (struct catalog_scan_range){.to = TEXT("bc"), .backward = true},
                "bb=22 b=2 a=1 ");
    assert_scan(catalog, NULL, (struct catalog_scan_range){.from = TEXT("e")}, "");
    assert_scan(catalog, NULL, (struct catalog_scan_range){.from = TEXT("c"), .to = TEXT("b")}, "");
    assert_scan(catalog, NULL,
                (struct catalog_scan_range){.from = TEXT("e"), .to = TEXT("f"), .backward = true},
                "");
}

static void
keys_are_compared_as_unsigned_bytes_and_may_hold_any(void **state)
{
    struct catalog *catalog = catalog_of(state);
    struct catalog_batch *batch = catalog_batch_new();
    static const char high[] = {(char)0xFF}, low[] = {0}, low_more[] = {0, 0};
    catalog_batch_put(batch, text_of(high, 1), TEXT("high"));
    catalog_batch_put(batch, text_of(low_more, 2), TEXT("more"));
    catalog_batch_put(batch, text_of(low, 1), TEXT("low"));
    write_batch(catalog, batch);
    catalog_batch_free(batch);
    static const char *const order[] = {"low", "more", "high"};
    struct catalog_scan *scan;
    struct text key, value;
    const struct catalog_scan_range all = {.backward = false};
    assert_int_equal(catalog_scan_open(catalog, NULL, &all, &scan, NULL), ERROR_NONE);
    for (size_t i = 0; i < 3; i++) {
        assert_true(catalog_scan_next(scan, &key, &value));
        assert_true(text_equal(value, text_from(order[i])));
    }
    assert_false(catalog_scan_next(scan, &key, &value));
    assert_int_equal(catalog_scan_close(scan, NULL), ERROR_NONE);
}

static void
a_snapshot_and_an_open_scan_stay_as_they_were(void **state)
{
    struct catalog *catalog = catalog_of(state);
    struct catalog_snapshot *snapshot;
    struct catalog_scan *scan;
    struct text key, value;
    const struct catalog_scan_range all = {.backward = false};
    put_one(catalog, "a", "1");
    put_one(catalog, "b", "2");
    assert_int_equal(catalog_snapshot_take(catalog, &snapshot, NULL), ERROR_NONE);
    assert_int_equal(catalog_scan_open(catalog, NULL, &all, &scan, NULL), ERROR_NONE);
    put_one(catalog, "a", "changed");
    put_one(catalog, "c", "new");
    delete_one(catalog, "b");
    assert_value(catalog, snapshot, "a", "1");
    assert_value(catalog, snapshot, "b", "2");
    assert_value(catalog, snapshot, "c", NULL);
    assert_scan(catalog, snapshot, all, "a=1 b=2 ");
    assert_scan(catalog, NULL, all, "a=changed c=new ");
    assert_true(catalog_scan_next(scan, &key, &value));
    assert_true(text_equal(value, TEXT("1")));
    assert_true(catalog_scan_next(scan, &key, &value));
    assert_true(text_equal(key, TEXT("b")));
    assert_false(catalog_scan_next(scan, &key, &value));
    assert_int_equal(catalog_scan_close(scan, NULL), ERROR_NONE);
    catalog_snapshot_release(catalog, snapshot);
}

static void
properties_are_one_json_object_naming_the_engine(void **state)
{
    struct catalog *catalog = catalog_of(state);
    struct buffer json = {0};
    put_one(catalog, "a", "1");
    catalog->operations->properties(catalog, &json);
    assert_true(text_starts_with(buffer_text(&json), TEXT("{\"engine\":\"")));
    assert_true(text_ends_with(buffer_text(&json), TEXT("}")));
    assert_non_null(strstr(buffer_string(&json), catalog->operations->name));
    buffer_release(&json);
}

enum { PAIRS = 2000 };

struct pair_reader {
    struct catalog *catalog;
    unsigned disagreements, reads;
};

/* Both keys of a pair are always written together. */
static void *
read_pairs(void *context)
{
    struct pair_reader *reader = context;
    struct buffer left = {0}, right = {0};
    for (unsigned i = 0; i < PAIRS; i++) {
        struct catalog_snapshot *snapshot;
        if (catalog_snapshot_take(reader->catalog, &snapshot, NULL) != ERROR_NONE ||
            catalog_get(reader->catalog, snapshot, TEXT("left"), &left, NULL) != ERROR_NONE ||
            catalog_get(reader->catalog, snapshot, TEXT("right"), &right, NULL) != ERROR_NONE)
            break;
        reader->disagreements += !text_equal(buffer_text(&left), buffer_text(&right));
        reader->reads++;
        catalog_snapshot_release(reader->catalog, snapshot);
    }
    buffer_release(&left);
    buffer_release(&right);
    return NULL;
}

static void
write_pair(struct catalog *catalog, struct catalog_batch *batch, uint64_t number)
{
    struct buffer value = {0};
    buffer_append_u64(&value, number);
    catalog_batch_put(batch, TEXT("left"), buffer_text(&value));
    catalog_batch_put(batch, TEXT("right"), buffer_text(&value));
    write_batch(catalog, batch);
    buffer_release(&value);
}

static void
a_batch_is_seen_whole_or_not_at_all_by_other_threads(void **state)
{
    struct pair_reader readers[2] = {{.catalog = catalog_of(state)},
                                     {.catalog = catalog_of(state)}};
    struct catalog_batch *batch = catalog_batch_new();
    pthread_t threads[2];
    write_pair(catalog_of(state), batch, 0);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_pairs, &readers[i]), 0);
    for (uint64_t number = 1; number <= PAIRS; number++)
        write_pair(catalog_of(state), batch, number);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(readers[i].reads, PAIRS);
        assert_int_equal(readers[i].disagreements, 0);
    }
    catalog_batch_free(batch);
}

static void
a_crash_of_the_memory_engine_leaves_a_prefix_of_its_batches(void **state)
{
    struct catalog *catalog = catalog_of(state);
    const struct catalog_scan_range all = {.backward = false};
    put_one(catalog, "a", "1");
    put_one(catalog, "b", "1");
    put_one(catalog, "a", "2");
    delete_one(catalog, "b");
    assert_int_equal(catalog_memory_batches(catalog), 4);
    catalog_memory_crash(catalog, 3);
    assert_scan(catalog, NULL, all, "a=2 b=1 ");
    catalog_memory_crash(catalog, 1);
    assert_scan(catalog, NULL, all, "a=1 ");
    assert_int_equal(catalog_memory_batches(catalog), 1);
    put_one(catalog, "b", "again");
    assert_scan(catalog, NULL, all, "a=1 b=again ");
    assert_int_equal(catalog_memory_batches(catalog), 2);
    catalog_memory_crash(catalog, 0);
    assert_scan(catalog, NULL, all, "");
}

static void
what_was_flushed_or_closed_is_there_after_opening_again(void **state)
{
    struct fixture *fixture = *state;
    put_one(fixture->catalog, "a", "1");
    assert_int_equal(catalog_flush(fixture->catalog, NULL), ERROR_NONE);
    put_one(fixture->catalog, "b", "2");
    catalog_close(fixture->catalog);
    fixture->catalog = open_rocksdb(fixture->folder);
    assert_scan(fixture->catalog, NULL, (struct catalog_scan_range){.backward = false}, "a=1 b=2 ");
}

static void
a_folder_that_is_open_is_busy_and_one_opened_for_reading_takes_no_write(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    struct catalog *second = NULL;
    struct catalog_rocksdb_options options = {.path = fixture->folder, .cache_bytes = 8u << 20};
    put_one(fixture->catalog, "a", "1");
    assert_int_equal(catalog_flush(fixture->catalog, NULL), ERROR_NONE);
    assert_int_equal(catalog_rocksdb_open(&options, &second, &error), ERROR_BUSY);
    options.read_only = true;
    assert_int_equal(catalog_rocksdb_open(&options, &second, &error), ERROR_NONE);
    assert_value(second, NULL, "a", "1");
    struct catalog_batch *batch = catalog_batch_new();
    catalog_batch_put(batch, TEXT("b"), TEXT("2"));
    assert_int_equal(catalog_write(second, batch, &error), ERROR_CLOSED);
    catalog_batch_free(batch);
    catalog_close(second);
}

/* Batch n puts `position` = n and the key "n" with 400 bytes, and deletes the key "n - 10". */
static void
write_numbered_batch(struct catalog *catalog, struct catalog_batch *batch, uint64_t number)
{
    struct buffer key = {0}, filler = {0};
    uint64_t state = number;
    for (size_t i = 0; i < 50; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        buffer_append_be(&filler, state, 8);
    }
    buffer_printf(&key, "key-%012llu", (unsigned long long)number);
    catalog_batch_put(batch, buffer_text(&key), buffer_text(&filler));
    buffer_clear(&key);
    if (number > 10) {
        buffer_printf(&key, "key-%012llu", (unsigned long long)(number - 10));
        catalog_batch_delete(batch, buffer_text(&key));
        buffer_clear(&key);
    }
    buffer_append_u64(&key, number);
    catalog_batch_put(batch, TEXT("position"), buffer_text(&key));
    write_batch(catalog, batch);
    buffer_release(&key);
    buffer_release(&filler);
}

static void
assert_exact_prefix(struct catalog *catalog)
{
    struct buffer value = {0};
    uint64_t position = 0;
    assert_int_equal(catalog_get(catalog, NULL, TEXT("position"), &value, NULL), ERROR_NONE);
    assert_true(text_to_u64(buffer_text(&value), &position));
    assert_true(position > 10);
    const struct catalog_scan_range keys = {.from = TEXT("key-"), .to = TEXT("key.")};
    struct catalog_scan *scan;
    struct text key, ignored;
    assert_int_equal(catalog_scan_open(catalog, NULL, &keys, &scan, NULL), ERROR_NONE);
    for (uint64_t number = position - 9; number <= position; number++) {
        buffer_clear(&value);
        buffer_printf(&value, "key-%012llu", (unsigned long long)number);
        assert_true(catalog_scan_next(scan, &key, &ignored));
        assert_true(text_equal(key, buffer_text(&value)));
    }
    assert_false(catalog_scan_next(scan, &key, &ignored));
    assert_int_equal(catalog_scan_close(scan, NULL), ERROR_NONE);
    buffer_release(&value);
}

/* Writes until it is killed; a byte to standard output when enough has been flushed by itself. A
 * program of its own: a fork has none of the threads that RocksDB believes in. */
static _Noreturn void
write_until_killed(const char *folder)
{
    struct catalog_rocksdb_options options = {
        .path = folder, .cache_bytes = 1u << 20, .memtable_bytes = 256u << 10};
    struct catalog *catalog;
    if (catalog_rocksdb_open(&options, &catalog, NULL) != ERROR_NONE)
        _exit(1);
    struct catalog_batch *batch = catalog_batch_new();
    for (uint64_t number = 1;; number++) {
        write_numbered_batch(catalog, batch, number);
        if (number == 5000 && write(STDOUT_FILENO, "x", 1) != 1)
            _exit(1);
    }
}

static void
a_kill_leaves_an_exact_prefix_of_the_batches(void **state)
{
    char folder[64];
    (void)state;
    make_folder(folder, sizeof folder);
    for (int round = 0; round < 3; round++) {
        int pipe_ends[2], status;
        char byte;
        assert_int_equal(pipe(pipe_ends), 0);
        pid_t child = fork();
        if (child == 0) {
            dup2(pipe_ends[1], STDOUT_FILENO);
            execl("/proc/self/exe", "test_catalog", "write-until-killed", folder, (char *)NULL);
            _exit(127);
        }
        close(pipe_ends[1]);
        assert_int_equal(read(pipe_ends[0], &byte, 1), 1);
        usleep((useconds_t)(7000 * (round + 1)));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        close(pipe_ends[0]);
        struct catalog *catalog = open_rocksdb(folder);
        assert_exact_prefix(catalog);
        catalog_close(catalog);
        remove_folder(folder);
        assert_int_equal(mkdir(folder, 0700), 0);
    }
    remove_folder(folder);
}

#define OVER_BOTH(test)                                          \
    {"memory: " #test, test, set_up_memory, tear_down, NULL},    \
    {                                                            \
        "rocksdb: " #test, test, set_up_rocksdb, tear_down, NULL \
    }

int
main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "write-until-killed") == 0)
        write_until_killed(arguments[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kill_leaves_an_exact_prefix_of_the_batches),
        OVER_BOTH(what_is_put_is_got_and_what_is_deleted_is_not),
        OVER_BOTH(later_operations_of_a_batch_win),
        OVER_BOTH(ranges_are_inclusive_below_and_exclusive_above_in_both_directions),
        OVER_BOTH(keys_are_compared_as_unsigned_bytes_and_may_hold_any),
        OVER_BOTH(a_snapshot_and_an_open_scan_stay_as_they_were),
        OVER_BOTH(a_batch_is_seen_whole_or_not_at_all_by_other_threads),
        OVER_BOTH(properties_are_one_json_object_naming_the_engine),
        cmocka_unit_test_setup_teardown(a_crash_of_the_memory_engine_leaves_a_prefix_of_its_batches,
                                        set_up_memory, tear_down),
        cmocka_unit_test_setup_teardown(what_was_flushed_or_closed_is_there_after_opening_again,
                                        set_up_rocksdb, tear_down),
        cmocka_unit_test_setup_teardown(
            a_folder_that_is_open_is_busy_and_one_opened_for_reading_takes_no_write, set_up_rocksdb,
            tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
