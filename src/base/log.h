/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log: one JSON object a line on standard error (or a file), valid UTF-8 whatever is put in.
 * Only server/, cli/ and bench/ log; library code returns errors.
 *
 *     log_event(LOG_INFO, "listening", log_text("address", address), log_u64("port", 8080), log_end());
 *
 * Threads: any; a line is written by one write(2).
 */
#ifndef ARCHIVOLT_BASE_LOG_H
#define ARCHIVOLT_BASE_LOG_H

#include "base/text.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR };

struct log_field {
    const char *name; /* NULL ends the list */
    enum { LOG_FIELD_TEXT, LOG_FIELD_U64, LOG_FIELD_DOUBLE } kind;
    struct text text;
    uint64_t number;
    double real;
};

static inline struct log_field
log_text(const char *name, struct text text)
{
    return (struct log_field){.name = name, .kind = LOG_FIELD_TEXT, .text = text};
}

static inline struct log_field
log_string(const char *name, const char *string)
{
    return log_text(name, text_from(string));
}

static inline struct log_field
log_u64(const char *name, uint64_t number)
{
    return (struct log_field){.name = name, .kind = LOG_FIELD_U64, .number = number};
}

static inline struct log_field
log_double(const char *name, double real)
{
    return (struct log_field){.name = name, .kind = LOG_FIELD_DOUBLE, .real = real};
}

static inline struct log_field
log_end(void)
{
    return (struct log_field){.name = NULL};
}

void log_set_level(enum log_level least);
void log_set_descriptor(int descriptor); /* default 2 */
void log_fields(enum log_level level, const char *event, const struct log_field *fields);
#define log_event(level, event, ...) log_fields(level, event, (const struct log_field[]){__VA_ARGS__})

#endif
