/* SPDX-License-Identifier: Apache-2.0 */
/* The stylesheets of crosswalks/, put into the program by the build (tools/embed_files.py). */
#ifndef ARCHIVOLT_METADATA_CROSSWALKS_EMBEDDED_H
#define ARCHIVOLT_METADATA_CROSSWALKS_EMBEDDED_H

#include <stddef.h>

struct crosswalk_embedded {
    const char *name; /* of the file, "mods-in.xsl"; NULL after the last */
    const char *data;
    size_t length;
};

extern const struct crosswalk_embedded crosswalks_embedded[];

#endif
