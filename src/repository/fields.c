/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptive fields as statements: the attribute is the field's name, the qualifier "@lang" its language, extra its authority,
 * and the place its number among all fields of the item, so that their order comes back as it was.
 */
#include "metadata/publish.h"
#include "repository/repository_private.h"

static struct text
language_qualifier(const struct field *field, struct arena *arena)
{
    return field->language.length == 0 ? TEXT("") : join_text(arena, TEXT("@"), "", field->language);
}

enum error_code
changes_add_fields(struct changes *changes, const struct fields *fields, uint32_t first, struct error *error)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct field *field = &fields->items[i];
        struct statement statement = {
            .attribute = field_attribute(field, changes->arena),
            .place = first + (uint32_t)i,
            .value = field->value,
            .qualifier = language_qualifier(field, changes->arena),
            .extra = field_extra(field, changes->arena),
        };
        changes_add(changes, &statement);
    }
    return arena_status(changes->arena, error);
}

struct placed {
    uint32_t place;
    size_t order;
    struct field field;
};

static int
compare_places(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

struct gathering {
    struct arena *arena;
    struct placed *items;
    size_t count, capacity;
};

static bool
gather(struct gathering *g, const struct statement *s)
{
    struct field field = {.authority = TEXT(""), .confidence = -1};
    if (text_starts_with(s->attribute, TEXT("archivolt.")) || !field_from_attribute(s->attribute, &field))
        return true;
    if (g->count == g->capacity) {
        size_t capacity = g->capacity == 0 ? 32 : g->capacity * 2;
        struct placed *items = arena_alloc(g->arena, capacity * sizeof *items);
        if (items == NULL)
            return false;
        if (g->count > 0)
            memcpy(items, g->items, g->count * sizeof *items);
        g->items = items;
        g->capacity = capacity;
    }
    struct text attribute = arena_copy(g->arena, s->attribute);
    (void)field_from_attribute(attribute, &field);
    field.value = arena_copy(g->arena, s->value);
    field.language = s->qualifier.length > 1 && s->qualifier.data[0] == '@'
                         ? arena_copy(g->arena, text_of(s->qualifier.data + 1, s->qualifier.length - 1))
                         : TEXT("");
    field_read_extra(arena_copy(g->arena, s->extra), &field);
    g->items[g->count] = (struct placed){s->place, g->count, field};
    g->count++;
    return true;
}

/* In order of their places. */
static enum error_code
load(struct view *view, uint64_t id, struct gathering *ret, struct error *error)
{
    struct statement_iterator *iterator;
    struct statement s;
    *ret = (struct gathering){.arena = view_arena(view)};
    enum error_code code = view_statements(view, id, TEXT(""), &iterator, error);
    if (code != ERROR_NONE)
        return code;
    while (statement_iterator_next(iterator, &s) && gather(ret, &s))
        ;
    code = statement_iterator_close(iterator, error);
    if (ret->count > 1)
        qsort(ret->items, ret->count, sizeof *ret->items, compare_places);
    return code != ERROR_NONE ? code : arena_status(ret->arena, error);
}

enum error_code
repository_fields(struct repository *repository, struct view *view, const struct entity *item, bool all,
                  struct fields *ret_fields, struct error *error)
{
    struct gathering g;
    struct fields fields;
    fields_init(&fields, view_arena(view));
    fields_init(ret_fields, view_arena(view));
    enum error_code code = load(view, item->resource.id, &g, error);
    for (size_t i = 0; code == ERROR_NONE && i < g.count; i++)
        code = fields_add(all ? ret_fields : &fields, &g.items[i].field, error);
    return code != ERROR_NONE || all ? code : fields_publish(&fields, ret_fields, error);
}

enum error_code
next_field_place(struct view *view, uint64_t id, uint32_t *ret_place, struct error *error)
{
    struct gathering g;
    enum error_code code = load(view, id, &g, error);
    *ret_place = code == ERROR_NONE && g.count > 0 ? g.items[g.count - 1].place + 1 : 1;
    return code;
}

/* ---- editing ---------------------------------------------------------------------------------------------------- */

/* X("schema.element.qualifier"): what this program writes into an item stays when a client replaces its metadata. */
#define KEPT_FIELDS(X)                                                                             \
    X("dc.date.accessioned")                                                                       \
    X("dc.date.available")                                                                         \
    X("dc.identifier.uri")                                                                         \
    X("dc.description.provenance")

static bool
is_kept(struct text attribute)
{
#define X(name)                                                                                    \
    if (text_equal(attribute, TEXT(name)))                                                         \
        return true;
    KEPT_FIELDS(X)
#undef X
    return false;
}

static void
remove_fields(struct changes *changes, const struct gathering *g)
{
    struct text last = TEXT("");
    for (size_t i = 0; i < g->count; i++) {
        struct text attribute = field_attribute(&g->items[i].field, changes->arena);
        if (!text_equal(attribute, last) && !is_kept(attribute))
            changes_set(changes, attribute, TEXT(""));
        last = attribute;
    }
}

enum error_code
repository_stage_fields(struct repository *repository, struct transaction *transaction, struct view *view,
                        const struct entity *item, const struct fields *fields, bool replace, struct error *error)
{
    struct changes changes = {.arena = view_arena(view)};
    struct gathering g;
    enum error_code code = load(view, item->resource.id, &g, error);
    if (code != ERROR_NONE)
        return code;
    if (replace)
        remove_fields(&changes, &g);
    code = changes_add_fields(&changes, fields, g.count > 0 ? g.items[g.count - 1].place + 1 : 1, error);
    return code != ERROR_NONE ? code : changes_stage(&changes, transaction, target_id(item->resource.id), true, error);
}
