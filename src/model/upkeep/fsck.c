/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking the catalog against itself, the journal's chain and the volumes' headers. One pass over the catalog in key order,
 * with point look-ups across families, on one snapshot: memory does not grow with what is stored. Content is not read
 * (verify does). What a key leads to is looked at from both ends, each fault by the record that is wrong in it.
 */
#include "model/upkeep/fsck.h"

#include "base/ensure.h"
#include "format/json.h"
#include "model/upkeep/journal_walk.h"

#define PROGRESS_KEYS 10000u

const char *const fsck_words[FSCK_FAULT_COUNT] = {
#define X(name, words) [FSCK_##name] = words,
    FSCK_FAULTS(X)
#undef X
};

/* ---- telling and looking up ------------------------------------------------------------------------------ */

static void
put_path(struct fsck *f, struct json_writer *w, uint64_t id)
{
    struct walk walk;
    struct buffer path = {0};
    if (lookup_ancestry(&f->lookup, id, &walk, NULL) == ERROR_NONE &&
        lookup_path_of(&f->lookup, &walk, &path, NULL) == ERROR_NONE) {
        json_key(w, "path");
        json_put_text(w, buffer_text(&path));
    }
    buffer_release(&path);
}

void
fsck_tell(struct fsck *f, enum fsck_fault fault, uint64_t id, struct text detail)
{
    struct buffer json = {0};
    struct json_writer w = json_writer(&json);
    if (f->status != ERROR_NONE)
        return;
    f->faults++;
    json_begin_object(&w);
    json_key(&w, "fault");
    json_put_string(&w, fsck_words[fault]);
    if (id != 0) {
        json_key(&w, "id");
        json_put_u64(&w, id);
        put_path(f, &w, id);
    }
    if (detail.length > 0 && text_is_utf8(detail)) {
        json_key(&w, "detail");
        json_put_text(&w, detail);
    }
    json_end_object(&w);
    (void)f->line(f->context, buffer_text(&json));
    buffer_release(&json);
}

bool
fsck_get(struct fsck *f, const struct key *key, struct buffer *ret_value)
{
    if (f->status != ERROR_NONE)
        return false;
    enum error_code code = lookup_get(&f->lookup, key_text(key), ret_value, &f->why);
    if (code != ERROR_NONE && code != ERROR_NOT_FOUND)
        f->status = code;
    return code == ERROR_NONE;
}

bool
fsck_is_there(struct fsck *f, const struct key *key)
{
    return fsck_get(f, key, &f->other);
}

bool
fsck_node_is_there(struct fsck *f, uint64_t id)
{
    struct key key;
    if (id != f->node_id) {
        key_node(&key, id);
        f->node_there = fsck_is_there(f, &key);
        f->node_id = id;
    }
    return f->node_there;
}

uint64_t
fsck_number(struct text value)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    uint64_t number = cursor_varint(&cursor);
    return cursor.bad || cursor.left != 0 ? 0 : number;
}

uint64_t
fsck_number_under(struct fsck *f, const struct key *key)
{
    return fsck_get(f, key, &f->other) ? fsck_number(buffer_text(&f->other)) : 0;
}

void
fsck_each(struct fsck *f, const struct key *prefix, fsck_see *see, void *context)
{
    struct text key, value;
    struct catalog_scan *scan;
    if (f->status != ERROR_NONE || (f->status = lookup_scan(&f->lookup, prefix, &scan, &f->why)) != ERROR_NONE)
        return;
    while (catalog_scan_next(scan, &key, &value) && see(context, key, value))
        ;
    f->status = catalog_scan_close(scan, &f->why);
}

static bool
count_record(void *context, struct text key, struct text value)
{
    ++*(uint64_t *)context;
    return true;
}

static uint64_t
count_under(struct fsck *f, const struct key *prefix)
{
    uint64_t count = 0;
    fsck_each(f, prefix, count_record, &count);
    return count;
}

static bool
note_one(void *context, struct text key, struct text value)
{
    *(bool *)context = true;
    return false;
}

static bool
any_under(struct fsck *f, const struct key *prefix)
{
    bool any = false;
    fsck_each(f, prefix, note_one, &any);
    return any;
}

/* ---- nodes ----------------------------------------------------------------------------------------------- */

struct versions_seen {
    uint64_t count, next; /* `next`: the number that must come */
    bool gap;
    bool content; /* of the newest that has some, these */
    struct place place;
    uint64_t size_bytes;
};

static bool
see_version(void *context, struct text key, struct text value)
{
    struct versions_seen *seen = context;
    struct version_record version;
    seen->gap |= key_read_number32(key, 9) != seen->next++;
    seen->count++;
    if (version_decode(value, &version, NULL) == ERROR_NONE && (version.flags & VERSION_CONTENT)) {
        seen->content = true;
        seen->place = version.content;
        seen->size_bytes = version.size_bytes;
    }
    return true;
}

static void
check_versions_of(struct fsck *f, uint64_t id, const struct node *node)
{
    struct versions_seen seen = {.next = 1};
    struct key prefix;
    key_of(&prefix, FAMILY_VERSION, id);
    fsck_each(f, &prefix, see_version, &seen);
    if (seen.gap || seen.count < node->version) /* those beyond are told of by themselves */
        fsck_tell(f, FSCK_VERSION_MISSING, id, TEXT(""));
    else if (node->kind == RESOURCE_FILE &&
             (!seen.content || seen.place.volume != node->content.volume ||
              seen.place.offset != node->content.offset || seen.size_bytes != node->size_bytes))
        fsck_tell(f, FSCK_CONTENT_DIFFERS, id, TEXT(""));
}

static void
check_place_of_live(struct fsck *f, uint64_t id, const struct node *node)
{
    struct key key;
    struct child_record child;
    key_child(&key, node->parent, node->name);
    if (!fsck_get(f, &key, &f->other))
        fsck_tell(f, FSCK_CHILD_MISSING, id, node->name);
    else if (child_decode(buffer_text(&f->other), &child, NULL) != ERROR_NONE)
        return; /* told of with the entry */
    else if (child.id != id)
        fsck_tell(f, FSCK_NAME_TAKEN, id, node->name);
    else if (child.kind != node->kind || ((child.flags & CHILD_HAS_RULE) != 0) != (node->rule != 0) ||
             ((child.flags ^ node->flags) & (RESOURCE_IMPLIED | RESOURCE_AGGREGATE)) != 0)
        fsck_tell(f, FSCK_CHILD_DIFFERS, id, node->name);
}

static void
check_place_of(struct fsck *f, uint64_t id, const struct node *node)
{
    struct key key;
    if (id == ROOT_ID)
        return;
    key_node(&key, node->parent);
    if (!fsck_is_there(f, &key))
        fsck_tell(f, FSCK_PARENT_MISSING, id, node->name);
    key_gone(&key, node->parent, node->name, id);
    if ((node->flags & RESOURCE_DELETED) == 0)
        check_place_of_live(f, id, node);
    else if (!fsck_is_there(f, &key))
        fsck_tell(f, FSCK_GONE_MISSING, id, node->name);
}

static void
check_NODE(struct fsck *f, struct text key, struct text value)
{
    struct node node;
    struct key other;
    uint64_t id = key_read_number(key, 1);
    if (node_decode(value, &node, NULL, NULL) != ERROR_NONE) {
        fsck_tell(f, FSCK_NODE_DAMAGED, id, TEXT(""));
        return;
    }
    check_place_of(f, id, &node);
    key_statement_prefix(&other, id, TEXT(""));
    if (count_under(f, &other) != node.statements)
        fsck_tell(f, FSCK_STATEMENT_COUNT, id, TEXT(""));
    key_of(&other, FAMILY_RULE, node.rule);
    if (node.rule != 0 && !fsck_is_there(f, &other))
        fsck_tell(f, FSCK_RULE_MISSING, id, TEXT(""));
    key_counts(&other, id);
    if (node.kind == RESOURCE_CONTAINER && !fsck_is_there(f, &other)) {
        key_child(&other, id, TEXT(""));
        if (any_under(f, &other))
            fsck_tell(f, FSCK_COUNTS_MISSING, id, TEXT(""));
    }
    check_versions_of(f, id, &node);
}

/* ---- children, counts, the deleted ------------------------------------------------------------------------- */

static void
check_CHILD(struct fsck *f, struct text key, struct text value)
{
    struct child_record child;
    struct node node;
    uint64_t parent = key_read_number(key, 1);
    struct text name = text_of(key.data + 9, key.length - 9);
    if (child_decode(value, &child, NULL) != ERROR_NONE) {
        fsck_tell(f, FSCK_CHILD_DAMAGED, parent, name);
        return;
    }
    enum error_code code = lookup_node(&f->lookup, child.id, &f->storage, &node, &f->why);
    if (code == ERROR_NOT_FOUND)
        fsck_tell(f, FSCK_CHILD_WITHOUT_NODE, parent, name);
    else if (code != ERROR_NONE && code != ERROR_CORRUPT) /* a damaged node is told of by itself */
        f->status = code;
    else if (code == ERROR_NONE && (node.parent != parent || !text_equal(node.name, name)))
        fsck_tell(f, FSCK_CHILD_ELSEWHERE, child.id, name);
    else if (code == ERROR_NONE && (node.flags & RESOURCE_DELETED))
        fsck_tell(f, FSCK_CHILD_DELETED, child.id, name);
}

struct sum {
    struct fsck *fsck;
    struct counts counts;
    bool good; /* false: a child is damaged, which is told of by itself */
};

static bool
add_child(void *context, struct text key, struct text value)
{
    struct sum *sum = context;
    struct fsck *f = sum->fsck;
    struct child_record child;
    struct node node;
    struct counts below = {0};
    sum->good = child_decode(value, &child, NULL) == ERROR_NONE &&
                lookup_node(&f->lookup, child.id, &f->storage, &node, NULL) == ERROR_NONE &&
                lookup_counts(&f->lookup, child.id, &below, NULL) == ERROR_NONE;
    if (!sum->good)
        return false;
    sum->counts.children++;
    sum->counts.resources += 1 + below.resources;
    sum->counts.files += (node.kind == RESOURCE_FILE) + below.files;
    sum->counts.bytes += (node.kind == RESOURCE_FILE ? (int64_t)node.size_bytes : 0) + below.bytes;
    return true;
}

static void
check_COUNTS(struct fsck *f, struct text key, struct text value)
{
    struct counts kept;
    struct sum sum = {.fsck = f, .good = true};
    struct key children;
    uint64_t id = key_read_number(key, 1);
    if (counts_decode(value, &kept, NULL) != ERROR_NONE) {
        fsck_tell(f, FSCK_COUNTS_DAMAGED, id, TEXT(""));
        return;
    }
    if (!fsck_node_is_there(f, id)) {
        fsck_tell(f, FSCK_COUNTS_WITHOUT_NODE, id, TEXT(""));
        return;
    }
    key_child(&children, id, TEXT(""));
    fsck_each(f, &children, add_child, &sum);
    if (sum.good && (sum.counts.children != kept.children || sum.counts.resources != kept.resources ||
                     sum.counts.files != kept.files || sum.counts.bytes != kept.bytes))
        fsck_tell(f, FSCK_COUNTS_WRONG, id, TEXT(""));
}

static void
check_GONE(struct fsck *f, struct text key, struct text value)
{
    struct node node;
    uint64_t id = key_read_number(key, key.length - 8);
    struct text name = text_of(key.data + 9, key.length - 9 - 9);
    enum error_code code = lookup_node(&f->lookup, id, &f->storage, &node, &f->why);
    if (code != ERROR_NONE && code != ERROR_NOT_FOUND && code != ERROR_CORRUPT)
        f->status = code;
    else if (code == ERROR_NOT_FOUND ||
             (code == ERROR_NONE && ((node.flags & RESOURCE_DELETED) == 0 || node.parent != key_read_number(key, 1) ||
                                     !text_equal(node.name, name))))
        fsck_tell(f, FSCK_GONE_WRONG, id, name);
}

/* `forgotten` in the record of what was deleted takes the mark away. */
static void
check_TOMBSTONE(struct fsck *f, struct text key, struct text value)
{
    uint64_t id = fsck_number(value);
    struct text name = text_of(key.data + 9, key.length - 9);
    struct key gone;
    uint64_t forgotten = 1;
    key_gone(&gone, key_read_number(key, 1), name, id);
    if (fsck_get(f, &gone, &f->other)) {
        struct cursor cursor = cursor_of(f->other.data, f->other.length);
        (void)cursor_varint(&cursor);
        (void)cursor_varint(&cursor);
        forgotten = cursor_varint(&cursor);
    }
    if (forgotten != 0)
        fsck_tell(f, FSCK_TOMBSTONE_WRONG, id, name);
}

static void
check_HISTORY(struct fsck *f, struct text key, struct text value)
{
    uint64_t id = key_read_number(key, 1);
    if (!fsck_node_is_there(f, id))
        fsck_tell(f, FSCK_HISTORY_WITHOUT_NODE, id, TEXT(""));
}

/* ---- what falls due ---------------------------------------------------------------------------------------- */

static void
check_DUE_OF(struct fsck *f, struct text key, struct text value)
{
    uint64_t id = key_read_number(key, 1);
    struct key due;
    key_due(&due, fsck_number(value), id, text_of(key.data + 9, key.length - 9));
    if (!fsck_is_there(f, &due))
        fsck_tell(f, FSCK_DUE_MISSING, id, TEXT(""));
}

static void
check_DUE(struct fsck *f, struct text key, struct text value)
{
    uint64_t id = key_read_number(key, 9);
    struct key due_of;
    key_of(&due_of, FAMILY_DUE_OF, id);
    key_append(&due_of, text_of(key.data + 17, key.length - 17));
    if (fsck_number_under(f, &due_of) != key_read_number(key, 1))
        fsck_tell(f, FSCK_DUE_WRONG, id, TEXT(""));
}

/* ---- statements -------------------------------------------------------------------------------------------- */

static void
check_STATEMENT(struct fsck *f, struct text key, struct text value)
{
    struct statement statement;
    struct key inverse;
    double number;
    uint64_t id = key_read_number(key, 1);
    if (statement_decode(key, value, &statement, NULL) != ERROR_NONE) {
        fsck_tell(f, FSCK_STATEMENT_DAMAGED, id, TEXT(""));
        return;
    }
    if (!fsck_node_is_there(f, id)) {
        fsck_tell(f, FSCK_STATEMENT_WITHOUT_NODE, id, TEXT(""));
        return;
    }
    key_inverse(&inverse, id, &statement, INVERSE_TEXT);
    bool found = fsck_is_there(f, &inverse);
    if (found && value_is_decimal(statement.value, &number)) {
        key_inverse(&inverse, id, &statement, INVERSE_NUMBER);
        found = fsck_is_there(f, &inverse);
    }
    if (!found)
        fsck_tell(f, FSCK_INVERSE_MISSING, id, statement.attribute);
}

struct inverse_search {
    struct text key;
    uint64_t id;
    enum inverse_class class;
    bool found;
};

static bool
matches_inverse(void *context, struct text key, struct text value)
{
    struct inverse_search *search = context;
    struct statement statement;
    struct key inverse;
    double number;
    if (statement_decode(key, value, &statement, NULL) != ERROR_NONE ||
        (search->class == INVERSE_NUMBER && !value_is_decimal(statement.value, &number)))
        return true;
    key_inverse(&inverse, search->id, &statement, search->class);
    search->found = text_equal(key_text(&inverse), search->key);
    return !search->found;
}

static void
check_INVERSE(struct fsck *f, struct text key, struct text value)
{
    struct key prefix;
    struct text rest, attribute = text_cut(text_of(key.data + 1, key.length - 1), '\0', &rest);
    struct inverse_search search = {.key = key, .id = key_inverse_id(key), .class = INVERSE_TEXT};
    if (rest.length > 0 && rest.data[0] == INVERSE_NUMBER)
        search.class = INVERSE_NUMBER;
    key_statement_prefix(&prefix, search.id, attribute);
    key_number32(&prefix, key_inverse_place(key));
    fsck_each(f, &prefix, matches_inverse, &search);
    if (!search.found)
        fsck_tell(f, FSCK_INVERSE_WRONG, search.id, attribute);
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

static void
check_key(struct fsck *f, struct text key, struct text value)
{
    if (!key_is_whole(key)) {
        fsck_tell(f, FSCK_KEY_DAMAGED, 0, TEXT(""));
        return;
    }
    if (fsck_version_record(f, key, value) || fsck_person_record(f, key, value) || fsck_harvest_record(f, key, value))
        return;
    switch (key.data[0]) {
#define CASE(family)                                                                               \
    case FAMILY_##family:                                                                          \
        check_##family(f, key, value);                                                             \
        break;
        CASE(NODE)
        CASE(CHILD)
        CASE(COUNTS)
        CASE(GONE)
        CASE(TOMBSTONE)
        CASE(HISTORY)
        CASE(DUE)
        CASE(DUE_OF)
        CASE(STATEMENT)
        CASE(INVERSE)
#undef CASE
    default:
        break;
    }
}

static enum error_code
check_catalog(struct fsck *f, maintenance_proceed *proceed, void *context, struct error *error)
{
    struct catalog_scan_range all = {TEXT(""), TEXT(""), false};
    struct catalog_scan *scan;
    struct text key, value;
    uint64_t done = 0;
    enum error_code code = catalog_scan_open(f->lookup.catalog, f->lookup.snapshot, &all, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && catalog_scan_next(scan, &key, &value)) {
        check_key(f, key, value);
        if (f->status != ERROR_NONE)
            code = error_set(error, f->status, "%s", f->why.message);
        else if (++done % PROGRESS_KEYS == 0 && !proceed(context, "checking the catalog", done, 0))
            code = error_set(error, ERROR_CLOSED, "stopped");
    }
    enum error_code closed = catalog_scan_close(scan, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}

/* ---- the journal ------------------------------------------------------------------------------------------- */

static void
check_line(struct fsck *f, struct text json, struct arena *arena)
{
    struct line line;
    bool purged;
    if (line_parse(arena, json, &line, &purged, NULL) != ERROR_NONE)
        fsck_tell(f, FSCK_LINE_DAMAGED, 0, json);
    else if (!purged && line.operation == OPERATION_CREATE && !fsck_node_is_there(f, line.id))
        fsck_tell(f, FSCK_CREATION_LOST, line.id, line.name);
}

/* The group that the catalog says it reflects, and no other. */
static void
check_position(struct fsck *f, const struct position *group)
{
    const struct position *own = &f->position;
    if (own->volume != group->volume || own->offset != group->offset || own->length != group->length ||
        own->time_us != group->time_us || memcmp(own->chain, group->chain, CHAIN_BYTES) != 0)
        fsck_tell(f, FSCK_POSITION_DIFFERS, 0, TEXT(""));
}

struct journal_check {
    struct fsck *fsck;
    struct arena arena;
    uint64_t until; /* the snapshot's: later groups are not in it */
    maintenance_proceed *proceed;
    void *context;
};

static enum error_code
check_group(void *context, const struct journal_group *group, struct error *error)
{
    struct journal_check *j = context;
    struct fsck *f = j->fsck;
    arena_reset(&j->arena);
    for (unsigned i = 0; i < group->line_count; i++)
        check_line(f, group->lines[i], &j->arena);
    if (group->position.sequence == f->position.sequence)
        check_position(f, &group->position);
    if (f->status != ERROR_NONE)
        return error_set(error, f->status, "%s", f->why.message);
    if (group->position.sequence % 1000 == 0 &&
        !j->proceed(j->context, "checking the journal", group->position.sequence, j->until))
        return error_set(error, ERROR_CLOSED, "stopped");
    return ERROR_NONE;
}

static enum error_code
note_damage(void *context, const char *why, struct error *error)
{
    struct journal_check *j = context;
    fsck_tell(j->fsck, FSCK_GROUP_DAMAGED, 0, text_from(why));
    return ERROR_NONE;
}

static enum error_code
check_journal(struct fsck *f, maintenance_proceed *proceed, void *context, struct error *error)
{
    struct journal_check check = {.fsck = f, .until = f->position.sequence, .proceed = proceed, .context = context};
    struct journal_walk walk = {1, f->position.sequence, true, check_group, note_damage, &check};
    arena_init(&check.arena, 0);
    enum error_code code = journal_walk(f->model->store, &walk, error);
    arena_release(&check.arena);
    return code;
}

/* Where the snapshot stands. Without a position that is known: where the store stood just before. */
static enum error_code
read_position(struct fsck *f, const struct position *before, struct error *error)
{
    enum error_code code = lookup_get(&f->lookup, TEXT(KEY_POSITION), &f->storage, error);
    if (code != ERROR_NONE && code != ERROR_NOT_FOUND)
        return code;
    if (code == ERROR_NOT_FOUND || position_decode(buffer_text(&f->storage), &f->position, NULL) != ERROR_NONE) {
        fsck_tell(f, FSCK_POSITION_MISSING, 0, TEXT(""));
        f->position = *before;
    } else if (f->position.sequence > store_position(f->model->store).sequence) {
        fsck_tell(f, FSCK_POSITION_BEYOND, 0, TEXT(""));
    }
    return ERROR_NONE;
}

enum error_code
model_fsck(struct model *model, maintenance_proceed *proceed, maintenance_line *line, void *context,
           uint64_t *ret_faults, struct error *error)
{
    struct fsck f = {.model = model, .lookup = {.catalog = model->catalog}, .line = line, .context = context};
    struct position before = store_position(model->store);
    enum error_code code = catalog_snapshot_take(model->catalog, &f.lookup.snapshot, error);
    if (code != ERROR_NONE)
        return code;
    code = read_position(&f, &before, error);
    if (code == ERROR_NONE)
        code = check_catalog(&f, proceed, context, error);
    if (code == ERROR_NONE)
        code = check_journal(&f, proceed, context, error);
    catalog_snapshot_release(model->catalog, f.lookup.snapshot);
    buffer_release(&f.storage);
    buffer_release(&f.other);
    *ret_faults = f.faults;
    return code;
}
