/* SPDX-License-Identifier: Apache-2.0 */
/* What the two halves of the METS reader share: files and structure (mets.c), sections of metadata (mets_metadata.c). */
#ifndef ARCHIVOLT_PACKAGE_METS_PRIVATE_H
#define ARCHIVOLT_PACKAGE_METS_PRIVATE_H

#include "package/describe.h"
#include "package/key_table.h"
#include "package/reader.h"
#include "xml/xml_read.h"

#define METS_NAMESPACE "http://www.loc.gov/METS/"
#define XLINK_NAMESPACE "http://www.w3.org/1999/xlink"

struct mets {
    const struct package_request *request;
    struct package *package;
    struct arena *arena; /* of texts that are only looked at: the package keeps copies */
    struct unpack *unpack;
    struct xml_document *document;
    const struct xml_node *root;
    bool aip;
    struct key_table sections; /* by ID: amdSec, its parts, dmdSec */
};

/* "" when there is no such attribute. */
struct text mets__attribute(const struct mets *mets, const struct xml_node *node, const char *name);
/* The member that an xlink:href means, or NULL. */
struct member *mets__member(const struct mets *mets, struct text href);
/* Fields of the item, its licence and its rights. After the files, so that licences that are files are not made again. */
enum error_code mets__describe_item(struct mets *mets, const struct xml_node *structure, struct error *error) AV_MUST_USE;
/* Of a file's ADMID: its name and description in the other repository ("" not said), and its rights. */
struct mets_file_words {
    struct text name, description;
};
enum error_code mets__describe_file(struct mets *mets, const struct xml_node *file, struct mets_file_words *ret_words,
                                    struct error *error) AV_MUST_USE;

#endif
