/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model on simulated devices, archives built in memory (zips by zip_builder.h, others by libarchive), and what a package is
 * compared by. Life: world_init() - use - world_release().
 */
#ifndef ARCHIVOLT_TESTS_PACKAGE_FIXTURE_H
#define ARCHIVOLT_TESTS_PACKAGE_FIXTURE_H

#include "base/ensure.h"
#include "io/device.h"
#include "model/private.h"
#include "package/package.h"
#include "volume/store.h"
#include "zip_builder.h"

#include <archive.h>
#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { SMALL_BYTES = 100000, TAR_BYTES_MAX = 4 << 20 };

struct world {
    struct device *volumes, *lost;
    struct catalog *catalog;
    struct clock_simulated clock;
    struct random_simulated random;
    struct model *model;
    struct crosswalk_set *crosswalks;
    struct arena arena;
    struct error error; /* of the last reading */
};

static inline void
world_init(struct world *w)
{
    struct device_simulated_options device = {.seed = 1};
    struct model_options options = {.folder = "/nowhere", .limits = model_limits_default(), .small_content_bytes = SMALL_BYTES};
    char token[TOKEN_TEXT_BYTES];
    memset(w, 0, sizeof *w);
    clock_simulated_init(&w->clock, INT64_C(1700000000000000), 1000);
    random_simulated_init(&w->random, 5);
    w->volumes = device_simulated_new(&device);
    w->lost = device_simulated_new(&device);
    w->catalog = catalog_memory_new();
    struct model_parts parts = {w->volumes, w->lost, w->catalog, &w->clock.clock, &w->random.source};
    assert_int_equal(model_create_parts(&options, &parts, token, &w->error), ERROR_NONE);
    assert_int_equal(model_open_parts(&options, &parts, &w->model, &w->error), ERROR_NONE);
    assert_int_equal(crosswalk_set_new(NULL, &w->crosswalks, &w->error), ERROR_NONE);
}

/* Nothing of what was refused may still hold memory or a bulk volume. */
static inline void
assert_nothing_left(const struct world *w)
{
    assert_int_equal(store_content_memory(w->model->store), 0);
}

static inline void
world_release(struct world *w)
{
    assert_nothing_left(w);
    crosswalk_set_free(w->crosswalks);
    model_close(w->model);
    catalog_close(w->catalog);
    device_free(w->volumes);
    device_free(w->lost);
    arena_release(&w->arena);
}

/* ---- archives by libarchive ---- */

struct packed_part {
    const char *name;
    const void *data;
    size_t length;
    const char *link; /* a symbolic link to it, when not NULL */
};

/* "zip" (deflated), "tar" or "tar.gz". */
static inline struct buffer
pack(const char *format, const struct packed_part *parts, size_t count)
{
    struct buffer out = {0};
    size_t used = 0;
    char *to = malloc(TAR_BYTES_MAX);
    struct archive *archive = archive_write_new();
    ensure(to != NULL && archive != NULL);
    if (strcmp(format, "zip") == 0)
        archive_write_set_format_zip(archive);
    else
        archive_write_set_format_pax_restricted(archive);
    if (strcmp(format, "tar.gz") == 0)
        archive_write_add_filter_gzip(archive);
    assert_int_equal(archive_write_open_memory(archive, to, TAR_BYTES_MAX, &used), ARCHIVE_OK);
    for (size_t i = 0; i < count; i++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_copy_pathname(entry, parts[i].name);
        archive_entry_set_size(entry, (la_int64_t)parts[i].length);
        archive_entry_set_filetype(entry, parts[i].link != NULL ? AE_IFLNK : AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        if (parts[i].link != NULL)
            archive_entry_set_symlink(entry, parts[i].link);
        assert_true(archive_write_header(archive, entry) >= ARCHIVE_WARN);
        if (parts[i].length > 0)
            assert_int_equal(archive_write_data(archive, parts[i].data, parts[i].length), (la_ssize_t)parts[i].length);
        archive_entry_free(entry);
    }
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
    buffer_append(&out, to, used);
    free(to);
    return out;
}

/* ---- reading them ---- */

static inline enum error_code
fixture_read_buffer(void *context, uint64_t offset, void *data, size_t length, struct error *error)
{
    const struct buffer *buffer = context;
    (void)error;
    ensure(offset <= buffer->length && length <= buffer->length - offset);
    memcpy(data, buffer->data + offset, length);
    return ERROR_NONE;
}

static inline struct package_request
request_of(struct world *w, enum packaging packaging, struct buffer *bytes)
{
    struct package_request request = {.model = w->model, .arena = &w->arena, .limits = package_limits_default(),
                                      .packaging = packaging, .crosswalks = w->crosswalks};
    request.source = (struct package_source){bytes->length, fixture_read_buffer, bytes};
    w->error = (struct error){0};
    return request;
}

/* Reads and frees the bytes. */
static inline enum error_code
read_bytes(struct world *w, enum packaging packaging, struct buffer bytes, struct package *ret_package)
{
    struct package_request request = request_of(w, packaging, &bytes);
    enum error_code code = package_read(&request, ret_package, &w->error);
    buffer_release(&bytes);
    return code;
}

/* It is refused with this code, the message holds these words, and nothing is left. */
static inline void
assert_refused(struct world *w, enum packaging packaging, struct buffer bytes, enum error_code code, const char *words)
{
    struct package package;
    enum error_code found = read_bytes(w, packaging, bytes, &package);
    if (found != code || strstr(w->error.message, words) == NULL)
        fail_msg("code %s, \"%s\" and not %s with \"%s\"", error_word(found), found == ERROR_NONE ? "" : w->error.message,
                 error_word(code), words);
    assert_nothing_left(w);
}

static inline struct package
read_accepted(struct world *w, enum packaging packaging, struct buffer bytes)
{
    struct package package = {0};
    if (read_bytes(w, packaging, bytes, &package) != ERROR_NONE)
        fail_msg("refused: %s", w->error.message);
    return package;
}

/* ---- comparing ---- */

static inline const struct package_file *
find_file(const struct package *package, const char *bundle, const char *path)
{
    for (size_t i = 0; i < package->file_count; i++) {
        if (text_equal(package->files[i].bundle, text_from(bundle)) && text_equal(package->files[i].path, text_from(path)))
            return &package->files[i];
    }
    return NULL;
}

/* The file that must be there. */
static inline const struct package_file *
file_of(const struct package *package, const char *bundle, const char *path)
{
    const struct package_file *file = find_file(package, bundle, path);
    if (file == NULL)
        print_error("there is no file %s/%s\n", bundle, path);
    ensure(file != NULL);
    return file;
}

static inline void
assert_file(const struct package *package, const char *bundle, const char *path, const char *content)
{
    const struct package_file *file = file_of(package, bundle, path);
    size_t length = strlen(content);
    char found[4096];
    assert_int_equal(file->size_bytes, length);
    assert_int_equal(upload_size(file->upload), length);
    assert_int_equal(upload_read(file->upload, 0, found, length, NULL), ERROR_NONE);
    assert_memory_equal(found, content, length);
}

static inline size_t
count_files(const struct package *package, const char *bundle)
{
    size_t count = 0;
    for (size_t i = 0; i < package->file_count; i++)
        count += text_equal(package->files[i].bundle, text_from(bundle));
    return count;
}

/* "dc.title=…": the field at this place. */
static inline void
assert_field(const struct package *package, size_t at, const char *attribute_and_value)
{
    char found[4096];
    assert_true(at < package->fields.count);
    const struct field *field = &package->fields.items[at];
    snprintf(found, sizeof found, "%.*s.%.*s%s%.*s=%.*s", TEXT_ARG(field->schema), TEXT_ARG(field->element),
             field->qualifier.length > 0 ? "." : "", TEXT_ARG(field->qualifier), TEXT_ARG(field->value));
    assert_string_equal(found, attribute_and_value);
}

static inline void
assert_reported(struct package *package, const char *words)
{
    if (strstr(buffer_string(&package->report), words) == NULL)
        fail_msg("the report does not say \"%s\":\n%s", words, buffer_string(&package->report));
}

/* ---- the sample packages, where they are ---- */

/* Appends a file of the samples; false: they are not on this machine. */
static inline bool
read_sample(const char *name, struct buffer *ret_bytes)
{
    char path[1024], chunk[65536];
    const char *folder = getenv("ARCHIVOLT_SAMPLES");
    size_t got;
    snprintf(path, sizeof path, "%s/%s", folder == NULL ? ARCHIVOLT_SOURCE "/../shared/data" : folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0)
        buffer_append(ret_bytes, chunk, got);
    fclose(file);
    return true;
}

#endif
