/* SPDX-License-Identifier: Apache-2.0 */
/* Items as directories: see saf_export.h. */
#include "repository/saf_export.h"

#include "repository/repository_private.h"
#include "xml/xml_write.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES (256u << 10)

struct export {
    struct repository *repository;
    struct view *view;
    const struct entity *item;
    const char *path;
    int folder;
    struct bitstream *files;
    size_t count, capacity;
    struct arena arena;
    struct error *error;
    enum error_code code; /* of the list of files */
};

/* ---- small files ---------------------------------------------------------------------------------------------- */

static enum error_code
write_all(int fd, struct text bytes, const char *name, struct error *error)
{
    while (bytes.length > 0) {
        ssize_t put = write(fd, bytes.data, bytes.length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return error_set_errno(error, errno, "%s", name);
        bytes = text_of(bytes.data + put, bytes.length - (size_t)put);
    }
    return ERROR_NONE;
}

/* Makes the folders above it. */
static enum error_code
create(const struct export *export, const char *name, int *ret_fd, struct error *error)
{
    char *path = text_copy(text_from(name));
    enum error_code code = ERROR_NONE;
    for (char *slash = strchr(path, '/'); slash != NULL && code == ERROR_NONE; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdirat(export->folder, path, 0777) != 0 && errno != EEXIST)
            code = error_set_errno(error, errno, "%s/%s", export->path, path);
        *slash = '/';
    }
    free(path);
    if (code != ERROR_NONE)
        return code;
    *ret_fd = openat(export->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    return *ret_fd < 0 ? error_set_errno(error, errno, "%s/%s", export->path, name) : ERROR_NONE;
}

static enum error_code
finish(int fd, enum error_code code, const char *name, struct error *error)
{
    if (code == ERROR_NONE && fdatasync(fd) != 0)
        code = error_set_errno(error, errno, "%s", name);
    close(fd);
    return code;
}

static enum error_code
write_file(const struct export *export, const char *name, struct text bytes, struct error *error)
{
    int fd;
    enum error_code code = create(export, name, &fd, error);
    return code != ERROR_NONE ? code : finish(fd, write_all(fd, bytes, name, error), name, error);
}

/* ---- fields --------------------------------------------------------------------------------------------------- */

static void
put_number(struct xml_writer *xml, const char *name, size_t number)
{
    char digits[24];
    xml_put_attribute(xml, name, text_of(digits, decimal_write(digits, number)));
}

static void
put_field(struct xml_writer *xml, const struct field *field, size_t place)
{
    xml_begin_element(xml, "dcvalue");
    xml_put_attribute(xml, "element", field->element);
    xml_put_attribute(xml, "qualifier", field->qualifier.length > 0 ? field->qualifier : TEXT("none"));
    if (field->language.length > 0)
        xml_put_attribute(xml, "language", field->language);
    if (field->authority.length > 0)
        xml_put_attribute(xml, "authority", field->authority);
    if (field->confidence >= 0)
        put_number(xml, "confidence", (size_t)field->confidence);
    put_number(xml, "place", place);
    xml_put_text(xml, field->value);
    xml_end_element(xml);
}

/* dublin_core.xml, or metadata_SCHEMA.xml. */
static enum error_code
write_schema(const struct export *export, const struct fields *fields, struct text schema, struct error *error)
{
    struct buffer document AV_CLEANUP(buffer_release) = {0}, name AV_CLEANUP(buffer_release) = {0};
    struct xml_writer xml = xml_writer(&document);
    xml_put_declaration(&xml);
    xml_begin_element(&xml, "dublin_core");
    xml_put_attribute(&xml, "schema", schema);
    for (size_t i = 0; i < fields->count; i++)
        if (text_equal(fields->items[i].schema, schema))
            put_field(&xml, &fields->items[i], i + 1);
    xml_end_element(&xml);
    if (text_equal(schema, TEXT("dc")))
        buffer_append_string(&name, "dublin_core.xml");
    else
        buffer_printf(&name, "metadata_%.*s.xml", TEXT_ARG(schema));
    enum error_code code = buffer_status(&document, error);
    return code != ERROR_NONE ? code : write_file(export, buffer_string(&name), buffer_text(&document), error);
}

static bool
is_first_of_schema(const struct fields *fields, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (text_equal(fields->items[i].schema, fields->items[index].schema))
            return false;
    return true;
}

static enum error_code
write_fields(const struct export *export, bool all, struct error *error)
{
    struct fields fields;
    enum error_code code = repository_fields(export->repository, export->view, export->item, all, &fields, error);
    if (code == ERROR_NONE)
        code = write_schema(export, &fields, TEXT("dc"), error);
    for (size_t i = 0; code == ERROR_NONE && i < fields.count; i++)
        if (!text_equal(fields.items[i].schema, TEXT("dc")) && is_first_of_schema(&fields, i))
            code = write_schema(export, &fields, fields.items[i].schema, error);
    return code;
}

/* ---- files ---------------------------------------------------------------------------------------------------- */

/* The documents that an import made of this directory's own metadata come again with the next import. Relations are lines about
 * directories of that batch: they mean nothing in this one. */
static bool
is_own_document(const struct bitstream *file)
{
    return text_equal(file->bundle, TEXT(BUNDLE_METADATA)) &&
           (text_equal(file->path, TEXT("dublin_core.xml")) ||
            text_equal(file->path, TEXT("relationships")) ||
            (text_starts_with(file->path, TEXT("metadata_")) && text_ends_with(file->path, TEXT(".xml"))));
}

static bool
note_file(void *context, const struct bitstream *bitstream)
{
    struct export *export = context;
    if (is_own_document(bitstream))
        return true;
    if (export->count == export->capacity) {
        size_t capacity = export->capacity == 0 ? 16 : export->capacity * 2;
        struct bitstream *files = realloc(export->files, capacity * sizeof *files);
        if (files == NULL) {
            export->code = error_set(export->error, ERROR_NO_MEMORY, "no memory for the files of an item");
            return false;
        }
        export->files = files;
        export->capacity = capacity;
    }
    struct bitstream *file = &export->files[export->count++];
    *file = *bitstream;
    file->bundle = arena_copy(&export->arena, bitstream->bundle);
    file->path = arena_copy(&export->arena, bitstream->path);
    file->description = arena_copy(&export->arena, bitstream->description);
    return true;
}

static int
compare_sequences(const void *a, const void *b)
{
    const struct bitstream *x = a, *y = b;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static bool
is_reserved(struct text name)
{
    static const char *const names[] = {"dublin_core.xml", "contents", "handle", "collections", "relationships", "embargo"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_equal(name, text_from(names[i])))
            return true;
    return text_starts_with(name, TEXT("metadata_")) && text_ends_with(name, TEXT(".xml"));
}

static enum error_code
check_name(const struct bitstream *file, struct error *error)
{
    if (is_reserved(file->path))
        return error_set(error, ERROR_INVALID, "the Simple Archive Format has a file %.*s of its own", TEXT_ARG(file->path));
    for (size_t i = 0; i < file->path.length; i++)
        if ((unsigned char)file->path.data[i] < ' ')
            return error_set(error, ERROR_INVALID, "a file's name has a control character in it");
    return ERROR_NONE;
}

static enum error_code
copy_content(const struct export *export, const struct bitstream *file, int fd, const char *name, struct error *error)
{
    struct content_reader *reader;
    enum error_code code = view_content(export->view, &file->resource, 0, &reader, error);
    if (code != ERROR_NONE)
        return code;
    char *chunk = malloc(CHUNK_BYTES);
    if (chunk == NULL)
        code = error_set(error, ERROR_NO_MEMORY, "no memory for content");
    uint64_t size = content_reader_size(reader);
    for (uint64_t at = 0; at < size && code == ERROR_NONE; at += CHUNK_BYTES) {
        size_t length = size - at < CHUNK_BYTES ? (size_t)(size - at) : CHUNK_BYTES;
        code = content_reader_read(reader, at, chunk, length, error);
        if (code == ERROR_NONE)
            code = write_all(fd, text_of(chunk, length), name, error);
    }
    free(chunk);
    content_reader_close(reader);
    return code;
}

static enum error_code
write_content(const struct export *export, const struct bitstream *file, struct error *error)
{
    char *name = text_copy(file->path);
    int fd;
    enum error_code code = check_name(file, error);
    if (code == ERROR_NONE)
        code = create(export, name, &fd, error);
    if (code == ERROR_NONE)
        code = finish(fd, copy_content(export, file, fd, name, error), name, error);
    free(name);
    return code;
}

static void
contents_line(const struct bitstream *file, struct buffer *out)
{
    buffer_printf(out, "%.*s\tbundle:%.*s", TEXT_ARG(file->path), TEXT_ARG(file->bundle));
    if (file->primary)
        buffer_append_string(out, "\tprimary:true");
    if (file->description.length > 0) {
        buffer_append_string(out, "\tdescription:");
        for (size_t i = 0; i < file->description.length; i++) /* a line of words between tabs */
            buffer_append_char(out, (unsigned char)file->description.data[i] < ' ' ? ' ' : file->description.data[i]);
    }
    buffer_printf(out, "\tsequence:%llu\n", (unsigned long long)file->sequence);
}

/* `contents` last: it is the sign that all is there. */
static enum error_code
write_files(struct export *export, struct error *error)
{
    struct buffer contents AV_CLEANUP(buffer_release) = {0};
    export->error = error;
    enum error_code code = repository_bitstreams(export->repository, export->view, export->item, TEXT(""), note_file, export, error);
    if (code == ERROR_NONE)
        code = export->code != ERROR_NONE ? export->code : arena_status(&export->arena, error);
    if (code == ERROR_NONE && export->count > 0)
        qsort(export->files, export->count, sizeof *export->files, compare_sequences);
    for (size_t i = 0; i < export->count && code == ERROR_NONE; i++) {
        code = write_content(export, &export->files[i], error);
        contents_line(&export->files[i], &contents);
    }
    if (code == ERROR_NONE)
        code = buffer_status(&contents, error);
    return code != ERROR_NONE ? code : write_file(export, "contents", buffer_text(&contents), error);
}

/* ---- the item ------------------------------------------------------------------------------------------------- */

static enum error_code
write_line(const struct export *export, const char *name, struct text line, struct error *error)
{
    struct buffer bytes AV_CLEANUP(buffer_release) = {0};
    if (line.length == 0)
        return ERROR_NONE;
    buffer_printf(&bytes, "%.*s\n", TEXT_ARG(line));
    return write_file(export, name, buffer_text(&bytes), error);
}

static enum error_code
write_places(const struct export *export, struct error *error)
{
    struct entity collection;
    struct text embargo;
    enum error_code code = write_line(export, "handle", export->item->handle, error);
    if (code == ERROR_NONE)
        code = repository_by_id(export->repository, export->view, export->item->resource.parent, &collection, error);
    if (code == ERROR_NONE)
        code = write_line(export, "collections", collection.handle, error);
    if (code == ERROR_NONE)
        code = statement_value(export->view, export->item->resource.id, attribute_text(ATTRIBUTE_EMBARGO), &embargo, error);
    return code != ERROR_NONE ? code : write_line(export, "embargo", embargo, error);
}

enum error_code
saf_export_item(struct repository *repository, struct view *view, const struct entity *item, const char *folder, bool all,
                struct error *error)
{
    struct export export = {.repository = repository, .view = view, .item = item, .path = folder, .folder = -1};
    enum error_code code = ERROR_NONE;
    if (mkdir(folder, 0777) != 0 || (export.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)) < 0)
        code = error_set_errno(error, errno, "%s", folder);
    if (code == ERROR_NONE)
        code = write_fields(&export, all, error);
    if (code == ERROR_NONE)
        code = write_places(&export, error);
    if (code == ERROR_NONE)
        code = write_files(&export, error);
    if (export.folder >= 0)
        close(export.folder);
    free(export.files);
    arena_release(&export.arena);
    return code;
}
