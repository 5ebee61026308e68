/* SPDX-License-Identifier: Apache-2.0 */
/* An Atom entry (RFC 4287) of SWORD: its fields; itself is kept in bundle METADATA. */
#include "package/describe.h"
#include "package/reader.h"

#define ATOM_NAMESPACE "http://www.w3.org/2005/Atom"

static enum error_code
fill(struct package *package, const struct package_request *request, struct text bytes, struct error *error)
{
    struct xml_document *document AV_CLEANUP(xml_document_clean) = NULL;
    struct package_file file = {.bundle = TEXT("METADATA"), .path = TEXT("entry.xml"), .media_type = TEXT("application/xml")};
    enum error_code code = xml_document_parse(bytes, &document, error);
    if (code != ERROR_NONE)
        return error_prefix(error, "the entry");
    const struct xml_node *root = xml_root(document);
    if (!xml_is(root, ATOM_NAMESPACE, "entry"))
        return error_set(error, ERROR_INVALID, "not an Atom entry");
    code = describe_xml(package, request, "atom", root, error);
    if (code != ERROR_NONE)
        return error_prefix(error, "the entry");
    package->identifier = xml_child_text(root, ATOM_NAMESPACE, "id", package->arena);
    code = reader_add_bytes(package, request, bytes, &file, error);
    if (code == ERROR_NONE)
        reader_note_contents(package);
    return code == ERROR_NONE ? buffer_status(&package->report, error) : code;
}

enum error_code
package_read_entry(const struct package_request *request, struct package *ret_package, struct error *error)
{
    struct buffer bytes AV_CLEANUP(buffer_release) = {0};
    struct package package;
    enum error_code code = reader_source_text(request, &bytes, error);
    if (code != ERROR_NONE)
        return code;
    package_init(&package, request->arena);
    code = fill(&package, request, buffer_text(&bytes), error);
    if (code != ERROR_NONE) {
        package_release(&package);
        return code;
    }
    *ret_package = package;
    return ERROR_NONE;
}
