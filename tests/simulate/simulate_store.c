/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store against an oracle, with faults: a seeded workload of groups, uploads, seals, purges and
 * compactions runs while the n-th call fails (once or for ever, EIO or ENOSPC), or the n-th sync
 * does, or the power goes at it; then the store is opened again and everything is compared. For each n, until the
 * workload passes untouched.
 *
 *     simulate_store [FIRST-SEED COUNT]
 */
#include "volume/store.h"

#include "base/ensure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

enum {
    CONTENTS_MAX = 400,
    STEPS = 30,
    KEPT_GROUPS = 200,
    SMALL_BYTES = 6000,
    VOLUME_BYTES = 60000,
    CONTENT_BYTES_MAX = 20000
};

struct stored { /* one content that the oracle knows */
    uint64_t sequence;
    unsigned seed;
    struct content_reference reference;
    unsigned char sums[64];
    struct place line_place; /* its journal line, for a purge */
    uint64_t line_offset, line_length;
    bool bulk, purged;
    bool purging; /* intended; may have been done */
};

struct oracle {
    struct stored contents[CONTENTS_MAX];
    size_t count;
    struct position acknowledged;           /* of the last group whose commit returned NONE */
    struct position positions[KEPT_GROUPS]; /* by sequence */
    uint64_t first_doubtful;                /* contents from here on are of a group in doubt */
    bool doubt;
};

struct world {
    uint64_t seed, random;
    struct device *volumes, *lost;
    struct clock_simulated clock;
    struct random_simulated chance;
    struct store_options options;
    struct store *store;
    struct oracle oracle;
    bool created, ignore_faults;
    unsigned faults;
    const char *what; /* for messages */
    uint64_t n;
};

static struct world *current;

__attribute__((noreturn, format(printf, 1, 2))) static void
broken(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "simulate_store: seed %llu, %s %llu: ", (unsigned long long)current->seed,
            current->what, (unsigned long long)current->n);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    abort();
}

static uint64_t
next_random(struct world *w)
{
    uint64_t z = w->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static unsigned
below(struct world *w, unsigned limit)
{
    return (unsigned)(next_random(w) % limit);
}

static char
byte_of(unsigned seed, uint64_t at)
{
    return (char)(seed * 31 + at * 7 + at / 509 + (at * seed >> 9));
}

static void
note_fault(void *context, const struct store_fault *fault)
{
    struct world *w = context;
    w->faults++;
    if (!w->ignore_faults)
        broken("a fault: %s, volume %llu at %llu, group %llu, %.*s", fault->what,
               (unsigned long long)fault->volume, (unsigned long long)fault->offset,
               (unsigned long long)fault->sequence, TEXT_ARG(fault->entry));
}

/* ---- the workload ---- */

static enum error_code
receive(struct world *w, unsigned seed, size_t size, struct content_batch *batch,
        struct content **ret_content, struct error *error)
{
    char data[CONTENT_BYTES_MAX];
    struct content *content = NULL;
    for (size_t i = 0; i < size; i++)
        data[i] = byte_of(seed, i);
    enum error_code code = content_begin(w->store, 0, &content, error);
    if (code == ERROR_NONE && batch != NULL)
        content_share(content, batch);
    for (size_t at = 0; code == ERROR_NONE && at < size;) {
        size_t part = 1 + below(w, 9000);
        if (part > size - at)
            part = size - at;
        code = content_write(content, data + at, part, error);
        at += part;
    }
    if (code == ERROR_NONE)
        code = content_finish(content, error);
    if (code == ERROR_NONE)
        *ret_content = content;
    else
        content_free(content);
    return code;
}

static void
make_line(struct buffer *line, const struct content *content, struct place place)
{
    const struct content_summary *summary = content_summary(content);
    buffer_printf(line, "{\"op\":\"put\",\"content\":[%llu,%llu,%llu,\"",
                  (unsigned long long)place.volume, (unsigned long long)place.offset,
                  (unsigned long long)summary->size_bytes);
    buffer_append_hex(line, summary->digest, 64);
    buffer_append_string(line, "\"]}");
}

static enum error_code
lay_out(struct group *group, struct content *content, struct stored *stored, struct error *error)
{
    char path[80], text[200];
    struct place place, sums, other;
    unsigned index;
    struct buffer line AV_CLEANUP(buffer_release) = {0};
    const struct content_summary *summary = content_summary(content);
    snprintf(path, sizeof path, "ocfl/%u/v1/content/1", stored->seed);
    enum error_code code = group_add_content(group, text_from(path), content, &place, &sums, error);
    snprintf(path, sizeof path, "ocfl/%u/v1/inventory.json", stored->seed);
    snprintf(text, sizeof text, "{\"seed\":%u,\"filler\":\"%.*s\"}", stored->seed,
             (int)(stored->seed % 97),
             "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    if (code == ERROR_NONE)
        code = group_add_entry(group, text_from(path), text_from(text), &other, error);
    snprintf(path, sizeof path, "ocfl/%u/inventory.json", stored->seed);
    if (code == ERROR_NONE)
        code = group_add_entry(group, text_from(path), text_from(text), &other, error);
    make_line(&line, content, place);
    if (code == ERROR_NONE)
        code = group_add_line(group, buffer_text(&line), &index, error);
    if (code != ERROR_NONE)
        return code;
    ensure(summary->bulk || summary->block_sums.length <= sizeof stored->sums);
    memcpy(stored->sums, summary->block_sums.data, summary->bulk ? 0 : summary->block_sums.length);
    stored->reference = (struct content_reference){
        place, summary->size_bytes,
        text_of((char *)stored->sums, summary->bulk ? 0 : summary->block_sums.length), sums};
    stored->bulk = summary->bulk;
    stored->line_length = index; /* until the journal tells */
    return ERROR_NONE;
}

/* Where the lines of a group are, from the journal itself. */
static void
learn_lines(struct world *w, uint64_t sequence, size_t first)
{
    struct journal_reader *reader;
    struct journal_group group;
    enum error_code status;
    struct error error = {0};
    if (journal_reader_open(w->store, sequence, false, &reader, &error) != ERROR_NONE)
        return;
    if (journal_reader_next(reader, &group, &status, &error)) {
        for (size_t i = first; i < w->oracle.count; i++) {
            struct stored *stored = &w->oracle.contents[i];
            unsigned index = (unsigned)stored->line_length;
            if (stored->sequence != sequence || index >= group.line_count)
                broken("the journal lacks a line");
            stored->line_place = (struct place){group.position.volume, group.position.offset};
            stored->line_offset = group.line_offsets[index];
            stored->line_length = group.lines[index].length;
        }
    } else {
        for (size_t i = first; i < w->oracle.count; i++)
            w->oracle.contents[i].line_place.volume = 0; /* the read failed: never purged then */
    }
    journal_reader_close(reader);
}

/* One of a batch that is given up at once, or kept and left behind. */
static enum error_code
receive_extra(struct world *w, struct content_batch *batch, struct content **ret_kept, struct error *error)
{
    struct content *content = NULL;
    if (batch == NULL || below(w, 3) != 0)
        return ERROR_NONE;
    enum error_code code = receive(w, 8, below(w, CONTENT_BYTES_MAX), batch, &content, error);
    if (code == ERROR_NONE && below(w, 2) == 0)
        *ret_kept = content;
    else
        content_free(content);
    return code;
}

/* One group of up to three deposits, or none when a deposit fails on the way. */
static enum error_code
commit_group(struct world *w, struct error *error)
{
    struct oracle *o = &w->oracle;
    struct content *contents[4] = {0}, *extras[4] = {0};
    struct content_batch *batch = NULL;
    struct group *group = NULL;
    struct group_info info;
    struct position position;
    unsigned wanted = 1 + below(w, 3), count = 0;
    size_t first = o->count;
    enum error_code code = below(w, 2) == 0 ? content_batch_new(w->store, &batch, error) : ERROR_NONE;
    for (; code == ERROR_NONE && count < wanted && first + count < CONTENTS_MAX; count++) {
        struct stored *stored = &o->contents[first + count];
        *stored = (struct stored){.seed = (unsigned)(first + count + 1)};
        size_t size = below(w, batch == NULL ? 4 : 2) == 0 ? below(w, CONTENT_BYTES_MAX) : below(w, 5000);
        code = receive_extra(w, batch, &extras[count], error);
        if (code == ERROR_NONE)
            code = receive(w, stored->seed, size, batch, &contents[count], error);
    }
    if (code == ERROR_NONE && count > 0)
        code = group_begin(w->store, false, &group, &info, error);
    for (unsigned i = 0; code == ERROR_NONE && i < count; i++) {
        struct group_mark mark = group_mark(group);
        struct stored *stored = &o->contents[first + i];
        stored->sequence = info.sequence;
        code = lay_out(group, contents[i], stored, error);
        if (code == ERROR_NONE && below(w, 5) == 0) {
            group_roll_back(group, mark); /* and once more */
            code = lay_out(group, contents[i], stored, error);
        }
    }
    if (group != NULL && code != ERROR_NONE) {
        group_abandon(group);
    } else if (group != NULL) {
        code = group_commit(group, &position, NULL, error);
        if (code == ERROR_NONE) {
            o->count += count;
            o->acknowledged = position;
            o->positions[position.sequence] = position;
            learn_lines(w, position.sequence, first);
        } else if (code != ERROR_FULL) {
            o->doubt = true; /* it may be there after opening, whole */
            o->first_doubtful = first;
            o->count += count;
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        content_free(contents[i]);
        content_free(extras[i]);
    }
    content_batch_free(batch);
    return code;
}

static enum error_code
give_up_an_upload(struct world *w, struct error *error)
{
    struct content *content = NULL;
    enum error_code code = receive(w, 7, 6000 + below(w, 14000), NULL, &content, error);
    content_free(content);
    return code;
}

/* The intent would be journalled here; opening repeats what was intended. */
static enum error_code
purge_stored(struct world *w, struct stored *stored, struct error *error)
{
    struct purge_span span = {stored->reference.place, stored->reference.size_bytes, stored->bulk};
    struct purge_line line = {stored->line_place, stored->line_offset, stored->line_length};
    struct purge_request request = {&span, 1, &line, 1};
    stored->purging = true;
    enum error_code code = store_purge(w->store, &request, error);
    if (code == ERROR_NONE)
        stored->purged = true;
    return code;
}

static enum error_code
purge_one(struct world *w, struct error *error)
{
    if (w->oracle.count == 0)
        return ERROR_NONE;
    struct stored *stored = &w->oracle.contents[below(w, (unsigned)w->oracle.count)];
    if (stored->purging || stored->line_place.volume == 0)
        return ERROR_NONE;
    return purge_stored(w, stored, error);
}

static bool
keep_all(void *context, struct text path, struct place place, uint64_t length)
{
    struct world *w = context;
    (void)place, (void)length;
    for (size_t i = 0; i < w->oracle.count; i++) {
        char gone[80];
        if (!w->oracle.contents[i].purged)
            continue;
        snprintf(gone, sizeof gone, "ocfl/%u/v1/inventory.json", w->oracle.contents[i].seed);
        if (text_equal(path, text_from(gone)))
            return false;
    }
    return true;
}

struct choice {
    struct world *w;
    uint64_t volume;
    unsigned seen;
};

static bool
choose_sealed(void *context, const struct volume_facts *facts)
{
    struct choice *choice = context;
    if (facts->sealed && below(choice->w, ++choice->seen) == 0)
        choice->volume = facts->number;
    return true;
}

static enum error_code
compact_one(struct world *w, struct error *error)
{
    struct choice choice = {w, 0, 0};
    struct compaction_result result;
    store_volumes(w->store, choose_sealed, &choice);
    if (choice.volume == 0)
        return ERROR_NONE;
    enum error_code code = store_compact(w->store, choice.volume, keep_all, w, &result, error);
    return code == ERROR_CONFLICT ? ERROR_NONE : code;
}

static enum error_code
one_step(struct world *w, struct error *error)
{
    switch (below(w, 12)) {
    case 0:
        return give_up_an_upload(w, error);
    case 1:
        return store_seal(w->store, error);
    case 2:
        return purge_one(w, error);
    case 3:
        return compact_one(w, error);
    default:
        return commit_group(w, error);
    }
}

/* ---- opening and comparing ---- */

static enum error_code
create(struct world *w, struct error *error)
{
    struct store_identity identity = {.node = 1, .digest = DIGEST_SHA512};
    memcpy(identity.uuid, "0123456789abcdef", 16);
    enum error_code code = store_create(&w->options, &identity, error);
    if (code == ERROR_EXISTS)
        code = ERROR_NONE;
    w->created = code == ERROR_NONE;
    return code;
}

static uint64_t
padded(uint64_t size)
{
    return (size + 511) / 512 * 512;
}

static enum error_code
set_lengths(struct world *w, struct error *error)
{
    struct bulk_length lengths[CONTENTS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < w->oracle.count; i++) {
        const struct stored *stored = &w->oracle.contents[i];
        if (!stored->bulk)
            continue;
        uint64_t blocks =
            (stored->reference.size_bytes + CONTENT_BLOCK_BYTES - 1) / CONTENT_BLOCK_BYTES;
        uint64_t end = stored->reference.sums.offset + padded(blocks * 9);
        size_t at = 0;
        while (at < count && lengths[at].volume != stored->reference.place.volume)
            at++;
        if (at == count)
            lengths[count++] = (struct bulk_length){stored->reference.place.volume, 0};
        if (end > lengths[at].committed_bytes)
            lengths[at].committed_bytes = end;
    }
    return store_set_bulk_lengths(w->store, lengths, count, error);
}

/* Any position that a catalog could have: none, the last, an earlier one. */
static struct position
known_position(struct world *w)
{
    static const struct position nothing;
    uint64_t last = w->oracle.acknowledged.sequence;
    switch (below(w, 3)) {
    case 0:
        return nothing;
    case 1:
        return w->oracle.acknowledged;
    default:
        return last == 0 ? nothing : w->oracle.positions[1 + below(w, (unsigned)last)];
    }
}

static void
settle_doubt(struct world *w)
{
    struct oracle *o = &w->oracle;
    struct position now = store_position(w->store);
    if (now.sequence < o->acknowledged.sequence)
        broken("group %llu was acknowledged, the last is %llu",
               (unsigned long long)o->acknowledged.sequence, (unsigned long long)now.sequence);
    if (now.sequence > o->acknowledged.sequence + (o->doubt ? 1 : 0))
        broken("group %llu was never committed", (unsigned long long)now.sequence);
    if (o->doubt && now.sequence == o->acknowledged.sequence)
        o->count = o->first_doubtful;
    if (o->doubt && now.sequence > o->acknowledged.sequence) {
        o->acknowledged = now;
        o->positions[now.sequence] = now;
        learn_lines(w, now.sequence, o->first_doubtful);
    }
    o->doubt = false;
}

/* Steps with faults may fail in any way; true when the store is open. */
static bool
open_store(struct world *w)
{
    struct error error = {0};
    struct store_recovery recovery;
    struct position known = known_position(w);
    if (!w->created && create(w, &error) != ERROR_NONE)
        return false;
    enum error_code code =
        store_open(&w->options, &known, note_fault, w, &w->store, &recovery, &error);
    if (code == ERROR_NOT_FOUND && w->oracle.acknowledged.sequence == 0) {
        w->created = false; /* its creation was never finished */
        return false;
    }
    if (code != ERROR_NONE) {
        w->store = NULL;
        if (code == ERROR_CORRUPT || code == ERROR_INVALID || code == ERROR_UNSUPPORTED)
            broken("opening: %s: %s", error_word(code), error.message);
        return false;
    }
    if (recovery.position_unknown)
        broken("a position that was acknowledged is unknown");
    settle_doubt(w);
    code = set_lengths(w, &error);
    if (code != ERROR_NONE) {
        store_close(w->store);
        w->store = NULL;
        return false;
    }
    return true;
}

static void
expect_content(struct world *w, const struct stored *stored)
{
    char data[CONTENT_BYTES_MAX];
    struct error error = {0};
    enum error_code code = store_read_content(w->store, &stored->reference, 0, data,
                                              (size_t)stored->reference.size_bytes, &error);
    if (code != ERROR_NONE)
        broken("content %u (group %llu): %s: %s", stored->seed,
               (unsigned long long)stored->sequence, error_word(code), error.message);
    for (uint64_t i = 0; i < stored->reference.size_bytes; i++) {
        if (data[i] != byte_of(stored->seed, i))
            broken("content %u differs at %llu", stored->seed, (unsigned long long)i);
    }
}

static void
expect_purged(struct world *w, const struct stored *stored)
{
    char data[CONTENT_BYTES_MAX];
    struct error error = {0};
    if (stored->reference.size_bytes == 0)
        return;
    enum error_code code = store_read_content(w->store, &stored->reference, 0, data,
                                              (size_t)stored->reference.size_bytes, &error);
    if (code != ERROR_CORRUPT && code != ERROR_GONE)
        broken("purged content %u: %s", stored->seed, error_word(code));
}

static void
expect_journal(struct world *w)
{
    struct error error = {0};
    struct journal_reader *reader;
    struct journal_group group;
    enum error_code status;
    uint64_t last = 0;
    if (journal_reader_open(w->store, 0, true, &reader, &error) != ERROR_NONE)
        broken("journal: %s", error.message);
    while (journal_reader_next(reader, &group, &status, &error)) {
        if (group.position.sequence != ++last)
            broken("group %llu where %llu must be", (unsigned long long)group.position.sequence,
                   (unsigned long long)last);
        if (memcmp(&group.position, &w->oracle.positions[last], sizeof group.position) != 0)
            broken("the position of group %llu differs", (unsigned long long)last);
    }
    journal_reader_close(reader);
    if (status != ERROR_NONE)
        broken("journal after %llu: %s", (unsigned long long)last, error.message);
    if (last != w->oracle.acknowledged.sequence)
        broken("the journal ends at %llu, not %llu", (unsigned long long)last,
               (unsigned long long)w->oracle.acknowledged.sequence);
}

static void
expect_all(struct world *w)
{
    struct error error = {0};
    struct verify_options options = {0};
    uint64_t faults;
    for (size_t i = 0; i < w->oracle.count; i++) {
        struct stored *stored = &w->oracle.contents[i];
        if (stored->purging && !stored->purged && purge_stored(w, stored, &error) != ERROR_NONE)
            broken("repeating a purge: %s", error.message);
        if (stored->purged)
            expect_purged(w, stored);
        else
            expect_content(w, stored);
    }
    expect_journal(w);
    if (store_verify(w->store, &options, note_fault, w, &faults, &error) != ERROR_NONE)
        broken("verification: %s", error.message);
}

/* ---- one run ---- */

static void
begin_world(struct world *w, uint64_t seed)
{
    struct device_simulated_options calm = {.seed = seed};
    memset(w, 0, sizeof *w);
    w->seed = w->random = seed;
    w->volumes = device_simulated_new(&calm);
    w->lost = device_simulated_new(&calm);
    clock_simulated_init(&w->clock, INT64_C(1700000000000000), 700000);
    random_simulated_init(&w->chance, seed);
    w->options = (struct store_options){.volumes = w->volumes,
                                        .lost_and_found = w->lost,
                                        .clock = &w->clock.clock,
                                        .random = &w->chance.source,
                                        .volume_size_bytes = VOLUME_BYTES,
                                        .small_content_bytes = SMALL_BYTES,
                                        .content_memory_bytes = 64 << 10,
                                        .sums_memory_bytes = 4,
                                        .reserve_bytes = 4096,
                                        .bulk_open = 3};
}

static void
end_world(struct world *w)
{
    store_close(w->store);
    device_free(w->volumes);
    device_free(w->lost);
}

/* Runs the workload until something fails for good. True: nothing did. */
static bool
work(struct world *w)
{
    bool untouched = true;
    if (!open_store(w))
        return false;
    for (unsigned i = 0; i < STEPS; i++) {
        struct error error = {0};
        enum error_code code = one_step(w, &error);
        if (code != ERROR_NONE && getenv("SIMULATE_TRACE") != NULL)
            fprintf(stderr, "step %u: %s: %s\n", i, error_word(code), error.message);
        if (code != ERROR_NONE)
            untouched = false;
        if (code == ERROR_CORRUPT || code == ERROR_INVALID)
            broken("a step: %s: %s", error_word(code), error.message);
        if (w->oracle.doubt || store_state(w->store, NULL) == STORE_FAILED)
            break; /* only a new process goes on */
    }
    return untouched;
}

/* The same world again in a new process, without faults: all is as it should be, and goes on. */
static void
check_after(struct world *w, bool power_cut)
{
    struct device_simulated_options calm = {.seed = w->seed};
    store_close(w->store);
    w->store = NULL;
    if (power_cut) {
        device_simulated_reboot(w->volumes, w->seed ^ w->n);
        device_simulated_reboot(w->lost, w->seed ^ w->n);
    }
    device_simulated_set(w->volumes, &calm);
    device_simulated_set(w->lost, &calm);
    if (!open_store(w) && !open_store(w))
        broken("the store does not open");
    expect_all(w);
    for (unsigned i = 0; i < 3; i++) {
        struct error error = {0};
        if (commit_group(w, &error) != ERROR_NONE)
            broken("a commit afterwards: %s", error.message);
    }
    /* What this process acknowledged survives a power cut. */
    store_close(w->store);
    w->store = NULL;
    device_simulated_reboot(w->volumes, w->n);
    device_simulated_reboot(w->lost, w->n);
    if (!open_store(w))
        broken("the store does not open a second time");
    expect_all(w);
}

enum mishap { FAIL_ONCE, FAIL_FOREVER, NO_SPACE_ONCE, NO_SPACE_FOREVER, SYNC_FAILS, CRASH, MISHAPS };
static const char *const mishap_names[MISHAPS] = {"EIO once at call",    "EIO from call",
                                                  "ENOSPC once at call", "ENOSPC from call",
                                                  "EIO at sync",         "crash at sync"};

/* False: the workload passed untouched, or there was nothing left to fail. */
static bool
run_once(uint64_t seed, enum mishap mishap, uint64_t n, bool power_cut)
{
    static struct world world;
    struct world *w = current = &world;
    struct device_simulated_options options = {.seed = seed};
    begin_world(w, seed);
    w->what = mishap_names[mishap];
    w->n = n;
    if (mishap == CRASH)
        options.crash_at_sync = n;
    else if (mishap == SYNC_FAILS)
        options.fail_sync = n;
    else
        options.fail_call = n;
    options.fail_errno = mishap == NO_SPACE_ONCE || mishap == NO_SPACE_FOREVER ? ENOSPC : EIO;
    options.fail_forever = mishap == FAIL_FOREVER || mishap == NO_SPACE_FOREVER;
    device_simulated_set(w->volumes, &options);
    bool untouched = work(w);
    bool reached = mishap == CRASH        ? device_simulated_crashed(w->volumes)
                   : mishap == SYNC_FAILS ? device_simulated_syncs(w->volumes) >= n
                                          : device_simulated_calls(w->volumes) >= n;
    if (mishap == SYNC_FAILS && reached && w->store != NULL &&
        store_state(w->store, NULL) != STORE_FAILED)
        broken("a sync failed and the store takes writes");
    if (!reached && !untouched)
        broken("a step failed without a fault");
    check_after(w, power_cut || mishap == CRASH);
    end_world(w);
    return reached;
}

/* Every n would take minutes: each seed takes its own stride through them. */
static void
run_seed(uint64_t seed, uint64_t *runs)
{
    for (unsigned mishap = 0; mishap < MISHAPS; mishap++) {
        uint64_t stride = mishap >= SYNC_FAILS ? 1 + seed % 3 : 7 + seed % 23;
        for (uint64_t n = 1 + seed % stride;; n += stride) {
            (*runs)++;
            if (!run_once(seed, (enum mishap)mishap, n, (n & 1) != 0))
                break;
        }
    }
}

int
main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 3;
    uint64_t runs = 0;
    for (uint64_t seed = first; seed < first + count; seed++)
        run_seed(seed, &runs);
    printf("simulate_store: %llu runs, seeds %llu to %llu\n", (unsigned long long)runs,
           (unsigned long long)first, (unsigned long long)(first + count - 1));
    return 0;
}
