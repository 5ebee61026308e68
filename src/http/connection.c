/* SPDX-License-Identifier: Apache-2.0 */
/* One connection's requests, step by step: the calls from libmicrohttpd. Phases: see http_private.h. */
#include "base/ensure.h"
#include "http/http_private.h"
#include "http/receive.h"
#include "http/workers.h"
#include "io/clock.h"

static void
begin_request(struct http_connection *connection, struct MHD_Connection *mhd, const char *target)
{
    struct http_server *server = connection->server;
    struct http_request *request = &connection->request;
    ensure(!connection->busy);
    connection->busy = true;
    /* the answer's array of headers need not be cleared */
    memset(request, 0, offsetof(struct http_request, answer));
    memset(&request->next, 0, sizeof *request - offsetof(struct http_request, next));
    request->answer.status = 0;
    request->answer.header_count = 0;
    request->answer.body = TEXT("");
    request->answer.owned_body = NULL;
    request->answer.stream = NULL;
    request->answer.close = false;
    request->magic = HTTP_REQUEST_MAGIC;
    request->connection = connection;
    request->mhd = mhd;
    request->arena = &connection->arena;
    request->model = server->options.model;
    request->repository = server->options.repository;
    request->context = server->options.context;
    request->target_at = target;
    request->target = arena_copy(request->arena, text_from(target)); /* its first memory is cut up while parsing */
    request->start_ns = clock_monotonic_ns();
    request->principal = principal_anonymous();
    request->front_end_index = HTTP_FRONT_ENDS_MAXIMUM;
    atomic_fetch_add_explicit(&server->metrics.in_flight, 1, memory_order_relaxed);
}

void *
connection_target(void *server, const char *target, struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct http_connection *connection = info->socket_context;
    if (connection == NULL)
        return NULL;
    ensure(connection->magic == HTTP_CONNECTION_MAGIC && connection->server == server);
    begin_request(connection, mhd, target);
    return &connection->request;
}

void
connection_notify(void *context, struct MHD_Connection *mhd, void **socket_context,
                  enum MHD_ConnectionNotificationCode code)
{
    struct http_server *server = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        struct http_connection *connection = calloc(1, sizeof *connection);
        *socket_context = connection;
        if (connection == NULL)
            return;
        connection->magic = HTTP_CONNECTION_MAGIC;
        connection->server = server;
        arena_init(&connection->arena, server->options.request_memory_bytes);
        connection->over_limit = atomic_fetch_add(&server->connections, 1) >= server->options.connections;
        return;
    }
    struct http_connection *connection = *socket_context;
    if (connection == NULL)
        return;
    ensure(connection->magic == HTTP_CONNECTION_MAGIC && !connection->busy);
    atomic_fetch_sub(&server->connections, 1);
    arena_release(&connection->arena);
    connection->magic = 0;
    free(connection);
    *socket_context = NULL;
}

struct http_server *
http_request_server(const struct http_request *request)
{
    return request->connection->server;
}

/* ---- steps --------------------------------------------------------------------------------------- */

void
http_sleep(struct http_request *request, http_step *next)
{
    ensure(!request->sleeping);
    request->sleeping = true;
    request->next = next;
    atomic_store_explicit(&request->handed_over, false, memory_order_relaxed);
    atomic_fetch_add(&request->connection->server->sleeping, 1);
    MHD_suspend_connection(request->mhd);
}

void
http_wake(struct http_request *request)
{
    struct http_server *server = request->connection->server;
    struct MHD_Connection *mhd = request->mhd;
    atomic_store_explicit(&request->handed_over, true, memory_order_release);
    MHD_resume_connection(mhd); /* from here on the request may be gone */
    atomic_fetch_sub(&server->sleeping, 1);
}

/* What `next` names is for when the body is in. */
static bool
waits_for_body(const struct http_request *request)
{
    return request->receiver != NULL && request->phase < HTTP_PHASE_FINAL;
}

void
http_run_steps(struct http_request *request)
{
    while (request->next != NULL && !request->sleeping && !http_answered(request) && !waits_for_body(request)) {
        http_step *step = request->next;
        request->next = NULL;
        step(request);
    }
}

void
http_receive(struct http_request *request, http_receiver *receiver, http_step *next)
{
    ensure(request->phase <= HTTP_PHASE_HEAD);
    request->receiver = receiver;
    request->next = next;
}

static void
commit_done(void *context, struct transaction *transaction)
{
    http_wake(context);
}

enum error_code
http_commit(struct http_request *request, struct transaction *transaction, http_step *next, struct error *error)
{
    struct error own = {0};
    error = error != NULL ? error : &own;
    http_sleep(request, next);
    if (transaction_submit(transaction, commit_done, request, error) == ERROR_NONE)
        return ERROR_NONE;
    request->next = NULL; /* the caller answers; the sleep that began ends at once */
    http_wake(request);
    return error->code;
}

struct work {
    struct http_request *request;
    http_step *run;
};

static void
run_work(void *context)
{
    struct work *work = context;
    work->run(work->request);
    http_wake(work->request);
}

enum error_code
http_work(struct http_request *request, http_step *run, http_step *next, struct error *error)
{
    struct error own = {0};
    error = error != NULL ? error : &own;
    struct work *work = arena_alloc(request->arena, sizeof *work);
    if (work == NULL)
        return arena_status(request->arena, error);
    *work = (struct work){request, run};
    http_sleep(request, next);
    if (workers_post(request->connection->server->workers, run_work, work, error) == ERROR_NONE)
        return ERROR_NONE;
    request->next = NULL;
    http_wake(request);
    return error->code;
}

/* ---- phases --------------------------------------------------------------------------------------- */

/* An answer is there and the body is not: read it away, or answer now and close. */
static bool
worth_draining(const struct http_request *request)
{
    if (request->answer.close || http_has(request, HTTP_HEADER_EXPECT))
        return false;
    return request->body_bytes == HTTP_SIZE_UNKNOWN || request->body_bytes <= HTTP_DRAIN_BYTES;
}

static enum MHD_Result
head_call(struct http_request *request, const char *method, const char *version)
{
    if (request->phase == HTTP_PHASE_NEW) {
        request->phase = HTTP_PHASE_HEAD;
        head_read(request, method, version);
        if (!http_answered(request))
            authenticate(request);
    }
    http_run_steps(request);
    if (request->sleeping)
        return MHD_YES;
    if (http_answered(request) && request->has_body && !worth_draining(request)) {
        request->answer.close = true;
        return answer_queue(request);
    }
    request->phase = HTTP_PHASE_BODY;
    return MHD_YES;
}

static enum MHD_Result
body_call(struct http_request *request, const char *data, size_t *length)
{
    const struct http_options *options = &request->connection->server->options;
    size_t count = *length;
    *length = 0;
    request->received_bytes += count;
    if (http_answered(request) || request->receiver == NULL) {
        request->drained_bytes += count;
        return request->drained_bytes > HTTP_DRAIN_BYTES ? MHD_NO : MHD_YES;
    }
    if (options->body_bytes != 0 && request->received_bytes > options->body_bytes) {
        http_refuse(request, 413, ERROR_LIMIT, "the body is longer than %llu bytes (limit http_body_bytes)",
                    (unsigned long long)options->body_bytes);
        return MHD_YES;
    }
    request->receiver(request, data, count);
    return MHD_YES;
}

static enum MHD_Result
final_call(struct http_request *request)
{
    request->phase = HTTP_PHASE_FINAL;
    http_run_steps(request);
    if (request->sleeping)
        return MHD_YES;
    if (!http_answered(request))
        http_refuse(request, 500, ERROR_UNSUPPORTED, "this request was left without an answer");
    return answer_queue(request);
}

enum MHD_Result
connection_handler(void *server, struct MHD_Connection *mhd, const char *url, const char *method,
                   const char *version, const char *data, size_t *data_length, void **context)
{
    struct http_request *request = *context;
    if (request == NULL)
        return MHD_NO; /* no memory for the connection */
    ensure(request->magic == HTTP_REQUEST_MAGIC && request->phase != HTTP_PHASE_DONE);
    if (*data_length > 0)
        return body_call(request, data, data_length);
    if (request->sleeping)
        ensure(atomic_load_explicit(&request->handed_over, memory_order_acquire));
    request->sleeping = false;
    if (request->phase <= HTTP_PHASE_HEAD)
        return head_call(request, method, version);
    return final_call(request);
}

void
connection_completed(void *context, struct MHD_Connection *mhd, void **request_context,
                     enum MHD_RequestTerminationCode code)
{
    struct http_server *server = context;
    struct http_request *request = *request_context;
    if (request == NULL)
        return;
    ensure(request->magic == HTTP_REQUEST_MAGIC);
    bool cut = code != MHD_REQUEST_TERMINATED_COMPLETED_OK;
    uint64_t duration_us = (clock_monotonic_ns() - request->start_ns) / 1000;
    if (cut)
        atomic_fetch_add_explicit(&server->metrics.cut, 1, memory_order_relaxed);
    http_metrics_count(&server->metrics.front_ends[request->front_end_index], request->answer.status, duration_us,
                       request->received_bytes, request->sent_bytes);
    access_log_request(request, duration_us, cut);
    receipt_release(request);
    if (request->release != NULL)
        request->release(request);
    http_answer_reset(request);
    if (request->phase == HTTP_PHASE_DONE)
        atomic_fetch_sub(&server->answering, 1);
    request->magic = 0;
    arena_reset(request->arena);
    request->connection->busy = false;
    atomic_fetch_sub_explicit(&server->metrics.in_flight, 1, memory_order_relaxed);
    *request_context = NULL;
}
