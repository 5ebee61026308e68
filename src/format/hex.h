/* SPDX-License-Identifier: Apache-2.0 */
/* Hexadecimal text to bytes. The other way is buffer_append_hex(); hex_write() is for fixed arrays. */
#ifndef ARCHIVOLT_FORMAT_HEX_H
#define ARCHIVOLT_FORMAT_HEX_H

#include "base/text.h"

/* Exactly `length` bytes from exactly 2 * `length` digits of either case; false on anything else,
 * and `out` is then undefined. */
bool hex_decode(struct text hex, unsigned char *out, size_t length);
/* Writes 2 * `length` lower-case digits, no NUL. */
void hex_write(const unsigned char *data, size_t length, char *out);
/* The value of one digit, or -1. */
int hex_digit(char c);

#endif
