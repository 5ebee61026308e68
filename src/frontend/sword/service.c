/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Service documents: where a person may deposit. Nested, so that none grows with the repository: the first shows the top
 * communities' own documents and the collections at the top; that of a community, what is directly in it. Namespaces are bound to
 * the prefixes that the PHP clients look for, literally.
 */
#include "frontend/sword/sword_private.h"

struct listing {
    struct http_request *request;
    struct xml_writer *xml;
    const struct principal *person; /* who would own the deposits */
};

static bool
is_1_3(const struct listing *listing)
{
    return sword_of(listing->request)->version == SWORD_1_3;
}

/* ---- what is accepted ---------------------------------------------------------------------------------- */

static bool
has_word(struct text words, struct text word)
{
    struct text rest = words;
    while (rest.data != NULL) {
        struct text one = text_cut(rest, ' ', &rest);
        if (text_equal(one, word))
            return true;
    }
    return words.length == 0;
}

static void
put_packagings(struct listing *listing, const struct collection_policy *policy)
{
    for (int i = 0; i < PACKAGING_COUNT; i++) {
        const char *uri = is_1_3(listing) ? packaging_uri_1((enum packaging)i) : packaging_uri((enum packaging)i);
        if (uri[0] == '\0' || !has_word(policy->packagings, text_from(packaging_word((enum packaging)i))))
            continue;
        xml_begin_element(listing->xml, "sword:acceptPackaging");
        if (is_1_3(listing))
            xml_put_attribute(listing->xml, "q", i == PACKAGING_METS ? TEXT("1.0") : TEXT("0.5"));
        xml_put_text(listing->xml, text_from(uri));
        xml_end_element(listing->xml);
    }
}

static void
put_accepts(struct listing *listing, const struct collection_policy *policy)
{
    struct text rest = policy->accept;
    if (is_1_3(listing) && policy->accept.length == 0) {
        xml_put_element(listing->xml, "app:accept", TEXT("application/zip"));
        xml_put_element(listing->xml, "app:accept", TEXT("*/*"));
        return;
    }
    if (policy->accept.length == 0)
        xml_put_element(listing->xml, "app:accept", TEXT("*/*"));
    while (rest.data != NULL && policy->accept.length > 0)
        xml_put_element(listing->xml, "app:accept", text_cut(rest, ' ', &rest));
    if (is_1_3(listing))
        return;
    xml_begin_element(listing->xml, "app:accept");
    xml_put_attribute(listing->xml, "alternate", TEXT("multipart-related"));
    xml_put_text(listing->xml, TEXT("*/*"));
    xml_end_element(listing->xml);
}

/* ---- collections and communities -------------------------------------------------------------------------- */

static bool
put_collection(struct listing *listing, const struct entity *collection)
{
    struct sword *sword = sword_of(listing->request);
    struct collection_policy policy;
    struct xml_writer *xml = listing->xml;
    enum sword_part part = is_1_3(listing) ? SWORD_PART_DEPOSIT : SWORD_PART_COLLECTION;
    if (repository_may_deposit(sword->repository, sword->view, collection, listing->person, NULL) != ERROR_NONE)
        return true;
    if (repository_policy(sword->repository, sword->view, collection, &policy, &sword->error) != ERROR_NONE)
        return false;
    xml_begin_element(xml, "app:collection");
    xml_put_attribute(xml, "href", sword_url(listing->request, part, collection->handle));
    xml_put_element(xml, "atom:title", collection->name);
    put_accepts(listing, &policy);
    if (is_1_3(listing))
        put_packagings(listing, &policy);
    if (policy.policy.length > 0)
        xml_put_element(xml, "sword:collectionPolicy", policy.policy);
    if (policy.abstract.length > 0)
        xml_put_element(xml, "dcterms:abstract", policy.abstract);
    xml_put_element(xml, "sword:mediation", policy.on_behalf_of ? TEXT("true") : TEXT("false"));
    xml_put_element(xml, "sword:treatment",
                    policy.treatment.length > 0 ? policy.treatment
                                                : TEXT("The package is unpacked and becomes an item of the collection."));
    if (!is_1_3(listing))
        put_packagings(listing, &policy);
    xml_end_element(xml);
    return true;
}

/* A community stands as a collection that takes nothing and leads to a service document of its own. */
static void
put_community(struct listing *listing, const struct entity *community)
{
    struct xml_writer *xml = listing->xml;
    xml_begin_element(xml, "app:collection");
    xml_put_attribute(xml, "href", sword_url(listing->request, SWORD_PART_SERVICE, community->handle));
    xml_put_element(xml, "atom:title", community->name);
    xml_put_element(xml, "app:accept", TEXT(""));
    xml_put_element(xml, "sword:mediation", TEXT("false"));
    xml_put_element(xml, "sword:service", sword_url(listing->request, SWORD_PART_SERVICE, community->handle));
    xml_end_element(xml);
}

static bool
put_entity(void *context, const struct entity *entity)
{
    struct listing *listing = context;
    if (entity->kind == ENTITY_COLLECTION)
        return put_collection(listing, entity);
    put_community(listing, entity);
    return true;
}

/* ---- the document -------------------------------------------------------------------------------------------- */

static void
put_head(struct http_request *request, struct xml_writer *xml)
{
    struct sword *sword = sword_of(request);
    bool first = sword->version == SWORD_1_3;
    const struct repository_options *options = repository_options(sword->repository);
    xml_put_declaration(xml);
    xml_begin_element(xml, "app:service");
    xml_put_attribute(xml, "xmlns:app", TEXT("http://www.w3.org/2007/app"));
    xml_put_attribute(xml, "xmlns:atom", TEXT("http://www.w3.org/2005/Atom"));
    xml_put_attribute(xml, "xmlns:sword",
                      first ? TEXT("http://purl.org/net/sword/") : TEXT("http://purl.org/net/sword/terms/"));
    xml_put_attribute(xml, "xmlns:dcterms", TEXT("http://purl.org/dc/terms/"));
    xml_put_element(xml, "sword:version", first ? TEXT("1.3") : TEXT("2.0"));
    if (first) {
        xml_put_element(xml, "sword:verbose", TEXT("true"));
        xml_put_element(xml, "sword:noOp", TEXT("true"));
    }
    xml_begin_element(xml, "atom:generator");
    xml_put_attribute(xml, "uri", TEXT("https://archivolt.org/"));
    xml_put_attribute(xml, "version", TEXT(ARCHIVOLT_VERSION));
    xml_put_text(xml, TEXT("Archivolt"));
    xml_end_element(xml);
    xml_begin_element(xml, "app:workspace");
    xml_put_element(xml, "atom:title", options->name);
}

/* What the path names: nothing (the top), a community, or one collection. */
static enum error_code
put_contents(struct listing *listing)
{
    struct sword *sword = sword_of(listing->request);
    struct error *error = &sword->error;
    uint64_t parent = 0;
    if (sword->rest.length > 0) {
        enum error_code code =
            repository_by_handle(sword->repository, sword->view, sword->rest, &sword->entity, error);
        if (code == ERROR_NONE && sword->entity.kind == ENTITY_ITEM)
            code = error_set(error, ERROR_NOT_FOUND, "an item has no service document");
        if (code != ERROR_NONE)
            return code;
        if (sword->entity.kind == ENTITY_COLLECTION)
            return put_collection(listing, &sword->entity) ? ERROR_NONE : error->code;
        parent = sword->entity.resource.id;
    }
    enum error_code code =
        repository_children(sword->repository, sword->view, parent, 1u << ENTITY_COMMUNITY | 1u << ENTITY_COLLECTION,
                            TEXT(""), 0,
                            put_entity, listing, error);
    return code != ERROR_NONE ? code : error->code;
}

void
sword_get_service(struct http_request *request)
{
    struct sword *sword = sword_of(request);
    struct buffer body = {0};
    struct xml_writer xml = xml_writer(&body);
    struct listing listing = {request, &xml, &sword->depositor};
    put_head(request, &xml);
    enum error_code code = put_contents(&listing);
    xml_end_element(&xml);
    xml_end_element(&xml);
    if (code == ERROR_NONE)
        code = buffer_status(&body, &sword->error);
    if (code == ERROR_NONE) {
        http_set_header_static(request, "Content-Type", SWORD_SERVICE_TYPE);
        http_answer_owned(request, 200, &body.data, body.length);
        body = (struct buffer){0};
    } else {
        sword_fail(request, &sword->error);
    }
    buffer_release(&body);
}
