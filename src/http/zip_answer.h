/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many files as one zip, stored, made as it is sent: its size is known before the first byte, memory is that of the list. A file that
 * turns out damaged cuts the connection.
 *
 * Life: zip_answer_init() - zip_answer_add()... - zip_answer_prepare(), in a worker - zip_answer_send(), in the event thread. The
 * list lies in the arena given; view and arena outlive the answer.
 *
 * A Range is answered from its first byte on, so that a download goes on where it broke off; the checksums at the end need the
 * content before it, which zip_answer_prepare() reads for that. Of several ranges the whole is sent.
 */
#ifndef ARCHIVOLT_HTTP_ZIP_ANSWER_H
#define ARCHIVOLT_HTTP_ZIP_ANSWER_H

#include "format/zip_write.h"
#include "http/condition.h"

struct zip_answer_file {
    struct zip_record record;
    struct resource resource; /* id 0: `bytes` are the content */
    struct text bytes;
};

struct zip_answer {
    struct http_stream stream; /* first */
    struct view *view;
    struct arena *arena;
    struct zip_answer_file *files;
    size_t count, capacity;
    struct buffer ready; /* records that are to be sent before anything else */
    size_t sent;         /* of `ready` */
    size_t next;         /* file */
    struct content_reader *reader;
    bool in_file;
    uint64_t offset;     /* in the file that is read */
    uint64_t data_bytes; /* all before the directory */
    uint64_t size_bytes;
    uint64_t first, length; /* what is sent of it */
    bool ended;          /* the directory is written */
    char tag[65];        /* of the list: ids, states and names */
};

void zip_answer_init(struct zip_answer *zip, struct view *view, struct arena *arena);
/* A file whose content comes from the store, or from memory. The name is 1 to 65,535 bytes. */
enum error_code zip_answer_add(struct zip_answer *zip, struct text name, const struct resource *resource, struct error *error) AV_MUST_USE;
enum error_code zip_answer_add_bytes(struct zip_answer *zip, struct text name, struct text bytes, struct error *error) AV_MUST_USE;
/* Sizes, the tag, and the way to where the Range begins: blocks. `request` NULL: whole. */
enum error_code zip_answer_prepare(struct zip_answer *zip, const struct http_request *request, struct error *error) AV_MUST_USE;
/* Of one that is not sent: gives up what prepare began. */
void zip_answer_release(struct zip_answer *zip);
/* 200, 206, 304, 412 or 416; moves nothing of the list. `filename` is that of the zip. */
void zip_answer_send(struct zip_answer *zip, struct http_request *request, struct text filename);

#endif
