/* SPDX-License-Identifier: Apache-2.0 */
/* Names of request headers and methods: see header.h. */
#include "http/header.h"

static const struct {
    struct text name;
    bool list;
} known[HTTP_HEADER_COUNT] = {
#define X(name, text, list) {{text, sizeof(text) - 1}, list},
    HTTP_HEADERS(X)
#undef X
};

enum http_header
http_header_from_name(struct text name)
{
    for (unsigned i = 0; i < HTTP_HEADER_COUNT; i++) {
        if (known[i].name.length == name.length && (known[i].name.data[0] | 0x20) == (name.data[0] | 0x20) &&
            text_equal_ignoring_case(known[i].name, name))
            return (enum http_header)i;
    }
    return HTTP_HEADER_COUNT;
}

struct text
http_header_name(enum http_header header)
{
    return known[header].name;
}

bool
http_header_is_list(enum http_header header)
{
    return known[header].list;
}

enum http_method
http_method_from_name(struct text name)
{
#define X(method)                                                                                  \
    if (text_equal(name, TEXT(#method)))                                                           \
        return HTTP_##method;
    HTTP_METHODS(X)
#undef X
    return HTTP_METHOD_COUNT;
}
