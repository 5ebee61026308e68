/* SPDX-License-Identifier: Apache-2.0 */
/* Content read back through a view of a model that wrote it, on simulated devices; views beside a writer; persons. */
#include "base/ensure.h"
#include "io/device.h"
#include "model/private.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <pthread.h>

struct world {
    struct device *volumes, *lost;
    struct catalog *catalog;
    struct clock_simulated clock;
    struct random_simulated random;
    struct model *model;
};

static struct model_options
options_of_world(void)
{
    return (struct model_options){.folder = "/nowhere", .limits = model_limits_default(),
                                  .small_content_bytes = 100000};
}

static void
world_init(struct world *w)
{
    struct device_simulated_options device = {.seed = 1};
    struct model_options options = options_of_world();
    struct error error = {0};
    char token[TOKEN_TEXT_BYTES];
    clock_simulated_init(&w->clock, INT64_C(1700000000000000), 1000);
    random_simulated_init(&w->random, 5);
    w->volumes = device_simulated_new(&device);
    w->lost = device_simulated_new(&device);
    w->catalog = catalog_memory_new();
    struct model_parts parts = {w->volumes, w->lost, w->catalog, &w->clock.clock, &w->random.source};
    assert_int_equal(model_create_parts(&options, &parts, token, &error), ERROR_NONE);
    assert_int_equal(model_open_parts(&options, &parts, &w->model, &error), ERROR_NONE);
}

static void
world_release(struct world *w)
{
    model_close(w->model);
    catalog_close(w->catalog);
    device_free(w->volumes);
    device_free(w->lost);
}

static unsigned char
byte_at(uint64_t offset, unsigned version)
{
    return (unsigned char)(offset * 31 + offset / 251 + version);
}

static enum error_code
commit_and_free(struct transaction *transaction)
{
    struct error error = {0};
    enum error_code code = transaction_commit(transaction, &error);
    transaction_free(transaction);
    return code;
}

static void
put(struct world *w, const char *path, size_t length, unsigned version)
{
    struct principal local = principal_local();
    struct transaction *transaction = NULL;
    struct upload *upload = NULL;
    struct error error = {0};
    struct file_options options = {.source_mtime_us = INT64_MIN, .make_parents = true};
    unsigned char *bytes = malloc(length + 1);
    ensure(bytes != NULL);
    for (size_t i = 0; i < length; i++)
        bytes[i] = byte_at(i, version);
    assert_int_equal(upload_begin(w->model, 0, &upload, &error), ERROR_NONE);
    assert_int_equal(upload_write(upload, bytes, length, &error), ERROR_NONE);
    assert_int_equal(upload_finish(upload, &error), ERROR_NONE);
    assert_int_equal(transaction_new(w->model, &local, &transaction, &error), ERROR_NONE);
    assert_int_equal(transaction_put_file(transaction, target_path(text_from(path)), &upload, &options, &error),
                     ERROR_NONE);
    assert_int_equal(commit_and_free(transaction), ERROR_NONE);
    free(bytes);
}

static struct content_reader *
open_content(struct world *w, const char *path, uint64_t version)
{
    struct principal local = principal_local();
    struct view *view = NULL;
    struct resource file;
    struct content_reader *reader = NULL;
    struct error error = {0};
    assert_int_equal(view_open(w->model, &local, &view, &error), ERROR_NONE);
    assert_int_equal(view_resolve(view, text_from(path), &file, &error), ERROR_NONE);
    assert_int_equal(view_content(view, &file, version, &reader, &error), ERROR_NONE);
    view_close(view);
    return reader;
}

static void
check_range(struct content_reader *reader, uint64_t offset, size_t length, unsigned version)
{
    struct error error = {0};
    unsigned char *bytes = malloc(length + 1);
    ensure(bytes != NULL);
    assert_int_equal(content_reader_read(reader, offset, bytes, length, &error), ERROR_NONE);
    for (size_t i = 0; i < length; i++)
        assert_int_equal(bytes[i], byte_at(offset + i, version));
    free(bytes);
}

static void
ranges_of_any_content_come_back(void **state)
{
    static const size_t sizes[] = {0, 1, 10240, 65536, 65537, 99999, 300000};
    struct world w = {0};
    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        put(&w, "/a/b/c/d", sizes[i], (unsigned)i);
        struct content_reader *reader = open_content(&w, "/a/b/c/d", 0);
        assert_int_equal(content_reader_size(reader), sizes[i]);
        check_range(reader, 0, sizes[i], (unsigned)i);
        check_range(reader, sizes[i] / 2, sizes[i] - sizes[i] / 2, (unsigned)i);
        if (sizes[i] > 70000)
            check_range(reader, 65530, 12, (unsigned)i);
        content_reader_close(reader);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) { /* every version is still there */
        struct content_reader *reader = open_content(&w, "/a/b/c/d", i + 1);
        assert_int_equal(content_reader_size(reader), sizes[i]);
        check_range(reader, 0, sizes[i], (unsigned)i);
        content_reader_close(reader);
    }
    world_release(&w);
}

static void
an_upload_that_is_finished_can_be_read_at_any_place(void **state)
{
    static const size_t sizes[] = {0, 1, 99999, 300000}; /* the last is bulk */
    struct world w = {0};
    struct error error = {0};
    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct upload *upload = NULL;
        size_t size = sizes[i], half = size / 2;
        unsigned char *bytes = malloc(size + 1);
        ensure(bytes != NULL);
        for (size_t at = 0; at < size; at++)
            bytes[at] = byte_at(at, 1);
        assert_int_equal(upload_begin(w.model, 0, &upload, &error), ERROR_NONE);
        assert_int_equal(upload_write(upload, bytes, half, &error), ERROR_NONE);
        assert_int_equal(upload_write(upload, bytes + half, size - half, &error), ERROR_NONE);
        assert_int_equal(upload_finish(upload, &error), ERROR_NONE);
        assert_int_equal(upload_is_bulk(upload), size > 100000);
        memset(bytes, 0, size + 1);
        assert_int_equal(upload_read(upload, half, bytes, size - half, &error), ERROR_NONE);
        for (size_t at = half; at < size; at++)
            assert_int_equal(bytes[at - half], byte_at(at, 1));
        assert_int_equal(upload_read(upload, size, bytes, 0, &error), ERROR_NONE);
        assert_int_equal(upload_read(upload, size, bytes, 1, &error), ERROR_INVALID);
        assert_int_equal(upload_read(upload, UINT64_MAX, bytes, 2, &error), ERROR_INVALID);
        upload_free(upload);
        free(bytes);
    }
    world_release(&w);
}

static void
a_reader_that_was_open_reads_on_after_its_file_was_replaced_and_deleted(void **state)
{
    struct world w = {0};
    struct principal local = principal_local();
    struct transaction *transaction = NULL;
    struct error error = {0};
    (void)state;
    world_init(&w);
    put(&w, "/f", 5000, 1);
    struct content_reader *reader = open_content(&w, "/f", 0);
    put(&w, "/f", 7000, 2);
    assert_int_equal(transaction_new(w.model, &local, &transaction, &error), ERROR_NONE);
    assert_int_equal(transaction_delete(transaction, target_path(TEXT("/f")), false, NULL, &error), ERROR_NONE);
    assert_int_equal(commit_and_free(transaction), ERROR_NONE);
    assert_int_equal(content_reader_size(reader), 5000);
    check_range(reader, 0, 5000, 1);
    content_reader_close(reader);
    world_release(&w);
}

static void
damaged_content_is_corrupt_and_gives_no_bytes(void **state)
{
    struct world w = {0};
    struct error error = {0};
    unsigned char bytes[4096], untouched[4096];
    (void)state;
    world_init(&w);
    put(&w, "/f", sizeof bytes, 1);
    struct content_reader *reader = open_content(&w, "/f", 0);
    struct view *view = NULL;
    struct principal local = principal_local();
    struct walk walk;
    struct node node;
    struct buffer storage = {0};
    assert_int_equal(view_open(w.model, &local, &view, &error), ERROR_NONE);
    assert_int_equal(lookup_path(view_lookup(view), TEXT("/f"), &walk, &error), ERROR_NONE);
    assert_int_equal(lookup_node(view_lookup(view), walk.ids[1], &storage, &node, &error), ERROR_NONE);
    device_simulated_flip(w.volumes, "log-0000000001.tar", node.content.offset + 4000, 3);
    memset(bytes, 0xAA, sizeof bytes);
    memset(untouched, 0xAA, sizeof untouched);
    assert_int_equal(content_reader_read(reader, 0, bytes, 10, &error), ERROR_CORRUPT);
    assert_memory_equal(bytes, untouched, sizeof bytes);
    buffer_release(&storage);
    view_close(view);
    content_reader_close(reader);
    world_release(&w);
}

/* ---- views beside a writer ------------------------------------------------------------------------------ */

struct reading {
    struct model *model;
    atomic_uint *stop;
    atomic_uint *committed; /* files that have been answered for */
    unsigned views;
    bool missed;
};

static void *
read_beside(void *context)
{
    struct reading *reading = context;
    struct principal local = principal_local();
    while (atomic_load(reading->stop) == 0) {
        struct view *view = NULL;
        struct resource folder;
        struct error error = {0};
        unsigned before = atomic_load(reading->committed);
        if (view_open(reading->model, &local, &view, &error) != ERROR_NONE)
            break;
        if (before > 0 && (view_resolve(view, TEXT("/a/b"), &folder, &error) != ERROR_NONE ||
                           folder.children < before))
            reading->missed = true;
        view_close(view);
        reading->views++;
    }
    return NULL;
}

static void
what_was_answered_for_is_seen_by_every_later_view(void **state)
{
    struct world w = {0};
    atomic_uint stop = 0, committed = 0;
    struct reading readings[2];
    pthread_t threads[2];
    char path[32];
    (void)state;
    world_init(&w);
    for (unsigned i = 0; i < 2; i++) {
        readings[i] = (struct reading){w.model, &stop, &committed, 0, false};
        assert_int_equal(pthread_create(&threads[i], NULL, read_beside, &readings[i]), 0);
    }
    for (unsigned i = 0; i < 200; i++) {
        snprintf(path, sizeof path, "/a/b/f%u", i);
        put(&w, path, 100, i);
        atomic_store(&committed, i + 1);
    }
    atomic_store(&stop, 1);
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_false(readings[i].missed);
        assert_true(readings[i].views > 0);
    }
    world_release(&w);
}

/* ---- persons through a real model --------------------------------------------------------------------------- */

static enum error_code
enter(struct world *w, const char *password, size_t *ret_groups)
{
    struct arena arena = {0};
    struct error error = {0};
    struct principal principal = {0};
    enum error_code code =
        model_authenticate(w->model, TEXT("anna"), text_from(password), &arena, &principal, &error);
    *ret_groups = principal.group_count;
    arena_release(&arena);
    return code;
}

/* Commits and gives the id that the first operation made. */
static uint64_t
commit_for_id(struct transaction *transaction)
{
    struct error error = {0};
    assert_int_equal(transaction_commit(transaction, &error), ERROR_NONE);
    uint64_t id = transaction_result(transaction, 0)->id;
    transaction_free(transaction);
    return id;
}

static struct transaction *
begin(struct world *w)
{
    struct principal local = principal_local();
    struct transaction *transaction = NULL;
    struct error error = {0};
    assert_int_equal(transaction_new(w->model, &local, &transaction, &error), ERROR_NONE);
    return transaction;
}

static void
changes_of_persons_are_in_force_with_their_answer(void **state)
{
    struct world w = {0};
    struct error error = {0};
    struct user_change anna = {TEXT("anna"), TEXT(""), TEXT(""), ROLE_DEPOSITOR, false};
    size_t groups;
    (void)state;
    world_init(&w);
    struct transaction *t = begin(&w);
    assert_int_equal(transaction_add_user(t, &anna, &error), ERROR_NONE);
    uint64_t user = commit_for_id(t);
    t = begin(&w);
    assert_int_equal(transaction_add_group(t, TEXT("staff"), &error), ERROR_NONE);
    uint64_t group = commit_for_id(t);
    t = begin(&w);
    assert_int_equal(transaction_set_password(t, user, TEXT("first"), &error), ERROR_NONE);
    (void)commit_for_id(t);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(enter(&w, "first", &groups), ERROR_NONE);
        assert_int_equal(groups, 0);
    }
    t = begin(&w);
    assert_int_equal(transaction_set_member(t, group, user, true, &error), ERROR_NONE);
    (void)commit_for_id(t);
    assert_int_equal(enter(&w, "first", &groups), ERROR_NONE);
    assert_int_equal(groups, 1);
    t = begin(&w);
    assert_int_equal(transaction_remove_group(t, group, &error), ERROR_NONE);
    (void)commit_for_id(t);
    assert_int_equal(enter(&w, "first", &groups), ERROR_NONE);
    assert_int_equal(groups, 0);
    t = begin(&w);
    assert_int_equal(transaction_set_password(t, user, TEXT("second"), &error), ERROR_NONE);
    (void)commit_for_id(t);
    assert_int_equal(enter(&w, "first", &groups), ERROR_UNAUTHENTICATED);
    assert_int_equal(enter(&w, "second", &groups), ERROR_NONE);
    anna.disabled = true;
    t = begin(&w);
    assert_int_equal(transaction_change_user(t, user, &anna, &error), ERROR_NONE);
    (void)commit_for_id(t);
    assert_int_equal(enter(&w, "second", &groups), ERROR_UNAUTHENTICATED);
    world_release(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_any_content_come_back),
        cmocka_unit_test(an_upload_that_is_finished_can_be_read_at_any_place),
        cmocka_unit_test(a_reader_that_was_open_reads_on_after_its_file_was_replaced_and_deleted),
        cmocka_unit_test(damaged_content_is_corrupt_and_gives_no_bytes),
        cmocka_unit_test(changes_of_persons_are_in_force_with_their_answer),
        cmocka_unit_test(what_was_answered_for_is_seen_by_every_later_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
