/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Fedora API under /rest/: files ("binaries") and containers by PUT, POST, GET, HEAD, OPTIONS
 * and DELETE, tombstones, listings by pages, digests. What this part does not do yet (RDF bodies, PATCH, mementos,
 * access lists, transactions) is refused by name, never ignored.
 */
#ifndef ARCHIVOLT_FRONTEND_FEDORA_FEDORA_H
#define ARCHIVOLT_FRONTEND_FEDORA_FEDORA_H

#include "http/http.h"

extern const struct http_front_end fedora_front_end;

/* The status for an error of the model; the table is complete (a test holds it so). */
unsigned fedora_status(enum error_code code);

#endif
