/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of communities and collections, and of what is no longer here. */
#include "format/percent.h"
#include "frontend/web/web_private.h"
#include "http/html.h"

#define HTML_TYPE "text/html; charset=utf-8"

/* ---- what machines find in the head ----------------------------------------------------------------------------- */

/* As a Link header and as an element of the page: SWORD clients look for the one, harvesters for the other. */
static void
put_link(struct http_request *request, const char *rel, struct text url)
{
    struct buffer *out = &web_of(request)->body;
    buffer_printf(out, "<link rel=\"%s\" href=\"", rel);
    html_append(out, url);
    buffer_append_string(out, "\">\n");
    web_add_link(request, url, rel, NULL);
}

void
web_put_discovery(struct http_request *request)
{
    const struct entity *entity = &web_of(request)->entity;
    put_link(request, "canonical", web_entity_url(request, entity));
    put_link(request, "sword", web_url(request, "sword/servicedocument"));
    put_link(request, "http://purl.org/net/sword/discovery/service-document", web_url(request, "swordv2/servicedocument"));
    if (entity->kind == ENTITY_COLLECTION)
        put_link(request, "http://purl.org/net/sword/terms/deposit",
                 web_url(request, "swordv2/collection/%.*s", TEXT_ARG(entity->handle)));
    if (entity->kind == ENTITY_ITEM)
        put_link(request, "http://purl.org/net/sword/terms/edit",
                 web_url(request, "swordv2/edit/%.*s", TEXT_ARG(entity->uuid)));
}

/* ---- a page of what is below --------------------------------------------------------------------------------------- */

struct children {
    struct http_request *request;
    struct text last; /* name of the last one shown */
    size_t count;
    bool more;
};

static bool
put_child(void *context, const struct entity *child)
{
    struct children *children = context;
    struct buffer *out = &web_of(children->request)->body;
    children->more = children->count == WEB_PAGE;
    if (children->more)
        return false;
    buffer_append_string(out, "<li>");
    html_append_link(out, web_entity_url(children->request, child), child->name.length > 0 ? child->name : TEXT("(no title)"));
    buffer_printf(out, " (%s)</li>\n", entity_kind_word(child->kind));
    children->last = child->resource.name;
    children->count++;
    return true;
}

static void
put_next(struct children *children)
{
    struct http_request *request = children->request;
    struct buffer url = {0};
    buffer_append_text(&url, web_entity_url(request, &web_of(request)->entity));
    buffer_append_string(&url, "?after=");
    percent_encode(&url, PERCENT_URI_QUERY, children->last);
    buffer_append_string(&web_of(request)->body, "<p>");
    html_append_link(&web_of(request)->body, buffer_text(&url), TEXT("next page"));
    buffer_append_string(&web_of(request)->body, "</p>\n");
    web_add_link(request, buffer_text(&url), "next", NULL);
    buffer_release(&url);
}

static enum error_code
make_container_page(struct http_request *request, struct error *error)
{
    struct web *web = web_of(request);
    struct children children = {.request = request};
    unsigned kinds = web->entity.kind == ENTITY_COLLECTION ? 1u << ENTITY_ITEM
                                                           : 1u << ENTITY_COMMUNITY | 1u << ENTITY_COLLECTION;
    html_begin(&web->body, web->entity.name);
    web_put_discovery(request);
    html_begin_body(&web->body, web->entity.name);
    buffer_append_string(&web->body, "<ul>\n");
    enum error_code code = repository_children(web->repository, web->view, web->entity.resource.id, kinds, web->after, 0,
                                               put_child, &children, error);
    buffer_append_string(&web->body, "</ul>\n");
    if (children.more)
        put_next(&children);
    html_end(&web->body);
    return code;
}

enum error_code
web_make_page(struct http_request *request, struct error *error)
{
    enum error_code code = web_find_entity(request, error);
    if (code != ERROR_NONE)
        return code;
    return web_of(request)->entity.kind == ENTITY_ITEM ? web_make_item_page(request, error)
                                                       : make_container_page(request, error);
}

/* ---- tombstones ------------------------------------------------------------------------------------------------------ */

bool
web_answer_tombstone(struct http_request *request)
{
    struct web *web = web_of(request);
    struct tombstone tombstone;
    bool is_page = web->media_type != NULL && strcmp(web->media_type, HTML_TYPE) == 0;
    if (!is_page || repository_tombstone(web->repository, web->scheme, web->name, request->arena, &tombstone, NULL) != ERROR_NONE)
        return false;
    buffer_clear(&web->body);
    html_begin(&web->body, TEXT("No longer here"));
    html_begin_body(&web->body, TEXT("No longer here"));
    buffer_printf(&web->body, "<p>%s.</p>\n", tombstone.withdrawn ? "It has been withdrawn" : "It has been deleted");
    if (tombstone.handle.length > 0) {
        buffer_append_string(&web->body, "<p>Its address was ");
        html_append(&web->body, repository_handle_uri(web->repository, tombstone.handle, request->arena));
        buffer_append_string(&web->body, "</p>\n");
    }
    if (tombstone.reason.length > 0) {
        buffer_append_string(&web->body, "<p>Reason: ");
        html_append(&web->body, tombstone.reason);
        buffer_append_string(&web->body, "</p>\n");
    }
    html_end(&web->body);
    http_set_header(request, "Content-Security-Policy", html_security_policy());
    http_set_header_static(request, "Content-Type", HTML_TYPE);
    http_answer_owned(request, 410, &web->body.data, web->body.length);
    web->body = (struct buffer){0};
    return true;
}

/* ---- routes ------------------------------------------------------------------------------------------------------------ */

/* "N.zip" is N as a zip. */
static void
page_or_zip(struct http_request *request)
{
    struct web *web = web_of(request);
    if (!text_ends_with(web->name, TEXT(".zip"))) {
        web_make(request, web_make_page, HTML_TYPE);
        return;
    }
    web->name.length -= 4;
    web_get_zip(request);
}

void
web_get_handle(struct http_request *request)
{
    struct web *web = web_of(request);
    web->scheme = "handle";
    web->name = text_from(arena_printf(request->arena, "%.*s/%.*s", TEXT_ARG(web->arguments[0]), TEXT_ARG(web->arguments[1])));
    if (!http_query(request, "after", &web->after))
        web->after = TEXT("");
    page_or_zip(request);
}

void
web_get_item(struct http_request *request)
{
    struct web *web = web_of(request);
    web->scheme = "uuid";
    web->name = web->arguments[0];
    web->after = TEXT("");
    page_or_zip(request);
}
