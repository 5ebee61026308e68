/* SPDX-License-Identifier: Apache-2.0 */
/* Files: create, replace, add as a child; and the empty version of what was deleted. */
#include "base/ensure.h"
#include "format/hex.h"
#include "format/percent.h"
#include "model/commit/decide.h"
#include "model/record/keys.h"

/* "md5:hex sha-256:hex": digests that were asked for besides the store's own. */
static struct text
fixity_words(struct decision *d, struct upload *upload)
{
    struct buffer words = {0};
    for (unsigned a = 0; a < DIGEST_ALGORITHM_COUNT; a++) {
        unsigned char digest[DIGEST_SIZE_MAX];
        enum digest_algorithm algorithm = (enum digest_algorithm)a;
        if (algorithm == d->model->identity.digest || (upload->also & (1u << a)) == 0 ||
            !upload_digest(upload, algorithm, digest))
            continue;
        if (words.length > 0)
            buffer_append_char(&words, ' ');
        buffer_append_string(&words, digest_name(algorithm, DIGEST_NAMES_OCFL));
        buffer_append_char(&words, ':');
        buffer_append_hex(&words, digest, digest_size(algorithm));
    }
    struct text copy = words.length == 0 ? TEXT("") : arena_copy(&d->arena, buffer_text(&words));
    buffer_release(&words);
    return copy;
}

/* Path inside an aggregate as its inventory has it: "files/a/b". `walk` ends at the parent of `name`, or
 * at the resource itself when `name` is empty. */
enum error_code
decide_logical_path(struct decision *d, const struct walk *walk, struct text name, struct text *ret, struct error *error)
{
    struct buffer path = {0}, storage = {0};
    enum error_code code = ERROR_NONE;
    bool inside = false;
    buffer_append_string(&path, "files");
    for (size_t i = 0; i < walk->count && code == ERROR_NONE; i++) {
        struct node node;
        if (inside) {
            code = lookup_node(&d->lookup, walk->ids[i], &storage, &node, error);
            if (code == ERROR_NONE) {
                buffer_append_char(&path, '/');
                percent_encode(&path, PERCENT_OCFL_LOGICAL, node.name);
            }
        }
        inside |= walk->ids[i] == walk->aggregate;
    }
    if (name.length > 0) {
        buffer_append_char(&path, '/');
        percent_encode(&path, PERCENT_OCFL_LOGICAL, name);
    }
    *ret = arena_copy(&d->arena, buffer_text(&path));
    buffer_release(&path);
    buffer_release(&storage);
    return code;
}

static uint64_t
biased_mtime(int64_t mtime_us)
{
    return mtime_us == INT64_MIN ? 0 : (uint64_t)(mtime_us + SOURCE_MTIME_BIAS);
}

static void
line_of_upload(struct decision *d, const struct stage *stage, struct line *line)
{
    line->media_type = stage->file.media_type;
    line->filename = stage->file.filename;
    line->source_mtime_plus = biased_mtime(stage->file.source_mtime_us);
    line->source_mode = stage->file.source_mode;
    line->fixity = fixity_words(d, stage->upload);
    line->message = d->transaction->message;
}

/* `walk` ends at the parent. */
static enum error_code
create_file(struct decision *d, struct walk *walk, struct text name, struct error *error)
{
    struct stage *stage = d->stage;
    struct line line = {.operation = OPERATION_CREATE,
                        .kind = RESOURCE_FILE,
                        .parent = walk->ids[walk->count - 1],
                        .name = name,
                        .owner = d->transaction->principal.user,
                        .aggregate = walk->aggregate,
                        .version = 1};
    enum error_code code = decide_new_id(d, &line.id, error);
    line_of_upload(d, stage, &line);
    line.in = decide_ancestors(d, walk, walk->count);
    if (code != ERROR_NONE)
        return code;
    if (walk->aggregate != 0) {
        struct text path;
        code = decide_logical_path(d, walk, name, &path, error);
        if (code == ERROR_NONE)
            code = aggregate_put_file(d, walk->aggregate, path, name, stage->upload, &line.content, error);
    } else {
        struct object_version want = {.object = line.id, .file_name = name, .upload = stage->upload};
        struct object_outcome outcome;
        code = object_write_version(d, &want, &outcome, error);
        line.inventory = outcome.inventory;
        line.content = outcome.content;
    }
    if (code == ERROR_NONE)
        code = decide_journal(d, &line, error);
    if (code == ERROR_NONE)
        code = decide_result(d, line.id, true, error);
    return code;
}

static enum error_code
replace_file(struct decision *d, const struct found *found, struct error *error)
{
    struct stage *stage = d->stage;
    const struct node *node = &found->node;
    struct line line = {.operation = OPERATION_VERSION, .id = found->id, .version = node->version + 1,
                        .before_bytes = node->size_bytes, .statements_version = node->statements_version};
    enum error_code code = ERROR_NONE;
    line_of_upload(d, stage, &line);
    if (line.media_type.length == 0)
        line.media_type = arena_copy(&d->arena, node->media_type);
    line.in = decide_ancestors(d, &found->walk, found->walk.count - 1);
    if (node->aggregate != 0) {
        struct text path;
        code = decide_logical_path(d, &found->walk, TEXT(""), &path, error);
        if (code == ERROR_NONE)
            code = aggregate_put_file(d, node->aggregate, path, arena_copy(&d->arena, node->name), stage->upload,
                                      &line.content, error);
    } else {
        struct object_version want = {.object = found->id, .previous = node->version,
                                      .file_name = arena_copy(&d->arena, node->name), .upload = stage->upload,
                                      .write_statements = node->statements_version == 0};
        struct object_outcome outcome;
        if (want.write_statements && node->statements > 0)
            line.statements_version = line.version;
        code = object_write_version(d, &want, &outcome, error);
        line.inventory = outcome.inventory;
        line.content = outcome.content;
    }
    if (code == ERROR_NONE)
        code = decide_journal(d, &line, error);
    if (code == ERROR_NONE)
        code = decide_result(d, found->id, false, error);
    return code;
}

static enum error_code
replace_found(struct decision *d, struct found *found, struct error *error)
{
    struct stage *stage = d->stage;
    enum error_code code = decide_require(d, &found->walk, found->node.owner, RIGHT_WRITE, error);
    if (code == ERROR_NONE)
        code = decide_condition(&stage->condition, found, error);
    if (code != ERROR_NONE)
        return code;
    if (found->node.kind == RESOURCE_CONTAINER)
        return error_set(error, ERROR_CONFLICT, "a container is there");
    if (stage->file.fail_if_exists)
        return error_set(error, ERROR_EXISTS, "a file is there already");
    return replace_file(d, found, error);
}

enum error_code
decide_put_file(struct decision *d, struct error *error)
{
    struct stage *stage = d->stage;
    struct found found;
    struct text name;
    struct error why = {0};
    enum error_code code = decide_find(d, &stage->target, &d->node_storage, &found, &why);
    if (code == ERROR_NONE)
        return replace_found(d, &found, error);
    if ((code != ERROR_NOT_FOUND && (code != ERROR_GONE || stage->file.refuse_gone)) || stage->target.id != 0) {
        if (error != NULL)
            *error = why;
        return code;
    }
    code = decide_parents(d, &found.walk, stage->file.make_parents, stage->target.path, &name, error);
    if (code == ERROR_NONE)
        code = decide_condition(&stage->condition, NULL, error);
    return code != ERROR_NONE ? code : create_file(d, &found.walk, name, error);
}

/* ---- children under a name of their own --------------------------------------------------------- */

/* A time-ordered UUID (version 7) for a child without a usable name. */
static struct text
mint_name(struct decision *d)
{
    char text[MODEL_UUID_BYTES];
    uuid_mint(d->model, d->info.time_us, text);
    return arena_copy(&d->arena, text_from(text));
}

static enum error_code
result_path(struct decision *d, const struct walk *parent, struct text name, struct error *error)
{
    struct buffer path = {0};
    enum error_code code = lookup_path_of(&d->lookup, parent, &path, error);
    if (code == ERROR_NONE) {
        if (path.length > 1)
            buffer_append_char(&path, '/');
        buffer_append_text(&path, name);
        d->stage->result.path = arena_copy(&d->transaction->arena, buffer_text(&path));
    }
    buffer_release(&path);
    return code;
}

enum error_code
decide_add_child(struct decision *d, struct error *error)
{
    struct stage *stage = d->stage;
    struct found parent;
    struct child_record child;
    struct text name = stage->name;
    uint64_t id;
    enum error_code code = decide_find(d, &stage->target, &d->node_storage, &parent, error);
    if (code == ERROR_NONE)
        code = decide_require(d, &parent.walk, parent.node.owner, RIGHT_APPEND, error);
    if (code != ERROR_NONE)
        return code;
    if (parent.node.kind != RESOURCE_CONTAINER)
        return error_set(error, ERROR_CONFLICT, "a file has no children");
    if (parent.walk.count > d->model->limits.depth)
        return error_set(error, ERROR_LIMIT, "containers nest at most %llu deep (depth)",
                         (unsigned long long)d->model->limits.depth);
    if (name.length == 0 || lookup_child(&d->lookup, parent.id, name, &child, NULL) == ERROR_NONE)
        name = mint_name(d);
    code = result_path(d, &parent.walk, name, error);
    if (code != ERROR_NONE)
        return code;
    if (stage->is_file)
        return create_file(d, &parent.walk, name, error);
    code = decide_make_child_container(d, &parent.walk, name, &stage->container, &id, error);
    return code != ERROR_NONE ? code : decide_result(d, id, true, error);
}

/* ---- tombstones --------------------------------------------------------------------------------- */

/* All statements in force, to be taken out of the indexes. */
static enum error_code
statements_of(struct decision *d, uint64_t id, struct statement_list *ret, struct error *error)
{
    struct key prefix;
    struct text key, value;
    struct overlay_scan *scan;
    struct node node;
    size_t count = 0;
    enum error_code code = lookup_node(&d->lookup, id, &d->scratch, &node, error);
    if (code != ERROR_NONE)
        return code;
    *ret = (struct statement_list){NULL, 0};
    if (node.statements == 0)
        return ERROR_NONE;
    struct statement *statements = arena_alloc(&d->arena, node.statements * sizeof *statements);
    key_statement_prefix(&prefix, id, TEXT(""));
    code = overlay_scan_under(d->now->overlay, &prefix, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && statements != NULL && count < node.statements &&
           overlay_scan_next(scan, &key, &value)) {
        struct statement *s = &statements[count++];
        code = statement_decode(key, value, s, error);
        s->attribute = arena_copy(&d->arena, s->attribute);
        s->value = arena_copy(&d->arena, s->value);
        s->qualifier = arena_copy(&d->arena, s->qualifier);
        s->extra = arena_copy(&d->arena, s->extra);
    }
    enum error_code closed = overlay_scan_close(scan, code == ERROR_NONE ? error : NULL);
    *ret = (struct statement_list){statements, count};
    return code != ERROR_NONE ? code : closed != ERROR_NONE ? closed : arena_status(&d->arena, error);
}

enum error_code
decide_tombstone(struct decision *d, struct error *error)
{
    struct line line = {.operation = OPERATION_TOMBSTONE, .id = d->stage->target.id, .deleted = 1};
    struct version_record last;
    struct node node;
    struct key key;
    enum error_code code = lookup_node(&d->lookup, line.id, &d->node_storage, &node, error);
    if (code == ERROR_NOT_FOUND)
        return ERROR_NONE; /* purged meanwhile */
    if (code == ERROR_NONE)
        code = statements_of(d, line.id, &line.removed, error);
    if (code != ERROR_NONE)
        return code;
    if (node.version != 0 && node.aggregate == 0) {
        key_version(&key, line.id, node.version);
        code = lookup_get(&d->lookup, key_text(&key), &d->scratch, error);
        if (code == ERROR_NONE)
            code = version_decode(buffer_text(&d->scratch), &last, error);
        if (code != ERROR_NONE)
            return code;
        if (last.flags & VERSION_DELETED)
            return ERROR_NONE; /* done before */
        struct object_version want = {.object = line.id, .previous = node.version, .tombstone = true};
        struct object_outcome outcome;
        code = object_write_version(d, &want, &outcome, error);
        line.version = outcome.version;
        line.inventory = outcome.inventory;
    } else if (line.removed.count == 0) {
        return ERROR_NONE;
    }
    return code != ERROR_NONE ? code : decide_journal(d, &line, error);
}
