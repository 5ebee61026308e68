/* SPDX-License-Identifier: Apache-2.0 */
/* The forms that programs read: JSON and N-Triples (RDF 1.1). */
#include "format/date.h"
#include "format/json.h"
#include "format/ntriples.h"
#include "frontend/fedora/listing.h"

#define XSD "http://www.w3.org/2001/XMLSchema#"
#define RDF_TYPE "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
#define PREMIS "http://www.loc.gov/premis/rdf/v1#"
#define EBUCORE "http://www.ebu.ch/metadata/ontologies/ebucore/ebucore#"

void
listing_append_child_url(const struct listing *listing, struct buffer *out, const struct child *child)
{
    buffer_append_text(out, listing->url);
    if (listing->path.length > 1)
        buffer_append_char(out, '/');
    percent_encode(out, PERCENT_URI_SEGMENT, child->name);
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

static void
json_date(struct json_writer *writer, const char *key, int64_t time_us)
{
    char date[DATE_TEXT_SIZE];
    size_t length = date_write(time_us, DATE_MICROSECONDS, date);
    json_member_text(writer, key, text_of(date, length));
}

static void
json_statements(struct listing *listing, struct json_writer *writer)
{
    struct statement_iterator *iterator;
    struct statement statement;
    if (view_statements(listing->view, listing->resource.id, TEXT(""), &iterator, NULL) != ERROR_NONE) {
        writer->buffer->status = ERROR_IO;
        return;
    }
    json_key(writer, "statements");
    json_begin_array(writer);
    while (listing_next_statement(listing, iterator, &statement)) {
        json_begin_object(writer);
        json_member_text(writer, "attribute", statement.attribute);
        json_member_text(writer, "value", statement.value);
        if (statement.qualifier.length > 0)
            json_member_text(writer, "qualifier", statement.qualifier);
        json_end_object(writer);
    }
    json_end_array(writer);
    if (statement_iterator_close(iterator, NULL) != ERROR_NONE)
        writer->buffer->status = ERROR_IO;
}

static void
json_file(const struct resource *resource, struct json_writer *writer)
{
    json_member_u64(writer, "size", resource->size_bytes);
    json_member_text(writer, "media_type", resource->media_type);
    json_member_u64(writer, "version", resource->version);
}

static void
json_head(struct listing *listing, struct buffer *out)
{
    const struct resource *resource = &listing->resource;
    struct json_writer writer = json_writer(out);
    json_begin_object(&writer);
    json_member_u64(&writer, "id", resource->id);
    json_member_text(&writer, "path", listing->path);
    json_member_text(&writer, "url", listing->url);
    json_member_string(&writer, "kind", resource->kind == RESOURCE_FILE ? "file" : "container");
    json_date(&writer, "created", resource->created_us);
    json_date(&writer, "modified", resource->modified_us);
    json_statements(listing, &writer);
    if (resource->kind == RESOURCE_FILE) {
        json_file(resource, &writer);
        return;
    }
    json_member_u64(&writer, "children_total", resource->children);
    json_key(&writer, "children");
    json_begin_array(&writer);
}

static void
json_child(struct listing *listing, struct buffer *out, const struct child *child)
{
    buffer_append_string(out, listing->comma ? ",\n{\"name\":" : "\n{\"name\":");
    listing->comma = true;
    json_append_string(out, child->name);
    buffer_append_string(out, child->kind == RESOURCE_FILE ? ",\"kind\":\"file\",\"url\":\"" :
                                                             ",\"kind\":\"container\",\"url\":\"");
    listing_append_child_url(listing, out, child); /* an encoded URL needs no escapes */
    buffer_append_string(out, "\"}");
}

static void
json_end(struct listing *listing, struct buffer *out)
{
    if (listing->resource.kind == RESOURCE_CONTAINER)
        buffer_append_char(out, ']');
    if (listing->next_url.length > 0) {
        buffer_append_string(out, ",\"next\":");
        json_append_string(out, listing->next_url);
    }
    buffer_append_string(out, "}\n");
}

const struct form form_json = {json_head, json_child, json_end};

/* ---- N-Triples ---------------------------------------------------------------------------------------- */

static void
subject(const struct listing *listing, struct buffer *out)
{
    ntriples_append_iri(out, listing->url);
    buffer_append_char(out, ' ');
}

static void
type_triple(const struct listing *listing, struct buffer *out, const char *type)
{
    subject(listing, out);
    buffer_printf(out, RDF_TYPE " <%s> .\n", type);
}

static void
typed_triple(const struct listing *listing, struct buffer *out, const char *predicate, struct text value,
             const char *datatype)
{
    subject(listing, out);
    buffer_printf(out, "<%s> ", predicate);
    ntriples_append_literal(out, value);
    if (datatype != NULL)
        buffer_printf(out, "^^<" XSD "%s>", datatype);
    buffer_append_string(out, " .\n");
}

static void
date_triple(const struct listing *listing, struct buffer *out, const char *predicate, int64_t time_us)
{
    char date[DATE_TEXT_SIZE];
    size_t length = date_write(time_us, DATE_MICROSECONDS, date);
    typed_triple(listing, out, predicate, text_of(date, length), "dateTime");
}

static void
file_triples(const struct listing *listing, struct buffer *out)
{
    const struct resource *file = &listing->resource;
    char size[24];
    int length = snprintf(size, sizeof size, "%llu", (unsigned long long)file->size_bytes);
    type_triple(listing, out, FEDORA "Binary");
    type_triple(listing, out, LDP "NonRDFSource");
    typed_triple(listing, out, PREMIS "hasSize", text_of(size, (size_t)length), "long");
    typed_triple(listing, out, EBUCORE "filename", file->filename.length > 0 ? file->filename : file->name, NULL);
    if (file->media_type.length > 0)
        typed_triple(listing, out, EBUCORE "hasMimeType", file->media_type, NULL);
}

static void
statement_triples(const struct listing *listing, struct buffer *out)
{
    struct statement_iterator *iterator;
    struct statement statement;
    if (view_statements(listing->view, listing->resource.id, TEXT(""), &iterator, NULL) != ERROR_NONE) {
        out->status = ERROR_IO;
        return;
    }
    while (listing_next_statement(listing, iterator, &statement)) {
        subject(listing, out);
        ntriples_append_attribute(out, statement.attribute);
        buffer_append_char(out, ' ');
        ntriples_append_value(out, statement.value, statement.qualifier);
        buffer_append_string(out, " .\n");
    }
    if (statement_iterator_close(iterator, NULL) != ERROR_NONE)
        out->status = ERROR_IO;
}

static void
ntriples_head(struct listing *listing, struct buffer *out)
{
    type_triple(listing, out, LDP "Resource");
    type_triple(listing, out, FEDORA "Resource");
    if (listing->resource.kind == RESOURCE_FILE) {
        file_triples(listing, out);
    } else {
        type_triple(listing, out, FEDORA "Container");
        type_triple(listing, out, LDP "RDFSource");
        type_triple(listing, out, LDP "Container");
        type_triple(listing, out, LDP "BasicContainer");
    }
    date_triple(listing, out, FEDORA "created", listing->resource.created_us);
    date_triple(listing, out, FEDORA "lastModified", listing->resource.modified_us);
    statement_triples(listing, out);
}

static void
ntriples_child(struct listing *listing, struct buffer *out, const struct child *child)
{
    subject(listing, out);
    buffer_append_string(out, "<" LDP "contains> <");
    listing_append_child_url(listing, out, child); /* an encoded URL needs no escapes */
    buffer_append_string(out, "> .\n");
}

static void
ntriples_end(struct listing *listing, struct buffer *out)
{
}

const struct form form_ntriples = {ntriples_head, ntriples_child, ntriples_end};
