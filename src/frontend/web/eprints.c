/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses of EPrints: an item by its number, its files, and its metadata in a format. */
#include "format/date.h"
#include "frontend/web/web_private.h"

/* X("name in the address", "crosswalk", "media type"): formats of /cgi/export. */
#define EXPORT_FORMATS(X)                                                                          \
    X("XML", "ep3", "application/vnd.eprints.data+xml; charset=utf-8")                             \
    X("EP3", "ep3", "application/vnd.eprints.data+xml; charset=utf-8")                             \
    X("OAI_DC", "oai_dc", "application/xml; charset=utf-8")                                        \
    X("DC", "oai_dc", "application/xml; charset=utf-8")                                            \
    X("METS", "mets", "application/xml; charset=utf-8")                                            \
    X("MODS", "mods", "application/xml; charset=utf-8")                                            \
    X("DIDL", "didl", "application/xml; charset=utf-8")                                            \
    X("RDFXML", "rdf", "application/rdf+xml; charset=utf-8")

static void
redirect(struct http_request *request, unsigned status, struct text url)
{
    http_set_header(request, "Location", url);
    http_set_header_static(request, "Vary", "Accept");
    http_answer_empty(request, status);
}

void
web_get_number(struct http_request *request)
{
    redirect(request, 301, web_url(request, "id/eprint/%.*s/", TEXT_ARG(web_of(request)->arguments[0])));
}

/* To the page; to EP3 XML for who prefers that. */
void
web_get_eprint(struct http_request *request)
{
    struct web *web = web_of(request);
    struct text accept = request->headers[HTTP_HEADER_ACCEPT];
    struct error error = {0};
    web->scheme = "number";
    web->name = web->arguments[0];
    if (web_find_entity(request, &error) != ERROR_NONE) {
        web->media_type = "text/html; charset=utf-8"; /* of a tombstone */
        web_fail(request, &error);
        return;
    }
    bool wants_xml = accept.length > 0 && memmem(accept.data, accept.length, "vnd.eprints.data+xml", 20) != NULL;
    redirect(request, 303, wants_xml ? web_url(request, "cgi/export/eprint/%.*s/XML/%.*s.xml", TEXT_ARG(web->name), TEXT_ARG(web->name))
                                     : web_entity_url(request, &web->entity));
}

/* ---- metadata ------------------------------------------------------------------------------------------------- */

static const struct export_format {
    const char *name, *crosswalk, *media_type;
} formats[] = {
#define X(name, crosswalk, media_type) {name, crosswalk, media_type},
    EXPORT_FORMATS(X)
#undef X
};

static const struct export_format *
find_format(struct text name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (text_equal_ignoring_case(name, text_from(formats[i].name)))
            return &formats[i];
    return NULL;
}

/* As nobody in particular sees it: private fields never leave this way. */
static enum error_code
make_export(struct http_request *request, struct error *error)
{
    struct web *web = web_of(request);
    const struct export_format *format = find_format(web->arguments[1]);
    const struct principal anonymous = principal_anonymous();
    enum error_code code = web_find_entity(request, error);
    if (code == ERROR_NONE && web->entity.kind != ENTITY_ITEM)
        code = error_set(error, ERROR_NOT_FOUND, "only items are exported");
    if (code != ERROR_NONE)
        return code;
    struct record_options options = {.format = format->crosswalk, .identifier = web_entity_url(request, &web->entity),
                                     .base_url = request->base_url, .datestamp_us = web->entity.resource.modified_us};
    struct view *view;
    code = view_open(request->model, &anonymous, &view, error);
    if (code != ERROR_NONE)
        return code;
    code = repository_record(web->repository, view, web->entity.resource.id, &options, &web->body, error);
    view_close(view);
    web->modified_us = web->entity.resource.modified_us;
    return code;
}

void
web_get_export(struct http_request *request)
{
    struct web *web = web_of(request);
    const struct export_format *format = find_format(web->arguments[1]);
    struct error error = {0};
    web->scheme = "number";
    web->name = web->arguments[0];
    if (format != NULL) {
        web_make(request, make_export, format->media_type);
        return;
    }
    error_set(&error, ERROR_NOT_FOUND, "there is no format %.*s", TEXT_ARG(web->arguments[1]));
    web_fail(request, &error);
}
