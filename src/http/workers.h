/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct workers: a few threads for what must not run in an event thread.
 * Life: workers_new() - workers_post()... - workers_free() (runs what was posted, then ends).
 * Threads: any may post.
 */
#ifndef ARCHIVOLT_HTTP_WORKERS_H
#define ARCHIVOLT_HTTP_WORKERS_H

#include "base/error.h"

struct workers;
typedef void worker_job(void *context);

enum error_code workers_new(unsigned threads, unsigned queue, struct workers **ret_workers,
                            struct error *error) AV_MUST_USE;
/* BUSY: the queue is full. */
enum error_code workers_post(struct workers *workers, worker_job *job, void *context,
                             struct error *error) AV_MUST_USE;
void workers_free(struct workers *workers); /* NULL is fine */

#endif
