/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The media link of 1.3 and the EM-IRI of 2.0, reading: the package as it was deposited, when the collection keeps it.
 */
#include "frontend/sword/sword_private.h"
#include "http/condition.h"
#include "http/content.h"
#include "http/disposition.h"

struct search {
    struct bitstream found;
    bool any;
};

static bool
take_first(void *context, const struct bitstream *bitstream)
{
    struct search *search = context;
    search->found = *bitstream;
    search->any = true;
    return false;
}

static enum error_code
send(struct http_request *request, const struct bitstream *package, struct error *error)
{
    struct sword *sword = sword_of(request);
    struct content_reader *reader;
    struct buffer disposition = {0};
    char tag[ENTITY_TAG_BYTES];
    const struct resource *file = &package->resource;
    int length = snprintf(tag, sizeof tag, "%llu-%llu-b", (unsigned long long)file->id, (unsigned long long)file->counter);
    struct representation current = {text_of(tag, (size_t)length), false, file->modified_us};
    if (view_content(sword->view, file, 0, &reader, error) != ERROR_NONE)
        return error->code;
    disposition_write(&disposition, "attachment", file->name);
    http_set_header(request, "Content-Disposition", buffer_text(&disposition));
    buffer_release(&disposition);
    http_set_header_format(request, "ETag", "\"%s\"", tag);
    return content_answer(request, &reader,
                          file->media_type.length > 0 ? file->media_type : TEXT("application/octet-stream"), &current, error);
}

void
sword_get_media(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct search search = {.any = false};
    struct error error = {0};
    if (!http_is_read(request)) {
        http_set_header_static(request, "Allow", "GET, HEAD, OPTIONS");
        sword_refuse(request, SWORD_ERROR_METHOD, "the media of a deposit are only read here");
        return;
    }
    enum error_code code = repository_by_uuid(sword->repository, sword->view, sword->rest, &sword->entity, &error);
    if (code == ERROR_NONE)
        code = repository_bitstreams(sword->repository, sword->view, &sword->entity, TEXT("SWORD"), take_first, &search, &error);
    if (code == ERROR_NONE && !search.any)
        code = error_set(&error, ERROR_NOT_FOUND, "the package of this deposit was not kept");
    if (code == ERROR_NONE)
        code = send(request, &search.found, &error);
    if (code != ERROR_NONE)
        sword_fail(request, &error);
}
