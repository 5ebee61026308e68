/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers and descriptions as JSON, N-Triples and HTML. A page (?limit=, ?after=) is made whole; a listing without a
 * limit is streamed from the child iterator, so that memory stays flat however many there are.
 * One writer a form (struct form), each with a head, a line a child, and an end.
 */
#include "frontend/fedora/listing.h"
#include "http/html.h"

#include "base/ensure.h"
#include "http/accept.h"
#include "metadata/publish.h"

#define PAGE_CHILDREN_MAXIMUM 10000u
#define HTML_PAGE_CHILDREN 200u
#define STREAM_BLOCK_BYTES 32768u

/* Which media type is answered by which writer; the first is for those who do not say. */
static const struct {
    struct media_type type;
    const char *content_type, *word;
    const struct form *form;
} representations[] = {
    /* N-Triples is Turtle too */
    {{"text", "turtle"}, "text/turtle; charset=utf-8", "turtle", &form_ntriples},
    {{"application", "n-triples"}, "application/n-triples", "ntriples", &form_ntriples},
    {{"application", "json"}, "application/json", "json", &form_json},
    {{"text", "html"}, "text/html; charset=utf-8", "html", &form_html},
};
#define REPRESENTATION_COUNT (sizeof representations / sizeof representations[0])

static size_t
choose_representation(struct http_request *request)
{
    struct media_type offered[REPRESENTATION_COUNT];
    struct text word;
    bool named = http_query(request, "format", &word);
    for (size_t i = 0; i < REPRESENTATION_COUNT; i++) {
        offered[i] = representations[i].type;
        if (named && text_equal(word, text_from(representations[i].word)))
            return i;
    }
    return named ? REPRESENTATION_COUNT : accept_choose(request->headers[HTTP_HEADER_ACCEPT], offered, REPRESENTATION_COUNT);
}

/* ---- pages -------------------------------------------------------------------------------------------- */

static enum error_code
read_page(struct http_request *request, struct listing *listing, struct error *error)
{
    struct text limit;
    if (http_query(request, "limit", &limit)) {
        if (!text_to_u64(limit, &listing->limit) || listing->limit == 0)
            return error_set(error, ERROR_INVALID, "limit is a number from 1 to %u", PAGE_CHILDREN_MAXIMUM);
        if (listing->limit > PAGE_CHILDREN_MAXIMUM)
            listing->limit = PAGE_CHILDREN_MAXIMUM;
    }
    listing->after = TEXT("");
    if (http_query(request, "after", &listing->after) &&
        (!text_is_utf8(listing->after) || memchr(listing->after.data, '\0', listing->after.length) != NULL))
        return error_set(error, ERROR_INVALID, "after is a name: UTF-8 without NUL");
    return ERROR_NONE;
}

static void
make_next_url(struct http_request *request, struct listing *listing, struct text last)
{
    struct buffer buffer = {0};
    struct text word;
    buffer_append_text(&buffer, listing->url);
    buffer_append_string(&buffer, "?limit=");
    buffer_append_u64(&buffer, listing->limit);
    if (http_query(request, "format", &word)) {
        buffer_append_string(&buffer, "&format=");
        percent_encode(&buffer, PERCENT_URI_QUERY, word);
    }
    buffer_append_string(&buffer, "&after=");
    percent_encode(&buffer, PERCENT_URI_QUERY, last);
    listing->next_url = arena_copy(request->arena, buffer_text(&buffer));
    buffer_release(&buffer);
    http_set_header_format(request, "Link", "<%.*s>; rel=\"next\"", TEXT_ARG(listing->next_url));
}

/* A page in one buffer. */
static enum error_code
make_page(struct http_request *request, struct listing *listing, struct buffer *buffer, struct error *error)
{
    struct child child;
    uint64_t count = 0;
    struct buffer last = {0};
    while (child_iterator_next(listing->children, &child)) {
        if (count == listing->limit) {
            make_next_url(request, listing, buffer_text(&last));
            break;
        }
        listing->form->child(listing, buffer, &child);
        if (++count == listing->limit)
            buffer_append_text(&last, child.name);
    }
    buffer_release(&last);
    enum error_code code = child_iterator_close(listing->children, error);
    listing->children = NULL;
    listing->form->end(listing, buffer);
    return code != ERROR_NONE ? code : buffer_status(buffer, error);
}

/* ---- whole, streamed ---------------------------------------------------------------------------------- */

struct listing_stream {
    struct http_stream stream; /* first */
    struct listing *listing;
    struct buffer buffer;
    size_t given; /* of the buffer */
    bool ended;
};

static bool
fill(struct listing_stream *stream)
{
    struct listing *listing = stream->listing;
    struct child child;
    buffer_clear(&stream->buffer);
    stream->given = 0;
    while (stream->buffer.length < STREAM_BLOCK_BYTES) {
        if (child_iterator_next(listing->children, &child)) {
            listing->form->child(listing, &stream->buffer, &child);
            continue;
        }
        enum error_code code = child_iterator_close(listing->children, NULL);
        listing->children = NULL;
        listing->form->end(listing, &stream->buffer);
        stream->ended = true;
        return code == ERROR_NONE && stream->buffer.status == ERROR_NONE;
    }
    return stream->buffer.status == ERROR_NONE;
}

static ssize_t
stream_read(struct http_stream *base, uint64_t position, char *bytes, size_t room)
{
    struct listing_stream *stream = (struct listing_stream *)base;
    if (stream->given == stream->buffer.length) {
        if (stream->ended)
            return HTTP_STREAM_END;
        if (!fill(stream))
            return HTTP_STREAM_FAILED;
        if (stream->buffer.length == 0)
            return HTTP_STREAM_END;
    }
    size_t length = stream->buffer.length - stream->given;
    length = length < room ? length : room;
    memcpy(bytes, stream->buffer.data + stream->given, length);
    stream->given += length;
    return (ssize_t)length;
}

static void
stream_free(struct http_stream *base)
{
    struct listing_stream *stream = (struct listing_stream *)base;
    if (stream->listing->children != NULL && child_iterator_close(stream->listing->children, NULL) != ERROR_NONE)
        stream->ended = true;
    stream->listing->children = NULL;
    buffer_release(&stream->buffer);
}

static enum error_code
answer_streamed(struct http_request *request, struct listing *listing, struct buffer *head, struct error *error)
{
    struct listing_stream *stream = arena_alloc(request->arena, sizeof *stream);
    if (stream == NULL)
        return arena_status(request->arena, error);
    stream->stream = (struct http_stream){stream_read, stream_free};
    stream->listing = listing;
    stream->buffer = *head;
    *head = (struct buffer){0};
    struct http_stream *base = &stream->stream;
    http_answer_stream(request, 200, HTTP_SIZE_UNKNOWN, &base);
    return ERROR_NONE;
}

/* ---- answering ---------------------------------------------------------------------------------------- */

static bool
answer_condition(struct http_request *request, const struct resource *resource, size_t chosen)
{
    char tag[ENTITY_TAG_BYTES];
    int length = snprintf(tag, sizeof tag, "%llu-%llu-%c%llu", (unsigned long long)resource->id,
                          (unsigned long long)resource->counter, representations[chosen].word[0],
                          (unsigned long long)resource->children_change);
    struct representation current = {text_of(tag, (size_t)length), true, resource->modified_us};
    enum condition_verdict verdict = condition_of_read(request, &current);
    if (verdict == CONDITION_FAILED) {
        http_refuse(request, 412, ERROR_PRECONDITION, "the state is not the one that the conditions name");
        return true;
    }
    /* the date says nothing about the children, so it is not shown where there are some */
    if (resource->kind == RESOURCE_FILE)
        fedora_set_modified(request, resource->modified_us);
    fedora_set_tag(request, current.tag, true);
    http_set_header_static(request, "Vary", "Accept");
    http_set_header_static(request, "Cache-Control", "no-cache");
    if (verdict == CONDITION_NOT_MODIFIED && http_has(request, HTTP_HEADER_IF_NONE_MATCH)) {
        http_answer_empty(request, 304);
        return true;
    }
    return false;
}

static enum error_code
answer_listing(struct http_request *request, struct listing *listing, struct error *error)
{
    struct buffer buffer = {0};
    enum error_code code = ERROR_NONE;
    listing->form->head(listing, &buffer);
    if (listing->resource.kind == RESOURCE_CONTAINER)
        code = view_children(listing->view, &listing->resource, listing->after, &listing->children, error);
    if (code == ERROR_NONE && listing->children == NULL) {
        listing->form->end(listing, &buffer);
        code = buffer_status(&buffer, error);
    } else if (code == ERROR_NONE && listing->limit == 0) {
        code = answer_streamed(request, listing, &buffer, error);
    } else if (code == ERROR_NONE) {
        code = make_page(request, listing, &buffer, error);
    }
    if (code == ERROR_NONE && !http_answered(request)) {
        size_t length = buffer.length;
        http_answer_owned(request, 200, &buffer.data, length);
        buffer = (struct buffer){0};
    }
    buffer_release(&buffer);
    return code;
}

bool
listing_next_statement(const struct listing *listing, struct statement_iterator *iterator, struct statement *ret)
{
    while (statement_iterator_next(iterator, ret)) {
        struct field field = {.language = TEXT(""), .authority = TEXT(""), .confidence = -1};
        if (listing->edits || !field_from_attribute(ret->attribute, &field))
            return true;
        field.value = ret->value;
        if (!field_is_private(&field))
            return true;
    }
    return false;
}

static void
answer(struct http_request *request, const struct resource *resource, bool description)
{
    struct error error = {0};
    rights held = 0;
    struct listing *listing = arena_alloc(request->arena, sizeof *listing);
    size_t chosen = choose_representation(request);
    if (listing == NULL)
        return; /* the arena's status is answered */
    if (chosen == REPRESENTATION_COUNT) {
        http_refuse(request, 406, ERROR_UNSUPPORTED,
                    "this is given as text/turtle, application/n-triples, application/json or text/html");
        return;
    }
    listing->form = representations[chosen].form;
    listing->resource = *resource;
    listing->view = fedora_of(request)->view;
    (void)!view_rights(listing->view, resource, &held, NULL);
    listing->edits = (held & RIGHT_WRITE) != 0;
    listing->base_url = request->base_url;
    listing->path = fedora_of(request)->path;
    listing->url = fedora_url(request, listing->path);
    if (listing->form == &form_html)
        listing->limit = HTML_PAGE_CHILDREN;
    if (read_page(request, listing, &error) != ERROR_NONE) {
        fedora_fail(request, &error);
        return;
    }
    if (answer_condition(request, resource, chosen))
        return;
    if (description) {
        http_set_header_format(request, "Link", "<%.*s>; rel=\"describes\"", TEXT_ARG(listing->url));
        http_set_header_static(request, "Allow", "GET, HEAD, OPTIONS");
    } else {
        fedora_set_type_links(request, resource);
        fedora_allow(request, resource);
    }
    if (listing->form == &form_html)
        http_set_header(request, "Content-Security-Policy", html_security_policy());
    http_set_header_static(request, "Content-Type", representations[chosen].content_type);
    if (answer_listing(request, listing, &error) != ERROR_NONE) {
        http_answer_reset(request);
        fedora_fail(request, &error);
    }
}

void
fedora_get_listing(struct http_request *request, const struct resource *container)
{
    answer(request, container, false);
}

void
fedora_get_description(struct http_request *request, const struct resource *file)
{
    answer(request, file, true);
}
