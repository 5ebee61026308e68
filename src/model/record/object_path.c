/* SPDX-License-Identifier: Apache-2.0 */
/* From an entry's path to its resource: see object_path.h. */
#include "model/record/object_path.h"

#include "ocfl/layout.h"

#define FOLDER_BYTES (5u + OCFL_OBJECT_PATH_LENGTH) /* "ocfl/" and the object's folder */

bool
object_path_parse(const unsigned char store_uuid[16], struct text path, struct object_path *ret)
{
    unsigned char uuid[16];
    struct object_path found = {0};
    uint64_t version;
    if (!text_starts_with(path, TEXT("ocfl/")) || path.length <= FOLDER_BYTES || path.data[FOLDER_BYTES] != '/')
        return false;
    struct text uuid_text = text_of(path.data + FOLDER_BYTES - OCFL_UUID_TEXT_LENGTH, OCFL_UUID_TEXT_LENGTH);
    if (!ocfl_uuid_parse(uuid_text, uuid) || !ocfl_uuid_to_resource(store_uuid, uuid, &found.id))
        return false;
    struct text rest = text_of(path.data + FOLDER_BYTES + 1, path.length - FOLDER_BYTES - 1), tail;
    struct text first = text_cut(rest, '/', &tail);
    found.root_inventory = tail.data == NULL && text_starts_with(first, TEXT("inventory.json"));
    if (tail.data != NULL && first.length > 1 && first.data[0] == 'v' &&
        text_to_u64(text_of(first.data + 1, first.length - 1), &version) && version <= OCFL_VERSION_MAX)
        found.version = (unsigned)version;
    *ret = found;
    return true;
}
