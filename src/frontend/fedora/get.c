/* SPDX-License-Identifier: Apache-2.0 */
/* GET, HEAD and OPTIONS: files here; containers and descriptions in listing.c. */
#include "frontend/fedora/fedora_private.h"

#include "http/content.h"
#include "http/disposition.h"

/* A digest that was not kept is computed for files up to this size; larger ones go without. */
#define COMPUTED_DIGEST_BYTES (1u << 20)

bool
fedora_resolve(struct http_request *request, struct resource *ret_resource)
{
    struct fedora *fedora = fedora_of(request);
    struct error error = {0};
    if (fedora->view == NULL &&
        view_open(request->model, &request->principal, &fedora->view, &error) != ERROR_NONE) {
        fedora_fail(request, &error);
        return false;
    }
    if (view_resolve(fedora->view, fedora->path, ret_resource, &error) != ERROR_NONE) {
        fedora_fail(request, &error);
        return false;
    }
    return true;
}

/* ---- digests that the client wants ------------------------------------------------------------------- */

static enum digest_algorithm
store_algorithm(struct http_request *request)
{
    struct model_identity identity;
    enum digest_algorithm algorithm;
    model_identity(request->model, &identity);
    return digest_from_name(DIGEST_NAMES_OCFL, text_from(identity.digest), &algorithm) ? algorithm : DIGEST_SHA512;
}

static enum error_code
compute_digest(struct content_reader *reader, enum digest_algorithm algorithm, unsigned char *ret_digest,
               struct error *error)
{
    struct digest_stream stream = {0};
    char *block = malloc(65536);
    uint64_t size = content_reader_size(reader);
    enum error_code code = block == NULL ? error_set(error, ERROR_NO_MEMORY, "no memory for a block") : ERROR_NONE;
    digest_stream_init(&stream, algorithm);
    for (uint64_t at = 0; code == ERROR_NONE && at < size; at += 65536) {
        size_t length = size - at < 65536 ? (size_t)(size - at) : 65536;
        code = content_reader_read(reader, at, block, length, error);
        if (code == ERROR_NONE)
            digest_stream_update(&stream, block, length);
    }
    if (code == ERROR_NONE)
        digest_stream_finish(&stream, ret_digest);
    digest_stream_release(&stream);
    free(block);
    return code;
}

struct wanted {
    enum http_header want, answer;
    enum digest_vocabulary vocabulary;
};

static enum error_code
answer_wanted(struct http_request *request, const struct wanted *wanted, const struct resource *file,
              struct content_reader *reader, struct error *error)
{
    enum digest_algorithm own = store_algorithm(request), algorithm;
    unsigned available = 1u << own | digests_in_fixity(file->fixity);
    unsigned char value[DIGEST_SIZE_MAX];
    if (file->size_bytes <= COMPUTED_DIGEST_BYTES)
        available = (1u << DIGEST_ALGORITHM_COUNT) - 1;
    if (wanted->vocabulary == DIGEST_NAMES_RFC9530)
        available &= ~(1u << DIGEST_SHA512_256); /* has no name there */
    if (!digest_wanted(request->headers[wanted->want], wanted->vocabulary, available, &algorithm))
        return ERROR_NONE;
    if (algorithm == own)
        memcpy(value, file->digest, digest_size(own));
    else if (!digest_in_fixity(file->fixity, algorithm, value) &&
             compute_digest(reader, algorithm, value, error) != ERROR_NONE)
        return error->code;
    digest_answer(request, wanted->answer, algorithm, value);
    return ERROR_NONE;
}

static enum error_code
answer_digests(struct http_request *request, const struct resource *file, struct content_reader *reader,
               struct error *error)
{
    static const struct wanted all[] = {
        {HTTP_HEADER_WANT_DIGEST, HTTP_HEADER_DIGEST, DIGEST_NAMES_RFC3230},
        {HTTP_HEADER_WANT_REPR_DIGEST, HTTP_HEADER_REPR_DIGEST, DIGEST_NAMES_RFC9530},
        {HTTP_HEADER_WANT_CONTENT_DIGEST, HTTP_HEADER_CONTENT_DIGEST, DIGEST_NAMES_RFC9530},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        /* the digest of a part is not kept */
        bool part = all[i].want == HTTP_HEADER_WANT_CONTENT_DIGEST && http_has(request, HTTP_HEADER_RANGE);
        if (http_has(request, all[i].want) && !part &&
            answer_wanted(request, &all[i], file, reader, error) != ERROR_NONE)
            return error->code;
    }
    return ERROR_NONE;
}

/* ---- files ------------------------------------------------------------------------------------------- */

static void
set_disposition(struct http_request *request, const struct resource *file)
{
    struct buffer buffer = {0};
    struct text inline_value;
    bool shown = http_query(request, "inline", &inline_value) && text_equal(inline_value, TEXT("true"));
    disposition_write(&buffer, shown ? "inline" : "attachment", file->filename.length > 0 ? file->filename : file->name);
    http_set_header(request, "Content-Disposition", buffer_text(&buffer));
    buffer_release(&buffer);
    http_set_header_static(request, "X-Content-Type-Options", "nosniff");
    if (shown) /* someone's page must not act in this site's name */
        http_set_header_static(request, "Content-Security-Policy", "sandbox");
}

static enum error_code
send_file(struct http_request *request, const struct resource *file, const struct representation *current,
          struct error *error)
{
    struct fedora *fedora = fedora_of(request);
    struct content_reader *reader;
    if (view_content(fedora->view, file, 0, &reader, error) != ERROR_NONE)
        return error->code;
    if (answer_digests(request, file, reader, error) != ERROR_NONE) {
        content_reader_close(reader);
        return error->code;
    }
    set_disposition(request, file);
    fedora_set_type_links(request, file);
    struct text media_type = file->media_type.length > 0 ? file->media_type : TEXT("application/octet-stream");
    return content_answer(request, &reader, media_type, current, error);
}

static void
get_file(struct http_request *request, const struct resource *file)
{
    struct fedora *fedora = fedora_of(request);
    struct error error = {0};
    char tag[ENTITY_TAG_BYTES];
    int length = snprintf(tag, sizeof tag, "%llu-%llu-b", (unsigned long long)file->id,
                          (unsigned long long)file->counter);
    struct representation current = {text_of(tag, (size_t)length), false, file->modified_us};
    enum condition_verdict verdict = condition_of_read(request, &current);
    if (view_require(fedora->view, file, RIGHT_READ, &error) != ERROR_NONE) {
        fedora_fail(request, &error);
        return;
    }
    if (verdict == CONDITION_FAILED) {
        http_refuse(request, 412, ERROR_PRECONDITION, "the state is not the one that the conditions name");
        return;
    }
    fedora_set_tag(request, current.tag, false);
    fedora_set_modified(request, file->modified_us);
    http_set_header_static(request, "Cache-Control", "no-cache");
    if (verdict == CONDITION_NOT_MODIFIED) {
        http_answer_empty(request, 304);
        return;
    }
    if (send_file(request, file, &current, &error) != ERROR_NONE) {
        http_answer_reset(request);
        fedora_fail(request, &error);
    }
    view_close(fedora->view);
    fedora->view = NULL;
}

static void
refuse_metadata(struct http_request *request)
{
    http_refuse(request, 404, ERROR_NOT_FOUND, "only files have fcr:metadata");
}

void
fedora_get(struct http_request *request)
{
    struct resource resource;
    if (!fedora_resolve(request, &resource))
        return;
    if (fedora_of(request)->part == FEDORA_PART_VERSIONS)
        fedora_get_versions(request, &resource);
    else if (fedora_of(request)->part == FEDORA_PART_METADATA && resource.kind == RESOURCE_FILE)
        fedora_get_description(request, &resource);
    else if (fedora_of(request)->part == FEDORA_PART_METADATA)
        refuse_metadata(request);
    else if (resource.kind == RESOURCE_FILE)
        get_file(request, &resource);
    else
        fedora_get_listing(request, &resource);
}

void
fedora_options(struct http_request *request)
{
    struct fedora *fedora = fedora_of(request);
    struct resource resource;
    bool described = fedora->part == FEDORA_PART_METADATA || fedora->part == FEDORA_PART_VERSIONS;
    if ((fedora->part == FEDORA_PART_NONE || described) && !fedora_resolve(request, &resource))
        return;
    if (fedora->part == FEDORA_PART_METADATA && resource.kind != RESOURCE_FILE) {
        refuse_metadata(request);
        return;
    }
    if (fedora->part == FEDORA_PART_NONE) {
        fedora_allow(request, &resource);
        fedora_set_type_links(request, &resource);
    } else {
        http_set_header_static(request, "Allow",
                               fedora->part == FEDORA_PART_TOMBSTONE ? "DELETE, OPTIONS" : "GET, HEAD, OPTIONS");
    }
    http_answer_empty(request, 200);
}
