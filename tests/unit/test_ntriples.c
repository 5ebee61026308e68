/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of N-Triples: what is escaped, and what a qualifier is. */
#include "unit.h"

#include "format/ntriples.h"

static struct buffer written;

static const char *
value_of(const char *value, const char *qualifier)
{
    buffer_clear(&written);
    ntriples_append_value(&written, text_from(value), text_from(qualifier));
    return buffer_string(&written);
}

static const char *
attribute_of(const char *name)
{
    buffer_clear(&written);
    ntriples_append_attribute(&written, text_from(name));
    return buffer_string(&written);
}

static void
literals_are_escaped_where_they_must(void **state)
{
    assert_string_equal(value_of("plain", ""), "\"plain\"");
    assert_string_equal(value_of("a\"b\\c\nd\re\tf\x7F", ""), "\"a\\\"b\\\\c\\nd\\re\\u0009f\\u007F\"");
    assert_string_equal(value_of("café", ""), "\"café\"");
}

static void
qualifiers_are_languages_datatypes_and_iris(void **state)
{
    assert_string_equal(value_of("chat", "@fr"), "\"chat\"@fr");
    assert_string_equal(value_of("5", "^^http://www.w3.org/2001/XMLSchema#int"), "\"5\"^^<http://www.w3.org/2001/XMLSchema#int>");
    assert_string_equal(value_of("http://example.org/a", "<>"), "<http://example.org/a>");
}

static void
what_only_looks_like_a_qualifier_leaves_a_literal(void **state)
{
    assert_string_equal(value_of("x", "@"), "\"x\"");
    assert_string_equal(value_of("x", "@not a language"), "\"x\"");
    assert_string_equal(value_of("x", "@en-"), "\"x\"");
    assert_string_equal(value_of("x", "^^no iri"), "\"x\"");
    assert_string_equal(value_of("no iri", "<>"), "\"no iri\"");
    assert_string_equal(value_of("a:b> .\n<x", "<>"), "\"a:b> .\\n<x\"");
    assert_string_equal(value_of("x", "else"), "\"x\"");
}

static void
attributes_are_iris(void **state)
{
    assert_string_equal(attribute_of("http://purl.org/dc/terms/title"), "<http://purl.org/dc/terms/title>");
    assert_string_equal(attribute_of("dc.title"), "<urn:archivolt:attribute:dc.title>");
    assert_string_equal(attribute_of("a b"), "<urn:archivolt:attribute:a%20b>");
    assert_string_equal(attribute_of("x:a>b"), "<urn:archivolt:attribute:x%3Aa%3Eb>");
}

static void
an_iri_never_ends_early(void **state)
{
    buffer_clear(&written);
    ntriples_append_iri(&written, TEXT("http://example.org/a b>c"));
    assert_string_equal(buffer_string(&written), "<http://example.org/a\\u0020b\\u003Ec>");
}

static int
release(void **state)
{
    buffer_release(&written);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_are_escaped_where_they_must),
        cmocka_unit_test(qualifiers_are_languages_datatypes_and_iris),
        cmocka_unit_test(what_only_looks_like_a_qualifier_leaves_a_literal),
        cmocka_unit_test(attributes_are_iris),
        cmocka_unit_test(an_iri_never_ends_early),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
