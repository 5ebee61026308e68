/* SPDX-License-Identifier: Apache-2.0 */
/* archivolt meta: statements about resources. */
#include "cli/cli.h"

static void
print_statement(struct cli *cli, const struct json *line)
{
    struct text qualifier = member_text(line, "qualifier");
    print_member(stdout, line, "attribute");
    putchar('\t');
    print_member(stdout, line, "value");
    if (qualifier.length > 0) {
        putchar('\t');
        print_escaped(stdout, qualifier);
    }
    putchar('\n');
}

static void
put_change(struct call_arguments *a, const char *kind, const char *attribute, const char *value, const char *qualifier)
{
    struct json_writer *w = &a->writer;
    json_begin_array(w);
    json_put_string(w, kind);
    json_put_string(w, attribute);
    json_put_string(w, value);
    json_put_string(w, qualifier);
    json_put_u64(w, 0);
    json_put_string(w, "");
    json_end_array(w);
}

static enum exit_status
change(struct cli *cli, const char *const *words, size_t count, bool no_version, const char *verb)
{
    struct call_arguments a;
    const char *path = words[0], *attribute = words[1];
    const char *value = count > 2 ? words[2] : "", *qualifier = count > 3 ? words[3] : "";
    arguments_begin(&a, "meta_change");
    arguments_string(&a, "path", path);
    arguments_flag(&a, "no_version", no_version);
    json_key(&a.writer, "changes");
    json_begin_array(&a.writer);
    if (strcmp(verb, "set") == 0)
        put_change(&a, "remove-attribute", attribute, "", "");
    if (strcmp(verb, "rm") == 0)
        put_change(&a, count > 2 ? "remove" : "remove-attribute", attribute, value, qualifier);
    else
        put_change(&a, "append", attribute, value, qualifier);
    json_end_array(&a.writer);
    return cli_simple(cli, &a, print_nothing);
}

/* rm with a value: the statement is looked up, because its place is part of it. */
struct removal {
    struct call_arguments *changes;
    const char *attribute, *value, *qualifier;
    size_t count;
};

static enum error_code
add_removal(void *context, const struct json *line, struct error *error)
{
    struct removal *removal = context;
    if (text_equal(member_text(line, "attribute"), text_from(removal->attribute)) &&
        text_equal(member_text(line, "value"), text_from(removal->value)) &&
        (removal->qualifier == NULL || text_equal(member_text(line, "qualifier"), text_from(removal->qualifier)))) {
        struct json_writer *w = &removal->changes->writer;
        json_begin_array(w);
        json_put_string(w, "remove");
        json_put_string(w, removal->attribute);
        json_put_string(w, removal->value);
        json_put_text(w, member_text(line, "qualifier"));
        json_put_u64(w, member_number(line, "place"));
        json_put_string(w, "");
        json_end_array(w);
        removal->count++;
    }
    return ERROR_NONE;
}

static enum exit_status
remove_value(struct cli *cli, const char *const *words, size_t count, bool no_version)
{
    struct connection *connection;
    struct call_arguments list, changes;
    struct error error = {0};
    struct removal removal = {&changes, words[1], words[2], count > 3 ? words[3] : NULL, 0};
    struct reply reply = {.line = add_removal, .context = &removal}, plain = {.line = NULL};
    enum error_code code = cli_connect(cli, &connection, &error);
    if (code != ERROR_NONE)
        return cli_fail(cli, &error);
    arguments_begin(&changes, "meta_change");
    arguments_string(&changes, "path", words[0]);
    arguments_flag(&changes, "no_version", no_version);
    json_key(&changes.writer, "changes");
    json_begin_array(&changes.writer);
    arguments_begin(&list, "meta_ls");
    arguments_string(&list, "path", words[0]);
    arguments_string(&list, "attribute", words[1]);
    code = arguments_send(&list, connection_channel(connection), &error);
    if (code == ERROR_NONE)
        code = cli_reply(connection_channel(connection), &reply, &error);
    if (code == ERROR_NONE && removal.count == 0)
        code = error_set(&error, ERROR_NOT_FOUND, "there is no such statement");
    json_end_array(&changes.writer);
    if (code == ERROR_NONE)
        code = arguments_send(&changes, connection_channel(connection), &error);
    if (code == ERROR_NONE)
        code = cli_reply(connection_channel(connection), &plain, &error);
    buffer_release(&changes.json);
    connection_close(connection);
    return code == ERROR_NONE ? EXIT_DONE : cli_fail(cli, &error);
}

static enum exit_status
find(struct cli *cli, const char *const *words, size_t count, const char *after, const char *limit)
{
    struct call_arguments a;
    uint64_t number = 0;
    if (count < 3 || count % 4 != 3)
        return cli_usage(cli, "meta find ATTR OP VALUE [and ATTR OP VALUE]…");
    arguments_begin(&a, "meta_find");
    if (after != NULL && cli_number(after, &number))
        arguments_number(&a, "after", number);
    if (limit != NULL && cli_number(limit, &number))
        arguments_number(&a, "limit", number);
    json_key(&a.writer, "conditions");
    json_begin_array(&a.writer);
    for (size_t i = 0; i < count; i += 4) {
        if (i > 0 && strcmp(words[i - 1], "and") != 0) {
            buffer_release(&a.json);
            return cli_usage(cli, "conditions are joined by `and`");
        }
        json_begin_array(&a.writer);
        json_put_string(&a.writer, words[i]);
        json_put_string(&a.writer, words[i + 1]);
        json_put_string(&a.writer, words[i + 2]);
        json_end_array(&a.writer);
    }
    json_end_array(&a.writer);
    return cli_simple(cli, &a, print_path);
}

static enum exit_status
list(struct cli *cli, const char *const *words, size_t count)
{
    struct call_arguments a;
    arguments_begin(&a, "meta_ls");
    arguments_string(&a, "path", words[0]);
    arguments_string(&a, "attribute", count > 1 ? words[1] : NULL);
    return cli_simple(cli, &a, print_statement);
}

enum exit_status
command_meta(struct cli *cli, int argc, char **argv)
{
    bool no_version = false;
    const char *after = NULL, *limit = NULL;
    const struct cli_option own[] = {{0, "no-version", NULL, &no_version}, {0, "after", &after, NULL},
                                     {0, "limit", &limit, NULL}, {0}};
    cli->literal_after = 2; /* attributes and values may begin with a dash */
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (cli->argument_count < 2)
        return cli_usage(cli, "meta add|set|rm|ls|find … (see archivolt meta --help)");
    const char *verb = cli->arguments[0];
    const char *const *words = (const char *const *)(cli->arguments + 1);
    size_t count = cli->argument_count - 1;
    if (strcmp(verb, "ls") == 0 && count <= 2)
        return list(cli, words, count);
    if (strcmp(verb, "find") == 0)
        return find(cli, words, count, after, limit);
    if ((strcmp(verb, "add") == 0 || strcmp(verb, "set") == 0) && (count == 3 || count == 4))
        return change(cli, words, count, no_version, verb);
    if (strcmp(verb, "rm") == 0 && count == 2)
        return change(cli, words, count, no_version, verb);
    if (strcmp(verb, "rm") == 0 && (count == 3 || count == 4))
        return remove_value(cli, words, count, no_version);
    return cli_usage(cli, "meta add|set|rm|ls|find … (see archivolt meta --help)");
}
