/* SPDX-License-Identifier: Apache-2.0 */
/* GET .../fcr:versions: the versions of a resource, oldest first, as JSON. */
#include "format/date.h"
#include "format/json.h"
#include "frontend/fedora/fedora_private.h"

static bool
write_version(void *context, const struct version *version)
{
    struct json_writer *writer = context;
    char date[DATE_TEXT_SIZE];
    size_t length = date_write(version->time_us, DATE_MICROSECONDS, date);
    json_begin_object(writer);
    json_member_u64(writer, "version", version->number);
    json_member_text(writer, "time", text_of(date, length));
    json_member_text(writer, "user", version->user_name);
    json_member_text(writer, "message", version->message);
    json_member_u64(writer, "size", version->size_bytes);
    json_member_bool(writer, "deleted", version->deleted);
    json_end_object(writer);
    return writer->buffer->status == ERROR_NONE;
}

void
fedora_get_versions(struct http_request *request, const struct resource *resource)
{
    struct buffer buffer = {0};
    struct error error = {0};
    struct json_writer writer = json_writer(&buffer);
    json_begin_object(&writer);
    json_key(&writer, "versions");
    json_begin_array(&writer);
    enum error_code code = view_versions(fedora_of(request)->view, resource->id, 0, write_version, &writer, &error);
    json_end_array(&writer);
    json_end_object(&writer);
    buffer_append_char(&buffer, '\n');
    if (code == ERROR_NONE)
        code = buffer_status(&buffer, &error);
    if (code == ERROR_NONE) {
        http_set_header_static(request, "Content-Type", "application/json");
        http_answer_owned(request, 200, &buffer.data, buffer.length);
        buffer = (struct buffer){0};
    } else {
        fedora_fail(request, &error);
    }
    buffer_release(&buffer);
}
