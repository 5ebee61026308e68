/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BagIt (RFC 8493 and drafts 0.93 to 0.97) and SWORDBagIt: a bag at the top of the archive or in the one folder there. All is
 * validated: the payload is complete, every manifest is right, Payload-Oxum too; fetch.txt is read and never followed.
 * Payload becomes bundle ORIGINAL, tag files become bundle METADATA; metadata/sword.json gives fields.
 *
 * What a validator warns of is accepted with a line of the report: md5sum's "*", "./", a file listed twice (before 1.0), a
 * listed file of which there is only one that file systems take for the same, a file that systems leave and tools take away.
 */
#include "package/bag_text.h"
#include "package/describe.h"
#include "package/reader.h"

#include <openssl/evp.h>

enum { MANIFESTS_MAX = 2 * 6, ALIKE_MAX = 100, DATA_PREFIX = 5 };

struct manifest {
    struct bag_manifest_name kind;
    struct member *member;
    unsigned bit;
};

struct bag {
    const struct package_request *request;
    struct unpack *unpack;
    struct package *package;
    bool sword;
    struct text base; /* "" or "NAME/" */
    struct bag_declaration declaration;
    struct buffer declaration_text;
    struct manifest manifests[MANIFESTS_MAX];
    size_t manifest_count;
    unsigned *listed; /* bits of the manifests that list a member */
    unsigned alike;   /* names that were taken for another */
    unsigned absent;  /* files of systems that are listed and have been taken away */
};

static void
bag_release(struct bag *bag)
{
    buffer_release(&bag->declaration_text);
    free(bag->listed);
    unpack_free(bag->unpack);
}

/* The member's name in the bag; false: it lies outside. */
static bool
name_in_bag(const struct bag *bag, const struct member *member, struct text *ret_name)
{
    if (member->folder || !text_starts_with(member->path, bag->base))
        return false;
    *ret_name = text_of(member->path.data + bag->base.length, member->path.length - bag->base.length);
    return true;
}

static struct member *
find_in_bag(const struct bag *bag, struct text name)
{
    struct buffer path AV_CLEANUP(buffer_release) = {0};
    buffer_append_text(&path, bag->base);
    buffer_append_text(&path, name);
    struct member *member = unpack_find(bag->unpack, buffer_text(&path));
    return member == NULL || member->folder ? NULL : member;
}

static bool
is_payload(struct text name)
{
    return text_starts_with(name, TEXT("data/"));
}

/* ---- where the bag is, and what it declares ---- */

static enum error_code
find_base(struct bag *bag, struct error *error)
{
    const struct unpack *unpack = bag->unpack;
    struct text rest;
    if (unpack->count == 0)
        return error_set(error, ERROR_INVALID, "the archive is empty");
    if (find_in_bag(bag, TEXT("bagit.txt")) != NULL)
        return ERROR_NONE;
    struct text top = text_cut(unpack->members[0].path, '/', &rest);
    bag->base = text_of(arena_printf(bag->request->arena, "%.*s/", TEXT_ARG(top)), top.length + 1);
    enum error_code code = arena_status(bag->request->arena, error);
    if (code != ERROR_NONE)
        return code;
    for (size_t i = 0; i < unpack->count; i++) {
        if (!text_equal(text_cut(unpack->members[i].path, '/', &rest), top))
            return error_set(error, ERROR_INVALID, "bagit.txt is missing");
    }
    return find_in_bag(bag, TEXT("bagit.txt")) != NULL ? ERROR_NONE
                                                        : error_set(error, ERROR_INVALID, "bagit.txt is missing");
}

static enum error_code
add_manifest(struct bag *bag, struct member *member, struct text name, const struct bag_manifest_name *kind,
             struct error *error)
{
    if (kind->algorithm == NULL)
        return error_set(error, ERROR_UNSUPPORTED, "%.*s: an algorithm that is not known", TEXT_ARG(name));
    if (kind->hyphenated && !bag->sword)
        return error_set(error, ERROR_INVALID, "%.*s: the algorithm is written %s", TEXT_ARG(name), kind->algorithm->name);
    for (size_t i = 0; i < bag->manifest_count; i++) {
        const struct bag_manifest_name *other = &bag->manifests[i].kind;
        if (other->tags == kind->tags && other->algorithm == kind->algorithm)
            return error_set(error, ERROR_INVALID, "%.*s: a second manifest of this algorithm", TEXT_ARG(name));
    }
    bag->manifests[bag->manifest_count] = (struct manifest){*kind, member, 1u << bag->manifest_count};
    bag->manifest_count++;
    return ERROR_NONE;
}

/* Which manifests there are, and so which digests to compute while the files pass. */
static enum error_code
find_manifests(struct bag *bag, unsigned *ret_also, struct error *error)
{
    bool has_payload = false, has_manifest = false;
    *ret_also = 0;
    for (size_t i = 0; i < bag->unpack->count; i++) {
        struct member *member = &bag->unpack->members[i];
        struct bag_manifest_name kind;
        struct text name;
        has_payload |= member->folder && text_equal(reader_base_name(member->path), TEXT("data"));
        if (!name_in_bag(bag, member, &name))
            continue;
        has_payload |= is_payload(name);
        if (memchr(name.data, '/', name.length) != NULL || !bag_manifest_name(name, &kind))
            continue;
        enum error_code code = add_manifest(bag, member, name, &kind, error);
        if (code != ERROR_NONE)
            return code;
        has_manifest |= !kind.tags;
        if (kind.algorithm->digest != DIGEST_ALGORITHM_COUNT)
            *ret_also |= 1u << kind.algorithm->digest;
    }
    if (!has_manifest)
        return error_set(error, ERROR_INVALID, "there is no manifest of the payload");
    return has_payload ? ERROR_NONE : error_set(error, ERROR_INVALID, "data/ is missing");
}

/* A tag file as UTF-8. */
static enum error_code
tag_text(struct bag *bag, struct member *member, struct buffer *ret_text, struct error *error)
{
    struct buffer raw AV_CLEANUP(buffer_release) = {0};
    enum error_code code = unpack_text(bag->unpack, member, &raw, error);
    if (code == ERROR_NONE)
        code = bag_decode(buffer_text(&raw), bag->declaration.encoding, ret_text, error);
    return code;
}

/* ---- manifests ---- */

static enum error_code
digest_of(struct upload *upload, const struct bag_algorithm *algorithm, unsigned char *out, struct error *error)
{
    enum { CHUNK_BYTES = 64 << 10 };
    if (algorithm->digest != DIGEST_ALGORITHM_COUNT && upload_digest(upload, algorithm->digest, out))
        return ERROR_NONE;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    char *chunk = malloc(CHUNK_BYTES);
    uint64_t size = upload_size(upload);
    enum error_code code = ERROR_NONE;
    if (context == NULL || chunk == NULL || EVP_DigestInit_ex(context, EVP_get_digestbyname(algorithm->openssl), NULL) != 1)
        code = error_set(error, ERROR_NO_MEMORY, "%s cannot be computed", algorithm->name);
    for (uint64_t at = 0; at < size && code == ERROR_NONE; at += CHUNK_BYTES) {
        size_t length = size - at < CHUNK_BYTES ? (size_t)(size - at) : CHUNK_BYTES;
        code = upload_read(upload, at, chunk, length, error);
        if (code == ERROR_NONE)
            (void)EVP_DigestUpdate(context, chunk, length);
    }
    if (code == ERROR_NONE && EVP_DigestFinal_ex(context, out, NULL) != 1)
        code = error_set(error, ERROR_NO_MEMORY, "%s cannot be computed", algorithm->name);
    EVP_MD_CTX_free(context);
    free(chunk);
    return code;
}

static enum error_code
check_digest(struct member *member, const struct bag_algorithm *algorithm,
             const struct bag_line *line, struct error *error)
{
    unsigned char found[EVP_MAX_MD_SIZE];
    enum error_code code;
    if (algorithm->digest != DIGEST_ALGORITHM_COUNT) {
        code = upload_check_digest(member->upload, algorithm->digest, line->digest, error);
    } else {
        code = digest_of(member->upload, algorithm, found, error);
        if (code == ERROR_NONE && memcmp(found, line->digest, algorithm->size_bytes) != 0)
            code = error_set(error, ERROR_DIGEST, "the %s in it is not the one in the manifest", algorithm->name);
    }
    return code == ERROR_NONE ? code : error_prefix(error, "\"%.*s\"", TEXT_ARG(line->path));
}

static bool
is_in_fetch(struct bag *bag, struct text path)
{
    struct buffer text AV_CLEANUP(buffer_release) = {0};
    struct member *fetch = find_in_bag(bag, TEXT("fetch.txt"));
    struct text name;
    if (fetch == NULL || tag_text(bag, fetch, &text, NULL) != ERROR_NONE)
        return false;
    for (struct text rest = buffer_text(&text); rest.data != NULL;) {
        if (bag_read_fetch_line(reader_cut_line(rest, &rest), &name, NULL) == ERROR_NONE && text_equal(name, path))
            return true;
    }
    return false;
}

/* The one payload file whose name is alike and whose digest is the one that is said. */
static struct member *
find_alike(struct bag *bag, const struct manifest *manifest, const struct bag_line *line)
{
    struct text name;
    if (manifest->kind.tags || bag->alike >= ALIKE_MAX)
        return NULL;
    for (size_t i = 0; i < bag->unpack->count; i++) {
        struct member *member = &bag->unpack->members[i];
        if (!name_in_bag(bag, member, &name) || !is_payload(name) || !bag_names_are_alike(name, line->path))
            continue;
        if (check_digest(member, manifest->kind.algorithm, line, NULL) == ERROR_NONE) {
            bag->alike++;
            package_note(bag->package, "warning: \"%.*s\" is listed and \"%.*s\" is there", TEXT_ARG(line->path),
                         TEXT_ARG(name));
            return member;
        }
    }
    return NULL;
}

static bool
may_be_missing(struct bag *bag, const struct bag_line *line)
{
    struct text name = reader_base_name(line->path);
    if (!text_equal(name, TEXT(".DS_Store")) && !text_equal(name, TEXT("Thumbs.db")) &&
        !text_equal(name, TEXT("desktop.ini")))
        return false;
    bag->absent++;
    package_note(bag->package, "warning: \"%.*s\" is listed and has been taken away", TEXT_ARG(line->path));
    return true;
}

/* NULL with ERROR_NONE: it may be missing. */
static enum error_code
find_listed(struct bag *bag, const struct manifest *manifest, const struct bag_line *line, struct member **ret_member,
            struct error *error)
{
    struct member *member = find_in_bag(bag, line->path);
    if (member == NULL)
        member = find_in_bag(bag, bag_unescape(line->path, bag->request->arena));
    if (member == NULL)
        member = find_alike(bag, manifest, line);
    *ret_member = member;
    if (member != NULL || (!manifest->kind.tags && may_be_missing(bag, line)))
        return ERROR_NONE;
    if (is_in_fetch(bag, line->path))
        return error_set(error, ERROR_INVALID, "\"%.*s\" is not in the bag: fetch.txt names it, and is never followed",
                         TEXT_ARG(line->path));
    return error_set(error, ERROR_INVALID, "\"%.*s\" is listed and missing", TEXT_ARG(line->path));
}

static enum error_code
note_line(struct bag *bag, const struct manifest *manifest, const struct bag_line *line, const struct member *member,
          struct error *error)
{
    unsigned *listed = &bag->listed[member - bag->unpack->members];
    bool twice = (*listed & manifest->bit) != 0;
    *listed |= manifest->bit;
    if (line->starred)
        package_note(bag->package, "warning: \"%.*s\" is listed with \"*\", as md5sum does", TEXT_ARG(line->path));
    if (line->dotted)
        package_note(bag->package, "warning: \"%.*s\" is listed with \"./\"", TEXT_ARG(line->path));
    if (!twice)
        return ERROR_NONE;
    if (bag->declaration.major >= 1)
        return error_set(error, ERROR_INVALID, "\"%.*s\" is listed twice", TEXT_ARG(line->path));
    package_note(bag->package, "warning: \"%.*s\" is listed twice", TEXT_ARG(line->path));
    return ERROR_NONE;
}

static enum error_code
check_line(struct bag *bag, const struct manifest *manifest, struct text text, struct error *error)
{
    struct bag_line line;
    struct member *member = NULL;
    enum error_code code = bag_read_line(text, manifest->kind.algorithm, &line, error);
    if (code == ERROR_NONE)
        code = bag_check_path(line.path, !manifest->kind.tags, error);
    if (code == ERROR_NONE)
        code = find_listed(bag, manifest, &line, &member, error);
    if (code == ERROR_NONE && member != NULL)
        code = check_digest(member, manifest->kind.algorithm, &line, error);
    if (code == ERROR_NONE && member != NULL)
        code = note_line(bag, manifest, &line, member, error);
    return code;
}

static enum error_code
check_manifest(struct bag *bag, const struct manifest *manifest, struct error *error)
{
    struct buffer text AV_CLEANUP(buffer_release) = {0};
    enum error_code code = tag_text(bag, manifest->member, &text, error);
    unsigned number = 0;
    for (struct text rest = buffer_text(&text); code == ERROR_NONE && rest.data != NULL;) {
        struct text line = reader_cut_line(rest, &rest);
        number++;
        if (text_trim(line).length == 0)
            continue;
        code = check_line(bag, manifest, line, error);
        if (code != ERROR_NONE)
            error_prefix(error, "line %u", number);
    }
    return code == ERROR_NONE ? code : error_prefix(error, "%.*s", TEXT_ARG(reader_base_name(manifest->member->path)));
}

/* Every payload file is in some manifest; from 1.0 on, in each. */
static enum error_code
check_complete(const struct bag *bag, struct error *error)
{
    unsigned payload_manifests = 0;
    struct text name;
    for (size_t i = 0; i < bag->manifest_count; i++)
        payload_manifests |= bag->manifests[i].kind.tags ? 0 : bag->manifests[i].bit;
    for (size_t i = 0; i < bag->unpack->count; i++) {
        if (!name_in_bag(bag, &bag->unpack->members[i], &name) || !is_payload(name))
            continue;
        unsigned in = bag->listed[i] & payload_manifests;
        if (in == 0 || (bag->declaration.major >= 1 && in != payload_manifests))
            return error_set(error, ERROR_INVALID, "\"%.*s\" is not in %s manifest", TEXT_ARG(name),
                             in == 0 ? "a" : "every");
    }
    return ERROR_NONE;
}

/* ---- fetch.txt and bag-info.txt ---- */

static enum error_code
check_fetch(struct bag *bag, struct error *error)
{
    struct buffer text AV_CLEANUP(buffer_release) = {0};
    struct member *fetch = find_in_bag(bag, TEXT("fetch.txt"));
    struct text path;
    enum error_code code = fetch == NULL ? ERROR_NONE : tag_text(bag, fetch, &text, error);
    for (struct text rest = buffer_text(&text); fetch != NULL && code == ERROR_NONE && rest.data != NULL;) {
        struct text line = reader_cut_line(rest, &rest);
        if (text_trim(line).length == 0)
            continue;
        code = bag_read_fetch_line(line, &path, error);
        if (code == ERROR_NONE)
            code = bag_check_path(path, true, error);
        if (code == ERROR_NONE && find_in_bag(bag, path) == NULL &&
            find_in_bag(bag, bag_unescape(path, bag->request->arena)) == NULL)
            code = error_set(error, ERROR_INVALID, "\"%.*s\" is not in the bag, and fetch.txt is never followed",
                             TEXT_ARG(path));
    }
    if (code != ERROR_NONE)
        return error_prefix(error, "fetch.txt");
    if (fetch != NULL)
        package_note(bag->package, "fetch.txt names files that are all in the bag: not followed");
    return ERROR_NONE;
}

static enum error_code
check_oxum(const struct bag *bag, struct text value, struct error *error)
{
    uint64_t bytes = 0, files = 0, said_bytes, said_files;
    struct text count, name;
    struct text octets = text_cut(value, '.', &count);
    for (size_t i = 0; i < bag->unpack->count; i++) {
        if (name_in_bag(bag, &bag->unpack->members[i], &name) && is_payload(name)) {
            bytes += bag->unpack->members[i].size_bytes;
            files++;
        }
    }
    if (count.data == NULL || !text_to_u64(octets, &said_bytes) || !text_to_u64(count, &said_files))
        return error_set(error, ERROR_INVALID, "Payload-Oxum \"%.*s\" is not BYTES.FILES", TEXT_ARG(value));
    if (said_bytes != bytes || said_files < files || said_files - files > bag->absent)
        return error_set(error, ERROR_INVALID, "Payload-Oxum is %.*s, and %llu.%llu are there", TEXT_ARG(value),
                         (unsigned long long)bytes, (unsigned long long)files);
    return ERROR_NONE;
}

static enum error_code
check_info(struct bag *bag, struct error *error)
{
    bool early = bag->declaration.major == 0 && bag->declaration.minor <= 95;
    struct buffer text AV_CLEANUP(buffer_release) = {0};
    const char *file = early ? "package-info.txt" : "bag-info.txt";
    struct member *member = find_in_bag(bag, text_from(file));
    struct bag_element element;
    bool found = true;
    if (member == NULL)
        return ERROR_NONE;
    enum error_code code = tag_text(bag, member, &text, error);
    struct text rest = buffer_text(&text);
    while (code == ERROR_NONE && found) {
        code = bag_read_element(&rest, bag->request->arena, &element, &found, error);
        if (code != ERROR_NONE || !found)
            break;
        if (text_equal_ignoring_case(element.label, TEXT("Payload-Oxum")))
            code = check_oxum(bag, element.value, error);
        if (text_equal_ignoring_case(element.label, TEXT("External-Identifier")) && bag->package->identifier.length == 0)
            bag->package->identifier = element.value;
        package_note(bag->package, "%s %.*s: %.*s", file, TEXT_ARG(element.label), TEXT_ARG(element.value));
    }
    return code == ERROR_NONE ? code : error_prefix(error, "%s", file);
}

/* ---- the package ---- */

static enum error_code
add_files(struct bag *bag, struct error *error)
{
    enum error_code code = ERROR_NONE;
    struct text name;
    for (size_t i = 0; i < bag->unpack->count && code == ERROR_NONE; i++) {
        struct member *member = &bag->unpack->members[i];
        struct package_file file = {0};
        if (!name_in_bag(bag, member, &name))
            continue;
        file.bundle = is_payload(name) ? TEXT("ORIGINAL") : TEXT("METADATA");
        file.path = is_payload(name) ? text_of(name.data + DATA_PREFIX, name.length - DATA_PREFIX) : name;
        code = reader_add_member(bag->package, bag->unpack, member, &file, error);
    }
    return code;
}

static enum error_code
add_fields(struct bag *bag, struct error *error)
{
    struct buffer text AV_CLEANUP(buffer_release) = {0};
    struct member *member = find_in_bag(bag, TEXT("metadata/sword.json"));
    if (member == NULL)
        return ERROR_NONE;
    enum error_code code = unpack_text(bag->unpack, member, &text, error);
    if (code == ERROR_NONE)
        code = describe_sword_json(bag->package, bag->request, buffer_text(&text), error);
    return code == ERROR_NONE ? code : error_prefix(error, "metadata/sword.json");
}

static enum error_code
open_bag(struct bag *bag, struct error *error)
{
    unsigned also = 0;
    enum error_code code = unpack_open(bag->request, &bag->unpack, error);
    if (code == ERROR_NONE)
        code = find_base(bag, error);
    if (code == ERROR_NONE)
        code = find_manifests(bag, &also, error);
    if (code != ERROR_NONE)
        return code;
    reader_note_list(bag->package, bag->unpack);
    bag->listed = calloc(bag->unpack->count, sizeof *bag->listed);
    if (bag->listed == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for a bag");
    code = unpack_all(bag->unpack, also, error);
    if (code == ERROR_NONE)
        code = unpack_text(bag->unpack, find_in_bag(bag, TEXT("bagit.txt")), &bag->declaration_text, error);
    if (code == ERROR_NONE)
        code = bag_read_declaration(buffer_text(&bag->declaration_text), &bag->declaration, error);
    if (code == ERROR_NONE)
        package_note(bag->package, "BagIt %u.%u", bag->declaration.major, bag->declaration.minor);
    return code;
}

static enum error_code
read_bag(const struct package_request *request, struct packages *packages, bool sword, struct error *error)
{
    struct bag bag AV_CLEANUP(bag_release) = {.request = request, .sword = sword, .base = TEXT("")};
    enum error_code code = packages_add(packages, request, &bag.package, error);
    if (code == ERROR_NONE)
        code = open_bag(&bag, error);
    if (code == ERROR_NONE)
        code = check_fetch(&bag, error);
    for (size_t i = 0; i < bag.manifest_count && code == ERROR_NONE; i++)
        code = check_manifest(&bag, &bag.manifests[i], error);
    if (code == ERROR_NONE)
        code = check_complete(&bag, error);
    if (code == ERROR_NONE)
        code = check_info(&bag, error);
    if (code == ERROR_NONE)
        code = add_fields(&bag, error);
    return code == ERROR_NONE ? add_files(&bag, error) : code;
}

enum error_code
read_bagit(const struct package_request *request, struct packages *packages, struct error *error)
{
    return read_bag(request, packages, false, error);
}

enum error_code
read_sword_bagit(const struct package_request *request, struct packages *packages, struct error *error)
{
    return read_bag(request, packages, true, error);
}
