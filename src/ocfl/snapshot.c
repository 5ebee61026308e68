/* SPDX-License-Identifier: Apache-2.0 */
/* Statements as JSON Lines and as N-Triples: see snapshot.h. */
#include "ocfl/snapshot.h"

#include "format/json.h"
#include "format/percent.h"

void
ocfl_write_statements_jsonl(struct buffer *out, const struct ocfl_statement *statements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct json_writer w = json_writer(out);
        json_begin_object(&w);
        json_key(&w, "attribute");
        json_put_text(&w, statements[i].attribute);
        json_key(&w, "place");
        json_put_u64(&w, statements[i].place);
        json_key(&w, "value");
        json_put_text(&w, statements[i].value);
        json_key(&w, "qualifier");
        json_put_text(&w, statements[i].qualifier);
        json_key(&w, "extra");
        json_put_text(&w, statements[i].extra);
        json_end_object(&w);
        buffer_append_char(out, '\n');
    }
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
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
        if ((unsigned char)t.data[i] <= 0x20 || strchr("<>\"{}|^`\\", t.data[i]) != NULL)
            return false;
    return true;
}

static void
append_iri(struct buffer *out, struct text iri)
{
    buffer_append_char(out, '<');
    buffer_append_text(out, iri);
    buffer_append_char(out, '>');
}

static void
append_predicate(struct buffer *out, struct text attribute)
{
    if (is_absolute_iri(attribute)) {
        append_iri(out, attribute);
        return;
    }
    buffer_append_string(out, "<urn:archivolt:attribute:");
    percent_encode(out, PERCENT_URN, attribute);
    buffer_append_char(out, '>');
}

static void
append_literal(struct buffer *out, struct text value)
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

static void
append_object(struct buffer *out, const struct ocfl_statement *s)
{
    struct text tail;
    if (text_equal(s->qualifier, TEXT("<>")) && is_absolute_iri(s->value)) {
        append_iri(out, s->value);
        return;
    }
    append_literal(out, s->value);
    if (text_starts_with(s->qualifier, TEXT("@"))) {
        tail = text_of(s->qualifier.data + 1, s->qualifier.length - 1);
        if (is_language(tail)) {
            buffer_append_char(out, '@');
            buffer_append_text(out, tail);
        }
    } else if (text_starts_with(s->qualifier, TEXT("^^"))) {
        tail = text_of(s->qualifier.data + 2, s->qualifier.length - 2);
        if (is_absolute_iri(tail)) {
            buffer_append_string(out, "^^");
            append_iri(out, tail);
        }
    }
}

void
ocfl_write_statements_nt(struct buffer *out, struct text subject, const struct ocfl_statement *statements,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        append_iri(out, subject);
        buffer_append_char(out, ' ');
        append_predicate(out, statements[i].attribute);
        buffer_append_char(out, ' ');
        append_object(out, &statements[i]);
        buffer_append_string(out, " .\n");
    }
}
