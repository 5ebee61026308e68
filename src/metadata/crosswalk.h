/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct crosswalk_set: named crosswalks between metadata formats and fields. Each is a stylesheet, NAME-in.xsl (from the
 * format to DIM) or NAME-out.xsl (from DIM to the format): ours are within the program (src/metadata/crosswalks/), a
 * site's lie in a folder, replace ours of the same name, may import ours by name, and may add names.
 *
 * In:  epdcx, mods, dc (also as oai_dc, qdc, dcterms, atom), dim, metsrights, ep3.
 * Out: oai_dc, qdc, dcterms, mods, mets, ore, dim, didl, rdf, ep3.
 * What a stylesheet gets and gives: README.md of this module.
 *
 * Life: crosswalk_set_new() once - crosswalk_in(), crosswalk_out() - crosswalk_set_free().
 * Threads: a set may be used by many at once.
 */
#ifndef ARCHIVOLT_METADATA_CROSSWALK_H
#define ARCHIVOLT_METADATA_CROSSWALK_H

#include "metadata/fields.h"
#include "xml/xml_read.h"
#include "xml/xslt.h"

struct crosswalk_set;

/* `folder` of a site's stylesheets; NULL or one that is not there: none. INVALID names the file that does not compile. */
enum error_code crosswalk_set_new(const char *folder, struct crosswalk_set **ret_set, struct error *error) AV_MUST_USE;
void crosswalk_set_free(struct crosswalk_set *set); /* NULL is fine */
bool crosswalk_has_in(const struct crosswalk_set *set, const char *name);
bool crosswalk_has_out(const struct crosswalk_set *set, const char *name);

/* Adds the fields that the element holds. UNSUPPORTED: no such crosswalk; INVALID: the document is not of its format. */
enum error_code crosswalk_in(const struct crosswalk_set *set, const char *name, const struct xml_node *node,
                             struct fields *fields, struct error *error) AV_MUST_USE;

/* A file of the item, for formats that name them (didl, mets, ore, ep3). Texts may be "". */
struct crosswalk_file {
    struct text url, name, media_type, description, md5; /* md5: hexadecimal */
    struct text security;                                /* "public" or "staffonly" */
    uint64_t size_bytes, document, position;             /* document: EPrints' number; position: in the item, from 1 */
};

struct crosswalk_record {
    const struct fields *fields;
    bool all; /* private fields too: only for who may read them; else they are left out before the stylesheet */
    const struct crosswalk_file *files;
    size_t file_count;
    const struct xslt_parameter *parameters; /* url, identifier, datestamp, …: README.md */
    size_t parameter_count;
};

/* Appends the root element of the format, without an XML declaration and without a line end. */
enum error_code crosswalk_out(const struct crosswalk_set *set, const char *name, const struct crosswalk_record *record,
                              struct buffer *buffer, struct error *error) AV_MUST_USE;

#endif
