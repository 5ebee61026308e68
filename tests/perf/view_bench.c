/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast does a view read? Not a test: it prints what it measured, one line a thing, and judges nothing.
 *
 *     view_bench FOLDER [CHILDREN [keep]]    FOLDER must not exist, or with `keep` is read as an earlier run left it
 *
 * The catalog is loaded by keys: /a/b/c with CHILDREN (1,000,000) files under it. Content is not read.
 */
#include "base/ensure.h"
#include "io/clock.h"
#include "model/record/effect.h"
#include "model/record/keys.h"
#include "model/read/moment.h"
#include "model/private.h"

enum { FOLDER_ID = 4, FIRST_ID = 10, RULE = 1, PAGE = 1000, READS = 200000 };

static uint64_t random_state = 1;

static uint64_t
draw(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
}

static void
must(enum error_code code, const struct error *error)
{
    if (code == ERROR_NONE)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static void
report(const char *what, uint64_t count, uint64_t start_ns)
{
    double seconds = (double)(clock_monotonic_ns() - start_ns) / 1e9;
    printf("%-56s %9llu in %6.2f s %10.0f /s %9.2f us\n", what, (unsigned long long)count, seconds,
           (double)count / seconds, seconds * 1e6 / (double)count);
}

/* ---- loading -------------------------------------------------------------------------------------------- */

static void
put(struct catalog_loader *loader, const struct key *key, struct buffer *value)
{
    struct error error = {0};
    must(catalog_loader_put(loader, key_text(key), buffer_text(value), &error), &error);
    buffer_clear(value);
}

static const char *
name_of(uint64_t child)
{
    static char name[32];
    snprintf(name, sizeof name, "file-%09llu.dat", (unsigned long long)child);
    return name;
}

static void
put_child(struct catalog_loader *loader, uint64_t parent, const char *name, uint64_t id, enum resource_kind kind)
{
    struct buffer value = {0};
    struct key key;
    key_child(&key, parent, text_from(name));
    child_encode(&(struct child_record){id, kind, 0}, &value);
    put(loader, &key, &value);
    buffer_release(&value);
}

static void
put_node(struct catalog_loader *loader, uint64_t id, uint64_t parent, const char *name)
{
    struct buffer value = {0};
    struct key key;
    struct node node = {.present = NODE_BIT(KIND) | NODE_BIT(PARENT) | NODE_BIT(NAME) | NODE_BIT(COUNTER) |
                                   (id == ROOT_ID ? NODE_BIT(RULE) : 0),
                        .kind = RESOURCE_CONTAINER,
                        .parent = parent,
                        .name = text_from(name),
                        .counter = 1,
                        .rule = RULE};
    if (id >= FIRST_ID) {
        node.present |= NODE_BIT(SIZE) | NODE_BIT(DIGEST) | NODE_BIT(MEDIA_TYPE) | NODE_BIT(VOLUME) |
                        NODE_BIT(OFFSET) | NODE_BIT(BLOCK_SUMS) | NODE_BIT(CREATED) | NODE_BIT(MODIFIED);
        node.kind = RESOURCE_FILE;
        node.size_bytes = 10240;
        node.digest = TEXT("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
        node.media_type = TEXT("application/octet-stream");
        node.content = (struct place){7, id * 12345};
        node.block_sums = TEXT("sums");
        node.created_us = node.modified_us = 1700000000000000;
    }
    key_node(&key, id);
    node_encode(&node, 0, &value);
    put(loader, &key, &value);
    buffer_release(&value);
}

static void
put_rule(struct catalog_loader *loader)
{
    struct buffer value = {0};
    struct key key;
    key_begin(&key, FAMILY_RULE);
    key_number(&key, RULE);
    buffer_append_varint(&value, SUBJECT_ANONYMOUS);
    buffer_append_varint(&value, 0);
    buffer_append_varint(&value, RIGHT_DISCOVER | RIGHT_READ);
    put(loader, &key, &value);
    buffer_release(&value);
}

static void
load(const char *folder, uint64_t children)
{
    struct error error = {0};
    struct catalog_loader *loader = NULL;
    static const char *const names[] = {"", "a", "b", "c"};
    must(catalog_loader_new(folder, &loader, &error), &error);
    for (uint64_t id = ROOT_ID; id < FOLDER_ID; id++)
        put_child(loader, id, names[id], id + 1, RESOURCE_CONTAINER);
    for (uint64_t i = 0; i < children; i++)
        put_child(loader, FOLDER_ID, name_of(i), FIRST_ID + i, RESOURCE_FILE);
    for (uint64_t id = ROOT_ID; id <= FOLDER_ID; id++)
        put_node(loader, id, id - 1, names[id - 1]);
    for (uint64_t i = 0; i < children; i++)
        put_node(loader, FIRST_ID + i, FOLDER_ID, name_of(i));
    put_rule(loader);
    must(catalog_loader_finish(loader, &error), &error);
    catalog_loader_free(loader);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

/* What a GET does before it reads content. */
static void
read_one(struct model *model, const struct principal *principal, uint64_t child)
{
    struct error error = {0};
    struct view *view = NULL;
    struct resource resource;
    struct content_reader *reader = NULL;
    char path[64];
    int length = snprintf(path, sizeof path, "/a/b/c/%s", name_of(child));
    must(view_open(model, principal, &view, &error), &error);
    must(view_resolve(view, text_of(path, (size_t)length), &resource, &error), &error);
    must(view_require(view, &resource, RIGHT_READ, &error), &error);
    must(view_content(view, &resource, 0, &reader, &error), &error);
    view_close(view);
    ensure(content_reader_size(reader) == 10240);
    content_reader_close(reader);
}

static size_t
list_page(struct model *model, const struct principal *principal, const char *after, size_t limit)
{
    struct error error = {0};
    struct view *view = NULL;
    struct resource folder;
    struct child_iterator *iterator = NULL;
    struct child child;
    size_t seen = 0;
    must(view_open(model, principal, &view, &error), &error);
    must(view_resolve(view, TEXT("/a/b/c"), &folder, &error), &error);
    must(view_children(view, &folder, text_from(after), &iterator, &error), &error);
    while (seen < limit && child_iterator_next(iterator, &child))
        seen++;
    must(child_iterator_close(iterator, &error), &error);
    view_close(view);
    return seen;
}

static void
measure(struct model *model, struct principal principal, const char *who, uint64_t children)
{
    char what[80];
    uint64_t start_ns = clock_monotonic_ns();
    for (int i = 0; i < READS; i++)
        read_one(model, &principal, draw(children));
    snprintf(what, sizeof what, "view, resolve, require, content, random (%s)", who);
    report(what, READS, start_ns);
    start_ns = clock_monotonic_ns();
    for (int i = 0; i < READS; i++)
        read_one(model, &principal, draw(1000));
    snprintf(what, sizeof what, "the same among 1,000 (%s)", who);
    report(what, READS, start_ns);
    static const char *const where[] = {"start", "middle", "end"};
    for (unsigned i = 0; i < 3; i++) {
        start_ns = clock_monotonic_ns();
        for (int round = 0; round < 100; round++)
            list_page(model, &principal, name_of(children * i / 2 - (i == 2 ? PAGE + 1 : 0)), PAGE);
        snprintf(what, sizeof what, "pages of 1,000 at the %s (%s)", where[i], who);
        report(what, 100, start_ns);
    }
    start_ns = clock_monotonic_ns();
    ensure(list_page(model, &principal, "", SIZE_MAX) == children);
    snprintf(what, sizeof what, "children in one listing (%s)", who);
    report(what, children, start_ns);
}

int
main(int argc, char **argv)
{
    struct model model = {.limits = model_limits_default()};
    struct error error = {0};
    uint64_t children = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
    if (argc < 2 || children < 2 * PAGE) {
        fprintf(stderr, "usage: view_bench FOLDER [CHILDREN]\n");
        return 2;
    }
    uint64_t start_ns = clock_monotonic_ns();
    if (argc < 4)
        load(argv[1], children);
    report("resources loaded", children, start_ns);
    must(catalog_rocksdb_open(&(struct catalog_rocksdb_options){.path = argv[1]}, &model.catalog, &error), &error);
    model.moments = moments_new(model.catalog);
    measure(&model, principal_anonymous(), "anonymous", children);
    measure(&model, principal_local(), "administrator", children);
    moments_free(model.moments);
    catalog_close(model.catalog);
    return 0;
}
