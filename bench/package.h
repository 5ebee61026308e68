/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packages as the DSpace experiment deposited them: a zip (stored) of mets.xml, with its fields in epdcx, and one file. Every title
 * is another, authors come from 200,000 names, subjects from 20,000; number and seed alone decide the bytes. Pure.
 */
#ifndef ARCHIVOLT_BENCH_PACKAGE_H
#define ARCHIVOLT_BENCH_PACKAGE_H

#include "base/buffer.h"

/* `size`: of the file in it. */
void package_append(uint64_t seed, uint64_t number, uint64_t size, struct buffer *out);

#endif
