/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file is, for those who do not say it: which packaging, which media type. Reads its beginning, of a zip its directory.
 */
#ifndef ARCHIVOLT_PACKAGE_GUESS_H
#define ARCHIVOLT_PACKAGE_GUESS_H

#include "package/package.h"

/* BINARY where nothing tells more. *ret_type is static. */
enum packaging package_guess(const struct package_source *source, struct text filename, const char **ret_type);

#endif
