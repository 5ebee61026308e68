/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a document: looking at it, taking parts of it out, writing them. See xml_read.h. */
#include "xml/xml_private.h"

#include <libxml/xmlsave.h>

static const xmlNode *
node_of(const struct xml_node *node)
{
    return (const xmlNode *)node;
}

static struct text
text_of_xml(const xmlChar *string)
{
    return string == NULL ? TEXT("") : text_from((const char *)string);
}

enum error_code
xml__document_new(xmlDoc *tree, struct xml_document **ret_document, struct error *error)
{
    struct xml_document *document = malloc(sizeof *document);
    if (document == NULL) {
        xmlFreeDoc(tree);
        return error_set(error, ERROR_NO_MEMORY, "no memory for an XML document");
    }
    document->tree = tree;
    *ret_document = document;
    return ERROR_NONE;
}

void
xml_document_free(struct xml_document *document)
{
    if (document == NULL)
        return;
    xmlFreeDoc(document->tree);
    free(document);
}

void
xml_document_clean(struct xml_document **document)
{
    xml_document_free(*document);
}

/* ---- moving ---- */

const struct xml_node *
xml_root(const struct xml_document *document)
{
    return document == NULL ? NULL : (const struct xml_node *)xmlDocGetRootElement(document->tree);
}

const struct xml_node *
xml_parent(const struct xml_node *node)
{
    const xmlNode *parent = node == NULL ? NULL : node_of(node)->parent;
    return parent == NULL || parent->type != XML_ELEMENT_NODE ? NULL : (const struct xml_node *)parent;
}

static bool
name_matches(const xmlChar *actual, const char *wanted)
{
    return wanted == NULL || strcmp(actual == NULL ? "" : (const char *)actual, wanted) == 0;
}

bool
xml_is(const struct xml_node *node, const char *namespace_uri, const char *name)
{
    const xmlNode *element = node_of(node);
    return element != NULL && element->type == XML_ELEMENT_NODE && name_matches(element->name, name) &&
           name_matches(element->ns == NULL ? NULL : element->ns->href, namespace_uri);
}

static const struct xml_node *
first_from(const xmlNode *node, const char *namespace_uri, const char *name)
{
    while (node != NULL && !xml_is((const struct xml_node *)node, namespace_uri, name))
        node = node->next;
    return (const struct xml_node *)node;
}

const struct xml_node *
xml_child(const struct xml_node *node, const char *namespace_uri, const char *name)
{
    return node == NULL ? NULL : first_from(node_of(node)->children, namespace_uri, name);
}

const struct xml_node *
xml_sibling(const struct xml_node *node, const char *namespace_uri, const char *name)
{
    return node == NULL ? NULL : first_from(node_of(node)->next, namespace_uri, name);
}

/* ---- reading ---- */

struct text
xml_name(const struct xml_node *node)
{
    return node == NULL ? TEXT("") : text_of_xml(node_of(node)->name);
}

struct text
xml_namespace(const struct xml_node *node)
{
    return node == NULL || node_of(node)->ns == NULL ? TEXT("") : text_of_xml(node_of(node)->ns->href);
}

long
xml_line(const struct xml_node *node)
{
    return node == NULL ? 0 : xmlGetLineNo(node_of(node));
}

/* The next node below `top` in document order, or NULL. */
static const xmlNode *
next_below(const xmlNode *node, const xmlNode *top)
{
    if ((node == top || node->type == XML_ELEMENT_NODE) && node->children != NULL)
        return node->children;
    while (node != top && node->next == NULL)
        node = node->parent;
    return node == top ? NULL : node->next;
}

size_t
xml__count_below(const xmlNode *top)
{
    size_t count = 0;
    for (const xmlNode *each = next_below(top, top); each != NULL; each = next_below(each, top))
        count++;
    return count;
}

static struct text
content_of(const xmlNode *node)
{
    bool has_text = node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE;
    return has_text ? text_of_xml(node->content) : TEXT("");
}

/* All text below an element or an attribute. */
static struct text
join_text(const xmlNode *top, struct arena *arena)
{
    size_t length = 0, at = 0;
    for (const xmlNode *each = next_below(top, top); each != NULL; each = next_below(each, top))
        length += content_of(each).length;
    char *joined = arena_alloc(arena, length + 1);
    if (joined == NULL)
        return TEXT("");
    for (const xmlNode *each = next_below(top, top); each != NULL; each = next_below(each, top)) {
        struct text piece = content_of(each);
        memcpy(joined + at, piece.data, piece.length);
        at += piece.length;
    }
    return text_of(joined, length);
}

struct text
xml_text(const struct xml_node *node, struct arena *arena)
{
    return node == NULL ? TEXT("") : join_text(node_of(node), arena);
}

bool
xml_has_text(const struct xml_node *node)
{
    const xmlNode *top = node_of(node);
    for (const xmlNode *each = top == NULL ? NULL : next_below(top, top); each != NULL; each = next_below(each, top)) {
        struct text piece = content_of(each);
        for (size_t i = 0; i < piece.length; i++)
            if (strchr(" \t\r\n", piece.data[i]) == NULL)
                return true;
    }
    return false;
}

struct text
xml_child_text(const struct xml_node *node, const char *namespace_uri, const char *name, struct arena *arena)
{
    return xml_text(xml_child(node, namespace_uri, name), arena);
}

bool
xml_attribute(const struct xml_node *node, const char *namespace_uri, const char *name, struct arena *arena,
              struct text *ret_value)
{
    if (node == NULL)
        return false;
    for (const xmlAttr *each = node_of(node)->properties; each != NULL; each = each->next) {
        if (name_matches(each->name, name) && name_matches(each->ns == NULL ? NULL : each->ns->href, namespace_uri)) {
            *ret_value = join_text((const xmlNode *)each, arena);
            return true;
        }
    }
    return false;
}

bool
xml_attribute_at(const struct xml_node *node, size_t index, struct arena *arena, struct xml_attribute *ret_attribute)
{
    const xmlAttr *attribute = node == NULL ? NULL : node_of(node)->properties;
    while (attribute != NULL && index-- > 0)
        attribute = attribute->next;
    if (attribute == NULL)
        return false;
    *ret_attribute = (struct xml_attribute){
        .namespace_uri = attribute->ns == NULL ? TEXT("") : text_of_xml(attribute->ns->href),
        .name = text_of_xml(attribute->name),
        .value = join_text((const xmlNode *)attribute, arena)};
    return true;
}

/* ---- a part as a whole ---- */

/* Prefixes may stand in values too (xsi:type), where a copy of the elements alone would lose their declarations. */
static void
declare_in_scope(const xmlNode *from, xmlNode *to)
{
    xmlNs **in_scope = xmlGetNsList(from->doc, from);
    for (size_t i = 0; in_scope != NULL && in_scope[i] != NULL; i++)
        if (in_scope[i]->href != NULL && in_scope[i]->href[0] != '\0')
            xmlNewNs(to, in_scope[i]->href, in_scope[i]->prefix); /* none if that prefix is declared there */
    xmlFree(in_scope);
}

static xmlDoc *
copy_as_tree(const xmlNode *node)
{
    xmlDoc *tree = xmlNewDoc((const xmlChar *)"1.0");
    /* The copy reads only; the parameter is not const for history. */
    xmlNode *root = tree == NULL ? NULL : xmlDocCopyNode((xmlNode *)(uintptr_t)node, tree, 1);
    if (root == NULL) {
        xmlFreeDoc(tree);
        return NULL;
    }
    xmlDocSetRootElement(tree, root);
    declare_in_scope(node, root);
    return tree;
}

enum error_code
xml_document_of(const struct xml_node *node, struct xml_document **ret_document, struct error *error)
{
    struct xml_complaint complaint;
    xml__complaint_begin(&complaint);
    xmlDoc *tree = copy_as_tree(node_of(node));
    xml__complaint_end();
    if (tree == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for a copy of <%s>", (const char *)node_of(node)->name);
    return xml__document_new(tree, ret_document, error);
}

static int
put_bytes(void *context, const char *data, int length)
{
    buffer_append(context, data, (size_t)length);
    return length;
}

enum error_code
xml_write_node(const struct xml_node *node, struct buffer *buffer, struct error *error)
{
    struct xml_document *copy;
    struct xml_complaint complaint;
    enum error_code code = xml_document_of(node, &copy, error);
    if (code != ERROR_NONE)
        return code;
    xml__complaint_begin(&complaint);
    xmlOutputBuffer *output = xmlOutputBufferCreateIO(put_bytes, NULL, buffer, NULL);
    if (output != NULL)
        xmlNodeDumpOutput(output, copy->tree, xmlDocGetRootElement(copy->tree), 0, 0, "UTF-8");
    bool written = output != NULL && xmlOutputBufferClose(output) >= 0;
    xml__complaint_end();
    xml_document_free(copy);
    if (!written)
        return error_set(error, ERROR_NO_MEMORY, "no memory to write <%s>", (const char *)node_of(node)->name);
    return buffer_status(buffer, error);
}
