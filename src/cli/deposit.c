/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archivolt deposit: packages to any SWORD server, many at once, each accepted once.
 *
 * A map (--map FILE) holds one JSON object a line: first the run (its id and the address), then each package that was accepted
 * and where it went; a line is on the disk before the next package of that sender. A run that finds the map leaves out what is in it.
 * The run's id makes the Idempotency-Key of each package, so that a package whose line was lost in a crash is recognised by a
 * server that knows that header.
 *
 * When something was sent and no answer came, nobody knows whether the item is there: such a package is sent again only to a server
 * that honours Idempotency-Key, or with --retry-unsure.
 */
#include "base/ensure.h"
#include "base/lock.h"
#include "cli/cli.h"
#include "client/sword_client.h"
#include "format/digest.h"
#include "io/clock.h"
#include "package/guess.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOBS_DEFAULT 4u
#define JOBS_MAXIMUM 64u
#define RETRIES_DEFAULT 5u
#define RETRY_SECONDS_MAXIMUM 60u
#define ARENA_BYTES (32u << 20)
#define PASSWORD_BYTES 1024

/* One package on its way. */
struct shipment {
    int fd;
    uint64_t size_bytes;
    const char *source;
    struct sword_client_deposit deposit;
};

struct depositor {
    struct cli *cli;
    const char *url, *packaging, *type, *on_behalf_of;
    enum sword_profile profile;
    bool in_progress, dry_run;
    bool retry_unsure; /* asked for, or the server honours Idempotency-Key */
    uint64_t retries;
    struct http_client_options http;
    char password[PASSWORD_BYTES];
    char run[33]; /* 32 hexadecimal digits */
    char **sources;
    size_t source_count, source_capacity;
    char **done; /* sorted: sources that the map names */
    size_t done_count, done_capacity;
    struct lock lock; /* all below */
    size_t next;
    int map; /* descriptor, or -1 */
    enum exit_status status; /* the first that was not DONE */
    bool stop;               /* the rest would fail likewise */
    struct progress progress;
};

static void
note_status(struct depositor *depositor, enum exit_status status)
{
    lock_take(&depositor->lock);
    if (depositor->status == EXIT_DONE)
        depositor->status = status;
    lock_give(&depositor->lock);
}

static void
say(const char *source, const char *message)
{
    flockfile(stderr);
    fputs("archivolt: deposit: ", stderr);
    print_escaped(stderr, text_from(source));
    fprintf(stderr, ": %s\n", message);
    funlockfile(stderr);
}

/* ---- lists ---------------------------------------------------------------------------------------------------- */

static void
list_add(char ***list, size_t *count, size_t *capacity, char *value)
{
    if (*count == *capacity) {
        *capacity = *capacity == 0 ? 256 : *capacity * 2;
        *list = realloc(*list, *capacity * sizeof **list);
        ensure(*list != NULL);
    }
    (*list)[(*count)++] = value;
}

static void
list_release(char **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

static int
compare_strings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
add_source(struct depositor *depositor, char *path)
{
    list_add(&depositor->sources, &depositor->source_count, &depositor->source_capacity, path);
}

/* The files of a folder, in order of their names; hidden ones and folders in it are left out. */
static enum error_code
add_folder(struct depositor *depositor, const char *folder, struct error *error)
{
    struct dirent **names;
    int count = scandir(folder, &names, NULL, alphasort);
    if (count < 0)
        return error_set_errno(error, errno, "cannot read the folder %s", folder);
    for (int i = 0; i < count; i++) {
        struct buffer path = {0};
        struct stat status;
        buffer_printf(&path, "%s%s%s", folder, text_ends_with(text_from(folder), TEXT("/")) ? "" : "/", names[i]->d_name);
        if (names[i]->d_name[0] != '.' && stat(buffer_string(&path), &status) == 0 && S_ISREG(status.st_mode))
            add_source(depositor, text_copy(buffer_text(&path)));
        buffer_release(&path);
        free(names[i]);
    }
    free(names);
    return ERROR_NONE;
}

static enum error_code
add_sources(struct depositor *depositor, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (size_t i = 0; i < depositor->cli->argument_count && code == ERROR_NONE; i++) {
        const char *source = depositor->cli->arguments[i];
        struct stat status;
        if (stat(source, &status) != 0)
            code = error_set_errno(error, errno, "cannot look at %s", source);
        else if (S_ISDIR(status.st_mode))
            code = add_folder(depositor, source, error);
        else
            add_source(depositor, text_copy(text_from(source)));
    }
    return code;
}

/* ---- the map -------------------------------------------------------------------------------------------------- */

static enum error_code
map_write(struct depositor *depositor, struct buffer *line, struct error *error)
{
    buffer_append_char(line, '\n');
    if (write(depositor->map, line->data, line->length) != (ssize_t)line->length || fdatasync(depositor->map) != 0)
        return error_set_errno(error, errno, "cannot write the map");
    return ERROR_NONE;
}

static enum error_code
map_begin(struct depositor *depositor, struct error *error)
{
    struct buffer line = {0};
    struct json_writer w = json_writer(&line);
    json_begin_object(&w);
    json_member_string(&w, "run", depositor->run);
    json_member_string(&w, "to", depositor->url);
    json_end_object(&w);
    enum error_code code = map_write(depositor, &line, error);
    buffer_release(&line);
    return code;
}

static enum error_code
take_map_line(struct depositor *depositor, struct text text, struct error *error)
{
    AV_CLEANUP(arena_release) struct arena arena = {0};
    struct json *line;
    struct text value;
    enum error_code code = json_parse(&arena, text, &line, error);
    if (code != ERROR_NONE)
        return code;
    if (json_get_text(line, "to", &value) && !text_equal(value, text_from(depositor->url)))
        return error_set(error, ERROR_CONFLICT, "the map is of deposits to %.*s", TEXT_ARG(value));
    if (json_get_text(line, "run", &value) && value.length + 1 == sizeof depositor->run)
        memcpy(depositor->run, value.data, value.length);
    if (json_get_text(line, "source", &value))
        list_add(&depositor->done, &depositor->done_count, &depositor->done_capacity, text_copy(value));
    return ERROR_NONE;
}

/* A last line that a crash cut is taken away: what it would have said is found by the run's id. */
static enum error_code
map_read(struct depositor *depositor, struct error *error)
{
    struct buffer whole = {0};
    char chunk[65536];
    ssize_t got;
    enum error_code code = ERROR_NONE;
    while ((got = read(depositor->map, chunk, sizeof chunk)) > 0)
        buffer_append(&whole, chunk, (size_t)got);
    size_t lines = 0;
    struct text rest = buffer_text(&whole);
    off_t end = 0;
    while (code == ERROR_NONE && rest.length > 0) {
        struct text line = text_cut(rest, '\n', &rest);
        if (rest.data == NULL)
            break;
        lines++;
        end = rest.data - whole.data;
        code = take_map_line(depositor, line, error);
    }
    if (code == ERROR_NONE && ftruncate(depositor->map, end) != 0)
        code = error_set_errno(error, errno, "cannot write the map");
    if (code == ERROR_NONE && lines == 0)
        code = map_begin(depositor, error);
    if (depositor->done_count > 0)
        qsort(depositor->done, depositor->done_count, sizeof *depositor->done, compare_strings);
    buffer_release(&whole);
    return code;
}

static enum error_code
map_open(struct depositor *depositor, const char *path, struct error *error)
{
    unsigned char bytes[16];
    struct buffer hex = {0};
    random_real()->fill(random_real(), bytes, sizeof bytes);
    buffer_append_hex(&hex, bytes, sizeof bytes);
    memcpy(depositor->run, buffer_string(&hex), sizeof depositor->run);
    buffer_release(&hex);
    if (path == NULL)
        return ERROR_NONE;
    depositor->map = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (depositor->map < 0)
        return error_set_errno(error, errno, "cannot open the map %s", path);
    return map_read(depositor, error);
}

static bool
is_done(const struct depositor *depositor, const char *source)
{
    return depositor->done_count > 0 &&
           bsearch(&source, depositor->done, depositor->done_count, sizeof *depositor->done, compare_strings) != NULL;
}

/* ---- what a package is ---------------------------------------------------------------------------------------- */

static void
set_packaging(const struct depositor *depositor, struct shipment *shipment)
{
    const struct package_source source = package_source_of_file(shipment->fd, shipment->size_bytes);
    const char *type;
    enum packaging packaging = package_guess(&source, shipment->deposit.filename, &type);
    if (packaging == PACKAGING_SAF) /* no name of SWORD for it */
        packaging = PACKAGING_SIMPLE_ZIP;
    shipment->deposit.media_type = text_from(depositor->type != NULL ? depositor->type : type);
    if (depositor->packaging != NULL && !packaging_from_text(text_from(depositor->packaging), &packaging))
        shipment->deposit.packaging = text_from(depositor->packaging); /* one of theirs */
    else
        shipment->deposit.packaging = text_from(depositor->profile == SWORD_PROFILE_1_3 ? packaging_uri_1(packaging) : packaging_uri(packaging));
}

static enum error_code
compute_digests(struct shipment *shipment, struct error *error)
{
    struct digest_stream md5 = {0}, sha256 = {0};
    char chunk[65536];
    ssize_t got = 1;
    digest_stream_init(&md5, DIGEST_MD5);
    digest_stream_init(&sha256, DIGEST_SHA256);
    for (shipment->size_bytes = 0; got > 0; shipment->size_bytes += (uint64_t)got) {
        do
            got = pread(shipment->fd, chunk, sizeof chunk, (off_t)shipment->size_bytes);
        while (got < 0 && errno == EINTR);
        if (got <= 0)
            break;
        digest_stream_update(&md5, chunk, (size_t)got);
        digest_stream_update(&sha256, chunk, (size_t)got);
    }
    int os_errno = got < 0 ? errno : 0;
    digest_stream_finish(&md5, shipment->deposit.md5);
    digest_stream_finish(&sha256, shipment->deposit.sha256);
    digest_stream_release(&md5);
    digest_stream_release(&sha256);
    return got < 0 ? error_set_errno(error, os_errno, "cannot read it") : ERROR_NONE;
}

/* The same for the same package in the same run, whenever it is sent. */
static struct text
idempotency_key(const struct depositor *depositor, const struct shipment *shipment, struct arena *arena)
{
    struct buffer bytes = {0};
    unsigned char digest[32];
    buffer_append_string(&bytes, depositor->run);
    buffer_append_counted(&bytes, text_from(shipment->source));
    buffer_append(&bytes, shipment->deposit.sha256, sizeof shipment->deposit.sha256);
    digest_compute(DIGEST_SHA256, bytes.data, bytes.length, digest);
    buffer_clear(&bytes);
    buffer_append_hex(&bytes, digest, sizeof digest);
    struct text key = arena_copy(arena, buffer_text(&bytes));
    buffer_release(&bytes);
    return key;
}

static enum error_code
prepare(const struct depositor *depositor, struct shipment *shipment, struct arena *arena, struct error *error)
{
    const char *slash = strrchr(shipment->source, '/');
    enum error_code code = compute_digests(shipment, error);
    if (code != ERROR_NONE)
        return code;
    shipment->deposit.profile = depositor->profile;
    shipment->deposit.url = depositor->url;
    shipment->deposit.fd = shipment->fd;
    shipment->deposit.size_bytes = shipment->size_bytes;
    shipment->deposit.filename = text_from(slash == NULL ? shipment->source : slash + 1);
    shipment->deposit.on_behalf_of = text_from(depositor->on_behalf_of);
    shipment->deposit.in_progress = depositor->in_progress;
    shipment->deposit.dry_run = depositor->dry_run;
    shipment->deposit.idempotency_key = idempotency_key(depositor, shipment, arena);
    set_packaging(depositor, shipment);
    return ERROR_NONE;
}

/* ---- sending -------------------------------------------------------------------------------------------------- */

/* The line of the map and of --json. */
static void
receipt_line(const struct shipment *shipment, const struct sword_receipt *receipt, struct buffer *out)
{
    struct json_writer w = json_writer(out);
    json_begin_object(&w);
    json_member_string(&w, "source", shipment->source);
    json_member_text(&w, "location", receipt->location);
    json_member_text(&w, "identifier", receipt->identifier);
    json_member_text(&w, "title", receipt->title);
    json_member_u64(&w, "status", receipt->status);
    json_member_hex(&w, "sha256", shipment->deposit.sha256, sizeof shipment->deposit.sha256);
    json_end_object(&w);
}

static enum error_code
note_accepted(struct depositor *depositor, const struct shipment *shipment, const struct sword_receipt *receipt, struct error *error)
{
    enum error_code code = ERROR_NONE;
    struct buffer line = {0};
    receipt_line(shipment, receipt, &line);
    lock_take(&depositor->lock);
    if (depositor->cli->json)
        printf("%s\n", buffer_string(&line));
    else
        printf("%s\t%.*s\n", shipment->source, TEXT_ARG(receipt->location));
    if (depositor->map >= 0 && !depositor->dry_run)
        code = map_write(depositor, &line, error);
    progress_step(&depositor->progress, depositor->progress.done + 1, depositor->progress.bytes + shipment->size_bytes);
    lock_give(&depositor->lock);
    buffer_release(&line);
    return code;
}

/* Whether the same may go better later, and can do no harm. */
static bool
may_send_again(const struct depositor *depositor, const struct sword_receipt *receipt, enum error_code code)
{
    if (receipt->status == 0 && receipt->unsure)
        return depositor->retry_unsure;
    return code == ERROR_BUSY || code == ERROR_DIGEST || (receipt->status == 0 && (code == ERROR_CLOSED || code == ERROR_TIMEOUT));
}

static void
wait_before(uint64_t attempt, uint64_t wanted_s)
{
    uint64_t seconds = wanted_s > 0 ? wanted_s : UINT64_C(1) << (attempt < 6 ? attempt : 6);
    sleep((unsigned)(seconds < RETRY_SECONDS_MAXIMUM ? seconds : RETRY_SECONDS_MAXIMUM));
}

static enum error_code
ship(struct depositor *depositor, struct http_client *client, struct shipment *shipment, struct arena *arena, struct error *error)
{
    struct sword_receipt receipt = {0};
    enum error_code code = prepare(depositor, shipment, arena, error);
    for (uint64_t attempt = 0; code == ERROR_NONE || attempt > 0; attempt++) {
        code = sword_client_deposit(client, &shipment->deposit, arena, &receipt, error);
        if (code == ERROR_NONE)
            return note_accepted(depositor, shipment, &receipt, error);
        if (attempt >= depositor->retries || !may_send_again(depositor, &receipt, code))
            break;
        wait_before(attempt, receipt.retry_after_s);
    }
    if (receipt.unsure && receipt.status == 0) {
        struct error reason = *error;
        error_set(error, code, "%.300s; no answer came: it may have been stored, look before you send it again (or --retry-unsure)",
                  reason.message);
    }
    return code;
}

static enum error_code
open_and_ship(struct depositor *depositor, struct http_client *client, const char *source, struct arena *arena, struct error *error)
{
    struct shipment shipment = {.source = source, .fd = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct stat status;
    if (shipment.fd < 0)
        return error_set_errno(error, errno, "cannot open it");
    enum error_code code = fstat(shipment.fd, &status) == 0 && S_ISREG(status.st_mode)
                               ? ship(depositor, client, &shipment, arena, error)
                               : error_set(error, ERROR_INVALID, "not a file");
    close(shipment.fd);
    return code;
}

static const char *
take_source(struct depositor *depositor)
{
    const char *source = NULL;
    lock_take(&depositor->lock);
    while (source == NULL && !depositor->stop && depositor->next < depositor->source_count) {
        source = depositor->sources[depositor->next++];
        if (is_done(depositor, source))
            source = NULL;
    }
    lock_give(&depositor->lock);
    return source;
}

/* Nobody is let in, or nobody is there: it will be so for each of them. */
static bool
concerns_all(enum error_code code)
{
    return code == ERROR_UNAUTHENTICATED || code == ERROR_CLOSED || code == ERROR_PROTOCOL || code == ERROR_FULL;
}

static void *
sender_thread(void *context)
{
    struct depositor *depositor = context;
    struct http_client *client = NULL;
    struct error error = {0};
    struct arena arena;
    const char *source;
    arena_init(&arena, ARENA_BYTES);
    enum error_code code = http_client_new(&depositor->http, &client, &error);
    if (code != ERROR_NONE)
        note_status(depositor, cli_fail(depositor->cli, &error));
    while (client != NULL && (source = take_source(depositor)) != NULL) {
        code = open_and_ship(depositor, client, source, &arena, &error);
        arena_reset(&arena);
        if (code == ERROR_NONE)
            continue;
        say(source, error.message);
        note_status(depositor, exit_status_of(code));
        lock_take(&depositor->lock);
        depositor->stop |= concerns_all(code);
        lock_give(&depositor->lock);
    }
    http_client_free(client);
    arena_release(&arena);
    return NULL;
}

static void
send_all(struct depositor *depositor, unsigned jobs)
{
    pthread_t threads[JOBS_MAXIMUM];
    unsigned started = 0;
    progress_begin(&depositor->progress, depositor->cli, "packages", depositor->source_count);
    for (; started < jobs; started++)
        if (pthread_create(&threads[started], NULL, sender_thread, depositor) != 0)
            break;
    ensure(started > 0);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    progress_end(&depositor->progress);
}

/* ---- the command ---------------------------------------------------------------------------------------------- */

/* From the file, the environment, or the terminal. */
static bool
find_password(struct depositor *depositor, const char *file)
{
    const char *environment = getenv("ARCHIVOLT_PASSWORD");
    if (file == NULL && environment != NULL) {
        depositor->http.password = environment;
        return true;
    }
    FILE *from = file == NULL || strcmp(file, "-") == 0 ? stdin : fopen(file, "re");
    if (from == NULL)
        return false;
    bool terminal = from == stdin && terminal_hush();
    if (terminal)
        fprintf(stderr, "Password of %s: ", depositor->http.user);
    bool got = fgets(depositor->password, sizeof depositor->password, from) != NULL;
    if (terminal) {
        terminal_restore();
        fputc('\n', stderr);
    }
    if (from != stdin)
        fclose(from);
    depositor->password[strcspn(depositor->password, "\r\n")] = '\0';
    depositor->http.password = depositor->password;
    return got;
}

/* The profile, unless it was given, and what the server can do. */
static enum error_code
detect(struct depositor *depositor, bool known_profile, struct error *error)
{
    struct http_client *client;
    enum sword_profile profile;
    bool idempotent = false;
    AV_CLEANUP(arena_release) struct arena arena = {0};
    enum error_code code = http_client_new(&depositor->http, &client, error);
    if (code != ERROR_NONE)
        return code;
    code = sword_client_detect(client, depositor->url, &arena, &profile, &idempotent, error);
    http_client_free(client);
    depositor->retry_unsure |= idempotent;
    if (known_profile)
        return ERROR_NONE; /* what the address answers to a GET is no concern then */
    depositor->profile = profile;
    if (code == ERROR_NONE && depositor->cli->verbose)
        fprintf(stderr, "archivolt: deposit: SWORD %s\n", sword_profile_word(depositor->profile));
    return code;
}

static enum exit_status
deposit_all(struct depositor *depositor, const char *map, bool known_profile, unsigned jobs)
{
    struct error error = {0};
    enum error_code code = add_sources(depositor, &error);
    if (code == ERROR_NONE)
        code = map_open(depositor, map, &error);
    if (code == ERROR_NONE)
        code = detect(depositor, known_profile, &error);
    if (code == ERROR_NONE && depositor->dry_run && depositor->profile != SWORD_PROFILE_1_3)
        code = error_set(&error, ERROR_UNSUPPORTED, "only SWORD 1.3 has dry runs");
    if (code == ERROR_NONE && depositor->in_progress && depositor->profile == SWORD_PROFILE_1_3)
        code = error_set(&error, ERROR_UNSUPPORTED, "SWORD 1.3 has no deposits in progress");
    if (code != ERROR_NONE)
        return cli_fail(depositor->cli, &error);
    send_all(depositor, jobs);
    return depositor->status;
}

enum exit_status
command_deposit(struct cli *cli, int argc, char **argv)
{
    struct depositor depositor = {.cli = cli, .map = -1, .retries = RETRIES_DEFAULT};
    const char *profile = NULL, *jobs_text = NULL, *retries_text = NULL, *map = NULL, *password_file = NULL;
    uint64_t jobs = JOBS_DEFAULT;
    const struct cli_option own[] = {{0, "to", &depositor.url, NULL},
                                     {0, "user", &depositor.http.user, NULL},
                                     {0, "password-file", &password_file, NULL},
                                     {0, "sword", &profile, NULL},
                                     {0, "packaging", &depositor.packaging, NULL},
                                     {0, "type", &depositor.type, NULL},
                                     {0, "on-behalf-of", &depositor.on_behalf_of, NULL},
                                     {0, "jobs", &jobs_text, NULL},
                                     {0, "retry", &retries_text, NULL},
                                     {0, "map", &map, NULL},
                                     {0, "in-progress", NULL, &depositor.in_progress},
                                     {0, "dry-run", NULL, &depositor.dry_run},
                                     {0, "retry-unsure", NULL, &depositor.retry_unsure},
                                     {0}};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (cli->argument_count == 0 || depositor.url == NULL)
        return cli_usage(cli, "SRC… --to URL [--user NAME] …");
    if (profile != NULL && !sword_profile_from_word(text_from(profile), &depositor.profile))
        return cli_usage(cli, "--sword is 1.3, 2 or 3");
    if (jobs_text != NULL && (!cli_number(jobs_text, &jobs) || jobs == 0 || jobs > JOBS_MAXIMUM))
        return cli_usage(cli, "--jobs is a number from 1 to %u", JOBS_MAXIMUM);
    if (retries_text != NULL && !cli_number(retries_text, &depositor.retries))
        return cli_usage(cli, "--retry is a number");
    if (depositor.http.user != NULL && !find_password(&depositor, password_file))
        return cli_usage(cli, "no password: --password-file FILE, ARCHIVOLT_PASSWORD, or a terminal");
    lock_init(&depositor.lock, LOCK_RANK_LEAF);
    enum exit_status status = deposit_all(&depositor, map, profile != NULL, (unsigned)jobs);
    lock_release(&depositor.lock);
    if (depositor.map >= 0)
        close(depositor.map);
    list_release(depositor.sources, depositor.source_count);
    list_release(depositor.done, depositor.done_count);
    explicit_bzero(depositor.password, sizeof depositor.password);
    return status;
}
