/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batch import: the packages of a source (package/units.h) become items of a collection, many at once, each in a transaction of its own,
 * so that they share groups of the journal.
 *
 * Each package has a key, made of the run, its unit and its place in it, which the transaction gives to the item as a unique
 * identifier: a run that is repeated finds what is there already, however the last one ended, and makes each item once.
 *
 * Threads: ingest_run() starts its own and returns when all have ended; `done` is called by one of them at a time.
 */
#ifndef ARCHIVOLT_REPOSITORY_INGEST_H
#define ARCHIVOLT_REPOSITORY_INGEST_H

#include "package/units.h"
#include "repository/repository.h"

enum ingest_outcome { INGEST_ADDED, INGEST_PRESENT, INGEST_FAILED };

/* One package; all borrowed for the call. */
struct ingest_result {
    enum ingest_outcome outcome;
    struct text name;         /* of the unit; "#2" and so on behind it where it gives several */
    struct text handle, uuid; /* of the item */
    struct text title;
    struct text report;       /* lines about what was not taken as it was */
    const struct error *error; /* FAILED */
};
/* False: no more is wanted. */
typedef bool ingest_done(void *context, const struct ingest_result *result);

enum { INGEST_THREADS_MAXIMUM = 64 };

struct ingest {
    struct repository *repository;
    struct principal person;     /* whose items they are; its rights count */
    struct entity collection;
    enum unit_format format;
    const char *source;          /* a path */
    bool whole;                  /* it is one unit, also where it is a directory */
    struct text run;             /* names this import: what ran under the same name is not made again */
    struct text asset_store;     /* SAF: where registered files lie; "" they are refused */
    struct package_limits limits;
    unsigned threads;            /* 1 to INGEST_THREADS_MAXIMUM */
    bool restore;                /* handles, UUIDs and dates that the packages bring are kept */
    ingest_done *done;
    void *context;
};
struct ingest_counts {
    uint64_t added, present, failed;
};
/* NONE however many failed; errors are of the source itself. */
enum error_code ingest_run(const struct ingest *ingest, struct ingest_counts *ret_counts, struct error *error) AV_MUST_USE;

#endif
