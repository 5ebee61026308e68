/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors: a code that says what the caller can do, and a message for people.
 *
 * Life: the caller owns a `struct error`, zeroed (`struct error error = {0};`), and passes it as
 * the last argument. A function that fails fills it where the failure is born and returns the code;
 * callers on the way up may prefix the message. Success returns ERROR_NONE and touches nothing.
 * The `struct error *` may be NULL where a caller wants the code alone.
 * Threads: a struct error belongs to one thread at a time.
 */
#ifndef ARCHIVOLT_BASE_ERROR_H
#define ARCHIVOLT_BASE_ERROR_H

#include <stddef.h>

/* X(code, word): one line a code. The word is stable: it appears in JSON answers and logs. */
#define ERROR_CODES(X)                                                                             \
    X(NOT_FOUND, "not_found")             /* no such thing */                                      \
    X(GONE, "gone")                       /* it was there and has been deleted */                  \
    X(EXISTS, "exists")                   /* it is there already */                                \
    X(CONFLICT, "conflict")               /* the state does not allow it */                        \
    X(PRECONDITION, "precondition")       /* the caller's own condition did not hold */            \
    X(DENIED, "denied")                   /* known person, no right */                             \
    X(UNAUTHENTICATED, "unauthenticated") /* who are you? */                                       \
    X(INVALID, "invalid")                 /* the input is wrong and will stay wrong */             \
    X(DIGEST, "digest_mismatch")          /* the bytes are not those that the sender named */      \
    X(LIMIT, "limit")                     /* over a configured limit, named in the message */      \
    X(FULL, "full")                       /* no space; may work later */                           \
    X(IO, "io")                           /* the operating system failed us */                     \
    X(CORRUPT, "corrupt")                 /* stored bytes are not what was stored */               \
    X(BUSY, "busy")                       /* try again after a while */                            \
    X(TIMEOUT, "timeout")                 /* waited as long as allowed */                          \
    X(CLOSED, "closed")                   /* the other side, or the store, is closed or FAILED */  \
    X(UNSUPPORTED, "unsupported")         /* well formed, but not done here */                     \
    X(PROTOCOL, "protocol")               /* the peer breaks the rules of its protocol */          \
    X(NO_MEMORY, "no_memory")

enum error_code {
    ERROR_NONE = 0,
#define X(code, word) ERROR_##code,
    ERROR_CODES(X)
#undef X
        ERROR_CODE_COUNT
};

struct error {
    enum error_code code;
    int os_errno; /* errno at the failure, or 0 */
    char message[512];
};

#define AV_MUST_USE __attribute__((warn_unused_result))
#define AV_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#define AV_CLEANUP(function) __attribute__((cleanup(function)))

/* Sets code and message (cut to fit); returns `code`, so that `return error_set(...)` reads well. */
enum error_code error_set(struct error *error, enum error_code code, const char *format, ...)
    AV_PRINTF(3, 4);
/* The same with the text of `os_errno` appended. The code is chosen from it: ENOSPC and EDQUOT give
 * FULL, ENOENT NOT_FOUND, EEXIST EXISTS, ENOMEM NO_MEMORY, the rest IO. */
enum error_code error_set_errno(struct error *error, int os_errno, const char *format, ...)
    AV_PRINTF(3, 4);
/* Puts text before the message; returns the code that is set already. */
enum error_code error_prefix(struct error *error, const char *format, ...) AV_PRINTF(2, 3);
/* NONE, and an empty error, where `code` is the one that is no failure here; else the code. */
enum error_code error_forgive(struct error *error, enum error_code code, enum error_code forgiven) AV_MUST_USE;
/* The stable word of a code ("none" for ERROR_NONE). Static. */
const char *error_word(enum error_code code);
/* The code of a word; ERROR_IO when unknown (a newer peer). */
enum error_code error_from_word(const char *word, size_t length);

/* A set error is never ERROR_NONE. Said here, where the optimiser sees it, so that it knows a `ret_`
 * output to be written whenever a code is ERROR_NONE. */
static inline enum error_code
error_is_set(enum error_code code)
{
    if (code == ERROR_NONE)
        __builtin_trap();
    return code;
}

#define error_set(...) error_is_set((error_set)(__VA_ARGS__))
#define error_set_errno(...) error_is_set((error_set_errno)(__VA_ARGS__))
#define error_prefix(...) error_is_set((error_prefix)(__VA_ARGS__))

#endif
