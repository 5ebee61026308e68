/* SPDX-License-Identifier: Apache-2.0 */
/* Crosswalks: the exact fields that each format gives, the exact XML that fields give, and what a site may replace. */
#include "unit.h"

#include "metadata/crosswalk.h"
#include "metadata/dim.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static struct crosswalk_set *set;

static int
make_set(void **state)
{
    struct error error = {0};
    (void)state;
    if (crosswalk_set_new(NULL, &set, &error) != ERROR_NONE)
        fail_msg("%s", error.message);
    return 0;
}

static int
free_set(void **state)
{
    (void)state;
    crosswalk_set_free(set);
    return 0;
}

/* One line a field: attribute, language in brackets, value. */
static void
list_fields(const struct fields *fields, struct buffer *lines)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct field *field = &fields->items[i];
        buffer_append_text(lines, field_attribute(field, fields->arena));
        if (field->language.length > 0)
            buffer_printf(lines, "[%.*s]", TEXT_ARG(field->language));
        buffer_printf(lines, "=%.*s\n", TEXT_ARG(field->value));
    }
}

static void
read_in(const char *name, struct text xml, struct fields *fields)
{
    struct xml_document *document;
    struct error error = {0};
    if (xml_document_parse(xml, &document, &error) != ERROR_NONE ||
        crosswalk_in(set, name, xml_root(document), fields, &error) != ERROR_NONE)
        fail_msg("%s: %s", name, error.message);
    xml_document_free(document);
}

static void
gives_fields(const char *name, struct text xml, const char *wanted)
{
    struct arena arena;
    struct fields fields;
    struct buffer lines = {0};
    arena_init(&arena, 0);
    fields_init(&fields, &arena);
    read_in(name, xml, &fields);
    list_fields(&fields, &lines);
    assert_string_equal(buffer_string(&lines), wanted);
    buffer_release(&lines);
    arena_release(&arena);
}

/* Fields from lines "attribute=value". */
static void
fields_of_lines(const char *lines, struct fields *fields)
{
    struct text rest = text_from(lines);
    while (rest.data != NULL && rest.length > 0) {
        struct field field;
        struct text value, line = text_cut(rest, '\n', &rest);
        assert_true(field_from_attribute(text_cut(line, '=', &value), &field));
        field.value = value;
        assert_code(fields_add(fields, &field, NULL), ERROR_NONE);
    }
}

static void
write_out(const char *name, const struct fields *fields, bool all, struct buffer *xml)
{
    struct xslt_parameter parameters[] = {{"url", TEXT("http://repository.example/items/1")}, {"identifier", TEXT("oai:repository.example:1/2")},
                                          {"eprintid", TEXT("7")}, {"eprint_status", TEXT("archive")}};
    struct crosswalk_file file = {.url = TEXT("http://repository.example/a&b.pdf"), .name = TEXT("a&b.pdf"), .media_type = TEXT("application/pdf"),
                                  .description = TEXT(""), .md5 = TEXT("00ff"), .security = TEXT(""), .size_bytes = 12, .document = 3, .position = 1};
    struct crosswalk_record record = {fields, all, &file, 1, parameters, 4};
    struct error error = {0};
    if (crosswalk_out(set, name, &record, xml, &error) != ERROR_NONE)
        fail_msg("%s: %s", name, error.message);
}

static void
gives_xml(const char *name, const char *lines, const char *wanted)
{
    struct arena arena;
    struct fields fields;
    struct buffer xml = {0};
    arena_init(&arena, 0);
    fields_init(&fields, &arena);
    fields_of_lines(lines, &fields);
    write_out(name, &fields, false, &xml);
    assert_string_equal(buffer_string(&xml), wanted);
    buffer_release(&xml);
    arena_release(&arena);
}

/* ---- in ---- */

#define STATEMENT(property, more, inside) "<e:statement e:propertyURI='" property "' " more ">\n" inside "</e:statement>\n"
#define STRING(more, text) "<e:valueString " more ">\n\t\t" text "\n\t</e:valueString>"

/* The shape of what SWORD clients send: three descriptions, values over many lines. */
static const char epdcx[] =
    "<x><e:descriptionSet xmlns:e='http://purl.org/eprint/epdcx/2006-11-16/'><e:description e:resourceId='a'>"
    STATEMENT("http://purl.org/dc/elements/1.1/type", "e:valueURI='http://purl.org/eprint/entityType/ScholarlyWork'", "")
    STATEMENT("http://purl.org/dc/elements/1.1/title", "", STRING("", "On Alus\n\t\t  in the genome"))
    STATEMENT("http://purl.org/dc/terms/abstract", "", STRING("", "It is\n\t\t  10(-6) &lt; 1."))
    STATEMENT("http://purl.org/dc/elements/1.1/creator", "", STRING("", "Hollies, C.R."))
    STATEMENT("http://purl.org/dc/elements/1.1/creator", "", STRING("", "Monckton, D.G."))
    STATEMENT("http://purl.org/dc/elements/1.1/creator", "", STRING("", "Hollies, C.R."))
    STATEMENT("http://purl.org/dc/elements/1.1/identifier", "", STRING("e:sesURI='http://purl.org/dc/terms/URI'", "http://example.org/1"))
    STATEMENT("http://purl.org/dc/elements/1.1/identifier", "", STRING("", "X 1"))
    STATEMENT("http://purl.org/eprint/terms/isExpressedAs", "e:valueRef='b'", "")
    "</e:description><e:description e:resourceId='b'>"
    STATEMENT("http://purl.org/dc/elements/1.1/type", "e:valueURI='http://purl.org/eprint/entityType/Expression'", "")
    STATEMENT("http://purl.org/dc/elements/1.1/language", "e:vesURI='http://purl.org/dc/terms/RFC3066'", STRING("", "en"))
    STATEMENT("http://purl.org/dc/elements/1.1/type",
              "e:vesURI='http://purl.org/eprint/terms/Type' e:valueURI='http://purl.org/eprint/type/JournalArticle'", "")
    STATEMENT("http://purl.org/dc/terms/available", "", STRING("e:sesURI='http://purl.org/dc/terms/W3CDTF'", "2001-02"))
    STATEMENT("http://purl.org/eprint/terms/status",
              "e:vesURI='http://purl.org/eprint/terms/Status' e:valueURI='http://purl.org/eprint/status/PeerReviewed'", "")
    STATEMENT("http://purl.org/eprint/terms/copyrightHolder", "", STRING("", "Nature Publishing Group"))
    STATEMENT("http://purl.org/eprint/terms/bibliographicCitation", "", STRING("", "Nature 1(2)"))
    "</e:description></e:descriptionSet></x>";

static void
epdcx_gives_the_fields_of_dspace(void **state)
{
    (void)state;
    gives_fields("epdcx", text_from(epdcx),
                 "dc.title=On Alus in the genome\n"
                 "dc.description.abstract=It is 10(-6) < 1.\n"
                 "dc.contributor.author=Hollies, C.R.\n"
                 "dc.contributor.author=Monckton, D.G.\n"
                 "dc.contributor.author=Hollies, C.R.\n"
                 "dc.identifier.uri=http://example.org/1\n"
                 "dc.identifier=X 1\n"
                 "dc.language.rfc3066=en\n"
                 "dc.type=Journal Article\n"
                 "dc.date.issued=2001-02\n"
                 "dc.description.version=Peer Reviewed\n"
                 "dc.rights.holder=Nature Publishing Group\n"
                 "dc.identifier.citation=Nature 1(2)\n");
    /* As one packager writes it: a capital, another type. */
    gives_fields("epdcx",
                 TEXT("<e:descriptionSet xmlns:e='http://purl.org/eprint/epdcx/2006-11-16/'><e:description>"
                      STATEMENT("http://purl.org/eprint/terms/Status", "e:valueURI='http://purl.org/eprint/status/NonPeerReviewed'", "")
                      STATEMENT("http://purl.org/dc/elements/1.1/type",
                                "e:vesURI='http://purl.org/eprint/terms/Type' e:valueURI='http://purl.org/eprint/type/WorkingPaper'", "")
                      STATEMENT("http://purl.org/dc/elements/1.1/type",
                                "e:vesURI='http://purl.org/eprint/terms/Type' e:valueURI='http://purl.org/eprint/type/Item'", "")
                      "</e:description></e:descriptionSet>"),
                 "dc.description.version=Non Peer Reviewed\ndc.type=Working Paper\n");
}

static void
dublin_core_and_terms_give_the_fields_of_dspaces_table(void **state)
{
    (void)state;
    gives_fields("oai_dc",
                 TEXT("<w xmlns:d='http://purl.org/dc/elements/1.1/' xmlns:t='http://purl.org/dc/terms/' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
                      "<d:title xml:lang='de'> A\n B</d:title><d:creator>Doe, J.</d:creator><d:date>2001</d:date><d:identifier xsi:type='t:URI'>http://x/</d:identifier>"
                      "<t:issued>2002</t:issued><t:abstract>C</t:abstract><t:dateAccepted>2003</t:dateAccepted><t:isPartOf>J</t:isPartOf>"
                      "<t:rightsHolder>H</t:rightsHolder><t:bibliographicCitation>Q</t:bibliographicCitation><t:audience>all</t:audience><other>x</other></w>"),
                 "dc.title[de]=A B\n"
                 "dc.contributor.author=Doe, J.\n"
                 "dc.date=2001\n"
                 "dc.identifier.uri=http://x/\n"
                 "dc.date.issued=2002\n"
                 "dc.description.abstract=C\n"
                 "dc.date.accepted=2003\n"
                 "dc.relation.ispartof=J\n"
                 "dc.rights=H\n"
                 "dc.identifier.citation=Q\n"
                 "dcterms.audience=all\n");
}

static void
an_atom_entry_gives_its_own_words_and_its_terms_once(void **state)
{
    (void)state;
    gives_fields("atom",
                 TEXT("<a:entry xmlns:a='http://www.w3.org/2005/Atom' xmlns:t='http://purl.org/dc/terms/'><a:title>Same</a:title><a:id>urn:x</a:id>"
                      "<a:updated>2020-01-01T00:00:00Z</a:updated><a:published>2020-01-01T00:00:00Z</a:published>"
                      "<a:author><a:name>Doe, J.</a:name><a:email>jd@example.org</a:email></a:author><a:author><a:name>Roe, R.</a:name></a:author>"
                      "<a:summary type='text'>S</a:summary><a:rights>R</a:rights><a:content>no</a:content>"
                      "<t:title> Same </t:title><t:creator>Doe, J.</t:creator><t:abstract>T</t:abstract><t:subject>U</t:subject></a:entry>"),
                 "dc.date.created=2020-01-01T00:00:00Z\n"
                 "dc.contributor.author=Roe, R.\n"
                 "dc.description.abstract=S\n"
                 "dc.rights=R\n"
                 "dc.title=Same\n"
                 "dc.contributor.author=Doe, J.\n"
                 "dc.description.abstract=T\n"
                 "dc.subject=U\n");
}

static void
mods_gives_fields(void **state)
{
    (void)state;
    gives_fields("mods",
                 TEXT("<m:mods xmlns:m='http://www.loc.gov/mods/v3'><m:titleInfo><m:nonSort>The</m:nonSort><m:title>Title</m:title><m:subTitle>more</m:subTitle></m:titleInfo>"
                      "<m:name><m:namePart type='given'>J.</m:namePart><m:namePart type='family'>Doe</m:namePart><m:role><m:roleTerm type='code'>aut</m:roleTerm></m:role></m:name>"
                      "<m:name><m:namePart>Roe, R.</m:namePart><m:role><m:roleTerm>Editor</m:roleTerm></m:role></m:name>"
                      "<m:originInfo><m:dateIssued point='start'>2001</m:dateIssued><m:dateIssued point='end'>2002</m:dateIssued><m:publisher>P</m:publisher></m:originInfo>"
                      "<m:genre>Article</m:genre><m:typeOfResource>text</m:typeOfResource><m:language><m:languageTerm authority='iso639-2b'>eng</m:languageTerm></m:language>"
                      "<m:abstract>A</m:abstract><m:subject authority='lcsh'><m:topic>T1</m:topic><m:topic>T2</m:topic><m:geographic>G</m:geographic></m:subject>"
                      "<m:identifier type='issn'>1234-5678</m:identifier><m:identifier type='a b'>9</m:identifier>"
                      "<m:relatedItem type='host'><m:titleInfo><m:title>Journal</m:title></m:titleInfo></m:relatedItem>"
                      "<m:location><m:url>http://x/</m:url></m:location><m:accessCondition>free</m:accessCondition></m:mods>"),
                 "dc.title=The Title: more\n"
                 "dc.contributor.author=Doe, J.\n"
                 "dc.contributor.editor=Roe, R.\n"
                 "dc.date.issued=2001\n"
                 "dc.publisher=P\n"
                 "dc.type=Article\n"
                 "dc.language.iso=eng\n"
                 "dc.description.abstract=A\n"
                 "dc.subject.lcsh=T1\n"
                 "dc.subject.lcsh=T2\n"
                 "dc.coverage.spatial=G\n"
                 "dc.identifier.issn=1234-5678\n"
                 "dc.identifier=9\n"
                 "dc.relation.ispartof=Journal\n"
                 "dc.identifier.uri=http://x/\n"
                 "dc.rights=free\n");
}

static void
metsrights_gives_rights_and_the_day_of_lifting(void **state)
{
    (void)state;
    gives_fields("metsrights",
                 TEXT("<r:RightsDeclarationMD xmlns:r='http://cosimo.stanford.edu/sdr/metsrights/' RIGHTSCATEGORY='LICENSED'><r:RightsDeclaration>D</r:RightsDeclaration>"
                      "<r:RightsHolder><r:RightsHolderName>H</r:RightsHolderName></r:RightsHolder>"
                      "<r:Context CONTEXTCLASS='GENERAL PUBLIC' start-date='2030-02-15' in-effect='true'><r:Permissions DISCOVER='true' DISPLAY='true'/></r:Context>"
                      "<r:Context CONTEXTCLASS='MANAGED GRP' start-date='2020-01-01'><r:Permissions DISPLAY='true'/></r:Context></r:RightsDeclarationMD>"),
                 "dc.rights=D\ndc.rights.holder=H\nlocal.embargo.lift=2030-02-15\n");
}

static void
a_document_of_another_format_is_refused(void **state)
{
    static const char *const names[] = {"epdcx", "mods", "dim", "metsrights", "ep3"};
    struct arena arena;
    struct fields fields;
    struct xml_document *document;
    struct error error = {0};
    (void)state;
    arena_init(&arena, 0);
    fields_init(&fields, &arena);
    assert_code(xml_document_parse(TEXT("<a/>"), &document, NULL), ERROR_NONE);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_code(crosswalk_in(set, names[i], xml_root(document), &fields, &error), ERROR_INVALID);
        assert_non_null(strstr(error.message, "not "));
    }
    assert_code(crosswalk_in(set, "marc", xml_root(document), &fields, &error), ERROR_UNSUPPORTED);
    assert_code(crosswalk_in(set, "../dim", xml_root(document), &fields, &error), ERROR_UNSUPPORTED);
    struct crosswalk_record record = {.fields = &fields};
    struct buffer out = {0};
    assert_code(crosswalk_out(set, "marc", &record, &out, &error), ERROR_UNSUPPORTED);
    assert_int_equal(fields.count, 0);
    xml_document_free(document);
    arena_release(&arena);
}

/* ---- out ---- */

#define FIELDS                                                                                     \
    "dc.title=A < B\ndc.title.alternative=C\ndc.contributor.author=Doe, J.\ndc.contributor.editor=Roe, R.\n"    \
    "dc.description.abstract=Abstract\ndc.description.provenance=Submitted by jd@example.org\n"    \
    "dc.date.issued=2001-02\ndc.date.accessioned=2026-01-01T00:00:00Z\ndc.identifier.citation=Cite\ndc.rights.holder=Holder\n"  \
    "dc.relation.ispartof=Journal\ndc.contributor.author=private@example.org\ndcterms.audience=all\nlocal.x=y\n"

static void
oai_dc_is_unqualified_with_a_link_and_nothing_private(void **state)
{
    (void)state;
    gives_xml("oai_dc", FIELDS,
              "<oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\""
              " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
              " xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd\">"
              "<dc:title>A &lt; B</dc:title><dc:title>C</dc:title><dc:creator>Doe, J.</dc:creator><dc:contributor>Roe, R.</dc:contributor>"
              "<dc:description>Abstract</dc:description><dc:date>2001-02</dc:date><dc:date>2026-01-01T00:00:00Z</dc:date>"
              "<dc:identifier>Cite</dc:identifier><dc:rights>Holder</dc:rights><dc:relation>Journal</dc:relation>"
              "<dc:identifier>http://repository.example/items/1</dc:identifier></oai_dc:dc>");
}

static void
qdc_and_dcterms_refine(void **state)
{
    (void)state;
    gives_xml("qdc", FIELDS "dc.identifier.uri=http://hdl.handle.net/1/2\n",
              "<qdc:qualifieddc xmlns:qdc=\"http://dspace.org/qualifieddc/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\""
              " xmlns:dcterms=\"http://purl.org/dc/terms/\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
              " xsi:schemaLocation=\"http://purl.org/dc/terms/ http://dublincore.org/schemas/xmls/qdc/2006/01/06/dcterms.xsd"
              " http://purl.org/dc/elements/1.1/ http://dublincore.org/schemas/xmls/qdc/2006/01/06/dc.xsd\">"
              "<dc:title>A &lt; B</dc:title><dcterms:alternative>C</dcterms:alternative><dc:creator>Doe, J.</dc:creator>"
              "<dc:contributor>Roe, R.</dc:contributor><dcterms:abstract>Abstract</dcterms:abstract><dcterms:issued>2001-02</dcterms:issued>"
              "<dcterms:dateAccepted>2026-01-01T00:00:00Z</dcterms:dateAccepted><dcterms:bibliographicCitation>Cite</dcterms:bibliographicCitation>"
              "<dcterms:rightsHolder>Holder</dcterms:rightsHolder><dcterms:isPartOf>Journal</dcterms:isPartOf>"
              "<dcterms:audience>all</dcterms:audience><dc:identifier>http://hdl.handle.net/1/2</dc:identifier></qdc:qualifieddc>");
    gives_xml("dcterms", "dc.title=A\ndc.date.issued=2001\ndc.description.provenance=x\n",
              "<dcterms:title xmlns:dcterms=\"http://purl.org/dc/terms/\">A</dcterms:title>"
              "<dcterms:issued xmlns:dcterms=\"http://purl.org/dc/terms/\">2001</dcterms:issued>");
    gives_xml("dcterms", "", "");
}

static void
rdf_and_didl_name_the_record_and_its_files(void **state)
{
    (void)state;
    gives_xml("rdf", "dc.title=A\ndc.identifier.uri=http://x/\n",
              "<rdf:RDF xmlns:rdf=\"http://www.openarchives.org/OAI/2.0/rdf/\" xmlns:ow=\"http://www.ontoweb.org/ontology/1#\""
              " xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
              " xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/rdf/ http://www.openarchives.org/OAI/2.0/rdf.xsd\">"
              "<ow:Publication rdf:about=\"oai:repository.example:1/2\"><dc:title>A</dc:title><dc:identifier>http://x/</dc:identifier></ow:Publication></rdf:RDF>");
    gives_xml("didl", "dc.title=A\ndc.identifier.uri=http://x/\n",
              "<didl:DIDL xmlns:didl=\"urn:mpeg:mpeg21:2002:02-DIDL-NS\" xmlns:dii=\"urn:mpeg:mpeg21:2002:01-DII-NS\""
              " xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"urn:mpeg:mpeg21:2002:02-DIDL-NS"
              " http://standards.iso.org/ittf/PubliclyAvailableStandards/MPEG-21_schema_files/did/didl.xsd\"><didl:Item>"
              "<didl:Descriptor><didl:Statement mimeType=\"application/xml; charset=utf-8\"><dii:Identifier>oai:repository.example:1/2</dii:Identifier>"
              "</didl:Statement></didl:Descriptor><didl:Descriptor><didl:Statement mimeType=\"application/xml; charset=utf-8\">"
              "<oai_dc:dc"
              " xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd\">"
              "<dc:title>A</dc:title><dc:identifier>http://x/</dc:identifier></oai_dc:dc></didl:Statement></didl:Descriptor>"
              "<didl:Component><didl:Resource ref=\"http://repository.example/a&amp;b.pdf\" mimeType=\"application/pdf\"/></didl:Component>"
              "</didl:Item></didl:DIDL>");
}

/* What comes back from a format that has a place for each of these fields. */
static void
comes_back(const char *out, const char *in, bool all, const char *lines)
{
    struct arena arena;
    struct fields fields;
    struct buffer xml = {0};
    arena_init(&arena, 0);
    fields_init(&fields, &arena);
    fields_of_lines(lines, &fields);
    write_out(out, &fields, all, &xml);
    gives_fields(in, buffer_text(&xml), lines);
    buffer_release(&xml);
    arena_release(&arena);
}

static void
mods_and_dim_come_back(void **state)
{
    (void)state;
    comes_back("mods", "mods", false,
               "dc.title=A < B\ndc.title.alternative=C\ndc.contributor.author=Doe, J.\ndc.contributor.editor=Roe, R.\ndc.contributor=Poe, E.\n"
               "dc.description.abstract=D\ndc.description=E\ndc.description.version=Peer Reviewed\ndc.description.tableofcontents=F\n"
               "dc.publisher=P\ndc.date.issued=2001\ndc.date.available=2002\ndc.date.copyright=2003\ndc.date.created=2004\ndc.type=Article\n"
               "dc.language.iso=en\ndc.language.rfc3066=de\ndc.language=x\ndc.format.mimetype=text/plain\ndc.format.extent=2 p.\ndc.subject=S\n"
               "dc.subject.lcsh=L\ndc.subject.ddc=900\ndc.subject.classification=QH\ndc.coverage.spatial=G\ndc.coverage.temporal=T\n"
               "dc.relation.ispartof=J\ndc.relation.ispartofseries=R\ndc.relation.uri=http://y/\ndc.relation=Q\ndc.source=Z\n"
               "dc.identifier.uri=http://x/\ndc.identifier.issn=1\ndc.identifier=I\ndc.identifier.citation=W\ndc.rights=free\ndc.rights.holder=H\n");
    comes_back("dim", "dim", false, "dc.title=A\neprints.creators.item={\"name\":{\"family\":\"Doe\"}}\neprints.x={plain\nlocal.a.b=c\n");
    comes_back("dim", "dim", true, "dc.description.provenance=Submitted by jd@example.org\n");
}

/* ---- EPrints ---- */

#define EPRINT(inside) "<eprints xmlns='http://eprints.org/ep2/data/2.0'><eprint id='http://x/id/eprint/1'>" inside "</eprint></eprints>"

static const char eprint[] = EPRINT(
    "<eprintid>1</eprintid><rev_number>4</rev_number><documents><document><docid>5</docid></document></documents><eprint_status>archive</eprint_status>"
    "<userid>1</userid><dir>disk0/1</dir><datestamp>2006-10-25 00:45:02</datestamp><type>conference_item</type><metadata_visibility>show</metadata_visibility>"
    "<creators><item><name><family>Doe</family><given>J.</given></name><id>jd@example.org</id></item>"
    "<item><name><family>Roe</family><given>Jane  Q.</given></name></item>"
    "<item><name><honourific>Sir</honourific><family>von Poe, Jr</family><given>E.</given><lineage>IV</lineage></name><orcid>0000-0001</orcid></item>"
    "<item><name><family>Plato</family><given/></name></item>"
    "<item><name><family>Same</family><given>S.</given></name></item><item><name><family>Same</family><given>S.</given></name><id>s2</id></item></creators>"
    "<editors><item><name><given>Solo</given></name></item></editors><corp_creators><item>ACME</item></corp_creators>"
    "<title>African &amp; Τάρταρος</title><ispublished>pub</ispublished><subjects><item>GR</item><item>QR</item></subjects><divisions><item>sch_mat</item></divisions>"
    "<keywords>a, b</keywords><note>N</note><abstract>It\n is.</abstract><date>1998-05</date><date_type>published</date_type><publisher>P</publisher>"
    "<publication>J</publication><volume>7</volume><number/><pagerange>1-9</pagerange><id_number>10.1000/182</id_number><official_url>http://y/</official_url>"
    "<issn>1</issn><isbn>2</isbn><refereed>TRUE</refereed><contact_email>jd@example.org</contact_email><suggestions>{ \"json\": 1 }</suggestions>"
    "<related_url><item><url>http://z/</url><type>pub</type></item></related_url><funders><item>{F}</item><item>\"G\"</item></funders>"
    "<dates><item><date>1999</date><date_type>accepted</date_type></item><item><date>2000</date></item></dates>"
    "<range><from>1</from><to>2</to></range>");

static void
an_eprint_gives_dublin_core_and_the_rest_as_it_is(void **state)
{
    (void)state;
    gives_fields("ep3", text_from(eprint),
                 "eprints.datestamp=2006-10-25 00:45:02\n"
                 "dc.type=Conference or Workshop Item\n"
                 "eprints.metadata_visibility=show\n"
                 "dc.contributor.author=Doe, J.\n"
                 "eprints.creators.item={\"name\":{\"family\":\"Doe\",\"given\":\"J.\"},\"id\":\"jd@example.org\"}\n"
                 "dc.contributor.author=Roe, Jane Q.\n"
                 "dc.contributor.author=von Poe, Jr, E.\n"
                 "eprints.creators.item={\"name\":{\"honourific\":\"Sir\",\"family\":\"von Poe, Jr\",\"given\":\"E.\",\"lineage\":\"IV\"},\"orcid\":\"0000-0001\"}\n"
                 "dc.contributor.author=Plato\n"
                 "dc.contributor.author=Same, S.\n"
                 "eprints.creators.item={\"name\":{\"family\":\"Same\",\"given\":\"S.\"}}\n"
                 "dc.contributor.author=Same, S.\n"
                 "eprints.creators.item={\"name\":{\"family\":\"Same\",\"given\":\"S.\"},\"id\":\"s2\"}\n"
                 "dc.contributor.editor=Solo\n"
                 "eprints.editors.item={\"name\":{\"given\":\"Solo\"}}\n"
                 "dc.creator=ACME\n"
                 "dc.title=African & Τάρταρος\n"
                 "eprints.ispublished=pub\n"
                 "dc.subject.classification=GR\n"
                 "dc.subject.classification=QR\n"
                 "eprints.divisions.item=sch_mat\n"
                 "dc.subject=a, b\n"
                 "dc.description=N\n"
                 "dc.description.abstract=It is.\n"
                 "dc.date.issued=1998-05\n"
                 "eprints.date_type=published\n"
                 "dc.publisher=P\n"
                 "dc.relation.ispartof=J\n"
                 "eprints.volume=7\n"
                 "eprints.pagerange=1-9\n"
                 "dc.identifier.doi=10.1000/182\n"
                 "dc.relation.uri=http://y/\n"
                 "dc.identifier.issn=1\n"
                 "dc.identifier.isbn=2\n"
                 "eprints.refereed=TRUE\n"
                 "eprints.contact_email=jd@example.org\n"
                 "eprints.suggestions=\"{ \\\"json\\\": 1 }\"\n"
                 "eprints.related_url.item={\"url\":\"http://z/\",\"type\":\"pub\"}\n"
                 "eprints.funders.item=\"{F}\"\n"
                 "eprints.funders.item=\"\\\"G\\\"\"\n"
                 "eprints.dates.item={\"date\":\"1999\",\"date_type\":\"accepted\"}\n"
                 "eprints.dates.item={\"date\":\"2000\"}\n"
                 "eprints.range={\"from\":\"1\",\"to\":\"2\"}\n");
}

static void
lists_of_ep2_stand_side_by_side(void **state)
{
    (void)state;
    gives_fields("ep3",
                 TEXT("<eprints><eprint xmlns='http://eprints.org/ep2/data/2.0'><creators_name><item><family>Doe</family><given>J.</given></item>"
                      "<item><family>Roe</family><given>R.</given></item></creators_name><creators_id><item/><item>r@example.org</item></creators_id>"
                      "<date>2001</date><date_type>submitted</date_type><type>mine</type><id_number>12</id_number></eprint></eprints>"),
                 "dc.contributor.author=Doe, J.\n"
                 "dc.contributor.author=Roe, R.\n"
                 "eprints.creators.item={\"name\":{\"family\":\"Roe\",\"given\":\"R.\"},\"id\":\"r@example.org\"}\n"
                 "dc.date.submitted=2001\neprints.date_type=submitted\ndc.type=mine\ndc.identifier.other=12\n");
}

/* The element with all below it, names and texts, white space made regular, empty ones left out. */
static void
spell(const struct xml_node *node, struct arena *arena, struct buffer *out)
{
    if (!xml_has_text(node))
        return;
    buffer_printf(out, "(%s", xml_name(node).data);
    xml_each(child, node, NULL, NULL)
        spell(child, arena, out);
    struct text left = xml_child(node, NULL, NULL) == NULL ? xml_text(node, arena) : TEXT("");
    while (left.length > 0) {
        struct text word = text_cut(left, ' ', &left);
        struct text first = text_cut(word, '\n', &word);
        if (first.length > 0)
            buffer_printf(out, " %.*s", TEXT_ARG(first));
        if (word.length > 0)
            buffer_printf(out, " %.*s", TEXT_ARG(word));
    }
    buffer_append_string(out, ")");
}

static const struct xml_node *
eprint_of(const struct xml_document *document)
{
    return xml_child(xml_root(document), "http://eprints.org/ep2/data/2.0", "eprint");
}

static size_t
count_described(const struct xml_node *node)
{
    size_t count = 0;
    xml_each(child, node, NULL, NULL)
        count += xml_has_text(child);
    return count;
}

static void
eprint_comes_back(const char *source, size_t described)
{
    /* What is another repository's own state, and what is ours instead. */
    static const char *const left_out[] = {"rev_number", "documents", "eprintid", "eprint_status", "userid", "dir"};
    struct arena arena;
    struct fields fields;
    struct buffer xml = {0};
    struct xml_document *before, *after;
    size_t compared = 0;
    arena_init(&arena, 0);
    fields_init(&fields, &arena);
    read_in("ep3", text_from(source), &fields);
    write_out("ep3", &fields, true, &xml);
    assert_code(xml_document_parse(text_from(source), &before, NULL), ERROR_NONE);
    assert_code(xml_document_parse(buffer_text(&xml), &after, NULL), ERROR_NONE);
    xml_each(child, eprint_of(before), NULL, NULL)
    {
        struct buffer was = {0}, is = {0};
        bool ours = false;
        for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
            ours |= text_equal(xml_name(child), text_from(left_out[i]));
        if (ours || !xml_has_text(child))
            continue;
        spell(child, &arena, &was);
        spell(xml_child(eprint_of(after), "http://eprints.org/ep2/data/2.0", xml_name(child).data), &arena, &is);
        assert_string_equal(buffer_string(&is), buffer_string(&was));
        buffer_release(&was);
        buffer_release(&is);
        compared++;
    }
    assert_int_equal(compared, described);
    /* Nothing more than these, our number, state and documents. */
    assert_int_equal(count_described(eprint_of(after)), compared + 3);
    xml_document_free(before);
    xml_document_free(after);
    buffer_release(&xml);
    arena_release(&arena);
}

static void
an_eprint_comes_back_field_by_field(void **state)
{
    (void)state;
    eprint_comes_back(eprint, 30);
    /* Several languages, and dates of another kind. */
    eprint_comes_back(EPRINT("<title><item><text>A</text><lang>en</lang></item><item><text>B</text><lang>de</lang></item></title>"
                             "<abstract><item>C</item><item>D</item></abstract><date>2001</date><date_type>accepted</date_type>"),
                      4);
    eprint_comes_back(EPRINT("<date>2001</date><date_type>completed</date_type><id_number>12</id_number><type>own_type</type>"), 4);
}

static void
a_public_eprint_has_no_addresses_and_names_its_files(void **state)
{
    struct arena arena;
    struct fields fields;
    struct buffer xml = {0};
    (void)state;
    arena_init(&arena, 0);
    fields_init(&fields, &arena);
    read_in("ep3", text_from(eprint), &fields);
    write_out("ep3", &fields, false, &xml);
    const char *text = buffer_string(&xml);
    assert_null(strchr(text, '@'));
    assert_null(strstr(text, "suggestions"));
    assert_non_null(strstr(text, "<name><family>Doe</family><given>J.</given></name>"));
    assert_non_null(strstr(text, "<id>s2</id>"));
    assert_non_null(strstr(text, "<eprintid>7</eprintid><documents><document><docid>3</docid><pos>1</pos><mime_type>application/pdf</mime_type>"
                                 "<format>text</format><security>public</security><main>a&amp;b.pdf</main><files><file><filename>a&amp;b.pdf</filename>"
                                 "<mime_type>application/pdf</mime_type><hash>00ff</hash><hash_type>MD5</hash_type><filesize>12</filesize>"
                                 "<url>http://repository.example/a&amp;b.pdf</url></file></files></document></documents><eprint_status>archive</eprint_status>"));
    buffer_release(&xml);
    arena_release(&arena);
    /* Two of one name, of whom only one has more kept: nobody is lost. */
    buffer_clear(&xml);
    arena_init(&arena, 0);
    fields_init(&fields, &arena);
    fields_of_lines("dc.contributor.author=Doe, J.\ndc.contributor.author=Doe, J.\neprints.creators.item={\"name\":{\"family\":\"Doe\",\"given\":\"J.\"},\"id\":\"x\"}\n", &fields);
    write_out("ep3", &fields, false, &xml);
    assert_non_null(strstr(buffer_string(&xml), "<creators><item><name><family>Doe</family><given>J.</given></name><id>x</id></item>"
                                                "<item><name><family>Doe</family><given>J.</given></name></item></creators>"));
    buffer_release(&xml);
    arena_release(&arena);
    /* A name that was edited since no longer has what was kept of another. */
    gives_xml("ep3", "dc.type=Journal Article\ndc.contributor.author=Dow, J.\neprints.creators.item={\"name\":{\"family\":\"Doe\",\"given\":\"J.\"},\"id\":\"x\"}\n",
              "<eprints xmlns=\"http://eprints.org/ep2/data/2.0\"><eprint><eprintid>7</eprintid><documents><document><docid>3</docid><pos>1</pos>"
              "<mime_type>application/pdf</mime_type><format>text</format><security>public</security><main>a&amp;b.pdf</main><files><file>"
              "<filename>a&amp;b.pdf</filename><mime_type>application/pdf</mime_type><hash>00ff</hash><hash_type>MD5</hash_type><filesize>12</filesize>"
              "<url>http://repository.example/a&amp;b.pdf</url></file></files></document></documents><eprint_status>archive</eprint_status>"
              "<type>article</type><creators><item><name><family>Dow</family><given>J.</given></name></item></creators></eprint></eprints>");
}

static void
thousands_of_persons_come_back_and_of_one_name_too(void **state)
{
    struct buffer source = {0};
    (void)state;
    for (int same = 0; same < 2; same++) {
        struct arena arena;
        struct fields fields;
        struct buffer xml = {0};
        struct xml_document *document;
        size_t count = 0;
        arena_init(&arena, 0);
        fields_init(&fields, &arena);
        buffer_clear(&source);
        buffer_append_string(&source, "<eprint xmlns='http://eprints.org/ep2/data/2.0'><creators>");
        for (int i = 0; i < 3000; i++)
            buffer_printf(&source, "<item><name><family>A%d</family><given>B</given></name><id>%d</id></item>", same ? 0 : i, i);
        buffer_append_string(&source, "</creators></eprint>");
        read_in("ep3", buffer_text(&source), &fields);
        write_out("ep3", &fields, true, &xml);
        assert_code(xml_document_parse(buffer_text(&xml), &document, NULL), ERROR_NONE);
        xml_each(item, xml_child(eprint_of(document), NULL, "creators"), NULL, "item")
        {
            struct text id = xml_child_text(item, NULL, "id", &arena);
            assert_text(id, text_from(arena_printf(&arena, "%zu", same ? 0 : count)));
            count++;
        }
        assert_int_equal(count, 3000);
        xml_document_free(document);
        buffer_release(&xml);
        arena_release(&arena);
    }
    buffer_release(&source);
}

static void
no_field_makes_an_outgoing_crosswalk_fail(void **state)
{
    static const char *const names[] = {"oai_dc", "qdc", "dcterms", "mods", "mets", "ore", "dim", "didl", "rdf", "ep3"};
    struct arena arena;
    struct fields fields;
    (void)state;
    arena_init(&arena, 0);
    fields_init(&fields, &arena);
    fields_of_lines("dc.9x=a\n9x.9x.9x=a\ndcterms.9x=a\neprints.9x=a\neprints.-x.item=a\neprints.x={\"9 x\":\"a\"}\neprints.x={\"a\":[[\"b\"]]}\n"
                    "eprints.x=\"\neprints.x={\"a\":1}\neprints.x=[\neprints.xml=a\neprints.x.y=a\neprints.item.item=\x01\xEF\xBF\xBF<&>]]>\ndc.title=\"{\n", &fields);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct buffer xml = {0}, whole = {0};
        struct xml_document *document;
        struct error error = {0};
        write_out(names[i], &fields, true, &xml);
        buffer_printf(&whole, "<a>%s</a>", buffer_string(&xml));
        if (xml_document_parse(buffer_text(&whole), &document, &error) != ERROR_NONE)
            fail_msg("%s: %s in %s", names[i], error.message, buffer_string(&whole));
        xml_document_free(document);
        buffer_release(&xml);
        buffer_release(&whole);
    }
    arena_release(&arena);
}

/* ---- a site's own ---- */

static void
put_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void
remove_file(const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

#define XSL(inside)                                                                                \
    "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' xmlns:dim='http://www.dspace.org/xmlns/dspace/dim'>" inside \
    "</xsl:stylesheet>"

static void
a_site_replaces_and_adds_crosswalks(void **state)
{
    char folder[] = "/tmp/test_crosswalk.XXXXXX";
    struct crosswalk_set *ours = set, *theirs = NULL;
    struct error error = {0};
    (void)state;
    assert_non_null(mkdtemp(folder));
    put_file(folder, "dcterms-out.xsl",
             XSL("<xsl:import href='dcterms-out.xsl'/><xsl:output method='xml' omit-xml-declaration='yes'/>"
                 "<xsl:template match=\"dim:field[@element = 'title']\" mode='dcterms'><mine><xsl:value-of select='.'/></mine></xsl:template>"));
    put_file(folder, "atom-in.xsl", XSL("<xsl:template match='/'><dim:dim><dim:field mdschema='local' element='atom'>mine</dim:field></dim:dim></xsl:template>"));
    put_file(folder, "new-out.xsl", XSL("<xsl:output method='text'/><xsl:template match='/'>new</xsl:template>"));
    put_file(folder, "notes.txt", "not a stylesheet");
    assert_code(crosswalk_set_new(folder, &theirs, &error), ERROR_NONE);
    set = theirs;
    gives_xml("dcterms", "dc.title=A\ndc.type=B\n", "<mine xmlns:dim=\"http://www.dspace.org/xmlns/dspace/dim\">A</mine>"
                                                    "<dcterms:type xmlns:dcterms=\"http://purl.org/dc/terms/\">B</dcterms:type>");
    gives_xml("new", "dc.title=A\n", "new");
    gives_fields("atom", TEXT("<a/>"), "local.atom=mine\n");
    gives_fields("dc", TEXT("<title xmlns='http://purl.org/dc/terms/'>T</title>"), "dc.title=T\n");
    assert_true(crosswalk_has_out(set, "new"));
    assert_false(crosswalk_has_out(ours, "new"));
    assert_true(crosswalk_has_in(ours, "atom"));
    assert_false(crosswalk_has_in(ours, "didl"));
    crosswalk_set_free(theirs);
    set = ours;
    put_file(folder, "bad-in.xsl", XSL("<xsl:template match='['/>"));
    assert_code(crosswalk_set_new(folder, &theirs, &error), ERROR_INVALID);
    assert_non_null(strstr(error.message, "bad-in.xsl"));
    assert_code(crosswalk_set_new("/nonexistent/crosswalks", &theirs, NULL), ERROR_NONE);
    crosswalk_set_free(theirs);
    remove_file(folder, "dcterms-out.xsl");
    remove_file(folder, "atom-in.xsl");
    remove_file(folder, "new-out.xsl");
    remove_file(folder, "notes.txt");
    remove_file(folder, "bad-in.xsl");
    assert_int_equal(rmdir(folder), 0);
}

static void *
go_in_and_out(void *failed)
{
    for (unsigned i = 0; i < 50; i++) {
        struct arena arena;
        struct fields fields;
        struct buffer lines = {0}, xml = {0};
        struct xml_document *document;
        struct crosswalk_record record = {.fields = &fields};
        arena_init(&arena, 0);
        fields_init(&fields, &arena);
        if (xml_document_parse(text_from(epdcx), &document, NULL) != ERROR_NONE ||
            crosswalk_in(set, "epdcx", xml_root(document), &fields, NULL) != ERROR_NONE || fields.count != 13 ||
            crosswalk_out(set, "mods", &record, &xml, NULL) != ERROR_NONE || xml.length < 1000)
            return failed;
        xml_document_free(document);
        buffer_release(&lines);
        buffer_release(&xml);
        arena_release(&arena);
    }
    return NULL;
}

static void
many_threads_use_one_set(void **state)
{
    pthread_t threads[4];
    int failed;
    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, go_in_and_out, &failed), 0);
    for (size_t i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_null(result);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(epdcx_gives_the_fields_of_dspace),
        cmocka_unit_test(dublin_core_and_terms_give_the_fields_of_dspaces_table),
        cmocka_unit_test(an_atom_entry_gives_its_own_words_and_its_terms_once),
        cmocka_unit_test(mods_gives_fields),
        cmocka_unit_test(metsrights_gives_rights_and_the_day_of_lifting),
        cmocka_unit_test(a_document_of_another_format_is_refused),
        cmocka_unit_test(oai_dc_is_unqualified_with_a_link_and_nothing_private),
        cmocka_unit_test(qdc_and_dcterms_refine),
        cmocka_unit_test(rdf_and_didl_name_the_record_and_its_files),
        cmocka_unit_test(mods_and_dim_come_back),
        cmocka_unit_test(an_eprint_gives_dublin_core_and_the_rest_as_it_is),
        cmocka_unit_test(lists_of_ep2_stand_side_by_side),
        cmocka_unit_test(an_eprint_comes_back_field_by_field),
        cmocka_unit_test(a_public_eprint_has_no_addresses_and_names_its_files),
        cmocka_unit_test(thousands_of_persons_come_back_and_of_one_name_too),
        cmocka_unit_test(no_field_makes_an_outgoing_crosswalk_fail),
        cmocka_unit_test(a_site_replaces_and_adds_crosswalks),
        cmocka_unit_test(many_threads_use_one_set),
    };
    return cmocka_run_group_tests(tests, make_set, free_set);
}
