/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the store commits: groups of 1, 8 and 52 deposits of 10 KiB, six entries and one journal
 * line each. Usage: volume_bench FOLDER [SECONDS]. Rows: synced to the folder's disk; written
 * without a sync (CPU of store and kernel); written nowhere (CPU of the store alone). Receiving and
 * hashing the content is not in the figures.
 */
#include "volume/store.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { CONTENT_BYTES = 10240, GROUP_MAX = 52 };

/* A device that lets a real one do all but syncs, or all but syncs and writes. */
static struct device_operations quiet_operations;
static const struct device_operations *real_operations;
static bool drop_writes;

static enum error_code
no_sync(struct device_file *file, struct error *error)
{
    (void)file, (void)error;
    return ERROR_NONE;
}

static enum error_code
quiet_write(struct device_file *file, uint64_t offset, const struct iovec *parts, size_t part_count,
            struct error *error)
{
    return drop_writes ? ERROR_NONE
                       : real_operations->write(file, offset, parts, part_count, error);
}

static void
must(enum error_code code, const struct error *error)
{
    if (code == ERROR_NONE)
        return;
    fprintf(stderr, "volume_bench: %s: %s\n", error_word(code), error->message);
    exit(1);
}

static double
cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

struct deposit_paths {
    char content[120], inventory[120], sidecar[120], root[100], root_sidecar[120], declaration[120];
};

static void
make_paths(struct deposit_paths *p, uint64_t id)
{
    char base[90];
    unsigned h = (unsigned)(id * 2654435761u);
    snprintf(base, sizeof base,
             "ocfl/%03x/%03x/%03x/urn%%3auuid%%3a01234567-89ab-8cde-8f01-%012llx", h & 0xfff,
             h >> 12 & 0xfff, h >> 20, (unsigned long long)id);
    snprintf(p->content, sizeof p->content, "%.84s/v1/content/1", base);
    snprintf(p->inventory, sizeof p->inventory, "%.84s/v1/inventory.json", base);
    snprintf(p->sidecar, sizeof p->sidecar, "%.84s/v1/inventory.json.sha512", base);
    snprintf(p->root, sizeof p->root, "%.84s/inventory.json", base);
    snprintf(p->root_sidecar, sizeof p->root_sidecar, "%.84s/inventory.json.sha512", base);
    snprintf(p->declaration, sizeof p->declaration, "%.84s/0=ocfl_object_1.1", base);
}

static void
entry(struct group *group, const char *path, struct text data)
{
    struct error error = {0};
    struct place place;
    must(group_add_entry(group, text_from(path), data, &place, &error), &error);
}

static void
deposit(struct group *group, uint64_t id, struct content *content, const struct deposit_paths *p)
{
    static char inventory[1300], sidecar[145], line[520];
    struct error error = {0};
    struct place place;
    if (inventory[0] == '\0') {
        memset(inventory, 'i', sizeof inventory);
        memset(sidecar, 's', sizeof sidecar);
        memset(line, 'x', sizeof line);
        memcpy(line, "{\"op\":\"", 7);
        memcpy(line + sizeof line - 2, "\"}", 2);
    }
    memcpy(inventory + 100, &id, sizeof id);
    memcpy(sidecar + 10, &id, sizeof id);
    entry(group, p->declaration, TEXT("ocfl_object_1.1\n"));
    must(group_add_content(group, text_from(p->content), content, &place, NULL, &error), &error);
    entry(group, p->inventory, text_of(inventory, sizeof inventory));
    entry(group, p->sidecar, text_of(sidecar, sizeof sidecar));
    entry(group, p->root, text_of(inventory, sizeof inventory));
    entry(group, p->root_sidecar, text_of(sidecar, sizeof sidecar));
    must(group_add_line(group, text_of(line, sizeof line), NULL, &error), &error);
}

struct totals {
    uint64_t groups, deposits;
    double wall_s, cpu_s;
};

static void
run_group(struct store *store, unsigned size, uint64_t *id, struct totals *totals)
{
    static char bytes[CONTENT_BYTES];
    struct error error = {0};
    struct content *contents[GROUP_MAX];
    struct deposit_paths paths[GROUP_MAX];
    struct group *group;
    struct group_info info;
    struct position position;
    for (unsigned i = 0; i < size; i++) {
        must(content_begin(store, 0, &contents[i], &error), &error);
        must(content_write(contents[i], bytes, sizeof bytes, &error), &error);
        must(content_finish(contents[i], &error), &error);
        make_paths(&paths[i], *id + i);
    }
    double cpu = cpu_seconds();
    uint64_t wall = clock_monotonic_ns();
    must(group_begin(store, false, &group, &info, &error), &error);
    for (unsigned i = 0; i < size; i++)
        deposit(group, (*id)++, contents[i], &paths[i]);
    must(group_commit(group, &position, NULL, &error), &error);
    totals->wall_s += (double)(clock_monotonic_ns() - wall) / 1e9;
    totals->cpu_s += cpu_seconds() - cpu;
    totals->groups++;
    totals->deposits += size;
    for (unsigned i = 0; i < size; i++)
        content_free(contents[i]);
}

static void
run(struct store *store, const char *how, double seconds)
{
    static const unsigned sizes[] = {1, 8, GROUP_MAX};
    uint64_t id = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct totals totals = {0};
        while (totals.wall_s < seconds)
            run_group(store, sizes[i], &id, &totals);
        printf("%-8s group of %2u: %9.0f groups/s %9.0f deposits/s %7.2f us wall, %7.2f us CPU a "
               "deposit\n",
               how, sizes[i], (double)totals.groups / totals.wall_s,
               (double)totals.deposits / totals.wall_s,
               totals.wall_s * 1e6 / (double)totals.deposits,
               totals.cpu_s * 1e6 / (double)totals.deposits);
    }
}

int
main(int argc, char **argv)
{
    struct error error = {0};
    struct device *device, *lost;
    struct store *store;
    struct store_recovery recovery;
    char lost_folder[600];
    if (argc < 2) {
        fprintf(stderr, "usage: volume_bench EMPTY-FOLDER [SECONDS]\n");
        return 2;
    }
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 2.0;
    snprintf(lost_folder, sizeof lost_folder, "%s/lost+found", argv[1]);
    mkdir(argv[1], 0755);
    mkdir(lost_folder, 0755);
    must(device_files_new(argv[1], &device, &error), &error);
    must(device_files_new(lost_folder, &lost, &error), &error);
    struct store_options options = {.volumes = device, .lost_and_found = lost};
    struct store_identity identity = {.node = 1, .digest = DIGEST_SHA512};
    must(store_create(&options, &identity, &error), &error);
    must(store_open(&options, NULL, NULL, NULL, &store, &recovery, &error), &error);
    run(store, "synced", seconds);
    real_operations = device->operations;
    quiet_operations = *real_operations;
    quiet_operations.sync = no_sync;
    quiet_operations.write = quiet_write;
    device->operations = &quiet_operations;
    run(store, "unsynced", seconds);
    drop_writes = true;
    run(store, "unwritten", seconds);
    store_close(store);
    device->operations = real_operations;
    device_free(device);
    device_free(lost);
    return 0;
}
