/* SPDX-License-Identifier: Apache-2.0 */
/* SWORD from the client's side; see sword_client.h. */
#include "client/sword_client.h"

#include "format/base64.h"
#include "format/json.h"
#include "xml/xml_read.h"

#define ATOM "http://www.w3.org/2005/Atom"
#define TERMS_2 "http://purl.org/net/sword/terms/"

static const char *const words[] = {
#define X(name, word) word,
    SWORD_PROFILES(X)
#undef X
};

const char *
sword_profile_word(enum sword_profile profile)
{
    return words[profile];
}

bool
sword_profile_from_word(struct text word, enum sword_profile *ret_profile)
{
    for (enum sword_profile profile = 0; profile < SWORD_PROFILE_COUNT; profile++) {
        struct text whole = text_from(words[profile]);
        if (!text_equal(word, whole) && !(word.length == 3 && text_starts_with(word, whole) && text_ends_with(word, TEXT(".0"))))
            continue;
        *ret_profile = profile;
        return true;
    }
    return false;
}

/* ---- refusals ------------------------------------------------------------------------------------------------- */

/* What the server says of it: the summary or title of an error document, `log` or `error` of one in JSON; else "". */
static struct text
words_of_error(const struct http_exchange *exchange, struct arena *arena)
{
    struct text content = buffer_text(&exchange->content), found = TEXT("");
    struct xml_document *document = NULL;
    struct json *json;
    if (xml_document_parse(content, &document, NULL) == ERROR_NONE) {
        const char *const names[] = {"summary", "verboseDescription", "title"};
        for (size_t i = 0; i < sizeof names / sizeof *names && found.length == 0; i++)
            found = text_trim(xml_child_text(xml_root(document), NULL, names[i], arena));
        xml_document_free(document);
    } else if (json_parse(arena, content, &json, NULL) == ERROR_NONE && !json_get_text(json, "log", &found)) {
        json_get_text(json, "error", &found);
    }
    return found.length == 0 ? TEXT("") : arena_copy(arena, found);
}

static bool
is_checksum(struct text content)
{
    return memmem(content.data, content.length, "ErrorChecksumMismatch", 21) != NULL ||
           memmem(content.data, content.length, "DigestMismatch", 14) != NULL;
}

static enum error_code
code_of_status(const struct http_exchange *exchange)
{
    static const struct {
        unsigned status;
        enum error_code code;
    } known[] = {{401, ERROR_UNAUTHENTICATED}, {403, ERROR_DENIED}, {404, ERROR_NOT_FOUND},   {406, ERROR_UNSUPPORTED},
                 {408, ERROR_TIMEOUT},         {409, ERROR_CONFLICT}, {410, ERROR_GONE},      {412, ERROR_PRECONDITION},
                 {413, ERROR_LIMIT},           {415, ERROR_UNSUPPORTED}, {429, ERROR_BUSY},   {503, ERROR_BUSY},
                 {507, ERROR_FULL}};
    if (exchange->status == 412 && is_checksum(buffer_text(&exchange->content)))
        return ERROR_DIGEST;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].status == exchange->status)
            return known[i].code;
    return exchange->status >= 500 ? ERROR_IO : exchange->status >= 400 ? ERROR_INVALID : ERROR_CONFLICT;
}

static enum error_code
refusal(const struct http_exchange *exchange, struct arena *arena, struct error *error)
{
    struct text why = words_of_error(exchange, arena);
    if (exchange->status >= 300 && exchange->status < 400)
        return error_set(error, ERROR_CONFLICT, "the server sends elsewhere (%u): %.*s", exchange->status,
                         TEXT_ARG(buffer_text(&exchange->location)));
    return error_set(error, code_of_status(exchange), "refused with %u%s%.*s", exchange->status, why.length == 0 ? "" : ": ",
                     TEXT_ARG(why));
}

/* ---- which profile -------------------------------------------------------------------------------------------- */

static enum error_code
list_collections(const struct xml_node *service, struct arena *arena, struct error *error)
{
    struct buffer found = {0};
    xml_each (workspace, service, NULL, "workspace")
        xml_each (collection, workspace, NULL, "collection") {
            struct text href;
            if (xml_attribute(collection, "", "href", arena, &href))
                buffer_printf(&found, "\n  %.*s", TEXT_ARG(href));
        }
    error_set(error, ERROR_INVALID, "this is a service document, not a collection; it lists%s",
              found.length == 0 ? " none" : buffer_string(&found));
    buffer_release(&found);
    return ERROR_INVALID;
}

static enum error_code
profile_of_answer(const struct http_exchange *exchange, struct arena *arena, enum sword_profile *ret_profile,
                  struct error *error)
{
    struct text content = buffer_text(&exchange->content);
    struct xml_document *document = NULL;
    struct json *json;
    enum error_code code = ERROR_NONE;
    bool good = exchange->status >= 200 && exchange->status < 300;
    *ret_profile = SWORD_PROFILE_1_3;
    if (xml_document_parse(content, &document, NULL) == ERROR_NONE) {
        const struct xml_node *root = xml_root(document);
        if ((good && xml_is(root, ATOM, "feed")) || xml_is(root, TERMS_2, "error"))
            *ret_profile = SWORD_PROFILE_2_0;
        else if (good && xml_is(root, NULL, "service"))
            code = list_collections(root, arena, error);
        xml_document_free(document);
    } else if (good && json_parse(arena, content, &json, NULL) == ERROR_NONE && json->kind == JSON_OBJECT) {
        *ret_profile = SWORD_PROFILE_3_0;
    }
    return code;
}

enum error_code
sword_client_detect(struct http_client *client, const char *url, struct arena *arena, enum sword_profile *ret_profile,
                    bool *ret_idempotent, struct error *error)
{
    struct http_exchange exchange = {.method = "GET", .url = url, .body = -1, .headers = {"Accept: */*"}};
    enum error_code code = http_client_send(client, &exchange, error);
    if (code == ERROR_NONE && (exchange.status == 401 || exchange.status == 403))
        code = refusal(&exchange, arena, error);
    *ret_idempotent = text_starts_with(buffer_text(&exchange.server), TEXT("Archivolt/"));
    if (code == ERROR_NONE)
        code = profile_of_answer(&exchange, arena, ret_profile, error);
    http_exchange_release(&exchange);
    return code;
}

/* ---- a deposit ------------------------------------------------------------------------------------------------ */

struct headers {
    struct arena *arena;
    struct http_exchange *exchange;
    size_t count;
};

static void
add_header(struct headers *headers, const char *name, struct text value)
{
    if (value.length > 0)
        headers->exchange->headers[headers->count++] = arena_printf(headers->arena, "%s: %.*s", name, TEXT_ARG(value));
}

/* Percent-encoded but for the unreserved characters of RFC 3986: all of them may stand in a header's token. */
static void
append_filename(struct buffer *out, struct text filename)
{
    for (size_t i = 0; i < filename.length; i++) {
        unsigned char byte = (unsigned char)filename.data[i];
        if ((byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || (byte != 0 && strchr("-._~", byte) != NULL))
            buffer_append_char(out, (char)byte);
        else
            buffer_printf(out, "%%%02X", byte);
    }
}

/* As the clients of each profile write it: 1.3 has no type before it. */
static void
add_disposition(struct headers *headers, const struct sword_client_deposit *deposit)
{
    struct buffer value = {0};
    if (deposit->profile == SWORD_PROFILE_1_3)
        buffer_append_string(&value, "filename=");
    else
        buffer_append_string(&value, "attachment; filename=");
    append_filename(&value, deposit->filename);
    add_header(headers, "Content-Disposition", buffer_text(&value));
    buffer_release(&value);
}

static void
add_digests(struct headers *headers, const struct sword_client_deposit *deposit)
{
    struct buffer value = {0};
    if (deposit->profile == SWORD_PROFILE_3_0) {
        buffer_append_string(&value, "SHA-256=");
        base64_append(&value, deposit->sha256, sizeof deposit->sha256);
        add_header(headers, "Digest", buffer_text(&value));
    } else {
        buffer_append_hex(&value, deposit->md5, sizeof deposit->md5);
        add_header(headers, "Content-MD5", buffer_text(&value));
    }
    buffer_release(&value);
}

static void
add_headers(struct headers *headers, const struct sword_client_deposit *deposit)
{
    bool old = deposit->profile == SWORD_PROFILE_1_3;
    add_header(headers, "Content-Type", deposit->media_type);
    add_disposition(headers, deposit);
    add_digests(headers, deposit);
    add_header(headers, old ? "X-Packaging" : "Packaging", deposit->packaging);
    add_header(headers, old ? "X-On-Behalf-Of" : "On-Behalf-Of", deposit->on_behalf_of);
    if (old && deposit->dry_run)
        add_header(headers, "X-No-Op", TEXT("true"));
    if (!old)
        add_header(headers, "In-Progress", deposit->in_progress ? TEXT("true") : TEXT("false"));
    add_header(headers, "Idempotency-Key", deposit->idempotency_key);
}

/* The address of what was made: Location, else the entry's edit link or `@id` of a status document. */
static void
read_receipt(const struct http_exchange *exchange, struct arena *arena, struct sword_receipt *receipt)
{
    struct xml_document *document = NULL;
    struct json *json;
    struct text content = buffer_text(&exchange->content), value;
    receipt->location = arena_copy(arena, buffer_text(&exchange->location));
    if (xml_document_parse(content, &document, NULL) == ERROR_NONE) {
        const struct xml_node *entry = xml_root(document);
        receipt->identifier = text_trim(xml_child_text(entry, ATOM, "id", arena));
        receipt->title = text_trim(xml_child_text(entry, ATOM, "title", arena));
        xml_each (link, entry, ATOM, "link")
            if (receipt->location.length == 0 && xml_attribute(link, "", "rel", arena, &value) && text_equal(value, TEXT("edit")))
                (void)xml_attribute(link, "", "href", arena, &receipt->location);
        if (receipt->location.length == 0)
            receipt->location = receipt->identifier;
        xml_document_free(document);
    } else if (receipt->location.length == 0 && json_parse(arena, content, &json, NULL) == ERROR_NONE &&
               json_get_text(json, "@id", &value)) {
        receipt->location = arena_copy(arena, value);
    }
}

enum error_code
sword_client_deposit(struct http_client *client, const struct sword_client_deposit *deposit, struct arena *arena,
                     struct sword_receipt *ret_receipt, struct error *error)
{
    struct http_exchange exchange = {.method = "POST", .url = deposit->url, .body = deposit->fd, .body_bytes = deposit->size_bytes};
    struct headers headers = {arena, &exchange, 0};
    *ret_receipt = (struct sword_receipt){.location = TEXT(""), .identifier = TEXT(""), .title = TEXT("")};
    add_headers(&headers, deposit);
    enum error_code code = arena_status(arena, error);
    if (code == ERROR_NONE)
        code = http_client_send(client, &exchange, error);
    ret_receipt->status = exchange.status;
    ret_receipt->unsure = code != ERROR_NONE && exchange.sent;
    (void)text_to_u64(buffer_text(&exchange.retry_after), &ret_receipt->retry_after_s);
    if (code == ERROR_NONE && (exchange.status < 200 || exchange.status >= 300))
        code = refusal(&exchange, arena, error);
    else if (code == ERROR_NONE)
        read_receipt(&exchange, arena, ret_receipt);
    http_exchange_release(&exchange);
    return code;
}
