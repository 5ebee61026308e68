/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct call: one command under way in a handler. Internal to the admin channel.
 *
 * A handler reads its arguments, may receive content, sends lines and content, fills `result` and returns; the
 * dispatcher sends RESULT or ERROR. Adding a call: a line in ADMIN_CALLS, a function call_NAME().
 */
#ifndef ARCHIVOLT_SERVER_ADMIN_CALL_H
#define ARCHIVOLT_SERVER_ADMIN_CALL_H

#include "base/arena.h"
#include "format/json.h"
#include "model/maintenance.h"
#include "model/model.h"
#include "server/admin/channel.h"

/* X(name, takes content) */
#define ADMIN_CALLS(X)                                                                             \
    X(status, false)                                                                               \
    X(put, true)                                                                                   \
    X(get, false)                                                                                  \
    X(ls, false)                                                                                   \
    X(walk, false)                                                                                 \
    X(stat, false)                                                                                 \
    X(mkdir, false)                                                                                \
    X(mv, false)                                                                                   \
    X(cp, false)                                                                                   \
    X(rm, false)                                                                                   \
    X(meta_change, false)                                                                          \
    X(meta_ls, false)                                                                              \
    X(meta_find, false)                                                                            \
    X(history, false)                                                                              \
    X(user_add, false)                                                                             \
    X(user_set, false)                                                                             \
    X(user_ls, false)                                                                              \
    X(user_rm, false)                                                                              \
    X(user_passwd, false)                                                                          \
    X(group_add, false)                                                                            \
    X(group_ls, false)                                                                             \
    X(group_rm, false)                                                                             \
    X(group_member, false)                                                                         \
    X(token_add, false)                                                                            \
    X(token_ls, false)                                                                             \
    X(token_rm, false)                                                                             \
    X(access_ls, false)                                                                            \
    X(access_set, false)                                                                           \
    X(purge, false)                                                                                \
    X(purge_copy, false)                                                                           \
    X(verify, false)                                                                               \
    X(fsck, false)                                                                                 \
    X(dump, false)                                                                                 \
    X(compact, false)                                                                              \
    X(seal, false)                                                                                 \
    X(journal, false)                                                                              \
    X(export_ocfl, false)                                                                          \
    X(community_add, false)                                                                        \
    X(collection_add, false)                                                                       \
    X(collection_set, false)                                                                       \
    X(item_ls, false)                                                                              \
    X(item_show, false)                                                                            \
    X(item_state, false)                                                                           \
    X(item_place, false)                                                                           \
    X(import, false)                                                                               \
    X(export_saf, false)                                                                           \
    X(check, false)

struct call {
    struct model *model;
    const char *folder;
    struct principal principal;
    struct channel *channel;
    const struct json *arguments;
    struct arena arena;
    struct buffer line;       /* scratch of call_line */
    struct json_writer result; /* an object that is open: add members */
    struct buffer result_json;
    struct error send_error;  /* of lines: sticky */
    uint64_t last_progress_ns;
};

typedef enum error_code call_function(struct call *call, struct error *error);
#define X(name, content) call_function call_##name;
ADMIN_CALLS(X)
#undef X

/* Arguments. A missing text is ""; missing numbers are 0. */
struct text call_text(const struct call *call, const char *name);
uint64_t call_number(const struct call *call, const char *name);
bool call_flag(const struct call *call, const char *name);
/* Begins a LINE object in call->line; call_line_end sends it. */
struct json_writer call_line_begin(struct call *call);
enum error_code call_line_end(struct call *call, struct json_writer *writer, struct error *error) AV_MUST_USE;
/* Members of a resource into an open object. */
void call_put_resource(struct call *call, struct json_writer *writer, const struct resource *resource, struct text path);
/* For maintenance: lines and progress to the peer; false when the peer has gone. */
bool call_maintenance_line(void *call, struct text json);
bool call_maintenance_proceed(void *call, const char *what, uint64_t done, uint64_t total);
/* A view that the handler closes. */
enum error_code call_view(struct call *call, struct view **ret_view, struct error *error) AV_MUST_USE;
/* The same for a path that is checked first. */
enum error_code call_view_at(struct call *call, struct text path, struct view **ret_view, struct error *error) AV_MUST_USE;
/* And its resource; when there is none, no view is left open. */
enum error_code call_resolve(struct call *call, struct text path, struct view **ret_view, struct resource *ret_resource,
                             struct error *error) AV_MUST_USE;
/* Commits, and puts id, version, created, counter of each operation's last result into the result. */
enum error_code call_commit(struct call *call, struct transaction *transaction, struct error *error) AV_MUST_USE;
enum error_code call_transaction(struct call *call, struct transaction **ret_transaction, struct error *error) AV_MUST_USE;

#endif
