/* SPDX-License-Identifier: Apache-2.0 */
/* Binary: the whole is one file, under the name that the sender gives it. */
#include "package/reader.h"

#include "package/member_name.h"

enum error_code
read_binary(const struct package_request *request, struct packages *packages, struct error *error)
{
    struct member_raw raw = {request->filename.length > 0 ? request->filename : TEXT("content"), MEMBER_LATIN_1, false};
    struct package *package = NULL;
    struct member_name name;
    struct upload *upload = NULL;
    enum error_code code = packages_add(packages, request, &package, error);
    if (code == ERROR_NONE)
        code = member_name(request->arena, &raw, &name, error);
    if (code == ERROR_NONE && (name.folder || name.path.length == 0 || memchr(name.path.data, '/', name.path.length) != NULL))
        code = error_set(error, ERROR_INVALID, "\"%.*s\" is not a file's name", TEXT_ARG(name.original));
    if (code == ERROR_NONE && request->whole == NULL)
        code = reader_copy_source(request, &upload, error);
    if (code != ERROR_NONE)
        return code;
    struct package_file file = {.bundle = TEXT("ORIGINAL"), .path = name.path, .media_type = request->media_type,
                                .upload = request->whole != NULL ? *request->whole : upload};
    file.size_bytes = upload_size(file.upload);
    code = package_add_file(package, &file, error);
    if (code != ERROR_NONE)
        upload_free(upload);
    else if (request->whole != NULL)
        *request->whole = NULL;
    return code;
}
