/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Export: the OCFL storage root that extracting all volumes in order would give, written to an empty folder.
 * Every byte is read through the store and compared with the digest that the journal has of it.
 */
#include "base/ensure.h"
#include "model/maintenance.h"
#include "model/record/object_path.h"
#include "model/private.h"
#include "model/upkeep/journal_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES (1u << 20)

struct export {
    struct model *model;
    const char *folder;
    struct arena arena;
    struct line_content *contents; /* of the group under way */
    size_t content_count;
    struct buffer path, data;
    uint64_t files, last; /* last: sequence */
    maintenance_proceed *proceed;
    void *context;
};

static enum error_code
make_parents(struct export *x, struct error *error)
{
    char *path = x->path.data;
    for (char *slash = strchr(path + strlen(x->folder) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int made = mkdir(path, 0777);
        int why = errno;
        *slash = '/';
        if (made != 0 && why != EEXIST)
            return error_set_errno(error, why, "cannot make a folder in %s", x->folder);
    }
    return ERROR_NONE;
}

static enum error_code
write_all(int fd, const char *data, size_t length, struct error *error)
{
    while (length > 0) {
        ssize_t written = write(fd, data, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return error_set_errno(error, errno, "cannot write");
        data += written;
        length -= (size_t)written;
    }
    return ERROR_NONE;
}

static const struct line_content *
content_at(const struct export *x, struct place place)
{
    for (size_t i = 0; i < x->content_count; i++)
        if (x->contents[i].place.volume == place.volume && x->contents[i].place.offset == place.offset)
            return &x->contents[i];
    return NULL;
}

static enum error_code
write_content(struct export *x, const struct line_content *content, int fd, struct error *error)
{
    struct content_reference reference = {content->place, content->size_bytes, content->block_sums, content->sums};
    struct digest_stream stream = {0};
    unsigned char digest[DIGEST_SIZE_MAX];
    enum error_code code = ERROR_NONE;
    char *chunk = malloc(CHUNK_BYTES);
    ensure(chunk != NULL);
    digest_stream_init(&stream, x->model->identity.digest);
    for (uint64_t at = 0; at < content->size_bytes && code == ERROR_NONE;) {
        size_t length = content->size_bytes - at < CHUNK_BYTES ? (size_t)(content->size_bytes - at) : CHUNK_BYTES;
        code = store_read_content(x->model->store, &reference, at, chunk, length, error);
        if (code == ERROR_NONE) {
            digest_stream_update(&stream, chunk, length);
            code = write_all(fd, chunk, length, error);
        }
        at += length;
    }
    digest_stream_finish(&stream, digest);
    digest_stream_release(&stream);
    free(chunk);
    if (code == ERROR_NONE && memcmp(digest, content->digest.data, content->digest.length) != 0)
        code = error_set(error, ERROR_CORRUPT, "its digest is wrong");
    return code;
}

static enum error_code
write_small(struct export *x, const struct journal_tar_entry *entry, int fd, struct error *error)
{
    unsigned char digest[32];
    struct buffer hex = {0};
    buffer_clear(&x->data);
    enum error_code code = store_read_entry(x->model->store, entry->place, entry->length, &x->data, error);
    if (code != ERROR_NONE)
        return code;
    struct text data = buffer_text(&x->data);
    digest_compute(DIGEST_SHA256, data.data, data.length, digest);
    buffer_append_hex(&hex, digest, sizeof digest);
    if (!text_equal(buffer_text(&hex), entry->sha256_hex))
        code = error_set(error, ERROR_CORRUPT, "its digest is wrong");
    buffer_release(&hex);
    return code != ERROR_NONE ? code : write_all(fd, data.data, data.length, error);
}

/* Purged objects have no node; superseded root copies are written over by later ones, as by tar. */
static bool
is_purged(struct export *x, struct text path)
{
    struct lookup lookup = {.catalog = x->model->catalog};
    struct object_path object;
    struct node node;
    return object_path_parse(x->model->identity.uuid, path, &object) &&
           lookup_node(&lookup, object.id, &x->data, &node, NULL) == ERROR_NOT_FOUND;
}

static enum error_code
export_entry(struct export *x, const struct journal_tar_entry *entry, struct error *error)
{
    const struct line_content *content = entry->sha256_hex.length == 0 ? content_at(x, entry->place) : NULL;
    if (!text_starts_with(entry->path, TEXT("ocfl/")) || is_purged(x, entry->path))
        return ERROR_NONE;
    if (entry->sha256_hex.length == 0 && content == NULL)
        return ERROR_NONE; /* its line was purged */
    buffer_clear(&x->path);
    buffer_printf(&x->path, "%s/%.*s", x->folder, (int)(entry->path.length - 5), entry->path.data + 5);
    const char *path = buffer_string(&x->path);
    enum error_code code = make_parents(x, error);
    if (code != ERROR_NONE)
        return code;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return error_set_errno(error, errno, "cannot make %s", path);
    code = content != NULL ? write_content(x, content, fd, error) : write_small(x, entry, fd, error);
    if (close(fd) != 0 && code == ERROR_NONE)
        code = error_set_errno(error, errno, "cannot write %s", path);
    if (code == ERROR_NOT_FOUND) { /* a superseded copy that compaction has left out, or its volume is missing */
        unlink(path);
        return ERROR_NONE;
    }
    x->files++;
    return code == ERROR_NONE ? code : error_prefix(error, "%.*s", TEXT_ARG(entry->path));
}

static enum error_code
export_group(void *context, const struct journal_group *group, struct error *error)
{
    struct export *x = context;
    enum error_code code = ERROR_NONE;
    arena_reset(&x->arena);
    x->content_count = 0;
    x->contents = arena_alloc(&x->arena, (group->line_count + 1) * sizeof *x->contents);
    for (unsigned i = 0; x->contents != NULL && i < group->line_count; i++) {
        struct line line;
        bool purged;
        if (line_parse(&x->arena, arena_copy(&x->arena, group->lines[i]), &line, &purged, NULL) == ERROR_NONE &&
            !purged && line.content.place.volume != 0)
            x->contents[x->content_count++] = line.content;
    }
    for (unsigned i = 0; i < group->entry_count && code == ERROR_NONE; i++)
        code = export_entry(x, &group->entries[i], error);
    if (code == ERROR_NONE && !x->proceed(x->context, "export", group->position.sequence, x->last))
        code = error_set(error, ERROR_CLOSED, "stopped");
    return code;
}

static enum error_code
refuse_damage(void *context, const char *why, struct error *error)
{
    return error_set(error, ERROR_CORRUPT, "the journal is damaged, so the export is not whole: %s", why);
}

static void
count_missing(void *context, uint64_t volume, bool bulk)
{
    ++*(uint64_t *)context;
}

static enum error_code
prepare(const char *path, struct error *error)
{
    if (mkdir(path, 0777) == 0)
        return ERROR_NONE;
    if (errno != EEXIST)
        return error_set_errno(error, errno, "cannot make %s", path);
    DIR *folder = opendir(path);
    bool empty = folder != NULL;
    if (folder == NULL)
        return error_set_errno(error, errno, "cannot open %s", path);
    for (struct dirent *entry; empty && (entry = readdir(folder)) != NULL;)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(folder);
    return empty ? ERROR_NONE : error_set(error, ERROR_CONFLICT, "%s is not empty", path);
}

enum error_code
model_export_ocfl(struct model *model, const char *folder, maintenance_proceed *proceed, void *context,
                  struct error *error)
{
    struct export x = {.model = model, .folder = folder, .last = store_position(model->store).sequence,
                       .proceed = proceed, .context = context};
    struct journal_walk walk = {1, x.last, true, export_group, refuse_damage, &x};
    uint64_t missing = 0;
    enum error_code code = prepare(folder, error);
    if (code != ERROR_NONE)
        return code;
    arena_init(&x.arena, 0);
    code = journal_walk(model->store, &walk, error);
    if (code == ERROR_NONE)
        code = missing_volumes(model, count_missing, &missing, error);
    if (code == ERROR_NONE && missing > 0)
        code = error_set(error, ERROR_CORRUPT, "%llu volumes are missing: what they hold was not exported",
                         (unsigned long long)missing);
    arena_release(&x.arena);
    buffer_release(&x.path);
    buffer_release(&x.data);
    return code;
}
