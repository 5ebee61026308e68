/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model on a simulated device that loses power at the n-th sync, with each pending write applied,
 * dropped or torn, against a simple oracle: what was acknowledged is there byte for byte, the
 * operation under way is whole or absent, nothing else exists, and work goes on.
 *
 *     simulate_model [ROUNDS [SEED]]
 *
 * One round: some operations, a crash at a random sync (or between operations), the catalog thrown
 * back to a random prefix of its batches, a restart, a full check. The same seed gives the same run. In every other
 * round each operation is decided while the group of the one before it is still to be written.
 */
#include "base/ensure.h"
#include "catalog/catalog.h"
#include "io/device.h"
#include "model/private.h"

#define PATHS 40
#define AT_ONCE 2 /* operations: one is written, one is decided on it */
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
    struct expectation pending[AT_ONCE][PATHS]; /* if the operations under way happened, up to each of them */
    size_t under_way;
    enum error_code failed; /* of the first operation of this round that did not succeed */
    struct error error;
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

/* Operations end in the order in which they were submitted; after one that failed none succeeds. */
static void
on_end(void *context, struct transaction *t)
{
    struct world *w = context;
    struct error error = {0};
    enum error_code code = transaction_outcome(t, &error);
    bool done = code == ERROR_NONE || code == ERROR_NOT_FOUND || code == ERROR_GONE;
    transaction_free(t);
    if (done && w->failed != ERROR_NONE)
        die(w, "an operation succeeded on one that failed", NULL);
    if (done) {
        memcpy(w->now, w->pending[0], sizeof w->now);
        memmove(w->pending[0], w->pending[1], sizeof w->now);
        w->under_way--;
        w->acknowledged++;
    } else if (w->failed == ERROR_NONE) {
        w->failed = code;
        w->error = error;
    }
}

static enum error_code
stage_put(struct world *w, struct transaction *t, struct expectation *after, struct text path, struct error *error)
{
    static char bytes[CONTENT_MAXIMUM];
    struct file_options options = {.make_parents = true, .source_mtime_us = INT64_MIN};
    struct upload *upload = NULL;
    *after = (struct expectation){true, w->state, (size_t)draw(w, draw(w, 4) == 0 ? CONTENT_MAXIMUM : SMALL_CONTENT)};
    after->content = w->state;
    bytes_of(after->content, bytes, after->length);
    enum error_code code = upload_begin(w->model, 0, &upload, error);
    if (code == ERROR_NONE)
        code = upload_write(upload, bytes, after->length, error);
    if (code == ERROR_NONE)
        code = upload_finish(upload, error);
    if (code == ERROR_NONE)
        code = transaction_put_file(t, target_path(path), &upload, &options, error);
    upload_free(upload);
    return code;
}

static enum error_code
stage_description(struct world *w, struct transaction *t, struct text path, struct error *error)
{
    char value[32];
    snprintf(value, sizeof value, "%llu", (unsigned long long)draw(w, 1000000));
    struct statement_change change = {STATEMENT_APPEND, {.attribute = TEXT("dc.title"), .value = text_from(value)}};
    return transaction_change_statements(t, target_path(path), &change, 1, draw(w, 2) == 0, NULL, error);
}

/* A file goes aside and back: two moves in one transaction leave it where it was. */
static enum error_code
stage_move_and_back(struct transaction *t, struct text path, struct error *error)
{
    enum error_code code = transaction_move(t, target_path(path), TEXT("/aside"), false, NULL, error);
    return code != ERROR_NONE ? code : transaction_move(t, target_path(TEXT("/aside")), path, false, NULL, error);
}

static enum error_code
stage(struct world *w, struct transaction *t, struct error *error)
{
    unsigned number = (unsigned)draw(w, PATHS);
    struct expectation *after = &w->pending[w->under_way][number];
    char name[64];
    path_of(number, name);
    struct text path = text_from(name);
    switch (draw(w, 8)) {
    case 0:
        after->there = false;
        return transaction_delete(t, target_path(path), false, NULL, error);
    case 1:
        return stage_description(w, t, path, error);
    case 2:
        return stage_move_and_back(t, path, error);
    default:
        return stage_put(w, t, after, path, error);
    }
}

static void
operate(struct world *w)
{
    struct principal who = somebody();
    struct transaction *t = NULL;
    ensure(w->under_way < AT_ONCE);
    memcpy(w->pending[w->under_way], w->under_way == 0 ? w->now : w->pending[w->under_way - 1], sizeof w->now);
    enum error_code code = transaction_new(w->model, &who, &t, &w->error);
    if (code == ERROR_NONE)
        code = stage(w, t, &w->error);
    if (code == ERROR_NONE) {
        w->under_way++;
        code = transaction_submit(t, on_end, w, &w->error);
    }
    if (code != ERROR_NONE) {
        transaction_free(t);
        w->failed = code;
    }
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

static bool
matches_all(struct world *w, struct view *view, const struct expectation *want)
{
    bool held = true;
    for (unsigned i = 0; i < PATHS && held; i++)
        held = matches(w, view, i, &want[i]);
    return held;
}

static void
check(struct world *w)
{
    struct principal who = somebody();
    struct view *view;
    struct error error = {0};
    size_t happened = 0;
    uint64_t files = 0;
    struct resource root;
    if (view_open(w->model, &who, &view, &error) != ERROR_NONE)
        die(w, "view", &error);
    bool held = matches_all(w, view, w->now);
    while (!held && happened < w->under_way)
        held = matches_all(w, view, w->pending[happened++]);
    if (!held)
        die(w, "something acknowledged is lost, or something is half there", NULL);
    if (happened > 0)
        memcpy(w->now, w->pending[happened - 1], sizeof w->now);
    w->under_way = 0;
    w->failed = ERROR_NONE;
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
    struct device_simulated_options faults = {.seed = w->state, .crash_at_sync = 1 + draw(w, 25)};
    if (w->crashes % 2 == 1)
        committer_overlap(w->model->committer);
    device_simulated_set(w->volumes, &faults);
    for (int i = 0; i < 12 && w->failed == ERROR_NONE; i++)
        operate(w);
    if (w->failed != ERROR_NONE && w->failed != ERROR_CLOSED && w->failed != ERROR_IO)
        die(w, "an operation failed otherwise than by the crash", &w->error);
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
