/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct lock: a mutex with a rank. A thread takes locks in ascending rank only, or the program
 * stops: a deadlock that has not happened yet is found by the first run that could have had it.
 * The ranks are all here, in one place. Functions that need a lock held end in `_locked`.
 */
#ifndef ARCHIVOLT_BASE_LOCK_H
#define ARCHIVOLT_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum lock_rank {
    LOCK_RANK_SERVER = 10,      /* server: list of admin connections, state of start and stop */
    LOCK_RANK_REQUEST = 20,     /* http: one request's hand-over between threads */
    LOCK_RANK_TRANSACTION = 30, /* model: long transactions and their locks */
    LOCK_RANK_COMMITTER = 40,   /* model: the queue of prepared transactions */
    LOCK_RANK_MODEL_CACHE = 50, /* model: verified passwords, rules, users */
    LOCK_RANK_VOLUME_REWRITING = 51, /* volume: one purge or compaction at a time */
    LOCK_RANK_VOLUME_NAMES = 52,   /* volume: creation, renames, removals */
    LOCK_RANK_VOLUME_WRITING = 55, /* volume: bytes of the open log volume */
    LOCK_RANK_STORE = 60,       /* volume: table of open volumes, bulk pool */
    LOCK_RANK_READERS = 65,     /* volume: readers of one volume */
    LOCK_RANK_CATALOG = 70,     /* catalog: engine state */
    LOCK_RANK_DEVICE = 80,      /* io: simulated device */
    LOCK_RANK_LEAF = 90         /* takes nothing else */
};

struct lock {
    pthread_mutex_t mutex;
    enum lock_rank rank;
};

struct signal { /* a condition variable on the monotonic clock */
    pthread_cond_t condition;
};

void lock_init(struct lock *lock, enum lock_rank rank);
void lock_release(struct lock *lock);
void lock_take(struct lock *lock);
void lock_give(struct lock *lock);
void signal_init(struct signal *signal);
void signal_release(struct signal *signal);
void signal_wait_locked(struct signal *signal, struct lock *lock);
/* False when `timeout_ms` passed first. */
bool signal_wait_for_locked(struct signal *signal, struct lock *lock, uint64_t timeout_ms);
void signal_one(struct signal *signal);
void signal_all(struct signal *signal);

#endif
