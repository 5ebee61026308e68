/* SPDX-License-Identifier: Apache-2.0 */
/* Which resource a tar entry of a volume belongs to, by its path. Internal to the model. */
#ifndef ARCHIVOLT_MODEL_OBJECT_PATH_H
#define ARCHIVOLT_MODEL_OBJECT_PATH_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct object_path {
    uint64_t id;         /* of the resource whose object it is */
    unsigned version;    /* from vN/, or 0: in the object's root */
    bool root_inventory; /* inventory.json or its sidecar, in the object's root */
};

/* False when the path is not inside an object of this store. */
bool object_path_parse(const unsigned char store_uuid[16], struct text path, struct object_path *ret);

#endif
