/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record/harvest_record.h"

void
harvest_record_encode(const struct harvest_record *record, struct buffer *out)
{
    buffer_append_varint(out, (uint64_t)record->time_us);
    buffer_append_varint(out, record->live);
    buffer_append_varint(out, record->sets.count);
    for (size_t i = 0; i < record->sets.count; i++)
        buffer_append_varint(out, record->sets.ids[i]);
}

enum error_code
harvest_record_decode(struct text value, struct arena *arena, struct harvest_record *ret_record, struct error *error)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    ret_record->time_us = (int64_t)cursor_varint(&cursor);
    ret_record->live = cursor_varint(&cursor) != 0;
    uint64_t count = cursor_varint(&cursor);
    if (cursor.bad || count > cursor.left) /* a set takes a byte at least */
        return error_set(error, ERROR_CORRUPT, "catalog: a harvest stamp is damaged");
    uint64_t *ids = arena_alloc(arena, (size_t)count * sizeof *ids);
    if (ids == NULL)
        return arena_status(arena, error);
    for (size_t i = 0; i < count; i++)
        ids[i] = cursor_varint(&cursor);
    if (cursor.bad || cursor.left != 0)
        return error_set(error, ERROR_CORRUPT, "catalog: a harvest stamp is damaged");
    ret_record->sets = (struct id_list){ids, (size_t)count};
    return ERROR_NONE;
}
