/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a file's content by ranges: see view.h. The reader keeps its own copy of where the content is,
 * so that it needs neither view nor snapshot; places stay good for ever.
 */
#include "model/read/view_private.h"

#include "base/ensure.h"

#define CONTENT_READER_MAGIC 0x72656164u

struct content_reader {
    unsigned magic;
    struct store *store;
    struct content_reference reference; /* `block_sums` points at `sums` */
    char sums[];
};

static enum error_code
reader_new(struct store *store, const struct content_reference *reference, struct content_reader **ret_reader,
           struct error *error)
{
    struct content_reader *reader = malloc(sizeof *reader + reference->block_sums.length);
    if (reader == NULL)
        return error_set(error, ERROR_NO_MEMORY, "out of memory");
    reader->magic = CONTENT_READER_MAGIC;
    reader->store = store;
    reader->reference = *reference;
    if (reference->block_sums.length > 0)
        memcpy(reader->sums, reference->block_sums.data, reference->block_sums.length);
    reader->reference.block_sums.data = reader->sums;
    *ret_reader = reader;
    return ERROR_NONE;
}

static enum error_code
read_newest(struct view *view, uint64_t id, struct content_reader **ret_reader, struct error *error)
{
    const struct node *node;
    enum error_code code = view_node(view, id, &node, error);
    if (code != ERROR_NONE)
        return code;
    struct content_reference reference = {node->content, node->size_bytes, node->block_sums, node->sums};
    return reader_new(view->model->store, &reference, ret_reader, error);
}

static enum error_code
read_version(struct view *view, uint64_t id, uint64_t number, struct content_reader **ret_reader,
             struct error *error)
{
    struct buffer value = {0};
    struct key key;
    struct version_record version;
    if (number > UINT32_MAX)
        return error_set(error, ERROR_NOT_FOUND, "there is no version %llu", (unsigned long long)number);
    key_version(&key, id, number);
    enum error_code code = lookup_get(&view->lookup, key_text(&key), &value, error);
    if (code == ERROR_NOT_FOUND)
        code = error_set(error, code, "there is no version %llu", (unsigned long long)number);
    else if (code == ERROR_NONE)
        code = version_decode(buffer_text(&value), &version, error);
    if (code == ERROR_NONE && (version.flags & VERSION_DELETED) != 0)
        code = error_set(error, ERROR_GONE, "version %llu is a deletion", (unsigned long long)number);
    else if (code == ERROR_NONE && (version.flags & VERSION_CONTENT) == 0)
        code = error_set(error, ERROR_NOT_FOUND, "version %llu has no content", (unsigned long long)number);
    if (code == ERROR_NONE) {
        struct content_reference reference = {version.content, version.size_bytes, version.block_sums,
                                              version.sums};
        code = reader_new(view->model->store, &reference, ret_reader, error);
    }
    buffer_release(&value);
    return code;
}

enum error_code
view_content(struct view *view, const struct resource *file, uint64_t version, struct content_reader **ret_reader,
             struct error *error)
{
    struct standing standing;
    enum error_code code;
    if (file->kind != RESOURCE_FILE)
        return error_set(error, ERROR_CONFLICT, "a container has no content");
    if ((code = view_admit(view, file->id, VIEW_DELETED_GONE, &standing, error)) != ERROR_NONE ||
        (code = view_require(view, file, RIGHT_READ, error)) != ERROR_NONE)
        return code;
    if (standing.deleted && version == 0) /* an administrator may still have earlier versions by number */
        return error_set(error, ERROR_GONE, "this has been deleted");
    return version == 0 ? read_newest(view, file->id, ret_reader, error)
                        : read_version(view, file->id, version, ret_reader, error);
}

uint64_t
content_reader_size(const struct content_reader *reader)
{
    return reader->reference.size_bytes;
}

enum error_code
content_reader_read(struct content_reader *reader, uint64_t offset, void *data, size_t length,
                    struct error *error)
{
    uint64_t end;
    ensure(reader->magic == CONTENT_READER_MAGIC);
    if (__builtin_add_overflow(offset, (uint64_t)length, &end) || end > reader->reference.size_bytes)
        return error_set(error, ERROR_INVALID, "the range goes beyond the content's %llu bytes",
                         (unsigned long long)reader->reference.size_bytes);
    if (length == 0)
        return ERROR_NONE;
    return store_read_content(reader->store, &reader->reference, offset, data, length, error);
}

void
content_reader_close(struct content_reader *reader)
{
    if (reader == NULL)
        return;
    ensure(reader->magic == CONTENT_READER_MAGIC);
    reader->magic = 0;
    free(reader);
}
