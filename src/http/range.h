/* SPDX-License-Identifier: Apache-2.0 */
/* Byte ranges (RFC 9110 section 14). Threads: any. */
#ifndef ARCHIVOLT_HTTP_RANGE_H
#define ARCHIVOLT_HTTP_RANGE_H

#include "base/text.h"

#define BYTE_RANGES_MAXIMUM 64u

struct byte_range {
    uint64_t first, length;
};

enum range_verdict {
    RANGE_WHOLE,         /* no Range, another unit, nonsense, too many, or more bytes than the whole */
    RANGE_PART,          /* `ret_count` ranges in the order asked for */
    RANGE_UNSATISFIABLE  /* well formed, and none of it exists: 416 */
};

/* `ranges` has room for BYTE_RANGES_MAXIMUM. */
enum range_verdict range_parse(struct text value, uint64_t size, struct byte_range *ranges, size_t *ret_count);

#endif
