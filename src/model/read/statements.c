/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of a resource in order: a scan of their family. See view.h. */
#include "model/read/view_private.h"

struct statement_iterator {
    struct catalog_scan *scan;
    enum error_code status;
    struct error error;
};

enum error_code
view_statements(struct view *view, uint64_t id, struct text attribute, struct statement_iterator **ret_iterator,
                struct error *error)
{
    struct standing standing;
    struct key prefix;
    enum error_code code;
    if (attribute.length > STATEMENT_ATTRIBUTE_BYTES_MAXIMUM)
        return error_set(error, ERROR_INVALID, "an attribute has at most %u bytes",
                         STATEMENT_ATTRIBUTE_BYTES_MAXIMUM);
    if ((code = view_admit(view, id, VIEW_DELETED_GONE, &standing, error)) != ERROR_NONE)
        return code;
    struct statement_iterator *iterator = calloc(1, sizeof *iterator);
    if (iterator == NULL)
        return error_set(error, ERROR_NO_MEMORY, "out of memory");
    key_statement_prefix(&prefix, id, attribute);
    code = view_scan(view, &prefix, &prefix, false, &iterator->scan, error);
    if (code != ERROR_NONE) {
        free(iterator);
        return code;
    }
    *ret_iterator = iterator;
    return ERROR_NONE;
}

bool
statement_iterator_next(struct statement_iterator *iterator, struct statement *ret_statement)
{
    struct text key, value;
    if (iterator->status != ERROR_NONE || !catalog_scan_next(iterator->scan, &key, &value))
        return false;
    iterator->status = statement_decode(key, value, ret_statement, &iterator->error);
    return iterator->status == ERROR_NONE;
}

enum error_code
statement_iterator_close(struct statement_iterator *iterator, struct error *error)
{
    if (iterator->status != ERROR_NONE && error != NULL)
        *error = iterator->error;
    enum error_code code = view_scan_close(iterator->scan, iterator->status, error);
    free(iterator);
    return code;
}
