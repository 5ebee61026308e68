/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of commands, the data folder, help, and exit statuses. */
#include "base/ensure.h"
#include "cli/cli.h"

#include <stdarg.h>

/* X(code, status): every error code has its exit status. */
#define EXIT_STATUSES(X)                                                                           \
    X(NOT_FOUND, NOT_FOUND)                                                                        \
    X(GONE, NOT_FOUND)                                                                             \
    X(EXISTS, CONFLICT)                                                                            \
    X(CONFLICT, CONFLICT)                                                                          \
    X(PRECONDITION, CONFLICT)                                                                      \
    X(BUSY, CONFLICT)                                                                              \
    X(DENIED, DENIED)                                                                              \
    X(UNAUTHENTICATED, DENIED)                                                                     \
    X(CORRUPT, CORRUPT)                                                                            \
    X(DIGEST, CORRUPT)                                                                             \
    X(INVALID, FAILED)                                                                             \
    X(LIMIT, FAILED)                                                                               \
    X(FULL, FAILED)                                                                                \
    X(IO, FAILED)                                                                                  \
    X(TIMEOUT, FAILED)                                                                             \
    X(CLOSED, FAILED)                                                                              \
    X(UNSUPPORTED, FAILED)                                                                         \
    X(PROTOCOL, FAILED)                                                                            \
    X(NO_MEMORY, FAILED)

#define EXIT_STATUS_WORDS                                                                          \
    "0 done, 1 failed, 2 usage, 3 not found (in the repository or on this machine), 4 denied, 5 conflict or busy, 6 corrupt"

enum exit_status
exit_status_of(enum error_code code)
{
    switch (code) { /* -Wswitch-enum proves the table complete */
#define X(name, status)                                                                            \
    case ERROR_##name:                                                                             \
        return EXIT_##status;
        EXIT_STATUSES(X)
#undef X
    case ERROR_NONE:
        return EXIT_DONE;
    case ERROR_CODE_COUNT:
        break;
    }
    return EXIT_FAILED;
}

enum exit_status
cli_usage(const struct cli *cli, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "archivolt: %s%s", cli->command == NULL ? "" : cli->command, cli->command == NULL ? "" : ": ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

enum exit_status
cli_fail(const struct cli *cli, const struct error *error)
{
    fprintf(stderr, "archivolt: %s: ", cli->command);
    print_escaped(stderr, text_from(error->message[0] == '\0' ? error_word(error->code) : error->message));
    fputc('\n', stderr);
    return exit_status_of(error->code);
}

static const struct cli_option *
option_of(const struct cli_option *options, const char *name, size_t length, char letter)
{
    for (; options->name != NULL; options++)
        if (letter != 0 ? options->letter == letter
                        : strlen(options->name) == length && memcmp(options->name, name, length) == 0)
            return options;
    return NULL;
}

/* Values may begin with a dash: what is no option by its whole name is then taken as it is. */
static bool
is_literal(const struct cli *cli, const char *word, const struct cli_option *options)
{
    if (cli->literal_after == 0 || cli->argument_count < cli->literal_after)
        return false;
    if (word[1] != '-')
        return word[2] != '\0' || option_of(options, NULL, 0, word[1]) == NULL;
    return option_of(options, word + 2, strcspn(word + 2, "="), 0) == NULL;
}

/* Takes one option at argv[*at]; false when it is wrong (said). */
static bool
take_option(struct cli *cli, int argc, char **argv, int *at, const struct cli_option *options)
{
    const char *word = argv[*at];
    const char *equal = strchr(word, '=');
    bool is_long = word[1] == '-';
    size_t length = is_long ? (equal == NULL ? strlen(word + 2) : (size_t)(equal - word - 2)) : 1;
    const struct cli_option *option = option_of(options, word + 2, length, is_long ? 0 : word[1]);
    const char *rest = is_long ? (equal == NULL ? NULL : equal + 1) : (word[2] == '\0' ? NULL : word + 2);
    if (option == NULL) {
        cli_usage(cli, "unknown option %s", word);
        return false;
    }
    if (option->flag != NULL) {
        *option->flag = true;
        if (rest != NULL && is_long)
            return cli_usage(cli, "--%s takes no value", option->name) == EXIT_DONE;
        if (rest != NULL) { /* -lR is -l -R */
            char letters[3] = {'-', rest[0], '\0'};
            for (; *rest != '\0'; rest++) {
                letters[1] = *rest;
                option = option_of(options, NULL, 0, *rest);
                if (option == NULL || option->flag == NULL)
                    return cli_usage(cli, "unknown option %s", letters) == EXIT_DONE;
                *option->flag = true;
            }
        }
        return true;
    }
    if (rest == NULL && *at + 1 >= argc)
        return cli_usage(cli, "--%s takes a value", option->name) == EXIT_DONE;
    *option->value = rest != NULL ? rest : argv[++*at];
    return true;
}

bool
cli_parse(struct cli *cli, int argc, char **argv, const struct cli_option *options)
{
    bool help = false, over = false;
    struct cli_option all[32] = {{0, "data", &cli->data, NULL},
                                 {0, "json", NULL, &cli->json},
                                 {'q', "quiet", NULL, &cli->quiet},
                                 {'v', "verbose", NULL, &cli->verbose},
                                 {'h', "help", NULL, &help}};
    size_t count = 5;
    for (; options != NULL && options->name != NULL; options++) {
        ensure(count + 1 < sizeof all / sizeof *all);
        all[count++] = *options;
    }
    cli->arguments = calloc((size_t)argc + 1, sizeof *cli->arguments);
    ensure(cli->arguments != NULL);
    for (int i = 0; i < argc; i++) {
        if (!over && strcmp(argv[i], "--") == 0)
            over = true;
        else if (over || argv[i][0] != '-' || argv[i][1] == '\0' || is_literal(cli, argv[i], all))
            cli->arguments[cli->argument_count++] = argv[i];
        else if (!take_option(cli, argc, argv, &i, all))
            return false;
    }
    if (help) {
        cli_help(cli->command, stdout);
        exit(EXIT_DONE);
    }
    return true;
}

bool
cli_number(const char *text, uint64_t *ret_value)
{
    return text_to_u64(text_from(text), ret_value);
}

bool
cli_bytes(const char *text, uint64_t *ret_value)
{
    return text_to_bytes(text_from(text), ret_value);
}

/* `data = DIR` of a configuration file; NULL when there is none. */
static char *
data_of_file(const char *path)
{
    char line[4096];
    char *found = NULL;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    while (found == NULL && fgets(line, sizeof line, file) != NULL) {
        struct text value, name = text_cut(text_from(line), '=', &value);
        if (value.data == NULL || !text_equal(text_trim(name), TEXT("data")))
            continue;
        while (value.length > 0 && (value.data[value.length - 1] == '\n' || value.data[value.length - 1] == '\r'))
            value.length--;
        found = text_copy(text_trim(value));
    }
    fclose(file);
    return found;
}

const char *
cli_data_folder(struct cli *cli)
{
    char path[4096];
    if (cli->data == NULL)
        cli->data = getenv("ARCHIVOLT_DATA");
    if (cli->data == NULL && getenv("HOME") != NULL &&
        snprintf(path, sizeof path, "%s/.config/archivolt.conf", getenv("HOME")) < (int)sizeof path)
        cli->data = data_of_file(path);
    if (cli->data == NULL)
        cli->data = data_of_file("/etc/archivolt.conf");
    if (cli->data == NULL)
        cli_usage(cli, "which data folder? Give --data DIR, set ARCHIVOLT_DATA, or write data = DIR into ~/.config/archivolt.conf");
    return cli->data;
}

/* ---- help ------------------------------------------------------------------------------------------ */

struct command_text {
    const char *name, *synopsis, *help, *examples;
};

static const struct command_text texts[] = {
#define X(function, name, synopsis, help, examples) {name, synopsis, help, examples},
    CLI_COMMANDS(X)
#undef X
};
#define TEXT_COUNT (sizeof texts / sizeof *texts)

static const struct command_text *
text_of_command(const char *command)
{
    for (size_t i = 0; command != NULL && i < TEXT_COUNT; i++)
        if (strcmp(texts[i].name, command) == 0)
            return &texts[i];
    return NULL;
}

void
cli_help(const char *command, FILE *to)
{
    const struct command_text *one = text_of_command(command);
    if (one != NULL) {
        fprintf(to, "usage: archivolt [--data DIR] %s %s\n\n%s\n\nExamples:\n%s", one->name, one->synopsis, one->help,
                one->examples);
        fputs("\nEverywhere: --data DIR, --json (one object a line), --quiet, -v, --help\n"
              "Exit status: " EXIT_STATUS_WORDS "\n", to);
        return;
    }
    fputs("usage: archivolt [--data DIR] COMMAND …\n\n", to);
    for (size_t i = 0; i < TEXT_COUNT; i++)
        fprintf(to, "  %-11s %s\n", texts[i].name, texts[i].help);
    fputs("\nExamples:\n  archivolt init /srv/archive\n  archivolt --data /srv/archive put report.pdf /reports/report.pdf\n"
          "\nThe data folder: --data DIR, ARCHIVOLT_DATA, or data = DIR in ~/.config/archivolt.conf.\n"
          "archivolt COMMAND --help tells more.\n", to);
}

static void
troff(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\n')
            fputs("\n.br\n", stdout);
        else
            fputc(*text, stdout);
    }
}

static void
manual_tail(void)
{
    puts(".SH OPTIONS EVERYWHERE\n.TP\n.B \\-\\-data \\fIDIR\\fR\nThe data folder; else ARCHIVOLT_DATA, else \\fBdata =\\fR in "
         "~/.config/archivolt.conf or /etc/archivolt.conf.\n.TP\n.B \\-\\-json\nOne JSON object a line.\n.TP\n"
         ".B \\-\\-quiet\nNo progress, no remarks.\n.TP\n.B \\-v\nSay whether a server or this process did the work.\n"
         ".SH EXIT STATUS\n" EXIT_STATUS_WORDS ".");
}

enum exit_status
cli_manual(const char *command)
{
    const struct command_text *one = text_of_command(command);
    if (command != NULL && strcmp(command, "archivolt") != 0 && one == NULL)
        return EXIT_USAGE;
    if (one != NULL) {
        printf(".TH ARCHIVOLT-%s 1 \"\" \"archivolt " ARCHIVOLT_VERSION "\"\n.SH NAME\narchivolt\\-%s \\- ", one->name, one->name);
        troff(one->help);
        printf("\n.SH SYNOPSIS\n.B archivolt\n[\\-\\-data DIR] %s ", one->name);
        troff(one->synopsis);
        puts("\n.SH DESCRIPTION");
        troff(one->help);
        puts("\n.SH EXAMPLES\n.nf");
        troff(one->examples);
        puts(".fi");
        manual_tail();
        puts(".SH SEE ALSO\n.BR archivolt (1)");
        return EXIT_DONE;
    }
    puts(".TH ARCHIVOLT 1 \"\" \"archivolt " ARCHIVOLT_VERSION "\"\n.SH NAME\narchivolt \\- digital repository server\n"
         ".SH SYNOPSIS\n.B archivolt\n[\\-\\-data DIR] COMMAND …\n.SH DESCRIPTION\nStores files and statements about them durably in "
         "plain tar volumes that unpack into an OCFL storage root. Commands work with a running server, through its admin socket, and "
         "without one.\n.SH COMMANDS");
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        printf(".TP\n.BR archivolt\\-%s (1)\n", texts[i].name);
        troff(texts[i].help);
        putchar('\n');
    }
    manual_tail();
    return EXIT_DONE;
}

enum exit_status
command_completion(struct cli *cli, int argc, char **argv)
{
    if (!cli_parse(cli, argc, argv, NULL))
        return EXIT_USAGE;
    if (cli->argument_count != 1 || strcmp(cli->arguments[0], "bash") != 0)
        return cli_usage(cli, "only bash is known");
    fputs("_archivolt()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} command= i\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n        case ${COMP_WORDS[i]} in\n        --data) ((i++)) ;;\n        -*) ;;\n"
          "        *) command=${COMP_WORDS[i]}; break ;;\n        esac\n    done\n"
          "    if [[ -z $command ]]; then\n        COMPREPLY=($(compgen -W '", stdout);
    for (size_t i = 0; i < TEXT_COUNT; i++)
        printf("%s ", texts[i].name);
    fputs("--data --json --quiet --help' -- \"$word\"))\n    elif [[ $word == /* ]]; then\n        local folder=${word%/*}\n"
          "        mapfile -t COMPREPLY < <(archivolt ls \"${folder:-/}\" 2>/dev/null | sed \"s|^|$folder/|\" | grep -F -- \"$word\")\n"
          "    else\n        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\ncomplete -o default -F _archivolt archivolt\n", stdout);
    return EXIT_DONE;
}

enum exit_status
command_version(struct cli *cli, int argc, char **argv)
{
    if (argc > 0 && !cli_parse(cli, argc, argv, NULL))
        return EXIT_USAGE;
    puts(cli->json ? "{\"version\":\"" ARCHIVOLT_VERSION "\",\"format\":1}" : "archivolt " ARCHIVOLT_VERSION ", format 1");
    return EXIT_DONE;
}
