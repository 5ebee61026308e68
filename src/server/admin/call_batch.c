/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about many items: import, export_saf, and check, which says what a deposit would do. Paths are this machine's, absolute. */
#include "package/guess.h"
#include "repository/ingest.h"
#include "repository/saf_export.h"
#include "server/admin/work.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Who is meant: "as", or who asks. */
static enum error_code
find_person(struct work *w, struct principal *ret, struct error *error)
{
    struct text name = call_text(w->call, "as");
    *ret = w->call->principal;
    return name.length == 0 ? ERROR_NONE : model_find_person(w->call->model, name, &w->call->arena, ret, error);
}

/* ---- import --------------------------------------------------------------------------------------------------- */

struct importing {
    struct call *call;
    struct error *error;
    enum error_code code; /* of a line that could not be sent */
};

static bool
send_result(void *context, const struct ingest_result *result)
{
    static const char *const words[] = {[INGEST_ADDED] = "added", [INGEST_PRESENT] = "present", [INGEST_FAILED] = "failed"};
    struct importing *importing = context;
    struct json_writer line = call_line_begin(importing->call);
    json_member_text(&line, "name", result->name);
    json_member_string(&line, "outcome", words[result->outcome]);
    json_member_text(&line, "handle", result->handle);
    json_member_text(&line, "uuid", result->uuid);
    json_member_text(&line, "title", result->title);
    json_member_text(&line, "report", result->report);
    if (result->error != NULL) {
        json_member_string(&line, "error", error_word(result->error->code));
        json_member_string(&line, "message", result->error->message);
    }
    importing->code = call_line_end(importing->call, &line, importing->error);
    return importing->code == ERROR_NONE && !channel_peer_closed(importing->call->channel);
}

static enum error_code
read_arguments(struct work *w, struct ingest *ingest, struct error *error)
{
    struct call *call = w->call;
    uint64_t threads = call_number(call, "jobs");
    ingest->repository = w->repository;
    ingest->source = arena_string(&call->arena, call_text(call, "source"));
    ingest->whole = call_flag(call, "whole");
    ingest->run = call_text(call, "run");
    ingest->asset_store = call_text(call, "asset_store");
    ingest->limits = repository_options(w->repository)->package_limits;
    ingest->restore = call_flag(call, "restore");
    if (threads == 0 || threads > INGEST_THREADS_MAXIMUM)
        return error_set(error, ERROR_INVALID, "jobs are 1 to %d", INGEST_THREADS_MAXIMUM);
    ingest->threads = (unsigned)threads;
    if (!unit_format_from_word(call_text(call, "format"), &ingest->format))
        return error_set(error, ERROR_INVALID, "%.*s cannot be imported", TEXT_ARG(call_text(call, "format")));
    return arena_status(&call->arena, error);
}

enum error_code
call_import(struct call *call, struct error *error)
{
    struct work w;
    struct importing importing = {.call = call, .error = error};
    struct ingest ingest = {.done = send_result, .context = &importing};
    struct ingest_counts counts = {0};
    enum error_code code = work_begin(&w, call, error);
    if (code == ERROR_NONE)
        code = read_arguments(&w, &ingest, error);
    if (code == ERROR_NONE)
        code = find_person(&w, &ingest.person, error);
    if (code == ERROR_NONE)
        code = work_find_kind(&w, "collection", ENTITY_COLLECTION, &ingest.collection, error);
    if (code == ERROR_NONE)
        code = ingest_run(&ingest, &counts, error);
    if (code == ERROR_NONE)
        code = importing.code;
    json_member_u64(&call->result, "added", counts.added);
    json_member_u64(&call->result, "present", counts.present);
    json_member_u64(&call->result, "failed", counts.failed);
    return work_end(&w, code);
}

/* ---- export --------------------------------------------------------------------------------------------------- */

struct exporting {
    struct work *work;
    struct text folder;
    bool all;
    uint64_t items;
    enum error_code code;
    struct error *error;
};

static bool
export_item(void *context, const struct entity *item)
{
    struct exporting *exporting = context;
    struct work *w = exporting->work;
    struct buffer folder AV_CLEANUP(buffer_release) = {0};
    if (item->state != ITEM_ARCHIVED)
        return true;
    buffer_printf(&folder, "%.*s/%llu", TEXT_ARG(exporting->folder), (unsigned long long)item->number);
    exporting->code = saf_export_item(w->repository, w->view, item, buffer_string(&folder), exporting->all, exporting->error);
    exporting->items++;
    if (exporting->code == ERROR_NONE) {
        struct json_writer line = call_line_begin(w->call);
        json_member_text(&line, "handle", item->handle);
        json_member_text(&line, "folder", buffer_text(&folder));
        exporting->code = call_line_end(w->call, &line, exporting->error);
    }
    return exporting->code == ERROR_NONE && !channel_peer_closed(w->call->channel);
}

enum error_code
call_export_saf(struct call *call, struct error *error)
{
    struct work w;
    struct entity entity;
    struct exporting exporting = {.work = &w, .folder = call_text(call, "folder"), .all = call_flag(call, "all"), .error = error};
    enum error_code code = work_begin(&w, call, error);
    if (code == ERROR_NONE)
        code = work_find(&w, "entity", &entity, error);
    if (code == ERROR_NONE && entity.kind == ENTITY_COMMUNITY)
        code = error_set(error, ERROR_CONFLICT, "items and collections are exported, communities are not");
    if (code == ERROR_NONE && entity.kind == ENTITY_ITEM && entity.state != ITEM_ARCHIVED)
        code = error_set(error, ERROR_CONFLICT, "the item is %s, not archived", item_state_word(entity.state));
    if (code == ERROR_NONE && entity.kind == ENTITY_ITEM)
        (void)export_item(&exporting, &entity);
    else if (code == ERROR_NONE)
        code = repository_children(w.repository, w.view, entity.resource.id, 1u << ENTITY_ITEM, TEXT(""), 0, export_item,
                                   &exporting, error);
    json_member_u64(&call->result, "items", exporting.items);
    return work_end(&w, code != ERROR_NONE ? code : exporting.code);
}

/* ---- check ---------------------------------------------------------------------------------------------------- */

struct checking {
    struct work *work;
    struct entity collection;
    struct collection_policy policy;
    struct principal person;
    enum packaging packaging;
};

static enum error_code
send_word(struct call *call, const char *name, struct text value, struct error *error)
{
    struct json_writer line = call_line_begin(call);
    json_member_text(&line, name, value);
    return call_line_end(call, &line, error);
}

static enum error_code
send_package(struct call *call, const struct package *package, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (struct text rest = buffer_text(&package->report); code == ERROR_NONE && rest.length > 0;) {
        struct text note = text_cut(rest, '\n', &rest);
        code = send_word(call, "note", note, error);
    }
    for (size_t i = 0; i < package->fields.count && code == ERROR_NONE; i++) {
        const struct field *field = &package->fields.items[i];
        struct json_writer line = call_line_begin(call);
        json_member_text(&line, "field", field_attribute(field, package->arena));
        json_member_text(&line, "value", field->value);
        if (field->language.length > 0)
            json_member_text(&line, "language", field->language);
        code = call_line_end(call, &line, error);
    }
    for (size_t i = 0; i < package->file_count && code == ERROR_NONE; i++) {
        const struct package_file *file = &package->files[i];
        struct json_writer line = call_line_begin(call);
        json_member_text(&line, "bundle", file->bundle);
        json_member_text(&line, "path", file->path);
        json_member_u64(&line, "size", file->size_bytes);
        json_member_text(&line, "type", file->media_type);
        code = call_line_end(call, &line, error);
    }
    return code;
}

/* All that a deposit does but the commit. */
static enum error_code
stage(struct checking *checking, struct package *package, struct error *error)
{
    struct work *w = checking->work;
    struct new_entity made;
    struct transaction *transaction;
    const struct deposit deposit = {.collection = checking->collection, .package = package, .original_name = TEXT(""),
                                    .original_type = TEXT(""), .packaging = checking->packaging, .submitter = checking->person,
                                    .mediator = principal_anonymous(), .slug = TEXT(""), .request_key = TEXT("")};
    enum error_code code = transaction_new(w->call->model, &checking->person, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    code = repository_stage_deposit(w->repository, transaction, w->view, &deposit, package->arena, &made, error);
    transaction_free(transaction);
    return code;
}

static enum error_code
check_package(struct checking *checking, int fd, uint64_t size, struct error *error)
{
    struct work *w = checking->work;
    struct call *call = w->call;
    struct packages packages = {0};
    struct package_request request = {
        .model = call->model,
        .arena = &call->arena,
        .limits = repository_options(w->repository)->package_limits,
        .crosswalks = repository_crosswalks(w->repository),
        .source = package_source_of_file(fd, size),
        .filename = call_text(call, "filename"),
    };
    const char *type;
    enum packaging guessed = package_guess(&request.source, request.filename, &type);
    struct text packaging = call_text(call, "packaging");
    if (packaging.length == 0)
        checking->packaging = guessed;
    else if (!packaging_from_text(packaging, &checking->packaging))
        return error_set(error, ERROR_UNSUPPORTED, "the packaging %.*s is not known", TEXT_ARG(packaging));
    request.packaging = checking->packaging;
    request.media_type = text_from(type);
    json_member_string(&call->result, "packaging", packaging_word(checking->packaging));
    enum error_code code = collection_policy_takes(&checking->policy, checking->packaging, request.media_type, error);
    if (code == ERROR_NONE)
        code = collection_policy_takes_bytes(&checking->policy, size, error);
    if (code == ERROR_NONE)
        code = package_read_all(&request, &packages, error);
    for (size_t i = 0; i < packages.count && code == ERROR_NONE; i++) {
        code = send_package(call, &packages.items[i], error);
        if (code == ERROR_NONE)
            code = stage(checking, &packages.items[i], error);
    }
    json_member_u64(&call->result, "items", packages.count);
    packages_release(&packages);
    return code;
}

enum error_code
call_check(struct call *call, struct error *error)
{
    struct work w;
    struct checking checking = {.work = &w};
    struct stat status;
    const char *path = arena_string(&call->arena, call_text(call, "path"));
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    enum error_code code = work_begin(&w, call, error);
    if (code == ERROR_NONE)
        code = find_person(&w, &checking.person, error);
    if (code == ERROR_NONE)
        code = work_find_kind(&w, "collection", ENTITY_COLLECTION, &checking.collection, error);
    if (code == ERROR_NONE)
        code = repository_policy(w.repository, w.view, &checking.collection, &checking.policy, error);
    if (code == ERROR_NONE)
        code = repository_may_deposit(w.repository, w.view, &checking.collection, &checking.person, error);
    if (code == ERROR_NONE && (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)))
        code = error_set(error, ERROR_NOT_FOUND, "the server cannot read %s", path == NULL ? "that file" : path);
    if (code == ERROR_NONE)
        code = check_package(&checking, fd, (uint64_t)status.st_size, error);
    if (fd >= 0)
        close(fd);
    if (code == ERROR_NONE)
        json_member_string(&call->result, "state", item_state_word(checking.policy.review ? ITEM_IN_REVIEW : ITEM_ARCHIVED));
    return work_end(&w, code);
}
