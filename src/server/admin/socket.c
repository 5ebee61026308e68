/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The admin socket of a running server: one thread accepts, one serves each connection.
 * Stopping shuts every connection down and waits for its thread; a call in flight ends with its peer gone.
 */
#include "base/ensure.h"
#include "base/lock.h"
#include "base/text.h"
#include "server/admin/admin.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define CONNECTIONS_MAXIMUM 256u

struct admin;
struct admin_connection {
    struct admin *admin;
    int fd;
    pthread_t thread;
    bool used, ended;
};

struct admin {
    struct model *model;
    char *folder;
    int listener;
    pthread_t thread;
    struct lock lock; /* connections, stop */
    bool stop;
    struct admin_connection connections[CONNECTIONS_MAXIMUM];
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
};

static bool
peer_may(int fd)
{
    struct ucred peer;
    socklen_t length = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

static void *
connection_thread(void *context)
{
    struct admin_connection *connection = context;
    struct admin *admin = connection->admin;
    int fd = dup(connection->fd); /* ours to close; the other is for shutdown at the stop */
    if (fd >= 0)
        admin_serve(admin->model, admin->folder, fd);
    shutdown(connection->fd, SHUT_RDWR); /* the peer learns it now, not when the thread is joined */
    lock_take(&admin->lock);
    connection->ended = true;
    lock_give(&admin->lock);
    return NULL;
}

/* Joins threads that have ended; all of them when `wait`. */
static void
reap(struct admin *admin, bool wait)
{
    for (unsigned i = 0; i < CONNECTIONS_MAXIMUM; i++) {
        struct admin_connection *connection = &admin->connections[i];
        lock_take(&admin->lock);
        bool over = connection->used && (connection->ended || wait);
        lock_give(&admin->lock);
        if (!over)
            continue;
        pthread_join(connection->thread, NULL);
        close(connection->fd);
        *connection = (struct admin_connection){.used = false};
    }
}

static struct admin_connection *
free_connection(struct admin *admin)
{
    for (unsigned i = 0; i < CONNECTIONS_MAXIMUM; i++)
        if (!admin->connections[i].used)
            return &admin->connections[i];
    return NULL;
}

static enum error_code
admit(struct admin *admin, int fd, struct error *error)
{
    if (!peer_may(fd))
        return error_set(error, ERROR_DENIED, "only the server's own user and root may ask it");
    reap(admin, false);
    struct admin_connection *connection = free_connection(admin);
    if (connection == NULL)
        return error_set(error, ERROR_BUSY, "%u commands are connected already; try again later", CONNECTIONS_MAXIMUM);
    *connection = (struct admin_connection){.admin = admin, .fd = fd, .used = true};
    if (pthread_create(&connection->thread, NULL, connection_thread, connection) == 0)
        return ERROR_NONE;
    connection->used = false;
    return error_set(error, ERROR_NO_MEMORY, "no thread can be started for one more command");
}

static void *
accept_thread(void *context)
{
    struct admin *admin = context;
    for (;;) {
        int fd = accept4(admin->listener, NULL, NULL, SOCK_CLOEXEC);
        lock_take(&admin->lock);
        bool stop = admin->stop;
        lock_give(&admin->lock);
        if (stop) {
            if (fd >= 0)
                close(fd);
            return NULL;
        }
        struct error why = {0};
        if (fd >= 0 && admit(admin, fd, &why) != ERROR_NONE)
            admin_refuse(fd, &why);
        else if (fd < 0 && errno != EINTR && errno != ECONNABORTED)
            usleep(100000); /* out of descriptors: let some close */
    }
}

static enum error_code
listen_at(struct admin *admin, struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/" ADMIN_SOCKET_NAME, admin->folder);
    if (length < 0 || (size_t)length >= sizeof address.sun_path)
        return error_set(error, ERROR_LIMIT, "the path of the data folder is too long for a socket: at most %zu bytes",
                         sizeof address.sun_path - sizeof ADMIN_SOCKET_NAME - 1);
    memcpy(admin->path, address.sun_path, sizeof admin->path);
    unlink(admin->path); /* the data lock says that nobody else uses it */
    admin->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (admin->listener < 0)
        return error_set_errno(error, errno, "cannot make the admin socket");
    mode_t mask = umask(0177);
    int bound = bind(admin->listener, (struct sockaddr *)&address, sizeof address);
    umask(mask);
    if (bound != 0 || listen(admin->listener, 128) != 0)
        return error_set_errno(error, errno, "cannot listen at %s", admin->path);
    return ERROR_NONE;
}

static void
admin_free(struct admin *admin)
{
    if (admin->listener >= 0)
        close(admin->listener);
    lock_release(&admin->lock);
    free(admin->folder);
    free(admin);
}

static enum error_code
admin_start(struct model *model, const char *folder, void **ret_companion, struct error *error)
{
    struct admin *admin = calloc(1, sizeof *admin);
    ensure(admin != NULL);
    admin->model = model;
    admin->folder = text_copy(text_from(folder));
    admin->listener = -1;
    lock_init(&admin->lock, LOCK_RANK_SERVER);
    enum error_code code = listen_at(admin, error);
    if (code == ERROR_NONE && pthread_create(&admin->thread, NULL, accept_thread, admin) != 0)
        code = error_set(error, ERROR_NO_MEMORY, "the admin socket's thread cannot start");
    if (code != ERROR_NONE) {
        admin_free(admin);
        return code;
    }
    *ret_companion = admin;
    return ERROR_NONE;
}

static void
admin_stop(void *companion)
{
    struct admin *admin = companion;
    lock_take(&admin->lock);
    admin->stop = true;
    lock_give(&admin->lock);
    shutdown(admin->listener, SHUT_RDWR);
    pthread_join(admin->thread, NULL);
    for (unsigned i = 0; i < CONNECTIONS_MAXIMUM; i++)
        if (admin->connections[i].used)
            shutdown(admin->connections[i].fd, SHUT_RDWR);
    reap(admin, true);
    unlink(admin->path);
    admin_free(admin);
}

const struct server_companion admin_companion = {admin_start, admin_stop};
