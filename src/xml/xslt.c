/* SPDX-License-Identifier: Apache-2.0 */
/* XSLT over libxslt, with nothing to read or write but what it is given: see xslt.h and start_libraries(). */
#include "xml/xslt.h"

#include "base/ensure.h"
#include "xml/xml_private.h"
#include "xml/xml_write.h"

#include <libxslt/transform.h>
#include <libxslt/variables.h>
#include <libxslt/xsltutils.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { TEMPLATE_DEPTH_MAX = 1000, VARIABLES_MAX = 10000, STYLESHEET_BYTES_MAX = 1 << 20 };
/* Of one transformation: as many, and as many more for each node of its source. */
#define XPATH_STEPS 20000000u
#define XPATH_STEPS_PER_NODE 2000u

struct xslt_stylesheet {
    xsltStylesheet *compiled;
    char *name;
};

static __thread xslt_library *library_in_use; /* while this thread compiles */

xmlDoc *
xslt__load(const xmlChar *uri, xmlDict *dictionary, int options, void *context, xsltLoadType type)
{
    struct text xsl;
    struct xml_complaint complaint = {0};
    struct error error = {0};
    if (type != XSLT_LOAD_STYLESHEET || library_in_use == NULL || !library_in_use((const char *)uri, &xsl))
        return NULL;
    struct xml_source source = xml__source_of_text(&xsl);
    /* libxslt compares names of one stylesheet by their address. */
    xmlDoc *tree = xml__parse(&source, dictionary, &complaint, &error);
    if (tree != NULL)
        tree->URL = xmlStrdup(uri); /* by which libxslt sees an include that goes round */
    return tree;
}

static enum error_code
compile(const char *name, struct xml_document *source, xslt_library *library, xsltStylesheet **ret_compiled, struct error *error)
{
    struct xml_complaint complaint;
    xml__complaint_begin(&complaint);
    library_in_use = library;
    xsltStylesheet *compiled = xsltParseStylesheetDoc(source->tree);
    library_in_use = NULL;
    xml__complaint_end();
    if (compiled == NULL)
        return error_set(error, ERROR_INVALID, "stylesheet %s does not compile: %s", name, complaint.message);
    source->tree = NULL; /* the stylesheet has it now */
    if (compiled->errors == 0) {
        *ret_compiled = compiled;
        return ERROR_NONE;
    }
    xsltFreeStylesheet(compiled);
    return error_set(error, ERROR_INVALID, "stylesheet %s does not compile: %s", name, complaint.message);
}

enum error_code
xslt_stylesheet_new(const char *name, struct text xsl, xslt_library *library, struct xslt_stylesheet **ret_stylesheet, struct error *error)
{
    AV_CLEANUP(xml_document_clean) struct xml_document *source = NULL;
    xsltStylesheet *compiled;
    enum error_code code = xml_document_parse(xsl, &source, error);
    if (code != ERROR_NONE)
        return error_prefix(error, "stylesheet %s: ", name);
    code = compile(name, source, library, &compiled, error);
    if (code != ERROR_NONE)
        return code;
    struct xslt_stylesheet *stylesheet = malloc(sizeof *stylesheet);
    ensure(stylesheet != NULL);
    *stylesheet = (struct xslt_stylesheet){compiled, text_copy(text_from(name))};
    *ret_stylesheet = stylesheet;
    return ERROR_NONE;
}

static enum error_code
read_file(int descriptor, const char *path, struct buffer *content, struct error *error)
{
    for (;;) {
        char *room = buffer_reserve(content, 65536);
        if (room == NULL)
            return buffer_status(content, error);
        ssize_t length = read(descriptor, room, 65536);
        if (length < 0)
            return error_set_errno(error, errno, "reading %s", path);
        if (length == 0)
            return ERROR_NONE;
        content->length += (size_t)length;
        if (content->length > STYLESHEET_BYTES_MAX)
            return error_set(error, ERROR_LIMIT, "%s has more than %d bytes", path, STYLESHEET_BYTES_MAX);
    }
}

enum error_code
xslt_stylesheet_load(const char *path, xslt_library *library, struct xslt_stylesheet **ret_stylesheet, struct error *error)
{
    struct buffer content = {0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return error_set_errno(error, errno, "opening %s", path);
    enum error_code code = read_file(descriptor, path, &content, error);
    close(descriptor);
    if (code == ERROR_NONE)
        code = xslt_stylesheet_new(path, buffer_text(&content), library, ret_stylesheet, error);
    buffer_release(&content);
    return code;
}

void
xslt_stylesheet_free(struct xslt_stylesheet *stylesheet)
{
    if (stylesheet == NULL)
        return;
    xsltFreeStylesheet(stylesheet->compiled);
    free(stylesheet->name);
    free(stylesheet);
}

/* Strings, not expressions. What XML cannot hold must not come into the result by this way. */
static bool
set_parameters(xsltTransformContext *context, const struct xslt_parameter *parameters, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct buffer value = {0};
        xml_append_clean(&value, parameters[i].value);
        int failed = xsltQuoteOneUserParam(context, (const xmlChar *)parameters[i].name,
                                           (const xmlChar *)buffer_string(&value));
        bool full = value.status != ERROR_NONE;
        buffer_release(&value);
        if (failed != 0 || full)
            return false;
    }
    return true;
}

static xmlDoc *
transform(xsltStylesheet *compiled, xmlDoc *source, const struct xslt_parameter *parameters, size_t count)
{
    xsltTransformContext *context = xsltNewTransformContext(compiled, source);
    if (context == NULL)
        return NULL;
    context->maxTemplateDepth = TEMPLATE_DEPTH_MAX;
    context->maxTemplateVars = VARIABLES_MAX;
    context->xpathCtxt->opLimit = XPATH_STEPS + XPATH_STEPS_PER_NODE * xml__count_below((const xmlNode *)source);
    xmlDoc *result = NULL;
    if (set_parameters(context, parameters, count))
        result = xsltApplyStylesheetUser(compiled, source, NULL, NULL, NULL, context);
    if (result != NULL && context->state != XSLT_STATE_OK) {
        xmlFreeDoc(result);
        result = NULL;
    }
    xsltFreeTransformContext(context);
    return result;
}

enum error_code
xslt_apply(const struct xslt_stylesheet *stylesheet, struct xml_document *source,
           const struct xslt_parameter *parameters, size_t parameter_count, struct xml_document **ret_result,
           struct error *error)
{
    struct xml_complaint complaint;
    xml__complaint_begin(&complaint);
    xmlDoc *result = transform(stylesheet->compiled, source->tree, parameters, parameter_count);
    xml__complaint_end();
    if (result == NULL)
        return error_set(error, complaint.no_memory ? ERROR_NO_MEMORY : ERROR_INVALID, "stylesheet %s: %s",
                         stylesheet->name, complaint.message);
    return xml__document_new(result, ret_result, error);
}

static int
put_bytes(void *context, const char *data, int length)
{
    buffer_append(context, data, (size_t)length);
    return length;
}

enum error_code
xslt_apply_to_text(const struct xslt_stylesheet *stylesheet, struct xml_document *source,
                   const struct xslt_parameter *parameters, size_t parameter_count, struct buffer *buffer,
                   struct error *error)
{
    AV_CLEANUP(xml_document_clean) struct xml_document *result = NULL;
    struct xml_complaint complaint;
    enum error_code code = xslt_apply(stylesheet, source, parameters, parameter_count, &result, error);
    if (code != ERROR_NONE)
        return code;
    xml__complaint_begin(&complaint);
    xmlOutputBuffer *output = xmlOutputBufferCreateIO(put_bytes, NULL, buffer, NULL);
    bool written = output != NULL && xsltSaveResultTo(output, result->tree, stylesheet->compiled) >= 0;
    if (output != NULL && xmlOutputBufferClose(output) < 0)
        written = false;
    xml__complaint_end();
    if (!written)
        return error_set(error, ERROR_NO_MEMORY, "stylesheet %s: its result cannot be written", stylesheet->name);
    return buffer_status(buffer, error);
}
