/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The media type that a file's name suggests, by its extension, for files whose sender says nothing about it. Names of the IANA
 * registry. Pure.
 */
#ifndef ARCHIVOLT_FORMAT_MEDIA_TYPE_H
#define ARCHIVOLT_FORMAT_MEDIA_TYPE_H

#include "base/text.h"

/* Static; "application/octet-stream" when the extension says nothing. Case does not matter. */
const char *media_type_of_name(struct text name);

#endif
