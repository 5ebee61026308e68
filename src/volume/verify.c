/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verification: group by group, every byte that the journal names, in the order in which it was
 * written; then the ends and the headers of the volumes. Faults are reported, never repaired.
 */
#include "format/hex.h"
#include "volume/store_private.h"

struct verification {
    struct store *store;
    const struct verify_options *options;
    struct store_fault_sink faults;
    uint64_t started_ns, done_bytes, total_bytes;
    uint64_t log_volume, log_end; /* where the group before ended; 0: unknown */
    bool stopped;
};

static void
fault(struct verification *self, enum error_code code, struct place place, uint64_t sequence,
      struct text entry, const char *what)
{
    store__fault(&self->faults, code, place.volume, place.offset, sequence, entry, what);
}

/* Errors of the machine end the run; what they say about stored bytes is a fault. */
static bool
is_finding(enum error_code code)
{
    return code == ERROR_CORRUPT || code == ERROR_NOT_FOUND || code == ERROR_INVALID ||
           code == ERROR_IO;
}

/* ---- entries ---- */

static bool
is_bulk_content(struct verification *self, const struct journal_group *group,
                const struct journal_tar_entry *entry)
{
    (void)self;
    return entry->place.volume != group->position.volume && entry->sha256_hex.length == 0;
}

/* `ret_skip`: purged since, or left out by compaction. */
static enum error_code
check_header(struct verification *self, const struct journal_group *group,
             const struct journal_tar_entry *entry, struct volume *volume, uint64_t physical,
             bool *ret_skip, struct error *error)
{
    char path[TAR_PATH_MAX];
    struct tar_found found;
    uint64_t before = is_bulk_content(self, group, entry) ? TAR_PREAMBLE_SIZE : TAR_BLOCK_SIZE;
    enum error_code code = volume__read_header(volume, physical, before, path, &found, error);
    if (code != ERROR_NONE)
        return code;
    *ret_skip = text_starts_with(found.entry.path, TEXT("journal/void/"));
    if (!*ret_skip &&
        (!text_equal(found.entry.path, entry->path) || found.header_size != before ||
         found.entry.size != entry->length || found.entry.mtime_s != (uint64_t)group->time_us / 1000000u))
        return error_set(error, ERROR_CORRUPT, "the tar header differs from the journal");
    return ERROR_NONE;
}

static bool
expected_digest(struct verification *self, const struct journal_group *group,
                const struct journal_tar_entry *entry, enum digest_algorithm *ret_algorithm,
                unsigned char *ret_digest)
{
    *ret_algorithm = DIGEST_SHA256;
    if (entry->sha256_hex.length > 0)
        return hex_decode(entry->sha256_hex, ret_digest, SHA256_BYTES);
    *ret_algorithm = self->store->identity.digest;
    if (self->options->content_digest != NULL)
        return self->options->content_digest(self->options->context, group, entry, ret_digest);
    return journal__content_digest(group->lines, group->line_count, entry->place, entry->length,
                                   digest_size(*ret_algorithm), ret_digest);
}

/* The volume is used for one piece at a time, so that a purge never waits long. */
static enum error_code
hash_entry(struct verification *self, const struct journal_tar_entry *entry,
           struct digest_stream *stream, char *chunk, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (uint64_t at = 0; code == ERROR_NONE && at < entry->length;) {
        uint64_t left = entry->length - at, physical = 0;
        size_t part = left < COPY_CHUNK_BYTES ? (size_t)left : COPY_CHUNK_BYTES;
        struct volume *volume = NULL;
        code = volume__use(self->store, entry->place.volume, &volume, error);
        if (code != ERROR_NONE)
            return code;
        code = volume__locate(self->store, volume, entry->place.offset, &physical, error);
        if (code == ERROR_NONE)
            code = device_read_exactly(volume->file, physical + at, chunk, part, error);
        volume__end_use(self->store, volume);
        if (code == ERROR_NONE)
            digest_stream_update(stream, chunk, part);
        at += part;
        self->done_bytes += part;
        store__keep_pace(self->started_ns, self->done_bytes, self->options->bytes_per_second);
    }
    return code;
}

static enum error_code
check_data(struct verification *self, const struct journal_group *group,
           const struct journal_tar_entry *entry, struct error *error)
{
    enum digest_algorithm algorithm;
    struct digest_stream stream = {0};
    unsigned char expected[DIGEST_SIZE_MAX], actual[DIGEST_SIZE_MAX];
    if (!expected_digest(self, group, entry, &algorithm, expected))
        return ERROR_NONE;
    char *chunk = malloc(COPY_CHUNK_BYTES);
    ensure(chunk != NULL);
    digest_stream_init(&stream, algorithm);
    enum error_code code = hash_entry(self, entry, &stream, chunk, error);
    digest_stream_finish(&stream, actual);
    digest_stream_release(&stream);
    free(chunk);
    if (code == ERROR_NONE && memcmp(expected, actual, digest_size(algorithm)) != 0)
        code = error_set(error, ERROR_CORRUPT, "the digest is wrong");
    return code;
}

/* Header only; `ret_skip` when there is nothing to hash. */
static enum error_code
look_at_entry(struct verification *self, const struct journal_group *group,
              const struct journal_tar_entry *entry, bool *ret_skip, struct error *error)
{
    struct volume *volume = NULL;
    uint64_t physical = 0;
    enum error_code code = volume__use(self->store, entry->place.volume, &volume, error);
    if (code != ERROR_NONE)
        return code;
    code = volume__locate(self->store, volume, entry->place.offset, &physical, error);
    if (code == ERROR_NONE)
        code = check_header(self, group, entry, volume, physical, ret_skip, error);
    volume__end_use(self->store, volume);
    if (code == ERROR_GONE) { /* compaction left it out */
        *ret_skip = true;
        return ERROR_NONE;
    }
    return code;
}

static enum error_code
check_entry(struct verification *self, const struct journal_group *group,
            const struct journal_tar_entry *entry, struct error *error)
{
    bool skip = false;
    enum error_code code = look_at_entry(self, group, entry, &skip, error);
    if (code != ERROR_NONE || skip)
        return code;
    code = check_data(self, group, entry, error);
    if (code != ERROR_CORRUPT && code != ERROR_GONE)
        return code;
    /* Purged or compacted away while we read? */
    if (look_at_entry(self, group, entry, &skip, NULL) == ERROR_NONE && skip)
        return ERROR_NONE;
    return code;
}

/* ---- groups ---- */

/* Entries of the log volume, then the journal entry, without a gap, from where the last group
 * ended. */
static void
check_gaps(struct verification *self, const struct journal_group *group)
{
    const struct position *position = &group->position;
    uint64_t at = self->log_volume == position->volume ? self->log_end : 0;
    for (unsigned i = 0; i <= group->entry_count; i++) {
        bool journal = i == group->entry_count;
        struct place place = {position->volume, position->offset};
        uint64_t length = position->length;
        if (!journal) {
            place = group->entries[i].place;
            length = group->entries[i].length;
        }
        if (place.volume != position->volume)
            continue;
        if (at != 0 && place.offset - TAR_BLOCK_SIZE != at)
            fault(self, ERROR_CORRUPT, (struct place){place.volume, at}, position->sequence,
                  TEXT(""), "a gap between entries");
        at = place.offset + tar_padded(length);
    }
    self->log_volume = position->volume;
    self->log_end = at;
}

static enum error_code
check_group(struct verification *self, const struct journal_group *group, struct error *error)
{
    check_gaps(self, group);
    for (unsigned i = 0; i < group->entry_count; i++) {
        const struct journal_tar_entry *entry = &group->entries[i];
        struct error why = {0};
        enum error_code code = check_entry(self, group, entry, &why);
        if (code != ERROR_NONE && !is_finding(code))
            return error_set(error, code, "%s", why.message);
        if (code != ERROR_NONE)
            fault(self, code, entry->place, group->position.sequence, entry->path, why.message);
    }
    self->done_bytes += group->position.length;
    self->stopped = self->options->proceed != NULL &&
                    !self->options->proceed(self->options->context, self->done_bytes,
                                            self->total_bytes, group->position.sequence);
    return ERROR_NONE;
}

static enum error_code
check_journal(struct verification *self, struct error *error)
{
    struct journal_reader *reader = NULL;
    struct journal_group group;
    enum error_code code =
        journal_reader_open(self->store, self->options->since_sequence, true, &reader, error);
    while (code == ERROR_NONE && !self->stopped) {
        enum error_code status;
        struct error why = {0};
        if (journal_reader_next(reader, &group, &status, &why)) {
            code = check_group(self, &group, error);
            continue;
        }
        if (status == ERROR_NONE)
            break;
        self->log_volume = 0;
        if (!is_finding(status))
            code = error_set(error, status, "%s", why.message);
        else
            fault(self, status, (struct place){0}, 0, TEXT(""), why.message);
    }
    journal_reader_close(reader);
    return code;
}

/* ---- volumes ---- */

/* From header to header up to `end`, for bulk volumes: log volumes were gone through group by
 * group. */
static enum error_code
check_headers(struct verification *self, struct volume *volume, uint64_t end, struct error *error)
{
    struct walk walk;
    struct walk_entry entry;
    struct error why = {0};
    enum error_code code = walk_init(&walk, volume->file, HEAD_BYTES, error);
    while (code == ERROR_NONE && walk.at < end) {
        code = walk_look(&walk, &entry, &why);
        if (code == ERROR_CORRUPT || code == ERROR_NOT_FOUND) {
            fault(self, ERROR_CORRUPT, (struct place){volume->number, walk.at}, 0, TEXT(""),
                  "no tar header where one must be");
            code = ERROR_NONE;
            break;
        }
        if (code == ERROR_NONE)
            walk.at = entry.next;
        else
            error_set(error, code, "%s", why.message);
    }
    walk_release(&walk);
    return code;
}

/* The open log volume behind the last group: nothing, what is being written, or what moved. */
static enum error_code
check_end(struct verification *self, const struct volume *volume, struct log_end end,
          struct error *error)
{
    struct displaced found;
    enum error_code code = displaced__find(volume, end, &found, error);
    if (code == ERROR_NONE && found.sequence != 0)
        fault(self, ERROR_CORRUPT, (struct place){volume->number, found.header}, found.sequence,
              TEXT(""), DISPLACED_WORDS);
    return code;
}

static enum error_code
check_volume(struct verification *self, uint64_t number, struct error *error)
{
    struct store *store = self->store;
    struct volume *volume = NULL;
    struct volume_trailer trailer = {0};
    struct error why = {0};
    struct volume_head head;
    enum error_code code = volume__use(store, number, &volume, &why);
    if (code == ERROR_NONE) {
        if (volume__head_read(volume->file, &head, NULL) != ERROR_NONE)
            fault(self, ERROR_CORRUPT, (struct place){number, 0}, 0, TEXT(""),
                  "the head of the volume is damaged");
        lock_take(&store->lock);
        bool sealed = volume->sealed, open_log = volume == store->log && !sealed;
        uint64_t end = volume->size_bytes;
        struct log_end log_end = {store->position.sequence, store->group_end};
        lock_give(&store->lock);
        if (sealed)
            code =
                seal__read_trailer(volume->file, volume->bulk, volume->generation, &trailer, &why);
        if (code == ERROR_NONE && sealed && !trailer.sealed)
            code = error_set(&why, ERROR_CORRUPT, "the end of the sealed volume is damaged");
        if (code == ERROR_NONE && volume->bulk && (sealed || store->bulk_ready))
            code = check_headers(self, volume, sealed ? trailer.start : end, &why);
        if (code == ERROR_NONE && open_log)
            code = check_end(self, volume, log_end, &why);
        volume__end_use(store, volume);
    }
    if (code != ERROR_NONE && !is_finding(code))
        return error_set(error, code, "%s", why.message);
    if (code != ERROR_NONE)
        fault(self, code, (struct place){number, 0}, 0, TEXT(""), why.message);
    return ERROR_NONE;
}

struct listed {
    uint64_t *numbers;
    size_t count;
    uint64_t bytes;
};

static bool
list_volume(void *context, const struct volume_facts *facts)
{
    struct listed *listed = context;
    listed->numbers = reallocarray(listed->numbers, listed->count + 1, sizeof *listed->numbers);
    ensure(listed->numbers != NULL);
    listed->numbers[listed->count++] = facts->number;
    listed->bytes += facts->size_bytes;
    return true;
}

enum error_code
store_verify(struct store *store, const struct verify_options *options,
             store_fault_function *on_fault, void *context, uint64_t *ret_faults,
             struct error *error)
{
    struct verification self = {.store = store,
                                .options = options,
                                .faults = {on_fault, context, 0},
                                .started_ns = clock_monotonic_ns()};
    struct listed listed = {0};
    store_volumes(store, list_volume, &listed);
    self.total_bytes = listed.bytes;
    enum error_code code = check_journal(&self, error);
    for (size_t i = 0; code == ERROR_NONE && !self.stopped && i < listed.count; i++)
        code = check_volume(&self, listed.numbers[i], error);
    free(listed.numbers);
    if (code == ERROR_NONE && self.stopped)
        code = error_set(error, ERROR_CLOSED, "verification was stopped");
    *ret_faults = self.faults.count;
    return code;
}
