/* SPDX-License-Identifier: Apache-2.0 */
/* Packagings and their readers but for archives, bags and SAF, which have tests of their own: METS, EPrints XML, entries, single files. */
#include "package_fixture.h"

#define METS_HEAD "<mets xmlns=\"http://www.loc.gov/METS/\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
#define SIP METS_HEAD "OBJID=\"sword-mets\" PROFILE=\"DSpace METS SIP Profile 1.0\">"
#define DC_SECTION                                                                                 \
    "<dmdSec ID=\"d1\"><mdWrap MDTYPE=\"DC\"><xmlData xmlns:dc=\"http://purl.org/dc/elements/1.1/\">" \
    "<dc:title>The title</dc:title></xmlData></mdWrap></dmdSec>"
#define FILE_OF(id, more, href)                                                                    \
    "<file ID=\"" id "\" " more "><FLocat LOCTYPE=\"URL\" xlink:href=\"" href "\"/></file>"
#define STRUCTURE "<structMap><div DMDID=\"d1\"/></structMap>"

/* mets.xml with "a.pdf" (3 bytes) and "b c.pdf" beside it. */
static struct buffer
sip_of(const char *mets)
{
    struct zip zip = {0};
    zip_file(&zip, "mets.xml", mets);
    zip_file(&zip, "a.pdf", "abc");
    zip_file(&zip, "b c.pdf", "defg");
    zip_file(&zip, "empty.txt", "");
    return zip_end(&zip);
}

static void
packagings_are_known_by_every_name_they_have(void **state)
{
    static const struct {
        const char *text;
        enum packaging packaging;
    } names[] = {
        {"http://purl.org/net/sword-types/METSDSpaceSIP", PACKAGING_METS},
        {"http://purl.org/net/sword/package/METSDSpaceSIP", PACKAGING_METS},
        {"METSDSpaceSIP", PACKAGING_METS},
        {"mets", PACKAGING_METS},
        {"http://purl.org/net/sword/package/SimpleZip", PACKAGING_SIMPLE_ZIP},
        {"http://purl.org/net/sword/3.0/package/SimpleZip", PACKAGING_SIMPLE_ZIP},
        {"http://purl.org/net/sword/3.0/package/SWORDBagIt", PACKAGING_SWORD_BAGIT},
        {"http://purl.org/net/sword/3.0/package/Binary", PACKAGING_BINARY},
        {"http://purl.org/net/sword/package/BagIt", PACKAGING_BAGIT},
        {"http://eprints.org/ep2/data/2.0", PACKAGING_EPRINTS},
        {"saf", PACKAGING_SAF},
    };
    enum packaging found = PACKAGING_COUNT;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(packaging_from_text(text_from(names[i].text), &found));
        assert_int_equal(found, names[i].packaging);
    }
    for (unsigned i = 0; i < PACKAGING_COUNT; i++) {
        assert_true(packaging_from_text(text_from(packaging_word((enum packaging)i)), &found));
        assert_int_equal(found, i);
    }
    assert_false(packaging_from_text(TEXT(""), &found));
    assert_false(packaging_from_text(TEXT("2.0"), &found));
    assert_false(packaging_from_text(TEXT("http://purl.org/net/sword/3.0/package/"), &found));
    assert_string_equal(packaging_uri_1(PACKAGING_METS), "http://purl.org/net/sword-types/METSDSpaceSIP");
    assert_string_equal(packaging_uri_1(PACKAGING_BINARY), packaging_uri(PACKAGING_BINARY));
}

static void
a_single_file_is_copied_or_moved_in(void **state)
{
    struct world w;
    struct buffer bytes = {0};
    struct package package;
    struct upload *whole = NULL;
    (void)state;
    world_init(&w);
    buffer_append_string(&bytes, "content");
    struct package_request request = request_of(&w, PACKAGING_BINARY, &bytes);
    request.filename = TEXT("paper.pdf");
    request.media_type = TEXT("application/pdf");
    assert_int_equal(package_read(&request, &package, &w.error), ERROR_NONE);
    assert_file(&package, "ORIGINAL", "paper.pdf", "content");
    assert_true(text_equal(package.files[0].media_type, TEXT("application/pdf")));
    package_release(&package);
    assert_int_equal(upload_begin(w.model, 0, &whole, &w.error), ERROR_NONE);
    assert_int_equal(upload_write(whole, "moved", 5, &w.error), ERROR_NONE);
    assert_int_equal(upload_finish(whole, &w.error), ERROR_NONE);
    request.source = package_source_of_upload(whole);
    request.whole = &whole;
    request.filename = TEXT("a/b");
    assert_int_equal(package_read(&request, &package, &w.error), ERROR_INVALID);
    assert_non_null(whole); /* still the caller's */
    request.filename = TEXT("b");
    assert_int_equal(package_read(&request, &package, &w.error), ERROR_NONE);
    assert_null(whole);
    assert_file(&package, "ORIGINAL", "b", "moved");
    package_release(&package);
    buffer_release(&bytes);
    world_release(&w);
}

static void
two_files_of_one_place_are_refused_and_both_named(void **state)
{
    struct world w;
    struct package package;
    struct package_file file = {.bundle = TEXT("ORIGINAL"), .path = TEXT("a"), .original_name = TEXT("first")};
    (void)state;
    world_init(&w);
    package_init(&package, &w.arena);
    assert_int_equal(package_add_file(&package, &file, &w.error), ERROR_NONE);
    file.original_name = TEXT("second");
    assert_int_equal(package_add_file(&package, &file, &w.error), ERROR_EXISTS);
    assert_non_null(strstr(w.error.message, "\"first\" and \"second\" are both file \"a\" in bundle ORIGINAL"));
    file.bundle = TEXT("TEXT");
    assert_int_equal(package_add_file(&package, &file, &w.error), ERROR_NONE);
    package_release(&package);
    world_release(&w);
}

/* ---- METS ---- */

static void
mets_names_files_bundles_and_metadata(void **state)
{
    struct world w;
    (void)state;
    world_init(&w);
    struct package package = read_accepted(&w, PACKAGING_METS, sip_of(SIP DC_SECTION
        "<fileSec><fileGrp USE=\"CONTENT\">"
        FILE_OF("f1", "MIMETYPE=\"application/pdf\" SEQ=\"4\" GROUPID=\"g1\" SIZE=\"3\" CHECKSUMTYPE=\"MD5\" CHECKSUM=\"900150983CD24FB0D6963F7D28E17F72\"", "a.pdf")
        FILE_OF("f3", "", "empty.txt")
        "</fileGrp><fileGrp USE=\"TEXT\">" FILE_OF("f2", "GROUPID=\"g1\"", "./b%20c.pdf") "</fileGrp></fileSec>"
        "<structMap><div/></structMap><structMap><div DMDID=\"d1\"><fptr FILEID=\"f1\"/></div></structMap></mets>"));
    assert_file(&package, "ORIGINAL", "a.pdf", "abc");
    assert_file(&package, "TEXT", "b c.pdf", "defg");
    assert_non_null(find_file(&package, "METADATA", "mets.xml"));
    assert_int_equal(package.file_count, 3);
    const struct package_file *file = file_of(&package, "ORIGINAL", "a.pdf");
    assert_true(file->primary);
    assert_int_equal(file->sequence, 4);
    assert_true(text_equal(file->media_type, TEXT("application/pdf")));
    assert_true(text_equal(file_of(&package, "TEXT", "b c.pdf")->group, TEXT("a.pdf")));
    assert_field(&package, 0, "dc.title=The title"); /* by the second structMap */
    assert_int_equal(package.fields.count, 1);
    assert_true(text_equal(package.identifier, TEXT("sword-mets")));
    assert_reported(&package, "\"empty.txt\" has no byte: left out");
    package_release(&package);
    world_release(&w);
}

static void
mets_that_is_wrong_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *mets;
        enum error_code code;
        const char *words;
    } bad[] = {
        {SIP "<fileSec><fileGrp USE=\"CONTENT\">\n" FILE_OF("f", "", "Permission.pdf") "</fileGrp></fileSec></mets>",
         ERROR_INVALID, "mets.xml, line 2: \"Permission.pdf\" is not in the package"},
        {SIP "<fileSec><fileGrp USE=\"CONTENT\">" FILE_OF("f", "", "http://example.org/a.pdf") "</fileGrp></fileSec></mets>",
         ERROR_INVALID, "\"http://example.org/a.pdf\" is not in the package"},
        {SIP "<fileSec><fileGrp>" FILE_OF("f", "", "a.pdf") "</fileGrp></fileSec></mets>", ERROR_INVALID, "without USE"},
        {SIP "<fileSec><fileGrp USE=\"../X\">" FILE_OF("f", "", "a.pdf") "</fileGrp></fileSec></mets>", ERROR_INVALID, "bundle"},
        {SIP "<fileSec><fileGrp USE=\"CONTENT\"><file><FLocat/></file></fileGrp></fileSec></mets>", ERROR_INVALID, "without ID"},
        {SIP "<fileSec><fileGrp USE=\"CONTENT\"><file ID=\"f\"><FContent/></file></fileGrp></fileSec></mets>", ERROR_UNSUPPORTED,
         "FContent"},
        {SIP "<fileSec><fileGrp USE=\"CONTENT\">" FILE_OF("f", "SIZE=\"4\"", "a.pdf") "</fileGrp></fileSec></mets>", ERROR_INVALID,
         "\"a.pdf\" is 3 bytes"},
        {SIP "<fileSec><fileGrp USE=\"CONTENT\">"
             FILE_OF("f", "CHECKSUMTYPE=\"SHA-1\" CHECKSUM=\"da39a3ee5e6b4b0d3255bfef95601890afd80709\"", "a.pdf")
             "</fileGrp></fileSec></mets>",
         ERROR_DIGEST, "\"a.pdf\""},
        {SIP "<fileSec><fileGrp USE=\"CONTENT\">" FILE_OF("f", "", "a.pdf") FILE_OF("g", "", "a.pdf") "</fileGrp></fileSec></mets>",
         ERROR_INVALID, "named twice"},
        {METS_HEAD "PROFILE=\"something\"/>", ERROR_UNSUPPORTED, "the profile \"something\""},
        {"<mods/>", ERROR_INVALID, "not METS"},
        {SIP "<dmdSec ID=\"d1\"><mdWrap MDTYPE=\"OTHER\" OTHERMDTYPE=\"X\"><xmlData><x/></xmlData></mdWrap></dmdSec>" STRUCTURE "</mets>",
         ERROR_UNSUPPORTED, "metadata of type \"X\""},
        {SIP "<structMap><div DMDID=\"nothing\"/></structMap></mets>", ERROR_INVALID, "no dmdSec \"nothing\""},
        {SIP, ERROR_INVALID, "mets.xml"},
        {"<!DOCTYPE mets [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>" SIP "&x;</mets>", ERROR_INVALID, "mets.xml"},
        {"<!DOCTYPE mets [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>" SIP "&b;</mets>", ERROR_INVALID, "mets.xml"},
    };
    struct world w;
    struct zip zip = {0};
    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(&w, PACKAGING_METS, sip_of(bad[i].mets), bad[i].code, bad[i].words);
    zip_file(&zip, "folder/mets.xml", SIP "</mets>");
    assert_refused(&w, PACKAGING_METS, zip_end(&zip), ERROR_INVALID, "mets.xml is missing");
    world_release(&w);
}

static void
the_public_may_read_from_the_day_that_the_rights_say(void **state)
{
    static const char form[] =
        SIP DC_SECTION "<amdSec ID=\"r1\"><rightsMD ID=\"r2\"><mdWrap MDTYPE=\"OTHER\" OTHERMDTYPE=\"METSRIGHTS\"><xmlData>"
        "<RightsDeclarationMD xmlns=\"http://cosimo.stanford.edu/sdr/metsrights/\"><Context CONTEXTCLASS=\"GENERAL PUBLIC\" "
        "start-date=\"%s\"><Permissions DISPLAY=\"true\"/></Context></RightsDeclarationMD></xmlData></mdWrap></rightsMD></amdSec>"
        "<fileSec><fileGrp USE=\"CONTENT\">" FILE_OF("f", "ADMID=\"r1\"", "a.pdf") "</fileGrp></fileSec>" STRUCTURE "</mets>";
    struct world w;
    char mets[2048];
    (void)state;
    world_init(&w);
    snprintf(mets, sizeof mets, form, "2031-02-28");
    struct package package = read_accepted(&w, PACKAGING_METS, sip_of(mets));
    assert_true(text_equal(package.embargo, TEXT("2031-02-28")));
    package_release(&package);
    snprintf(mets, sizeof mets, form, "2031-02-29");
    assert_refused(&w, PACKAGING_METS, sip_of(mets), ERROR_INVALID, "\"2031-02-29\" is no date");
    world_release(&w);
}

static void
an_aip_keeps_handle_collections_licence_and_names(void **state)
{
    struct world w;
    (void)state;
    world_init(&w);
    struct package package = read_accepted(&w, PACKAGING_METS, sip_of(METS_HEAD
        "ID=\"x\" OBJID=\"hdl:123456789/45\" TYPE=\"DSpace ITEM\" PROFILE=\"http://www.dspace.org/schema/aip/mets_aip_1_0.xsd\">"
        "<dmdSec ID=\"d1\"><mdWrap MDTYPE=\"MODS\"><xmlData><mods xmlns=\"http://www.loc.gov/mods/v3\"><titleInfo><title>Less</title></titleInfo></mods></xmlData></mdWrap></dmdSec>"
        "<dmdSec ID=\"d2\"><mdWrap MDTYPE=\"OTHER\" OTHERMDTYPE=\"DIM\"><xmlData><dim:dim xmlns:dim=\"http://www.dspace.org/xmlns/dspace/dim\">"
        "<dim:field mdschema=\"dc\" element=\"title\">All of it</dim:field></dim:dim></xmlData></mdWrap></dmdSec>"
        "<amdSec ID=\"lic\"><rightsMD ID=\"lic1\"><mdWrap MDTYPE=\"OTHER\" OTHERMDTYPE=\"DSpaceDepositLicense\"><binData>SSBn\ncmFudA==</binData></mdWrap></rightsMD></amdSec>"
        "<amdSec ID=\"amd9\"><sourceMD ID=\"s9\"><mdWrap MDTYPE=\"OTHER\" OTHERMDTYPE=\"AIP-TECHMD\"><xmlData><dim:dim xmlns:dim=\"http://www.dspace.org/xmlns/dspace/dim\">"
        "<dim:field mdschema=\"dc\" element=\"title\">Real name.pdf</dim:field><dim:field mdschema=\"dc\" element=\"description\">Preprint</dim:field>"
        "</dim:dim></xmlData></mdWrap></sourceMD></amdSec>"
        "<fileSec><fileGrp USE=\"ORIGINAL\">" FILE_OF("f", "ADMID=\"amd9\"", "a.pdf") "</fileGrp></fileSec>"
        "<structMap LABEL=\"DSpace Object\"><div DMDID=\"d1 d2\" ADMID=\"lic\"/></structMap>"
        "<structMap LABEL=\"Parent\"><div><mptr LOCTYPE=\"HANDLE\" xlink:href=\"hdl:123456789/3\"/></div></structMap></mets>"));
    assert_true(text_equal(package.handle, TEXT("123456789/45")));
    assert_true(text_equal(package.collections, TEXT("123456789/3\n")));
    assert_file(&package, "ORIGINAL", "Real name.pdf", "abc");
    assert_true(text_equal(file_of(&package, "ORIGINAL", "Real name.pdf")->original_name, TEXT("a.pdf")));
    assert_true(text_equal(file_of(&package, "ORIGINAL", "Real name.pdf")->description, TEXT("Preprint")));
    assert_file(&package, "LICENSE", "license.txt", "I grant");
    assert_field(&package, 0, "dc.title=All of it");
    assert_int_equal(package.fields.count, 1);
    package_release(&package);
    world_release(&w);
}

static void
the_sample_of_dspace_gives_exactly_its_fields(void **state)
{
    static const char *const start[] = {"dc.title=Attempts to detect retrotransposition and de novo deletion of Alus",
                                        "dc.description.abstract=Dispersed repeat elements contribute to genome instability"};
    static const char *const rest[] = {
        "dc.contributor.author=Hollies, C.R.", "dc.contributor.author=Monckton, D.G.", "dc.contributor.author=Jeffreys, A.J.",
        "dc.identifier.uri=http://www.myu.ac.uk/some/identifier", "dc.language.rfc3066=en", "dc.type=Journal Article",
        "dc.date.issued=2001-02", "dc.description.version=Peer Reviewed", "dc.rights.holder=Nature Publishing Group"};
    struct world w;
    struct buffer bytes = {0};
    (void)state;
    if (!read_sample("packages/dspace-mets-sip.zip", &bytes))
        return; /* an_epdcx_section_becomes_fields() holds the same, made here */
    world_init(&w);
    struct package package = read_accepted(&w, PACKAGING_METS, bytes);
    assert_int_equal(package.fields.count, 11);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(strncmp(package.fields.items[i].value.data, strchr(start[i], '=') + 1, 30), 0);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        assert_field(&package, i + 2, rest[i]);
    assert_int_equal(count_files(&package, "ORIGINAL"), 3);
    assert_int_equal(file_of(&package, "ORIGINAL", "pdf2.pdf")->size_bytes, 11287);
    package_release(&package);
    bytes = (struct buffer){0};
    assert_true(read_sample("packages/dspace-mets-sip-embargo.zip", &bytes));
    package = read_accepted(&w, PACKAGING_METS, bytes);
    assert_true(text_equal(package.embargo, TEXT("2025-02-15")));
    assert_int_equal(count_files(&package, "ORIGINAL"), 1);
    package_release(&package);
    world_release(&w);
}

#define EPDCX_NS "http://purl.org/eprint/epdcx/2006-11-16/"

static void
an_epdcx_section_becomes_fields(void **state)
{
    struct world w;
    (void)state;
    world_init(&w);
    struct package package = read_accepted(&w, PACKAGING_METS, sip_of(SIP
        "<dmdSec ID=\"d1\" GROUPID=\"g\"><mdWrap MDTYPE=\"OTHER\" OTHERMDTYPE=\"EPDCX\"><xmlData>"
        "<e:descriptionSet xmlns:e=\"" EPDCX_NS "\"><e:description e:resourceId=\"r\">"
        "<e:statement e:propertyURI=\"http://purl.org/dc/elements/1.1/title\"><e:valueString>\n  A\n  title </e:valueString></e:statement>"
        "<e:statement e:propertyURI=\"http://purl.org/dc/elements/1.1/creator\"><e:valueString>B, A.</e:valueString></e:statement>"
        "<e:statement e:propertyURI=\"http://purl.org/dc/elements/1.1/creator\"><e:valueString>D, C.</e:valueString></e:statement>"
        "<e:statement e:propertyURI=\"http://purl.org/dc/elements/1.1/nothing\"><e:valueString>lost</e:valueString></e:statement>"
        "</e:description></e:descriptionSet></xmlData></mdWrap></dmdSec>"
        "<fileSec><fileGrp USE=\"CONTENT\">" FILE_OF("f", "", "a.pdf") "</fileGrp></fileSec>" STRUCTURE "</mets>"));
    assert_field(&package, 0, "dc.title=A title");
    assert_field(&package, 1, "dc.contributor.author=B, A.");
    assert_field(&package, 2, "dc.contributor.author=D, C.");
    assert_int_equal(package.fields.count, 3);
    assert_reported(&package, "field dc.title: A title");
    assert_reported(&package, "not mapped: valueString of line");
    assert_reported(&package, ": lost");
    assert_reported(&package, "\"b c.pdf\" is not named in mets.xml: left out");
    package_release(&package);
    world_release(&w);
}

/* ---- EPrints XML ---- */

#define EPRINTS "<eprints xmlns=\"http://eprints.org/ep2/data/2.0\">"
#define EPRINT(id, title, documents)                                                               \
    "<eprint id=\"http://example.org/id/eprint/" id "\"><eprintid>" id "</eprintid><type>article</type><title>" title      \
    "</title><documents>" documents "</documents></eprint>"
#define DOCUMENT(pos, more, files)                                                                 \
    "<document><docid>1" pos "</docid><pos>" pos "</pos>" more "<files>" files "</files></document>"
#define EP_FILE(name, more) "<file><filename>" name "</filename><mime_type>text/plain</mime_type>" more "</file>"
#define HELLO_DATA "<data encoding=\"base64\">aGVs\n  bG8K</data>"

static struct buffer
bytes_of(const char *text)
{
    struct buffer bytes = {0};
    buffer_append_string(&bytes, text);
    return bytes;
}

static void
two_eprints_of_one_document_are_two_packages(void **state)
{
    struct world w;
    struct packages packages;
    (void)state;
    world_init(&w);
    struct buffer bytes = bytes_of(EPRINTS
        EPRINT("1", "First", DOCUMENT("1", "<main>a.txt</main><formatdesc>Draft</formatdesc>",
            EP_FILE("a.txt", "<hash>b1946ac92492d2347c6235b4d2611184</hash><hash_type>MD5</hash_type><filesize>6</filesize>" HELLO_DATA))
            DOCUMENT("2", "<relation><item><type>http://eprints.org/relation/issmallThumbnailVersionOf</type><uri>/id/document/11</uri></item></relation>",
            EP_FILE("a.txt", HELLO_DATA))
            DOCUMENT("3", "<date_embargo>2031-01-02</date_embargo>", EP_FILE("a.txt", HELLO_DATA) EP_FILE("far.txt", "<url>http://127.0.0.1:1/x</url>")))
        EPRINT("2", "Second", "") "</eprints>");
    struct package_request request = request_of(&w, PACKAGING_EPRINTS, &bytes);
    if (package_read_all(&request, &packages, &w.error) != ERROR_NONE)
        fail_msg("%s", w.error.message);
    assert_int_equal(packages.count, 2);
    struct package *first = &packages.items[0];
    assert_file(first, "ORIGINAL", "a.txt", "hello\n");
    assert_file(first, "THUMBNAIL", "a.txt", "hello\n");
    assert_file(first, "ORIGINAL", "3/a.txt", "hello\n");
    assert_true(text_equal(file_of(first, "ORIGINAL", "3/a.txt")->original_name, TEXT("a.txt")));
    assert_true(text_equal(file_of(first, "THUMBNAIL", "a.txt")->group, TEXT("a.txt")));
    assert_true(file_of(first, "ORIGINAL", "a.txt")->primary);
    assert_true(text_equal(file_of(first, "ORIGINAL", "a.txt")->description, TEXT("Draft")));
    assert_non_null(find_file(first, "METADATA", "eprint.xml"));
    assert_int_equal(first->file_count, 4);
    assert_true(text_equal(first->embargo, TEXT("2031-01-02")));
    assert_true(text_equal(first->identifier, TEXT("1")));
    assert_null(strstr(buffer_string(&first->report), "not mapped: filename"));
    assert_null(strstr(buffer_string(&first->report), "not mapped: type"));
    assert_reported(first, "file \"far.txt\" of line 4 is only named: its URL is not followed");
    assert_true(text_equal(fields_first(&packages.items[1].fields, "dc", "title", "")->value, TEXT("Second")));
    packages_release(&packages);
    assert_nothing_left(&w);
    struct package package;
    assert_int_equal(package_read(&request, &package, &w.error), ERROR_INVALID); /* where one is expected */
    buffer_release(&bytes);
    world_release(&w);
}

static void
files_in_eprints_xml_are_checked_and_refused_whole(void **state)
{
    static const struct {
        const char *files;
        enum error_code code;
        const char *words;
    } bad[] = {
        {EP_FILE("a", "<filesize>7</filesize>" HELLO_DATA), ERROR_INVALID, "filesize is 7, and 6 bytes"},
        {EP_FILE("a", "<hash>d41d8cd98f00b204e9800998ecf8427e</hash><hash_type>MD5</hash_type>" HELLO_DATA), ERROR_DIGEST, "\"a\""},
        {EP_FILE("a", "<data encoding=\"base64\">aGVsbG8K*</data>"), ERROR_INVALID, "not base64"},
        {EP_FILE("a", "<data encoding=\"base64\">aGVsbA==aGVs</data>"), ERROR_INVALID, "base64"},
        {EP_FILE("a", "<data encoding=\"hex\">00</data>"), ERROR_UNSUPPORTED, "encoding"},
        {EP_FILE("a", "<data encoding=\"base64\">aGVs<data encoding=\"base64\">bG8K</data></data>"), ERROR_INVALID, "data within data"},
        {EP_FILE("../a", HELLO_DATA), ERROR_INVALID, "leaves the package"},
        {EP_FILE("a", HELLO_DATA) EP_FILE("b", "<data encoding=\"base64\">aGV"), ERROR_INVALID, ""},
    };
    struct world w;
    char text[2048];
    (void)state;
    world_init(&w);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, EPRINTS EPRINT("1", "T", "<document><pos>1</pos><files>%s</files></document>") "</eprints>",
                 bad[i].files);
        assert_refused(&w, PACKAGING_EPRINTS, bytes_of(text), bad[i].code, bad[i].words);
    }
    snprintf(text, sizeof text, EPRINTS EPRINT("1", "T", "<document><files>%s%s</files></document>") "</eprints>",
             EP_FILE("a", HELLO_DATA HELLO_DATA), EP_FILE("b", "<data encoding=\"base64\"/>"));
    struct package odd = read_accepted(&w, PACKAGING_EPRINTS, bytes_of(text));
    assert_file(&odd, "ORIGINAL", "a", "hello\n");
    assert_file(&odd, "ORIGINAL", "b", "");
    package_release(&odd);
    assert_refused(&w, PACKAGING_EPRINTS, bytes_of(EPRINTS "</eprints>"), ERROR_INVALID, "no eprint");
    assert_refused(&w, PACKAGING_EPRINTS, bytes_of("<eprint/>"), ERROR_INVALID, "not EPrints XML");
    snprintf(text, sizeof text, EPRINTS EPRINT("1", "T", "<document><pos>1</pos><security>staffonly</security><files>%s</files></document>")
             "</eprints>", EP_FILE("a", HELLO_DATA));
    struct package package = read_accepted(&w, PACKAGING_EPRINTS, bytes_of(text));
    assert_true(text_equal(package.embargo, TEXT("9999-12-31"))); /* never open to all by accident */
    package_release(&package);
    world_release(&w);
}

static void
a_large_file_in_base64_comes_out_whole(void **state)
{
    struct world w;
    struct buffer bytes = {0}, wanted = {0};
    char found[1000];
    (void)state;
    world_init(&w);
    buffer_append_string(&bytes, EPRINTS "<eprint><title>T</title><documents><document><files><file><filename>a</filename><data encoding=\"base64\">");
    for (unsigned i = 0; i < 40000; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s", i % 3 == 0 ? "YWJj\n" : i % 3 == 1 ? "ZGVm" : "Z2hp \t");
        buffer_append_string(&bytes, line);
        buffer_append_string(&wanted, i % 3 == 0 ? "abc" : i % 3 == 1 ? "def" : "ghi");
    }
    buffer_append_string(&bytes, "eg==</data></file></files></document></documents></eprint></eprints>");
    buffer_append_string(&wanted, "z");
    struct package package = read_accepted(&w, PACKAGING_EPRINTS, bytes);
    const struct package_file *file = file_of(&package, "ORIGINAL", "a");
    assert_int_equal(file->size_bytes, wanted.length);
    for (size_t at = 0; at < wanted.length; at += sizeof found) {
        size_t length = wanted.length - at < sizeof found ? wanted.length - at : sizeof found;
        assert_int_equal(upload_read(file->upload, at, found, length, NULL), ERROR_NONE);
        assert_memory_equal(found, wanted.data + at, length);
    }
    package_release(&package);
    buffer_release(&wanted);
    world_release(&w);
}

/* ---- entries ---- */

static void
an_entry_gives_fields_and_itself(void **state)
{
    static const char entry[] = "<entry xmlns=\"http://www.w3.org/2005/Atom\" xmlns:dcterms=\"http://purl.org/dc/terms/\"><title>T</title>"
                                "<id>urn:x</id><dcterms:abstract>About it</dcterms:abstract></entry>";
    struct world w;
    struct package package;
    (void)state;
    world_init(&w);
    struct buffer bytes = bytes_of(entry);
    struct package_request request = request_of(&w, PACKAGING_BINARY, &bytes);
    if (package_read_entry(&request, &package, &w.error) != ERROR_NONE)
        fail_msg("%s", w.error.message);
    assert_field(&package, 0, "dc.title=T");
    assert_field(&package, 1, "dc.description.abstract=About it");
    assert_file(&package, "METADATA", "entry.xml", entry);
    assert_int_equal(package.file_count, 1);
    package_release(&package);
    buffer_release(&bytes);
    bytes = bytes_of("<feed xmlns=\"http://www.w3.org/2005/Atom\"/>");
    request.source.size_bytes = bytes.length;
    assert_int_equal(package_read_entry(&request, &package, &w.error), ERROR_INVALID);
    assert_non_null(strstr(w.error.message, "not an Atom entry"));
    buffer_release(&bytes);
    world_release(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packagings_are_known_by_every_name_they_have),
        cmocka_unit_test(a_single_file_is_copied_or_moved_in),
        cmocka_unit_test(two_files_of_one_place_are_refused_and_both_named),
        cmocka_unit_test(mets_names_files_bundles_and_metadata),
        cmocka_unit_test(mets_that_is_wrong_is_refused_with_its_line),
        cmocka_unit_test(the_public_may_read_from_the_day_that_the_rights_say),
        cmocka_unit_test(an_aip_keeps_handle_collections_licence_and_names),
        cmocka_unit_test(an_epdcx_section_becomes_fields),
        cmocka_unit_test(the_sample_of_dspace_gives_exactly_its_fields),
        cmocka_unit_test(two_eprints_of_one_document_are_two_packages),
        cmocka_unit_test(files_in_eprints_xml_are_checked_and_refused_whole),
        cmocka_unit_test(a_large_file_in_base64_comes_out_whole),
        cmocka_unit_test(an_entry_gives_fields_and_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
