/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line: `archivolt [--data DIR] COMMAND …`. This header: what all commands share.
 *
 * A command parses its arguments (cli_parse), opens a connection (cli_connect: the running server's admin socket, or
 * the same handlers in this process when none runs), makes calls and prints. It returns its exit status.
 * Adding one: a line in CLI_COMMANDS, a function command_NAME() (docs/howto/add-a-command.md).
 */
#ifndef ARCHIVOLT_CLI_CLI_H
#define ARCHIVOLT_CLI_CLI_H

#include "base/buffer.h"
#include "format/json.h"
#include "server/admin/channel.h"

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses, as README and man pages give them. */
enum exit_status {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_NOT_FOUND = 3,
    EXIT_DENIED = 4,
    EXIT_CONFLICT = 5,
    EXIT_CORRUPT = 6
};
enum exit_status exit_status_of(enum error_code code);

/* X(function, name, synopsis, help, examples) */
#define CLI_COMMANDS(X)                                                                            \
    X(init, "init", "[--sha256] [DIR]",                                                            \
      "Create a data folder and the first administrator, `admin`. Its token is printed once.",     \
      "archivolt init /srv/archive\n")                                                             \
    X(serve, "serve", "[--http ADDR:PORT] [--set KEY=VALUE]…",                                     \
      "Run the server in the foreground. SIGTERM stops it cleanly.",                               \
      "archivolt --data /srv/archive serve --http 127.0.0.1:8080\n")                               \
    X(put, "put", "[-r] [--jobs N] [--journal FILE] [--names escape] [--type TYPE] SRC… DST",       \
      "Store files; with -r make DST hold what the folder SRC holds. `-` is standard input. Symbolic links are " \
      "reported and left out.",                                                                    \
      "archivolt put report.pdf /reports/report.pdf\narchivolt put -r --journal done.txt photos /photos\n" \
      "tar -c x | archivolt put - /backups/x.tar\n")                                               \
    X(get, "get", "[-r] [--version N] SRC [DST]",                                                  \
      "Fetch a file (to DST or standard output) or, with -r, a tree. The digest is checked while writing.", \
      "archivolt get /reports/report.pdf\narchivolt get -r /photos out\narchivolt get --version 1 /a old-a\n") \
    X(ls, "ls", "[-l] [-R] [--after NAME] [--limit N] PATH",                                       \
      "List a container by name.", "archivolt ls -l /\narchivolt ls --after m --limit 1000 /big\n") \
    X(stat, "stat", "PATH", "Show what is known of a resource.", "archivolt stat /reports/report.pdf\n") \
    X(cat, "cat", "[--version N] PATH…", "Write content to standard output.", "archivolt cat /notes.txt\n") \
    X(mkdir, "mkdir", "[-p] [--aggregate] PATH…",                                                  \
      "Make containers. --aggregate: versioned as one unit.", "archivolt mkdir -p /a/b/c\n")        \
    X(mv, "mv", "[-p] SRC DST", "Move or rename. Costs the same for a tree of any size.", "archivolt mv /a /b/c\n") \
    X(cp, "cp", "[-r] SRC DST", "Copy content and statements.", "archivolt cp -r /a /copy-of-a\n") \
    X(rm, "rm", "[-r] PATH…", "Delete: leaves a tombstone; versions stay until purged.", "archivolt rm -r /a\n") \
    X(purge, "purge", "PATH | --id ID | --apply COPY",                                             \
      "Erase a resource for ever, all versions and all below; --apply: also from a folder of copied volumes.", \
      "archivolt purge /letters/personal.txt\narchivolt purge --apply /mnt/tape-copy\n")           \
    X(meta, "meta", "add PATH ATTR VALUE [QUALIFIER] | set … | rm PATH ATTR [VALUE [QUALIFIER]] | ls PATH [ATTR] | " \
      "find ATTR OP VALUE [and ATTR OP VALUE]…",                                                   \
      "Statements about a resource. OP is = prefix < <= > >=. add keeps order; set replaces all of the attribute.", \
      "archivolt meta add /a dc.contributor.author 'Ada Lovelace'\narchivolt meta find dc.date '>=' 1840 and dc.title prefix On\n") \
    X(history, "history", "PATH", "What happened to a resource, when, and by whom; also to those deleted here.", \
      "archivolt history /reports/report.pdf\n")                                                   \
    X(user, "user", "add NAME [--role ROLE] [--full-name TEXT] [--email TEXT] | set NAME … | ls | rm NAME | passwd NAME", \
      "Users. Roles: reader, depositor, curator, administrator. passwd reads the password from standard input.", \
      "archivolt user add anna --role depositor\nprintf '%s' secret | archivolt user passwd anna\n") \
    X(group, "group", "add NAME | ls | rm NAME | join NAME USER | leave NAME USER", "Groups of users.", \
      "archivolt group add staff\narchivolt group join staff anna\n")                              \
    X(token, "token", "add USER [--label TEXT] [--days N] | ls | rm ID", "API tokens; a new one is printed once.", \
      "archivolt token add anna --label scanner --days 365\n")                                     \
    X(access, "access", "ls PATH | set PATH SUBJECT RIGHTS… | set PATH inherit",                   \
      "Who may what. SUBJECT: anonymous, authenticated, owner, user:NAME, group:NAME. RIGHTS: discover, read, append, " \
      "write, own, on-behalf-of, deposit, all, none, with commas.",                                         \
      "archivolt access set /public anonymous discover,read\narchivolt access set /public/x inherit\n") \
    X(community, "community", "add NAME [--parent HANDLE]", "Communities hold collections and communities. Prints the handle.", \
      "archivolt community add 'Faculty of Arts'\narchivolt community add History --parent 123456789/1\n") \
    X(collection, "collection", "add NAME --community HANDLE [--review] [--on-behalf-of yes|no] [--depositors GROUP] " \
      "[--reviewers GROUP] [--keep yes|no] | set HANDLE KEY VALUE",                                \
      "Collections hold items. add prints the handle. Everyone may read, nobody but administrators deposit until " \
      "--depositors names a group. Keys of set: name, review, on-behalf-of, keep, treatment, policy, abstract, licence, " \
      "accept, packagings, maximum-bytes, depositors, reviewers.",                                 \
      "archivolt collection add Theses --community 123456789/1 --depositors staff\n"              \
      "archivolt collection set 123456789/2 review yes\n")                                        \
    X(item, "item", "ls [--in HANDLE] [--state STATE] | show ITEM | complete|approve|reject|withdraw|reinstate ITEM " \
      "[--reason TEXT] | move|map|unmap ITEM COLLECTION",                                          \
      "Items, by handle or UUID. STATE: in-progress, in-review, archived, withdrawn, rejected.",   \
      "archivolt item ls --state in-review\narchivolt item approve 0193…\narchivolt item withdraw 123456789/7 --reason 'see erratum'\n") \
    X(import, "import", "saf|bagit|eprints|csv|package|tree SRC COLLECTION [--map FILE] [--jobs N] [--run NAME] [--new-handles] [--as NAME] " \
      "[--asset-store DIR]",                                                                       \
      "Make items of a collection from packages of this machine, each in a transaction of its own. A run that is repeated " \
      "makes no item twice, however the last one ended; --run names it (else SRC's own path does). Handles that packages bring " \
      "are kept unless --new-handles. --map completes a map as DSpace writes it. A package that is refused does not end the run.", \
      "archivolt import saf batch/ 123456789/2 --map batch.map\narchivolt import tree scans/ 123456789/2 --as anna\n") \
    X(watch, "watch", "DIR COLLECTION [--settle SECONDS] [--as NAME] [--once]",                    \
      "Make items of what is dropped into a folder: of a package what it says, of another file or a folder an item with it. What " \
      "has not changed for --settle seconds (5) is taken, then moved to DIR/.done, or to DIR/.failed with the reason beside it. " \
      "Names that begin with a dot, or end in .part, .tmp or .filepart, are left alone. --once: what is there now, then end.", \
      "archivolt watch /srv/microscope 123456789/2 --as anna\n")                                    \
    X(check, "check", "PACKAGE --collection HANDLE [--packaging WORD] [--as NAME]",                 \
      "What would become of a package in a collection: its notes, fields and files, and why it would be refused. Nothing is kept.", \
      "archivolt check thesis.zip --collection 123456789/2\n")                                      \
    X(deposit, "deposit", "SRC… --to URL [--user NAME] [--password-file FILE] [--sword 1.3|2|3] [--packaging URI|WORD] [--type TYPE] " \
      "[--on-behalf-of NAME] [--in-progress] [--dry-run] [--jobs N] [--retry N] [--retry-unsure] [--map FILE]", \
      "Send packages, or all files of folders, to a collection of any SWORD server: URL is the address that takes its " \
      "deposits. Profile and packaging are found out unless they are given. The password comes from FILE, ARCHIVOLT_PASSWORD or the " \
      "terminal. --map records where each package went, and a later run leaves out what it names.", \
      "archivolt deposit theses/ --to https://archive.example.org/sword/deposit/123456789/2 --user anna --map done.jsonl --jobs 8\n" \
      "archivolt deposit data.zip --to http://127.0.0.1:8080/swordv2/collection/123456789/2 --user mia --on-behalf-of anna\n") \
    X(verify, "verify", "[--since SEQ] [--budget 50MB]",                                           \
      "Read every stored byte and compare. Goes on where the last run stopped, unless --since is given.", \
      "archivolt verify --budget 50MB\n")                                                          \
    X(fsck, "fsck", "", "Check the catalog against itself, the journal and the volumes.", "archivolt fsck\n")   \
    X(rebuild, "rebuild", "", "Make the catalog anew from the volumes. The server must not run.", "archivolt rebuild\n") \
    X(dump, "dump", "", "Write the whole catalog as canonical JSON lines.", "archivolt dump | sha256sum\n") \
    X(compact, "compact", "[--gain PERCENT]", "Give back the space of what was purged or superseded in sealed volumes.", \
      "archivolt compact --gain 10\n")                                                             \
    X(seal, "seal", "", "Seal the volumes that are open, so that they can be copied away.", "archivolt seal\n") \
    X(journal, "journal", "[--after SEQ] [--verify] [--expect SEQ:HASH]",                          \
      "Print the journal; --verify checks its hash chain, --expect against a head kept elsewhere.", \
      "archivolt journal --verify --expect 1042:9f3a…\n")                                          \
    X(export, "export", "ocfl DIR | tree PATH DIR | saf ITEM|COLLECTION DIR [--all]", \
      "Write an OCFL storage root, a tree of files, or items in the Simple Archive Format, into an empty folder. --all: fields too " \
      "that are not for everybody (provenance).",                                                  \
      "archivolt export ocfl /mnt/ocfl\narchivolt export tree /photos /mnt/photos\narchivolt export saf 123456789/2 /mnt/theses --all\n")              \
    X(status, "status", "", "The state of the store: counts, space, head of the journal, volumes.", "archivolt status --json\n") \
    X(version, "version", "", "Print the program's version and the format it writes.", "archivolt version\n") \
    X(completion, "completion", "bash", "Print a completion script.", "source <(archivolt completion bash)\n")

struct cli {
    const char *command;
    const char *data; /* may be NULL until cli_data_folder() */
    bool json, quiet, verbose;
    size_t literal_after;   /* after so many positional arguments, a word that is no known option is one too; 0: never */
    const char **arguments; /* positional, after cli_parse */
    size_t argument_count;
};

typedef enum exit_status command_function(struct cli *cli, int argc, char **argv);
#define X(function, name, synopsis, help, examples) command_function command_##function;
CLI_COMMANDS(X)
#undef X

/* ---- arguments ---- */
struct cli_option {
    char letter;       /* 0: none */
    const char *name;  /* without dashes; NULL ends the list */
    const char **value; /* takes a value */
    bool *flag;         /* or is one */
};
/* Global options (--data --json --quiet -v --help) are understood everywhere. False: usage error, said. */
bool cli_parse(struct cli *cli, int argc, char **argv, const struct cli_option *options);
enum exit_status cli_usage(const struct cli *cli, const char *format, ...) AV_PRINTF(2, 3);
enum exit_status cli_fail(const struct cli *cli, const struct error *error);
bool cli_number(const char *text, uint64_t *ret_value);
/* "50MB", "1GiB", "1000": bytes. */
bool cli_bytes(const char *text, uint64_t *ret_value);
const char *cli_data_folder(struct cli *cli);
void cli_help(const char *command, FILE *to);
enum exit_status cli_manual(const char *command); /* troff on standard output; NULL: archivolt(1) */

/* ---- calls ---- */
struct connection;
enum error_code cli_connect(struct cli *cli, struct connection **ret, struct error *error) AV_MUST_USE;
/* A further connection to the same place (for --jobs). */
enum error_code connection_more(struct connection *connection, struct channel *ret_channel, struct error *error) AV_MUST_USE;
struct channel *connection_channel(struct connection *connection);
bool connection_is_server(const struct connection *connection);
void connection_close(struct connection *connection);

/* Arguments of a call: an object that is open. */
struct call_arguments {
    struct buffer json;
    struct json_writer writer;
};
void arguments_begin(struct call_arguments *a, const char *command);
void arguments_text(struct call_arguments *a, const char *name, struct text value);
void arguments_string(struct call_arguments *a, const char *name, const char *value); /* NULL: left out */
void arguments_number(struct call_arguments *a, const char *name, uint64_t value);
void arguments_flag(struct call_arguments *a, const char *name, bool value);
enum error_code arguments_send(struct call_arguments *a, struct channel *channel, struct error *error) AV_MUST_USE;

/* Receives until RESULT or ERROR. Each LINE goes to `line` (NULL: dropped), parsed, its JSON in `line->text`; each DATA to
 * `data`. */
typedef enum error_code reply_line(void *context, const struct json *line, struct error *error);
typedef enum error_code reply_data(void *context, struct text bytes, struct error *error);
struct reply {
    reply_line *line;
    reply_data *data; /* END is given as data NULL */
    void *context;
    struct buffer *result; /* the RESULT's JSON; may be NULL */
    bool show_progress;
    bool stop; /* the first error ends it: the connection is good for nothing more */
};
enum error_code cli_reply(struct channel *channel, const struct reply *reply, struct error *error) AV_MUST_USE;

/* Connects, sends, prints every line by `human` (NULL, or with --json: as it came), the result with --json, and says what failed. */
typedef void human_line(struct cli *cli, const struct json *line);
enum exit_status cli_simple(struct cli *cli, struct call_arguments *a, human_line *human);

/* The same where what is to be printed is the result. */
enum exit_status cli_result(struct cli *cli, struct call_arguments *a, human_line *human);

/* ---- output ---- */
human_line print_raw;     /* the JSON as it came */
human_line print_nothing;
human_line print_path;
void print_escaped(FILE *to, struct text text); /* control characters as ls -b has them */
void print_member(FILE *to, const struct json *line, const char *name);
uint64_t member_number(const struct json *line, const char *name);
struct text member_text(const struct json *line, const char *name);
struct progress {
    const char *what;
    uint64_t began_ns, shown_ns, done, bytes;
    uint64_t total, total_bytes; /* 0: not known */
    bool on;
};
void progress_begin(struct progress *progress, const struct cli *cli, const char *what, uint64_t total);
/* Files (or whatever is counted) and bytes so far: shows them, what is known of the whole, the rates, and the time left. */
void progress_step(struct progress *progress, uint64_t done, uint64_t bytes);
void progress_end(struct progress *progress);
/* Echo of the terminal at standard input off and on again; a Ctrl-C between turns it on too. False: it is no terminal. */
bool terminal_hush(void);
void terminal_restore(void);
/* A file that a Ctrl-C must remove; NULL: none. Main thread. */
void interrupt_removes(const char *path);

#endif
