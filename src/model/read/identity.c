/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users, groups and tokens as a principal may see them: administrators all; others themselves, their groups, their
 * tokens. Curators, who set access, are told id and name of any user and group, so that rules can be written
 * and read. What may not be seen is NOT_FOUND.
 */
#include "model/read/view_private.h"

static struct text
kept(struct arena *arena, struct text text)
{
    return text.length == 0 ? TEXT("") : arena_copy(arena, text);
}

static bool
is_curator(const struct view *view)
{
    return view->principal.user != 0 && view->principal.role >= ROLE_CURATOR;
}

static bool
is_in_group(const struct view *view, uint64_t group)
{
    for (size_t i = 0; i < view->principal.group_count; i++)
        if (view->principal.groups[i] == group)
            return true;
    return false;
}

static enum error_code
scan_family(struct view *view, enum family family, struct catalog_scan **ret_scan, struct error *error)
{
    struct key prefix;
    key_begin(&prefix, family);
    return view_scan(view, &prefix, &prefix, false, ret_scan, error);
}

static enum error_code
wrong_key(struct error *error)
{
    return error_set(error, ERROR_CORRUPT, "catalog: the key of a person's record is damaged");
}

/* ---- users ------------------------------------------------------------------------------------------ */

static struct user
user_fill(uint64_t id, const struct user_record *record, struct arena *arena)
{
    return (struct user){
        .id = id,
        .name = kept(arena, record->name),
        .full_name = kept(arena, record->full_name),
        .email = kept(arena, record->email),
        .role = (enum role)record->role,
        .disabled = record->disabled != 0,
        .has_password = record->password.length > 0,
    };
}

static enum error_code
show_user(struct view *view, struct text key, struct text value, view_user *visit, void *context, bool *ret_more,
          struct error *error)
{
    struct user_record record;
    if (key.length != 9)
        return wrong_key(error);
    enum error_code code = user_decode(value, &record, error);
    if (code != ERROR_NONE)
        return code;
    arena_reset(&view->visiting);
    struct user user = user_fill(key_read_number(key, 1), &record, &view->visiting);
    if ((code = arena_status(&view->visiting, error)) == ERROR_NONE)
        *ret_more = visit(context, &user);
    return code;
}

enum error_code
view_users(struct view *view, view_user *visit, void *context, struct error *error)
{
    struct catalog_scan *scan;
    struct text key, value;
    struct user self;
    bool more = true;
    enum error_code code;
    if (!view_is_administrator(view)) {
        if (view->principal.user == 0)
            return error_set(error, ERROR_UNAUTHENTICATED, "say who you are to see users");
        if ((code = view_user_by_id(view, view->principal.user, &self, error)) == ERROR_NONE)
            visit(context, &self);
        return code;
    }
    if ((code = scan_family(view, FAMILY_USER, &scan, error)) != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && more && catalog_scan_next(scan, &key, &value))
        code = show_user(view, key, value, visit, context, &more, error);
    return view_scan_close(scan, code, error);
}

enum error_code
view_user_by_id(struct view *view, uint64_t id, struct user *ret_user, struct error *error)
{
    struct buffer storage = {0};
    struct user_record record;
    bool whole = view_is_administrator(view) || (id != 0 && id == view->principal.user);
    if (!whole && !is_curator(view))
        return view_conceal(view, error, "there is no user %llu", (unsigned long long)id);
    enum error_code code = lookup_user(&view->lookup, id, &storage, &record, error);
    if (code == ERROR_NONE) {
        if (!whole)
            record = (struct user_record){.name = record.name};
        *ret_user = user_fill(id, &record, &view->arena);
        code = arena_status(&view->arena, error);
    }
    buffer_release(&storage);
    return code;
}

enum error_code
view_user_by_name(struct view *view, struct text name, struct user *ret_user, struct error *error)
{
    uint64_t id;
    bool may = view_is_administrator(view) || is_curator(view) ||
               (view->principal.user != 0 && text_equal(name, view->principal.name));
    if (!may)
        return view_conceal(view, error, "there is no user \"%.*s\"", TEXT_ARG(name));
    enum error_code code = lookup_id_by_name(&view->lookup, FAMILY_USER_NAME, name, &id, error);
    return code != ERROR_NONE ? code : view_user_by_id(view, id, ret_user, error);
}

/* ---- groups ----------------------------------------------------------------------------------------- */

static enum error_code
collect_members(struct view *view, uint64_t group, struct arena *arena, struct user_group *out,
                struct error *error)
{
    struct key prefix;
    struct text key, value;
    struct catalog_scan *scan;
    struct buffer members = {0};
    key_of(&prefix, FAMILY_GROUP_MEMBER, group);
    enum error_code code = view_scan(view, &prefix, &prefix, false, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && catalog_scan_next(scan, &key, &value)) {
        if (key.length != 17) {
            code = wrong_key(error);
        } else {
            uint64_t user = key_read_number(key, 9);
            buffer_append(&members, &user, sizeof user);
        }
    }
    if ((code = view_scan_close(scan, code, error)) == ERROR_NONE)
        code = buffer_status(&members, error);
    if (code == ERROR_NONE) {
        out->members = (const uint64_t *)(const void *)kept(arena, buffer_text(&members)).data;
        out->member_count = members.length / sizeof(uint64_t);
        code = arena_status(arena, error);
    }
    buffer_release(&members);
    return code;
}

static enum error_code
group_fill(struct view *view, uint64_t id, struct text record, struct arena *arena, struct user_group *ret_group,
           struct error *error)
{
    struct cursor cursor = cursor_of(record.data, record.length);
    struct user_group group = {.id = id};
    uint64_t length = cursor_varint(&cursor);
    if (cursor.bad || length != cursor.left)
        return error_set(error, ERROR_CORRUPT, "catalog: a group record is damaged");
    group.name = kept(arena, cursor_bytes(&cursor, (size_t)length));
    enum error_code code = arena_status(arena, error);
    if (code == ERROR_NONE && (view_is_administrator(view) || is_in_group(view, id)))
        code = collect_members(view, id, arena, &group, error);
    if (code == ERROR_NONE)
        *ret_group = group;
    return code;
}

enum error_code
view_groups(struct view *view, view_group *visit, void *context, struct error *error)
{
    struct catalog_scan *scan;
    struct text key, value;
    bool more = true;
    if (view->principal.user == 0 && !view_is_administrator(view))
        return error_set(error, ERROR_UNAUTHENTICATED, "say who you are to see groups");
    enum error_code code = scan_family(view, FAMILY_GROUP, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && more && catalog_scan_next(scan, &key, &value)) {
        struct user_group group;
        if (key.length != 9) {
            code = wrong_key(error);
            break;
        }
        uint64_t id = key_read_number(key, 1);
        if (!view_is_administrator(view) && !is_in_group(view, id))
            continue;
        arena_reset(&view->visiting);
        code = group_fill(view, id, value, &view->visiting, &group, error);
        if (code == ERROR_NONE)
            more = visit(context, &group);
    }
    return view_scan_close(scan, code, error);
}

enum error_code
view_group_by_id(struct view *view, uint64_t id, struct user_group *ret_group, struct error *error)
{
    struct buffer value = {0};
    struct key key;
    if (!view_is_administrator(view) && !is_curator(view) && !is_in_group(view, id))
        return view_conceal(view, error, "there is no group %llu", (unsigned long long)id);
    key_of(&key, FAMILY_GROUP, id);
    enum error_code code = lookup_get(&view->lookup, key_text(&key), &value, error);
    if (code == ERROR_NOT_FOUND)
        code = error_set(error, code, "there is no group %llu", (unsigned long long)id);
    else if (code == ERROR_NONE)
        code = group_fill(view, id, buffer_text(&value), &view->arena, ret_group, error);
    buffer_release(&value);
    return code;
}

enum error_code
view_group_by_name(struct view *view, struct text name, struct user_group *ret_group, struct error *error)
{
    uint64_t id;
    struct user_group group;
    enum error_code code = lookup_id_by_name(&view->lookup, FAMILY_GROUP_NAME, name, &id, error);
    if (code == ERROR_NONE)
        code = view_group_by_id(view, id, &group, error);
    if (code == ERROR_NOT_FOUND || code == ERROR_UNAUTHENTICATED) /* one answer, whether it is there or not */
        return view_conceal(view, error, "there is no group \"%.*s\"", TEXT_ARG(name));
    if (code == ERROR_NONE)
        *ret_group = group;
    return code;
}

/* ---- tokens ----------------------------------------------------------------------------------------- */

enum error_code
view_tokens(struct view *view, view_token *visit, void *context, struct error *error)
{
    struct catalog_scan *scan;
    struct text key, value;
    bool more = true, all = view_is_administrator(view);
    if (view->principal.user == 0 && !all)
        return error_set(error, ERROR_UNAUTHENTICATED, "say who you are to see your tokens");
    enum error_code code = scan_family(view, FAMILY_TOKEN, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && more && catalog_scan_next(scan, &key, &value)) {
        struct token_record record;
        code = key.length == 9 ? token_decode(value, &record, error) : wrong_key(error);
        if (code != ERROR_NONE || (!all && record.user != view->principal.user))
            continue;
        struct token token = {key_read_number(key, 1), record.user, record.label, (int64_t)record.created_us,
                              (int64_t)record.expires_us};
        more = visit(context, &token);
    }
    return view_scan_close(scan, code, error);
}
