/* SPDX-License-Identifier: Apache-2.0 */
/* The form that people read: plain HTML, no scripts, everything escaped. */
#include "format/date.h"
#include "frontend/fedora/listing.h"
#include "http/html.h"

static void
append_detail(struct buffer *out, const char *term, struct text value)
{
    buffer_printf(out, "<dt>%s</dt><dd>", term);
    html_append(out, value);
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
        html_append(out, statement.attribute);
        buffer_append_string(out, "</dt><dd>");
        html_append(out, statement.value);
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
    html_append_link(out, buffer_text(&url), TEXT("up"));
    buffer_append_string(out, "</p>\n");
    buffer_release(&url);
}

static void
html_head(struct listing *listing, struct buffer *out)
{
    const struct resource *resource = &listing->resource;
    char date[DATE_TEXT_SIZE];
    html_begin(out, listing->path);
    html_begin_body(out, listing->path);
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
    html_append(out, buffer_text(&url));
    buffer_release(&url);
    buffer_append_string(out, "\">");
    html_append(out, child->name);
    buffer_append_string(out, child->kind == RESOURCE_FILE ? "</a></li>\n" : "/</a></li>\n");
}

static void
page_end(struct listing *listing, struct buffer *out)
{
    if (listing->resource.kind == RESOURCE_CONTAINER)
        buffer_append_string(out, "</ul>\n");
    if (listing->next_url.length > 0) {
        buffer_append_string(out, "<p>");
        html_append_link(out, listing->next_url, TEXT("next page"));
        buffer_append_string(out, "</p>\n");
    }
    html_end(out);
}

const struct form form_html = {html_head, html_child, page_end};
