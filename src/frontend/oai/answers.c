/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer: its frame, Identify, and faults. OAI's elements have no prefix: the validator of the Open Archives looks for
 * bare names.
 */
#include "format/date.h"
#include "frontend/oai/oai_private.h"

#define OAI_NAMESPACE "http://www.openarchives.org/OAI/2.0/"
#define XSI_NAMESPACE "http://www.w3.org/2001/XMLSchema-instance"

static const char *const fault_words[] = {
#define X(name, word) [OAI_##name] = word,
    OAI_FAULTS(X)
#undef X
};

static const char *const verb_words[OAI_VERB_COUNT] = {
#define X(name, word) [OAI_##name] = word,
    OAI_VERBS(X)
#undef X
};

void
oai_put_time(struct oai_request *oai, const char *element, int64_t time_us)
{
    char date[DATE_TEXT_SIZE];
    size_t length = date_write(time_us, DATE_SECONDS, date);
    xml_put_element(&oai->xml, element, text_of(date, length));
}

static void
identify(struct http_request *request)
{
    struct oai_request *oai = oai_of(request);
    const struct repository_options *options = repository_options(oai->repository);
    struct buffer sample = {0};
    xml_begin_element(&oai->xml, "Identify");
    xml_put_element(&oai->xml, "repositoryName", options->name);
    xml_put_element(&oai->xml, "baseURL", oai->base_url);
    xml_put_element(&oai->xml, "protocolVersion", TEXT("2.0"));
    xml_put_element(&oai->xml, "adminEmail", options->email);
    oai_put_time(oai, "earliestDatestamp", model_created_us(request->model));
    xml_put_element(&oai->xml, "deletedRecord", TEXT("persistent"));
    xml_put_element(&oai->xml, "granularity", TEXT("YYYY-MM-DDThh:mm:ssZ"));
    xml_begin_element(&oai->xml, "description");
    xml_begin_element(&oai->xml, "oai-identifier");
    xml_put_attribute(&oai->xml, "xmlns", TEXT(OAI_NAMESPACE "oai-identifier"));
    xml_put_attribute(&oai->xml, "xsi:schemaLocation",
                      TEXT(OAI_NAMESPACE "oai-identifier " OAI_NAMESPACE "oai-identifier.xsd"));
    xml_put_element(&oai->xml, "scheme", TEXT("oai"));
    xml_put_element(&oai->xml, "repositoryIdentifier", options->oai_identifier);
    xml_put_element(&oai->xml, "delimiter", TEXT(":"));
    buffer_printf(&sample, "oai:%.*s:%.*s/1", TEXT_ARG(options->oai_identifier), TEXT_ARG(options->handle_prefix));
    xml_put_element(&oai->xml, "sampleIdentifier", buffer_text(&sample));
    xml_end_element(&oai->xml);
    xml_end_element(&oai->xml);
    xml_end_element(&oai->xml);
    buffer_release(&sample);
}

static void
answer_verb(struct http_request *request)
{
    switch (oai_of(request)->verb) {
    case OAI_IDENTIFY:
        identify(request);
        break;
    case OAI_LIST_METADATA_FORMATS:
        oai_list_metadata_formats(request);
        break;
    case OAI_LIST_SETS:
        oai_list_sets(request);
        break;
    case OAI_GET_RECORD:
        oai_get_record(request);
        break;
    case OAI_LIST_IDENTIFIERS:
    case OAI_LIST_RECORDS:
        oai_list_records(request);
        break;
    case OAI_VERB_COUNT:
        break;
    }
}

/* The arguments as they were understood; none after a fault in them (section 3.2). */
static void
put_request(struct oai_request *oai)
{
    static const char *const words[OAI_ARGUMENT_COUNT] = {
#define X(name, word, verbs) [OAI_ARGUMENT_##name] = word,
        OAI_ARGUMENTS(X)
#undef X
    };
    xml_begin_element(&oai->xml, "request");
    if (oai->fault != OAI_BAD_VERB && oai->fault != OAI_BAD_ARGUMENT) {
        xml_put_attribute(&oai->xml, "verb", text_from(verb_words[oai->verb]));
        for (int i = 0; i < OAI_ARGUMENT_COUNT; i++)
            if (oai->arguments[i].data != NULL)
                xml_put_attribute(&oai->xml, words[i], oai->arguments[i]);
    }
    xml_put_text(&oai->xml, oai->base_url);
    xml_end_element(&oai->xml);
}

static void
put_fault(struct oai_request *oai)
{
    xml_begin_element(&oai->xml, "error");
    xml_put_attribute(&oai->xml, "code", text_from(fault_words[oai->fault]));
    xml_put_text(&oai->xml, text_from(oai->why));
    xml_end_element(&oai->xml);
}

static struct text
base_url(struct http_request *request)
{
    struct oai_request *oai = oai_of(request);
    struct buffer url = {0};
    buffer_printf(&url, "%.*s%s/%.*s", TEXT_ARG(request->base_url), request->front_end->prefix, TEXT_ARG(oai->context));
    struct text result = arena_copy(request->arena, buffer_text(&url));
    buffer_release(&url);
    return result;
}

/* In a worker. The bound comes before the view: all that the bound covers is in it. */
void
oai_answer(struct http_request *request)
{
    struct oai_request *oai = oai_of(request);
    struct principal anonymous = principal_anonymous();
    oai->now_us = model_settled_us(request->model);
    oai->base_url = base_url(request);
    if (view_open(request->model, &anonymous, &oai->view, &oai->error) != ERROR_NONE)
        return;
    oai_read_arguments(request, oai);
    struct buffer content = {0};
    oai->xml = xml_writer(&content);
    if (oai->fault == OAI_NO_FAULT)
        answer_verb(request);
    oai->xml = xml_writer(&oai->answer);
    xml_put_declaration(&oai->xml);
    xml_begin_element(&oai->xml, "OAI-PMH");
    xml_put_attribute(&oai->xml, "xmlns", TEXT(OAI_NAMESPACE));
    xml_put_attribute(&oai->xml, "xmlns:xsi", TEXT(XSI_NAMESPACE));
    xml_put_attribute(&oai->xml, "xsi:schemaLocation", TEXT(OAI_NAMESPACE " " OAI_NAMESPACE "OAI-PMH.xsd"));
    oai_put_time(oai, "responseDate", oai->now_us);
    put_request(oai);
    if (oai->fault != OAI_NO_FAULT)
        put_fault(oai);
    else if (buffer_status(&content, &oai->error) == ERROR_NONE)
        xml_put_raw(&oai->xml, buffer_text(&content));
    xml_end_element(&oai->xml);
    buffer_release(&content);
}
