/* SPDX-License-Identifier: Apache-2.0 */
/* What the head of a PUT or POST says about the thing to be made: RFC 6266, 8288, and Fedora's link types. */
#include "frontend/fedora/fedora_private.h"

#include "http/disposition.h"
#include "http/field.h"

#define MEMENTO_ORIGINAL "http://mementoweb.org/ns#OriginalResource"
#define ARCHIVAL_GROUP "http://fedora.info/definitions/v4/repository#ArchivalGroup"
#define ARCHIVAL_GROUP_NEW "http://fedora.info/definitions/fcrepo#ArchivalGroup"
#define EXTERNAL_CONTENT "http://fedora.info/definitions/fcrepo#ExternalContent"

/* X(media type): RDF syntaxes that Fedora takes for descriptions. */
#define RDF_TYPES(X)                                                                               \
    X("text/turtle") X("application/x-turtle") X("text/n3") X("text/rdf+n3")                       \
    X("application/n-triples") X("application/rdf+xml") X("application/ld+json")

bool
fedora_is_rdf_type(struct text content_type)
{
    struct text rest;
    struct text type = text_trim(text_cut(content_type, ';', &rest));
#define X(name)                                                                                    \
    if (text_equal_ignoring_case(type, TEXT(name)))                                                \
        return true;
    RDF_TYPES(X)
#undef X
    return false;
}

/* One <target>; rel=... of the Link header. False: refused. */
static bool
read_type(struct http_request *request, struct text target)
{
    struct fedora *fedora = fedora_of(request);
    if (text_equal(target, TEXT(LDP "NonRDFSource"))) {
        fedora->model = FEDORA_MODEL_BINARY;
    } else if (text_equal(target, TEXT(LDP "BasicContainer"))) {
        fedora->model = FEDORA_MODEL_CONTAINER;
    } else if (text_equal(target, TEXT(ARCHIVAL_GROUP)) || text_equal(target, TEXT(ARCHIVAL_GROUP_NEW))) {
        fedora->model = FEDORA_MODEL_CONTAINER;
        fedora->container.aggregate = true;
    } else if (text_starts_with(target, TEXT(LDP)) && !text_equal(target, TEXT(LDP "Resource"))) {
        fedora_refuse(request, FEDORA_CONSTRAINT_CannotCreateResourceException, 400,
                      "a resource of type <%.*s> cannot be created here", TEXT_ARG(target));
        return false;
    }
    return true; /* memento#OriginalResource and strangers say nothing about the model */
}

static bool
read_link(struct http_request *request, struct text link)
{
    struct text target, part, name, value, relation = TEXT("");
    if (!field_part_next(&link, &target) || target.length < 2 || target.data[0] != '<' ||
        target.data[target.length - 1] != '>')
        return true;
    target = text_of(target.data + 1, target.length - 2);
    while (field_part_next(&link, &part)) {
        field_pair(part, &name, &value);
        if (text_equal_ignoring_case(name, TEXT("rel")) && value.data != NULL)
            field_unquote(request->arena, value, &relation);
    }
    if (text_equal(relation, TEXT(EXTERNAL_CONTENT))) {
        fedora_refuse(request, FEDORA_CONSTRAINT_ExternalMessageBodyException, 400, "external content is not taken here");
        return false;
    }
    return !text_equal_ignoring_case(relation, TEXT("type")) || read_type(request, target);
}

static bool
read_links(struct http_request *request)
{
    struct text rest = request->headers[HTTP_HEADER_LINK], link;
    while (rest.data != NULL && field_list_next(&rest, &link)) {
        if (!read_link(request, link))
            return false;
    }
    return true;
}

static bool
refuse_unkept(struct http_request *request)
{
    struct text coding = request->headers[HTTP_HEADER_CONTENT_ENCODING];
    if (http_has(request, HTTP_HEADER_CONTENT_RANGE)) {
        http_refuse(request, 400, ERROR_UNSUPPORTED, "a part of a body (Content-Range) cannot be stored");
        return false;
    }
    if (coding.length > 0 && !text_equal_ignoring_case(coding, TEXT("identity"))) {
        http_refuse(request, 415, ERROR_UNSUPPORTED, "Content-Encoding is not kept, so send the bytes themselves");
        return false;
    }
    return true;
}

bool
fedora_read_intent(struct http_request *request, struct expected_digests *ret_digests)
{
    struct fedora *fedora = fedora_of(request);
    struct error error = {0};
    fedora->file = (struct file_options){.make_parents = true, .source_mtime_us = INT64_MIN};
    fedora->container = (struct container_options){.make_parents = true, .exist_ok = true};
    fedora->file.media_type = request->headers[HTTP_HEADER_CONTENT_TYPE];
    if (fedora->file.media_type.data == NULL)
        fedora->file.media_type = TEXT("");
    if (!refuse_unkept(request) || !read_links(request))
        return false;
    if (disposition_parse(request->arena, request->headers[HTTP_HEADER_CONTENT_DISPOSITION], &fedora->file.filename,
                          &error) != ERROR_NONE ||
        digests_expected(request, ret_digests, &error) != ERROR_NONE ||
        condition_of_write(request, &fedora->condition, &error) != ERROR_NONE) {
        fedora_fail(request, &error);
        return false;
    }
    return true;
}
