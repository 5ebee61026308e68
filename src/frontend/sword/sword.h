/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SWORD 1.3 and 2.0: deposit by AtomPub, at the paths of DSpace (/sword, /swordv2, both also under /server). Both are one
 * front end: they differ in headers, words and which verbs there are, not in what a deposit is (repository/).
 */
#ifndef ARCHIVOLT_FRONTEND_SWORD_H
#define ARCHIVOLT_FRONTEND_SWORD_H

#include "http/http.h"

extern const struct http_front_end sword_front_end;
extern const struct http_front_end sword_server_front_end;
extern const struct http_front_end swordv2_front_end;
extern const struct http_front_end swordv2_server_front_end;

#endif
