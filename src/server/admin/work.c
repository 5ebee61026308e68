/* SPDX-License-Identifier: Apache-2.0 */
/* See work.h. */
#include "server/admin/work.h"

enum error_code
work_begin(struct work *w, struct call *call, struct error *error)
{
    *w = (struct work){.call = call};
    enum error_code code = configuration_load(call->folder, NULL, &w->configuration, error);
    w->configured = code == ERROR_NONE;
    if (code == ERROR_NONE)
        code = site_open(&w->configuration, call->folder, call->model, &w->repository, error);
    if (code == ERROR_NONE)
        code = call_view(call, &w->view, error);
    if (code == ERROR_NONE)
        code = call_transaction(call, &w->transaction, error);
    return code;
}

enum error_code
work_end(struct work *w, enum error_code code)
{
    transaction_free(w->transaction);
    view_close(w->view);
    repository_free(w->repository);
    if (w->configured)
        configuration_release(&w->configuration);
    return code;
}

enum error_code
work_commit(struct work *w, struct error *error)
{
    return call_commit(w->call, w->transaction, error);
}

enum error_code
work_find(struct work *w, const char *argument, struct entity *ret, struct error *error)
{
    struct text name = call_text(w->call, argument);
    enum error_code code = repository_by_handle(w->repository, w->view, name, ret, error);
    if (code == ERROR_NOT_FOUND)
        code = repository_by_uuid(w->repository, w->view, name, ret, error);
    return code == ERROR_NOT_FOUND ? error_set(error, code, "nothing has the handle or UUID %.*s", TEXT_ARG(name)) : code;
}

enum error_code
work_find_kind(struct work *w, const char *argument, enum entity_kind kind, struct entity *ret, struct error *error)
{
    enum error_code code = work_find(w, argument, ret, error);
    if (code == ERROR_NONE && ret->kind != kind)
        code = error_set(error, ERROR_CONFLICT, "%.*s is a %s, not a %s", TEXT_ARG(call_text(w->call, argument)),
                         entity_kind_word(ret->kind), entity_kind_word(kind));
    return code;
}
