/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC32C (Castagnoli, RFC 3720 section 12.1): finds damaged blocks before they are sent.
 * Uses the CPU's instruction where it has one (asked once at run time), a table otherwise; the
 * result is the same. Threads: any.
 */
#ifndef ARCHIVOLT_FORMAT_CRC32C_H
#define ARCHIVOLT_FORMAT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Begin with `crc` 0; to continue, pass the result for what came before. "123456789": 0xE3069283. */
uint32_t crc32c(uint32_t crc, const void *data, size_t length);
/* The same by the table alone: for tests, and for comparing speed. */
uint32_t crc32c_by_table(uint32_t crc, const void *data, size_t length);

#endif
