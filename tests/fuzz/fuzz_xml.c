/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the XML reader; what it takes is written, read again, and is the same. */
#include "base/ensure.h"
#include "xml/xml_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xml_document *document, *again;
    struct buffer first = {0}, second = {0};
    struct arena arena;
    if (xml_document_parse(text_of((const char *)data, size), &document, NULL) != ERROR_NONE)
        return 0;
    arena_init(&arena, 1 << 20);
    ensure(xml_write_node(xml_root(document), &first, NULL) == ERROR_NONE);
    ensure(xml_document_parse(buffer_text(&first), &again, NULL) == ERROR_NONE);
    ensure(text_equal(xml_text(xml_root(document), &arena), xml_text(xml_root(again), &arena)));
    ensure(xml_write_node(xml_root(again), &second, NULL) == ERROR_NONE);
    ensure(text_equal(buffer_text(&first), buffer_text(&second)));
    xml_document_free(document);
    xml_document_free(again);
    buffer_release(&first);
    buffer_release(&second);
    arena_release(&arena);
    return 0;
}
