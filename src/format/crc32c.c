/* SPDX-License-Identifier: Apache-2.0 */
/* CRC32C: see crc32c.h. The table is built once, eight bytes a step ("slicing by 8"). */
#include "format/crc32c.h"

#include <endian.h>
#include <pthread.h>
#include <stdbool.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#define POLYNOMIAL_REFLECTED 0x82F63B78u

static uint32_t table[8][256];
static bool has_instruction;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
prepare(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? POLYNOMIAL_REFLECTED : 0);
        table[0][i] = crc;
    }
    for (uint32_t i = 0; i < 256; i++) {
        for (int k = 1; k < 8; k++)
            table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 0xFF];
    }
#if defined(__x86_64__)
    has_instruction = __builtin_cpu_supports("sse4.2") != 0;
#endif
}

static uint64_t
load64(const unsigned char *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return le64toh(value);
}

static uint32_t
run_table(uint32_t crc, const unsigned char *from, size_t length)
{
    for (; length >= 8; from += 8, length -= 8) {
        uint64_t word = load64(from) ^ crc;
        crc = 0;
        for (int k = 0; k < 8; k++)
            crc ^= table[7 - k][(word >> (8 * k)) & 0xFF];
    }
    for (; length > 0; from++, length--)
        crc = (crc >> 8) ^ table[0][(crc ^ *from) & 0xFF];
    return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t
run_instruction(uint32_t crc, const unsigned char *from, size_t length)
{
    uint64_t wide = crc;
    for (; length >= 8; from += 8, length -= 8)
        wide = _mm_crc32_u64(wide, load64(from));
    crc = (uint32_t)wide;
    for (; length > 0; from++, length--)
        crc = _mm_crc32_u8(crc, *from);
    return crc;
}
#endif

uint32_t
crc32c_by_table(uint32_t crc, const void *data, size_t length)
{
    pthread_once(&once, prepare);
    return ~run_table(~crc, data, length);
}

uint32_t
crc32c(uint32_t crc, const void *data, size_t length)
{
    pthread_once(&once, prepare);
#if defined(__x86_64__)
    if (has_instruction)
        return ~run_instruction(~crc, data, length);
#endif
    return ~run_table(~crc, data, length);
}
