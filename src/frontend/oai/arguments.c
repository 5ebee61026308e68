/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and checking the arguments of a request (sections 3.6 and 4 of the protocol, 2.7.1 of dates). */
#include "format/date.h"
#include "frontend/oai/oai_private.h"

static const struct {
    const char *word;
    unsigned verbs;
} arguments[OAI_ARGUMENT_COUNT] = {
#define X(name, word, verbs) [OAI_ARGUMENT_##name] = {word, verbs},
    OAI_ARGUMENTS(X)
#undef X
};

static const char *const format_prefixes[OAI_FORMAT_COUNT] = {
#define X(prefix, schema, namespace) [OAI_FORMAT_##prefix] = #prefix,
    OAI_FORMATS(X)
#undef X
};

const char *
oai_format_prefix(enum oai_format format)
{
    return format_prefixes[format];
}

void
oai_set_fault(struct oai_request *oai, enum oai_fault fault, const char *why)
{
    if (oai->fault != OAI_NO_FAULT)
        return;
    oai->fault = fault;
    oai->why = why;
}

static bool
given(const struct oai_request *oai, enum oai_argument argument)
{
    return oai->arguments[argument].data != NULL;
}

static enum oai_verb
verb_from(struct text word)
{
#define X(name, text)                                                                              \
    if (text_equal(word, TEXT(text)))                                                              \
        return OAI_##name;
    OAI_VERBS(X)
#undef X
    return OAI_VERB_COUNT;
}

static void
take_argument(struct oai_request *oai, struct text key, struct text value)
{
    for (int i = 0; i < OAI_ARGUMENT_COUNT; i++) {
        if (!text_equal(key, text_from(arguments[i].word)))
            continue;
        if (oai->arguments[i].data != NULL)
            oai_set_fault(oai, OAI_BAD_ARGUMENT, "an argument is given twice");
        oai->arguments[i] = value.data == NULL ? TEXT("") : value;
        return;
    }
    oai_set_fault(oai, OAI_BAD_ARGUMENT, "there is an argument that OAI-PMH does not know");
}

/* All pairs; a missing, unknown or repeated verb comes before any other fault. */
static void
take_arguments(struct http_request *request, struct oai_request *oai)
{
    struct text rest = oai->raw, key, value, verb = {NULL, 0};
    unsigned verbs = 0;
    while (http_form_next(request->arena, &rest, &key, &value)) {
        if (!text_equal(key, TEXT("verb"))) {
            take_argument(oai, key, value);
            continue;
        }
        verb = value;
        verbs++;
    }
    oai->verb = verbs == 1 ? verb_from(verb) : OAI_VERB_COUNT;
    if (oai->verb != OAI_VERB_COUNT)
        return;
    oai->fault = OAI_BAD_VERB;
    oai->why = verbs == 0 ? "there is no verb" : verbs > 1 ? "there are several verbs" : "this is no verb of OAI-PMH";
}

/* ---- what each verb demands -------------------------------------------------------------------------- */

static bool
is_list(const struct oai_request *oai)
{
    return oai->verb == OAI_LIST_IDENTIFIERS || oai->verb == OAI_LIST_RECORDS;
}

static void
check_combination(struct oai_request *oai)
{
    unsigned others = 0;
    for (int i = 0; i < OAI_ARGUMENT_COUNT; i++) {
        if (oai->arguments[i].data == NULL)
            continue;
        others += i != OAI_ARGUMENT_RESUMPTION_TOKEN;
        if ((arguments[i].verbs & 1u << oai->verb) == 0)
            oai_set_fault(oai, OAI_BAD_ARGUMENT, "there is an argument that this verb does not take");
    }
    if (given(oai, OAI_ARGUMENT_RESUMPTION_TOKEN)) {
        if (others > 0)
            oai_set_fault(oai, OAI_BAD_ARGUMENT, "a resumptionToken stands alone");
        return;
    }
    if ((is_list(oai) || oai->verb == OAI_GET_RECORD) && !given(oai, OAI_ARGUMENT_METADATA_PREFIX))
        oai_set_fault(oai, OAI_BAD_ARGUMENT, "metadataPrefix is missing");
    if (oai->verb == OAI_GET_RECORD && !given(oai, OAI_ARGUMENT_IDENTIFIER))
        oai_set_fault(oai, OAI_BAD_ARGUMENT, "identifier is missing");
}

static void
read_format(struct oai_request *oai)
{
    struct text prefix = oai->arguments[OAI_ARGUMENT_METADATA_PREFIX];
    if (prefix.data == NULL)
        return;
    for (int i = 0; i < OAI_FORMAT_COUNT; i++) {
        if (text_equal(prefix, text_from(format_prefixes[i]))) {
            oai->place.format = (enum oai_format)i;
            return;
        }
    }
    oai_set_fault(oai, OAI_CANNOT_DISSEMINATE, "no record comes in this format");
}

enum granularity { NO_DATE, DAYS, SECONDS, WRONG_DATE };

/* "2026-12-01" or "2026-12-01T00:51:32Z", nothing else. `end`: the last microsecond that it names. */
static enum granularity
read_date(struct text text, bool end, int64_t *ret_us)
{
    int64_t length_us = 0;
    enum granularity granularity = WRONG_DATE;
    if (text.data == NULL)
        return NO_DATE;
    if (text.length == 10 && date_parse_day(text, ret_us)) {
        granularity = DAYS;
        length_us = INT64_C(86400) * 1000000;
    } else if (text.length == 20 && text.data[10] == 'T' && text.data[19] == 'Z' && date_parse(text, ret_us)) {
        granularity = SECONDS;
        length_us = 1000000;
    }
    if (end)
        *ret_us += length_us - 1;
    return granularity;
}

static void
read_range(struct oai_request *oai)
{
    struct harvest_range *range = &oai->place.range;
    int64_t until_us = INT64_MAX;
    enum granularity from = read_date(oai->arguments[OAI_ARGUMENT_FROM], false, &range->from_us);
    enum granularity until = read_date(oai->arguments[OAI_ARGUMENT_UNTIL], true, &until_us);
    if (from == WRONG_DATE || until == WRONG_DATE)
        oai_set_fault(oai, OAI_BAD_ARGUMENT, "dates are YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ");
    else if (from != NO_DATE && until != NO_DATE && from != until)
        oai_set_fault(oai, OAI_BAD_ARGUMENT, "from and until have the same granularity");
    else if (from != NO_DATE && range->from_us > until_us)
        oai_set_fault(oai, OAI_BAD_ARGUMENT, "from is not later than until");
    if (range->from_us < 0) /* before 1970 there was nothing */
        range->from_us = 0;
    range->until_us = until_us < oai->now_us ? until_us : oai->now_us;
}

static void
read_token(struct http_request *request, struct oai_request *oai)
{
    struct oai_place place;
    if (!oai_token_read(request, oai->arguments[OAI_ARGUMENT_RESUMPTION_TOKEN], oai->now_us, &place) ||
        place.verb != oai->verb)
        oai_set_fault(oai, OAI_BAD_RESUMPTION_TOKEN, "this is no token of such a list, or its time is over");
    else
        oai->place = place;
}

void
oai_read_arguments(struct http_request *request, struct oai_request *oai)
{
    take_arguments(request, oai);
    if (oai->verb == OAI_VERB_COUNT)
        return;
    oai->place.verb = oai->verb;
    check_combination(oai);
    if (oai->fault == OAI_NO_FAULT && given(oai, OAI_ARGUMENT_RESUMPTION_TOKEN)) {
        read_token(request, oai);
        return;
    }
    if (is_list(oai))
        read_range(oai);
    if (oai->fault == OAI_NO_FAULT)
        read_format(oai);
}
