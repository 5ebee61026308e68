/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where calls go: the admin socket of a running server, or the same handlers in this process over a socket pair.
 * Both ways run the same code from the first byte of a call on.
 */
#include "base/ensure.h"
#include "base/lock.h"
#include "cli/cli.h"
#include "io/clock.h"
#include "model/model.h"
#include "server/admin/admin.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define THREADS_MAXIMUM 256u
/* One command seldom makes more resources, and what it leaves of its last lease is lost. */
#define LOCAL_ID_LEASE 100u

struct connection {
    struct channel channel;
    const char *folder;
    struct model *model; /* NULL: a server does the work */
    struct lock lock; /* the two below: parallel senders open channels */
    pthread_t threads[THREADS_MAXIMUM];
    unsigned thread_count;
};

struct local_peer {
    struct model *model;
    const char *folder;
    int fd;
};

static void *
local_thread(void *context)
{
    struct local_peer *peer = context;
    admin_serve(peer->model, peer->folder, peer->fd);
    free(peer);
    return NULL;
}

static enum error_code
local_channel(struct connection *c, struct channel *ret, struct error *error)
{
    int ends[2];
    struct local_peer *peer = malloc(sizeof *peer);
    ensure(peer != NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(peer);
        return error_set_errno(error, errno, "cannot make a socket pair");
    }
    *peer = (struct local_peer){c->model, c->folder, ends[1]};
    lock_take(&c->lock);
    ensure(c->thread_count < THREADS_MAXIMUM);
    bool started = pthread_create(&c->threads[c->thread_count], NULL, local_thread, peer) == 0;
    c->thread_count += started;
    lock_give(&c->lock);
    if (!started) {
        close(ends[0]);
        close(ends[1]);
        free(peer);
        return error_set(error, ERROR_NO_MEMORY, "cannot start a thread");
    }
    channel_init(ret, ends[0]);
    return ERROR_NONE;
}

/* NOT_FOUND: nobody listens there. */
static enum error_code
server_channel(const char *folder, struct channel *ret, struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/" ADMIN_SOCKET_NAME, folder);
    if (length < 0 || (size_t)length >= sizeof address.sun_path)
        return ERROR_NOT_FOUND;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_set_errno(error, errno, "cannot make a socket");
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int why = errno;
        close(fd);
        if (why == ENOENT || why == ECONNREFUSED || why == ENOTDIR)
            return ERROR_NOT_FOUND;
        if (why == EACCES || why == EPERM)
            return error_set(error, ERROR_DENIED, "a server runs on %s as another user: only that user or root may ask it", folder);
        return error_set_errno(error, why, "cannot reach the server at %s", address.sun_path);
    }
    channel_init(ret, fd);
    return ERROR_NONE;
}

static void
show_notice(void *context, const char *event, struct text detail)
{
    const struct cli *cli = context;
    if (!cli->quiet)
        fprintf(stderr, "archivolt: %s: %.*s\n", event, TEXT_ARG(detail));
}

static enum error_code
open_locally(struct cli *cli, struct connection *c, struct error *error)
{
    struct model_options options = {.folder = c->folder, .limits = model_limits_default(), .notice = show_notice,
                                    .context = cli, .id_lease = LOCAL_ID_LEASE};
    enum error_code code = model_open(&options, &c->model, error);
    if (code == ERROR_NONE)
        code = local_channel(c, &c->channel, error);
    return code;
}

enum error_code
cli_connect(struct cli *cli, struct connection **ret, struct error *error)
{
    signal(SIGPIPE, SIG_IGN);
    const char *folder = cli_data_folder(cli);
    if (folder == NULL)
        exit(EXIT_USAGE);
    struct connection *c = calloc(1, sizeof *c);
    ensure(c != NULL);
    c->channel.fd = -1;
    c->folder = folder;
    lock_init(&c->lock, LOCK_RANK_LEAF);
    enum error_code code = server_channel(folder, &c->channel, error);
    if (code == ERROR_NOT_FOUND)
        code = open_locally(cli, c, error);
    if (code != ERROR_NONE) {
        connection_close(c);
        return code;
    }
    if (cli->verbose)
        fprintf(stderr, c->model == NULL ? "archivolt: asking the running server of %s\n"
                                         : "archivolt: no server runs on %s: working on it directly\n", folder);
    *ret = c;
    return ERROR_NONE;
}

enum error_code
connection_more(struct connection *c, struct channel *ret, struct error *error)
{
    return c->model != NULL ? local_channel(c, ret, error) : server_channel(c->folder, ret, error);
}

struct channel *
connection_channel(struct connection *c)
{
    return &c->channel;
}

bool
connection_is_server(const struct connection *c)
{
    return c->model == NULL;
}

void
connection_close(struct connection *c)
{
    if (c == NULL)
        return;
    channel_release(&c->channel);
    for (unsigned i = 0; i < c->thread_count; i++)
        pthread_join(c->threads[i], NULL);
    model_close(c->model);
    lock_release(&c->lock);
    free(c);
}

/* ---- calls ------------------------------------------------------------------------------------------ */

void
arguments_begin(struct call_arguments *a, const char *command)
{
    *a = (struct call_arguments){.json = {0}};
    a->writer = json_writer(&a->json);
    json_begin_object(&a->writer);
    arguments_string(a, "command", command);
}

void
arguments_text(struct call_arguments *a, const char *name, struct text value)
{
    json_member_text(&a->writer, name, value);
}

void
arguments_string(struct call_arguments *a, const char *name, const char *value)
{
    if (value != NULL)
        arguments_text(a, name, text_from(value));
}

void
arguments_number(struct call_arguments *a, const char *name, uint64_t value)
{
    json_member_u64(&a->writer, name, value);
}

void
arguments_flag(struct call_arguments *a, const char *name, bool value)
{
    json_member_bool(&a->writer, name, value);
}

static enum error_code
take_error(struct text payload, struct error *error)
{
    struct arena arena;
    struct json *root;
    struct text word = TEXT("io"), message = TEXT("");
    arena_init(&arena, 0);
    if (json_parse(&arena, payload, &root, NULL) == ERROR_NONE) {
        (void)json_get_text(root, "error", &word);
        (void)json_get_text(root, "message", &message);
    }
    enum error_code code = error_set(error, error_from_word(word.data, word.length), "%.*s", TEXT_ARG(message));
    arena_release(&arena);
    return code;
}

/* Who closes on us has perhaps said why: a server that takes no more commands does. */
static enum error_code
parting_words(struct channel *channel, struct error *error)
{
    struct frame frame;
    if (channel_receive(channel, &frame, NULL) == ERROR_NONE && frame.type == FRAME_ERROR)
        return take_error(frame.payload, error);
    return ERROR_CLOSED;
}

enum error_code
arguments_send(struct call_arguments *a, struct channel *channel, struct error *error)
{
    json_end_object(&a->writer);
    enum error_code code = a->json.status == ERROR_INVALID
                               ? error_set(error, ERROR_INVALID, "an argument is not UTF-8")
                               : buffer_status(&a->json, error);
    if (code == ERROR_NONE)
        code = channel_send(channel, FRAME_CALL, buffer_text(&a->json), error);
    if (code == ERROR_CLOSED)
        code = parting_words(channel, error);
    buffer_release(&a->json);
    return code;
}

static void
show_progress(struct text payload)
{
    struct arena arena;
    struct json *root;
    arena_init(&arena, 0);
    if (json_parse(&arena, payload, &root, NULL) == ERROR_NONE) {
        uint64_t done = member_number(root, "done"), total = member_number(root, "total");
        fprintf(stderr, "\r%.*s: %llu", TEXT_ARG(member_text(root, "what")), (unsigned long long)done);
        if (total > 0)
            fprintf(stderr, " of %llu (%llu %%)", (unsigned long long)total, (unsigned long long)(done * 100 / total));
        fputs("\033[K", stderr);
    }
    arena_release(&arena);
}

static enum error_code
parse_line(const struct reply *reply, struct text payload, struct error *error)
{
    struct arena arena;
    struct json *line;
    arena_init(&arena, 0);
    enum error_code code = json_parse(&arena, payload, &line, error);
    if (code == ERROR_NONE) {
        line->text = payload; /* with the blanks behind it that a purged line of the journal has */
        code = reply->line(reply->context, line, error);
    }
    arena_release(&arena);
    return code;
}

static enum error_code
take_line(const struct reply *reply, struct buffer *parts, struct text last, struct error *error)
{
    struct text line = last;
    if (parts->length > 0) {
        buffer_append_text(parts, last);
        line = buffer_text(parts);
    }
    enum error_code code = buffer_status(parts, error);
    if (code == ERROR_NONE)
        code = parse_line(reply, line, error);
    buffer_clear(parts);
    return code;
}

static enum error_code
take_content(const struct reply *reply, const struct frame *frame, struct buffer *parts, struct error *error)
{
    if (frame->type == FRAME_PART)
        buffer_append_text(parts, frame->payload);
    else if (frame->type == FRAME_LINE && reply->line != NULL)
        return take_line(reply, parts, frame->payload, error);
    else if (frame->type == FRAME_DATA && reply->data != NULL)
        return reply->data(reply->context, frame->payload, error);
    else if (frame->type == FRAME_END && reply->data != NULL)
        return reply->data(reply->context, text_of(NULL, 0), error);
    return ERROR_NONE;
}

static enum error_code
take_frames(struct channel *channel, const struct reply *reply, struct buffer *parts, struct error *error)
{
    enum error_code code = ERROR_NONE;
    bool shown = false;
    for (;;) {
        struct frame frame;
        enum error_code received = channel_receive(channel, &frame, code == ERROR_NONE ? error : NULL);
        if (received != ERROR_NONE)
            return code != ERROR_NONE ? code : received;
        if (frame.type == FRAME_PROGRESS && reply->show_progress) {
            show_progress(frame.payload);
            shown = true;
            continue;
        }
        if (frame.type == FRAME_RESULT || frame.type == FRAME_ERROR) {
            if (shown)
                fputs("\r\033[K", stderr);
            if (frame.type == FRAME_ERROR)
                return code != ERROR_NONE ? code : take_error(frame.payload, error);
            if (reply->result != NULL) {
                buffer_clear(reply->result);
                buffer_append_text(reply->result, frame.payload);
            }
            return code;
        }
        if (code != ERROR_NONE && reply->stop)
            return code;
        if (code == ERROR_NONE) /* else: what is left of an answer that we cannot use */
            code = take_content(reply, &frame, parts, error);
    }
}

enum error_code
cli_reply(struct channel *channel, const struct reply *reply, struct error *error)
{
    struct buffer parts = {0};
    enum error_code code = take_frames(channel, reply, &parts, error);
    buffer_release(&parts);
    return code;
}

struct simple {
    struct cli *cli;
    human_line *human;
};

/* A reader that has gone (`| head`) ends the command, and with it the work of the server. */
static enum error_code
output_status(struct error *error)
{
    return ferror(stdout) ? error_set(error, ERROR_IO, "cannot write to standard output") : ERROR_NONE;
}

static enum error_code
simple_line(void *context, const struct json *line, struct error *error)
{
    const struct simple *simple = context;
    if (simple->cli->json)
        print_raw(simple->cli, line);
    else
        simple->human(simple->cli, line);
    return output_status(error);
}

/* `human_result` NULL: the result is shown with --json only. */
static enum exit_status
call_and_print(struct cli *cli, struct call_arguments *a, human_line *human, human_line *human_result)
{
    struct connection *connection;
    struct error error = {0};
    struct buffer result = {0};
    struct simple simple = {cli, human};
    struct reply reply = {.line = simple_line, .context = &simple, .result = &result,
                          .show_progress = !cli->quiet && isatty(2), .stop = true};
    struct reply shown = {.line = simple_line, .context = &(struct simple){cli, human_result}};
    enum error_code code = cli_connect(cli, &connection, &error);
    if (code != ERROR_NONE) {
        buffer_release(&a->json);
        return cli_fail(cli, &error);
    }
    code = arguments_send(a, connection_channel(connection), &error);
    if (code == ERROR_NONE)
        code = cli_reply(connection_channel(connection), &reply, &error);
    if (code == ERROR_NONE && human_result != NULL && !cli->json)
        code = parse_line(&shown, buffer_text(&result), &error);
    else if (code == ERROR_NONE && cli->json && result.length > 2) /* more than {} */
        printf("%s\n", buffer_string(&result));
    buffer_release(&result);
    connection_close(connection);
    return code == ERROR_NONE ? EXIT_DONE : cli_fail(cli, &error);
}

enum exit_status
cli_simple(struct cli *cli, struct call_arguments *a, human_line *human)
{
    return call_and_print(cli, a, human, NULL);
}

enum exit_status
cli_result(struct cli *cli, struct call_arguments *a, human_line *human)
{
    return call_and_print(cli, a, print_nothing, human);
}
