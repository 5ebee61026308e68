/* SPDX-License-Identifier: Apache-2.0 */
/* Ranked mutexes: see lock.h. Each thread keeps the ranks that it holds in a small stack. */
#include "base/lock.h"

#include "base/ensure.h"

#include <errno.h>

#define HELD_MAXIMUM 8

static _Thread_local enum lock_rank held[HELD_MAXIMUM];
static _Thread_local unsigned held_count;

void
lock_init(struct lock *lock, enum lock_rank rank)
{
    ensure(pthread_mutex_init(&lock->mutex, NULL) == 0);
    lock->rank = rank;
}

void
lock_release(struct lock *lock)
{
    ensure(pthread_mutex_destroy(&lock->mutex) == 0);
}

void
lock_take(struct lock *lock)
{
    ensure(held_count < HELD_MAXIMUM);
    ensure(held_count == 0 || held[held_count - 1] < lock->rank);
    ensure(pthread_mutex_lock(&lock->mutex) == 0);
    held[held_count++] = lock->rank;
}

void
lock_give(struct lock *lock)
{
    ensure(held_count > 0 && held[held_count - 1] == lock->rank);
    held_count--;
    ensure(pthread_mutex_unlock(&lock->mutex) == 0);
}

void
signal_init(struct signal *signal)
{
    pthread_condattr_t attributes;
    ensure(pthread_condattr_init(&attributes) == 0);
    ensure(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    ensure(pthread_cond_init(&signal->condition, &attributes) == 0);
    pthread_condattr_destroy(&attributes);
}

void
signal_release(struct signal *signal)
{
    ensure(pthread_cond_destroy(&signal->condition) == 0);
}

void
signal_wait_locked(struct signal *signal, struct lock *lock)
{
    ensure(held_count > 0 && held[held_count - 1] == lock->rank);
    ensure(pthread_cond_wait(&signal->condition, &lock->mutex) == 0);
}

bool
signal_wait_for_locked(struct signal *signal, struct lock *lock, uint64_t timeout_ms)
{
    struct timespec until;
    ensure(held_count > 0 && held[held_count - 1] == lock->rank);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(timeout_ms / 1000);
    until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    int result = pthread_cond_timedwait(&signal->condition, &lock->mutex, &until);
    ensure(result == 0 || result == ETIMEDOUT);
    return result == 0;
}

void
signal_one(struct signal *signal)
{
    pthread_cond_signal(&signal->condition);
}

void
signal_all(struct signal *signal)
{
    pthread_cond_broadcast(&signal->condition);
}
