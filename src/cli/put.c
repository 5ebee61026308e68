/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archivolt put: files and trees into the store.
 *
 * A tree is walked by the main thread, which hands files to `--jobs` senders, each with a connection of its own:
 * many are in flight, and the store commits them in groups. A journal file names, one a line, what has been
 * acknowledged; a run that finds it leaves these out, and a file that was acknowledged but not yet noted is
 * recognised by its bytes.
 */
#include "base/ensure.h"
#include "base/lock.h"
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOBS_DEFAULT 16u
#define JOBS_MAXIMUM 128u
#define QUEUE_MAXIMUM 256u
#define CHUNK_BYTES (256u << 10)

struct put {
    struct cli *cli;
    struct connection *connection;
    const char *type;
    bool escape_names, keep_same;
    struct lock lock; /* all below */
    struct signal changed;
    struct item *first, *last;
    unsigned queued;
    bool walked;
    uint64_t files, bytes;
    enum exit_status status; /* the worst so far */
    int journal;             /* descriptor, or -1 */
    char **done;             /* sorted lines of an earlier run */
    size_t done_count;
    struct progress progress;
};

struct item {
    struct item *next;
    char *source, *path;
    bool folder;
};

static void
note_status(struct put *put, enum exit_status status)
{
    lock_take(&put->lock);
    if (put->status == EXIT_DONE)
        put->status = status;
    lock_give(&put->lock);
}

static void
say(struct put *put, const char *what, const char *source, const char *why)
{
    fprintf(stderr, "archivolt: %s: ", put->cli->command);
    print_escaped(stderr, text_from(source));
    fprintf(stderr, ": %s%s%s\n", what, why[0] == '\0' ? "" : ": ", why);
}

/* The same with the reason of the operating system, which decides the exit status as everywhere. */
static void
leave_out(struct put *put, const char *source, int os_errno)
{
    struct error error = {0};
    enum error_code code = error_set_errno(&error, os_errno, "left out");
    say(put, error.message, source, "");
    note_status(put, exit_status_of(code));
}

/* ---- the journal of done files ------------------------------------------------------------------------ */

static int
compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum error_code
open_journal(struct put *put, const char *path, struct error *error)
{
    struct buffer whole = {0};
    char chunk[65536];
    ssize_t got;
    put->journal = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (put->journal < 0)
        return error_set_errno(error, errno, "cannot open the journal %s", path);
    while ((got = read(put->journal, chunk, sizeof chunk)) > 0)
        buffer_append(&whole, chunk, (size_t)got);
    size_t capacity = 0;
    struct text rest = buffer_text(&whole);
    while (rest.data != NULL && rest.length > 0) {
        struct text line = text_cut(rest, '\n', &rest);
        if (rest.data == NULL)
            break; /* a line that was cut by a kill counts for nothing */
        if (put->done_count == capacity) {
            capacity = capacity == 0 ? 1024 : capacity * 2;
            put->done = realloc(put->done, capacity * sizeof *put->done);
            ensure(put->done != NULL);
        }
        put->done[put->done_count++] = text_copy(line);
    }
    buffer_release(&whole);
    if (put->done_count > 0)
        qsort(put->done, put->done_count, sizeof *put->done, compare_lines);
    return ERROR_NONE;
}

static void
journal_line(struct buffer *line, const char *path)
{
    json_append_string(line, text_from(path));
}

static bool
is_done(const struct put *put, const char *path)
{
    struct buffer line = {0};
    if (put->done_count == 0)
        return false;
    journal_line(&line, path);
    const char *wanted = buffer_string(&line);
    bool found = bsearch(&wanted, put->done, put->done_count, sizeof *put->done, compare_lines) != NULL;
    buffer_release(&line);
    return found;
}

static void
note_done(struct put *put, const char *path, uint64_t bytes)
{
    struct buffer line = {0};
    if (put->journal >= 0) {
        buffer_append_char(&line, '\n'); /* ends a line that a kill cut */
        journal_line(&line, path);
        buffer_append_char(&line, '\n');
    }
    lock_take(&put->lock);
    put->files++;
    put->bytes += bytes;
    if (line.length > 0 && write(put->journal, line.data, line.length) != (ssize_t)line.length && put->status == EXIT_DONE)
        put->status = EXIT_FAILED;
    progress_step(&put->progress, put->progress.done + 1, put->progress.bytes);
    lock_give(&put->lock);
    buffer_release(&line);
}

/* ---- one file ------------------------------------------------------------------------------------------ */

static void
note_sent(struct put *put, uint64_t bytes)
{
    lock_take(&put->lock);
    progress_step(&put->progress, put->progress.done, put->progress.bytes + bytes);
    lock_give(&put->lock);
}

static enum error_code
send_content(struct put *put, struct channel *channel, int fd, const char *source, uint64_t *ret_bytes,
             struct error *error)
{
    char *chunk = malloc(CHUNK_BYTES);
    enum error_code code = ERROR_NONE;
    ensure(chunk != NULL);
    *ret_bytes = 0;
    while (code == ERROR_NONE) {
        ssize_t got = read(fd, chunk, CHUNK_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            code = error_set_errno(error, errno, "cannot read %s", source);
        if (got <= 0)
            break;
        *ret_bytes += (uint64_t)got;
        code = channel_send(channel, FRAME_DATA, text_of(chunk, (size_t)got), error);
        note_sent(put, (uint64_t)got);
    }
    free(chunk);
    /* The end is told even after a failure, with a word that makes the server give up. */
    enum error_code told = channel_send(channel, FRAME_END, code == ERROR_NONE ? TEXT("") : TEXT("gave up"), NULL);
    return code != ERROR_NONE ? code : told == ERROR_NONE ? ERROR_NONE : error_set(error, told, "the server has gone");
}

static void
put_arguments(const struct put *put, struct call_arguments *a, const char *path, const struct stat *status)
{
    arguments_begin(a, "put");
    arguments_string(a, "path", path);
    arguments_string(a, "type", put->type);
    arguments_flag(a, "keep_same", put->keep_same);
    if (status == NULL)
        return;
    json_member_i64(&a->writer, "mtime_us", (int64_t)status->st_mtim.tv_sec * 1000000 + status->st_mtim.tv_nsec / 1000);
    arguments_number(a, "mode", status->st_mode & 07777u);
}

static enum error_code
put_descriptor(struct put *put, struct channel *channel, int fd, const char *source, const char *path,
               const struct stat *status, struct buffer *result, uint64_t *ret_bytes, struct error *error)
{
    struct call_arguments a;
    struct reply reply = {.result = result};
    struct error answered = {0};
    put_arguments(put, &a, path, status);
    enum error_code code = arguments_send(&a, channel, error);
    if (code != ERROR_NONE)
        return code;
    code = send_content(put, channel, fd, source, ret_bytes, error);
    enum error_code answer = cli_reply(channel, &reply, &answered);
    /* A server that has gone, perhaps with a word that says why, is no reason of its own. */
    if (answer != ERROR_NONE && (code == ERROR_NONE || code == ERROR_CLOSED)) {
        *error = answered;
        return answer;
    }
    return code;
}

static enum error_code
put_file(struct put *put, struct channel *channel, const char *source, const char *path, struct error *error)
{
    struct stat status;
    struct buffer result = {0};
    uint64_t bytes = 0;
    bool standard_input = strcmp(source, "-") == 0;
    int fd = standard_input ? 0 : open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return error_set_errno(error, errno, "cannot open %s", source);
    enum error_code code = ERROR_NONE;
    if (fstat(fd, &status) != 0)
        code = error_set_errno(error, errno, "cannot look at %s", source);
    else if (!standard_input && !S_ISREG(status.st_mode))
        code = error_set(error, ERROR_INVALID, "%s is not a file", source);
    if (code == ERROR_NONE)
        code = put_descriptor(put, channel, fd, source, path, standard_input ? NULL : &status, &result, &bytes, error);
    if (!standard_input)
        close(fd);
    if (code == ERROR_NONE) {
        if (put->cli->json) {
            struct buffer line = {0};
            struct json_writer w = json_writer(&line);
            json_begin_object(&w);
            json_member_string(&w, "path", path);
            json_key(&w, "result");
            json_put_raw(&w, buffer_text(&result));
            json_end_object(&w);
            printf("%s\n", buffer_string(&line));
            buffer_release(&line);
        }
        note_done(put, path, bytes);
    }
    buffer_release(&result);
    return code;
}

static enum error_code
put_folder(struct channel *channel, const char *path, struct error *error)
{
    struct call_arguments a;
    struct reply reply = {.result = NULL};
    arguments_begin(&a, "mkdir");
    arguments_string(&a, "path", path);
    arguments_flag(&a, "parents", true);
    enum error_code code = arguments_send(&a, channel, error);
    return code != ERROR_NONE ? code : cli_reply(channel, &reply, error);
}

/* ---- trees ---------------------------------------------------------------------------------------------- */

static struct item *
take_item(struct put *put)
{
    lock_take(&put->lock);
    while (put->first == NULL && !put->walked)
        signal_wait_locked(&put->changed, &put->lock);
    struct item *item = put->first;
    if (item != NULL) {
        put->first = item->next;
        if (put->first == NULL)
            put->last = NULL;
        put->queued--;
        signal_all(&put->changed);
    }
    lock_give(&put->lock);
    return item;
}

static void
give_item(struct put *put, const char *source, const char *path, bool folder)
{
    struct item *item = calloc(1, sizeof *item);
    ensure(item != NULL);
    item->source = text_copy(text_from(source));
    item->path = text_copy(text_from(path));
    item->folder = folder;
    lock_take(&put->lock);
    while (put->queued >= QUEUE_MAXIMUM)
        signal_wait_locked(&put->changed, &put->lock);
    if (put->last == NULL)
        put->first = item;
    else
        put->last->next = item;
    put->last = item;
    put->queued++;
    signal_all(&put->changed);
    lock_give(&put->lock);
}

static void *
sender_thread(void *context)
{
    struct put *put = context;
    struct channel channel;
    struct item *item;
    struct error error = {0};
    bool open_channel = connection_more(put->connection, &channel, &error) == ERROR_NONE;
    if (!open_channel) {
        cli_fail(put->cli, &error);
        note_status(put, exit_status_of(error.code));
    }
    while ((item = take_item(put)) != NULL) {
        if (open_channel) {
            enum error_code code = item->folder ? put_folder(&channel, item->path, &error)
                                                : put_file(put, &channel, item->source, item->path, &error);
            if (code != ERROR_NONE) {
                say(put, "not stored", item->source, error.message);
                note_status(put, exit_status_of(code));
            }
        }
        free(item->source);
        free(item->path);
        free(item);
    }
    if (open_channel)
        channel_release(&channel);
    return NULL;
}

/* A source name as a name in the repository; empty (said) when it cannot be one. */
static bool
repository_name(struct put *put, const char *source, const char *name, struct buffer *ret)
{
    struct text text = text_from(name);
    buffer_clear(ret);
    if (text_is_utf8(text) && !put->escape_names) {
        buffer_append_text(ret, text);
        return true;
    }
    if (!put->escape_names) {
        say(put, "left out", source, "its name is not UTF-8 (see --names escape)");
        note_status(put, EXIT_FAILED);
        return false;
    }
    bool bad = !text_is_utf8(text); /* % changes in every name: two names never become one, and it can be undone */
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '%' || (bad && c >= 0x80))
            buffer_printf(ret, "%%%02X", c);
        else
            buffer_append_char(ret, (char)c);
    }
    return true;
}

/* What there is to do, for the progress on a terminal: nothing is read but the folders. */
static void
count_tree(struct put *put, const char *source)
{
    char *root = text_copy(text_from(source));
    char *roots[] = {root, NULL};
    FTS *walk = put->progress.on ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    for (FTSENT *entry; walk != NULL && (entry = fts_read(walk)) != NULL;) {
        if (entry->fts_info != FTS_F)
            continue;
        put->progress.total++;
        put->progress.total_bytes += (uint64_t)entry->fts_statp->st_size;
    }
    if (walk != NULL)
        fts_close(walk);
    free(root);
}

/* An earlier run has stored it. */
static void
leave_uncounted(struct put *put, const struct stat *status)
{
    uint64_t size = (uint64_t)status->st_size;
    lock_take(&put->lock);
    put->progress.total -= put->progress.total > 0;
    put->progress.total_bytes -= put->progress.total_bytes > size ? size : put->progress.total_bytes;
    lock_give(&put->lock);
}

static void walk_folder(struct put *put, const char *source, const char *path);

static void
walk_entry(struct put *put, const char *source, const char *path)
{
    struct stat status;
    if (lstat(source, &status) != 0) {
        leave_out(put, source, errno);
    } else if (S_ISDIR(status.st_mode)) {
        walk_folder(put, source, path);
    } else if (!S_ISREG(status.st_mode)) {
        say(put, "left out", source, S_ISLNK(status.st_mode) ? "a symbolic link" : "not a file");
    } else if (!is_done(put, path)) {
        give_item(put, source, path, false);
    } else {
        leave_uncounted(put, &status);
    }
}

static void
walk_names(struct put *put, const char *source, const char *path, struct dirent **names, int count)
{
    struct buffer name = {0}, child_source = {0}, child_path = {0};
    for (int i = 0; i < count; i++) {
        buffer_clear(&child_source);
        buffer_clear(&child_path);
        buffer_printf(&child_source, "%s/%s", source, names[i]->d_name);
        if (repository_name(put, buffer_string(&child_source), names[i]->d_name, &name)) {
            buffer_printf(&child_path, "%s/", strcmp(path, "/") == 0 ? "" : path);
            buffer_append_text(&child_path, buffer_text(&name));
            walk_entry(put, buffer_string(&child_source), buffer_string(&child_path));
        }
        free(names[i]);
    }
    buffer_release(&name);
    buffer_release(&child_source);
    buffer_release(&child_path);
}

static int
not_dots(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int
by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void
walk_folder(struct put *put, const char *source, const char *path)
{
    struct dirent **names;
    int count = scandir(source, &names, not_dots, by_bytes);
    if (count < 0) {
        leave_out(put, source, errno);
        return;
    }
    if (strcmp(path, "/") != 0)
        give_item(put, source, path, true);
    walk_names(put, source, path, names, count);
    free(names);
}

static enum exit_status
put_tree(struct put *put, unsigned jobs, const char *source, const char *path)
{
    pthread_t senders[JOBS_MAXIMUM];
    unsigned running = 0;
    progress_begin(&put->progress, put->cli, "put", 0);
    count_tree(put, source);
    while (running < jobs && pthread_create(&senders[running], NULL, sender_thread, put) == 0)
        running++;
    ensure(running > 0);
    walk_folder(put, source, path);
    lock_take(&put->lock);
    put->walked = true;
    signal_all(&put->changed);
    lock_give(&put->lock);
    for (unsigned i = 0; i < running; i++)
        pthread_join(senders[i], NULL);
    progress_end(&put->progress);
    if (!put->cli->quiet && !put->cli->json)
        fprintf(stderr, "archivolt: %llu files, %llu bytes stored\n", (unsigned long long)put->files,
                (unsigned long long)put->bytes);
    return put->status;
}

/* ---- the command ---------------------------------------------------------------------------------------- */

/* Whether DST is a container already: then files go into it. */
static enum error_code
note_kind(void *context, const struct json *line, struct error *error)
{
    bool *container = context;
    *container = !text_equal(member_text(line, "kind"), TEXT("file"));
    return ERROR_NONE;
}

static enum error_code
is_container(struct put *put, const char *path, bool *ret_container, struct error *error)
{
    struct call_arguments a;
    struct reply reply = {.line = note_kind, .context = ret_container};
    *ret_container = false;
    arguments_begin(&a, "stat");
    arguments_string(&a, "path", path);
    enum error_code code = arguments_send(&a, connection_channel(put->connection), error);
    if (code == ERROR_NONE)
        code = cli_reply(connection_channel(put->connection), &reply, error);
    return code == ERROR_NOT_FOUND || code == ERROR_GONE ? ERROR_NONE : code;
}

static void
put_one(struct put *put, const char *source, const char *destination, bool into)
{
    struct buffer path = {0}, name = {0};
    struct error error = {0};
    struct stat status;
    const char *last = strrchr(source, '/');
    if (strcmp(source, "-") != 0 && lstat(source, &status) == 0 && S_ISLNK(status.st_mode)) {
        say(put, "left out", source, "a symbolic link");
        note_status(put, EXIT_FAILED);
        return;
    }
    buffer_append_string(&path, destination);
    bool good = true;
    if (into) {
        good = repository_name(put, source, last == NULL ? source : last + 1, &name);
        if (path.length > 1)
            buffer_append_char(&path, '/');
        buffer_append_text(&path, buffer_text(&name));
    }
    if (good && put_file(put, connection_channel(put->connection), source, buffer_string(&path), &error) != ERROR_NONE) {
        cli_fail(put->cli, &error);
        note_status(put, exit_status_of(error.code));
    }
    buffer_release(&path);
    buffer_release(&name);
}

static enum exit_status
put_files(struct put *put, const char *destination, bool slash)
{
    struct cli *cli = put->cli;
    struct error error = {0};
    bool into = slash || cli->argument_count > 2; /* several sources: DST becomes a container */
    if (!into && is_container(put, destination, &into, &error) != ERROR_NONE)
        return cli_fail(cli, &error);
    for (size_t i = 0; i + 1 < cli->argument_count; i++)
        put_one(put, cli->arguments[i], destination, into && strcmp(cli->arguments[i], "-") != 0);
    return put->status;
}

static enum exit_status
put_all(struct put *put, bool recursive, unsigned jobs)
{
    struct cli *cli = put->cli;
    const char *destination = cli->arguments[cli->argument_count - 1];
    size_t length = strlen(destination);
    char *trimmed = text_copy(text_of(destination, length > 1 && destination[length - 1] == '/' ? length - 1 : length));
    enum exit_status status;
    if (recursive)
        status = put_tree(put, jobs, cli->arguments[0], trimmed);
    else
        status = put_files(put, trimmed, destination[length - 1] == '/');
    free(trimmed);
    return status;
}

static enum exit_status
check_usage(struct cli *cli, bool recursive, const char *jobs, const char *names, uint64_t *ret_jobs)
{
    if (cli->argument_count < 2)
        return cli_usage(cli, "put what where? put SRC… DST, or put -r DIR DST");
    if (recursive && cli->argument_count != 2)
        return cli_usage(cli, "put -r takes one folder and one destination");
    if (cli->arguments[cli->argument_count - 1][0] != '/')
        return cli_usage(cli, "paths in the repository begin with /");
    if (jobs != NULL && (!cli_number(jobs, ret_jobs) || *ret_jobs == 0 || *ret_jobs > JOBS_MAXIMUM))
        return cli_usage(cli, "--jobs is a number from 1 to %u", JOBS_MAXIMUM);
    if (names != NULL && strcmp(names, "escape") != 0)
        return cli_usage(cli, "--names knows only escape");
    return EXIT_DONE;
}

enum exit_status
command_put(struct cli *cli, int argc, char **argv)
{
    struct put put = {.cli = cli, .journal = -1};
    bool recursive = false;
    const char *jobs_text = NULL, *journal = NULL, *names = NULL;
    uint64_t jobs = JOBS_DEFAULT;
    struct error error = {0};
    const struct cli_option own[] = {{'r', "recursive", NULL, &recursive}, {'j', "jobs", &jobs_text, NULL},
                                     {0, "journal", &journal, NULL},       {0, "names", &names, NULL},
                                     {0, "type", &put.type, NULL},         {0}};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    enum exit_status status = check_usage(cli, recursive, jobs_text, names, &jobs);
    if (status != EXIT_DONE)
        return status;
    put.escape_names = names != NULL;
    put.keep_same = recursive || journal != NULL;
    lock_init(&put.lock, LOCK_RANK_LEAF);
    signal_init(&put.changed);
    interrupt_removes(NULL);
    enum error_code code = journal == NULL ? ERROR_NONE : open_journal(&put, journal, &error);
    if (code == ERROR_NONE)
        code = cli_connect(cli, &put.connection, &error);
    if (code == ERROR_NONE)
        status = put_all(&put, recursive, (unsigned)jobs);
    else
        status = cli_fail(cli, &error);
    connection_close(put.connection);
    if (put.journal >= 0)
        close(put.journal);
    for (size_t i = 0; i < put.done_count; i++)
        free(put.done[i]);
    free(put.done);
    signal_release(&put.changed);
    lock_release(&put.lock);
    return status;
}
