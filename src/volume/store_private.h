/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of src/volume share, and nobody else.
 *
 * Locks, in the order in which they are taken:
 *   rewriting  one purge or compaction at a time
 *   names      creation, renames, removals; the volume counter
 *   writing    bytes of the open log volume
 *   lock       the table, handles, readers, the bulk pool, position, state, the open volume's index
 *
 * Invariants (cited by number):
 *   I1  the table is sorted by number; a volume leaves it only in store_close().
 *   I2  `group_end` is the end of the last durable group; bytes after it in the open log volume
 *       belong to nobody.
 *   I3  a bulk volume is in at most one of: idle pool, one content, sealed.
 *   I4  a volume's handle is closed or replaced only with no users.
 *   I5  offsets that leave this module are first-generation ones (struct place); physical offsets
 *       come from volume__locate() and stay inside.
 */
#ifndef ARCHIVOLT_VOLUME_STORE_PRIVATE_H
#define ARCHIVOLT_VOLUME_STORE_PRIVATE_H

#include "base/ensure.h"
#include "base/lock.h"
#include "format/tar.h"
#include "volume/store.h"

#include <stdatomic.h>

enum {
    HEAD_BYTES = 1024,     /* the first entry of a volume: one header, one block */
    END_BYTES = 1024,      /* two zero blocks */
    FIXED_LINE_BYTES = 63, /* "%020llu %020llu %020llu\n" */
    SUM_LINE_BYTES = 9,    /* "%08x\n" */
    SHA256_BYTES = 32,
    SHA256_HEX_BYTES = 64,
    SALT_BYTES = 16,
    MARK_BYTES = 16,
    PURGED_LINE_BYTES = 77, /* {"purged":"<64>"}: no line is shorter */
    VOLUME_NAME_BYTES = 40,
    COPY_CHUNK_BYTES = 1 << 20,
    SCAN_WINDOW_BYTES = 64 << 10,
    GROUPS_AT_ONCE = 2,   /* one is laid out while one is written */
    HANDLES_KEPT = 384, /* open handles of volumes that nobody uses just now */
    BORROW_BYTES = 4096 /* content from this size on is not copied into the group */
};
#define JOURNAL_ENTRY_MAX (UINT64_C(256) << 20)
#define PATH_TEXT_MAX TAR_PATH_MAX

/* One line of an index (sequence, place offset and length of a journal entry) or of a map (offset
 * in the first generation, offset in this file, length). */
struct fixed_line {
    uint64_t a, b, c;
};

/* A table of fixed lines inside a sealed volume. */
struct fixed_table {
    uint64_t offset; /* of its first line, in this file */
    uint64_t lines;
    bool present;
};

struct volume_index {
    struct fixed_line *items; /* ascending sequences */
    size_t count, capacity;
    bool whole; /* false: groups before items[0] may be in the volume too */
};

struct volume {
    uint64_t number;
    bool bulk;
    bool sealed;
    bool busy; /* bulk: a content has it */
    unsigned generation;
    uint64_t size_bytes;      /* open log: group_end; open bulk: end of what is committed */
    struct device_file *file; /* NULL: closed */
    bool writable;            /* how `file` was opened */
    bool pinned;              /* never closed to save handles */
    bool checked;             /* head and, where sealed, trailer were read */
    unsigned users;
    bool marked; /* `mark` was read from the head */
    unsigned char
        mark[MARK_BYTES]; /* in the head and each journal entry: content cannot forge it */
    bool claimed;         /* one thread has it alone */
    struct fixed_table index, map;
    uint64_t first_sequence, last_sequence; /* sealed log volumes; 0: unknown or none */
    struct volume_index *listing;           /* in place of an index that is damaged */
    struct volume *newer, *older; /* open handles by last use; while users == 0 && !pinned */
    struct volume *next_idle;
};

#define STORE_MAGIC 0x53544f52u

/* ---- groups ---- */

struct group_part {
    const void *borrowed; /* NULL: in the group's own bytes */
    size_t start, length;
};

struct group_entry {
    size_t listing_end;             /* the listing up to and with this entry */
    struct content *content;        /* bulk: its preamble is filled in at commit */
    size_t path_start, path_length; /* of that content, in `paths` */
    size_t start, length;           /* small, no content: its data in `bytes`; start is never 0 then */
    unsigned char sha256[SHA256_BYTES];
};

enum group_state { GROUP_CLOSED, GROUP_OPEN, GROUP_PREPARED };

struct group {
    struct store *store;
    enum group_state state; /* the committer's */
    bool urgent;
    struct group_info info;
    uint64_t start, end;      /* offsets in the log volume; the end once prepared */
    struct position position; /* once prepared its own; before, that of the group before it */
    uint64_t log_bytes;
    struct buffer bytes;   /* headers, small entries, padding */
    struct buffer journal; /* TAR_BLOCK_SIZE for its header, then lines */
    struct buffer listing; /* JSON of the last line's entries, each followed by a comma */
    struct buffer hashes;  /* previous H, then one a line */
    struct buffer paths;   /* of bulk content */
    struct group_part *parts;
    size_t part_count, part_capacity;
    struct group_entry *entries;
    size_t entry_count, entry_capacity;
    size_t *line_ends;
    size_t line_count, line_capacity;
    struct iovec *vector;
    size_t vector_capacity;
};

struct store {
    unsigned magic;
    struct store_options options; /* defaults filled in */
    struct store_identity identity;
    struct device *device;

    struct lock rewriting;
    struct lock names;
    struct lock writing;
    struct lock lock;
    struct signal changed; /* users reached 0, a claim ended */

    struct volume **volumes; /* I1 */
    size_t volume_count, volume_capacity;
    struct volume *log; /* open for appending; NULL: read only */
    uint64_t next_number;

    struct volume *lru_newest, *lru_oldest;
    unsigned handles_idle;

    enum store_state state;
    struct error why;
    struct position position;
    _Atomic int64_t not_before_us; /* groups are later than this */
    uint64_t group_end;        /* I2 */
    struct volume_index index; /* of `log` */

    bool bulk_ready;
    struct volume *bulk_idle;
    unsigned bulk_busy;
    uint64_t content_memory; /* atomic */

    struct group groups[GROUPS_AT_ONCE];
};

/* ---- volume_file.c: names, the table, handles, guards ---- */

struct volume_name {
    uint64_t number;
    unsigned generation;
    bool bulk;
    bool unfinished; /* a compaction that did not end */
};
bool volume__parse_name(struct text name, struct volume_name *ret_name);
void volume__name(const struct volume_name *name, char out[VOLUME_NAME_BYTES]);
void volume__file_name(const struct volume *volume, char out[VOLUME_NAME_BYTES]);
struct volume *volume__add(struct store *store, uint64_t number, bool bulk);
struct volume *volume__find(struct store *store, uint64_t number); /* takes the lock */
/* Shared guard: the handle stays open and the bytes stay in place until volume__end_use().
 * NOT_FOUND: the volume is missing; INVALID: it belongs to another store. */
enum error_code volume__use(struct store *store, uint64_t number, struct volume **ret_volume,
                            struct error *error) AV_MUST_USE;
void volume__end_use(struct store *store, struct volume *volume);
/* Exclusive guard: waits for readers to end, keeps new ones out. The handle may be NULL. */
enum error_code volume__claim(struct store *store, uint64_t number, struct volume **ret_volume,
                              struct error *error) AV_MUST_USE;
void volume__end_claim(struct store *store, struct volume *volume);
/* Opens for writing and keeps open. */
enum error_code volume__pin(struct store *store, struct volume *volume,
                            struct error *error) AV_MUST_USE;
void volume__unpin(struct store *store, struct volume *volume);
/* A new volume: file, head, both synced. Not yet in a pool; pinned. */
enum error_code volume__create(struct store *store, bool bulk, struct volume **ret_volume,
                               struct error *error) AV_MUST_USE;
/* Makes sure of the name of an empty pinned volume that this process did not create. */
enum error_code volume__renew(struct store *store, struct volume *volume,
                              struct error *error) AV_MUST_USE;
/* Where the entry's data is in the file as it is now. */
enum error_code volume__locate(struct store *store, struct volume *volume, uint64_t offset,
                               uint64_t *ret_physical, struct error *error) AV_MUST_USE;
/* The header that begins `before` bytes ahead of an entry's data (read.c). CORRUPT: there is none. */
enum error_code volume__read_header(struct volume *volume, uint64_t physical, uint64_t before,
                                    char path_out[TAR_PATH_MAX], struct tar_found *ret_found,
                                    struct error *error) AV_MUST_USE;
void volume__close_all(struct store *store);

/* ---- volume_head.c: the first entry ---- */

struct volume_head {
    struct store_identity identity;
    uint64_t volume;
    bool bulk;
    unsigned char mark[MARK_BYTES];
};
enum error_code volume__head_write(const struct volume_head *head, uint64_t mtime_s,
                                   unsigned char out[HEAD_BYTES], struct error *error) AV_MUST_USE;
/* CORRUPT: not a head. */
enum error_code volume__head_parse(const unsigned char data[HEAD_BYTES],
                                   struct volume_head *ret_head, struct error *error) AV_MUST_USE;
enum error_code volume__head_read(struct device_file *file, struct volume_head *ret_head,
                                  struct error *error) AV_MUST_USE;
/* Writes the same bytes again; the caller syncs. */
enum error_code volume__rewrite(struct device_file *file, uint64_t from, uint64_t to,
                                struct error *error) AV_MUST_USE;

/* ---- walk.c: from header to header ---- */

struct walk {
    struct device_file *file;
    uint64_t at;  /* of the next header */
    uint64_t end; /* of the file */
    uint64_t window_at;
    size_t window_length;
    char *window;
    char path[TAR_PATH_MAX];
};
enum error_code walk_init(struct walk *walk, struct device_file *file, uint64_t at,
                          struct error *error) AV_MUST_USE;
void walk_release(struct walk *walk);
struct walk_entry {
    struct text path; /* borrowed until the next step */
    uint64_t header, data, size, next, mtime_s;
};
/* The entry at `walk->at`, without moving. NOT_FOUND: zeros or the end of the file; CORRUPT: no
 * header, or its data goes beyond the end; IO. */
enum error_code walk_look(struct walk *walk, struct walk_entry *ret_entry,
                          struct error *error) AV_MUST_USE;

/* ---- journal.c: journal entries as bytes ---- */

enum { JOURNAL_PATH_BYTES = 8 + 14 + 1 + 3 + 1 + 20 + 6 };
void journal__path(uint64_t sequence, char out[JOURNAL_PATH_BYTES]); /* no NUL */
bool journal__parse_path(struct text path, uint64_t *ret_sequence);
void journal__line_hash(struct text line, unsigned char out[SHA256_BYTES]);
void journal__first_hash(const struct store_identity *identity, unsigned char out[SHA256_BYTES]);

struct journal_entry {
    struct buffer data;
    uint64_t sequence, node, node_sequence;
    int64_t time_us;
    struct text *lines;
    uint64_t *line_offsets;
    size_t line_count, line_capacity; /* without the last line, which is lines[line_count] */
    struct journal_tar_entry *entries;
    size_t entry_count, entry_capacity;
    struct buffer hashes; /* previous H, then one a line */
    unsigned char previous[SHA256_BYTES], hash[SHA256_BYTES], mark[MARK_BYTES];
};
void journal__entry_release(struct journal_entry *entry);
/* Whether the entry was written into this volume by us, not brought along inside some content. */
bool journal__belongs(const struct journal_entry *entry, const struct volume *volume);
/* Whether the group's own entries in the log volume lie without a gap before its journal entry, whose
 * tar header is at `header`; where the first of them begins. */
bool journal__lies_together(const struct journal_entry *entry, uint64_t volume, uint64_t header,
                            uint64_t *ret_start);
/* Parses entry->data and checks that H belongs to previous and lines. CORRUPT. */
enum error_code journal__parse(struct journal_entry *entry, struct error *error) AV_MUST_USE;
/* Reads and parses the entry whose data is at the physical offset; checks its tar header too. */
enum error_code journal__read(struct device_file *file, uint64_t physical, uint64_t length,
                              uint64_t sequence, struct journal_entry *entry,
                              struct error *error) AV_MUST_USE;
/* The digest that a group's lines name for the content at a place; false: none does. */
bool journal__content_digest(const struct text *lines, size_t line_count, struct place place,
                             uint64_t size, size_t digest_bytes, unsigned char *ret_digest);

/* ---- seal.c: index, map, end of a sealed volume ---- */

void fixed_line_append(struct buffer *buffer, struct fixed_line line);
bool fixed_line_parse(const char *data, struct fixed_line *ret_line);
enum error_code fixed_table_read(struct device_file *file, const struct fixed_table *table,
                                 uint64_t line, struct fixed_line *ret_line,
                                 struct error *error) AV_MUST_USE;
/* The first line whose `a` is at least `key`: its number, or table->lines. */
enum error_code fixed_table_search(struct device_file *file, const struct fixed_table *table,
                                   uint64_t key, uint64_t *ret_line,
                                   struct error *error) AV_MUST_USE;
struct volume_trailer {
    bool sealed;
    uint64_t start; /* of the first entry of the trailer, or of the two zero blocks */
    struct fixed_table index, map;
};
/* What the end of the file says. `sealed` false when it is not a trailer. Log: index [map] end. */
enum error_code seal__read_trailer(struct device_file *file, bool bulk, unsigned generation,
                                   struct volume_trailer *ret_trailer,
                                   struct error *error) AV_MUST_USE;
/* Index and end of the open log volume; then it is sealed. Between groups. */
enum error_code seal__log(struct store *store, struct error *error) AV_MUST_USE;
enum error_code seal__bulk(struct store *store, struct volume *volume,
                           struct error *error) AV_MUST_USE;
/* Seals and starts the next log volume. */
enum error_code seal__roll(struct store *store, struct error *error) AV_MUST_USE;
/* "journal/<kind>/log-0000000001" and the like, into `out`. */
struct text seal__path(const char *kind, const struct volume *volume, char out[PATH_TEXT_MAX]);

/* ---- index.c: sequence to place ---- */

void index__append(struct store *store, uint64_t sequence, uint64_t offset, uint64_t length);
/* Lists the groups of the open log volume that the index does not have yet. */
enum error_code index__complete(struct store *store, struct error *error) AV_MUST_USE;
struct group_place {
    uint64_t sequence, volume, offset, length;
};
/* The last group of a sealed log volume. NOT_FOUND: it holds none. */
enum error_code index__last(struct store *store, uint64_t volume, struct fixed_line *ret_line,
                            struct error *error) AV_MUST_USE;
/* An index that led to something else than a journal entry is not used again: the volume is gone
 * through instead. False: none was in use. */
bool index__distrust(struct store *store, uint64_t volume);
/* The first group from `sequence` on, up to the last durable one. NOT_FOUND: none. */
enum error_code index__find(struct store *store, uint64_t sequence, struct group_place *ret_place,
                            struct error *error) AV_MUST_USE;
/* The same, faster when the group is in the sealed volume `volume_hint` (0: none). */
enum error_code index__find_near(struct store *store, uint64_t sequence, uint64_t volume_hint,
                                 struct group_place *ret_place, struct error *error) AV_MUST_USE;

/* ---- group.c ---- */

bool store__no_group(const struct store *store); /* none is open or prepared */

/* ---- store.c ---- */

void store__fail(struct store *store, const struct error *why); /* FAILED, for good */
/* Every sync of the store's device goes through these two: a failure makes the store FAILED and is
 * IO or CLOSED, never FULL. */
enum error_code store__sync(struct store *store, struct device_file *file,
                            struct error *error) AV_MUST_USE;
enum error_code store__sync_names(struct store *store, struct error *error) AV_MUST_USE;
void store__set_full(struct store *store, bool full, const struct error *why);
/* CLOSED when FAILED or read only. */
enum error_code store__may_write(struct store *store, struct error *error) AV_MUST_USE;
/* FULL when fewer than `need` bytes (and the reserve, unless urgent) are free. */
enum error_code store__check_space(struct store *store, uint64_t need, bool urgent,
                                   struct error *error) AV_MUST_USE;
struct clock *store__clock(const struct store *store);
struct random_source *store__random(const struct store *store);
struct store_fault_sink {
    store_fault_function *report;
    void *context;
    uint64_t count;
};
void store__fault(struct store_fault_sink *sink, enum error_code code, uint64_t volume,
                  uint64_t offset, uint64_t sequence, struct text entry, const char *what);
enum error_code store__device_size(struct device_file *file, uint64_t *ret_size,
                                   struct error *error) AV_MUST_USE;
enum error_code store__write(struct device_file *file, uint64_t offset, const void *data,
                             size_t length, struct error *error) AV_MUST_USE;

/* Sleeps so that no more than `bytes_per_second` (0: no limit) pass since `started_ns`. */
void store__keep_pace(uint64_t started_ns, uint64_t done_bytes, uint64_t bytes_per_second);

/* ---- displaced.c ---- */

struct log_end {
    uint64_t sequence, offset; /* of the last group, and where it ends */
};
struct displaced {
    uint64_t sequence; /* 0: there is none */
    uint64_t header;   /* where the journal entry is */
    uint64_t written_at; /* where it was; 0: its group has no entries to tell */
};
#define DISPLACED_WORDS \
    "a whole journal entry is not where it was written: bytes before it were cut out or put in"
/* The first journal entry of a later group, anywhere after `after`, that is whole and not in its
 * place. For a log volume that is not sealed, and in use. */
enum error_code displaced__find(const struct volume *volume, struct log_end after,
                                struct displaced *ret_displaced, struct error *error) AV_MUST_USE;
/* Says it in words; always CORRUPT. */
enum error_code displaced__error(const struct displaced *found, const struct volume *volume,
                                 uint64_t sound_until, struct error *error);

/* ---- recovery.c ---- */

enum error_code recovery__run(struct store *store, const struct position *known,
                              struct store_fault_sink *faults, struct store_recovery *recovery,
                              struct error *error) AV_MUST_USE;
/* Hashes `length` bytes of a file from a physical offset. */
enum error_code store__hash_range(struct device_file *file, uint64_t physical, uint64_t length,
                                  enum digest_algorithm algorithm, unsigned char *ret_digest,
                                  struct error *error) AV_MUST_USE;

/* ---- bulk.c: the pool ---- */

enum error_code bulk__take(struct store *store, struct volume **ret_volume,
                           struct error *error) AV_MUST_USE;
/* Takes it out of use until the next opening. */
void bulk__retire(struct store *store, struct volume *volume);
/* `committed_end` 0: given up, cut back. */
void bulk__give(struct store *store, struct volume *volume, uint64_t committed_end);

/* ---- content.c, content_sums.c ---- */

/* CRC32C of each block of one content: in memory, then in a spool file. */
struct block_sums {
    struct buffer recent; /* 4 bytes each, big-endian */
    uint32_t crc;         /* of the block under way */
    size_t crc_length;
    struct device_file *spool; /* text lines, NULL: none yet */
    uint64_t spooled_bytes;
    char spool_name[64];
};
void block_sums__add(struct block_sums *sums, const char *data, size_t length);
void block_sums__end(struct block_sums *sums);
/* Moves them to the spool when they are too many. */
enum error_code block_sums__spool(struct block_sums *sums, struct store *store, struct place place,
                                  struct error *error) AV_MUST_USE;
uint64_t block_sums__text_bytes(const struct block_sums *sums);
/* Writes the text, and blanks it out to a whole block; returns its SHA-256. */
enum error_code block_sums__write(struct block_sums *sums, struct device_file *file,
                                  uint64_t offset, unsigned char ret_sha256[SHA256_BYTES],
                                  struct error *error) AV_MUST_USE;
void block_sums__release(struct block_sums *sums, struct store *store);
enum error_code content__remove_spools(struct device *device, struct error *error) AV_MUST_USE;

/* Of a batch: the group has it. Before content__fill_in() of any. */
void content__committing(struct content *content);
/* A content of a batch that a later one has left behind. */
bool content__is_void(const struct content *content);
/* Preamble and header of the sums. Called by group_write(), which syncs. */
enum error_code content__fill_in(struct content *content, struct text path, uint64_t mtime_s,
                                 struct error *error) AV_MUST_USE;
void content__committed(struct content *content);
bool content__is_bulk(const struct content *content);
struct content_place {
    uint64_t volume, preamble, data, size, sums_header, sums, sums_length, end;
    unsigned char sums_sha256[SHA256_BYTES];
};
const struct content_place *content__place(const struct content *content);
struct text content__sums_path(const struct content *content, char out[PATH_TEXT_MAX]);

/* ---- batch.c: contents that share a bulk volume ---- */

/* A place for the content that comes next, which holds a reference; when the volume is full, that of the batch's next one. *ret_volume
 * NULL: another content is being written, this one takes a volume of its own. */
enum error_code batch__enter(struct content_batch **batch, struct volume **ret_volume, uint64_t *ret_preamble,
                             struct error *error) AV_MUST_USE;
void batch__finish_part(struct content_batch *batch, uint64_t end);
/* Given up: cut away, once all behind it are. */
void batch__drop_part(struct content_batch *batch, uint64_t preamble);
/* A later part was committed without it: it can no longer be. */
bool batch__is_void(struct content_batch *batch, uint64_t preamble);
/* At a commit, in this order: each part of the group; what lies before them becomes void; durable. The last one releases. */
void batch__committing(struct content_batch *batch, uint64_t preamble);
enum error_code batch__fill_holes(struct content_batch *batch, struct error *error) AV_MUST_USE;
void batch__committed(struct content_batch *batch, uint64_t preamble);
void batch__hold(struct content_batch *batch);
void batch__release(struct content_batch *batch);

/* ---- purge.c ---- */

/* A void entry of `total` bytes at `offset` of a bulk volume, in place of an upload: with a preamble as that had, so that opening knows it
 * for an upload that came to nothing while nothing behind it is committed. */
enum error_code void__write(struct device *device, struct device_file *file, uint64_t volume, uint64_t offset, uint64_t total,
                            struct error *error) AV_MUST_USE;

/* Finishes a purge that was interrupted. `store` NULL: at opening, or copies. */
enum error_code purge__redo(struct store *store, struct device *device,
                            struct error *error) AV_MUST_USE;

#endif
