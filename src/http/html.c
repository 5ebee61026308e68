/* SPDX-License-Identifier: Apache-2.0 */
#include "http/html.h"

#include "format/base64.h"
#include "format/digest.h"

#include <pthread.h>
#include <stdio.h>

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

void
html_append(struct buffer *out, struct text text)
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

void
html_append_link(struct buffer *out, struct text url, struct text label)
{
    buffer_append_string(out, "<a href=\"");
    html_append(out, url);
    buffer_append_string(out, "\">");
    html_append(out, label);
    buffer_append_string(out, "</a>");
}

void
html_begin(struct buffer *out, struct text title)
{
    buffer_append_string(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>");
    html_append(out, title);
    buffer_printf(out, "</title><style>%s</style>", style);
}

void
html_begin_body(struct buffer *out, struct text heading)
{
    buffer_append_string(out, "</head>\n<body><main><h1>");
    html_append(out, heading);
    buffer_append_string(out, "</h1>\n");
}

void
html_end(struct buffer *out)
{
    buffer_append_string(out, "</main></body></html>\n");
}
