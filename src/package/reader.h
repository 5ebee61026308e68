/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the readers of packages share. One reader a packaging: reader_NAME.c, with its line in package.c's table.
 * A reader unpacks the source, fills packages, and on an error leaves what it made to its caller, who releases it.
 */
#ifndef ARCHIVOLT_PACKAGE_READER_H
#define ARCHIVOLT_PACKAGE_READER_H

#include "package/unpack.h"

struct xml_document;
struct xml_node;

typedef enum error_code package_reader(const struct package_request *request, struct packages *packages,
                                       struct error *error);
package_reader read_binary, read_simple_zip, read_mets, read_bagit, read_sword_bagit, read_eprints, read_saf;

/* A fresh package at the end. Borrowed until the next one. */
enum error_code packages_add(struct packages *packages, const struct package_request *request,
                             struct package **ret_package, struct error *error) AV_MUST_USE;

/* Unpacks the member and adds it; everything but the upload and the size is taken from `file`; path and name of the member
 * where `file` has none. */
enum error_code reader_add_member(struct package *package, struct unpack *unpack, struct member *member,
                                  const struct package_file *file, struct error *error) AV_MUST_USE;
/* Bytes made here (a metadata document out of another) as a file. */
enum error_code reader_add_bytes(struct package *package, const struct package_request *request, struct text bytes,
                                 const struct package_file *file, struct error *error) AV_MUST_USE;
/* All of `source` into an upload. */
enum error_code reader_copy_source(const struct package_request *request, struct upload **ret_upload,
                                   struct error *error) AV_MUST_USE;
/* Appends all bytes of a finished upload; of the source (LIMIT: over package_metadata_bytes). */
enum error_code reader_text_of(struct upload *upload, struct buffer *ret_text, struct error *error) AV_MUST_USE;
enum error_code reader_source_text(const struct package_request *request, struct buffer *ret_text,
                                   struct error *error) AV_MUST_USE;
/* An XML document of the archive. */
enum error_code reader_member_xml(struct unpack *unpack, struct member *member, struct xml_document **ret_document,
                                  struct error *error) AV_MUST_USE;
/* FNV-1a, 64 bits. */
#define READER_HASH_START UINT64_C(14695981039346656037)
uint64_t reader_hash(uint64_t hash, struct text text);
/* The last segment of a path. */
struct text reader_base_name(struct text path);
/* Without the separator line ends "\r\n", "\n" or "\r"; *rest data NULL: no more. */
struct text reader_cut_line(struct text text, struct text *rest);
/* Lines about what the list of an archive shows: how many files, guessed names, empty folders. */
void reader_note_list(struct package *package, const struct unpack *unpack);
/* Lines about fields and files, once the package is whole. */
void reader_note_contents(struct package *package);

#endif
