/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast are the overlay, the RocksDB catalog, the sorter and the loader? Not a test: it prints
 * what it measured, one line a thing, and judges nothing. Times are those of the processor for the
 * measuring thread; what RocksDB does in the background is not in them.
 *
 *     catalog_bench FOLDER [DEPOSITS]       FOLDER must not exist; it is left there to be looked at
 *
 * A "deposit" has the keys of a small one: seven of growing numbers and a random one of 33 bytes.
 */
#include "base/ensure.h"
#include "catalog/catalog.h"
#include "catalog/overlay.h"
#include "catalog/sorter.h"
#include "io/clock.h"

#include <sys/resource.h>
#include <sys/stat.h>

enum { KEYS_OF_DEPOSIT = 8, GETS_OF_DEPOSIT = 20, GROUP = 200, PAGE = 1000 };

static uint64_t random_state = 1;

static uint64_t
draw(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    uint64_t mixed = random_state ^ (random_state >> 29);
    return mixed * 0x94D049BB133111EBu;
}

/* Processor time of this thread, so that neighbours on the machine matter less. */
static uint64_t
now(void)
{
    struct timespec time;
    ensure(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void
report(const char *what, uint64_t count, uint64_t start_ns)
{
    double seconds = (double)(now() - start_ns) / 1e9;
    printf("%-44s %10llu in %7.3f s  %12.0f /s  %8.3f us\n", what, (unsigned long long)count,
           seconds, (double)count / seconds, seconds * 1e6 / (double)count);
}

static void
must(enum error_code code, const struct error *error)
{
    if (code == ERROR_NONE)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

/* A family byte and numbers, big-endian; key 7 is the random one (a digest of the number). */
static struct text
make_key(struct buffer *key, uint64_t deposit, unsigned which)
{
    static const char families[KEYS_OF_DEPOSIT] = {'n', 'c', 's', 's', 's', 'v', 'h', 'd'};
    buffer_clear(key);
    buffer_append_char(key, families[which]);
    if (which == 7) {
        uint64_t word = deposit;
        for (int i = 0; i < 4; i++) {
            word = (word ^ (word >> 31)) * 0xBF58476D1CE4E5B9u + (uint64_t)i + 1;
            buffer_append_be(key, word ^ (word >> 27), 8);
        }
        return buffer_text(key);
    }
    buffer_append_be(key, which == 1 ? 1 : deposit, 8);
    if (which == 1)
        buffer_printf(key, "file-%010llu.bin", (unsigned long long)deposit);
    else
        buffer_append_be(key, which, 4);
    return buffer_text(key);
}

/* Half random, half repeating, as records are. */
static struct text
make_value(struct buffer *value, unsigned which)
{
    buffer_clear(value);
    for (unsigned i = 0; i < (which == 0 ? 6u : 1u); i++) {
        buffer_append_be(value, draw(), 8);
        buffer_append_string(value, "archival");
    }
    return buffer_text(value);
}

/* What the committer does: gets of keys there and not there, puts, then one batch a group. */
static void
bench_committer(struct catalog *catalog, const char *name, uint64_t deposits)
{
    struct overlay *overlay = overlay_new(catalog);
    struct catalog_batch *batch = catalog_batch_new();
    struct buffer key = {0}, value = {0}, found = {0};
    struct error error = {0};
    uint64_t wall = clock_monotonic_ns(), start = now(), gets_ns = 0, puts_ns = 0, batch_ns = 0,
             write_ns = 0;
    for (uint64_t first = 0; first < deposits; first += GROUP) {
        for (uint64_t deposit = first; deposit < first + GROUP; deposit++) {
            uint64_t begun = now();
            for (unsigned i = 0; i < GETS_OF_DEPOSIT; i++) {
                /* 2 new ones that are absent, the rest hot: the parent and its rules */
                uint64_t asked = i < 2 ? deposit : i % 4;
                (void)!overlay_get(overlay, make_key(&key, asked, i < 2 ? i : i % 7), &found, NULL);
            }
            uint64_t got = now();
            overlay_put(overlay, make_key(&key, 1, 0),
                        make_value(&value, 0)); /* the parent's counts */
            for (unsigned which = 0; which < KEYS_OF_DEPOSIT; which++)
                overlay_put(overlay, make_key(&key, deposit, which), make_value(&value, which));
            puts_ns += now() - got;
            gets_ns += got - begun;
        }
        uint64_t full = now();
        catalog_batch_clear(batch);
        overlay_to_batch(overlay, batch);
        uint64_t made = now();
        must(catalog_write(catalog, batch, &error), &error);
        write_ns += now() - made;
        overlay_clear(overlay);
        batch_ns += made - full;
    }
    printf("-- committer over %s, groups of %d, us a deposit: gets %.2f, puts %.2f, batch %.2f, "
           "write %.2f\n",
           name, GROUP, (double)gets_ns / 1e3 / (double)deposits,
           (double)puts_ns / 1e3 / (double)deposits, (double)batch_ns / 1e3 / (double)deposits,
           (double)write_ns / 1e3 / (double)deposits);
    report("committer: deposits", deposits, start);
    printf("-- with all waiting: %.0f deposits/s\n",
           (double)deposits * 1e9 / (double)(clock_monotonic_ns() - wall));
    buffer_release(&key);
    buffer_release(&value);
    buffer_release(&found);
    catalog_batch_free(batch);
    overlay_free(overlay);
}

static void
bench_overlay_alone(void)
{
    enum { KEYS = 4000, ROUNDS = 500 };
    struct catalog *catalog = catalog_memory_new();
    struct overlay *overlay = overlay_new(catalog);
    struct buffer key = {0}, value = {0}, found = {0};
    static struct text keys[KEYS];
    for (uint64_t i = 0; i < KEYS; i++) {
        keys[i] = text_from(text_copy(make_key(&key, i + 0x0101010101010101u, 1)));
        overlay_put(overlay, keys[i], make_value(&value, 0));
    }
    uint64_t start = now();
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < KEYS; i++)
            ensure(overlay_get(overlay, keys[i * 1237 % KEYS], &found, NULL) == ERROR_NONE);
    }
    report("overlay: gets of keys that are there", (uint64_t)KEYS * ROUNDS, start);
    start = now();
    for (int round = 0; round < ROUNDS; round++) {
        overlay_clear(overlay);
        for (size_t i = 0; i < KEYS; i++)
            overlay_put(overlay, keys[i * 1237 % KEYS], buffer_text(&value));
    }
    report("overlay: puts of new keys", (uint64_t)KEYS * ROUNDS, start);
    for (size_t i = 0; i < KEYS; i++)
        free((void *)(uintptr_t)keys[i].data);
    buffer_release(&key);
    buffer_release(&value);
    buffer_release(&found);
    overlay_free(overlay);
    catalog_close(catalog);
}

static void
bench_gets(struct catalog *catalog, uint64_t deposits)
{
    const uint64_t count = 200000;
    struct buffer key = {0}, found = {0};
    uint64_t start = now(), hits = 0;
    for (uint64_t i = 0; i < count; i++)
        hits += catalog_get(catalog, NULL, make_key(&key, draw() % deposits, 0), &found, NULL) ==
                ERROR_NONE;
    ensure(hits == count);
    report("rocksdb: random gets, there", count, start);
    start = now();
    for (uint64_t i = 0; i < count; i++)
        hits += catalog_get(catalog, NULL, make_key(&key, draw() | 1ull << 60, 7), &found, NULL) ==
                ERROR_NONE;
    ensure(hits == count);
    report("rocksdb: random gets, absent", count, start);
    start = now();
    for (uint64_t i = 0; i < count; i++)
        ensure(catalog_get(catalog, NULL, make_key(&key, i % 100, 0), &found, NULL) == ERROR_NONE);
    report("rocksdb: hot gets", count, start);
    buffer_release(&key);
    buffer_release(&found);
}

static void
bench_pages(struct catalog *catalog, const char *what, uint64_t first)
{
    enum { PAGES = 20 };
    struct buffer from = {0};
    struct error error = {0};
    uint64_t start = now(), rows = 0;
    for (uint64_t page = 0; page < PAGES; page++) {
        struct catalog_scan *scan;
        struct text key, value;
        const struct catalog_scan_range range = {.from = make_key(&from, first + page * PAGE, 1),
                                                 .to = TEXT("d")};
        must(catalog_scan_open(catalog, NULL, &range, &scan, &error), &error);
        for (unsigned i = 0; i < PAGE && catalog_scan_next(scan, &key, &value); i++)
            rows++;
        must(catalog_scan_close(scan, &error), &error);
    }
    report(what, PAGES, start);
    ensure(rows == PAGES * PAGE);
    buffer_release(&from);
}

static void
bench_rocksdb(const char *folder, uint64_t deposits)
{
    const struct catalog_rocksdb_options options = {.path = folder};
    struct catalog *catalog;
    struct error error = {0};
    struct buffer json = {0};
    must(catalog_rocksdb_open(&options, &catalog, &error), &error);
    bench_committer(catalog, "rocksdb", deposits);
    bench_gets(catalog, deposits);
    bench_pages(catalog, "rocksdb: pages of 1,000 from the start", 0);
    bench_pages(catalog, "rocksdb: pages of 1,000 from the middle", deposits / 2);
    must(catalog_flush(catalog, &error), &error);
    catalog->operations->properties(catalog, &json);
    printf("-- %s\n", buffer_string(&json));
    buffer_release(&json);
    catalog_close(catalog);
}

/* Adds in random order, sorts, and drains into a loader when there is one. */
static void
bench_sorter(const char *folder, uint64_t records, size_t memory_bytes, const char *load_into)
{
    struct sorter *sorter;
    struct sorter_record record;
    struct catalog_loader *loader = NULL;
    struct buffer key = {0}, value = {0};
    struct error error = {0};
    uint64_t making = now();
    for (uint64_t i = 0; i < records; i++) {
        make_key(&key, (i * 0x9E3779B97F4A7C15u) >> 20, (unsigned)(i % KEYS_OF_DEPOSIT));
        make_value(&value, 1);
    }
    making = now() - making; /* the same without the sorter: taken off below */
    must(sorter_new(folder, memory_bytes, &sorter, &error), &error);
    uint64_t start = now() + making;
    for (uint64_t i = 0; i < records; i++) {
        record.key =
            make_key(&key, (i * 0x9E3779B97F4A7C15u) >> 20, (unsigned)(i % KEYS_OF_DEPOSIT));
        record.value = make_value(&value, 1);
        record.order = i;
        must(sorter_add(sorter, &record, &error), &error);
    }
    uint64_t added = now();
    must(sorter_finish(sorter, &error), &error);
    uint64_t sorted = now(), bytes = 0;
    if (load_into != NULL)
        must(catalog_loader_new(load_into, &loader, &error), &error);
    while (sorter_next(sorter, &record)) {
        bytes += record.key.length + (unsigned char)record.value.data[0];
        if (loader != NULL)
            must(catalog_loader_put(loader, record.key, record.value, &error), &error);
    }
    must(sorter_status(sorter, &error), &error);
    if (loader != NULL)
        must(catalog_loader_finish(loader, &error), &error);
    printf("-- sorter, %zu MiB: add %.3f s, finish %.3f s, drain %.3f s (%llu)\n",
           memory_bytes >> 20, ((double)added - (double)start) / 1e9,
           (double)(sorted - added) / 1e9, (double)(now() - sorted) / 1e9,
           (unsigned long long)bytes);
    report(loader == NULL ? "sorter: records" : "sorter and loader: records", records, start);
    catalog_loader_free(loader);
    sorter_free(sorter);
    buffer_release(&key);
    buffer_release(&value);
}

int
main(int count, char **arguments)
{
    char path[512];
    struct rusage usage;
    if (count < 2) {
        fprintf(stderr, "usage: catalog_bench FOLDER [DEPOSITS]\n");
        return 2;
    }
    uint64_t deposits = count > 2 ? strtoull(arguments[2], NULL, 10) : 200000;
    deposits = deposits < 40 * PAGE ? 40 * PAGE : deposits / GROUP * GROUP;
    if (mkdir(arguments[1], 0755) != 0) {
        perror(arguments[1]);
        return 1;
    }
    bench_overlay_alone();
    struct catalog *memory = catalog_memory_new();
    bench_committer(memory, "memory", 20000);
    catalog_close(memory);
    bench_sorter(arguments[1], 2000000, (size_t)512 << 20, NULL);
    bench_sorter(arguments[1], 2000000, (size_t)32 << 20, NULL);
    snprintf(path, sizeof path, "%s/loaded", arguments[1]);
    bench_sorter(arguments[1], 2000000, (size_t)512 << 20, path);
    snprintf(path, sizeof path, "%s/written", arguments[1]);
    bench_rocksdb(path, deposits);
    getrusage(RUSAGE_SELF, &usage);
    printf("-- most memory %ld MiB\n", usage.ru_maxrss >> 10);
    return 0;
}
