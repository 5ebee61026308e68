/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The admin channel: what the command line asks of a model, served over DATA/archivolt.sock by a running
 * server, or over a socket pair inside the command's own process when none runs. One table of calls, one handler each.
 *
 * Who may: the peer must be the server's own user (or root); it acts as the local administrator.
 * Life of the socket: admin_start() - connections, a thread each - admin_stop() (waits for them).
 */
#ifndef ARCHIVOLT_SERVER_ADMIN_ADMIN_H
#define ARCHIVOLT_SERVER_ADMIN_ADMIN_H

#include "base/error.h"
#include "server/server.h"

struct model;

#define ADMIN_SOCKET_NAME "archivolt.sock"

/* Serves calls on a connected socket until the peer closes; closes it. `folder` is the data folder. */
void admin_serve(struct model *model, const char *folder, int fd);
/* Says why to a peer that is not served; closes the socket. */
void admin_refuse(int fd, const struct error *why);
/* For server_options.companion. */
extern const struct server_companion admin_companion;

#endif
