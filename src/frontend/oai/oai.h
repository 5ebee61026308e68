/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OAI-PMH 2.0 (http://www.openarchives.org/OAI/openarchivesprotocol.html) over the harvest lists of the model.
 * The same contexts under /oai and /server/oai: request, driver, openaire4.
 */
#ifndef ARCHIVOLT_FRONTEND_OAI_H
#define ARCHIVOLT_FRONTEND_OAI_H

#include "http/http.h"

extern const struct http_front_end oai_front_end;
extern const struct http_front_end oai_server_front_end;

#endif
