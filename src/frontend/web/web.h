/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages and addresses of the web, as readers and machines know them from DSpace and EPrints: items, collections and communities as
 * HTML with what machines look for (citation tags, JSON-LD, Signposting), their files, and `/`. It takes what no other
 * front end does. Only reads.
 */
#ifndef ARCHIVOLT_FRONTEND_WEB_WEB_H
#define ARCHIVOLT_FRONTEND_WEB_WEB_H

#include "http/http.h"

extern const struct http_front_end web_front_end;

#endif
