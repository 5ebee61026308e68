/* SPDX-License-Identifier: Apache-2.0 */
/* Output for people: escaped names, progress, and what a Ctrl-C must clean up. */
#include "cli/cli.h"
#include "io/clock.h"

#include <signal.h>
#include <termios.h>
#include <unistd.h>

#define PROGRESS_INTERVAL_NS UINT64_C(200000000)

void
print_escaped(FILE *to, struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '\n')
            fputs("\\n", to);
        else if (c == '\t')
            fputs("\\t", to);
        else if (c == '\\')
            fputs("\\\\", to);
        else if (c < 0x20 || c == 0x7F)
            fprintf(to, "\\%03o", c);
        else
            fputc(c, to);
    }
}

struct text
member_text(const struct json *line, const char *name)
{
    struct text value = TEXT("");
    (void)json_get_text(line, name, &value);
    return value;
}

uint64_t
member_number(const struct json *line, const char *name)
{
    uint64_t value = 0;
    (void)json_get_u64(line, name, &value);
    return value;
}

void
print_member(FILE *to, const struct json *line, const char *name)
{
    print_escaped(to, member_text(line, name));
}

void
print_raw(struct cli *cli, const struct json *line)
{
    printf("%.*s\n", TEXT_ARG(line->text));
}

void
print_nothing(struct cli *cli, const struct json *line)
{
    (void)line;
}

void
print_path(struct cli *cli, const struct json *line)
{
    print_member(stdout, line, "path");
    putchar('\n');
}

void
progress_begin(struct progress *p, const struct cli *cli, const char *what, uint64_t total)
{
    *p = (struct progress){.what = what, .began_ns = clock_monotonic_ns(), .total = total,
                           .on = !cli->quiet && !cli->json && isatty(2)};
}

/* 0: cannot be told. */
static double
seconds_left(double seconds, uint64_t done, uint64_t total)
{
    return done > 0 && total > done ? seconds * (double)(total - done) / (double)done : 0;
}

void
progress_step(struct progress *p, uint64_t done, uint64_t bytes)
{
    uint64_t now = clock_monotonic_ns();
    p->done = done;
    p->bytes = bytes;
    if (!p->on || now - p->shown_ns < PROGRESS_INTERVAL_NS)
        return;
    p->shown_ns = now;
    double seconds = (double)(now > p->began_ns ? now - p->began_ns : 1) / 1e9;
    fprintf(stderr, "\r%s: %llu", p->what, (unsigned long long)done);
    if (p->total > 0)
        fprintf(stderr, " of %llu", (unsigned long long)p->total);
    if (p->total_bytes > 0)
        fprintf(stderr, " files, %.1f of %.1f MB", (double)bytes / 1e6, (double)p->total_bytes / 1e6);
    fprintf(stderr, ", %.0f/s, %.1f MB/s", (double)done / seconds, (double)bytes / seconds / 1e6);
    double left = seconds_left(seconds, done, p->total), left_by_bytes = seconds_left(seconds, bytes, p->total_bytes);
    if (left > 0 || left_by_bytes > 0)
        fprintf(stderr, ", %.0f s left", left > left_by_bytes ? left : left_by_bytes);
    fputs("\033[K", stderr);
}

void
progress_end(struct progress *p)
{
    if (p->on && p->shown_ns != 0)
        fputs("\r\033[K", stderr);
}

/* ---- Ctrl-C ----------------------------------------------------------------------------------------- */

static char doomed_path[8192];
static volatile sig_atomic_t doomed;

static struct termios terminal_before;
static volatile sig_atomic_t hushed;

static void
on_interrupt(int signal_number)
{
    static const char said[] = "\narchivolt: stopped\n";
    if (doomed)
        unlink(doomed_path);
    if (hushed)
        tcsetattr(0, TCSAFLUSH, &terminal_before);
    ssize_t written = write(2, said, sizeof said - 1);
    (void)written;
    _exit(128 + signal_number);
}

static void
catch_interrupts(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = on_interrupt};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

bool
terminal_hush(void)
{
    if (!isatty(0) || tcgetattr(0, &terminal_before) != 0)
        return false;
    struct termios silent = terminal_before;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    hushed = 1;
    catch_interrupts();
    tcsetattr(0, TCSAFLUSH, &silent);
    return true;
}

void
terminal_restore(void)
{
    tcsetattr(0, TCSAFLUSH, &terminal_before);
    hushed = 0;
}

void
interrupt_removes(const char *path)
{
    doomed = 0;
    if (path != NULL && strlen(path) < sizeof doomed_path) {
        memcpy(doomed_path, path, strlen(path) + 1);
        doomed = 1;
    }
    catch_interrupts();
}
