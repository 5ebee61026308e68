/* SPDX-License-Identifier: Apache-2.0 */
/* The overlay against a naive oracle: a small array of keys whose state is copied at each mark; at times it stands on
 * another one that is not in the catalog yet. */
#include "catalog/overlay.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { KEYS = 40, MARKS = 4 };

struct oracle {
    int value[KEYS]; /* -1: absent */
};

struct run {
    struct catalog *catalog;
    struct overlay *overlay, *spare;
    struct overlay *lower; /* what `overlay` stands on, or NULL */
    struct oracle now, lower_now, below;
    struct oracle marked[MARKS];
    size_t marks[MARKS];
    size_t mark_count;
    uint64_t random;
};

static uint32_t
draw(struct run *run, uint32_t below)
{
    run->random = run->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(run->random >> 33) % below;
}

/* Keys of many lengths that share beginnings: "k", "kk1", ... */
static struct text
key_of(unsigned number, char *space, size_t size)
{
    int length = snprintf(space, size, "%.*s%02u", (int)(number % 13), "kkkkkkkkkkkkk", number);
    return text_of(space, (size_t)length);
}

static void
assert_get(struct run *run, unsigned number)
{
    char space[32], expected[16];
    struct buffer value = {0};
    enum error_code code =
        overlay_get(run->overlay, key_of(number, space, sizeof space), &value, NULL);
    if (run->now.value[number] < 0) {
        assert_int_equal(code, ERROR_NOT_FOUND);
    } else {
        assert_int_equal(code, ERROR_NONE);
        snprintf(expected, sizeof expected, "%d", run->now.value[number]);
        assert_string_equal(buffer_string(&value), expected);
    }
    buffer_release(&value);
}

static int
compare_numbers_by_key(const void *left, const void *right)
{
    char a[32], b[32];
    return text_compare(key_of(*(const unsigned *)left, a, sizeof a),
                        key_of(*(const unsigned *)right, b, sizeof b));
}

static void
assert_scan_between(struct run *run, struct text from, struct text to)
{
    unsigned order[KEYS];
    struct overlay_scan *scan;
    struct text key, value;
    for (unsigned i = 0; i < KEYS; i++)
        order[i] = i;
    qsort(order, KEYS, sizeof *order, compare_numbers_by_key);
    assert_int_equal(overlay_scan_open(run->overlay, from, to, &scan, NULL), ERROR_NONE);
    for (unsigned i = 0; i < KEYS; i++) {
        char space[32], expected[16];
        struct text wanted = key_of(order[i], space, sizeof space);
        if (run->now.value[order[i]] < 0 || text_compare(wanted, from) < 0 ||
            (to.length > 0 && text_compare(wanted, to) >= 0))
            continue;
        snprintf(expected, sizeof expected, "%d", run->now.value[order[i]]);
        assert_true(overlay_scan_next(scan, &key, &value));
        assert_true(text_equal(key, wanted));
        assert_true(text_equal(value, text_from(expected)));
        if (draw(run, 4) == 0) /* reading beside a scan is allowed */
            assert_get(run, draw(run, KEYS));
    }
    assert_false(overlay_scan_next(scan, &key, &value));
    assert_int_equal(overlay_scan_close(scan, NULL), ERROR_NONE);
}

static void
scan_somewhere(struct run *run)
{
    char a[32], b[32];
    struct text from = draw(run, 3) == 0 ? TEXT("") : key_of(draw(run, KEYS), a, sizeof a);
    struct text to = draw(run, 3) == 0 ? TEXT("") : key_of(draw(run, KEYS), b, sizeof b);
    assert_scan_between(run, from, to);
}

static void
change_one(struct run *run)
{
    char space[32], value[16];
    unsigned number = draw(run, KEYS);
    struct text key = key_of(number, space, sizeof space);
    if (draw(run, 3) == 0) {
        overlay_delete(run->overlay, key);
        run->now.value[number] = -1;
        return;
    }
    run->now.value[number] = (int)draw(run, 100000);
    snprintf(value, sizeof value, "%d", run->now.value[number]);
    overlay_put(run->overlay, key, text_from(value));
}

static void
mark_or_roll_back(struct run *run)
{
    if (run->mark_count < MARKS && draw(run, 2) == 0) {
        run->marked[run->mark_count] = run->now;
        run->marks[run->mark_count++] = overlay_mark(run->overlay);
    } else if (run->mark_count > 0) {
        run->mark_count = draw(run, (uint32_t)run->mark_count);
        overlay_roll_back(run->overlay, run->marks[run->mark_count]);
        run->now = run->marked[run->mark_count];
    }
}

struct ascent {
    char last[32];
    size_t count;
};

static void
assert_ascending(void *context, struct text key, const struct text *value)
{
    struct ascent *ascent = context;
    (void)value;
    assert_true(ascent->count == 0 || text_compare(text_from(ascent->last), key) < 0);
    snprintf(ascent->last, sizeof ascent->last, "%.*s", TEXT_ARG(key));
    ascent->count++;
}

static void
write_down(struct run *run, const struct overlay *overlay)
{
    struct catalog_batch *batch = catalog_batch_new();
    struct ascent ascent = {.count = 0};
    overlay_to_batch(overlay, batch);
    assert_int_equal(catalog_batch_count(batch), overlay_count(overlay));
    catalog_batch_each(batch, assert_ascending, &ascent);
    assert_int_equal(ascent.count, overlay_count(overlay));
    assert_int_equal(catalog_write(run->catalog, batch, NULL), ERROR_NONE);
    catalog_batch_free(batch);
}

/* The next group is laid out on this one. */
static void
stack(struct run *run)
{
    struct overlay *next = run->spare;
    run->spare = NULL;
    run->lower = run->overlay;
    run->lower_now = run->now;
    overlay_clear(next);
    overlay_stand_on(next, run->lower);
    assert_int_equal(overlay_count(next), 0);
    run->overlay = next;
    run->mark_count = 0;
}

/* The lower group is in the catalog; what stands on it goes on. */
static void
write_lower(struct run *run)
{
    write_down(run, run->lower);
    run->below = run->lower_now;
    overlay_stand_on(run->overlay, NULL);
    run->spare = run->lower;
    run->lower = NULL;
}

static void
give_up_lower(struct run *run)
{
    run->spare = run->lower;
    run->lower = NULL;
    overlay_clear(run->overlay);
    run->now = run->below;
    run->mark_count = 0;
}

/* Writes the group down or gives it up. */
static void
end_group(struct run *run)
{
    if (draw(run, 3) != 0) {
        write_down(run, run->overlay);
        run->below = run->now;
    }
    overlay_clear(run->overlay);
    assert_int_equal(overlay_count(run->overlay), 0);
    run->now = run->below;
    run->mark_count = 0;
}

static void
end_something(struct run *run)
{
    uint32_t what = draw(run, 4);
    if (run->lower == NULL)
        (what < 2 ? stack : end_group)(run);
    else if (what > 0)
        write_lower(run);
    else
        give_up_lower(run);
}

static void
random_operations(uint64_t seed)
{
    struct run run = {.random = seed};
    run.catalog = catalog_memory_new();
    run.overlay = overlay_new(run.catalog);
    run.spare = overlay_new(run.catalog);
    for (unsigned i = 0; i < KEYS; i++)
        run.now.value[i] = run.below.value[i] = -1;
    for (unsigned step = 0; step < 400; step++) {
        uint32_t what = draw(&run, 100);
        if (what < 40)
            change_one(&run);
        else if (what < 80)
            assert_get(&run, draw(&run, KEYS));
        else if (what < 90)
            mark_or_roll_back(&run);
        else if (what < 97)
            scan_somewhere(&run);
        else
            end_something(&run);
    }
    assert_scan_between(&run, TEXT(""), TEXT(""));
    overlay_free(run.overlay);
    overlay_free(run.spare);
    overlay_free(run.lower);
    catalog_close(run.catalog);
}

static void
it_agrees_with_a_naive_oracle(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++)
        random_operations(seed);
}

static void
a_key_is_read_from_below_once_a_group(void **state)
{
    struct catalog *catalog = catalog_memory_new();
    struct overlay *overlay = overlay_new(catalog);
    struct catalog_batch *batch = catalog_batch_new();
    struct buffer value = {0};
    (void)state;
    assert_int_equal(overlay_get(overlay, TEXT("a"), &value, NULL), ERROR_NOT_FOUND);
    catalog_batch_put(batch, TEXT("a"), TEXT("behind its back"));
    assert_int_equal(catalog_write(catalog, batch, NULL), ERROR_NONE);
    assert_int_equal(overlay_get(overlay, TEXT("a"), &value, NULL), ERROR_NOT_FOUND);
    overlay_clear(overlay);
    assert_int_equal(overlay_get(overlay, TEXT("a"), &value, NULL), ERROR_NONE);
    assert_int_equal(overlay_count(overlay), 0);
    buffer_release(&value);
    catalog_batch_free(batch);
    overlay_free(overlay);
    catalog_close(catalog);
}

static void
many_keys_and_large_values_stay_apart(void **state)
{
    struct catalog *catalog = catalog_memory_new();
    struct overlay *overlay = overlay_new(catalog);
    struct catalog_batch *batch = catalog_batch_new();
    struct buffer key = {0}, value = {0};
    struct ascent ascent = {.count = 0};
    (void)state;
    buffer_append_zeros(&value, 70000);
    for (uint64_t i = 0; i < 20000; i++) {
        buffer_clear(&key);
        buffer_append_u64(&key, i * 7919 % 20011);
        overlay_put(overlay, buffer_text(&key),
                    i % 1000 == 0 ? buffer_text(&value) : buffer_text(&key));
    }
    overlay_to_batch(overlay, batch);
    catalog_batch_each(batch, assert_ascending, &ascent);
    assert_int_equal(ascent.count, 20000);
    assert_int_equal(overlay_get(overlay, TEXT("7919"), &value, NULL), ERROR_NONE);
    assert_string_equal(buffer_string(&value), "7919");
    assert_int_equal(overlay_get(overlay, TEXT("0"), &value, NULL), ERROR_NONE);
    assert_int_equal(value.length, 70000);
    buffer_release(&key);
    buffer_release(&value);
    catalog_batch_free(batch);
    overlay_free(overlay);
    catalog_close(catalog);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_agrees_with_a_naive_oracle),
        cmocka_unit_test(a_key_is_read_from_below_once_a_group),
        cmocka_unit_test(many_keys_and_large_values_stay_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
