/* SPDX-License-Identifier: Apache-2.0 */
/* See guess.h. */
#include "package/guess.h"

#include "format/media_type.h"
#include "package/zip_directory.h"

enum { HEAD_BYTES = 4096 };

struct zip_signs {
    bool mets, bag, sword_bag, saf;
};

static enum error_code
look_at_entry(void *context, const struct zip_entry *entry, struct error *error)
{
    struct zip_signs *signs = context;
    signs->mets |= text_equal(entry->name, TEXT("mets.xml"));
    signs->bag |= text_equal(entry->name, TEXT("bagit.txt")) || text_ends_with(entry->name, TEXT("/bagit.txt"));
    signs->sword_bag |= text_ends_with(entry->name, TEXT("metadata/sword.json"));
    signs->saf |= text_equal(entry->name, TEXT("dublin_core.xml")) || text_ends_with(entry->name, TEXT("/dublin_core.xml"));
    return ERROR_NONE;
}

static enum packaging
packaging_of_zip(const struct package_source *source)
{
    struct zip_signs signs = {0};
    if (zip_directory_read(source, UINT64_MAX, look_at_entry, &signs, NULL) != ERROR_NONE)
        return PACKAGING_SIMPLE_ZIP; /* who reads it says what is wrong */
    if (signs.mets)
        return PACKAGING_METS;
    if (signs.bag)
        return signs.sword_bag ? PACKAGING_SWORD_BAGIT : PACKAGING_BAGIT;
    return signs.saf ? PACKAGING_SAF : PACKAGING_SIMPLE_ZIP;
}

enum packaging
package_guess(const struct package_source *source, struct text filename, const char **ret_type)
{
    char head[HEAD_BYTES];
    size_t length = source->size_bytes < sizeof head ? (size_t)source->size_bytes : sizeof head;
    if (zip_recognised(source)) {
        *ret_type = "application/zip";
        return packaging_of_zip(source);
    }
    if (source->read(source->context, 0, head, length, NULL) == ERROR_NONE && memmem(head, length, "<eprints", 8) != NULL) {
        *ret_type = "application/vnd.eprints.data+xml";
        return PACKAGING_EPRINTS;
    }
    *ret_type = media_type_of_name(filename);
    return PACKAGING_BINARY;
}
