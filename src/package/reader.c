/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of packages share: files from members, bytes and sources, and lines of the report. */
#include "package/reader.h"

#include "xml/xml_read.h"

enum { CHUNK_BYTES = 64 << 10 };

/* ---- bytes ---- */

enum error_code
reader_text_of(struct upload *upload, struct buffer *ret_text, struct error *error)
{
    size_t size = (size_t)upload_size(upload);
    char *to = buffer_reserve(ret_text, size + 1);
    if (to == NULL)
        return buffer_status(ret_text, error);
    enum error_code code = upload_read(upload, 0, to, size, error);
    if (code == ERROR_NONE)
        ret_text->length += size;
    return code;
}

enum error_code
reader_source_text(const struct package_request *request, struct buffer *ret_text, struct error *error)
{
    const struct package_source *source = &request->source;
    if (source->size_bytes > request->limits.package_metadata_bytes)
        return error_set(error, ERROR_LIMIT, "a document of %llu bytes is over package_metadata_bytes (%llu)",
                         (unsigned long long)source->size_bytes,
                         (unsigned long long)request->limits.package_metadata_bytes);
    size_t size = (size_t)source->size_bytes;
    char *to = buffer_reserve(ret_text, size + 1);
    if (to == NULL)
        return buffer_status(ret_text, error);
    enum error_code code = size == 0 ? ERROR_NONE : source->read(source->context, 0, to, size, error);
    if (code == ERROR_NONE)
        ret_text->length += size;
    return code;
}

static enum error_code
copy_chunks(const struct package_source *source, struct upload *upload, struct error *error)
{
    char *chunk = malloc(CHUNK_BYTES);
    enum error_code code = ERROR_NONE;
    if (chunk == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory to copy a file");
    for (uint64_t at = 0; at < source->size_bytes && code == ERROR_NONE;) {
        uint64_t left = source->size_bytes - at;
        size_t length = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
        code = source->read(source->context, at, chunk, length, error);
        if (code == ERROR_NONE)
            code = upload_write(upload, chunk, length, error);
        at += length;
    }
    free(chunk);
    return code;
}

enum error_code
reader_copy_source(const struct package_request *request, struct upload **ret_upload, struct error *error)
{
    struct upload *upload = NULL;
    enum error_code code = package_upload(request, 0, &upload, error);
    if (code == ERROR_NONE)
        code = copy_chunks(&request->source, upload, error);
    if (code == ERROR_NONE)
        code = upload_finish(upload, error);
    if (code != ERROR_NONE) {
        upload_free(upload);
        return code;
    }
    *ret_upload = upload;
    return ERROR_NONE;
}

/* ---- files ---- */

enum error_code
reader_add_member(struct package *package, struct unpack *unpack, struct member *member, const struct package_file *file,
                  struct error *error)
{
    struct package_file added = *file;
    enum error_code code = unpack_member(unpack, member, 0, error);
    if (code != ERROR_NONE)
        return code;
    if (added.path.length == 0)
        added.path = member->path;
    if (added.original_name.length == 0 && !text_equal(member->original, added.path))
        added.original_name = member->original;
    added.upload = member->upload;
    added.size_bytes = member->size_bytes;
    code = package_add_file(package, &added, error);
    if (code == ERROR_NONE)
        member->upload = NULL;
    return code;
}

enum error_code
reader_add_bytes(struct package *package, const struct package_request *request, struct text bytes,
                 const struct package_file *file, struct error *error)
{
    struct package_file added = *file;
    enum error_code code = package_upload(request, 0, &added.upload, error);
    if (code != ERROR_NONE)
        return code;
    code = upload_write(added.upload, bytes.data, bytes.length, error);
    if (code == ERROR_NONE)
        code = upload_finish(added.upload, error);
    added.size_bytes = bytes.length;
    if (code == ERROR_NONE)
        code = package_add_file(package, &added, error);
    if (code != ERROR_NONE)
        upload_free(added.upload);
    return code;
}

enum error_code
reader_member_xml(struct unpack *unpack, struct member *member, struct xml_document **ret_document, struct error *error)
{
    struct buffer bytes AV_CLEANUP(buffer_release) = {0};
    enum error_code code = unpack_text(unpack, member, &bytes, error);
    if (code != ERROR_NONE)
        return code;
    code = xml_document_parse(buffer_text(&bytes), ret_document, error);
    if (code != ERROR_NONE)
        error_prefix(error, "%.*s", TEXT_ARG(member->original));
    return code;
}

/* ---- text ---- */

uint64_t
reader_hash(uint64_t hash, struct text text)
{
    for (size_t i = 0; i < text.length; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * UINT64_C(1099511628211);
    return hash;
}

struct text
reader_base_name(struct text path)
{
    for (size_t at = path.length; at > 0; at--) {
        if (path.data[at - 1] == '/')
            return text_of(path.data + at, path.length - at);
    }
    return path;
}

struct text
reader_cut_line(struct text text, struct text *rest)
{
    size_t length = 0;
    while (length < text.length && text.data[length] != '\n' && text.data[length] != '\r')
        length++;
    size_t used = length;
    if (used < text.length && text.data[used] == '\r')
        used++;
    if (used < text.length && text.data[used] == '\n' && (used == length || used == length + 1))
        used++;
    *rest = used >= text.length ? (struct text){NULL, 0} : text_of(text.data + used, text.length - used);
    return text_of(text.data, length);
}

/* ---- the report ---- */

static bool
is_left_by_a_system(struct text path)
{
    struct text name = reader_base_name(path);
    return text_starts_with(path, TEXT("__MACOSX/")) || text_equal(name, TEXT(".DS_Store")) ||
           text_equal(name, TEXT("Thumbs.db")) || text_equal(name, TEXT("desktop.ini"));
}

void
reader_note_list(struct package *package, const struct unpack *unpack)
{
    package_note(package, "%s of %zu files, %llu bytes unpacked", unpack->zip ? "zip" : "tar", unpack->file_count,
                 (unsigned long long)unpack->total_bytes);
    for (size_t i = 0; i < unpack->count; i++) {
        const struct member *member = &unpack->members[i];
        if (member->guessed)
            package_note(package, "the name of entry %zu is not UTF-8: read as \"%.*s\"", i + 1, TEXT_ARG(member->original));
        if (member->empty && member->path.length > 0)
            package_note(package, "folder \"%.*s\" is empty: not kept", TEXT_ARG(member->path));
        if (!member->folder && is_left_by_a_system(member->path))
            package_note(package, "\"%.*s\" is a file of the sender's system: kept as any other", TEXT_ARG(member->path));
    }
}

void
reader_note_contents(struct package *package)
{
    for (size_t i = 0; i < package->fields.count; i++) {
        const struct field *field = &package->fields.items[i];
        package_note(package, "field %.*s.%.*s%s%.*s: %.*s", TEXT_ARG(field->schema), TEXT_ARG(field->element),
                     field->qualifier.length > 0 ? "." : "", TEXT_ARG(field->qualifier),
                     (int)(field->value.length < 200 ? field->value.length : 200), field->value.data);
    }
    for (size_t i = 0; i < package->file_count; i++) {
        const struct package_file *file = &package->files[i];
        package_note(package, "file %.*s/%.*s, %llu bytes%s%s%.*s", TEXT_ARG(file->bundle), TEXT_ARG(file->path),
                     (unsigned long long)file->size_bytes, file->primary ? ", primary" : "",
                     file->media_type.length > 0 ? ", " : "", TEXT_ARG(file->media_type));
    }
}
