/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fsck: a store with something of everything has no fault; each wrong record that is put into its catalog is named, by the
 * words that are its own and no others. There is a break_X() for each fault of the table, or this does not compile.
 * The same store's catalog is the same after a replay of its whole journal.
 */
#include "model/upkeep/fsck.h"

#include "unit.h"
#include "world_fixture.h"

#include "model/record/harvest_record.h"

#include "model/maintenance.h"
#include "volume/store.h"

#define NOBODY 99999u
#define LENGTH 1000u /* of most files: that one is taken for another does not change a sum */

struct damaged {
    struct world w;
    struct catalog_batch *undo;
    uint64_t docs, a, b, big, gone, forgotten, gone_tree, anna, staff;
    struct buffer storage; /* of what was loaded last */
    unsigned seen[FSCK_FAULT_COUNT];
    unsigned unknown;
    unsigned times; /* how often what is broken must be told of */
    uint64_t flipped; /* offset in the log volume; 0: none */
};

/* ---- a store with something of everything ---------------------------------------------------------------- */

static struct transaction *
begin(struct world *w)
{
    struct principal local = principal_local();
    struct transaction *t = NULL;
    struct error error = {0};
    assert_int_equal(transaction_new(w->model, &local, &t, &error), ERROR_NONE);
    return t;
}

static uint64_t
end(struct transaction *t)
{
    struct error error = {0};
    if (transaction_commit(t, &error) != ERROR_NONE)
        fail_msg("%s", error.message);
    uint64_t id = transaction_result(t, 0)->id;
    transaction_free(t);
    return id;
}

#define DO(w, call_of_t)                                                                           \
    do {                                                                                           \
        struct transaction *t = begin(w);                                                          \
        struct error error_ = {0}, *error = &error_;                                               \
        if ((call_of_t) != ERROR_NONE)                                                             \
            fail_msg("%s", error_.message);                                                        \
        last_id = end(t);                                                                          \
    } while (0)
static uint64_t last_id;

static uint64_t
id_of(struct world *w, const char *path)
{
    struct lookup lookup = {.catalog = w->catalog};
    struct walk walk;
    assert_int_equal(lookup_path(&lookup, text_from(path), &walk, NULL), ERROR_NONE);
    return walk.ids[walk.count - 1];
}

static void
describe(struct world *w, const char *path, const char *attribute, const char *value)
{
    struct statement_change change = {STATEMENT_APPEND,
                                      {text_from(attribute), 0, text_from(value), TEXT("@en"), TEXT("extra")}};
    DO(w, transaction_change_statements(t, target_path(text_from(path)), &change, 1, value[0] == 's', NULL, error));
}

static void
delete(struct world *w, const char *path)
{
    DO(w, transaction_delete(t, target_path(text_from(path)), true, NULL, error));
}

static void
move(struct world *w, const char *from, const char *to)
{
    DO(w, transaction_move(t, target_path(text_from(from)), text_from(to), true, NULL, error));
}

static void
add_people(struct damaged *d)
{
    struct world *w = &d->w;
    struct user_change anna = {.name = TEXT("anna"), .full_name = TEXT("Anna"), .role = ROLE_DEPOSITOR};
    struct user_change bob = {.name = TEXT("bob"), .role = ROLE_READER};
    char token[64];
    DO(w, transaction_add_user(t, &anna, error));
    d->anna = last_id;
    DO(w, transaction_add_group(t, TEXT("staff"), error));
    d->staff = last_id;
    DO(w, transaction_set_member(t, d->staff, d->anna, true, error));
    DO(w, transaction_add_token(t, d->anna, TEXT("laptop"), 0, token, error));
    DO(w, transaction_add_token(t, d->anna, TEXT("lost"), 0, token, error));
    DO(w, transaction_remove_token(t, last_id, error));
    DO(w, transaction_add_user(t, &bob, error));
    uint64_t bob_id = last_id;
    DO(w, transaction_set_member(t, d->staff, bob_id, true, error));
    DO(w, transaction_add_token(t, bob_id, TEXT("bobs"), 0, token, error));
    DO(w, transaction_remove_user(t, bob_id, error));
    DO(w, transaction_add_group(t, TEXT("former"), error));
    uint64_t former = last_id;
    DO(w, transaction_set_member(t, former, d->anna, true, error));
    DO(w, transaction_remove_group(t, former, error));
}

static void
add_aggregate(struct world *w)
{
    struct container_options options = {.aggregate = true};
    DO(w, transaction_make_container(t, target_path(TEXT("/agg")), &options, error));
    put(w, "/agg/x", LENGTH, 1);
    put(w, "/agg/dir/y", LENGTH, 2);
    put(w, "/agg/dir/large", 300000, 3);
    put(w, "/agg/x", 2000, 4);
    put(w, "/agg/same", 2000, 4); /* stored once, in one object */
    put(w, "/agg/left", 10, 5);
    describe(w, "/agg", "title", "snapshot of an aggregate");
    describe(w, "/agg/x", "title", "x");
    delete(w, "/agg/left");
    move(w, "/agg/dir/y", "/agg/y");
}

static void
add_record(struct world *w)
{
    struct container_options aggregate = {.aggregate = true}, set_options = {.is_set = true};
    struct rule_entry entries[] = {{SUBJECT_ANONYMOUS, 0, RIGHT_DISCOVER | RIGHT_READ}};
    DO(w, transaction_make_container(t, target_path(TEXT("/set")), &set_options, error));
    DO(w, transaction_set_access(t, target_path(TEXT("/set")), entries, 1, error));
    DO(w, transaction_make_container(t, target_path(TEXT("/set/record")), &aggregate, error));
    DO(w, transaction_set_identifier(t, target_path(TEXT("/set/record")), TEXT("handle"), TEXT("1/1"), error));
    DO(w, transaction_make_record(t, target_path(TEXT("/set/record")), error));
    put(w, "/set/record/file", 100, 1);
}

static void
add_rules(struct damaged *d)
{
    struct world *w = &d->w;
    struct rule_entry entries[] = {{SUBJECT_USER, d->anna, RIGHT_DISCOVER | RIGHT_READ},
                                   {SUBJECT_GROUP, d->staff, RIGHTS_ALL}};
    DO(w, transaction_set_access(t, target_path(TEXT("/docs")), entries, 2, error));
    DO(w, transaction_set_access(t, target_path(TEXT("/docs/a")), entries, 1, error));
    DO(w, transaction_set_access(t, target_path(TEXT("/docs/a")), NULL, 0, error));
    DO(w, transaction_set_access(t, target_path(TEXT("/tree")), entries, 2, error));
    DO(w, transaction_set_owner(t, target_path(TEXT("/docs/a")), d->anna, error));
}

static bool
always(void *context, const char *what, uint64_t done, uint64_t total)
{
    return true;
}

static bool
ignore_line(void *context, struct text json)
{
    return true;
}

static void
purge(struct world *w, const char *path)
{
    struct principal local = principal_local();
    struct error error = {0};
    if (model_purge(w->model, &local, text_from(path), 0, always, NULL, &error) != ERROR_NONE)
        fail_msg("%s", error.message);
}

static void
add_deleted(struct damaged *d)
{
    struct world *w = &d->w;
    static const char *const paths[] = {"/docs/gone", "/docs/forgotten", "/fallen/in/deep", "/purged/below", "/docs/again"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        put(w, paths[i], LENGTH, 6);
    describe(w, "/docs/gone", "title", "statement of the gone");
    d->gone = id_of(w, "/docs/gone");
    d->forgotten = id_of(w, "/docs/forgotten");
    d->gone_tree = id_of(w, "/fallen");
    delete(w, "/docs/gone");
    delete(w, "/docs/forgotten");
    DO(w, transaction_forget_tombstone(t, TEXT("/docs/forgotten"), error));
    delete(w, "/fallen");
    delete(w, "/docs/again");
    put(w, "/docs/again", LENGTH, 7);
    purge(w, "/purged");
}

static void
add_files(struct damaged *d)
{
    struct world *w = &d->w;
    put(w, "/docs/a", LENGTH, 1);
    for (unsigned version = 1; version <= 3; version++)
        put(w, "/docs/b", LENGTH, 10 + version);
    put(w, "/docs/big", 300000, 1);
    put(w, "/docs/big", 200000, 2);
    put(w, "/docs/empty", 0, 1);
    put(w, "/tree/one/two", LENGTH, 3);
    d->docs = id_of(w, "/docs");
    d->a = id_of(w, "/docs/a");
    d->b = id_of(w, "/docs/b");
    d->big = id_of(w, "/docs/big");
    describe(w, "/docs/a", "title", "words");
    describe(w, "/docs/a", "size", "12");
    describe(w, "/docs", "title", "snapshot of a container");
    DO(w, transaction_set_due(t, target_path(TEXT("/docs/a")), TEXT("review"), INT64_C(1800000000000000), error));
    DO(w, transaction_set_due(t, target_path(TEXT("/docs/b")), TEXT("review"), INT64_C(1800000000000000), error));
    DO(w, transaction_set_due(t, target_path(TEXT("/docs/b")), TEXT("review"), 0, error));
    DO(w, transaction_draw(t, TEXT("items"), error));
}

static void
compact(struct world *w)
{
    struct error error = {0};
    assert_int_equal(follower_settle(w->model, &error), ERROR_NONE);
    assert_int_equal(model_seal(w->model, &error), ERROR_NONE);
    assert_int_equal(follower_settle(w->model, &error), ERROR_NONE);
    assert_int_equal(model_compact(w->model, 0.01, always, ignore_line, NULL, &error), ERROR_NONE);
    assert_int_equal(follower_settle(w->model, &error), ERROR_NONE);
}

/* ---- looking for faults ---------------------------------------------------------------------------------- */

static bool
note_fault(void *context, struct text json)
{
    struct damaged *d = context;
    for (unsigned i = 0; i < FSCK_FAULT_COUNT; i++) {
        char quoted[200];
        int length = snprintf(quoted, sizeof quoted, "{\"fault\":\"%s\"", fsck_words[i]);
        if (text_starts_with(json, text_of(quoted, (size_t)length))) {
            d->seen[i]++;
            return true;
        }
    }
    d->unknown++;
    return true;
}

static void
look(struct damaged *d)
{
    struct error error = {0};
    uint64_t faults = 0, told = 0;
    memset(d->seen, 0, sizeof d->seen);
    d->unknown = 0;
    if (model_fsck(d->w.model, always, note_fault, d, &faults, &error) != ERROR_NONE)
        fail_msg("%s", error.message);
    for (unsigned i = 0; i < FSCK_FAULT_COUNT; i++)
        told += d->seen[i];
    assert_int_equal(faults, told);
    assert_int_equal(d->unknown, 0);
}

static void
expect_sound(struct damaged *d, const char *when)
{
    look(d);
    for (unsigned i = 0; i < FSCK_FAULT_COUNT; i++)
        if (d->seen[i] != 0)
            fail_msg("%s: %s", when, fsck_words[i]);
}

/* ---- changing records ------------------------------------------------------------------------------------ */

static bool
load(struct damaged *d, const struct key *key)
{
    return catalog_get(d->w.catalog, NULL, key_text(key), &d->storage, NULL) == ERROR_NONE;
}

static void
write_record(struct damaged *d, const struct key *key, const struct text *value)
{
    struct buffer before = {0};
    struct error error = {0};
    struct catalog_batch *batch = catalog_batch_new();
    if (catalog_get(d->w.catalog, NULL, key_text(key), &before, NULL) == ERROR_NONE)
        catalog_batch_put(d->undo, key_text(key), buffer_text(&before));
    else
        catalog_batch_delete(d->undo, key_text(key));
    if (value != NULL)
        catalog_batch_put(batch, key_text(key), *value);
    else
        catalog_batch_delete(batch, key_text(key));
    assert_int_equal(catalog_write(d->w.catalog, batch, &error), ERROR_NONE);
    catalog_batch_free(batch);
    buffer_release(&before);
}

static void
set(struct damaged *d, const struct key *key, struct text value)
{
    write_record(d, key, &value);
}

static void
drop(struct damaged *d, const struct key *key)
{
    assert_true(load(d, key)); /* that it is missed can only be seen of what is there */
    write_record(d, key, NULL);
}

static void
spoil(struct damaged *d, const struct key *key)
{
    assert_true(load(d, key));
    set(d, key, TEXT("\xff"));
}

static void
set_number(struct damaged *d, const struct key *key, uint64_t number)
{
    struct buffer value = {0};
    buffer_append_varint(&value, number);
    set(d, key, buffer_text(&value));
    buffer_release(&value);
}

static void
key_named(struct key *key, enum family family, const char *name)
{
    key_begin(key, family);
    key_append(key, text_from(name));
}

static struct node
load_node(struct damaged *d, uint64_t id)
{
    struct lookup lookup = {.catalog = d->w.catalog};
    struct node node;
    assert_int_equal(lookup_node(&lookup, id, &d->storage, &node, NULL), ERROR_NONE);
    return node;
}

static void
save_node(struct damaged *d, uint64_t id, const struct node *node)
{
    struct buffer value = {0};
    struct key key;
    key_node(&key, id);
    node_encode(node, 0, &value);
    set(d, &key, buffer_text(&value));
    buffer_release(&value);
}

static struct version_record
load_version(struct damaged *d, uint64_t id, uint64_t number)
{
    struct version_record version;
    struct key key;
    key_version(&key, id, number);
    assert_true(load(d, &key));
    assert_int_equal(version_decode(buffer_text(&d->storage), &version, NULL), ERROR_NONE);
    return version;
}

static void
save_version(struct damaged *d, uint64_t id, uint64_t number, const struct version_record *version)
{
    struct buffer value = {0};
    struct key key;
    key_version(&key, id, number);
    version_encode(version, &value);
    set(d, &key, buffer_text(&value));
    buffer_release(&value);
}

static void
save_child(struct damaged *d, const struct key *key, struct child_record child)
{
    struct buffer value = {0};
    child_encode(&child, &value);
    set(d, key, buffer_text(&value));
    buffer_release(&value);
}

/* The first key of a family. */
static void
first_key(struct damaged *d, enum family family, struct key *ret)
{
    struct lookup lookup = {.catalog = d->w.catalog};
    struct catalog_scan *scan;
    struct text key, value;
    key_begin(ret, family);
    assert_int_equal(lookup_scan(&lookup, ret, &scan, NULL), ERROR_NONE);
    assert_true(catalog_scan_next(scan, &key, &value));
    ret->length = 0;
    key_append(ret, key);
    assert_int_equal(catalog_scan_close(scan, NULL), ERROR_NONE);
}

/* ---- one way to break each ------------------------------------------------------------------------------- */

static void
break_POSITION_MISSING(struct damaged *d)
{
    struct key key = {.length = 0};
    key_append(&key, TEXT(KEY_POSITION));
    drop(d, &key);
}

static void
move_position(struct damaged *d, uint64_t sequences, unsigned char chain)
{
    struct key key = {.length = 0};
    struct position position;
    struct buffer value = {0};
    key_append(&key, TEXT(KEY_POSITION));
    assert_true(load(d, &key));
    assert_int_equal(position_decode(buffer_text(&d->storage), &position, NULL), ERROR_NONE);
    position.sequence += sequences;
    position.chain[3] ^= chain;
    position_encode(&position, &value);
    set(d, &key, buffer_text(&value));
    buffer_release(&value);
}

static void
break_POSITION_BEYOND(struct damaged *d)
{
    move_position(d, 5, 0);
}

static void
break_POSITION_DIFFERS(struct damaged *d)
{
    move_position(d, 0, 1);
}

static void
break_KEY_DAMAGED(struct damaged *d)
{
    struct key key;
    key_named(&key, FAMILY_NODE, "123");
    set(d, &key, TEXT(""));
}

static void
flip(struct damaged *d)
{
    char name[40];
    struct position position = store_position(d->w.model->store);
    snprintf(name, sizeof name, "log-%010llu.tar", (unsigned long long)position.volume);
    device_simulated_flip(d->w.volumes, name, d->flipped, 0);
}

static void
break_GROUP_DAMAGED(struct damaged *d)
{
    d->flipped = store_position(d->w.model->store).offset + 20;
    flip(d);
}

/* A group whose bytes are whole and whose line says nothing. It stays in the journal: the last to be tried. */
static void
break_LINE_DAMAGED(struct damaged *d)
{
    struct group *group;
    struct group_info info;
    struct position position;
    struct group_timing timing;
    struct key key = {.length = 0};
    struct buffer value = {0};
    unsigned index;
    assert_int_equal(group_begin(d->w.model->store, false, &group, &info, NULL), ERROR_NONE);
    assert_int_equal(group_add_line(group, TEXT("{\"op\":\"create\",\"id\":\"five\"}"), &index, NULL), ERROR_NONE);
    assert_int_equal(group_commit(group, &position, &timing, NULL), ERROR_NONE);
    key_append(&key, TEXT(KEY_POSITION));
    position_encode(&position, &value);
    set(d, &key, buffer_text(&value));
    buffer_release(&value);
}

static void
break_CREATION_LOST(struct damaged *d)
{
    struct overlay *overlay = overlay_new(d->w.catalog);
    struct catalog_batch *batch = catalog_batch_new();
    static const enum family families[] = {FAMILY_NODE, FAMILY_VERSION, FAMILY_HISTORY};
    struct lookup lookup = {.catalog = d->w.catalog};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) { /* for undoing it */
        struct key prefix;
        struct catalog_scan *scan;
        struct text key, value;
        key_of(&prefix, families[i], d->gone);
        assert_int_equal(lookup_scan(&lookup, &prefix, &scan, NULL), ERROR_NONE);
        while (catalog_scan_next(scan, &key, &value))
            catalog_batch_put(d->undo, key, value);
        assert_int_equal(catalog_scan_close(scan, NULL), ERROR_NONE);
    }
    struct node node = load_node(d, d->gone);
    struct key gone, mark, digest;
    key_gone(&gone, node.parent, node.name, d->gone);
    key_tombstone(&mark, node.parent, node.name);
    key_digest(&digest, node.digest, d->gone);
    drop(d, &gone);
    drop(d, &mark);
    drop(d, &digest);
    assert_int_equal(overlay_forget(overlay, d->gone, NULL), ERROR_NONE);
    overlay_to_batch(overlay, batch);
    assert_int_equal(catalog_write(d->w.catalog, batch, NULL), ERROR_NONE);
    catalog_batch_free(batch);
    overlay_free(overlay);
}

static void
break_NODE_DAMAGED(struct damaged *d)
{
    struct key key;
    key_node(&key, d->a);
    spoil(d, &key);
}

/* The child is where its record says, and nothing is known of that parent. */
static void
break_PARENT_MISSING(struct damaged *d)
{
    struct node node = load_node(d, d->a);
    struct key from, to;
    struct child_record child;
    key_child(&from, node.parent, node.name);
    key_child(&to, NOBODY, node.name);
    node.parent = NOBODY;
    save_node(d, d->a, &node);
    assert_true(load(d, &from));
    assert_int_equal(child_decode(buffer_text(&d->storage), &child, NULL), ERROR_NONE);
    save_child(d, &to, child);
    drop(d, &from);
}

static void
break_CHILD_MISSING(struct damaged *d)
{
    struct key key;
    key_child(&key, d->docs, TEXT("a"));
    drop(d, &key);
}

static void
break_NAME_TAKEN(struct damaged *d)
{
    struct key key;
    key_child(&key, d->docs, TEXT("a"));
    save_child(d, &key, (struct child_record){d->b, RESOURCE_FILE, 0});
}

static void
break_CHILD_DIFFERS(struct damaged *d)
{
    struct key key;
    key_child(&key, d->docs, TEXT("a"));
    save_child(d, &key, (struct child_record){d->a, RESOURCE_FILE, CHILD_HAS_RULE});
}

static void
break_CHILD_DAMAGED(struct damaged *d)
{
    struct key key;
    key_child(&key, d->docs, TEXT("a"));
    spoil(d, &key);
}

static void
break_CHILD_WITHOUT_NODE(struct damaged *d)
{
    struct key key;
    key_child(&key, d->docs, TEXT("zz"));
    save_child(d, &key, (struct child_record){NOBODY, RESOURCE_FILE, 0});
}

static void
break_CHILD_ELSEWHERE(struct damaged *d)
{
    struct key key;
    key_child(&key, d->docs, TEXT("zz"));
    save_child(d, &key, (struct child_record){d->a, RESOURCE_FILE, 0});
}

static void
break_CHILD_DELETED(struct damaged *d)
{
    struct key key;
    key_child(&key, d->docs, TEXT("gone"));
    save_child(d, &key, (struct child_record){d->gone, RESOURCE_FILE, 0});
}

static void
break_GONE_MISSING(struct damaged *d)
{
    struct key key;
    key_gone(&key, d->docs, TEXT("forgotten"), d->forgotten);
    drop(d, &key);
}

static void
break_GONE_WRONG(struct damaged *d)
{
    struct key key;
    key_gone(&key, d->docs, TEXT("a"), d->a);
    set(d, &key, TEXT("\x01\x01"));
}

static void
break_TOMBSTONE_WRONG(struct damaged *d)
{
    struct key key;
    key_tombstone(&key, d->docs, TEXT("a"));
    set_number(d, &key, d->a);
}

static void
break_COUNTS_DAMAGED(struct damaged *d)
{
    struct key key;
    key_counts(&key, d->docs);
    spoil(d, &key);
}

static void
save_counts(struct damaged *d, uint64_t id, const struct counts *counts)
{
    struct key key;
    struct buffer value = {0};
    key_counts(&key, id);
    counts_encode(counts, &value);
    set(d, &key, buffer_text(&value));
    buffer_release(&value);
}

static void
break_COUNTS_WITHOUT_NODE(struct damaged *d)
{
    save_counts(d, NOBODY, &(struct counts){.change = 1});
}

static void
break_COUNTS_MISSING(struct damaged *d)
{
    struct key key;
    key_counts(&key, d->gone_tree);
    drop(d, &key);
}

static void
break_COUNTS_WRONG(struct damaged *d)
{
    struct lookup lookup = {.catalog = d->w.catalog};
    struct counts counts;
    assert_int_equal(lookup_counts(&lookup, d->gone_tree, &counts, NULL), ERROR_NONE);
    counts.bytes++;
    save_counts(d, d->gone_tree, &counts);
}

static void
break_HISTORY_WITHOUT_NODE(struct damaged *d)
{
    struct key key;
    key_history(&key, NOBODY, 1, 1);
    set(d, &key, TEXT(""));
}

static void
break_DUE_MISSING(struct damaged *d)
{
    struct key key;
    key_due(&key, UINT64_C(1800000000000000), d->a, TEXT("review"));
    drop(d, &key);
}

static void
break_DUE_WRONG(struct damaged *d)
{
    struct key key;
    key_due(&key, UINT64_C(1900000000000000), d->a, TEXT("review"));
    set(d, &key, TEXT(""));
}

static void
break_VERSION_DAMAGED(struct damaged *d)
{
    struct key key;
    key_version(&key, d->b, 1);
    spoil(d, &key);
}

static void
break_VERSION_WITHOUT_NODE(struct damaged *d)
{
    struct version_record version = load_version(d, d->b, 1);
    save_version(d, NOBODY, 1, &version);
}

static void
break_VERSION_MISSING(struct damaged *d)
{
    struct version_record version = load_version(d, d->b, 1);
    struct key key;
    key_digest(&key, version.digest, d->b);
    drop(d, &key);
    key_version(&key, d->b, 1);
    drop(d, &key);
}

static void
break_VERSION_BEYOND(struct damaged *d)
{
    struct version_record version = load_version(d, d->b, 3);
    save_version(d, d->b, 4, &version);
}

static void
break_CONTENT_DIFFERS(struct damaged *d)
{
    struct node node = load_node(d, d->b);
    node.content.offset += 512;
    save_node(d, d->b, &node);
}

static void
break_PLACE_MISSING(struct damaged *d)
{
    struct version_record version = load_version(d, d->b, 1);
    version.content.volume = 0;
    version.inventory.volume = 0;
    save_version(d, d->b, 1, &version);
    d->times = 2;
}

static void
put_volume(struct damaged *d, uint64_t number, const struct volume_record *volume)
{
    struct key key;
    struct buffer value = {0};
    key_of(&key, FAMILY_VOLUME, number);
    volume_encode(volume, &value);
    set(d, &key, buffer_text(&value));
    buffer_release(&value);
}

static void
break_PLACE_UNKNOWN(struct damaged *d)
{
    struct version_record version = load_version(d, d->b, 1);
    version.content.volume = 99;
    save_version(d, d->b, 1, &version);
    put_volume(d, 99, &(struct volume_record){.bulk = true, .committed_bytes = UINT64_C(1) << 40});
}

static void
break_PLACE_BEYOND(struct damaged *d)
{
    uint64_t volume = store_position(d->w.model->store).volume;
    struct version_record version = load_version(d, d->big, 1);
    version.sums.offset = UINT64_C(1) << 30; /* in a bulk volume */
    save_version(d, d->big, 1, &version);
    version = load_version(d, d->b, 1);
    version.content = (struct place){volume, UINT64_C(1) << 40};
    save_version(d, d->b, 1, &version);
    version = load_version(d, d->b, 2);
    version.inventory.volume = volume + 7;
    save_version(d, d->b, 2, &version);
    d->times = 3;
}

static void
break_PLACE_EMPTY(struct damaged *d)
{
    struct version_record version = load_version(d, d->b, 1);
    version.content.offset += 512;
    save_version(d, d->b, 1, &version);
    version = load_version(d, d->big, 1);
    version.sums.offset += 512;
    save_version(d, d->big, 1, &version);
    d->times = 2;
}

static void
break_PLACE_OF_ANOTHER(struct damaged *d)
{
    struct place of_a = load_version(d, d->a, 1).content, of_big = load_version(d, d->big, 2).sums;
    struct version_record version = load_version(d, d->b, 1);
    version.content = of_a;
    save_version(d, d->b, 1, &version);
    version = load_version(d, d->b, 2);
    version.inventory_bytes++;
    save_version(d, d->b, 2, &version);
    version = load_version(d, d->big, 1);
    version.sums = of_big;
    save_version(d, d->big, 1, &version);
    d->times = 3;
}

static void
break_DIGEST_MISSING(struct damaged *d)
{
    struct key key;
    key_digest(&key, load_version(d, d->b, 1).digest, d->b);
    drop(d, &key);
}

static void
break_DIGEST_WRONG(struct damaged *d)
{
    struct key key;
    key_digest(&key, TEXT("0123456789abcdef"), d->b);
    set(d, &key, TEXT(""));
}

static void
break_VOLUME_DAMAGED(struct damaged *d)
{
    struct key key;
    key_of(&key, FAMILY_VOLUME, load_version(d, d->big, 1).content.volume);
    spoil(d, &key);
}

static void
break_VOLUME_MISSING(struct damaged *d)
{
    put_volume(d, 99, &(struct volume_record){.bulk = true, .committed_bytes = 5});
}

static void
break_VOLUME_DIFFERS(struct damaged *d)
{
    struct key key;
    struct volume_record volume;
    key_of(&key, FAMILY_VOLUME, 1);
    assert_true(load(d, &key));
    assert_int_equal(volume_decode(buffer_text(&d->storage), &volume, NULL), ERROR_NONE);
    assert_true(volume.sealed_bytes > 0);
    volume.sealed_bytes++;
    put_volume(d, 1, &volume);
}

static struct statement
statement_of_a(const char *attribute, const char *value)
{
    return (struct statement){text_from(attribute), 0, text_from(value), TEXT("@en"), TEXT("extra")};
}

/* The statement's own key, whatever its place is. */
static void
key_of_statement(struct damaged *d, const char *attribute, struct key *ret)
{
    struct lookup lookup = {.catalog = d->w.catalog};
    struct catalog_scan *scan;
    struct text key, value;
    key_statement_prefix(ret, d->a, text_from(attribute));
    assert_int_equal(lookup_scan(&lookup, ret, &scan, NULL), ERROR_NONE);
    assert_true(catalog_scan_next(scan, &key, &value));
    ret->length = 0;
    key_append(ret, key);
    assert_int_equal(catalog_scan_close(scan, NULL), ERROR_NONE);
}

static struct statement
load_statement(struct damaged *d, const char *attribute, struct key *key)
{
    struct statement statement;
    key_of_statement(d, attribute, key);
    assert_true(load(d, key));
    assert_int_equal(statement_decode(key_text(key), buffer_text(&d->storage), &statement, NULL), ERROR_NONE);
    return statement;
}

static void
break_STATEMENT_DAMAGED(struct damaged *d)
{
    struct key key;
    key_of_statement(d, "title", &key);
    spoil(d, &key);
}

static void
break_STATEMENT_COUNT(struct damaged *d)
{
    struct node node = load_node(d, d->a);
    node.statements++;
    save_node(d, d->a, &node);
}

static void
break_STATEMENT_WITHOUT_NODE(struct damaged *d)
{
    struct statement statement = statement_of_a("title", "words");
    struct buffer value = {0};
    struct key key;
    key_statement(&key, NOBODY, &statement);
    buffer_append_counted(&value, statement.value);
    buffer_append_counted(&value, statement.qualifier);
    buffer_append_counted(&value, statement.extra);
    set(d, &key, buffer_text(&value));
    buffer_release(&value);
}

static void
break_INVERSE_MISSING(struct damaged *d)
{
    struct key key, inverse;
    struct statement statement = load_statement(d, "title", &key);
    key_inverse(&inverse, d->a, &statement, INVERSE_TEXT);
    drop(d, &inverse);
    statement = load_statement(d, "size", &key);
    key_inverse(&inverse, d->a, &statement, INVERSE_NUMBER);
    drop(d, &inverse);
    d->times = 2;
}

/* Under an attribute that it has, with a value that it has not; the same as a number. */
static void
break_INVERSE_WRONG(struct damaged *d)
{
    struct key key;
    struct statement statement = statement_of_a("title", "other words");
    key_inverse(&key, d->a, &statement, INVERSE_TEXT);
    set(d, &key, TEXT(""));
    statement = statement_of_a("size", "13");
    key_inverse(&key, d->a, &statement, INVERSE_NUMBER);
    set(d, &key, TEXT(""));
    d->times = 2;
}

static void
break_RULE_MISSING(struct damaged *d)
{
    struct node node = load_node(d, d->docs);
    node.rule = NOBODY;
    save_node(d, d->docs, &node);
}

static void
break_RULE_HASH_MISSING(struct damaged *d)
{
    struct key key;
    first_key(d, FAMILY_RULE_HASH, &key);
    drop(d, &key);
}

static void
break_RULE_HASH_WRONG(struct damaged *d)
{
    struct key key, other;
    first_key(d, FAMILY_RULE_HASH, &key);
    assert_true(load(d, &key));
    key_named(&other, FAMILY_RULE_HASH, "0123456789abcdef");
    set(d, &other, buffer_text(&d->storage));
}

static void
break_USER_DAMAGED(struct damaged *d)
{
    struct key key;
    key_of(&key, FAMILY_USER, d->anna);
    spoil(d, &key);
}

static void
break_USER_NAME_MISSING(struct damaged *d)
{
    struct key key;
    key_named(&key, FAMILY_USER_NAME, "anna");
    drop(d, &key);
}

static void
break_USER_NAME_WRONG(struct damaged *d)
{
    struct key key;
    key_named(&key, FAMILY_USER_NAME, "hanna");
    set_number(d, &key, d->anna);
    key_named(&key, FAMILY_USER_NAME, "otto");
    set_number(d, &key, NOBODY);
    d->times = 2;
}

static void
break_GROUP_DAMAGED_RECORD(struct damaged *d)
{
    struct key key;
    key_of(&key, FAMILY_GROUP, d->staff);
    spoil(d, &key);
}

static void
break_GROUP_NAME_MISSING(struct damaged *d)
{
    struct key key;
    key_named(&key, FAMILY_GROUP_NAME, "staff");
    drop(d, &key);
}

static void
break_GROUP_NAME_WRONG(struct damaged *d)
{
    struct key key;
    key_named(&key, FAMILY_GROUP_NAME, "stuff");
    set_number(d, &key, d->staff);
    key_named(&key, FAMILY_GROUP_NAME, "others");
    set_number(d, &key, NOBODY);
    d->times = 2;
}

/* Of anna's token; the first is the administrator's. */
static struct token_record
load_token(struct damaged *d, struct key *ret_key)
{
    struct lookup lookup = {.catalog = d->w.catalog};
    struct catalog_scan *scan;
    struct text key, value;
    struct token_record token = {0};
    key_begin(ret_key, FAMILY_TOKEN);
    assert_int_equal(lookup_scan(&lookup, ret_key, &scan, NULL), ERROR_NONE);
    while (token.user != d->anna) {
        assert_true(catalog_scan_next(scan, &key, &value));
        assert_int_equal(token_decode(value, &token, NULL), ERROR_NONE);
    }
    ret_key->length = 0;
    key_append(ret_key, key);
    assert_int_equal(catalog_scan_close(scan, NULL), ERROR_NONE);
    assert_true(load(d, ret_key));
    assert_int_equal(token_decode(buffer_text(&d->storage), &token, NULL), ERROR_NONE);
    return token;
}

static void
break_TOKEN_DAMAGED(struct damaged *d)
{
    struct key key;
    load_token(d, &key);
    spoil(d, &key);
}

static void
break_TOKEN_WITHOUT_USER(struct damaged *d)
{
    struct key key;
    struct token_record token = load_token(d, &key);
    struct buffer value = {0};
    buffer_append_varint(&value, NOBODY);
    buffer_append_varint(&value, token.created_us);
    buffer_append_varint(&value, token.expires_us);
    buffer_append_counted(&value, token.label);
    buffer_append_counted(&value, token.sha256);
    set(d, &key, buffer_text(&value));
    buffer_release(&value);
}

static void
break_TOKEN_HASH_MISSING(struct damaged *d)
{
    struct key key, hash;
    struct token_record token = load_token(d, &key);
    key_begin(&hash, FAMILY_TOKEN_HASH);
    key_append(&hash, token.sha256);
    drop(d, &hash);
}

static void
break_TOKEN_HASH_WRONG(struct damaged *d)
{
    struct key key, hash;
    load_token(d, &key);
    key_named(&hash, FAMILY_TOKEN_HASH, "0123456789abcdef0123456789abcdef");
    set_number(d, &hash, key_read_number(key_text(&key), 1));
    key_named(&hash, FAMILY_TOKEN_HASH, "fedcba9876543210fedcba9876543210");
    set_number(d, &hash, NOBODY);
    d->times = 2;
}

static void
key_pair(struct key *key, enum family family, uint64_t first, uint64_t second)
{
    key_of(key, family, first);
    key_number(key, second);
}

static void
add_membership(struct damaged *d, uint64_t user, uint64_t group)
{
    struct key key;
    key_pair(&key, FAMILY_MEMBER, user, group);
    set(d, &key, TEXT(""));
    key_pair(&key, FAMILY_GROUP_MEMBER, group, user);
    set(d, &key, TEXT(""));
}

static void
break_MEMBER_WITHOUT_USER(struct damaged *d)
{
    add_membership(d, NOBODY, d->staff);
}

static void
break_MEMBER_WITHOUT_GROUP(struct damaged *d)
{
    add_membership(d, d->anna, NOBODY);
}

static void
break_MEMBER_NOT_IN_GROUP(struct damaged *d)
{
    struct key key;
    key_pair(&key, FAMILY_GROUP_MEMBER, d->staff, d->anna);
    drop(d, &key);
}

static void
break_MEMBER_NOT_IN_USER(struct damaged *d)
{
    struct key key;
    key_pair(&key, FAMILY_MEMBER, d->anna, d->staff);
    drop(d, &key);
}

/* ---- identifiers and harvesting: of the record /set/record, whose handle is 1/1 --------------------------- */

static void
key_of_handle(struct damaged *d, struct key *key)
{
    struct text record_key, value;
    struct catalog_scan *scan;
    struct key prefix, to;
    key_identifier_prefix(&prefix, id_of(&d->w, "/set/record"), TEXT("handle"));
    assert_true(key_after(&prefix, &to));
    struct catalog_scan_range range = {key_text(&prefix), key_text(&to), false};
    assert_int_equal(catalog_scan_open(d->w.catalog, NULL, &range, &scan, NULL), ERROR_NONE);
    assert_true(catalog_scan_next(scan, &record_key, &value));
    key->length = 0;
    key_append(key, record_key);
    assert_int_equal(catalog_scan_close(scan, NULL), ERROR_NONE);
}

static void
break_IDENTIFIER_DAMAGED(struct damaged *d)
{
    struct key key;
    key_of_handle(d, &key);
    spoil(d, &key);
}

static void
break_IDENTIFIER_MISSING(struct damaged *d)
{
    struct key key;
    key_external(&key, TEXT("handle"), TEXT("1/1"));
    drop(d, &key);
}

static void
break_IDENTIFIER_WRONG(struct damaged *d)
{
    struct key key;
    key_external(&key, TEXT("handle"), TEXT("1/2"));
    set_number(d, &key, id_of(&d->w, "/set/record"));
}

static struct harvest_record
load_stamp(struct damaged *d, struct key *key)
{
    static uint64_t ids[4];
    struct harvest_record record;
    struct arena arena;
    arena_init(&arena, 0);
    key_stamp(key, id_of(&d->w, "/set/record"));
    assert_true(load(d, key));
    assert_int_equal(harvest_record_decode(buffer_text(&d->storage), &arena, &record, NULL), ERROR_NONE);
    assert_int_equal(record.sets.count, 1);
    ids[0] = record.sets.ids[0];
    record.sets.ids = ids;
    arena_release(&arena);
    return record;
}

static void
break_STAMP_DAMAGED(struct damaged *d)
{
    struct key key;
    (void)load_stamp(d, &key);
    spoil(d, &key);
}

static void
break_HARVEST_MISSING(struct damaged *d)
{
    struct key key;
    struct harvest_record record = load_stamp(d, &key);
    key_harvest(&key, record.sets.ids[0], record.time_us, id_of(&d->w, "/set/record"));
    drop(d, &key);
}

static void
break_HARVEST_WRONG(struct damaged *d)
{
    struct key key;
    struct harvest_record record = load_stamp(d, &key);
    key_harvest(&key, 0, record.time_us + 1, id_of(&d->w, "/set/record"));
    set_number(d, &key, 1); /* of another time */
    key_harvest(&key, 7, record.time_us, id_of(&d->w, "/set/record"));
    set_number(d, &key, 1); /* of a set that it is not in */
    key_harvest(&key, 0, record.time_us, id_of(&d->w, "/set/record"));
    set_number(d, &key, 0); /* live, and listed as deleted */
    d->times = 3;
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

#define NO_OTHER FSCK_FAULT_COUNT
struct other { /* what cannot but go with it */
    enum fsck_fault fault, others[2];
};
static const struct other others[] = {
    {FSCK_PARENT_MISSING, {FSCK_COUNTS_WRONG, NO_OTHER}},
    {FSCK_CHILD_MISSING, {FSCK_COUNTS_WRONG, NO_OTHER}},
    {FSCK_NAME_TAKEN, {FSCK_CHILD_ELSEWHERE, NO_OTHER}},
    {FSCK_CHILD_ELSEWHERE, {FSCK_COUNTS_WRONG, NO_OTHER}},
    {FSCK_CHILD_DELETED, {FSCK_COUNTS_WRONG, NO_OTHER}},
    {FSCK_VERSION_BEYOND, {FSCK_PLACE_OF_ANOTHER, NO_OTHER}}, /* its inventory is that of version 3 */
    {FSCK_PLACE_UNKNOWN, {FSCK_VOLUME_MISSING, NO_OTHER}},
    {FSCK_STATEMENT_DAMAGED, {FSCK_INVERSE_WRONG, NO_OTHER}},
    {FSCK_IDENTIFIER_DAMAGED, {FSCK_IDENTIFIER_WRONG, NO_OTHER}},
};

static bool
is_expected(enum fsck_fault broken, enum fsck_fault fault)
{
    if (fault == broken)
        return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].fault == broken && (others[i].others[0] == fault || others[i].others[1] == fault))
            return true;
    return false;
}

static void
break_and_look(struct damaged *d, enum fsck_fault fault, void (*break_it)(struct damaged *))
{
    struct error error = {0};
    d->undo = catalog_batch_new();
    d->flipped = 0;
    d->times = 1;
    break_it(d);
    look(d);
    assert_int_equal(d->seen[fault], d->times);
    for (unsigned i = 0; i < FSCK_FAULT_COUNT; i++)
        if ((d->seen[i] != 0) != is_expected(fault, (enum fsck_fault)i))
            fail_msg("%s: %s %s", fsck_words[fault], d->seen[i] != 0 ? "told too" : "not told", fsck_words[i]);
    if (d->flipped != 0)
        flip(d);
    assert_int_equal(catalog_write(d->w.catalog, d->undo, &error), ERROR_NONE);
    catalog_batch_free(d->undo);
    if (fault != FSCK_LINE_DAMAGED)
        expect_sound(d, fsck_words[fault]);
}

static void
fill(struct damaged *d)
{
    world_init(&d->w);
    expect_sound(d, "a new store");
    add_people(d);
    add_files(d);
    expect_sound(d, "files");
    add_aggregate(&d->w);
    expect_sound(d, "an aggregate");
    add_record(&d->w);
    expect_sound(d, "a record for harvesters");
    add_rules(d);
    move(&d->w, "/tree", "/docs/moved");
    move(&d->w, "/docs/b", "/b");
    move(&d->w, "/b", "/docs/b");
    expect_sound(d, "rules and moves");
    add_deleted(d);
    expect_sound(d, "deleted and purged");
    compact(&d->w);
    expect_sound(d, "sealed and compacted");
    put(&d->w, "/docs/late", LENGTH, 9);
    expect_sound(d, "a new volume");
}

static bool
append_line(void *context, struct text json)
{
    buffer_append_text(context, json);
    buffer_append_char(context, '\n');
    return true;
}

static void
a_replay_from_nothing_gives_the_same_catalog(void **state)
{
    static struct damaged d;
    struct buffer before = {0}, after = {0};
    struct error error = {0};
    (void)state;
    fill(&d);
    assert_int_equal(model_dump(d.w.model, append_line, &before, &error), ERROR_NONE);
    model_close(d.w.model);
    catalog_close(d.w.catalog);
    d.w.catalog = catalog_memory_new();
    struct model_options options = options_of_world();
    struct model_parts parts = {d.w.volumes, d.w.lost, d.w.catalog, &d.w.clock.clock, &d.w.random.source};
    assert_int_equal(model_open_parts(&options, &parts, &d.w.model, &error), ERROR_NONE);
    assert_int_equal(model_dump(d.w.model, append_line, &after, &error), ERROR_NONE);
    assert_true(before.length > 10000);
    assert_text(buffer_text(&after), buffer_text(&before));
    expect_sound(&d, "replayed");
    buffer_release(&before);
    buffer_release(&after);
    world_release(&d.w);
}

static void
each_wrong_record_is_named(void **state)
{
    static void (*const breaks[FSCK_FAULT_COUNT])(struct damaged *) = {
#define X(name, words) [FSCK_##name] = break_##name,
        FSCK_FAULTS(X)
#undef X
    };
    static struct damaged d;
    (void)state;
    fill(&d);
    for (unsigned i = 0; i < FSCK_FAULT_COUNT; i++)
        if (i != FSCK_LINE_DAMAGED)
            break_and_look(&d, (enum fsck_fault)i, breaks[i]);
    break_and_look(&d, FSCK_LINE_DAMAGED, breaks[FSCK_LINE_DAMAGED]);
    buffer_release(&d.storage);
    world_release(&d.w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_wrong_record_is_named),
                                       cmocka_unit_test(a_replay_from_nothing_gives_the_same_catalog)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
