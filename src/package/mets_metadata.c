/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of a METS document: descriptions (dmdSec), licences, rights, and what DSpace's AIPs say of a file. */
#include "package/mets_private.h"

#include "format/base64.h"

#define DIM_NAMESPACE "http://www.dspace.org/xmlns/dspace/dim"

/* ---- the content of a section ---- */

static const struct xml_node *
reference_of(const struct xml_node *section)
{
    return xml_child(section, METS_NAMESPACE, "mdRef");
}

/* MDTYPE, or OTHERMDTYPE where it is OTHER. */
static struct text
type_of(const struct mets *mets, const struct xml_node *section)
{
    const struct xml_node *holder = xml_child(section, METS_NAMESPACE, "mdWrap");
    if (holder == NULL)
        holder = reference_of(section);
    struct text type = mets__attribute(mets, holder, "MDTYPE");
    return text_equal(type, TEXT("OTHER")) ? mets__attribute(mets, holder, "OTHERMDTYPE") : type;
}

/* Appends what is wrapped in base64. */
static enum error_code
read_binary_data(const struct xml_node *data, struct buffer *ret_bytes, struct error *error)
{
    struct arena scratch AV_CLEANUP(arena_release) = {0};
    struct buffer packed AV_CLEANUP(buffer_release) = {0};
    struct text text = xml_text(data, &scratch);
    size_t length = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (strchr(" \t\r\n", text.data[i]) == NULL)
            buffer_append_char(&packed, text.data[i]);
    }
    char *to = buffer_reserve(ret_bytes, BASE64_DECODED_MAX(packed.length) + 1);
    if (to == NULL || buffer_status(&packed, NULL) != ERROR_NONE)
        return error_set(error, ERROR_NO_MEMORY, "no memory for a section of mets.xml");
    if (!base64_decode(buffer_text(&packed), (unsigned char *)to, &length))
        return error_set(error, ERROR_INVALID, "line %ld: binData is not base64", xml_line(data));
    ret_bytes->length += length;
    return ERROR_NONE;
}

/* The bytes of a section that is wrapped as binData or lies in a file; false: it is XML in place, or nothing. */
static enum error_code
read_bytes(struct mets *mets, const struct xml_node *section, struct buffer *ret_bytes, bool *ret_found, struct error *error)
{
    const struct xml_node *reference = reference_of(section);
    const struct xml_node *data = xml_child(xml_child(section, METS_NAMESPACE, "mdWrap"), METS_NAMESPACE, "binData");
    struct text href = TEXT("");
    *ret_found = data != NULL || reference != NULL;
    if (data != NULL)
        return read_binary_data(data, ret_bytes, error);
    if (reference == NULL)
        return ERROR_NONE;
    (void)xml_attribute(reference, XLINK_NAMESPACE, "href", mets->arena, &href);
    struct member *member = mets__member(mets, href);
    if (member == NULL)
        return error_set(error, ERROR_INVALID, "line %ld: \"%.*s\" is not in the package", xml_line(reference),
                         TEXT_ARG(href));
    return unpack_text(mets->unpack, member, ret_bytes, error);
}

/* ---- the item's description ---- */

static const char *
crosswalk_of(const struct mets *mets, struct text type)
{
    static const struct {
        const char *type, *crosswalk;
    } known[] = {{"MODS", "mods"}, {"DC", "dc"}, {"QDC", "dc"}, {"EPDCX", "epdcx"}, {"DIM", "dim"}, {"METSRIGHTS", "metsrights"}};
    (void)mets;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (text_equal_ignoring_case(type, text_from(known[i].type)))
            return known[i].crosswalk;
    }
    return NULL;
}

static enum error_code
describe_in_place(struct mets *mets, const struct xml_node *section, const char *crosswalk, struct error *error)
{
    const struct xml_node *data = xml_child(xml_child(section, METS_NAMESPACE, "mdWrap"), METS_NAMESPACE, "xmlData");
    const struct xml_node *element = xml_child(data, NULL, NULL);
    if (element == NULL)
        return error_set(error, ERROR_INVALID, "line %ld: a section without metadata", xml_line(section));
    /* Elements of Dublin Core may stand side by side, without one around them. */
    return describe_xml(mets->package, mets->request, crosswalk, strcmp(crosswalk, "dc") == 0 ? data : element, error);
}

static enum error_code
describe_section(struct mets *mets, const struct xml_node *section, struct error *error)
{
    struct text type = type_of(mets, section);
    const char *crosswalk = crosswalk_of(mets, type);
    struct buffer bytes AV_CLEANUP(buffer_release) = {0};
    struct xml_document *document AV_CLEANUP(xml_document_clean) = NULL;
    bool found = false;
    if (text_equal(type, TEXT("NIL")))
        return ERROR_NONE;
    if (crosswalk == NULL)
        return error_set(error, ERROR_UNSUPPORTED, "mets.xml, line %ld: metadata of type \"%.*s\"", xml_line(section),
                         TEXT_ARG(type));
    enum error_code code = read_bytes(mets, section, &bytes, &found, error);
    if (code == ERROR_NONE && !found)
        code = describe_in_place(mets, section, crosswalk, error);
    else if (code == ERROR_NONE)
        code = xml_document_parse(buffer_text(&bytes), &document, error);
    if (code == ERROR_NONE && document != NULL)
        code = describe_xml(mets->package, mets->request, crosswalk, xml_root(document), error);
    return code == ERROR_NONE ? code : error_prefix(error, "mets.xml, section of line %ld", xml_line(section));
}

/* DIM says most, then MODS, then Dublin Core; else the first. */
static const struct xml_node *
choose_section(const struct mets *mets, struct text ids)
{
    static const char *const wanted[] = {"DIM", "MODS", "DC"};
    const struct xml_node *chosen = NULL, *first = NULL;
    size_t best = sizeof wanted / sizeof *wanted;
    for (struct text rest = ids; rest.data != NULL;) {
        struct text id = text_cut(rest, ' ', &rest);
        const struct xml_node *section = id.length == 0 ? NULL : key_table_find(&mets->sections, id);
        if (section == NULL)
            continue;
        if (first == NULL)
            first = section;
        for (size_t i = 0; i < best; i++) {
            if (text_equal_ignoring_case(type_of(mets, section), text_from(wanted[i]))) {
                chosen = section;
                best = i;
            }
        }
    }
    return chosen == NULL ? first : chosen;
}

/* The chosen one, and when it belongs to a group, all that are of no such group: those of its own say the same again. */
static enum error_code
describe_chosen(struct mets *mets, struct text ids, struct error *error)
{
    const struct xml_node *chosen = choose_section(mets, ids);
    if (chosen == NULL)
        return error_set(error, ERROR_INVALID, "mets.xml: there is no dmdSec \"%.*s\"", TEXT_ARG(ids));
    struct text group = mets__attribute(mets, chosen, "GROUPID");
    enum error_code code = describe_section(mets, chosen, error);
    for (struct text rest = ids; rest.data != NULL && group.length > 0 && code == ERROR_NONE;) {
        const struct xml_node *other = key_table_find(&mets->sections, text_cut(rest, ' ', &rest));
        if (other == NULL || other == chosen)
            continue;
        if (text_equal(mets__attribute(mets, other, "GROUPID"), group))
            package_note(mets->package, "section of line %ld: the same in another form, not read", xml_line(other));
        else
            code = describe_section(mets, other, error);
    }
    return code;
}

/* ---- licences and rights ---- */

static enum error_code
add_licence(struct mets *mets, const struct xml_node *section, const struct package_file *file, struct error *error)
{
    struct buffer bytes AV_CLEANUP(buffer_release) = {0};
    bool found = false;
    if (package_has_file(mets->package, file->bundle, file->path))
        return ERROR_NONE; /* it is one of the files, too */
    enum error_code code = read_bytes(mets, section, &bytes, &found, error);
    if (code == ERROR_NONE && !found) {
        const struct xml_node *data = xml_child(xml_child(section, METS_NAMESPACE, "mdWrap"), METS_NAMESPACE, "xmlData");
        const struct xml_node *element = xml_child(data, NULL, NULL);
        if (element != NULL)
            code = xml_write_node(element, &bytes, error);
        found = element != NULL;
    }
    return code == ERROR_NONE && found ? reader_add_bytes(mets->package, mets->request, buffer_text(&bytes), file, error)
                                       : code;
}

static enum error_code
read_rights_section(struct mets *mets, const struct xml_node *section, struct error *error)
{
    struct text type = type_of(mets, section);
    struct package_file licence = {.bundle = TEXT("LICENSE"), .path = TEXT("license.txt"), .media_type = TEXT("text/plain")};
    struct package_file text = {.bundle = TEXT("CC-LICENSE"), .path = TEXT("license_text"), .media_type = TEXT("text/html")};
    struct package_file rdf = {.bundle = TEXT("CC-LICENSE"), .path = TEXT("license_rdf"),
                               .media_type = TEXT("application/rdf+xml")};
    const struct xml_node *data = xml_child(xml_child(section, METS_NAMESPACE, "mdWrap"), METS_NAMESPACE, "xmlData");
    if (text_equal_ignoring_case(type, TEXT("DSpaceDepositLicense")) || text_equal_ignoring_case(type, TEXT("DSPACE_DEPLICENSE")))
        return add_licence(mets, section, &licence, error);
    if (text_equal_ignoring_case(type, TEXT("CreativeCommonsText")))
        return add_licence(mets, section, &text, error);
    if (text_equal_ignoring_case(type, TEXT("CreativeCommonsRDF")))
        return add_licence(mets, section, &rdf, error);
    if (text_equal_ignoring_case(type, TEXT("METSRIGHTS")) && xml_child(data, NULL, NULL) != NULL)
        return describe_rights(mets->package, mets->request, xml_child(data, NULL, NULL), error);
    if (!text_equal(type, TEXT("NIL")))
        package_note(mets->package, "not read: rights of type %.*s, line %ld", TEXT_ARG(type), xml_line(section));
    return ERROR_NONE;
}

/* `section`: an amdSec with parts, or one of its parts. */
static enum error_code
read_rights(struct mets *mets, const struct xml_node *section, struct error *error)
{
    if (xml_is(section, METS_NAMESPACE, "rightsMD"))
        return read_rights_section(mets, section, error);
    xml_each(part, section, METS_NAMESPACE, "rightsMD") {
        enum error_code code = read_rights_section(mets, part, error);
        if (code != ERROR_NONE)
            return code;
    }
    return ERROR_NONE;
}

static enum error_code
read_rights_of(struct mets *mets, struct text ids, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (struct text rest = ids; rest.data != NULL && code == ERROR_NONE;) {
        const struct xml_node *section = key_table_find(&mets->sections, text_cut(rest, ' ', &rest));
        if (section != NULL)
            code = read_rights(mets, section, error);
    }
    return code;
}

enum error_code
mets__describe_item(struct mets *mets, const struct xml_node *structure, struct error *error)
{
    struct text ids = mets__attribute(mets, structure, "DMDID");
    const struct xml_node *first = xml_child(mets->root, METS_NAMESPACE, "dmdSec");
    enum error_code code = ERROR_NONE;
    if (ids.length > 0)
        code = describe_chosen(mets, ids, error);
    else if (first != NULL)
        code = describe_section(mets, first, error);
    else
        package_note(mets->package, "mets.xml has no metadata of the item");
    if (code == ERROR_NONE)
        code = read_rights_of(mets, mets__attribute(mets, structure, "ADMID"), error);
    return code == ERROR_NONE ? code : error_prefix(error, "mets.xml");
}

/* ---- a file ---- */

/* dc.title and dc.description of the DIM in which an AIP describes a file. */
static void
read_file_dim(const struct mets *mets, const struct xml_node *section, struct mets_file_words *words)
{
    const struct xml_node *data = xml_child(xml_child(section, METS_NAMESPACE, "mdWrap"), METS_NAMESPACE, "xmlData");
    xml_each(field, xml_child(data, DIM_NAMESPACE, "dim"), DIM_NAMESPACE, "field") {
        struct text element = mets__attribute(mets, field, "element");
        if (!text_equal(mets__attribute(mets, field, "mdschema"), TEXT("dc")) ||
            mets__attribute(mets, field, "qualifier").length > 0)
            continue;
        if (text_equal(element, TEXT("title")) && words->name.length == 0)
            words->name = xml_text(field, mets->arena);
        if (text_equal(element, TEXT("description")) && words->description.length == 0)
            words->description = xml_text(field, mets->arena);
    }
}

enum error_code
mets__describe_file(struct mets *mets, const struct xml_node *file, struct mets_file_words *ret_words, struct error *error)
{
    struct mets_file_words words = {TEXT(""), TEXT("")};
    struct text ids = mets__attribute(mets, file, "ADMID");
    for (struct text rest = ids; rest.data != NULL;) {
        const struct xml_node *section = key_table_find(&mets->sections, text_cut(rest, ' ', &rest));
        if (xml_is(section, METS_NAMESPACE, "sourceMD"))
            read_file_dim(mets, section, &words);
        xml_each(part, section, METS_NAMESPACE, "sourceMD")
            read_file_dim(mets, part, &words);
    }
    *ret_words = words;
    return read_rights_of(mets, ids, error);
}
