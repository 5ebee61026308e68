/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from disk are errors, never assertions: a store whose files were changed at random opens,
 * or says why not; whatever it gives out is what was stored. */
#include "store_fixture.h"

enum { FILES_MAX = 8, DEPOSITS = 9, MUTATIONS = 600 };

struct image {
    char names[FILES_MAX][40];
    struct buffer bytes[FILES_MAX];
    size_t count;
};

struct stored {
    struct content_reference references[DEPOSITS];
    struct buffer sums[DEPOSITS];
};

static bool
add_name(void *context, const char *name, uint64_t size)
{
    struct image *image = context;
    assert_true(image->count < FILES_MAX);
    snprintf(image->names[image->count], sizeof image->names[0], "%s", name);
    assert_non_null(buffer_reserve(&image->bytes[image->count], size + 1));
    image->bytes[image->count++].length = size;
    return true;
}

static void
take_image(struct fixture *f, struct image *image)
{
    struct error error = {0};
    memset(image, 0, sizeof *image);
    check(f->device->operations->list(f->device, add_name, image, &error), &error);
    for (size_t i = 0; i < image->count; i++) {
        struct device_file *file;
        check(device_open_file(f->device, image->names[i], DEVICE_READ, &file, &error), &error);
        check(device_read_exactly(file, 0, image->bytes[i].data, image->bytes[i].length, &error),
              &error);
        device_close_file(file);
    }
}

/* A sealed, a compacted and an open log volume, a bulk volume, a purged deposit. */
static bool
keep_odd(void *context, struct text path, struct place place, uint64_t length)
{
    (void)context, (void)place, (void)length;
    return !text_ends_with(path, TEXT("4/inventory.json"));
}

static void
make_store(struct fixture *f, struct stored *stored)
{
    struct error error = {0};
    struct compaction_result result;
    make_simulated_fixture(f);
    open_store(f, NULL);
    check(store_set_bulk_lengths(f->store, NULL, 0, &error), &error);
    for (unsigned i = 0; i < DEPOSITS; i++) {
        deposit(f, i, i % 4 == 3 ? 70000 : 1500, &stored->references[i], &stored->sums[i]);
        if (i == 2 || i == 5)
            check(store_seal(f->store, &error), &error);
    }
    struct purge_span span = {stored->references[1].place, 1500, false};
    struct purge_request request = {&span, 1, NULL, 0};
    check(store_purge(f->store, &request, &error), &error);
    check(store_compact(f->store, 1, keep_odd, NULL, &result, &error), &error);
    store_close(f->store);
    f->store = NULL;
}

static unsigned
next(unsigned *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

/* Where an image is interesting: anywhere, or near its end. */
static size_t
position(unsigned *random, size_t length)
{
    size_t window = next(random) % 2 == 0 || length < 4000 ? length : 4000;
    return length - 1 - next(random) % window;
}

static void
mutate(struct image *image, size_t which, unsigned *random)
{
    struct buffer *bytes = &image->bytes[which];
    size_t at = position(random, bytes->length);
    switch (next(random) % 5) {
    case 0:
        bytes->length = at;
        break;
    case 1:
        memset(bytes->data + at / 512 * 512, 0,
               bytes->length - at / 512 * 512 < 512 ? bytes->length - at / 512 * 512 : 512);
        break;
    case 2: /* digits: sizes, offsets, sequences */
        for (size_t i = at; i < bytes->length && i < at + 400; i++) {
            if (bytes->data[i] >= '0' && bytes->data[i] <= '9') {
                bytes->data[i] = (char)('0' + next(random) % 10);
                break;
            }
        }
        break;
    case 3:
        bytes->data[at] = (char)next(random);
        break;
    default:
        bytes->data[at] = (char)(bytes->data[at] ^ 1 << next(random) % 8);
    }
}

static struct device *
device_of_image(const struct image *image)
{
    struct error error = {0};
    struct device_simulated_options calm = {.seed = 3};
    struct device *device = device_simulated_new(&calm);
    for (size_t i = 0; i < image->count; i++) {
        struct device_file *file;
        struct iovec part = {image->bytes[i].data, image->bytes[i].length};
        check(device_open_file(device, image->names[i], DEVICE_CREATE, &file, &error), &error);
        check(device_write(file, 0, &part, 1, &error), &error);
        check(device_sync(file, &error), &error);
        device_close_file(file);
    }
    return device;
}

static void
use_store(struct fixture *f, const struct stored *stored)
{
    struct error error = {0};
    struct verify_options options = {0};
    struct journal_reader *reader;
    struct journal_group group;
    enum error_code status;
    uint64_t faults;
    char data[70000];
    for (unsigned i = 0; i < DEPOSITS; i++) {
        const struct content_reference *r = &stored->references[i];
        if (store_read_content(f->store, r, 0, data, r->size_bytes, &error) != ERROR_NONE)
            continue;
        for (size_t at = 0; at < r->size_bytes; at++)
            assert_int_equal(data[at], (char)(i + at * 7 + at / 251));
    }
    check(journal_reader_open(f->store, 0, true, &reader, &error), &error);
    do {
        while (journal_reader_next(reader, &group, &status, &error))
            assert_true(group.position.sequence <= DEPOSITS + 1);
    } while (status != ERROR_NONE);
    journal_reader_close(reader);
    check(store_verify(f->store, &options, NULL, NULL, &faults, &error), &error);
}

static void
try_image(const struct image *image, const struct stored *stored, bool read_only)
{
    struct fixture f = {.device = device_of_image(image)};
    struct error error = {0};
    struct device_simulated_options calm = {.seed = 4};
    f.lost_device = device_simulated_new(&calm);
    clock_simulated_init(&f.clock, INT64_C(1800000000000000), 1);
    random_simulated_init(&f.random, 9);
    f.options = (struct store_options){.volumes = f.device,
                                       .lost_and_found = f.lost_device,
                                       .clock = &f.clock.clock,
                                       .random = &f.random.source,
                                       .small_content_bytes = 64 << 10,
                                       .read_only = read_only};
    enum error_code code =
        store_open(&f.options, NULL, count_fault, &f, &f.store, &f.recovery, &error);
    if (code == ERROR_NONE) {
        use_store(&f, stored);
        if (!read_only) {
            deposit(&f, 77, 3000, NULL, NULL);
            use_store(&f, stored);
        }
    } else {
        assert_true(code == ERROR_CORRUPT || code == ERROR_INVALID || code == ERROR_NOT_FOUND ||
                    code == ERROR_UNSUPPORTED);
    }
    store_close(f.store);
    device_free(f.device);
    device_free(f.lost_device);
}

static void
copy_image(struct image *to, const struct image *from)
{
    memset(to, 0, sizeof *to);
    memcpy(to->names, from->names, sizeof to->names);
    to->count = from->count;
    for (size_t i = 0; i < from->count; i++)
        buffer_append(&to->bytes[i], from->bytes[i].data, from->bytes[i].length);
}

static void
release_image(struct image *image)
{
    for (size_t i = 0; i < image->count; i++)
        buffer_release(&image->bytes[i]);
}

static void
changed_bytes_are_errors_and_nothing_wrong_is_given_out(void **state)
{
    struct fixture f;
    struct stored stored = {0};
    struct image whole, changed;
    unsigned random = 20261201;
    (void)state;
    make_store(&f, &stored);
    take_image(&f, &whole);
    try_image(&whole, &stored, false);
    for (unsigned i = 0; i < MUTATIONS; i++) {
        copy_image(&changed, &whole);
        for (unsigned times = 1 + next(&random) % 3; times > 0; times--) {
            size_t which = next(&random) % changed.count;
            if (changed.bytes[which].length > 0)
                mutate(&changed, which, &random);
        }
        try_image(&changed, &stored, i % 3 == 0);
        release_image(&changed);
    }
    release_image(&whole);
    for (unsigned i = 0; i < DEPOSITS; i++)
        buffer_release(&stored.sums[i]);
    release(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_bytes_are_errors_and_nothing_wrong_is_given_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
