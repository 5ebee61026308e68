/* SPDX-License-Identifier: Apache-2.0 */
/* Frames over a socket: see channel.h. */
#include "server/admin/channel.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_BYTES 5u
#define GATHER_BYTES (64u << 10)

void
channel_init(struct channel *channel, int fd)
{
    *channel = (struct channel){.fd = fd};
}

void
channel_release(struct channel *channel)
{
    if (channel->fd >= 0)
        close(channel->fd);
    channel->fd = -1;
    buffer_release(&channel->in);
    buffer_release(&channel->out);
}

static enum error_code
send_all(struct channel *channel, const char *data, size_t length, struct error *error)
{
    while (length > 0) {
        ssize_t sent = send(channel->fd, data, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return errno == EPIPE || errno == ECONNRESET ? error_set(error, ERROR_CLOSED, "the other side has closed")
                                                         : error_set_errno(error, errno, "cannot send");
        data += sent;
        length -= (size_t)sent;
    }
    return ERROR_NONE;
}

enum error_code
channel_flush(struct channel *channel, struct error *error)
{
    enum error_code code = buffer_status(&channel->out, error);
    if (code == ERROR_NONE)
        code = send_all(channel, channel->out.data, channel->out.length, error);
    buffer_clear(&channel->out);
    return code;
}

/* All but what fits the last frame. */
static enum error_code
send_parts(struct channel *channel, struct text *line, struct error *error)
{
    enum error_code code = ERROR_NONE;
    while (line->length > CHANNEL_FRAME_MAXIMUM && code == ERROR_NONE) {
        code = channel_send(channel, FRAME_PART, text_of(line->data, CHANNEL_FRAME_MAXIMUM), error);
        *line = text_of(line->data + CHANNEL_FRAME_MAXIMUM, line->length - CHANNEL_FRAME_MAXIMUM);
    }
    return code;
}

enum error_code
channel_send(struct channel *channel, enum frame_type type, struct text payload, struct error *error)
{
    enum error_code code = type == FRAME_LINE ? send_parts(channel, &payload, error) : ERROR_NONE;
    if (code != ERROR_NONE)
        return code;
    if (payload.length > CHANNEL_FRAME_MAXIMUM)
        return error_set(error, ERROR_LIMIT, "a frame of %zu bytes is too long", payload.length);
    buffer_append_char(&channel->out, (char)type);
    buffer_append_be(&channel->out, payload.length, 4);
    buffer_append_text(&channel->out, payload);
    if ((type == FRAME_LINE || type == FRAME_DATA) && channel->out.length < GATHER_BYTES)
        return ERROR_NONE;
    return channel_flush(channel, error);
}

static enum error_code
receive_all(struct channel *channel, char *data, size_t length, bool first, struct error *error)
{
    size_t got = 0;
    while (got < length) {
        ssize_t received = recv(channel->fd, data + got, length - got, 0);
        if (received < 0 && errno == EINTR)
            continue;
        if (received < 0 && errno != ECONNRESET)
            return error_set_errno(error, errno, "cannot receive");
        if (received <= 0)
            return first && got == 0 ? error_set(error, ERROR_CLOSED, "the other side has closed")
                                     : error_set(error, ERROR_PROTOCOL, "a frame was cut");
        got += (size_t)received;
    }
    return ERROR_NONE;
}

enum error_code
channel_receive(struct channel *channel, struct frame *ret_frame, struct error *error)
{
    char head[HEAD_BYTES];
    enum error_code code = receive_all(channel, head, sizeof head, true, error);
    if (code != ERROR_NONE)
        return code;
    struct cursor cursor = cursor_of(head + 1, 4);
    size_t length = (size_t)cursor_be(&cursor, 4);
    if (strchr("CDELMPRX", head[0]) == NULL || head[0] == '\0')
        return error_set(error, ERROR_PROTOCOL, "a frame of unknown type %d", head[0]);
    if (length > CHANNEL_FRAME_MAXIMUM)
        return error_set(error, ERROR_PROTOCOL, "a frame of %zu bytes is too long", length);
    buffer_clear(&channel->in);
    char *to = buffer_reserve(&channel->in, length + 1);
    if (to == NULL)
        return buffer_status(&channel->in, error);
    code = receive_all(channel, to, length, false, error);
    if (code != ERROR_NONE)
        return code;
    channel->in.length = length;
    ret_frame->type = (enum frame_type)head[0];
    ret_frame->payload = buffer_text(&channel->in);
    return ERROR_NONE;
}

bool
channel_peer_closed(const struct channel *channel)
{
    char byte;
    struct pollfd poll_one = {.fd = channel->fd, .events = POLLIN | POLLRDHUP};
    if (poll(&poll_one, 1, 0) <= 0)
        return false;
    return (poll_one.revents & (POLLHUP | POLLERR | POLLRDHUP)) != 0 ||
           recv(channel->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}
