/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server: model, front ends and admin socket put together, started, and stopped by a signal.
 *
 * server_run() returns when SIGTERM or SIGINT came and everything was stopped cleanly: no new connections,
 * answers in flight finish, uploads are cut, then the model is closed. On standard error: progress of the opening, then
 * exactly one line `archivolt: ready on http://ADDR:PORT (data DIR)`, and JSON lines of the log.
 */
#ifndef ARCHIVOLT_SERVER_SERVER_H
#define ARCHIVOLT_SERVER_SERVER_H

#include "base/error.h"

struct model;

/* What else runs beside the HTTP door, over the same model: the admin socket. */
struct server_companion {
    enum error_code (*start)(struct model *model, const char *folder, void **ret_companion, struct error *error);
    void (*stop)(void *companion); /* waits until its requests have ended */
};

struct server_options {
    const char *folder;
    const char *http;            /* ADDR:PORT, or NULL: from the configuration */
    const char *const *settings; /* "key=value", NULL-terminated, or NULL */
    const struct server_companion *companion; /* or NULL */
};

/* Errors: those of the configuration, model_open(), http_server_start(). Call it once, in the main thread. */
enum error_code server_run(const struct server_options *options, struct error *error) AV_MUST_USE;

#endif
