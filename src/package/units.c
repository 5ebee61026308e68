/* SPDX-License-Identifier: Apache-2.0 */
/* Units of a batch import, by format: see units.h. */
#include "package/units.h"

#include "base/ensure.h"
#include "package/folder.h"
#include "package/guess.h"
#include "package/metadata_table.h"
#include "package/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct units {
    struct package_request request;
    enum unit_format format;
    struct package_batch *saf; /* SAF only */
    int saf_archive;           /* its file, or -1 */
    char *folder;              /* that the names are of */
    char **names;
    size_t count, capacity;
};

static const char *const words[] = {
#define X(name, word, help) word,
    UNIT_FORMATS(X)
#undef X
};

const char *
unit_format_word(enum unit_format format)
{
    return words[format];
}

bool
unit_format_from_word(struct text word, enum unit_format *ret_format)
{
    for (enum unit_format format = 0; format < UNIT_FORMAT_COUNT; format++) {
        if (!text_equal(word, text_from(words[format])))
            continue;
        *ret_format = format;
        return true;
    }
    return false;
}

/* ---- which units there are ------------------------------------------------------------------------------------ */

static void
add_name(struct units *units, struct text name)
{
    if (units->count == units->capacity) {
        units->capacity = units->capacity == 0 ? 64 : units->capacity * 2;
        units->names = realloc(units->names, units->capacity * sizeof *units->names);
        ensure(units->names != NULL);
    }
    units->names[units->count++] = text_copy(name);
}

static void
join(struct buffer *out, const char *folder, const char *name)
{
    buffer_printf(out, "%s/%s", folder, name);
}

static bool
is_bag(const char *folder)
{
    struct buffer path AV_CLEANUP(buffer_release) = {0};
    struct stat status;
    join(&path, folder, "bagit.txt");
    return stat(buffer_string(&path), &status) == 0;
}

/* Whether an entry of the source is a unit of the format: files are, and directories where they stand for something. */
static bool
is_unit(const struct units *units, const char *name)
{
    struct buffer path AV_CLEANUP(buffer_release) = {0};
    struct stat status;
    if (name[0] == '.')
        return false;
    join(&path, units->folder, name);
    if (lstat(buffer_string(&path), &status) != 0)
        return false;
    if (S_ISDIR(status.st_mode))
        return units->format == UNIT_TREE || units->format == UNIT_BAGIT;
    return S_ISREG(status.st_mode);
}

static enum error_code
list_folder(struct units *units, struct error *error)
{
    struct dirent **entries;
    int count = scandir(units->folder, &entries, NULL, versionsort);
    if (count < 0)
        return error_set_errno(error, errno, "%s", units->folder);
    for (int i = 0; i < count; i++) {
        if (is_unit(units, entries[i]->d_name))
            add_name(units, text_from(entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return units->count > 0 ? ERROR_NONE : error_set(error, ERROR_INVALID, "%s: nothing to import", units->folder);
}

/* The source itself is the unit. */
static void
list_one(struct units *units, const char *path)
{
    struct text whole = text_from(path);
    while (whole.length > 1 && whole.data[whole.length - 1] == '/')
        whole.length--;
    struct text base = reader_base_name(whole);
    size_t above = whole.length - base.length;
    free(units->folder);
    units->folder = text_copy(above == 0 ? TEXT(".") : text_of(whole.data, above > 1 ? above - 1 : 1));
    add_name(units, base);
}

static enum error_code
open_saf(struct units *units, const char *path, bool is_folder, struct error *error)
{
    struct stat status;
    if (is_folder)
        return package_batch_open(&units->request, path, &units->saf, error);
    units->saf_archive = open(path, O_RDONLY | O_CLOEXEC);
    if (units->saf_archive < 0 || fstat(units->saf_archive, &status) != 0)
        return error_set_errno(error, errno, "%s", path);
    units->request.source = package_source_of_file(units->saf_archive, (uint64_t)status.st_size);
    return package_batch_open(&units->request, NULL, &units->saf, error);
}

enum error_code
units_open(const struct package_request *request, enum unit_format format, const char *path, bool whole,
           struct units **ret_units, struct error *error)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return error_set_errno(error, errno, "%s", path);
    struct units *units = calloc(1, sizeof *units);
    ensure(units != NULL);
    units->request = *request;
    units->request.filename = units->request.media_type = TEXT("");
    units->format = format;
    units->saf_archive = -1;
    units->folder = text_copy(text_from(path));
    bool is_folder = S_ISDIR(status.st_mode);
    enum error_code code = ERROR_NONE;
    if (format == UNIT_SAF)
        code = open_saf(units, path, is_folder, error);
    else if (is_folder && !whole && !(format == UNIT_BAGIT && is_bag(path)))
        code = list_folder(units, error);
    else
        list_one(units, path);
    if (code != ERROR_NONE) {
        units_free(units);
        return code;
    }
    *ret_units = units;
    return ERROR_NONE;
}

void
units_free(struct units *units)
{
    if (units == NULL)
        return;
    package_batch_free(units->saf);
    if (units->saf_archive >= 0)
        close(units->saf_archive);
    for (size_t i = 0; i < units->count; i++)
        free(units->names[i]);
    free(units->names);
    free(units->folder);
    free(units);
}

size_t
units_count(const struct units *units)
{
    return units->saf != NULL ? package_batch_count(units->saf) : units->count;
}

struct text
units_name(const struct units *units, size_t index)
{
    return units->saf != NULL ? package_batch_name(units->saf, index) : text_from(units->names[index]);
}

/* ---- reading one ---------------------------------------------------------------------------------------------- */

static enum error_code
read_saf_item(struct units *units, size_t index, struct arena *arena, struct packages *packages, struct error *error)
{
    packages->items = calloc(1, sizeof *packages->items);
    ensure(packages->items != NULL);
    packages->capacity = 1;
    enum error_code code = package_batch_read(units->saf, index, arena, &packages->items[0], error);
    packages->count = code == ERROR_NONE;
    return code;
}

/* A file or, of a bag, a directory: it is read as the tar that it would be. */
static enum error_code
open_unit(const struct units *units, const char *path, int *ret_fd, uint64_t *ret_size, struct error *error)
{
    struct stat status;
    *ret_fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (*ret_fd < 0 || fstat(*ret_fd, &status) != 0)
        return error_set_errno(error, errno, "%s", path);
    if (units->format == UNIT_BAGIT && S_ISDIR(status.st_mode)) {
        close(*ret_fd);
        return folder_as_tar(path, ret_fd, ret_size, error);
    }
    *ret_size = (uint64_t)status.st_size;
    return S_ISREG(status.st_mode) ? ERROR_NONE : error_set(error, ERROR_INVALID, "%s is no file", path);
}

static void
guess(struct package_request *request)
{
    const char *type;
    request->packaging = package_guess(&request->source, request->filename, &type);
    request->media_type = text_from(type);
}

static enum error_code
read_archive(const struct units *units, struct package_request *request, const char *path, struct packages *packages,
             struct error *error)
{
    int fd = -1;
    uint64_t size;
    enum error_code code = open_unit(units, path, &fd, &size, error);
    request->packaging = units->format == UNIT_EPRINTS ? PACKAGING_EPRINTS : PACKAGING_BAGIT;
    if (code == ERROR_NONE) {
        request->source = package_source_of_file(fd, size);
        if (units->format == UNIT_PACKAGE)
            guess(request);
        code = units->format == UNIT_CSV ? metadata_table_read(request, packages, error)
                                         : package_read_all(request, packages, error);
    }
    if (fd >= 0)
        close(fd);
    return code;
}

static enum error_code
read_folder(struct package_request *request, const char *path, struct packages *packages, struct error *error)
{
    enum error_code code = upload_batch_new(request->model, &request->batch, error);
    if (code == ERROR_NONE)
        code = folder_read(request, path, packages, error);
    upload_batch_free(request->batch); /* the uploads hold it */
    return code;
}

enum error_code
units_read(struct units *units, size_t index, struct arena *arena, struct packages *ret_packages, struct error *error)
{
    struct package_request request = units->request;
    struct packages packages = {0};
    struct buffer path AV_CLEANUP(buffer_release) = {0};
    enum error_code code;
    request.arena = arena;
    if (units->saf == NULL) {
        join(&path, units->folder, units->names[index]);
        request.filename = text_from(units->names[index]);
    }
    if (units->saf != NULL)
        code = read_saf_item(units, index, arena, &packages, error);
    else if (units->format == UNIT_TREE)
        code = read_folder(&request, buffer_string(&path), &packages, error);
    else
        code = read_archive(units, &request, buffer_string(&path), &packages, error);
    if (code != ERROR_NONE) {
        packages_release(&packages);
        return code;
    }
    *ret_packages = packages;
    return ERROR_NONE;
}
