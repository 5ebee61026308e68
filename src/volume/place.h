/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A place: where the data of a tar entry begins, as (volume, offset at first writing). Purge keeps
 * offsets; compaction moves them and leaves a map, so a place stays good for ever.
 */
#ifndef ARCHIVOLT_VOLUME_PLACE_H
#define ARCHIVOLT_VOLUME_PLACE_H

#include <stdint.h>

struct place {
    uint64_t volume; /* 0: nowhere */
    uint64_t offset; /* bytes, of the first data byte, in the volume's first generation */
};

/* Where a group ended: what the catalog reflects (its position key) and where writing goes on. */
#define CHAIN_BYTES 32
struct position {
    uint64_t sequence; /* of the last group; 0: none */
    uint64_t volume;   /* log volume that holds it */
    uint64_t offset;   /* of its journal entry's data */
    uint64_t length;   /* of that data */
    unsigned char chain[CHAIN_BYTES]; /* H after it */
    int64_t time_us;                  /* its commit time */
};

#endif
