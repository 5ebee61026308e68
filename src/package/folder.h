/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories of this machine as packages. Symbolic links are never followed.
 * Threads: any.
 */
#ifndef ARCHIVOLT_PACKAGE_FOLDER_H
#define ARCHIVOLT_PACKAGE_FOLDER_H

#include "package/package.h"

/* A file, or a directory with all files below it, as one package whose title is its name. What is neither file nor directory is
 * left out, and noted in the report. */
enum error_code folder_read(const struct package_request *request, const char *path, struct packages *packages,
                            struct error *error) AV_MUST_USE;
/* The directory and all below it as a tar in a file without a name: *ret_fd is the caller's. INVALID: a link or a device. */
enum error_code folder_as_tar(const char *path, int *ret_fd, uint64_t *ret_size, struct error *error) AV_MUST_USE;

#endif
