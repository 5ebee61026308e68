/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archivolt watch: a folder into which others drop files becomes items.
 *
 *     seen --unchanged for --settle seconds--> imported --> .done/NAME
 *                                              refused  --> .failed/NAME, .failed/NAME.reason
 *
 * An import is named by the entry's name, size and time: one that was made before a crash, and not yet moved, is found again and not
 * made twice. What is refused for a reason that may pass (the server has gone, the disk is full) stays and is tried again.
 */
#include "base/ensure.h"
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETTLE_SECONDS_DEFAULT 5u
#define LOOK_SECONDS 1u

/* One entry of the folder, as it was when it was looked at last. */
struct entry {
    char *name;
    bool folder, seen;
    uint64_t bytes, files;
    struct timespec newest;
    time_t unchanged_since;
};

struct watch {
    struct cli *cli;
    const char *folder, *collection, *person;
    uint64_t settle_s;
    struct entry *entries;
    size_t count, capacity;
    bool failed;
};

static volatile sig_atomic_t stopped;

static void
stop(int number)
{
    stopped = 1;
}

/* ---- what is there -------------------------------------------------------------------------------------------- */

static bool
is_wanted(const char *name)
{
    struct text text = text_from(name);
    return name[0] != '.' && !text_ends_with(text, TEXT(".part")) && !text_ends_with(text, TEXT(".tmp")) &&
           !text_ends_with(text, TEXT(".filepart"));
}

static struct buffer
path_of(const struct watch *watch, const char *below, const char *name)
{
    struct buffer path = {0};
    buffer_printf(&path, "%s/%s%s", watch->folder, below, name);
    return path;
}

/* Sums of all that is in it: another value means that it is still being written. False: it has gone, or is neither file nor folder. */
static bool
measure(const struct watch *watch, struct entry *entry)
{
    struct buffer path AV_CLEANUP(buffer_release) = path_of(watch, "", entry->name);
    char *roots[] = {path.data, NULL};
    (void)buffer_string(&path);
    roots[0] = path.data;
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    bool known = false;
    entry->bytes = entry->files = 0;
    entry->newest = (struct timespec){0};
    for (FTSENT *file; walk != NULL && (file = fts_read(walk)) != NULL;) {
        if (file->fts_info != FTS_F && file->fts_info != FTS_D)
            continue;
        if (file->fts_level == FTS_ROOTLEVEL) {
            known = true;
            entry->folder = file->fts_info == FTS_D;
        }
        entry->files++;
        entry->bytes += file->fts_info == FTS_F ? (uint64_t)file->fts_statp->st_size : 0;
        const struct timespec *time = &file->fts_statp->st_mtim;
        if (time->tv_sec > entry->newest.tv_sec || (time->tv_sec == entry->newest.tv_sec && time->tv_nsec > entry->newest.tv_nsec))
            entry->newest = *time;
    }
    if (walk != NULL)
        fts_close(walk);
    return known;
}

static struct entry *
find(struct watch *watch, const char *name)
{
    for (size_t i = 0; i < watch->count; i++)
        if (strcmp(watch->entries[i].name, name) == 0)
            return &watch->entries[i];
    if (watch->count == watch->capacity) {
        watch->capacity = watch->capacity == 0 ? 16 : watch->capacity * 2;
        watch->entries = realloc(watch->entries, watch->capacity * sizeof *watch->entries);
        ensure(watch->entries != NULL);
    }
    struct entry *entry = &watch->entries[watch->count++];
    *entry = (struct entry){.name = text_copy(text_from(name)), .unchanged_since = time(NULL)};
    return entry;
}

static void
look_at(struct watch *watch, const char *name)
{
    struct entry *entry = find(watch, name);
    struct entry before = *entry;
    entry->seen = measure(watch, entry);
    if (before.bytes != entry->bytes || before.files != entry->files ||
        memcmp(&before.newest, &entry->newest, sizeof before.newest) != 0)
        entry->unchanged_since = time(NULL);
}

static void
forget_gone(struct watch *watch)
{
    size_t kept = 0;
    for (size_t i = 0; i < watch->count; i++) {
        if (watch->entries[i].seen)
            watch->entries[kept++] = watch->entries[i];
        else
            free(watch->entries[i].name);
    }
    watch->count = kept;
}

static enum error_code
look(struct watch *watch, struct error *error)
{
    struct dirent **names;
    int count = scandir(watch->folder, &names, NULL, versionsort);
    if (count < 0)
        return error_set_errno(error, errno, "cannot read the folder %s", watch->folder);
    for (size_t i = 0; i < watch->count; i++)
        watch->entries[i].seen = false;
    for (int i = 0; i < count; i++) {
        if (is_wanted(names[i]->d_name))
            look_at(watch, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    forget_gone(watch);
    return ERROR_NONE;
}

/* ---- one entry ------------------------------------------------------------------------------------------------ */

struct outcome {
    struct watch *watch;
    bool refused;
    struct buffer handles, reason;
};

static enum error_code
take_line(void *context, const struct json *line, struct error *error)
{
    struct outcome *outcome = context;
    if (outcome->watch->cli->json)
        print_raw(outcome->watch->cli, line);
    if (text_equal(member_text(line, "outcome"), TEXT("failed"))) {
        outcome->refused = true;
        buffer_printf(&outcome->reason, "%.*s\n", TEXT_ARG(member_text(line, "message")));
    } else {
        buffer_printf(&outcome->handles, "\t%.*s", TEXT_ARG(member_text(line, "handle")));
    }
    return ERROR_NONE;
}

static enum error_code
import(struct watch *watch, const struct entry *entry, struct outcome *outcome, struct error *error)
{
    struct call_arguments a;
    struct connection *connection;
    const struct reply reply = {.line = take_line, .context = outcome};
    struct buffer path AV_CLEANUP(buffer_release) = path_of(watch, "", entry->name), run AV_CLEANUP(buffer_release) = {0};
    enum error_code code = cli_connect(watch->cli, &connection, error);
    if (code != ERROR_NONE)
        return code;
    buffer_printf(&run, "watch %s %llu %lld.%09ld", watch->folder, (unsigned long long)entry->bytes, (long long)entry->newest.tv_sec,
                  entry->newest.tv_nsec);
    arguments_begin(&a, "import");
    arguments_string(&a, "format", entry->folder ? "tree" : "package");
    arguments_string(&a, "source", buffer_string(&path));
    arguments_flag(&a, "whole", true);
    arguments_string(&a, "collection", watch->collection);
    arguments_string(&a, "run", buffer_string(&run));
    arguments_string(&a, "as", watch->person);
    arguments_number(&a, "jobs", 1);
    code = arguments_send(&a, connection_channel(connection), error);
    if (code == ERROR_NONE)
        code = cli_reply(connection_channel(connection), &reply, error);
    connection_close(connection);
    return code;
}

/* To .done or .failed; a name that is there already gets the time behind it. */
static enum error_code
move_away(struct watch *watch, const struct entry *entry, const char *to, struct buffer *ret_path, struct error *error)
{
    struct buffer from AV_CLEANUP(buffer_release) = path_of(watch, "", entry->name);
    struct buffer folder AV_CLEANUP(buffer_release) = path_of(watch, to, "");
    struct stat status;
    if (mkdir(buffer_string(&folder), 0777) != 0 && errno != EEXIST)
        return error_set_errno(error, errno, "%s", buffer_string(&folder));
    *ret_path = path_of(watch, to, entry->name);
    if (lstat(buffer_string(ret_path), &status) == 0)
        buffer_printf(ret_path, ".%lld", (long long)time(NULL));
    return rename(buffer_string(&from), buffer_string(ret_path)) == 0
               ? ERROR_NONE
               : error_set_errno(error, errno, "cannot move %s", entry->name);
}

static void
write_reason(const struct buffer *path, struct outcome *outcome)
{
    struct buffer name AV_CLEANUP(buffer_release) = {0};
    buffer_printf(&name, "%.*s.reason", TEXT_ARG(buffer_text(path)));
    FILE *file = fopen(buffer_string(&name), "we");
    if (file == NULL)
        return; /* the reason is on standard error too */
    fputs(buffer_string(&outcome->reason), file);
    fclose(file);
}

static void
settle_outcome(struct watch *watch, const struct entry *entry, struct outcome *outcome)
{
    struct buffer path = {0};
    struct error error = {0};
    if (move_away(watch, entry, outcome->refused ? ".failed/" : ".done/", &path, &error) != ERROR_NONE) {
        cli_fail(watch->cli, &error);
        watch->failed = true;
    } else if (outcome->refused) {
        write_reason(&path, outcome);
    }
    buffer_release(&path);
    if (outcome->refused) {
        fprintf(stderr, "archivolt: watch: ");
        print_escaped(stderr, text_from(entry->name));
        fprintf(stderr, ": %s", buffer_string(&outcome->reason));
        watch->failed = true;
    } else if (!watch->cli->json) {
        print_escaped(stdout, text_from(entry->name));
        printf("%s\n", buffer_string(&outcome->handles));
    }
    fflush(stdout);
}

/* False: it may go better later. */
static bool
take_entry(struct watch *watch, const struct entry *entry)
{
    struct outcome outcome = {.watch = watch};
    struct error error = {0};
    enum error_code code = import(watch, entry, &outcome, &error);
    if (code == ERROR_NONE)
        settle_outcome(watch, entry, &outcome);
    else
        cli_fail(watch->cli, &error);
    watch->failed |= code != ERROR_NONE;
    buffer_release(&outcome.handles);
    buffer_release(&outcome.reason);
    return code == ERROR_NONE;
}

static void
take_settled(struct watch *watch)
{
    time_t now = time(NULL);
    for (size_t i = 0; i < watch->count && !stopped; i++) {
        struct entry *entry = &watch->entries[i];
        if (now < entry->unchanged_since + (time_t)watch->settle_s)
            continue;
        if (!take_entry(watch, entry))
            entry->unchanged_since = now; /* again after a while */
    }
}

/* ---- the command ---------------------------------------------------------------------------------------------- */

static enum exit_status
run_watch(struct watch *watch, bool once)
{
    struct error error = {0};
    bool waiting = true;
    while (waiting && !stopped) {
        watch->failed &= once;
        if (look(watch, &error) != ERROR_NONE)
            return cli_fail(watch->cli, &error);
        take_settled(watch);
        waiting = !once;
        for (size_t i = 0; once && i < watch->count; i++) /* what is still being written, or settling */
            waiting |= time(NULL) < watch->entries[i].unchanged_since + (time_t)watch->settle_s;
        if (once && watch->failed)
            waiting = false;
        if (waiting)
            sleep(LOOK_SECONDS);
    }
    return once && watch->failed ? EXIT_FAILED : EXIT_DONE;
}

enum exit_status
command_watch(struct cli *cli, int argc, char **argv)
{
    struct watch watch = {.cli = cli, .settle_s = SETTLE_SECONDS_DEFAULT};
    const char *settle = NULL;
    bool once = false;
    const struct cli_option own[] = {{0, "settle", &settle, NULL}, {0, "as", &watch.person, NULL}, {0, "once", NULL, &once}, {0}};
    struct error error = {0};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (cli->argument_count != 2 || (settle != NULL && !cli_number(settle, &watch.settle_s)))
        return cli_usage(cli, "watch DIR COLLECTION [--settle SECONDS] [--as NAME] [--once]");
    char *folder = realpath(cli->arguments[0], NULL);
    if (folder == NULL) {
        error_set_errno(&error, errno, "%s", cli->arguments[0]);
        return cli_fail(cli, &error);
    }
    watch.folder = folder;
    watch.collection = cli->arguments[1];
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    enum exit_status status = run_watch(&watch, once);
    for (size_t i = 0; i < watch.count; i++)
        free(watch.entries[i].name);
    free(watch.entries);
    free(folder);
    return status;
}
