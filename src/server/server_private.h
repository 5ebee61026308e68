/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of server/ share. The front ends' `context` is a struct server. */
#ifndef ARCHIVOLT_SERVER_PRIVATE_H
#define ARCHIVOLT_SERVER_PRIVATE_H

#include "http/http.h"
#include "model/model.h"
#include "server/configuration.h"

struct repository;
struct site_clock;

struct server {
    struct configuration configuration;
    struct model *model;
    struct repository *repository;
    struct site_clock *clock;
    struct http_server *http;
    uint64_t start_ns;
};

extern const struct http_front_end livez_front_end, readyz_front_end, metrics_front_end;

/* The wiring table: prefixes and who answers below them, first match first. NULL-terminated. */
extern const struct http_front_end *const server_front_ends[];

#endif
