/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model: the only door to what is stored. This header: opening, health, identity of persons.
 * view.h reads, transaction.h writes, access.h says who may.
 *
 * Life: model_create() once a folder; model_open() - views and transactions from any thread -
 * model_close(). The model owns the volumes, the catalog, the committer thread and the follower thread.
 * Threads: any thread may call anything here.
 */
#ifndef ARCHIVOLT_MODEL_MODEL_H
#define ARCHIVOLT_MODEL_MODEL_H

#include "base/buffer.h"
#include "model/access.h"
#include "model/limits.h"
#include "model/transaction.h"
#include "model/view.h"

struct model_options {
    const char *folder;           /* the data folder */
    struct model_limits limits;   /* model_limits_default() */
    uint64_t volume_size_bytes;   /* 0: default of the store; the same for the next four */
    uint64_t small_content_bytes;
    uint64_t content_memory_bytes;
    uint64_t catalog_cache_bytes;
    unsigned bulk_open;
    unsigned id_lease;            /* ids leased at a time: what is not used of the last lease is lost; 0: 10,000 */
    bool accept_clock;
    bool read_only;               /* no lock, no recovery: looks at a copy */
    bool sha256;                  /* model_create only: digest sha256 instead of sha512 */
    /* Progress of a replay or rebuild while opening; may be NULL. */
    void (*progress)(void *context, const char *what, uint64_t done, uint64_t total);
    /* Events worth a log line while running ("catalog dropped", "tail cut"); may be NULL. */
    void (*notice)(void *context, const char *event, struct text detail);
    void *context;
};

struct model;

/* Makes folder, volumes, the first administrator `admin`, and its token (43 characters and NUL).
 * EXISTS when the folder holds a store; INVALID when it holds something else. */
#define TOKEN_TEXT_BYTES 64
enum error_code model_create(const struct model_options *options, char ret_token[TOKEN_TEXT_BYTES],
                             struct error *error) AV_MUST_USE;
/* BUSY: another process has it (the message names it). NOT_FOUND, INVALID: no store there.
 * UNSUPPORTED: a newer format. CORRUPT, IO, FULL. */
enum error_code model_open(const struct model_options *options, struct model **ret_model,
                           struct error *error) AV_MUST_USE;
void model_close(struct model *model); /* waits for what was submitted, flushes the catalog */
/* Rebuilds the catalog from the volumes alone (the store must not be open elsewhere). */
enum error_code model_rebuild(const struct model_options *options, uint64_t *ret_resources,
                              struct error *error) AV_MUST_USE;

struct model_health {
    bool writable;            /* false: FULL or FAILED; `why` says */
    char why[256];
    uint64_t free_bytes, total_bytes;
    uint64_t sequence;        /* of the last durable group */
    unsigned char chain[32];  /* head of the journal's hash chain */
    uint64_t follower_sequence; /* everything up to here has been followed */
    uint64_t follower_pending;  /* container operations still being spread */
    uint64_t resources, files, bytes; /* live, kept counts */
    uint64_t groups, operations;      /* since start */
    uint64_t layout_ns, bulk_sync_ns, write_ns, sync_ns, catalog_ns; /* sums since start */
    uint64_t waiting;         /* transactions in the queue now */
};
void model_health(struct model *model, struct model_health *ret_health);
/* Engine's own figures as a JSON object. */
void model_catalog_properties(struct model *model, struct buffer *ret_json);
/* "urn:uuid:…" of the store, its format, digest algorithm word. */
struct model_identity {
    char uuid[37];
    unsigned format;
    const char *digest;
};
void model_identity(struct model *model, struct model_identity *ret_identity);
const struct model_limits *model_limits(const struct model *model);

/*
 * The next number of a named counter, from a block that has been journalled beforehand (so most calls wait for nothing, and
 * numbers drawn and not used are gaps; what is left of a block is given back by model_close()). Blocks: not for event
 * loops when model_drawn_at_hand() is false. Never gives out a number twice, also after a crash.
 */
enum error_code model_draw(struct model *model, struct text counter, uint64_t *ret_number, struct error *error) AV_MUST_USE;
bool model_drawn_at_hand(struct model *model, struct text counter);
/* A new time-ordered UUID (version 7), 36 characters and NUL. */
#define MODEL_UUID_BYTES 37
void model_uuid(struct model *model, char ret[MODEL_UUID_BYTES]);
/* No group that is stamped with this time or an earlier one will come any more: the upper bound of harvest lists. */
int64_t model_settled_us(struct model *model);
/* When the store was made. */
int64_t model_created_us(struct model *model);

/* ---- persons ------------------------------------------------------------------------------------ */

struct principal principal_anonymous(void);
/* The administrator of the local command line (the server's own user). Static texts. */
struct principal principal_local(void);
/* Whom another person names, for programs that act for them: by e-mail address, then login name, then full name. NOT_FOUND:
 * nobody, or a disabled user; CONFLICT: several have that address or that full name. Looks at every user. */
enum error_code model_find_person(struct model *model, struct text who, struct arena *arena,
                                  struct principal *ret_principal, struct error *error) AV_MUST_USE;
/* A person by name and password, or by name and a token in the password's place. Verified passwords
 * are remembered for 5 minutes under a keyed hash. UNAUTHENTICATED: wrong (always after the work of a hash);
 * BUSY: two Argon2 runs are under way already (retry after a second). Blocks: not for event loops when
 * model_password_remembered() is false. */
enum error_code model_authenticate(struct model *model, struct text name, struct text password,
                                   struct arena *arena, struct principal *ret_principal,
                                   struct error *error) AV_MUST_USE;
bool model_password_remembered(struct model *model, struct text name, struct text password);
/* By API token alone (Bearer). Quick. UNAUTHENTICATED when unknown, expired or its user disabled. */
enum error_code model_authenticate_token(struct model *model, struct text token, struct arena *arena,
                                         struct principal *ret_principal, struct error *error) AV_MUST_USE;

#endif
