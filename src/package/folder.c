/* SPDX-License-Identifier: Apache-2.0 */
/* Directories of this machine: see folder.h. */
#include "package/folder.h"

#include "package/member_name.h"
#include "package/reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum error_code visit_entry(void *context, const FTSENT *entry, struct text name, struct error *error);

/* All files below, folders before what is in them; names are relative to `path`. */
static enum error_code
walk(const char *path, visit_entry *visit, void *context, struct error *error)
{
    char *root = text_copy(text_from(path));
    char *roots[] = {root, NULL};
    size_t skip = strlen(path);
    enum error_code code = ERROR_NONE;
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (fts == NULL)
        code = error_set_errno(error, errno, "%s", path);
    for (FTSENT *entry; code == ERROR_NONE && (entry = fts_read(fts)) != NULL;) {
        struct text name = text_from(entry->fts_path + skip);
        if (name.length > 0 && name.data[0] == '/')
            name = text_of(name.data + 1, name.length - 1);
        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
            code = error_set_errno(error, entry->fts_errno, "%s", entry->fts_path);
        else if (entry->fts_info != FTS_DP)
            code = visit(context, entry, name, error);
    }
    if (fts != NULL)
        fts_close(fts);
    free(root);
    return code;
}

/* ---- as a package --------------------------------------------------------------------------------------------- */

struct reading {
    const struct package_request *request;
    struct package *package;
};

static enum error_code
add_file(struct reading *reading, const char *path, struct text name, struct error *error)
{
    const struct member_raw raw = {name, MEMBER_LATIN_1, false};
    struct package_request request = *reading->request;
    struct package_file file = {.bundle = TEXT("ORIGINAL")};
    struct member_name member;
    struct stat status;
    enum error_code code = member_name(request.arena, &raw, &member, error);
    if (code != ERROR_NONE)
        return code;
    file.path = member.path;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0)
        code = error_set_errno(error, errno, "%s", path);
    if (code == ERROR_NONE) {
        file.size_bytes = (uint64_t)status.st_size;
        request.source = package_source_of_file(fd, file.size_bytes);
        code = reader_copy_source(&request, &file.upload, error);
    }
    if (fd >= 0)
        close(fd);
    if (code == ERROR_NONE)
        code = package_add_file(reading->package, &file, error);
    if (code != ERROR_NONE && file.upload != NULL)
        upload_free(file.upload);
    return code;
}

static enum error_code
read_entry(void *context, const FTSENT *entry, struct text name, struct error *error)
{
    struct reading *reading = context;
    if (entry->fts_info == FTS_D)
        return ERROR_NONE;
    if (entry->fts_info != FTS_F) {
        package_note(reading->package, "left out: \"%.*s\" is neither file nor directory", TEXT_ARG(name));
        return ERROR_NONE;
    }
    if (reading->package->file_count >= reading->request->limits.package_files)
        return error_set(error, ERROR_LIMIT, "more than %llu files (package_files)",
                         (unsigned long long)reading->request->limits.package_files);
    return add_file(reading, entry->fts_path, name.length == 0 ? reading->request->filename : name, error);
}

enum error_code
folder_read(const struct package_request *request, const char *path, struct packages *packages, struct error *error)
{
    struct reading reading = {.request = request};
    struct field title = {TEXT("dc"), TEXT("title"), TEXT(""), TEXT(""), request->filename, TEXT(""), -1};
    enum error_code code = packages_add(packages, request, &reading.package, error);
    if (code == ERROR_NONE)
        code = fields_add(&reading.package->fields, &title, error);
    return code != ERROR_NONE ? code : walk(path, read_entry, &reading, error);
}

/* ---- as a tar ------------------------------------------------------------------------------------------------- */

static enum error_code
archive_failure(struct archive *archive, const char *path, struct error *error)
{
    return error_set(error, ERROR_IO, "%s: %s", path, archive_error_string(archive));
}

static enum error_code
write_content(struct archive *archive, const char *path, uint64_t size, struct error *error)
{
    char chunk[65536];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return error_set_errno(error, errno, "%s", path);
    enum error_code code = ERROR_NONE;
    for (uint64_t at = 0; at < size && code == ERROR_NONE;) {
        ssize_t got = read(fd, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            code = error_set_errno(error, got < 0 ? errno : EIO, "%s", path);
        else if (archive_write_data(archive, chunk, (size_t)got) != got)
            code = archive_failure(archive, path, error);
        at += got > 0 ? (uint64_t)got : 0;
    }
    close(fd);
    return code;
}

static enum error_code
write_entry(void *context, const FTSENT *file, struct text name, struct error *error)
{
    struct archive *archive = context;
    if (name.length == 0)
        return ERROR_NONE;
    if (file->fts_info != FTS_D && file->fts_info != FTS_F)
        return error_set(error, ERROR_INVALID, "\"%.*s\" is neither file nor directory", TEXT_ARG(name));
    struct archive_entry *entry = archive_entry_new();
    if (entry == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for an archive");
    archive_entry_set_pathname(entry, name.data);
    archive_entry_set_filetype(entry, file->fts_info == FTS_D ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(entry, file->fts_info == FTS_D ? 0755 : 0644);
    archive_entry_set_size(entry, file->fts_info == FTS_D ? 0 : file->fts_statp->st_size);
    enum error_code code = archive_write_header(archive, entry) == ARCHIVE_OK ? ERROR_NONE
                                                                              : archive_failure(archive, file->fts_path, error);
    archive_entry_free(entry);
    return code != ERROR_NONE || file->fts_info == FTS_D
               ? code
               : write_content(archive, file->fts_path, (uint64_t)file->fts_statp->st_size, error);
}

/* A file without a name: nothing of it is left, however this ends. */
static int
open_nameless(void)
{
    const char *folder = getenv("TMPDIR");
    return open(folder != NULL ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

enum error_code
folder_as_tar(const char *path, int *ret_fd, uint64_t *ret_size, struct error *error)
{
    struct stat status;
    int fd = open_nameless();
    if (fd < 0)
        return error_set_errno(error, errno, "no room for an archive");
    struct archive *archive = archive_write_new();
    enum error_code code = ERROR_NONE;
    if (archive == NULL || archive_write_set_format_pax(archive) != ARCHIVE_OK || archive_write_open_fd(archive, fd) != ARCHIVE_OK)
        code = error_set(error, ERROR_NO_MEMORY, "no memory for an archive");
    if (code == ERROR_NONE)
        code = walk(path, write_entry, archive, error);
    if (code == ERROR_NONE && archive_write_close(archive) != ARCHIVE_OK)
        code = archive_failure(archive, path, error);
    archive_write_free(archive);
    if (code == ERROR_NONE && fstat(fd, &status) != 0)
        code = error_set_errno(error, errno, "%s", path);
    if (code != ERROR_NONE) {
        close(fd);
        return code;
    }
    *ret_fd = fd;
    *ret_size = (uint64_t)status.st_size;
    return ERROR_NONE;
}
