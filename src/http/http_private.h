/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of http/ share. Nobody else includes this.
 *
 * A connection owns one request at a time and keeps its arena for the next. A request goes through
 * these phases; libmicrohttpd calls connection_handler() again and again and the phase says what a call means:
 *
 *   NEW  --head read, credentials--> HEAD --begin() has run and nothing sleeps--> BODY
 *   BODY --the call without data: the body is whole--> FINAL --queued--> DONE
 *
 * In HEAD and FINAL a step may sleep (http_sleep): the connection is suspended and the same phase goes
 * on when it is woken. An answer given in HEAD waits for FINAL, because libmicrohttpd closes a connection that is
 * answered earlier; it is queued at once only where closing is wanted (Expect, very long bodies).
 */
#ifndef ARCHIVOLT_HTTP_PRIVATE_H
#define ARCHIVOLT_HTTP_PRIVATE_H

#include "base/lock.h"
#include "http/request.h"

#include <microhttpd.h>

#define HTTP_REQUEST_MAGIC 0x52455155u
#define HTTP_CONNECTION_MAGIC 0x434F4E4Eu
/* What a client may still send after it has been refused, before the connection is closed on it. */
#define HTTP_DRAIN_BYTES (8u << 20)

enum http_phase { HTTP_PHASE_NEW, HTTP_PHASE_HEAD, HTTP_PHASE_BODY, HTTP_PHASE_FINAL, HTTP_PHASE_DONE };

struct http_connection {
    unsigned magic;
    struct http_server *server;
    bool over_limit; /* one connection too many: each request gets 503 */
    bool busy;       /* request is in use */
    struct arena arena;
    struct http_request request;
};

struct http_server {
    struct http_options options;
    struct MHD_Daemon *daemon;
    struct workers *workers;
    struct http_metrics metrics;
    size_t front_end_count;
    uint16_t port;
    char url[128];
    char id_prefix[16];
    _Atomic uint64_t next_id;
    _Atomic unsigned connections;
    _Atomic unsigned sleeping;
    _Atomic unsigned answering; /* answers handed over and not sent whole */
    _Atomic bool stopping;
    char *certificate, *key;
    char *address; /* copies of options' texts */
    char *base_url;
};

/* connection.c: the calls from libmicrohttpd. */
void *connection_target(void *server, const char *target, struct MHD_Connection *mhd);
enum MHD_Result connection_handler(void *server, struct MHD_Connection *mhd, const char *url, const char *method,
                                   const char *version, const char *data, size_t *data_length, void **context);
void connection_completed(void *server, struct MHD_Connection *mhd, void **context,
                          enum MHD_RequestTerminationCode code);
void connection_notify(void *server, struct MHD_Connection *mhd, void **socket_context,
                       enum MHD_ConnectionNotificationCode code);

/* Sleeping: the connection is suspended until http_wake(), then `next` runs. */
void http_sleep(struct http_request *request, http_step *next);
void http_wake(struct http_request *request); /* any thread, once for each http_sleep() */
void http_run_steps(struct http_request *request);

/* head.c: reads the head into the request, refuses what is wrong with it, finds the front end. */
void head_read(struct http_request *request, const char *method, const char *version);
/* authenticate.c: sets the principal (perhaps sleeping), then runs begin(). */
void authenticate(struct http_request *request);
/* answer.c: hands the answer to libmicrohttpd. */
enum MHD_Result answer_queue(struct http_request *request);
/* access_log.c */
void access_log_request(const struct http_request *request, uint64_t duration_us, bool cut);

#endif
