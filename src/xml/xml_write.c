/* SPDX-License-Identifier: Apache-2.0 */
/* Writing XML: see xml_write.h. */
#include "xml/xml_write.h"

#include "base/ensure.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* Bytes of the character at the start (a byte that begins none counts as one); whether XML 1.0 can hold it (production 2). */
static size_t
next_character(struct text t, bool *ret_held)
{
    size_t length = text_utf8_length(t);
    unsigned char first = (unsigned char)t.data[0];
    bool control = length == 1 && first < 0x20 && first != '\t' && first != '\n' && first != '\r';
    bool noncharacter = length == 3 && first == 0xEF && (unsigned char)t.data[1] == 0xBF && (unsigned char)t.data[2] >= 0xBE;
    *ret_held = length != 0 && !control && !noncharacter; /* these are U+FFFE and U+FFFF */
    return length == 0 ? 1 : length;
}

static const char *
escape_of(char c, bool in_attribute)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '\r':
        return "&#13;";
    case '"':
        return in_attribute ? "&quot;" : NULL;
    case '\n':
        return in_attribute ? "&#10;" : NULL;
    case '\t':
        return in_attribute ? "&#9;" : NULL;
    default:
        return NULL;
    }
}

enum place { NOWHERE, IN_CONTENT, IN_ATTRIBUTE };

static void
append_characters(struct buffer *buffer, struct text text, enum place place)
{
    size_t at = 0, kept = 0; /* text before `kept` is written */
    while (at < text.length) {
        bool held;
        size_t length = next_character(text_of(text.data + at, text.length - at), &held);
        const char *instead = !held ? REPLACEMENT : place == NOWHERE ? NULL : escape_of(text.data[at], place == IN_ATTRIBUTE);
        if (instead != NULL) {
            buffer_append(buffer, text.data + kept, at - kept);
            buffer_append_string(buffer, instead);
            kept = at + length;
        }
        at += length;
    }
    if (kept < text.length)
        buffer_append(buffer, text.data + kept, text.length - kept);
}

void
xml_append_clean(struct buffer *buffer, struct text text)
{
    append_characters(buffer, text, NOWHERE);
}

/* What we write: prefix:name, each of ASCII letters, digits, '_', '-', '.', not beginning with a digit, '-' or '.'. */
static bool
is_name(const char *name)
{
    bool begins = true;
    unsigned colons = 0;
    for (; *name != '\0'; name++) {
        bool letter = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || *name == '_';
        bool later = (*name >= '0' && *name <= '9') || *name == '-' || *name == '.';
        if (*name == ':' && !begins && colons == 0) {
            colons++;
            begins = true;
            continue;
        }
        if (!letter && (begins || !later))
            return false;
        begins = false;
    }
    return !begins;
}

static void
fail(struct xml_writer *writer, enum error_code code)
{
    if (writer->buffer->status == ERROR_NONE)
        writer->buffer->status = code;
}

static void
close_tag(struct xml_writer *writer)
{
    if (writer->tag_open)
        buffer_append_char(writer->buffer, '>');
    writer->tag_open = false;
}

void
xml_put_declaration(struct xml_writer *writer)
{
    buffer_append_string(writer->buffer, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
}

void
xml_begin_element(struct xml_writer *writer, const char *name)
{
    if (!is_name(name))
        fail(writer, ERROR_INVALID);
    if (writer->depth >= XML_WRITE_DEPTH_MAX)
        fail(writer, ERROR_LIMIT);
    else
        writer->names[writer->depth] = name;
    writer->depth++;
    close_tag(writer);
    buffer_append_char(writer->buffer, '<');
    buffer_append_string(writer->buffer, name);
    writer->tag_open = true;
}

void
xml_end_element(struct xml_writer *writer)
{
    ensure(writer->depth > 0);
    writer->depth--;
    if (writer->tag_open) {
        buffer_append_string(writer->buffer, "/>");
    } else if (writer->depth < XML_WRITE_DEPTH_MAX) {
        buffer_append_string(writer->buffer, "</");
        buffer_append_string(writer->buffer, writer->names[writer->depth]);
        buffer_append_char(writer->buffer, '>');
    }
    writer->tag_open = false;
}

void
xml_put_attribute(struct xml_writer *writer, const char *name, struct text value)
{
    ensure(writer->tag_open);
    if (!is_name(name))
        fail(writer, ERROR_INVALID);
    buffer_append_char(writer->buffer, ' ');
    buffer_append_string(writer->buffer, name);
    buffer_append_string(writer->buffer, "=\"");
    append_characters(writer->buffer, value, IN_ATTRIBUTE);
    buffer_append_char(writer->buffer, '"');
}

void
xml_put_attribute_u64(struct xml_writer *writer, const char *name, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    xml_put_attribute(writer, name, text_from(digits));
}

void
xml_put_text(struct xml_writer *writer, struct text text)
{
    close_tag(writer);
    append_characters(writer->buffer, text, IN_CONTENT);
}

void
xml_put_u64(struct xml_writer *writer, uint64_t value)
{
    close_tag(writer);
    buffer_append_u64(writer->buffer, value);
}

void
xml_put_raw(struct xml_writer *writer, struct text xml)
{
    close_tag(writer);
    buffer_append_text(writer->buffer, xml);
}

void
xml_put_element(struct xml_writer *writer, const char *name, struct text text)
{
    xml_begin_element(writer, name);
    if (text.length > 0)
        xml_put_text(writer, text);
    xml_end_element(writer);
}

void
xml_put_element_u64(struct xml_writer *writer, const char *name, uint64_t value)
{
    xml_begin_element(writer, name);
    xml_put_u64(writer, value);
    xml_end_element(writer);
}
