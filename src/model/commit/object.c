/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OCFL versions: what an operation on a file, a described container or an aggregate adds to its object.
 *
 * Every version writes its content, then vN/inventory.json and its sidecar; the root copies are written
 * once a group, for the last version of each object in it (decide_finish_group). An object that is versioned
 * twice in a group, or in a group and the next, finds its inventory among the group's entries, because the volume has
 * not got it yet.
 */
#include "base/ensure.h"
#include "format/percent.h"
#include "model/commit/decide.h"
#include "model/record/keys.h"
#include "ocfl/snapshot.h"

static const struct object_paths *
object_paths(struct decision *d, uint64_t object)
{
    struct object_paths *paths = &d->paths;
    ensure(object != 0);
    if (paths->object == object)
        return paths;
    paths->object = object;
    ocfl_id(d->model->identity.uuid, object, paths->id);
    memcpy(paths->prefix, "ocfl/", 5);
    ocfl_object_path_of_id(paths->id, paths->prefix + 5);
    paths->prefix[OBJECT_PREFIX_LENGTH - 1] = '/';
    return paths;
}

struct entry_path {
    char bytes[256];
};

static struct text
entry_path(const struct object_paths *paths, struct text folder, struct text name, struct entry_path *storage)
{
    size_t length = OBJECT_PREFIX_LENGTH;
    ensure(length + folder.length + name.length <= sizeof storage->bytes);
    memcpy(storage->bytes, paths->prefix, length);
    if (folder.length > 0)
        memcpy(storage->bytes + length, folder.data, folder.length);
    length += folder.length;
    memcpy(storage->bytes + length, name.data, name.length);
    return text_of(storage->bytes, length + name.length);
}

static enum error_code
add_entry(struct decision *d, uint64_t object, struct text folder, struct text name, struct text data,
          struct place *ret_place, struct error *error)
{
    struct entry_path path;
    return group_add_entry(d->now->group, entry_path(object_paths(d, object), folder, name, &path), data, ret_place, error);
}

/* ---- inventories ------------------------------------------------------------------------------- */

static const struct object_write *
write_of_group(const struct layout *layout, uint64_t object)
{
    for (size_t i = layout->write_count; i-- > 0;)
        if (layout->writes[i].paths.object == object)
            return &layout->writes[i];
    return NULL;
}

/* The inventory that was laid out last and is not in the volume yet; false: it is there. */
static bool
inventory_under_way(const struct decision *d, uint64_t object, struct text *ret_json)
{
    const struct layout *layout = d->now;
    const struct object_write *write = write_of_group(layout, object);
    if (write == NULL && d->before != NULL) {
        layout = d->before;
        write = write_of_group(layout, object);
    }
    if (write != NULL)
        *ret_json = group_entry_data(layout->group, write->inventory);
    return write != NULL;
}

static void
remember_write(struct layout *layout, const struct object_write *write)
{
    if (layout->write_count == layout->write_capacity) {
        layout->write_capacity = layout->write_capacity == 0 ? 256 : layout->write_capacity * 2;
        layout->writes = realloc(layout->writes, layout->write_capacity * sizeof *layout->writes);
        ensure(layout->writes != NULL);
    }
    layout->writes[layout->write_count++] = *write;
}

static enum error_code
stored_inventory(struct decision *d, uint64_t object, uint64_t version, struct buffer *ret_json,
                 struct error *error)
{
    struct key key;
    struct version_record record;
    key_version(&key, object, version);
    enum error_code code = lookup_get(&d->lookup, key_text(&key), &d->scratch, error);
    if (code == ERROR_NOT_FOUND)
        return error_set(error, ERROR_CORRUPT, "catalog: version %llu of resource %llu is not there",
                         (unsigned long long)version, (unsigned long long)object);
    if (code == ERROR_NONE)
        code = version_decode(buffer_text(&d->scratch), &record, error);
    if (code == ERROR_NONE)
        code = store_read_entry(d->model->store, record.inventory, record.inventory_bytes, ret_json, error);
    return code;
}

static enum error_code
new_inventory(struct decision *d, uint64_t object, struct ocfl_inventory **ret, struct error *error)
{
    struct text id = text_of(object_paths(d, object)->id, OCFL_ID_LENGTH);
    *ret = ocfl_inventory_new(&d->arena, id, d->model->identity.digest);
    return *ret == NULL ? arena_status(&d->arena, error) : ERROR_NONE;
}

static enum error_code
begin_version(struct decision *d, struct ocfl_inventory *inventory, struct error *error)
{
    struct ocfl_version_info info = {
        .created_us = d->info.time_us,
        .message = d->transaction->message,
        .user_name = d->transaction->principal.name,
        .user_address = TEXT("urn:archivolt:user"),
    };
    char address[64];
    if (d->transaction->principal.user != 0) {
        snprintf(address, sizeof address, "urn:archivolt:user:%llu",
                 (unsigned long long)d->transaction->principal.user);
        info.user_address = text_from(address);
    }
    if (ocfl_inventory_head(inventory) >= d->model->limits.object_versions)
        return error_set(error, ERROR_LIMIT, "an object has at most %llu versions (object_versions)",
                         (unsigned long long)d->model->limits.object_versions);
    return ocfl_inventory_begin_version(inventory, &info, error);
}

/* The inventory to go on with: of this group or the one before it, of the volume, or a new one; a version is begun. */
static enum error_code
open_inventory(struct decision *d, uint64_t object, uint64_t previous, struct ocfl_inventory **ret,
               struct error *error)
{
    enum error_code code;
    if (previous == 0) {
        code = new_inventory(d, object, ret, error);
    } else {
        struct text json;
        if (inventory_under_way(d, object, &json)) {
            json = arena_copy(&d->arena, json);
        } else {
            struct buffer stored = {0};
            code = stored_inventory(d, object, previous, &stored, error);
            json = code == ERROR_NONE ? arena_copy(&d->arena, buffer_text(&stored)) : TEXT("");
            buffer_release(&stored);
            if (code != ERROR_NONE)
                return code;
        }
        code = arena_status(&d->arena, error);
        if (code == ERROR_NONE)
            code = ocfl_inventory_parse(&d->arena, json, ret, error);
        if (code != ERROR_NONE)
            return error_prefix(error, "the inventory of resource %llu", (unsigned long long)object);
    }
    return code != ERROR_NONE ? code : begin_version(d, *ret, error);
}

static struct text
sidecar_name(const struct decision *d)
{
    return d->model->identity.digest == DIGEST_SHA512 ? TEXT("inventory.json.sha512") : TEXT("inventory.json.sha256");
}

/* Writes vN/inventory.json and its sidecar, and remembers the root copies. */
static enum error_code
close_version(struct decision *d, uint64_t object, struct ocfl_inventory *inventory,
              struct line_extent *ret_inventory, struct error *error)
{
    struct object_write write = {.paths = *object_paths(d, object)};
    struct place place;
    unsigned char digest[DIGEST_SIZE_MAX];
    char folder[16];
    unsigned version = ocfl_inventory_head(inventory);
    enum digest_algorithm algorithm = d->model->identity.digest;
    buffer_clear(&d->inventory_json);
    enum error_code code = ocfl_inventory_write(inventory, &d->inventory_json, error);
    if (code == ERROR_NONE)
        code = buffer_status(&d->inventory_json, error);
    if (code != ERROR_NONE)
        return code;
    int folder_length = snprintf(folder, sizeof folder, "v%u/", version);
    struct text in_folder = text_of(folder, (size_t)folder_length);
    struct text json = buffer_text(&d->inventory_json);
    code = add_entry(d, object, in_folder, TEXT("inventory.json"), json, &place, error);
    if (code != ERROR_NONE)
        return code;
    *ret_inventory = (struct line_extent){place, json.length};
    write.inventory = group_last_entry(d->now->group);
    digest_compute(algorithm, json.data, json.length, digest);
    buffer_clear(&d->scratch);
    ocfl_append_sidecar(&d->scratch, algorithm, digest);
    code = add_entry(d, object, in_folder, sidecar_name(d), buffer_text(&d->scratch), &place, error);
    if (code != ERROR_NONE)
        return code;
    write.sidecar = group_last_entry(d->now->group);
    write.again = version > 1 && write_of_group(d->now, object) != NULL;
    remember_write(d->now, &write);
    return ERROR_NONE;
}

static bool
superseded(const struct layout *layout, size_t at)
{
    for (size_t i = at + 1; i < layout->write_count; i++)
        if (layout->writes[i].again && layout->writes[i].paths.object == layout->writes[at].paths.object)
            return true;
    return false;
}

static enum error_code
add_root_copy(struct decision *d, const struct object_write *write, struct text name, size_t entry,
              struct error *error)
{
    struct entry_path path;
    return group_add_copy(d->now->group, entry_path(&write->paths, TEXT(""), name, &path), entry, error);
}

enum error_code
decide_finish_group(struct decision *d, struct error *error)
{
    enum error_code code = ERROR_NONE;
    bool any_again = false;
    for (size_t i = 0; i < d->now->write_count; i++)
        any_again |= d->now->writes[i].again;
    for (size_t i = 0; i < d->now->write_count && code == ERROR_NONE; i++) {
        const struct object_write *write = &d->now->writes[i];
        if (any_again && superseded(d->now, i))
            continue;
        code = add_root_copy(d, write, TEXT("inventory.json"), write->inventory, error);
        if (code == ERROR_NONE)
            code = add_root_copy(d, write, sidecar_name(d), write->sidecar, error);
    }
    return code;
}

/* ---- content ----------------------------------------------------------------------------------- */

void
content_of_upload(struct arena *arena, struct upload *upload, struct place place, struct place sums,
                  size_t digest_bytes, struct line_content *ret_content)
{
    const struct content_summary *summary = content_summary(upload->content);
    *ret_content = (struct line_content){
        .place = place,
        .size_bytes = summary->size_bytes,
        .digest = arena_copy(arena, text_of((const char *)summary->digest, digest_bytes)),
        .block_sums = sums.volume != 0 ? TEXT("") : arena_copy(arena, summary->block_sums),
        .sums = sums,
    };
}

/* The stored content of a resource, at any of its versions, that has this digest. */
static enum error_code
content_in_versions(struct decision *d, uint64_t id, struct text digest, struct line_content *ret,
                    bool *ret_found, struct error *error)
{
    struct key prefix;
    struct text key, value;
    struct overlay_scan *scan;
    key_of(&prefix, FAMILY_VERSION, id);
    enum error_code code = overlay_scan_under(d->now->overlay, &prefix, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (!*ret_found && overlay_scan_next(scan, &key, &value)) {
        struct version_record version;
        if (version_decode(value, &version, NULL) != ERROR_NONE || !text_equal(version.digest, digest))
            continue;
        *ret = (struct line_content){version.content, version.size_bytes, arena_copy(&d->arena, version.digest),
                                     arena_copy(&d->arena, version.block_sums), version.sums};
        *ret_found = true;
    }
    return overlay_scan_close(scan, error);
}

#define CANDIDATES_MAXIMUM 4096u

/* Files of an aggregate that have or had this digest, by the digest family: members were made after their aggregate. */
static enum error_code
members_with_digest(struct decision *d, uint64_t object, struct text digest, uint64_t *ids, size_t capacity,
                    size_t *ret_count, struct error *error)
{
    struct key from, to;
    struct text key, value;
    struct overlay_scan *scan;
    struct buffer storage = {0};
    size_t looked_at = 0;
    key_digest(&from, digest, object);
    key_digest(&to, digest, UINT64_MAX);
    *ret_count = 0;
    enum error_code code = overlay_scan_open(d->now->overlay, key_text(&from), key_text(&to), &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (*ret_count < capacity && looked_at++ < CANDIDATES_MAXIMUM && overlay_scan_next(scan, &key, &value)) {
        uint64_t id = key_read_number(key, key.length - 8);
        struct node node;
        if (lookup_node(&d->lookup, id, &storage, &node, NULL) == ERROR_NONE && node.aggregate == object)
            ids[(*ret_count)++] = id;
    }
    buffer_release(&storage);
    return overlay_scan_close(scan, error);
}

/* The stored content of an object, in any version of any of its files, that has this digest. */
static enum error_code
content_in_object(struct decision *d, uint64_t object, struct text digest, struct line_content *ret,
                  struct error *error)
{
    uint64_t ids[64];
    size_t count = 0;
    bool found = false;
    enum error_code code = content_in_versions(d, object, digest, ret, &found, error);
    if (code == ERROR_NONE && !found)
        code = members_with_digest(d, object, digest, ids, 64, &count, error);
    for (size_t i = 0; i < count && !found && code == ERROR_NONE; i++)
        code = content_in_versions(d, ids[i], digest, ret, &found, error);
    if (code == ERROR_NONE && !found)
        return error_set(error, ERROR_NOT_FOUND, "no stored content has this digest");
    return code;
}

static enum error_code
add_fixity(struct ocfl_inventory *inventory, struct upload *upload, struct text content_path,
           enum digest_algorithm own, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (unsigned a = 0; a < DIGEST_ALGORITHM_COUNT && code == ERROR_NONE; a++) {
        unsigned char digest[DIGEST_SIZE_MAX];
        enum digest_algorithm algorithm = (enum digest_algorithm)a;
        if (algorithm != own && (upload->also & (1u << a)) != 0 && upload_digest(upload, algorithm, digest))
            code = ocfl_inventory_add_fixity(inventory, algorithm, digest, content_path, error);
    }
    return code;
}

/* Puts an upload's bytes into the object's version being made, or finds them there already. */
static enum error_code
place_content(struct decision *d, uint64_t object, struct ocfl_inventory *inventory, struct text name,
              struct upload *upload, struct line_content *ret_content, struct error *error)
{
    const struct content_summary *summary = content_summary(upload->content);
    enum digest_algorithm algorithm = d->model->identity.digest;
    struct text digest = text_of((const char *)summary->digest, digest_size(algorithm));
    struct place place, sums = {0};
    struct entry_path whole;
    struct text existing;
    if (ocfl_inventory_find_content(inventory, summary->digest, &existing)) {
        enum error_code found = content_in_object(d, object, digest, ret_content, NULL);
        if (found == ERROR_NONE)
            return ERROR_NONE;
        return error_set(error, found == ERROR_NOT_FOUND ? ERROR_CONFLICT : found,
                         "the same bytes twice in one transaction of one object");
    }
    buffer_clear(&d->scratch);
    ocfl_append_content_path(&d->scratch, ocfl_inventory_head(inventory), ocfl_inventory_next_number(inventory), name);
    struct text content_path = arena_copy(&d->arena, buffer_text(&d->scratch));
    enum error_code code = arena_status(&d->arena, error);
    if (code == ERROR_NONE)
        code = group_add_content(d->now->group, entry_path(object_paths(d, object), TEXT(""), content_path, &whole),
                                 upload->content, &place, &sums, error);
    if (code == ERROR_NONE)
        code = ocfl_inventory_add_content(inventory, summary->digest, content_path, error);
    if (code == ERROR_NONE)
        code = add_fixity(inventory, upload, content_path, algorithm, error);
    if (code == ERROR_NONE)
        content_of_upload(&d->arena, upload, place, sums, digest.length, ret_content);
    d->stage->bulk_sums = sums;
    return code;
}

static enum error_code
add_declaration(struct decision *d, uint64_t object, struct error *error)
{
    struct place place;
    return add_entry(d, object, TEXT(""), TEXT(OCFL_OBJECT_DECLARATION_NAME),
                     TEXT(OCFL_OBJECT_DECLARATION_CONTENT), &place, error);
}

/* ---- snapshots of statements ------------------------------------------------------------------- */

static enum error_code
collect_statements(struct decision *d, uint64_t id, struct statement_list *ret, struct error *error)
{
    struct key prefix;
    struct text key, value;
    struct overlay_scan *scan;
    size_t count = 0, capacity = 64;
    struct statement *statements = arena_alloc(&d->arena, capacity * sizeof *statements);
    key_statement_prefix(&prefix, id, TEXT(""));
    enum error_code code = overlay_scan_under(d->now->overlay, &prefix, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && statements != NULL && overlay_scan_next(scan, &key, &value)) {
        if (count == capacity) {
            struct statement *more = arena_alloc(&d->arena, 2 * capacity * sizeof *more);
            if (more != NULL)
                memcpy(more, statements, count * sizeof *more);
            statements = more;
            capacity *= 2;
            if (more == NULL)
                break;
        }
        struct statement *s = &statements[count];
        code = statement_decode(key, value, s, error);
        s->attribute = arena_copy(&d->arena, s->attribute);
        s->value = arena_copy(&d->arena, s->value);
        s->qualifier = arena_copy(&d->arena, s->qualifier);
        s->extra = arena_copy(&d->arena, s->extra);
        count++;
    }
    enum error_code closed = overlay_scan_close(scan, code == ERROR_NONE ? error : NULL);
    if (code == ERROR_NONE)
        code = closed;
    if (code == ERROR_NONE)
        code = arena_status(&d->arena, error);
    *ret = (struct statement_list){statements, count};
    return code;
}

static enum error_code
put_metadata(struct decision *d, uint64_t object, struct ocfl_inventory *inventory, struct text logical,
             struct text data, struct error *error)
{
    unsigned char digest[DIGEST_SIZE_MAX];
    struct place place;
    struct text existing;
    enum error_code code = ERROR_NONE;
    digest_compute(d->model->identity.digest, data.data, data.length, digest);
    if (!ocfl_inventory_find_content(inventory, digest, &existing)) {
        struct buffer path = {0};
        ocfl_append_content_path(&path, ocfl_inventory_head(inventory), ocfl_inventory_next_number(inventory), logical);
        struct text content_path = arena_copy(&d->arena, buffer_text(&path));
        buffer_release(&path);
        code = add_entry(d, object, TEXT(""), content_path, data, &place, error);
        if (code == ERROR_NONE)
            code = ocfl_inventory_add_content(inventory, digest, content_path, error);
    }
    if (code == ERROR_NONE)
        code = ocfl_inventory_set_state(inventory, logical, digest, error);
    return code;
}

static enum error_code
forget_metadata(struct ocfl_inventory *inventory, struct error *error)
{
    static const char *const paths[] = {"metadata/statements.jsonl", "metadata/statements.nt"};
    for (size_t i = 0; i < 2; i++) {
        enum error_code code = ocfl_inventory_remove_state(inventory, text_from(paths[i]), error);
        if (code != ERROR_NONE && code != ERROR_NOT_FOUND)
            return code;
    }
    return ERROR_NONE;
}

static enum error_code
write_snapshot(struct decision *d, uint64_t object, struct ocfl_inventory *inventory, struct error *error)
{
    struct statement_list list;
    struct buffer json = {0}, triples = {0};
    enum error_code code = collect_statements(d, object, &list, error);
    if (code != ERROR_NONE)
        return code;
    if (list.count == 0)
        return forget_metadata(inventory, error);
    struct ocfl_statement *statements = arena_alloc(&d->arena, list.count * sizeof *statements);
    if (statements == NULL)
        return arena_status(&d->arena, error);
    for (size_t i = 0; i < list.count; i++) {
        const struct statement *s = &list.statements[i];
        statements[i] = (struct ocfl_statement){s->attribute, s->place, s->value, s->qualifier, s->extra};
    }
    struct text id = text_of(object_paths(d, object)->id, OCFL_ID_LENGTH);
    ocfl_write_statements_jsonl(&json, statements, list.count);
    ocfl_write_statements_nt(&triples, id, statements, list.count);
    code = buffer_status(&json, error);
    if (code == ERROR_NONE)
        code = buffer_status(&triples, error);
    if (code == ERROR_NONE)
        code = put_metadata(d, object, inventory, TEXT("metadata/statements.jsonl"), buffer_text(&json), error);
    if (code == ERROR_NONE)
        code = put_metadata(d, object, inventory, TEXT("metadata/statements.nt"), buffer_text(&triples), error);
    buffer_release(&json);
    buffer_release(&triples);
    return code;
}

/* ---- plain files and described containers ------------------------------------------------------ */

/* "files/<name>" in the form that inventories take. */
static struct text
logical_name(struct decision *d, struct text name)
{
    struct buffer path = {0};
    buffer_append_string(&path, "files/");
    percent_encode(&path, PERCENT_OCFL_LOGICAL, name);
    struct text copy = arena_copy(&d->arena, buffer_text(&path));
    buffer_release(&path);
    return copy;
}

/* A plain file's object has one logical file: whatever it was called before goes. */
static enum error_code
clear_files(struct decision *d, struct ocfl_inventory *inventory, struct error *error)
{
    for (;;) {
        struct ocfl_walk walk = {0};
        struct ocfl_file file;
        bool any = false;
        while (!any && ocfl_inventory_next(inventory, &walk, &file))
            any = text_starts_with(file.logical_path, TEXT("files/"));
        if (!any)
            return ERROR_NONE;
        enum error_code code = ocfl_inventory_remove_state(inventory, arena_copy(&d->arena, file.logical_path), error);
        if (code != ERROR_NONE)
            return code;
    }
}

static enum error_code
set_file(struct decision *d, const struct object_version *want, struct ocfl_inventory *inventory,
         struct line_content *content, struct error *error)
{
    struct text digest = want->kept_digest;
    enum error_code code = ERROR_NONE;
    if (want->upload != NULL) {
        code = place_content(d, want->object, inventory, want->file_name, want->upload, content, error);
        digest = content->digest;
    }
    if (code != ERROR_NONE || digest.length == 0)
        return code;
    if (want->previous != 0)
        code = clear_files(d, inventory, error);
    if (code == ERROR_NONE)
        code = ocfl_inventory_set_state(inventory, logical_name(d, want->file_name),
                                        (const unsigned char *)digest.data, error);
    return code;
}

enum error_code
object_write_version(struct decision *d, const struct object_version *want, struct object_outcome *ret_outcome,
                     struct error *error)
{
    struct ocfl_inventory *inventory = NULL;
    *ret_outcome = (struct object_outcome){0};
    enum error_code code = open_inventory(d, want->object, want->previous, &inventory, error);
    if (code == ERROR_NONE && want->previous == 0)
        code = add_declaration(d, want->object, error);
    if (code != ERROR_NONE)
        return code;
    if (want->tombstone)
        ocfl_inventory_clear_state(inventory);
    else
        code = set_file(d, want, inventory, &ret_outcome->content, error);
    if (code == ERROR_NONE && want->write_statements)
        code = write_snapshot(d, want->object, inventory, error);
    if (code == ERROR_NONE)
        code = close_version(d, want->object, inventory, &ret_outcome->inventory, error);
    ret_outcome->version = ocfl_inventory_head(inventory);
    return code;
}

/* ---- aggregates -------------------------------------------------------------------------------- */

static enum error_code
open_aggregate(struct decision *d, uint64_t id, struct open_aggregate **ret, struct error *error)
{
    struct node node;
    for (struct open_aggregate *a = d->aggregates; a != NULL; a = a->next)
        if (a->id == id) {
            *ret = a;
            return ERROR_NONE;
        }
    struct open_aggregate *aggregate = arena_alloc(&d->arena, sizeof *aggregate);
    if (aggregate == NULL)
        return arena_status(&d->arena, error);
    enum error_code code = lookup_node(&d->lookup, id, &d->scratch, &node, error);
    if (code == ERROR_NONE)
        code = open_inventory(d, id, node.version, &aggregate->inventory, error);
    if (code == ERROR_NONE && ocfl_inventory_head(aggregate->inventory) == 1)
        code = add_declaration(d, id, error);
    if (code != ERROR_NONE)
        return code;
    aggregate->id = id;
    aggregate->version = ocfl_inventory_head(aggregate->inventory);
    aggregate->next = d->aggregates;
    d->aggregates = aggregate;
    *ret = aggregate;
    return ERROR_NONE;
}

enum error_code
aggregate_touch(struct decision *d, uint64_t id, struct error *error)
{
    struct open_aggregate *aggregate;
    return open_aggregate(d, id, &aggregate, error);
}

enum error_code
aggregate_put_file(struct decision *d, uint64_t id, struct text logical_path, struct text name,
                   struct upload *upload, struct line_content *ret_content, struct error *error)
{
    struct open_aggregate *aggregate;
    struct ocfl_file file;
    enum error_code code = open_aggregate(d, id, &aggregate, error);
    if (code != ERROR_NONE)
        return code;
    if (!ocfl_inventory_find(aggregate->inventory, logical_path, &file) &&
        ocfl_inventory_file_count(aggregate->inventory) >= d->model->limits.aggregate_files)
        return error_set(error, ERROR_LIMIT, "an aggregate has at most %llu files (aggregate_files)",
                         (unsigned long long)d->model->limits.aggregate_files);
    code = place_content(d, id, aggregate->inventory, name, upload, ret_content, error);
    if (code == ERROR_NONE)
        code = ocfl_inventory_set_state(aggregate->inventory, logical_path,
                                        (const unsigned char *)ret_content->digest.data, error);
    return code;
}

/* The path itself, and everything below it. */
static struct text
next_below(const struct ocfl_inventory *inventory, struct text path)
{
    struct ocfl_walk walk = {0};
    struct ocfl_file file;
    while (ocfl_inventory_next(inventory, &walk, &file))
        if (text_equal(file.logical_path, path) ||
            (text_starts_with(file.logical_path, path) && file.logical_path.data[path.length] == '/'))
            return file.logical_path;
    return TEXT("");
}

enum error_code
aggregate_remove(struct decision *d, uint64_t id, struct text logical_path, struct error *error)
{
    struct open_aggregate *aggregate;
    enum error_code code = open_aggregate(d, id, &aggregate, error);
    while (code == ERROR_NONE) {
        struct text path = next_below(aggregate->inventory, logical_path);
        if (path.length == 0)
            break;
        code = ocfl_inventory_remove_state(aggregate->inventory, arena_copy(&d->arena, path), error);
    }
    return code;
}

enum error_code
aggregate_rename(struct decision *d, uint64_t id, struct text from, struct text to, struct error *error)
{
    struct open_aggregate *aggregate;
    enum error_code code = open_aggregate(d, id, &aggregate, error);
    while (code == ERROR_NONE) {
        struct text path = next_below(aggregate->inventory, from);
        if (path.length == 0)
            break;
        struct text old = arena_copy(&d->arena, path);
        char *new = arena_printf(&d->arena, "%.*s%.*s", TEXT_ARG(to), (int)(old.length - from.length),
                                 old.data + from.length);
        code = new == NULL ? arena_status(&d->arena, error)
                           : ocfl_inventory_rename(aggregate->inventory, old, text_from(new), error);
    }
    return code;
}

enum error_code
decide_finish_aggregates(struct decision *d, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (struct open_aggregate *a = d->aggregates; a != NULL && code == ERROR_NONE; a = a->next) {
        struct line line = {.operation = OPERATION_VERSION, .id = a->id, .version = a->version,
                            .message = d->transaction->message};
        struct walk walk;
        struct node node;
        code = lookup_node(&d->lookup, a->id, &d->scratch, &node, error);
        if (code == ERROR_NONE && node.statements_version == 0 && (node.flags & RESOURCE_DELETED) == 0) {
            code = write_snapshot(d, a->id, a->inventory, error);
            line.statements_version = node.statements > 0 ? a->version : 0;
        }
        if (code == ERROR_NONE)
            code = close_version(d, a->id, a->inventory, &line.inventory, error);
        if (code == ERROR_NONE)
            code = lookup_ancestry(&d->lookup, a->id, &walk, error);
        if (code != ERROR_NONE)
            break;
        line.in = decide_ancestors(d, &walk, walk.count - 1);
        code = decide_journal(d, &line, error);
    }
    d->aggregates = NULL;
    return code;
}
