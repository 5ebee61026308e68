/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct line: one operation as the journal tells it (ARCHITECTURE.md "Journal lines", docs/format.md).
 *
 * A line says everything that its effects need: where a resource was and is, by which ancestors, how much
 * it holds. So its effects on the catalog are a function of the line alone, and a rebuild can sort
 * effects by key instead of replaying states. Internal to the model.
 */
#ifndef ARCHIVOLT_MODEL_LINE_H
#define ARCHIVOLT_MODEL_LINE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "model/access.h"
#include "model/statement.h"
#include "volume/place.h"

/* X(NAME, word, is about a resource). The order is stable: its number is stored in the catalog. */
#define OPERATIONS(X)                                                                              \
    X(INIT, "init", false)             /* the store begins */                                      \
    X(LEASE, "lease", false)           /* ids below `next` may be given out */                     \
    X(CREATE, "create", true)          /* a resource, with its first version if it has content */  \
    X(VERSION, "version", true)        /* new content, or a new state of an aggregate */           \
    X(STATEMENTS, "statements", true)  /* removed and added */                                     \
    X(MOVE, "move", true)                                                                          \
    X(DELETE, "delete", true)          /* in force at once, with all below */                      \
    X(TOMBSTONE, "tombstone", true)    /* the object of a deleted resource got its empty version */ \
    X(FORGET, "forget", true)          /* the tombstone no longer marks the path */                \
    X(ACCESS, "access", true)          /* own rule, or 0: inherits */                              \
    X(RULE, "rule", false)             /* defined once, shared */                                  \
    X(OWNER, "owner", true)                                                                        \
    X(FLAGS, "flags", true)            /* an implied container becomes a real one */               \
    X(USER, "user", false)             /* the whole record */                                      \
    X(USER_REMOVED, "user-removed", false)                                                         \
    X(GROUP, "group", false)                                                                       \
    X(GROUP_REMOVED, "group-removed", false)                                                       \
    X(MEMBER, "member", false)                                                                     \
    X(MEMBER_REMOVED, "member-removed", false)                                                     \
    X(TOKEN, "token", false)                                                                       \
    X(TOKEN_REMOVED, "token-removed", false)                                                       \
    X(COUNTER, "counter", false)       /* the last number drawn */                                 \
    X(DUE, "due", true)                /* falls due at a time; 0: no more */                       \
    X(AFFECTED, "affected", false)     /* a follower spread a container's change to these */       \
    X(PURGE, "purge", false)           /* intent */                                                \
    X(PURGED, "purged", false)         /* done */                                                  \
    X(SEALED, "sealed", false)         /* a volume's SHA-256 */                                    \
    X(COMPACTED, "compacted", false)                                                               \
    X(IDENTIFIER, "identifier", true)  /* a name in a scheme of others; outlives a purge */        \
    X(HARVEST, "harvest", true)        /* what harvesters are told of a record; outlives a purge */

enum operation {
#define X(name, word, about) OPERATION_##name,
    OPERATIONS(X)
#undef X
        OPERATION_COUNT,
    OPERATION_UNKNOWN = OPERATION_COUNT /* written by a later program */
};
const char *operation_word(enum operation operation);

struct id_list {
    const uint64_t *ids;
    size_t count;
};
struct statement_list {
    const struct statement *statements;
    size_t count;
};
struct line_content { /* JSON: [volume, offset, size, "digest", "crc crc …" or [volume, offset]] */
    struct place place;
    uint64_t size_bytes;
    struct text digest;     /* bytes */
    struct text block_sums; /* 4 bytes a block, small content */
    struct place sums;      /* bulk content */
};
struct line_extent { /* an entry's data: [volume, offset, length] */
    struct place place;
    uint64_t length;
};
struct line_subtree { /* what moves or goes with it, itself included: [resources, files, bytes] */
    uint64_t resources, files, bytes;
};
struct rule_list {
    const struct rule_entry *entries;
    size_t count;
};
struct number_table { /* [[a,b,…],…], `width` numbers a row */
    const uint64_t *numbers;
    size_t rows, width;
};

/* X(key in JSON, kind, member). The order is that of the JSON. A number that is 0, an empty text or
 * an empty list is left out, and is what an absent member means; `set` tells them apart where it matters. */
#define LINE_FIELDS(X)                                                                             \
    X("id", NUMBER, id)                                                                            \
    X("by", NUMBER, by)                                                                            \
    X("next", NUMBER, next)                                                                        \
    X("format", NUMBER, format)                                                                    \
    X("store", TEXT, store)                                                                        \
    X("parent", NUMBER, parent)                                                                    \
    X("in", IDS, in)                   /* ancestors, root first, parent last */                    \
    X("name", TEXT, name)                                                                          \
    X("to_parent", NUMBER, to_parent)                                                              \
    X("to_in", IDS, to_in)                                                                         \
    X("to_name", TEXT, to_name)                                                                    \
    X("kind", NUMBER, kind)            /* 1 container, 2 file */                                   \
    X("flags", NUMBER, flags)                                                                      \
    X("owner", NUMBER, owner)                                                                      \
    X("rule", NUMBER, rule)                                                                        \
    X("entries", RULES, entries)                                                                   \
    X("aggregate", NUMBER, aggregate)                                                              \
    X("version", NUMBER, version)      /* of the resource */                                       \
    X("deleted", NUMBER, deleted)                                                                  \
    X("inventory", EXTENT, inventory)                                                              \
    X("content", CONTENT, content)                                                                 \
    X("before", NUMBER, before_bytes)  /* size that this version replaces */                       \
    X("type", TEXT, media_type)                                                                    \
    X("filename", TEXT, filename)                                                                  \
    X("mtime", NUMBER, source_mtime_plus) /* microseconds + 2^62 */                                \
    X("mode", NUMBER, source_mode)                                                                 \
    X("fixity", TEXT, fixity)                                                                      \
    X("message", TEXT, message)                                                                    \
    X("removed", STATEMENTS, removed)                                                              \
    X("added", STATEMENTS, added)                                                                  \
    X("statements", NUMBER, statements) /* how many are in force afterwards */                     \
    X("held", NUMBER, statements_version) /* object version whose snapshot holds them */           \
    X("subtree", SUBTREE, subtree)                                                                 \
    X("login", TEXT, login)                                                                        \
    X("full_name", TEXT, full_name)                                                                \
    X("email", TEXT, email)                                                                        \
    X("role", NUMBER, role)                                                                        \
    X("disabled", NUMBER, disabled)                                                                \
    X("password", TEXT, password)      /* Argon2id string */                                       \
    X("group", NUMBER, group)                                                                      \
    X("user", NUMBER, user)                                                                        \
    X("label", TEXT, label)                                                                        \
    X("sha256", HEX, sha256)                                                                       \
    X("created", NUMBER, created_us)                                                               \
    X("expires", NUMBER, expires_us)                                                               \
    X("value", NUMBER, value)                                                                      \
    X("due", NUMBER, due_us)                                                                       \
    X("due_before", NUMBER, due_before_us)                                                         \
    X("cause", TABLE, cause)           /* [[sequence, index]] */                                   \
    X("ids", IDS, ids)                                                                             \
    X("after", NUMBER, after)          /* where the follower goes on */                            \
    X("done", NUMBER, done)                                                                        \
    X("spans", TABLE, spans)           /* [[volume, offset, length, preamble is bulk], …] */       \
    X("lines", TABLE, lines)           /* [[volume, offset of entry, line offset, line length], …] */ \
    X("kept", TABLE, kept)             /* sums of purged lines on others: [[id, children, resources, files, bytes, change], …], zigzag */ \
    X("volume", NUMBER, volume)                                                                    \
    X("bulk", NUMBER, bulk)                                                                        \
    X("generation", NUMBER, generation)                                                            \
    X("size", NUMBER, size_bytes)                                                                  \
    X("scheme", TEXT, scheme)                                                                      \
    X("identifier", TEXT, identifier)                                                              \
    X("live", NUMBER, live)            /* 1: harvesters see it; absent: as deleted */              \
    X("sets", IDS, sets)               /* containers, ascending */                                 \
    X("sets_before", IDS, sets_before)                                                             \
    X("stamp_before", NUMBER, stamp_before_us) /* absent: the first time */

struct line {
    enum operation operation;
    uint64_t id, by, next, format, parent, to_parent, kind, flags, owner, rule, aggregate, version, deleted;
    uint64_t before_bytes, source_mtime_plus, source_mode, statements, statements_version, role, disabled;
    uint64_t group, user, created_us, expires_us, value, due_us, due_before_us, after, done, volume, bulk;
    uint64_t generation, size_bytes, live, stamp_before_us;
    struct text scheme, identifier;
    struct text unknown; /* the word of OPERATION_UNKNOWN */
    struct text store, name, to_name, media_type, filename, fixity, message, login, full_name, email;
    struct text password, label, sha256;
    struct id_list in, to_in, ids, sets, sets_before;
    struct rule_list entries;
    struct line_extent inventory;
    struct line_content content; /* place.volume 0: none */
    struct statement_list removed, added;
    struct line_subtree subtree;
    struct number_table cause, spans, lines, kept;
};

/* JSON object without newline, canonical. */
void line_write(const struct line *line, struct buffer *out);
/* Parsed into the arena; texts may be borrowed from `json`. An operation that is not known gives
 * OPERATION_UNKNOWN, success. A purged line: *ret_purged true. CORRUPT when it is not a line. */
enum error_code line_parse(struct arena *arena, struct text json, struct line *ret_line, bool *ret_purged,
                           struct error *error) AV_MUST_USE;

#endif
