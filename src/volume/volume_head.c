/* SPDX-License-Identifier: Apache-2.0 */
/* The first entry of each volume: whose it is, and in which format. */
#include "format/hex.h"
#include "format/json.h"
#include "volume/store_private.h"

enum { UUID_TEXT_BYTES = 36 };

static void
append_uuid(struct buffer *buffer, const unsigned char uuid[STORE_UUID_BYTES])
{
    static const unsigned char dash_before[STORE_UUID_BYTES] = {
        [4] = 1, [6] = 1, [8] = 1, [10] = 1};
    for (size_t i = 0; i < STORE_UUID_BYTES; i++) {
        if (dash_before[i])
            buffer_append_char(buffer, '-');
        buffer_append_hex(buffer, uuid + i, 1);
    }
}

static bool
parse_uuid(struct text text, unsigned char uuid[STORE_UUID_BYTES])
{
    char digits[2 * STORE_UUID_BYTES];
    size_t count = 0;
    if (text.length != UUID_TEXT_BYTES)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash != (text.data[i] == '-'))
            return false;
        if (!dash)
            digits[count++] = text.data[i];
    }
    return hex_decode(text_of(digits, count), uuid, STORE_UUID_BYTES);
}

static struct text
head_path(uint64_t number, char out[PATH_TEXT_MAX])
{
    int length =
        snprintf(out, PATH_TEXT_MAX, "journal/volumes/%010llu.json", (unsigned long long)number);
    return text_of(out, (size_t)length);
}

enum error_code
volume__head_write(const struct volume_head *head, uint64_t mtime_s, unsigned char out[HEAD_BYTES],
                   struct error *error)
{
    char path[PATH_TEXT_MAX];
    const struct store_identity *identity = &head->identity;
    struct buffer json AV_CLEANUP(buffer_release) = {0};
    buffer_append_string(&json, "{\"format\":");
    buffer_append_u64(&json, identity->format);
    buffer_append_string(&json, ",\"store\":\"");
    append_uuid(&json, identity->uuid);
    buffer_append_string(&json, "\",\"node\":");
    buffer_append_u64(&json, identity->node);
    buffer_append_string(&json, ",\"volume\":");
    buffer_append_u64(&json, head->volume);
    buffer_append_string(&json, head->bulk ? ",\"kind\":\"bulk\"" : ",\"kind\":\"log\"");
    buffer_append_string(&json, ",\"digest\":\"");
    buffer_append_string(&json, digest_name(identity->digest, DIGEST_NAMES_OCFL));
    buffer_append_string(&json, "\",\"mark\":\"");
    buffer_append_hex(&json, head->mark, sizeof head->mark);
    buffer_append_string(&json, "\"}\n");
    enum error_code code = buffer_status(&json, error);
    if (code != ERROR_NONE)
        return code;
    ensure(json.length <= HEAD_BYTES - TAR_BLOCK_SIZE);
    memset(out, 0, HEAD_BYTES);
    memcpy(out + TAR_BLOCK_SIZE, json.data, json.length);
    struct tar_entry entry = {head_path(head->volume, path), json.length, mtime_s};
    return tar_write_header(&entry, out, error);
}

static bool
parse_json(const struct json *json, struct volume_head *head)
{
    uint64_t format;
    struct text store, kind, digest, mark;
    if (!json_get_u64(json, "format", &format) || format == 0 || format > UINT32_MAX ||
        !json_get_text(json, "store", &store) || !parse_uuid(store, head->identity.uuid) ||
        !json_get_u64(json, "node", &head->identity.node) ||
        !json_get_u64(json, "volume", &head->volume) || !json_get_text(json, "kind", &kind) ||
        !json_get_text(json, "digest", &digest) || !json_get_text(json, "mark", &mark) ||
        !hex_decode(mark, head->mark, sizeof head->mark))
        return false;
    head->identity.format = (unsigned)format;
    head->identity.newer_format = format > STORE_FORMAT_VERSION;
    head->bulk = text_equal(kind, TEXT("bulk"));
    if (!head->bulk && !text_equal(kind, TEXT("log")))
        return false;
    return digest_from_name(DIGEST_NAMES_OCFL, digest, &head->identity.digest) &&
           (head->identity.digest == DIGEST_SHA512 || head->identity.digest == DIGEST_SHA256);
}

enum error_code
volume__head_parse(const unsigned char data[HEAD_BYTES], struct volume_head *ret_head,
                   struct error *error)
{
    char path[TAR_PATH_MAX], expected[PATH_TEXT_MAX];
    struct tar_found found;
    struct arena arena = {0};
    struct json *json = NULL;
    struct volume_head head = {0};
    enum error_code code =
        tar_parse_entry(text_of((const char *)data, HEAD_BYTES), path, &found, NULL);
    if (code != ERROR_NONE || found.header_size != TAR_BLOCK_SIZE ||
        found.entry.size > HEAD_BYTES - TAR_BLOCK_SIZE)
        return error_set(error, ERROR_CORRUPT, "the volume does not begin with its description");
    arena_init(&arena, 64 << 10);
    struct text body = text_of((const char *)data + TAR_BLOCK_SIZE, found.entry.size);
    bool good = json_parse(&arena, body, &json, NULL) == ERROR_NONE && parse_json(json, &head) &&
                text_equal(found.entry.path, head_path(head.volume, expected));
    arena_release(&arena);
    if (!good)
        return error_set(error, ERROR_CORRUPT, "the description of the volume is damaged");
    *ret_head = head;
    return ERROR_NONE;
}

enum error_code
volume__head_read(struct device_file *file, struct volume_head *ret_head, struct error *error)
{
    unsigned char data[HEAD_BYTES];
    enum error_code code = device_read_exactly(file, 0, data, sizeof data, error);
    return code != ERROR_NONE ? code : volume__head_parse(data, ret_head, error);
}

enum error_code
volume__rewrite(struct device_file *file, uint64_t from, uint64_t to, struct error *error)
{
    enum error_code code = ERROR_NONE;
    char *chunk = malloc(COPY_CHUNK_BYTES);
    ensure(chunk != NULL);
    while (code == ERROR_NONE && from < to) {
        size_t length = to - from < COPY_CHUNK_BYTES ? (size_t)(to - from) : COPY_CHUNK_BYTES;
        code = device_read_exactly(file, from, chunk, length, error);
        if (code == ERROR_NONE)
            code = store__write(file, from, chunk, length, error);
        from += length;
    }
    free(chunk);
    return code;
}
