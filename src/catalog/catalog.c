/* SPDX-License-Identifier: Apache-2.0 */
/* Batches, and the calls that go to whichever engine it is: see catalog.h. */
#include "catalog/catalog_private.h"

#include "base/ensure.h"

/* One operation after another: 'p', key length, key, value length, value; or 'd', key length, key.
 */
struct catalog_batch {
    struct buffer operations;
    size_t count;
};

enum { TAG_PUT = 'p', TAG_DELETE = 'd' };

struct catalog_batch *
catalog_batch_new(void)
{
    struct catalog_batch *batch = calloc(1, sizeof *batch);
    ensure(batch != NULL);
    return batch;
}

void
catalog_batch_free(struct catalog_batch *batch)
{
    if (batch == NULL)
        return;
    buffer_release(&batch->operations);
    free(batch);
}

void
catalog_batch_clear(struct catalog_batch *batch)
{
    buffer_clear(&batch->operations);
    batch->count = 0;
}

static void
append_run(struct buffer *buffer, struct text text)
{
    buffer_append_varint(buffer, text.length);
    buffer_append_text(buffer, text);
}

void
catalog_batch_put(struct catalog_batch *batch, struct text key, struct text value)
{
    buffer_append_char(&batch->operations, TAG_PUT);
    append_run(&batch->operations, key);
    append_run(&batch->operations, value);
    batch->count++;
}

void
catalog_batch_delete(struct catalog_batch *batch, struct text key)
{
    buffer_append_char(&batch->operations, TAG_DELETE);
    append_run(&batch->operations, key);
    batch->count++;
}

size_t
catalog_batch_count(const struct catalog_batch *batch)
{
    return batch->count;
}

static struct text
take_run(struct cursor *cursor)
{
    return cursor_bytes(cursor, (size_t)cursor_varint(cursor));
}

void
catalog_batch_each(const struct catalog_batch *batch, catalog_batch_visit *visit, void *context)
{
    struct cursor cursor = cursor_of(batch->operations.data, batch->operations.length);
    while (cursor.left > 0) {
        uint64_t tag = cursor_be(&cursor, 1);
        struct text key = take_run(&cursor);
        struct text value = tag == TAG_PUT ? take_run(&cursor) : TEXT("");
        ensure(!cursor.bad && (tag == TAG_PUT || tag == TAG_DELETE));
        visit(context, key, tag == TAG_PUT ? &value : NULL);
    }
}

enum error_code
catalog__batch_status(const struct catalog_batch *batch, struct error *error)
{
    return buffer_status(&batch->operations, error);
}

enum error_code
catalog_get(struct catalog *catalog, struct catalog_snapshot *snapshot, struct text key,
            struct buffer *ret_value, struct error *error)
{
    return catalog->operations->get(catalog, snapshot, key, ret_value, error);
}

enum error_code
catalog_scan_open(struct catalog *catalog, struct catalog_snapshot *snapshot,
                  const struct catalog_scan_range *range, struct catalog_scan **ret_scan,
                  struct error *error)
{
    return catalog->operations->scan_open(catalog, snapshot, range, ret_scan, error);
}

bool
catalog_scan_next(struct catalog_scan *scan, struct text *ret_key, struct text *ret_value)
{
    return scan->catalog->operations->scan_next(scan, ret_key, ret_value);
}

enum error_code
catalog_scan_close(struct catalog_scan *scan, struct error *error)
{
    return scan->catalog->operations->scan_close(scan, error);
}

enum error_code
catalog_write(struct catalog *catalog, const struct catalog_batch *batch, struct error *error)
{
    enum error_code code = catalog__batch_status(batch, error);
    if (code != ERROR_NONE)
        return code;
    return catalog->operations->write(catalog, batch, error);
}

enum error_code
catalog_snapshot_take(struct catalog *catalog, struct catalog_snapshot **ret_snapshot,
                      struct error *error)
{
    return catalog->operations->snapshot_take(catalog, ret_snapshot, error);
}

void
catalog_snapshot_release(struct catalog *catalog, struct catalog_snapshot *snapshot)
{
    if (snapshot != NULL)
        catalog->operations->snapshot_release(catalog, snapshot);
}

enum error_code
catalog_flush(struct catalog *catalog, struct error *error)
{
    return catalog->operations->flush(catalog, error);
}

void
catalog_close(struct catalog *catalog)
{
    if (catalog != NULL)
        catalog->operations->close(catalog);
}
