/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies: see body.h. The first 8 bytes are the number times an odd constant, which no two numbers share, at any length that can tell
 * them apart; each later word is splitmix64's finalizer (Steele, Lea, Flood 2014) over a counter that starts there.
 */
#include "body.h"

#include <endian.h>

enum { WORD_BYTES = 8 };
static const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);

static uint64_t
mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
    return value ^ (value >> 31);
}

/* The lowest byte first, on every machine. */
static void
take_bytes(uint64_t word, size_t skip, char *data, size_t length)
{
    word = htole64(word);
    memcpy(data, (const char *)&word + skip, length);
}

void
body_fill(uint64_t seed, uint64_t number, uint64_t offset, char *data, size_t length)
{
    const uint64_t stamp = (number * golden) ^ mix(seed + golden), base = mix(stamp);
    while (length > 0) {
        uint64_t index = offset / WORD_BYTES;
        size_t skip = (size_t)(offset % WORD_BYTES);
        size_t count = length < WORD_BYTES - skip ? length : WORD_BYTES - skip;
        take_bytes(index == 0 ? stamp : mix(base + index * golden), skip, data, count);
        data += count;
        offset += count;
        length -= count;
    }
}

void
body_append(uint64_t seed, uint64_t number, uint64_t size, struct buffer *out)
{
    char *space = buffer_reserve(out, size);
    if (space == NULL)
        return;
    body_fill(seed, number, 0, space, size);
    out->length += size;
}
