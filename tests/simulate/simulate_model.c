/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model on a simulated device that loses power at the n-th sync, with each pending write applied,
 * dropped or torn, against a simple oracle: what was acknowledged is there byte for byte, the
 * operation under way is whole or absent, nothing else exists, and work goes on.
 *
 *     simulate_model [ROUNDS [SEED]]
 *
 * One round: some operations, a crash at a random sync (or between operations), the catalog thrown
 * back to a random prefix of its batches, a restart, a full check. The same seed gives the same run.
 */
#include "base/ensure.h"
#include "catalog/catalog.h"
#include "io/device.h"
#include "model/private.h"

#define PATHS 40
#define CONTENT_MAXIMUM 30000u
#define SMALL_CONTENT 4096u

struct expectation { /* of one path */
    bool there;
    uint64_t content; /* seed of its bytes */
    size_t length;
};

struct world {
    uint64_t state; /* of the generator */
    struct device *volumes, *lost_and_found;
    struct catalog *catalog;
    struct clock_simulated clock;
    struct random_simulated random;
    struct model *model;
    struct expectation now[PATHS];
    struct expectation pending[PATHS]; /* if the operation under way happened */
    bool under_way;
    uint64_t flushed; /* catalog batches that a crash cannot take away */
    uint64_t acknowledged, crashes;
};

static uint64_t
draw(struct world *w, uint64_t below)
{
    w->state ^= w->state << 13;
    w->state ^= w->state >> 7;
    w->state ^= w->state << 17;
    return w->state % below;
}

static void
die(const struct world *w, const char *what, const struct error *error)
{
    fprintf(stderr, "simulate_model: %s: %s: %s (after %llu crashes)\n", what,
            error == NULL ? "" : error_word(error->code), error == NULL ? "" : error->message,
            (unsigned long long)w->crashes);
    exit(1);
}

static struct principal
somebody(void)
{
    return (struct principal){.user = 2, .role = ROLE_ADMINISTRATOR, .name = TEXT("admin")};
}

static void
path_of(unsigned number, char path[64])
{
    snprintf(path, 64, "/d%u/e%u/file-%u.txt", number % 3, number % 5, number);
}

static void
bytes_of(uint64_t seed, char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (char)(seed >> 56);
    }
}

/* ---- operations ----------------------------------------------------------------------------------- */

static enum error_code
put(struct world *w, unsigned number, struct error *error)
{
    static char bytes[CONTENT_MAXIMUM];
    struct principal who = somebody();
    struct file_options options = {.make_parents = true, .source_mtime_us = INT64_MIN};
    struct upload *upload = NULL;
    struct transaction *t = NULL;
    char path[64];
    struct expectation *after = &w->pending[number];
    path_of(number, path);
    *after = (struct expectation){true, w->state, (size_t)draw(w, draw(w, 4) == 0 ? CONTENT_MAXIMUM : SMALL_CONTENT)};
    after->content = w->state;
    bytes_of(after->content, bytes, after->length);
    enum error_code code = upload_begin(w->model, 0, &upload, error);
    if (code == ERROR_NONE)
        code = upload_write(upload, bytes, after->length, error);
    if (code == ERROR_NONE)
        code = upload_finish(upload, error);
    if (code == ERROR_NONE)
        code = transaction_new(w->model, &who, &t, error);
    if (code == ERROR_NONE)
        code = transaction_put_file(t, target_path(text_from(path)), &upload, &options, error);
    if (code == ERROR_NONE)
        code = transaction_commit(t, error);
    transaction_free(t);
    upload_free(upload);
    return code;
}

static enum error_code
delete(struct world *w, unsigned number, struct error *error)
{
    struct principal who = somebody();
    struct transaction *t = NULL;
    char path[64];
    path_of(number, path);
    w->pending[number].there = false;
    enum error_code code = transaction_new(w->model, &who, &t, error);
    if (code == ERROR_NONE)
        code = transaction_delete(t, target_path(text_from(path)), false, NULL, error);
    if (code == ERROR_NONE)
        code = transaction_commit(t, error);
    transaction_free(t);
    return code == ERROR_NOT_FOUND || code == ERROR_GONE ? ERROR_NONE : code;
}

static enum error_code
describe(struct world *w, unsigned number, struct error *error)
{
    struct principal who = somebody();
    struct transaction *t = NULL;
    char path[64], value[32];
    path_of(number, path);
    snprintf(value, sizeof value, "%llu", (unsigned long long)draw(w, 1000000));
    struct statement_change change = {STATEMENT_APPEND, {.attribute = TEXT("dc.title"), .value = text_from(value)}};
    enum error_code code = transaction_new(w->model, &who, &t, error);
    if (code == ERROR_NONE)
        code = transaction_change_statements(t, target_path(text_from(path)), &change, 1, draw(w, 2) == 0, NULL, error);
    if (code == ERROR_NONE)
        code = transaction_commit(t, error);
    transaction_free(t);
    return code == ERROR_NOT_FOUND || code == ERROR_GONE ? ERROR_NONE : code;
}

/* Swaps a file aside and back: two moves in one transaction leave it where it was. */
static enum error_code
move_and_back(struct world *w, unsigned number, struct error *error)
{
    struct principal who = somebody();
    struct transaction *t = NULL;
    char path[64];
    path_of(number, path);
    enum error_code code = transaction_new(w->model, &who, &t, error);
    if (code == ERROR_NONE)
        code = transaction_move(t, target_path(text_from(path)), TEXT("/aside"), false, NULL, error);
    if (code == ERROR_NONE)
        code = transaction_move(t, target_path(TEXT("/aside")), text_from(path), false, NULL, error);
    if (code == ERROR_NONE)
        code = transaction_commit(t, error);
    transaction_free(t);
    return code == ERROR_NOT_FOUND || code == ERROR_GONE ? ERROR_NONE : code;
}

static enum error_code
operate(struct world *w, struct error *error)
{
    unsigned number = (unsigned)draw(w, PATHS);
    memcpy(w->pending, w->now, sizeof w->pending);
    w->under_way = true;
    enum error_code code;
    switch (draw(w, 8)) {
    case 0:
        code = delete(w, number, error);
        break;
    case 1:
        code = describe(w, number, error);
        break;
    case 2:
        code = move_and_back(w, number, error);
        break;
    default:
        code = put(w, number, error);
    }
    if (code == ERROR_NONE) {
        memcpy(w->now, w->pending, sizeof w->now);
        w->under_way = false;
        w->acknowledged++;
    }
    return code;
}

/* ---- checking ------------------------------------------------------------------------------------- */

static bool
matches(struct world *w, struct view *view, unsigned number, const struct expectation *want)
{
    static char bytes[CONTENT_MAXIMUM], stored[CONTENT_MAXIMUM];
    struct resource resource;
    struct content_reader *reader;
    struct error error = {0};
    char path[64];
    path_of(number, path);
    enum error_code code = view_resolve(view, text_from(path), &resource, &error);
    if (code == ERROR_NOT_FOUND || code == ERROR_GONE)
        return !want->there;
    if (code != ERROR_NONE)
        die(w, path, &error);
    if (!want->there || resource.size_bytes != want->length)
        return false;
    if (view_content(view, &resource, 0, &reader, &error) != ERROR_NONE)
        die(w, path, &error);
    code = content_reader_read(reader, 0, stored, want->length, &error);
    content_reader_close(reader);
    if (code != ERROR_NONE)
        die(w, path, &error);
    bytes_of(want->content, bytes, want->length);
    return memcmp(bytes, stored, want->length) == 0;
}

static void
check(struct world *w)
{
    struct principal who = somebody();
    struct view *view;
    struct error error = {0};
    bool happened = true, held = true;
    uint64_t files = 0;
    struct resource root;
    if (view_open(w->model, &who, &view, &error) != ERROR_NONE)
        die(w, "view", &error);
    for (unsigned i = 0; i < PATHS; i++) {
        held &= matches(w, view, i, &w->now[i]);
        happened &= w->under_way && matches(w, view, i, &w->pending[i]);
    }
    if (!held && !happened)
        die(w, "something acknowledged is lost, or something is half there", NULL);
    if (!held)
        memcpy(w->now, w->pending, sizeof w->now);
    w->under_way = false;
    for (unsigned i = 0; i < PATHS; i++)
        files += w->now[i].there;
    if (view_get(view, ROOT_ID, &root, &error) != ERROR_NONE)
        die(w, "root", &error);
    if (root.subtree_files != files)
        die(w, "the kept count of files is wrong", NULL);
    view_close(view);
}

/* ---- life ----------------------------------------------------------------------------------------- */

static struct model_options
options_of(void)
{
    return (struct model_options){.folder = "simulated",
                                  .limits = model_limits_default(),
                                  .volume_size_bytes = 400000,
                                  .small_content_bytes = SMALL_CONTENT};
}

static struct model_parts
parts_of(struct world *w)
{
    return (struct model_parts){w->volumes, w->lost_and_found, w->catalog, &w->clock.clock, &w->random.source};
}

static void
restart(struct world *w)
{
    struct model_options options = options_of();
    struct model_parts parts = parts_of(w);
    struct error error = {0};
    if (model_open_parts(&options, &parts, &w->model, &error) != ERROR_NONE)
        die(w, "it does not start again", &error);
}

static void
crash(struct world *w)
{
    model_close(w->model);
    device_simulated_reboot(w->volumes, draw(w, UINT64_MAX));
    device_simulated_reboot(w->lost_and_found, draw(w, UINT64_MAX));
    catalog_memory_crash(w->catalog, draw(w, catalog_memory_batches(w->catalog) + 1));
    w->crashes++;
}

static void
round_of(struct world *w)
{
    struct error error = {0};
    struct device_simulated_options faults = {.seed = w->state, .crash_at_sync = 1 + draw(w, 25)};
    device_simulated_set(w->volumes, &faults);
    for (int i = 0; i < 12 && operate(w, &error) == ERROR_NONE; i++)
        ;
    if (w->under_way && error.code != ERROR_CLOSED && error.code != ERROR_IO)
        die(w, "an operation failed otherwise than by the crash", &error);
    crash(w);
    restart(w);
    check(w);
}

int
main(int argc, char **argv)
{
    static struct world w;
    struct model_options options = options_of();
    struct error error = {0};
    char token[TOKEN_TEXT_BYTES];
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 500;
    w.state = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : 20261201;
    struct device_simulated_options none = {.seed = w.state};
    w.volumes = device_simulated_new(&none);
    w.lost_and_found = device_simulated_new(&none);
    w.catalog = catalog_memory_new();
    clock_simulated_init(&w.clock, INT64_C(1796083200000000), 1000);
    random_simulated_init(&w.random, w.state);
    struct model_parts parts = parts_of(&w);
    if (model_create_parts(&options, &parts, token, &error) != ERROR_NONE)
        die(&w, "create", &error);
    restart(&w);
    for (unsigned long i = 0; i < rounds; i++)
        round_of(&w);
    model_close(w.model);
    catalog_close(w.catalog);
    device_free(w.volumes);
    device_free(w.lost_and_found);
    printf("%lu rounds, %llu operations acknowledged, %llu crashes: all held\n", rounds,
           (unsigned long long)w.acknowledged, (unsigned long long)w.crashes);
    return 0;
}
