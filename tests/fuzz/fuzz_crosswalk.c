/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: every incoming crosswalk on a document; what it gives comes back from DIM, and goes out as EPrints XML that can be read. */
#include "base/ensure.h"
#include "metadata/crosswalk.h"
#include "metadata/dim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
comes_back_from_dim(const struct fields *fields)
{
    struct buffer first = {0}, second = {0};
    struct xml_document *document;
    struct fields again;
    fields_init(&again, fields->arena);
    fields_write_dim(fields, &first);
    ensure(xml_document_parse(buffer_text(&first), &document, NULL) == ERROR_NONE);
    ensure(fields_read_dim(xml_root(document), &again, NULL) == ERROR_NONE);
    fields_write_dim(&again, &second);
    ensure(text_equal(buffer_text(&first), buffer_text(&second)));
    xml_document_free(document);
    buffer_release(&first);
    buffer_release(&second);
}

static void
goes_out(const struct crosswalk_set *set, const struct fields *fields)
{
    struct crosswalk_record record = {.fields = fields, .all = true};
    struct buffer xml = {0};
    struct xml_document *document;
    ensure(crosswalk_out(set, "ep3", &record, &xml, NULL) == ERROR_NONE);
    ensure(xml_document_parse(buffer_text(&xml), &document, NULL) == ERROR_NONE);
    xml_document_free(document);
    buffer_release(&xml);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct crosswalk_set *set;
    static const char *const names[] = {"epdcx", "mods", "dim", "metsrights", "ep3", "dc"};
    struct xml_document *document;
    if (set == NULL)
        ensure(crosswalk_set_new(NULL, &set, NULL) == ERROR_NONE);
    if (xml_document_parse(text_of((const char *)data, size), &document, NULL) != ERROR_NONE)
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct arena arena;
        struct fields fields;
        arena_init(&arena, 0);
        fields_init(&fields, &arena);
        if (crosswalk_in(set, names[i], xml_root(document), &fields, NULL) == ERROR_NONE && fields.count > 0) {
            comes_back_from_dim(&fields);
            goes_out(set, &fields);
        }
        arena_release(&arena);
    }
    xml_document_free(document);
    return 0;
}
