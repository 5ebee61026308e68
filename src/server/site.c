/* SPDX-License-Identifier: Apache-2.0 */
/* From settings to the repository, and what falls due in it: see site.h. */
#include "server/site.h"

#include "base/ensure.h"
#include "base/lock.h"
#include "base/log.h"

#define DUE_INTERVAL_MS 60000u

/* "https://repository.example.org:8443/x" to "repository.example.org" */
static struct text
host_of(struct text url)
{
    struct text rest = url, scheme = text_cut(url, ':', &rest);
    if (rest.data == NULL || !text_starts_with(rest, TEXT("//")) || scheme.length == 0)
        return TEXT("");
    rest = text_of(rest.data + 2, rest.length - 2);
    struct text authority = text_cut(rest, '/', &rest);
    return text_cut(authority, ':', &rest);
}

enum error_code
site_open(const struct configuration *c, const char *folder, struct model *model, struct repository **ret_repository,
          struct error *error)
{
    char crosswalks[4096];
    struct buffer email = {0};
    struct text identifier = text_from(c->oai_identifier);
    if (identifier.length == 0)
        identifier = host_of(text_from(c->base_url));
    if (identifier.length == 0)
        identifier = TEXT("archivolt.example.org");
    snprintf(crosswalks, sizeof crosswalks, "%s/crosswalks", folder);
    buffer_printf(&email, "admin@%.*s", TEXT_ARG(identifier));
    struct repository_options options = {
        .model = model,
        .name = text_from(c->site_name),
        .email = c->site_email[0] != '\0' ? text_from(c->site_email) : buffer_text(&email),
        .oai_identifier = identifier,
        .crosswalk_folder = c->crosswalk_folder[0] != '\0' ? c->crosswalk_folder : crosswalks,
        .handle_prefix = text_from(c->handle_prefix),
        .handle_canonical_prefix = text_from(c->handle_canonical_prefix),
        .root_path = text_from(c->repository_root),
        .zone = text_from(c->zone),
        .record_cache_bytes = (size_t)c->record_cache,
        .package_limits = c->package_limits,
    };
    enum error_code code = repository_new(&options, ret_repository, error);
    buffer_release(&email);
    return code;
}

/* ---- what falls due ---------------------------------------------------------------------------------------- */

struct site_clock {
    struct repository *repository;
    struct lock lock;
    struct signal signal;
    pthread_t thread;
    bool stop;
};

static void
lift_embargoes(struct repository *repository)
{
    struct error error = {0};
    size_t lifted = 1;
    while (lifted > 0 && error.code == ERROR_NONE) {
        if (repository_lift_embargoes(repository, &lifted, &error) != ERROR_NONE)
            log_event(LOG_WARNING, "embargoes stay", log_string("why", error.message), log_end());
        else if (lifted > 0)
            log_event(LOG_INFO, "embargoes ended", log_u64("files", lifted), log_end());
    }
}

static void *
run(void *context)
{
    struct site_clock *clock = context;
    lock_take(&clock->lock);
    while (!clock->stop) {
        lock_give(&clock->lock);
        lift_embargoes(clock->repository);
        lock_take(&clock->lock);
        if (!clock->stop)
            signal_wait_for_locked(&clock->signal, &clock->lock, DUE_INTERVAL_MS);
    }
    lock_give(&clock->lock);
    return NULL;
}

enum error_code
site_clock_start(struct repository *repository, struct site_clock **ret_clock, struct error *error)
{
    struct site_clock *clock = calloc(1, sizeof *clock);
    ensure(clock != NULL);
    clock->repository = repository;
    lock_init(&clock->lock, LOCK_RANK_LEAF);
    signal_init(&clock->signal);
    if (pthread_create(&clock->thread, NULL, run, clock) != 0) {
        signal_release(&clock->signal);
        lock_release(&clock->lock);
        free(clock);
        return error_set(error, ERROR_NO_MEMORY, "the thread for what falls due cannot start");
    }
    *ret_clock = clock;
    return ERROR_NONE;
}

void
site_clock_stop(struct site_clock *clock)
{
    if (clock == NULL)
        return;
    lock_take(&clock->lock);
    clock->stop = true;
    signal_all(&clock->signal);
    lock_give(&clock->lock);
    pthread_join(clock->thread, NULL);
    signal_release(&clock->signal);
    lock_release(&clock->lock);
    free(clock);
}
