/* SPDX-License-Identifier: Apache-2.0 */
/* The form that people read: plain HTML, no scripts, everything escaped. */
#include "format/base64.h"
#include "format/date.h"
#include "frontend/fedora/listing.h"

#include <pthread.h>

static const char style[] = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
                            "li{overflow-wrap:anywhere}dt{font-weight:600}";
static char policy[256];
static pthread_once_t policy_once = PTHREAD_ONCE_INIT;

static void
make_policy(void)
{
    unsigned char digest[DIGEST_SIZE_MAX];
    struct buffer encoded = {0};
    digest_compute(DIGEST_SHA256, style, sizeof style - 1, digest);
    base64_append(&encoded, digest, digest_size(DIGEST_SHA256));
    snprintf(policy, sizeof policy,
             "default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
             buffer_string(&encoded));
    buffer_release(&encoded);
}

struct text
html_security_policy(void)
{
    pthread_once(&policy_once, make_policy);
    return text_from(policy);
}

static void
append_escaped(struct buffer *out, struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '&')
            buffer_append_string(out, "&amp;");
        else if (c == '<')
            buffer_append_string(out, "&lt;");
        else if (c == '>')
            buffer_append_string(out, "&gt;");
        else if (c == '"' || c == '\'')
            buffer_append_string(out, c == '"' ? "&quot;" : "&#39;");
        else if (c < ' ' || c == 0x7F) /* not allowed in HTML: its picture instead */
            buffer_printf(out, "\xE2\x90%c", c == 0x7F ? 0xA1 : 0x80 + c);
        else
            buffer_append_char(out, (char)c);
    }
}

static void
append_link(struct buffer *out, struct text url, struct text label)
{
    buffer_append_string(out, "<a href=\"");
    append_escaped(out, url);
    buffer_append_string(out, "\">");
    append_escaped(out, label);
    buffer_append_string(out, "</a>");
}

static void
append_detail(struct buffer *out, const char *term, struct text value)
{
    buffer_printf(out, "<dt>%s</dt><dd>", term);
    append_escaped(out, value);
    buffer_append_string(out, "</dd>\n");
}

static void
append_statements(struct listing *listing, struct buffer *out)
{
    struct statement_iterator *iterator;
    struct statement statement;
    if (view_statements(listing->view, listing->resource.id, TEXT(""), &iterator, NULL) != ERROR_NONE) {
        out->status = ERROR_IO;
        return;
    }
    while (listing_next_statement(listing, iterator, &statement)) {
        buffer_append_string(out, "<dt>");
        append_escaped(out, statement.attribute);
        buffer_append_string(out, "</dt><dd>");
        append_escaped(out, statement.value);
        buffer_append_string(out, "</dd>\n");
    }
    if (statement_iterator_close(iterator, NULL) != ERROR_NONE)
        out->status = ERROR_IO;
}

static void
append_parent(struct listing *listing, struct buffer *out)
{
    size_t length = listing->path.length;
    if (length <= 1)
        return;
    while (listing->path.data[length - 1] != '/')
        length--;
    struct buffer url = {0};
    fedora_append_url(&url, listing->base_url, text_of(listing->path.data, length > 1 ? length - 1 : 1));
    buffer_append_string(out, "<p>");
    append_link(out, buffer_text(&url), TEXT("up"));
    buffer_append_string(out, "</p>\n");
    buffer_release(&url);
}

static void
html_head(struct listing *listing, struct buffer *out)
{
    const struct resource *resource = &listing->resource;
    char date[DATE_TEXT_SIZE];
    buffer_append_string(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    append_escaped(out, listing->path);
    buffer_printf(out, "</title><style>%s</style></head>\n<body><main><h1>", style);
    append_escaped(out, listing->path);
    buffer_append_string(out, "</h1>\n");
    append_parent(listing, out);
    buffer_append_string(out, "<dl>\n");
    append_detail(out, "created", text_of(date, date_write(resource->created_us, DATE_SECONDS, date)));
    append_detail(out, "modified", text_of(date, date_write(resource->modified_us, DATE_SECONDS, date)));
    append_statements(listing, out);
    buffer_append_string(out, "</dl>\n");
    if (resource->kind == RESOURCE_CONTAINER)
        buffer_printf(out, "<h2>%llu inside</h2>\n<ul>\n", (unsigned long long)resource->children);
}

static void
html_child(struct listing *listing, struct buffer *out, const struct child *child)
{
    buffer_append_string(out, "<li><a href=\"");
    struct buffer url = {0};
    listing_append_child_url(listing, &url, child);
    append_escaped(out, buffer_text(&url));
    buffer_release(&url);
    buffer_append_string(out, "\">");
    append_escaped(out, child->name);
    buffer_append_string(out, child->kind == RESOURCE_FILE ? "</a></li>\n" : "/</a></li>\n");
}

static void
html_end(struct listing *listing, struct buffer *out)
{
    if (listing->resource.kind == RESOURCE_CONTAINER)
        buffer_append_string(out, "</ul>\n");
    if (listing->next_url.length > 0) {
        buffer_append_string(out, "<p>");
        append_link(out, listing->next_url, TEXT("next page"));
        buffer_append_string(out, "</p>\n");
    }
    buffer_append_string(out, "</main></body></html>\n");
}

const struct form form_html = {html_head, html_child, html_end};
