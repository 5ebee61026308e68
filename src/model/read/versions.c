/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of a resource, oldest first: a scan of their family. See view.h. */
#include "model/read/view_private.h"

static enum error_code
version_fill(struct view *view, uint64_t number, const struct version_record *record, struct version *ret_version,
             struct error *error)
{
    struct text user_name;
    size_t digest = record->digest.length < DIGEST_SIZE_MAX ? record->digest.length : DIGEST_SIZE_MAX;
    enum error_code code = view_user_name(view, record->user, &user_name, error);
    if (code != ERROR_NONE)
        return code;
    *ret_version = (struct version){
        .number = number,
        .sequence = record->sequence,
        .time_us = (int64_t)record->time_us,
        .user = record->user,
        .user_name = user_name,
        .message = record->message.length == 0 ? TEXT("") : record->message,
        .size_bytes = record->size_bytes,
        .media_type = record->media_type.length == 0 ? TEXT("") : record->media_type,
        .deleted = (record->flags & VERSION_DELETED) != 0,
    };
    if (digest > 0)
        memcpy(ret_version->digest, record->digest.data, digest);
    return ERROR_NONE;
}

static enum error_code
show_version(struct view *view, struct text key, struct text value, view_version *visit, void *context,
             bool *ret_more, struct error *error)
{
    struct version_record record;
    struct version version;
    enum error_code code;
    if ((code = version_decode(value, &record, error)) != ERROR_NONE ||
        (code = version_fill(view, key_read_number32(key, 9), &record, &version, error)) != ERROR_NONE)
        return code;
    *ret_more = visit(context, &version);
    return ERROR_NONE;
}

enum error_code
view_versions(struct view *view, uint64_t id, uint64_t after_number, view_version *visit, void *context,
              struct error *error)
{
    struct standing standing;
    struct key from, prefix;
    struct text key, value;
    struct catalog_scan *scan;
    bool more = true;
    enum error_code code = view_admit(view, id, VIEW_DELETED_GONE, &standing, error);
    if (code != ERROR_NONE || after_number >= UINT32_MAX)
        return code;
    key_version(&from, id, after_number + 1);
    key_of(&prefix, FAMILY_VERSION, id);
    if ((code = view_scan(view, &from, &prefix, false, &scan, error)) != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && more && catalog_scan_next(scan, &key, &value))
        code = show_version(view, key, value, visit, context, &more, error);
    return view_scan_close(scan, code, error);
}
