/* SPDX-License-Identifier: Apache-2.0 */
/* Base64: see base64.h. */
#include "format/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
base64_append(struct buffer *buffer, const void *data, size_t length)
{
    const unsigned char *from = data;
    char *to = buffer_reserve(buffer, length / 3 * 4 + 4);
    size_t used = 0;
    if (to == NULL)
        return;
    for (; length > 0; used += 4) {
        size_t taken = length < 3 ? length : 3;
        uint32_t bits = (uint32_t)from[0] << 16;
        bits |= taken > 1 ? (uint32_t)from[1] << 8 : 0;
        bits |= taken > 2 ? from[2] : 0;
        to[used] = alphabet[bits >> 18];
        to[used + 1] = alphabet[bits >> 12 & 63];
        to[used + 2] = taken > 1 ? alphabet[bits >> 6 & 63] : '=';
        to[used + 3] = taken > 2 ? alphabet[bits & 63] : '=';
        from += taken;
        length -= taken;
    }
    buffer->length += used;
}

static int
value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* One group of four; `padding` is the number of '=' that end it. */
static bool
decode_group(const char *from, size_t padding, unsigned char *out)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; i++) {
        int value = i < 4 - padding ? value_of(from[i]) : 0;
        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
    }
    if ((padding == 1 && (bits & 0xFF) != 0) || (padding == 2 && (bits & 0xFFFF) != 0))
        return false;
    out[0] = (unsigned char)(bits >> 16);
    if (padding < 2)
        out[1] = (unsigned char)(bits >> 8);
    if (padding < 1)
        out[2] = (unsigned char)bits;
    return true;
}

bool
base64_decode(struct text encoded, unsigned char *out, size_t *ret_length)
{
    size_t used = 0;
    if (encoded.length % 4 != 0)
        return false;
    for (size_t at = 0; at < encoded.length; at += 4) {
        const char *group = encoded.data + at;
        size_t padding = 0;
        if (at + 4 == encoded.length)
            padding = group[3] != '=' ? 0 : group[2] != '=' ? 1 : 2;
        if (!decode_group(group, padding, out + used))
            return false;
        used += 3 - padding;
    }
    *ret_length = used;
    return true;
}
