/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about the tree: listing, walking, making, moving, copying, removing; and status. */
#include "format/digest.h"
#include "server/admin/call.h"

#include <unistd.h>

enum error_code
call_status(struct call *call, struct error *error)
{
    struct model_health health;
    struct model_identity identity;
    struct json_writer *w = &call->result;
    model_health(call->model, &health);
    model_identity(call->model, &identity);
    json_member_string(w, "store", identity.uuid);
    json_member_u64(w, "format", identity.format);
    json_member_string(w, "digest", identity.digest);
    json_member_string(w, "data", call->folder);
    json_member_u64(w, "process", (uint64_t)getpid());
    json_member_bool(w, "writable", health.writable);
    if (!health.writable)
        json_member_string(w, "why", health.why);
#define NUMBER(name) json_member_u64(w, #name, health.name)
    NUMBER(resources);
    NUMBER(files);
    NUMBER(bytes);
    NUMBER(sequence);
    NUMBER(free_bytes);
    NUMBER(total_bytes);
    NUMBER(follower_sequence);
    NUMBER(follower_pending);
#undef NUMBER
    json_member_hex(w, "chain", health.chain, sizeof health.chain);
    return model_volumes(call->model, call_maintenance_line, call, error);
}

static struct text
joined(struct arena *arena, struct text folder, struct text name)
{
    const char *path = arena_printf(arena, "%.*s%s%.*s", TEXT_ARG(folder),
                                    folder.length > 0 && folder.data[folder.length - 1] == '/' ? "" : "/", TEXT_ARG(name));
    return path == NULL ? TEXT("") : text_from(path);
}

static enum error_code
send_resource(struct call *call, const struct resource *resource, struct text path, struct error *error)
{
    struct json_writer w = call_line_begin(call);
    call_put_resource(call, &w, resource, path);
    return call_line_end(call, &w, error);
}

enum error_code
call_stat(struct call *call, struct error *error)
{
    struct view *view;
    struct resource resource;
    struct text path = call_text(call, "path");
    enum error_code code = call_resolve(call, path, &view, &resource, error);
    if (code != ERROR_NONE)
        return code;
    code = send_resource(call, &resource, path, error);
    view_close(view);
    return code;
}

/* One child: name, id and kind; with "long" the whole resource. */
static enum error_code
send_child(struct call *call, struct view *view, const struct child *child, bool whole, struct error *error)
{
    struct resource resource;
    struct json_writer w;
    if (whole) {
        enum error_code code = view_get(view, child->id, &resource, error);
        if (code != ERROR_NONE)
            return code;
        struct text path = joined(&call->arena, call_text(call, "path"), child->name);
        code = send_resource(call, &resource, path, error);
        return code;
    }
    w = call_line_begin(call);
    json_member_text(&w, "name", child->name);
    json_member_u64(&w, "id", child->id);
    json_member_string(&w, "kind",
                       child->kind == RESOURCE_FILE ? "file" : child->flags & RESOURCE_AGGREGATE ? "aggregate" : "container");
    return call_line_end(call, &w, error);
}

#define LS_AT_ONCE 1000u

/* A stretch of a listing on a view of its own, so that memory does not grow with the number of children. */
static enum error_code
list_some(struct call *call, struct view *view, const struct resource *container, struct buffer *after,
          uint64_t *left, bool *ret_more, struct error *error)
{
    struct child_iterator *iterator;
    struct child child;
    bool whole = call_flag(call, "long");
    uint64_t sent = 0;
    enum error_code code = view_children(view, container, buffer_text(after), &iterator, error);
    if (code != ERROR_NONE)
        return code;
    *ret_more = false;
    while (code == ERROR_NONE && *left > 0 && child_iterator_next(iterator, &child)) {
        code = send_child(call, view, &child, whole, error);
        buffer_clear(after);
        buffer_append_text(after, child.name);
        (*left)--;
        if (++sent == LS_AT_ONCE && whole) {
            *ret_more = true;
            break;
        }
    }
    enum error_code closed = child_iterator_close(iterator, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}

enum error_code
call_ls(struct call *call, struct error *error)
{
    struct view *view;
    struct resource resource;
    struct text path = call_text(call, "path");
    struct buffer after = {0};
    uint64_t left = call_number(call, "limit");
    bool more = true;
    if (left == 0)
        left = UINT64_MAX;
    enum error_code code = call_resolve(call, path, &view, &resource, error);
    if (code != ERROR_NONE)
        return code;
    if (resource.kind == RESOURCE_FILE) {
        code = send_resource(call, &resource, path, error);
        view_close(view);
        return code;
    }
    view_close(view);
    buffer_append_text(&after, call_text(call, "after"));
    while (more && code == ERROR_NONE && left > 0) {
        code = call_resolve(call, path, &view, &resource, error);
        if (code != ERROR_NONE)
            break;
        code = list_some(call, view, &resource, &after, &left, &more, error);
        view_close(view);
    }
    buffer_release(&after);
    return code;
}

/* ---- walking ---------------------------------------------------------------------------------------- */

#define WALK_GETS_A_VIEW 500u

/* Iterators hold to one view; resources are read through a second one that is renewed now and then, because what
 * it hands out lives as long as it does. */
struct walker {
    struct call *call;
    struct view *view, *reading;
    unsigned reads;
};

static enum error_code
read_for_walk(struct walker *w, uint64_t id, struct resource *ret, struct error *error)
{
    if (w->reading == NULL || ++w->reads == WALK_GETS_A_VIEW) {
        view_close(w->reading);
        w->reading = NULL;
        w->reads = 0;
        enum error_code code = call_view(w->call, &w->reading, error);
        if (code != ERROR_NONE)
            return code;
    }
    return view_get(w->reading, id, ret, error);
}

/* Depth first, parents before children. */
static enum error_code
walk(struct walker *w, const struct resource *container, struct text path, unsigned depth, struct error *error)
{
    struct child_iterator *iterator;
    struct child child;
    enum error_code code = view_children(w->view, container, TEXT(""), &iterator, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && child_iterator_next(iterator, &child)) {
        struct resource resource;
        struct buffer child_path = {0};
        buffer_append_text(&child_path, path);
        if (path.length > 1)
            buffer_append_char(&child_path, '/');
        buffer_append_text(&child_path, child.name);
        code = read_for_walk(w, child.id, &resource, error);
        if (code == ERROR_NOT_FOUND || code == ERROR_GONE)
            code = ERROR_NONE; /* deleted while we walked */
        else if (code == ERROR_NONE)
            code = send_resource(w->call, &resource, buffer_text(&child_path), error);
        if (code == ERROR_NONE && child.kind == RESOURCE_CONTAINER && depth < 1024) {
            struct resource below = {.id = child.id, .kind = child.kind};
            code = walk(w, &below, buffer_text(&child_path), depth + 1, error);
        }
        buffer_release(&child_path);
    }
    enum error_code closed = child_iterator_close(iterator, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}

enum error_code
call_walk(struct call *call, struct error *error)
{
    struct view *view;
    struct resource resource;
    struct text path = call_text(call, "path");
    enum error_code code = call_resolve(call, path, &view, &resource, error);
    if (code != ERROR_NONE)
        return code;
    code = send_resource(call, &resource, path, error);
    struct walker walker = {.call = call, .view = view};
    if (code == ERROR_NONE && resource.kind == RESOURCE_CONTAINER)
        code = walk(&walker, &resource, path, 0, error);
    view_close(walker.reading);
    view_close(view);
    return code;
}

/* ---- changing --------------------------------------------------------------------------------------- */

enum error_code
call_mkdir(struct call *call, struct error *error)
{
    struct transaction *transaction;
    bool parents = call_flag(call, "parents");
    struct container_options options = {.make_parents = parents, .exist_ok = parents,
                                        .aggregate = call_flag(call, "aggregate")};
    enum error_code code = call_transaction(call, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    code = transaction_make_container(transaction, target_path(call_text(call, "path")), &options, error);
    if (code == ERROR_NONE)
        code = call_commit(call, transaction, error);
    transaction_free(transaction);
    return code;
}

/* As mv does: into the destination when that is a container. */
static enum error_code
destination(struct call *call, struct text from, struct text to, struct text *ret, struct error *error)
{
    struct view *view;
    struct resource resource;
    *ret = to;
    enum error_code code = path_check_existing(from, model_limits(call->model), error);
    if (code == ERROR_NONE)
        code = path_check(to, model_limits(call->model), error);
    if (code == ERROR_NONE)
        code = call_view(call, &view, error);
    if (code != ERROR_NONE)
        return code;
    if (view_resolve(view, to, &resource, NULL) == ERROR_NONE && resource.kind == RESOURCE_CONTAINER) {
        size_t at = from.length;
        while (at > 0 && from.data[at - 1] != '/')
            at--;
        *ret = joined(&call->arena, to, text_of(from.data + at, from.length - at));
    }
    view_close(view);
    return ERROR_NONE;
}

enum error_code
call_mv(struct call *call, struct error *error)
{
    struct transaction *transaction;
    struct text from = call_text(call, "path"), to;
    enum error_code code = destination(call, from, call_text(call, "to"), &to, error);
    if (code == ERROR_NONE)
        code = call_transaction(call, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    code = transaction_move(transaction, target_path(from), to, call_flag(call, "parents"), NULL, error);
    if (code == ERROR_NONE)
        code = call_commit(call, transaction, error);
    transaction_free(transaction);
    return code;
}

enum error_code
call_rm(struct call *call, struct error *error)
{
    struct transaction *transaction;
    enum error_code code = call_transaction(call, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    code = transaction_delete(transaction, target_path(call_text(call, "path")), call_flag(call, "recursive"), NULL, error);
    if (code == ERROR_NONE)
        code = call_commit(call, transaction, error);
    transaction_free(transaction);
    return code;
}

/* ---- copying ---------------------------------------------------------------------------------------- */

#define COPY_CHUNK_BYTES (1u << 18)
#define COPY_STATEMENTS_AT_ONCE 1000u

static enum error_code
copy_bytes(struct content_reader *reader, struct upload *upload, struct error *error)
{
    uint64_t size = content_reader_size(reader);
    char *chunk = malloc(COPY_CHUNK_BYTES);
    enum error_code code = chunk == NULL ? error_set(error, ERROR_NO_MEMORY, "out of memory") : ERROR_NONE;
    for (uint64_t at = 0; at < size && code == ERROR_NONE;) {
        size_t length = size - at < COPY_CHUNK_BYTES ? (size_t)(size - at) : COPY_CHUNK_BYTES;
        code = content_reader_read(reader, at, chunk, length, error);
        if (code == ERROR_NONE)
            code = upload_write(upload, chunk, length, error);
        at += length;
    }
    free(chunk);
    return code != ERROR_NONE ? code : upload_finish(upload, error);
}

static enum error_code
stage_statements(struct transaction *transaction, struct view *view, uint64_t id, struct text to, struct error *error)
{
    struct statement_iterator *iterator;
    struct statement statement;
    enum error_code code = view_statements(view, id, TEXT(""), &iterator, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && statement_iterator_next(iterator, &statement)) {
        struct statement_change change = {STATEMENT_ADD, statement};
        code = transaction_change_statements(transaction, target_path(to), &change, 1, false, NULL, error);
    }
    enum error_code closed = statement_iterator_close(iterator, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}

static enum error_code
stage_copy(struct call *call, struct transaction *transaction, struct view *view, const struct resource *from,
           struct text to, struct error *error)
{
    struct upload *upload = NULL;
    struct content_reader *reader = NULL;
    struct file_options file = {.fail_if_exists = true, .media_type = from->media_type, .filename = from->filename,
                                .source_mtime_us = from->source_mtime_us, .source_mode = from->source_mode};
    struct container_options container = {.aggregate = (from->flags & RESOURCE_AGGREGATE) != 0};
    enum error_code code;
    if (from->kind == RESOURCE_CONTAINER)
        return transaction_make_container(transaction, target_path(to), &container, error);
    code = view_content(view, from, 0, &reader, error);
    if (code == ERROR_NONE)
        code = upload_begin(call->model, 0, &upload, error);
    if (code == ERROR_NONE)
        code = copy_bytes(reader, upload, error);
    if (code == ERROR_NONE)
        code = transaction_put_file(transaction, target_path(to), &upload, &file, error);
    content_reader_close(reader);
    upload_free(upload);
    return code;
}

static enum error_code
copy_one(struct call *call, struct view *view, const struct resource *from, struct text to, struct error *error)
{
    struct transaction *transaction;
    enum error_code code = call_transaction(call, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    code = stage_copy(call, transaction, view, from, to, error);
    if (code == ERROR_NONE && (from->flags & RESOURCE_DESCRIBED) != 0)
        code = stage_statements(transaction, view, from->id, to, error);
    if (code == ERROR_NONE)
        code = transaction_commit(transaction, error);
    transaction_free(transaction);
    return code;
}

static enum error_code
copy_tree(struct call *call, struct view *view, const struct resource *from, struct text to, unsigned depth,
          uint64_t *copied, struct error *error)
{
    struct child_iterator *iterator;
    struct child child;
    enum error_code code = copy_one(call, view, from, to, error);
    (*copied)++;
    if (code != ERROR_NONE || from->kind == RESOURCE_FILE)
        return code;
    if (!call_maintenance_proceed(call, "copy", *copied, 0))
        return error_set(error, ERROR_CLOSED, "stopped");
    code = view_children(view, from, TEXT(""), &iterator, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && depth < 1024 && child_iterator_next(iterator, &child)) {
        struct resource resource;
        struct buffer path = {0};
        buffer_printf(&path, "%.*s/%.*s", TEXT_ARG(to), TEXT_ARG(child.name));
        code = view_get(view, child.id, &resource, error);
        if (code == ERROR_NONE)
            code = copy_tree(call, view, &resource, buffer_text(&path), depth + 1, copied, error);
        buffer_release(&path);
    }
    enum error_code closed = child_iterator_close(iterator, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}

enum error_code
call_cp(struct call *call, struct error *error)
{
    struct view *view;
    struct resource resource;
    uint64_t copied = 0;
    struct text from = call_text(call, "path"), to;
    enum error_code code = destination(call, from, call_text(call, "to"), &to, error);
    if (code == ERROR_NONE)
        code = call_resolve(call, from, &view, &resource, error);
    if (code != ERROR_NONE)
        return code;
    if (resource.kind == RESOURCE_CONTAINER && !call_flag(call, "recursive"))
        code = error_set(error, ERROR_CONFLICT, "%.*s is a container: cp -r", TEXT_ARG(from));
    else if (text_starts_with(to, from) && to.length > from.length && to.data[from.length] == '/')
        code = error_set(error, ERROR_CONFLICT, "a container cannot be copied into itself");
    else
        code = copy_tree(call, view, &resource, to, 0, &copied, error);
    view_close(view);
    json_member_u64(&call->result, "copied", copied);
    return code;
}
