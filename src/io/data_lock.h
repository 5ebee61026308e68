/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock of a data folder: a file `lock` under an exclusive kernel lock (released by the kernel
 * when its process ends, however), holding process id, host and boot id for people to read.
 * Two processes never hold it together.
 */
#ifndef ARCHIVOLT_IO_DATA_LOCK_H
#define ARCHIVOLT_IO_DATA_LOCK_H

#include "base/error.h"

struct data_lock;

/* BUSY when another process holds it: the message names its process id, host and boot id. */
enum error_code data_lock_take(const char *folder, struct data_lock **ret_lock, struct error *error)
    AV_MUST_USE;
void data_lock_free(struct data_lock *lock); /* NULL is fine */

#endif
