/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An item as a directory of the Simple Archive Format, such that its import (with `restore`) gives the same item: handle, fields in
 * order, files with bundle, name, sequence, primary and description. What the format has no place for goes into flags and files that
 * other readers pass over: `sequence:` in contents, `embargo`, attributes of place, authority and confidence.
 */
#ifndef ARCHIVOLT_REPOSITORY_SAF_EXPORT_H
#define ARCHIVOLT_REPOSITORY_SAF_EXPORT_H

#include "repository/repository.h"

/* Makes `folder`, which must not be there yet (EXISTS). INVALID: a file whose name the format cannot hold. What is half written
 * after a failure has no file `contents`. Fields that are not for everybody go along only with `all`. */
enum error_code saf_export_item(struct repository *repository, struct view *view, const struct entity *item, const char *folder,
                                bool all, struct error *error) AV_MUST_USE;

#endif
