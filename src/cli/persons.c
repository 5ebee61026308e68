/* SPDX-License-Identifier: Apache-2.0 */
/* archivolt user, group, token, access: who there is, and who may what. */
#include "cli/cli.h"

#include <sys/time.h>

static bool
is(const struct cli *cli, const char *verb, size_t arguments)
{
    return cli->argument_count == arguments + 1 && strcmp(cli->arguments[0], verb) == 0;
}

static enum exit_status
call_with(struct cli *cli, const char *call, const char *name, const char *value, human_line *human)
{
    struct call_arguments a;
    arguments_begin(&a, call);
    if (name != NULL)
        arguments_string(&a, name, value);
    return cli_simple(cli, &a, human);
}

/* ---- users -------------------------------------------------------------------------------------------------- */

static void
print_user(struct cli *cli, const struct json *line)
{
    bool disabled = false;
    (void)json_get_bool(line, "disabled", &disabled);
    print_member(stdout, line, "user");
    printf("\t%.*s%s\t", TEXT_ARG(member_text(line, "role")), disabled ? ", disabled" : "");
    print_member(stdout, line, "full_name");
    putchar('\t');
    print_member(stdout, line, "email");
    putchar('\n');
}

#define PASSWORD_MAXIMUM 1024u

/* One line of standard input, without echo on a terminal. */
static bool
read_password(char password[PASSWORD_MAXIMUM + 2])
{
    bool terminal = terminal_hush();
    if (terminal)
        fputs("New password: ", stderr);
    bool got = fgets(password, PASSWORD_MAXIMUM + 2, stdin) != NULL;
    if (terminal) {
        terminal_restore();
        fputc('\n', stderr);
    }
    if (!got)
        password[0] = '\0';
    password[strcspn(password, "\r\n")] = '\0';
    return strlen(password) <= PASSWORD_MAXIMUM;
}

static enum exit_status
set_password(struct cli *cli, const char *user)
{
    char password[PASSWORD_MAXIMUM + 2];
    struct call_arguments a;
    if (!read_password(password))
        return cli_usage(cli, "a password has at most %u bytes", PASSWORD_MAXIMUM);
    arguments_begin(&a, "user_passwd");
    arguments_string(&a, "user", user);
    arguments_string(&a, "password", password);
    return cli_simple(cli, &a, print_nothing);
}

enum exit_status
command_user(struct cli *cli, int argc, char **argv)
{
    const char *role = NULL, *full_name = NULL, *email = NULL;
    bool disable = false, enable = false;
    const struct cli_option own[] = {{0, "role", &role, NULL},       {0, "full-name", &full_name, NULL},
                                     {0, "email", &email, NULL},     {0, "disable", NULL, &disable},
                                     {0, "enable", NULL, &enable},   {0}};
    struct call_arguments a;
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (is(cli, "ls", 0))
        return call_with(cli, "user_ls", NULL, NULL, print_user);
    if (is(cli, "rm", 1))
        return call_with(cli, "user_rm", "user", cli->arguments[1], print_nothing);
    if (is(cli, "passwd", 1))
        return set_password(cli, cli->arguments[1]);
    if (!is(cli, "add", 1) && !is(cli, "set", 1))
        return cli_usage(cli, "user add|set|ls|rm|passwd … (see archivolt user --help)");
    arguments_begin(&a, strcmp(cli->arguments[0], "add") == 0 ? "user_add" : "user_set");
    arguments_string(&a, "user", cli->arguments[1]);
    arguments_string(&a, "role", role);
    arguments_string(&a, "full_name", full_name);
    arguments_string(&a, "email", email);
    if (disable || enable)
        arguments_flag(&a, "disabled", disable);
    return cli_simple(cli, &a, print_nothing);
}

/* ---- groups ------------------------------------------------------------------------------------------------- */

static void
print_group(struct cli *cli, const struct json *line)
{
    const char *between = "\t";
    print_member(stdout, line, "group");
    json_each (member, json_get(line, "members")) {
        fputs(between, stdout);
        print_escaped(stdout, member->text);
        between = " ";
    }
    putchar('\n');
}

enum exit_status
command_group(struct cli *cli, int argc, char **argv)
{
    struct call_arguments a;
    if (!cli_parse(cli, argc, argv, NULL))
        return EXIT_USAGE;
    if (is(cli, "ls", 0))
        return call_with(cli, "group_ls", NULL, NULL, print_group);
    if (is(cli, "add", 1))
        return call_with(cli, "group_add", "group", cli->arguments[1], print_nothing);
    if (is(cli, "rm", 1))
        return call_with(cli, "group_rm", "group", cli->arguments[1], print_nothing);
    if (!is(cli, "join", 2) && !is(cli, "leave", 2))
        return cli_usage(cli, "group add|ls|rm|join|leave … (see archivolt group --help)");
    arguments_begin(&a, "group_member");
    arguments_string(&a, "group", cli->arguments[1]);
    arguments_string(&a, "user", cli->arguments[2]);
    arguments_flag(&a, "member", strcmp(cli->arguments[0], "join") == 0);
    return cli_simple(cli, &a, print_nothing);
}

/* ---- tokens ------------------------------------------------------------------------------------------------- */

static void
print_token(struct cli *cli, const struct json *line)
{
    printf("%llu\t", (unsigned long long)member_number(line, "id"));
    print_member(stdout, line, "user");
    putchar('\t');
    print_member(stdout, line, "label");
    putchar('\n');
}

static enum exit_status
add_token(struct cli *cli, const char *label, const char *days)
{
    struct connection *connection;
    struct call_arguments a;
    struct arena arena;
    struct json *root;
    struct buffer result = {0};
    struct error error = {0};
    struct reply reply = {.result = &result};
    uint64_t number = 0;
    if (days != NULL && (!cli_number(days, &number) || number == 0 || number > 36500))
        return cli_usage(cli, "--days is a number from 1 to 36500");
    enum error_code code = cli_connect(cli, &connection, &error);
    if (code != ERROR_NONE)
        return cli_fail(cli, &error);
    arguments_begin(&a, "token_add");
    arguments_string(&a, "user", cli->arguments[1]);
    arguments_string(&a, "label", label);
    if (number > 0)
        arguments_number(&a, "expires_us", ((uint64_t)time(NULL) + number * 86400) * 1000000);
    code = arguments_send(&a, connection_channel(connection), &error);
    if (code == ERROR_NONE)
        code = cli_reply(connection_channel(connection), &reply, &error);
    arena_init(&arena, 0);
    if (code == ERROR_NONE)
        code = json_parse(&arena, buffer_text(&result), &root, &error);
    if (code == ERROR_NONE && cli->json)
        printf("%s\n", buffer_string(&result));
    else if (code == ERROR_NONE)
        printf("token: %.*s\n", TEXT_ARG(member_text(root, "token")));
    arena_release(&arena);
    buffer_release(&result);
    connection_close(connection);
    return code == ERROR_NONE ? EXIT_DONE : cli_fail(cli, &error);
}

enum exit_status
command_token(struct cli *cli, int argc, char **argv)
{
    const char *label = NULL, *days = NULL;
    uint64_t id;
    struct call_arguments a;
    const struct cli_option own[] = {{0, "label", &label, NULL}, {0, "days", &days, NULL}, {0}};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (is(cli, "ls", 0))
        return call_with(cli, "token_ls", NULL, NULL, print_token);
    if (is(cli, "add", 1))
        return add_token(cli, label, days);
    if (!is(cli, "rm", 1) || !cli_number(cli->arguments[1], &id))
        return cli_usage(cli, "token add USER | ls | rm ID (see archivolt token --help)");
    arguments_begin(&a, "token_rm");
    arguments_number(&a, "token", id);
    return cli_simple(cli, &a, print_nothing);
}

/* ---- access ------------------------------------------------------------------------------------------------- */

static void
print_rule(struct cli *cli, const struct json *line)
{
    print_member(stdout, line, "subject");
    printf("\t%.*s\t(from ", TEXT_ARG(member_text(line, "rights")));
    print_member(stdout, line, "from");
    printf(")\n");
}

enum exit_status
command_access(struct cli *cli, int argc, char **argv)
{
    struct call_arguments a;
    if (!cli_parse(cli, argc, argv, NULL))
        return EXIT_USAGE;
    if (is(cli, "ls", 1))
        return call_with(cli, "access_ls", "path", cli->arguments[1], print_rule);
    bool inherit = is(cli, "set", 2) && strcmp(cli->arguments[2], "inherit") == 0;
    if (!inherit && (cli->argument_count < 4 || cli->argument_count % 2 != 0 || strcmp(cli->arguments[0], "set") != 0))
        return cli_usage(cli, "access ls PATH | set PATH SUBJECT RIGHTS… | set PATH inherit");
    arguments_begin(&a, "access_set");
    arguments_string(&a, "path", cli->arguments[1]);
    if (!inherit) {
        json_key(&a.writer, "rule");
        json_begin_array(&a.writer);
        for (size_t i = 2; i < cli->argument_count; i += 2) {
            json_begin_array(&a.writer);
            json_put_string(&a.writer, cli->arguments[i]);
            json_put_string(&a.writer, cli->arguments[i + 1]);
            json_end_array(&a.writer);
        }
        json_end_array(&a.writer);
    }
    return cli_simple(cli, &a, print_nothing);
}
