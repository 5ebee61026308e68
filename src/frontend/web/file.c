/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of files, by the addresses of DSpace. Who may read them the model decides. */
#include "format/date.h"
#include "frontend/web/web_private.h"
#include "http/content.h"
#include "http/disposition.h"

/* Shown in the browser, all else is saved: someone's page must not act in this site's name. */
#define SHOWN_TYPES(X) X("application/pdf") X("image/gif") X("image/jpeg") X("image/png") X("text/plain")

static bool
is_shown(struct text media_type)
{
    struct text rest, type = text_trim(text_cut(media_type, ';', &rest));
#define X(word)                                                                                    \
    if (text_equal_ignoring_case(type, TEXT(word)))                                                \
        return true;
    SHOWN_TYPES(X)
#undef X
    return false;
}

static void
set_headers(struct http_request *request, const struct bitstream *file, struct text media_type,
            const struct representation *current)
{
    struct buffer disposition = {0};
    char date[DATE_TEXT_SIZE];
    disposition_write(&disposition, is_shown(media_type) ? "inline" : "attachment",
                      file->resource.filename.length > 0 ? file->resource.filename : file->resource.name);
    http_set_header(request, "Content-Disposition", buffer_text(&disposition));
    buffer_release(&disposition);
    http_set_header_format(request, "ETag", "\"%.*s\"", TEXT_ARG(current->tag));
    http_set_header(request, "Last-Modified", text_of(date, date_write_http(current->modified_us, date)));
    http_set_header_static(request, "X-Content-Type-Options", "nosniff");
    http_set_header_static(request, "Cache-Control", request->principal.user == 0 ? "no-cache" : "private, no-cache");
}

static enum error_code
send_content(struct http_request *request, const struct bitstream *file, struct error *error)
{
    struct web *web = web_of(request);
    const struct resource *resource = &file->resource;
    struct content_reader *reader;
    char tag[ENTITY_TAG_BYTES];
    int length = snprintf(tag, sizeof tag, "%llu-%llu-b", (unsigned long long)resource->id, (unsigned long long)resource->counter);
    struct representation current = {text_of(tag, (size_t)length), false, resource->modified_us};
    struct text media_type = resource->media_type.length > 0 ? resource->media_type : TEXT("application/octet-stream");
    enum error_code code = view_require(web->view, resource, RIGHT_READ, error);
    if (code != ERROR_NONE)
        return code;
    enum condition_verdict verdict = condition_of_read(request, &current);
    if (verdict == CONDITION_FAILED)
        return error_set(error, ERROR_PRECONDITION, "the state is not the one that the conditions name");
    set_headers(request, file, media_type, &current);
    if (verdict == CONDITION_NOT_MODIFIED) {
        http_answer_empty(request, 304);
        return ERROR_NONE;
    }
    code = view_content(web->view, resource, 0, &reader, error);
    return code != ERROR_NONE ? code : content_answer(request, &reader, media_type, &current, error);
}

static void
answer(struct http_request *request, enum error_code code, const struct bitstream *file, struct error *error)
{
    if (code == ERROR_NONE)
        code = send_content(request, file, error);
    if (code == ERROR_NONE)
        return;
    http_answer_reset(request);
    web_fail(request, error);
}

static enum error_code
find_item(struct http_request *request, struct error *error)
{
    struct web *web = web_of(request);
    web->scheme = "handle";
    web->name = text_from(arena_printf(request->arena, "%.*s/%.*s", TEXT_ARG(web->arguments[0]), TEXT_ARG(web->arguments[1])));
    return web_find_entity(request, error);
}

static enum error_code
by_sequence(struct http_request *request, struct text sequence, struct bitstream *file, struct error *error)
{
    struct web *web = web_of(request);
    uint64_t number;
    if (!text_to_u64(sequence, &number))
        return error_set(error, ERROR_INVALID, "a sequence number is a number, not %.*s", TEXT_ARG(sequence));
    return repository_bitstream_by_sequence(web->repository, web->view, &web->entity, number, file, error);
}

void
web_get_file_by_uuid(struct http_request *request)
{
    struct web *web = web_of(request);
    struct bitstream file;
    struct error error = {0};
    answer(request, repository_bitstream_by_uuid(web->repository, web->view, web->arguments[0], &file, &error), &file, &error);
}

/* The name is for people: a file that was renamed keeps its number. */
void
web_get_file_by_sequence(struct http_request *request)
{
    struct bitstream file;
    struct error error = {0};
    enum error_code code = find_item(request, &error);
    if (code == ERROR_NONE)
        code = by_sequence(request, web_of(request)->arguments[2], &file, &error);
    answer(request, code, &file, &error);
}

void
web_get_file_by_name(struct http_request *request)
{
    struct web *web = web_of(request);
    struct bitstream file;
    struct error error = {0};
    struct text sequence;
    enum error_code code = find_item(request, &error);
    if (code == ERROR_NONE && http_query(request, "sequence", &sequence))
        code = by_sequence(request, sequence, &file, &error);
    else if (code == ERROR_NONE)
        code = repository_bitstream_by_path(web->repository, web->view, &web->entity,
                                            text_from(arena_printf(request->arena, "ORIGINAL/%.*s", TEXT_ARG(web->arguments[2]))),
                                            &file, &error);
    answer(request, code, &file, &error);
}
