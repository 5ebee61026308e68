/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a view, finding resources, and the decision who may see them: see view.h.
 *
 * What a principal may not discover is not there: the same words as for what never was. Anonymous is
 * told UNAUTHENTICATED instead, since an administrator at least might see it, also for names below a container that
 * anonymous may not discover.
 */
#include "model/read/view_private.h"

#include "base/ensure.h"
#include "format/date.h"

#include <stdarg.h>
#include <stddef.h>

/* More loads than this and the remembered rules start again, so that their arena stays small. */
#define RULE_LOADS_MAXIMUM 256u

/* ---- life -------------------------------------------------------------------------------------- */

enum error_code
view_open(struct model *model, const struct principal *principal, struct view **ret_view, struct error *error)
{
    struct view *view = malloc(sizeof *view);
    if (view == NULL)
        return error_set(error, ERROR_NO_MEMORY, "out of memory");
    memset(view, 0, offsetof(struct view, walk));
    view->model = model;
    view->principal = *principal;
    enum error_code code = model->moments != NULL ? moments_take(model->moments, &view->moment, error)
                                                  : moment_new(model->catalog, &view->moment, error);
    if (code != ERROR_NONE) {
        free(view);
        return code;
    }
    view->lookup = (struct lookup){.catalog = model->catalog, .snapshot = moment_snapshot(view->moment)};
    *ret_view = view;
    return ERROR_NONE;
}

void
view_close(struct view *view)
{
    if (view == NULL)
        return;
    moment_release(view->moment);
    arena_release(&view->arena);
    arena_release(&view->visiting);
    arena_release(&view->rule_arena);
    buffer_release(&view->storage);
    buffer_release(&view->user_name);
    free(view);
}

struct arena *
view_arena(struct view *view)
{
    return &view->arena;
}

const struct lookup *
view_lookup(const struct view *view)
{
    return &view->lookup;
}

const struct principal *
view_principal(const struct view *view)
{
    return &view->principal;
}

struct model *
view_model(const struct view *view)
{
    return view->model;
}

uint64_t
view_sequence(const struct view *view)
{
    struct buffer value = {0};
    struct position position = {0};
    if (lookup_get(&view->lookup, TEXT(KEY_POSITION), &value, NULL) != ERROR_NONE ||
        position_decode(buffer_text(&value), &position, NULL) != ERROR_NONE)
        position.sequence = 0;
    buffer_release(&value);
    return position.sequence;
}

bool
view_is_administrator(const struct view *view)
{
    return view->principal.role == ROLE_ADMINISTRATOR;
}

/* ---- nodes, standings, rules --------------------------------------------------------------------- */

enum error_code
view_node(struct view *view, uint64_t id, const struct node **ret_node, struct error *error)
{
    if (view->node_id != id || id == 0) {
        view->node_id = 0;
        enum error_code code = lookup_node(&view->lookup, id, &view->storage, &view->node, error);
        if (code != ERROR_NONE)
            return code;
        view->node_id = id;
    }
    *ret_node = &view->node;
    return ERROR_NONE;
}

static struct standing *
standing_place(struct view *view, uint64_t id)
{
    return &view->standings[id % VIEW_STANDINGS];
}

static enum error_code
standing_of_container(struct view *view, uint64_t id, struct standing *ret_standing, struct error *error)
{
    struct standing *place = standing_place(view, id);
    if (place->id != id) {
        enum error_code code = lookup_ancestry(&view->lookup, id, &view->walk, error);
        if (code == ERROR_NOT_FOUND)
            return error_set(error, ERROR_CORRUPT, "catalog: a parent, resource %llu, is not there",
                             (unsigned long long)id);
        if (code != ERROR_NONE)
            return code;
        *place = (struct standing){id, view->walk.rule_of, view->walk.deleted};
    }
    *ret_standing = *place;
    return ERROR_NONE;
}

enum error_code
view_standing(struct view *view, uint64_t id, struct standing *ret_standing, struct error *error)
{
    struct standing standing = *standing_place(view, id);
    const struct node *node;
    enum error_code code;
    if (id == 0 || standing.id != id) {
        if ((code = view_node(view, id, &node, error)) != ERROR_NONE)
            return code;
        standing = (struct standing){.rule_of = ROOT_ID};
        if (node->parent != 0 &&
            (code = standing_of_container(view, node->parent, &standing, error)) != ERROR_NONE)
            return code;
        standing.id = id;
        if (node->rule != 0)
            standing.rule_of = id;
        if (node->flags & RESOURCE_DELETED)
            standing.deleted = true;
        *standing_place(view, id) = standing;
    }
    *ret_standing = standing;
    return ERROR_NONE;
}

static void
forget_rules(struct view *view)
{
    memset(view->rules, 0, sizeof view->rules);
    arena_reset(&view->rule_arena);
    view->rules_loaded = 0;
}

enum error_code
view_rule(struct view *view, uint64_t rule_of, const struct rule_list **ret_rule, struct error *error)
{
    struct remembered_rule *place = &view->rules[rule_of % VIEW_RULES];
    const struct rule_list *shared = moment_recall_rule(view->moment, rule_of);
    if (shared != NULL) {
        *ret_rule = shared;
        return ERROR_NONE;
    }
    if (place->rule_of != rule_of) {
        if (view->rules_loaded >= RULE_LOADS_MAXIMUM)
            forget_rules(view);
        place->rule_of = 0;
        view->rules_loaded++;
        enum error_code code = lookup_rule(&view->lookup, rule_of, &view->rule_arena, &place->rule, error);
        if (code != ERROR_NONE)
            return code;
        place->rule_of = rule_of;
        moment_remember_rule(view->moment, rule_of, &place->rule);
    }
    *ret_rule = &place->rule;
    return ERROR_NONE;
}

enum error_code
view_rights_at(struct view *view, uint64_t rule_of, uint64_t owner, rights *ret_rights, struct error *error)
{
    const struct rule_list *rule;
    if (view_is_administrator(view)) {
        *ret_rights = RIGHTS_ALL;
        return ERROR_NONE;
    }
    enum error_code code = view_rule(view, rule_of, &rule, error);
    if (code == ERROR_NONE)
        *ret_rights = access_decide(&view->principal, owner, rule);
    return code;
}

/* ---- who may see what ------------------------------------------------------------------------------ */

enum error_code
view_conceal(const struct view *view, struct error *error, const char *format, ...)
{
    va_list arguments;
    if (view->principal.user == 0)
        return error_set(error, ERROR_UNAUTHENTICATED, "say who you are to see this");
    if (error != NULL) {
        *error = (struct error){.code = ERROR_NOT_FOUND};
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return ERROR_NOT_FOUND;
}

static enum error_code
say_deleted(const struct node *node, struct error *error)
{
    char when[DATE_TEXT_SIZE];
    if (node->deleted_us == 0)
        return error_set(error, ERROR_GONE, "what held this has been deleted");
    date_write((int64_t)node->deleted_us, DATE_SECONDS, when);
    return error_set(error, ERROR_GONE, "this was deleted on %s", when);
}

enum error_code
view_is_visible(struct view *view, uint64_t id, bool deleted_too, bool *ret_visible, struct error *error)
{
    struct standing standing;
    const struct node *node;
    rights held;
    enum error_code code;
    if ((code = view_standing(view, id, &standing, error)) != ERROR_NONE ||
        (code = view_node(view, id, &node, error)) != ERROR_NONE ||
        (code = view_rights_at(view, standing.rule_of, node->owner, &held, error)) != ERROR_NONE)
        return code;
    *ret_visible = (held & RIGHT_DISCOVER) != 0 && (deleted_too || !standing.deleted);
    return ERROR_NONE;
}

enum error_code
view_admit(struct view *view, uint64_t id, enum view_deleted deleted, struct standing *ret_standing,
           struct error *error)
{
    bool visible;
    const struct node *node;
    enum error_code code = view_is_visible(view, id, true, &visible, error);
    if (code != ERROR_NONE)
        return code;
    if (!visible)
        return view_conceal(view, error, "there is no resource %llu", (unsigned long long)id);
    if ((code = view_standing(view, id, ret_standing, error)) != ERROR_NONE ||
        (code = view_node(view, id, &node, error)) != ERROR_NONE)
        return code;
    if (ret_standing->deleted && deleted == VIEW_DELETED_GONE && !view_is_administrator(view))
        return say_deleted(node, error);
    return ERROR_NONE;
}

/* ---- resources ------------------------------------------------------------------------------------- */

static struct text
kept_text(struct arena *arena, struct text text)
{
    return text.length == 0 ? TEXT("") : arena_copy(arena, text);
}

static void
fill_file(const struct node *node, struct arena *arena, struct resource *resource)
{
    size_t length = node->digest.length < DIGEST_SIZE_MAX ? node->digest.length : DIGEST_SIZE_MAX;
    resource->size_bytes = node->size_bytes;
    if (length > 0)
        memcpy(resource->digest, node->digest.data, length);
    resource->media_type = kept_text(arena, node->media_type);
    resource->filename = kept_text(arena, node->filename);
    resource->fixity = kept_text(arena, node->fixity);
    resource->source_mode = (unsigned)node->source_mode;
    if (node->source_mtime_plus != 0)
        resource->source_mtime_us = (int64_t)node->source_mtime_plus - SOURCE_MTIME_BIAS;
}

static uint64_t
count_of(int64_t sum)
{
    return sum < 0 ? 0 : (uint64_t)sum;
}

enum error_code
resource_fill(const struct lookup *lookup, uint64_t id, const struct node *node, struct arena *arena,
              struct resource *ret_resource, struct error *error)
{
    struct resource resource = {
        .id = id,
        .parent = node->parent,
        .name = kept_text(arena, node->name),
        .kind = (enum resource_kind)node->kind,
        .flags = (unsigned)node->flags,
        .owner = node->owner,
        .created_us = (int64_t)node->created_us,
        .modified_us = (int64_t)node->modified_us,
        .counter = node->counter,
        .version = node->version,
        .version_sequence = node->version_sequence,
        .aggregate = node->aggregate,
        .media_type = TEXT(""),
        .filename = TEXT(""),
        .fixity = TEXT(""),
        .source_mtime_us = INT64_MIN,
    };
    if (resource.kind == RESOURCE_FILE) {
        fill_file(node, arena, &resource);
    } else {
        struct counts counts;
        enum error_code code = lookup_counts(lookup, id, &counts, error);
        if (code != ERROR_NONE)
            return code;
        resource.children_change = counts.change;
        resource.children = count_of(counts.children);
        resource.subtree_resources = count_of(counts.resources);
        resource.subtree_files = count_of(counts.files);
        resource.subtree_bytes = count_of(counts.bytes);
    }
    *ret_resource = resource;
    return arena_status(arena, error);
}

enum error_code
view_fill(struct view *view, const struct standing *standing, struct arena *arena,
          struct resource *ret_resource, struct error *error)
{
    const struct node *node;
    enum error_code code = view_node(view, standing->id, &node, error);
    if (code == ERROR_NONE)
        code = resource_fill(&view->lookup, standing->id, node, arena, ret_resource, error);
    if (code == ERROR_NONE && standing->deleted)
        ret_resource->flags |= RESOURCE_DELETED;
    return code;
}

/* The path was not found: what may be said of that depends on what is there of it. */
static enum error_code
answer_missing(struct view *view, struct text path, enum error_code found, struct error *error)
{
    uint64_t last = view->walk.ids[view->walk.count - 1], gone = found == ERROR_GONE ? view->walk.gone : 0;
    bool visible = false;
    const struct node *node;
    enum error_code code;
    if ((code = view_is_visible(view, gone != 0 ? gone : last, true, &visible, error)) != ERROR_NONE)
        return code;
    if (!visible)
        return view_conceal(view, error, "there is no %.*s", TEXT_ARG(path));
    if (gone == 0)
        return error_set(error, ERROR_NOT_FOUND, "there is no %.*s", TEXT_ARG(path));
    code = view_node(view, gone, &node, error);
    return code != ERROR_NONE ? code : say_deleted(node, error);
}

/* The container that a path's last segment is looked up in. */
static enum error_code
resolve_container(struct view *view, struct text path, struct remembered_container *ret_container,
                  struct error *error)
{
    *ret_container = (struct remembered_container){ROOT_ID, ROOT_ID};
    if (path.length == 0 || moment_recall_path(view->moment, path, ret_container))
        return ERROR_NONE;
    enum error_code code = lookup_path(&view->lookup, path, &view->walk, error);
    if (code != ERROR_NONE)
        return code;
    *ret_container = (struct remembered_container){view->walk.ids[view->walk.count - 1], view->walk.rule_of};
    moment_remember_path(view->moment, path, *ret_container);
    return ERROR_NONE;
}

/* Where a path leads. NOT_FOUND, GONE or CONFLICT leave the walk as far as it went. */
static enum error_code
resolve_standing(struct view *view, struct text path, struct standing *ret_standing, struct error *error)
{
    struct remembered_container container;
    struct child_record child;
    struct key key;
    size_t slash = path.length - 1;
    while (path.data[slash] != '/')
        slash--;
    struct text name = text_of(path.data + slash + 1, path.length - slash - 1);
    enum error_code code = resolve_container(view, text_of(path.data, slash), &container, error);
    if (code == ERROR_NONE && name.length > 0) {
        key_child(&key, container.id, name);
        view->node_id = 0;
        code = lookup_get(&view->lookup, key_text(&key), &view->storage, error);
        if (code == ERROR_NOT_FOUND) { /* once more from the root, to see what is there of it */
            code = lookup_path(&view->lookup, path, &view->walk, error);
            return code != ERROR_NONE ? code : error_set(error, ERROR_CORRUPT, "catalog: a child comes and goes");
        }
        if (code == ERROR_NONE)
            code = child_decode(buffer_text(&view->storage), &child, error);
        if (code == ERROR_NONE) {
            container.id = child.id;
            if (child.flags & CHILD_HAS_RULE)
                container.rule_of = child.id;
        }
    }
    if (code == ERROR_NONE)
        *ret_standing = (struct standing){container.id, container.rule_of, false};
    return code;
}

enum error_code
view_resolve(struct view *view, struct text path, struct resource *ret_resource, struct error *error)
{
    struct standing standing;
    bool visible;
    enum error_code code = path_check_existing(path, &view->model->limits, error);
    if (code == ERROR_NONE)
        code = resolve_standing(view, path, &standing, error);
    if (code == ERROR_NOT_FOUND || code == ERROR_GONE || code == ERROR_CONFLICT) {
        enum error_code over = path_check(path, &view->model->limits, error); /* not there, and never could be */
        return over != ERROR_NONE ? over : answer_missing(view, path, code, error);
    }
    if (code != ERROR_NONE)
        return code;
    *standing_place(view, standing.id) = standing;
    if ((code = view_is_visible(view, standing.id, false, &visible, error)) != ERROR_NONE)
        return code;
    if (!visible)
        return view_conceal(view, error, "there is no %.*s", TEXT_ARG(path));
    return view_fill(view, &standing, &view->arena, ret_resource, error);
}

enum error_code
view_get(struct view *view, uint64_t id, struct resource *ret_resource, struct error *error)
{
    struct standing standing;
    enum error_code code = view_admit(view, id, VIEW_DELETED_GONE, &standing, error);
    return code != ERROR_NONE ? code : view_fill(view, &standing, &view->arena, ret_resource, error);
}

enum error_code
view_path(struct view *view, uint64_t id, struct text *ret_path, struct error *error)
{
    struct standing standing;
    struct buffer path = {0};
    enum error_code code;
    if ((code = view_admit(view, id, VIEW_DELETED_ADMITTED, &standing, error)) != ERROR_NONE ||
        (code = lookup_ancestry(&view->lookup, id, &view->walk, error)) != ERROR_NONE)
        return code;
    code = lookup_path_of(&view->lookup, &view->walk, &path, error);
    if (code == ERROR_NONE) {
        *ret_path = arena_copy(&view->arena, buffer_text(&path));
        code = arena_status(&view->arena, error);
    }
    buffer_release(&path);
    return code;
}

/* ---- rights ---------------------------------------------------------------------------------------- */

enum error_code
view_rights(struct view *view, const struct resource *resource, rights *ret_rights, struct error *error)
{
    struct standing standing;
    if (view_is_administrator(view)) {
        *ret_rights = RIGHTS_ALL;
        return ERROR_NONE;
    }
    enum error_code code = view_standing(view, resource->id, &standing, error);
    return code != ERROR_NONE ? code
                              : view_rights_at(view, standing.rule_of, resource->owner, ret_rights, error);
}

enum error_code
view_require(struct view *view, const struct resource *resource, rights needed, struct error *error)
{
    rights held;
    struct text path;
    enum error_code code = view_rights(view, resource, &held, error);
    if (code != ERROR_NONE)
        return code;
    if ((held & RIGHT_DISCOVER) == 0 && needed != 0)
        return view_conceal(view, error, "there is no resource %llu", (unsigned long long)resource->id);
    code = access_require(&view->principal, held, needed, error);
    if (code == ERROR_NONE || view_path(view, resource->id, &path, NULL) != ERROR_NONE || error == NULL)
        return code;
    return error_prefix(error, "%.*s", TEXT_ARG(path));
}

enum error_code
view_access(struct view *view, const struct resource *resource, struct access *ret_access, struct error *error)
{
    struct standing standing;
    struct rule_list rule;
    enum error_code code;
    if ((code = view_require(view, resource, RIGHT_OWN, error)) != ERROR_NONE ||
        (code = view_standing(view, resource->id, &standing, error)) != ERROR_NONE ||
        (code = lookup_rule(&view->lookup, standing.rule_of, &view->arena, &rule, error)) != ERROR_NONE)
        return code;
    *ret_access = (struct access){standing.rule_of, rule.entries, rule.count};
    return ERROR_NONE;
}

/* ---- for the other files ---------------------------------------------------------------------------- */

enum error_code
view_user_name(struct view *view, uint64_t user, struct text *ret_name, struct error *error)
{
    struct buffer storage = {0};
    struct user_record record;
    enum error_code code = ERROR_NONE;
    if (user == 0 || view->user_id != user) {
        view->user_id = 0;
        buffer_clear(&view->user_name);
        if (user != 0)
            code = lookup_user(&view->lookup, user, &storage, &record, error);
        if (user != 0 && code == ERROR_NONE)
            buffer_append_text(&view->user_name, record.name);
        buffer_release(&storage);
        if (code != ERROR_NONE && code != ERROR_NOT_FOUND)
            return code;
        view->user_id = user;
    }
    *ret_name = buffer_text(&view->user_name);
    return buffer_status(&view->user_name, error);
}

enum error_code
view_scan(struct view *view, const struct key *from, const struct key *prefix, bool backward,
          struct catalog_scan **ret_scan, struct error *error)
{
    struct key to;
    struct catalog_scan_range range = {key_text(from), {NULL, 0}, backward};
    if (key_after(prefix, &to))
        range.to = key_text(&to);
    return catalog_scan_open(view->lookup.catalog, view->lookup.snapshot, &range, ret_scan, error);
}

enum error_code
view_scan_close(struct catalog_scan *scan, enum error_code code, struct error *error)
{
    enum error_code closed = catalog_scan_close(scan, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}
