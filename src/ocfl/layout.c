/* SPDX-License-Identifier: Apache-2.0 */
/* Ids and paths of an OCFL root: see layout.h. */
#include "ocfl/layout.h"

#include "base/ensure.h"
#include "format/digest.h"
#include "format/hex.h"
#include "format/percent.h"

#define URN_PREFIX "urn:uuid:"
#define URN_PREFIX_ENCODED "urn%3auuid%3a"

_Static_assert(sizeof URN_PREFIX - 1 + OCFL_UUID_TEXT_LENGTH == OCFL_ID_LENGTH, "id");
_Static_assert(12 + sizeof URN_PREFIX_ENCODED - 1 + OCFL_UUID_TEXT_LENGTH == OCFL_OBJECT_PATH_LENGTH,
               "object path");

const struct ocfl_fixed_file ocfl_root_files[OCFL_ROOT_FILE_COUNT] = {
    {OCFL_ROOT_DECLARATION_NAME, OCFL_ROOT_DECLARATION_CONTENT},
    {"ocfl_layout.json",
     "{\"extension\":\"" OCFL_LAYOUT_NAME "\","
     "\"description\":\"SHA-256 of the id, three folders of three characters, then the id\"}\n"},
    {"extensions/" OCFL_LAYOUT_NAME "/config.json",
     "{\"extensionName\":\"" OCFL_LAYOUT_NAME "\",\"digestAlgorithm\":\"sha256\","
     "\"tupleSize\":3,\"numberOfTuples\":3}\n"},
};

void
ocfl_uuid(const unsigned char store_uuid[16], uint64_t resource_id, unsigned char ret_uuid[16])
{
    unsigned char hash[32];
    ensure(resource_id < OCFL_RESOURCE_ID_LIMIT);
    digest_compute(DIGEST_SHA256, store_uuid, 16, hash);
    memcpy(ret_uuid, hash, 10);
    ret_uuid[6] = (unsigned char)(0x80 | (hash[6] & 0x0F));
    ret_uuid[8] = (unsigned char)(0x80 | (hash[8] & 0x3F));
    ret_uuid[9] = (unsigned char)((hash[9] & 0xE0) | resource_id >> 48);
    for (unsigned i = 0; i < 6; i++)
        ret_uuid[10 + i] = (unsigned char)(resource_id >> (40 - 8 * i));
}

bool
ocfl_uuid_to_resource(const unsigned char store_uuid[16], const unsigned char uuid[16],
                      uint64_t *ret_resource_id)
{
    unsigned char expected[16];
    uint64_t id = uuid[9] & 0x1F;
    for (unsigned i = 10; i < 16; i++)
        id = id << 8 | uuid[i];
    ocfl_uuid(store_uuid, id, expected);
    if (memcmp(expected, uuid, 16) != 0)
        return false;
    *ret_resource_id = id;
    return true;
}

/* Bytes before which a dash stands. */
static bool
dash_before(unsigned byte)
{
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

void
ocfl_uuid_write(const unsigned char uuid[16], char out[OCFL_UUID_TEXT_LENGTH + 1])
{
    for (unsigned i = 0; i < 16; i++) {
        if (dash_before(i))
            *out++ = '-';
        hex_write(uuid + i, 1, out);
        out += 2;
    }
    *out = '\0';
}

bool
ocfl_uuid_parse(struct text text, unsigned char ret_uuid[16])
{
    const char *at = text.data;
    if (text.length != OCFL_UUID_TEXT_LENGTH)
        return false;
    for (unsigned i = 0; i < 16; i++) {
        if (dash_before(i) && *at++ != '-')
            return false;
        if (!hex_decode(text_of(at, 2), &ret_uuid[i], 1))
            return false;
        at += 2;
    }
    return true;
}

void
ocfl_id(const unsigned char store_uuid[16], uint64_t resource_id, char out[OCFL_ID_LENGTH + 1])
{
    unsigned char uuid[16];
    ocfl_uuid(store_uuid, resource_id, uuid);
    memcpy(out, URN_PREFIX, sizeof URN_PREFIX - 1);
    ocfl_uuid_write(uuid, out + sizeof URN_PREFIX - 1);
}

bool
ocfl_id_to_resource(const unsigned char store_uuid[16], struct text id, uint64_t *ret_resource_id)
{
    unsigned char uuid[16];
    const size_t prefix = sizeof URN_PREFIX - 1;
    return text_starts_with(id, TEXT(URN_PREFIX)) &&
           ocfl_uuid_parse(text_of(id.data + prefix, id.length - prefix), uuid) &&
           ocfl_uuid_to_resource(store_uuid, uuid, ret_resource_id);
}

/* "abc/def/012/" of an id. */
static void
write_tuples(struct text id, char out[12])
{
    unsigned char hash[32];
    char hex[10];
    digest_compute(DIGEST_SHA256, id.data, id.length, hash);
    hex_write(hash, 5, hex);
    for (int i = 0; i < 3; i++) {
        memcpy(out + 4 * i, hex + 3 * i, 3);
        out[4 * i + 3] = '/';
    }
}

void
ocfl_object_path_of_id(const char id[OCFL_ID_LENGTH + 1], char out[OCFL_OBJECT_PATH_LENGTH + 1])
{
    write_tuples(text_of(id, OCFL_ID_LENGTH), out);
    memcpy(out + 12, URN_PREFIX_ENCODED, sizeof URN_PREFIX_ENCODED - 1);
    memcpy(out + 12 + sizeof URN_PREFIX_ENCODED - 1, id + sizeof URN_PREFIX - 1,
           OCFL_UUID_TEXT_LENGTH + 1);
}

void
ocfl_object_path(const unsigned char store_uuid[16], uint64_t resource_id,
                 char out[OCFL_OBJECT_PATH_LENGTH + 1])
{
    char id[OCFL_ID_LENGTH + 1];
    ocfl_id(store_uuid, resource_id, id);
    ocfl_object_path_of_id(id, out);
}

void
ocfl_append_object_path(struct buffer *buffer, struct text id)
{
    enum { ENCODED_MAX = 100 };
    char tuples[12];
    write_tuples(id, tuples);
    buffer_append(buffer, tuples, sizeof tuples);
    size_t at = buffer->length;
    percent_encode(buffer, PERCENT_OCFL_LAYOUT, id);
    if (buffer->status != ERROR_NONE || buffer->length - at <= ENCODED_MAX)
        return;
    unsigned char hash[32];
    digest_compute(DIGEST_SHA256, id.data, id.length, hash);
    buffer_truncate(buffer, at + ENCODED_MAX);
    buffer_append_char(buffer, '-');
    buffer_append_hex(buffer, hash, sizeof hash);
}

struct text
ocfl_extension_of(struct text name)
{
    size_t length = 0;
    while (length < name.length) {
        char c = name.data[name.length - 1 - length];
        if (c == '.')
            break;
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) || ++length > OCFL_EXTENSION_MAX)
            return TEXT("");
    }
    if (length == 0 || length + 2 > name.length)
        return TEXT("");
    return text_of(name.data + name.length - length, length);
}

void
ocfl_append_content_path(struct buffer *buffer, unsigned version, unsigned number, struct text name)
{
    struct text extension = ocfl_extension_of(name);
    ensure(version >= 1 && version <= OCFL_VERSION_MAX && number >= 1);
    buffer_append_char(buffer, 'v');
    buffer_append_u64(buffer, version);
    buffer_append_text(buffer, TEXT("/content/"));
    buffer_append_u64(buffer, number);
    if (extension.length > 0) {
        buffer_append_char(buffer, '.');
        buffer_append_text(buffer, extension);
    }
}
