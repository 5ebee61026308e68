/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: see error.h. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>

static void AV_PRINTF(2, 0)
format_message(struct error *error, const char *format, va_list arguments)
{
    vsnprintf(error->message, sizeof error->message, format, arguments);
}

enum error_code
(error_set)(struct error *error, enum error_code code, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        error->code = code;
        error->os_errno = 0;
        va_start(arguments, format);
        format_message(error, format, arguments);
        va_end(arguments);
    }
    return code;
}

static enum error_code
code_of_errno(int os_errno)
{
    switch (os_errno) {
    case ENOSPC:
    case EDQUOT:
        return ERROR_FULL;
    case ENOENT:
        return ERROR_NOT_FOUND;
    case EEXIST:
        return ERROR_EXISTS;
    case ENOMEM:
        return ERROR_NO_MEMORY;
    default:
        return ERROR_IO;
    }
}

enum error_code
(error_set_errno)(struct error *error, int os_errno, const char *format, ...)
{
    enum error_code code = code_of_errno(os_errno);
    if (error != NULL) {
        va_list arguments;
        error->code = code;
        error->os_errno = os_errno;
        va_start(arguments, format);
        format_message(error, format, arguments);
        va_end(arguments);
        size_t used = strlen(error->message);
        char text[128];
        snprintf(error->message + used, sizeof error->message - used, ": %s",
                 strerror_r(os_errno, text, sizeof text));
    }
    return code;
}

enum error_code
error_forgive(struct error *error, enum error_code code, enum error_code forgiven)
{
    if (code != forgiven)
        return code;
    if (error != NULL)
        *error = (struct error){0};
    return ERROR_NONE;
}

enum error_code
(error_prefix)(struct error *error, const char *format, ...)
{
    if (error == NULL)
        return ERROR_IO;
    char rest[sizeof error->message];
    va_list arguments;
    memcpy(rest, error->message, sizeof rest);
    va_start(arguments, format);
    format_message(error, format, arguments);
    va_end(arguments);
    size_t used = strlen(error->message);
    snprintf(error->message + used, sizeof error->message - used, ": %s", rest);
    return error->code == ERROR_NONE ? ERROR_IO : error->code;
}

static const char *const words[ERROR_CODE_COUNT] = {
    [ERROR_NONE] = "none",
#define X(code, word) [ERROR_##code] = word,
    ERROR_CODES(X)
#undef X
};

const char *
error_word(enum error_code code)
{
    return (unsigned)code < ERROR_CODE_COUNT ? words[code] : "unknown";
}

enum error_code
error_from_word(const char *word, size_t length)
{
    for (unsigned code = 0; code < ERROR_CODE_COUNT; code++)
        if (strlen(words[code]) == length && memcmp(words[code], word, length) == 0)
            return (enum error_code)code;
    return ERROR_IO;
}
