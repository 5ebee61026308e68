/* SPDX-License-Identifier: Apache-2.0 */
/* /livez: the process answers. /readyz: the store takes writes, and how it is. */
#include "format/json.h"
#include "http/request.h"
#include "server/server_private.h"

static void
livez(struct http_request *request)
{
    if (http_only_read(request))
        http_answer_text(request, 200, "text/plain; charset=utf-8", TEXT("ok\n"));
}

static void
write_health(struct json_writer *writer, const struct model_health *health)
{
    json_begin_object(writer);
    json_member_bool(writer, "ready", health->writable);
    json_member_bool(writer, "writable", health->writable);
    json_member_string(writer, "why", health->why);
    json_member_u64(writer, "free_bytes", health->free_bytes);
    json_member_u64(writer, "total_bytes", health->total_bytes);
    json_member_u64(writer, "sequence", health->sequence);
    json_member_u64(writer, "follower_lag", health->sequence - health->follower_sequence);
    json_member_u64(writer, "follower_pending", health->follower_pending);
    json_member_u64(writer, "waiting", health->waiting);
    json_member_string(writer, "version", ARCHIVOLT_VERSION);
    json_end_object(writer);
}

static void
readyz(struct http_request *request)
{
    struct model_health health;
    struct buffer buffer = {0};
    if (!http_only_read(request))
        return;
    model_health(request->model, &health);
    struct json_writer writer = json_writer(&buffer);
    write_health(&writer, &health);
    buffer_append_char(&buffer, '\n');
    if (!health.writable)
        http_set_header_static(request, "Retry-After", "10");
    http_answer_text(request, health.writable ? 200 : 503, "application/json",
                     arena_copy(request->arena, buffer_text(&buffer)));
    buffer_release(&buffer);
}

const struct http_front_end livez_front_end = {.name = "livez", .prefix = "/livez", .open = true, .begin = livez};
const struct http_front_end readyz_front_end = {.name = "readyz", .prefix = "/readyz", .open = true, .begin = readyz};
