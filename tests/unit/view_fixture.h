/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A catalog in memory, built by hand from journal lines, with a struct model around it that is just enough for views
 * and for authentication. Life: fixture_new() - lines - views - fixture_free().
 */
#ifndef ARCHIVOLT_TESTS_VIEW_FIXTURE_H
#define ARCHIVOLT_TESTS_VIEW_FIXTURE_H

#include "base/ensure.h"
#include "model/record/effect.h"
#include "model/record/keys.h"
#include "model/read/moment.h"
#include "model/persons/principal_cache.h"
#include "model/private.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define FIXTURE_RESOURCES 5000u
#define FIXTURE_START_US INT64_C(1700000000000000)

enum { ANNA = 11, BOB = 12, CLARA = 13, STAFF = 21, PUBLIC_RULE = 1 };

struct fixture {
    struct model model;
    struct clock_simulated clock;
    struct random_simulated random;
    uint64_t sequence;
    uint64_t parent_of[FIXTURE_RESOURCES];
    uint64_t in[300];
};

static inline enum error_code
fixture_apply(void *context, enum fold fold, struct text key, struct text operand, struct error *error)
{
    struct fixture *f = context;
    struct buffer before = {0}, after = {0};
    bool present;
    struct catalog_batch *batch = catalog_batch_new();
    enum error_code code = catalog_get(f->model.catalog, NULL, key, &before, NULL);
    struct text old = buffer_text(&before);
    code = fold_apply(fold, code == ERROR_NONE ? &old : NULL, operand, &after, &present, error);
    if (present)
        catalog_batch_put(batch, key, buffer_text(&after));
    else
        catalog_batch_delete(batch, key);
    if (code == ERROR_NONE)
        code = catalog_write(f->model.catalog, batch, error);
    moments_pass(f->model.moments);
    catalog_batch_free(batch);
    buffer_release(&before);
    buffer_release(&after);
    return code;
}

static inline void
fixture_line(struct fixture *f, const struct line *line)
{
    struct error error = {0};
    struct line_origin origin = {.sequence = ++f->sequence};
    origin.time_us = FIXTURE_START_US + (int64_t)f->sequence * 1000000;
    assert_int_equal(line_effects(line, &origin, fixture_apply, f, &error), ERROR_NONE);
    principal_cache_people_changed(f->model.principals);
}

static inline struct id_list
fixture_ancestors(struct fixture *f, uint64_t parent)
{
    size_t at = sizeof f->in / sizeof *f->in, count = 0;
    for (uint64_t id = parent; id != 0; id = f->parent_of[id], count++)
        f->in[--at] = id;
    return (struct id_list){f->in + at, count};
}

struct fixture_resource {
    uint64_t id, parent;
    const char *name;
    uint64_t owner, rule, flags;
};

static inline struct line
fixture_create_line(struct fixture *f, const struct fixture_resource *r)
{
    f->parent_of[r->id] = r->parent;
    return (struct line){.operation = OPERATION_CREATE,
                         .id = r->id,
                         .parent = r->parent,
                         .name = text_from(r->name),
                         .owner = r->owner,
                         .by = r->owner,
                         .rule = r->rule,
                         .flags = r->flags,
                         .in = fixture_ancestors(f, r->parent)};
}

static inline void
add_container(struct fixture *f, const struct fixture_resource *r)
{
    struct line line = fixture_create_line(f, r);
    line.kind = RESOURCE_CONTAINER;
    fixture_line(f, &line);
}

static inline void
add_file(struct fixture *f, const struct fixture_resource *r)
{
    struct line line = fixture_create_line(f, r);
    line.kind = RESOURCE_FILE;
    line.version = 1;
    line.content = (struct line_content){{1, 512}, 10, TEXT("0123456789abcdef0123456789abcdef"), TEXT("sums"),
                                         {0, 0}};
    line.media_type = TEXT("text/plain");
    fixture_line(f, &line);
}

static inline void
add_rule(struct fixture *f, uint64_t rule, const struct rule_entry *entries, size_t count)
{
    struct line line = {.operation = OPERATION_RULE, .rule = rule, .entries = {entries, count}};
    fixture_line(f, &line);
}

static inline void
delete_resource(struct fixture *f, uint64_t id, const char *name, enum resource_kind kind)
{
    struct line line = {.operation = OPERATION_DELETE,
                        .id = id,
                        .parent = f->parent_of[id],
                        .name = text_from(name),
                        .kind = kind,
                        .flags = RESOURCE_DELETED,
                        .subtree = {1, kind == RESOURCE_FILE, 0},
                        .in = fixture_ancestors(f, f->parent_of[id])};
    fixture_line(f, &line);
}

static inline void
add_statement(struct fixture *f, uint64_t id, const char *attribute, uint32_t place, const char *value)
{
    struct statement statement = {text_from(attribute), place, text_from(value), TEXT(""), TEXT("")};
    struct line line = {.operation = OPERATION_STATEMENTS,
                        .id = id,
                        .flags = RESOURCE_DESCRIBED,
                        .statements = 1,
                        .added = {&statement, 1}};
    fixture_line(f, &line);
}

static inline void
add_user(struct fixture *f, uint64_t id, const char *name, enum role role, const char *password)
{
    struct line line = {.operation = OPERATION_USER,
                        .user = id,
                        .login = text_from(name),
                        .full_name = TEXT("Full Name"),
                        .email = TEXT("person@example.org"),
                        .role = role,
                        .password = text_from(password)};
    fixture_line(f, &line);
}

/* Root readable by everyone; anna (depositor, of staff), bob (reader), clara (curator). */
static inline struct fixture *
fixture_new(void)
{
    struct fixture *f = calloc(1, sizeof *f);
    const struct rule_entry entries[] = {{SUBJECT_ANONYMOUS, 0, RIGHT_DISCOVER | RIGHT_READ}};
    struct line group = {.operation = OPERATION_GROUP, .group = STAFF, .login = TEXT("staff")};
    struct line member = {.operation = OPERATION_MEMBER, .group = STAFF, .user = ANNA};
    ensure(f != NULL);
    clock_simulated_init(&f->clock, FIXTURE_START_US, 0);
    random_simulated_init(&f->random, 7);
    f->model.catalog = catalog_memory_new();
    f->model.moments = moments_new(f->model.catalog);
    f->model.limits = model_limits_default();
    f->model.clock = &f->clock.clock;
    f->model.random = &f->random.source;
    f->model.passwords = password_cache_new(&f->random.source);
    f->model.principals = principal_cache_new(&f->random.source);
    add_rule(f, PUBLIC_RULE, entries, 1);
    add_container(f, &(struct fixture_resource){.id = ROOT_ID, .name = "", .rule = PUBLIC_RULE});
    add_user(f, ANNA, "anna", ROLE_DEPOSITOR, "");
    add_user(f, BOB, "bob", ROLE_READER, "");
    add_user(f, CLARA, "clara", ROLE_CURATOR, "");
    fixture_line(f, &group);
    fixture_line(f, &member);
    return f;
}

static inline void
fixture_free(struct fixture *f)
{
    moments_free(f->model.moments);
    catalog_close(f->model.catalog);
    password_cache_free(f->model.passwords);
    principal_cache_free(f->model.principals);
    free(f);
}

static const uint64_t fixture_groups_of_anna[] = {STAFF};

static inline struct principal
fixture_anna(void)
{
    return (struct principal){ANNA, TEXT("anna"), ROLE_DEPOSITOR, fixture_groups_of_anna, 1};
}

static inline struct principal
fixture_bob(void)
{
    return (struct principal){BOB, TEXT("bob"), ROLE_READER, NULL, 0};
}

static inline struct principal
fixture_clara(void)
{
    return (struct principal){CLARA, TEXT("clara"), ROLE_CURATOR, NULL, 0};
}

static inline struct view *
fixture_view(struct fixture *f, struct principal principal)
{
    struct view *view = NULL;
    struct error error = {0};
    assert_int_equal(view_open(&f->model, &principal, &view, &error), ERROR_NONE);
    return view;
}

#endif
