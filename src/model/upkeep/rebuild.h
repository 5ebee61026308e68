/* SPDX-License-Identifier: Apache-2.0 */
/* Making the catalog anew from the volumes. Internal to the model. */
#ifndef ARCHIVOLT_MODEL_REBUILD_H
#define ARCHIVOLT_MODEL_REBUILD_H

#include "base/error.h"

struct model;

/* The store is open, the catalog is not. Leaves DATA/catalog in place, to be opened. */
enum error_code rebuild_catalog(struct model *model, struct error *error) AV_MUST_USE;

#endif
