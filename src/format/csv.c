/* SPDX-License-Identifier: Apache-2.0 */
/* CSV: see csv.h. */
#include "format/csv.h"

#include "base/buffer.h"

struct csv
csv_of(struct text text)
{
    if (text_starts_with(text, TEXT("\xEF\xBB\xBF")))
        text = text_of(text.data + 3, text.length - 3);
    return (struct csv){text, 1};
}

static bool
at_line_end(const struct csv *csv)
{
    return csv->rest.length == 0 || csv->rest.data[0] == '\n' || csv->rest.data[0] == '\r';
}

static void
skip(struct csv *csv, size_t bytes)
{
    csv->rest = text_of(csv->rest.data + bytes, csv->rest.length - bytes);
}

static void
skip_line_end(struct csv *csv)
{
    size_t bytes = csv->rest.length >= 2 && csv->rest.data[0] == '\r' && csv->rest.data[1] == '\n' ? 2 : csv->rest.length > 0;
    skip(csv, bytes);
    csv->line++;
}

static enum error_code
add_field(struct csv_row *row, struct arena *arena, struct text value, struct error *error)
{
    if (row->count == row->capacity) {
        size_t capacity = row->capacity == 0 ? 16 : row->capacity * 2;
        struct text *fields = arena_alloc(arena, capacity * sizeof *fields);
        if (fields == NULL)
            return arena_status(arena, error);
        if (row->count > 0)
            memcpy(fields, row->fields, row->count * sizeof *fields);
        row->fields = fields;
        row->capacity = capacity;
    }
    row->fields[row->count++] = arena_copy(arena, value);
    return arena_status(arena, error);
}

/* Behind the opening quote. */
static enum error_code
quoted_field(struct csv *csv, struct csv_row *row, struct arena *arena, struct error *error)
{
    struct buffer value AV_CLEANUP(buffer_release) = {0};
    size_t opened = csv->line;
    for (;; skip(csv, 1)) {
        if (csv->rest.length == 0)
            return error_set(error, ERROR_INVALID, "line %zu: a quote is not closed", opened);
        char c = csv->rest.data[0];
        if (c == '\n')
            csv->line++;
        if (c == '"' && (csv->rest.length < 2 || csv->rest.data[1] != '"'))
            break;
        if (c == '"')
            skip(csv, 1);
        buffer_append_char(&value, c);
    }
    skip(csv, 1);
    if (!at_line_end(csv) && csv->rest.data[0] != ',')
        return error_set(error, ERROR_INVALID, "line %zu: text behind a closing quote", csv->line);
    return add_field(row, arena, buffer_text(&value), error);
}

static enum error_code
plain_field(struct csv *csv, struct csv_row *row, struct arena *arena, struct error *error)
{
    size_t length = 0;
    while (length < csv->rest.length && memchr(",\r\n", csv->rest.data[length], 3) == NULL)
        length++;
    struct text value = text_of(csv->rest.data, length);
    skip(csv, length);
    return add_field(row, arena, value, error);
}

enum error_code
csv_next(struct csv *csv, struct arena *arena, struct csv_row *ret_row, bool *ret_found, struct error *error)
{
    enum error_code code = ERROR_NONE;
    while (csv->rest.length > 0 && at_line_end(csv))
        skip_line_end(csv);
    *ret_row = (struct csv_row){.line = csv->line};
    *ret_found = csv->rest.length > 0;
    for (bool more = *ret_found; more && code == ERROR_NONE;) {
        bool quoted = csv->rest.length > 0 && csv->rest.data[0] == '"';
        if (quoted)
            skip(csv, 1);
        code = quoted ? quoted_field(csv, ret_row, arena, error) : plain_field(csv, ret_row, arena, error);
        more = code == ERROR_NONE && csv->rest.length > 0 && csv->rest.data[0] == ',';
        if (more)
            skip(csv, 1);
    }
    if (code == ERROR_NONE && csv->rest.length > 0)
        skip_line_end(csv);
    return code;
}
