/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Atom entry of an item: what a deposit is answered with, and what the Edit-IRI of 2.0 gives. In 1.3 atom:id is the
 * handle's URI (clients make a path of it); in 2.0 there are the links that make a receipt valid: edit, edit-media, add,
 * statements, and exactly one sword:treatment.
 */
#include "format/date.h"
#include "format/percent.h"
#include "frontend/sword/sword_private.h"
#include "metadata/publish.h"

#define TERMS "http://purl.org/net/sword/terms/"

struct entry {
    struct http_request *request;
    struct xml_writer *xml;
    const struct entity *item;
    struct fields fields;
    struct text handle_uri; /* "" before it has a handle */
};

static const char *const part_segments[SWORD_PART_COUNT] = {
#define X(name, segment, versions) [SWORD_PART_##name] = segment,
    SWORD_PARTS(X)
#undef X
};

struct text
sword_url(struct http_request *request, enum sword_part part, struct text rest)
{
    struct buffer url = {0};
    buffer_append_text(&url, request->base_url);
    buffer_append_string(&url, request->front_end->prefix);
    buffer_append_char(&url, '/');
    buffer_append_string(&url, part_segments[part]);
    while (rest.length > 0) { /* segments; the slash of a handle stays one */
        struct text after, segment = text_cut(rest, '/', &after);
        buffer_append_char(&url, '/');
        percent_encode(&url, PERCENT_URI_SEGMENT, segment);
        rest = after;
    }
    struct text text = arena_copy(request->arena, buffer_text(&url));
    buffer_release(&url);
    return text;
}

void
sword_put_time(struct xml_writer *xml, const char *element, int64_t time_us)
{
    char date[DATE_TEXT_SIZE];
    size_t length = date_write(time_us, DATE_SECONDS, date);
    xml_put_element(xml, element, text_of(date, length));
}

/* ---- pieces ------------------------------------------------------------------------------------------------ */

void
sword_put_link(struct xml_writer *xml, const char *rel, struct text href, const char *type)
{
    xml_begin_element(xml, "atom:link");
    xml_put_attribute(xml, "rel", text_from(rel));
    xml_put_attribute(xml, "href", href);
    if (type != NULL)
        xml_put_attribute(xml, "type", text_from(type));
    xml_end_element(xml);
}

/* Persons see themselves in a view, not others: those of this request are known without it. */
struct text
sword_person_name(struct http_request *request, uint64_t user_id)
{
    struct sword *sword = sword_of(request);
    struct user user;
    if (user_id == 0)
        return TEXT("");
    if (user_id == request->principal.user)
        return request->principal.name;
    if (user_id == sword->depositor.user)
        return sword->depositor.name;
    return view_user_by_id(sword->view, user_id, &user, NULL) == ERROR_NONE ? user.name : TEXT("");
}

static void
put_person(struct entry *entry, const char *element, uint64_t user_id)
{
    struct text name = sword_person_name(entry->request, user_id);
    if (name.length == 0)
        return;
    xml_begin_element(entry->xml, element);
    xml_put_element(entry->xml, "atom:name", name);
    xml_end_element(entry->xml);
}

static struct text
first_value(const struct entry *entry, const char *element, const char *qualifier)
{
    const struct field *field = fields_first(&entry->fields, "dc", element, qualifier);
    return field == NULL ? TEXT("") : field->value;
}

struct text
sword_join(struct http_request *request, struct text first, const char *end)
{
    struct buffer text = {0};
    buffer_append_text(&text, first);
    buffer_append_string(&text, end);
    struct text result = arena_copy(request->arena, buffer_text(&text));
    buffer_release(&text);
    return result;
}

struct text
sword_file_url(struct http_request *request, struct text uuid, struct text name)
{
    struct buffer rest = {0};
    buffer_append_string(&rest, "bitstream/");
    buffer_append_text(&rest, uuid);
    buffer_append_char(&rest, '/');
    buffer_append_text(&rest, name);
    struct text url = sword_url(request, SWORD_PART_EDIT_MEDIA, buffer_text(&rest));
    buffer_release(&rest);
    return url;
}

static struct text
join(struct http_request *request, const char *first, struct text second)
{
    struct buffer text = {0};
    buffer_append_text(&text, request->base_url);
    buffer_append_string(&text, first);
    buffer_append_text(&text, second);
    struct text result = arena_copy(request->arena, buffer_text(&text));
    buffer_release(&text);
    return result;
}

static struct text
page_url(struct entry *entry)
{
    return entry->item->handle.length > 0 ? join(entry->request, "/handle/", entry->item->handle)
                                          : join(entry->request, "/items/", entry->item->uuid);
}

static struct text
media_rest(struct entry *entry)
{
    return entry->item->uuid;
}

static bool
put_part(void *context, const struct bitstream *bitstream)
{
    struct entry *entry = context;
    struct buffer rest = {0};
    if (!text_equal(bitstream->bundle, TEXT("ORIGINAL")))
        return true;
    buffer_append_text(&rest, bitstream->uuid);
    buffer_append_string(&rest, "/download");
    sword_put_link(entry->xml, "part", join(entry->request, "/bitstreams/", buffer_text(&rest)), NULL);
    buffer_release(&rest);
    return true;
}

/* What every entry has, in an order that reads well. */
static void
put_common(struct entry *entry)
{
    struct xml_writer *xml = entry->xml;
    struct text title = first_value(entry, "title", ""), summary = first_value(entry, "description", "abstract");
    xml_put_element(xml, "atom:title", title.length > 0 ? title : TEXT("Untitled"));
    xml_put_element(xml, "atom:id",
                    entry->handle_uri.length > 0 ? entry->handle_uri : join(entry->request, "/items/", entry->item->uuid));
    sword_put_time(xml, "atom:updated", entry->item->resource.modified_us);
    put_person(entry, "atom:author", entry->item->mediator != 0 ? entry->item->mediator : entry->item->submitter);
    if (entry->item->mediator != 0)
        put_person(entry, "atom:contributor", entry->item->submitter);
    for (size_t i = 0; i < entry->fields.count; i++) {
        const struct field *field = &entry->fields.items[i];
        if (!text_equal(field->schema, TEXT("dc")) || !text_equal(field->element, TEXT("subject")))
            continue;
        xml_begin_element(xml, "atom:category");
        xml_put_attribute(xml, "term", field->value);
        xml_end_element(xml);
    }
    if (first_value(entry, "date", "issued").length > 0)
        xml_put_element(xml, "atom:published", first_value(entry, "date", "issued"));
    if (first_value(entry, "rights", "*").length > 0)
        xml_put_element(xml, "atom:rights", first_value(entry, "rights", "*"));
    if (summary.length > 0)
        xml_put_element(xml, "atom:summary", summary);
}

static const char *
treatment_of(enum item_state state)
{
    switch (state) {
    case ITEM_ARCHIVED:
        return "The package was unpacked; its item has been archived.";
    case ITEM_IN_REVIEW:
        return "The package was unpacked; its item waits for review.";
    case ITEM_IN_PROGRESS:
        return "The deposit is in progress: it waits for the depositor to finish it.";
    case ITEM_WITHDRAWN:
    case ITEM_REJECTED:
        break;
    }
    return item_state_sentence(state);
}

static void
put_generator(struct xml_writer *xml)
{
    xml_begin_element(xml, "atom:generator");
    xml_put_attribute(xml, "uri", TEXT("https://archivolt.org/"));
    xml_put_attribute(xml, "version", TEXT(ARCHIVOLT_VERSION));
    xml_put_text(xml, TEXT("Archivolt"));
    xml_end_element(xml);
}

static void
put_content(struct entry *entry, enum sword_part part)
{
    xml_begin_element(entry->xml, "atom:content");
    xml_put_attribute(entry->xml, "type", TEXT("application/zip"));
    xml_put_attribute(entry->xml, "src", sword_url(entry->request, part, media_rest(entry)));
    xml_end_element(entry->xml);
}

/* ---- 1.3 ----------------------------------------------------------------------------------------------------- */

static void
put_1_3(struct entry *entry)
{
    struct sword *sword = sword_of(entry->request);
    struct xml_writer *xml = entry->xml;
    put_common(entry);
    put_content(entry, SWORD_PART_MEDIA_LINK);
    put_generator(xml);
    sword_put_link(xml, "alternate", page_url(entry), "text/html");
    if (!sword->intent.no_op)
        (void)!repository_bitstreams(sword->repository, sword->view, entry->item, TEXT("ORIGINAL"), put_part, entry, NULL);
    xml_put_element(xml, "sword:treatment", text_from(treatment_of(entry->item->state)));
    if (sword->intent.verbose)
        xml_put_element(xml, "sword:verboseDescription", buffer_text(&sword->package.report));
    xml_put_element(xml, "sword:noOp", sword->intent.no_op ? TEXT("true") : TEXT("false"));
    if (http_has(entry->request, HTTP_HEADER_USER_AGENT))
        xml_put_element(xml, "sword:userAgent", entry->request->headers[HTTP_HEADER_USER_AGENT]);
    if (sword->intent.packaging_text.length > 0)
        xml_put_element(xml, "sword:packaging", sword->intent.packaging_text);
}

/* ---- 2.0 ----------------------------------------------------------------------------------------------------- */

/* A package kept as it came: where it is, and that the EM-IRI gives it too. */
static bool
put_original(void *context, const struct bitstream *bitstream)
{
    struct entry *entry = context;
    enum packaging packaging;
    sword_put_link(entry->xml, TERMS "originalDeposit",
                   sword_file_url(entry->request, bitstream->uuid, bitstream->resource.name), NULL);
    if (packaging_from_text(bitstream->packaging, &packaging) && packaging != PACKAGING_SIMPLE_ZIP &&
        packaging_uri(packaging)[0] != '\0')
        xml_put_element(entry->xml, "sword:packaging", text_from(packaging_uri(packaging)));
    return true;
}

static void
put_terms(struct entry *entry)
{
    struct sword *sword = sword_of(entry->request);
    struct crosswalk_record record = {.fields = &entry->fields};
    struct buffer terms = {0};
    if (entry->fields.count > 0 && crosswalk_out(repository_crosswalks(sword->repository), "dcterms", &record, &terms, NULL) ==
                                       ERROR_NONE)
        xml_put_raw(entry->xml, buffer_text(&terms));
    buffer_release(&terms);
}

static void
put_2_0(struct entry *entry)
{
    struct http_request *request = entry->request;
    struct xml_writer *xml = entry->xml;
    struct text uuid = entry->item->uuid;
    put_common(entry);
    put_content(entry, SWORD_PART_EDIT_MEDIA);
    put_generator(xml);
    sword_put_link(xml, "edit", sword_url(request, SWORD_PART_EDIT, uuid), NULL);
    sword_put_link(xml, "edit-media", sword_url(request, SWORD_PART_EDIT_MEDIA, uuid), NULL);
    sword_put_link(xml, "edit-media", sword_url(request, SWORD_PART_EDIT_MEDIA, sword_join(request, uuid, ".atom")),
             "application/atom+xml;type=feed");
    sword_put_link(xml, TERMS "add", sword_url(request, SWORD_PART_EDIT, uuid), NULL);
    sword_put_link(xml, "alternate", page_url(entry), "text/html");
    sword_put_link(xml, TERMS "statement", sword_url(request, SWORD_PART_STATEMENT, sword_join(request, uuid, ".atom")),
                   "application/atom+xml;type=feed");
    sword_put_link(xml, TERMS "statement", sword_url(request, SWORD_PART_STATEMENT, sword_join(request, uuid, ".rdf")),
                   "application/rdf+xml");
    xml_put_element(xml, "sword:packaging", text_from(packaging_uri(PACKAGING_SIMPLE_ZIP)));
    (void)!repository_bitstreams(sword_of(request)->repository, sword_of(request)->view, entry->item, TEXT("SWORD"),
                                 put_original, entry, NULL);
    xml_put_element(xml, "sword:treatment", text_from(treatment_of(entry->item->state)));
    if (entry->item->reason.length > 0)
        xml_put_element(xml, "sword:verboseDescription", entry->item->reason);
    put_terms(entry);
}

/* ---- the answer ------------------------------------------------------------------------------------------------ */

void
sword_begin_document(struct xml_writer *xml, const char *root, enum sword_version version)
{
    xml_put_declaration(xml);
    xml_begin_element(xml, root);
    xml_put_attribute(xml, "xmlns:atom", TEXT("http://www.w3.org/2005/Atom"));
    xml_put_attribute(xml, "xmlns:app", TEXT("http://www.w3.org/2007/app"));
    xml_put_attribute(xml, "xmlns:sword", version == SWORD_1_3 ? TEXT("http://purl.org/net/sword/") : TEXT(TERMS));
    xml_put_attribute(xml, "xmlns:dcterms", TEXT("http://purl.org/dc/terms/"));
}

/* Of a dry run there is no item: those that it would have had. */
static enum error_code
find_fields(struct entry *entry, struct error *error)
{
    struct sword *sword = sword_of(entry->request);
    if (!sword->intent.no_op)
        return repository_fields(sword->repository, sword->view, entry->item, false, &entry->fields, error);
    fields_init(&entry->fields, &sword->arena);
    return fields_publish(&sword->package.fields, &entry->fields, error);
}

static enum error_code
write_entry(struct entry *entry, struct error *error)
{
    struct sword *sword = sword_of(entry->request);
    bool first = sword->version == SWORD_1_3;
    struct xml_writer *xml = entry->xml;
    enum error_code code = find_fields(entry, error);
    if (code != ERROR_NONE)
        return code;
    entry->handle_uri = entry->item->handle.length == 0
                            ? TEXT("")
                            : repository_handle_uri(sword->repository, entry->item->handle, entry->request->arena);
    sword_begin_document(xml, "atom:entry", sword->version);
    if (first)
        put_1_3(entry);
    else
        put_2_0(entry);
    xml_end_element(xml);
    return buffer_status(xml->buffer, error);
}

void
sword_answer_xml(struct http_request *request, unsigned status, const char *type, struct buffer *body)
{
    struct error error = {0};
    if (buffer_status(body, &error) != ERROR_NONE) {
        sword_fail(request, &error);
    } else {
        http_set_header_static(request, "Content-Type", type);
        http_answer_owned(request, status, &body->data, body->length);
        *body = (struct buffer){0};
    }
    buffer_release(body);
}

void
sword_answer_entry(struct http_request *request, unsigned status, const struct entity *item)
{
    struct sword *sword = sword_of(request);
    struct buffer body = {0};
    struct xml_writer xml = xml_writer(&body);
    struct entry entry = {.request = request, .xml = &xml, .item = item};
    struct error error = {0};
    bool first = sword->version == SWORD_1_3;
    if (write_entry(&entry, &error) != ERROR_NONE) {
        buffer_release(&body);
        sword_fail(request, &error);
        return;
    }
    if (sword->location.length > 0)
        http_set_header(request, "Location", sword->location);
    else if (status != 200)
        http_set_header(request, "Location", sword_url(request, first ? SWORD_PART_MEDIA_LINK : SWORD_PART_EDIT, item->uuid));
    sword_answer_xml(request, status, first ? SWORD_ENTRY_TYPE_1 : SWORD_ENTRY_TYPE, &body);
}
