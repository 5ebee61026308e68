/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archivolt get, cat, export tree: content out of the store. The digest is checked while writing; a file appears under
 * its name only when it was right. Source mtime and mode come back.
 */
#include "base/ensure.h"
#include "cli/cli.h"
#include "format/digest.h"
#include "format/hex.h"
#include "io/device.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct target { /* where one file goes */
    const char *path;         /* final name; NULL: standard output */
    char temporary[4096 + 16];
    int fd;
    struct digest_stream stream;
    enum digest_algorithm algorithm;
    unsigned char expected[DIGEST_SIZE_MAX];
    bool has_facts, ended;
    int64_t mtime_us;
    unsigned mode;
    uint64_t bytes, size;
    struct progress *progress; /* of a tree, or NULL */
};

static enum error_code
take_facts(void *context, const struct json *line, struct error *error)
{
    struct target *t = context;
    struct text hex;
    t->algorithm = DIGEST_SHA512;
    if (!json_get_text(line, "sha512", &hex)) {
        t->algorithm = DIGEST_SHA256;
        if (!json_get_text(line, "sha256", &hex))
            return error_set(error, ERROR_PROTOCOL, "the server names no digest");
    }
    if (!hex_decode(hex, t->expected, digest_size(t->algorithm)))
        return error_set(error, ERROR_PROTOCOL, "the server names a digest that is none");
    if (!json_get_i64(line, "source_mtime_us", &t->mtime_us))
        t->mtime_us = INT64_MIN;
    t->mode = (unsigned)member_number(line, "source_mode");
    t->size = member_number(line, "size");
    digest_stream_init(&t->stream, t->algorithm);
    t->has_facts = true;
    return ERROR_NONE;
}

static enum error_code
write_all(int fd, struct text bytes, struct error *error)
{
    while (bytes.length > 0) {
        ssize_t written = write(fd, bytes.data, bytes.length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return error_set_errno(error, errno, "cannot write");
        bytes = text_of(bytes.data + written, bytes.length - (size_t)written);
    }
    return ERROR_NONE;
}

static enum error_code
check_digest(struct target *t, struct error *error)
{
    unsigned char digest[DIGEST_SIZE_MAX];
    digest_stream_finish(&t->stream, digest);
    t->ended = true;
    if (t->bytes != t->size || memcmp(digest, t->expected, digest_size(t->algorithm)) != 0)
        return error_set(error, ERROR_CORRUPT, "what arrived has not the digest that is on record");
    return ERROR_NONE;
}

static enum error_code
target_data(void *context, struct text bytes, struct error *error)
{
    struct target *t = context;
    if (!t->has_facts)
        return error_set(error, ERROR_PROTOCOL, "content came before its description");
    if (bytes.data == NULL)
        return check_digest(t, error);
    digest_stream_update(&t->stream, bytes.data, bytes.length);
    t->bytes += bytes.length;
    if (t->progress != NULL)
        progress_step(t->progress, t->progress->done, t->progress->bytes + bytes.length);
    return write_all(t->fd, bytes, error);
}

static enum error_code
open_target(struct target *t, const char *path, struct error *error)
{
    *t = (struct target){.path = path, .fd = 1};
    if (path == NULL)
        return ERROR_NONE;
    const char *last = strrchr(path, '/');
    int folder = last == NULL ? 0 : (int)(last - path + 1);
    int length = snprintf(t->temporary, sizeof t->temporary, "%.*s.archivolt-%06ld-XXXXXX", folder, path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof t->temporary)
        return error_set(error, ERROR_LIMIT, "%s is too long", path);
    t->fd = mkostemp(t->temporary, O_CLOEXEC);
    if (t->fd < 0)
        return error_set_errno(error, errno, "cannot make a file beside %s", path);
    interrupt_removes(t->temporary);
    return ERROR_NONE;
}

static enum error_code
finish_target(struct target *t, struct error *error)
{
    enum error_code code = ERROR_NONE;
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(t->fd, (t->mode != 0 ? t->mode & 0777u : 0666u & ~mask)) != 0)
        code = error_set_errno(error, errno, "cannot set the mode of %s", t->path);
    if (code == ERROR_NONE && t->mtime_us != INT64_MIN) {
        int64_t seconds = t->mtime_us / 1000000, rest = t->mtime_us % 1000000;
        if (rest < 0) {
            rest += 1000000;
            seconds--;
        }
        struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = (time_t)seconds, .tv_nsec = (long)rest * 1000}};
        if (futimens(t->fd, times) != 0)
            code = error_set_errno(error, errno, "cannot set the time of %s", t->path);
    }
    if (close(t->fd) != 0 && code == ERROR_NONE)
        code = error_set_errno(error, errno, "cannot write %s", t->path);
    t->fd = -1;
    if (code == ERROR_NONE && rename(t->temporary, t->path) != 0)
        code = error_set_errno(error, errno, "cannot rename to %s", t->path);
    return code;
}

static void
drop_target(struct target *t, enum error_code code)
{
    if (t->has_facts)
        digest_stream_release(&t->stream);
    if (t->path == NULL)
        return;
    if (t->fd >= 0)
        close(t->fd);
    if (code != ERROR_NONE)
        unlink(t->temporary);
    interrupt_removes(NULL);
}

/* One file; `target` NULL: standard output; `progress` may be NULL. */
static enum error_code
fetch(struct channel *channel, const char *path, uint64_t version, const char *target, struct progress *progress,
      uint64_t *ret_bytes, struct error *error)
{
    struct target t;
    struct call_arguments a;
    struct reply reply = {.line = take_facts, .data = target_data, .context = &t, .stop = target == NULL};
    enum error_code code = open_target(&t, target, error);
    if (code != ERROR_NONE)
        return code;
    t.progress = progress;
    arguments_begin(&a, "get");
    arguments_string(&a, "path", path);
    if (version != 0)
        arguments_number(&a, "version", version);
    code = arguments_send(&a, channel, error);
    if (code == ERROR_NONE)
        code = cli_reply(channel, &reply, error);
    if (code == ERROR_NONE && !t.ended)
        code = error_set(error, ERROR_PROTOCOL, "the content has no end");
    if (code == ERROR_NONE && target != NULL)
        code = finish_target(&t, error);
    *ret_bytes = t.bytes;
    drop_target(&t, code);
    return code;
}

/* ---- trees ------------------------------------------------------------------------------------------------ */

struct tree {
    struct cli *cli;
    struct channel content; /* a second connection: the first is busy listing */
    const char *from;       /* path in the repository */
    const char *to;         /* folder */
    uint64_t files, bytes;
    enum exit_status status;
    struct progress progress;
};

static void
progress_total(struct progress *progress, const struct json *line)
{
    bool file = text_equal(member_text(line, "kind"), TEXT("file"));
    progress->total = file ? 1 : member_number(line, "subtree_files");
    progress->total_bytes = member_number(line, file ? "size" : "subtree_bytes");
}

static enum error_code
get_member(void *context, const struct json *line, struct error *error)
{
    struct tree *tree = context;
    struct buffer target = {0}, source = {0};
    struct error why = {0};
    uint64_t bytes = 0;
    struct text path = member_text(line, "path");
    if (tree->progress.total == 0) /* the first line is of the whole */
        progress_total(&tree->progress, line);
    size_t skip = strcmp(tree->from, "/") == 0 ? 0 : strlen(tree->from);
    buffer_append_text(&source, path);
    buffer_append_string(&target, tree->to);
    buffer_append(&target, path.data + skip, path.length - skip);
    if (path.length - skip <= 1)
        buffer_truncate(&target, strlen(tree->to));
    enum error_code code;
    if (!text_equal(member_text(line, "kind"), TEXT("file"))) {
        code = device_files_make_folder(buffer_string(&target), &why);
    } else {
        code = fetch(&tree->content, buffer_string(&source), 0, buffer_string(&target), &tree->progress, &bytes,
                     &why);
        tree->files += code == ERROR_NONE;
        tree->bytes += bytes;
        progress_step(&tree->progress, tree->progress.done + 1, tree->progress.bytes);
    }
    if (code != ERROR_NONE) {
        fprintf(stderr, "archivolt: %s: ", tree->cli->command);
        print_escaped(stderr, path);
        fprintf(stderr, ": %s\n", why.message);
        if (tree->status == EXIT_DONE)
            tree->status = exit_status_of(code);
        if (code == ERROR_FULL || code == ERROR_CLOSED || code == ERROR_PROTOCOL)
            error_set(error, code, "%s", why.message);
        else
            code = ERROR_NONE; /* the others go on */
    }
    buffer_release(&target);
    buffer_release(&source);
    return code;
}

static enum exit_status
get_tree(struct cli *cli, const char *from, const char *to)
{
    struct tree tree = {.cli = cli, .from = from, .to = to};
    struct connection *connection;
    struct call_arguments a;
    struct error error = {0};
    struct reply reply = {.line = get_member, .context = &tree, .stop = true};
    enum error_code code = cli_connect(cli, &connection, &error);
    if (code != ERROR_NONE)
        return cli_fail(cli, &error);
    code = connection_more(connection, &tree.content, &error);
    if (code == ERROR_NONE) {
        progress_begin(&tree.progress, cli, "get", 0);
        arguments_begin(&a, "walk");
        arguments_string(&a, "path", from);
        code = arguments_send(&a, connection_channel(connection), &error);
        if (code == ERROR_NONE)
            code = cli_reply(connection_channel(connection), &reply, &error);
        progress_end(&tree.progress);
        channel_release(&tree.content);
    }
    connection_close(connection);
    if (code != ERROR_NONE)
        return cli_fail(cli, &error);
    if (!cli->quiet && !cli->json)
        fprintf(stderr, "archivolt: %llu files, %llu bytes fetched\n", (unsigned long long)tree.files,
                (unsigned long long)tree.bytes);
    return tree.status;
}

/* ---- the commands ------------------------------------------------------------------------------------------ */

static enum exit_status
get_one(struct cli *cli, const char *path, uint64_t version, const char *target)
{
    struct connection *connection;
    struct error error = {0};
    uint64_t bytes;
    enum error_code code = cli_connect(cli, &connection, &error);
    if (code == ERROR_NONE) {
        code = fetch(connection_channel(connection), path, version, target, NULL, &bytes, &error);
        connection_close(connection);
    }
    return code == ERROR_NONE ? EXIT_DONE : cli_fail(cli, &error);
}

/* Into a folder under the resource's own name, as cp does. */
static char *
in_folder(const char *folder, const char *path)
{
    struct buffer target = {0};
    const char *last = strrchr(path, '/');
    buffer_printf(&target, "%s/%s", folder, last == NULL ? path : last + 1);
    char *copy = text_copy(buffer_text(&target));
    buffer_release(&target);
    return copy;
}

enum exit_status
command_get(struct cli *cli, int argc, char **argv)
{
    bool recursive = false;
    const char *version_text = NULL;
    uint64_t version = 0;
    struct stat status;
    const struct cli_option own[] = {{'r', "recursive", NULL, &recursive}, {0, "version", &version_text, NULL}, {0}};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (cli->argument_count < 1 || cli->argument_count > 2)
        return cli_usage(cli, "get SRC [DST]");
    if (version_text != NULL && (!cli_number(version_text, &version) || version == 0))
        return cli_usage(cli, "--version is a number from 1");
    const char *target = cli->argument_count == 2 && strcmp(cli->arguments[1], "-") != 0 ? cli->arguments[1] : NULL;
    interrupt_removes(NULL);
    if (recursive) {
        if (target == NULL)
            return cli_usage(cli, "get -r needs a folder to write to");
        return get_tree(cli, cli->arguments[0], target);
    }
    if (target != NULL && stat(target, &status) == 0 && S_ISDIR(status.st_mode)) {
        char *inside = in_folder(target, cli->arguments[0]);
        enum exit_status result = get_one(cli, cli->arguments[0], version, inside);
        free(inside);
        return result;
    }
    return get_one(cli, cli->arguments[0], version, target);
}

enum exit_status
command_cat(struct cli *cli, int argc, char **argv)
{
    const char *version_text = NULL;
    uint64_t version = 0;
    enum exit_status status = EXIT_DONE;
    const struct cli_option own[] = {{0, "version", &version_text, NULL}, {0}};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (cli->argument_count == 0)
        return cli_usage(cli, "cat what?");
    if (version_text != NULL && (!cli_number(version_text, &version) || version == 0))
        return cli_usage(cli, "--version is a number from 1");
    for (size_t i = 0; i < cli->argument_count && status == EXIT_DONE; i++)
        status = get_one(cli, cli->arguments[i], version, NULL);
    return status;
}

static void
print_exported(struct cli *cli, const struct json *line)
{
    print_member(stdout, line, "handle");
    putchar('\t');
    print_member(stdout, line, "folder");
    putchar('\n');
}

/* The server writes it, into a folder that is empty. */
static enum exit_status
export_by_server(struct cli *cli, const char *call, const char *entity, const char *to, bool all)
{
    struct call_arguments a;
    struct error error = {0};
    if (device_files_make_folder(to, &error) != ERROR_NONE)
        return cli_fail(cli, &error);
    char *folder = realpath(to, NULL); /* the server has another working folder */
    arguments_begin(&a, call);
    arguments_string(&a, "folder", folder);
    arguments_string(&a, "entity", entity);
    arguments_flag(&a, "all", all);
    free(folder);
    return cli_simple(cli, &a, entity == NULL ? print_nothing : print_exported);
}

enum exit_status
command_export(struct cli *cli, int argc, char **argv)
{
    bool all = false;
    const struct cli_option own[] = {{0, "all", NULL, &all}, {0}};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (cli->argument_count == 3 && strcmp(cli->arguments[0], "tree") == 0)
        return get_tree(cli, cli->arguments[1], cli->arguments[2]);
    if (cli->argument_count == 3 && strcmp(cli->arguments[0], "saf") == 0)
        return export_by_server(cli, "export_saf", cli->arguments[1], cli->arguments[2], all);
    if (cli->argument_count == 2 && strcmp(cli->arguments[0], "ocfl") == 0)
        return export_by_server(cli, "export_ocfl", NULL, cli->arguments[1], all);
    return cli_usage(cli, "export ocfl DIR, export tree PATH DIR, or export saf ITEM|COLLECTION DIR");
}
