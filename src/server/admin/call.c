/* SPDX-License-Identifier: Apache-2.0 */
/* What handlers share, and the dispatcher: see call.h. */
#include "server/admin/call.h"

#include "format/date.h"
#include "io/clock.h"
#include "server/admin/admin.h"

#define PROGRESS_INTERVAL_NS UINT64_C(100000000)
#define CALL_MEMORY_BYTES (64u << 20)

struct text
call_text(const struct call *call, const char *name)
{
    struct text value = TEXT("");
    (void)json_get_text(call->arguments, name, &value);
    return value;
}

uint64_t
call_number(const struct call *call, const char *name)
{
    uint64_t value = 0;
    (void)json_get_u64(call->arguments, name, &value);
    return value;
}

bool
call_flag(const struct call *call, const char *name)
{
    bool value = false;
    (void)json_get_bool(call->arguments, name, &value);
    return value;
}

struct json_writer
call_line_begin(struct call *call)
{
    buffer_clear(&call->line);
    struct json_writer writer = json_writer(&call->line);
    json_begin_object(&writer);
    return writer;
}

enum error_code
call_line_end(struct call *call, struct json_writer *writer, struct error *error)
{
    json_end_object(writer);
    enum error_code code = buffer_status(&call->line, error);
    return code != ERROR_NONE ? code : channel_send(call->channel, FRAME_LINE, buffer_text(&call->line), error);
}

static void
put_time(struct json_writer *writer, const char *key, int64_t time_us)
{
    char text[DATE_TEXT_SIZE];
    date_write(time_us, DATE_MICROSECONDS, text);
    json_member_string(writer, key, text);
}

static void
put_text_if(struct json_writer *writer, const char *key, struct text value)
{
    if (value.length == 0)
        return;
    json_member_text(writer, key, value);
}

static void
put_file_facts(struct call *call, struct json_writer *w, const struct resource *r)
{
    struct model_identity identity;
    enum digest_algorithm algorithm = DIGEST_SHA512;
    model_identity(call->model, &identity);
    (void)digest_from_name(DIGEST_NAMES_OCFL, text_from(identity.digest), &algorithm);
    json_member_u64(w, "size", r->size_bytes);
    json_member_hex(w, identity.digest, r->digest, digest_size(algorithm));
    put_text_if(w, "type", r->media_type);
    put_text_if(w, "filename", r->filename);
    put_text_if(w, "fixity", r->fixity);
    if (r->source_mtime_us != INT64_MIN)
        json_member_i64(w, "source_mtime_us", r->source_mtime_us);
    if (r->source_mode != 0)
        json_member_u64(w, "source_mode", r->source_mode);
}

void
call_put_resource(struct call *call, struct json_writer *w, const struct resource *r, struct text path)
{
    json_member_text(w, "path", path);
    json_member_text(w, "name", r->name);
    json_member_u64(w, "id", r->id);
    json_member_string(w, "kind",
                       r->kind == RESOURCE_FILE ? "file" : r->flags & RESOURCE_AGGREGATE ? "aggregate" : "container");
    put_time(w, "created", r->created_us);
    put_time(w, "modified", r->modified_us);
    json_member_u64(w, "owner", r->owner);
    json_member_u64(w, "counter", r->counter);
    json_member_u64(w, "version", r->version);
    if (r->flags & RESOURCE_IMPLIED)
        json_member_bool(w, "implied", true);
    if (r->kind == RESOURCE_FILE) {
        put_file_facts(call, w, r);
    } else {
        json_member_u64(w, "children", r->children);
        json_member_u64(w, "subtree_resources", r->subtree_resources);
        json_member_u64(w, "subtree_files", r->subtree_files);
        json_member_u64(w, "subtree_bytes", r->subtree_bytes);
    }
}

bool
call_maintenance_line(void *context, struct text json)
{
    struct call *call = context;
    if (call->send_error.code == ERROR_NONE)
        call->send_error.code = channel_send(call->channel, FRAME_LINE, json, &call->send_error);
    return call->send_error.code == ERROR_NONE;
}

bool
call_maintenance_proceed(void *context, const char *what, uint64_t done, uint64_t total)
{
    struct call *call = context;
    struct buffer json = {0};
    uint64_t now = clock_monotonic_ns();
    if (call->send_error.code != ERROR_NONE || channel_peer_closed(call->channel))
        return false;
    if (now - call->last_progress_ns < PROGRESS_INTERVAL_NS)
        return true;
    call->last_progress_ns = now;
    struct json_writer w = json_writer(&json);
    json_begin_object(&w);
    json_member_string(&w, "what", what);
    json_member_u64(&w, "done", done);
    json_member_u64(&w, "total", total);
    json_end_object(&w);
    call->send_error.code = channel_send(call->channel, FRAME_PROGRESS, buffer_text(&json), &call->send_error);
    buffer_release(&json);
    return call->send_error.code == ERROR_NONE;
}

enum error_code
call_view(struct call *call, struct view **ret_view, struct error *error)
{
    return view_open(call->model, &call->principal, ret_view, error);
}

enum error_code
call_view_at(struct call *call, struct text path, struct view **ret_view, struct error *error)
{
    enum error_code code = path_check_existing(path, model_limits(call->model), error);
    return code != ERROR_NONE ? code : call_view(call, ret_view, error);
}

enum error_code
call_resolve(struct call *call, struct text path, struct view **ret_view, struct resource *ret_resource,
             struct error *error)
{
    enum error_code code = call_view_at(call, path, ret_view, error);
    if (code != ERROR_NONE)
        return code;
    code = view_resolve(*ret_view, path, ret_resource, error);
    if (code != ERROR_NONE)
        view_close(*ret_view);
    return code;
}

enum error_code
call_transaction(struct call *call, struct transaction **ret_transaction, struct error *error)
{
    enum error_code code = transaction_new(call->model, &call->principal, ret_transaction, error);
    if (code == ERROR_NONE)
        transaction_set_message(*ret_transaction, call_text(call, "message"));
    return code;
}

enum error_code
call_commit(struct call *call, struct transaction *transaction, struct error *error)
{
    enum error_code code = transaction_commit(transaction, error);
    size_t count = transaction_operation_count(transaction);
    if (code != ERROR_NONE)
        return code;
    json_member_u64(&call->result, "sequence", transaction_sequence(transaction));
    if (count == 0)
        return ERROR_NONE;
    const struct operation_result *last = transaction_result(transaction, count - 1);
    json_member_u64(&call->result, "id", last->id);
    json_member_u64(&call->result, "version", last->version);
    json_member_u64(&call->result, "counter", last->counter);
    json_member_bool(&call->result, "created", last->created);
    return ERROR_NONE;
}

/* ---- dispatching ---------------------------------------------------------------------------------- */

struct call_entry {
    const char *name;
    call_function *function;
    bool takes_content;
};

static const struct call_entry entries[] = {
#define X(name, content) {#name, call_##name, content},
    ADMIN_CALLS(X)
#undef X
};

static const struct call_entry *
entry_of(struct text name)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (text_equal(name, text_from(entries[i].name)))
            return &entries[i];
    return NULL;
}

static enum error_code
send_error(struct channel *channel, const struct error *why, struct error *error)
{
    struct buffer json = {0};
    struct json_writer w = json_writer(&json);
    json_begin_object(&w);
    json_member_string(&w, "error", error_word(why->code));
    struct text message = text_from(why->message);
    json_member_text(&w, "message", text_is_utf8(message) ? message : TEXT("(a message that is not UTF-8)"));
    json_end_object(&w);
    enum error_code code = channel_send(channel, FRAME_ERROR, buffer_text(&json), error);
    buffer_release(&json);
    return code;
}

static enum error_code
run_call(struct call *call, struct text payload, struct error *error)
{
    struct json *arguments;
    enum error_code code = json_parse(&call->arena, arena_copy(&call->arena, payload), &arguments, error);
    if (code != ERROR_NONE)
        return code;
    call->arguments = arguments;
    const struct call_entry *entry = entry_of(call_text(call, "command"));
    if (entry == NULL)
        return error_set(error, ERROR_UNSUPPORTED, "this server does not know the command");
    return entry->function(call, error);
}

static enum error_code
answer_call(struct call *call, struct text payload, struct error *error)
{
    struct error why = {0};
    call->result = json_writer(&call->result_json);
    json_begin_object(&call->result);
    enum error_code code = run_call(call, payload, &why);
    if (code == ERROR_NONE && call->send_error.code != ERROR_NONE) {
        why = call->send_error;
        code = why.code;
    }
    if (code == ERROR_NONE) {
        json_end_object(&call->result);
        return channel_send(call->channel, FRAME_RESULT, buffer_text(&call->result_json), error);
    }
    why.code = code;
    return send_error(call->channel, &why, error);
}

void
admin_refuse(int fd, const struct error *why)
{
    struct channel channel;
    channel_init(&channel, fd);
    (void)!send_error(&channel, why, NULL);
    channel_release(&channel);
}

void
admin_serve(struct model *model, const char *folder, int fd)
{
    struct channel channel;
    struct frame frame;
    enum error_code code = ERROR_NONE;
    channel_init(&channel, fd);
    while (code == ERROR_NONE && channel_receive(&channel, &frame, NULL) == ERROR_NONE) {
        if (frame.type != FRAME_CALL)
            continue; /* content that a failed call left behind */
        struct call call = {.model = model, .folder = folder, .principal = principal_local(), .channel = &channel};
        arena_init(&call.arena, CALL_MEMORY_BYTES);
        code = answer_call(&call, frame.payload, NULL);
        arena_release(&call.arena);
        buffer_release(&call.line);
        buffer_release(&call.result_json);
    }
    channel_release(&channel);
}
