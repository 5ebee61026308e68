/* SPDX-License-Identifier: Apache-2.0 */
/* The files of an item, in order of bundle and path. */
#include "repository/repository_private.h"

struct walk {
    struct repository *repository;
    struct view *view;
    struct text bundle; /* of where the walk is */
    bitstream_visit *visit;
    void *context;
    bool stop;
    struct error *error;
};

#define BUNDLE_DEPTH 64u

static enum error_code
read_attributes(struct view *view, struct bitstream *b, struct error *error)
{
    struct statement_iterator *iterator;
    struct statement s;
    enum error_code code = view_statements(view, b->resource.id, TEXT(""), &iterator, error);
    if (code != ERROR_NONE)
        return code;
    while (statement_iterator_next(iterator, &s)) {
        if (text_equal(s.attribute, attribute_text(ATTRIBUTE_SEQUENCE)))
            (void)text_to_u64(s.value, &b->sequence);
        else if (text_equal(s.attribute, attribute_text(ATTRIBUTE_DESCRIPTION)))
            b->description = arena_copy(view_arena(view), s.value);
        else if (text_equal(s.attribute, attribute_text(ATTRIBUTE_PACKAGING)))
            b->packaging = arena_copy(view_arena(view), s.value);
        else if (text_equal(s.attribute, attribute_text(ATTRIBUTE_PRIMARY)))
            b->primary = true;
    }
    return statement_iterator_close(iterator, error);
}

static enum error_code
fill_bitstream(struct walk *w, uint64_t id, struct text path, struct bitstream *b, struct error *error)
{
    *b = (struct bitstream){.bundle = w->bundle, .path = path, .uuid = TEXT(""), .description = TEXT(""),
                             .packaging = TEXT("")};
    enum error_code code = view_get(w->view, id, &b->resource, error);
    if (code == ERROR_NONE)
        code = read_attributes(w->view, b, error);
    if (code == ERROR_NONE)
        code = error_forgive(error, view_identifier(w->view, id, TEXT(SCHEME_UUID), &b->uuid, error), ERROR_NOT_FOUND);
    return code;
}

static enum error_code
walk_container(struct walk *w, const struct resource *container, struct text path, unsigned depth)
{
    struct child_iterator *iterator;
    struct child child;
    enum error_code code = view_children(w->view, container, TEXT(""), &iterator, w->error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && !w->stop && child_iterator_next(iterator, &child)) {
        struct text name = arena_copy(view_arena(w->view), child.name);
        struct text below = path.length == 0 ? name : join_text(view_arena(w->view), path, "/", name);
        struct resource inner;
        struct bitstream b;
        if (child.kind == RESOURCE_FILE) {
            code = fill_bitstream(w, child.id, below, &b, w->error);
            w->stop = code == ERROR_NONE && !w->visit(w->context, &b);
        } else if (depth < BUNDLE_DEPTH) {
            code = view_get(w->view, child.id, &inner, w->error);
            if (code == ERROR_NONE)
                code = walk_container(w, &inner, below, depth + 1);
        }
    }
    enum error_code closed = child_iterator_close(iterator, code == ERROR_NONE ? w->error : NULL);
    return code != ERROR_NONE ? code : closed;
}

enum error_code
repository_bitstreams(struct repository *repository, struct view *view, const struct entity *item, struct text bundle,
                      bitstream_visit *visit, void *context, struct error *error)
{
    struct walk w = {.repository = repository, .view = view, .visit = visit, .context = context, .error = error};
    struct child_iterator *iterator;
    struct child child;
    enum error_code code = view_children(view, &item->resource, TEXT(""), &iterator, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && !w.stop && child_iterator_next(iterator, &child)) {
        struct resource container;
        if (child.kind != RESOURCE_CONTAINER || (bundle.length > 0 && !text_equal(child.name, bundle)))
            continue;
        w.bundle = arena_copy(view_arena(view), child.name);
        code = view_get(view, child.id, &container, error);
        if (code == ERROR_NONE)
            code = walk_container(&w, &container, TEXT(""), 0);
    }
    enum error_code closed = child_iterator_close(iterator, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}

struct sequence_search {
    uint64_t sequence;
    struct bitstream *ret;
    bool found;
};

static bool
is_wanted(void *context, const struct bitstream *bitstream)
{
    struct sequence_search *search = context;
    search->found = bitstream->sequence == search->sequence;
    if (search->found)
        *search->ret = *bitstream;
    return !search->found;
}

enum error_code
repository_bitstream_by_sequence(struct repository *repository, struct view *view, const struct entity *item,
                                 uint64_t sequence, struct bitstream *ret_bitstream, struct error *error)
{
    struct sequence_search search = {sequence, ret_bitstream, false};
    enum error_code code = repository_bitstreams(repository, view, item, TEXT(""), is_wanted, &search, error);
    if (code == ERROR_NONE && !search.found)
        code = error_set(error, ERROR_NOT_FOUND, "the item has no file %llu", (unsigned long long)sequence);
    return code;
}

/* One file whose path in its item is known. */
static enum error_code
bitstream_at(struct repository *repository, struct view *view, uint64_t id, struct text path, struct bitstream *ret_bitstream,
             struct error *error)
{
    struct text below;
    struct walk w = {.repository = repository, .view = view, .bundle = text_cut(path, '/', &below), .error = error};
    return fill_bitstream(&w, id, below.data == NULL ? TEXT("") : below, ret_bitstream, error);
}

enum error_code
repository_bitstream_by_path(struct repository *repository, struct view *view, const struct entity *item, struct text path,
                             struct bitstream *ret_bitstream, struct error *error)
{
    struct text above;
    struct resource file;
    enum error_code code = view_path(view, item->resource.id, &above, error);
    if (code == ERROR_NONE)
        code = view_resolve(view, join_text(view_arena(view), above, "/", path), &file, error);
    if (code == ERROR_NONE && file.kind != RESOURCE_FILE)
        code = error_set(error, ERROR_NOT_FOUND, "%.*s is no file of the item", TEXT_ARG(path));
    return code != ERROR_NONE ? code : bitstream_at(repository, view, file.id, path, ret_bitstream, error);
}

enum error_code
repository_bitstream_by_uuid(struct repository *repository, struct view *view, struct text uuid,
                             struct bitstream *ret_bitstream, struct error *error)
{
    uint64_t id;
    struct resource file;
    struct text above, path;
    enum error_code code = view_identified(view, TEXT(SCHEME_UUID), uuid, &id, error);
    if (code == ERROR_NONE)
        code = view_get(view, id, &file, error);
    if (code == ERROR_NONE && (file.kind != RESOURCE_FILE || file.aggregate == 0))
        code = error_set(error, ERROR_NOT_FOUND, "%.*s is no file of an item", TEXT_ARG(uuid));
    if (code == ERROR_NONE)
        code = view_path(view, id, &path, error);
    if (code == ERROR_NONE)
        code = view_path(view, file.aggregate, &above, error);
    if (code != ERROR_NONE)
        return code;
    return bitstream_at(repository, view, id, text_of(path.data + above.length + 1, path.length - above.length - 1),
                        ret_bitstream, error);
}
