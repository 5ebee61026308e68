/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding and folding of catalog records: see record.h. */
#include "model/record/record.h"

#include "base/ensure.h"

#define NODE_KNOWN_BITS ((UINT64_C(1) << NODE_FIELD_COUNT) - 1)
_Static_assert(NODE_FIELD_COUNT <= 40, "the mask has room for 40 fields");

enum error_code
record_end(const struct cursor *cursor, const char *what, struct error *error)
{
    if (cursor->bad || cursor->left != 0)
        return error_set(error, ERROR_CORRUPT, "catalog: a %s record is damaged", what);
    return ERROR_NONE;
}

#define PUT_NUMBER(out, value) buffer_append_varint(out, value)
#define PUT_TEXT(out, value) buffer_append_counted(out, value)
#define TAKE_NUMBER(cursor) cursor_varint(cursor)
#define TAKE_TEXT(cursor) cursor_counted(cursor)

void
node_encode(const struct node *node, uint64_t extra_bits, struct buffer *out)
{
    ensure((node->present & ~NODE_KNOWN_BITS) == 0);
    buffer_append_varint(out, node->present | extra_bits);
#define X(name, kind, member)                                                                      \
    if (node->present & NODE_BIT(name))                                                            \
        PUT_##kind(out, node->member);
    NODE_FIELDS(X)
#undef X
}

enum error_code
node_decode(struct text value, struct node *ret_node, uint64_t *ret_extra_bits, struct error *error)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    struct node node = {0};
    uint64_t mask = cursor_varint(&cursor);
    node.present = mask & NODE_KNOWN_BITS;
#define X(name, kind, member)                                                                      \
    if (node.present & NODE_BIT(name))                                                             \
        node.member = TAKE_##kind(&cursor);
    NODE_FIELDS(X)
#undef X
    enum error_code code = record_end(&cursor, "node", error);
    if (code != ERROR_NONE)
        return code;
    *ret_node = node;
    if (ret_extra_bits != NULL)
        *ret_extra_bits = mask & ~NODE_KNOWN_BITS;
    return ERROR_NONE;
}

void
node_merge(struct node *node, const struct node *change, uint64_t extra_bits)
{
#define X(name, kind, member)                                                                      \
    if (change->present & NODE_BIT(name))                                                          \
        node->member = change->member;
    NODE_FIELDS(X)
#undef X
    node->present |= change->present;
    if (extra_bits & NODE_BUMP) {
        node->counter++;
        node->present |= NODE_BIT(COUNTER);
    }
}

static uint64_t
zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static int64_t
unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

void
counts_encode(const struct counts *counts, struct buffer *out)
{
    buffer_append_varint(out, zigzag(counts->children));
    buffer_append_varint(out, zigzag(counts->resources));
    buffer_append_varint(out, zigzag(counts->files));
    buffer_append_varint(out, zigzag(counts->bytes));
    buffer_append_varint(out, counts->change);
}

enum error_code
counts_decode(struct text value, struct counts *ret_counts, struct error *error)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    struct counts counts;
    counts.children = unzigzag(cursor_varint(&cursor));
    counts.resources = unzigzag(cursor_varint(&cursor));
    counts.files = unzigzag(cursor_varint(&cursor));
    counts.bytes = unzigzag(cursor_varint(&cursor));
    counts.change = cursor_varint(&cursor);
    enum error_code code = record_end(&cursor, "counts", error);
    if (code == ERROR_NONE)
        *ret_counts = counts;
    return code;
}

static void
append_place(struct buffer *out, struct place place)
{
    buffer_append_varint(out, place.volume);
    buffer_append_varint(out, place.offset);
}

static struct place
take_place(struct cursor *cursor)
{
    struct place place;
    place.volume = cursor_varint(cursor);
    place.offset = cursor_varint(cursor);
    return place;
}

void
version_encode(const struct version_record *version, struct buffer *out)
{
    buffer_append_varint(out, version->flags);
    buffer_append_varint(out, version->sequence);
    buffer_append_varint(out, version->time_us);
    buffer_append_varint(out, version->user);
    append_place(out, version->inventory);
    buffer_append_varint(out, version->inventory_bytes);
    buffer_append_counted(out, version->message);
    if ((version->flags & VERSION_CONTENT) == 0)
        return;
    buffer_append_varint(out, version->size_bytes);
    append_place(out, version->content);
    append_place(out, version->sums);
    buffer_append_counted(out, version->digest);
    buffer_append_counted(out, version->media_type);
    buffer_append_counted(out, version->block_sums);
}

enum error_code
version_decode(struct text value, struct version_record *ret_version, struct error *error)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    struct version_record version = {0};
    version.flags = cursor_varint(&cursor);
    version.sequence = cursor_varint(&cursor);
    version.time_us = cursor_varint(&cursor);
    version.user = cursor_varint(&cursor);
    version.inventory = take_place(&cursor);
    version.inventory_bytes = cursor_varint(&cursor);
    version.message = cursor_counted(&cursor);
    if (version.flags & VERSION_CONTENT) {
        version.size_bytes = cursor_varint(&cursor);
        version.content = take_place(&cursor);
        version.sums = take_place(&cursor);
        version.digest = cursor_counted(&cursor);
        version.media_type = cursor_counted(&cursor);
        version.block_sums = cursor_counted(&cursor);
    }
    enum error_code code = record_end(&cursor, "version", error);
    if (code == ERROR_NONE)
        *ret_version = version;
    return code;
}

void
volume_encode(const struct volume_record *volume, struct buffer *out)
{
    buffer_append_varint(out, volume->bulk ? 1 : 0);
    buffer_append_varint(out, volume->committed_bytes);
    buffer_append_varint(out, volume->generation);
    buffer_append_varint(out, volume->sealed_bytes);
    buffer_append_counted(out, volume->sha256);
}

enum error_code
volume_decode(struct text value, struct volume_record *ret_volume, struct error *error)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    struct volume_record volume;
    volume.bulk = cursor_varint(&cursor) != 0;
    volume.committed_bytes = cursor_varint(&cursor);
    volume.generation = cursor_varint(&cursor);
    volume.sealed_bytes = cursor_varint(&cursor);
    volume.sha256 = cursor_counted(&cursor);
    enum error_code code = record_end(&cursor, "volume", error);
    if (code == ERROR_NONE)
        *ret_volume = volume;
    return code;
}

/* ---- folding ----------------------------------------------------------------------------------- */

static enum error_code
fold_node(const struct text *before, struct text operand, struct buffer *after, bool *present,
          struct error *error)
{
    struct node node, change;
    uint64_t extra_bits = 0;
    enum error_code code;
    *present = before != NULL;
    if (before == NULL)
        return ERROR_NONE;
    if ((code = node_decode(*before, &node, NULL, error)) != ERROR_NONE ||
        (code = node_decode(operand, &change, &extra_bits, error)) != ERROR_NONE)
        return code;
    node_merge(&node, &change, extra_bits);
    node_encode(&node, 0, after);
    return ERROR_NONE;
}

static enum error_code
fold_counts(const struct text *before, struct text operand, struct buffer *after, struct error *error)
{
    struct counts counts = {0}, change;
    enum error_code code;
    if (before != NULL && (code = counts_decode(*before, &counts, error)) != ERROR_NONE)
        return code;
    if ((code = counts_decode(operand, &change, error)) != ERROR_NONE)
        return code;
    counts.children += change.children;
    counts.resources += change.resources;
    counts.files += change.files;
    counts.bytes += change.bytes;
    if (change.change > counts.change)
        counts.change = change.change;
    counts_encode(&counts, after);
    return ERROR_NONE;
}

static enum error_code
fold_volume(const struct text *before, struct text operand, struct buffer *after, struct error *error)
{
    struct volume_record volume = {0}, change;
    enum error_code code;
    if (before != NULL && (code = volume_decode(*before, &volume, error)) != ERROR_NONE)
        return code;
    if ((code = volume_decode(operand, &change, error)) != ERROR_NONE)
        return code;
    volume.bulk |= change.bulk;
    if (change.committed_bytes > volume.committed_bytes)
        volume.committed_bytes = change.committed_bytes;
    if (change.generation != 0)
        volume.generation = change.generation;
    if (change.sealed_bytes != 0)
        volume.sealed_bytes = change.sealed_bytes;
    if (change.sha256.length != 0)
        volume.sha256 = change.sha256;
    volume_encode(&volume, after);
    return ERROR_NONE;
}

enum error_code
fold_apply(enum fold fold, const struct text *before, struct text operand, struct buffer *ret_after,
           bool *ret_present, struct error *error)
{
    buffer_clear(ret_after);
    *ret_present = true;
    switch (fold) {
    case FOLD_SET:
        buffer_append_text(ret_after, operand);
        return buffer_status(ret_after, error);
    case FOLD_DELETE:
        *ret_present = false;
        return ERROR_NONE;
    case FOLD_NODE:
        return fold_node(before, operand, ret_after, ret_present, error);
    case FOLD_COUNTS:
        return fold_counts(before, operand, ret_after, error);
    case FOLD_VOLUME:
        return fold_volume(before, operand, ret_after, error);
    }
    return error_set(error, ERROR_CORRUPT, "catalog: unknown fold %d", (int)fold);
}
