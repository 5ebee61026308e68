/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: frames of the admin socket, as a peer that may send anything. */
#include "base/ensure.h"
#include "format/json.h"
#include "server/admin/channel.h"

#include <sys/socket.h>
#include <unistd.h>

#define HEAD_BYTES 5u
#define SOCKET_HOLDS 100000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A frame is what stands in the input at this place, no byte more or less; returns where it ends. */
static size_t
check_frame(const struct frame *frame, const uint8_t *data, size_t at, size_t size)
{
    ensure(frame->payload.length <= CHANNEL_FRAME_MAXIMUM && size - at >= HEAD_BYTES + frame->payload.length);
    ensure(data[at] == (uint8_t)frame->type);
    ensure(memcmp(frame->payload.data, data + at + HEAD_BYTES, frame->payload.length) == 0);
    return at + HEAD_BYTES + frame->payload.length;
}

static void
receive_all(int fd, const uint8_t *data, size_t size)
{
    struct channel channel;
    struct frame frame;
    struct arena arena;
    struct json *root;
    size_t at = 0;
    enum error_code code;
    channel_init(&channel, fd);
    while ((code = channel_receive(&channel, &frame, NULL)) == ERROR_NONE) {
        at = check_frame(&frame, data, at, size);
        arena_init(&arena, 1 << 20);
        (void)!json_parse(&arena, frame.payload, &root, NULL);
        arena_release(&arena);
    }
    ensure(code == ERROR_CLOSED ? at == size : code == ERROR_PROTOCOL && at < size);
    channel_release(&channel);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int ends[2];
    if (size > SOCKET_HOLDS || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return 0;
    ensure(send(ends[0], data, size, MSG_DONTWAIT) == (ssize_t)size);
    close(ends[0]);
    receive_all(ends[1], data, size);
    return 0;
}
