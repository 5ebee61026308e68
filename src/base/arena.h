/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct arena: memory of one lifetime (a request, a connection, a command), freed all at once.
 * Bounded: past its limit every call returns NULL and the arena's status is LIMIT; sticky.
 *
 * Life: arena_init() - arena_alloc()... - arena_reset() or arena_release(). Passed, never ambient.
 * Content of resources never enters an arena. Threads: one at a time.
 */
#ifndef ARCHIVOLT_BASE_ARENA_H
#define ARCHIVOLT_BASE_ARENA_H

#include "base/error.h"
#include "base/text.h"

struct arena_block;
struct arena {
    struct arena_block *blocks;
    size_t used;  /* bytes given out, all blocks */
    size_t limit; /* bytes; 0: none */
    enum error_code status;
};

void arena_init(struct arena *arena, size_t limit_bytes);
void arena_release(struct arena *arena);
void arena_reset(struct arena *arena); /* keeps one block for reuse */
void *arena_alloc(struct arena *arena, size_t size); /* zeroed, aligned for any type; NULL after failure */
/* Copies; the text is NUL-terminated as a courtesy. TEXT("") after failure: check the status once. */
struct text arena_copy(struct arena *arena, struct text text);
char *arena_string(struct arena *arena, struct text text); /* NUL-terminated copy, or NULL */
char *arena_printf(struct arena *arena, const char *format, ...) AV_PRINTF(2, 3); /* or NULL */
enum error_code arena_status(const struct arena *arena, struct error *error) AV_MUST_USE;

#endif
