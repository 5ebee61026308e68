/* SPDX-License-Identifier: Apache-2.0 */
/* A few threads and a ring of jobs: see workers.h. */
#include "http/workers.h"

#include "base/ensure.h"
#include "base/lock.h"

struct job {
    worker_job *run;
    void *context;
};

struct workers {
    struct lock lock;
    struct signal wanted;
    struct job *ring;
    unsigned capacity, first, count;
    bool ending;
    unsigned thread_count;
    pthread_t threads[];
};

static void *
work(void *context)
{
    struct workers *workers = context;
    lock_take(&workers->lock);
    for (;;) {
        while (workers->count == 0 && !workers->ending)
            signal_wait_locked(&workers->wanted, &workers->lock);
        if (workers->count == 0)
            break;
        struct job job = workers->ring[workers->first];
        workers->first = (workers->first + 1) % workers->capacity;
        workers->count--;
        lock_give(&workers->lock);
        job.run(job.context);
        lock_take(&workers->lock);
    }
    lock_give(&workers->lock);
    return NULL;
}

enum error_code
workers_new(unsigned threads, unsigned queue, struct workers **ret_workers, struct error *error)
{
    ensure(threads > 0 && queue > 0);
    struct workers *workers = calloc(1, sizeof *workers + threads * sizeof workers->threads[0]);
    struct job *ring = calloc(queue, sizeof *ring);
    if (workers == NULL || ring == NULL) {
        free(workers);
        free(ring);
        return error_set(error, ERROR_NO_MEMORY, "no memory for the worker threads");
    }
    workers->ring = ring;
    workers->capacity = queue;
    lock_init(&workers->lock, LOCK_RANK_REQUEST);
    signal_init(&workers->wanted);
    for (; workers->thread_count < threads; workers->thread_count++) {
        int failed = pthread_create(&workers->threads[workers->thread_count], NULL, work, workers);
        if (failed != 0) {
            workers_free(workers);
            return error_set_errno(error, failed, "cannot start a worker thread");
        }
    }
    *ret_workers = workers;
    return ERROR_NONE;
}

enum error_code
workers_post(struct workers *workers, worker_job *job, void *context, struct error *error)
{
    lock_take(&workers->lock);
    bool room = workers->count < workers->capacity && !workers->ending;
    if (room) {
        workers->ring[(workers->first + workers->count) % workers->capacity] = (struct job){job, context};
        workers->count++;
        signal_one(&workers->wanted);
    }
    lock_give(&workers->lock);
    if (!room)
        return error_set(error, ERROR_BUSY, "%u jobs wait for a worker already (limit http_queue)", workers->capacity);
    return ERROR_NONE;
}

void
workers_free(struct workers *workers)
{
    if (workers == NULL)
        return;
    lock_take(&workers->lock);
    workers->ending = true;
    signal_all(&workers->wanted);
    lock_give(&workers->lock);
    for (unsigned i = 0; i < workers->thread_count; i++)
        pthread_join(workers->threads[i], NULL);
    signal_release(&workers->wanted);
    lock_release(&workers->lock);
    free(workers->ring);
    free(workers);
}
