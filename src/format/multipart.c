/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Line by line: a line that is the delimiter ends a part, any other is content, and the line end before a delimiter belongs to
 * the delimiter (RFC 2046 section 5.1.1). Only as much of a line is held back as could still be one.
 *
 *     PREAMBLE --delimiter--> HEAD --empty line--> BODY --delimiter--> HEAD
 *                                                  BODY --delimiter "--"--> EPILOGUE
 */
#include "format/multipart.h"

#include <string.h>

#define TRAILING_BYTES 256u /* blanks that may follow a delimiter on its line */

static bool
is_boundary(struct text boundary)
{
    static const char others[] = "'()+_,-./:=? $"; /* the RFC's, and `$`, which one client of SWORD sends */
    if (boundary.length == 0 || boundary.length > MULTIPART_BOUNDARY_BYTES)
        return false;
    for (size_t i = 0; i < boundary.length; i++) {
        char c = boundary.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (c == '\0' || strchr(others, c) == NULL))
            return false;
    }
    return boundary.data[boundary.length - 1] != ' ';
}

enum error_code
multipart_init(struct multipart *m, struct text boundary, const struct multipart_handler *handler, struct error *error)
{
    *m = (struct multipart){.handler = *handler};
    if (!is_boundary(boundary))
        return error_set(error, ERROR_INVALID, "the boundary of the multipart body is missing or none");
    memcpy(m->delimiter, "--", 2);
    memcpy(m->delimiter + 2, boundary.data, boundary.length);
    m->delimiter_length = 2 + boundary.length;
    return ERROR_NONE;
}

void
multipart_release(struct multipart *m)
{
    buffer_release(&m->line);
}

/* ---- lines ------------------------------------------------------------------------------------------------- */

enum delimiter { NO_DELIMITER, DELIMITER, LAST_DELIMITER };

/* A whole line, without its end. */
static enum delimiter
delimiter_of(const struct multipart *m, struct text line)
{
    if (line.length < m->delimiter_length || memcmp(line.data, m->delimiter, m->delimiter_length) != 0)
        return NO_DELIMITER;
    struct text rest = text_of(line.data + m->delimiter_length, line.length - m->delimiter_length);
    bool last = text_starts_with(rest, TEXT("--"));
    if (last)
        rest = text_of(rest.data + 2, rest.length - 2);
    if (text_trim(rest).length > 0)
        return NO_DELIMITER;
    return last ? LAST_DELIMITER : DELIMITER;
}

/* Whether what there is of a line may become a delimiter. */
static bool
may_be_delimiter(const struct multipart *m, struct text start)
{
    size_t length = start.length < m->delimiter_length ? start.length : m->delimiter_length;
    return start.length <= m->delimiter_length + TRAILING_BYTES && memcmp(start.data, m->delimiter, length) == 0;
}

static enum error_code
give(struct multipart *m, const char *data, size_t length, struct error *error)
{
    return length == 0 ? ERROR_NONE : m->handler.data(m->handler.context, data, length, error);
}

/* Content: first the end of the line before, which now is known to be content too. */
static enum error_code
give_content(struct multipart *m, const char *data, size_t length, struct error *error)
{
    enum error_code code = give(m, m->line_end, m->line_end_length, error);
    m->line_end_length = 0;
    return code != ERROR_NONE ? code : give(m, data, length, error);
}

static enum error_code
take_delimiter(struct multipart *m, enum delimiter found, struct error *error)
{
    enum error_code code = m->state == MULTIPART_BODY ? m->handler.end(m->handler.context, error) : ERROR_NONE;
    m->line_end_length = 0;
    m->parts += found == DELIMITER;
    m->state = found == DELIMITER ? MULTIPART_HEAD : MULTIPART_EPILOGUE;
    return code;
}

/* ---- heads --------------------------------------------------------------------------------------------------- */

/* The head grows in `line` until the empty line; `start` is where the last line of it begins. */
static enum error_code
take_head_line(struct multipart *m, size_t start, struct error *error)
{
    struct text head = buffer_text(&m->line);
    struct text line = text_of(head.data + start, head.length - start - 1);
    if (line.length > 0 && line.data[line.length - 1] == '\r')
        line.length--;
    if (line.length > 0)
        return ERROR_NONE;
    m->state = MULTIPART_BODY;
    enum error_code code = m->handler.begin(m->handler.context, text_of(head.data, start), error);
    buffer_clear(&m->line);
    return code;
}

static size_t
start_of_last_line(struct text text)
{
    size_t at = text.length;
    while (at > 0 && text.data[at - 1] != '\n')
        at--;
    return at;
}

static enum error_code
write_head(struct multipart *m, struct text *rest, struct error *error)
{
    const char *newline = memchr(rest->data, '\n', rest->length);
    size_t length = newline == NULL ? rest->length : (size_t)(newline - rest->data) + 1;
    size_t start = m->line.length == 0 ? 0 : start_of_last_line(buffer_text(&m->line));
    if (m->line.length + length > MULTIPART_HEAD_BYTES)
        return error_set(error, ERROR_LIMIT, "the head of a part has more than %u bytes", MULTIPART_HEAD_BYTES);
    buffer_append(&m->line, rest->data, length);
    *rest = text_of(rest->data + length, rest->length - length);
    enum error_code code = buffer_status(&m->line, error);
    return code != ERROR_NONE || newline == NULL ? code : take_head_line(m, start, error);
}

/* ---- everything else ------------------------------------------------------------------------------------------- */

/* A whole line is in the buffer, with its end. */
static enum error_code
take_line(struct multipart *m, struct error *error)
{
    struct text line = buffer_text(&m->line);
    size_t end = line.length >= 2 && line.data[line.length - 2] == '\r' ? 2 : 1;
    struct text bare = text_of(line.data, line.length - end);
    enum delimiter found = m->state == MULTIPART_EPILOGUE ? NO_DELIMITER : delimiter_of(m, bare);
    enum error_code code = ERROR_NONE;
    if (found != NO_DELIMITER) {
        code = take_delimiter(m, found, error);
    } else if (m->state == MULTIPART_BODY) {
        code = give_content(m, bare.data, bare.length, error);
        memcpy(m->line_end, line.data + bare.length, end);
        m->line_end_length = end;
    }
    buffer_clear(&m->line);
    return code;
}

/* The line is known to be content: all up to its end goes on at once. A CR that ends the piece may be half of a line end. */
static enum error_code
write_content(struct multipart *m, struct text *rest, struct error *error)
{
    const char *newline = memchr(rest->data, '\n', rest->length);
    size_t length = newline == NULL ? rest->length : (size_t)(newline - rest->data);
    bool give_on = m->state == MULTIPART_BODY;
    enum error_code code = ERROR_NONE;
    size_t bare = length > 0 && rest->data[length - 1] == '\r' ? length - 1 : length;
    if (give_on && length > 0) /* an end held back was a lone CR, or stands alone before this LF */
        code = give_content(m, rest->data, bare, error);
    if (give_on && bare < length) {
        m->line_end[0] = '\r';
        m->line_end_length = 1;
    }
    if (newline != NULL) {
        if (give_on)
            m->line_end[m->line_end_length++] = '\n';
        m->line_is_content = false;
    }
    length += newline != NULL;
    *rest = text_of(rest->data + length, rest->length - length);
    return code;
}

static enum error_code
write_line(struct multipart *m, struct text *rest, struct error *error)
{
    const char *newline = memchr(rest->data, '\n', rest->length);
    size_t length = newline == NULL ? rest->length : (size_t)(newline - rest->data) + 1;
    size_t room = m->delimiter_length + TRAILING_BYTES + 2;
    if (m->line.length + length > room) { /* longer than any delimiter's line */
        length = room > m->line.length ? room - m->line.length : 0;
        newline = NULL;
    }
    buffer_append(&m->line, rest->data, length);
    *rest = text_of(rest->data + length, rest->length - length);
    enum error_code code = buffer_status(&m->line, error);
    if (code != ERROR_NONE)
        return code;
    if (newline != NULL)
        return take_line(m, error);
    if (m->state != MULTIPART_EPILOGUE && may_be_delimiter(m, buffer_text(&m->line)))
        return ERROR_NONE;
    /* content: give what was held back to the rule for content, so that a CR at its end is treated alike */
    struct text held = buffer_text(&m->line);
    m->line_is_content = true;
    while (code == ERROR_NONE && held.length > 0)
        code = write_content(m, &held, error);
    buffer_clear(&m->line);
    return code;
}

enum error_code
multipart_write(struct multipart *m, const void *data, size_t length, struct error *error)
{
    struct text rest = text_of(data, length);
    enum error_code code = ERROR_NONE;
    while (rest.length > 0 && code == ERROR_NONE) {
        if (m->state == MULTIPART_HEAD)
            code = write_head(m, &rest, error);
        else if (m->line_is_content)
            code = write_content(m, &rest, error);
        else
            code = write_line(m, &rest, error);
    }
    return code;
}

enum error_code
multipart_finish(struct multipart *m, struct error *error)
{
    enum delimiter found = m->state == MULTIPART_BODY && m->line.length > 0 ? delimiter_of(m, buffer_text(&m->line))
                                                                            : NO_DELIMITER;
    if (found == LAST_DELIMITER) { /* no line end after the last boundary: most clients */
        enum error_code code = take_delimiter(m, found, error);
        buffer_clear(&m->line);
        if (code != ERROR_NONE)
            return code;
    }
    if (m->state != MULTIPART_EPILOGUE || m->parts == 0)
        return error_set(error, ERROR_INVALID, m->parts == 0 ? "the multipart body has no part"
                                                             : "the multipart body ends before its last boundary");
    return ERROR_NONE;
}

/* ---- fields of a head ---------------------------------------------------------------------------------------------- */

bool
multipart_field(struct text head, const char *name, struct buffer *ret_value)
{
    struct text rest = head, wanted = text_from(name);
    bool within = false, found = false;
    while (rest.data != NULL && rest.length > 0) {
        struct text line = text_cut(rest, '\n', &rest);
        if (line.length > 0 && line.data[line.length - 1] == '\r')
            line.length--;
        bool folded = line.length > 0 && (line.data[0] == ' ' || line.data[0] == '\t');
        struct text value = line;
        if (!folded) {
            if (found)
                break;
            struct text key = text_cut(line, ':', &value);
            within = value.data != NULL && text_equal_ignoring_case(text_trim(key), wanted);
            found |= within;
        } else if (within) {
            buffer_append_char(ret_value, ' ');
        }
        if (within)
            buffer_append_text(ret_value, text_trim(value));
    }
    return found;
}
