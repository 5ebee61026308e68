/* SPDX-License-Identifier: Apache-2.0 */
/* Statements as JSON Lines and as N-Triples: see snapshot.h. */
#include "ocfl/snapshot.h"

#include "format/json.h"
#include "format/ntriples.h"

void
ocfl_write_statements_jsonl(struct buffer *out, const struct ocfl_statement *statements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct json_writer w = json_writer(out);
        json_begin_object(&w);
        json_key(&w, "attribute");
        json_put_text(&w, statements[i].attribute);
        json_key(&w, "place");
        json_put_u64(&w, statements[i].place);
        json_key(&w, "value");
        json_put_text(&w, statements[i].value);
        json_key(&w, "qualifier");
        json_put_text(&w, statements[i].qualifier);
        json_key(&w, "extra");
        json_put_text(&w, statements[i].extra);
        json_end_object(&w);
        buffer_append_char(out, '\n');
    }
}

void
ocfl_write_statements_nt(struct buffer *out, struct text subject, const struct ocfl_statement *statements,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ntriples_append_iri(out, subject);
        buffer_append_char(out, ' ');
        ntriples_append_attribute(out, statements[i].attribute);
        buffer_append_char(out, ' ');
        ntriples_append_value(out, statements[i].value, statements[i].qualifier);
        buffer_append_string(out, " .\n");
    }
}
