/* SPDX-License-Identifier: Apache-2.0 */
/* Records, headers, sets and formats: one page each, by keys. */
#include "format/date.h"
#include "frontend/oai/oai_private.h"

#define SET_NAMES 64u /* remembered for one page */

/* The names of a page's sets: few sets, many headers. */
struct set_names {
    struct http_request *request;
    struct {
        uint64_t id;
        struct text name;
    } known[SET_NAMES];
    size_t count;
};

struct page {
    struct http_request *request;
    struct set_names names;
    struct harvest_stamp stamps[OAI_PAGE];
    size_t count;
    bool more;
};

/* ---- identifiers ------------------------------------------------------------------------------------- */

/* "oai:repository.example.org:123456789/1007" */
static struct text
identifier_of(struct http_request *request, uint64_t id)
{
    struct oai_request *oai = oai_of(request);
    struct text handle = TEXT(""), prefix = repository_options(oai->repository)->oai_identifier;
    struct buffer text = {0};
    (void)!view_identifier(oai->view, id, TEXT("handle"), &handle, &oai->error);
    buffer_printf(&text, "oai:%.*s:%.*s", TEXT_ARG(prefix), TEXT_ARG(handle));
    struct text result = arena_copy(request->arena, buffer_text(&text));
    buffer_release(&text);
    return result;
}

bool
oai_find_record(struct http_request *request, struct text identifier, uint64_t *ret_id)
{
    struct oai_request *oai = oai_of(request);
    struct text prefix = repository_options(oai->repository)->oai_identifier, scheme, rest;
    struct harvest_stamp stamp;
    scheme = text_cut(identifier, ':', &rest);
    if (!text_equal(scheme, TEXT("oai")) || rest.length <= prefix.length || !text_starts_with(rest, prefix) ||
        rest.data[prefix.length] != ':')
        return false;
    struct text handle = text_of(rest.data + prefix.length + 1, rest.length - prefix.length - 1);
    return view_identified(oai->view, TEXT("handle"), handle, ret_id, NULL) == ERROR_NONE &&
           view_harvest_stamp(oai->view, *ret_id, &stamp, NULL) == ERROR_NONE;
}

/* ---- headers and records -------------------------------------------------------------------------------- */

static struct text
set_name(struct set_names *names, uint64_t id)
{
    struct text name = TEXT("");
    for (size_t i = 0; i < names->count; i++)
        if (names->known[i].id == id)
            return names->known[i].name;
    if (view_identifier(oai_of(names->request)->view, id, TEXT("set"), &name, NULL) != ERROR_NONE)
        return TEXT("");
    if (names->count < SET_NAMES) {
        names->known[names->count].id = id;
        names->known[names->count++].name = name;
    }
    return name;
}

static void
put_header(struct page *page, const struct harvest_stamp *stamp, struct text identifier)
{
    struct oai_request *oai = oai_of(page->request);
    xml_begin_element(&oai->xml, "header");
    if (!stamp->live)
        xml_put_attribute(&oai->xml, "status", TEXT("deleted"));
    xml_put_element(&oai->xml, "identifier", identifier);
    oai_put_time(oai, "datestamp", stamp->time_us);
    for (size_t i = 0; i < stamp->set_count; i++) {
        struct text name = set_name(&page->names, stamp->sets[i]);
        if (name.length > 0)
            xml_put_element(&oai->xml, "setSpec", name);
    }
    xml_end_element(&oai->xml);
}

/* False: nobody may see it any more, and followers have not told harvesters yet. */
static bool
make_metadata(struct page *page, const struct harvest_stamp *stamp, struct text identifier, struct buffer *metadata)
{
    struct oai_request *oai = oai_of(page->request);
    struct error error = {0};
    struct record_options options = {.format = oai_format_prefix(oai->place.format),
                                     .identifier = identifier,
                                     .base_url = page->request->base_url,
                                     .datestamp_us = stamp->time_us};
    switch ((int)repository_record(oai->repository, oai->view, stamp->id, &options, metadata, &error)) {
    case ERROR_NONE:
        return true;
    case ERROR_NOT_FOUND:
    case ERROR_GONE:
    case ERROR_UNAUTHENTICATED:
    case ERROR_DENIED:
        return false;
    default:
        oai->error = error;
        return false;
    }
}

/* oai->error says when it fails. */
static void
put_record(struct page *page, const struct harvest_stamp *stamp)
{
    struct oai_request *oai = oai_of(page->request);
    struct harvest_stamp shown = *stamp;
    struct text identifier = identifier_of(page->request, stamp->id);
    struct buffer metadata = {0};
    if (stamp->live)
        shown.live = make_metadata(page, stamp, identifier, &metadata);
    xml_begin_element(&oai->xml, "record");
    put_header(page, &shown, identifier);
    if (shown.live) {
        xml_begin_element(&oai->xml, "metadata");
        xml_put_raw(&oai->xml, buffer_text(&metadata));
        xml_end_element(&oai->xml);
    }
    xml_end_element(&oai->xml);
    buffer_release(&metadata);
}

/* ---- resumption ---------------------------------------------------------------------------------------- */

/* After a page: a token when more follows; an empty one at the end of a list that had one; else none. */
static void
put_token(struct http_request *request, const struct oai_place *next, bool more)
{
    struct oai_request *oai = oai_of(request);
    char date[DATE_TEXT_SIZE];
    if (!more && oai->place.cursor == 0)
        return;
    xml_begin_element(&oai->xml, "resumptionToken");
    if (more) {
        size_t length = date_write(next->expires_us, DATE_SECONDS, date);
        xml_put_attribute(&oai->xml, "expirationDate", text_of(date, length));
    }
    xml_put_attribute_u64(&oai->xml, "cursor", oai->place.cursor);
    if (more)
        xml_put_text(&oai->xml, oai_token_write(request, next));
    xml_end_element(&oai->xml);
}

/* Tokens of one harvest expire together: the same token is the same bytes whenever it is asked for. */
static struct oai_place
next_place(const struct oai_request *oai, size_t shown)
{
    struct oai_place next = oai->place;
    next.cursor += shown;
    if (next.expires_us == 0)
        next.expires_us = oai->now_us + OAI_TOKEN_LIFE_US;
    return next;
}

/* ---- lists of records ------------------------------------------------------------------------------------ */

static bool
take_stamp(void *context, const struct harvest_stamp *stamp)
{
    struct page *page = context;
    if (page->count == OAI_PAGE) {
        page->more = true;
        return false;
    }
    struct harvest_stamp *kept = &page->stamps[page->count++];
    uint64_t *sets = arena_alloc(page->request->arena, (stamp->set_count + 1) * sizeof *sets);
    *kept = *stamp;
    if (sets == NULL)
        kept->set_count = 0;
    else if (stamp->set_count > 0)
        memcpy(sets, stamp->sets, stamp->set_count * sizeof *sets);
    kept->sets = sets;
    return true;
}

/* The set of the arguments as an id. False: there is no such set. */
static bool
find_set(struct oai_request *oai)
{
    struct text set = oai->arguments[OAI_ARGUMENT_SET];
    return set.data == NULL ||
           view_identified(oai->view, TEXT("set"), set, &oai->place.range.set, NULL) == ERROR_NONE;
}

static void
put_page(struct page *page)
{
    struct oai_request *oai = oai_of(page->request);
    for (size_t i = 0; i < page->count && oai->error.code == ERROR_NONE; i++) {
        if (oai->verb == OAI_LIST_RECORDS)
            put_record(page, &page->stamps[i]);
        else
            put_header(page, &page->stamps[i], identifier_of(page->request, page->stamps[i].id));
    }
    struct oai_place next = next_place(oai, page->count);
    next.range.after_us = page->stamps[page->count - 1].time_us;
    next.range.after_id = page->stamps[page->count - 1].id;
    put_token(page->request, &next, page->more);
}

void
oai_list_records(struct http_request *request)
{
    struct oai_request *oai = oai_of(request);
    struct page *page = arena_alloc(request->arena, sizeof *page);
    if (page == NULL) {
        error_set(&oai->error, ERROR_NO_MEMORY, "out of memory");
        return;
    }
    page->request = page->names.request = request;
    if (find_set(oai) && view_harvest(oai->view, &oai->place.range, take_stamp, page, &oai->error) != ERROR_NONE)
        return;
    if (page->count == 0) {
        oai_set_fault(oai, OAI_NO_RECORDS_MATCH, "no record matches");
        return;
    }
    const char *element = oai->verb == OAI_LIST_RECORDS ? "ListRecords" : "ListIdentifiers";
    xml_begin_element(&oai->xml, element);
    put_page(page);
    xml_end_element(&oai->xml);
}

/* ---- one record -------------------------------------------------------------------------------------------- */

void
oai_get_record(struct http_request *request)
{
    struct oai_request *oai = oai_of(request);
    struct page *page = arena_alloc(request->arena, sizeof *page);
    uint64_t id;
    struct harvest_stamp stamp;
    if (page == NULL) {
        error_set(&oai->error, ERROR_NO_MEMORY, "out of memory");
        return;
    }
    page->request = page->names.request = request;
    if (!oai_find_record(request, oai->arguments[OAI_ARGUMENT_IDENTIFIER], &id)) {
        oai_set_fault(oai, OAI_ID_DOES_NOT_EXIST, "there is no record with this identifier");
        return;
    }
    if (view_harvest_stamp(oai->view, id, &stamp, &oai->error) != ERROR_NONE)
        return;
    xml_begin_element(&oai->xml, "GetRecord");
    put_record(page, &stamp);
    xml_end_element(&oai->xml);
}

/* ---- sets --------------------------------------------------------------------------------------------------- */

struct set_page {
    struct http_request *request;
    struct {
        uint64_t id;
        struct text spec, name;
    } sets[OAI_PAGE];
    size_t count;
    bool more;
};

static bool
take_set(void *context, struct text spec, uint64_t id)
{
    struct set_page *page = context;
    struct oai_request *oai = oai_of(page->request);
    struct entity entity;
    if (repository_by_id(oai->repository, oai->view, id, &entity, NULL) != ERROR_NONE)
        return true; /* deleted, or not for everyone */
    if (page->count == OAI_PAGE) {
        page->more = true;
        return false;
    }
    page->sets[page->count].id = id;
    page->sets[page->count].spec = arena_copy(page->request->arena, spec);
    page->sets[page->count++].name = entity.name;
    return true;
}

void
oai_list_sets(struct http_request *request)
{
    struct oai_request *oai = oai_of(request);
    struct set_page *page = arena_alloc(request->arena, sizeof *page);
    struct text after = TEXT("");
    if (page == NULL) {
        error_set(&oai->error, ERROR_NO_MEMORY, "out of memory");
        return;
    }
    page->request = request;
    if (oai->place.range.after_id != 0)
        (void)!view_identifier(oai->view, oai->place.range.after_id, TEXT("set"), &after, NULL);
    if (view_identifiers(oai->view, TEXT("set"), after, take_set, page, &oai->error) != ERROR_NONE)
        return;
    if (page->count == 0 && oai->place.cursor == 0) {
        oai_set_fault(oai, OAI_NO_SET_HIERARCHY, "there are no sets yet");
        return;
    }
    xml_begin_element(&oai->xml, "ListSets");
    for (size_t i = 0; i < page->count; i++) {
        xml_begin_element(&oai->xml, "set");
        xml_put_element(&oai->xml, "setSpec", page->sets[i].spec);
        xml_put_element(&oai->xml, "setName", page->sets[i].name);
        xml_end_element(&oai->xml);
    }
    struct oai_place next = next_place(oai, page->count);
    next.range.after_id = page->count > 0 ? page->sets[page->count - 1].id : 0;
    put_token(request, &next, page->more);
    xml_end_element(&oai->xml);
}

/* ---- formats -------------------------------------------------------------------------------------------------- */

static void
put_format(struct oai_request *oai, const char *prefix, const char *schema, const char *namespace_uri)
{
    xml_begin_element(&oai->xml, "metadataFormat");
    xml_put_element(&oai->xml, "metadataPrefix", text_from(prefix));
    xml_put_element(&oai->xml, "schema", text_from(schema));
    xml_put_element(&oai->xml, "metadataNamespace", text_from(namespace_uri));
    xml_end_element(&oai->xml);
}

void
oai_list_metadata_formats(struct http_request *request)
{
    struct oai_request *oai = oai_of(request);
    struct text identifier = oai->arguments[OAI_ARGUMENT_IDENTIFIER];
    uint64_t id;
    if (identifier.data != NULL && !oai_find_record(request, identifier, &id)) {
        oai_set_fault(oai, OAI_ID_DOES_NOT_EXIST, "there is no record with this identifier");
        return;
    }
    xml_begin_element(&oai->xml, "ListMetadataFormats");
#define X(prefix, schema, namespace) put_format(oai, #prefix, schema, namespace);
    OAI_FORMATS(X)
#undef X
    xml_end_element(&oai->xml);
}
