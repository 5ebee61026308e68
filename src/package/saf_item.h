/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An item of the Simple Archive Format, wherever its directory is: in an archive or on this machine (struct saf_files has both).
 * Threads: one at a time.
 */
#ifndef ARCHIVOLT_PACKAGE_SAF_ITEM_H
#define ARCHIVOLT_PACKAGE_SAF_ITEM_H

#include "package/reader.h"

struct saf_files {
    /* Appends the bytes of a file of the item. NOT_FOUND: there is none of this name. */
    enum error_code (*text)(void *context, struct text name, struct buffer *ret_text, struct error *error);
    /* Adds a file of the item to the package. NOT_FOUND. */
    enum error_code (*add)(void *context, struct text name, struct package *package, const struct package_file *file,
                           struct error *error);
    /* Adds a file of the asset store, which is no part of the batch. NULL: there is no such store. */
    enum error_code (*add_registered)(void *context, struct text name, struct package *package,
                                      const struct package_file *file, struct error *error);
    void *context;
};

/* `names`: of the item's files, in the item's directory and below. */
enum error_code saf_read_item(const struct package_request *request, const struct saf_files *files, const struct text *names,
                              size_t name_count, struct package *package, struct error *error) AV_MUST_USE;

/* One line of `contents`. */
struct saf_line {
    bool registered;
    struct text name, bundle, permissions, description; /* borrowed; "" not said */
    uint64_t sequence; /* 0: not said */
    bool primary, other; /* other: flags that are not kept (iiif-…) */
};
/* INVALID. */
enum error_code saf_read_line(struct text line, struct saf_line *ret_line, struct error *error) AV_MUST_USE;

#endif
