/* SPDX-License-Identifier: Apache-2.0 */
/* What libxml2 and libxslt complain of, caught for the thread that asked, never printed; and their start. */
#include "xml/xml_private.h"

#include "base/ensure.h"

#include <libxml/parser.h>
#include <libxslt/security.h>
#include <libxslt/xsltutils.h>
#include <pthread.h>
#include <stdarg.h>

static __thread struct xml_complaint *current;

static xmlParserInputPtr
load_nothing(const char *url, const char *id, xmlParserCtxtPtr parser)
{
    return NULL;
}

/* What a stylesheet names while it is compiled goes to xslt__load(), which opens no files either. */
static int
only_while_compiling(xsltSecurityPrefsPtr preferences, xsltTransformContextPtr transformation, const char *name)
{
    return transformation == NULL;
}

static void
start_libraries(void)
{
    static const xsltSecurityOption options[] = {XSLT_SECPREF_WRITE_FILE, XSLT_SECPREF_CREATE_DIRECTORY,
                                                 XSLT_SECPREF_READ_NETWORK, XSLT_SECPREF_WRITE_NETWORK};
    xmlInitParser();
    xmlSetExternalEntityLoader(load_nothing);
    xsltSetLoaderFunc(xslt__load);
    xsltSetGenericErrorFunc(NULL, xml__complain);
    xsltSecurityPrefsPtr nothing = xsltNewSecurityPrefs();
    ensure(nothing != NULL);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        ensure(xsltSetSecurityPrefs(nothing, options[i], xsltSecurityForbid) == 0);
    ensure(xsltSetSecurityPrefs(nothing, XSLT_SECPREF_READ_FILE, only_while_compiling) == 0);
    xsltSetDefaultSecurityPrefs(nothing);
}

void
xml__complaint_begin(struct xml_complaint *complaint)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    ensure(pthread_once(&once, start_libraries) == 0);
    *complaint = (struct xml_complaint){.outer = current};
    current = complaint;
    /* Both are kept by libxml2 for each thread. */
    xmlSetStructuredErrorFunc(NULL, xml__complain_structured);
    xmlSetGenericErrorFunc(NULL, xml__complain);
}

void
xml__complaint_end(void)
{
    ensure(current != NULL);
    current = current->outer;
}

/* Several calls may make one line, several lines one complaint: all goes behind what is there, on one line. */
static void
add_words(struct xml_complaint *complaint, const char *words)
{
    size_t length = strlen(complaint->message);
    for (; *words != '\0' && length + 1 < sizeof complaint->message; words++) {
        bool blank = (unsigned char)*words <= ' ';
        if (!blank)
            complaint->message[length++] = *words;
        else if (length > 0 && complaint->message[length - 1] != ' ')
            complaint->message[length++] = ' ';
    }
    complaint->message[length] = '\0';
}

void
xml__complain(void *context, const char *format, ...)
{
    char words[256];
    va_list arguments;
    if (current == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    add_words(current, words);
}

void
xml__complain_structured(void *context, xmlErrorPtr complaint)
{
    if (current == NULL || complaint->level < XML_ERR_ERROR)
        return;
    if (complaint->code == XML_ERR_NO_MEMORY)
        current->no_memory = true;
    if (current->message[0] != '\0' || complaint->message == NULL)
        return;
    current->line = complaint->line;
    add_words(current, complaint->message);
}
