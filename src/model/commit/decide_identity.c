/* SPDX-License-Identifier: Apache-2.0 */
/* Persons, groups and tokens. Administrators only, except one's own password and tokens. */
#include "model/commit/decide.h"
#include "model/record/keys.h"

static enum error_code
require_administrator(struct decision *d, struct error *error)
{
    if (d->transaction->principal.role == ROLE_ADMINISTRATOR)
        return ERROR_NONE;
    return error_set(error, d->transaction->principal.user == 0 ? ERROR_UNAUTHENTICATED : ERROR_DENIED,
                     "only an administrator may do this");
}

static enum error_code
require_self_or_administrator(struct decision *d, uint64_t user, struct error *error)
{
    if (user != 0 && d->transaction->principal.user == user)
        return ERROR_NONE;
    return require_administrator(d, error);
}

static void
line_of_user(struct decision *d, const struct user_record *record, struct line *line)
{
    line->operation = OPERATION_USER;
    line->role = record->role;
    line->disabled = record->disabled;
    line->login = arena_copy(&d->arena, record->name);
    line->full_name = arena_copy(&d->arena, record->full_name);
    line->email = arena_copy(&d->arena, record->email);
    line->password = arena_copy(&d->arena, record->password);
}

static enum error_code
require_free_name(struct decision *d, int family, struct text name, struct error *error)
{
    uint64_t id;
    enum error_code code = lookup_id_by_name(&d->lookup, family, name, &id, NULL);
    if (code == ERROR_NOT_FOUND)
        return ERROR_NONE;
    return error_set(error, code == ERROR_NONE ? ERROR_EXISTS : code, "there is a %.*s already", TEXT_ARG(name));
}

static enum error_code
find_user(struct decision *d, uint64_t id, struct user_record *ret, struct error *error)
{
    enum error_code code = lookup_user(&d->lookup, id, &d->node_storage, ret, error);
    if (code == ERROR_NOT_FOUND)
        return error_set(error, code, "there is no user %llu", (unsigned long long)id);
    return code;
}

enum error_code
decide_add_user(struct decision *d, struct error *error)
{
    const struct user_change *user = &d->stage->user;
    struct line line = {.operation = OPERATION_USER, .role = (uint64_t)user->role, .disabled = user->disabled,
                        .login = user->name, .full_name = user->full_name, .email = user->email};
    enum error_code code = require_administrator(d, error);
    if (code == ERROR_NONE)
        code = require_free_name(d, FAMILY_USER_NAME, user->name, error);
    if (code == ERROR_NONE)
        code = decide_new_id(d, &line.user, error);
    d->stage->result.id = line.user;
    d->stage->result.created = true;
    return code != ERROR_NONE ? code : decide_journal(d, &line, error);
}

/* Some administrator must remain who can come in. */
static enum error_code
require_other_administrator(struct decision *d, uint64_t without, struct error *error)
{
    struct key prefix;
    struct text key, value;
    struct overlay_scan *scan;
    bool another = false;
    key_begin(&prefix, FAMILY_USER);
    enum error_code code = overlay_scan_under(d->now->overlay, &prefix, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (!another && overlay_scan_next(scan, &key, &value)) {
        struct user_record record;
        another = user_decode(value, &record, NULL) == ERROR_NONE && record.role == ROLE_ADMINISTRATOR &&
                  record.disabled == 0 && key_read_number(key, 1) != without;
    }
    code = overlay_scan_close(scan, error);
    if (code == ERROR_NONE && !another)
        return error_set(error, ERROR_CONFLICT, "the last administrator must stay");
    return code;
}

enum error_code
decide_change_user(struct decision *d, struct error *error)
{
    const struct user_change *user = &d->stage->user;
    struct user_record record;
    struct line line = {.user = d->stage->number};
    enum error_code code = require_administrator(d, error);
    if (code == ERROR_NONE)
        code = find_user(d, line.user, &record, error);
    if (code == ERROR_NONE && record.role == ROLE_ADMINISTRATOR &&
        (user->role != ROLE_ADMINISTRATOR || user->disabled))
        code = require_other_administrator(d, line.user, error);
    if (code != ERROR_NONE)
        return code;
    record.role = (uint64_t)user->role;
    record.disabled = user->disabled;
    record.full_name = user->full_name;
    record.email = user->email;
    line_of_user(d, &record, &line);
    d->stage->result.id = line.user;
    return decide_journal(d, &line, error);
}

/* Keys of a family that begin with an id, and end with another: the others, bounded by `capacity`. */
static enum error_code
paired_ids(struct decision *d, enum family family, uint64_t id, uint64_t *ids, size_t capacity, size_t *ret_count,
           struct error *error)
{
    struct key prefix;
    struct text key, value;
    struct overlay_scan *scan;
    size_t count = 0;
    key_of(&prefix, family, id);
    enum error_code code = overlay_scan_under(d->now->overlay, &prefix, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (count < capacity && overlay_scan_next(scan, &key, &value))
        ids[count++] = key_read_number(key, 9);
    *ret_count = count;
    return overlay_scan_close(scan, error);
}

#define PAIRS_AT_ONCE 256u

/* Takes a user out of all groups, or all users out of a group. */
static enum error_code
end_memberships(struct decision *d, uint64_t user, uint64_t group, struct error *error)
{
    uint64_t ids[PAIRS_AT_ONCE];
    size_t count = 0;
    enum error_code code;
    do {
        code = paired_ids(d, user != 0 ? FAMILY_MEMBER : FAMILY_GROUP_MEMBER, user != 0 ? user : group, ids,
                          PAIRS_AT_ONCE, &count, error);
        for (size_t i = 0; i < count && code == ERROR_NONE; i++) {
            struct line line = {.operation = OPERATION_MEMBER_REMOVED, .user = user != 0 ? user : ids[i],
                                .group = user != 0 ? ids[i] : group};
            code = decide_journal(d, &line, error);
        }
    } while (code == ERROR_NONE && count == PAIRS_AT_ONCE);
    return code;
}

static enum error_code
end_token(struct decision *d, uint64_t id, struct error *error)
{
    struct key key;
    struct token_record token;
    struct line line = {.operation = OPERATION_TOKEN_REMOVED, .value = id};
    key_of(&key, FAMILY_TOKEN, id);
    enum error_code code = lookup_get(&d->lookup, key_text(&key), &d->node_storage, NULL);
    if (code != ERROR_NONE)
        return error_set(error, code, "there is no token %llu", (unsigned long long)id);
    code = token_decode(buffer_text(&d->node_storage), &token, error);
    if (code == ERROR_NONE)
        code = require_self_or_administrator(d, token.user, error);
    if (code != ERROR_NONE)
        return code;
    line.user = token.user;
    line.sha256 = arena_copy(&d->arena, token.sha256);
    return decide_journal(d, &line, error);
}

static enum error_code
end_tokens_of(struct decision *d, uint64_t user, struct error *error)
{
    struct key prefix;
    struct text key, value;
    struct overlay_scan *scan;
    uint64_t ids[PAIRS_AT_ONCE];
    size_t count;
    enum error_code code;
    do {
        count = 0;
        key_begin(&prefix, FAMILY_TOKEN);
        code = overlay_scan_under(d->now->overlay, &prefix, &scan, error);
        if (code != ERROR_NONE)
            return code;
        while (count < PAIRS_AT_ONCE && overlay_scan_next(scan, &key, &value)) {
            struct token_record token;
            if (token_decode(value, &token, NULL) == ERROR_NONE && token.user == user)
                ids[count++] = key_read_number(key, 1);
        }
        code = overlay_scan_close(scan, error);
        for (size_t i = 0; i < count && code == ERROR_NONE; i++)
            code = end_token(d, ids[i], error);
    } while (code == ERROR_NONE && count == PAIRS_AT_ONCE);
    return code;
}

enum error_code
decide_remove_user(struct decision *d, struct error *error)
{
    struct user_record record;
    struct line line = {.operation = OPERATION_USER_REMOVED, .user = d->stage->number};
    enum error_code code = require_administrator(d, error);
    if (code == ERROR_NONE)
        code = find_user(d, line.user, &record, error);
    if (code == ERROR_NONE && record.role == ROLE_ADMINISTRATOR)
        code = require_other_administrator(d, line.user, error);
    if (code != ERROR_NONE)
        return code;
    line.login = arena_copy(&d->arena, record.name);
    code = end_memberships(d, line.user, 0, error);
    if (code == ERROR_NONE)
        code = end_tokens_of(d, line.user, error);
    return code != ERROR_NONE ? code : decide_journal(d, &line, error);
}

enum error_code
decide_set_password(struct decision *d, struct error *error)
{
    struct user_record record;
    struct line line = {.user = d->stage->number};
    enum error_code code = require_self_or_administrator(d, line.user, error);
    if (code == ERROR_NONE)
        code = find_user(d, line.user, &record, error);
    if (code != ERROR_NONE)
        return code;
    record.password = d->stage->secret;
    line_of_user(d, &record, &line);
    d->stage->result.id = line.user;
    return decide_journal(d, &line, error);
}

enum error_code
decide_add_group(struct decision *d, struct error *error)
{
    struct line line = {.operation = OPERATION_GROUP, .login = d->stage->name};
    enum error_code code = require_administrator(d, error);
    if (code == ERROR_NONE)
        code = require_free_name(d, FAMILY_GROUP_NAME, line.login, error);
    if (code == ERROR_NONE)
        code = decide_new_id(d, &line.group, error);
    d->stage->result.id = line.group;
    d->stage->result.created = true;
    return code != ERROR_NONE ? code : decide_journal(d, &line, error);
}

/* A group's name into the line; NOT_FOUND without such a group. */
static enum error_code
find_group(struct decision *d, uint64_t id, struct text *ret_name, struct error *error)
{
    struct key key;
    key_of(&key, FAMILY_GROUP, id);
    enum error_code code = lookup_get(&d->lookup, key_text(&key), &d->node_storage, NULL);
    if (code != ERROR_NONE)
        return error_set(error, code, "there is no group %llu", (unsigned long long)id);
    struct cursor cursor = cursor_of(d->node_storage.data, d->node_storage.length);
    uint64_t length = cursor_varint(&cursor);
    *ret_name = arena_copy(&d->arena, cursor_bytes(&cursor, (size_t)length));
    return ERROR_NONE;
}

enum error_code
decide_remove_group(struct decision *d, struct error *error)
{
    struct line line = {.operation = OPERATION_GROUP_REMOVED, .group = d->stage->number};
    enum error_code code = require_administrator(d, error);
    if (code == ERROR_NONE)
        code = find_group(d, line.group, &line.login, error);
    if (code == ERROR_NONE)
        code = end_memberships(d, 0, line.group, error);
    return code != ERROR_NONE ? code : decide_journal(d, &line, error);
}

enum error_code
decide_set_member(struct decision *d, struct error *error)
{
    struct text name;
    struct user_record record;
    struct line line = {.operation = d->stage->member ? OPERATION_MEMBER : OPERATION_MEMBER_REMOVED,
                        .user = d->stage->number, .group = d->stage->group};
    enum error_code code = require_administrator(d, error);
    if (code == ERROR_NONE)
        code = find_group(d, line.group, &name, error);
    if (code == ERROR_NONE)
        code = find_user(d, line.user, &record, error);
    return code != ERROR_NONE ? code : decide_journal(d, &line, error);
}

enum error_code
decide_add_token(struct decision *d, struct error *error)
{
    struct stage *stage = d->stage;
    struct user_record record;
    struct line line = {.operation = OPERATION_TOKEN, .user = stage->number, .label = stage->name,
                        .expires_us = stage->group, .sha256 = stage->secret};
    enum error_code code = require_self_or_administrator(d, line.user, error);
    if (code == ERROR_NONE)
        code = find_user(d, line.user, &record, error);
    if (code == ERROR_NONE)
        code = decide_new_id(d, &line.value, error);
    stage->result.id = line.value;
    stage->result.created = true;
    return code != ERROR_NONE ? code : decide_journal(d, &line, error);
}

enum error_code
decide_remove_token(struct decision *d, struct error *error)
{
    return end_token(d, d->stage->number, error);
}

enum error_code
decide_line(struct decision *d, struct error *error)
{
    return decide_journal(d, &d->stage->line, error);
}
