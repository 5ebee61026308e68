/* SPDX-License-Identifier: Apache-2.0 */
/* SimpleZip: each file of the archive is a file of the item, in its folders; nothing is read as metadata. */
#include "package/reader.h"

enum error_code
read_simple_zip(const struct package_request *request, struct packages *packages, struct error *error)
{
    struct unpack *unpack AV_CLEANUP(unpack_clean) = NULL;
    struct package *package = NULL;
    enum error_code code = packages_add(packages, request, &package, error);
    if (code == ERROR_NONE)
        code = unpack_open(request, &unpack, error);
    if (code != ERROR_NONE)
        return code;
    reader_note_list(package, unpack);
    code = unpack_all(unpack, 0, error);
    for (size_t i = 0; i < unpack->count && code == ERROR_NONE; i++) {
        struct package_file file = {.bundle = TEXT("ORIGINAL")};
        if (!unpack->members[i].folder)
            code = reader_add_member(package, unpack, &unpack->members[i], &file, error);
    }
    return code;
}
