/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct store: the volumes of one data folder (docs/format.md is the normative text of the bytes).
 *
 * Life: store_create() once; store_open() - [replay the journal after the catalog's position] -
 * store_set_bulk_lengths() - groups, uploads, reads - store_close().
 *
 * Write path. One thread (the committer) builds a group: group_begin(), then group_add_entry(),
 * group_add_content(), group_add_line() in any order, then group_prepare(), which completes it; group_write(), which
 * writes the log with one vectored write and syncs once; group_publish(). (group_commit() is the three in one.) Nothing
 * of a group is visible to readers of the journal before it is published. While a group is being written, in another
 * thread, the next one may be laid out on what it will be; when the write fails both are abandoned.
 * Bulk content (struct content over the small limit) is written and synced by the thread that
 * receives it; its preamble is filled in by group_write(), and synced before the log is written.
 *
 * States: OPEN -> FULL (ENOSPC: cut back to the last group end, synced; OPEN again by itself when
 * space returns) ; OPEN|FULL -> FAILED (a sync or cut failed: reads go on, every write is CLOSED
 * until a new process has recovered).
 *
 * Threads: group_* by the committer only (group_write() by one thread that it hands the group to); everything else from
 * any thread.
 */
#ifndef ARCHIVOLT_VOLUME_STORE_H
#define ARCHIVOLT_VOLUME_STORE_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"
#include "format/digest.h"
#include "io/clock.h"
#include "io/device.h"
#include "volume/place.h"

#define STORE_FORMAT_VERSION 1u
#define STORE_UUID_BYTES 16
#define CONTENT_BLOCK_BYTES 65536u /* one CRC32C each */

struct store;
struct group;

struct store_options {
    struct device *volumes;         /* borrowed; must outlive the store */
    struct device *lost_and_found;  /* borrowed; where torn tails are copied */
    struct clock *clock;            /* NULL: clock_real() */
    struct random_source *random;   /* NULL: random_real() */
    uint64_t volume_size_bytes;     /* 0: 4 GiB */
    uint64_t small_content_bytes;   /* content up to this goes into the log; 0: 1 MiB */
    uint64_t content_memory_bytes;  /* global budget of content in memory; 0: 64 MiB */
    uint64_t sums_memory_bytes;     /* block sums of one upload in memory; then spooled to lost_and_found;
                                       0: 256 KiB (4 GiB of content) */
    uint64_t reserve_bytes;         /* kept free for deletes and purges; 0: 16 MiB */
    unsigned bulk_open;             /* bulk volumes in use at once; 0: 256 */
    bool accept_clock;              /* open although the clock is over an hour behind */
    bool read_only;                 /* no recovery writes, no groups: for a reader of a copy */
};

struct store_identity {
    unsigned char uuid[STORE_UUID_BYTES];
    uint64_t node;                  /* of the writer, from 1 */
    enum digest_algorithm digest;   /* SHA512 or SHA256, fixed at creation */
    unsigned format;
    bool newer_format;              /* made by a later program: opened for reading only */
};

/* Makes the first log volume in an empty device. EXISTS when a volume is there. */
enum error_code store_create(const struct store_options *options,
                             const struct store_identity *identity, struct error *error) AV_MUST_USE;

struct store_recovery { /* what opening found and did; for the log and for status */
    uint64_t tail_bytes;            /* cut, after a copy in lost+found */
    char tail_copy[64];             /* its name there, or "" */
    uint64_t damaged_entries;       /* reported by store_open's callback */
    bool last_group_rewritten;
    bool position_unknown;          /* `known` is not in the volumes: drop the catalog */
};

/* A fault found in volumes. `sequence` 0: unknown. */
struct store_fault {
    enum error_code code;           /* CORRUPT, NOT_FOUND (missing volume), IO */
    uint64_t volume;
    uint64_t offset;
    uint64_t sequence;
    struct text entry;              /* its path, or empty */
    const char *what;               /* words for people */
};
typedef void store_fault_function(void *context, const struct store_fault *fault);

/*
 * Recovers and opens. `known`: the position that the catalog reflects (sequence 0: none); scanning
 * starts there when the volumes contain it. Errors: NOT_FOUND (no volumes), UNSUPPORTED (a newer
 * format and not read_only: the message names both versions), INVALID (volumes of another store, a
 * clock that is far behind), CORRUPT, IO, FULL.
 */
enum error_code store_open(const struct store_options *options, const struct position *known,
                           store_fault_function *on_fault, void *context, struct store **ret_store,
                           struct store_recovery *ret_recovery, struct error *error) AV_MUST_USE;
void store_close(struct store *store);
const struct store_identity *store_identity(const struct store *store);
struct position store_position(struct store *store); /* of the last durable group */

enum store_state { STORE_OPEN, STORE_FULL, STORE_FAILED, STORE_READ_ONLY };
enum store_state store_state(struct store *store, struct error *ret_why); /* ret_why may be NULL */

/* ---- content on its way in ------------------------------------------------------------------ */

/*
 * struct content: bytes being received, hashed as they pass: in memory up to small_content_bytes
 * (and the global budget), beyond that in a bulk volume of their own.
 * content_begin() - content_write()... - content_finish() - [group_add_content()] - content_free().
 * content_free() before a commit gives everything up (a bulk volume is cut back).
 * Threads: one at a time.
 */
struct content;

struct content_summary {
    uint64_t size_bytes;
    unsigned char digest[DIGEST_SIZE_MAX]; /* by the store's algorithm */
    struct text block_sums;  /* small content: CRC32C of each 64 KiB block, 4 bytes big-endian each;
                                borrowed. Bulk: empty, they are in the volume */
    bool bulk;
};

/* `also`: a set of bits (1u << enum digest_algorithm) to compute besides the store's own.
 * BUSY when bulk_open is reached, CLOSED when the store is FAILED, FULL. */
enum error_code content_begin(struct store *store, unsigned also, struct content **ret_content,
                              struct error *error) AV_MUST_USE;
enum error_code content_write(struct content *content, const void *data, size_t length,
                              struct error *error) AV_MUST_USE;
/* Pads, appends journal/sums, syncs bulk data. No more writes after it. */
enum error_code content_finish(struct content *content, struct error *error) AV_MUST_USE;
const struct content_summary *content_summary(const struct content *content);
/* After finish; false when it was not asked for. */
bool content_digest(const struct content *content, enum digest_algorithm algorithm,
                    unsigned char *ret_digest);
/* The bytes, when in memory; empty with data NULL when bulk. Borrowed until content_free(). */
struct text content_bytes(const struct content *content);
/* After finish, before a commit: `length` bytes at `offset`, from memory or from the bulk volume, where they are not
 * checked again. INVALID: a range beyond the end. */
enum error_code content_read(struct content *content, uint64_t offset, void *data, size_t length,
                             struct error *error) AV_MUST_USE;
void content_free(struct content *content); /* NULL is fine */

/*
 * struct content_batch: contents that arrive one after the other and are committed together, the files of a package: those that do
 * not stay in memory share one bulk volume instead of taking one each.
 * content_batch_new() - content_share() after each content_begin() - content_batch_free(), before or after the commit.
 * Contents of a batch are committed in the order in which they were finished, in one group or in several; one that a later one has
 * left behind cannot be committed any more (CONFLICT). Threads: one at a time; none is begun while one is being committed.
 */
struct content_batch;
enum error_code content_batch_new(struct store *store, struct content_batch **ret_batch, struct error *error) AV_MUST_USE;
void content_batch_free(struct content_batch *batch); /* NULL is fine */
void content_share(struct content *content, struct content_batch *batch); /* before the first write */
/* Bytes of the memory budget that contents hold now. */
uint64_t store_content_memory(const struct store *store);

/* ---- groups --------------------------------------------------------------------------------- */

/* Groups that begin from now on have a later time, whatever the clock does. Any thread. */
void store_not_before(struct store *store, int64_t time_us);
struct group_info { /* fixed by group_begin */
    uint64_t sequence;
    int64_t time_us; /* max(clock, last + 1); entries carry its whole seconds */
};

/* Opens a group, after the last one that is durable or, where one is prepared and not over, after that one. Seals the
 * log volume and starts the next first when it is over volume_size; BUSY when a prepared one has to be over before that.
 * `urgent`: may use the reserve (deletes, purges). */
enum error_code group_begin(struct store *store, bool urgent, struct group **ret_group,
                            struct group_info *ret_info, struct error *error) AV_MUST_USE;
/* A whole entry; the bytes are copied. Path by docs/format.md, at most 255 bytes, fits ustar. */
enum error_code group_add_entry(struct group *group, struct text path, struct text data,
                                struct place *ret_place, struct error *error) AV_MUST_USE;
/* The number of the entry added last, for the two below; good until a mark before it is rolled back to. */
size_t group_last_entry(const struct group *group);
/* The bytes of an entry that group_add_entry() made; borrowed until the next addition, or the group's end. */
struct text group_entry_data(const struct group *group, size_t number);
/* The same bytes once more under another path; they are not hashed again. */
enum error_code group_add_copy(struct group *group, struct text path, size_t number,
                               struct error *error) AV_MUST_USE;
/* The content as an entry. Small: its bytes are borrowed until commit or abandon. Bulk: the entry
 * lies in its bulk volume. `ret_sums` is the place of journal/sums for bulk, else volume 0. */
enum error_code group_add_content(struct group *group, struct text path, struct content *content,
                                  struct place *ret_place, struct place *ret_sums,
                                  struct error *error) AV_MUST_USE;
/* One journal line: a JSON object without a trailing newline, and without "salt", which is added.
 * Returns its index in the group, from 0. */
enum error_code group_add_line(struct group *group, struct text json, unsigned *ret_index,
                               struct error *error) AV_MUST_USE;
struct group_mark {
    size_t entries, lines, bytes, parts;
};
struct group_mark group_mark(const struct group *group);
void group_roll_back(struct group *group, struct group_mark mark); /* a transaction failed */
size_t group_bytes(const struct group *group);                     /* log bytes so far */
/* Nothing is added any more; where the group will stand. A group without lines writes nothing, and stands where the one
 * before it does. */
enum error_code group_prepare(struct group *group, struct position *ret_position, struct error *error) AV_MUST_USE;
struct group_timing { uint64_t bulk_sync_ns, write_ns, sync_ns; };
/* Durable when it returns NONE. FULL: cut back, the store is as before the group. CLOSED, IO: FAILED. The group before it
 * is published. */
enum error_code group_write(struct group *group, struct group_timing *ret_timing, struct error *error) AV_MUST_USE;
void group_publish(struct group *group); /* it is durable: readers of the journal may see it; the group is over */
/* All three. Either way the group is over. */
enum error_code group_commit(struct group *group, struct position *ret_position,
                             struct group_timing *ret_timing, struct error *error) AV_MUST_USE;
void group_abandon(struct group *group);

/* ---- reading -------------------------------------------------------------------------------- */

/* Where stored content is and how to check it, as the catalog keeps it. */
struct content_reference {
    struct place place;
    uint64_t size_bytes;
    struct text block_sums;  /* small content: all of them */
    struct place sums;       /* bulk content: the data of its journal/sums entry */
};

/* Reads `length` bytes at `offset`, after checking every 64 KiB block they touch. CORRUPT names the
 * volume and offset, and nothing wrong is returned. Reads whole blocks: best called on 64 KiB multiples. */
enum error_code store_read_content(struct store *store, const struct content_reference *reference,
                                   uint64_t offset, void *data, size_t length,
                                   struct error *error) AV_MUST_USE;
/* An entry by its place, whole (inventories, snapshots); unchecked: the caller compares a digest. */
enum error_code store_read_entry(struct store *store, struct place place, uint64_t size_bytes,
                                 struct buffer *ret_data, struct error *error) AV_MUST_USE;

/* The tar header before a place, which names the entry that lies there; its data are not read. `content`: of a resource's
 * content, which has a preamble in bulk volumes. `ret_path` holds 256 bytes. NOT_FOUND: there is no such volume;
 * GONE: compaction left it out; CORRUPT: no such entry begins there. What was purged is named journal/void/.... */
enum error_code store_read_header(struct store *store, struct place place, bool content, char *ret_path,
                                  uint64_t *ret_size_bytes, struct error *error) AV_MUST_USE;

/* One entry of a group, from its last line. */
struct journal_tar_entry {
    struct text path;
    struct place place;
    uint64_t length;
    struct text sha256_hex; /* empty for content: its line has the content's own digest */
};
/* One journal entry, parsed and its chain checked. Texts are borrowed until the next call. */
struct journal_group {
    struct position position;
    int64_t time_us;
    uint64_t node, node_sequence;
    struct text last_line;           /* the group's own, as it stands in the volume; no newline */
    unsigned line_count;             /* without the last line */
    const struct text *lines;        /* the JSON objects (or {"purged":…}) */
    const uint64_t *line_offsets;    /* of each, from the entry's first data byte */
    unsigned entry_count;
    const struct journal_tar_entry *entries;
};
struct journal_reader;
/* Groups from `sequence` (0 or 1: all) on, to the last durable one at the time of each call.
 * `check_chain`: H is checked from the first group read (needs its predecessor's, read too). */
enum error_code journal_reader_open(struct store *store, uint64_t sequence, bool check_chain,
                                    struct journal_reader **ret_reader, struct error *error) AV_MUST_USE;
/* False at the end; ERROR in *ret_status: CORRUPT for a damaged group (reading may go on with the
 * next call, which continues after the damage). */
bool journal_reader_next(struct journal_reader *reader, struct journal_group *ret_group,
                         enum error_code *ret_status, struct error *error);
void journal_reader_close(struct journal_reader *reader);

/* ---- bulk volumes after opening --------------------------------------------------------------- */

struct bulk_length {
    uint64_t volume;
    uint64_t committed_bytes; /* end of the last content that a group names */
};
/* Cuts what no group names, then lets uploads begin. Volumes not listed hold nothing committed. */
enum error_code store_set_bulk_lengths(struct store *store, const struct bulk_length *lengths,
                                       size_t count, struct error *error) AV_MUST_USE;

/* ---- volumes as a whole ------------------------------------------------------------------------ */

struct volume_facts {
    uint64_t number;
    bool bulk;
    bool sealed;
    unsigned generation; /* 1; more after compaction or purge */
    uint64_t size_bytes;
    char name[40]; /* log-0000000001.tar */
};
typedef bool store_volume_function(void *context, const struct volume_facts *facts);
void store_volumes(struct store *store, store_volume_function *visit, void *context);
/* Seals the open log volume and idle bulk volumes now. Committer only, between groups. */
enum error_code store_seal(struct store *store, struct error *error) AV_MUST_USE;
/* SHA-256 of a sealed volume's file. Reads it all, at most `bytes_per_second` (0: no limit). */
enum error_code store_volume_sha256(struct store *store, uint64_t volume, uint64_t bytes_per_second,
                                    unsigned char ret_digest[32], struct error *error) AV_MUST_USE;

/* ---- purge: erase in place ----------------------------------------------------------------------
 * The caller has journalled the intent. A span is a whole entry (header to padding) and becomes a
 * void entry; a line becomes {"purged":"<sha256>"} padded with blanks. Idempotent. Synced on return. */
struct purge_span {
    struct place place;      /* of the entry's data */
    uint64_t length;         /* of its data */
    bool bulk_preamble;      /* 2,048 bytes of header before it instead of 512 */
};
struct purge_line {
    struct place place;      /* of the journal entry's data */
    uint64_t line_offset, line_length;
};
struct purge_request {
    const struct purge_span *spans;
    size_t span_count;
    const struct purge_line *lines;
    size_t line_count;
};
enum error_code store_purge(struct store *store, const struct purge_request *request,
                            struct error *error) AV_MUST_USE;
/* The same on a folder of copies of volumes, without a store; missing volumes are reported and left out. */
enum error_code store_purge_copy(struct device *copy, const struct purge_request *request,
                                 store_fault_function *on_fault, void *context,
                                 struct error *error) AV_MUST_USE;

/* ---- compaction ------------------------------------------------------------------------------- */

/* True when the entry must be kept. Journal entries, sums of kept content and volume heads are not asked for. */
typedef bool store_keep_function(void *context, struct text path, struct place place, uint64_t length);
struct compaction_result {
    uint64_t bytes_before, bytes_after;
    unsigned generation;
    unsigned char sha256[32];
};
/* Rewrites one sealed volume as its next generation and puts it in place (rename, folder sync).
 * The caller journals the result afterwards. CONFLICT when the volume is not sealed. */
enum error_code store_compact(struct store *store, uint64_t volume, store_keep_function *keep,
                              void *context, struct compaction_result *ret_result,
                              struct error *error) AV_MUST_USE;

/* ---- verification ------------------------------------------------------------------------------- */

struct verify_options {
    uint64_t since_sequence;     /* groups from here on */
    uint64_t bytes_per_second;   /* 0: no limit */
    bool (*proceed)(void *context, uint64_t done_bytes, uint64_t total_bytes, uint64_t sequence);
    /* The digest (store's algorithm) that the journal states for a content entry, found by the
     * caller in the group's lines; false when the line was purged. */
    bool (*content_digest)(void *context, const struct journal_group *group,
                           const struct journal_tar_entry *entry, unsigned char *ret_digest);
    void *context;
};
/* Reads every byte that the journal names and compares; checks the chain, tar headers, gaps between
 * entries, sealed volumes' trailers. Faults go to the callback; the count is returned. */
enum error_code store_verify(struct store *store, const struct verify_options *options,
                             store_fault_function *on_fault, void *context, uint64_t *ret_faults,
                             struct error *error) AV_MUST_USE;

#endif
