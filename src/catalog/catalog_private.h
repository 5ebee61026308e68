/* SPDX-License-Identifier: Apache-2.0 */
/* What the engines share and nobody else sees: how a scan knows its catalog, the state of a batch.
 */
#ifndef ARCHIVOLT_CATALOG_CATALOG_PRIVATE_H
#define ARCHIVOLT_CATALOG_CATALOG_PRIVATE_H

#include "catalog/catalog.h"

/* The first member of every engine's scan. */
struct catalog_scan {
    struct catalog *catalog;
};

/* NO_MEMORY when the batch did not get what it asked for: it must not be applied. */
enum error_code catalog__batch_status(const struct catalog_batch *batch,
                                      struct error *error) AV_MUST_USE;

#endif
