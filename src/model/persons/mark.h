/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets in a cache: what stands in their place. Internal to persons/. Threads: any. */
#ifndef ARCHIVOLT_MODEL_MARK_H
#define ARCHIVOLT_MODEL_MARK_H

#include "base/text.h"

#define MARK_BYTES 32u

/* A hash under a key of texts and their lengths: no other texts have it, and nobody without the key can try them. */
void mark_make(const unsigned char key[MARK_BYTES], const struct text *texts, size_t count,
               unsigned char ret_mark[MARK_BYTES]);

#endif
