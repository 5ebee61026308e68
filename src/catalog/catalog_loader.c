/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading a RocksDB catalog from sorted keys: tables of about 128 MiB are written beside where they
 * belong and taken in by moving. They do not overlap, so all go to the bottom level: loaded is
 * compacted. See catalog.h.
 *
 *     filling --catalog_loader_finish()--> finished (its tables belong to the catalog)
 */
#include "catalog/catalog.h"

#include "base/ensure.h"
#include "catalog/rocksdb_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t table_bytes = 128u << 20;
enum { PUTS_BETWEEN_LOOKS = 1024 };

struct catalog_loader {
    char *path;
    bool made_folder, finished;
    struct rocksdb_settings settings;
    rocksdb_envoptions_t *environment;
    rocksdb_sstfilewriter_t *writer; /* NULL between tables */
    char **tables;                   /* paths of all that were begun */
    size_t table_count, table_capacity;
    uint64_t puts; /* into the present table */
    struct buffer last_key;
    bool has_last_key;
    enum error_code failed; /* a table is spoilt: nothing more is taken */
};

/* A folder without a catalog in it: made when it is not there. */
static enum error_code
prepare_folder(struct catalog_loader *loader, struct error *error)
{
    struct buffer current = {0};
    if (mkdir(loader->path, 0755) == 0) {
        loader->made_folder = true;
        return ERROR_NONE;
    }
    if (errno != EEXIST)
        return error_set_errno(error, errno, "cannot create the folder %s", loader->path);
    buffer_printf(&current, "%s/CURRENT", loader->path);
    bool taken = access(buffer_string(&current), F_OK) == 0;
    buffer_release(&current);
    if (taken)
        return error_set(error, ERROR_EXISTS, "%s holds a catalog already", loader->path);
    return ERROR_NONE;
}

enum error_code
catalog_loader_new(const char *path, struct catalog_loader **ret_loader, struct error *error)
{
    const struct catalog_rocksdb_options options = {.path = path, .cache_bytes = 8u << 20};
    struct catalog_loader *loader = calloc(1, sizeof *loader);
    ensure(loader != NULL);
    loader->path = text_copy(text_from(path));
    rocksdb_settings_init(&loader->settings, &options);
    loader->environment = rocksdb_envoptions_create();
    enum error_code code = prepare_folder(loader, error);
    if (code != ERROR_NONE) {
        catalog_loader_free(loader);
        return code;
    }
    *ret_loader = loader;
    return ERROR_NONE;
}

static void
remember_table(struct catalog_loader *loader)
{
    struct buffer path = {0};
    if (loader->table_count == loader->table_capacity) {
        loader->table_capacity = loader->table_capacity == 0 ? 16 : loader->table_capacity * 2;
        loader->tables = realloc(loader->tables, loader->table_capacity * sizeof *loader->tables);
        ensure(loader->tables != NULL);
    }
    buffer_printf(&path, "%s/load-%06zu", loader->path, loader->table_count);
    loader->tables[loader->table_count++] = text_copy(buffer_text(&path));
    buffer_release(&path);
}

static enum error_code
begin_table(struct catalog_loader *loader, struct error *error)
{
    char *message = NULL;
    remember_table(loader);
    loader->writer = rocksdb_sstfilewriter_create(loader->environment, loader->settings.options);
    loader->puts = 0;
    rocksdb_sstfilewriter_open(loader->writer, loader->tables[loader->table_count - 1], &message);
    return rocksdb_failure(message, error, "cannot begin a table");
}

static enum error_code
end_table(struct catalog_loader *loader, struct error *error)
{
    char *message = NULL;
    if (loader->writer == NULL)
        return ERROR_NONE;
    rocksdb_sstfilewriter_finish(loader->writer, &message);
    rocksdb_sstfilewriter_destroy(loader->writer);
    loader->writer = NULL;
    return rocksdb_failure(message, error, "cannot end a table");
}

static enum error_code
check_ascending(struct catalog_loader *loader, struct text key, struct error *error)
{
    if (loader->has_last_key && text_compare(buffer_text(&loader->last_key), key) >= 0)
        return error_set(error, ERROR_CORRUPT, "keys to load are not strictly ascending");
    buffer_clear(&loader->last_key);
    buffer_append_text(&loader->last_key, key);
    loader->has_last_key = true;
    return buffer_status(&loader->last_key, error);
}

static enum error_code
put_into_table(struct catalog_loader *loader, struct text key, struct text value,
               struct error *error)
{
    char *message = NULL;
    if (loader->writer == NULL) {
        enum error_code code = begin_table(loader, error);
        if (code != ERROR_NONE)
            return code;
    }
    rocksdb_sstfilewriter_put(loader->writer, key.data, key.length, value.data, value.length,
                              &message);
    if (message != NULL)
        return rocksdb_failure(message, error, "cannot write a table");
    if (++loader->puts % PUTS_BETWEEN_LOOKS != 0)
        return ERROR_NONE;
    uint64_t size = 0;
    rocksdb_sstfilewriter_file_size(loader->writer, &size);
    return size < table_bytes ? ERROR_NONE : end_table(loader, error);
}

enum error_code
catalog_loader_put(struct catalog_loader *loader, struct text key, struct text value,
                   struct error *error)
{
    ensure(!loader->finished);
    if (loader->failed != ERROR_NONE)
        return error_set(error, loader->failed, "loading the catalog has failed before");
    enum error_code code = check_ascending(loader, key, error);
    if (code == ERROR_NONE)
        code = put_into_table(loader, key, value, error);
    loader->failed = code;
    return code;
}

static enum error_code
ingest(struct catalog_loader *loader, rocksdb_t *db, struct error *error)
{
    char *message = NULL;
    if (loader->table_count == 0)
        return ERROR_NONE;
    rocksdb_ingestexternalfileoptions_t *options = rocksdb_ingestexternalfileoptions_create();
    rocksdb_ingestexternalfileoptions_set_move_files(options, 1);
    union {
        char **ours;
        const char *const *theirs;
    } tables = {.ours = loader->tables};
    rocksdb_ingest_external_file(db, tables.theirs, loader->table_count, options, &message);
    rocksdb_ingestexternalfileoptions_destroy(options);
    return rocksdb_failure(message, error, "cannot take in the tables");
}

enum error_code
catalog_loader_finish(struct catalog_loader *loader, struct error *error)
{
    char *message = NULL;
    ensure(!loader->finished);
    if (loader->failed != ERROR_NONE)
        return error_set(error, loader->failed, "loading the catalog has failed before");
    enum error_code code = end_table(loader, error);
    if (code != ERROR_NONE)
        return loader->failed = code;
    rocksdb_t *db = rocksdb_open(loader->settings.options, loader->path, &message);
    if (message != NULL)
        return loader->failed = rocksdb_failure(message, error, "cannot open the catalog");
    code = ingest(loader, db, error);
    rocksdb_close(db);
    loader->failed = code;
    loader->finished = code == ERROR_NONE;
    return code;
}

static void
remove_what_was_made(struct catalog_loader *loader)
{
    char *message = NULL;
    for (size_t i = 0; i < loader->table_count; i++)
        unlink(loader->tables[i]);
    if (loader->failed != ERROR_NONE || loader->made_folder)
        rocksdb_destroy_db(loader->settings.options, loader->path, &message);
    rocksdb_free(message);
    if (loader->made_folder)
        rmdir(loader->path);
}

void
catalog_loader_free(struct catalog_loader *loader)
{
    if (loader == NULL)
        return;
    if (loader->writer != NULL)
        rocksdb_sstfilewriter_destroy(loader->writer);
    if (!loader->finished)
        remove_what_was_made(loader);
    for (size_t i = 0; i < loader->table_count; i++)
        free(loader->tables[i]);
    free(loader->tables);
    buffer_release(&loader->last_key);
    rocksdb_envoptions_destroy(loader->environment);
    rocksdb_settings_release(&loader->settings);
    free(loader->path);
    free(loader);
}
