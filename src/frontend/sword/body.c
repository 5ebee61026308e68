/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of a deposit, once it is received: a package, an Atom entry, or both in multipart/related (SWORD 2.0 sections 6.3.1 to
 * 6.3.3), as what the repository stages. Runs in a worker.
 *
 * Multipart as clients in use write it: a part is the entry when it is named "atom" (or has its type), else the payload; both
 * may be in base64, which the Python client does not say of the entry nor the Java client of the payload. So an entry that does not
 * begin with '<' is taken for base64, and so is a payload that begins as a zip in base64 does, or whose Content-MD5 is not
 * that of its bytes as they are.
 */
#include "format/base64.h"
#include "format/multipart.h"
#include "frontend/sword/sword_private.h"
#include "http/field.h"

#include <ctype.h>

#define PIECE_BYTES 49152u

static struct text
bare_type(struct text media_type)
{
    struct text rest;
    return text_trim(text_cut(media_type, ';', &rest));
}

enum sword_body
sword_body_kind(const struct http_request *request)
{
    const struct sword *sword = request->state;
    struct text type = bare_type(sword->intent.media_type);
    if (sword->version == SWORD_1_3)
        return SWORD_BODY_PAYLOAD;
    if (text_equal_ignoring_case(type, TEXT("multipart/related")))
        return SWORD_BODY_MULTIPART;
    return text_equal_ignoring_case(type, TEXT("application/atom+xml")) ? SWORD_BODY_ENTRY : SWORD_BODY_PAYLOAD;
}

struct upload **
sword_original(struct http_request *request)
{
    switch (sword_body_kind(request)) {
    case SWORD_BODY_MULTIPART:
        return &sword_of(request)->payload;
    case SWORD_BODY_PAYLOAD:
        return http_upload(request);
    case SWORD_BODY_ENTRY:
        break;
    }
    return NULL;
}

/* ---- what the collection takes ------------------------------------------------------------------------------------ */

enum error_code
sword_check_policy(struct http_request *request, uint64_t size_bytes, struct error *error)
{
    struct sword *sword = sword_of(request);
    const struct collection_policy *policy = &sword->policy;
    const struct sword_intent *intent = &sword->intent;
    enum sword_body kind = sword_body_kind(request);
    struct text type = bare_type(kind == SWORD_BODY_MULTIPART ? intent->payload_type : intent->media_type);
    bool has_payload = kind == SWORD_BODY_PAYLOAD || type.length > 0; /* of multipart: once it is split */
    if (kind == SWORD_BODY_ENTRY)
        has_payload = false;
    enum error_code code = has_payload ? collection_policy_takes(policy, intent->packaging, type, error) : ERROR_NONE;
    return code != ERROR_NONE || size_bytes == HTTP_SIZE_UNKNOWN ? code : collection_policy_takes_bytes(policy, size_bytes, error);
}

/* ---- base64 -------------------------------------------------------------------------------------------------------- */

struct decoding {
    struct upload *out;
    struct buffer pending; /* characters, without line ends */
    bool ended;            /* padding was seen */
};

static enum error_code
decode_pending(struct decoding *d, size_t length, struct error *error)
{
    unsigned char bytes[BASE64_DECODED_MAX(PIECE_BYTES)];
    struct text whole = buffer_text(&d->pending);
    size_t count = 0;
    if (length == 0)
        return ERROR_NONE;
    if (d->ended || !base64_decode(text_of(whole.data, length), bytes, &count))
        return error_set(error, ERROR_INVALID, "a part is not in base64 although it looks so");
    d->ended = whole.data[length - 1] == '=';
    buffer_clear(&d->pending);
    return upload_write(d->out, bytes, count, error);
}

static enum error_code
decode_piece(struct decoding *d, const char *data, size_t length, struct error *error)
{
    for (size_t i = 0; i < length; i++) {
        if (isspace((unsigned char)data[i]))
            continue;
        buffer_append_char(&d->pending, data[i]);
        if (d->pending.length == PIECE_BYTES && decode_pending(d, PIECE_BYTES, error) != ERROR_NONE)
            return error->code;
    }
    return buffer_status(&d->pending, error);
}

/* Replaces a finished upload by what its base64 stands for. */
static enum error_code
decode_upload(struct http_request *request, struct upload **upload, struct error *error)
{
    struct decoding d = {0};
    char piece[16384];
    uint64_t size = upload_size(*upload);
    enum error_code code = upload_begin(request->model, 1u << DIGEST_MD5, &d.out, error);
    for (uint64_t at = 0; at < size && code == ERROR_NONE; at += sizeof piece) {
        size_t length = size - at < sizeof piece ? (size_t)(size - at) : sizeof piece;
        code = upload_read(*upload, at, piece, length, error);
        if (code == ERROR_NONE)
            code = decode_piece(&d, piece, length, error);
    }
    if (code == ERROR_NONE)
        code = decode_pending(&d, d.pending.length, error);
    if (code == ERROR_NONE)
        code = upload_finish(d.out, error);
    buffer_release(&d.pending);
    if (code == ERROR_NONE) {
        upload_free(*upload);
        *upload = d.out;
        d.out = NULL;
    }
    upload_free(d.out);
    return code;
}

/* ---- parts -------------------------------------------------------------------------------------------------------- */

struct splitting {
    struct http_request *request;
    bool is_entry, says_base64, says_encoding, has_md5;
    unsigned char md5[DIGEST_SIZE_MAX];
    struct upload *upload;
};

/* A field of a part's head; "" when it has none. */
static struct text
part_field(struct http_request *request, struct text head, const char *name)
{
    struct buffer value = {0};
    bool found = multipart_field(head, name, &value);
    struct text text = found && value.length > 0 ? arena_copy(request->arena, buffer_text(&value)) : TEXT("");
    buffer_release(&value);
    return text;
}

/* The value of a parameter ("name", "boundary") of a header; "" none. */
static struct text
parameter(struct http_request *request, struct text value, struct text wanted)
{
    struct text part, name, raw, text;
    while (field_part_next(&value, &part)) {
        field_pair(part, &name, &raw);
        if (raw.data != NULL && text_equal_ignoring_case(name, wanted))
            return field_unquote(request->arena, raw, &text) ? text : raw;
    }
    return TEXT("");
}

/* What the payload's own head says stands above what the request's says. */
static enum error_code
read_payload_head(struct http_request *request, struct text head, struct text disposition, struct text type,
                  struct error *error)
{
    struct sword_intent *intent = &sword_of(request)->intent;
    struct text packaging = part_field(request, head, "Packaging");
    if (packaging.length == 0)
        packaging = part_field(request, head, "X-Packaging");
    intent->payload_type = type.length > 0 ? type : TEXT("application/octet-stream");
    if (packaging.length > 0) {
        intent->packaging_text = packaging;
        if (!packaging_from_text(packaging, &intent->packaging))
            return sword_unknown_packaging(request, packaging, error);
    }
    return sword_filename(request, disposition, &intent->filename, error);
}

static enum error_code
begin_part(void *context, struct text head, struct error *error)
{
    struct splitting *s = context;
    struct sword *sword = sword_of(s->request);
    struct text disposition = part_field(s->request, head, "Content-Disposition");
    struct text type = part_field(s->request, head, "Content-Type"), md5 = part_field(s->request, head, "Content-MD5");
    struct text encoding = part_field(s->request, head, "Content-Transfer-Encoding");
    struct text name = parameter(s->request, disposition, TEXT("name"));
    s->is_entry = name.length > 0 ? text_equal_ignoring_case(name, TEXT("atom"))
                                  : text_equal_ignoring_case(bare_type(type), TEXT("application/atom+xml"));
    s->says_encoding = encoding.length > 0;
    s->says_base64 = text_equal_ignoring_case(encoding, TEXT("base64"));
    s->has_md5 = md5.length > 0;
    if (s->has_md5 && !sword_read_md5(md5, s->md5))
        return error_set(error, ERROR_INVALID, "Content-MD5 of a part is 32 hexadecimal digits (or 16 bytes in base64)");
    if ((s->is_entry ? sword->entry : sword->payload) != NULL)
        return error_set(error, ERROR_INVALID, "the body has more than one %s part", s->is_entry ? "atom" : "payload");
    enum error_code code = s->is_entry ? ERROR_NONE : read_payload_head(s->request, head, disposition, type, error);
    return code != ERROR_NONE ? code : upload_begin(s->request->model, 1u << DIGEST_MD5, &s->upload, error);
}

static enum error_code
take_part(void *context, const char *data, size_t length, struct error *error)
{
    struct splitting *s = context;
    return upload_write(s->upload, data, length, error);
}

static enum error_code
is_in_base64(struct splitting *s, bool *ret, struct error *error)
{
    char first[64];
    size_t length = upload_size(s->upload) < sizeof first ? (size_t)upload_size(s->upload) : sizeof first;
    *ret = s->says_base64;
    if (s->says_encoding || length == 0)
        return ERROR_NONE;
    enum error_code code = upload_read(s->upload, 0, first, length, error);
    struct text start = text_trim(text_of(first, length));
    bool is_xml = text_starts_with(start, TEXT("<")) || text_starts_with(start, TEXT("\xEF\xBB\xBF"));
    bool other_sum = s->has_md5 && upload_check_digest(s->upload, DIGEST_MD5, s->md5, NULL) != ERROR_NONE;
    *ret = s->is_entry ? !is_xml : other_sum || (!s->has_md5 && text_starts_with(start, TEXT("UEsD")));
    return code;
}

static enum error_code
end_part(void *context, struct error *error)
{
    struct splitting *s = context;
    struct sword *sword = sword_of(s->request);
    bool decode = false;
    enum error_code code = upload_finish(s->upload, error);
    if (code == ERROR_NONE)
        code = is_in_base64(s, &decode, error);
    if (code == ERROR_NONE && decode) {
        struct error why = {0};
        code = decode_upload(s->request, &s->upload, &why);
        if (code == ERROR_INVALID && !s->says_base64 && s->has_md5) /* no base64 either: the sum is wrong */
            code = ERROR_NONE;
        else if (code != ERROR_NONE)
            *error = why;
    }
    if (code == ERROR_NONE && s->has_md5)
        code = upload_check_digest(s->upload, DIGEST_MD5, s->md5, error);
    *(s->is_entry ? &sword->entry : &sword->payload) = s->upload;
    s->upload = NULL;
    return code;
}

static enum error_code
split(struct http_request *request, struct error *error)
{
    struct splitting s = {.request = request};
    struct multipart_handler handler = {begin_part, take_part, end_part, &s};
    struct multipart multipart;
    struct upload *whole = *http_upload(request);
    char piece[16384];
    struct text boundary = parameter(request, sword_of(request)->intent.media_type, TEXT("boundary"));
    enum error_code code = multipart_init(&multipart, boundary, &handler, error);
    if (code != ERROR_NONE)
        return code;
    for (uint64_t at = 0; at < upload_size(whole) && code == ERROR_NONE; at += sizeof piece) {
        uint64_t left = upload_size(whole) - at;
        size_t length = left < sizeof piece ? (size_t)left : sizeof piece;
        code = upload_read(whole, at, piece, length, error);
        if (code == ERROR_NONE)
            code = multipart_write(&multipart, piece, length, error);
    }
    if (code == ERROR_NONE)
        code = multipart_finish(&multipart, error);
    multipart_release(&multipart);
    upload_free(s.upload);
    if (code == ERROR_NONE && (sword_of(request)->entry == NULL || sword_of(request)->payload == NULL))
        code = error_set(error, ERROR_INVALID, "the body has two parts, named atom and payload");
    return code;
}

/* ---- the package -------------------------------------------------------------------------------------------------- */

static struct package_request
package_request(struct http_request *request, struct upload *source)
{
    struct sword *sword = sword_of(request);
    bool multipart = sword_body_kind(request) == SWORD_BODY_MULTIPART;
    return (struct package_request){
        .model = request->model,
        .arena = &sword->arena,
        .limits = repository_options(sword->repository)->package_limits,
        .crosswalks = repository_crosswalks(sword->repository),
        .packaging = sword->intent.packaging,
        .source = package_source_of_upload(source),
        .filename = sword->intent.filename,
        .media_type = multipart ? sword->intent.payload_type : sword->intent.media_type,
    };
}

static enum error_code
read_payload(struct http_request *request, struct error *error)
{
    struct sword *sword = sword_of(request);
    struct upload **original = sword_original(request);
    struct package_request wanted = package_request(request, *original);
    wanted.whole = original;
    enum error_code code = package_read(&wanted, &sword->package, error);
    sword->has_package = code == ERROR_NONE;
    return code;
}

static bool
has_name_of(const struct fields *fields, const struct field *field)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct field *one = &fields->items[i];
        if (text_equal(one->schema, field->schema) && text_equal(one->element, field->element) &&
            text_equal(one->qualifier, field->qualifier))
            return true;
    }
    return false;
}

/* The entry says what the deposit is; the package's own metadata add what it does not speak of. */
static enum error_code
merge(struct package *package, struct package *entry, struct error *error)
{
    struct fields merged = entry->fields;
    enum error_code code = ERROR_NONE;
    for (size_t i = 0; i < package->fields.count && code == ERROR_NONE; i++)
        if (!has_name_of(&entry->fields, &package->fields.items[i]))
            code = fields_add(&merged, &package->fields.items[i], error);
    package->fields = merged;
    for (size_t i = 0; i < entry->file_count && code == ERROR_NONE; i++) {
        code = package_add_file(package, &entry->files[i], error);
        if (code == ERROR_NONE)
            entry->files[i].upload = NULL;
    }
    return code;
}

static enum error_code
read_entry(struct http_request *request, struct upload *source, struct error *error)
{
    struct sword *sword = sword_of(request);
    struct package_request wanted = package_request(request, source);
    struct package entry;
    enum error_code code = package_read_entry(&wanted, &entry, error);
    if (code != ERROR_NONE)
        return code;
    if (!sword->has_package) {
        sword->package = entry;
        sword->has_package = true;
        return ERROR_NONE;
    }
    code = merge(&sword->package, &entry, error);
    package_release(&entry);
    return code;
}

enum error_code
sword_unpack(struct http_request *request, struct error *error)
{
    struct sword *sword = sword_of(request);
    enum sword_body kind = sword_body_kind(request);
    enum error_code code = kind == SWORD_BODY_MULTIPART ? split(request, error) : ERROR_NONE;
    if (code == ERROR_NONE)
        code = sword_check_policy(request, request->received_bytes, error);
    if (code == ERROR_NONE && kind != SWORD_BODY_ENTRY)
        code = read_payload(request, error);
    if (code == ERROR_NONE && kind != SWORD_BODY_PAYLOAD)
        code = read_entry(request, kind == SWORD_BODY_MULTIPART ? sword->entry : *http_upload(request), error);
    return code;
}
