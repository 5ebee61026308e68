/* SPDX-License-Identifier: Apache-2.0 */
/* Start, wait for a signal, stop: see server.h. */
#include "server/server.h"

#include "base/log.h"
#include "io/clock.h"
#include "server/server_private.h"
#include "server/site.h"

#include <signal.h>
#include <unistd.h>

/* The longest that progress lines keep quiet. */
#define PROGRESS_STEP_NS 2000000000ull

struct progress {
    uint64_t last_ns;
};

static void
show_progress(void *context, const char *what, uint64_t done, uint64_t total)
{
    struct progress *progress = context;
    uint64_t now = clock_monotonic_ns();
    if (done != total && now - progress->last_ns < PROGRESS_STEP_NS)
        return;
    progress->last_ns = now;
    log_event(LOG_INFO, "opening", log_string("what", what), log_u64("done", done), log_u64("total", total), log_end());
}

static void
show_notice(void *context, const char *event, struct text detail)
{
    log_event(LOG_WARNING, event, log_text("detail", detail), log_end());
}

static enum error_code
set_log_level(const char *word, struct error *error)
{
    static const char *const words[] = {"debug", "info", "warning", "error"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(word, words[i]) != 0)
            continue;
        log_set_level((enum log_level)i);
        return ERROR_NONE;
    }
    return error_set(error, ERROR_INVALID, "log_level = %s: wanted debug, info, warning or error", word);
}

static enum error_code
open_model(struct server *server, const char *folder, struct error *error)
{
    const struct configuration *c = &server->configuration;
    static struct progress progress;
    struct model_options options = {
        .folder = folder,
        .limits = c->limits,
        .volume_size_bytes = c->volume_size,
        .small_content_bytes = c->small_content,
        .content_memory_bytes = c->content_memory,
        .catalog_cache_bytes = c->catalog_cache,
        .bulk_open = (unsigned)c->bulk_open,
        .accept_clock = c->accept_clock != 0,
        .progress = show_progress,
        .notice = show_notice,
        .context = &progress,
    };
    return model_open(&options, &server->model, error);
}

static enum error_code
check_ranges(const struct configuration *c, struct error *error)
{
    if (c->http_threads < 1 || c->http_threads > 64 || c->http_workers < 1 || c->http_workers > 256 || c->http_queue < 1 ||
        c->http_queue > 1000000)
        return error_set(error, ERROR_INVALID, "http_threads is 1 to 64, http_workers 1 to 256, http_queue 1 to 1000000");
    if (c->http_connection_bytes < 16384 || c->http_connection_bytes > (16u << 20) ||
        c->http_head_bytes > c->http_connection_bytes / 2)
        return error_set(error, ERROR_INVALID,
                         "http_connection_bytes is 16K to 16M, http_head_bytes at most half of it");
    if (c->http_connections < 1 || c->http_connections > 1000000 || c->http_idle_timeout_s > 86400 ||
        c->http_request_bytes < 65536)
        return error_set(error, ERROR_INVALID, "http_connections is 1 to 1000000, http_idle_timeout_s at most 86400, "
                                               "http_request_bytes at least 64K");
    return ERROR_NONE;
}

static enum error_code
start_http(struct server *server, const char *address, struct error *error)
{
    const struct configuration *c = &server->configuration;
    struct http_options options = {
        .address = text_from(address != NULL ? address : c->http),
        .threads = (unsigned)c->http_threads,
        .workers = (unsigned)c->http_workers,
        .queue = (unsigned)c->http_queue,
        .connection_memory_bytes = c->http_connection_bytes,
        .head_bytes = c->http_head_bytes,
        .body_bytes = c->http_body_bytes,
        .request_memory_bytes = c->http_request_bytes,
        .connections = (unsigned)c->http_connections,
        .idle_timeout_s = (unsigned)c->http_idle_timeout_s,
        .tls_certificate_file = c->http_tls_certificate,
        .tls_key_file = c->http_tls_key,
        .base_url = text_from(c->base_url),
        .front_ends = server_front_ends,
        .model = server->model,
        .repository = server->repository,
        .context = server,
    };
    if (!access_log_from_word(text_from(c->access_log), &options.access_log))
        return error_set(error, ERROR_INVALID, "access_log = %s: wanted off, errors, writes or all", c->access_log);
    return http_server_start(&options, &server->http, error);
}

static sigset_t
block_signals(void)
{
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, SIGINT);
    sigaddset(&awaited, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &awaited, NULL); /* before any thread is made */
    signal(SIGPIPE, SIG_IGN);
    return awaited;
}

static void
wait_for_end(const sigset_t *awaited)
{
    int number = 0;
    while (sigwait(awaited, &number) != 0 || number == SIGHUP)
        log_event(LOG_INFO, "signal ignored", log_u64("signal", (uint64_t)number), log_end()); /* kept for reloading */
    log_event(LOG_INFO, "stopping", log_u64("signal", (uint64_t)number), log_end());
}

static void
tell_ready(const struct server *server, const char *folder)
{
    log_event(LOG_INFO, "serving", log_string("url", http_server_url(server->http)), log_string("data", folder),
              log_string("version", ARCHIVOLT_VERSION), log_end());
    dprintf(STDERR_FILENO, "archivolt: ready on %s (data %s)\n", http_server_url(server->http), folder);
}

static enum error_code
open_site(struct server *server, const char *folder, struct error *error)
{
    enum error_code code = site_open(&server->configuration, folder, server->model, &server->repository, error);
    return code != ERROR_NONE ? code : site_clock_start(server->repository, &server->clock, error);
}

static enum error_code
serve(struct server *server, const struct server_options *options, const sigset_t *awaited, struct error *error)
{
    const struct server_companion *companion = options->companion;
    void *beside = NULL;
    if (open_model(server, options->folder, error) != ERROR_NONE)
        return error->code;
    enum error_code code = open_site(server, options->folder, error);
    if (code == ERROR_NONE && companion != NULL)
        code = companion->start(server->model, options->folder, &beside, error);
    if (code == ERROR_NONE) {
        code = start_http(server, options->http, error);
        if (code == ERROR_NONE) {
            tell_ready(server, options->folder);
            wait_for_end(awaited);
            http_server_stop(server->http);
        }
        if (companion != NULL)
            companion->stop(beside);
    }
    site_clock_stop(server->clock);
    repository_free(server->repository);
    model_close(server->model);
    if (code == ERROR_NONE)
        log_event(LOG_INFO, "stopped", log_end());
    return code;
}

enum error_code
server_run(const struct server_options *options, struct error *error)
{
    struct server server = {.start_ns = clock_monotonic_ns()};
    sigset_t awaited = block_signals();
    if (configuration_load(options->folder, options->settings, &server.configuration, error) != ERROR_NONE)
        return error->code;
    enum error_code code = set_log_level(server.configuration.log_level, error);
    if (code == ERROR_NONE)
        code = check_ranges(&server.configuration, error);
    if (code == ERROR_NONE)
        code = serve(&server, options, &awaited, error);
    configuration_release(&server.configuration);
    return code;
}
