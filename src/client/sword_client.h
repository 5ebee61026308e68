/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deposits to any SWORD server: profile 1.3, 2.0 or 3.0, one binary POST to the address of a collection (1.3 and 2.0: Col-IRI;
 * 3.0: Service-URL).
 *
 * Threads: as struct http_client. Texts of a receipt lie in the arena.
 */
#ifndef ARCHIVOLT_CLIENT_SWORD_CLIENT_H
#define ARCHIVOLT_CLIENT_SWORD_CLIENT_H

#include "base/arena.h"
#include "client/http_client.h"

/* X(NAME, word) */
#define SWORD_PROFILES(X)                                                                          \
    X(1_3, "1.3")                                                                                  \
    X(2_0, "2")                                                                                    \
    X(3_0, "3")

enum sword_profile {
#define X(name, word) SWORD_PROFILE_##name,
    SWORD_PROFILES(X)
#undef X
        SWORD_PROFILE_COUNT
};
bool sword_profile_from_word(struct text word, enum sword_profile *ret_profile);
const char *sword_profile_word(enum sword_profile profile);

/* Asks the address: a JSON service document is of 3.0, a feed, or an error in its terms, of 2.0, anything else of 1.3 (which answers no GET there).
 * *ret_idempotent: the server is one that honours Idempotency-Key.
 * INVALID: it is a service document of 1.3 or 2.0; the message lists its collections. Else as http_client_send(), and
 * UNAUTHENTICATED, DENIED. */
enum error_code sword_client_detect(struct http_client *client, const char *url, struct arena *arena,
                                    enum sword_profile *ret_profile, bool *ret_idempotent, struct error *error) AV_MUST_USE;

struct sword_client_deposit {
    enum sword_profile profile;
    const char *url;
    int fd; /* read from its beginning; borrowed */
    uint64_t size_bytes;
    struct text filename, media_type;
    struct text packaging;       /* URI; "" not said */
    struct text on_behalf_of;    /* "" nobody */
    struct text idempotency_key; /* a retry with the same one makes no second item on servers that know the header; "" none */
    bool in_progress;            /* 2.0 and 3.0 */
    bool dry_run;                /* 1.3: X-No-Op */
    unsigned char md5[16], sha256[32]; /* of the file */
};

struct sword_receipt {
    unsigned status;
    struct text location; /* Edit-IRI, or Object-URL of 3.0 */
    struct text identifier; /* that it was given (a handle, say), or "" */
    struct text title;      /* as the server calls it, or "" */
    bool unsure; /* something was sent, and no answer came: the item may be there */
    uint64_t retry_after_s; /* of a refusal; 0: not said */
};

/* NONE: it was accepted. Refusals by status: UNAUTHENTICATED 401, DENIED 403, NOT_FOUND 404, GONE 410, CONFLICT 409, DIGEST 412 of a
 * checksum, PRECONDITION 412 of anything else, LIMIT 413, UNSUPPORTED 415 and 406, BUSY 429 and 503, FULL 507, INVALID other 4xx, CONFLICT 3xx, IO 5xx; the
 * message has the server's words. Else as http_client_send(). The receipt is filled in any case. */
enum error_code sword_client_deposit(struct http_client *client, const struct sword_client_deposit *deposit, struct arena *arena,
                                     struct sword_receipt *ret_receipt, struct error *error) AV_MUST_USE;

#endif
