/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct text: a borrowed run of bytes with its length. Not NUL-terminated, may hold any byte.
 * Whoever hands one out says how long it lives; whoever keeps one copies it.
 */
#ifndef ARCHIVOLT_BASE_TEXT_H
#define ARCHIVOLT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    const char *data;
    size_t length;
};

#define TEXT(literal) ((struct text){"" literal, sizeof(literal) - 1})
/* For printf's "%.*s". */
#define TEXT_ARG(t) (int)(t).length, (t).data

static inline struct text
text_of(const char *data, size_t length)
{
    return (struct text){data, length};
}

static inline struct text
text_from(const char *string)
{
    return (struct text){string, string == NULL ? 0 : strlen(string)};
}

bool text_equal(struct text a, struct text b);
bool text_equal_ignoring_case(struct text a, struct text b); /* ASCII case */
int text_compare(struct text a, struct text b);              /* bytes, then length */
bool text_starts_with(struct text t, struct text prefix);
bool text_ends_with(struct text t, struct text suffix);
/* Cuts at the first `separator`: the part before goes out, `*rest` keeps what follows (data NULL
 * when there was none). */
struct text text_cut(struct text t, char separator, struct text *rest);
/* Without leading and trailing blanks and tabs. */
struct text text_trim(struct text t);
/* Strict decimal, no sign, no blanks, the whole text; false on anything else or overflow. */
bool text_to_u64(struct text t, uint64_t *ret_value);
/* Well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms, up to U+10FFFF). */
bool text_is_utf8(struct text t);
/* Bytes of the well-formed sequence at the start, or 0: there is none. */
size_t text_utf8_length(struct text t);
/* malloc'ed NUL-terminated copy; aborts when memory is out. Caller frees. */
char *text_copy(struct text t);

#endif
