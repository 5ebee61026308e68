/* SPDX-License-Identifier: Apache-2.0 */
/* Reading as one principal: paths, hiding, deletion, children, statements, persons. Finding is in test_find. */
#include "view_fixture.h"

/* ---- resources ----------------------------------------------------------------------------------------- */

static enum error_code
resolve_as(struct fixture *f, struct principal principal, const char *path, struct resource *ret_resource,
           char message[512])
{
    struct view *view = fixture_view(f, principal);
    struct error error = {0};
    enum error_code code = view_resolve(view, text_from(path), ret_resource, &error);
    memcpy(message, error.message, 512);
    view_close(view);
    return code;
}

static enum error_code
code_of(struct fixture *f, struct principal principal, const char *path)
{
    struct resource resource;
    char message[512];
    return resolve_as(f, principal, path, &resource, message);
}

static void
a_file_is_found_by_its_path_with_all_that_is_known_of_it(void **state)
{
    struct fixture *f = fixture_new();
    struct error error = {0};
    struct resource file = {0}, folder = {0};
    struct text path;
    (void)state;
    add_container(f, &(struct fixture_resource){.id = 2, .parent = ROOT_ID, .name = "a", .flags = RESOURCE_IMPLIED});
    add_container(f, &(struct fixture_resource){.id = 3, .parent = 2, .name = "b c"});
    add_file(f, &(struct fixture_resource){.id = 4, .parent = 3, .name = "d\xC3\xA9", .owner = ANNA});
    struct view *view = fixture_view(f, principal_anonymous());
    assert_int_equal(view_resolve(view, TEXT("/a/b c/d\xC3\xA9"), &file, &error), ERROR_NONE);
    assert_int_equal(file.id, 4);
    assert_int_equal(file.parent, 3);
    assert_true(text_equal(file.name, TEXT("d\xC3\xA9")));
    assert_int_equal(file.kind, RESOURCE_FILE);
    assert_int_equal(file.owner, ANNA);
    assert_int_equal(file.size_bytes, 10);
    assert_memory_equal(file.digest, "0123456789abcdef0123456789abcdef", 32);
    assert_true(text_equal(file.media_type, TEXT("text/plain")));
    assert_int_equal(file.filename.length, 0);
    assert_true(file.source_mtime_us == INT64_MIN);
    assert_int_equal(file.version, 1);
    assert_int_equal(file.counter, 1);
    assert_int_equal(file.version_sequence, f->sequence);
    assert_int_equal(file.modified_us, FIXTURE_START_US + (int64_t)f->sequence * 1000000);
    assert_int_equal(view_path(view, 4, &path, &error), ERROR_NONE);
    assert_true(text_equal(path, TEXT("/a/b c/d\xC3\xA9")));
    assert_int_equal(view_resolve(view, TEXT("/a"), &folder, &error), ERROR_NONE);
    assert_int_equal(folder.flags, RESOURCE_IMPLIED);
    assert_int_equal(folder.children, 1);
    assert_int_equal(folder.subtree_resources, 2);
    assert_int_equal(folder.subtree_files, 1);
    assert_int_equal(folder.subtree_bytes, 10);
    assert_int_equal(view_resolve(view, TEXT("/"), &folder, &error), ERROR_NONE);
    assert_int_equal(folder.id, ROOT_ID);
    assert_int_equal(folder.name.length, 0);
    assert_int_equal(view_path(view, ROOT_ID, &path, &error), ERROR_NONE);
    assert_true(text_equal(path, TEXT("/")));
    view_close(view);
    fixture_free(f);
}

static void
times_of_source_files_come_back_also_before_1970(void **state)
{
    struct fixture *f = fixture_new();
    struct resource file = {0};
    char message[512];
    static const int64_t times[] = {0, -1, INT64_C(-62135596800000000), INT64_C(1700000000123456)};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        char name[] = {(char)('a' + i), '\0'}, path[] = {'/', (char)('a' + i), '\0'};
        struct line line =
            fixture_create_line(f, &(struct fixture_resource){.id = 2 + i, .parent = ROOT_ID, .name = name});
        line.kind = RESOURCE_FILE;
        line.content.place.volume = 1;
        line.source_mtime_plus = (uint64_t)(times[i] + SOURCE_MTIME_BIAS);
        line.source_mode = 0640;
        fixture_line(f, &line);
        assert_int_equal(resolve_as(f, principal_anonymous(), path, &file, message), ERROR_NONE);
        assert_true(file.source_mtime_us == times[i]);
        assert_int_equal(file.source_mode, 0640);
    }
    fixture_free(f);
}

static void
a_view_sees_one_moment(void **state)
{
    struct fixture *f = fixture_new();
    struct error error = {0};
    struct resource resource;
    (void)state;
    struct view *before = fixture_view(f, principal_local());
    add_container(f, &(struct fixture_resource){.id = 2, .parent = ROOT_ID, .name = "late"});
    struct view *later = fixture_view(f, principal_local());
    assert_int_equal(view_resolve(before, TEXT("/late"), &resource, &error), ERROR_NOT_FOUND);
    assert_int_equal(view_resolve(later, TEXT("/late"), &resource, &error), ERROR_NONE);
    view_close(before);
    view_close(later);
    fixture_free(f);
}

static void
what_is_remembered_of_a_moment_is_not_believed_of_the_next(void **state)
{
    struct fixture *f = fixture_new();
    const struct rule_entry nobody[] = {{SUBJECT_USER, ANNA, RIGHT_DISCOVER}};
    struct line move = {.operation = OPERATION_MOVE, .id = 2, .parent = ROOT_ID, .name = TEXT("a"),
                        .to_parent = ROOT_ID, .to_name = TEXT("z"), .kind = RESOURCE_CONTAINER};
    struct line access = {.operation = OPERATION_ACCESS, .id = 2, .parent = ROOT_ID, .name = TEXT("z"),
                          .kind = RESOURCE_CONTAINER, .rule = 2};
    (void)state;
    add_container(f, &(struct fixture_resource){.id = 2, .parent = ROOT_ID, .name = "a"});
    add_container(f, &(struct fixture_resource){.id = 3, .parent = 2, .name = "b"});
    add_file(f, &(struct fixture_resource){.id = 4, .parent = 3, .name = "c"});
    for (int i = 0; i < 3; i++)
        assert_int_equal(code_of(f, fixture_bob(), "/a/b/c"), ERROR_NONE);
    assert_int_equal(code_of(f, fixture_bob(), "/a/b/none"), ERROR_NOT_FOUND);
    fixture_line(f, &move);
    assert_int_equal(code_of(f, fixture_bob(), "/a/b/c"), ERROR_NOT_FOUND);
    assert_int_equal(code_of(f, fixture_bob(), "/z/b/c"), ERROR_NONE);
    add_rule(f, 2, nobody, 1);
    fixture_line(f, &access);
    assert_int_equal(code_of(f, fixture_bob(), "/z/b/c"), ERROR_NOT_FOUND);
    assert_int_equal(code_of(f, fixture_anna(), "/z/b/c"), ERROR_NONE);
    fixture_free(f);
}

static void
a_moment_is_shared_until_the_next_write_and_bounded(void **state)
{
    struct fixture *f = fixture_new();
    struct error error = {0};
    struct moment *one = NULL, *two = NULL, *three = NULL;
    struct remembered_container container;
    char path[32];
    unsigned kept = 0;
    (void)state;
    assert_int_equal(moments_take(f->model.moments, &one, &error), ERROR_NONE);
    assert_int_equal(moments_take(f->model.moments, &two, &error), ERROR_NONE);
    assert_ptr_equal(one, two);
    for (unsigned i = 0; i < 4 * MOMENT_PATHS; i++) {
        snprintf(path, sizeof path, "/container-%u", i);
        moment_remember_path(one, text_from(path), (struct remembered_container){i, i + 1});
    }
    for (unsigned i = 0; i < 4 * MOMENT_PATHS; i++) {
        snprintf(path, sizeof path, "/container-%u", i);
        if (!moment_recall_path(two, text_from(path), &container))
            continue;
        kept++;
        assert_int_equal(container.id, i);
        assert_int_equal(container.rule_of, i + 1);
    }
    assert_true(kept > MOMENT_PATHS / 2 && kept <= MOMENT_PATHS);
    moments_pass(f->model.moments);
    assert_int_equal(moments_take(f->model.moments, &three, &error), ERROR_NONE);
    assert_ptr_not_equal(one, three);
    assert_false(moment_recall_path(three, text_from(path), &container));
    moment_release(one);
    moment_release(two);
    moment_release(three);
    fixture_free(f);
}

static void
a_crowded_moment_gives_way_without_a_write(void **state)
{
    struct fixture *f = fixture_new();
    struct error error = {0};
    struct moment *one = NULL, *two = NULL;
    char path[32];
    (void)state;
    assert_int_equal(moments_take(f->model.moments, &one, &error), ERROR_NONE);
    for (unsigned i = 0; i < MOMENT_PATHS + MOMENT_REFUSALS; i++) {
        snprintf(path, sizeof path, "/container-%u", i);
        moment_remember_path(one, text_from(path), (struct remembered_container){i, i});
    }
    assert_int_equal(moments_take(f->model.moments, &two, &error), ERROR_NONE);
    assert_ptr_not_equal(one, two);
    moment_release(one);
    moment_release(two);
    fixture_free(f);
}

static void
hostile_paths_are_refused_or_not_there(void **state)
{
    static const char *const refused[] = {"", "a", "/a/", "//", "/a//b", "/..", "/a/../a", "/\xFF"};
    static const char *const absent[] = {"/a\\", "/A", "/a ", "/%61", "/a/b\xCC\x81", "/f/x", "/f/x/y"};
    struct fixture *f = fixture_new();
    (void)state;
    add_container(f, &(struct fixture_resource){.id = 2, .parent = ROOT_ID, .name = "a"});
    add_file(f, &(struct fixture_resource){.id = 3, .parent = ROOT_ID, .name = "f"});
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(code_of(f, principal_local(), refused[i]), ERROR_INVALID);
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        assert_int_equal(code_of(f, principal_local(), absent[i]), ERROR_NOT_FOUND);
    fixture_free(f);
}

/* ---- hiding ---------------------------------------------------------------------------------------------- */

/* /open (public), /secret (staff only) with /secret/file and, for everyone, /secret/shown */
static struct fixture *
fixture_with_a_secret(void)
{
    struct fixture *f = fixture_new();
    const struct rule_entry staff[] = {{SUBJECT_GROUP, STAFF, RIGHT_DISCOVER | RIGHT_READ | RIGHT_WRITE}};
    add_rule(f, 2, staff, 1);
    add_container(f, &(struct fixture_resource){.id = 2, .parent = ROOT_ID, .name = "open"});
    add_container(f, &(struct fixture_resource){.id = 3, .parent = ROOT_ID, .name = "secret", .rule = 2});
    add_file(f, &(struct fixture_resource){.id = 4, .parent = 3, .name = "file"});
    add_file(f, &(struct fixture_resource){.id = 5, .parent = 3, .name = "shown", .rule = PUBLIC_RULE});
    return f;
}

static void
what_may_not_be_discovered_is_not_there(void **state)
{
    struct fixture *f = fixture_with_a_secret();
    struct resource resource;
    char hidden[512], absent[512];
    (void)state;
    assert_int_equal(resolve_as(f, fixture_bob(), "/secret/file", &resource, hidden), ERROR_NOT_FOUND);
    assert_int_equal(resolve_as(f, fixture_bob(), "/secret/none", &resource, absent), ERROR_NOT_FOUND);
    assert_string_equal(hidden, "there is no /secret/file");
    assert_string_equal(absent, "there is no /secret/none");
    assert_int_equal(code_of(f, fixture_bob(), "/secret"), ERROR_NOT_FOUND);
    assert_int_equal(code_of(f, fixture_clara(), "/secret/file"), ERROR_NOT_FOUND);
    assert_int_equal(code_of(f, fixture_anna(), "/secret/file"), ERROR_NONE);
    assert_int_equal(code_of(f, principal_local(), "/secret/file"), ERROR_NONE);
    assert_int_equal(code_of(f, fixture_anna(), "/secret/none"), ERROR_NOT_FOUND);
    assert_int_equal(code_of(f, fixture_bob(), "/secret/shown"), ERROR_NONE); /* a rule of its own */
    fixture_free(f);
}

static void
anonymous_is_asked_who_they_are_where_something_may_be_hidden(void **state)
{
    struct fixture *f = fixture_with_a_secret();
    (void)state;
    assert_int_equal(code_of(f, principal_anonymous(), "/secret"), ERROR_UNAUTHENTICATED);
    assert_int_equal(code_of(f, principal_anonymous(), "/secret/file"), ERROR_UNAUTHENTICATED);
    assert_int_equal(code_of(f, principal_anonymous(), "/secret/none"), ERROR_UNAUTHENTICATED);
    assert_int_equal(code_of(f, principal_anonymous(), "/secret/file/below"), ERROR_UNAUTHENTICATED);
    assert_int_equal(code_of(f, principal_anonymous(), "/open/none"), ERROR_NOT_FOUND);
    assert_int_equal(code_of(f, principal_anonymous(), "/secret/shown"), ERROR_NONE);
    fixture_free(f);
}

static void
rights_come_from_the_nearest_rule_and_refusals_name_right_and_path(void **state)
{
    struct fixture *f = fixture_with_a_secret();
    struct error error = {0};
    struct resource file, other;
    struct access access;
    rights held = 0;
    (void)state;
    struct view *view = fixture_view(f, fixture_anna());
    assert_int_equal(view_resolve(view, TEXT("/secret/file"), &file, &error), ERROR_NONE);
    assert_int_equal(view_get(view, 2, &other, &error), ERROR_NONE);
    assert_int_equal(view_rights(view, &file, &held, &error), ERROR_NONE);
    assert_int_equal(held, RIGHT_DISCOVER | RIGHT_READ | RIGHT_WRITE);
    assert_int_equal(view_require(view, &file, RIGHT_WRITE, &error), ERROR_NONE);
    assert_int_equal(view_require(view, &file, RIGHT_OWN, &error), ERROR_DENIED);
    assert_non_null(strstr(error.message, "/secret/file: "));
    assert_non_null(strstr(error.message, "own"));
    assert_int_equal(view_require(view, &other, RIGHT_WRITE, &error), ERROR_DENIED);
    assert_int_equal(view_access(view, &file, &access, &error), ERROR_DENIED);
    view_close(view);
    view = fixture_view(f, principal_local());
    assert_int_equal(view_access(view, &file, &access, &error), ERROR_NONE);
    assert_int_equal(access.rule_of, 3);
    assert_int_equal(access.count, 1);
    assert_int_equal(access.entries[0].kind, SUBJECT_GROUP);
    assert_int_equal(access.entries[0].id, STAFF);
    view_close(view);
    fixture_free(f);
}

static void
content_needs_the_right_to_read_it(void **state)
{
    struct fixture *f = fixture_new();
    const struct rule_entry seen_only[] = {{SUBJECT_ANONYMOUS, 0, RIGHT_DISCOVER}};
    struct error error = {0};
    struct resource file, folder;
    struct content_reader *reader = NULL;
    (void)state;
    add_rule(f, 2, seen_only, 1);
    add_file(f, &(struct fixture_resource){.id = 2, .parent = ROOT_ID, .name = "f", .rule = 2});
    struct view *view = fixture_view(f, fixture_bob());
    assert_int_equal(view_get(view, 2, &file, &error), ERROR_NONE);
    assert_int_equal(view_content(view, &file, 0, &reader, &error), ERROR_DENIED);
    assert_int_equal(view_get(view, ROOT_ID, &folder, &error), ERROR_NONE);
    assert_int_equal(view_content(view, &folder, 0, &reader, &error), ERROR_CONFLICT);
    view_close(view);
    view = fixture_view(f, principal_anonymous());
    assert_int_equal(view_content(view, &file, 0, &reader, &error), ERROR_UNAUTHENTICATED);
    view_close(view);
    view = fixture_view(f, principal_local());
    assert_int_equal(view_content(view, &file, 9, &reader, &error), ERROR_NOT_FOUND);
    assert_int_equal(view_content(view, &file, 0, &reader, &error), ERROR_NONE);
    view_close(view); /* the reader outlives it */
    assert_int_equal(content_reader_size(reader), 10);
    char byte;
    assert_int_equal(content_reader_read(reader, 10, &byte, 1, &error), ERROR_INVALID);
    assert_int_equal(content_reader_read(reader, UINT64_MAX, &byte, 1, &error), ERROR_INVALID);
    content_reader_close(reader);
    fixture_free(f);
}

/* ---- deletion -------------------------------------------------------------------------------------------- */

static void
deleted_resources_and_all_below_are_gone_except_to_administrators(void **state)
{
    struct fixture *f = fixture_new();
    struct error error = {0};
    struct resource resource = {0};
    char message[512];
    (void)state;
    add_container(f, &(struct fixture_resource){.id = 2, .parent = ROOT_ID, .name = "a"});
    add_container(f, &(struct fixture_resource){.id = 3, .parent = 2, .name = "b"});
    add_file(f, &(struct fixture_resource){.id = 4, .parent = 3, .name = "c"});
    delete_resource(f, 2, "a", RESOURCE_CONTAINER);
    assert_int_equal(resolve_as(f, fixture_bob(), "/a", &resource, message), ERROR_GONE);
    assert_non_null(strstr(message, "2023-11-14T"));
    assert_int_equal(code_of(f, fixture_bob(), "/a/b/c"), ERROR_GONE);
    assert_int_equal(code_of(f, principal_local(), "/a/b/c"), ERROR_GONE);
    struct view *view = fixture_view(f, fixture_bob());
    assert_int_equal(view_get(view, 4, &resource, &error), ERROR_GONE);
    assert_int_equal(view_get(view, 99, &resource, &error), ERROR_NOT_FOUND);
    view_close(view);
    view = fixture_view(f, principal_local());
    assert_int_equal(view_get(view, 4, &resource, &error), ERROR_NONE);
    assert_true(resource.flags & RESOURCE_DELETED);
    struct content_reader *reader = NULL;
    assert_int_equal(view_content(view, &resource, 0, &reader, &error), ERROR_GONE);
    assert_int_equal(view_content(view, &resource, 1, &reader, &error), ERROR_NONE);
    content_reader_close(reader);
    view_close(view);
    add_container(f, &(struct fixture_resource){.id = 5, .parent = ROOT_ID, .name = "a"});
    assert_int_equal(resolve_as(f, fixture_bob(), "/a", &resource, message), ERROR_NONE);
    assert_int_equal(resource.id, 5);
    assert_int_equal(code_of(f, fixture_bob(), "/a/b"), ERROR_NOT_FOUND);
    fixture_free(f);
}

static void
a_hidden_deletion_is_hidden(void **state)
{
    struct fixture *f = fixture_with_a_secret();
    (void)state;
    delete_resource(f, 3, "secret", RESOURCE_CONTAINER);
    assert_int_equal(code_of(f, fixture_bob(), "/secret"), ERROR_NOT_FOUND);
    assert_int_equal(code_of(f, principal_anonymous(), "/secret"), ERROR_UNAUTHENTICATED);
    assert_int_equal(code_of(f, fixture_anna(), "/secret"), ERROR_GONE);
    fixture_free(f);
}

struct gone_list {
    uint64_t ids[10];
    size_t count, stop_after;
};

static bool
note_gone(void *context, uint64_t id, int64_t deleted_us)
{
    struct gone_list *list = context;
    assert_true(deleted_us > FIXTURE_START_US);
    list->ids[list->count++] = id;
    return list->count != list->stop_after;
}

static void
all_that_was_deleted_at_a_path_is_told_newest_first(void **state)
{
    struct fixture *f = fixture_with_a_secret();
    struct error error = {0};
    struct gone_list list = {0};
    (void)state;
    for (uint64_t id = 10; id <= 12; id++) {
        add_container(f, &(struct fixture_resource){.id = id, .parent = 2, .name = "x"});
        add_file(f, &(struct fixture_resource){.id = id + 10, .parent = id, .name = "y"});
        delete_resource(f, id, "x", RESOURCE_CONTAINER);
    }
    delete_resource(f, 4, "file", RESOURCE_FILE);
    struct view *view = fixture_view(f, fixture_bob());
    assert_int_equal(view_deleted_at(view, TEXT("/open/x"), note_gone, &list, &error), ERROR_NONE);
    assert_int_equal(list.count, 3);
    assert_int_equal(list.ids[0], 12);
    assert_int_equal(list.ids[2], 10);
    list = (struct gone_list){.stop_after = 2};
    assert_int_equal(view_deleted_at(view, TEXT("/open/x/y"), note_gone, &list, &error), ERROR_NONE);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.ids[0], 22);
    assert_int_equal(list.ids[1], 21);
    list = (struct gone_list){0};
    assert_int_equal(view_deleted_at(view, TEXT("/secret/file"), note_gone, &list, &error), ERROR_NONE);
    assert_int_equal(view_deleted_at(view, TEXT("/open"), note_gone, &list, &error), ERROR_NONE);
    assert_int_equal(view_deleted_at(view, TEXT("/"), note_gone, &list, &error), ERROR_NONE);
    assert_int_equal(list.count, 0);
    view_close(view);
    fixture_free(f);
}

/* ---- children ----------------------------------------------------------------------------------------------- */

/* Names of one page, one after the other, each followed by a blank. */
static void
list_page(struct view *view, uint64_t container, const char *after, size_t limit, struct buffer *out)
{
    struct error error = {0};
    struct resource resource;
    struct child_iterator *iterator = NULL;
    struct child child;
    assert_int_equal(view_get(view, container, &resource, &error), ERROR_NONE);
    assert_int_equal(view_children(view, &resource, text_from(after), &iterator, &error), ERROR_NONE);
    buffer_clear(out);
    while (limit-- > 0 && child_iterator_next(iterator, &child)) {
        buffer_append_text(out, child.name);
        buffer_append_char(out, ' ');
    }
    assert_int_equal(child_iterator_close(iterator, &error), ERROR_NONE);
}

static void
children_come_in_the_order_of_bytes_from_any_point(void **state)
{
    static const char *const names[] = {"b", "a", "ab", "a b", "\xC3\xA9", "Z", "zz", "a\x01", "~"};
    struct fixture *f = fixture_new();
    struct buffer page = {0};
    (void)state;
    add_container(f, &(struct fixture_resource){.id = 2, .parent = ROOT_ID, .name = "x"});
    add_container(f, &(struct fixture_resource){.id = 3, .parent = ROOT_ID, .name = "y"});
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        add_file(f, &(struct fixture_resource){.id = 10 + i, .parent = 2, .name = names[i]});
    add_file(f, &(struct fixture_resource){.id = 30, .parent = 3, .name = "other"});
    struct view *view = fixture_view(f, principal_anonymous());
    list_page(view, 2, "", 100, &page);
    assert_string_equal(buffer_string(&page), "Z a a\x01 a b ab b zz ~ \xC3\xA9 ");
    list_page(view, 2, "a b", 2, &page);
    assert_string_equal(buffer_string(&page), "ab b ");
    list_page(view, 2, "aa", 1, &page); /* need not be a name that is there */
    assert_string_equal(buffer_string(&page), "ab ");
    list_page(view, 2, "\xC3\xA9", 100, &page);
    assert_string_equal(buffer_string(&page), "");
    view_close(view);
    buffer_release(&page);
    fixture_free(f);
}

static void
pages_cover_a_large_container_once(void **state)
{
    struct fixture *f = fixture_new();
    struct error error = {0};
    struct resource root;
    struct child child;
    char name[32] = "", last[32] = "";
    size_t seen = 0, in_page;
    (void)state;
    for (unsigned i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "n%03u", i * 7 % 500);
        add_file(f, &(struct fixture_resource){.id = 10 + i, .parent = ROOT_ID, .name = name});
    }
    struct view *view = fixture_view(f, principal_anonymous());
    assert_int_equal(view_get(view, ROOT_ID, &root, &error), ERROR_NONE);
    do {
        struct child_iterator *iterator = NULL;
        assert_int_equal(view_children(view, &root, text_from(last), &iterator, &error), ERROR_NONE);
        for (in_page = 0; in_page < 64 && child_iterator_next(iterator, &child); in_page++) {
            assert_true(text_compare(text_from(last), child.name) < 0);
            snprintf(last, sizeof last, "%.*s", TEXT_ARG(child.name));
        }
        seen += in_page;
        assert_int_equal(child_iterator_close(iterator, &error), ERROR_NONE);
    } while (in_page == 64);
    assert_int_equal(seen, 500);
    view_close(view);
    fixture_free(f);
}

static void
children_are_listed_as_far_as_they_may_be_discovered(void **state)
{
    struct fixture *f = fixture_with_a_secret();
    const struct rule_entry own_things[] = {{SUBJECT_OWNER, 0, RIGHT_DISCOVER | RIGHT_READ}};
    struct buffer page = {0};
    (void)state;
    add_rule(f, 3, own_things, 1);
    add_container(f, &(struct fixture_resource){.id = 6, .parent = ROOT_ID, .name = "inbox", .rule = 3, .owner = BOB});
    add_file(f, &(struct fixture_resource){.id = 7, .parent = 6, .name = "of anna", .owner = ANNA});
    add_file(f, &(struct fixture_resource){.id = 8, .parent = 6, .name = "of bob", .owner = BOB});
    struct view *view = fixture_view(f, fixture_bob());
    list_page(view, ROOT_ID, "", 100, &page);
    assert_string_equal(buffer_string(&page), "inbox open ");
    list_page(view, 6, "", 100, &page);
    assert_string_equal(buffer_string(&page), "of bob ");
    view_close(view);
    view = fixture_view(f, principal_anonymous());
    list_page(view, ROOT_ID, "", 100, &page);
    assert_string_equal(buffer_string(&page), "open ");
    view_close(view);
    view = fixture_view(f, fixture_anna());
    list_page(view, 3, "", 100, &page);
    assert_string_equal(buffer_string(&page), "file shown ");
    view_close(view);
    view = fixture_view(f, principal_local());
    list_page(view, ROOT_ID, "", 100, &page);
    assert_string_equal(buffer_string(&page), "inbox open secret ");
    view_close(view);
    buffer_release(&page);
    fixture_free(f);
}

/* ---- statements, versions, history ---------------------------------------------------------------------------- */

static void
two_hundred_authors_stay_in_order_with_two_equal(void **state)
{
    struct fixture *f = fixture_new();
    struct error error = {0};
    struct statement_iterator *iterator = NULL;
    struct statement statement;
    char author[64];
    uint32_t place = 0;
    (void)state;
    add_file(f, &(struct fixture_resource){.id = 2, .parent = ROOT_ID, .name = "paper"});
    add_statement(f, 2, "dc.title", 0, "Title");
    add_statement(f, 2, "dc.contributor.author.x", 0, "no author");
    for (uint32_t i = 0; i < 200; i++) {
        snprintf(author, sizeof author, "Author %03u", i == 199 ? 0 : i * 7919 % 199);
        add_statement(f, 2, "dc.contributor.author", i + 1, author);
    }
    struct view *view = fixture_view(f, principal_anonymous());
    assert_int_equal(view_statements(view, 2, TEXT("dc.contributor.author"), &iterator, &error), ERROR_NONE);
    while (statement_iterator_next(iterator, &statement)) {
        snprintf(author, sizeof author, "Author %03u", place == 199 ? 0 : place * 7919 % 199);
        assert_int_equal(statement.place, ++place);
        assert_true(text_equal(statement.value, text_from(author)));
    }
    assert_int_equal(statement_iterator_close(iterator, &error), ERROR_NONE);
    assert_int_equal(place, 200);
    assert_int_equal(view_statements(view, 2, TEXT(""), &iterator, &error), ERROR_NONE);
    for (place = 0; statement_iterator_next(iterator, &statement);)
        place++;
    assert_int_equal(statement_iterator_close(iterator, &error), ERROR_NONE);
    assert_int_equal(place, 202);
    view_close(view);
    fixture_free(f);
}

struct told {
    struct buffer words;
    size_t stop_after, count;
};

static bool
tell_version(void *context, const struct version *version)
{
    struct told *told = context;
    buffer_printf(&told->words, "%llu:%.*s:%.*s%s ", (unsigned long long)version->number,
                  TEXT_ARG(version->user_name), TEXT_ARG(version->message), version->deleted ? ":deleted" : "");
    return ++told->count != told->stop_after;
}

static bool
tell_event(void *context, const struct event *event)
{
    struct told *told = context;
    buffer_printf(&told->words, "%s:%.*s:%llu ", event->operation, TEXT_ARG(event->user_name),
                  (unsigned long long)event->version);
    return ++told->count != told->stop_after;
}

static bool
tell_change(void *context, const struct change *change)
{
    struct told *told = context;
    buffer_printf(&told->words, "%llu:%s ", (unsigned long long)change->id, change->operation);
    return ++told->count != told->stop_after;
}

static void
versions_and_events_are_told_oldest_first_with_names(void **state)
{
    struct fixture *f = fixture_new();
    struct error error = {0};
    struct told told = {0};
    struct line version = {.operation = OPERATION_VERSION,
                           .id = 2,
                           .by = BOB,
                           .version = 2,
                           .message = TEXT("better"),
                           .content = {.place = {1, 4096}, .size_bytes = 20}};
    struct line tombstone = {.operation = OPERATION_TOMBSTONE, .id = 2, .version = 3, .deleted = 1};
    (void)state;
    add_file(f, &(struct fixture_resource){.id = 2, .parent = ROOT_ID, .name = "f", .owner = ANNA});
    fixture_line(f, &version);
    struct view *view = fixture_view(f, fixture_bob());
    assert_int_equal(view_versions(view, 2, 0, tell_version, &told, &error), ERROR_NONE);
    assert_string_equal(buffer_string(&told.words), "1:anna: 2:bob:better ");
    buffer_clear(&told.words);
    assert_int_equal(view_versions(view, 2, 1, tell_version, &told, &error), ERROR_NONE);
    assert_string_equal(buffer_string(&told.words), "2:bob:better ");
    view_close(view);
    delete_resource(f, 2, "f", RESOURCE_FILE);
    fixture_line(f, &tombstone);
    buffer_clear(&told.words);
    view = fixture_view(f, fixture_bob());
    assert_int_equal(view_versions(view, 2, 0, tell_version, &told, &error), ERROR_GONE);
    assert_int_equal(view_history(view, 2, tell_event, &told, &error), ERROR_NONE);
    assert_string_equal(buffer_string(&told.words), "create:anna:1 version:bob:2 delete::0 tombstone::3 ");
    view_close(view);
    buffer_clear(&told.words);
    view = fixture_view(f, principal_local());
    assert_int_equal(view_versions(view, 2, 2, tell_version, &told, &error), ERROR_NONE);
    assert_string_equal(buffer_string(&told.words), "3:::deleted ");
    view_close(view);
    buffer_release(&told.words);
    fixture_free(f);
}

static void
changes_come_in_commit_order_from_any_point_without_what_is_hidden(void **state)
{
    struct fixture *f = fixture_with_a_secret();
    struct error error = {0};
    struct told told = {0};
    (void)state;
    uint64_t from = f->sequence;
    add_file(f, &(struct fixture_resource){.id = 6, .parent = 2, .name = "f"});
    add_file(f, &(struct fixture_resource){.id = 7, .parent = 3, .name = "hidden"});
    add_statement(f, 6, "dc.title", 0, "Title");
    delete_resource(f, 6, "f", RESOURCE_FILE);
    struct view *view = fixture_view(f, fixture_bob());
    assert_int_equal(view_changes(view, from, UINT32_MAX, tell_change, &told, &error), ERROR_NONE);
    assert_string_equal(buffer_string(&told.words), "6:create 6:statements 6:delete ");
    buffer_clear(&told.words);
    told.count = 0;
    told.stop_after = 1;
    assert_int_equal(view_changes(view, from + 1, 0, tell_change, &told, &error), ERROR_NONE);
    assert_string_equal(buffer_string(&told.words), "6:statements ");
    view_close(view);
    buffer_release(&told.words);
    fixture_free(f);
}

/* ---- persons ----------------------------------------------------------------------------------------------------- */

static bool
tell_user(void *context, const struct user *user)
{
    struct told *told = context;
    buffer_printf(&told->words, "%.*s ", TEXT_ARG(user->name));
    return ++told->count != told->stop_after;
}

static bool
tell_group(void *context, const struct user_group *group)
{
    struct told *told = context;
    buffer_printf(&told->words, "%.*s:%zu ", TEXT_ARG(group->name), group->member_count);
    return true;
}

static void
administrators_see_all_persons_and_others_themselves(void **state)
{
    struct fixture *f = fixture_new();
    struct error error = {0};
    struct told told = {0};
    struct user user;
    struct user_group group;
    (void)state;
    struct view *view = fixture_view(f, principal_local());
    assert_int_equal(view_users(view, tell_user, &told, &error), ERROR_NONE);
    assert_int_equal(view_groups(view, tell_group, &told, &error), ERROR_NONE);
    assert_string_equal(buffer_string(&told.words), "anna bob clara staff:1 ");
    assert_int_equal(view_user_by_name(view, TEXT("bob"), &user, &error), ERROR_NONE);
    assert_int_equal(user.id, BOB);
    assert_true(text_equal(user.email, TEXT("person@example.org")));
    assert_int_equal(view_group_by_name(view, TEXT("staff"), &group, &error), ERROR_NONE);
    assert_int_equal(group.members[0], ANNA);
    view_close(view);

    buffer_clear(&told.words);
    view = fixture_view(f, fixture_bob());
    assert_int_equal(view_users(view, tell_user, &told, &error), ERROR_NONE);
    assert_int_equal(view_groups(view, tell_group, &told, &error), ERROR_NONE);
    assert_string_equal(buffer_string(&told.words), "bob ");
    assert_int_equal(view_user_by_name(view, TEXT("bob"), &user, &error), ERROR_NONE);
    assert_int_equal(view_user_by_name(view, TEXT("anna"), &user, &error), ERROR_NOT_FOUND);
    assert_int_equal(view_user_by_id(view, ANNA, &user, &error), ERROR_NOT_FOUND);
    assert_int_equal(view_group_by_name(view, TEXT("staff"), &group, &error), ERROR_NOT_FOUND);
    view_close(view);

    view = fixture_view(f, principal_anonymous());
    assert_int_equal(view_users(view, tell_user, &told, &error), ERROR_UNAUTHENTICATED);
    assert_int_equal(view_user_by_name(view, TEXT("anna"), &user, &error), ERROR_UNAUTHENTICATED);
    assert_int_equal(view_group_by_name(view, TEXT("none"), &group, &error), ERROR_UNAUTHENTICATED);
    view_close(view);
    buffer_release(&told.words);
    fixture_free(f);
}

static void
curators_are_told_names_and_no_more(void **state)
{
    struct fixture *f = fixture_new();
    struct error error = {0};
    struct user user;
    struct user_group group;
    (void)state;
    struct view *view = fixture_view(f, fixture_clara());
    assert_int_equal(view_user_by_name(view, TEXT("anna"), &user, &error), ERROR_NONE);
    assert_int_equal(user.id, ANNA);
    assert_int_equal(user.email.length, 0);
    assert_int_equal(user.full_name.length, 0);
    assert_int_equal(view_group_by_name(view, TEXT("staff"), &group, &error), ERROR_NONE);
    assert_int_equal(group.id, STAFF);
    assert_int_equal(group.member_count, 0);
    view_close(view);
    fixture_free(f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_found_by_its_path_with_all_that_is_known_of_it),
        cmocka_unit_test(times_of_source_files_come_back_also_before_1970),
        cmocka_unit_test(a_view_sees_one_moment),
        cmocka_unit_test(what_is_remembered_of_a_moment_is_not_believed_of_the_next),
        cmocka_unit_test(a_moment_is_shared_until_the_next_write_and_bounded),
        cmocka_unit_test(a_crowded_moment_gives_way_without_a_write),
        cmocka_unit_test(hostile_paths_are_refused_or_not_there),
        cmocka_unit_test(what_may_not_be_discovered_is_not_there),
        cmocka_unit_test(anonymous_is_asked_who_they_are_where_something_may_be_hidden),
        cmocka_unit_test(rights_come_from_the_nearest_rule_and_refusals_name_right_and_path),
        cmocka_unit_test(content_needs_the_right_to_read_it),
        cmocka_unit_test(deleted_resources_and_all_below_are_gone_except_to_administrators),
        cmocka_unit_test(a_hidden_deletion_is_hidden),
        cmocka_unit_test(all_that_was_deleted_at_a_path_is_told_newest_first),
        cmocka_unit_test(children_come_in_the_order_of_bytes_from_any_point),
        cmocka_unit_test(pages_cover_a_large_container_once),
        cmocka_unit_test(children_are_listed_as_far_as_they_may_be_discovered),
        cmocka_unit_test(two_hundred_authors_stay_in_order_with_two_equal),
        cmocka_unit_test(versions_and_events_are_told_oldest_first_with_names),
        cmocka_unit_test(changes_come_in_commit_order_from_any_point_without_what_is_hidden),
        cmocka_unit_test(administrators_see_all_persons_and_others_themselves),
        cmocka_unit_test(curators_are_told_names_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
