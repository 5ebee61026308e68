/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups: laid out in memory as they are added, written with one vectored write, synced once.
 *
 *     CLOSED --group_begin()--> OPEN --group_prepare()--> PREPARED --group_write(), group_publish()--> CLOSED
 *     OPEN | PREPARED --group_abandon()--> CLOSED
 *
 * There are two: one may be laid out while the one before it, which is prepared, is written. Bytes go to the disk in
 * order all the same: a group is written only after the one before it is durable.
 *
 * What is small is copied into one run of bytes with the headers around it; content from 4 KiB on
 * is borrowed and becomes a part of the vector. The journal entry is the last part. This is the
 * hottest code of the store: no formatting functions, no allocation once the buffers have grown.
 */
#include "format/hex.h"
#include "volume/store_private.h"

#define JOURNAL_LINE_LIMIT (UINT64_C(64) << 20)

/* ---- begin and end ---- */

static int64_t
next_time(struct store *store, const struct position *last)
{
    struct clock *clock = store__clock(store);
    int64_t now = clock->now_us(clock), least = last->time_us + 1, after = atomic_load(&store->not_before_us) + 1;
    if (least < after)
        least = after;
    return now > least ? now : least;
}

void
store_not_before(struct store *store, int64_t time_us)
{
    int64_t known = atomic_load(&store->not_before_us);
    while (known < time_us && !atomic_compare_exchange_weak(&store->not_before_us, &known, time_us))
        continue;
}

static void
clear(struct group *group)
{
    buffer_clear(&group->bytes);
    buffer_clear(&group->journal);
    buffer_clear(&group->listing);
    buffer_clear(&group->hashes);
    buffer_clear(&group->paths);
    group->part_count = group->entry_count = group->line_count = 0;
    group->log_bytes = 0;
}

static enum error_code
make_room(struct store *store, const struct group *before, bool urgent, struct error *error)
{
    enum error_code code = store__check_space(store, 1 << 20, urgent, error);
    if (code != ERROR_NONE)
        return code;
    if (before != NULL && before->end >= store->options.volume_size_bytes)
        return error_set(error, ERROR_BUSY, "the group before is the volume's last");
    if (before == NULL && (store->log->sealed || store->group_end >= store->options.volume_size_bytes))
        code = seal__roll(store, error);
    return code;
}

/* The group that is prepared and not over yet, or NULL. */
static struct group *
prepared_group(struct store *store)
{
    for (size_t i = 0; i < GROUPS_AT_ONCE; i++)
        if (store->groups[i].state == GROUP_PREPARED)
            return &store->groups[i];
    return NULL;
}

bool
store__no_group(const struct store *store)
{
    for (size_t i = 0; i < GROUPS_AT_ONCE; i++)
        if (store->groups[i].state != GROUP_CLOSED)
            return false;
    return true;
}

enum error_code
group_begin(struct store *store, bool urgent, struct group **ret_group, struct group_info *ret_info,
            struct error *error)
{
    const struct group *before = prepared_group(store);
    struct group *group = &store->groups[before == &store->groups[0] ? 1 : 0];
    ensure(store->magic == STORE_MAGIC && group->state == GROUP_CLOSED);
    enum error_code code = store__may_write(store, error);
    if (code == ERROR_NONE)
        code = make_room(store, before, urgent, error);
    if (code != ERROR_NONE)
        return code;
    clear(group);
    group->store = store;
    group->state = GROUP_OPEN;
    group->urgent = urgent;
    group->start = group->end = before != NULL ? before->end : store->group_end;
    group->position = before != NULL ? before->position : store->position;
    group->info = (struct group_info){group->position.sequence + 1, next_time(store, &group->position)};
    buffer_append_zeros(&group->journal, TAR_BLOCK_SIZE);
    buffer_append(&group->hashes, group->position.chain, CHAIN_BYTES);
    *ret_group = group;
    *ret_info = group->info;
    return ERROR_NONE;
}

void
group_abandon(struct group *group)
{
    ensure(group->state != GROUP_CLOSED);
    group->state = GROUP_CLOSED;
}

/* ---- laying out ---- */

static struct group_part *
add_part(struct group *group)
{
    if (group->part_count == group->part_capacity) {
        group->part_capacity = group->part_capacity == 0 ? 256 : group->part_capacity * 2;
        group->parts = reallocarray(group->parts, group->part_capacity, sizeof *group->parts);
        ensure(group->parts != NULL);
    }
    return &group->parts[group->part_count++];
}

/* Room for `length` bytes that go into the log next; part of the run under way. */
static char *
own_bytes(struct group *group, size_t length)
{
    char *to = buffer_reserve(&group->bytes, length);
    if (to == NULL)
        return NULL;
    struct group_part *last = group->part_count == 0 ? NULL : &group->parts[group->part_count - 1];
    if (last == NULL || last->borrowed != NULL) {
        last = add_part(group);
        *last = (struct group_part){NULL, group->bytes.length, 0};
    }
    last->length += length;
    group->bytes.length += length;
    group->log_bytes += length;
    return to;
}

static void
borrow_bytes(struct group *group, const void *data, size_t length)
{
    *add_part(group) = (struct group_part){data, 0, length};
    group->log_bytes += length;
}

static struct group_entry *
add_entry(struct group *group)
{
    if (group->entry_count == group->entry_capacity) {
        group->entry_capacity = group->entry_capacity == 0 ? 256 : group->entry_capacity * 2;
        group->entries =
            reallocarray(group->entries, group->entry_capacity, sizeof *group->entries);
        ensure(group->entries != NULL);
    }
    return &group->entries[group->entry_count++];
}

/* ["path",volume,offset,length,"sha256" or null], and the entry's record. */
static enum error_code
list_entry(struct group *group, struct text path, struct place place, uint64_t length,
           const unsigned char *sha256, struct content *content, struct error *error)
{
    char *start = buffer_reserve(&group->listing, path.length + 3 * 20 + SHA256_HEX_BYTES + 16);
    if (start == NULL)
        return buffer_status(&group->listing, error);
    char *to = start;
    *to++ = '[';
    *to++ = '"';
    memcpy(to, path.data, path.length);
    to += path.length;
    *to++ = '"';
    *to++ = ',';
    to += decimal_write(to, place.volume);
    *to++ = ',';
    to += decimal_write(to, place.offset);
    *to++ = ',';
    to += decimal_write(to, length);
    *to++ = ',';
    if (sha256 == NULL) {
        memcpy(to, "null", 4);
        to += 4;
    } else {
        *to++ = '"';
        hex_write(sha256, SHA256_BYTES, to);
        to += SHA256_HEX_BYTES;
        *to++ = '"';
    }
    *to++ = ']';
    *to++ = ',';
    group->listing.length += (size_t)(to - start);
    *add_entry(group) = (struct group_entry){.listing_end = group->listing.length,
                                             .content = content,
                                             .path_start = group->paths.length,
                                             .path_length = path.length};
    return ERROR_NONE;
}

/* A path goes into JSON as it is, and through every tar. */
static enum error_code
check_path(struct text path, struct error *error)
{
    const unsigned char *bytes = (const unsigned char *)path.data;
    unsigned bad = 0, all = 0;
    for (size_t i = 0; i < path.length; i++) { /* without branches: compilers make vectors of it */
        bad |= (unsigned)(bytes[i] < 0x20) | (unsigned)(bytes[i] == 0x7f) |
               (unsigned)(bytes[i] == '"') | (unsigned)(bytes[i] == '\\');
        all |= bytes[i];
    }
    if (bad != 0 || path.length == 0 || path.length > 255 || (all >= 0x80 && !text_is_utf8(path)))
        return error_set(error, ERROR_INVALID, "a path that no entry may have: \"%.*s\"",
                         TEXT_ARG(path));
    return ERROR_NONE;
}

static enum error_code
add_header(struct group *group, struct text path, uint64_t size, struct place *ret_place,
           struct error *error)
{
    struct tar_entry entry = {path, size, (uint64_t)group->info.time_us / 1000000u};
    enum error_code code = check_path(path, error);
    if (code != ERROR_NONE)
        return code;
    ensure(tar_header_size(size) == TAR_BLOCK_SIZE);
    if (!tar_path_fits(path))
        return error_set(error, ERROR_INVALID, "the path \"%.*s\" does not fit", TEXT_ARG(path));
    char *to = own_bytes(group, TAR_BLOCK_SIZE);
    if (to == NULL)
        return buffer_status(&group->bytes, error);
    code = tar_write_header(&entry, to, error);
    *ret_place = (struct place){group->store->log->number, group->start + group->log_bytes};
    return code;
}

/* The header, and room for the bytes with their padding. */
static enum error_code
begin_small(struct group *group, struct text path, size_t length, struct place *ret_place,
            char **ret_to, struct error *error)
{
    enum error_code code = add_header(group, path, length, ret_place, error);
    if (code != ERROR_NONE)
        return code;
    *ret_to = own_bytes(group, (size_t)tar_padded(length));
    return *ret_to == NULL ? buffer_status(&group->bytes, error) : ERROR_NONE;
}

static enum error_code
end_small(struct group *group, struct text path, struct place place, size_t length,
          const unsigned char sha256[SHA256_BYTES], struct error *error)
{
    enum error_code code = list_entry(group, path, place, length, sha256, NULL, error);
    if (code != ERROR_NONE)
        return code;
    struct group_entry *entry = &group->entries[group->entry_count - 1];
    entry->length = length;
    entry->start = group->bytes.length - (size_t)tar_padded(length);
    memcpy(entry->sha256, sha256, SHA256_BYTES);
    return ERROR_NONE;
}

enum error_code
group_add_entry(struct group *group, struct text path, struct text data, struct place *ret_place,
                struct error *error)
{
    struct place place;
    unsigned char sha256[SHA256_BYTES];
    char *to;
    ensure(group->state == GROUP_OPEN);
    enum error_code code = begin_small(group, path, data.length, &place, &to, error);
    if (code != ERROR_NONE)
        return code;
    if (data.length > 0)
        memcpy(to, data.data, data.length);
    memset(to + data.length, 0, (size_t)tar_padded(data.length) - data.length);
    digest_compute(DIGEST_SHA256, data.data, data.length, sha256);
    code = end_small(group, path, place, data.length, sha256, error);
    if (code == ERROR_NONE && ret_place != NULL)
        *ret_place = place;
    return code;
}

size_t
group_last_entry(const struct group *group)
{
    ensure(group->state == GROUP_OPEN && group->entry_count > 0);
    return group->entry_count - 1;
}

static const struct group_entry *
small_entry(const struct group *group, size_t number)
{
    ensure(group->state != GROUP_CLOSED && number < group->entry_count && group->entries[number].start != 0);
    return &group->entries[number];
}

struct text
group_entry_data(const struct group *group, size_t number)
{
    const struct group_entry *entry = small_entry(group, number);
    return text_of(group->bytes.data + entry->start, entry->length);
}

enum error_code
group_add_copy(struct group *group, struct text path, size_t number, struct error *error)
{
    const struct group_entry from = *small_entry(group, number); /* the array may move */
    struct place place;
    char *to;
    enum error_code code = begin_small(group, path, from.length, &place, &to, error);
    if (code != ERROR_NONE)
        return code;
    memcpy(to, group->bytes.data + from.start, (size_t)tar_padded(from.length));
    return end_small(group, path, place, from.length, from.sha256, error);
}

static enum error_code
add_small_content(struct group *group, struct text path, struct content *content,
                  struct place *ret_place, struct error *error)
{
    struct text data = content_bytes(content);
    size_t padding = (size_t)(tar_padded(data.length) - data.length);
    enum error_code code = add_header(group, path, data.length, ret_place, error);
    if (code != ERROR_NONE)
        return code;
    if (data.length >= BORROW_BYTES)
        borrow_bytes(group, data.data, data.length);
    size_t own = data.length >= BORROW_BYTES ? padding : data.length + padding;
    char *to = own == 0 ? NULL : own_bytes(group, own);
    if (own > 0 && to == NULL)
        return buffer_status(&group->bytes, error);
    if (own > padding)
        memcpy(to, data.data, data.length);
    if (padding > 0)
        memset(to + (own - padding), 0, padding);
    return list_entry(group, path, *ret_place, data.length, NULL, NULL, error);
}

static enum error_code
add_bulk_content(struct group *group, struct text path, struct content *content,
                 struct place *ret_place, struct place *ret_sums, struct error *error)
{
    char sums_path[PATH_TEXT_MAX];
    const struct content_place *at = content__place(content);
    struct place place = {at->volume, at->data}, sums = {at->volume, at->sums};
    enum error_code code = check_path(path, error);
    if (code == ERROR_NONE && content__is_void(content))
        code = error_set(error, ERROR_CONFLICT, "a later content of its batch was committed without it");
    if (code == ERROR_NONE && !tar_path_fits(path))
        code = error_set(error, ERROR_INVALID, "the path \"%.*s\" does not fit", TEXT_ARG(path));
    if (code == ERROR_NONE)
        code = list_entry(group, path, place, at->size, NULL, content, error);
    if (code != ERROR_NONE)
        return code;
    buffer_append_text(&group->paths, path);
    code = list_entry(group, content__sums_path(content, sums_path), sums, at->sums_length,
                      at->sums_sha256, NULL, error);
    *ret_place = place;
    *ret_sums = sums;
    return code;
}

enum error_code
group_add_content(struct group *group, struct text path, struct content *content,
                  struct place *ret_place, struct place *ret_sums, struct error *error)
{
    struct place place = {0}, sums = {0};
    ensure(group->state == GROUP_OPEN);
    enum error_code code = content__is_bulk(content)
                               ? add_bulk_content(group, path, content, &place, &sums, error)
                               : add_small_content(group, path, content, &place, error);
    if (code != ERROR_NONE)
        return code;
    *ret_place = place;
    if (ret_sums != NULL)
        *ret_sums = sums;
    return ERROR_NONE;
}

enum error_code
group_add_line(struct group *group, struct text json, unsigned *ret_index, struct error *error)
{
    unsigned char salt[SALT_BYTES], hash[SHA256_BYTES];
    struct random_source *random = store__random(group->store);
    ensure(group->state == GROUP_OPEN && json.length >= 2 && json.data[0] == '{' &&
           json.data[json.length - 1] == '}' && memchr(json.data, '\n', json.length) == NULL &&
           !text_starts_with(json, TEXT("{\"purged\":")));
    if (group->journal.length + json.length > JOURNAL_LINE_LIMIT)
        return error_set(error, ERROR_LIMIT, "a group of over %llu bytes of journal",
                         (unsigned long long)JOURNAL_LINE_LIMIT);
    size_t start = group->journal.length;
    char *to = buffer_reserve(&group->journal, json.length + 48 + PURGED_LINE_BYTES);
    if (to == NULL)
        return buffer_status(&group->journal, error);
    random->fill(random, salt, sizeof salt);
    memcpy(to, json.data, json.length - 1);
    to += json.length - 1;
    if (json.length > 2)
        *to++ = ',';
    memcpy(to, "\"salt\":\"", 8);
    hex_write(salt, sizeof salt, to + 8);
    to[40] = '"';
    to += 41;
    while (to - (group->journal.data + start) < PURGED_LINE_BYTES - 1)
        *to++ = ' '; /* room for what a purge would put here */
    *to++ = '}';
    size_t length = (size_t)(to - (group->journal.data + start));
    *to = '\n';
    digest_compute(DIGEST_SHA256, group->journal.data + start, length, hash);
    buffer_append(&group->hashes, hash, sizeof hash);
    group->journal.length = start + length + 1;
    if (group->line_count == group->line_capacity) {
        group->line_capacity = group->line_capacity == 0 ? 256 : group->line_capacity * 2;
        group->line_ends =
            reallocarray(group->line_ends, group->line_capacity, sizeof *group->line_ends);
        ensure(group->line_ends != NULL);
    }
    if (ret_index != NULL)
        *ret_index = (unsigned)group->line_count;
    group->line_ends[group->line_count++] = group->journal.length;
    return ERROR_NONE;
}

/* ---- marks ---- */

struct group_mark
group_mark(const struct group *group)
{
    return (struct group_mark){group->entry_count, group->line_count, group->bytes.length,
                               group->part_count};
}

void
group_roll_back(struct group *group, struct group_mark mark)
{
    ensure(group->state == GROUP_OPEN && mark.entries <= group->entry_count && mark.lines <= group->line_count &&
           mark.bytes <= group->bytes.length && mark.parts <= group->part_count);
    group->entry_count = mark.entries;
    group->listing.length = mark.entries == 0 ? 0 : group->entries[mark.entries - 1].listing_end;
    group->line_count = mark.lines;
    group->journal.length = mark.lines == 0 ? TAR_BLOCK_SIZE : group->line_ends[mark.lines - 1];
    group->hashes.length = (mark.lines + 1) * SHA256_BYTES;
    group->bytes.length = mark.bytes;
    group->part_count = mark.parts;
    group->log_bytes = 0;
    for (size_t i = 0; i < mark.parts; i++) {
        struct group_part *part = &group->parts[i];
        if (part->borrowed == NULL && part->start + part->length > mark.bytes)
            part->length = mark.bytes - part->start;
        group->log_bytes += part->length;
    }
    group->bytes.status = group->journal.status = ERROR_NONE;
    group->listing.status = group->hashes.status = group->paths.status = ERROR_NONE;
}

size_t
group_bytes(const struct group *group)
{
    return (size_t)group->log_bytes + group->journal.length + group->listing.length;
}

/* ---- commit ---- */

static void
append_hash(struct buffer *out, const char *key, const unsigned char hash[SHA256_BYTES])
{
    buffer_append_string(out, key);
    buffer_append_hex(out, hash, SHA256_BYTES);
}

/* The last line, the header, the padding; then the journal entry is complete. */
static enum error_code
finish_journal(struct group *group, unsigned char chain[CHAIN_BYTES], uint64_t *ret_length,
               struct error *error)
{
    struct buffer *out = &group->journal;
    unsigned char hash[SHA256_BYTES];
    char path[JOURNAL_PATH_BYTES];
    size_t start = out->length;
    buffer_append_string(out, "{\"op\":\"group\",\"sequence\":");
    buffer_append_u64(out, group->info.sequence);
    buffer_append_string(out, ",\"node\":");
    buffer_append_u64(out, group->store->identity.node);
    buffer_append_string(out, ",\"node_sequence\":");
    buffer_append_u64(out, group->info.sequence);
    buffer_append_string(out, ",\"time_us\":");
    buffer_append_u64(out, (uint64_t)group->info.time_us);
    buffer_append_string(out, ",\"mark\":\"");
    buffer_append_hex(out, group->store->log->mark, MARK_BYTES);
    buffer_append_string(out, "\",\"lines\":");
    buffer_append_u64(out, group->line_count);
    buffer_append_string(out, ",\"entries\":[");
    if (group->listing.length > 0)
        buffer_append(out, group->listing.data, group->listing.length - 1);
    append_hash(out, "],\"previous\":\"", (const unsigned char *)group->hashes.data);
    buffer_append_char(out, '"');
    enum error_code code = buffer_status(out, error);
    if (code != ERROR_NONE)
        return code;
    digest_compute(DIGEST_SHA256, out->data + start, out->length - start, hash);
    buffer_append(&group->hashes, hash, sizeof hash);
    digest_compute(DIGEST_SHA256, group->hashes.data, group->hashes.length, chain);
    append_hash(out, ",\"hash\":\"", chain);
    buffer_append_string(out, "\"}\n");
    uint64_t length = out->length - TAR_BLOCK_SIZE;
    buffer_append_zeros(out, (size_t)(tar_padded(length) - length));
    code = buffer_status(out, error);
    if (code != ERROR_NONE)
        return code;
    if (length > JOURNAL_ENTRY_MAX)
        return error_set(error, ERROR_LIMIT, "a group of over %llu bytes of journal",
                         (unsigned long long)JOURNAL_ENTRY_MAX);
    journal__path(group->info.sequence, path);
    struct tar_entry entry = {text_of(path, sizeof path), length,
                              (uint64_t)group->info.time_us / 1000000u};
    *ret_length = length;
    return tar_write_header(&entry, out->data, error);
}

static struct iovec *
make_vector(struct group *group, size_t *ret_count)
{
    size_t count = group->part_count + 1;
    if (count > group->vector_capacity) {
        group->vector_capacity = count * 2;
        free(group->vector);
        group->vector = calloc(group->vector_capacity, sizeof *group->vector);
        ensure(group->vector != NULL);
    }
    for (size_t i = 0; i < group->part_count; i++) {
        const struct group_part *part = &group->parts[i];
        const char *data =
            part->borrowed != NULL ? part->borrowed : group->bytes.data + part->start;
        group->vector[i] = (struct iovec){(void *)(uintptr_t)data, part->length};
    }
    group->vector[count - 1] = (struct iovec){group->journal.data, group->journal.length};
    *ret_count = count;
    return group->vector;
}

/* Contents of one volume stand together mostly: one sync for all of them. */
static enum error_code
sync_bulk(struct group *group, struct error *error)
{
    enum error_code code = ERROR_NONE;
    uint64_t synced = 0;
    for (size_t i = 0; code == ERROR_NONE && i < group->entry_count; i++) {
        if (group->entries[i].content == NULL || content__place(group->entries[i].content)->volume == synced)
            continue;
        synced = content__place(group->entries[i].content)->volume;
        code = store__sync(group->store, volume__find(group->store, synced)->file, error);
    }
    return code;
}

static enum error_code
commit_bulk(struct group *group, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (size_t i = 0; code == ERROR_NONE && i < group->entry_count; i++) {
        const struct group_entry *entry = &group->entries[i];
        struct error why = {0};
        if (entry->content == NULL)
            continue;
        struct text path = text_of(group->paths.data + entry->path_start, entry->path_length);
        code =
            content__fill_in(entry->content, path, (uint64_t)group->info.time_us / 1000000u, &why);
        if (code != ERROR_NONE && code != ERROR_FULL && code != ERROR_INVALID)
            store__fail(group->store, &why);
        if (code != ERROR_NONE)
            return error_set(error, code, "%s", why.message);
    }
    return code != ERROR_NONE ? code : sync_bulk(group, error);
}

/* After a write that failed: back to the last group's end, on disk too. */
static enum error_code
cut_back(struct group *group, enum error_code code, const struct error *why, struct error *error)
{
    struct store *store = group->store;
    struct device_file *file = store->log->file;
    if (code == ERROR_FULL) {
        code = store->device->operations->truncate(file, store->group_end, error);
        if (code == ERROR_NONE)
            code = store__sync(store, file, error);
        if (code == ERROR_NONE) {
            store__set_full(store, true, why);
            return error_set(error, ERROR_FULL, "%s", why->message);
        }
    }
    store__fail(store, why);
    return error_set(error, code == ERROR_CLOSED ? code : ERROR_IO, "%s", why->message);
}

static enum error_code
write_log(struct group *group, struct group_timing *timing, struct error *error)
{
    struct store *store = group->store;
    struct error why = {0};
    size_t count;
    struct iovec *vector = make_vector(group, &count);
    uint64_t started = clock_monotonic_ns();
    lock_take(&store->writing);
    enum error_code code = device_write(store->log->file, group->start, vector, count, &why);
    uint64_t written = clock_monotonic_ns();
    timing->write_ns = written - started;
    if (code != ERROR_NONE) {
        code = cut_back(group, code, &why, error);
    } else {
        code = store__sync(store, store->log->file, error);
        timing->sync_ns = clock_monotonic_ns() - written;
    }
    lock_give(&store->writing);
    if (code != ERROR_NONE)
        error_prefix(error, "group %llu", (unsigned long long)group->info.sequence);
    return code;
}

enum error_code
group_prepare(struct group *group, struct position *ret_position, struct error *error)
{
    ensure(group->state == GROUP_OPEN);
    if (group->line_count > 0) {
        struct position position = {.sequence = group->info.sequence,
                                    .volume = group->store->log->number,
                                    .offset = group->start + group->log_bytes + TAR_BLOCK_SIZE,
                                    .time_us = group->info.time_us};
        enum error_code code = finish_journal(group, position.chain, &position.length, error);
        if (code != ERROR_NONE)
            return code;
        group->position = position;
        group->end = group->start + group->log_bytes + group->journal.length;
        for (size_t i = 0; i < group->entry_count; i++)
            if (group->entries[i].content != NULL)
                content__committing(group->entries[i].content);
    }
    group->state = GROUP_PREPARED;
    *ret_position = group->position;
    return ERROR_NONE;
}

enum error_code
group_write(struct group *group, struct group_timing *ret_timing, struct error *error)
{
    struct store *store = group->store;
    struct group_timing timing = {0};
    ensure(group->state == GROUP_PREPARED && group->start == store->group_end);
    *ret_timing = timing;
    if (group->line_count == 0)
        return ERROR_NONE;
    enum error_code code = store__may_write(store, error);
    if (code == ERROR_NONE)
        code = store__check_space(store, group->end - group->start, group->urgent, error);
    if (code != ERROR_NONE)
        return code;
    uint64_t started = clock_monotonic_ns();
    code = commit_bulk(group, error);
    timing.bulk_sync_ns = clock_monotonic_ns() - started;
    if (code == ERROR_NONE)
        code = write_log(group, &timing, error);
    *ret_timing = timing;
    return code;
}

void
group_publish(struct group *group)
{
    struct store *store = group->store;
    const struct position *position = &group->position;
    ensure(group->state == GROUP_PREPARED && group->start == store->group_end);
    group->state = GROUP_CLOSED;
    if (group->line_count == 0)
        return;
    index__append(store, position->sequence, position->offset, position->length);
    lock_take(&store->lock);
    store->position = *position;
    store->group_end = group->end;
    store->log->size_bytes = store->group_end;
    lock_give(&store->lock);
    for (size_t i = 0; i < group->entry_count; i++) {
        if (group->entries[i].content != NULL)
            content__committed(group->entries[i].content);
    }
}

enum error_code
group_commit(struct group *group, struct position *ret_position, struct group_timing *ret_timing,
             struct error *error)
{
    struct group_timing timing = {0};
    struct position position;
    enum error_code code = group_prepare(group, &position, error);
    if (code == ERROR_NONE)
        code = group_write(group, &timing, error);
    if (code == ERROR_NONE)
        group_publish(group);
    else
        group_abandon(group);
    if (ret_timing != NULL)
        *ret_timing = timing;
    if (code == ERROR_NONE && ret_position != NULL)
        *ret_position = position;
    return code;
}
