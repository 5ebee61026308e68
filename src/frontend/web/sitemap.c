/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sitemaps (sitemaps.org 0.9) of what anybody may read, for crawlers: an index, and pages by number. A page stands for 50,000 numbers
 * and costs the same however many items there are; its address never changes.
 */
#include "format/date.h"
#include "frontend/web/web_private.h"
#include "xml/xml_write.h"

#define NUMBERS 50000u /* the most that a sitemap may have */
#define XML_TYPE "application/xml; charset=utf-8"

static struct xml_writer
begin_document(struct buffer *out, const char *root)
{
    struct xml_writer xml = xml_writer(out);
    xml_put_declaration(&xml);
    xml_begin_element(&xml, root);
    xml_put_attribute(&xml, "xmlns", TEXT("http://www.sitemaps.org/schemas/sitemap/0.9"));
    return xml;
}

static enum error_code
make_index(struct http_request *request, struct error *error)
{
    struct web *web = web_of(request);
    uint64_t last = 0;
    enum error_code code = repository_last_number(web->repository, web->view, &last, error);
    struct xml_writer xml = begin_document(&web->body, "sitemapindex");
    for (uint64_t page = 0; code == ERROR_NONE && page <= last / NUMBERS; page++) {
        xml_begin_element(&xml, "sitemap");
        xml_put_element(&xml, "loc", web_url(request, "sitemaps/%llu", (unsigned long long)page));
        xml_end_element(&xml);
    }
    xml_end_element(&xml);
    return code;
}

static enum error_code
put_number(struct http_request *request, struct xml_writer *xml, uint64_t number, struct error *error)
{
    struct web *web = web_of(request);
    struct text handle;
    int64_t stamp_us;
    char date[DATE_TEXT_SIZE];
    enum error_code code = repository_public_number(web->repository, web->view, number, &handle, &stamp_us, error);
    if (code != ERROR_NONE)
        return error_forgive(error, code, ERROR_NOT_FOUND);
    xml_begin_element(xml, "url");
    xml_put_element(xml, "loc", web_url(request, "handle/%.*s", TEXT_ARG(handle)));
    xml_put_element(xml, "lastmod", text_of(date, date_write(stamp_us, DATE_SECONDS, date)));
    xml_end_element(xml);
    return ERROR_NONE;
}

static enum error_code
make_page(struct http_request *request, struct error *error)
{
    struct web *web = web_of(request);
    uint64_t page = 0, last = 0;
    enum error_code code = repository_last_number(web->repository, web->view, &last, error);
    if (code == ERROR_NONE && (!text_to_u64(web->arguments[0], &page) || page > last / NUMBERS))
        code = error_set(error, ERROR_NOT_FOUND, "there is no sitemap %.*s", TEXT_ARG(web->arguments[0]));
    struct xml_writer xml = begin_document(&web->body, "urlset");
    for (uint64_t n = 0; code == ERROR_NONE && n < NUMBERS && page * NUMBERS + n <= last; n++) {
        code = put_number(request, &xml, page * NUMBERS + n, error);
        if (n % 256 == 0)
            arena_reset(view_arena(web->view));
    }
    xml_end_element(&xml);
    return code;
}

void
web_get_sitemaps(struct http_request *request)
{
    web_make(request, make_index, XML_TYPE);
}

void
web_get_sitemap(struct http_request *request)
{
    web_make(request, make_page, XML_TYPE);
}

void
web_get_robots(struct http_request *request)
{
    struct text url = web_url(request, "sitemap.xml");
    char *body = arena_printf(request->arena, "User-agent: *\nDisallow: /rest/\nDisallow: /cgi/\nSitemap: %.*s\n", TEXT_ARG(url));
    http_answer_text(request, 200, "text/plain; charset=utf-8", text_from(body));
}
