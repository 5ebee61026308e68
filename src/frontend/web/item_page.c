/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of an item: its fields and files for people; for machines the tags that scholarly search engines read, JSON-LD of
 * schema.org, and Signposting's typed links, the whole set as a document of its own (RFC 9264).
 */
#include "format/json.h"
#include "frontend/web/web_private.h"
#include "http/html.h"

#define LINKED_FILES 20u /* in the Link header; the linkset has all */

/* X("tag", "element", "qualifier" of schema dc; "*" any), after DSpace's map. */
#define CITATION_TAGS(X)                                                                           \
    X("citation_title", "title", "")                                                               \
    X("citation_author", "contributor", "author")                                                  \
    X("citation_date", "date", "issued")                                                           \
    X("citation_publication_date", "date", "issued")                                               \
    X("citation_publisher", "publisher", "*")                                                      \
    X("citation_language", "language", "iso")                                                      \
    X("citation_keywords", "subject", "*")                                                         \
    X("citation_doi", "identifier", "doi")                                                         \
    X("citation_issn", "identifier", "issn")                                                       \
    X("citation_isbn", "identifier", "isbn")

struct item_page {
    struct http_request *request;
    const struct entity *item;
    struct fields fields;
    struct bitstream *files;
    size_t count, capacity;
};

/* ---- what is shown ------------------------------------------------------------------------------------------------- */

static bool
take_file(void *context, const struct bitstream *file)
{
    struct item_page *page = context;
    if (!text_equal(file->bundle, TEXT("ORIGINAL")) && !text_equal(file->bundle, TEXT("LICENSE")))
        return true;
    if (page->count == page->capacity) {
        struct arena *arena = view_arena(web_of(page->request)->view);
        size_t capacity = page->capacity == 0 ? 16 : page->capacity * 2;
        struct bitstream *files = arena_alloc(arena, capacity * sizeof *files);
        if (files == NULL)
            return false; /* the arena remembers */
        if (page->count > 0)
            memcpy(files, page->files, page->count * sizeof *files);
        page->files = files;
        page->capacity = capacity;
    }
    page->files[page->count++] = *file;
    return true;
}

static enum error_code
load(struct http_request *request, struct item_page *page, struct error *error)
{
    struct web *web = web_of(request);
    *page = (struct item_page){.request = request, .item = &web->entity};
    web->modified_us = web->entity.resource.modified_us;
    enum error_code code = repository_fields(web->repository, web->view, page->item, web_sees_all(request, page->item),
                                             &page->fields, error);
    if (code == ERROR_NONE)
        code = repository_bitstreams(web->repository, web->view, page->item, TEXT(""), take_file, page, error);
    return code != ERROR_NONE ? code : arena_status(view_arena(web->view), error);
}

static struct text
file_url(const struct item_page *page, const struct bitstream *file)
{
    return web_url(page->request, "bitstreams/%.*s/download", TEXT_ARG(file->uuid));
}

static bool
is_pdf(const struct bitstream *file)
{
    return text_equal(file->bundle, TEXT("ORIGINAL")) && text_starts_with(file->resource.media_type, TEXT("application/pdf"));
}

/* What a citation points at: the primary file if it is a PDF, else the first PDF. */
static const struct bitstream *
pdf_of(const struct item_page *page)
{
    const struct bitstream *found = NULL;
    for (size_t i = 0; i < page->count; i++)
        if (is_pdf(&page->files[i]) && (found == NULL || (page->files[i].primary && !found->primary)))
            found = &page->files[i];
    return found;
}

static bool
is_field(const struct field *field, const char *element, const char *qualifier)
{
    return text_equal(field->schema, TEXT("dc")) && text_equal(field->element, text_from(element)) &&
           (strcmp(qualifier, "*") == 0 || text_equal(field->qualifier, text_from(qualifier)));
}

static bool
is_web_address(struct text text)
{
    return text_starts_with(text, TEXT("https://")) || text_starts_with(text, TEXT("http://"));
}

/* ---- tags of citations ------------------------------------------------------------------------------------------------ */

static void
put_tag(struct buffer *out, const char *name, struct text value)
{
    buffer_printf(out, "<meta name=\"%s\" content=\"", name);
    html_append(out, value);
    buffer_append_string(out, "\">\n");
}

static void
put_tags(const struct item_page *page, struct buffer *out)
{
    static const struct {
        const char *tag, *element, *qualifier;
    } map[] = {
#define X(tag, element, qualifier) {tag, element, qualifier},
        CITATION_TAGS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof map / sizeof map[0]; i++)
        for (size_t f = 0; f < page->fields.count; f++)
            if (is_field(&page->fields.items[f], map[i].element, map[i].qualifier))
                put_tag(out, map[i].tag, page->fields.items[f].value);
    put_tag(out, "citation_abstract_html_url", web_entity_url(page->request, page->item));
    const struct bitstream *pdf = pdf_of(page);
    if (pdf != NULL)
        put_tag(out, "citation_pdf_url", file_url(page, pdf));
}

/* ---- JSON-LD ------------------------------------------------------------------------------------------------------------ */

static void
put_values(const struct item_page *page, struct json_writer *w, const char *key, const char *element, const char *qualifier,
           const char *type)
{
    json_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < page->fields.count; i++) {
        const struct field *field = &page->fields.items[i];
        if (!is_field(field, element, qualifier))
            continue;
        if (type == NULL) {
            json_put_text(w, field->value);
            continue;
        }
        json_begin_object(w);
        json_member_string(w, "@type", type);
        json_member_text(w, "name", field->value);
        if (is_web_address(field->authority))
            json_member_text(w, "@id", field->authority);
        json_end_object(w);
    }
    json_end_array(w);
}

static void
put_encodings(const struct item_page *page, struct json_writer *w)
{
    json_key(w, "encoding");
    json_begin_array(w);
    for (size_t i = 0; i < page->count; i++) {
        const struct bitstream *file = &page->files[i];
        json_begin_object(w);
        json_member_string(w, "@type", "MediaObject");
        json_member_text(w, "name", file->path);
        json_member_text(w, "contentUrl", file_url(page, file));
        json_member_text(w, "encodingFormat", file->resource.media_type);
        json_member_u64(w, "contentSize", file->resource.size_bytes);
        json_end_object(w);
    }
    json_end_array(w);
}

/* A block of data, which no browser runs; "<" is written as an escape so that no value ends it. */
static void
put_json_ld(const struct item_page *page, struct buffer *out)
{
    struct buffer json = {0};
    struct json_writer w = json_writer(&json);
    json_begin_object(&w);
    json_member_string(&w, "@context", "https://schema.org");
    json_member_string(&w, "@type", "CreativeWork");
    json_member_text(&w, "url", web_entity_url(page->request, page->item));
    json_member_text(&w, "name", page->item->name);
    put_values(page, &w, "author", "contributor", "author", "Person");
    put_values(page, &w, "publisher", "publisher", "*", "Organization");
    put_values(page, &w, "datePublished", "date", "issued", NULL);
    put_values(page, &w, "description", "description", "abstract", NULL);
    put_values(page, &w, "inLanguage", "language", "iso", NULL);
    put_values(page, &w, "keywords", "subject", "*", NULL);
    put_values(page, &w, "identifier", "identifier", "*", NULL);
    put_values(page, &w, "license", "rights", "uri", NULL);
    put_encodings(page, &w);
    json_end_object(&w);
    buffer_append_string(out, "<script type=\"application/ld+json\">");
    for (size_t i = 0; i < json.length; i++)
        if (json.data[i] == '<')
            buffer_append_string(out, "\\u003c");
        else
            buffer_append_char(out, json.data[i]);
    buffer_append_string(out, "</script>\n");
    if (json.status != ERROR_NONE)
        out->status = json.status;
    buffer_release(&json);
}

/* ---- Signposting -------------------------------------------------------------------------------------------------------- */

typedef void put_target(void *context, const char *rel, struct text url, const char *type);

/* Every typed link of the page but its files. */
static void
visit_links(const struct item_page *page, put_target *put, void *context)
{
    struct web *web = web_of(page->request);
    put(context, "type", TEXT("https://schema.org/AboutPage"), NULL);
    if (page->item->state == ITEM_ARCHIVED) {
        unsigned long long number = page->item->number;
        put(context, "describedby", web_url(page->request, "cgi/export/eprint/%llu/DC/%llu.xml", number, number), "application/xml");
        put(context, "describedby", web_url(page->request, "cgi/export/eprint/%llu/METS/%llu.xml", number, number), "application/xml");
    }
    if (page->item->handle.length > 0)
        put(context, "cite-as", repository_handle_uri(web->repository, page->item->handle, page->request->arena), NULL);
    for (size_t i = 0; i < page->fields.count; i++) {
        const struct field *field = &page->fields.items[i];
        if (is_field(field, "contributor", "author") && is_web_address(field->authority))
            put(context, "author", field->authority, NULL);
        if (is_field(field, "rights", "uri") && is_web_address(field->value))
            put(context, "license", field->value, NULL);
    }
}

static void
put_header_link(void *context, const char *rel, struct text url, const char *type)
{
    bool is_safe = true; /* what a person typed must not end the <…> */
    for (size_t i = 0; i < url.length; i++)
        is_safe &= url.data[i] > ' ' && url.data[i] < 0x7F && url.data[i] != '<' && url.data[i] != '>';
    if (is_safe)
        web_add_link(context, url, rel, type);
}

static void
add_links(const struct item_page *page)
{
    visit_links(page, put_header_link, page->request);
    for (size_t i = 0; i < page->count && i < LINKED_FILES; i++)
        web_add_link(page->request, file_url(page, &page->files[i]), "item", NULL);
    web_add_link(page->request, web_url(page->request, "items/%.*s/linkset", TEXT_ARG(page->item->uuid)), "linkset",
                 "application/linkset+json");
}

/* Of one relation, all targets in one array, which begins with the first. */
struct relation {
    struct json_writer *w;
    const char *rel;
    bool begun;
};

static void
put_if_related(void *context, const char *rel, struct text url, const char *type)
{
    struct relation *relation = context;
    if (strcmp(rel, relation->rel) != 0)
        return;
    if (!relation->begun) {
        json_key(relation->w, rel);
        json_begin_array(relation->w);
        relation->begun = true;
    }
    json_begin_object(relation->w);
    json_member_text(relation->w, "href", url);
    if (type != NULL)
        json_member_string(relation->w, "type", type);
    json_end_object(relation->w);
}

static void
put_item_links(const struct item_page *page, struct json_writer *w)
{
    if (page->count == 0)
        return;
    json_key(w, "item");
    json_begin_array(w);
    for (size_t i = 0; i < page->count; i++) {
        json_begin_object(w);
        json_member_text(w, "href", file_url(page, &page->files[i]));
        if (page->files[i].resource.media_type.length > 0)
            json_member_text(w, "type", page->files[i].resource.media_type);
        json_end_object(w);
    }
    json_end_array(w);
}

static enum error_code
make_linkset(struct http_request *request, struct error *error)
{
    static const char *const relations[] = {"type", "cite-as", "describedby", "author", "license"};
    struct item_page page;
    struct json_writer w = json_writer(&web_of(request)->body);
    enum error_code code = web_find_entity(request, error);
    if (code == ERROR_NONE && web_of(request)->entity.kind != ENTITY_ITEM)
        code = error_set(error, ERROR_NOT_FOUND, "only items have a linkset");
    if (code == ERROR_NONE)
        code = load(request, &page, error);
    if (code != ERROR_NONE)
        return code;
    json_begin_object(&w);
    json_key(&w, "linkset");
    json_begin_array(&w);
    json_begin_object(&w);
    json_member_text(&w, "anchor", web_entity_url(request, page.item));
    for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++) {
        struct relation relation = {&w, relations[i], false};
        visit_links(&page, put_if_related, &relation);
        if (relation.begun)
            json_end_array(&w);
    }
    put_item_links(&page, &w);
    json_end_object(&w);
    json_end_array(&w);
    json_end_object(&w);
    return ERROR_NONE;
}

void
web_get_linkset(struct http_request *request)
{
    struct web *web = web_of(request);
    web->scheme = "uuid";
    web->name = web->arguments[0];
    web_make(request, make_linkset, "application/linkset+json");
}

/* ---- for people ----------------------------------------------------------------------------------------------------------- */

static void
put_fields(const struct item_page *page, struct buffer *out)
{
    buffer_append_string(out, "<dl>\n");
    for (size_t i = 0; i < page->fields.count; i++) {
        const struct field *field = &page->fields.items[i];
        buffer_append_string(out, "<dt>");
        html_append(out, field_attribute(field, view_arena(web_of(page->request)->view)));
        buffer_append_string(out, field->language.length > 0 ? "</dt><dd lang=\"" : "</dt><dd>");
        if (field->language.length > 0) {
            html_append(out, field->language);
            buffer_append_string(out, "\">");
        }
        if (is_web_address(field->value))
            html_append_link(out, field->value, field->value);
        else
            html_append(out, field->value);
        buffer_append_string(out, "</dd>\n");
    }
    buffer_append_string(out, "</dl>\n");
}

static void
put_files(const struct item_page *page, struct buffer *out)
{
    if (page->count == 0)
        return;
    buffer_append_string(out, "<h2>Files</h2>\n<ul>\n");
    for (size_t i = 0; i < page->count; i++) {
        const struct bitstream *file = &page->files[i];
        buffer_append_string(out, "<li>");
        html_append_link(out, file_url(page, file), file->path);
        buffer_printf(out, " %llu bytes ", (unsigned long long)file->resource.size_bytes);
        html_append(out, file->description);
        buffer_append_string(out, "</li>\n");
    }
    buffer_append_string(out, "</ul>\n");
}

enum error_code
web_make_item_page(struct http_request *request, struct error *error)
{
    struct item_page page;
    struct buffer *out = &web_of(request)->body;
    enum error_code code = load(request, &page, error);
    if (code != ERROR_NONE)
        return code;
    struct text title = page.item->name.length > 0 ? page.item->name : TEXT("(no title)");
    html_begin(out, title);
    web_put_discovery(request);
    add_links(&page);
    put_tags(&page, out);
    put_json_ld(&page, out);
    html_begin_body(out, title);
    if (page.item->state != ITEM_ARCHIVED)
        buffer_printf(out, "<p>%s</p>\n", item_state_sentence(page.item->state));
    put_fields(&page, out);
    put_files(&page, out);
    html_end(out);
    return ERROR_NONE;
}
