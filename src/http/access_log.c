/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of JSON a request. The one place outside server/ that logs: it is the record of the door itself.
 * Off by default for what went well: at 30,000 requests a second the lines cost more than the work.
 */
#include "base/log.h"
#include "http/http_private.h"

static const char *const method_names[HTTP_METHOD_COUNT + 1] = {
#define X(name) #name,
    HTTP_METHODS(X)
#undef X
        "?"};

bool
access_log_from_word(struct text word, enum access_log *ret_access_log)
{
#define X(name, text)                                                                              \
    if (text_equal(word, TEXT(text))) {                                                            \
        *ret_access_log = ACCESS_LOG_##name;                                                       \
        return true;                                                                               \
    }
    ACCESS_LOGS(X)
#undef X
    return false;
}

static bool
is_logged(const struct http_request *request, bool cut)
{
    unsigned status = request->answer.status;
    switch (request->connection->server->options.access_log) {
    case ACCESS_LOG_OFF:
        return false;
    case ACCESS_LOG_ERRORS:
        return cut || status >= 500 || status == 401;
    case ACCESS_LOG_WRITES:
        return cut || status >= 500 || status == 401 || !http_is_read(request);
    case ACCESS_LOG_ALL:
        return true;
    }
    return true;
}

void
access_log_request(const struct http_request *request, uint64_t duration_us, bool cut)
{
    if (!is_logged(request, cut))
        return;
    log_event(request->answer.status >= 500 ? LOG_ERROR : LOG_INFO, cut ? "request_cut" : "request",
              log_text("request_id", request->id), log_text("user", request->principal.name),
              log_string("method", method_names[request->method]), log_text("path", request->target),
              log_u64("status", request->answer.status), log_u64("received_bytes", request->received_bytes),
              log_u64("sent_bytes", request->sent_bytes), log_double("ms", (double)duration_us / 1000.0), log_end());
}
