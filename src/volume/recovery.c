/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening: finds the last group that is whole, cuts what comes after it, and makes sure that what
 * can be read is on disk.
 *
 * The scan goes from header to header through the open log volume. A group counts when its journal
 * entry is whole and bears the volume's mark (so that no content can bring a forged one along), its
 * entries lie next to each other right before it, and it follows: next sequence
 * and H of the one before. An intact journal entry with a higher sequence means that what lies
 * between is damaged, not torn: then nothing before it is cut. If it is not where it was written
 * (displaced.c), no place behind the damage is right: then the volume is not written at all. The
 * last group's entries are hashed as well; if they are not what they should be and the catalog does
 * not know the group, it is torn.
 */
#include "format/hex.h"
#include "volume/store_private.h"

struct last_group {
    struct position position;
    uint64_t start, end; /* of all its bytes in the log volume; 0: in an earlier volume, or none */
};

struct recovery {
    struct store *store;
    struct store_fault_sink *faults;
    struct store_recovery *result;
    struct volume *log;
    const struct position *known; /* sequence 0: none, or not contained */
    struct journal_entry entry;
    struct last_group last, before;
    struct log_end sound; /* up to there groups follow each other */
    struct walk walk;
    bool from_start;
};

static void
fault(struct recovery *self, enum error_code code, uint64_t offset, uint64_t sequence,
      const char *what)
{
    self->result->damaged_entries++;
    store__fault(self->faults, code, self->log->number, offset, sequence, TEXT(""), what);
}

static void
take_entry(struct recovery *self, uint64_t volume, uint64_t data, uint64_t length)
{
    const struct journal_entry *entry = &self->entry;
    struct position position = {entry->sequence, volume, data, length, {0}, entry->time_us};
    memcpy(position.chain, entry->hash, CHAIN_BYTES);
    self->before = self->last;
    self->last = (struct last_group){.position = position};
}

/* Reads the group at a place (first-generation offset) into self->entry. */
static enum error_code
read_group(struct recovery *self, uint64_t number, uint64_t offset, uint64_t length,
           uint64_t sequence, struct error *error)
{
    struct volume *volume = NULL;
    uint64_t physical = 0;
    enum error_code code = volume__use(self->store, number, &volume, error);
    if (code != ERROR_NONE)
        return code;
    code = volume__locate(self->store, volume, offset, &physical, error);
    if (code == ERROR_NONE)
        code = journal__read(volume->file, physical, length, sequence, &self->entry, error);
    volume__end_use(self->store, volume);
    return code;
}

/* ---- where to begin ---- */

static bool
is_damage(enum error_code code)
{
    return code == ERROR_CORRUPT || code == ERROR_NOT_FOUND || code == ERROR_INVALID ||
           code == ERROR_GONE;
}

/* Does the catalog's position lie in these volumes? */
static enum error_code
check_known(struct recovery *self, struct error *error)
{
    static const struct position nothing;
    const struct position *known = self->known;
    struct error why = {0};
    if (known->sequence == 0)
        return ERROR_NONE;
    enum error_code code = ERROR_CORRUPT;
    if (known->volume <= self->log->number && known->offset >= HEAD_BYTES + TAR_BLOCK_SIZE)
        code = read_group(self, known->volume, known->offset, known->length, known->sequence, &why);
    if (code != ERROR_NONE && !is_damage(code))
        return error_set(error, code, "%s", why.message);
    if (code == ERROR_NONE && memcmp(self->entry.hash, known->chain, CHAIN_BYTES) == 0)
        return ERROR_NONE;
    self->known = &nothing;
    self->result->position_unknown = true;
    return ERROR_NONE;
}

/* The last group of the sealed volumes, through their indexes. */
static enum error_code
last_sealed_group(struct recovery *self, struct error *error)
{
    struct store *store = self->store;
    for (size_t i = store->volume_count; i-- > 0;) {
        struct volume *volume = store->volumes[i];
        struct fixed_line line = {0};
        if (volume->bulk || volume->number > self->log->number || !volume->sealed)
            continue;
        enum error_code code = index__last(store, volume->number, &line, error);
        if (code == ERROR_NONE)
            code = read_group(self, volume->number, line.b, line.c, line.a, error);
        if (code == ERROR_NONE) {
            take_entry(self, volume->number, line.b, line.c);
            return ERROR_NONE;
        }
        if (!is_damage(code))
            return code;
        store__fault(self->faults, ERROR_CORRUPT, volume->number, 0, line.a, TEXT(""),
                     "a sealed log volume's last group cannot be read");
        self->result->damaged_entries++;
    }
    return ERROR_NONE;
}

/* ---- one group ---- */

/* True when the journal entry ends a group that counts. */
static enum error_code
try_group(struct recovery *self, const struct walk_entry *found, uint64_t sequence, bool *ret_taken,
          struct error *error)
{
    uint64_t start;
    struct last_group last = self->last;
    *ret_taken = false;
    enum error_code code =
        journal__read(self->log->file, found->data, found->size, sequence, &self->entry, error);
    if (code == ERROR_CORRUPT)
        return ERROR_NONE;
    if (code != ERROR_NONE)
        return code;
    bool next = sequence == last.position.sequence + 1;
    bool holds = memcmp(self->entry.previous, last.position.chain, CHAIN_BYTES) == 0;
    if (sequence <= last.position.sequence || !journal__belongs(&self->entry, self->log) ||
        !journal__lies_together(&self->entry, self->log->number, found->header, &start))
        return ERROR_NONE;
    if (next && (!holds || start != (last.end != 0 ? last.end : HEAD_BYTES)))
        return ERROR_NONE;
    if (!next)
        fault(self, ERROR_CORRUPT, found->header, last.position.sequence + 1,
              "groups before this one are damaged or missing");
    if (next && self->sound.sequence == last.position.sequence)
        self->sound = (struct log_end){sequence, found->next};
    take_entry(self, self->log->number, found->data, found->size);
    self->last.start = start;
    self->last.end = found->next;
    index__append(self->store, sequence, found->data, found->size);
    *ret_taken = true;
    return ERROR_NONE;
}

static enum error_code
scan(struct recovery *self, uint64_t from, struct error *error)
{
    struct walk_entry found;
    uint64_t sequence;
    bool taken;
    enum error_code code = walk_init(&self->walk, self->log->file, from, error);
    while (code == ERROR_NONE && self->walk.at < self->walk.end) {
        code = walk_look(&self->walk, &found, error);
        if (code == ERROR_CORRUPT || code == ERROR_NOT_FOUND) {
            self->walk.at += TAR_BLOCK_SIZE; /* torn or damaged: look for what is beyond */
            code = ERROR_NONE;
            continue;
        }
        if (code != ERROR_NONE)
            break;
        if (journal__parse_path(found.path, &sequence))
            code = try_group(self, &found, sequence, &taken, error);
        self->walk.at = found.next;
    }
    walk_release(&self->walk);
    return code;
}

/* ---- the last group ---- */

/* Void entries stand for what was purged since. */
static enum error_code
check_header(struct device_file *file, const struct journal_tar_entry *entry, uint64_t header, uint64_t physical,
             bool *ret_void, struct error *error)
{
    struct walk walk;
    struct walk_entry found;
    *ret_void = false;
    enum error_code code = walk_init(&walk, file, header, error);
    if (code == ERROR_NONE)
        code = walk_look(&walk, &found, error);
    if (code == ERROR_NONE && text_starts_with(found.path, TEXT("journal/void/")))
        *ret_void = true;
    else if (code == ERROR_NONE &&
             (!text_equal(found.path, entry->path) || found.data != physical ||
              found.size != entry->length))
        code = error_set(error, ERROR_CORRUPT, "a tar header differs from the journal");
    walk_release(&walk);
    return code;
}

static enum error_code
check_digest(struct recovery *self, struct device_file *file, const struct journal_tar_entry *entry, uint64_t physical,
             struct error *error)
{
    unsigned char expected[DIGEST_SIZE_MAX], actual[DIGEST_SIZE_MAX];
    enum digest_algorithm algorithm = DIGEST_SHA256;
    if (entry->sha256_hex.length > 0) {
        if (!hex_decode(entry->sha256_hex, expected, SHA256_BYTES))
            return error_set(error, ERROR_CORRUPT, "a digest that is not hexadecimal");
    } else {
        algorithm = self->store->identity.digest;
        if (!journal__content_digest(self->entry.lines, self->entry.line_count, entry->place,
                                     entry->length, digest_size(algorithm), expected))
            return ERROR_NONE; /* its line was purged, or names no digest */
    }
    enum error_code code =
        store__hash_range(file, physical, entry->length, algorithm, actual, error);
    if (code == ERROR_NONE && memcmp(expected, actual, digest_size(algorithm)) != 0)
        code = error_set(error, ERROR_CORRUPT, "an entry's digest is wrong");
    return code;
}

static bool
in_bulk(struct recovery *self, const struct journal_tar_entry *entry)
{
    return entry->place.volume != self->log->number;
}

/* Content has a preamble, its sums an ordinary header. `data`: where the entry's data are in the file. */
static uint64_t
header_of(struct recovery *self, const struct journal_tar_entry *entry, uint64_t data)
{
    bool preamble = in_bulk(self, entry) && entry->sha256_hex.length == 0;
    uint64_t bytes = preamble ? TAR_PREAMBLE_SIZE : TAR_BLOCK_SIZE;
    return data < HEAD_BYTES + bytes ? 0 : data - bytes;
}

/* A sealed bulk volume may have been compacted since: what it left out had been purged. */
static enum error_code
check_entry_in(struct recovery *self, struct volume *volume, const struct journal_tar_entry *entry, struct error *error)
{
    bool is_void = false;
    uint64_t physical = 0;
    enum error_code code = volume__locate(self->store, volume, entry->place.offset, &physical, error);
    if (code == ERROR_GONE)
        return error_forgive(error, code, ERROR_GONE);
    uint64_t header = code == ERROR_NONE ? header_of(self, entry, physical) : 0;
    if (code == ERROR_NONE && header == 0)
        code = error_set(error, ERROR_CORRUPT, "an entry that cannot be where it should");
    if (code == ERROR_NONE)
        code = check_header(volume->file, entry, header, physical, &is_void, error);
    return code != ERROR_NONE || is_void ? code : check_digest(self, volume->file, entry, physical, error);
}

static enum error_code
check_entry(struct recovery *self, const struct journal_tar_entry *entry, struct error *error)
{
    struct volume *volume = NULL;
    enum error_code code = volume__use(self->store, entry->place.volume, &volume, error);
    if (code != ERROR_NONE)
        return code;
    code = check_entry_in(self, volume, entry, error);
    volume__end_use(self->store, volume);
    return code;
}

static enum error_code
check_last(struct recovery *self, struct error *error)
{
    const struct position *last = &self->last.position;
    enum error_code code =
        read_group(self, last->volume, last->offset, last->length, last->sequence, error);
    for (size_t i = 0; code == ERROR_NONE && i < self->entry.entry_count; i++)
        code = check_entry(self, &self->entry.entries[i], error);
    return code;
}

/* Whole, or dropped; damage in a group that the catalog has is kept and reported. */
static enum error_code
settle_last(struct recovery *self, struct error *error)
{
    struct error why = {0};
    enum error_code code = check_last(self, &why);
    if (code == ERROR_NONE)
        return ERROR_NONE;
    if (!is_damage(code))
        return error_set(error, code, "%s", why.message);
    if (self->last.position.sequence <= self->known->sequence || self->log->sealed) {
        fault(self, ERROR_CORRUPT, self->last.start, self->last.position.sequence,
              "the last group has a damaged entry");
        return ERROR_NONE;
    }
    self->last = self->before;
    if (self->store->index.count > 0)
        self->store->index.count--;
    return ERROR_NONE;
}

/* ---- making it durable ---- */

static enum error_code
rewrite_bulk(struct recovery *self, const struct journal_tar_entry *entry, struct error *error)
{
    struct store *store = self->store;
    struct volume *volume = volume__find(store, entry->place.volume);
    uint64_t header = header_of(self, entry, entry->place.offset);
    bool mine = volume != NULL && !volume->pinned;
    if (volume == NULL || header == 0 || volume->sealed)
        return ERROR_NONE; /* reported already, or synced when it was sealed */
    enum error_code code = mine ? volume__pin(store, volume, error) : ERROR_NONE;
    if (code != ERROR_NONE)
        return code;
    code = volume__rewrite(volume->file, 0, HEAD_BYTES, error);
    if (code == ERROR_NONE)
        code = volume__rewrite(volume->file, header,
                               entry->place.offset + tar_padded(entry->length), error);
    if (code == ERROR_NONE)
        code = store__sync(store, volume->file, error);
    if (mine)
        volume__unpin(store, volume);
    return code;
}

/* Pages that a killed process wrote can be read without being on disk. */
static enum error_code
rewrite_last(struct recovery *self, struct error *error)
{
    struct error ignored = {0};
    const struct position *last = &self->last.position;
    enum error_code code = ERROR_NONE;
    if (last->sequence == 0)
        return ERROR_NONE;
    if (read_group(self, last->volume, last->offset, last->length, last->sequence, &ignored) !=
        ERROR_NONE)
        return ERROR_NONE; /* reported */
    for (size_t i = 0; code == ERROR_NONE && i < self->entry.entry_count; i++) {
        if (self->entry.entries[i].place.volume != last->volume)
            code = rewrite_bulk(self, &self->entry.entries[i], error);
    }
    self->result->last_group_rewritten = code == ERROR_NONE;
    return code;
}

static void
tail_name(const struct recovery *self, unsigned attempt, char *out, size_t size)
{
    snprintf(out, size, "log-%010llu-%llu.tail%u", (unsigned long long)self->log->number,
             (unsigned long long)self->last.end, attempt);
}

static enum error_code
create_tail(struct recovery *self, struct device_file **ret_file, struct error *error)
{
    char *name = self->result->tail_copy;
    enum error_code code = ERROR_EXISTS;
    for (unsigned attempt = 1; code == ERROR_EXISTS && attempt < 10000; attempt++) {
        tail_name(self, attempt, name, sizeof self->result->tail_copy);
        code = device_open_file(self->store->options.lost_and_found, name, DEVICE_CREATE, ret_file,
                                error);
    }
    return code;
}

static enum error_code
copy_range(struct device_file *from, uint64_t at, uint64_t end, struct device_file *to,
           struct error *error)
{
    enum error_code code = ERROR_NONE;
    uint64_t written = 0;
    char *chunk = malloc(COPY_CHUNK_BYTES);
    ensure(chunk != NULL);
    while (code == ERROR_NONE && at < end) {
        size_t part = end - at < COPY_CHUNK_BYTES ? (size_t)(end - at) : COPY_CHUNK_BYTES;
        code = device_read_exactly(from, at, chunk, part, error);
        if (code == ERROR_NONE)
            code = store__write(to, written, chunk, part, error);
        at += part;
        written += part;
    }
    free(chunk);
    return code;
}

/* Copied, the copy synced; then cut, and the cut synced. */
static enum error_code
cut_tail(struct recovery *self, uint64_t end, uint64_t size, struct error *error)
{
    struct device *lost = self->store->options.lost_and_found;
    struct device_file *copy = NULL;
    self->result->tail_bytes = size - end;
    enum error_code code = create_tail(self, &copy, error);
    if (code != ERROR_NONE)
        return code;
    code = copy_range(self->log->file, end, size, copy, error);
    if (code == ERROR_NONE)
        code = device_sync(copy, error);
    device_close_file(copy);
    if (code == ERROR_NONE)
        code = lost->operations->sync_names(lost, error);
    if (code == ERROR_NONE)
        code = self->store->device->operations->truncate(self->log->file, end, error);
    if (code == ERROR_NONE)
        code = store__sync(self->store, self->log->file, error);
    return code;
}

static enum error_code
make_durable(struct recovery *self, uint64_t size, struct error *error)
{
    struct store *store = self->store;
    uint64_t end = store->group_end;
    uint64_t from = self->last.end != 0 ? self->last.start : end;
    enum error_code code = ERROR_NONE;
    if (!self->log->sealed && size > end)
        code = cut_tail(self, end, size, error);
    if (code == ERROR_NONE)
        code = rewrite_last(self, error);
    if (code == ERROR_NONE)
        code = volume__rewrite(self->log->file, 0, HEAD_BYTES, error);
    if (code == ERROR_NONE)
        code = volume__rewrite(self->log->file, from, self->log->sealed ? size : end, error);
    if (code == ERROR_NONE)
        code = store__sync(self->store, self->log->file, error);
    if (code == ERROR_NONE && end == HEAD_BYTES && !self->log->sealed)
        code = volume__renew(store, self->log, error);
    return code;
}

/* ---- all of it ---- */

/* Where the scan of the open volume begins, with self->last set to the group before it. */
static enum error_code
find_start(struct recovery *self, uint64_t *ret_from, struct error *error)
{
    const struct position *known = self->known;
    uint64_t start;
    *ret_from = HEAD_BYTES;
    journal__first_hash(&self->store->identity, self->last.position.chain);
    self->from_start = known->sequence == 0 || known->volume != self->log->number;
    if (self->from_start)
        return last_sealed_group(self, error);
    /* self->entry is the known group. */
    take_entry(self, known->volume, known->offset, known->length);
    if (!journal__lies_together(&self->entry, self->log->number, known->offset - TAR_BLOCK_SIZE,
                                &start))
        start = known->offset - TAR_BLOCK_SIZE;
    self->last.start = start;
    self->last.end = known->offset + tar_padded(known->length);
    *ret_from = self->last.end;
    index__append(self->store, known->sequence, known->offset, known->length);
    return ERROR_NONE;
}

/* What moved in the volume is no tail: it would be cut, and with it what was acknowledged. */
static enum error_code
check_displaced(struct recovery *self, struct error *error)
{
    struct displaced found;
    enum error_code code = displaced__find(self->log, self->sound, &found, error);
    if (code != ERROR_NONE || found.sequence == 0)
        return code;
    fault(self, ERROR_CORRUPT, found.header, found.sequence, DISPLACED_WORDS);
    return self->store->options.read_only
               ? ERROR_NONE
               : displaced__error(&found, self->log, self->sound.offset, error);
}

static enum error_code
run_open(struct recovery *self, struct error *error)
{
    uint64_t from;
    enum error_code code = find_start(self, &from, error);
    self->sound = (struct log_end){self->last.position.sequence, from};
    if (code == ERROR_NONE)
        code = scan(self, from, error);
    if (code == ERROR_NONE)
        code = check_displaced(self, error);
    if (code == ERROR_NONE && self->last.end != 0)
        code = settle_last(self, error);
    self->store->index.whole = self->from_start;
    self->store->group_end = self->last.end != 0 ? self->last.end : HEAD_BYTES;
    return code;
}

/* The last volume was sealed and no next one begun. */
static enum error_code
run_sealed(struct recovery *self, uint64_t size, struct error *error)
{
    uint64_t start;
    journal__first_hash(&self->store->identity, self->last.position.chain);
    enum error_code code = last_sealed_group(self, error);
    if (code == ERROR_NONE && self->last.position.volume == self->log->number &&
        self->log->generation == 1) {
        if (!journal__lies_together(&self->entry, self->log->number,
                                    self->last.position.offset - TAR_BLOCK_SIZE, &start))
            start = self->last.position.offset - TAR_BLOCK_SIZE;
        self->last.start = start;
        self->last.end = self->last.position.offset + tar_padded(self->last.position.length);
        code = settle_last(self, error);
    }
    self->store->index.whole = true;
    self->store->group_end = size;
    return code;
}

static enum error_code
open_log(struct recovery *self, uint64_t *ret_size, struct error *error)
{
    struct store *store = self->store;
    struct volume *used = NULL;
    struct volume_trailer trailer = {0};
    struct volume_head head;
    enum error_code code = ERROR_NONE;
    if (!store->options.read_only)
        code = volume__pin(store, self->log, error);
    if (code == ERROR_NONE)
        code = volume__use(store, self->log->number, &used, error); /* whose is it? */
    if (code == ERROR_NONE && volume__head_read(used->file, &head, NULL) == ERROR_CORRUPT)
        fault(self, ERROR_CORRUPT, 0, 0, "the head of the log volume is damaged");
    if (code == ERROR_NONE)
        code = seal__read_trailer(used->file, false, used->generation, &trailer, error);
    if (code == ERROR_NONE && trailer.sealed) {
        used->sealed = true;
        used->index = trailer.index;
        used->map = trailer.map;
    }
    if (code == ERROR_NONE)
        code = store__device_size(used->file, ret_size, error);
    if (code != ERROR_NONE && used != NULL)
        volume__end_use(store, used);
    return code; /* else the use is kept until recovery is over */
}

enum error_code
recovery__run(struct store *store, const struct position *known, struct store_fault_sink *faults,
              struct store_recovery *recovery, struct error *error)
{
    struct recovery self = {
        .store = store, .faults = faults, .result = recovery, .log = store->log, .known = known};
    uint64_t size = 0;
    enum error_code code = open_log(&self, &size, error);
    if (code != ERROR_NONE)
        return code;
    code = check_known(&self, error);
    if (code == ERROR_NONE)
        code = self.log->sealed ? run_sealed(&self, size, error) : run_open(&self, error);
    store->position = self.last.position;
    volume__end_use(store, self.log);
    if (code == ERROR_NONE && !store->options.read_only)
        code = make_durable(&self, size, error);
    self.log->size_bytes = self.log->sealed ? size : store->group_end;
    journal__entry_release(&self.entry);
    return code;
}
