/* SPDX-License-Identifier: Apache-2.0 */
/* Borrowed byte strings: see text.h. */
#include "base/text.h"

#include "base/ensure.h"

bool
text_equal(struct text a, struct text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool
text_equal_ignoring_case(struct text a, struct text b)
{
    if (a.length != b.length)
        return false;
    for (size_t i = 0; i < a.length; i++)
        if (lower(a.data[i]) != lower(b.data[i]))
            return false;
    return true;
}

int
text_compare(struct text a, struct text b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter == 0 ? 0 : memcmp(a.data, b.data, shorter);
    if (order != 0)
        return order;
    return a.length < b.length ? -1 : a.length > b.length;
}

bool
text_starts_with(struct text t, struct text prefix)
{
    return t.length >= prefix.length &&
           (prefix.length == 0 || memcmp(t.data, prefix.data, prefix.length) == 0);
}

bool
text_ends_with(struct text t, struct text suffix)
{
    return t.length >= suffix.length &&
           (suffix.length == 0 ||
            memcmp(t.data + (t.length - suffix.length), suffix.data, suffix.length) == 0);
}

struct text
text_cut(struct text t, char separator, struct text *rest)
{
    const char *at = t.length == 0 ? NULL : memchr(t.data, separator, t.length);
    if (at == NULL) {
        *rest = text_of(NULL, 0);
        return t;
    }
    size_t before = (size_t)(at - t.data);
    *rest = text_of(at + 1, t.length - before - 1);
    return text_of(t.data, before);
}

struct text
text_trim(struct text t)
{
    while (t.length > 0 && (t.data[0] == ' ' || t.data[0] == '\t'))
        t = text_of(t.data + 1, t.length - 1);
    while (t.length > 0 && (t.data[t.length - 1] == ' ' || t.data[t.length - 1] == '\t'))
        t.length--;
    return t;
}

bool
text_to_u64(struct text t, uint64_t *ret_value)
{
    uint64_t value = 0;
    if (t.length == 0)
        return false;
    for (size_t i = 0; i < t.length; i++) {
        if (t.data[i] < '0' || t.data[i] > '9')
            return false;
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(t.data[i] - '0'), &value))
            return false;
    }
    *ret_value = value;
    return true;
}

/* Table 3-7 of Unicode. */
size_t
text_utf8_length(struct text t)
{
    const unsigned char *p = (const unsigned char *)t.data;
    unsigned char low = 0x80, high = 0xBF;
    size_t length;
    if (t.length == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    if (p[0] >= 0xC2 && p[0] <= 0xDF)
        length = 2;
    else if (p[0] >= 0xE0 && p[0] <= 0xEF)
        length = 3;
    else if (p[0] >= 0xF0 && p[0] <= 0xF4)
        length = 4;
    else
        return 0;
    if (t.length < length)
        return 0;
    if (p[0] == 0xE0)
        low = 0xA0;
    else if (p[0] == 0xED)
        high = 0x9F;
    else if (p[0] == 0xF0)
        low = 0x90;
    else if (p[0] == 0xF4)
        high = 0x8F;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (p[i] < 0x80 || p[i] > 0xBF)
            return 0;
    return length;
}

bool
text_is_utf8(struct text t)
{
    while (t.length > 0) {
        size_t length = text_utf8_length(t);
        if (length == 0)
            return false;
        t = text_of(t.data + length, t.length - length);
    }
    return true;
}

char *
text_copy(struct text t)
{
    char *copy = malloc(t.length + 1);
    ensure(copy != NULL);
    if (t.length > 0)
        memcpy(copy, t.data, t.length);
    copy[t.length] = '\0';
    return copy;
}
