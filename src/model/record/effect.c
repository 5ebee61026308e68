/* SPDX-License-Identifier: Apache-2.0 */
/* What each journal line does to the catalog: see effect.h. One function an operation, one table. */
#include "model/record/effect.h"

#include "base/ensure.h"
#include "model/record/harvest_record.h"
#include "model/record/keys.h"
#include "model/view.h"

struct emitter {
    const struct line *line;
    const struct line_origin *origin;
    effect_function *effect;
    void *context;
    struct error *error;
    enum error_code status; /* sticky */
    struct buffer operand;  /* scratch */
};

/* ---- emitting ---------------------------------------------------------------------------------- */

static void
emit(struct emitter *e, enum fold fold, const struct key *key, struct text operand)
{
    if (e->status == ERROR_NONE)
        e->status = e->effect(e->context, fold, key_text(key), operand, e->error);
}

static void
emit_delete(struct emitter *e, const struct key *key)
{
    emit(e, FOLD_DELETE, key, TEXT(""));
}

static void
emit_operand(struct emitter *e, enum fold fold, const struct key *key)
{
    if (e->status == ERROR_NONE)
        e->status = buffer_status(&e->operand, e->error);
    emit(e, fold, key, buffer_text(&e->operand));
    buffer_clear(&e->operand);
}

static void
emit_node(struct emitter *e, enum fold fold, const struct node *node, uint64_t extra_bits)
{
    struct key key;
    key_node(&key, e->line->id);
    node_encode(node, extra_bits, &e->operand);
    emit_operand(e, fold, &key);
}

void
child_encode(const struct child_record *child, struct buffer *out)
{
    buffer_append_varint(out, child->id);
    buffer_append_varint(out, child->kind);
    buffer_append_varint(out, child->flags);
}

enum error_code
child_decode(struct text value, struct child_record *ret_child, struct error *error)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    ret_child->id = cursor_varint(&cursor);
    ret_child->kind = (unsigned)cursor_varint(&cursor);
    ret_child->flags = (unsigned)cursor_varint(&cursor);
    return record_end(&cursor, "child", error);
}

/* The entry under its parent; the root has none. */
static void
emit_child(struct emitter *e, uint64_t parent, struct text name)
{
    const struct line *line = e->line;
    struct child_record child = {line->id, (unsigned)line->kind,
                                 (unsigned)line->flags & (RESOURCE_IMPLIED | RESOURCE_AGGREGATE)};
    struct key key;
    if (parent == 0)
        return;
    if (line->rule != 0)
        child.flags |= CHILD_HAS_RULE;
    key_child(&key, parent, name);
    child_encode(&child, &e->operand);
    emit_operand(e, FOLD_SET, &key);
}

static void
emit_counts(struct emitter *e, uint64_t id, const struct counts *change)
{
    struct key key;
    key_counts(&key, id);
    counts_encode(change, &e->operand);
    emit_operand(e, FOLD_COUNTS, &key);
}

/* `sign` times the subtree, on every ancestor; the last is the parent, whose children change. */
static void
emit_ancestors(struct emitter *e, const struct id_list *in, const struct line_subtree *subtree,
               int64_t sign, int64_t children)
{
    for (size_t i = 0; i < in->count; i++) {
        struct counts change = {.resources = sign * (int64_t)subtree->resources,
                                .files = sign * (int64_t)subtree->files,
                                .bytes = sign * (int64_t)subtree->bytes};
        if (i + 1 == in->count) {
            change.children = children;
            change.change = e->origin->sequence;
        }
        emit_counts(e, in->ids[i], &change);
    }
}

static void
emit_history(struct emitter *e)
{
    struct key key;
    key_history(&key, e->line->id, e->origin->sequence, e->origin->index);
    buffer_append_varint(&e->operand, e->line->operation);
    buffer_append_varint(&e->operand, e->line->by);
    buffer_append_varint(&e->operand, e->line->version);
    buffer_append_varint(&e->operand, (uint64_t)e->origin->time_us);
    emit_operand(e, FOLD_SET, &key);
}

static void
emit_change_of(struct emitter *e, uint64_t id, unsigned within, enum operation operation)
{
    struct key key;
    key_change(&key, e->origin->sequence, e->origin->index << 16 | within);
    buffer_append_varint(&e->operand, id);
    buffer_append_varint(&e->operand, operation);
    emit_operand(e, FOLD_SET, &key);
}

static void
emit_event(struct emitter *e)
{
    emit_history(e);
    emit_change_of(e, e->line->id, 0, e->line->operation);
}

/* A container's change that followers spread to everything below; also a deleted file's tombstone. */
static void
emit_work(struct emitter *e)
{
    struct key key;
    key_of(&key, FAMILY_WORK, e->origin->sequence);
    key_number32(&key, e->origin->index);
    buffer_append_varint(&e->operand, e->line->operation);
    buffer_append_varint(&e->operand, e->line->id);
    buffer_append_varint(&e->operand, 0); /* where the follower goes on */
    emit_operand(e, FOLD_SET, &key);
}

static void
emit_version(struct emitter *e, bool with_content)
{
    const struct line *line = e->line;
    struct version_record version = {
        .sequence = e->origin->sequence,
        .time_us = (uint64_t)e->origin->time_us,
        .user = line->by,
        .inventory = line->inventory.place,
        .inventory_bytes = line->inventory.length,
        .message = line->message,
        .flags = line->deleted != 0 ? VERSION_DELETED : 0,
    };
    struct key key;
    if (line->version == 0)
        return;
    if (with_content) {
        version.flags |= VERSION_CONTENT;
        version.size_bytes = line->content.size_bytes;
        version.content = line->content.place;
        version.sums = line->content.sums;
        version.digest = line->content.digest;
        version.media_type = line->media_type;
        version.block_sums = line->content.block_sums;
    }
    key_version(&key, line->id, line->version);
    version_encode(&version, &e->operand);
    emit_operand(e, FOLD_SET, &key);
}

static void
emit_digest(struct emitter *e)
{
    struct key key;
    if (e->line->content.digest.length < 16)
        return;
    key_digest(&key, e->line->content.digest, e->line->id);
    emit(e, FOLD_SET, &key, TEXT(""));
}

static void
emit_inverse(struct emitter *e, enum fold fold, const struct statement *statement)
{
    struct key key;
    double number;
    key_inverse(&key, e->line->id, statement, INVERSE_TEXT);
    emit(e, fold, &key, TEXT(""));
    if (!value_is_decimal(statement->value, &number))
        return;
    key_inverse(&key, e->line->id, statement, INVERSE_NUMBER);
    emit(e, fold, &key, TEXT(""));
}

static void
emit_statements(struct emitter *e)
{
    struct key key;
    for (size_t i = 0; i < e->line->removed.count; i++) {
        const struct statement *statement = &e->line->removed.statements[i];
        key_statement(&key, e->line->id, statement);
        emit_delete(e, &key);
        emit_inverse(e, FOLD_DELETE, statement);
    }
    for (size_t i = 0; i < e->line->added.count; i++) {
        const struct statement *statement = &e->line->added.statements[i];
        key_statement(&key, e->line->id, statement);
        buffer_append_counted(&e->operand, statement->value);
        buffer_append_counted(&e->operand, statement->qualifier);
        buffer_append_counted(&e->operand, statement->extra);
        emit_operand(e, FOLD_SET, &key);
        emit_inverse(e, FOLD_SET, statement);
    }
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static void
node_number(struct node *node, uint64_t *member, enum node_field field, uint64_t value)
{
    *member = value;
    node->present |= UINT64_C(1) << field;
}

static void
node_text(struct node *node, struct text *member, enum node_field field, struct text value)
{
    *member = value;
    node->present |= UINT64_C(1) << field;
}

#define NODE_NUMBER(node, member, FIELD, value) node_number(node, &(node)->member, NODE_##FIELD, value)
#define NODE_TEXT(node, member, FIELD, value) node_text(node, &(node)->member, NODE_##FIELD, value)

static void
node_set_content(struct node *node, const struct line *line)
{
    NODE_NUMBER(node, size_bytes, SIZE, line->content.size_bytes);
    NODE_TEXT(node, digest, DIGEST, line->content.digest);
    NODE_TEXT(node, media_type, MEDIA_TYPE, line->media_type);
    NODE_TEXT(node, filename, FILENAME, line->filename);
    NODE_NUMBER(node, source_mtime_plus, SOURCE_MTIME, line->source_mtime_plus);
    NODE_NUMBER(node, source_mode, SOURCE_MODE, line->source_mode);
    NODE_TEXT(node, fixity, FIXITY, line->fixity);
    NODE_NUMBER(node, content.volume, VOLUME, line->content.place.volume);
    NODE_NUMBER(node, content.offset, OFFSET, line->content.place.offset);
    NODE_TEXT(node, block_sums, BLOCK_SUMS, line->content.block_sums);
    NODE_NUMBER(node, sums.volume, SUMS_VOLUME, line->content.sums.volume);
    NODE_NUMBER(node, sums.offset, SUMS_OFFSET, line->content.sums.offset);
}

static void
node_set_version(struct node *node, const struct emitter *e)
{
    if (e->line->version == 0)
        return;
    NODE_NUMBER(node, version, VERSION, e->line->version);
    NODE_NUMBER(node, version_sequence, VERSION_SEQUENCE, e->origin->sequence);
}

static void
node_set_modified(struct node *node, const struct emitter *e)
{
    NODE_NUMBER(node, modified_us, MODIFIED, (uint64_t)e->origin->time_us);
}

/* ---- operations -------------------------------------------------------------------------------- */

static void
effects_of_INIT(struct emitter *e)
{
    struct key key;
    key_init(&key);
    buffer_append_counted(&e->operand, e->line->store);
    buffer_append_varint(&e->operand, e->line->format);
    buffer_append_varint(&e->operand, (uint64_t)e->origin->time_us);
    emit_operand(e, FOLD_SET, &key);
}

static void
effects_of_LEASE(struct emitter *e)
{
    struct key key = {.length = 0};
    key_append(&key, TEXT(KEY_NEXT_ID));
    buffer_append_varint(&e->operand, e->line->next);
    emit_operand(e, FOLD_SET, &key);
}

static void
effects_of_CREATE(struct emitter *e)
{
    const struct line *line = e->line;
    bool file = line->kind == RESOURCE_FILE;
    struct node node = {0};
    struct line_subtree one = {1, file ? 1 : 0, line->content.size_bytes};
    NODE_NUMBER(&node, kind, KIND, line->kind);
    NODE_NUMBER(&node, flags, FLAGS, line->flags);
    NODE_NUMBER(&node, parent, PARENT, line->parent);
    NODE_TEXT(&node, name, NAME, line->name);
    NODE_NUMBER(&node, owner, OWNER, line->owner);
    NODE_NUMBER(&node, created_us, CREATED, (uint64_t)e->origin->time_us);
    NODE_NUMBER(&node, counter, COUNTER, 1);
    if (line->aggregate != 0)
        NODE_NUMBER(&node, aggregate, AGGREGATE, line->aggregate);
    if (line->rule != 0)
        NODE_NUMBER(&node, rule, RULE, line->rule);
    if (file)
        node_set_content(&node, line);
    node_set_version(&node, e);
    node_set_modified(&node, e);
    emit_node(e, FOLD_SET, &node, 0);
    emit_child(e, line->parent, line->name);
    emit_ancestors(e, &line->in, &one, 1, 1);
    emit_version(e, file);
    emit_digest(e);
    emit_event(e);
}

static void
effects_of_VERSION(struct emitter *e)
{
    const struct line *line = e->line;
    bool content = line->content.place.volume != 0;
    struct node change = {0};
    if (content)
        node_set_content(&change, line);
    node_set_version(&change, e);
    node_set_modified(&change, e);
    if (line->statements_version != 0)
        NODE_NUMBER(&change, statements_version, STATEMENTS_VERSION, line->statements_version);
    emit_node(e, FOLD_NODE, &change, NODE_BUMP);
    emit_version(e, content);
    emit_digest(e);
    for (size_t i = 0; i < line->in.count; i++) {
        struct counts counts = {0};
        if (content)
            counts.bytes = (int64_t)line->content.size_bytes - (int64_t)line->before_bytes;
        if (i + 1 == line->in.count)
            counts.change = e->origin->sequence;
        emit_counts(e, line->in.ids[i], &counts);
    }
    emit_event(e);
}

static void
effects_of_STATEMENTS(struct emitter *e)
{
    struct node change = {0};
    NODE_NUMBER(&change, statements, STATEMENTS, e->line->statements);
    NODE_NUMBER(&change, statements_version, STATEMENTS_VERSION, e->line->statements_version);
    NODE_NUMBER(&change, flags, FLAGS, e->line->flags);
    node_set_modified(&change, e);
    emit_statements(e);
    emit_node(e, FOLD_NODE, &change, NODE_BUMP);
    emit_event(e);
}

static void
effects_of_MOVE(struct emitter *e)
{
    const struct line *line = e->line;
    struct node change = {0};
    struct key key;
    NODE_NUMBER(&change, parent, PARENT, line->to_parent);
    NODE_TEXT(&change, name, NAME, line->to_name);
    node_set_modified(&change, e);
    key_child(&key, line->parent, line->name);
    emit_delete(e, &key);
    emit_child(e, line->to_parent, line->to_name);
    emit_node(e, FOLD_NODE, &change, NODE_BUMP);
    emit_ancestors(e, &line->in, &line->subtree, -1, -1);
    emit_ancestors(e, &line->to_in, &line->subtree, 1, 1);
    emit_event(e);
    if (line->kind == RESOURCE_CONTAINER)
        emit_work(e);
}

static void
effects_of_DELETE(struct emitter *e)
{
    const struct line *line = e->line;
    struct node change = {0};
    struct key key;
    NODE_NUMBER(&change, flags, FLAGS, line->flags);
    NODE_NUMBER(&change, deleted_us, DELETED, (uint64_t)e->origin->time_us);
    node_set_modified(&change, e);
    key_child(&key, line->parent, line->name);
    emit_delete(e, &key);
    key_gone(&key, line->parent, line->name, line->id);
    buffer_append_varint(&e->operand, e->origin->sequence);
    buffer_append_varint(&e->operand, (uint64_t)e->origin->time_us);
    buffer_append_varint(&e->operand, 0);
    emit_operand(e, FOLD_SET, &key);
    key_tombstone(&key, line->parent, line->name);
    buffer_append_varint(&e->operand, line->id);
    emit_operand(e, FOLD_SET, &key);
    emit_node(e, FOLD_NODE, &change, NODE_BUMP);
    emit_ancestors(e, &line->in, &line->subtree, -1, -1);
    emit_event(e);
    emit_work(e);
}

static void
effects_of_TOMBSTONE(struct emitter *e)
{
    struct node change = {0};
    node_set_version(&change, e);
    NODE_NUMBER(&change, statements, STATEMENTS, e->line->statements);
    emit_statements(e);
    emit_node(e, FOLD_NODE, &change, 0);
    emit_version(e, false);
    emit_history(e);
}

static void
effects_of_FORGET(struct emitter *e)
{
    struct key key;
    key_gone(&key, e->line->parent, e->line->name, e->line->id);
    buffer_append_varint(&e->operand, e->line->after);
    buffer_append_varint(&e->operand, e->line->created_us);
    buffer_append_varint(&e->operand, 1);
    emit_operand(e, FOLD_SET, &key);
    key_tombstone(&key, e->line->parent, e->line->name);
    emit_delete(e, &key);
    emit_history(e);
}

static void
effects_of_ACCESS(struct emitter *e)
{
    struct node change = {0};
    NODE_NUMBER(&change, rule, RULE, e->line->rule);
    node_set_modified(&change, e);
    emit_node(e, FOLD_NODE, &change, NODE_BUMP);
    emit_child(e, e->line->parent, e->line->name);
    emit_event(e);
    if (e->line->kind == RESOURCE_CONTAINER)
        emit_work(e);
}

static void
effects_of_RULE(struct emitter *e)
{
    struct key key;
    struct key by_hash;
    key_of(&key, FAMILY_RULE, e->line->rule);
    for (size_t i = 0; i < e->line->entries.count; i++) {
        const struct rule_entry *entry = &e->line->entries.entries[i];
        buffer_append_varint(&e->operand, entry->kind);
        buffer_append_varint(&e->operand, entry->id);
        buffer_append_varint(&e->operand, entry->rights);
    }
    key_rule_hash(&by_hash, buffer_text(&e->operand));
    emit_operand(e, FOLD_SET, &key);
    buffer_append_varint(&e->operand, e->line->rule);
    emit_operand(e, FOLD_SET, &by_hash);
}

static void
effects_of_OWNER(struct emitter *e)
{
    struct node change = {0};
    NODE_NUMBER(&change, owner, OWNER, e->line->owner);
    node_set_modified(&change, e);
    emit_node(e, FOLD_NODE, &change, NODE_BUMP);
    emit_event(e);
}

static void
effects_of_FLAGS(struct emitter *e)
{
    struct node change = {0};
    NODE_NUMBER(&change, flags, FLAGS, e->line->flags);
    node_set_modified(&change, e);
    emit_node(e, FOLD_NODE, &change, NODE_BUMP);
    emit_child(e, e->line->parent, e->line->name);
    emit_event(e);
}

/* name -> id, in the family of names that goes with a family of records */
static void
emit_name(struct emitter *e, enum fold fold, enum family family, struct text name, uint64_t id)
{
    struct key key;
    key_begin(&key, family);
    key_append(&key, name);
    buffer_append_varint(&e->operand, id);
    emit_operand(e, fold, &key);
}

static void
effects_of_USER(struct emitter *e)
{
    const struct line *line = e->line;
    struct key key;
    key_of(&key, FAMILY_USER, line->user);
    buffer_append_varint(&e->operand, line->role);
    buffer_append_varint(&e->operand, line->disabled);
    buffer_append_counted(&e->operand, line->login);
    buffer_append_counted(&e->operand, line->full_name);
    buffer_append_counted(&e->operand, line->email);
    buffer_append_counted(&e->operand, line->password);
    emit_operand(e, FOLD_SET, &key);
    emit_name(e, FOLD_SET, FAMILY_USER_NAME, line->login, line->user);
}

static void
effects_of_USER_REMOVED(struct emitter *e)
{
    struct key key;
    key_of(&key, FAMILY_USER, e->line->user);
    emit_delete(e, &key);
    emit_name(e, FOLD_DELETE, FAMILY_USER_NAME, e->line->login, e->line->user);
}

static void
effects_of_GROUP(struct emitter *e)
{
    struct key key;
    key_of(&key, FAMILY_GROUP, e->line->group);
    buffer_append_counted(&e->operand, e->line->login);
    emit_operand(e, FOLD_SET, &key);
    emit_name(e, FOLD_SET, FAMILY_GROUP_NAME, e->line->login, e->line->group);
}

static void
effects_of_GROUP_REMOVED(struct emitter *e)
{
    struct key key;
    key_of(&key, FAMILY_GROUP, e->line->group);
    emit_delete(e, &key);
    emit_name(e, FOLD_DELETE, FAMILY_GROUP_NAME, e->line->login, e->line->group);
}

static void
emit_member(struct emitter *e, enum fold fold)
{
    struct key key;
    key_of(&key, FAMILY_MEMBER, e->line->user);
    key_number(&key, e->line->group);
    emit(e, fold, &key, TEXT(""));
    key_of(&key, FAMILY_GROUP_MEMBER, e->line->group);
    key_number(&key, e->line->user);
    emit(e, fold, &key, TEXT(""));
}

static void
effects_of_MEMBER(struct emitter *e)
{
    emit_member(e, FOLD_SET);
}

static void
effects_of_MEMBER_REMOVED(struct emitter *e)
{
    emit_member(e, FOLD_DELETE);
}

static void
effects_of_TOKEN(struct emitter *e)
{
    const struct line *line = e->line;
    struct key key;
    key_of(&key, FAMILY_TOKEN, line->value);
    buffer_append_varint(&e->operand, line->user);
    buffer_append_varint(&e->operand, (uint64_t)e->origin->time_us);
    buffer_append_varint(&e->operand, line->expires_us);
    buffer_append_counted(&e->operand, line->label);
    buffer_append_counted(&e->operand, line->sha256);
    emit_operand(e, FOLD_SET, &key);
    emit_name(e, FOLD_SET, FAMILY_TOKEN_HASH, line->sha256, line->value);
}

static void
effects_of_TOKEN_REMOVED(struct emitter *e)
{
    struct key key;
    key_of(&key, FAMILY_TOKEN, e->line->value);
    emit_delete(e, &key);
    emit_name(e, FOLD_DELETE, FAMILY_TOKEN_HASH, e->line->sha256, e->line->value);
}

static void
effects_of_COUNTER(struct emitter *e)
{
    emit_name(e, FOLD_SET, FAMILY_COUNTER, e->line->name, e->line->value);
}

static void
effects_of_DUE(struct emitter *e)
{
    const struct line *line = e->line;
    struct key key;
    if (line->due_before_us != 0) {
        key_due(&key, line->due_before_us, line->id, line->label);
        emit_delete(e, &key);
    }
    if (line->due_us != 0) {
        key_due(&key, line->due_us, line->id, line->label);
        emit(e, FOLD_SET, &key, TEXT(""));
    }
    key_of(&key, FAMILY_DUE_OF, line->id);
    key_append(&key, line->label);
    buffer_append_varint(&e->operand, line->due_us);
    emit_operand(e, line->due_us != 0 ? FOLD_SET : FOLD_DELETE, &key);
    emit_history(e);
}

/* The work that a line goes on with or ends: `cause` is where it stood. */
static void
emit_work_step(struct emitter *e, enum operation operation, uint64_t id)
{
    const struct line *line = e->line;
    struct key key;
    if (line->cause.rows != 1 || line->cause.width != 2)
        return;
    key_of(&key, FAMILY_WORK, line->cause.numbers[0]);
    key_number32(&key, (uint32_t)line->cause.numbers[1]);
    buffer_append_varint(&e->operand, operation);
    buffer_append_varint(&e->operand, id);
    buffer_append_varint(&e->operand, line->after);
    emit_operand(e, line->done != 0 ? FOLD_DELETE : FOLD_SET, &key);
}

static void
effects_of_AFFECTED(struct emitter *e)
{
    const struct line *line = e->line;
    for (size_t i = 0; i < line->ids.count; i++)
        emit_change_of(e, line->ids.ids[i], (unsigned)i, (enum operation)line->value);
    emit_work_step(e, (enum operation)line->value, line->id);
}

static void
effects_of_PURGE(struct emitter *e)
{
    emit_work(e);
}

static void
effects_of_PURGED(struct emitter *e)
{
    emit_work_step(e, OPERATION_PURGE, 0);
}

static void
emit_volume(struct emitter *e)
{
    const struct line *line = e->line;
    struct volume_record volume = {.bulk = line->bulk != 0,
                                   .generation = line->generation,
                                   .sealed_bytes = line->size_bytes,
                                   .sha256 = line->sha256};
    struct key key;
    key_of(&key, FAMILY_VOLUME, line->volume);
    volume_encode(&volume, &e->operand);
    emit_operand(e, FOLD_VOLUME, &key);
}

static void
effects_of_SEALED(struct emitter *e)
{
    emit_volume(e);
}

static void
effects_of_COMPACTED(struct emitter *e)
{
    emit_volume(e);
}

static void
effects_of_IDENTIFIER(struct emitter *e)
{
    const struct line *line = e->line;
    struct key key;
    key_external(&key, line->scheme, line->identifier);
    buffer_append_varint(&e->operand, line->id);
    emit_operand(e, FOLD_SET, &key);
    key_identifier_prefix(&key, line->id, line->scheme);
    key_number(&key, e->origin->sequence);
    key_number32(&key, e->origin->index);
    buffer_append_counted(&e->operand, line->identifier);
    emit_operand(e, FOLD_SET, &key);
}

/* The list of each set, and (set 0) that of all. */
static void
emit_listed(struct emitter *e, enum fold fold, const struct id_list *sets, int64_t time_us)
{
    for (size_t i = 0; i <= sets->count; i++) {
        struct key key;
        key_harvest(&key, i == 0 ? 0 : sets->ids[i - 1], time_us, e->line->id);
        if (fold == FOLD_SET)
            buffer_append_varint(&e->operand, e->line->live);
        emit_operand(e, fold, &key);
    }
}

static void
effects_of_HARVEST(struct emitter *e)
{
    const struct line *line = e->line;
    struct harvest_record record = {e->origin->time_us, line->live != 0, line->sets};
    struct key key;
    if (line->stamp_before_us != 0)
        emit_listed(e, FOLD_DELETE, &line->sets_before, (int64_t)line->stamp_before_us);
    emit_listed(e, FOLD_SET, &line->sets, e->origin->time_us);
    key_stamp(&key, line->id);
    harvest_record_encode(&record, &e->operand);
    emit_operand(e, FOLD_SET, &key);
}

/* Whoever opens the catalog sees that it lacks what this operation does. */
static void
effects_of_unknown(struct emitter *e)
{
    struct key key = {.length = 0};
    key_append(&key, TEXT(KEY_LATER));
    buffer_append_varint(&e->operand, e->origin->sequence);
    buffer_append_counted(&e->operand, e->line->unknown);
    emit_operand(e, FOLD_SET, &key);
}

typedef void operation_effects(struct emitter *);
static operation_effects *const operation_effects_of[OPERATION_COUNT] = {
#define X(name, word, about) [OPERATION_##name] = effects_of_##name,
    OPERATIONS(X)
#undef X
};

enum error_code
line_effects(const struct line *line, const struct line_origin *origin, effect_function *effect,
             void *context, struct error *error)
{
    struct emitter e = {line, origin, effect, context, error, ERROR_NONE, {0}};
    if (line->operation < OPERATION_COUNT)
        operation_effects_of[line->operation](&e);
    else
        effects_of_unknown(&e);
    buffer_release(&e.operand);
    return e.status;
}

static int64_t
unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

enum error_code
line_effects_kept(const struct line *line, effect_function *effect, void *context, struct error *error)
{
    struct line_origin origin = {0};
    struct emitter e = {line, &origin, effect, context, error, ERROR_NONE, {0}};
    for (size_t row = 0; row < line->kept.rows && line->kept.width == 6; row++) {
        const uint64_t *n = line->kept.numbers + row * 6;
        struct counts change = {unzigzag(n[1]), unzigzag(n[2]), unzigzag(n[3]), unzigzag(n[4]), n[5]};
        emit_counts(&e, n[0], &change);
    }
    buffer_release(&e.operand);
    return e.status;
}

void
position_encode(const struct position *position, struct buffer *out)
{
    buffer_append_varint(out, position->sequence);
    buffer_append_varint(out, position->volume);
    buffer_append_varint(out, position->offset);
    buffer_append_varint(out, position->length);
    buffer_append_varint(out, (uint64_t)position->time_us);
    buffer_append(out, position->chain, CHAIN_BYTES);
}

enum error_code
position_decode(struct text value, struct position *ret_position, struct error *error)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    struct position position = {0};
    position.sequence = cursor_varint(&cursor);
    position.volume = cursor_varint(&cursor);
    position.offset = cursor_varint(&cursor);
    position.length = cursor_varint(&cursor);
    position.time_us = (int64_t)cursor_varint(&cursor);
    struct text chain = cursor_bytes(&cursor, CHAIN_BYTES);
    enum error_code code = record_end(&cursor, "position", error);
    if (code != ERROR_NONE)
        return code;
    memcpy(position.chain, chain.data, CHAIN_BYTES);
    *ret_position = position;
    return ERROR_NONE;
}

enum error_code
group_effects(const struct group_effects *group, effect_function *effect, void *context, struct error *error)
{
    struct line line = {.operation = OPERATION_SEALED};
    struct line_origin origin = {.sequence = group->position.sequence};
    struct emitter e = {&line, &origin, effect, context, error, ERROR_NONE, {0}};
    struct key key;
    for (size_t i = 0; i < group->bulk_count; i++) {
        struct volume_record volume = {.bulk = true, .committed_bytes = group->bulk[i].committed_bytes};
        key_of(&key, FAMILY_VOLUME, group->bulk[i].volume);
        volume_encode(&volume, &e.operand);
        emit_operand(&e, FOLD_VOLUME, &key);
    }
    key.length = 0;
    key_append(&key, TEXT(KEY_POSITION));
    position_encode(&group->position, &e.operand);
    emit_operand(&e, FOLD_SET, &key);
    buffer_release(&e.operand);
    return e.status;
}
