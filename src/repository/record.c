/* SPDX-License-Identifier: Apache-2.0 */
/* An item as harvesters get it: its public fields and files through a crosswalk, kept in memory until it changes. */
#include "base/ensure.h"
#include "format/date.h"
#include "metadata/crosswalk.h"
#include "repository/record_cache.h"
#include "repository/repository_private.h"

/* X(format): those whose crosswalk names files */
#define FORMATS_WITH_FILES(X) X("didl") X("mets") X("ore")

static bool
names_files(const char *format)
{
#define X(word)                                                                                    \
    if (strcmp(format, word) == 0)                                                                 \
        return true;
    FORMATS_WITH_FILES(X)
#undef X
    return false;
}

/* ---- files --------------------------------------------------------------------------------------------- */

struct files {
    struct arena *arena;
    struct text base_url;
    struct crosswalk_file *items;
    size_t count, capacity;
};

/* "md5:… sha-256:…" to the first's digits, or "". */
static struct text
md5_of(struct text fixity)
{
    struct text rest = fixity, digits;
    while (rest.length > 0) {
        struct text algorithm = text_cut(text_cut(rest, ' ', &rest), ':', &digits);
        if (text_equal(algorithm, TEXT("md5")))
            return digits;
    }
    return TEXT("");
}

static bool
add_file(void *context, const struct bitstream *b)
{
    struct files *files = context;
    if (files->count == files->capacity) {
        size_t capacity = files->capacity == 0 ? 8 : files->capacity * 2;
        struct crosswalk_file *items = arena_alloc(files->arena, capacity * sizeof *items);
        if (items == NULL)
            return false;
        if (files->count > 0)
            memcpy(items, files->items, files->count * sizeof *items);
        files->items = items;
        files->capacity = capacity;
    }
    struct text below = join_text(files->arena, b->uuid, "", TEXT("/download"));
    files->items[files->count] = (struct crosswalk_file){
        .url = join_text(files->arena, files->base_url, "/bitstreams/", below),
        .name = arena_copy(files->arena, b->path),
        .media_type = b->resource.media_type.length > 0 ? arena_copy(files->arena, b->resource.media_type)
                                                        : TEXT("application/octet-stream"),
        .description = arena_copy(files->arena, b->description),
        .md5 = arena_copy(files->arena, md5_of(b->resource.fixity)),
        .security = TEXT("public"),
        .size_bytes = b->resource.size_bytes,
        .document = b->document,
        .position = files->count + 1,
    };
    files->count++;
    return true;
}

/* ---- the record ---------------------------------------------------------------------------------------- */

static enum error_code
make_record(struct repository *repository, struct view *view, uint64_t id, const struct record_options *options,
            struct buffer *buffer, struct error *error)
{
    struct arena *arena = view_arena(view);
    struct entity item;
    struct fields fields;
    enum error_code code = repository_by_id(repository, view, id, &item, error);
    if (code != ERROR_NONE)
        return code;
    struct files files = {.arena = arena, .base_url = options->base_url};
    char date[DATE_TEXT_SIZE];
    size_t date_length = date_write(options->datestamp_us, DATE_SECONDS, date);
    struct xslt_parameter parameters[] = {{"url", repository_handle_uri(repository, item.handle, arena)},
                                          {"identifier", options->identifier},
                                          {"datestamp", text_of(date, date_length)}};
    code = repository_fields(repository, view, &item, false, &fields, error);
    if (code == ERROR_NONE && names_files(options->format))
        code = repository_bitstreams(repository, view, &item, TEXT("ORIGINAL"), add_file, &files, error);
    if (code == ERROR_NONE)
        code = arena_status(arena, error);
    struct crosswalk_record record = {.fields = &fields,
                                      .files = files.items,
                                      .file_count = files.count,
                                      .parameters = parameters,
                                      .parameter_count = sizeof parameters / sizeof parameters[0]};
    return code != ERROR_NONE ? code : crosswalk_out(repository->crosswalks, options->format, &record, buffer, error);
}

/* All that a record depends on. The datestamp moves with access to its files, which its counter does not count. */
static void
write_key(const struct resource *item, const struct record_options *options, struct buffer *key)
{
    buffer_append_varint(key, item->id);
    buffer_append_varint(key, item->counter);
    buffer_append_varint(key, (uint64_t)options->datestamp_us);
    buffer_append_counted(key, text_from(options->format));
    buffer_append_counted(key, options->identifier);
    if (names_files(options->format))
        buffer_append_counted(key, options->base_url);
}

enum error_code
repository_record(struct repository *repository, struct view *view, uint64_t id, const struct record_options *options,
                  struct buffer *buffer, struct error *error)
{
    struct resource item;
    struct buffer key = {0};
    size_t before = buffer->length;
    enum error_code code = view_get(view, id, &item, error); /* whether it may be seen is asked each time */
    if (code != ERROR_NONE)
        return code;
    write_key(&item, options, &key);
    if (!record_cache_get(repository->records, buffer_text(&key), buffer)) {
        code = make_record(repository, view, id, options, buffer, error);
        if (code == ERROR_NONE)
            code = buffer_status(buffer, error);
        if (code == ERROR_NONE)
            record_cache_put(repository->records, buffer_text(&key), text_of(buffer->data + before, buffer->length - before));
    }
    buffer_release(&key);
    return code;
}
