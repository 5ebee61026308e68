/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Journal entries as bytes: path, lines, the last line, the chain. The last line is parsed exactly
 * as it is written (docs/format.md gives its layout); the lines before it are opaque here, except
 * for `purged` and, in recovery, `content`.
 */
#include "format/hex.h"
#include "format/json.h"
#include "volume/store_private.h"

/* ---- path ---- */

void
journal__path(uint64_t sequence, char out[JOURNAL_PATH_BYTES])
{
    memcpy(out, "journal/", 8);
    decimal_write_wide(out + 8, 14, sequence / 1000000);
    out[22] = '/';
    decimal_write_wide(out + 23, 3, sequence / 1000 % 1000);
    out[26] = '/';
    decimal_write_wide(out + 27, 20, sequence);
    memcpy(out + 47, ".jsonl", 6);
}

bool
journal__parse_path(struct text path, uint64_t *ret_sequence)
{
    char again[JOURNAL_PATH_BYTES];
    uint64_t sequence;
    if (path.length != JOURNAL_PATH_BYTES || !text_to_u64(text_of(path.data + 27, 20), &sequence))
        return false;
    journal__path(sequence, again);
    if (memcmp(again, path.data, sizeof again) != 0)
        return false;
    *ret_sequence = sequence;
    return true;
}

/* ---- hashes ---- */

void
journal__first_hash(const struct store_identity *identity, unsigned char out[SHA256_BYTES])
{
    digest_compute(DIGEST_SHA256, identity->uuid, sizeof identity->uuid, out);
}

/* A purged line stands for the hash of what it was. */
void
journal__line_hash(struct text line, unsigned char out[SHA256_BYTES])
{
    static const struct text prefix = {"{\"purged\":\"", 11};
    if (text_starts_with(line, prefix) && line.length >= PURGED_LINE_BYTES &&
        memcmp(line.data + 75, "\"}", 2) == 0 &&
        hex_decode(text_of(line.data + 11, SHA256_HEX_BYTES), out, SHA256_BYTES))
        return;
    digest_compute(DIGEST_SHA256, line.data, line.length, out);
}

/* ---- the last line ---- */

struct scan {
    const char *at, *end;
    bool bad;
};

static void
expect(struct scan *scan, const char *literal)
{
    size_t length = strlen(literal);
    if (scan->bad || (size_t)(scan->end - scan->at) < length ||
        memcmp(scan->at, literal, length) != 0) {
        scan->bad = true;
        return;
    }
    scan->at += length;
}

static bool
next_is(struct scan *scan, char c)
{
    return !scan->bad && scan->at < scan->end && *scan->at == c;
}

static uint64_t
take_u64(struct scan *scan)
{
    const char *start = scan->at;
    uint64_t value = 0;
    while (!scan->bad && scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9') {
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*scan->at - '0'), &value))
            scan->bad = true;
        scan->at++;
    }
    if (scan->at == start || (*start == '0' && scan->at - start > 1))
        scan->bad = true;
    return value;
}

/* Up to the next quote; our strings have no escapes. */
static struct text
take_string(struct scan *scan)
{
    const char *quote;
    expect(scan, "\"");
    if (scan->bad)
        return TEXT("");
    quote = memchr(scan->at, '"', (size_t)(scan->end - scan->at));
    if (quote == NULL) {
        scan->bad = true;
        return TEXT("");
    }
    struct text string = text_of(scan->at, (size_t)(quote - scan->at));
    if (memchr(string.data, '\\', string.length) != NULL)
        scan->bad = true;
    scan->at = quote + 1;
    return string;
}

static void
take_hash(struct scan *scan, unsigned char out[SHA256_BYTES])
{
    struct text hex = take_string(scan);
    if (!scan->bad && !hex_decode(hex, out, SHA256_BYTES))
        scan->bad = true;
}

bool
journal__belongs(const struct journal_entry *entry, const struct volume *volume)
{
    return !volume->marked || memcmp(entry->mark, volume->mark, sizeof entry->mark) == 0;
}

bool
journal__lies_together(const struct journal_entry *entry, uint64_t volume, uint64_t header,
                       uint64_t *ret_start)
{
    uint64_t at = 0;
    *ret_start = header;
    for (size_t i = 0; i < entry->entry_count; i++) {
        const struct journal_tar_entry *item = &entry->entries[i];
        if (item->place.volume != volume)
            continue;
        if (item->place.offset < HEAD_BYTES + TAR_BLOCK_SIZE || item->place.offset > header ||
            item->length > header)
            return false;
        uint64_t before = item->place.offset - TAR_BLOCK_SIZE;
        if (at == 0)
            *ret_start = before;
        else if (before != at)
            return false;
        at = item->place.offset + tar_padded(item->length);
    }
    return at == 0 || at == header;
}

static struct journal_tar_entry *
next_entry(struct journal_entry *entry)
{
    if (entry->entry_count == entry->entry_capacity) {
        entry->entry_capacity = entry->entry_capacity == 0 ? 64 : entry->entry_capacity * 2;
        entry->entries =
            reallocarray(entry->entries, entry->entry_capacity, sizeof *entry->entries);
        ensure(entry->entries != NULL);
    }
    return &entry->entries[entry->entry_count++];
}

static void
take_entry(struct scan *scan, struct journal_entry *entry)
{
    struct journal_tar_entry *found = next_entry(entry);
    expect(scan, "[");
    found->path = take_string(scan);
    expect(scan, ",");
    found->place.volume = take_u64(scan);
    expect(scan, ",");
    found->place.offset = take_u64(scan);
    expect(scan, ",");
    found->length = take_u64(scan);
    expect(scan, ",");
    found->sha256_hex = TEXT("");
    if (next_is(scan, 'n')) {
        expect(scan, "null");
    } else {
        found->sha256_hex = take_string(scan);
        if (found->sha256_hex.length != SHA256_HEX_BYTES)
            scan->bad = true;
    }
    expect(scan, "]");
}

/* `ret_hashed`: how much of the line H covers. */
static bool
parse_last_line(struct journal_entry *entry, struct text line, size_t *ret_hashed)
{
    struct scan scan = {line.data, line.data + line.length, false};
    expect(&scan, "{\"op\":\"group\",\"sequence\":");
    entry->sequence = take_u64(&scan);
    expect(&scan, ",\"node\":");
    entry->node = take_u64(&scan);
    expect(&scan, ",\"node_sequence\":");
    entry->node_sequence = take_u64(&scan);
    expect(&scan, ",\"time_us\":");
    uint64_t time_us = take_u64(&scan);
    expect(&scan, ",\"mark\":");
    struct text mark = take_string(&scan);
    if (!scan.bad && !hex_decode(mark, entry->mark, sizeof entry->mark))
        scan.bad = true;
    expect(&scan, ",\"lines\":");
    uint64_t lines = take_u64(&scan);
    expect(&scan, ",\"entries\":[");
    entry->entry_count = 0;
    while (!scan.bad && !next_is(&scan, ']')) {
        if (entry->entry_count > 0)
            expect(&scan, ",");
        take_entry(&scan, entry);
    }
    expect(&scan, "],\"previous\":");
    take_hash(&scan, entry->previous);
    *ret_hashed = (size_t)(scan.at - line.data);
    expect(&scan, ",\"hash\":");
    take_hash(&scan, entry->hash);
    expect(&scan, "}");
    entry->time_us = (int64_t)time_us;
    return !scan.bad && scan.at == scan.end && lines == entry->line_count && time_us <= INT64_MAX;
}

static void
add_line(struct journal_entry *entry, struct text line)
{
    if (entry->line_count == entry->line_capacity) {
        entry->line_capacity = entry->line_capacity == 0 ? 64 : entry->line_capacity * 2;
        entry->lines = reallocarray(entry->lines, entry->line_capacity, sizeof *entry->lines);
        entry->line_offsets =
            reallocarray(entry->line_offsets, entry->line_capacity, sizeof *entry->line_offsets);
        ensure(entry->lines != NULL && entry->line_offsets != NULL);
    }
    entry->lines[entry->line_count] = line;
    entry->line_offsets[entry->line_count++] = (uint64_t)(line.data - entry->data.data);
}

enum error_code
journal__parse(struct journal_entry *entry, struct error *error)
{
    const char *at = entry->data.data, *end = at + entry->data.length;
    size_t hashed = 0;
    unsigned char hash[SHA256_BYTES];
    entry->line_count = 0;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (newline == NULL)
            return error_set(error, ERROR_CORRUPT, "a journal entry whose last line is cut off");
        add_line(entry, text_of(at, (size_t)(newline - at)));
        at = newline + 1;
    }
    if (entry->line_count == 0)
        return error_set(error, ERROR_CORRUPT, "an empty journal entry");
    struct text last = entry->lines[--entry->line_count];
    if (!parse_last_line(entry, last, &hashed))
        return error_set(error, ERROR_CORRUPT, "a journal entry whose last line is malformed");
    buffer_clear(&entry->hashes);
    buffer_append(&entry->hashes, entry->previous, SHA256_BYTES);
    for (size_t i = 0; i <= entry->line_count; i++) {
        struct text line = i < entry->line_count ? entry->lines[i] : text_of(last.data, hashed);
        journal__line_hash(line, hash);
        buffer_append(&entry->hashes, hash, sizeof hash);
    }
    if (buffer_status(&entry->hashes, error) != ERROR_NONE)
        return ERROR_NO_MEMORY;
    digest_compute(DIGEST_SHA256, entry->hashes.data, entry->hashes.length, hash);
    if (memcmp(hash, entry->hash, sizeof hash) != 0)
        return error_set(error, ERROR_CORRUPT, "a journal entry whose hash does not hold");
    return ERROR_NONE;
}

void
journal__entry_release(struct journal_entry *entry)
{
    buffer_release(&entry->data);
    buffer_release(&entry->hashes);
    free(entry->lines);
    free(entry->line_offsets);
    free(entry->entries);
    *entry = (struct journal_entry){0};
}

static enum error_code
read_data(struct device_file *file, uint64_t physical, uint64_t length, struct buffer *data,
          struct error *error)
{
    if (length > JOURNAL_ENTRY_MAX || physical < TAR_BLOCK_SIZE)
        return error_set(error, ERROR_CORRUPT, "a journal entry of %llu bytes at %llu",
                         (unsigned long long)length, (unsigned long long)physical);
    buffer_clear(data);
    char *to = buffer_reserve(data, (size_t)length + TAR_BLOCK_SIZE);
    if (to == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for a journal entry");
    enum error_code code = device_read_exactly(file, physical - TAR_BLOCK_SIZE, to,
                                               (size_t)length + TAR_BLOCK_SIZE, error);
    if (code == ERROR_NONE)
        data->length = (size_t)length + TAR_BLOCK_SIZE;
    return code;
}

enum error_code
journal__read(struct device_file *file, uint64_t physical, uint64_t length, uint64_t sequence,
              struct journal_entry *entry, struct error *error)
{
    char path[TAR_PATH_MAX];
    struct tar_found found;
    uint64_t named;
    enum error_code code = read_data(file, physical, length, &entry->data, error);
    if (code == ERROR_NONE)
        code = tar_parse_entry(text_of(entry->data.data, TAR_BLOCK_SIZE), path, &found, error);
    if (code != ERROR_NONE)
        return code == ERROR_NOT_FOUND
                   ? error_set(error, ERROR_CORRUPT, "zeros, not a journal entry")
                   : code;
    if (!journal__parse_path(found.entry.path, &named) || named != sequence ||
        found.entry.size != length)
        return error_set(error, ERROR_CORRUPT, "not the journal entry of group %llu",
                         (unsigned long long)sequence);
    buffer_consume(&entry->data, TAR_BLOCK_SIZE);
    code = journal__parse(entry, error);
    if (code == ERROR_NONE && entry->sequence != sequence)
        code = error_set(error, ERROR_CORRUPT, "group %llu is named %llu inside",
                         (unsigned long long)sequence, (unsigned long long)entry->sequence);
    return code;
}

/* ---- digests of content, from the lines ---- */

static bool
content_matches(const struct json *content, struct place place, uint64_t size, size_t digest_bytes,
                unsigned char *out)
{
    uint64_t numbers[3] = {0};
    struct text hex;
    if (content == NULL || content->kind != JSON_ARRAY || content->count < 4)
        return false;
    const struct json *member = content->first;
    for (size_t i = 0; i < 3; i++, member = member->next) {
        if (!json_u64(member, &numbers[i]))
            return false;
    }
    return numbers[0] == place.volume && numbers[1] == place.offset && numbers[2] == size &&
           json_text(member, &hex) && hex_decode(hex, out, digest_bytes);
}

static bool
line_names_content(struct arena *arena, struct text line, struct place place, uint64_t size,
                   size_t digest_bytes, unsigned char *out)
{
    struct json *json = NULL;
    arena_reset(arena);
    if (json_parse(arena, line, &json, NULL) != ERROR_NONE)
        return false;
    if (content_matches(json_get(json, "content"), place, size, digest_bytes, out))
        return true;
    json_each(content, json_get(json, "contents"))
    {
        if (content_matches(content, place, size, digest_bytes, out))
            return true;
    }
    return false;
}

bool
journal__content_digest(const struct text *lines, size_t line_count, struct place place,
                        uint64_t size, size_t digest_bytes, unsigned char *ret_digest)
{
    char number[24];
    struct arena arena;
    bool found = false;
    int digits = snprintf(number, sizeof number, "%llu", (unsigned long long)place.offset);
    arena_init(&arena, 64 << 20);
    for (size_t i = 0; i < line_count && !found; i++) {
        struct text line = lines[i];
        if (memmem(line.data, line.length, number, (size_t)digits) != NULL)
            found = line_names_content(&arena, line, place, size, digest_bytes, ret_digest);
    }
    arena_release(&arena);
    return found;
}
