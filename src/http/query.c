/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the query of a target (application/x-www-form-urlencoded). */
#include "format/percent.h"
#include "http/request.h"

static struct text
decode(struct arena *arena, struct text raw)
{
    char *spaced = arena_string(arena, raw);
    if (spaced == NULL)
        return TEXT("");
    for (size_t i = 0; i < raw.length; i++) {
        if (spaced[i] == '+')
            spaced[i] = ' ';
    }
    struct buffer decoded = {0};
    struct text result = text_of(spaced, raw.length);
    if (percent_decode(&decoded, result, NULL) == ERROR_NONE)
        result = arena_copy(arena, buffer_text(&decoded));
    buffer_release(&decoded);
    return result;
}

bool
http_form_next(struct arena *arena, struct text *rest, struct text *ret_key, struct text *ret_value)
{
    while (rest->data != NULL && rest->length > 0) {
        struct text after, value;
        struct text pair = text_cut(*rest, '&', &after);
        struct text key = text_cut(pair, '=', &value);
        *rest = after;
        if (pair.length == 0)
            continue;
        *ret_key = decode(arena, key);
        *ret_value = value.data == NULL ? TEXT("") : decode(arena, value);
        return true;
    }
    return false;
}

bool
http_query(struct http_request *request, const char *key, struct text *ret_value)
{
    struct text rest = request->query, name, value;
    while (http_form_next(request->arena, &rest, &name, &value)) {
        if (text_equal(name, text_from(key))) {
            *ret_value = value;
            return true;
        }
    }
    return false;
}
