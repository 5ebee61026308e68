/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archivolt import and check: packages of this machine into a collection, and what would become of one.
 *
 * The map (--map FILE) is as DSpace writes it: a line an item, its name, a blank, its handle. Nothing depends on it: a run that is
 * repeated finds what an earlier one made by the keys in the store, and completes the map.
 */
#include "base/ensure.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define JOBS_DEFAULT 16u
#define SYNC_LINES 256u

struct import {
    struct cli *cli;
    int map; /* descriptor, or -1 */
    struct buffer known; /* the map as it was found */
    char **names;        /* sorted: those that it has */
    size_t name_count, name_capacity;
    unsigned unsynced;
    bool failed;
    struct progress progress;
};

/* ---- the map -------------------------------------------------------------------------------------------------- */

static int
compare_strings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
note_known(struct import *import, struct text line)
{
    while (line.length > 0 && line.data[line.length - 1] != ' ')
        line.length--;
    if (line.length < 2)
        return;
    if (import->name_count == import->name_capacity) {
        import->name_capacity = import->name_capacity == 0 ? 256 : import->name_capacity * 2;
        import->names = realloc(import->names, import->name_capacity * sizeof *import->names);
        ensure(import->names != NULL);
    }
    import->names[import->name_count++] = text_copy(text_of(line.data, line.length - 1));
}

/* A last line that was cut goes. */
static enum error_code
open_map(struct import *import, const char *path, struct error *error)
{
    char chunk[65536];
    ssize_t got;
    struct text rest;
    off_t end = 0;
    if (path == NULL)
        return ERROR_NONE;
    import->map = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (import->map < 0)
        return error_set_errno(error, errno, "cannot open the map %s", path);
    while ((got = read(import->map, chunk, sizeof chunk)) > 0)
        buffer_append(&import->known, chunk, (size_t)got);
    for (rest = buffer_text(&import->known); rest.length > 0;) {
        struct text line = text_cut(rest, '\n', &rest);
        if (rest.data == NULL)
            break;
        end = rest.data - import->known.data;
        note_known(import, line);
    }
    if (import->name_count > 0)
        qsort(import->names, import->name_count, sizeof *import->names, compare_strings);
    return ftruncate(import->map, end) == 0 ? ERROR_NONE : error_set_errno(error, errno, "cannot write the map %s", path);
}

static bool
is_known(const struct import *import, struct text name)
{
    char *wanted = text_copy(name);
    bool found = import->name_count > 0 &&
                 bsearch(&wanted, import->names, import->name_count, sizeof *import->names, compare_strings) != NULL;
    free(wanted);
    return found;
}

static enum error_code
add_to_map(struct import *import, struct text name, struct text handle, struct error *error)
{
    struct buffer line = {0};
    if (import->map < 0 || is_known(import, name))
        return ERROR_NONE;
    buffer_printf(&line, "%.*s %.*s\n", TEXT_ARG(name), TEXT_ARG(handle));
    bool done = write(import->map, line.data, line.length) == (ssize_t)line.length;
    buffer_release(&line);
    if (done && ++import->unsynced >= SYNC_LINES) {
        done = fdatasync(import->map) == 0;
        import->unsynced = 0;
    }
    return done ? ERROR_NONE : error_set_errno(error, errno, "cannot write the map");
}

/* ---- the run -------------------------------------------------------------------------------------------------- */

static void
print_result(struct import *import, const struct json *line)
{
    struct text outcome = member_text(line, "outcome");
    if (import->cli->json) {
        print_raw(import->cli, line);
    } else if (text_equal(outcome, TEXT("failed"))) {
        fputs("archivolt: import: ", stderr);
        print_member(stderr, line, "name");
        fputs(": ", stderr);
        print_member(stderr, line, "message");
        fputc('\n', stderr);
    } else if (!import->cli->quiet) {
        print_member(stdout, line, "name");
        printf("\t%.*s\t%.*s\n", TEXT_ARG(member_text(line, "handle")), TEXT_ARG(outcome));
    }
}

static enum error_code
take_result(void *context, const struct json *line, struct error *error)
{
    struct import *import = context;
    bool failed = text_equal(member_text(line, "outcome"), TEXT("failed"));
    import->failed |= failed;
    print_result(import, line);
    progress_step(&import->progress, import->progress.done + 1, 0);
    return failed ? ERROR_NONE : add_to_map(import, member_text(line, "name"), member_text(line, "handle"), error);
}

static enum exit_status
run_import(struct import *import, struct call_arguments *a)
{
    struct error error = {0};
    struct connection *connection;
    struct buffer result = {0};
    const struct reply reply = {.line = take_result, .context = import, .result = &result, .stop = true};
    enum error_code code = cli_connect(import->cli, &connection, &error);
    if (code != ERROR_NONE) {
        buffer_release(&a->json);
        return cli_fail(import->cli, &error);
    }
    progress_begin(&import->progress, import->cli, "items", 0);
    code = arguments_send(a, connection_channel(connection), &error);
    if (code == ERROR_NONE)
        code = cli_reply(connection_channel(connection), &reply, &error);
    progress_end(&import->progress);
    connection_close(connection);
    if (code == ERROR_NONE && import->map >= 0 && fdatasync(import->map) != 0)
        code = error_set_errno(&error, errno, "cannot write the map");
    if (code == ERROR_NONE && import->cli->json)
        printf("%s\n", buffer_string(&result));
    buffer_release(&result);
    return code != ERROR_NONE ? cli_fail(import->cli, &error) : import->failed ? EXIT_FAILED : EXIT_DONE;
}

enum exit_status
command_import(struct cli *cli, int argc, char **argv)
{
    struct import import = {.cli = cli, .map = -1};
    const char *map = NULL, *jobs_text = NULL, *run = NULL, *person = NULL, *asset_store = NULL;
    bool fresh = false;
    uint64_t jobs = JOBS_DEFAULT;
    const struct cli_option own[] = {{0, "map", &map, NULL},   {0, "jobs", &jobs_text, NULL},           {0, "run", &run, NULL},
                                     {0, "as", &person, NULL}, {0, "asset-store", &asset_store, NULL}, {0, "new-handles", NULL, &fresh},
                                     {0}};
    struct call_arguments a;
    struct error error = {0};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (cli->argument_count != 3)
        return cli_usage(cli, "import saf|bagit|eprints|csv|package|tree SRC COLLECTION");
    if (jobs_text != NULL && !cli_number(jobs_text, &jobs))
        return cli_usage(cli, "--jobs is a number");
    char *source = realpath(cli->arguments[1], NULL); /* the server has another working folder */
    char *store = asset_store == NULL ? NULL : realpath(asset_store, NULL);
    enum error_code code = ERROR_NONE;
    if (source == NULL || (asset_store != NULL && store == NULL))
        code = error_set_errno(&error, errno, "%s", source == NULL ? cli->arguments[1] : asset_store);
    if (code == ERROR_NONE)
        code = open_map(&import, map, &error);
    enum exit_status status = EXIT_DONE;
    if (code == ERROR_NONE) {
        arguments_begin(&a, "import");
        arguments_string(&a, "format", cli->arguments[0]);
        arguments_string(&a, "source", source);
        arguments_string(&a, "collection", cli->arguments[2]);
        arguments_string(&a, "run", run == NULL ? source : run);
        arguments_string(&a, "as", person);
        arguments_string(&a, "asset_store", store);
        arguments_number(&a, "jobs", jobs);
        arguments_flag(&a, "restore", !fresh);
        status = run_import(&import, &a);
    } else {
        status = cli_fail(cli, &error);
    }
    free(source);
    free(store);
    if (import.map >= 0)
        close(import.map);
    for (size_t i = 0; i < import.name_count; i++)
        free(import.names[i]);
    free(import.names);
    buffer_release(&import.known);
    return status;
}

/* ---- check ---------------------------------------------------------------------------------------------------- */

static void
print_part(struct cli *cli, const struct json *line)
{
    if (json_get(line, "note") != NULL) {
        print_member(stdout, line, "note");
    } else if (json_get(line, "field") != NULL) {
        print_member(stdout, line, "field");
        putchar('\t');
        print_member(stdout, line, "value");
    } else {
        print_member(stdout, line, "bundle");
        putchar('/');
        print_member(stdout, line, "path");
        printf("\t%llu bytes", (unsigned long long)member_number(line, "size"));
    }
    putchar('\n');
}

enum exit_status
command_check(struct cli *cli, int argc, char **argv)
{
    const char *collection = NULL, *packaging = NULL, *person = NULL;
    const struct cli_option own[] = {{0, "collection", &collection, NULL}, {0, "packaging", &packaging, NULL}, {0, "as", &person, NULL}, {0}};
    struct call_arguments a;
    struct error error = {0};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (cli->argument_count != 1 || collection == NULL)
        return cli_usage(cli, "check PACKAGE --collection HANDLE");
    char *path = realpath(cli->arguments[0], NULL);
    if (path == NULL) {
        error_set_errno(&error, errno, "%s", cli->arguments[0]);
        return cli_fail(cli, &error);
    }
    arguments_begin(&a, "check");
    arguments_string(&a, "path", path);
    arguments_string(&a, "filename", strrchr(path, '/') + 1);
    arguments_string(&a, "collection", collection);
    arguments_string(&a, "packaging", packaging);
    arguments_string(&a, "as", person);
    free(path);
    return cli_simple(cli, &a, print_part);
}
