/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct http_request: one request, as front ends see it, and what they may do with it.
 *
 * Life: begin() of the front end is called when the head is known. From then on the front end runs
 * in steps; each step ends in exactly one of these:
 *     http_answer_...()              the answer is complete
 *     http_receive(), http_receive_upload()   the body is wanted; the next step runs when it is whole
 *     http_commit(), http_work()     the connection sleeps; the next step runs when it is done
 * What the front end keeps between steps hangs on `state`, in the request's arena; what in it is not
 * memory of the arena is given up by `release`, called once at the very end, also when the client
 * left in the middle.
 * Threads: every step runs in the event thread of the connection; http_work's `work` in a worker.
 */
#ifndef ARCHIVOLT_HTTP_REQUEST_H
#define ARCHIVOLT_HTTP_REQUEST_H

#include "http/header.h"
#include "http/http.h"
#include "model/model.h"

#include <sys/types.h>

struct http_stream;

#define HTTP_ANSWER_HEADERS_MAXIMUM 32u

struct http_answer_header {
    const char *name;  /* static */
    const char *value; /* in the arena, or static */
};

struct http_answer {
    unsigned status; /* 0: not answered yet */
    struct http_answer_header headers[HTTP_ANSWER_HEADERS_MAXIMUM];
    unsigned header_count;
    struct text body;   /* when stream is NULL; lives until release */
    char *owned_body;   /* malloc'ed, or NULL: then body is in the arena or static */
    struct http_stream *stream;
    uint64_t size_bytes; /* of the stream; HTTP_SIZE_UNKNOWN: chunked */
    bool close;          /* end the connection after it */
};
#define HTTP_SIZE_UNKNOWN UINT64_MAX

/* Receives a piece of the body. False: the request has been answered (refused); the rest is not wanted. */
typedef bool http_receiver(struct http_request *request, const void *data, size_t length);

struct http_request {
    unsigned magic;
    /* what front ends read */
    struct model *model;
    struct repository *repository; /* of http_options */
    void *context; /* of http_options */
    struct arena *arena;
    enum http_method method;
    struct text target;     /* raw request target, whole */
    struct text path;       /* raw, without query */
    struct text below;      /* raw path after the front end's prefix: "" or "/..." */
    struct text query;      /* raw, after '?'; data NULL: none */
    struct text headers[HTTP_HEADER_COUNT]; /* trimmed; data NULL: not sent */
    bool has_body;          /* a body of more than 0 bytes is announced, or a chunked one */
    uint64_t body_bytes;    /* announced; HTTP_SIZE_UNKNOWN: chunked */
    uint64_t received_bytes;
    struct principal principal;
    struct text id;         /* request id */
    struct text base_url;   /* "http://host:port", no slash at the end */
    uint64_t start_ns;      /* monotonic */
    /* what front ends set */
    void *state;
    void (*release)(struct http_request *request);
    struct transaction_timing timing; /* for Server-Timing; has_timing */
    bool has_timing;
    /* what belongs to http/ */
    struct http_answer answer;
    http_step *next;
    http_receiver *receiver;
    struct http_receipt *receipt;
    struct http_connection *connection;
    const struct http_front_end *front_end;
    unsigned front_end_index;
    unsigned phase;
    bool sleeping;
    _Atomic bool handed_over; /* by who woke it; all that was done before belongs to the event thread then */
    uint64_t drained_bytes;
    _Atomic uint64_t sent_bytes;
    const char *target_at; /* where the raw target stands in the connection's memory */
    struct MHD_Connection *mhd;
};

static inline bool
http_has(const struct http_request *request, enum http_header header)
{
    return request->headers[header].data != NULL;
}
static inline bool
http_is_read(const struct http_request *request)
{
    return request->method == HTTP_GET || request->method == HTTP_HEAD;
}

/* The server that the request came to. */
struct http_server *http_request_server(const struct http_request *request);

/* ---- query --------------------------------------------------------------------------------------- */

/* The value of a key, decoded (application/x-www-form-urlencoded: '+' is a blank), in the arena.
 * False: not there. A broken escape is kept as it is. */
bool http_query(struct http_request *request, const char *key, struct text *ret_value);

/* The next pair of a query or form, decoded like that, in the arena. False at the end. */
bool http_form_next(struct arena *arena, struct text *rest, struct text *ret_key, struct text *ret_value);

/* ---- answers --------------------------------------------------------------------------------------- */

/* Adds a header. The value is copied to the arena; control characters in it become '?'. */
void http_set_header(struct http_request *request, const char *name, struct text value);
void http_set_header_format(struct http_request *request, const char *name, const char *format, ...) AV_PRINTF(3, 4);
void http_set_header_static(struct http_request *request, const char *name, const char *value);

void http_answer_empty(struct http_request *request, unsigned status);
/* `body` lives in the arena or for ever. */
void http_answer_text(struct http_request *request, unsigned status, const char *content_type, struct text body);
/* Moves a malloc'ed body in. */
void http_answer_owned(struct http_request *request, unsigned status, char **body, size_t length);
/* Moves the stream in. */
void http_answer_stream(struct http_request *request, unsigned status, uint64_t size_bytes,
                        struct http_stream **stream);
/* An error as the client likes it (text/plain, or application/json by Accept): word, message, request id.
 * Keeps the headers that were set before. */
void http_answer_error(struct http_request *request, unsigned status, const struct error *error);
/* The same with a code and message of its own. */
void http_refuse(struct http_request *request, unsigned status, enum error_code code, const char *format, ...)
    AV_PRINTF(4, 5);
/* For what is only read: answers OPTIONS, and refuses other methods than GET and HEAD. False: answered. */
bool http_only_read(struct http_request *request);
static inline bool
http_answered(const struct http_request *request)
{
    return request->answer.status != 0;
}
/* Forgets an answer and its headers, to give another one; never after the step that gave it has ended. */
void http_answer_reset(struct http_request *request);

/* Bytes that are made as they are sent. Owned by the request: freed at its end. */
enum { HTTP_STREAM_END = -1, HTTP_STREAM_FAILED = -2 };
struct http_stream {
    /* Writes up to `room` bytes of the body from `position` on; returns how many (at least 1), or END,
     * or FAILED: the connection is cut, so that nobody takes the part for the whole. */
    ssize_t (*read)(struct http_stream *stream, uint64_t position, char *bytes, size_t room);
    void (*free)(struct http_stream *stream);
};

/* ---- waiting --------------------------------------------------------------------------------------- */

/* The body, piece by piece; then `next`. */
void http_receive(struct http_request *request, http_receiver *receiver, http_step *next);
/* Submits and sleeps; `next` reads transaction_outcome(). On an error at once nothing sleeps. */
enum error_code http_commit(struct http_request *request, struct transaction *transaction, http_step *next,
                            struct error *error) AV_MUST_USE;
/* Runs `work` in a worker thread while the connection sleeps; then `next`. BUSY: the queue is full. */
enum error_code http_work(struct http_request *request, http_step *work, http_step *next,
                          struct error *error) AV_MUST_USE;

#endif
