/* SPDX-License-Identifier: Apache-2.0 */
/* A journal with an operation that this program does not know: read and not written, however the catalog was made. */
#include "model/maintenance.h"
#include "volume/store.h"

#include "world_fixture.h"

#include "unit.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#define LATER_LINE "{\"op\":\"transmute\",\"id\":1,\"into\":[\"gold\"]}"

static void
remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char below[600];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (unlink(below) != 0)
            remove_folder(below);
    }
    closedir(folder);
    rmdir(path);
}

static void
add_later_group(struct store *store)
{
    struct group *group;
    struct group_info info;
    struct position position;
    struct group_timing timing;
    struct error error = {0};
    unsigned index;
    assert_int_equal(group_begin(store, false, &group, &info, &error), ERROR_NONE);
    assert_int_equal(group_add_line(group, TEXT(LATER_LINE), &index, &error), ERROR_NONE);
    assert_int_equal(group_commit(group, &position, &timing, &error), ERROR_NONE);
}

static void
expect_refusal(enum error_code code, const struct error *error)
{
    assert_code(code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(error->message, "\"transmute\""));
    assert_non_null(strstr(error->message, ARCHIVOLT_VERSION));
}

static bool
is_there(struct world *w, const char *path)
{
    struct principal local = principal_local();
    struct view *view;
    struct resource resource;
    struct error error = {0};
    assert_int_equal(view_open(w->model, &local, &view, &error), ERROR_NONE);
    enum error_code code = view_resolve(view, text_from(path), &resource, &error);
    view_close(view);
    return code == ERROR_NONE;
}

static void
a_replay_refuses_each_time(void **state)
{
    static struct world w;
    struct error error = {0};
    (void)state;
    world_init(&w);
    put(&w, "/a", 10, 1);
    add_later_group(w.model->store);
    model_close(w.model);
    struct model_options options = options_of_world();
    struct model_parts parts = {w.volumes, w.lost, w.catalog, &w.clock.clock, &w.random.source};
    for (int i = 0; i < 2; i++)
        expect_refusal(model_open_parts(&options, &parts, &w.model, &error), &error);
    options.read_only = true;
    assert_int_equal(model_open_parts(&options, &parts, &w.model, &error), ERROR_NONE);
    assert_true(is_there(&w, "/a"));
    world_release(&w);
}

static bool
append_line(void *context, struct text json)
{
    buffer_append_text(context, json);
    buffer_append_char(context, '\n');
    return true;
}

/* What it understands can be read: the catalog as it was left. */
static void
dump(const struct model_options *options, struct buffer *ret)
{
    struct model_options reading = *options;
    struct model *model;
    struct error error = {0};
    reading.read_only = true;
    assert_int_equal(model_open(&reading, &model, &error), ERROR_NONE);
    assert_int_equal(model_dump(model, append_line, ret, &error), ERROR_NONE);
    model_close(model);
}

static void
a_rebuild_refuses_as_a_replay_does(void **state)
{
    char folder[] = "/tmp/archivolt-test-XXXXXX", token[TOKEN_TEXT_BYTES], catalog[64];
    struct model *model;
    struct error error = {0};
    struct buffer replayed = {0}, rebuilt = {0};
    uint64_t resources;
    (void)state;
    assert_non_null(mkdtemp(folder));
    struct model_options options = {.folder = folder, .limits = model_limits_default()};
    assert_int_equal(model_create(&options, token, &error), ERROR_NONE);
    assert_int_equal(model_open(&options, &model, &error), ERROR_NONE);
    add_later_group(model->store); /* its threads have nothing to do */
    model_close(model);
    snprintf(catalog, sizeof catalog, "%s/catalog", folder);
    remove_folder(catalog);
    expect_refusal(model_open(&options, &model, &error), &error);
    expect_refusal(model_open(&options, &model, &error), &error);
    dump(&options, &replayed);
    expect_refusal(model_rebuild(&options, &resources, &error), &error);
    expect_refusal(model_open(&options, &model, &error), &error);
    dump(&options, &rebuilt);
    assert_text(buffer_text(&rebuilt), buffer_text(&replayed));
    buffer_release(&rebuilt);
    buffer_release(&replayed);
    remove_folder(folder);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_replay_refuses_each_time),
                                       cmocka_unit_test(a_rebuild_refuses_as_a_replay_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
