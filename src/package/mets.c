/* SPDX-License-Identifier: Apache-2.0 */
/*
 * METSDSpaceSIP, and DSpace's AIP of an item: mets.xml at the top of the archive names the files, their bundles, checksums and
 * order, and holds or names the metadata. What mets.xml does not name is left out, as are files without a byte (DSpace does
 * both); a file that it names and that is missing is an error.
 */
#include "package/mets_private.h"

#include "format/hex.h"
#include "format/percent.h"

static const char sip_profile[] = "DSpace METS SIP Profile";
static const char aip_profile[] = "http://www.dspace.org/schema/aip/mets_aip_1_0.xsd";

struct text
mets__attribute(const struct mets *mets, const struct xml_node *node, const char *name)
{
    struct text value;
    return xml_attribute(node, "", name, mets->arena, &value) ? value : TEXT("");
}

struct member *
mets__member(const struct mets *mets, struct text href)
{
    while (text_starts_with(href, TEXT("./")))
        href = text_of(href.data + 2, href.length - 2);
    struct member *member = unpack_find(mets->unpack, href);
    if (member == NULL) { /* a URL has its blanks encoded */
        struct buffer path AV_CLEANUP(buffer_release) = {0};
        for (size_t i = 0; i < href.length; i++) {
            unsigned char byte = (unsigned char)href.data[i];
            if (byte == '%' && href.length - i > 2 && hex_decode(text_of(href.data + i + 1, 2), &byte, 1))
                i += 2;
            buffer_append_char(&path, (char)byte);
        }
        member = unpack_find(mets->unpack, buffer_text(&path));
    }
    return member == NULL || member->folder ? NULL : member;
}

/* ---- the files that are named ---- */

struct named_file {
    const struct xml_node *node;
    struct member *member;
    struct text bundle, group_id;
};
struct named_files {
    struct named_file *items;
    size_t count, capacity;
};

static enum error_code
wrong(const struct xml_node *node, enum error_code code, const char *what, struct error *error)
{
    return error_set(error, code, "mets.xml, line %ld: %s", xml_line(node), what);
}

static enum error_code
add_named(struct mets *mets, struct named_files *files, const struct xml_node *node, struct text bundle,
          struct error *error)
{
    const struct xml_node *location = xml_child(node, METS_NAMESPACE, "FLocat");
    struct text href = TEXT("");
    if (mets__attribute(mets, node, "ID").length == 0)
        return wrong(node, ERROR_INVALID, "a file without ID", error);
    if (location == NULL)
        return wrong(node, ERROR_UNSUPPORTED, "a file without FLocat (FContent is not read)", error);
    if (!text_equal(mets__attribute(mets, location, "LOCTYPE"), TEXT("URL")) ||
        !xml_attribute(location, XLINK_NAMESPACE, "href", mets->arena, &href))
        return wrong(location, ERROR_INVALID, "a file's place is LOCTYPE=\"URL\" and xlink:href", error);
    struct member *member = mets__member(mets, href);
    if (member == NULL)
        return error_set(error, ERROR_INVALID, "mets.xml, line %ld: \"%.*s\" is not in the package", xml_line(location),
                         TEXT_ARG(href));
    if (member->wanted)
        return error_set(error, ERROR_INVALID, "mets.xml, line %ld: \"%.*s\" is named twice", xml_line(location),
                         TEXT_ARG(href));
    member->wanted = true;
    if (files->count == files->capacity) {
        size_t capacity = files->capacity == 0 ? 16 : files->capacity * 2;
        struct named_file *grown = realloc(files->items, capacity * sizeof *grown);
        if (grown == NULL)
            return error_set(error, ERROR_NO_MEMORY, "no memory to read mets.xml");
        files->items = grown;
        files->capacity = capacity;
    }
    files->items[files->count++] =
        (struct named_file){node, member, bundle, mets__attribute(mets, node, "GROUPID")};
    return ERROR_NONE;
}

static enum error_code
bundle_of_use(const struct xml_node *group, struct text use, struct text *ret_bundle, struct error *error)
{
    if (use.length == 0)
        return wrong(group, ERROR_INVALID, "a fileGrp without USE", error);
    if (memchr(use.data, '/', use.length) != NULL || use.length > 255 || text_equal(use, TEXT(".")) ||
        text_equal(use, TEXT("..")))
        return wrong(group, ERROR_INVALID, "a USE that cannot be a bundle's name", error);
    *ret_bundle = text_equal(use, TEXT("CONTENT"))      ? TEXT("ORIGINAL")
                  : text_equal(use, TEXT("MANIFESTMD")) ? TEXT("METADATA")
                                                        : use;
    return ERROR_NONE;
}

/* Groups within groups have the bundle of the outer one, unless they say their own. The depth is bounded by the reader of
 * XML. */
static enum error_code
collect_group(struct mets *mets, const struct xml_node *group, struct text outer, struct named_files *files,
              struct error *error)
{
    struct text use = mets__attribute(mets, group, "USE"), bundle = outer;
    enum error_code code = use.length == 0 && outer.length > 0 ? ERROR_NONE : bundle_of_use(group, use, &bundle, error);
    if (code != ERROR_NONE)
        return code;
    xml_each(node, group, METS_NAMESPACE, NULL) {
        if (xml_is(node, METS_NAMESPACE, "file"))
            code = add_named(mets, files, node, bundle, error);
        else if (xml_is(node, METS_NAMESPACE, "fileGrp"))
            code = collect_group(mets, node, bundle, files, error);
        if (code != ERROR_NONE)
            return code;
    }
    return ERROR_NONE;
}

/* ---- checksums ---- */

static bool
algorithm_of(struct text type, enum digest_algorithm *ret_algorithm)
{
    return type.length > 0 && digest_from_name(DIGEST_NAMES_RFC3230,
                                               text_equal_ignoring_case(type, TEXT("SHA-1")) ? TEXT("sha") : type,
                                               ret_algorithm);
}

static enum error_code
check_file(struct mets *mets, const struct named_file *file, struct error *error)
{
    unsigned char expected[DIGEST_SIZE_MAX];
    enum digest_algorithm algorithm;
    struct text type = mets__attribute(mets, file->node, "CHECKSUMTYPE"), sum = mets__attribute(mets, file->node, "CHECKSUM");
    struct text size = mets__attribute(mets, file->node, "SIZE");
    uint64_t said;
    if (size.length > 0 && (!text_to_u64(size, &said) || said != file->member->size_bytes))
        return error_set(error, ERROR_INVALID, "\"%.*s\" is %llu bytes, and mets.xml, line %ld, says %.*s",
                         TEXT_ARG(file->member->path), (unsigned long long)file->member->size_bytes, xml_line(file->node),
                         TEXT_ARG(size));
    if (sum.length == 0)
        return ERROR_NONE;
    if (!algorithm_of(type, &algorithm)) {
        package_note(mets->package, "checksum of \"%.*s\" not checked: type %.*s", TEXT_ARG(file->member->path), TEXT_ARG(type));
        return ERROR_NONE;
    }
    if (!hex_decode(sum, expected, digest_size(algorithm)))
        return wrong(file->node, ERROR_INVALID, "a CHECKSUM that is not of its type", error);
    enum error_code code = upload_check_digest(file->member->upload, algorithm, expected, error);
    return code == ERROR_NONE ? code : error_prefix(error, "\"%.*s\"", TEXT_ARG(file->member->path));
}

static unsigned
digests_wanted(const struct mets *mets, const struct named_files *files)
{
    enum digest_algorithm algorithm;
    unsigned wanted = 0;
    for (size_t i = 0; i < files->count; i++) {
        if (algorithm_of(mets__attribute(mets, files->items[i].node, "CHECKSUMTYPE"), &algorithm))
            wanted |= 1u << algorithm;
    }
    return wanted;
}

/* ---- files into the package ---- */

/* The first div with a DMDID, in any structMap; else the first div. */
static const struct xml_node *
find_structure(const struct mets *mets)
{
    const struct xml_node *first = NULL;
    xml_each(map, mets->root, METS_NAMESPACE, "structMap") {
        const struct xml_node *division = xml_child(map, METS_NAMESPACE, "div");
        if (mets__attribute(mets, division, "DMDID").length > 0)
            return division;
        if (first == NULL)
            first = division;
    }
    return first;
}

static enum error_code
add_file(struct mets *mets, const struct named_file *named, const struct key_table *originals, struct text primary,
         struct error *error)
{
    struct mets_file_words words;
    struct package_file file = {.bundle = named->bundle, .path = named->member->path};
    struct text sequence = mets__attribute(mets, named->node, "SEQ");
    enum error_code code = mets__describe_file(mets, named->node, &words, error);
    if (code == ERROR_NONE)
        code = check_file(mets, named, error);
    if (code != ERROR_NONE)
        return code;
    if (sequence.length > 0 && !text_to_u64(sequence, &file.sequence))
        return wrong(named->node, ERROR_INVALID, "a SEQ that is no number", error);
    file.media_type = mets__attribute(mets, named->node, "MIMETYPE");
    file.description = words.description;
    file.primary = primary.length > 0 && text_equal(mets__attribute(mets, named->node, "ID"), primary);
    if (mets->aip && words.name.length > 0 && words.name.length <= 255 &&
        memchr(words.name.data, '/', words.name.length) == NULL)
        file.path = words.name; /* an AIP numbers its files: bitstream_45.pdf */
    if (!text_equal(named->bundle, TEXT("ORIGINAL"))) {
        const struct member *original = key_table_find(originals, named->group_id);
        file.group = original == NULL ? TEXT("") : original->path;
    }
    return reader_add_member(mets->package, mets->unpack, named->member, &file, error);
}

static enum error_code
add_files(struct mets *mets, const struct named_files *files, struct text primary, struct error *error)
{
    struct key_table originals = {0};
    enum error_code code = ERROR_NONE;
    for (size_t i = 0; i < files->count && code == ERROR_NONE; i++) {
        if (text_equal(files->items[i].bundle, TEXT("ORIGINAL")))
            code = key_table_add(&originals, files->items[i].group_id, files->items[i].member, error);
    }
    key_table_sort(&originals);
    for (size_t i = 0; i < files->count && code == ERROR_NONE; i++) {
        const struct named_file *named = &files->items[i];
        if (named->member->size_bytes == 0)
            package_note(mets->package, "\"%.*s\" has no byte: left out", TEXT_ARG(named->member->path));
        else
            code = add_file(mets, named, &originals, primary, error);
    }
    key_table_release(&originals);
    return code;
}

static enum error_code
read_files(struct mets *mets, const struct xml_node *structure, struct error *error)
{
    struct named_files files = {0};
    enum error_code code = ERROR_NONE;
    xml_each(section, mets->root, METS_NAMESPACE, "fileSec") {
        xml_each(group, section, METS_NAMESPACE, "fileGrp") {
            if (code == ERROR_NONE)
                code = collect_group(mets, group, TEXT(""), &files, error);
        }
    }
    if (code == ERROR_NONE)
        code = unpack_wanted(mets->unpack, digests_wanted(mets, &files), error);
    if (code == ERROR_NONE)
        code = add_files(mets, &files,
                         mets__attribute(mets, xml_child(structure, METS_NAMESPACE, "fptr"), "FILEID"), error);
    free(files.items);
    return code;
}

/* ---- the document ---- */

static enum error_code
index_sections(struct mets *mets, struct error *error)
{
    enum error_code code = ERROR_NONE;
    xml_each(section, mets->root, METS_NAMESPACE, NULL) {
        if (!xml_is(section, METS_NAMESPACE, "dmdSec") && !xml_is(section, METS_NAMESPACE, "amdSec"))
            continue;
        if (code == ERROR_NONE)
            code = key_table_add(&mets->sections, mets__attribute(mets, section, "ID"), section, error);
        if (!xml_is(section, METS_NAMESPACE, "amdSec"))
            continue;
        xml_each(part, section, METS_NAMESPACE, NULL) {
            if (code == ERROR_NONE)
                code = key_table_add(&mets->sections, mets__attribute(mets, part, "ID"), part, error);
        }
    }
    key_table_sort(&mets->sections);
    return code;
}

static struct text
without_prefix(struct text text, struct text prefix)
{
    return text_starts_with(text, prefix) ? text_of(text.data + prefix.length, text.length - prefix.length) : TEXT("");
}

/* The owner of an AIP's item, then the collections that it is mapped to: mptr of the map of parents. */
static enum error_code
read_parents(struct mets *mets, struct error *error)
{
    struct buffer lines AV_CLEANUP(buffer_release) = {0};
    struct text href;
    xml_each(map, mets->root, METS_NAMESPACE, "structMap") {
        if (!text_equal(mets__attribute(mets, map, "LABEL"), TEXT("Parent")))
            continue;
        xml_each(division, map, METS_NAMESPACE, "div") {
            xml_each(pointer, division, METS_NAMESPACE, "mptr") {
                if (!xml_attribute(pointer, XLINK_NAMESPACE, "href", mets->arena, &href))
                    continue;
                struct text handle = without_prefix(href, TEXT("hdl:"));
                buffer_append_text(&lines, handle.length > 0 ? handle : href);
                buffer_append_char(&lines, '\n');
            }
        }
    }
    mets->package->collections = arena_copy(mets->package->arena, buffer_text(&lines));
    return buffer_status(&lines, error);
}

static enum error_code
read_head(struct mets *mets, struct error *error)
{
    struct text profile = mets__attribute(mets, mets->root, "PROFILE");
    struct text type = mets__attribute(mets, mets->root, "TYPE"), object = mets__attribute(mets, mets->root, "OBJID");
    if (!xml_is(mets->root, METS_NAMESPACE, "mets"))
        return error_set(error, ERROR_INVALID, "mets.xml is not METS");
    mets->aip = text_equal(profile, text_from(aip_profile));
    if (!mets->aip && !text_starts_with(profile, text_from(sip_profile)))
        return error_set(error, ERROR_UNSUPPORTED, "mets.xml: the profile \"%.*s\"", TEXT_ARG(profile));
    if (mets->aip && type.length > 0 && !text_equal(type, TEXT("DSpace ITEM")))
        return error_set(error, ERROR_UNSUPPORTED, "an AIP of type \"%.*s\" (an item is expected)", TEXT_ARG(type));
    mets->package->identifier = arena_copy(mets->package->arena, object);
    mets->package->handle = without_prefix(mets->package->identifier, TEXT("hdl:"));
    package_note(mets->package, "METS, profile %.*s", TEXT_ARG(profile));
    return mets->aip ? read_parents(mets, error) : ERROR_NONE;
}

static void
note_unnamed(struct mets *mets, const struct member *manifest)
{
    for (size_t i = 0; i < mets->unpack->count; i++) {
        const struct member *member = &mets->unpack->members[i];
        if (!member->folder && !member->wanted && member != manifest)
            package_note(mets->package, "\"%.*s\" is not named in mets.xml: left out", TEXT_ARG(member->path));
    }
}

static enum error_code
read_package(struct mets *mets, struct error *error)
{
    struct package_file file = {.bundle = TEXT("METADATA"), .media_type = TEXT("application/xml")};
    struct member *manifest = unpack_find(mets->unpack, TEXT("mets.xml"));
    if (manifest == NULL || manifest->folder)
        return error_set(error, ERROR_INVALID, "mets.xml is missing");
    reader_note_list(mets->package, mets->unpack);
    enum error_code code = reader_member_xml(mets->unpack, manifest, &mets->document, error);
    if (code != ERROR_NONE)
        return code;
    mets->root = xml_root(mets->document);
    code = read_head(mets, error);
    if (code == ERROR_NONE)
        code = index_sections(mets, error);
    const struct xml_node *structure = code == ERROR_NONE ? find_structure(mets) : NULL;
    if (code == ERROR_NONE)
        code = read_files(mets, structure, error);
    if (code == ERROR_NONE)
        code = mets__describe_item(mets, structure, error);
    if (code == ERROR_NONE && !manifest->wanted)
        code = reader_add_member(mets->package, mets->unpack, manifest, &file, error);
    if (code == ERROR_NONE)
        note_unnamed(mets, manifest);
    if (code == ERROR_NONE)
        code = arena_status(mets->arena, error);
    return code == ERROR_NONE ? arena_status(mets->package->arena, error) : code;
}

static void
mets_release(struct mets *mets)
{
    key_table_release(&mets->sections);
    xml_document_free(mets->document);
    unpack_free(mets->unpack);
}

enum error_code
read_mets(const struct package_request *request, struct packages *packages, struct error *error)
{
    struct arena arena AV_CLEANUP(arena_release) = {0};
    struct mets mets AV_CLEANUP(mets_release) = {.request = request, .arena = &arena};
    enum error_code code = packages_add(packages, request, &mets.package, error);
    if (code == ERROR_NONE)
        code = unpack_open(request, &mets.unpack, error);
    return code == ERROR_NONE ? read_package(&mets, error) : code;
}
