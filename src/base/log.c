/* SPDX-License-Identifier: Apache-2.0 */
/* JSON lines for people and programs who watch the server: see log.h. */
#include "base/log.h"

#include "base/buffer.h"

#include <stdatomic.h>
#include <unistd.h>

#define LOG_LINE_LIMIT_BYTES (64u << 10)

static atomic_int least_level = LOG_INFO;
static atomic_int log_descriptor = 2;

void
log_set_level(enum log_level least)
{
    atomic_store(&least_level, (int)least);
}

void
log_set_descriptor(int descriptor)
{
    atomic_store(&log_descriptor, descriptor);
}

/* JSON string; bytes that are not UTF-8 become U+FFFD one by one, so that a line stays valid. */
static void
append_json_string(struct buffer *line, struct text text)
{
    buffer_append_char(line, '"');
    for (size_t i = 0; i < text.length;) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\') {
            buffer_append_char(line, '\\');
            buffer_append_char(line, (char)c);
            i++;
        } else if (c < 0x20 || c == 0x7F) {
            buffer_printf(line, "\\u%04x", c);
            i++;
        } else if (c < 0x80) {
            buffer_append_char(line, (char)c);
            i++;
        } else {
            size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
            if (length <= text.length - i && text_is_utf8(text_of(text.data + i, length))) {
                buffer_append(line, text.data + i, length);
                i += length;
            } else {
                buffer_append_string(line, "\xEF\xBF\xBD");
                i++;
            }
        }
    }
    buffer_append_char(line, '"');
}

static void
append_time(struct buffer *line)
{
    struct timespec now;
    struct tm parts;
    char text[32];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    buffer_printf(line, "{\"time\":\"%s.%06ldZ\"", text, now.tv_nsec / 1000);
}

void
log_fields(enum log_level level, const char *event, const struct log_field *fields)
{
    static const char *const words[] = {"debug", "info", "warning", "error"};
    if ((int)level < atomic_load(&least_level))
        return;
    struct buffer line;
    buffer_init(&line, LOG_LINE_LIMIT_BYTES);
    append_time(&line);
    buffer_printf(&line, ",\"level\":\"%s\",\"event\":", words[level]);
    append_json_string(&line, text_from(event));
    for (; fields->name != NULL; fields++) {
        buffer_append_char(&line, ',');
        append_json_string(&line, text_from(fields->name));
        buffer_append_char(&line, ':');
        if (fields->kind == LOG_FIELD_TEXT)
            append_json_string(&line, fields->text);
        else if (fields->kind == LOG_FIELD_U64)
            buffer_append_u64(&line, fields->number);
        else
            buffer_printf(&line, "%.6f", fields->real);
    }
    buffer_append_string(&line, "}\n");
    if (line.status == ERROR_NONE) {
        ssize_t written = write(atomic_load(&log_descriptor), line.data, line.length);
        (void)written; /* nobody is left to tell */
    }
    buffer_release(&line);
}
