/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of one lifetime: see arena.h. Blocks form a list, newest first; each is twice the one before, to 1 MiB. */
#include "base/arena.h"

#include "base/ensure.h"

#include <stdalign.h>
#include <stdarg.h>

#define FIRST_BLOCK_BYTES 4096u
#define LARGEST_BLOCK_BYTES (1u << 20)

struct arena_block {
    struct arena_block *next;
    size_t capacity;
    size_t used;
    alignas(max_align_t) char bytes[];
};

void
arena_init(struct arena *arena, size_t limit_bytes)
{
    *arena = (struct arena){.limit = limit_bytes};
}

static void
free_blocks(struct arena_block *block)
{
    while (block != NULL) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
}

void
arena_release(struct arena *arena)
{
    free_blocks(arena->blocks);
    arena_init(arena, arena->limit);
}

void
arena_reset(struct arena *arena)
{
    if (arena->blocks != NULL) {
        free_blocks(arena->blocks->next);
        arena->blocks->next = NULL;
        arena->blocks->used = 0;
    }
    arena->used = 0;
    arena->status = ERROR_NONE;
}

static struct arena_block *
add_block(struct arena *arena, size_t size)
{
    size_t capacity = arena->blocks == NULL ? FIRST_BLOCK_BYTES : arena->blocks->capacity * 2;
    if (capacity > LARGEST_BLOCK_BYTES)
        capacity = LARGEST_BLOCK_BYTES;
    if (capacity < size)
        capacity = size;
    struct arena_block *block = malloc(sizeof *block + capacity);
    if (block == NULL)
        return NULL;
    block->next = arena->blocks;
    block->capacity = capacity;
    block->used = 0;
    arena->blocks = block;
    return block;
}

void *
arena_alloc(struct arena *arena, size_t size)
{
    size_t rounded;
    if (arena->status != ERROR_NONE)
        return NULL;
    if (__builtin_add_overflow(size, alignof(max_align_t) - 1, &rounded) ||
        (arena->limit != 0 && rounded > arena->limit - arena->used)) {
        arena->status = ERROR_LIMIT;
        return NULL;
    }
    rounded &= ~(alignof(max_align_t) - 1);
    struct arena_block *block = arena->blocks;
    if (block == NULL || block->capacity - block->used < rounded)
        block = add_block(arena, rounded);
    if (block == NULL) {
        arena->status = ERROR_NO_MEMORY;
        return NULL;
    }
    void *given = block->bytes + block->used;
    block->used += rounded;
    arena->used += rounded;
    memset(given, 0, rounded);
    return given;
}

char *
arena_string(struct arena *arena, struct text text)
{
    char *copy = arena_alloc(arena, text.length + 1);
    if (copy != NULL && text.length > 0)
        memcpy(copy, text.data, text.length);
    return copy;
}

struct text
arena_copy(struct arena *arena, struct text text)
{
    char *copy = arena_string(arena, text);
    return copy == NULL ? TEXT("") : text_of(copy, text.length);
}

char *
arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    ensure(length >= 0);
    char *text = arena_alloc(arena, (size_t)length + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

enum error_code
arena_status(const struct arena *arena, struct error *error)
{
    if (arena->status == ERROR_LIMIT)
        return error_set(error, ERROR_LIMIT, "a request needs more than %zu bytes of memory", arena->limit);
    if (arena->status != ERROR_NONE)
        return error_set(error, arena->status, "out of memory");
    return ERROR_NONE;
}
