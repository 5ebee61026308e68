/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of the model: each a configuration key, each named in the error that enforces it.
 */
#ifndef ARCHIVOLT_MODEL_LIMITS_H
#define ARCHIVOLT_MODEL_LIMITS_H

#include <stdint.h>

/* X(key, default, help) */
#define MODEL_LIMITS(X)                                                                            \
    X(name_bytes, 255, "longest name of a resource, bytes of UTF-8 (at most 255)")                 \
    X(path_bytes, 4096, "longest path, bytes")                                                     \
    X(depth, 256, "deepest nesting of containers")                                                 \
    X(statement_value_bytes, 65536, "longest value of a statement, bytes")                         \
    X(statements_per_resource, 100000, "statements of one resource")                               \
    X(aggregate_files, 10000, "files of one aggregate")                                            \
    X(object_versions, 10000, "versions of one object (each rewrites its inventory)")              \
    X(transaction_operations, 60000, "operations of one transaction")                              \
    X(group_bytes, 8388608, "log bytes gathered in one commit group")                              \
    X(queue_transactions, 4096, "transactions that may wait for the committer; beyond: busy")      \
    X(lock_wait_ms, 10000, "longest wait for a resource that a long transaction holds")            \
    X(transaction_idle_ms, 180000, "a long transaction ends by itself after so long without a call")

struct model_limits {
#define X(key, value, help) uint64_t key;
    MODEL_LIMITS(X)
#undef X
};

static inline struct model_limits
model_limits_default(void)
{
    return (struct model_limits){
#define X(key, value, help) .key = value,
        MODEL_LIMITS(X)
#undef X
    };
}

#endif
