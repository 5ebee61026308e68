/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole catalog as canonical JSON lines, in the order of keys: {"family":…,"key":[…],"value":…}. What is in
 * it depends on the journal alone, so two dumps of one journal are equal byte for byte.
 */
#include "base/ensure.h"
#include "format/json.h"
#include "model/record/keys.h"
#include "model/maintenance.h"
#include "model/private.h"

struct dumped {
    struct text key, value; /* key without its family byte */
    struct cursor cursor;   /* over the value */
    struct json_writer *w;
    enum error_code code;
    struct error *error;
};

/* ---- pieces --------------------------------------------------------------------------------------------- */

static void
put_number(struct dumped *d, const char *name, uint64_t value)
{
    json_key(d->w, name);
    json_put_u64(d->w, value);
}

static void
put_text(struct dumped *d, const char *name, struct text value)
{
    json_key(d->w, name);
    json_put_text(d->w, value);
}

static void
put_hex(struct dumped *d, const char *name, struct text value)
{
    json_key(d->w, name);
    json_put_hex(d->w, value.data, value.length);
}

/* Keys: numbers of 8 bytes from the front, then what is left, as text when it is one. */
static void
put_key(struct dumped *d, unsigned numbers)
{
    struct text rest = d->key;
    json_key(d->w, "key");
    json_begin_array(d->w);
    for (unsigned i = 0; i < numbers && rest.length >= 8; i++) {
        json_put_u64(d->w, key_read_number(rest, 0));
        rest = text_of(rest.data + 8, rest.length - 8);
    }
    if (rest.length > 0 && text_is_utf8(rest))
        json_put_text(d->w, rest);
    else if (rest.length > 0)
        json_put_hex(d->w, rest.data, rest.length);
    json_end_array(d->w);
}

static void
begin_value(struct dumped *d)
{
    json_key(d->w, "value");
    json_begin_object(d->w);
}

/* ---- families: how many numbers the key begins with, and the value ------------------------------------------ */

static void
dump_nothing(struct dumped *d)
{
}

static void
dump_VOLUME(struct dumped *d)
{
    struct volume_record v;
    if ((d->code = volume_decode(d->value, &v, d->error)) != ERROR_NONE)
        return;
    put_number(d, "bulk", v.bulk);
    put_number(d, "committed", v.committed_bytes);
    put_number(d, "generation", v.generation);
    put_number(d, "sealed", v.sealed_bytes);
    put_hex(d, "sha256", v.sha256);
}

static void
dump_CHILD(struct dumped *d)
{
    struct child_record c;
    if ((d->code = child_decode(d->value, &c, d->error)) != ERROR_NONE)
        return;
    put_number(d, "id", c.id);
    put_number(d, "kind", c.kind);
    put_number(d, "flags", c.flags);
}

/* Values that are a run of varints. */
static void
dump_numbers(struct dumped *d)
{
    json_key(d->w, "numbers");
    json_begin_array(d->w);
    while (d->cursor.left > 0 && !d->cursor.bad)
        json_put_u64(d->w, cursor_varint(&d->cursor));
    json_end_array(d->w);
}

#define dump_DIGEST dump_nothing
#define dump_STAMP dump_numbers
#define dump_HARVEST dump_numbers
#define dump_DUE_OF dump_numbers
#define dump_GONE dump_numbers
#define dump_INVERSE dump_nothing
#define dump_TOMBSTONE dump_numbers
#define dump_MEMBER dump_nothing
#define dump_COUNTER dump_numbers
#define dump_GROUP_MEMBER dump_nothing
#define dump_RULE dump_numbers
#define dump_WORK dump_numbers
#define dump_EXTERNAL dump_numbers
#define dump_DUE dump_nothing
#define dump_GROUP_NAME dump_numbers
#define dump_RULE_HASH dump_numbers
#define dump_TOKEN_HASH dump_numbers
#define dump_USER_NAME dump_numbers

static void
dump_IDENTIFIER(struct dumped *d)
{
    put_text(d, "value", cursor_counted(&d->cursor));
}

static void
dump_CHANGE(struct dumped *d)
{
    put_number(d, "id", cursor_varint(&d->cursor));
    put_text(d, "operation", text_from(operation_word((enum operation)cursor_varint(&d->cursor))));
}

static void
dump_HISTORY(struct dumped *d)
{
    put_text(d, "operation", text_from(operation_word((enum operation)cursor_varint(&d->cursor))));
    put_number(d, "by", cursor_varint(&d->cursor));
    put_number(d, "version", cursor_varint(&d->cursor));
    put_number(d, "time_us", cursor_varint(&d->cursor));
}

static void
dump_COUNTS(struct dumped *d)
{
    struct counts c;
    if ((d->code = counts_decode(d->value, &c, d->error)) != ERROR_NONE)
        return;
#define SIGNED(name)                                                                               \
    json_key(d->w, #name);                                                                         \
    json_put_i64(d->w, c.name)
    SIGNED(children);
    SIGNED(resources);
    SIGNED(files);
    SIGNED(bytes);
#undef SIGNED
    put_number(d, "change", c.change);
}

static void
put_node_NUMBER(struct dumped *d, const char *name, const uint64_t *value)
{
    put_number(d, name, *value);
}

static void
put_node_TEXT(struct dumped *d, const char *name, const struct text *value)
{
    if (text_is_utf8(*value) && strcmp(name, "block_sums") != 0 && strcmp(name, "digest") != 0)
        put_text(d, name, *value);
    else
        put_hex(d, name, *value);
}

static void
dump_NODE(struct dumped *d)
{
    struct node n;
    if ((d->code = node_decode(d->value, &n, NULL, d->error)) != ERROR_NONE)
        return;
#define X(field, kind, member)                                                                     \
    if (n.present & NODE_BIT(field))                                                               \
        put_node_##kind(d, #member, &n.member);
    NODE_FIELDS(X)
#undef X
}

static void
dump_GROUP(struct dumped *d)
{
    put_text(d, "name", cursor_counted(&d->cursor));
}

static void
dump_STATEMENT(struct dumped *d)
{
    put_text(d, "value", cursor_counted(&d->cursor));
    put_text(d, "qualifier", cursor_counted(&d->cursor));
    put_text(d, "extra", cursor_counted(&d->cursor));
}

static void
dump_TOKEN(struct dumped *d)
{
    struct token_record t;
    if ((d->code = token_decode(d->value, &t, d->error)) != ERROR_NONE)
        return;
    put_number(d, "user", t.user);
    put_number(d, "created_us", t.created_us);
    put_number(d, "expires_us", t.expires_us);
    put_text(d, "label", t.label);
    put_hex(d, "sha256", t.sha256);
}

static void
dump_USER(struct dumped *d)
{
    struct user_record u;
    if ((d->code = user_decode(d->value, &u, d->error)) != ERROR_NONE)
        return;
    put_number(d, "role", u.role);
    put_number(d, "disabled", u.disabled);
    put_text(d, "name", u.name);
    put_text(d, "full_name", u.full_name);
    put_text(d, "email", u.email);
    put_text(d, "password", u.password);
}

static void
put_place(struct dumped *d, const char *name, struct place place)
{
    json_key(d->w, name);
    json_begin_array(d->w);
    json_put_u64(d->w, place.volume);
    json_put_u64(d->w, place.offset);
    json_end_array(d->w);
}

static void
dump_VERSION(struct dumped *d)
{
    struct version_record v;
    if ((d->code = version_decode(d->value, &v, d->error)) != ERROR_NONE)
        return;
    put_number(d, "flags", v.flags);
    put_number(d, "sequence", v.sequence);
    put_number(d, "time_us", v.time_us);
    put_number(d, "user", v.user);
    put_place(d, "inventory", v.inventory);
    put_number(d, "inventory_bytes", v.inventory_bytes);
    put_text(d, "message", v.message);
    if ((v.flags & VERSION_CONTENT) == 0)
        return;
    put_number(d, "size", v.size_bytes);
    put_place(d, "content", v.content);
    put_place(d, "sums", v.sums);
    put_hex(d, "digest", v.digest);
    put_text(d, "type", v.media_type);
    put_hex(d, "block_sums", v.block_sums);
}

static void
dump_STATE(struct dumped *d)
{
    put_hex(d, "bytes", d->value);
}

struct family_entry {
    unsigned char byte;
    const char *word;
    void (*dump)(struct dumped *);
    unsigned numbers; /* of 8 bytes at the front of the key */
};

/* How many numbers each key begins with: see the table of families in keys.h. */
#define KEY_NUMBERS_STAMP 1
#define KEY_NUMBERS_HARVEST 3
#define KEY_NUMBERS_IDENTIFIER 1
#define KEY_NUMBERS_VOLUME 1
#define KEY_NUMBERS_CHILD 1
#define KEY_NUMBERS_DIGEST 0
#define KEY_NUMBERS_DUE_OF 1
#define KEY_NUMBERS_CHANGE 1
#define KEY_NUMBERS_GONE 1
#define KEY_NUMBERS_HISTORY 2
#define KEY_NUMBERS_INVERSE 0
#define KEY_NUMBERS_COUNTS 1
#define KEY_NUMBERS_TOMBSTONE 1
#define KEY_NUMBERS_MEMBER 2
#define KEY_NUMBERS_NODE 1
#define KEY_NUMBERS_COUNTER 0
#define KEY_NUMBERS_GROUP 1
#define KEY_NUMBERS_GROUP_MEMBER 2
#define KEY_NUMBERS_RULE 1
#define KEY_NUMBERS_STATEMENT 1
#define KEY_NUMBERS_TOKEN 1
#define KEY_NUMBERS_USER 1
#define KEY_NUMBERS_VERSION 1
#define KEY_NUMBERS_WORK 1
#define KEY_NUMBERS_EXTERNAL 0
#define KEY_NUMBERS_STATE 0
#define KEY_NUMBERS_DUE 2
#define KEY_NUMBERS_GROUP_NAME 0
#define KEY_NUMBERS_RULE_HASH 0
#define KEY_NUMBERS_TOKEN_HASH 0
#define KEY_NUMBERS_USER_NAME 0

static const struct family_entry families[] = {
#define X(name, byte, word) {byte, word, dump_##name, KEY_NUMBERS_##name},
    FAMILIES(X)
#undef X
};

static const struct family_entry *
family_of(unsigned char byte)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (families[i].byte == byte)
            return &families[i];
    return NULL;
}

static enum error_code
dump_one(struct text key, struct text value, struct buffer *json, struct error *error)
{
    const struct family_entry *family = key.length == 0 ? NULL : family_of((unsigned char)key.data[0]);
    if (family == NULL)
        return error_set(error, ERROR_CORRUPT, "catalog: a key of no known family");
    buffer_clear(json);
    struct json_writer w = json_writer(json);
    struct dumped d = {.key = text_of(key.data + 1, key.length - 1), .value = value,
                       .cursor = cursor_of(value.data, value.length), .w = &w, .error = error};
    json_begin_object(&w);
    json_key(&w, "family");
    json_put_string(&w, family->word);
    put_key(&d, family->numbers);
    begin_value(&d);
    family->dump(&d);
    json_end_object(&w);
    json_end_object(&w);
    if (d.code == ERROR_NONE && d.cursor.bad)
        return error_set(error, ERROR_CORRUPT, "catalog: a %s record is damaged", family->word);
    return d.code != ERROR_NONE ? d.code : buffer_status(json, error);
}

enum error_code
model_dump(struct model *model, maintenance_line *line, void *context, struct error *error)
{
    struct catalog_snapshot *snapshot;
    struct catalog_scan_range all = {TEXT(""), TEXT(""), false};
    struct catalog_scan *scan;
    struct text key, value;
    struct buffer json = {0};
    enum error_code code = follower_settle(model, error); /* else the journal grows while two dumps are compared */
    if (code == ERROR_NONE)
        code = catalog_snapshot_take(model->catalog, &snapshot, error);
    if (code != ERROR_NONE)
        return code;
    code = catalog_scan_open(model->catalog, snapshot, &all, &scan, error);
    if (code == ERROR_NONE) {
        while (code == ERROR_NONE && catalog_scan_next(scan, &key, &value)) {
            code = dump_one(key, value, &json, error);
            if (code == ERROR_NONE && !line(context, buffer_text(&json)))
                code = error_set(error, ERROR_CLOSED, "stopped");
        }
        enum error_code closed = catalog_scan_close(scan, code == ERROR_NONE ? error : NULL);
        code = code != ERROR_NONE ? code : closed;
    }
    catalog_snapshot_release(model->catalog, snapshot);
    buffer_release(&json);
    return code;
}
