/* SPDX-License-Identifier: Apache-2.0 */
/* The load generator: see client.h. Each connection is a small state machine: sending -> receiving -> sending. */
#include "client.h"

#include "base/ensure.h"
#include "io/clock.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define RECEIVE_BYTES (64u << 10)
#define HEAD_BYTES_MAXIMUM (64u << 10)

struct connection {
    int fd;
    unsigned number;
    struct buffer out; /* the request; out_sent of it is gone */
    size_t out_sent;
    struct buffer head; /* of the answer, until its blank line */
    bool head_done, chunked;
    uint64_t body_left;
    bool wrong;             /* the body of the answer */
    uint64_t body_received; /* of it, so far */
    unsigned status;
    uint64_t operation, free_ns; /* number of the request; when the one before was done */
    struct sample sample;
    bool busy;
    struct buffer chunk_line;
    int chunk_state; /* 0 size line, 1 data, 2 line end after data, 3 trailer */
};

struct run {
    struct load *load;
    int epoll;
    struct connection *connections;
    uint64_t next, began_ns, stored;
    unsigned busy;
    struct addrinfo *address;
};

static enum error_code
connect_one(struct run *run, struct connection *c, struct error *error)
{
    int yes = 1;
    c->fd = socket(run->address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0 || connect(c->fd, run->address->ai_addr, run->address->ai_addrlen) != 0)
        return error_set_errno(error, errno, "cannot connect to %s:%s", run->load->host, run->load->port);
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    ensure(epoll_ctl(run->epoll, EPOLL_CTL_ADD, c->fd, &event) == 0);
    return ERROR_NONE;
}

static void
want(struct run *run, struct connection *c, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = c};
    ensure(epoll_ctl(run->epoll, EPOLL_CTL_MOD, c->fd, &event) == 0);
}

/* False when the connection is broken. */
static bool
send_more(struct run *run, struct connection *c)
{
    while (c->out_sent < c->out.length) {
        ssize_t sent = send(c->fd, c->out.data + c->out_sent, c->out.length - c->out_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EAGAIN) {
            want(run, c, EPOLLIN | EPOLLOUT);
            return true;
        }
        if (sent < 0)
            return false;
        c->out_sent += (size_t)sent;
    }
    want(run, c, EPOLLIN);
    return true;
}

static bool
begin_request(struct run *run, struct connection *c)
{
    struct load *load = run->load;
    if (run->next >= load->count)
        return true;
    buffer_clear(&c->out);
    buffer_clear(&c->head);
    c->out_sent = 0;
    c->head_done = c->wrong = false;
    c->body_received = 0;
    c->busy = true;
    c->operation = run->next++;
    load->request(load, c->operation, &c->out);
    ensure(c->out.status == ERROR_NONE);
    c->sample = (struct sample){.intended_ns = c->free_ns, .start_ns = clock_monotonic_ns() - run->began_ns,
                                .items = load->items + run->stored, .in_flight = ++run->busy, .worker = c->number};
    return send_more(run, c);
}

/* `status` 0: the connection broke. */
static void
finish_request(struct run *run, struct connection *c, unsigned status)
{
    struct load *load = run->load;
    bool good = status >= 200 && status <= 299;
    if (good && load->check != NULL)
        c->wrong |= !load->check(load, c->operation, c->body_received, NULL, 0);
    load->wrong += good && c->wrong;
    load->errors += !good || c->wrong;
    run->stored += status == 201 && load->size > 0;
    run->busy--;
    c->busy = false;
    c->sample.end_ns = c->free_ns = clock_monotonic_ns() - run->began_ns;
    c->sample.status = c->wrong ? 0 : status;
    c->sample.size = load->size > 0 ? load->size : c->body_received;
    load->samples[load->done++] = c->sample;
}

/* Status and length from the head; 1xx answers are passed over. False: not HTTP. */
static bool
parse_head(struct connection *c)
{
    const char *text = buffer_string(&c->head);
    if (strncmp(text, "HTTP/1.1 ", 9) != 0)
        return false;
    c->status = (unsigned)strtoul(text + 9, NULL, 10);
    c->body_left = 0;
    c->chunked = strcasestr(text, "\r\ntransfer-encoding: chunked") != NULL;
    c->chunk_state = 0;
    buffer_clear(&c->chunk_line);
    const char *length = strcasestr(text, "\r\ncontent-length:");
    if (length != NULL)
        c->body_left = strtoull(length + 17, NULL, 10);
    return true;
}

/* Bytes of the body of an answer. */
static void
take_body(struct run *run, struct connection *c, const char *data, size_t length)
{
    struct load *load = run->load;
    if (load->check != NULL && c->status >= 200 && c->status <= 299 && !c->wrong)
        c->wrong = !load->check(load, c->operation, c->body_received, data, length);
    c->body_received += length;
    load->body_bytes += length;
    c->body_left -= length;
}

/* Takes chunked bytes; true at the end of the body. */
static bool
take_chunked(struct run *run, struct connection *c, const char *data, size_t length)
{
    for (size_t i = 0; i < length;) {
        if (c->chunk_state == 1) {
            size_t take = c->body_left < length - i ? (size_t)c->body_left : length - i;
            take_body(run, c, data + i, take);
            i += take;
            if (c->body_left == 0)
                c->chunk_state = 2;
            continue;
        }
        buffer_append_char(&c->chunk_line, data[i++]);
        if (c->chunk_line.length < 2 || memcmp(c->chunk_line.data + c->chunk_line.length - 2, "\r\n", 2) != 0)
            continue;
        if (c->chunk_state == 0) {
            c->body_left = strtoull(buffer_string(&c->chunk_line), NULL, 16);
            c->chunk_state = c->body_left == 0 ? 3 : 1;
        } else if (c->chunk_state == 2) {
            c->chunk_state = 0;
        } else if (c->chunk_line.length == 2) {
            return true;
        }
        buffer_clear(&c->chunk_line);
    }
    return false;
}

/* Bytes of the answer; true when it is complete. `*broken` when it is not HTTP. */
static bool
take(struct run *run, struct connection *c, const char *data, size_t length, bool *broken)
{
    while (!c->head_done) {
        size_t before = c->head.length;
        buffer_append(&c->head, data, length);
        const char *text = buffer_string(&c->head);
        const char *end = strstr(text, "\r\n\r\n");
        if (end == NULL) {
            *broken = c->head.length > HEAD_BYTES_MAXIMUM;
            return false;
        }
        size_t head_length = (size_t)(end - text) + 4;
        size_t used = head_length - before;
        buffer_truncate(&c->head, head_length);
        if (!parse_head(c)) {
            *broken = true;
            return false;
        }
        data += used;
        length -= used;
        c->head_done = c->status >= 200;
        if (!c->head_done)
            buffer_clear(&c->head);
        if (!c->head_done && length == 0)
            return false;
    }
    if (c->chunked)
        return take_chunked(run, c, data, length);
    *broken = length > c->body_left; /* nobody asked for more */
    take_body(run, c, data, *broken ? (size_t)c->body_left : length);
    return c->body_left == 0 && !*broken;
}

static enum error_code
restart(struct run *run, struct connection *c, struct error *error)
{
    close(c->fd);
    if (c->busy)
        finish_request(run, c, 0);
    enum error_code code = connect_one(run, c, error);
    if (code == ERROR_NONE && !begin_request(run, c))
        code = error_set(error, ERROR_IO, "the server closes new connections at once");
    return code;
}

static enum error_code
on_event(struct run *run, struct connection *c, uint32_t events, struct error *error)
{
    static char data[RECEIVE_BYTES];
    bool broken = false;
    if ((events & EPOLLOUT) != 0 && !send_more(run, c))
        broken = true;
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && !broken) {
        ssize_t got = recv(c->fd, data, sizeof data, MSG_DONTWAIT);
        if (got < 0 && errno == EAGAIN)
            return ERROR_NONE;
        if (got <= 0)
            broken = true;
        else if (c->busy && take(run, c, data, (size_t)got, &broken)) {
            finish_request(run, c, c->status);
            broken = !begin_request(run, c);
        }
    }
    return broken ? restart(run, c, error) : ERROR_NONE;
}

static enum error_code
run_loop(struct run *run, struct error *error)
{
    struct load *load = run->load;
    enum error_code code = ERROR_NONE;
    for (unsigned i = 0; i < load->in_flight && code == ERROR_NONE; i++) {
        run->connections[i].number = i;
        code = connect_one(run, &run->connections[i], error);
    }
    run->began_ns = clock_monotonic_ns();
    for (unsigned i = 0; i < load->in_flight && code == ERROR_NONE; i++)
        if (!begin_request(run, &run->connections[i]))
            code = error_set(error, ERROR_IO, "cannot send");
    while (code == ERROR_NONE && load->done < load->count) {
        struct epoll_event events[256];
        int count = epoll_wait(run->epoll, events, 256, 60000);
        if (count == 0)
            return error_set(error, ERROR_TIMEOUT, "no answer for a minute");
        for (int i = 0; i < count && code == ERROR_NONE; i++)
            code = on_event(run, events[i].data.ptr, events[i].events, error);
    }
    load->elapsed_ns = clock_monotonic_ns() - run->began_ns;
    return code;
}

enum error_code
load_run(struct load *load, struct error *error)
{
    struct run run = {.load = load};
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    load->done = load->errors = load->wrong = load->body_bytes = 0;
    if (getaddrinfo(load->host, load->port, &hints, &run.address) != 0)
        return error_set(error, ERROR_INVALID, "there is no host %s", load->host);
    run.epoll = epoll_create1(EPOLL_CLOEXEC);
    run.connections = calloc(load->in_flight, sizeof *run.connections);
    load->samples = calloc(load->count + load->in_flight, sizeof *load->samples);
    ensure(run.epoll >= 0 && run.connections != NULL && load->samples != NULL);
    enum error_code code = run_loop(&run, error);
    for (unsigned i = 0; i < load->in_flight; i++) {
        if (run.connections[i].fd > 0)
            close(run.connections[i].fd);
        buffer_release(&run.connections[i].out);
        buffer_release(&run.connections[i].head);
        buffer_release(&run.connections[i].chunk_line);
    }
    free(run.connections);
    close(run.epoll);
    freeaddrinfo(run.address);
    return code;
}

void
load_release(struct load *load)
{
    free(load->samples);
    load->samples = NULL;
}
