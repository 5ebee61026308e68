/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an item is made of, for programs (SWORD 2.0 sections 11.2 and 11.3): its statement as an Atom feed or as an ORE resource
 * map, and the feed of its files at the EM-IRI. An original deposit is a package that was kept (bundle SWORD); where there is none,
 * the files themselves are what was deposited. States have the names that DSpace gives them.
 */
#include "frontend/sword/sword_private.h"

#define TERMS "http://purl.org/net/sword/terms/"
#define ORE "http://www.openarchives.org/ore/terms/"

struct listing {
    struct http_request *request;
    struct xml_writer *xml;
    bool only_files;  /* bundle ORIGINAL, without a word about deposits */
    bool has_package; /* something is in bundle SWORD */
    bool map;         /* RDF/XML: a packaging is a resource, not a text */
};

const char *
sword_state_uri(enum item_state state)
{
    switch (state) {
    case ITEM_IN_PROGRESS:
        return "http://dspace.org/state/inprogress";
    case ITEM_IN_REVIEW:
        return "http://dspace.org/state/inreview";
    case ITEM_ARCHIVED:
        return "http://dspace.org/state/archived";
    case ITEM_WITHDRAWN:
        return "http://dspace.org/state/withdrawn";
    case ITEM_REJECTED:
        break;
    }
    return "http://dspace.org/state/rejected";
}

static struct text
sentence(const struct entity *item)
{
    return item->reason.length > 0 ? item->reason : text_from(item_state_sentence(item->state));
}

static bool
is_in(const struct bitstream *bitstream, const char *bundle)
{
    return text_equal(bitstream->bundle, text_from(bundle));
}

static bool
is_original(const struct listing *listing, const struct bitstream *bitstream)
{
    return !listing->only_files && (is_in(bitstream, "SWORD") || (!listing->has_package && is_in(bitstream, "ORIGINAL")));
}

static bool
is_listed(const struct listing *listing, const struct bitstream *bitstream)
{
    return is_in(bitstream, "ORIGINAL") || (!listing->only_files && is_in(bitstream, "SWORD"));
}

static struct text
url_of(const struct listing *listing, const struct bitstream *bitstream)
{
    return sword_file_url(listing->request, bitstream->uuid, bitstream->resource.name);
}

static bool
see_package(void *context, const struct bitstream *bitstream)
{
    struct listing *listing = context;
    listing->has_package = is_in(bitstream, "SWORD");
    return !listing->has_package;
}

static enum error_code
visit_files(struct listing *listing, bitstream_visit *visit, struct error *error)
{
    struct sword *sword = sword_of(listing->request);
    return repository_bitstreams(sword->repository, sword->view, &sword->entity, TEXT(""), visit, listing, error);
}

static void
put_resource(struct xml_writer *xml, const char *element, struct text resource)
{
    xml_begin_element(xml, element);
    xml_put_attribute(xml, "rdf:resource", resource);
    xml_end_element(xml);
}

/* How, when and by whom it was deposited: the same words in both forms. */
static void
put_deposit(struct listing *listing, const struct bitstream *bitstream)
{
    const struct entity *item = &sword_of(listing->request)->entity;
    enum packaging packaging;
    struct text by = sword_person_name(listing->request, item->mediator != 0 ? item->mediator : item->submitter);
    struct text owner = item->mediator != 0 ? sword_person_name(listing->request, item->submitter) : TEXT("");
    if (packaging_from_text(bitstream->packaging, &packaging) && packaging_uri(packaging)[0] != '\0') {
        struct text uri = text_from(packaging_uri(packaging));
        if (listing->map)
            put_resource(listing->xml, "sword:packaging", uri);
        else
            xml_put_element(listing->xml, "sword:packaging", uri);
    }
    sword_put_time(listing->xml, "sword:depositedOn", bitstream->resource.created_us);
    if (by.length > 0)
        xml_put_element(listing->xml, "sword:depositedBy", by);
    if (owner.length > 0)
        xml_put_element(listing->xml, "sword:depositedOnBehalfOf", owner);
}

/* ---- Atom ------------------------------------------------------------------------------------------------------------ */

static void
put_category(struct xml_writer *xml, const char *scheme, const char *term, const char *label, struct text text)
{
    xml_begin_element(xml, "atom:category");
    xml_put_attribute(xml, "scheme", text_from(scheme));
    xml_put_attribute(xml, "term", text_from(term));
    xml_put_attribute(xml, "label", text_from(label));
    xml_put_text(xml, text);
    xml_end_element(xml);
}

static bool
put_entry(void *context, const struct bitstream *bitstream)
{
    struct listing *listing = context;
    struct xml_writer *xml = listing->xml;
    struct text url = url_of(listing, bitstream), type = bitstream->resource.media_type;
    if (!is_listed(listing, bitstream))
        return true;
    xml_begin_element(xml, "atom:entry");
    if (is_original(listing, bitstream))
        put_category(xml, TERMS, TERMS "originalDeposit", "Original Deposit", TEXT(""));
    xml_put_element(xml, "atom:id", url);
    xml_put_element(xml, "atom:title", bitstream->path);
    sword_put_time(xml, "atom:updated", bitstream->resource.modified_us);
    xml_put_element(xml, "atom:summary", bitstream->description);
    xml_begin_element(xml, "atom:content");
    xml_put_attribute(xml, "type", type.length > 0 ? type : TEXT("application/octet-stream"));
    xml_put_attribute(xml, "src", url);
    xml_end_element(xml);
    sword_put_link(xml, "edit-media", url, NULL);
    if (is_original(listing, bitstream))
        put_deposit(listing, bitstream);
    xml_end_element(xml);
    return true;
}

static enum error_code
write_feed(struct listing *listing, struct text self, struct error *error)
{
    struct sword *sword = sword_of(listing->request);
    struct xml_writer *xml = listing->xml;
    sword_begin_document(xml, "atom:feed", SWORD_2_0);
    xml_put_element(xml, "atom:id", self);
    xml_put_element(xml, "atom:title", sword->entity.name.length > 0 ? sword->entity.name : TEXT("Untitled"));
    sword_put_time(xml, "atom:updated", sword->entity.resource.modified_us);
    xml_begin_element(xml, "atom:author");
    struct text author = sword_person_name(listing->request, sword->entity.submitter);
    xml_put_element(xml, "atom:name", author.length > 0 ? author : repository_options(sword->repository)->name);
    xml_end_element(xml);
    sword_put_link(xml, "self", self, "application/atom+xml;type=feed");
    if (!listing->only_files)
        put_category(xml, TERMS "state", sword_state_uri(sword->entity.state), "State", sentence(&sword->entity));
    enum error_code code = visit_files(listing, put_entry, error);
    xml_end_element(xml);
    return code;
}

/* ---- RDF/XML ------------------------------------------------------------------------------------------------------------ */

static void
begin_description(struct xml_writer *xml, struct text about)
{
    xml_begin_element(xml, "rdf:Description");
    xml_put_attribute(xml, "rdf:about", about);
}

static bool
put_aggregated(void *context, const struct bitstream *bitstream)
{
    struct listing *listing = context;
    if (!is_listed(listing, bitstream))
        return true;
    put_resource(listing->xml, "ore:aggregates", url_of(listing, bitstream));
    if (is_original(listing, bitstream))
        put_resource(listing->xml, "sword:originalDeposit", url_of(listing, bitstream));
    return true;
}

static bool
put_described(void *context, const struct bitstream *bitstream)
{
    struct listing *listing = context;
    if (!is_original(listing, bitstream))
        return true;
    begin_description(listing->xml, url_of(listing, bitstream));
    put_deposit(listing, bitstream);
    xml_end_element(listing->xml);
    return true;
}

static enum error_code
write_map(struct listing *listing, struct text self, struct error *error)
{
    struct sword *sword = sword_of(listing->request);
    struct xml_writer *xml = listing->xml;
    struct text edit = sword_url(listing->request, SWORD_PART_EDIT, sword->entity.uuid);
    struct text aggregation = sword_join(listing->request, edit, "#aggregation");
    struct text state = text_from(sword_state_uri(sword->entity.state));
    xml_put_declaration(xml);
    xml_begin_element(xml, "rdf:RDF");
    xml_put_attribute(xml, "xmlns:rdf", TEXT("http://www.w3.org/1999/02/22-rdf-syntax-ns#"));
    xml_put_attribute(xml, "xmlns:ore", TEXT(ORE));
    xml_put_attribute(xml, "xmlns:sword", TEXT(TERMS));
    begin_description(xml, self);
    put_resource(xml, "ore:describes", aggregation);
    xml_end_element(xml);
    begin_description(xml, aggregation);
    put_resource(xml, "ore:isDescribedBy", self);
    enum error_code code = visit_files(listing, put_aggregated, error);
    put_resource(xml, "sword:state", state);
    xml_end_element(xml);
    begin_description(xml, state);
    xml_put_element(xml, "sword:stateDescription", sentence(&sword->entity));
    xml_end_element(xml);
    if (code == ERROR_NONE)
        code = visit_files(listing, put_described, error);
    xml_end_element(xml);
    return code;
}

/* ---- answers -------------------------------------------------------------------------------------------------------- */

static void
answer(struct http_request *request, bool only_files, bool map, struct text self)
{
    struct buffer body = {0};
    struct xml_writer xml = xml_writer(&body);
    struct listing listing = {.request = request, .xml = &xml, .only_files = only_files, .map = map};
    struct error error = {0};
    enum error_code code = visit_files(&listing, see_package, &error);
    if (code == ERROR_NONE)
        code = map ? write_map(&listing, self, &error) : write_feed(&listing, self, &error);
    if (code == ERROR_NONE) {
        sword_answer_xml(request, 200, map ? "application/rdf+xml; charset=UTF-8" : "application/atom+xml;type=feed;charset=utf-8",
                         &body);
        return;
    }
    buffer_release(&body);
    sword_fail(request, &error);
}

void
sword_get_feed(struct http_request *request)
{
    struct text rest = sword_join(request, sword_of(request)->entity.uuid, ".atom");
    answer(request, true, false, sword_url(request, SWORD_PART_EDIT_MEDIA, rest));
}

void
sword_get_statement(struct http_request *request)
{
    struct text end, rest = sword_of(request)->rest;
    struct text uuid = text_cut(rest, '.', &end);
    bool map = text_equal(end, TEXT("rdf"));
    struct error error = {0};
    if (!map && !text_equal(end, TEXT("atom"))) {
        error_set(&error, ERROR_NOT_FOUND, "a statement ends in .atom or .rdf");
        sword_fail(request, &error);
    } else if (sword_find_item(request, uuid)) {
        answer(request, false, map, sword_url(request, SWORD_PART_STATEMENT, rest));
    }
}
