/* SPDX-License-Identifier: Apache-2.0 */
/* archivolt ls, stat, mkdir, mv, cp, rm, history, status. */
#include "cli/cli.h"

static enum exit_status
needs_paths(const struct cli *cli, size_t least, size_t most, const char *usage)
{
    if (cli->argument_count < least || cli->argument_count > most)
        return cli_usage(cli, "%s", usage);
    return EXIT_DONE;
}

/* ---- ls, stat ----------------------------------------------------------------------------------------------- */

static void
print_name(struct cli *cli, const struct json *line)
{
    print_member(stdout, line, "name");
    putchar('\n');
}

static void
print_long(const struct json *line, const char *name)
{
    struct text kind = member_text(line, "kind");
    bool file = text_equal(kind, TEXT("file"));
    printf("%c %12llu %4llu  %.19s  ", file ? '-' : kind.data[0] == 'a' ? 'a' : 'd',
           (unsigned long long)member_number(line, file ? "size" : "children"),
           (unsigned long long)member_number(line, "version"), member_text(line, "modified").data);
    print_member(stdout, line, name);
    putchar('\n');
}

static void
print_long_name(struct cli *cli, const struct json *line)
{
    print_long(line, "name");
}

static void
print_long_path(struct cli *cli, const struct json *line)
{
    print_long(line, "path");
}

enum exit_status
command_ls(struct cli *cli, int argc, char **argv)
{
    bool detailed = false, recursive = false;
    const char *after = NULL, *limit_text = NULL;
    uint64_t limit = 0;
    struct call_arguments a;
    const struct cli_option own[] = {{'l', "long", NULL, &detailed}, {'R', "recursive", NULL, &recursive},
                                     {0, "after", &after, NULL},     {0, "limit", &limit_text, NULL},
                                     {0}};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (cli->argument_count > 1)
        return cli_usage(cli, "ls takes one path");
    if (limit_text != NULL && (!cli_number(limit_text, &limit) || limit == 0))
        return cli_usage(cli, "--limit is a number from 1");
    if (recursive && (after != NULL || limit_text != NULL))
        return cli_usage(cli, "--after and --limit go with one container, not with -R");
    arguments_begin(&a, recursive ? "walk" : "ls");
    arguments_string(&a, "path", cli->argument_count == 1 ? cli->arguments[0] : "/");
    arguments_string(&a, "after", after);
    arguments_number(&a, "limit", limit);
    arguments_flag(&a, "long", detailed);
    if (recursive)
        return cli_simple(cli, &a, detailed ? print_long_path : print_path);
    return cli_simple(cli, &a, detailed ? print_long_name : print_name);
}

/* Every member on a line of its own. */
static void
print_members(struct cli *cli, const struct json *line)
{
    json_each (member, line) {
        printf("%-18.*s ", TEXT_ARG(member->key));
        print_escaped(stdout, member->text);
        putchar('\n');
    }
}

enum exit_status
command_stat(struct cli *cli, int argc, char **argv)
{
    struct call_arguments a;
    enum exit_status status;
    if (!cli_parse(cli, argc, argv, NULL))
        return EXIT_USAGE;
    if ((status = needs_paths(cli, 1, 1, "stat takes one path")) != EXIT_DONE)
        return status;
    arguments_begin(&a, "stat");
    arguments_string(&a, "path", cli->arguments[0]);
    return cli_simple(cli, &a, print_members);
}

/* ---- changes --------------------------------------------------------------------------------------------------- */

enum exit_status
command_mkdir(struct cli *cli, int argc, char **argv)
{
    bool parents = false, aggregate = false;
    enum exit_status status = EXIT_DONE;
    const struct cli_option own[] = {{'p', "parents", NULL, &parents}, {0, "aggregate", NULL, &aggregate}, {0}};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (cli->argument_count == 0)
        return cli_usage(cli, "mkdir what?");
    for (size_t i = 0; i < cli->argument_count && status == EXIT_DONE; i++) {
        struct call_arguments a;
        arguments_begin(&a, "mkdir");
        arguments_string(&a, "path", cli->arguments[i]);
        arguments_flag(&a, "parents", parents);
        arguments_flag(&a, "aggregate", aggregate);
        status = cli_simple(cli, &a, print_nothing);
    }
    return status;
}

static enum exit_status
two_paths(struct cli *cli, int argc, char **argv, const char *call, char letter, const char *option, const char *flag_name)
{
    bool flag = false;
    struct call_arguments a;
    enum exit_status status;
    const struct cli_option own[] = {{letter, option, NULL, &flag}, {0}};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if ((status = needs_paths(cli, 2, 2, "from where, to where? SRC DST")) != EXIT_DONE)
        return status;
    arguments_begin(&a, call);
    arguments_string(&a, "path", cli->arguments[0]);
    arguments_string(&a, "to", cli->arguments[1]);
    arguments_flag(&a, flag_name, flag);
    return cli_simple(cli, &a, print_nothing);
}

enum exit_status
command_mv(struct cli *cli, int argc, char **argv)
{
    return two_paths(cli, argc, argv, "mv", 'p', "parents", "parents");
}

enum exit_status
command_cp(struct cli *cli, int argc, char **argv)
{
    return two_paths(cli, argc, argv, "cp", 'r', "recursive", "recursive");
}

enum exit_status
command_rm(struct cli *cli, int argc, char **argv)
{
    bool recursive = false;
    enum exit_status status = EXIT_DONE;
    const struct cli_option own[] = {{'r', "recursive", NULL, &recursive}, {0}};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (cli->argument_count == 0)
        return cli_usage(cli, "rm what?");
    for (size_t i = 0; i < cli->argument_count; i++) {
        struct call_arguments a;
        arguments_begin(&a, "rm");
        arguments_string(&a, "path", cli->arguments[i]);
        arguments_flag(&a, "recursive", recursive);
        enum exit_status one = cli_simple(cli, &a, print_nothing);
        if (status == EXIT_DONE)
            status = one;
    }
    return status;
}

/* ---- history, status --------------------------------------------------------------------------------------------- */

static void
print_event(struct cli *cli, const struct json *line)
{
    uint64_t version = member_number(line, "version");
    printf("%.*s  %-12.*s ", TEXT_ARG(member_text(line, "time")), TEXT_ARG(member_text(line, "operation")));
    if (version > 0)
        printf("v%-4llu ", (unsigned long long)version);
    else
        printf("      ");
    print_member(stdout, line, "user");
    printf("  (resource %llu, group %llu)\n", (unsigned long long)member_number(line, "id"),
           (unsigned long long)member_number(line, "sequence"));
}

enum exit_status
command_history(struct cli *cli, int argc, char **argv)
{
    struct call_arguments a;
    enum exit_status status;
    if (!cli_parse(cli, argc, argv, NULL))
        return EXIT_USAGE;
    if ((status = needs_paths(cli, 1, 1, "history takes one path")) != EXIT_DONE)
        return status;
    arguments_begin(&a, "history");
    arguments_string(&a, "path", cli->arguments[0]);
    return cli_simple(cli, &a, print_event);
}

static enum error_code
print_volume(void *context, const struct json *line, struct error *error)
{
    struct cli *cli = context;
    bool sealed = false;
    (void)json_get_bool(line, "sealed", &sealed);
    if (cli->json)
        print_raw(cli, line);
    else
        printf("  %-24.*s %14llu bytes  %s\n", TEXT_ARG(member_text(line, "name")),
               (unsigned long long)member_number(line, "size"), sealed ? "sealed" : "open");
    return ERROR_NONE;
}

enum exit_status
command_status(struct cli *cli, int argc, char **argv)
{
    struct connection *connection;
    struct call_arguments a;
    struct arena arena;
    struct json *root;
    struct error error = {0};
    struct buffer result = {0};
    struct reply reply = {.line = print_volume, .context = cli, .result = &result};
    if (!cli_parse(cli, argc, argv, NULL))
        return EXIT_USAGE;
    enum error_code code = cli_connect(cli, &connection, &error);
    if (code != ERROR_NONE)
        return cli_fail(cli, &error);
    bool server = connection_is_server(connection);
    arguments_begin(&a, "status");
    code = arguments_send(&a, connection_channel(connection), &error);
    if (!cli->json)
        printf("volumes\n");
    if (code == ERROR_NONE)
        code = cli_reply(connection_channel(connection), &reply, &error);
    arena_init(&arena, 0);
    if (code == ERROR_NONE && cli->json) {
        buffer_truncate(&result, result.length - 1); /* its last brace */
        printf("%s,\"server\":%s}\n", buffer_string(&result), server ? "true" : "false");
    } else if (code == ERROR_NONE && json_parse(&arena, buffer_text(&result), &root, &error) == ERROR_NONE) {
        printf("%-18s %s\n", "answered by", server ? "the running server" : "this process (no server runs)");
        print_members(cli, root);
    }
    arena_release(&arena);
    buffer_release(&result);
    connection_close(connection);
    return code == ERROR_NONE ? EXIT_DONE : cli_fail(cli, &error);
}
