/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct channel: frames over a stream socket, between a command and the handler that serves it.
 * A frame is a type byte, a length (4 bytes big-endian, at most CHANNEL_FRAME_MAXIMUM), and the payload.
 *
 *     command                          handler
 *     CALL {"command":"put",…}   -->
 *     DATA… END (content, if any) -->
 *                                <--   LINE… (JSON objects), PROGRESS…, DATA… END (content, if any)
 *                                      a line over the maximum: PART… LINE, to be joined
 *                                <--   RESULT {…} or ERROR {"error":word,"message":…}
 *
 * Life: channel_init(fd) - send, receive - channel_release() (closes). Threads: one at a time.
 * Errors: PROTOCOL (a frame that is too long, an unknown type, cut in the middle), CLOSED (the peer ended
 * between frames), IO.
 */
#ifndef ARCHIVOLT_SERVER_ADMIN_CHANNEL_H
#define ARCHIVOLT_SERVER_ADMIN_CHANNEL_H

#include "base/buffer.h"

#define CHANNEL_FRAME_MAXIMUM (1u << 20)

enum frame_type {
    FRAME_CALL = 'C',
    FRAME_DATA = 'D',
    FRAME_END = 'E',
    FRAME_LINE = 'L',
    FRAME_PART = 'M', /* the start of a line that does not fit one frame */
    FRAME_PROGRESS = 'P',
    FRAME_RESULT = 'R',
    FRAME_ERROR = 'X'
};

struct channel {
    int fd;
    struct buffer in;  /* payload of the last frame received */
    struct buffer out; /* small frames gather here until flushed */
};

struct frame {
    enum frame_type type;
    struct text payload; /* borrowed until the next receive */
};

void channel_init(struct channel *channel, int fd);
void channel_release(struct channel *channel);
/* A LINE over the maximum goes out in parts; LIMIT for any other. LINE and DATA frames may wait in `out` (up to 64 KiB); all others are flushed at once. */
enum error_code channel_send(struct channel *channel, enum frame_type type, struct text payload,
                             struct error *error) AV_MUST_USE;
enum error_code channel_flush(struct channel *channel, struct error *error) AV_MUST_USE;
enum error_code channel_receive(struct channel *channel, struct frame *ret_frame, struct error *error) AV_MUST_USE;
/* Whether the peer has closed, without waiting and without taking bytes. */
bool channel_peer_closed(const struct channel *channel);

#endif
