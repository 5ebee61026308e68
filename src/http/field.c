/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of header values: see field.h. */
#include "http/field.h"

static bool
cut_at(struct text *rest, char separator, struct text *ret_piece)
{
    while (rest->length > 0) {
        bool quoted = false, angled = false;
        size_t at = 0;
        for (; at < rest->length; at++) {
            char c = rest->data[at];
            if (quoted && c == '\\' && at + 1 < rest->length)
                at++;
            else if (c == '"')
                quoted = !quoted;
            else if (!quoted && (c == '<' || c == '>'))
                angled = c == '<';
            else if (!quoted && !angled && c == separator)
                break;
        }
        struct text piece = text_trim(text_of(rest->data, at));
        size_t used = at < rest->length ? at + 1 : at;
        *rest = text_of(rest->data + used, rest->length - used);
        if (piece.length > 0) {
            *ret_piece = piece;
            return true;
        }
    }
    return false;
}

bool
field_list_next(struct text *rest, struct text *ret_element)
{
    return cut_at(rest, ',', ret_element);
}

bool
field_part_next(struct text *rest, struct text *ret_part)
{
    return cut_at(rest, ';', ret_part);
}

void
field_pair(struct text part, struct text *ret_name, struct text *ret_value)
{
    struct text value;
    *ret_name = text_trim(text_cut(part, '=', &value));
    *ret_value = value.data == NULL ? value : text_trim(value);
}

bool
field_is_token(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        bool letter = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
        if (!letter && (c == 0 || strchr("!#$%&'*+-.^_`|~", c) == NULL))
            return false;
    }
    return text.length > 0;
}

bool
field_unquote(struct arena *arena, struct text value, struct text *ret_text)
{
    if (field_is_token(value)) {
        *ret_text = value;
        return true;
    }
    if (value.length < 2 || value.data[0] != '"' || value.data[value.length - 1] != '"')
        return false;
    char *out = arena_alloc(arena, value.length);
    if (out == NULL)
        return false;
    size_t length = 0;
    for (size_t i = 1; i + 1 < value.length; i++) {
        if (value.data[i] == '"')
            return false;
        if (value.data[i] == '\\' && ++i + 1 >= value.length)
            return false;
        out[length++] = value.data[i];
    }
    *ret_text = text_of(out, length);
    return true;
}
