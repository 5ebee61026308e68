/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the head of a deposit says, as tolerant as the clients in use need it (header names with and without X-, MD5 in
 * hexadecimal of either case or base64, file names in every form, blanks around true and false), and no more: what cannot be
 * understood is ErrorBadRequest, never a guess.
 */
#include "format/base64.h"
#include "format/hex.h"
#include "format/percent.h"
#include "frontend/sword/sword_private.h"
#include "http/disposition.h"

enum { REQUEST_KEY_BYTES_MAXIMUM = 255 };

static struct text
either(const struct http_request *request, enum http_header one, enum http_header other)
{
    return http_has(request, one) ? request->headers[one] : request->headers[other];
}

/* False: neither "true" nor "false". */
static bool
read_switch(struct text value, bool *ret)
{
    value = text_trim(value);
    *ret = text_equal_ignoring_case(value, TEXT("true"));
    return value.length == 0 || *ret || text_equal_ignoring_case(value, TEXT("false"));
}

static bool
read_switches(struct http_request *request)
{
    static const struct {
        enum http_header header;
        enum sword_version version;
    } known[] = {{HTTP_HEADER_X_NO_OP, SWORD_1_3},
                 {HTTP_HEADER_X_VERBOSE, SWORD_1_3},
                 {HTTP_HEADER_IN_PROGRESS, SWORD_2_0},
                 {HTTP_HEADER_METADATA_RELEVANT, SWORD_2_0}};
    struct sword *sword = sword_of(request);
    bool *const targets[] = {&sword->intent.no_op, &sword->intent.verbose, &sword->intent.in_progress,
                             &sword->intent.metadata_relevant};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct text name = http_header_name(known[i].header);
        if (sword->version != known[i].version || read_switch(request->headers[known[i].header], targets[i]))
            continue;
        sword_refuse(request, SWORD_ERROR_BAD_REQUEST, "%.*s is true or false", TEXT_ARG(name));
        return false;
    }
    return true;
}

/* RFC 1864 says base64 of 16 bytes; the profiles and all their clients send hexadecimal. */
bool
sword_read_md5(struct text value, unsigned char ret[DIGEST_SIZE_MAX])
{
    unsigned char bytes[BASE64_DECODED_MAX(24) + 1];
    size_t length;
    if (value.length == 32 && hex_decode(value, ret, 16))
        return true;
    if (value.length != 24 || !base64_decode(value, bytes, &length) || length != 16)
        return false;
    memcpy(ret, bytes, 16);
    return true;
}

static bool
read_digests(struct http_request *request)
{
    struct expected_digests *digests = &sword_of(request)->intent.digests;
    struct error error = {0};
    if (digests_expected(request, digests, &error) != ERROR_NONE) {
        sword_refuse(request, SWORD_ERROR_BAD_REQUEST, "%s", error.message);
        return false;
    }
    if (!http_has(request, HTTP_HEADER_CONTENT_MD5))
        return true;
    struct expected_digest *md5 = &digests->items[digests->count];
    if (digests->count == EXPECTED_DIGESTS_MAXIMUM || !sword_read_md5(request->headers[HTTP_HEADER_CONTENT_MD5], md5->value)) {
        sword_refuse(request, SWORD_ERROR_BAD_REQUEST, "Content-MD5 is 32 hexadecimal digits (or 16 bytes in base64)");
        return false;
    }
    md5->algorithm = DIGEST_MD5;
    md5->header = HTTP_HEADER_CONTENT_MD5;
    digests->count++;
    digests->algorithms |= 1u << DIGEST_MD5;
    return true;
}

/* "filename=a.zip" without a type before it, as the PHP client sends it. */
static struct text
with_type(struct http_request *request, struct text value)
{
    struct buffer whole = {0};
    buffer_append_string(&whole, "attachment; ");
    buffer_append_text(&whole, value);
    struct text text = arena_copy(request->arena, buffer_text(&whole));
    buffer_release(&whole);
    return text;
}

/* "a%20b.zip" in a plain filename: the Python client writes names so. What does not come out as a name stays as it is. */
static struct text
without_escapes(struct http_request *request, struct text name)
{
    struct buffer decoded = {0};
    if (percent_decode(&decoded, name, NULL) == ERROR_NONE && text_is_utf8(buffer_text(&decoded)) &&
        name_check(buffer_text(&decoded), model_limits(request->model), NULL) == ERROR_NONE)
        name = arena_copy(request->arena, buffer_text(&decoded));
    buffer_release(&decoded);
    return name;
}

enum error_code
sword_filename(struct http_request *request, struct text disposition, struct text *ret_name, struct error *error)
{
    static const char extended[] = "filename*";
    *ret_name = TEXT("");
    if (disposition.length == 0)
        return ERROR_NONE;
    if (disposition_parse(request->arena, disposition, ret_name, error) != ERROR_NONE &&
        disposition_parse(request->arena, with_type(request, disposition), ret_name, NULL) != ERROR_NONE)
        return error_prefix(error, "Content-Disposition");
    if (ret_name->length > 0 && memmem(disposition.data, disposition.length, extended, sizeof extended - 1) == NULL)
        *ret_name = without_escapes(request, *ret_name);
    return ERROR_NONE;
}

static bool
read_filename(struct http_request *request)
{
    struct error error = {0};
    if (sword_filename(request, request->headers[HTTP_HEADER_CONTENT_DISPOSITION], &sword_of(request)->intent.filename,
                       &error) == ERROR_NONE)
        return true;
    sword_refuse(request, SWORD_ERROR_BAD_REQUEST, "%s", error.message);
    return false;
}

enum error_code
sword_unknown_packaging(struct http_request *request, struct text packaging, struct error *error)
{
    bool first = sword_of(request)->version == SWORD_1_3;
    struct buffer known = {0};
    for (int i = 0; i < PACKAGING_COUNT; i++) {
        const char *uri = first ? packaging_uri_1((enum packaging)i) : packaging_uri((enum packaging)i);
        buffer_append_string(&known, uri[0] == '\0' ? "" : " ");
        buffer_append_string(&known, uri);
    }
    error_set(error, ERROR_UNSUPPORTED, "the packaging %.*s is not known here; these are:%.*s",
              (int)(packaging.length < 100 ? packaging.length : 100), packaging.data, TEXT_ARG(buffer_text(&known)));
    buffer_release(&known);
    return ERROR_UNSUPPORTED;
}

/* A zip without a word about its packaging is METS for 1.3 (which knew nothing else), a file like others for 2.0. */
static bool
read_packaging(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct sword_intent *intent = &sword->intent;
    struct text value = either(request, HTTP_HEADER_X_PACKAGING, HTTP_HEADER_PACKAGING);
    if (value.length == 0)
        value = request->headers[HTTP_HEADER_X_FORMAT_NAMESPACE];
    value = text_trim(value);
    intent->packaging_text = value.length == 0 ? TEXT("") : value;
    intent->packaging = PACKAGING_BINARY;
    if (value.length == 0) {
        if (sword->version == SWORD_1_3 && text_starts_with(intent->media_type, TEXT("application/zip")))
            intent->packaging = PACKAGING_METS;
        return true;
    }
    if (packaging_from_text(value, &intent->packaging))
        return true;
    struct error error = {0};
    sword_unknown_packaging(request, value, &error);
    sword_fail(request, &error);
    return false;
}

/* draft-ietf-httpapi-idempotency-key-header: a string in quotes; without them too, as most clients write it. Sender and
 * collection are part of it: nobody meets the key of another. */
static bool
read_request_key(struct http_request *request)
{
    struct sword_intent *intent = &sword_of(request)->intent;
    struct text key = request->headers[HTTP_HEADER_IDEMPOTENCY_KEY];
    struct buffer whole = {0};
    unsigned char digest[DIGEST_SIZE_MAX];
    intent->request_key = TEXT("");
    if (key.data == NULL || intent->no_op)
        return true;
    if (key.length >= 2 && key.data[0] == '"' && key.data[key.length - 1] == '"')
        key = text_of(key.data + 1, key.length - 2);
    if (key.length == 0 || key.length > REQUEST_KEY_BYTES_MAXIMUM) {
        sword_refuse(request, SWORD_ERROR_BAD_REQUEST, "Idempotency-Key has 1 to %d bytes", REQUEST_KEY_BYTES_MAXIMUM);
        return false;
    }
    buffer_append_varint(&whole, request->principal.user);
    buffer_append_counted(&whole, sword_of(request)->rest);
    buffer_append_text(&whole, key);
    digest_compute(DIGEST_SHA256, whole.data, whole.length, digest);
    buffer_clear(&whole);
    buffer_append_hex(&whole, digest, digest_size(DIGEST_SHA256));
    intent->request_key = arena_copy(request->arena, buffer_text(&whole));
    buffer_release(&whole);
    return true;
}

bool
sword_read_intent(struct http_request *request)
{
    struct sword_intent *intent = &sword_of(request)->intent;
    struct text who = text_trim(either(request, HTTP_HEADER_ON_BEHALF_OF, HTTP_HEADER_X_ON_BEHALF_OF));
    struct text slug = request->headers[HTTP_HEADER_SLUG], type = request->headers[HTTP_HEADER_CONTENT_TYPE];
    intent->on_behalf_of = who.length == 0 ? TEXT("") : who;
    intent->payload_type = TEXT("");
    intent->slug = slug.length == 0 ? TEXT("") : slug;
    intent->media_type = type.length == 0 ? TEXT("application/octet-stream") : type;
    return read_switches(request) && read_request_key(request) && read_filename(request) && read_packaging(request) && read_digests(request);
}
