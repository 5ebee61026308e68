/* SPDX-License-Identifier: Apache-2.0 */
/* The tree: containers, moves, deletions, access and owners. Each costs the same whatever lies below. */
#include "base/ensure.h"
#include "model/commit/decide.h"
#include "model/record/keys.h"

/* `parent` ends at the parent, and at the new container afterwards. */
enum error_code
decide_make_child_container(struct decision *d, struct walk *parent, struct text name,
                            const struct container_options *options, uint64_t *ret_id, struct error *error)
{
    struct line line = {.operation = OPERATION_CREATE,
                        .kind = RESOURCE_CONTAINER,
                        .parent = parent->ids[parent->count - 1],
                        .name = name,
                        .owner = d->transaction->principal.user,
                        .aggregate = parent->aggregate};
    if (options->implied)
        line.flags |= RESOURCE_IMPLIED;
    if (options->is_set)
        line.flags |= RESOURCE_SET;
    if (options->aggregate) {
        if (parent->aggregate != 0)
            return error_set(error, ERROR_CONFLICT, "an aggregate cannot be inside another");
        line.flags |= RESOURCE_AGGREGATE;
    }
    line.in = decide_ancestors(d, parent, parent->count);
    enum error_code code = decide_new_id(d, &line.id, error);
    if (code == ERROR_NONE)
        code = decide_journal(d, &line, error);
    if (code == ERROR_NONE && options->aggregate)
        code = aggregate_touch(d, line.id, error);
    if (code != ERROR_NONE)
        return code;
    ensure(parent->count <= WALK_DEPTH_MAXIMUM);
    parent->ids[parent->count++] = line.id;
    if (options->aggregate)
        parent->aggregate = line.id;
    *ret_id = line.id;
    return ERROR_NONE;
}

static size_t
segments_of(struct text path)
{
    size_t count = path.data == NULL ? 0 : 1;
    for (size_t i = 0; i < path.length; i++)
        count += path.data[i] == '/';
    return count;
}

enum error_code
decide_parents(struct decision *d, struct walk *walk, bool allowed, struct text path, struct text *ret_name,
               struct error *error)
{
    static const struct container_options implied = {.implied = true};
    struct text segment = walk->missing, rest = walk->rest;
    struct node node;
    uint64_t id;
    enum error_code code = lookup_node(&d->lookup, walk->ids[walk->count - 1], &d->scratch, &node, error);
    if (code == ERROR_NONE)
        code = decide_require(d, walk, node.owner, RIGHT_APPEND, error);
    if (code != ERROR_NONE)
        return code;
    if (rest.data != NULL && !allowed)
        return error_set(error, ERROR_NOT_FOUND, "the parent of %.*s is not there", TEXT_ARG(path));
    if (walk->count + segments_of(rest) > d->model->limits.depth)
        return error_set(error, ERROR_LIMIT, "containers nest at most %llu deep (depth)",
                         (unsigned long long)d->model->limits.depth);
    while (rest.data != NULL && code == ERROR_NONE) {
        code = decide_make_child_container(d, walk, segment, &implied, &id, error);
        segment = text_cut(rest, '/', &rest);
    }
    *ret_name = segment;
    return code;
}

enum error_code
decide_set_flags(struct decision *d, const struct found *found, uint64_t flags, struct error *error)
{
    const struct node *node = &found->node;
    struct line line = {.operation = OPERATION_FLAGS, .id = found->id, .parent = node->parent,
                        .name = node->name, .kind = node->kind, .rule = node->rule,
                        .flags = flags};
    return decide_journal(d, &line, error);
}

static enum error_code
container_is_there(struct decision *d, const struct found *found, struct error *error)
{
    enum error_code code = decide_condition(&d->stage->condition, found, error);
    if (code != ERROR_NONE)
        return code;
    if (found->node.kind != RESOURCE_CONTAINER)
        return error_set(error, ERROR_CONFLICT, "a file is there");
    if (!d->stage->container.exist_ok)
        return error_set(error, ERROR_EXISTS, "the container is there already");
    if (d->stage->container.aggregate && (found->node.flags & RESOURCE_AGGREGATE) == 0)
        return error_set(error, ERROR_CONFLICT, "a container that is no aggregate is there");
    if ((found->node.flags & RESOURCE_IMPLIED) != 0 && !d->stage->container.implied) {
        code = decide_require(d, &found->walk, found->node.owner, RIGHT_APPEND, error);
        if (code == ERROR_NONE) /* somebody now makes it on purpose */
            code = decide_set_flags(d, found, found->node.flags & ~(uint64_t)RESOURCE_IMPLIED, error);
        if (code != ERROR_NONE)
            return code;
    }
    return decide_result(d, found->id, false, error);
}

enum error_code
decide_make_container(struct decision *d, struct error *error)
{
    struct stage *stage = d->stage;
    struct found found;
    struct text name;
    struct error why = {0};
    uint64_t id;
    enum error_code code = decide_find(d, &stage->target, &d->node_storage, &found, &why);
    if (code == ERROR_NONE)
        return container_is_there(d, &found, error);
    if ((code != ERROR_NOT_FOUND && code != ERROR_GONE) || stage->target.id != 0) {
        if (error != NULL)
            *error = why;
        return code;
    }
    code = decide_parents(d, &found.walk, stage->container.make_parents, stage->target.path, &name, error);
    if (code == ERROR_NONE)
        code = decide_condition(&stage->condition, NULL, error);
    if (code == ERROR_NONE)
        code = decide_make_child_container(d, &found.walk, name, &stage->container, &id, error);
    return code != ERROR_NONE ? code : decide_result(d, id, true, error);
}

static enum error_code
subtree_of(struct decision *d, const struct found *found, struct line_subtree *ret, struct error *error)
{
    struct counts counts;
    if (found->node.kind == RESOURCE_FILE) {
        *ret = (struct line_subtree){1, 1, found->node.size_bytes};
        return ERROR_NONE;
    }
    enum error_code code = lookup_counts(&d->lookup, found->id, &counts, error);
    if (code != ERROR_NONE)
        return code;
    if (counts.resources < 0 || counts.files < 0 || counts.bytes < 0)
        return error_set(error, ERROR_CORRUPT, "catalog: the counts of resource %llu are damaged",
                         (unsigned long long)found->id);
    *ret = (struct line_subtree){(uint64_t)counts.resources + 1, (uint64_t)counts.files, (uint64_t)counts.bytes};
    return ERROR_NONE;
}

static enum error_code
refuse_root(const struct found *found, const char *what, struct error *error)
{
    if (found->id != ROOT_ID)
        return ERROR_NONE;
    return error_set(error, ERROR_CONFLICT, "the root cannot be %s", what);
}

static bool
is_below(const struct walk *walk, uint64_t id)
{
    for (size_t i = 0; i < walk->count; i++)
        if (walk->ids[i] == id)
            return true;
    return false;
}

/* Content lies in the object of its unit: a move may not carry it out of one or into another. */
static enum error_code
check_units(const struct found *from, const struct walk *to, struct error *error)
{
    uint64_t unit = from->node.aggregate;
    bool is_aggregate = (from->node.flags & RESOURCE_AGGREGATE) != 0;
    if (unit == to->aggregate && !(is_aggregate && to->aggregate != 0))
        return ERROR_NONE;
    return error_set(error, ERROR_CONFLICT,
                     "a move into, out of or between aggregates is not possible: copy and delete");
}

static enum error_code
rename_in_aggregate(struct decision *d, const struct found *from, const struct walk *to, struct text name,
                    struct error *error)
{
    struct text old_path, new_path;
    if (from->node.aggregate == 0)
        return ERROR_NONE;
    enum error_code code = decide_logical_path(d, &from->walk, TEXT(""), &old_path, error);
    if (code == ERROR_NONE)
        code = decide_logical_path(d, to, name, &new_path, error);
    if (code == ERROR_NONE)
        code = aggregate_rename(d, from->node.aggregate, old_path, new_path, error);
    return code;
}

/* Where a move goes: the parent's walk and the new name; EXISTS when something is there. */
static enum error_code
move_destination(struct decision *d, const struct found *from, struct walk *to, struct text *ret_name,
                 struct error *error)
{
    struct stage *stage = d->stage;
    struct error why = {0};
    enum error_code code = lookup_path(&d->lookup, stage->name, to, &why);
    if (code == ERROR_NONE)
        return error_set(error, ERROR_EXISTS, "%.*s is there already", TEXT_ARG(stage->name));
    if (code != ERROR_NOT_FOUND && code != ERROR_GONE) {
        if (error != NULL)
            *error = why;
        return code;
    }
    if (is_below(to, from->id))
        return error_set(error, ERROR_CONFLICT, "a container cannot move into itself");
    return decide_parents(d, to, stage->make_parents, stage->name, ret_name, error);
}

enum error_code
decide_move(struct decision *d, struct error *error)
{
    struct found from;
    struct walk to;
    struct text name;
    struct line line = {.operation = OPERATION_MOVE};
    enum error_code code = decide_find(d, &d->stage->target, &d->node_storage, &from, error);
    if (code == ERROR_NONE)
        code = decide_require(d, &from.walk, from.node.owner, RIGHT_WRITE, error);
    if (code == ERROR_NONE)
        code = refuse_root(&from, "moved", error);
    if (code == ERROR_NONE)
        code = decide_condition(&d->stage->condition, &from, error);
    if (code == ERROR_NONE)
        code = move_destination(d, &from, &to, &name, error);
    if (code == ERROR_NONE)
        code = check_units(&from, &to, error);
    if (code == ERROR_NONE)
        code = subtree_of(d, &from, &line.subtree, error);
    if (code == ERROR_NONE)
        code = rename_in_aggregate(d, &from, &to, name, error);
    if (code != ERROR_NONE)
        return code;
    line.id = from.id;
    line.parent = from.node.parent;
    line.name = arena_copy(&d->arena, from.node.name);
    line.in = decide_ancestors(d, &from.walk, from.walk.count - 1);
    line.to_parent = to.ids[to.count - 1];
    line.to_name = name;
    line.to_in = decide_ancestors(d, &to, to.count);
    line.kind = from.node.kind;
    line.flags = from.node.flags;
    line.rule = from.node.rule;
    code = decide_journal(d, &line, error);
    return code != ERROR_NONE ? code : decide_result(d, from.id, false, error);
}

enum error_code
decide_delete(struct decision *d, struct error *error)
{
    struct found found;
    struct counts counts = {0};
    struct line line = {.operation = OPERATION_DELETE};
    enum error_code code = decide_find(d, &d->stage->target, &d->node_storage, &found, error);
    if (code == ERROR_NONE)
        code = decide_require(d, &found.walk, found.node.owner, RIGHT_WRITE, error);
    if (code == ERROR_NONE)
        code = refuse_root(&found, "deleted", error);
    if (code == ERROR_NONE)
        code = decide_condition(&d->stage->condition, &found, error);
    if (code == ERROR_NONE && found.node.kind == RESOURCE_CONTAINER)
        code = lookup_counts(&d->lookup, found.id, &counts, error);
    if (code == ERROR_NONE && counts.children > 0 && !d->stage->recursive)
        code = error_set(error, ERROR_CONFLICT, "the container is not empty");
    if (code == ERROR_NONE)
        code = subtree_of(d, &found, &line.subtree, error);
    if (code == ERROR_NONE && found.node.aggregate != 0) {
        struct text path;
        code = decide_logical_path(d, &found.walk, TEXT(""), &path, error);
        if (code == ERROR_NONE)
            code = aggregate_remove(d, found.node.aggregate, path, error);
    }
    if (code != ERROR_NONE)
        return code;
    line.id = found.id;
    line.parent = found.node.parent;
    line.name = arena_copy(&d->arena, found.node.name);
    line.in = decide_ancestors(d, &found.walk, found.walk.count - 1);
    line.kind = found.node.kind;
    line.flags = found.node.flags | RESOURCE_DELETED;
    code = decide_journal(d, &line, error);
    return code != ERROR_NONE ? code : decide_result(d, found.id, false, error);
}

enum error_code
decide_forget_tombstone(struct decision *d, struct error *error)
{
    struct stage *stage = d->stage;
    struct walk walk;
    struct node node;
    struct error why = {0};
    enum error_code code = lookup_path(&d->lookup, stage->target.path, &walk, &why);
    if (code == ERROR_NONE || code == ERROR_NOT_FOUND || (code == ERROR_GONE && walk.rest.data != NULL))
        return error_set(error, ERROR_NOT_FOUND, "there is no tombstone at %.*s", TEXT_ARG(stage->target.path));
    if (code != ERROR_GONE)
        return error_set(error, code, "%s", why.message);
    code = lookup_node(&d->lookup, walk.ids[walk.count - 1], &d->scratch, &node, error);
    if (code == ERROR_NONE)
        code = decide_require(d, &walk, node.owner, RIGHT_WRITE, error);
    struct line line = {.operation = OPERATION_FORGET, .id = walk.gone, .parent = walk.ids[walk.count - 1],
                        .name = walk.missing};
    struct key key;
    key_gone(&key, line.parent, line.name, line.id);
    if (code == ERROR_NONE)
        code = lookup_get(&d->lookup, key_text(&key), &d->scratch, error);
    if (code != ERROR_NONE)
        return code;
    struct cursor cursor = cursor_of(d->scratch.data, d->scratch.length);
    line.after = cursor_varint(&cursor);
    line.created_us = cursor_varint(&cursor);
    stage->result.id = walk.gone;
    return decide_journal(d, &line, error);
}

/* ---- access ------------------------------------------------------------------------------------- */

/* The id of the rule with these entries: an old one, or a new line. */
static enum error_code
rule_id(struct decision *d, struct rule_list entries, uint64_t *ret_id, struct error *error)
{
    struct buffer encoded = {0};
    struct key key;
    for (size_t i = 0; i < entries.count; i++) {
        buffer_append_varint(&encoded, entries.entries[i].kind);
        buffer_append_varint(&encoded, entries.entries[i].id);
        buffer_append_varint(&encoded, entries.entries[i].rights);
    }
    key_rule_hash(&key, buffer_text(&encoded));
    buffer_release(&encoded);
    enum error_code code = lookup_get(&d->lookup, key_text(&key), &d->scratch, error);
    if (code == ERROR_NONE) {
        struct cursor cursor = cursor_of(d->scratch.data, d->scratch.length);
        *ret_id = cursor_varint(&cursor);
        return ERROR_NONE;
    }
    if (code != ERROR_NOT_FOUND)
        return code;
    struct line line = {.operation = OPERATION_RULE, .entries = entries};
    code = decide_new_id(d, &line.rule, error);
    if (code == ERROR_NONE)
        code = decide_journal(d, &line, error);
    *ret_id = line.rule;
    return code;
}

enum error_code
decide_set_access(struct decision *d, struct error *error)
{
    struct stage *stage = d->stage;
    struct found found;
    struct line line = {.operation = OPERATION_ACCESS};
    enum error_code code = decide_find(d, &stage->target, &d->node_storage, &found, error);
    if (code == ERROR_NONE)
        code = decide_require(d, &found.walk, found.node.owner, RIGHT_OWN, error);
    if (code == ERROR_NONE && stage->inherit && found.id == ROOT_ID)
        code = error_set(error, ERROR_CONFLICT, "the root has nothing to inherit from");
    if (code == ERROR_NONE && !stage->inherit)
        code = rule_id(d, (struct rule_list){stage->entries, stage->entry_count}, &line.rule, error);
    if (code != ERROR_NONE)
        return code;
    if (line.rule == found.node.rule) /* nothing to journal, nothing for followers to spread */
        return decide_result(d, found.id, false, error);
    line.id = found.id;
    line.parent = found.node.parent;
    line.name = found.node.name;
    line.kind = found.node.kind;
    line.flags = found.node.flags;
    code = decide_journal(d, &line, error);
    return code != ERROR_NONE ? code : decide_result(d, found.id, false, error);
}

enum error_code
decide_set_owner(struct decision *d, struct error *error)
{
    struct found found;
    struct line line = {.operation = OPERATION_OWNER, .owner = d->stage->number};
    enum error_code code = decide_find(d, &d->stage->target, &d->node_storage, &found, error);
    if (code == ERROR_NONE)
        code = decide_require(d, &found.walk, found.node.owner, RIGHT_OWN, error);
    if (code != ERROR_NONE)
        return code;
    line.id = found.id;
    code = decide_journal(d, &line, error);
    return code != ERROR_NONE ? code : decide_result(d, found.id, false, error);
}

enum error_code
decide_set_due(struct decision *d, struct error *error)
{
    struct stage *stage = d->stage;
    struct found found;
    struct key key;
    struct line line = {.operation = OPERATION_DUE, .label = stage->name, .due_us = stage->number};
    enum error_code code = decide_find(d, &stage->target, &d->node_storage, &found, error);
    if (code == ERROR_NONE)
        code = decide_require(d, &found.walk, found.node.owner, RIGHT_WRITE, error);
    if (code != ERROR_NONE)
        return code;
    line.id = found.id;
    key_of(&key, FAMILY_DUE_OF, found.id);
    key_append(&key, stage->name);
    code = lookup_get(&d->lookup, key_text(&key), &d->scratch, error);
    if (code == ERROR_NONE) {
        struct cursor cursor = cursor_of(d->scratch.data, d->scratch.length);
        line.due_before_us = cursor_varint(&cursor);
    } else if (code != ERROR_NOT_FOUND) {
        return code;
    }
    code = decide_journal(d, &line, error);
    return code != ERROR_NONE ? code : decide_result(d, found.id, false, error);
}
