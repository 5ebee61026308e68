/* SPDX-License-Identifier: Apache-2.0 */
/* What harvesters were told of a record last, as the catalog keeps it under its STAMP key. Internal to the model. */
#ifndef ARCHIVOLT_MODEL_HARVEST_RECORD_H
#define ARCHIVOLT_MODEL_HARVEST_RECORD_H

#include "base/arena.h"
#include "base/buffer.h"
#include "model/record/line.h"

struct harvest_record {
    int64_t time_us;
    bool live;
    struct id_list sets; /* ascending */
};

void harvest_record_encode(const struct harvest_record *record, struct buffer *out);
/* The sets into the arena. CORRUPT on anything else than what encode writes. */
enum error_code harvest_record_decode(struct text value, struct arena *arena, struct harvest_record *ret_record,
                                      struct error *error) AV_MUST_USE;

#endif
