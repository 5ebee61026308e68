/* SPDX-License-Identifier: Apache-2.0 */
/* XML: what the reader takes and refuses, what the writer makes of any text, and XSLT that can touch nothing else. */
#include "unit.h"

#include "xml/xml_read.h"
#include "xml/xml_write.h"
#include "xml/xslt.h"

#include <pthread.h>
#include <unistd.h>

/* ---- the reader ---- */

static void
a_document_is_looked_at_by_namespace_and_name(void **state)
{
    struct arena arena;
    struct xml_document *document;
    struct text value;
    struct xml_attribute attribute;
    (void)state;
    arena_init(&arena, 0);
    assert_code(xml_document_parse(TEXT("<?xml version='1.0'?><!-- c --><a xmlns='urn:1' xmlns:p='urn:2' x='1' p:x='&lt;&#228;&amp;' e=''>"
                                        "\n<b>one<!-- c --> &gt; <![CDATA[<two>]]><?p i?></b><p:b/><c xmlns=''>d<e>f</e></c><b>g</b></a>"),
                                   &document, NULL),
                ERROR_NONE);
    const struct xml_node *root = xml_root(document);
    assert_true(xml_is(root, "urn:1", "a"));
    assert_null(xml_parent(root));
    assert_text(xml_name(root), TEXT("a"));
    assert_text(xml_namespace(root), TEXT("urn:1"));
    assert_true(xml_attribute(root, "", "x", &arena, &value));
    assert_text(value, TEXT("1"));
    assert_true(xml_attribute(root, "urn:2", "x", &arena, &value));
    assert_text(value, TEXT("<ä&"));
    assert_true(xml_attribute(root, NULL, "e", &arena, &value));
    assert_text(value, TEXT(""));
    assert_false(xml_attribute(root, "urn:1", "x", &arena, &value));
    assert_true(xml_attribute_at(root, 1, &arena, &attribute));
    assert_text(attribute.namespace_uri, TEXT("urn:2"));
    assert_text(attribute.name, TEXT("x"));
    assert_text(attribute.value, TEXT("<ä&"));
    assert_false(xml_attribute_at(root, 3, &arena, &attribute));
    size_t count = 0;
    xml_each(b, root, "urn:1", "b")
        count++;
    assert_int_equal(count, 2);
    const struct xml_node *b = xml_child(root, "urn:1", "b");
    assert_int_equal(xml_line(b), 2);
    assert_text(xml_text(b, &arena), TEXT("one > <two>"));
    assert_true(xml_is(xml_sibling(b, NULL, NULL), "urn:2", "b"));
    assert_text(xml_child_text(root, "", "c", &arena), TEXT("df"));
    assert_true(xml_has_text(root));
    assert_false(xml_has_text(xml_sibling(b, "urn:2", "b")));
    assert_text(xml_child_text(root, "urn:9", "c", &arena), TEXT(""));
    assert_true(xml_parent(b) == root);
    assert_null(xml_child(xml_sibling(b, "urn:2", "b"), NULL, NULL));
    assert_null(xml_child(NULL, NULL, NULL));
    xml_document_free(document);
    arena_release(&arena);
}

static void
refused(struct text bytes, enum error_code wanted, const char *words)
{
    struct xml_document *document = NULL;
    struct error error = {0};
    enum error_code code = xml_document_parse(bytes, &document, &error);
    if (code != wanted || strstr(error.message, words) == NULL)
        fail_msg("%.60s: %s, \"%s\"", bytes.data, error_word(code), error.message);
    assert_null(document);
}

static void
what_is_not_well_formed_is_refused_with_its_line(void **state)
{
    (void)state;
    refused(TEXT(""), ERROR_INVALID, "empty");
    refused(TEXT("plain"), ERROR_INVALID, "line 1");
    refused(TEXT("<a>\n<b>\n</a>"), ERROR_INVALID, "line 3");
    refused(TEXT("<a>"), ERROR_INVALID, "line 1");
    refused(TEXT("<a/><b/>"), ERROR_INVALID, "line 1");
    refused(TEXT("<a x='1' x='2'/>"), ERROR_INVALID, "redefined");
    refused(TEXT("<p:a/>"), ERROR_INVALID, "p");
    refused(TEXT("<a>\n\x01</a>"), ERROR_INVALID, "line 2");
    refused(TEXT("<a>&#0;</a>"), ERROR_INVALID, "line 1");
    refused(TEXT("<a>\n\xC0\xAF</a>"), ERROR_INVALID, "UTF-8");
    refused(TEXT("<a x='\xFF'/>"), ERROR_INVALID, "UTF-8");
    refused(TEXT("<?xml version='1.0' encoding='EBCDIC-XX'?><a/>"), ERROR_INVALID, "encoding");
    refused(text_of("<a>\0</a>", 8), ERROR_INVALID, "line 1");
}

static void
document_types_and_entities_are_refused(void **state)
{
    (void)state;
    refused(TEXT("<!DOCTYPE a><a/>"), ERROR_INVALID, "document type");
    refused(TEXT("<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY l 'lol'><!ENTITY m '&l;&l;&l;&l;'><!ENTITY n '&m;&m;&m;&m;'>]><a>&n;</a>"),
            ERROR_INVALID, "line 2: XML with a document type");
    refused(TEXT("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>"), ERROR_INVALID, "document type");
    refused(TEXT("<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'><a/>"), ERROR_INVALID, "document type");
    refused(TEXT("<!DOCTYPE a [<!ENTITY % x SYSTEM 'file:///etc/passwd'>%x;]><a/>"), ERROR_INVALID, "document type");
    refused(TEXT("<a>&nbsp;</a>"), ERROR_INVALID, "nbsp");
    refused(TEXT("<a x='&nbsp;'/>"), ERROR_INVALID, "nbsp");
}

static void
repeat(struct buffer *buffer, const char *string, size_t times)
{
    for (size_t i = 0; i < times; i++)
        buffer_append_string(buffer, string);
}

static void
limits_are_kept(void **state)
{
    struct buffer buffer = {0};
    struct xml_document *document;
    (void)state;
    repeat(&buffer, "<a>", 100);
    repeat(&buffer, "</a>", 100);
    assert_code(xml_document_parse(buffer_text(&buffer), &document, NULL), ERROR_NONE);
    xml_document_free(document);
    buffer_clear(&buffer);
    repeat(&buffer, "<a>", 101);
    repeat(&buffer, "</a>", 101);
    refused(buffer_text(&buffer), ERROR_LIMIT, "more than 100 elements within elements");
    buffer_clear(&buffer);
    repeat(&buffer, "<a>", 1000000);
    refused(buffer_text(&buffer), ERROR_LIMIT, "more than 100 elements within elements");
    buffer_clear(&buffer);
    buffer_append_string(&buffer, "<a x='");
    repeat(&buffer, "y", (1 << 20) + 1);
    buffer_append_string(&buffer, "'/>");
    refused(buffer_text(&buffer), ERROR_LIMIT, "attribute of more than 1048576");
    buffer_clear(&buffer);
    buffer_append_string(&buffer, "<a>");
    repeat(&buffer, "y", (8 << 20) + 1);
    buffer_append_string(&buffer, "</a>");
    refused(buffer_text(&buffer), ERROR_LIMIT, "bytes of text");
    buffer_clear(&buffer);
    buffer_append_string(&buffer, "<a>");
    repeat(&buffer, "<b c='d'/>", 250000);
    buffer_append_string(&buffer, "</a>");
    refused(buffer_text(&buffer), ERROR_LIMIT, "more than 500000 elements and attributes");
    buffer_clear(&buffer);
    buffer_append_string(&buffer, "<a>");
    repeat(&buffer, "<b>0123456789012345678901234567890123456789</b>", 400000);
    refused(buffer_text(&buffer), ERROR_LIMIT, "more than 16777216 bytes");
    buffer_release(&buffer);
}

/* A source that gives `prefix`, then `times` pieces, then `suffix`, a few bytes at a time, and can break. */
struct long_source {
    const char *prefix, *piece, *suffix;
    size_t times, at, breaks_after;
};

static enum error_code
read_long_source(void *context, void *data, size_t capacity, size_t *ret_length, struct error *error)
{
    struct long_source *source = context;
    if (source->breaks_after != 0 && source->at == source->breaks_after)
        return error_set(error, ERROR_IO, "the disk is gone");
    const char *now = source->at == 0                  ? source->prefix
                      : source->at <= source->times     ? source->piece
                      : source->at == source->times + 1 ? source->suffix
                                                        : "";
    source->at++;
    *ret_length = strlen(now);
    assert_true(*ret_length <= capacity);
    memcpy(data, now, *ret_length);
    return ERROR_NONE;
}

struct diverted {
    struct arena *arena;
    size_t begun, ended, bytes, refuse_after;
    struct text name;
};

static enum error_code
diverted_begin(void *context, const struct xml_node *element, struct error *error)
{
    struct diverted *diverted = context;
    struct xml_document *within; /* reading may nest */
    assert_code(xml_document_parse(TEXT("<a>"), &within, NULL), ERROR_INVALID);
    diverted->begun++;
    diverted->name = xml_child_text(xml_parent(element), "urn:f", "name", diverted->arena);
    return ERROR_NONE;
}

static enum error_code
diverted_text(void *context, struct text piece, struct error *error)
{
    struct diverted *diverted = context;
    diverted->bytes += piece.length;
    if (diverted->refuse_after != 0 && diverted->bytes > diverted->refuse_after)
        return error_set(error, ERROR_FULL, "no room");
    return ERROR_NONE;
}

static enum error_code
diverted_end(void *context, const struct xml_node *element, struct error *error)
{
    ((struct diverted *)context)->ended++;
    return ERROR_NONE;
}

#define LONG_SOURCE                                                                                \
    {                                                                                              \
        .prefix = "<f xmlns='urn:f'><name>n</name><data>", .piece = "0123456789abcdef0123456789abcdef", \
        .suffix = "</data><data xmlns=''>kept</data></f>", .times = 700000                         \
    }

static void
diverted_text_is_bounded_by_nothing_and_enters_no_tree(void **state)
{
    struct arena arena;
    struct long_source long_source = LONG_SOURCE;
    struct diverted diverted = {.arena = &arena};
    struct xml_diversion diversion = {"urn:f", "data", diverted_begin, diverted_text, diverted_end, &diverted};
    struct xml_limits limits = xml_limits_default();
    struct xml_source source = {read_long_source, &long_source, &limits, &diversion};
    struct xml_document *document;
    struct error error = {0};
    (void)state;
    arena_init(&arena, 0);
    limits.bytes = 65536;
    assert_code(xml_document_read(&source, &document, &error), ERROR_NONE);
    assert_int_equal(diverted.begun, 1);
    assert_int_equal(diverted.ended, 1);
    assert_int_equal(diverted.bytes, 32 * 700000);
    assert_text(diverted.name, TEXT("n"));
    assert_text(xml_text(xml_root(document), &arena), TEXT("nkept"));
    xml_document_free(document);
    arena_release(&arena);
}

static void
errors_of_source_and_diversion_come_out_as_they_are(void **state)
{
    struct arena arena;
    struct long_source broken = LONG_SOURCE, whole = LONG_SOURCE;
    struct diverted diverted = {.arena = &arena, .refuse_after = 1000};
    struct xml_diversion diversion = {"urn:f", "data", diverted_begin, diverted_text, diverted_end, &diverted};
    struct xml_source source = {read_long_source, &broken, NULL, NULL};
    struct xml_document *document;
    struct error error = {0};
    (void)state;
    arena_init(&arena, 0);
    broken.breaks_after = 1000;
    assert_code(xml_document_read(&source, &document, &error), ERROR_IO);
    assert_string_equal(error.message, "the disk is gone");
    source = (struct xml_source){read_long_source, &whole, NULL, &diversion};
    assert_code(xml_document_read(&source, &document, &error), ERROR_FULL);
    assert_string_equal(error.message, "no room");
    assert_int_equal(diverted.ended, 0);
    arena_release(&arena);
}

static void
other_encodings_become_utf8(void **state)
{
    struct arena arena;
    struct xml_document *document;
    (void)state;
    arena_init(&arena, 0);
    assert_code(xml_document_parse(TEXT("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE4</a>"), &document, NULL), ERROR_NONE);
    assert_text(xml_text(xml_root(document), &arena), TEXT("ä"));
    xml_document_free(document);
    assert_code(xml_document_parse(text_of("\xFF\xFE<\0a\0/\0>\0", 10), &document, NULL), ERROR_NONE);
    assert_text(xml_name(xml_root(document)), TEXT("a"));
    xml_document_free(document);
    arena_release(&arena);
}

static void
a_part_keeps_the_prefixes_that_its_values_need(void **state)
{
    struct arena arena;
    struct buffer buffer = {0};
    struct xml_document *document, *part;
    (void)state;
    arena_init(&arena, 0);
    assert_code(xml_document_parse(TEXT("<m xmlns='urn:m' xmlns:t='urn:t' xmlns:x='urn:x'><x:d t:type='t:URI'>a&lt;&#13;\xC3\xA4"
                                        "<n/></x:d></m>"),
                                   &document, NULL),
                ERROR_NONE);
    const struct xml_node *d = xml_child(xml_root(document), "urn:x", "d");
    assert_code(xml_write_node(d, &buffer, NULL), ERROR_NONE);
    assert_true(text_starts_with(buffer_text(&buffer), TEXT("<x:d xmlns")));
    assert_code(xml_document_of(d, &part, NULL), ERROR_NONE);
    xml_document_free(document);
    assert_true(xml_is(xml_child(xml_root(part), NULL, NULL), "urn:m", "n"));
    assert_text(xml_text(xml_root(part), &arena), TEXT("a<\rä"));
    xml_document_free(part);
    assert_code(xml_document_parse(buffer_text(&buffer), &part, NULL), ERROR_NONE);
    assert_true(xml_is(xml_child(xml_root(part), NULL, NULL), "urn:m", "n"));
    assert_text(xml_text(xml_root(part), &arena), TEXT("a<\rä"));
    assert_non_null(strstr(buffer_string(&buffer), "xmlns:t=\"urn:t\""));
    xml_document_free(part);
    buffer_release(&buffer);
    arena_release(&arena);
}

/* ---- the writer ---- */

static void
the_writer_writes_prefixes_as_they_are_given(void **state)
{
    struct buffer buffer = {0};
    struct xml_writer w = xml_writer(&buffer);
    (void)state;
    xml_put_declaration(&w);
    xml_begin_element(&w, "app:service");
    xml_put_attribute(&w, "xmlns:app", TEXT("http://www.w3.org/2007/app"));
    xml_put_attribute_u64(&w, "n", 7);
    xml_put_element(&w, "sword:version", TEXT("2.0"));
    xml_put_element(&w, "empty", TEXT(""));
    xml_put_element_u64(&w, "size", UINT64_MAX);
    xml_put_raw(&w, TEXT("<raw/>"));
    xml_put_text(&w, TEXT("a<b>&\"'\r\n\tä"));
    xml_end_element(&w);
    assert_code(buffer_status(&buffer, NULL), ERROR_NONE);
    assert_text(buffer_text(&buffer),
                TEXT("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<app:service xmlns:app=\"http://www.w3.org/2007/app\" n=\"7\"><sword:version>2.0</sword:version><empty/>"
                     "<size>18446744073709551615</size><raw/>a&lt;b&gt;&amp;\"'&#13;\n\tä</app:service>"));
    buffer_release(&buffer);
}

static void
any_bytes_come_out_well_formed_and_come_back(void **state)
{
    struct arena arena;
    struct buffer buffer = {0};
    struct xml_writer w = xml_writer(&buffer);
    struct xml_document *document;
    struct text value;
    char bytes[256];
    (void)state;
    arena_init(&arena, 0);
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    xml_begin_element(&w, "a");
    xml_put_attribute(&w, "x", text_of(bytes, sizeof bytes));
    xml_put_attribute(&w, "y", TEXT("\t\r\n\"'<>&\xED\xA0\x80\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBD\xF4\x8F\xBF\xBF\xF0\x9F\x98"));
    xml_put_text(&w, text_of(bytes, sizeof bytes));
    xml_end_element(&w);
    assert_code(xml_document_parse(buffer_text(&buffer), &document, NULL), ERROR_NONE);
    assert_true(xml_attribute(xml_root(document), "", "y", &arena, &value));
    assert_text(value, TEXT("\t\r\n\"'<>&\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                            "\xF4\x8F\xBF\xBF\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"));
    struct buffer clean = {0};
    xml_append_clean(&clean, text_of(bytes, sizeof bytes));
    assert_true(text_is_utf8(buffer_text(&clean)));
    assert_true(xml_attribute(xml_root(document), "", "x", &arena, &value));
    assert_text(value, buffer_text(&clean));
    assert_text(xml_text(xml_root(document), &arena), buffer_text(&clean));
    xml_document_free(document);
    buffer_release(&clean);
    buffer_release(&buffer);
    arena_release(&arena);
}

static void
names_that_are_none_and_too_deep_nesting_make_the_writer_fail(void **state)
{
    static const char *const bad[] = {"", "1a", "-a", "a b", "a:", ":a", "a:1", "a:b:c", "a>", "\xC3\xA4"};
    struct buffer buffer = {0};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct xml_writer w = xml_writer(&buffer);
        buffer_clear(&buffer);
        xml_put_element(&w, bad[i], TEXT("x"));
        assert_code(buffer_status(&buffer, NULL), ERROR_INVALID);
    }
    struct xml_writer w = xml_writer(&buffer);
    buffer_clear(&buffer);
    for (int i = 0; i < XML_WRITE_DEPTH_MAX + 1; i++)
        xml_begin_element(&w, "a");
    for (int i = 0; i < XML_WRITE_DEPTH_MAX + 1; i++)
        xml_end_element(&w);
    assert_code(buffer_status(&buffer, NULL), ERROR_LIMIT);
    buffer_release(&buffer);
}

/* ---- XSLT ---- */

#define XSL_BEGIN                                                                                  \
    "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"              \
    "<xsl:output method='xml' encoding='UTF-8' omit-xml-declaration='yes'/>"
#define XSL_END "</xsl:stylesheet>"

static struct xslt_stylesheet *
compiled(struct text xsl)
{
    struct xslt_stylesheet *stylesheet;
    struct error error = {0};
    if (xslt_stylesheet_new("test", xsl, NULL, &stylesheet, &error) != ERROR_NONE)
        fail_msg("%s", error.message);
    return stylesheet;
}

static enum error_code
applied(const struct xslt_stylesheet *stylesheet, struct text xml, const struct xslt_parameter *parameters, size_t count,
        struct buffer *out, struct error *error)
{
    struct xml_document *document;
    assert_code(xml_document_parse(xml, &document, NULL), ERROR_NONE);
    enum error_code code = xslt_apply_to_text(stylesheet, document, parameters, count, out, error);
    xml_document_free(document);
    return code;
}

static void
a_stylesheet_gives_text_and_parameters_are_only_strings(void **state)
{
    struct buffer out = {0};
    struct xslt_stylesheet *stylesheet = compiled(TEXT(XSL_BEGIN "<xsl:param name='p'/><xsl:template match='/'>"
                                                                 "<r><xsl:value-of select='a'/>|<xsl:value-of select='$p'/></r>"
                                                                 "</xsl:template>" XSL_END));
    struct xslt_parameter parameter = {"p", TEXT("/a \"quoted\" 'both' <\x01>")};
    (void)state;
    assert_code(applied(stylesheet, TEXT("<a>ä&amp;</a>"), &parameter, 1, &out, NULL), ERROR_NONE);
    assert_text(buffer_text(&out), TEXT("<r>ä&amp;|/a \"quoted\" 'both' &lt;\xEF\xBF\xBD&gt;</r>\n"));
    xslt_stylesheet_free(stylesheet);
    buffer_release(&out);
}

static void
stylesheets_that_do_not_compile_are_refused(void **state)
{
    static const char *const bad[] = {"", "<a>", "<!DOCTYPE a><a/>", XSL_BEGIN "<xsl:template match='['/>" XSL_END,
                                      XSL_BEGIN "<xsl:template match='/'><xsl:value-of select='1 +'/></xsl:template>" XSL_END,
                                      XSL_BEGIN "<xsl:include href='/etc/hostname'/>" XSL_END,
                                      XSL_BEGIN "<xsl:unknown/>" XSL_END, "<html/>"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct xslt_stylesheet *stylesheet = NULL;
        struct error error = {0};
        enum error_code code = xslt_stylesheet_new("test", text_from(bad[i]), NULL, &stylesheet, &error);
        if (code != ERROR_INVALID || strstr(error.message, "test") == NULL)
            fail_msg("%s: %s, \"%s\"", bad[i], error_word(code), error.message);
    }
}

static void
fails(const char *xsl, const char *words)
{
    struct buffer out = {0};
    struct error error = {0};
    struct xslt_stylesheet *stylesheet = compiled(text_from(xsl));
    enum error_code code = applied(stylesheet, TEXT("<a><b/></a>"), NULL, 0, &out, &error);
    if (code != ERROR_INVALID || strstr(error.message, words) == NULL)
        fail_msg("%s: %s, \"%s\", %s", xsl, error_word(code), error.message, buffer_string(&out));
    xslt_stylesheet_free(stylesheet);
    buffer_release(&out);
}

static void
a_stylesheet_can_refuse_and_cannot_run_for_ever(void **state)
{
    struct buffer endless = {0};
    (void)state;
    fails(XSL_BEGIN "<xsl:template match='/'><xsl:message terminate='yes'>no title</xsl:message></xsl:template>" XSL_END, "no title");
    fails(XSL_BEGIN "<xsl:template match='/' name='t'><xsl:call-template name='t'/></xsl:template>" XSL_END, "depth");
    buffer_append_string(&endless, XSL_BEGIN "<xsl:template name='t'><xsl:param name='d'/><xsl:if test='$d &lt; 40'>"
                                             "<xsl:call-template name='t'><xsl:with-param name='d' select='$d + 1'/></xsl:call-template>"
                                             "<xsl:call-template name='t'><xsl:with-param name='d' select='$d + 1'/></xsl:call-template>"
                                             "</xsl:if></xsl:template><xsl:template match='/'><xsl:call-template name='t'>"
                                             "<xsl:with-param name='d' select='0'/></xsl:call-template></xsl:template>" XSL_END);
    fails(buffer_string(&endless), "limit");
    buffer_release(&endless);
}

static void
a_stylesheet_reads_and_writes_nothing_else(void **state)
{
    char folder[] = "/tmp/test_xml.XXXXXX", path[64], xsl[1024];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/secret.xml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("<secret>secret</secret>", file);
    fclose(file);
    snprintf(xsl, sizeof xsl, XSL_BEGIN "<xsl:template match='/'><r><xsl:value-of select=\"document('%s')\"/></r></xsl:template>" XSL_END, path);
    struct buffer out = {0};
    struct error error = {0};
    struct xslt_stylesheet *stylesheet = compiled(text_from(xsl));
    /* The read is an error, or finds nothing. */
    if (applied(stylesheet, TEXT("<a/>"), NULL, 0, &out, &error) == ERROR_NONE)
        assert_text(buffer_text(&out), TEXT("<r/>\n"));
    xslt_stylesheet_free(stylesheet);
    unlink(path);
    rmdir(folder);
    buffer_release(&out);
}

static bool
one_book(const char *name, struct text *ret_xsl)
{
    if (strcmp(name, "part.xsl") == 0)
        *ret_xsl = TEXT(XSL_BEGIN "<xsl:template match='a'><part/></xsl:template>"
                        "<xsl:template match='/'><xsl:variable name='v'>q</xsl:variable><xsl:element name='r{$v}'><xsl:apply-templates/></xsl:element></xsl:template>" XSL_END);
    else if (strcmp(name, "round.xsl") == 0)
        *ret_xsl = TEXT(XSL_BEGIN "<xsl:include href='round.xsl'/>" XSL_END);
    else
        return false;
    return true;
}

static void
a_stylesheet_includes_and_imports_from_its_library_alone(void **state)
{
    static const char *const bad[] = {"round.xsl", "other.xsl", "/etc/passwd", "http://127.0.0.1:1/part.xsl"};
    struct xslt_stylesheet *stylesheet;
    struct buffer out = {0};
    struct error error = {0};
    (void)state;
    assert_code(xslt_stylesheet_new("test",
                                    TEXT("<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:import href='part.xsl'/>"
                                         "<xsl:template match='b'/><xsl:template match='a'><mine/></xsl:template>" XSL_END),
                                    one_book, &stylesheet, &error),
                ERROR_NONE);
    assert_code(applied(stylesheet, TEXT("<a/>"), NULL, 0, &out, NULL), ERROR_NONE);
    assert_text(buffer_text(&out), TEXT("<rq><mine/></rq>\n"));
    xslt_stylesheet_free(stylesheet);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char xsl[512];
        snprintf(xsl, sizeof xsl, XSL_BEGIN "<xsl:include href='%s'/>" XSL_END, bad[i]);
        assert_code(xslt_stylesheet_new("test", text_from(xsl), one_book, &stylesheet, NULL), ERROR_INVALID);
    }
    buffer_release(&out);
}

static void
a_stylesheet_comes_from_a_file(void **state)
{
    char path[] = "/tmp/test_xml.XXXXXX";
    struct xslt_stylesheet *stylesheet;
    struct buffer out = {0};
    struct error error = {0};
    (void)state;
    assert_code(xslt_stylesheet_load("/nonexistent/x.xsl", NULL, &stylesheet, NULL), ERROR_NOT_FOUND);
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    static const char xsl[] = XSL_BEGIN "<xsl:template match='/'><file/></xsl:template>" XSL_END;
    assert_int_equal(write(descriptor, xsl, sizeof xsl - 1), sizeof xsl - 1);
    assert_code(xslt_stylesheet_load(path, NULL, &stylesheet, NULL), ERROR_NONE);
    assert_code(applied(stylesheet, TEXT("<a/>"), NULL, 0, &out, NULL), ERROR_NONE);
    assert_text(buffer_text(&out), TEXT("<file/>\n"));
    xslt_stylesheet_free(stylesheet);
    assert_int_equal(ftruncate(descriptor, (1 << 20) + 1), 0);
    assert_code(xslt_stylesheet_load(path, NULL, &stylesheet, &error), ERROR_LIMIT);
    close(descriptor);
    unlink(path);
    buffer_release(&out);
}

static void *
apply_many_times(void *context)
{
    const struct xslt_stylesheet *stylesheet = context;
    for (unsigned i = 0; i < 200; i++) {
        struct buffer out = {0}, wanted = {0};
        char number[16];
        snprintf(number, sizeof number, "%u", i);
        buffer_printf(&wanted, "<r><x>%u</x><y>%u</y></r>\n", i, i);
        struct xslt_parameter parameter = {"p", text_from(number)};
        struct buffer xml = {0};
        buffer_printf(&xml, "<a><b>%u</b></a>", i);
        if (applied(stylesheet, buffer_text(&xml), &parameter, 1, &out, NULL) != ERROR_NONE ||
            !text_equal(buffer_text(&out), buffer_text(&wanted)))
            return context;
        buffer_release(&xml);
        buffer_release(&out);
        buffer_release(&wanted);
    }
    return NULL;
}

static void
a_stylesheet_is_applied_by_many_threads_at_once(void **state)
{
    pthread_t threads[4];
    struct xslt_stylesheet *stylesheet = compiled(TEXT(XSL_BEGIN "<xsl:param name='p'/><xsl:key name='k' match='b' use='.'/><xsl:template match='/'>"
                                                                 "<r><x><xsl:value-of select='a/b'/></x><y><xsl:value-of select=\"key('k', $p)\"/></y></r>"
                                                                 "</xsl:template>" XSL_END));
    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, apply_many_times, stylesheet), 0);
    for (size_t i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    xslt_stylesheet_free(stylesheet);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_is_looked_at_by_namespace_and_name),
        cmocka_unit_test(what_is_not_well_formed_is_refused_with_its_line),
        cmocka_unit_test(document_types_and_entities_are_refused),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(diverted_text_is_bounded_by_nothing_and_enters_no_tree),
        cmocka_unit_test(errors_of_source_and_diversion_come_out_as_they_are),
        cmocka_unit_test(other_encodings_become_utf8),
        cmocka_unit_test(a_part_keeps_the_prefixes_that_its_values_need),
        cmocka_unit_test(the_writer_writes_prefixes_as_they_are_given),
        cmocka_unit_test(any_bytes_come_out_well_formed_and_come_back),
        cmocka_unit_test(names_that_are_none_and_too_deep_nesting_make_the_writer_fail),
        cmocka_unit_test(a_stylesheet_gives_text_and_parameters_are_only_strings),
        cmocka_unit_test(stylesheets_that_do_not_compile_are_refused),
        cmocka_unit_test(a_stylesheet_can_refuse_and_cannot_run_for_ever),
        cmocka_unit_test(a_stylesheet_reads_and_writes_nothing_else),
        cmocka_unit_test(a_stylesheet_includes_and_imports_from_its_library_alone),
        cmocka_unit_test(a_stylesheet_comes_from_a_file),
        cmocka_unit_test(a_stylesheet_is_applied_by_many_threads_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
