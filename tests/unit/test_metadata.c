/* SPDX-License-Identifier: Apache-2.0 */
/* Fields, schemas and DIM: the white-space rule, names, predicates, and coming back from each form. */
#include "unit.h"

#include "metadata/dim.h"
#include "metadata/publish.h"
#include "metadata/schemas.h"

static struct field
field_of(const char *attribute, const char *value)
{
    struct field field;
    if (!field_from_attribute(text_from(attribute), &field))
        fail_msg("%s is no attribute", attribute);
    field.value = text_from(value);
    return field;
}

static void
add(struct fields *fields, const char *attribute, const char *value)
{
    struct field field = field_of(attribute, value);
    assert_code(fields_add(fields, &field, NULL), ERROR_NONE);
}

static void
white_space_becomes_one_blank_and_order_is_kept(void **state)
{
    struct arena arena;
    struct fields fields;
    (void)state;
    arena_init(&arena, 0);
    fields_init(&fields, &arena);
    add(&fields, "dc.contributor.author", "\n\t\t  Doe,\r\n   J.\v\f ");
    add(&fields, "dc.title", "   \n");
    add(&fields, "dc.contributor.author", "Roe\xC2\xA0 X");
    add(&fields, "dc.contributor.author", "Doe, J.");
    add(&fields, "dc.title", "a\x01z");
    for (int i = 0; i < 100; i++)
        add(&fields, "dc.subject", "same");
    assert_int_equal(fields.count, 104);
    assert_text(fields.items[0].value, TEXT("Doe, J."));
    assert_text(fields.items[1].value, TEXT("Roe\xC2\xA0 X"));
    assert_text(fields.items[2].value, TEXT("Doe, J."));
    assert_text(fields.items[3].value, TEXT("a\xEF\xBF\xBDz"));
    arena_release(&arena);
}

static void
names_and_values_that_are_none_are_refused(void **state)
{
    static const char *const bad[] = {"", "dc", "dc.", ".title", "dc.title.", "dc.a.b.c", "dc.ti tle", "dc.t\xC3\xA4", "dc.a/b"};
    struct arena arena;
    struct fields fields;
    struct field field;
    (void)state;
    arena_init(&arena, 0);
    fields_init(&fields, &arena);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (field_from_attribute(text_from(bad[i]), &field))
            fail_msg("%s is taken", bad[i]);
    field = field_of("dc.title", "\xC0\xAF");
    assert_code(fields_add(&fields, &field, NULL), ERROR_INVALID);
    field = field_of("dc.title", "x");
    field.language = TEXT("\xFF");
    assert_code(fields_add(&fields, &field, NULL), ERROR_INVALID);
    field = field_of("dc.title", "x");
    field.qualifier = TEXT("*");
    assert_code(fields_add(&fields, &field, NULL), ERROR_INVALID);
    field.qualifier = TEXT("");
    field.schema = TEXT("");
    assert_code(fields_add(&fields, &field, NULL), ERROR_INVALID);
    assert_int_equal(fields.count, 0);
    arena_release(&arena);
    arena_init(&arena, 100);
    fields_init(&fields, &arena);
    field = field_of("dc.title", "x");
    assert_code(fields_add(&fields, &field, NULL), ERROR_LIMIT);
    assert_int_equal(fields.count, 0);
    arena_release(&arena);
}

static void
the_first_is_found_by_its_name(void **state)
{
    struct arena arena;
    struct fields fields;
    (void)state;
    arena_init(&arena, 0);
    fields_init(&fields, &arena);
    add(&fields, "dc.title.alternative", "b");
    add(&fields, "dc.title", "a");
    add(&fields, "dc.title", "c");
    assert_text(fields_first(&fields, "dc", "title", "")->value, TEXT("a"));
    assert_text(fields_first(&fields, "dc", "title", "*")->value, TEXT("b"));
    assert_text(fields_first(&fields, "dc", "title", "alternative")->value, TEXT("b"));
    assert_null(fields_first(&fields, "dcterms", "title", "*"));
    arena_release(&arena);
}

static void
attribute_and_extra_come_back(void **state)
{
    static const struct {
        const char *authority;
        int confidence;
        const char *extra;
    } cases[] = {{"", -1, ""}, {"rp00001", 600, "rp00001::600"}, {"rp1", -1, "rp1::-1"}, {"", 0, "::0"}, {"a::5", -1, "a::5::-1"}, {"a::5", 300, "a::5::300"}};
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct field field = field_of("dc.contributor.author", "x"), again;
        field.authority = text_from(cases[i].authority);
        field.confidence = cases[i].confidence;
        assert_text(field_extra(&field, &arena), text_from(cases[i].extra));
        field_read_extra(field_extra(&field, &arena), &again);
        assert_text(again.authority, field.authority);
        assert_int_equal(again.confidence, field.confidence);
        assert_text(field_attribute(&field, &arena), TEXT("dc.contributor.author"));
    }
    struct field plain = field_of("local.x_1", "x"), foreign;
    assert_text(field_attribute(&plain, &arena), TEXT("local.x_1"));
    field_read_extra(TEXT("somebody else's"), &foreign);
    assert_text(foreign.authority, TEXT("somebody else's"));
    assert_int_equal(foreign.confidence, -1);
    arena_release(&arena);
}

static void
every_field_has_a_predicate_and_comes_back_from_it(void **state)
{
    static const struct {
        const char *attribute, *iri;
    } cases[] = {{"dc.contributor.author", "http://purl.org/dc/elements/1.1/contributor.author"},
                 {"dcterms.abstract", "http://purl.org/dc/terms/abstract"},
                 {"eprints.creators.item", "http://eprints.org/ep2/data/2.0/creators.item"},
                 {"mine.own", "urn:archivolt:schema:mine:own"},
                 {"mine.own.x", "urn:archivolt:schema:mine:own.x"}};
    static const char *const others[] = {"", "http://purl.org/dc/elements/1.1/", "http://purl.org/dc/elements/1.1/a/b", "http://example.org/title",
                                         "urn:archivolt:schema:dc:title", "urn:archivolt:schema:x", "urn:archivolt:schema::x"};
    struct arena arena;
    struct field field;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        field = field_of(cases[i].attribute, "x");
        assert_text(field_predicate(&field, &arena), text_from(cases[i].iri));
        assert_true(field_from_predicate(text_from(cases[i].iri), &field));
        assert_text(field_attribute(&field, &arena), text_from(cases[i].attribute));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (field_from_predicate(text_from(others[i]), &field))
            fail_msg("%s is taken", others[i]);
    for (const struct schema *schema = schemas_registered(); schema->prefix != NULL; schema++) {
        struct text iri = text_from(arena_printf(&arena, "%sa.b", schema->namespace_iri));
        assert_true(field_from_predicate(iri, &field));
        assert_text(field.schema, text_from(schema->prefix));
        assert_text(field_predicate(&field, &arena), iri);
    }
    arena_release(&arena);
}

static void
dim_comes_back_without_loss(void **state)
{
    struct arena arena;
    struct fields fields, again;
    struct buffer buffer = {0};
    struct xml_document *document;
    (void)state;
    arena_init(&arena, 0);
    fields_init(&fields, &arena);
    fields_init(&again, &arena);
    struct field full = field_of("dc.contributor.author", "D\xC3\xB6\x65 & <Sons>, \"J.\"");
    full.language = TEXT("en_GB");
    full.authority = TEXT("rp::1 <&\">");
    full.confidence = 600;
    assert_code(fields_add(&fields, &full, NULL), ERROR_NONE);
    add(&fields, "eprints.creators.item", "{\"name\":{\"family\":\"Doe\"}}");
    add(&fields, "local.x", "]]> \x7F");
    fields_write_dim(&fields, &buffer);
    assert_true(text_starts_with(buffer_text(&buffer),
                                 TEXT("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<dim:dim xmlns:dim=\"http://www.dspace.org/xmlns/dspace/dim\""
                                      " dspaceType=\"ITEM\"><dim:field mdschema=\"dc\" element=\"contributor\" qualifier=\"author\" lang=\"en_GB\""
                                      " authority=\"rp::1 &lt;&amp;&quot;&gt;\" confidence=\"600\">")));
    assert_code(xml_document_parse(buffer_text(&buffer), &document, NULL), ERROR_NONE);
    assert_code(fields_read_dim(xml_root(document), &again, NULL), ERROR_NONE);
    assert_int_equal(again.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_text(field_attribute(&again.items[i], &arena), field_attribute(&fields.items[i], &arena));
        assert_text(again.items[i].value, fields.items[i].value);
        assert_text(again.items[i].language, fields.items[i].language);
        assert_text(field_extra(&again.items[i], &arena), field_extra(&fields.items[i], &arena));
    }
    xml_document_free(document);
    buffer_release(&buffer);
    arena_release(&arena);
}

static void
bad_dim_is_refused_and_parts_become_one_value(void **state)
{
#define DIM(inside) "<d:dim xmlns:d='http://www.dspace.org/xmlns/dspace/dim'>\n" inside "</d:dim>"
    static const struct {
        const char *xml, *value, *words;
    } cases[] = {
        {DIM("<d:field mdschema='dc' element='a'>x <!-- -->\n y</d:field><other/>"), "x y", NULL},
        {DIM("<d:field mdschema='dc' element='a'><n><f> A\n B </f><g/></n><i>1</i><i> </i><k>2</k><i>3</i></d:field>"),
         "{\"n\":{\"f\":\"A B\"},\"i\":[\"1\",\"3\"],\"k\":\"2\"}", NULL},
        {DIM("<d:field mdschema='dc' element='a'><n><f/></n></d:field>"), NULL, NULL},
        {DIM("<d:field mdschema='dc' element='a'><d:text>{x</d:text></d:field>"), "\"{x\"", NULL},
        {DIM("<d:field element='a'>x</d:field>"), NULL, "line 2"},
        {DIM("<d:field mdschema='dc' element='a' confidence='sure'>x</d:field>"), NULL, "sure"},
        {DIM("<d:field mdschema='dc' element='a'><n.m>x</n.m></d:field>"), NULL, "letters"},
        {DIM("<d:field mdschema='dc' element='a'><a><a><a><a><a><a><a><a><a>x</a></a></a></a></a></a></a></a></a></d:field>"), NULL, "levels"}};
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fields fields;
        struct error error = {0};
        struct xml_document *document;
        fields_init(&fields, &arena);
        assert_code(xml_document_parse(text_from(cases[i].xml), &document, NULL), ERROR_NONE);
        enum error_code code = fields_read_dim(xml_root(document), &fields, &error);
        assert_code(code, cases[i].words == NULL ? ERROR_NONE : ERROR_INVALID);
        if (cases[i].words != NULL && strstr(error.message, cases[i].words) == NULL)
            fail_msg("%s: %s", cases[i].xml, error.message);
        assert_int_equal(fields.count, cases[i].value == NULL ? 0 : 1);
        if (cases[i].value != NULL)
            assert_text(fields.items[0].value, text_from(cases[i].value));
        xml_document_free(document);
    }
    arena_release(&arena);
}

static void
private_fields_and_addresses_do_not_leave(void **state)
{
    static const struct {
        const char *attribute, *value, *public; /* NULL: does not leave */
    } cases[] = {{"dc.description.provenance", "Submitted by J. Doe (jd@example.org)", NULL},
                 {"dcterms.provenance", "x", NULL},
                 {"eprints.contact_email", "nobody", NULL},
                 {"eprints.userid", "7", NULL},
                 {"dc.identifier", "mailto:jd@example.org", NULL},
                 {"dc.contributor.author", "<jd@example.org>", NULL},
                 {"dc.contributor.author", "Doe, J. <jd@example.org>", "Doe, J."},
                 {"dc.contributor.author", "Doe, J. (jd@mail.example.org)", "Doe, J."},
                 {"dc.description.abstract", "Write to jd@example.org for data", "Write to jd@example.org for data"},
                 {"dc.title", "Sold @ 5.00", "Sold @ 5.00"},
                 {"dc.description", "provenance", "provenance"},
                 {"eprints.creators.item", "{\"name\":{\"family\":\"Doe\"},\"id\":\"jd@example.org\",\"orcid\":\"0000\"}",
                  "{\"name\":{\"family\":\"Doe\"},\"orcid\":\"0000\"}"},
                 {"eprints.x.item", "{\"id\":\"jd@example.org\",\"m\":[\"a@b.cd\"]}", NULL},
                 {"eprints.x.item", "{\"m\":[\"a@b.cd\",\"e\"]}", "{\"m\":[\"e\"]}"},
                 {"eprints.x", "{not json", "{not json"},
                 {"eprints.related_url", "http://example.org/", "http://example.org/"}};
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fields fields, public;
        fields_init(&fields, &arena);
        fields_init(&public, &arena);
        add(&fields, cases[i].attribute, cases[i].value);
        assert_code(fields_publish(&fields, &public, NULL), ERROR_NONE);
        if (public.count != (cases[i].public == NULL ? 0 : 1))
            fail_msg("%s %s: %zu fields leave", cases[i].attribute, cases[i].value, public.count);
        if (public.count == 1)
            assert_text(public.items[0].value, text_from(cases[i].public));
    }
    arena_release(&arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(white_space_becomes_one_blank_and_order_is_kept),
        cmocka_unit_test(names_and_values_that_are_none_are_refused),
        cmocka_unit_test(the_first_is_found_by_its_name),
        cmocka_unit_test(attribute_and_extra_come_back),
        cmocka_unit_test(every_field_has_a_predicate_and_comes_back_from_it),
        cmocka_unit_test(dim_comes_back_without_loss),
        cmocka_unit_test(bad_dim_is_refused_and_parts_become_one_value),
        cmocka_unit_test(private_fields_and_addresses_do_not_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
