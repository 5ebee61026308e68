/* SPDX-License-Identifier: Apache-2.0 */
/* Paths, ancestry and rights over a snapshot or the committer's overlay: see lookup.h. */
#include "model/record/lookup.h"

#include "base/ensure.h"
#include "model/record/keys.h"

enum error_code
lookup_get(const struct lookup *lookup, struct text key, struct buffer *ret_value, struct error *error)
{
    if (lookup->overlay != NULL)
        return overlay_get(lookup->overlay, key, ret_value, error);
    return catalog_get(lookup->catalog, lookup->snapshot, key, ret_value, error);
}

enum error_code
lookup_scan(const struct lookup *lookup, const struct key *prefix, struct catalog_scan **ret_scan, struct error *error)
{
    struct key to;
    ensure(lookup->overlay == NULL && key_after(prefix, &to));
    struct catalog_scan_range range = {key_text(prefix), key_text(&to), false};
    return catalog_scan_open(lookup->catalog, lookup->snapshot, &range, ret_scan, error);
}

enum error_code
overlay_scan_under(struct overlay *overlay, const struct key *prefix, struct overlay_scan **ret_scan, struct error *error)
{
    struct key to;
    ensure(key_after(prefix, &to));
    return overlay_scan_open(overlay, key_text(prefix), key_text(&to), ret_scan, error);
}

enum error_code
lookup_node(const struct lookup *lookup, uint64_t id, struct buffer *storage, struct node *ret_node,
            struct error *error)
{
    struct key key;
    key_node(&key, id);
    enum error_code code = lookup_get(lookup, key_text(&key), storage, error);
    if (code == ERROR_NOT_FOUND)
        return error_set(error, code, "there is no resource %llu", (unsigned long long)id);
    if (code != ERROR_NONE)
        return code;
    return node_decode(buffer_text(storage), ret_node, NULL, error);
}

enum error_code
lookup_counts(const struct lookup *lookup, uint64_t id, struct counts *ret_counts, struct error *error)
{
    struct key key;
    struct buffer value = {0};
    key_counts(&key, id);
    enum error_code code = lookup_get(lookup, key_text(&key), &value, NULL);
    if (code == ERROR_NOT_FOUND) {
        *ret_counts = (struct counts){0};
        code = ERROR_NONE;
    } else if (code == ERROR_NONE) {
        code = counts_decode(buffer_text(&value), ret_counts, error);
    } else {
        error_set(error, code, "the catalog cannot be read");
    }
    buffer_release(&value);
    return code;
}

static enum error_code
child_with(const struct lookup *lookup, uint64_t parent, struct text name, struct buffer *value,
           struct child_record *ret_child, struct error *error)
{
    struct key key;
    key_child(&key, parent, name);
    enum error_code code = lookup_get(lookup, key_text(&key), value, error);
    return code != ERROR_NONE ? code : child_decode(buffer_text(value), ret_child, error);
}

enum error_code
lookup_child(const struct lookup *lookup, uint64_t parent, struct text name,
             struct child_record *ret_child, struct error *error)
{
    struct buffer value = {0};
    enum error_code code = child_with(lookup, parent, name, &value, ret_child, error);
    buffer_release(&value);
    return code;
}

/* The deleted resource that marks a name, 0 when there is none. A point look-up: most creations ask in vain. */
static enum error_code
marking_tombstone(const struct lookup *lookup, uint64_t parent, struct text name, struct buffer *value, uint64_t *ret_id,
                  struct error *error)
{
    struct key key;
    key_tombstone(&key, parent, name);
    *ret_id = 0;
    enum error_code code = lookup_get(lookup, key_text(&key), value, NULL);
    if (code == ERROR_NOT_FOUND)
        return ERROR_NONE;
    if (code != ERROR_NONE)
        return error_set(error, code, "the catalog cannot be read");
    struct cursor cursor = cursor_of(value->data, value->length);
    *ret_id = cursor_varint(&cursor);
    return ERROR_NONE;
}

static void
walk_begin(struct walk *walk)
{
    walk->ids[0] = ROOT_ID;
    walk->count = 1;
    walk->rule_of = ROOT_ID;
    walk->aggregate = 0;
    walk->deleted = false;
    walk->missing = walk->rest = text_of(NULL, 0);
    walk->gone = 0;
}

static enum error_code
walk_missing(const struct lookup *lookup, struct walk *walk, struct text segment, struct text rest,
             struct text path, struct buffer *value, struct error *error)
{
    walk->missing = segment;
    walk->rest = rest;
    enum error_code code =
        marking_tombstone(lookup, walk->ids[walk->count - 1], segment, value, &walk->gone, error);
    if (code != ERROR_NONE)
        return code;
    if (walk->gone != 0)
        return error_set(error, ERROR_GONE, "%.*s has been deleted", TEXT_ARG(path));
    return error_set(error, ERROR_NOT_FOUND, "there is no %.*s", TEXT_ARG(path));
}

static enum error_code
walk_segments(const struct lookup *lookup, struct text path, struct walk *walk, struct buffer *value,
              struct error *error)
{
    struct text rest = text_of(path.data + 1, path.length - 1);
    struct child_record child = {.kind = RESOURCE_CONTAINER};
    walk_begin(walk);
    while (rest.data != NULL && rest.length > 0) {
        struct text segment = text_cut(rest, '/', &rest);
        if (child.kind == RESOURCE_FILE)
            return error_set(error, ERROR_CONFLICT, "a file stands on the way to %.*s", TEXT_ARG(path));
        if (walk->count > WALK_DEPTH_MAXIMUM)
            return error_set(error, ERROR_LIMIT, "%.*s is nested too deeply", TEXT_ARG(path));
        enum error_code code =
            child_with(lookup, walk->ids[walk->count - 1], segment, value, &child, error);
        if (code == ERROR_NOT_FOUND)
            return walk_missing(lookup, walk, segment, rest, path, value, error);
        if (code != ERROR_NONE)
            return code;
        walk->ids[walk->count++] = child.id;
        if (child.flags & CHILD_HAS_RULE)
            walk->rule_of = child.id;
        if (child.flags & RESOURCE_AGGREGATE)
            walk->aggregate = child.id;
    }
    return ERROR_NONE;
}

enum error_code
lookup_path(const struct lookup *lookup, struct text path, struct walk *ret_walk, struct error *error)
{
    struct buffer value = {0};
    ensure(path.length > 0 && path.data[0] == '/');
    enum error_code code = walk_segments(lookup, path, ret_walk, &value, error);
    buffer_release(&value);
    return code;
}

enum error_code
lookup_ancestry(const struct lookup *lookup, uint64_t id, struct walk *ret_walk, struct error *error)
{
    struct buffer storage = {0};
    struct node node;
    uint64_t upwards[WALK_DEPTH_MAXIMUM + 1];
    size_t count = 0;
    enum error_code code = ERROR_NONE;
    walk_begin(ret_walk);
    ret_walk->rule_of = 0;
    while (id != 0 && code == ERROR_NONE) {
        if (count > WALK_DEPTH_MAXIMUM) {
            code = error_set(error, ERROR_CORRUPT, "catalog: resource %llu has no end of ancestors",
                             (unsigned long long)id);
            break;
        }
        code = lookup_node(lookup, id, &storage, &node, error);
        if (code != ERROR_NONE)
            break;
        upwards[count++] = id;
        if (node.rule != 0 && ret_walk->rule_of == 0)
            ret_walk->rule_of = id;
        if ((node.flags & RESOURCE_AGGREGATE) && ret_walk->aggregate == 0)
            ret_walk->aggregate = id;
        if (node.flags & RESOURCE_DELETED)
            ret_walk->deleted = true;
        id = node.parent;
    }
    buffer_release(&storage);
    if (code != ERROR_NONE)
        return code;
    if (ret_walk->rule_of == 0)
        ret_walk->rule_of = ROOT_ID;
    for (size_t i = 0; i < count; i++)
        ret_walk->ids[i] = upwards[count - 1 - i];
    ret_walk->count = count;
    return ERROR_NONE;
}

enum error_code
lookup_path_of(const struct lookup *lookup, const struct walk *walk, struct buffer *ret_path,
               struct error *error)
{
    struct buffer storage = {0};
    struct node node;
    enum error_code code = ERROR_NONE;
    buffer_clear(ret_path);
    for (size_t i = 1; i < walk->count && code == ERROR_NONE; i++) {
        code = lookup_node(lookup, walk->ids[i], &storage, &node, error);
        if (code == ERROR_NONE) {
            buffer_append_char(ret_path, '/');
            buffer_append_text(ret_path, node.name);
        }
    }
    if (walk->count == 1)
        buffer_append_char(ret_path, '/');
    buffer_release(&storage);
    return code != ERROR_NONE ? code : buffer_status(ret_path, error);
}

/* ---- rights ------------------------------------------------------------------------------------ */

static const rights ceilings[ROLE_COUNT] = {
#define X(name, word, ceiling) [ROLE_##name] = ceiling,
    ROLES(X)
#undef X
};

static bool
is_member(const struct principal *principal, uint64_t group)
{
    for (size_t i = 0; i < principal->group_count; i++)
        if (principal->groups[i] == group)
            return true;
    return false;
}

static bool
entry_applies(const struct rule_entry *entry, const struct principal *principal, uint64_t owner)
{
    switch (entry->kind) {
    case SUBJECT_ANONYMOUS:
        return true;
    case SUBJECT_AUTHENTICATED:
        return principal->user != 0;
    case SUBJECT_OWNER:
        return principal->user != 0 && principal->user == owner;
    case SUBJECT_USER:
        return principal->user != 0 && principal->user == entry->id;
    case SUBJECT_GROUP:
        return is_member(principal, entry->id);
    }
    return false;
}

rights
access_decide(const struct principal *principal, uint64_t owner, const struct rule_list *rule)
{
    rights held = 0;
    if (principal->role == ROLE_ADMINISTRATOR)
        return RIGHTS_ALL;
    for (size_t i = 0; i < rule->count; i++)
        if (entry_applies(&rule->entries[i], principal, owner))
            held |= rule->entries[i].rights;
    return held & ceilings[principal->role];
}

enum error_code
access_require(const struct principal *principal, rights held, rights needed, struct error *error)
{
    struct buffer words = {0};
    enum error_code code;
    if ((held & needed) == needed)
        return ERROR_NONE;
    rights_words(needed & ~held, &words);
    if (principal->user == 0 && principal->role != ROLE_ADMINISTRATOR)
        code = error_set(error, ERROR_UNAUTHENTICATED, "this needs the right to %s: say who you are",
                         buffer_string(&words));
    else
        code = error_set(error, ERROR_DENIED, "%.*s has no right to %s here", TEXT_ARG(principal->name),
                         buffer_string(&words));
    buffer_release(&words);
    return code;
}

static enum error_code
rule_decode(struct text value, struct arena *arena, struct rule_list *ret_rule, struct error *error)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    size_t count = 0;
    struct rule_entry *entries = arena_alloc(arena, (value.length / 3 + 1) * sizeof *entries);
    if (entries == NULL)
        return arena_status(arena, error);
    while (cursor.left > 0 && !cursor.bad) {
        struct rule_entry *entry = &entries[count++];
        entry->kind = (enum subject_kind)cursor_varint(&cursor);
        entry->id = cursor_varint(&cursor);
        entry->rights = (rights)cursor_varint(&cursor);
    }
    if (cursor.bad)
        return error_set(error, ERROR_CORRUPT, "catalog: an access rule is damaged");
    *ret_rule = (struct rule_list){entries, count};
    return ERROR_NONE;
}

enum error_code
lookup_rule(const struct lookup *lookup, uint64_t rule_of, struct arena *arena,
            struct rule_list *ret_rule, struct error *error)
{
    struct buffer storage = {0};
    struct node node;
    struct key key;
    enum error_code code = lookup_node(lookup, rule_of, &storage, &node, error);
    if (code == ERROR_NONE) {
        key_of(&key, FAMILY_RULE, node.rule);
        code = lookup_get(lookup, key_text(&key), &storage, error);
        if (code == ERROR_NOT_FOUND)
            code = error_set(error, ERROR_CORRUPT, "catalog: resource %llu names a rule that is not there",
                             (unsigned long long)rule_of);
    }
    if (code == ERROR_NONE)
        code = rule_decode(buffer_text(&storage), arena, ret_rule, error);
    buffer_release(&storage);
    return code;
}

enum error_code
lookup_rights(const struct lookup *lookup, const struct principal *principal, uint64_t rule_of,
              uint64_t owner, rights *ret_rights, struct error *error)
{
    struct arena arena;
    struct rule_list rule;
    if (principal->role == ROLE_ADMINISTRATOR) {
        *ret_rights = RIGHTS_ALL;
        return ERROR_NONE;
    }
    arena_init(&arena, 0);
    enum error_code code = lookup_rule(lookup, rule_of, &arena, &rule, error);
    if (code == ERROR_NONE)
        *ret_rights = access_decide(principal, owner, &rule);
    arena_release(&arena);
    return code;
}

/* ---- statements -------------------------------------------------------------------------------- */

enum error_code
statement_decode(struct text key, struct text value, struct statement *ret_statement, struct error *error)
{
    struct text after_id, rest;
    struct cursor cursor = cursor_of(value.data, value.length);
    if (key.length < 9 + 1 + 4)
        return error_set(error, ERROR_CORRUPT, "catalog: a statement's key is damaged");
    after_id = text_of(key.data + 9, key.length - 9);
    ret_statement->attribute = text_cut(after_id, '\0', &rest);
    if (rest.data == NULL || rest.length < 4)
        return error_set(error, ERROR_CORRUPT, "catalog: a statement's key is damaged");
    ret_statement->place = key_read_number32(rest, 0);
    ret_statement->value = cursor_counted(&cursor);
    ret_statement->qualifier = cursor_counted(&cursor);
    ret_statement->extra = cursor_counted(&cursor);
    return record_end(&cursor, "statement", error);
}
