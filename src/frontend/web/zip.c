/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many files at once: an item, a collection, or a list of both, as one zip. What the reader may not have is named in MISSING.txt within:
 * a zip never quietly lacks files. Items lie in folders of their own, "PREFIX-N/", unless one item is all that was asked for.
 */
#include "format/json.h"
#include "frontend/web/web_private.h"
#include "http/zip_answer.h"

#define LIST_BYTES_MAXIMUM (1u << 20)
#define LIST_ARENA_BYTES (512u << 20)
#define MISSING_NAME "MISSING.txt"

struct zip_request {
    struct zip_answer zip;
    struct arena arena; /* of its list */
    struct web *web;
    struct buffer names, missing; /* names: what was asked for, a line each */
    struct text folder;           /* of the item that is listed: "" or "PREFIX-N/" */
    bool folders;
    struct error *error;
    enum error_code code;
};

/* ---- the list ------------------------------------------------------------------------------------------------- */

static struct text
member_name(struct zip_request *self, const struct bitstream *file)
{
    bool original = text_equal(file->bundle, TEXT("ORIGINAL"));
    return text_from(arena_printf(&self->arena, "%.*s%.*s%s%.*s", TEXT_ARG(self->folder), original ? 0 : (int)file->bundle.length,
                                  file->bundle.data, original ? "" : "/", TEXT_ARG(file->path)));
}

static bool
add_file(void *context, const struct bitstream *file)
{
    struct zip_request *self = context;
    if (!text_equal(file->bundle, TEXT("ORIGINAL")) && !text_equal(file->bundle, TEXT("LICENSE")))
        return true;
    struct text name = member_name(self, file);
    struct error why = {0};
    if (view_require(self->web->view, &file->resource, RIGHT_READ, &why) != ERROR_NONE)
        buffer_printf(&self->missing, "%.*s\t%s\n", TEXT_ARG(name), why.message);
    else
        self->code = zip_answer_add(&self->zip, name, &file->resource, self->error);
    return self->code == ERROR_NONE;
}

static bool
add_item(void *context, const struct entity *item)
{
    struct zip_request *self = context;
    if (item->state != ITEM_ARCHIVED)
        return true;
    const char *slash = memchr(item->handle.data, '/', item->handle.length);
    size_t before = slash == NULL ? item->handle.length : (size_t)(slash - item->handle.data);
    self->folder = TEXT("");
    if (self->folders)
        self->folder = text_from(arena_printf(&self->arena, "%.*s-%.*s/", (int)before, item->handle.data,
                                              slash == NULL ? 0 : (int)(item->handle.length - before - 1), slash == NULL ? "" : slash + 1));
    struct text folder = self->folder;
    for (size_t i = 0; i < folder.length - (folder.length > 0); i++) /* a handle may have more slashes */
        if (folder.data[i] == '/')
            ((char *)(uintptr_t)folder.data)[i] = '-';
    enum error_code code =
        repository_bitstreams(self->web->repository, self->web->view, item, TEXT(""), add_file, self, self->error);
    if (self->code == ERROR_NONE)
        self->code = code;
    return self->code == ERROR_NONE;
}

static void
add_entity(struct zip_request *self, const struct entity *entity)
{
    struct web *web = self->web;
    if (entity->kind == ENTITY_ITEM) {
        (void)add_item(self, entity);
        return;
    }
    if (entity->kind == ENTITY_COMMUNITY) {
        buffer_printf(&self->missing, "%.*s\tis a community\n", TEXT_ARG(entity->handle));
        return;
    }
    enum error_code code = repository_children(web->repository, web->view, entity->resource.id, 1u << ENTITY_ITEM, TEXT(""), 0,
                                               add_item, self, self->error);
    if (self->code == ERROR_NONE)
        self->code = code;
}

static void
add_name(struct zip_request *self, struct text name)
{
    struct web *web = self->web;
    struct entity entity;
    struct error why = {0};
    enum error_code code = repository_by_handle(web->repository, web->view, name, &entity, &why);
    if (code == ERROR_NOT_FOUND)
        code = repository_by_uuid(web->repository, web->view, name, &entity, &why);
    if (code == ERROR_NONE)
        add_entity(self, &entity);
    else
        buffer_printf(&self->missing, "%.*s\t%s\n", TEXT_ARG(name), why.message);
}

static enum error_code
make_list(struct http_request *request, struct zip_request *self, struct error *error)
{
    self->error = error;
    if (self->names.length == 0) {
        enum error_code code = web_find_entity(request, error);
        if (code != ERROR_NONE)
            return code;
        if (self->web->entity.kind == ENTITY_COMMUNITY)
            return error_set(error, ERROR_NOT_FOUND, "items and collections come as zips, communities do not");
        self->folders = self->web->entity.kind != ENTITY_ITEM;
        add_entity(self, &self->web->entity);
    }
    for (struct text rest = buffer_text(&self->names); rest.length > 0 && self->code == ERROR_NONE;) {
        struct text name = text_trim(text_cut(rest, '\n', &rest));
        if (name.length > 0)
            add_name(self, name);
    }
    if (self->code == ERROR_NONE && self->missing.length > 0)
        self->code = zip_answer_add_bytes(&self->zip, TEXT(MISSING_NAME), buffer_text(&self->missing), error);
    if (self->code == ERROR_NONE)
        self->code = buffer_status(&self->missing, error);
    return self->code != ERROR_NONE ? self->code : zip_answer_prepare(&self->zip, request, error);
}

/* ---- the answer ----------------------------------------------------------------------------------------------- */

static void
work(struct http_request *request)
{
    struct web *web = web_of(request);
    (void)!make_list(request, web->zip, &web->error);
}

static void
finish(struct http_request *request)
{
    struct web *web = web_of(request);
    struct text name = web->zip->names.length > 0 ? TEXT("download.zip") : web_file_name(request, web->name, ".zip");
    if (web->error.code != ERROR_NONE) {
        zip_answer_release(&web->zip->zip);
        web_fail(request, &web->error);
        return;
    }
    zip_answer_send(&web->zip->zip, request, name);
}

static struct zip_request *
begin(struct http_request *request)
{
    struct web *web = web_of(request);
    web->zip = arena_alloc(request->arena, sizeof *web->zip);
    if (web->zip == NULL) {
        http_refuse(request, 503, ERROR_NO_MEMORY, "out of memory");
        return NULL;
    }
    web->zip->web = web;
    arena_init(&web->zip->arena, LIST_ARENA_BYTES);
    zip_answer_init(&web->zip->zip, web->view, &web->zip->arena);
    return web->zip;
}

static void
start(struct http_request *request)
{
    struct error error = {0};
    if (http_work(request, work, finish, &error) != ERROR_NONE)
        web_fail(request, &error);
}

void
web_zip_release(struct zip_request *self)
{
    if (self == NULL)
        return;
    buffer_release(&self->names);
    buffer_release(&self->missing);
    arena_release(&self->arena);
}

void
web_get_zip(struct http_request *request)
{
    if (begin(request) != NULL)
        start(request);
}

/* ---- a list of names ------------------------------------------------------------------------------------------ */

static bool
take_piece(struct http_request *request, const void *data, size_t length)
{
    struct buffer *names = &web_of(request)->zip->names;
    if (names->length + length <= LIST_BYTES_MAXIMUM) {
        buffer_append(names, data, length);
        return true;
    }
    http_refuse(request, 413, ERROR_LIMIT, "a list has %u bytes at most", LIST_BYTES_MAXIMUM);
    return false;
}

/* A JSON array of texts, or a name a line. */
static bool
read_names(struct http_request *request)
{
    struct zip_request *self = web_of(request)->zip;
    struct text type = request->headers[HTTP_HEADER_CONTENT_TYPE];
    struct json *list;
    struct buffer lines = {0};
    struct error error = {0};
    if (type.length > 0 && text_starts_with(type, TEXT("application/json"))) {
        if (json_parse(request->arena, buffer_text(&self->names), &list, &error) != ERROR_NONE || list->kind != JSON_ARRAY) {
            http_refuse(request, 400, ERROR_INVALID, "a list of handles or UUIDs is a JSON array of texts");
            return false;
        }
        json_each (name, list) {
            struct text text = TEXT("");
            (void)json_text(name, &text);
            buffer_printf(&lines, "%.*s\n", TEXT_ARG(text));
        }
        buffer_release(&self->names);
        self->names = lines;
    }
    if (text_trim(buffer_text(&self->names)).length > 0)
        return true;
    http_refuse(request, 400, ERROR_INVALID, "handles or UUIDs are wanted, one a line, or as a JSON array");
    return false;
}

static void
whole(struct http_request *request)
{
    web_of(request)->zip->folders = true;
    if (read_names(request))
        start(request);
}

void
web_post_zip(struct http_request *request)
{
    if (begin(request) != NULL)
        http_receive(request, take_piece, whole);
}
