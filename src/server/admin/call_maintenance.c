/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about the whole store. What is wrong goes out as lines; the count of faults decides the exit status. */
#include "server/admin/call.h"

static enum error_code
faults_result(struct call *call, uint64_t faults, enum error_code code, struct error *error)
{
    if (code != ERROR_NONE)
        return code;
    if (faults > 0)
        return error_set(error, ERROR_CORRUPT, "%llu faults", (unsigned long long)faults);
    json_member_u64(&call->result, "faults", 0);
    return ERROR_NONE;
}

enum error_code
call_verify(struct call *call, struct error *error)
{
    struct model_verify_options options = {call_number(call, "since"), call_number(call, "budget")};
    uint64_t faults = 0;
    enum error_code code = model_verify(call->model, &options, call_maintenance_proceed, call_maintenance_line, call,
                                        &faults, error);
    return faults_result(call, faults, code, error);
}

enum error_code
call_fsck(struct call *call, struct error *error)
{
    uint64_t faults = 0;
    enum error_code code = model_fsck(call->model, call_maintenance_proceed, call_maintenance_line, call, &faults, error);
    return faults_result(call, faults, code, error);
}

enum error_code
call_dump(struct call *call, struct error *error)
{
    return model_dump(call->model, call_maintenance_line, call, error);
}

enum error_code
call_compact(struct call *call, struct error *error)
{
    uint64_t percent = call_number(call, "gain_percent");
    return model_compact(call->model, (double)percent / 100, call_maintenance_proceed, call_maintenance_line, call, error);
}

enum error_code
call_seal(struct call *call, struct error *error)
{
    return model_seal(call->model, error);
}

enum error_code
call_journal(struct call *call, struct error *error)
{
    return model_journal(call->model, call_number(call, "after"), call_flag(call, "verify"), call_text(call, "expect"),
                         call_maintenance_line, call, error);
}

enum error_code
call_export_ocfl(struct call *call, struct error *error)
{
    const char *folder = arena_string(&call->arena, call_text(call, "folder"));
    if (folder == NULL)
        return arena_status(&call->arena, error);
    return model_export_ocfl(call->model, folder, call_maintenance_proceed, call, error);
}

enum error_code
call_purge(struct call *call, struct error *error)
{
    return model_purge(call->model, &call->principal, call_text(call, "path"), call_number(call, "id"),
                       call_maintenance_proceed, call, error);
}

enum error_code
call_purge_copy(struct call *call, struct error *error)
{
    const char *folder = arena_string(&call->arena, call_text(call, "folder"));
    if (folder == NULL)
        return arena_status(&call->arena, error);
    return model_purge_copy(call->model, folder, call_maintenance_line, call, error);
}
