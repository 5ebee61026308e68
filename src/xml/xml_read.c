/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading XML from outside: libxml2's parser, pulling bytes from the caller, with our limits in front of its tree builder.
 * Whoever finds a fault first (source, limit, diversion) puts it into struct reading and stops the parser.
 */
#include "xml/xml_private.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/SAX2.h>

#include <limits.h>

struct reading {
    const struct xml_source *source;
    struct xml_limits limits;
    size_t bytes;    /* that came from the source */
    size_t diverted; /* of them */
    size_t nodes;
    size_t run; /* text since the last tag */
    enum error_code code;
    struct error error;
};

struct xml_limits
xml_limits_default(void)
{
    return (struct xml_limits){
#define X(key, value, help) .key = (value),
        XML_LIMITS(X)
#undef X
    };
}

static struct reading *
reading_of(void *parser)
{
    return ((xmlParserCtxt *)parser)->_private;
}

static void
stop(xmlParserCtxt *parser, enum error_code code)
{
    struct reading *reading = reading_of(parser);
    if (reading->code == ERROR_NONE)
        reading->code = code;
    xmlStopParser(parser);
}

#define stop_over_limit(parser, format, ...)                                                       \
    stop(parser, error_set(&reading_of(parser)->error, ERROR_LIMIT, "line %d: " format,            \
                           xmlSAX2GetLineNumber(parser), __VA_ARGS__))

/* ---- the source ---- */

static int
pull(void *context, char *data, int capacity)
{
    struct reading *reading = context;
    size_t length = 0;
    if (reading->code != ERROR_NONE || capacity <= 0)
        return -1;
    reading->code = reading->source->read(reading->source->context, data, (size_t)capacity, &length, &reading->error);
    if (reading->code != ERROR_NONE)
        return -1;
    reading->bytes += length;
    if (reading->bytes - reading->diverted > reading->limits.bytes)
        reading->code = error_set(&reading->error, ERROR_LIMIT, "the XML document has more than %zu bytes", reading->limits.bytes);
    return reading->code == ERROR_NONE ? (int)length : -1;
}

static enum error_code
pull_text(void *context, void *data, size_t capacity, size_t *ret_length, struct error *error)
{
    struct text *left = context;
    size_t length = left->length < capacity ? left->length : capacity;
    if (length > 0)
        memcpy(data, left->data, length);
    *left = text_of(length == 0 ? left->data : left->data + length, left->length - length);
    *ret_length = length;
    return ERROR_NONE;
}

/* ---- in front of the tree builder ---- */

static void
refuse_document_type(void *parser, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id)
{
    stop(parser, error_set(&reading_of(parser)->error, ERROR_INVALID,
                           "line %d: XML with a document type declaration is not taken", xmlSAX2GetLineNumber(parser)));
}

static const struct xml_diversion *
diversion_of(const struct reading *reading, const xmlNode *node)
{
    const struct xml_diversion *diversion = reading->source->diversion;
    if (diversion == NULL || !xml_is((const struct xml_node *)node, diversion->namespace_uri, diversion->name))
        return NULL;
    return diversion;
}

static bool
within_limits(xmlParserCtxt *parser, int attribute_count, const xmlChar **attributes)
{
    struct reading *reading = reading_of(parser);
    reading->nodes += 1 + (size_t)attribute_count;
    if (reading->nodes > reading->limits.nodes)
        stop_over_limit(parser, "more than %zu elements and attributes", reading->limits.nodes);
    else if ((size_t)parser->nodeNr >= reading->limits.depth)
        stop_over_limit(parser, "more than %zu elements within elements", reading->limits.depth);
    for (int i = 0; i < attribute_count && reading->code == ERROR_NONE; i++) {
        const xmlChar *const *attribute = attributes + 5 * i; /* name, prefix, namespace, value, its end */
        if ((size_t)(attribute[4] - attribute[3]) > reading->limits.attribute_bytes)
            stop_over_limit(parser, "an attribute of more than %zu bytes", reading->limits.attribute_bytes);
    }
    return reading->code == ERROR_NONE;
}

static void
begin_element(void *parser_, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
              const xmlChar **namespaces, int attribute_count, int defaulted_count, const xmlChar **attributes)
{
    xmlParserCtxt *parser = parser_;
    struct reading *reading = reading_of(parser);
    reading->run = 0;
    if (!within_limits(parser, attribute_count, attributes))
        return;
    xmlSAX2StartElementNs(parser, name, prefix, uri, namespace_count, namespaces, attribute_count, defaulted_count, attributes);
    const struct xml_diversion *diversion = diversion_of(reading, parser->node);
    if (diversion == NULL)
        return;
    enum error_code code = diversion->begin(diversion->context, (struct xml_node *)parser->node, &reading->error);
    if (code != ERROR_NONE)
        stop(parser, code);
}

static void
end_element(void *parser_, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    xmlParserCtxt *parser = parser_;
    struct reading *reading = reading_of(parser);
    const struct xml_diversion *diversion = diversion_of(reading, parser->node);
    reading->run = 0;
    if (diversion != NULL) {
        enum error_code code = diversion->end(diversion->context, (struct xml_node *)parser->node, &reading->error);
        if (code != ERROR_NONE) {
            stop(parser, code);
            return;
        }
    }
    xmlSAX2EndElementNs(parser, name, prefix, uri);
}

static void
take_text(void *parser_, const xmlChar *data, int length)
{
    xmlParserCtxt *parser = parser_;
    struct reading *reading = reading_of(parser);
    const struct xml_diversion *diversion = diversion_of(reading, parser->node);
    if (diversion != NULL) {
        reading->diverted += (size_t)length;
        enum error_code code = diversion->text(diversion->context, text_of((const char *)data, (size_t)length), &reading->error);
        if (code != ERROR_NONE)
            stop(parser, code);
        return;
    }
    reading->run += (size_t)length;
    if (reading->run > reading->limits.text_bytes)
        stop_over_limit(parser, "more than %zu bytes of text between two tags", reading->limits.text_bytes);
    else
        xmlSAX2Characters(parser, data, length);
}

static xmlParserCtxt *
new_parser(struct reading *reading, xmlDict *names)
{
    xmlParserCtxt *parser = xmlNewParserCtxt();
    if (parser == NULL)
        return NULL;
    if (names != NULL) {
        xmlDictReference(names);
        xmlDictFree(parser->dict);
        parser->dict = names;
    }
    parser->_private = reading;
    parser->sax->internalSubset = refuse_document_type;
    parser->sax->startElementNs = begin_element;
    parser->sax->endElementNs = end_element;
    parser->sax->characters = take_text;
    parser->sax->ignorableWhitespace = take_text;
    parser->sax->cdataBlock = NULL; /* comes as characters */
    parser->sax->comment = NULL;
    parser->sax->processingInstruction = NULL;
    parser->sax->serror = xml__complain_structured;
    return parser;
}

/* The first fault that was found, ours before the parser's. */
static void
set_fault(const struct reading *reading, const struct xml_complaint *complaint, struct error *error)
{
    if (reading->code != ERROR_NONE) {
        *error = reading->error;
        error->code = reading->code; /* a source or diversion may give a code without words */
    } else if (complaint->no_memory)
        error_set(error, ERROR_NO_MEMORY, "no memory for an XML document");
    else
        error_set(error, ERROR_INVALID, "not well-formed XML, line %d: %s", complaint->line, complaint->message);
}

xmlDoc *
xml__parse(const struct xml_source *source, xmlDict *names, struct xml_complaint *complaint, struct error *error)
{
    struct reading reading = {.source = source,
                              .limits = source->limits != NULL ? *source->limits : xml_limits_default()};
    xmlDoc *tree = NULL;
    xmlParserCtxt *parser = new_parser(&reading, names);
    if (parser == NULL)
        complaint->no_memory = true;
    else /* NOENT: the five entities are replaced at once; there can be no others */
        tree = xmlCtxtReadIO(parser, pull, NULL, &reading, NULL, NULL, XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_COMPACT);
    bool sound = tree != NULL && reading.code == ERROR_NONE && parser->wellFormed && parser->nsWellFormed;
    xmlFreeParserCtxt(parser);
    if (sound)
        return tree;
    xmlFreeDoc(tree);
    set_fault(&reading, complaint, error);
    return NULL;
}

enum error_code
xml_document_read(const struct xml_source *source, struct xml_document **ret_document, struct error *error)
{
    struct xml_complaint complaint;
    struct error fault = {0};
    xml__complaint_begin(&complaint);
    xmlDoc *tree = xml__parse(source, NULL, &complaint, &fault);
    xml__complaint_end();
    if (tree != NULL)
        return xml__document_new(tree, ret_document, error);
    if (error != NULL)
        *error = fault;
    return fault.code;
}

struct xml_source
xml__source_of_text(struct text *text)
{
    return (struct xml_source){.read = pull_text, .context = text};
}

enum error_code
xml_document_parse(struct text bytes, struct xml_document **ret_document, struct error *error)
{
    struct xml_source source = xml__source_of_text(&bytes);
    return xml_document_read(&source, ret_document, error);
}
