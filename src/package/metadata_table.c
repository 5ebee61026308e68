/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of metadata: see metadata_table.h. */
#include "package/metadata_table.h"

#include "format/csv.h"
#include "package/reader.h"

enum column_kind { COLUMN_FIELD, COLUMN_ID, COLUMN_COLLECTION };

struct column {
    enum column_kind kind;
    struct field field; /* without its value */
};

/* "dc.title[en]" */
static enum error_code
read_column(struct text heading, struct column *ret_column, struct error *error)
{
    struct text language = TEXT(""), name = text_trim(heading);
    *ret_column = (struct column){.kind = COLUMN_FIELD};
    if (text_equal(name, TEXT("id")) || text_equal(name, TEXT("collection"))) {
        ret_column->kind = name.data[0] == 'i' ? COLUMN_ID : COLUMN_COLLECTION;
        return ERROR_NONE;
    }
    if (text_ends_with(name, TEXT("]"))) {
        name = text_cut(text_of(name.data, name.length - 1), '[', &language);
        language = language.data == NULL ? TEXT("") : language;
    }
    if (!field_from_attribute(name, &ret_column->field))
        return error_set(error, ERROR_INVALID, "line 1: \"%.*s\" is no name of a field", TEXT_ARG(heading));
    ret_column->field.language = language;
    ret_column->field.authority = TEXT("");
    ret_column->field.confidence = -1;
    return ERROR_NONE;
}

/* Cuts at the first `separator` of two characters. */
static struct text
cut_pair(struct text text, const char *separator, struct text *rest)
{
    const char *found = text.length < 2 ? NULL : memmem(text.data, text.length, separator, 2);
    *rest = found == NULL ? (struct text){NULL, 0} : text_of(found + 2, text.length - (size_t)(found + 2 - text.data));
    return text_of(text.data, found == NULL ? text.length : (size_t)(found - text.data));
}

/* "value", "value::authority", "value::authority::confidence" */
static void
read_value(struct text cell, struct field *field)
{
    struct text rest, confidence;
    uint64_t number;
    field->value = cut_pair(cell, "::", &rest);
    if (rest.data == NULL)
        return;
    struct text authority = cut_pair(rest, "::", &confidence);
    if (confidence.data == NULL || !text_to_u64(confidence, &number) || number > 1000) {
        field->value = cell; /* a value that has "::" in it */
        return;
    }
    field->authority = authority;
    field->confidence = (int)number;
}

static enum error_code
add_cell(struct package *package, const struct column *column, struct text cell, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (struct text rest = cell; rest.data != NULL && code == ERROR_NONE;) {
        struct field field = column->field;
        read_value(cut_pair(rest, "||", &rest), &field);
        code = fields_add(&package->fields, &field, error);
    }
    return code;
}

static enum error_code
read_row(struct package *package, const struct column *columns, const struct csv_row *row, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (size_t i = 0; i < row->count && code == ERROR_NONE; i++) {
        struct text cell = row->fields[i];
        if (columns[i].kind == COLUMN_COLLECTION)
            package->collections = cell;
        else if (columns[i].kind == COLUMN_FIELD)
            code = add_cell(package, &columns[i], cell, error);
        else if (text_trim(cell).length > 0 && !text_equal(text_trim(cell), TEXT("+")))
            code = error_set(error, ERROR_UNSUPPORTED, "\"%.*s\" would change an item that is there; new ones have \"+\"", TEXT_ARG(cell));
    }
    return code;
}

static enum error_code
read_rows(const struct package_request *request, struct csv *csv, const struct column *columns, size_t count,
          struct packages *packages, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (bool found = true; found && code == ERROR_NONE;) {
        struct csv_row row;
        struct package *package;
        code = csv_next(csv, request->arena, &row, &found, error);
        if (code != ERROR_NONE || !found)
            break;
        if (row.count > count)
            return error_set(error, ERROR_INVALID, "line %zu has %zu cells for %zu columns", row.line, row.count, count);
        code = packages_add(packages, request, &package, error);
        if (code == ERROR_NONE)
            code = read_row(package, columns, &row, error);
        if (code != ERROR_NONE)
            return error_prefix(error, "line %zu", row.line);
    }
    if (code == ERROR_NONE && packages->count == 0)
        code = error_set(error, ERROR_INVALID, "a table without rows");
    return code;
}

enum error_code
metadata_table_read(const struct package_request *request, struct packages *packages, struct error *error)
{
    struct buffer bytes AV_CLEANUP(buffer_release) = {0};
    struct csv_row heading = {0};
    bool found = false;
    enum error_code code = reader_source_text(request, &bytes, error);
    struct csv csv = csv_of(buffer_text(&bytes));
    if (code == ERROR_NONE && !text_is_utf8(csv.rest))
        code = error_set(error, ERROR_INVALID, "the table is not UTF-8");
    if (code == ERROR_NONE)
        code = csv_next(&csv, request->arena, &heading, &found, error);
    struct column *columns = arena_alloc(request->arena, (heading.count + 1) * sizeof *columns);
    if (code == ERROR_NONE && columns == NULL)
        code = arena_status(request->arena, error);
    for (size_t i = 0; i < heading.count && code == ERROR_NONE; i++)
        code = read_column(heading.fields[i], &columns[i], error);
    return code != ERROR_NONE ? code : read_rows(request, &csv, columns, heading.count, packages, error);
}
