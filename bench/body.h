/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of the operation with a number: from a seeded generator, so that they do not compress, and from the number, so that
 * no two bodies of a run share a digest (nor bytes, as far as anybody could make use of them).
 *
 * Two numbers have different bodies of `size` bytes as long as both are below 256^size; from 8 bytes on always. Any part of a body
 * can be made alone, so that what comes back is compared piece by piece. Pure.
 */
#ifndef ARCHIVOLT_BENCH_BODY_H
#define ARCHIVOLT_BENCH_BODY_H

#include "base/buffer.h"

/* Bytes offset to offset + length of body number `number`. */
void body_fill(uint64_t seed, uint64_t number, uint64_t offset, char *data, size_t length);
void body_append(uint64_t seed, uint64_t number, uint64_t size, struct buffer *out);

#endif
