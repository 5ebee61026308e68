/* SPDX-License-Identifier: Apache-2.0 */
/* archivolt: the table of commands, and the way to each. */
#include "cli/cli.h"

#include <locale.h>

struct command_entry {
    const char *name;
    command_function *function;
};

static const struct command_entry commands[] = {
#define X(function, name, synopsis, help, examples) {name, command_##function},
    CLI_COMMANDS(X)
#undef X
};

static const struct command_entry *
find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* Global options before the command; returns the index of the command's name, or 0 with *ret_status set. */
static int
global_options(struct cli *cli, int argc, char **argv, enum exit_status *ret_status)
{
    *ret_status = EXIT_USAGE;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--data") == 0 && i + 1 < argc) {
            cli->data = argv[++i];
        } else if (strncmp(argv[i], "--data=", 7) == 0) {
            cli->data = argv[i] + 7;
        } else if (strcmp(argv[i], "--json") == 0) {
            cli->json = true;
        } else if (strcmp(argv[i], "--quiet") == 0 || strcmp(argv[i], "-q") == 0) {
            cli->quiet = true;
        } else if (strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "--verbose") == 0) {
            cli->verbose = true;
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "help") == 0) {
            cli_help(i + 1 < argc ? argv[i + 1] : NULL, stdout);
            *ret_status = EXIT_DONE;
            return 0;
        } else if (strcmp(argv[i], "--version") == 0) {
            *ret_status = command_version(cli, 0, NULL);
            return 0;
        } else if (strcmp(argv[i], "--man") == 0) {
            *ret_status = cli_manual(i + 1 < argc ? argv[i + 1] : NULL);
            return 0;
        } else if (argv[i][0] == '-') {
            cli_usage(cli, "unknown option %s", argv[i]);
            return 0;
        } else {
            return i;
        }
    }
    cli_help(NULL, stderr);
    return 0;
}

int
main(int argc, char **argv)
{
    struct cli cli = {.command = NULL};
    enum exit_status status;
    setlocale(LC_CTYPE, "");
    int at = global_options(&cli, argc, argv, &status);
    if (at == 0)
        return (int)status;
    const struct command_entry *entry = find_command(argv[at]);
    if (entry == NULL)
        return (int)cli_usage(&cli, "there is no command %s (see archivolt --help)", argv[at]);
    cli.command = entry->name;
    status = entry->function(&cli, argc - at - 1, argv + at + 1);
    free(cli.arguments);
    if (fflush(stdout) != 0 && status == EXIT_DONE) {
        fprintf(stderr, "archivolt: %s: cannot write to standard output\n", cli.command);
        status = EXIT_FAILED;
    }
    return (int)status;
}
