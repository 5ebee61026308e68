/* SPDX-License-Identifier: Apache-2.0 */
/* archivolt community, collection, item: what repositories are made of. */
#include "cli/cli.h"

static bool
is(const struct cli *cli, const char *verb, size_t arguments)
{
    return cli->argument_count == arguments + 1 && strcmp(cli->arguments[0], verb) == 0;
}

static void
print_handle(struct cli *cli, const struct json *result)
{
    print_member(stdout, result, "handle");
    putchar('\n');
}

enum exit_status
command_community(struct cli *cli, int argc, char **argv)
{
    const char *parent = NULL;
    const struct cli_option own[] = {{0, "parent", &parent, NULL}, {0}};
    struct call_arguments a;
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (!is(cli, "add", 1))
        return cli_usage(cli, "community add NAME [--parent HANDLE]");
    arguments_begin(&a, "community_add");
    arguments_string(&a, "name", cli->arguments[1]);
    arguments_string(&a, "parent", parent);
    return cli_result(cli, &a, print_handle);
}

/* ---- collections ------------------------------------------------------------------------------------------- */

static enum exit_status
set_collection(struct cli *cli)
{
    struct call_arguments a;
    arguments_begin(&a, "collection_set");
    arguments_string(&a, "collection", cli->arguments[1]);
    arguments_string(&a, "key", cli->arguments[2]);
    arguments_string(&a, "value", cli->arguments[3]);
    return cli_simple(cli, &a, print_nothing);
}

enum exit_status
command_collection(struct cli *cli, int argc, char **argv)
{
    const char *community = NULL, *on_behalf_of = NULL, *depositors = NULL, *reviewers = NULL, *keep = NULL;
    bool review = false;
    const struct cli_option own[] = {{0, "community", &community, NULL},   {0, "on-behalf-of", &on_behalf_of, NULL},
                                     {0, "depositors", &depositors, NULL}, {0, "reviewers", &reviewers, NULL},
                                     {0, "keep", &keep, NULL},             {0, "review", NULL, &review},
                                     {0}};
    struct call_arguments a;
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (is(cli, "set", 3))
        return set_collection(cli);
    if (!is(cli, "add", 1) || community == NULL)
        return cli_usage(cli, "collection add NAME --community HANDLE … | set HANDLE KEY VALUE");
    arguments_begin(&a, "collection_add");
    arguments_string(&a, "name", cli->arguments[1]);
    arguments_string(&a, "community", community);
    json_key(&a.writer, "policy");
    json_begin_object(&a.writer);
    arguments_string(&a, "review", review ? "yes" : NULL);
    arguments_string(&a, "on-behalf-of", on_behalf_of);
    arguments_string(&a, "depositors", depositors);
    arguments_string(&a, "reviewers", reviewers);
    arguments_string(&a, "keep", keep);
    json_end_object(&a.writer);
    return cli_result(cli, &a, print_handle);
}

/* ---- items -------------------------------------------------------------------------------------------------- */

static void
print_entity(struct cli *cli, const struct json *line)
{
    print_member(stdout, line, "handle");
    printf("\t%.*s\t%.*s\t", TEXT_ARG(member_text(line, "kind")), TEXT_ARG(member_text(line, "state")));
    print_member(stdout, line, "name");
    putchar('\n');
}

/* The item itself, then its fields, then its files. */
static void
print_part(struct cli *cli, const struct json *line)
{
    if (json_get(line, "kind") != NULL) {
        print_entity(cli, line);
    } else if (json_get(line, "field") != NULL) {
        print_member(stdout, line, "field");
        putchar('\t');
        print_member(stdout, line, "value");
        putchar('\n');
    } else {
        print_member(stdout, line, "bundle");
        putchar('/');
        print_member(stdout, line, "path");
        printf("\t%llu bytes\t", (unsigned long long)member_number(line, "size"));
        print_member(stdout, line, "type");
        putchar('\n');
    }
}

static enum exit_status
change_state(struct cli *cli, const char *reason)
{
    struct call_arguments a;
    arguments_begin(&a, "item_state");
    arguments_string(&a, "verb", cli->arguments[0]);
    arguments_string(&a, "item", cli->arguments[1]);
    arguments_string(&a, "reason", reason);
    return cli_simple(cli, &a, print_nothing);
}

static enum exit_status
place(struct cli *cli)
{
    struct call_arguments a;
    arguments_begin(&a, "item_place");
    arguments_string(&a, "verb", cli->arguments[0]);
    arguments_string(&a, "item", cli->arguments[1]);
    arguments_string(&a, "collection", cli->arguments[2]);
    return cli_simple(cli, &a, print_nothing);
}

enum exit_status
command_item(struct cli *cli, int argc, char **argv)
{
    static const char *const states[] = {"complete", "approve", "reject", "withdraw", "reinstate"};
    const char *state = NULL, *reason = NULL, *in = NULL;
    const struct cli_option own[] = {{0, "state", &state, NULL}, {0, "reason", &reason, NULL}, {0, "in", &in, NULL}, {0}};
    struct call_arguments a;
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (is(cli, "ls", 0)) {
        arguments_begin(&a, "item_ls");
        arguments_string(&a, "state", state);
        arguments_string(&a, "in", in);
        return cli_simple(cli, &a, print_entity);
    }
    if (is(cli, "show", 1)) {
        arguments_begin(&a, "item_show");
        arguments_string(&a, "item", cli->arguments[1]);
        return cli_simple(cli, &a, print_part);
    }
    if (is(cli, "map", 2) || is(cli, "unmap", 2) || is(cli, "move", 2))
        return place(cli);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (is(cli, states[i], 1))
            return change_state(cli, reason);
    return cli_usage(cli, "item ls|show|complete|approve|reject|withdraw|reinstate|move|map|unmap … (see archivolt item --help)");
}
