/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking the catalog against itself and the journal's chain. One pass over the catalog in key order, with point
 * look-ups across families, on one snapshot: memory does not grow with what is stored. Content is not read (verify does).
 */
#include "base/ensure.h"
#include "format/json.h"
#include "model/record/keys.h"
#include "model/maintenance.h"
#include "model/private.h"
#include "model/upkeep/journal_walk.h"

#define PROGRESS_KEYS 10000u

struct check {
    struct model *model;
    struct lookup lookup;
    maintenance_line *line;
    void *context;
    uint64_t faults;
    struct buffer storage, other;
};

static void
fault(struct check *c, uint64_t id, const char *what, struct text detail)
{
    struct buffer json = {0}, path = {0};
    struct walk walk;
    struct json_writer w = json_writer(&json);
    c->faults++;
    json_begin_object(&w);
    json_key(&w, "fault");
    json_put_string(&w, what);
    if (id != 0) {
        json_key(&w, "id");
        json_put_u64(&w, id);
        if (lookup_ancestry(&c->lookup, id, &walk, NULL) == ERROR_NONE &&
            lookup_path_of(&c->lookup, &walk, &path, NULL) == ERROR_NONE) {
            json_key(&w, "path");
            json_put_text(&w, buffer_text(&path));
        }
    }
    if (detail.length > 0 && text_is_utf8(detail)) {
        json_key(&w, "detail");
        json_put_text(&w, detail);
    }
    json_end_object(&w);
    (void)c->line(c->context, buffer_text(&json));
    buffer_release(&json);
    buffer_release(&path);
}

/* ---- one family each ---------------------------------------------------------------------------------------- */

static bool
exists(struct check *c, const struct key *key)
{
    return lookup_get(&c->lookup, key_text(key), &c->other, NULL) == ERROR_NONE;
}

static void
check_VERSIONS_of(struct check *c, uint64_t id, const struct node *node)
{
    for (uint64_t number = 1; number <= node->version; number++) {
        struct key key;
        key_version(&key, id, number);
        if (!exists(c, &key)) {
            fault(c, id, "a version is missing", TEXT(""));
            return;
        }
    }
}

static uint64_t
count_range(struct check *c, const struct key *prefix)
{
    struct key to;
    struct text key, value;
    struct catalog_scan *scan;
    uint64_t count = 0;
    ensure(key_after(prefix, &to));
    struct catalog_scan_range range = {key_text(prefix), key_text(&to), false};
    if (catalog_scan_open(c->lookup.catalog, c->lookup.snapshot, &range, &scan, NULL) != ERROR_NONE)
        return 0;
    while (catalog_scan_next(scan, &key, &value))
        count++;
    (void)!catalog_scan_close(scan, NULL);
    return count;
}

static void
check_rule(struct check *c, uint64_t id, uint64_t rule)
{
    struct key key;
    if (rule == 0)
        return;
    key_begin(&key, FAMILY_RULE);
    key_number(&key, rule);
    if (!exists(c, &key))
        fault(c, id, "its access rule is not there", TEXT(""));
}

static void
check_NODE(struct check *c, struct text key, struct text value)
{
    struct node node;
    struct child_record child;
    struct key prefix;
    uint64_t id = key_read_number(key, 1);
    if (node_decode(value, &node, NULL, NULL) != ERROR_NONE) {
        fault(c, id, "its record is damaged", TEXT(""));
        return;
    }
    bool deleted = (node.flags & RESOURCE_DELETED) != 0;
    if (id != ROOT_ID && !deleted) {
        if (lookup_child(&c->lookup, node.parent, node.name, &child, NULL) != ERROR_NONE)
            fault(c, id, "it is not among its parent's children", node.name);
        else if (child.id != id)
            fault(c, id, "its name is taken by another", node.name);
        else if (child.kind != node.kind || ((child.flags & CHILD_HAS_RULE) != 0) != (node.rule != 0))
            fault(c, id, "its entry among the children differs from its record", node.name);
    }
    key_statement_prefix(&prefix, id, TEXT(""));
    if (count_range(c, &prefix) != node.statements)
        fault(c, id, "its count of statements is wrong", TEXT(""));
    check_rule(c, id, node.rule);
    check_VERSIONS_of(c, id, &node);
}

static void
check_CHILD(struct check *c, struct text key, struct text value)
{
    struct child_record child;
    struct node node;
    uint64_t parent = key_read_number(key, 1);
    struct text name = text_of(key.data + 9, key.length - 9);
    if (child_decode(value, &child, NULL) != ERROR_NONE)
        fault(c, parent, "an entry among its children is damaged", name);
    else if (lookup_node(&c->lookup, child.id, &c->storage, &node, NULL) != ERROR_NONE)
        fault(c, parent, "a child has no record", name);
    else if (node.parent != parent || !text_equal(node.name, name))
        fault(c, child.id, "its record names another place", name);
}

/* What the children add up to. */
static bool
sum_children(struct check *c, uint64_t id, struct counts *sum)
{
    struct key from, to;
    struct text key, value;
    struct catalog_scan *scan;
    bool good = true;
    key_child(&from, id, TEXT(""));
    ensure(key_after(&from, &to));
    struct catalog_scan_range range = {key_text(&from), key_text(&to), false};
    if (catalog_scan_open(c->lookup.catalog, c->lookup.snapshot, &range, &scan, NULL) != ERROR_NONE)
        return false;
    while (good && catalog_scan_next(scan, &key, &value)) {
        struct child_record child;
        struct node node;
        struct counts below = {0};
        good = child_decode(value, &child, NULL) == ERROR_NONE &&
               lookup_node(&c->lookup, child.id, &c->storage, &node, NULL) == ERROR_NONE &&
               lookup_counts(&c->lookup, child.id, &below, NULL) == ERROR_NONE;
        if (!good)
            break;
        sum->children++;
        sum->resources += 1 + below.resources;
        sum->files += (node.kind == RESOURCE_FILE) + below.files;
        sum->bytes += (node.kind == RESOURCE_FILE ? (int64_t)node.size_bytes : 0) + below.bytes;
    }
    return catalog_scan_close(scan, NULL) == ERROR_NONE && good;
}

static void
check_COUNTS(struct check *c, struct text key, struct text value)
{
    struct counts kept, sum = {0};
    struct key node_key;
    uint64_t id = key_read_number(key, 1);
    key_node(&node_key, id);
    if (counts_decode(value, &kept, NULL) != ERROR_NONE)
        fault(c, id, "its counts are damaged", TEXT(""));
    else if (!exists(c, &node_key))
        fault(c, id, "counts without a resource", TEXT(""));
    else if (sum_children(c, id, &sum) && (sum.children != kept.children || sum.resources != kept.resources ||
                                           sum.files != kept.files || sum.bytes != kept.bytes))
        fault(c, id, "its kept counts are not what its children add up to", TEXT(""));
}

static void
check_STATEMENT(struct check *c, struct text key, struct text value)
{
    struct statement statement;
    struct key inverse;
    uint64_t id = key_read_number(key, 1);
    if (statement_decode(key, value, &statement, NULL) != ERROR_NONE) {
        fault(c, id, "a statement is damaged", TEXT(""));
        return;
    }
    key_inverse(&inverse, id, &statement, INVERSE_TEXT);
    if (!exists(c, &inverse))
        fault(c, id, "a statement cannot be found by its value", statement.attribute);
}

static void
check_INVERSE(struct check *c, struct text key, struct text value)
{
    struct key prefix;
    struct text rest, attribute = text_cut(text_of(key.data + 1, key.length - 1), '\0', &rest);
    uint64_t id = key_inverse_id(key);
    (void)value;
    key_statement_prefix(&prefix, id, attribute);
    if (count_range(c, &prefix) == 0)
        fault(c, id, "found by a statement that it does not have", attribute);
}

static void
check_names(struct check *c, enum family records, struct text key, struct text value)
{
    struct key record;
    struct cursor cursor = cursor_of(value.data, value.length);
    key_begin(&record, records);
    key_number(&record, cursor_varint(&cursor));
    if (cursor.bad || !exists(c, &record))
        fault(c, 0, "a name leads to nobody", text_of(key.data + 1, key.length - 1));
}

static void
check_key(struct check *c, struct text key, struct text value)
{
    switch (key.length == 0 ? 0 : key.data[0]) {
    case FAMILY_NODE:
        check_NODE(c, key, value);
        break;
    case FAMILY_CHILD:
        check_CHILD(c, key, value);
        break;
    case FAMILY_COUNTS:
        check_COUNTS(c, key, value);
        break;
    case FAMILY_STATEMENT:
        check_STATEMENT(c, key, value);
        break;
    case FAMILY_INVERSE:
        check_INVERSE(c, key, value);
        break;
    case FAMILY_USER_NAME:
        check_names(c, FAMILY_USER, key, value);
        break;
    case FAMILY_GROUP_NAME:
        check_names(c, FAMILY_GROUP, key, value);
        break;
    case FAMILY_TOKEN_HASH:
        check_names(c, FAMILY_TOKEN, key, value);
        break;
    default:
        break;
    }
}

/* ---- the whole ------------------------------------------------------------------------------------------------ */

static enum error_code
check_catalog(struct check *c, maintenance_proceed *proceed, void *context, struct error *error)
{
    struct catalog_scan_range all = {TEXT(""), TEXT(""), false};
    struct catalog_scan *scan;
    struct text key, value;
    uint64_t done = 0;
    enum error_code code = catalog_scan_open(c->lookup.catalog, c->lookup.snapshot, &all, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && catalog_scan_next(scan, &key, &value)) {
        check_key(c, key, value);
        if (++done % PROGRESS_KEYS == 0 && !proceed(context, "checking the catalog", done, 0))
            code = error_set(error, ERROR_CLOSED, "stopped");
    }
    enum error_code closed = catalog_scan_close(scan, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}

static void
check_line(struct check *c, const struct journal_group *group, unsigned index, struct arena *arena)
{
    struct line line;
    struct key key;
    bool purged;
    if (line_parse(arena, group->lines[index], &line, &purged, NULL) != ERROR_NONE) {
        fault(c, 0, "a journal line is damaged", group->lines[index]);
        return;
    }
    if (purged || line.operation != OPERATION_CREATE)
        return;
    key_node(&key, line.id);
    if (!exists(c, &key))
        fault(c, line.id, "the journal creates it, the catalog has it not", line.name);
}

struct journal_check {
    struct check *check;
    struct arena arena;
    uint64_t until; /* the snapshot's: later groups are not in it */
    maintenance_proceed *proceed;
    void *context;
};

static enum error_code
check_group(void *context, const struct journal_group *group, struct error *error)
{
    struct journal_check *j = context;
    arena_reset(&j->arena);
    for (unsigned i = 0; i < group->line_count; i++)
        check_line(j->check, group, i, &j->arena);
    if (group->position.sequence % 1000 == 0 &&
        !j->proceed(j->context, "checking the journal", group->position.sequence, j->until))
        return error_set(error, ERROR_CLOSED, "stopped");
    return ERROR_NONE;
}

static enum error_code
note_damage(void *context, const char *why, struct error *error)
{
    struct journal_check *j = context;
    fault(j->check, 0, "a group of the journal is damaged", text_from(why));
    return ERROR_NONE;
}

static enum error_code
check_journal(struct check *c, uint64_t until, maintenance_proceed *proceed, void *context, struct error *error)
{
    struct journal_check check = {.check = c, .until = until, .proceed = proceed, .context = context};
    struct journal_walk walk = {1, until, true, check_group, note_damage, &check};
    arena_init(&check.arena, 0);
    enum error_code code = journal_walk(c->model->store, &walk, error);
    arena_release(&check.arena);
    return code;
}

enum error_code
model_fsck(struct model *model, maintenance_proceed *proceed, maintenance_line *line, void *context,
           uint64_t *ret_faults, struct error *error)
{
    struct check c = {.model = model, .lookup = {.catalog = model->catalog}, .line = line, .context = context};
    struct position position = {0};
    enum error_code code = catalog_snapshot_take(model->catalog, &c.lookup.snapshot, error);
    if (code != ERROR_NONE)
        return code;
    code = lookup_get(&c.lookup, TEXT(KEY_POSITION), &c.storage, error);
    if (code == ERROR_NONE)
        code = position_decode(buffer_text(&c.storage), &position, error);
    if (code == ERROR_NONE)
        code = check_catalog(&c, proceed, context, error);
    if (code == ERROR_NONE)
        code = check_journal(&c, position.sequence, proceed, context, error);
    catalog_snapshot_release(model->catalog, c.lookup.snapshot);
    buffer_release(&c.storage);
    buffer_release(&c.other);
    *ret_faults = c.faults;
    return code;
}
