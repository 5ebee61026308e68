/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with content: put and get. */
#include "server/admin/call.h"

#define GET_CHUNK_BYTES (1u << 19) /* a multiple of the 64 KiB that are checked at once */

/* Takes all content frames, also after a failure, so that the connection stays usable. */
static enum error_code
receive_content(struct call *call, struct upload *upload, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (;;) {
        struct frame frame;
        enum error_code received = channel_receive(call->channel, &frame, code == ERROR_NONE ? error : NULL);
        if (received != ERROR_NONE)
            return code != ERROR_NONE ? code : received;
        if (frame.type == FRAME_END && frame.payload.length > 0 && code == ERROR_NONE)
            return error_set(error, ERROR_CLOSED, "the sender gave up");
        if (frame.type == FRAME_END)
            return code;
        if (frame.type != FRAME_DATA)
            return error_set(error, ERROR_PROTOCOL, "content was expected");
        if (code == ERROR_NONE && upload != NULL)
            code = upload_write(upload, frame.payload.data, frame.payload.length, error);
    }
}

static int64_t
signed_argument(const struct call *call, const char *name, int64_t absent)
{
    int64_t value;
    return json_get_i64(call->arguments, name, &value) ? value : absent;
}

/* With "keep_same": a file that holds the same bytes already stays as it is. */
static enum error_code
is_same(struct call *call, struct upload *upload, struct text path, bool *ret_same, struct error *error)
{
    struct view *view;
    struct resource resource;
    *ret_same = false;
    if (!call_flag(call, "keep_same"))
        return ERROR_NONE;
    enum error_code code = call_view(call, &view, error);
    if (code != ERROR_NONE)
        return code;
    if (view_resolve(view, path, &resource, NULL) == ERROR_NONE && resource.kind == RESOURCE_FILE &&
        resource.size_bytes == upload_size(upload)) {
        struct model_identity identity;
        enum digest_algorithm algorithm = DIGEST_SHA512;
        unsigned char digest[DIGEST_SIZE_MAX];
        model_identity(call->model, &identity);
        (void)digest_from_name(DIGEST_NAMES_OCFL, text_from(identity.digest), &algorithm);
        *ret_same = upload_digest(upload, algorithm, digest) &&
                    memcmp(digest, resource.digest, digest_size(algorithm)) == 0 &&
                    resource.source_mtime_us == signed_argument(call, "mtime_us", INT64_MIN);
        if (*ret_same) {
            json_member_u64(&call->result, "id", resource.id);
            json_member_bool(&call->result, "unchanged", true);
        }
    }
    view_close(view);
    return ERROR_NONE;
}

static enum error_code
commit_file(struct call *call, struct upload **upload, struct error *error)
{
    struct file_options options = {
        .make_parents = true,
        .fail_if_exists = call_flag(call, "fail_if_exists"),
        .media_type = call_text(call, "type"),
        .source_mtime_us = signed_argument(call, "mtime_us", INT64_MIN),
        .source_mode = (unsigned)call_number(call, "mode"),
    };
    struct transaction *transaction;
    struct text path = call_text(call, "path");
    bool same;
    enum error_code code = is_same(call, *upload, path, &same, error);
    if (code != ERROR_NONE || same)
        return code;
    code = call_transaction(call, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    code = transaction_put_file(transaction, target_path(path), upload, &options, error);
    if (code == ERROR_NONE)
        code = call_commit(call, transaction, error);
    transaction_free(transaction);
    return code;
}

enum error_code
call_put(struct call *call, struct error *error)
{
    struct upload *upload = NULL;
    struct text path = call_text(call, "path");
    enum error_code code = path_check(path, model_limits(call->model), error);
    if (code == ERROR_NONE)
        code = upload_begin(call->model, 0, &upload, error);
    enum error_code received = receive_content(call, upload, code == ERROR_NONE ? error : NULL);
    if (code == ERROR_NONE)
        code = received;
    if (code == ERROR_NONE)
        code = upload_finish(upload, error);
    if (code == ERROR_NONE)
        code = commit_file(call, &upload, error);
    upload_free(upload);
    return code;
}

static enum error_code
send_content(struct call *call, struct content_reader *reader, struct error *error)
{
    uint64_t size = content_reader_size(reader);
    char *chunk = malloc(GET_CHUNK_BYTES);
    enum error_code code = chunk == NULL ? error_set(error, ERROR_NO_MEMORY, "out of memory") : ERROR_NONE;
    for (uint64_t at = 0; at < size && code == ERROR_NONE;) {
        size_t length = size - at < GET_CHUNK_BYTES ? (size_t)(size - at) : GET_CHUNK_BYTES;
        code = content_reader_read(reader, at, chunk, length, error);
        if (code == ERROR_NONE)
            code = channel_send(call->channel, FRAME_DATA, text_of(chunk, length), error);
        at += length;
    }
    free(chunk);
    return code == ERROR_NONE ? channel_send(call->channel, FRAME_END, TEXT(""), error) : code;
}

/* The facts of an older version stand in for those of the resource. */
struct wanted_version {
    uint64_t number;
    struct resource *resource;
    bool found;
};

static bool
take_version(void *context, const struct version *version)
{
    struct wanted_version *wanted = context;
    if (version->number != wanted->number)
        return true;
    wanted->found = true;
    wanted->resource->size_bytes = version->size_bytes;
    memcpy(wanted->resource->digest, version->digest, sizeof version->digest);
    return false;
}

enum error_code
call_get(struct call *call, struct error *error)
{
    struct view *view;
    struct resource resource;
    struct content_reader *reader = NULL;
    struct text path = call_text(call, "path");
    struct wanted_version wanted = {call_number(call, "version"), &resource, false};
    enum error_code code = call_resolve(call, path, &view, &resource, error);
    if (code != ERROR_NONE)
        return code;
    if (resource.kind != RESOURCE_FILE)
        code = error_set(error, ERROR_CONFLICT, "%.*s is a container: get -r", TEXT_ARG(path));
    if (code == ERROR_NONE && wanted.number != 0)
        code = view_versions(view, resource.id, wanted.number - 1, take_version, &wanted, error);
    if (code == ERROR_NONE && wanted.number != 0 && !wanted.found)
        code = error_set(error, ERROR_NOT_FOUND, "%.*s has no version %llu", TEXT_ARG(path),
                         (unsigned long long)wanted.number);
    if (code == ERROR_NONE)
        code = view_content(view, &resource, wanted.number, &reader, error);
    if (code == ERROR_NONE) {
        struct json_writer w = call_line_begin(call);
        call_put_resource(call, &w, &resource, path);
        code = call_line_end(call, &w, error);
    }
    view_close(view);
    if (code == ERROR_NONE)
        code = send_content(call, reader, error);
    content_reader_close(reader);
    return code;
}
