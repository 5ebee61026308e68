/* SPDX-License-Identifier: Apache-2.0 */
/* Hexadecimal text: see hex.h. */
#include "format/hex.h"

int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool
hex_decode(struct text hex, unsigned char *out, size_t length)
{
    if (hex.length % 2 != 0 || hex.length / 2 != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        int high = hex_digit(hex.data[2 * i]);
        int low = hex_digit(hex.data[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        out[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

void
hex_write(const unsigned char *data, size_t length, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < length; i++) {
        out[2 * i] = digits[data[i] >> 4];
        out[2 * i + 1] = digits[data[i] & 15];
    }
}
