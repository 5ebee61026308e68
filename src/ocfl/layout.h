/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where things are in an OCFL 1.1 storage root with layout 0003 (hash-and-id-n-tuple, sha256, 3 x 3):
 * object ids, object folders, content paths, and the fixed files of a root and an object.
 *
 * An object's id is "urn:uuid:" and a version 8 UUID (RFC 9562) made of the store's UUID and the
 * resource's id: it says nothing about the path, is the same at each rebuild, and the resource's
 * id can be read back from it. No entry of a store ever needs more than ustar's 100-byte name field:
 *     ocfl/<3>/<3>/<3>/urn%3auuid%3a<36>/v10000/inventory.json.sha512       95 bytes
 * Threads: any. Errors: none; arguments out of range stop the program.
 */
#ifndef ARCHIVOLT_OCFL_LAYOUT_H
#define ARCHIVOLT_OCFL_LAYOUT_H

#include "base/buffer.h"

#define OCFL_RESOURCE_ID_LIMIT (UINT64_C(1) << 53) /* ids are below this */

enum {
    OCFL_UUID_TEXT_LENGTH = 36,
    OCFL_ID_LENGTH = 45,           /* urn:uuid:<36> */
    OCFL_OBJECT_PATH_LENGTH = 61,  /* abc/def/012/urn%3auuid%3a<36> */
    OCFL_VERSION_MAX = 10000,
    OCFL_EXTENSION_MAX = 8
};

/* Version 8 UUID: 48 + 12 + 9 bits of SHA-256(store UUID), then the 53 bits of the resource id. */
void ocfl_uuid(const unsigned char store_uuid[16], uint64_t resource_id, unsigned char ret_uuid[16]);
/* The other way; false when the UUID is not one of this store. */
bool ocfl_uuid_to_resource(const unsigned char store_uuid[16], const unsigned char uuid[16],
                           uint64_t *ret_resource_id);
/* 8-4-4-4-12 lower-case hexadecimal; the first with NUL. The second takes either case. */
void ocfl_uuid_write(const unsigned char uuid[16], char out[OCFL_UUID_TEXT_LENGTH + 1]);
bool ocfl_uuid_parse(struct text text, unsigned char ret_uuid[16]);

/* "urn:uuid:…", with NUL. */
void ocfl_id(const unsigned char store_uuid[16], uint64_t resource_id, char out[OCFL_ID_LENGTH + 1]);
bool ocfl_id_to_resource(const unsigned char store_uuid[16], struct text id,
                         uint64_t *ret_resource_id);

/* The object's folder relative to the root, with NUL: of a resource, of an id that ocfl_id() gave, and
 * of any id (appended; ids that are over 100 bytes encoded are cut as the layout says). */
void ocfl_object_path(const unsigned char store_uuid[16], uint64_t resource_id,
                      char out[OCFL_OBJECT_PATH_LENGTH + 1]);
void ocfl_object_path_of_id(const char id[OCFL_ID_LENGTH + 1], char out[OCFL_OBJECT_PATH_LENGTH + 1]);
void ocfl_append_object_path(struct buffer *buffer, struct text id);

/* Appends "v<version>/content/<number>[.ext]": the extension of the resource's name when that is 1 to
 * 8 of a-z0-9, and the name has something before its last dot. */
void ocfl_append_content_path(struct buffer *buffer, unsigned version, unsigned number,
                              struct text name);
/* The extension by that rule, without the dot; empty when there is none. Borrowed from `name`. */
struct text ocfl_extension_of(struct text name);

/* Files of a root, relative to it, in the order in which they are written. */
struct ocfl_fixed_file {
    const char *path;
    const char *content;
};
enum { OCFL_ROOT_FILE_COUNT = 3 };
extern const struct ocfl_fixed_file ocfl_root_files[OCFL_ROOT_FILE_COUNT];

#define OCFL_OBJECT_DECLARATION_NAME "0=ocfl_object_1.1"
#define OCFL_OBJECT_DECLARATION_CONTENT "ocfl_object_1.1\n"
#define OCFL_ROOT_DECLARATION_NAME "0=ocfl_1.1"
#define OCFL_ROOT_DECLARATION_CONTENT "ocfl_1.1\n"
#define OCFL_LAYOUT_NAME "0003-hash-and-id-n-tuple-storage-layout"

#endif
