/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about statements, versions and history. */
#include "format/date.h"
#include "format/digest.h"
#include "server/admin/call.h"

/* Each change: [kind, attribute, value, qualifier, place, extra], kind add, append, remove, remove-attribute, remove-all. */
static enum error_code
read_change(const struct json *item, struct statement_change *ret, struct error *error)
{
    static const char *const kinds[] = {"add", "append", "remove", "remove-attribute", "remove-all"};
    struct text kind;
    uint64_t place = 0;
    const struct json *part = item->first;
    *ret = (struct statement_change){.statement = {TEXT(""), 0, TEXT(""), TEXT(""), TEXT("")}};
    if (item->kind != JSON_ARRAY || item->count != 6 || !json_text(part, &kind))
        return error_set(error, ERROR_INVALID, "a change of statements has six members");
    size_t at = 0;
    while (at < 5 && !text_equal(kind, text_from(kinds[at])))
        at++;
    if (at == 5)
        return error_set(error, ERROR_INVALID, "unknown change of statements");
    ret->kind = (enum statement_change_kind)at;
    (void)json_text(part = part->next, &ret->statement.attribute);
    (void)json_text(part = part->next, &ret->statement.value);
    (void)json_text(part = part->next, &ret->statement.qualifier);
    (void)json_u64(part = part->next, &place);
    (void)json_text(part->next, &ret->statement.extra);
    ret->statement.place = (uint32_t)place;
    return ERROR_NONE;
}

enum error_code
call_meta_change(struct call *call, struct error *error)
{
    struct transaction *transaction;
    const struct json *list = json_get(call->arguments, "changes");
    size_t count = 0;
    if (list == NULL || list->kind != JSON_ARRAY || list->count == 0)
        return error_set(error, ERROR_INVALID, "no changes are given");
    struct statement_change *changes = arena_alloc(&call->arena, list->count * sizeof *changes);
    if (changes == NULL)
        return arena_status(&call->arena, error);
    enum error_code code = ERROR_NONE;
    json_each (item, list)
        if (code == ERROR_NONE)
            code = read_change(item, &changes[count++], error);
    if (code == ERROR_NONE)
        code = call_transaction(call, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    code = transaction_change_statements(transaction, target_path(call_text(call, "path")), changes, count,
                                         !call_flag(call, "no_version"), NULL, error);
    if (code == ERROR_NONE)
        code = call_commit(call, transaction, error);
    transaction_free(transaction);
    return code;
}

static enum error_code
send_statement(struct call *call, const struct statement *s, struct error *error)
{
    struct json_writer w = call_line_begin(call);
    json_member_text(&w, "attribute", s->attribute);
    json_member_u64(&w, "place", s->place);
    json_member_text(&w, "value", s->value);
    json_member_text(&w, "qualifier", s->qualifier);
    if (s->extra.length > 0)
        json_member_text(&w, "extra", s->extra);
    return call_line_end(call, &w, error);
}

enum error_code
call_meta_ls(struct call *call, struct error *error)
{
    struct view *view;
    struct resource resource;
    struct statement_iterator *iterator;
    struct statement statement;
    struct text path = call_text(call, "path");
    enum error_code code = call_resolve(call, path, &view, &resource, error);
    if (code != ERROR_NONE)
        return code;
    code = view_statements(view, resource.id, call_text(call, "attribute"), &iterator, error);
    if (code == ERROR_NONE) {
        while (code == ERROR_NONE && statement_iterator_next(iterator, &statement))
            code = send_statement(call, &statement, error);
        enum error_code closed = statement_iterator_close(iterator, code == ERROR_NONE ? error : NULL);
        code = code != ERROR_NONE ? code : closed;
    }
    view_close(view);
    return code;
}

struct finding {
    struct call *call;
    struct view *view;
    enum error_code code;
    struct error *error;
};

static bool
send_found(void *context, const struct resource *resource)
{
    struct finding *finding = context;
    struct text path;
    finding->code = view_path(finding->view, resource->id, &path, finding->error);
    if (finding->code == ERROR_NONE) {
        struct json_writer w = call_line_begin(finding->call);
        call_put_resource(finding->call, &w, resource, path);
        finding->code = call_line_end(finding->call, &w, finding->error);
    }
    return finding->code == ERROR_NONE;
}

static bool
operator_of(struct text word, enum find_operator *ret)
{
    static const char *const words[] = {"=", "prefix", "<", "<=", ">", ">="};
    for (size_t i = 0; i < 6; i++)
        if (text_equal(word, text_from(words[i]))) {
            *ret = (enum find_operator)i;
            return true;
        }
    return false;
}

enum error_code
call_meta_find(struct call *call, struct error *error)
{
    struct finding finding = {.call = call, .error = error};
    const struct json *list = json_get(call->arguments, "conditions");
    size_t count = 0;
    if (list == NULL || list->kind != JSON_ARRAY || list->count == 0)
        return error_set(error, ERROR_INVALID, "no conditions are given");
    struct find_condition *conditions = arena_alloc(&call->arena, list->count * sizeof *conditions);
    if (conditions == NULL)
        return arena_status(&call->arena, error);
    json_each (item, list) {
        struct find_condition *condition = &conditions[count++];
        struct text word;
        if (item->kind != JSON_ARRAY || item->count != 3 || !json_text(item->first, &condition->attribute) ||
            !json_text(item->first->next, &word) || !operator_of(word, &condition->comparison) ||
            !json_text(item->first->next->next, &condition->value))
            return error_set(error, ERROR_INVALID, "a condition is an attribute, one of = prefix < <= > >=, and a value");
    }
    enum error_code code = call_view(call, &finding.view, error);
    if (code != ERROR_NONE)
        return code;
    code = view_find(finding.view, conditions, count, call_number(call, "after"), (size_t)call_number(call, "limit"),
                     send_found, &finding, error);
    view_close(finding.view);
    return code != ERROR_NONE ? code : finding.code;
}

/* ---- history ---------------------------------------------------------------------------------------- */

static void
put_event_time(struct json_writer *w, int64_t time_us)
{
    char text[DATE_TEXT_SIZE];
    date_write(time_us, DATE_MICROSECONDS, text);
    json_member_string(w, "time", text);
}

static bool
send_event(void *context, const struct event *event)
{
    struct finding *finding = context;
    struct json_writer w = call_line_begin(finding->call);
    json_member_u64(&w, "id", event->id);
    json_member_u64(&w, "sequence", event->sequence);
    put_event_time(&w, event->time_us);
    json_member_string(&w, "operation", event->operation);
    json_member_text(&w, "user", event->user_name);
    json_member_u64(&w, "version", event->version);
    finding->code = call_line_end(finding->call, &w, finding->error);
    return finding->code == ERROR_NONE;
}

struct gone_ids {
    uint64_t ids[1000];
    size_t count;
};

static bool
note_gone(void *context, uint64_t id, int64_t deleted_us)
{
    struct gone_ids *gone = context;
    gone->ids[gone->count++] = id;
    return gone->count < sizeof gone->ids / sizeof *gone->ids;
}

enum error_code
call_history(struct call *call, struct error *error)
{
    struct finding finding = {.call = call, .error = error};
    struct gone_ids gone = {.count = 0};
    struct resource resource;
    struct text path = call_text(call, "path");
    enum error_code code = call_view_at(call, path, &finding.view, error);
    if (code != ERROR_NONE)
        return code;
    struct error why = {0};
    enum error_code found = view_resolve(finding.view, path, &resource, &why);
    code = view_deleted_at(finding.view, path, note_gone, &gone, NULL);
    if (code != ERROR_NONE)
        gone.count = 0;
    code = ERROR_NONE;
    if (found != ERROR_NONE && gone.count == 0)
        code = error_set(error, found, "%s", why.message);
    for (size_t i = gone.count; i-- > 0 && code == ERROR_NONE;)
        code = view_history(finding.view, gone.ids[i], send_event, &finding, error);
    if (code == ERROR_NONE && found == ERROR_NONE)
        code = view_history(finding.view, resource.id, send_event, &finding, error);
    view_close(finding.view);
    return code != ERROR_NONE ? code : finding.code;
}
