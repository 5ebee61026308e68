/* SPDX-License-Identifier: Apache-2.0 */
/* archivolt verify, fsck, dump, compact, seal, journal, purge: the whole store. */
#include "cli/cli.h"

#include <errno.h>

static enum exit_status
no_arguments(const struct cli *cli)
{
    return cli->argument_count == 0 ? EXIT_DONE : cli_usage(cli, "unexpected: %s", cli->arguments[0]);
}

static enum exit_status
plain_call(struct cli *cli, int argc, char **argv, const char *call)
{
    struct call_arguments a;
    if (!cli_parse(cli, argc, argv, NULL) || no_arguments(cli) != EXIT_DONE)
        return EXIT_USAGE;
    arguments_begin(&a, call);
    return cli_simple(cli, &a, print_raw);
}

enum exit_status
command_fsck(struct cli *cli, int argc, char **argv)
{
    return plain_call(cli, argc, argv, "fsck");
}

enum exit_status
command_dump(struct cli *cli, int argc, char **argv)
{
    return plain_call(cli, argc, argv, "dump");
}

enum exit_status
command_seal(struct cli *cli, int argc, char **argv)
{
    return plain_call(cli, argc, argv, "seal");
}

enum exit_status
command_verify(struct cli *cli, int argc, char **argv)
{
    const char *since_text = NULL, *budget_text = NULL;
    uint64_t since = 0, budget = 0;
    struct call_arguments a;
    const struct cli_option own[] = {{0, "since", &since_text, NULL}, {0, "budget", &budget_text, NULL}, {0}};
    if (!cli_parse(cli, argc, argv, own) || no_arguments(cli) != EXIT_DONE)
        return EXIT_USAGE;
    if (since_text != NULL && !cli_number(since_text, &since))
        return cli_usage(cli, "--since is the sequence of a group");
    if (budget_text != NULL && (!cli_bytes(budget_text, &budget) || budget == 0))
        return cli_usage(cli, "--budget is bytes a second, such as 50MB");
    arguments_begin(&a, "verify");
    arguments_number(&a, "since", since);
    arguments_number(&a, "budget", budget);
    return cli_simple(cli, &a, print_raw);
}

enum exit_status
command_compact(struct cli *cli, int argc, char **argv)
{
    const char *gain_text = NULL;
    uint64_t gain = 10;
    struct call_arguments a;
    const struct cli_option own[] = {{0, "gain", &gain_text, NULL}, {0}};
    if (!cli_parse(cli, argc, argv, own) || no_arguments(cli) != EXIT_DONE)
        return EXIT_USAGE;
    if (gain_text != NULL && (!cli_number(gain_text, &gain) || gain > 100))
        return cli_usage(cli, "--gain is a percentage");
    arguments_begin(&a, "compact");
    arguments_number(&a, "gain_percent", gain);
    return cli_simple(cli, &a, print_raw);
}

enum exit_status
command_journal(struct cli *cli, int argc, char **argv)
{
    const char *after_text = NULL, *expect = NULL;
    uint64_t after = 0;
    bool verify = false;
    struct call_arguments a;
    const struct cli_option own[] = {{0, "after", &after_text, NULL}, {0, "verify", NULL, &verify},
                                     {0, "expect", &expect, NULL}, {0}};
    if (!cli_parse(cli, argc, argv, own) || no_arguments(cli) != EXIT_DONE)
        return EXIT_USAGE;
    if (after_text != NULL && !cli_number(after_text, &after))
        return cli_usage(cli, "--after is the sequence of a group");
    arguments_begin(&a, "journal");
    arguments_number(&a, "after", after);
    arguments_flag(&a, "verify", verify || expect != NULL);
    arguments_string(&a, "expect", expect);
    return cli_simple(cli, &a, print_raw);
}

enum exit_status
command_purge(struct cli *cli, int argc, char **argv)
{
    const char *apply = NULL, *id_text = NULL;
    uint64_t id = 0;
    struct call_arguments a;
    enum exit_status status = EXIT_DONE;
    const struct cli_option own[] = {{0, "apply", &apply, NULL}, {0, "id", &id_text, NULL}, {0}};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (id_text != NULL && !cli_number(id_text, &id))
        return cli_usage(cli, "--id is the number of a resource");
    if (cli->argument_count > 1 || (cli->argument_count == 0 && apply == NULL && id == 0))
        return cli_usage(cli, "purge PATH, purge --id ID, or purge --apply COPY");
    if (cli->argument_count == 1 || id != 0) {
        arguments_begin(&a, "purge");
        arguments_string(&a, "path", cli->argument_count == 1 ? cli->arguments[0] : NULL);
        arguments_number(&a, "id", id);
        status = cli_simple(cli, &a, print_raw);
    }
    if (status != EXIT_DONE || apply == NULL)
        return status;
    char *folder = realpath(apply, NULL);
    if (folder == NULL) {
        struct error error = {0};
        error_set_errno(&error, errno, "cannot use %s", apply);
        return cli_fail(cli, &error);
    }
    arguments_begin(&a, "purge_copy");
    arguments_string(&a, "folder", folder);
    free(folder);
    return cli_simple(cli, &a, print_raw);
}
