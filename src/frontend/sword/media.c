/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The media link of 1.3, and the EM-IRI of 2.0: the package as it was deposited, when it was kept, or a zip of the files made on
 * demand; the feed of the files; changes of the content. The IRI of a single file lies below it.
 */
#include "frontend/sword/sword_private.h"
#include "http/accept.h"
#include "http/condition.h"
#include "http/content.h"
#include "http/disposition.h"

/* ---- reading ------------------------------------------------------------------------------------------------ */

struct search {
    const char *packaging; /* word, or NULL: any */
    struct bitstream found;
    bool any;
};

/* The last one of a packaging: later deposits come later. */
static bool
take_last(void *context, const struct bitstream *bitstream)
{
    struct search *search = context;
    if (search->packaging != NULL && !text_equal(bitstream->packaging, text_from(search->packaging)))
        return true;
    if (!search->any || bitstream->sequence > search->found.sequence)
        search->found = *bitstream;
    search->any = true;
    return true;
}

static enum error_code
send(struct http_request *request, const struct resource *file, struct error *error)
{
    struct sword *sword = sword_of(request);
    struct content_reader *reader;
    struct buffer disposition = {0};
    char tag[ENTITY_TAG_BYTES];
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

static enum error_code
send_kept(struct http_request *request, const char *packaging, bool *ret_found, struct error *error)
{
    struct sword *sword = sword_of(request);
    struct search search = {.packaging = packaging};
    enum packaging kept;
    enum error_code code =
        repository_bitstreams(sword->repository, sword->view, &sword->entity, TEXT("SWORD"), take_last, &search, error);
    *ret_found = search.any;
    if (code != ERROR_NONE || !search.any)
        return code;
    if (packaging_from_text(search.found.packaging, &kept))
        http_set_header_static(request, "Packaging", packaging_uri(kept));
    return send(request, &search.found.resource, error);
}

/* 1.3: what was deposited, or, where that is not kept, its files. */
static void
get_media_link(struct http_request *request)
{
    struct error error = {0};
    bool found;
    if (!sword_find_item(request, sword_of(request)->rest))
        return;
    enum error_code code = send_kept(request, NULL, &found, &error);
    if (code == ERROR_NONE && !found)
        code = sword_answer_zip(request, &error);
    if (code != ERROR_NONE)
        sword_fail(request, &error);
}

/* In the packaging that is asked for: SimpleZip is made of the files, others are there when they were deposited. */
static void
get_content(struct http_request *request)
{
    struct text wanted = request->headers[HTTP_HEADER_ACCEPT_PACKAGING];
    enum packaging packaging = PACKAGING_SIMPLE_ZIP;
    struct error error = {0};
    bool found = false;
    enum error_code code = ERROR_NONE;
    if (wanted.length > 0 && !packaging_from_text(text_trim(wanted), &packaging)) {
        sword_refuse(request, SWORD_ERROR_NOT_ACCEPTABLE, "there is no packaging %.*s here", TEXT_ARG(wanted));
        return;
    }
    if (packaging != PACKAGING_SIMPLE_ZIP)
        code = send_kept(request, packaging_word(packaging), &found, &error);
    else
        code = sword_answer_zip(request, &error);
    if (code != ERROR_NONE)
        sword_fail(request, &error);
    else if (packaging != PACKAGING_SIMPLE_ZIP && !found)
        sword_refuse(request, SWORD_ERROR_NOT_ACCEPTABLE, "no package was kept as %s", packaging_word(packaging));
}

static bool
wants_feed(const struct http_request *request)
{
    static const struct media_type offered[] = {{"application", "zip"}, {"application", "atom+xml"}};
    struct text accept = request->headers[HTTP_HEADER_ACCEPT];
    return accept.length > 0 && accept_choose(accept, offered, 2) == 1;
}

/* ---- changing ----------------------------------------------------------------------------------------------------- */

static void
answer_nothing(struct http_request *request)
{
    http_answer_empty(request, 204);
}

/* A single file has an IRI of its own; a package is the item's content. */
static struct text
location_of_added(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct text path, uuid, em = sword_url(request, SWORD_PART_EDIT_MEDIA, sword->entity.uuid);
    struct buffer whole = {0};
    struct resource file;
    if (sword->intent.packaging_text.length > 0 || sword->package.file_count == 0 ||
        view_path(sword->view, sword->entity.resource.id, &path, NULL) != ERROR_NONE)
        return em;
    buffer_append_text(&whole, path);
    buffer_append_string(&whole, "/ORIGINAL/");
    buffer_append_text(&whole, sword->package.files[0].path);
    bool found = view_resolve(sword->view, buffer_text(&whole), &file, NULL) == ERROR_NONE &&
                 view_identifier(sword->view, file.id, TEXT("uuid"), &uuid, NULL) == ERROR_NONE;
    buffer_release(&whole);
    return found ? sword_file_url(request, uuid, file.name) : em;
}

static void
answer_added(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    sword->location = location_of_added(request);
    sword_answer_entry(request, 201, &sword->entity);
}

static void
change(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    enum edit_part how = request->method == HTTP_POST ? EDIT_ADD : EDIT_REPLACE;
    bool deletes = request->method == HTTP_DELETE;
    if (!sword_read_intent(request))
        return;
    if (deletes == request->has_body) {
        sword_refuse(request, SWORD_ERROR_BAD_REQUEST, deletes ? "DELETE has no body" : "the body is missing");
        return;
    }
    if (!deletes && sword_body_kind(request) != SWORD_BODY_PAYLOAD) {
        sword_refuse(request, SWORD_ERROR_CONTENT, "an EM-IRI takes files and packages; entries go to the Edit-IRI");
        return;
    }
    sword->edit.files = how;
    sword->edit.fields = sword->intent.metadata_relevant && !deletes ? how : EDIT_KEEP;
    sword_change(request, how == EDIT_ADD ? answer_added : answer_nothing);
}

/* ---- one file -------------------------------------------------------------------------------------------------------- */

static void
answer_deleted(struct http_request *request)
{
    struct error error = {0};
    if (transaction_outcome(sword_of(request)->transaction, &error) == ERROR_NONE)
        http_answer_empty(request, 204);
    else
        sword_fail(request, &error);
}

static enum error_code
delete_file(struct http_request *request, uint64_t id, struct error *error)
{
    struct sword *sword = sword_of(request);
    enum error_code code = transaction_new(request->model, &request->principal, &sword->transaction, error);
    if (code == ERROR_NONE)
        code = transaction_delete(sword->transaction, target_id(id), false, NULL, error);
    return code != ERROR_NONE ? code : http_commit(request, sword->transaction, answer_deleted, error);
}

/* "UUID/NAME"; the name is for people. */
static void
file(struct http_request *request, struct text rest)
{
    struct sword *sword = sword_of(request);
    struct error error = {0};
    struct resource resource;
    struct text name, uuid = text_cut(rest, '/', &name);
    uint64_t id;
    if (!http_is_read(request) && request->method != HTTP_DELETE) {
        http_set_header_static(request, "Allow", "GET, HEAD, DELETE, OPTIONS");
        sword_refuse(request, SWORD_ERROR_METHOD, "a file is read or deleted here");
        return;
    }
    enum error_code code = view_identified(sword->view, TEXT("uuid"), uuid, &id, &error);
    if (code == ERROR_NONE)
        code = view_get(sword->view, id, &resource, &error);
    if (code == ERROR_NONE && resource.kind != RESOURCE_FILE)
        code = error_set(&error, ERROR_NOT_FOUND, "%.*s is no file", TEXT_ARG(uuid));
    if (code == ERROR_NONE)
        code = http_is_read(request) ? send(request, &resource, &error) : delete_file(request, id, &error);
    if (code != ERROR_NONE)
        sword_fail(request, &error);
}

/* ---- by what the path names ------------------------------------------------------------------------------------------ */

static bool
cut_end(struct text *text, struct text end)
{
    if (text->length <= end.length || !text_equal(text_of(text->data + text->length - end.length, end.length), end))
        return false;
    text->length -= end.length;
    return true;
}

void
sword_media(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct text rest, first = text_cut(sword->rest, '/', &rest), uuid = sword->rest;
    bool feed = cut_end(&uuid, TEXT(".atom"));
    bool only_read = sword->version == SWORD_1_3 || feed;
    bool changes = request->method == HTTP_POST || request->method == HTTP_PUT || request->method == HTTP_DELETE;
    if (sword->version == SWORD_2_0 && text_equal(first, TEXT("bitstream"))) {
        file(request, rest);
    } else if (!http_is_read(request) && (only_read || !changes)) {
        http_set_header_static(request, "Allow", only_read ? "GET, HEAD, OPTIONS" : "GET, HEAD, POST, PUT, DELETE, OPTIONS");
        sword_refuse(request, SWORD_ERROR_METHOD, "this method is not for the content of an item");
    } else if (sword->version == SWORD_1_3) {
        get_media_link(request);
    } else if (sword_find_item(request, uuid)) {
        if (!http_is_read(request))
            change(request);
        else if (feed || wants_feed(request))
            sword_get_feed(request);
        else
            get_content(request);
    }
}
