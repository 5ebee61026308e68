/* SPDX-License-Identifier: Apache-2.0 */
/* N-Triples: see ntriples.h. */
#include "format/ntriples.h"

#include "format/percent.h"

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Inside <>. */
static bool
is_forbidden(char c)
{
    return (unsigned char)c <= 0x20 || strchr("<>\"{}|^`\\", c) != NULL;
}

/* A scheme, a colon, and nothing that N-Triples forbids inside <>. */
static bool
is_absolute_iri(struct text t)
{
    size_t i = 0;
    if (t.length == 0 || !is_letter(t.data[0]))
        return false;
    while (i < t.length && (is_letter(t.data[i]) || (t.data[i] >= '0' && t.data[i] <= '9') ||
                            t.data[i] == '+' || t.data[i] == '-' || t.data[i] == '.'))
        i++;
    if (i == t.length || t.data[i] != ':')
        return false;
    for (i = 0; i < t.length; i++)
        if (is_forbidden(t.data[i]))
            return false;
    return true;
}

void
ntriples_append_iri(struct buffer *out, struct text iri)
{
    buffer_append_char(out, '<');
    for (size_t i = 0; i < iri.length; i++) {
        if (is_forbidden(iri.data[i]))
            buffer_printf(out, "\\u%04X", (unsigned char)iri.data[i]);
        else
            buffer_append_char(out, iri.data[i]);
    }
    buffer_append_char(out, '>');
}

void
ntriples_append_attribute(struct buffer *out, struct text attribute)
{
    if (is_absolute_iri(attribute)) {
        ntriples_append_iri(out, attribute);
        return;
    }
    buffer_append_string(out, "<urn:archivolt:attribute:");
    percent_encode(out, PERCENT_URN, attribute);
    buffer_append_char(out, '>');
}

void
ntriples_append_literal(struct buffer *out, struct text value)
{
    buffer_append_char(out, '"');
    for (size_t i = 0; i < value.length; i++) {
        unsigned char c = (unsigned char)value.data[i];
        if (c == '"' || c == '\\') {
            buffer_append_char(out, '\\');
            buffer_append_char(out, (char)c);
        } else if (c == '\n') {
            buffer_append_string(out, "\\n");
        } else if (c == '\r') {
            buffer_append_string(out, "\\r");
        } else if (c < 0x20 || c == 0x7F) {
            buffer_printf(out, "\\u%04X", c);
        } else {
            buffer_append_char(out, (char)c);
        }
    }
    buffer_append_char(out, '"');
}

/* Letters, then hyphens with letters and digits (RFC 5646 in N-Triples' form). */
static bool
is_language(struct text t)
{
    if (t.length == 0 || !is_letter(t.data[0]))
        return false;
    for (size_t i = 0; i < t.length; i++)
        if (!is_letter(t.data[i]) && t.data[i] != '-' && !(t.data[i] >= '0' && t.data[i] <= '9'))
            return false;
    return t.data[t.length - 1] != '-';
}

void
ntriples_append_value(struct buffer *out, struct text value, struct text qualifier)
{
    struct text tail;
    if (text_equal(qualifier, TEXT("<>")) && is_absolute_iri(value)) {
        ntriples_append_iri(out, value);
        return;
    }
    ntriples_append_literal(out, value);
    if (text_starts_with(qualifier, TEXT("@"))) {
        tail = text_of(qualifier.data + 1, qualifier.length - 1);
        if (is_language(tail)) {
            buffer_append_char(out, '@');
            buffer_append_text(out, tail);
        }
    } else if (text_starts_with(qualifier, TEXT("^^"))) {
        tail = text_of(qualifier.data + 2, qualifier.length - 2);
        if (is_absolute_iri(tail)) {
            buffer_append_string(out, "^^");
            ntriples_append_iri(out, tail);
        }
    }
}
