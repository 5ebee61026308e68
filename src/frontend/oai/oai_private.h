/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the OAI-PMH front end share. Nobody else includes this. */
#ifndef ARCHIVOLT_FRONTEND_OAI_PRIVATE_H
#define ARCHIVOLT_FRONTEND_OAI_PRIVATE_H

#include "frontend/oai/oai.h"
#include "http/request.h"
#include "repository/repository.h"
#include "xml/xml_write.h"

#define OAI_PAGE 100u /* headers, records or sets of one answer */
#define OAI_TOKEN_LIFE_US (INT64_C(7) * 86400 * 1000000)

/* X(NAME, "verb") */
#define OAI_VERBS(X)                                                                               \
    X(IDENTIFY, "Identify")                                                                        \
    X(LIST_METADATA_FORMATS, "ListMetadataFormats")                                                \
    X(LIST_SETS, "ListSets")                                                                       \
    X(GET_RECORD, "GetRecord")                                                                     \
    X(LIST_IDENTIFIERS, "ListIdentifiers")                                                         \
    X(LIST_RECORDS, "ListRecords")
enum oai_verb {
#define X(name, word) OAI_##name,
    OAI_VERBS(X)
#undef X
        OAI_VERB_COUNT
};

/* X(NAME, "argument", verbs that take it) in the order of the specification. */
#define V(verb) (1u << OAI_##verb)
#define OAI_ARGUMENTS(X)                                                                           \
    X(IDENTIFIER, "identifier", V(GET_RECORD) | V(LIST_METADATA_FORMATS))                          \
    X(METADATA_PREFIX, "metadataPrefix", V(GET_RECORD) | V(LIST_IDENTIFIERS) | V(LIST_RECORDS))    \
    X(FROM, "from", V(LIST_IDENTIFIERS) | V(LIST_RECORDS))                                         \
    X(UNTIL, "until", V(LIST_IDENTIFIERS) | V(LIST_RECORDS))                                       \
    X(SET, "set", V(LIST_IDENTIFIERS) | V(LIST_RECORDS))                                           \
    X(RESUMPTION_TOKEN, "resumptionToken", V(LIST_SETS) | V(LIST_IDENTIFIERS) | V(LIST_RECORDS))
enum oai_argument {
#define X(name, word, verbs) OAI_ARGUMENT_##name,
    OAI_ARGUMENTS(X)
#undef X
        OAI_ARGUMENT_COUNT
};

/* X(NAME, "code"): section 3.6. */
#define OAI_FAULTS(X)                                                                              \
    X(BAD_VERB, "badVerb")                                                                         \
    X(BAD_ARGUMENT, "badArgument")                                                                 \
    X(BAD_RESUMPTION_TOKEN, "badResumptionToken")                                                  \
    X(CANNOT_DISSEMINATE, "cannotDisseminateFormat")                                               \
    X(ID_DOES_NOT_EXIST, "idDoesNotExist")                                                         \
    X(NO_RECORDS_MATCH, "noRecordsMatch")                                                          \
    X(NO_METADATA_FORMATS, "noMetadataFormats")                                                    \
    X(NO_SET_HIERARCHY, "noSetHierarchy")
enum oai_fault {
    OAI_NO_FAULT,
#define X(name, word) OAI_##name,
    OAI_FAULTS(X)
#undef X
};

/* A format of records: X(crosswalk and prefix, schema, namespace). */
#define OAI_FORMATS(X)                                                                             \
    X(oai_dc, "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", "http://www.openarchives.org/OAI/2.0/oai_dc/") \
    X(qdc, "http://dublincore.org/schemas/xmls/qdc/2006/01/06/dcterms.xsd", "http://purl.org/dc/terms/")       \
    X(mods, "http://www.loc.gov/standards/mods/v3/mods-3-8.xsd", "http://www.loc.gov/mods/v3")                 \
    X(mets, "http://www.loc.gov/standards/mets/mets.xsd", "http://www.loc.gov/METS/")                          \
    X(ore, "http://tweety.lanl.gov/public/schemas/2008-06/atom-tron.sch", "http://www.w3.org/2005/Atom")       \
    X(rdf, "http://www.openarchives.org/OAI/2.0/rdf.xsd", "http://www.openarchives.org/OAI/2.0/rdf/")          \
    X(dim, "http://www.dspace.org/schema/dim.xsd", "http://www.dspace.org/xmlns/dspace/dim")                   \
    X(didl, "http://standards.iso.org/ittf/PubliclyAvailableStandards/MPEG-21_schema_files/did/didl.xsd",      \
      "urn:mpeg:mpeg21:2002:02-DIDL-NS")
enum oai_format {
#define X(prefix, schema, namespace) OAI_FORMAT_##prefix,
    OAI_FORMATS(X)
#undef X
        OAI_FORMAT_COUNT
};

/* Where a list stands: what a resumption token carries, and what is checked when it comes back. */
struct oai_place {
    enum oai_verb verb;
    enum oai_format format;
    struct harvest_range range; /* until_us: the bound of the first answer */
    bool communities_done;      /* ListSets */
    uint64_t cursor;            /* how many came before */
    int64_t expires_us;
};

struct oai_request {
    struct repository *repository;
    struct text context; /* "request", … */
    struct text base_url;
    struct text raw;     /* arguments, form-encoded */
    struct buffer body;  /* of a POST */
    enum oai_verb verb;
    struct text arguments[OAI_ARGUMENT_COUNT]; /* data NULL: not given */
    enum oai_fault fault;
    const char *why;
    struct view *view;   /* anonymous: harvesters are all the same */
    int64_t now_us;      /* responseDate: settled */
    struct oai_place place;
    struct buffer answer;
    struct xml_writer xml;
    struct error error;  /* ours: 500 */
};

static inline struct oai_request *
oai_of(struct http_request *request)
{
    return request->state;
}

const char *oai_format_prefix(enum oai_format format);

/* ---- arguments.c: reads and checks; sets fault ---- */
void oai_read_arguments(struct http_request *request, struct oai_request *oai);
void oai_set_fault(struct oai_request *oai, enum oai_fault fault, const char *why);

/* ---- token.c ---- */
/* Into the arena. */
struct text oai_token_write(struct http_request *request, const struct oai_place *place);
/* False: not ours, of another store, altered, or out of time. */
bool oai_token_read(struct http_request *request, struct text token, int64_t now_us, struct oai_place *ret_place);

/* ---- answers.c ---- */
void oai_put_time(struct oai_request *oai, const char *element, int64_t time_us);
void oai_answer(struct http_request *request);

/* ---- lists.c ---- */
/* Content of the verb's element; a fault instead, before anything was written. */
void oai_list_records(struct http_request *request);
void oai_list_sets(struct http_request *request);
void oai_get_record(struct http_request *request);
void oai_list_metadata_formats(struct http_request *request);
/* The id of the record with that identifier, shown at some time. */
bool oai_find_record(struct http_request *request, struct text identifier, uint64_t *ret_id);

#endif
