/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resumption tokens: where a list stands, in hexadecimal, sealed with a digest keyed by the store. They are stateless: the same
 * token gives the same page for ever (until it expires), after a restart and after a rebuild too. The seal tells tokens from
 * junk and keeps them to their store; it protects no secret, for there is none in them.
 */
#include "format/digest.h"
#include "format/hex.h"
#include "frontend/oai/oai_private.h"

#define SEAL_BYTES 8u
#define TOKEN_VERSION 1u
#define TOKEN_BYTES_MAXIMUM 128u /* eleven numbers of ten bytes and the seal */

static void
seal(struct http_request *request, struct text payload, unsigned char ret[SEAL_BYTES])
{
    struct model_identity identity;
    unsigned char digest[DIGEST_SIZE_MAX];
    struct buffer whole = {0};
    model_identity(request->model, &identity);
    buffer_append_string(&whole, "oai token of ");
    buffer_append_string(&whole, identity.uuid);
    buffer_append_text(&whole, payload);
    digest_compute(DIGEST_SHA256, whole.data, whole.length, digest);
    buffer_release(&whole);
    memcpy(ret, digest, SEAL_BYTES);
}

struct text
oai_token_write(struct http_request *request, const struct oai_place *place)
{
    struct buffer payload = {0}, token = {0};
    unsigned char sealed[SEAL_BYTES];
    const struct harvest_range *range = &place->range;
    buffer_append_varint(&payload, TOKEN_VERSION);
    buffer_append_varint(&payload, place->verb);
    buffer_append_varint(&payload, place->format);
    buffer_append_varint(&payload, range->set);
    buffer_append_varint(&payload, (uint64_t)range->from_us);
    buffer_append_varint(&payload, (uint64_t)range->until_us);
    buffer_append_varint(&payload, (uint64_t)range->after_us);
    buffer_append_varint(&payload, range->after_id);
    buffer_append_varint(&payload, place->communities_done);
    buffer_append_varint(&payload, place->cursor);
    buffer_append_varint(&payload, (uint64_t)place->expires_us);
    seal(request, buffer_text(&payload), sealed);
    buffer_append(&payload, sealed, SEAL_BYTES);
    buffer_append_hex(&token, payload.data, payload.length);
    struct text text = arena_copy(request->arena, buffer_text(&token));
    buffer_release(&payload);
    buffer_release(&token);
    return text;
}

static bool
read_payload(struct text payload, struct oai_place *place)
{
    struct cursor cursor = cursor_of(payload.data, payload.length);
    struct harvest_range *range = &place->range;
    uint64_t version = cursor_varint(&cursor), verb = cursor_varint(&cursor), format = cursor_varint(&cursor);
    range->set = cursor_varint(&cursor);
    range->from_us = (int64_t)cursor_varint(&cursor);
    range->until_us = (int64_t)cursor_varint(&cursor);
    range->after_us = (int64_t)cursor_varint(&cursor);
    range->after_id = cursor_varint(&cursor);
    place->communities_done = cursor_varint(&cursor) != 0;
    place->cursor = cursor_varint(&cursor);
    place->expires_us = (int64_t)cursor_varint(&cursor);
    if (cursor.bad || cursor.left != 0 || version != TOKEN_VERSION || verb >= OAI_VERB_COUNT ||
        format >= OAI_FORMAT_COUNT)
        return false;
    place->verb = (enum oai_verb)verb;
    place->format = (enum oai_format)format;
    return true;
}

bool
oai_token_read(struct http_request *request, struct text token, int64_t now_us, struct oai_place *ret_place)
{
    unsigned char bytes[TOKEN_BYTES_MAXIMUM], sealed[SEAL_BYTES];
    size_t length = token.length / 2;
    *ret_place = (struct oai_place){0};
    if (length <= SEAL_BYTES || length > sizeof bytes || token.length % 2 != 0 || !hex_decode(token, bytes, length))
        return false;
    struct text payload = text_of((const char *)bytes, length - SEAL_BYTES);
    seal(request, payload, sealed);
    return memcmp(sealed, bytes + payload.length, SEAL_BYTES) == 0 && read_payload(payload, ret_place) &&
           now_us <= ret_place->expires_us;
}
