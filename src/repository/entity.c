/* SPDX-License-Identifier: Apache-2.0 */
/* Communities, collections and items as a view sees them: by their names, and below each other. */
#include "repository/repository_private.h"

struct text
join_text(struct arena *arena, struct text a, const char *between, struct text b)
{
    struct buffer whole = {0};
    buffer_append_text(&whole, a);
    buffer_append_string(&whole, between);
    buffer_append_text(&whole, b);
    struct text text = arena_copy(arena, buffer_text(&whole));
    buffer_release(&whole);
    return text;
}

struct text
number_text(struct arena *arena, uint64_t number)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    return arena_copy(arena, text_of(digits, (size_t)length));
}

/* ---- one entity -------------------------------------------------------------------------------------------- */

/* Statements of this module come before those of any schema: one scan that ends where they do. */
static enum error_code
read_statements(struct view *view, struct entity *entity, bool *ret_is_entity, struct error *error)
{
    struct statement_iterator *iterator;
    struct statement s;
    struct arena *arena = view_arena(view);
    *ret_is_entity = false;
    enum error_code code = view_statements(view, entity->resource.id, TEXT(""), &iterator, error);
    if (code != ERROR_NONE)
        return code;
    while (statement_iterator_next(iterator, &s) && text_compare(s.attribute, TEXT("archivolt/")) < 0) {
        if (text_equal(s.attribute, attribute_text(ATTRIBUTE_KIND)))
            *ret_is_entity = entity_kind_from_word(s.value, &entity->kind);
        else if (text_equal(s.attribute, attribute_text(ATTRIBUTE_NAME)))
            entity->name = arena_copy(arena, s.value);
        else if (text_equal(s.attribute, attribute_text(ATTRIBUTE_STATE)))
            (void)item_state_from_word(s.value, &entity->state);
        else if (text_equal(s.attribute, attribute_text(ATTRIBUTE_REASON)))
            entity->reason = arena_copy(arena, s.value);
        else if (text_equal(s.attribute, attribute_text(ATTRIBUTE_MEDIATOR)))
            (void)text_to_u64(s.value, &entity->mediator);
    }
    return statement_iterator_close(iterator, error);
}

static enum error_code
read_identifier(struct view *view, uint64_t id, const char *scheme, struct text *ret, struct error *error)
{
    enum error_code code = view_identifier(view, id, text_from(scheme), ret, error);
    if (code == ERROR_NOT_FOUND)
        *ret = TEXT("");
    return error_forgive(error, code, ERROR_NOT_FOUND);
}

static enum error_code
fill_entity(struct view *view, struct entity *entity, struct error *error)
{
    uint64_t id = entity->resource.id;
    bool is_entity;
    entity->name = entity->reason = entity->handle = entity->uuid = TEXT("");
    entity->submitter = entity->resource.owner;
    enum error_code code = read_statements(view, entity, &is_entity, error);
    if (code == ERROR_NONE && !is_entity)
        code = error_set(error, ERROR_NOT_FOUND, "it is neither community, collection nor item");
    if (code == ERROR_NONE)
        code = read_identifier(view, id, SCHEME_HANDLE, &entity->handle, error);
    if (code == ERROR_NONE)
        code = read_identifier(view, id, SCHEME_UUID, &entity->uuid, error);
    if (code == ERROR_NONE && !text_to_u64(entity->resource.name, &entity->number))
        entity->number = 0; /* adopted where it was: its name is not its number */
    if (code == ERROR_NONE && entity->kind == ENTITY_ITEM)
        code = statement_value(view, id, TEXT("dc.title"), &entity->name, error);
    return code;
}

enum error_code
repository_by_id(struct repository *repository, struct view *view, uint64_t id, struct entity *ret_entity,
                 struct error *error)
{
    struct entity entity = {.kind = ENTITY_ITEM};
    enum error_code code = view_get(view, id, &entity.resource, error);
    if (code == ERROR_NONE)
        code = fill_entity(view, &entity, error);
    if (code == ERROR_NONE)
        *ret_entity = entity;
    return code;
}

static enum error_code
by_identifier(struct repository *repository, struct view *view, const char *scheme, struct text value,
              struct entity *ret_entity, struct error *error)
{
    uint64_t id;
    struct harvest_stamp stamp;
    enum error_code code = view_identified(view, text_from(scheme), value, &id, error);
    if (code != ERROR_NONE)
        return code;
    code = repository_by_id(repository, view, id, ret_entity, error);
    /* what was public once and has been purged is gone, not unknown */
    if (code == ERROR_NOT_FOUND && view_harvest_stamp(view, id, &stamp, NULL) == ERROR_NONE && !stamp.live)
        return error_set(error, ERROR_GONE, "%s %.*s is no longer here", scheme, TEXT_ARG(value));
    return code;
}

enum error_code
repository_by_handle(struct repository *repository, struct view *view, struct text handle, struct entity *ret_entity,
                     struct error *error)
{
    return by_identifier(repository, view, SCHEME_HANDLE, handle, ret_entity, error);
}

enum error_code
repository_by_uuid(struct repository *repository, struct view *view, struct text uuid, struct entity *ret_entity,
                   struct error *error)
{
    return by_identifier(repository, view, SCHEME_UUID, uuid, ret_entity, error);
}

enum error_code
repository_by_number(struct repository *repository, struct view *view, uint64_t number, struct entity *ret_entity,
                     struct error *error)
{
    return by_identifier(repository, view, SCHEME_NUMBER, number_text(view_arena(view), number), ret_entity, error);
}

enum error_code
repository_by_request(struct repository *repository, struct view *view, struct text request_key, struct entity *ret_item,
                      struct text *ret_note, struct error *error)
{
    enum error_code code = by_identifier(repository, view, SCHEME_REQUEST, request_key, ret_item, error);
    return code != ERROR_NONE ? code
                              : statement_value(view, ret_item->resource.id, attribute_text(ATTRIBUTE_REQUEST), ret_note,
                                                error);
}

/* Its statements are read as this program: the reason of a withdrawal is meant for all. */
static enum error_code
read_tombstone(struct repository *repository, struct view *view, const char *scheme, struct text value, struct arena *arena,
               struct tombstone *ret, struct error *error)
{
    uint64_t id;
    struct entity entity = {.reason = TEXT(""), .state = ITEM_ARCHIVED};
    struct tombstone t;
    struct harvest_stamp stamp; /* only what was once shown to all has one */
    enum error_code code = view_identified(view, text_from(scheme), value, &id, error);
    if (code == ERROR_NONE)
        code = view_harvest_stamp(view, id, &stamp, error);
    if (code == ERROR_NONE)
        code = read_identifier(view, id, SCHEME_HANDLE, &t.handle, error);
    if (code == ERROR_NONE)
        code = read_identifier(view, id, SCHEME_UUID, &t.uuid, error);
    if (code != ERROR_NONE)
        return code;
    code = repository_by_id(repository, view, id, &entity, error);
    if (code != ERROR_NONE && code != ERROR_GONE && code != ERROR_NOT_FOUND)
        return code;
    t.withdrawn = code == ERROR_NONE && entity.state == ITEM_WITHDRAWN;
    t.reason = arena_copy(arena, t.withdrawn ? entity.reason : TEXT(""));
    t.handle = arena_copy(arena, t.handle);
    t.uuid = arena_copy(arena, t.uuid);
    *ret = t;
    return arena_status(arena, error);
}

enum error_code
repository_tombstone(struct repository *repository, const char *scheme, struct text value, struct arena *arena,
                     struct tombstone *ret_tombstone, struct error *error)
{
    static const struct principal self = {.role = ROLE_ADMINISTRATOR, .name = {"archivolt", 9}};
    struct view *view;
    enum error_code code = view_open(repository->options.model, &self, &view, error);
    if (code != ERROR_NONE)
        return code;
    code = read_tombstone(repository, view, scheme, value, arena, ret_tombstone, error);
    view_close(view);
    return code;
}

enum error_code
repository_last_number(struct repository *repository, struct view *view, uint64_t *ret_number, struct error *error)
{
    (void)repository;
    return view_counter(view, TEXT(COUNTER_NUMBERS), ret_number, error);
}

enum error_code
repository_public_number(struct repository *repository, struct view *view, uint64_t number, struct text *ret_handle,
                         int64_t *ret_changed_us, struct error *error)
{
    uint64_t id;
    struct harvest_stamp stamp;
    (void)repository;
    enum error_code code = view_identified(view, TEXT(SCHEME_NUMBER), number_text(view_arena(view), number), &id, error);
    if (code == ERROR_NONE)
        code = view_harvest_stamp(view, id, &stamp, error);
    if (code == ERROR_NONE && !stamp.live)
        code = error_set(error, ERROR_NOT_FOUND, "it is not public");
    if (code == ERROR_NONE)
        code = view_identifier(view, id, TEXT(SCHEME_HANDLE), ret_handle, error);
    if (code == ERROR_NONE)
        *ret_changed_us = stamp.time_us;
    return code;
}

struct text
repository_handle_uri(struct repository *repository, struct text handle, struct arena *arena)
{
    return join_text(arena, repository->options.handle_canonical_prefix, "", handle);
}

/* ---- below ---------------------------------------------------------------------------------------------------- */

enum error_code
repository_children(struct repository *repository, struct view *view, uint64_t parent, unsigned kinds, struct text after,
                    size_t limit, entity_visit *visit, void *context, struct error *error)
{
    struct resource container;
    struct child_iterator *iterator;
    struct child child;
    size_t shown = 0;
    bool goes_on = true;
    enum error_code code = parent != 0 ? view_get(view, parent, &container, error)
                                       : view_resolve(view, repository->options.root_path, &container, error);
    if (code == ERROR_NOT_FOUND && parent == 0)
        return ERROR_NONE; /* there is no community yet */
    if (code == ERROR_NONE)
        code = view_children(view, &container, after, &iterator, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && goes_on && (limit == 0 || shown < limit) && child_iterator_next(iterator, &child)) {
        struct entity entity;
        bool item = (child.flags & RESOURCE_AGGREGATE) != 0;
        if (child.kind != RESOURCE_CONTAINER || (item && (kinds & 1u << ENTITY_ITEM) == 0) ||
            (!item && (kinds & (1u << ENTITY_COMMUNITY | 1u << ENTITY_COLLECTION)) == 0))
            continue;
        code = repository_by_id(repository, view, child.id, &entity, error);
        if (code == ERROR_NONE && (kinds & 1u << entity.kind) != 0) {
            goes_on = visit(context, &entity);
            shown++;
        }
        if (code == ERROR_NOT_FOUND || code == ERROR_GONE) /* something else that lies there */
            code = ERROR_NONE;
    }
    enum error_code closed = child_iterator_close(iterator, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}

/* ---- new ones ---------------------------------------------------------------------------------------------------- */

struct text
handle_of(struct repository *repository, uint64_t number, struct arena *arena)
{
    return join_text(arena, repository->options.handle_prefix, "/", number_text(arena, number));
}

static enum error_code
numbered_entity(struct repository *repository, uint64_t number, struct text parent_path, struct arena *arena,
                struct new_entity *ret_new, struct error *error)
{
    char uuid[MODEL_UUID_BYTES];
    model_uuid(repository->options.model, uuid);
    ret_new->number = number;
    ret_new->uuid = arena_copy(arena, text_from(uuid));
    ret_new->handle = handle_of(repository, number, arena);
    ret_new->path = join_text(arena, parent_path, "/", number_text(arena, number));
    return arena_status(arena, error);
}

enum error_code
new_entity(struct repository *repository, struct text parent_path, struct arena *arena, struct new_entity *ret_new,
           struct error *error)
{
    uint64_t number;
    enum error_code code = model_draw(repository->options.model, TEXT(COUNTER_NUMBERS), &number, error);
    return code != ERROR_NONE ? code : numbered_entity(repository, number, parent_path, arena, ret_new, error);
}

/* The number in a handle of ours; 0: of another prefix, or not as we write it. */
static uint64_t
number_of_handle(struct repository *repository, struct text handle, struct arena *arena)
{
    struct text rest, prefix = text_cut(handle, '/', &rest);
    uint64_t number;
    if (!text_equal(prefix, repository->options.handle_prefix) || rest.data == NULL || !text_to_u64(rest, &number))
        return 0;
    return text_equal(handle, handle_of(repository, number, arena)) ? number : 0;
}

/* "PREFIX/LOCAL" (RFC 3651): no white space, no control characters. */
static bool
is_handle(struct text handle)
{
    const char *slash = memchr(handle.data, '/', handle.length);
    for (size_t i = 0; i < handle.length; i++)
        if ((unsigned char)handle.data[i] <= ' ' || handle.data[i] == 0x7F)
            return false;
    return slash != NULL && slash > handle.data && slash + 1 < handle.data + handle.length && text_is_utf8(handle);
}

static bool
is_uuid(struct text uuid)
{
    for (size_t i = 0; i < uuid.length; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? uuid.data[i] != '-' : memchr("0123456789abcdef", uuid.data[i], 16) == NULL)
            return false;
    }
    return uuid.length == MODEL_UUID_BYTES - 1;
}

enum error_code
kept_entity(struct repository *repository, struct text parent_path, struct text handle, struct text uuid, struct arena *arena,
            struct new_entity *ret_new, struct error *error)
{
    uint64_t number = handle.length > 0 ? number_of_handle(repository, handle, arena) : 0;
    if (handle.length > 0 && !is_handle(handle))
        return error_set(error, ERROR_INVALID, "\"%.*s\" is no handle", TEXT_ARG(handle));
    if (uuid.length > 0 && !is_uuid(uuid))
        return error_set(error, ERROR_INVALID, "\"%.*s\" is no UUID", TEXT_ARG(uuid));
    enum error_code code = number == 0 ? new_entity(repository, parent_path, arena, ret_new, error)
                                       : numbered_entity(repository, number, parent_path, arena, ret_new, error);
    if (handle.length > 0)
        ret_new->handle = arena_copy(arena, handle);
    if (uuid.length > 0)
        ret_new->uuid = arena_copy(arena, uuid);
    return code;
}

enum error_code
stage_number(struct transaction *transaction, uint64_t number, struct error *error)
{
    return transaction_raise(transaction, TEXT(COUNTER_NUMBERS), number, error);
}

/* "123456789/45" to "col_123456789_45" */
static struct text
set_name(const char *prefix, struct text handle, struct arena *arena)
{
    struct text rest, first = text_cut(handle, '/', &rest);
    return join_text(arena, join_text(arena, text_from(prefix), "", first), "_", rest);
}

enum error_code
stage_names(struct transaction *transaction, const struct new_entity *made, struct target target, const char *set_prefix,
            struct arena *arena, struct error *error)
{
    enum error_code code = transaction_set_identifier(transaction, target, TEXT(SCHEME_UUID), made->uuid, error);
    if (code == ERROR_NONE)
        code = transaction_set_identifier(transaction, target, TEXT(SCHEME_NUMBER), number_text(arena, made->number), error);
    if (code == ERROR_NONE && set_prefix != NULL)
        code = transaction_set_identifier(transaction, target, TEXT(SCHEME_HANDLE), made->handle, error);
    if (code == ERROR_NONE && set_prefix != NULL)
        code = transaction_set_identifier(transaction, target, TEXT(SCHEME_SET), set_name(set_prefix, made->handle, arena),
                                          error);
    return code;
}
