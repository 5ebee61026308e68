/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EPrints XML (EP2 and EP3): each eprint of the document is a package. Files come as base64 within the document and go into
 * uploads while it is read, so that it may be as large as they are; a file that is only named by a URL is not there, and the
 * URL is never followed. The eprint without its files' bytes is kept as METADATA/eprint.xml.
 */
#include "package/describe.h"
#include "package/reader.h"

#include "base/ensure.h"
#include "format/base64.h"
#include "format/hex.h"
#include "package/key_table.h"
#include "package/member_name.h"
#include "xml/xml_read.h"

#define EPRINTS_NAMESPACE "http://eprints.org/ep2/data/2.0"
enum { GROUP = 4, PENDING_MAX = 16 << 10, DECODED_MAX = PENDING_MAX / 4 * 3 };

struct eprint_data {
    const struct xml_node *element;
    struct upload *upload;
};

struct eprints {
    const struct package_request *request;
    struct arena *arena; /* of texts that are only looked at */
    struct eprint_data *data; /* in order of the document */
    size_t count, capacity, next; /* next: where to look for the data of the next file first */
    struct key_table documents; /* by docid: of the eprint that is being read */
    struct upload *open;
    uint64_t total_bytes, source_offset;
    char pending[PENDING_MAX]; /* base64 that is not decoded yet: the last group may end it, and is kept for that */
    size_t pending_length;
    struct buffer decoded;
};

static void
eprints_release(struct eprints *eprints)
{
    for (size_t i = 0; i < eprints->count; i++)
        upload_free(eprints->data[i].upload);
    upload_free(eprints->open);
    free(eprints->data);
    key_table_release(&eprints->documents);
    buffer_release(&eprints->decoded);
}

static struct text
child_text(const struct eprints *eprints, const struct xml_node *node, const char *name)
{
    return text_trim(xml_child_text(node, EPRINTS_NAMESPACE, name, eprints->arena));
}

static bool
algorithm_of(const struct eprints *eprints, const struct xml_node *file, enum digest_algorithm *ret_algorithm)
{
    struct text type = child_text(eprints, file, "hash_type");
    return type.length > 0 &&
           digest_from_name(DIGEST_NAMES_RFC3230, text_equal_ignoring_case(type, TEXT("SHA1")) ? TEXT("sha") : type, ret_algorithm);
}

/* ---- files, while the document is read ---- */

static enum error_code
begin_data(void *context, const struct xml_node *element, struct error *error)
{
    struct eprints *eprints = context;
    enum digest_algorithm algorithm;
    unsigned also = eprints->request->also;
    struct text encoding;
    if (eprints->open != NULL)
        return error_set(error, ERROR_INVALID, "line %ld: data within data", xml_line(element));
    if (!xml_attribute(element, "", "encoding", eprints->arena, &encoding) || !text_equal(encoding, TEXT("base64")))
        return error_set(error, ERROR_UNSUPPORTED, "line %ld: data that is not encoding=\"base64\"", xml_line(element));
    if (eprints->count >= eprints->request->limits.package_files)
        return error_set(error, ERROR_LIMIT, "more files than package_files (%llu) allows",
                         (unsigned long long)eprints->request->limits.package_files);
    if (algorithm_of(eprints, xml_parent(element), &algorithm))
        also |= 1u << algorithm;
    eprints->pending_length = 0;
    return package_upload(eprints->request, also, &eprints->open, error);
}

/* Decodes `length` characters of what is pending. */
static enum error_code
decode(struct eprints *eprints, size_t length, struct error *error)
{
    unsigned char bytes[DECODED_MAX];
    size_t got = 0;
    if (!base64_decode(text_of(eprints->pending, length), bytes, &got))
        return error_set(error, ERROR_INVALID, "a file's data is not base64");
    eprints->total_bytes += got;
    if (eprints->total_bytes > eprints->request->limits.package_bytes)
        return error_set(error, ERROR_LIMIT, "the files are over package_bytes (%llu)",
                         (unsigned long long)eprints->request->limits.package_bytes);
    eprints->pending_length -= length;
    memmove(eprints->pending, eprints->pending + length, eprints->pending_length);
    return upload_write(eprints->open, bytes, got, error);
}

static enum error_code
add_data(void *context, struct text piece, struct error *error)
{
    struct eprints *eprints = context;
    for (size_t i = 0; i < piece.length; i++) {
        char c = piece.data[i];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
            continue;
        if (eprints->pending_length == PENDING_MAX) {
            /* Padding is for the end alone: what comes before is decoded without its last group, which is looked at again. */
            if (memchr(eprints->pending, '=', PENDING_MAX) != NULL)
                return error_set(error, ERROR_INVALID, "a file's data goes on after its end");
            enum error_code code = decode(eprints, PENDING_MAX - GROUP, error);
            if (code != ERROR_NONE)
                return code;
        }
        eprints->pending[eprints->pending_length++] = c;
    }
    return ERROR_NONE;
}

static enum error_code
end_data(void *context, const struct xml_node *element, struct error *error)
{
    struct eprints *eprints = context;
    enum error_code code = decode(eprints, eprints->pending_length, error);
    if (code == ERROR_NONE)
        code = upload_finish(eprints->open, error);
    if (code == ERROR_NONE && eprints->count == eprints->capacity) {
        size_t capacity = eprints->capacity == 0 ? 16 : eprints->capacity * 2;
        struct eprint_data *grown = realloc(eprints->data, capacity * sizeof *grown);
        if (grown == NULL)
            return error_set(error, ERROR_NO_MEMORY, "no memory for the files of an eprint");
        eprints->data = grown;
        eprints->capacity = capacity;
    }
    if (code != ERROR_NONE)
        return error_prefix(error, "line %ld", xml_line(element));
    eprints->data[eprints->count++] = (struct eprint_data){element, eprints->open};
    eprints->open = NULL;
    return ERROR_NONE;
}

static enum error_code
read_source(void *context, void *data, size_t capacity, size_t *ret_length, struct error *error)
{
    struct eprints *eprints = context;
    const struct package_source *source = &eprints->request->source;
    uint64_t left = source->size_bytes - eprints->source_offset;
    *ret_length = left < capacity ? (size_t)left : capacity;
    if (*ret_length == 0)
        return ERROR_NONE;
    uint64_t at = eprints->source_offset;
    eprints->source_offset += *ret_length;
    return source->read(source->context, at, data, *ret_length, error);
}

/* ---- files, into the package ---- */

/* What a document is, seen from the one that it was made of. */
struct derivation {
    struct text bundle, original; /* original: "/id/document/12" */
};

static struct derivation
derivation_of(const struct eprints *eprints, const struct xml_node *document)
{
    struct derivation found = {TEXT("ORIGINAL"), TEXT("")};
    bool derived = false;
    xml_each(item, xml_child(document, EPRINTS_NAMESPACE, "relation"), EPRINTS_NAMESPACE, "item") {
        struct text kind = reader_base_name(child_text(eprints, item, "type"));
        if (text_ends_with(kind, TEXT("ThumbnailVersionOf")))
            found.bundle = TEXT("THUMBNAIL");
        else if (text_equal(kind, TEXT("isIndexCodesVersionOf")))
            found.bundle = TEXT("TEXT");
        else if (!text_equal(kind, TEXT("isVolatileVersionOf")))
            continue;
        derived = true;
        found.original = child_text(eprints, item, "uri");
    }
    if (derived && text_equal(found.bundle, TEXT("ORIGINAL")))
        found.bundle = TEXT("DERIVED");
    return found;
}

static enum error_code
check_file(struct eprints *eprints, struct package *package, const struct xml_node *node, struct upload *upload,
           struct error *error)
{
    unsigned char expected[DIGEST_SIZE_MAX];
    enum digest_algorithm algorithm;
    struct text size = child_text(eprints, node, "filesize"), hash = child_text(eprints, node, "hash");
    uint64_t said;
    if (size.length > 0 && (!text_to_u64(size, &said) || said != upload_size(upload)))
        return error_set(error, ERROR_INVALID, "filesize is %.*s, and %llu bytes are there", TEXT_ARG(size),
                         (unsigned long long)upload_size(upload));
    if (hash.length == 0)
        return ERROR_NONE;
    if (!algorithm_of(eprints, node, &algorithm) || !upload_digest(upload, algorithm, expected)) {
        package_note(package, "hash of line %ld not checked: its hash_type is not known before the data", xml_line(node));
        return ERROR_NONE;
    }
    if (!hex_decode(hash, expected, digest_size(algorithm)))
        return error_set(error, ERROR_INVALID, "a hash that is not of its type");
    return upload_check_digest(upload, algorithm, expected, error);
}

struct document {
    const struct xml_node *node;
    struct derivation derivation;
    struct text position, main, group;
    bool first;
};

/* Files come in the order of the document, so that the first look finds it. */
static struct upload **
upload_of(struct eprints *eprints, const struct xml_node *data)
{
    size_t at = eprints->next;
    while (at < eprints->count && eprints->data[at].element != data)
        at++;
    ensure(at < eprints->count); /* each data element of the document went through end_data() */
    eprints->next = at + 1;
    return &eprints->data[at].upload;
}

static enum error_code
add_file(struct eprints *eprints, struct package *package, const struct document *document, const struct xml_node *node,
         struct error *error)
{
    struct text name = child_text(eprints, node, "filename"), type = child_text(eprints, node, "mime_type");
    struct text format = child_text(eprints, document->node, "format");
    const struct xml_node *data = xml_child(node, EPRINTS_NAMESPACE, "data");
    if (data == NULL) {
        package_note(package, "file \"%.*s\" of line %ld is only named: its URL is not followed", TEXT_ARG(name), xml_line(node));
        return ERROR_NONE;
    }
    struct upload **upload = upload_of(eprints, data);
    struct member_name safe;
    const struct member_raw raw = {name, MEMBER_LATIN_1, false};
    enum error_code code = member_name(eprints->arena, &raw, &safe, error);
    if (code == ERROR_NONE && (safe.folder || safe.path.length == 0))
        code = error_set(error, ERROR_INVALID, "a file without a name");
    if (code == ERROR_NONE)
        code = check_file(eprints, package, node, *upload, error);
    if (code != ERROR_NONE)
        return error_prefix(error, "line %ld, file \"%.*s\"", xml_line(node), TEXT_ARG(name));
    struct package_file file = {.bundle = document->derivation.bundle, .path = safe.path, .upload = *upload,
                                .size_bytes = upload_size(*upload), .group = document->group,
                                .description = child_text(eprints, document->node, "formatdesc")};
    file.media_type = type.length > 0 ? type : memchr(format.data, '/', format.length) != NULL ? format : TEXT("");
    file.primary = document->first && text_equal(name, document->main);
    if (package_has_file(package, file.bundle, file.path)) { /* two documents may each have a file of this name */
        const char *numbered = arena_printf(eprints->arena, "%.*s/%.*s", TEXT_ARG(document->position), TEXT_ARG(safe.path));
        file.original_name = name;
        file.path = text_from(numbered == NULL ? "" : numbered);
    }
    code = arena_status(eprints->arena, error);
    if (code == ERROR_NONE)
        code = package_add_file(package, &file, error);
    if (code == ERROR_NONE)
        *upload = NULL;
    return code;
}

/* The main file of the document that has this URI ("/id/document/12", with or without a host). */
static struct text
original_of(const struct eprints *eprints, struct text uri)
{
    const struct xml_node *original = key_table_find(&eprints->documents, reader_base_name(uri));
    return original == NULL ? TEXT("") : child_text(eprints, original, "main");
}

static enum error_code
index_documents(struct eprints *eprints, const struct xml_node *documents, struct error *error)
{
    enum error_code code = ERROR_NONE;
    key_table_release(&eprints->documents);
    xml_each(node, documents, EPRINTS_NAMESPACE, "document") {
        if (code == ERROR_NONE)
            code = key_table_add(&eprints->documents, child_text(eprints, node, "docid"), node, error);
    }
    key_table_sort(&eprints->documents);
    return code;
}

static enum error_code
read_security(struct eprints *eprints, struct package *package, const struct xml_node *document, struct error *error)
{
    struct text date = child_text(eprints, document, "date_embargo"), security = child_text(eprints, document, "security");
    enum error_code code = ERROR_NONE;
    if (date.length > 0)
        code = describe_embargo(package, date, error);
    else if (security.length > 0 && !text_equal(security, TEXT("public")))
        describe_closed(package, "a document's security is not public");
    return code == ERROR_NONE ? code : error_prefix(error, "line %ld, date_embargo", xml_line(document));
}

static enum error_code
read_documents(struct eprints *eprints, struct package *package, const struct xml_node *eprint, struct error *error)
{
    const struct xml_node *documents = xml_child(eprint, EPRINTS_NAMESPACE, "documents");
    uint64_t number = 0;
    enum error_code code = index_documents(eprints, documents, error);
    xml_each(node, documents, EPRINTS_NAMESPACE, "document") {
        struct document document = {.node = node, .first = number == 0, .position = child_text(eprints, node, "pos"),
                                    .main = child_text(eprints, node, "main")};
        uint64_t position;
        number++;
        if (!text_to_u64(document.position, &position))
            document.position = text_from(arena_printf(eprints->arena, "%llu", (unsigned long long)number));
        document.derivation = derivation_of(eprints, node);
        document.group = original_of(eprints, document.derivation.original);
        if (code == ERROR_NONE)
            code = read_security(eprints, package, node, error);
        xml_each(file, xml_child(node, EPRINTS_NAMESPACE, "files"), EPRINTS_NAMESPACE, "file") {
            if (code == ERROR_NONE)
                code = add_file(eprints, package, &document, file, error);
        }
        if (code != ERROR_NONE)
            return code;
    }
    return code;
}

/* ---- eprints ---- */

static enum error_code
read_eprint(struct eprints *eprints, struct packages *packages, const struct xml_node *eprint, struct error *error)
{
    struct package_file file = {.bundle = TEXT("METADATA"), .path = TEXT("eprint.xml"),
                                .media_type = TEXT("application/vnd.eprints.data+xml")};
    struct buffer bytes AV_CLEANUP(buffer_release) = {0};
    struct package *package = NULL;
    enum error_code code = packages_add(packages, eprints->request, &package, error);
    if (code != ERROR_NONE)
        return code;
    package_note(package, "eprint of line %ld", xml_line(eprint));
    package->identifier = arena_copy(package->arena, child_text(eprints, eprint, "eprintid"));
    code = describe_xml(package, eprints->request, "ep3", eprint, error);
    if (code == ERROR_NONE)
        code = read_documents(eprints, package, eprint, error);
    if (code == ERROR_NONE)
        code = xml_write_node(eprint, &bytes, error);
    if (code == ERROR_NONE)
        code = reader_add_bytes(package, eprints->request, buffer_text(&bytes), &file, error);
    return code == ERROR_NONE ? code : error_prefix(error, "eprint of line %ld", xml_line(eprint));
}

static enum error_code
read_document(struct eprints *eprints, struct packages *packages, const struct xml_node *root, struct error *error)
{
    if (xml_is(root, EPRINTS_NAMESPACE, "eprint"))
        return read_eprint(eprints, packages, root, error);
    if (!xml_is(root, EPRINTS_NAMESPACE, "eprints") && !xml_is(root, "", "eprints")) /* 3.0 left it without */
        return error_set(error, ERROR_INVALID, "not EPrints XML");
    xml_each(eprint, root, EPRINTS_NAMESPACE, "eprint") {
        enum error_code code = read_eprint(eprints, packages, eprint, error);
        if (code != ERROR_NONE)
            return code;
    }
    return packages->count > 0 ? ERROR_NONE : error_set(error, ERROR_INVALID, "there is no eprint in the document");
}

enum error_code
read_eprints(const struct package_request *request, struct packages *packages, struct error *error)
{
    struct arena arena AV_CLEANUP(arena_release) = {0};
    struct eprints eprints AV_CLEANUP(eprints_release) = {.request = request, .arena = &arena};
    struct xml_document *document AV_CLEANUP(xml_document_clean) = NULL;
    struct xml_limits limits = xml_limits_default();
    struct xml_diversion diversion = {.namespace_uri = EPRINTS_NAMESPACE, .name = "data", .begin = begin_data,
                                      .text = add_data, .end = end_data, .context = &eprints};
    struct xml_source source = {.read = read_source, .context = &eprints, .limits = &limits, .diversion = &diversion};
    limits.bytes = (size_t)request->limits.package_metadata_bytes;
    enum error_code code = xml_document_read(&source, &document, error);
    if (code == ERROR_NONE)
        code = read_document(&eprints, packages, xml_root(document), error);
    return code == ERROR_NONE ? arena_status(&arena, error) : code;
}
