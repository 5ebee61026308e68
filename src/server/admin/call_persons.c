/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about users, groups, tokens and access. */
#include "server/admin/call.h"

struct listing {
    struct call *call;
    struct view *view;
    enum error_code code;
    struct error *error;
};

static enum error_code
user_id(struct view *view, struct text name, uint64_t *ret_id, struct error *error)
{
    struct user user;
    enum error_code code = view_user_by_name(view, name, &user, error);
    if (code == ERROR_NOT_FOUND)
        return error_set(error, code, "there is no user %.*s", TEXT_ARG(name));
    if (code == ERROR_NONE)
        *ret_id = user.id;
    return code;
}

static enum error_code
group_id(struct view *view, struct text name, uint64_t *ret_id, struct error *error)
{
    struct user_group group;
    enum error_code code = view_group_by_name(view, name, &group, error);
    if (code == ERROR_NOT_FOUND)
        return error_set(error, code, "there is no group %.*s", TEXT_ARG(name));
    if (code == ERROR_NONE)
        *ret_id = group.id;
    return code;
}

/* Opens a view, finds one user (argument "user") and closes it. */
static enum error_code
argument_user(struct call *call, struct user *ret_user, struct error *error)
{
    struct view *view;
    struct text name = call_text(call, "user");
    enum error_code code = call_view(call, &view, error);
    if (code != ERROR_NONE)
        return code;
    code = view_user_by_name(view, name, ret_user, error);
    if (code == ERROR_NONE) {
        ret_user->name = arena_copy(&call->arena, ret_user->name);
        ret_user->full_name = arena_copy(&call->arena, ret_user->full_name);
        ret_user->email = arena_copy(&call->arena, ret_user->email);
    } else if (code == ERROR_NOT_FOUND) {
        error_set(error, code, "there is no user %.*s", TEXT_ARG(name));
    }
    view_close(view);
    return code;
}

static enum error_code
finish(struct call *call, struct transaction *transaction, enum error_code code, struct error *error)
{
    if (code == ERROR_NONE)
        code = call_commit(call, transaction, error);
    transaction_free(transaction);
    return code;
}

static enum error_code
read_role(struct call *call, enum role *role, struct error *error)
{
    struct text word = call_text(call, "role");
    if (word.length > 0 && !role_parse(word, role))
        return error_set(error, ERROR_INVALID, "a role is reader, depositor, curator or administrator");
    return ERROR_NONE;
}

enum error_code
call_user_add(struct call *call, struct error *error)
{
    struct transaction *transaction;
    struct user_change user = {.name = call_text(call, "user"), .full_name = call_text(call, "full_name"),
                               .email = call_text(call, "email"), .role = ROLE_READER};
    enum error_code code = read_role(call, &user.role, error);
    if (code == ERROR_NONE)
        code = call_transaction(call, &transaction, error);
    return code != ERROR_NONE ? code : finish(call, transaction, transaction_add_user(transaction, &user, error), error);
}

enum error_code
call_user_set(struct call *call, struct error *error)
{
    struct transaction *transaction;
    struct user user;
    enum error_code code = argument_user(call, &user, error);
    if (code != ERROR_NONE)
        return code;
    struct user_change change = {user.name, user.full_name, user.email, user.role, user.disabled};
    code = read_role(call, &change.role, error);
    if (json_get(call->arguments, "full_name") != NULL)
        change.full_name = call_text(call, "full_name");
    if (json_get(call->arguments, "email") != NULL)
        change.email = call_text(call, "email");
    if (json_get(call->arguments, "disabled") != NULL)
        change.disabled = call_flag(call, "disabled");
    if (code == ERROR_NONE)
        code = call_transaction(call, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    return finish(call, transaction, transaction_change_user(transaction, user.id, &change, error), error);
}

enum error_code
call_user_rm(struct call *call, struct error *error)
{
    struct transaction *transaction;
    struct user user;
    enum error_code code = argument_user(call, &user, error);
    if (code == ERROR_NONE)
        code = call_transaction(call, &transaction, error);
    return code != ERROR_NONE ? code : finish(call, transaction, transaction_remove_user(transaction, user.id, error), error);
}

enum error_code
call_user_passwd(struct call *call, struct error *error)
{
    struct transaction *transaction;
    struct user user;
    enum error_code code = argument_user(call, &user, error);
    if (code == ERROR_NONE)
        code = call_transaction(call, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    return finish(call, transaction, transaction_set_password(transaction, user.id, call_text(call, "password"), error), error);
}

static bool
send_user(void *context, const struct user *user)
{
    struct listing *listing = context;
    struct json_writer w = call_line_begin(listing->call);
    json_member_u64(&w, "id", user->id);
    json_member_text(&w, "user", user->name);
    json_member_string(&w, "role", role_word(user->role));
    json_member_text(&w, "full_name", user->full_name);
    json_member_text(&w, "email", user->email);
    json_member_bool(&w, "disabled", user->disabled);
    json_member_bool(&w, "password", user->has_password);
    listing->code = call_line_end(listing->call, &w, listing->error);
    return listing->code == ERROR_NONE;
}

enum error_code
call_user_ls(struct call *call, struct error *error)
{
    struct listing listing = {.call = call, .error = error};
    enum error_code code = call_view(call, &listing.view, error);
    if (code != ERROR_NONE)
        return code;
    code = view_users(listing.view, send_user, &listing, error);
    view_close(listing.view);
    return code != ERROR_NONE ? code : listing.code;
}

enum error_code
call_group_add(struct call *call, struct error *error)
{
    struct transaction *transaction;
    enum error_code code = call_transaction(call, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    return finish(call, transaction, transaction_add_group(transaction, call_text(call, "group"), error), error);
}

/* The group of argument "group", and the user of argument "user" when that is given. */
static enum error_code
argument_group(struct call *call, uint64_t *ret_group, uint64_t *ret_user, struct error *error)
{
    struct view *view;
    enum error_code code = call_view(call, &view, error);
    if (code != ERROR_NONE)
        return code;
    code = group_id(view, call_text(call, "group"), ret_group, error);
    if (code == ERROR_NONE && ret_user != NULL)
        code = user_id(view, call_text(call, "user"), ret_user, error);
    view_close(view);
    return code;
}

enum error_code
call_group_rm(struct call *call, struct error *error)
{
    struct transaction *transaction;
    uint64_t group;
    enum error_code code = argument_group(call, &group, NULL, error);
    if (code == ERROR_NONE)
        code = call_transaction(call, &transaction, error);
    return code != ERROR_NONE ? code : finish(call, transaction, transaction_remove_group(transaction, group, error), error);
}

enum error_code
call_group_member(struct call *call, struct error *error)
{
    struct transaction *transaction;
    uint64_t group, user;
    enum error_code code = argument_group(call, &group, &user, error);
    if (code == ERROR_NONE)
        code = call_transaction(call, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    return finish(call, transaction,
                  transaction_set_member(transaction, group, user, call_flag(call, "member"), error), error);
}

static bool
send_group(void *context, const struct user_group *group)
{
    struct listing *listing = context;
    struct json_writer w = call_line_begin(listing->call);
    json_member_u64(&w, "id", group->id);
    json_member_text(&w, "group", group->name);
    json_key(&w, "members");
    json_begin_array(&w);
    for (size_t i = 0; i < group->member_count; i++) {
        struct user user;
        if (view_user_by_id(listing->view, group->members[i], &user, NULL) == ERROR_NONE)
            json_put_text(&w, user.name);
    }
    json_end_array(&w);
    listing->code = call_line_end(listing->call, &w, listing->error);
    return listing->code == ERROR_NONE;
}

enum error_code
call_group_ls(struct call *call, struct error *error)
{
    struct listing listing = {.call = call, .error = error};
    enum error_code code = call_view(call, &listing.view, error);
    if (code != ERROR_NONE)
        return code;
    code = view_groups(listing.view, send_group, &listing, error);
    view_close(listing.view);
    return code != ERROR_NONE ? code : listing.code;
}

enum error_code
call_token_add(struct call *call, struct error *error)
{
    struct transaction *transaction;
    struct user user;
    char token[TOKEN_TEXT_BYTES];
    enum error_code code = argument_user(call, &user, error);
    if (code == ERROR_NONE)
        code = call_transaction(call, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    code = transaction_add_token(transaction, user.id, call_text(call, "label"), (int64_t)call_number(call, "expires_us"),
                                 token, error);
    code = finish(call, transaction, code, error);
    if (code == ERROR_NONE)
        json_member_string(&call->result, "token", token);
    return code;
}

enum error_code
call_token_rm(struct call *call, struct error *error)
{
    struct transaction *transaction;
    enum error_code code = call_transaction(call, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    return finish(call, transaction, transaction_remove_token(transaction, call_number(call, "token"), error), error);
}

static bool
send_token(void *context, const struct token *token)
{
    struct listing *listing = context;
    struct user user;
    struct json_writer w = call_line_begin(listing->call);
    json_member_u64(&w, "id", token->id);
    json_member_text(&w, "user", view_user_by_id(listing->view, token->user, &user, NULL) == ERROR_NONE ? user.name : TEXT(""));
    json_member_text(&w, "label", token->label);
    json_member_i64(&w, "created_us", token->created_us);
    json_member_i64(&w, "expires_us", token->expires_us);
    listing->code = call_line_end(listing->call, &w, listing->error);
    return listing->code == ERROR_NONE;
}

enum error_code
call_token_ls(struct call *call, struct error *error)
{
    struct listing listing = {.call = call, .error = error};
    enum error_code code = call_view(call, &listing.view, error);
    if (code != ERROR_NONE)
        return code;
    code = view_tokens(listing.view, send_token, &listing, error);
    view_close(listing.view);
    return code != ERROR_NONE ? code : listing.code;
}

/* ---- access ----------------------------------------------------------------------------------------- */

static void
put_subject(struct listing *listing, struct json_writer *w, const struct rule_entry *entry)
{
    struct buffer words = {0};
    struct user user;
    struct user_group group;
    switch (entry->kind) {
    case SUBJECT_ANONYMOUS:
        buffer_append_string(&words, "anonymous");
        break;
    case SUBJECT_AUTHENTICATED:
        buffer_append_string(&words, "authenticated");
        break;
    case SUBJECT_OWNER:
        buffer_append_string(&words, "owner");
        break;
    case SUBJECT_USER:
        buffer_append_string(&words, "user:");
        if (view_user_by_id(listing->view, entry->id, &user, NULL) == ERROR_NONE)
            buffer_append_text(&words, user.name);
        break;
    case SUBJECT_GROUP:
        buffer_append_string(&words, "group:");
        if (view_group_by_id(listing->view, entry->id, &group, NULL) == ERROR_NONE)
            buffer_append_text(&words, group.name);
        break;
    }
    json_member_text(w, "subject", buffer_text(&words));
    buffer_clear(&words);
    rights_words(entry->rights, &words);
    json_member_text(w, "rights", buffer_text(&words));
    buffer_release(&words);
}

enum error_code
call_access_ls(struct call *call, struct error *error)
{
    struct listing listing = {.call = call, .error = error};
    struct resource resource;
    struct access access;
    struct text path = call_text(call, "path"), from;
    enum error_code code = call_resolve(call, path, &listing.view, &resource, error);
    if (code != ERROR_NONE)
        return code;
    code = view_access(listing.view, &resource, &access, error);
    if (code == ERROR_NONE)
        code = view_path(listing.view, access.rule_of, &from, error);
    for (size_t i = 0; code == ERROR_NONE && i < access.count; i++) {
        struct json_writer w = call_line_begin(call);
        put_subject(&listing, &w, &access.entries[i]);
        json_member_text(&w, "from", from);
        code = call_line_end(call, &w, error);
    }
    view_close(listing.view);
    return code;
}

static enum error_code
read_subject(struct view *view, struct text word, struct rule_entry *entry, struct error *error)
{
    struct text name;
    struct text kind = text_cut(word, ':', &name);
    if (text_equal(word, TEXT("anonymous")))
        entry->kind = SUBJECT_ANONYMOUS;
    else if (text_equal(word, TEXT("authenticated")))
        entry->kind = SUBJECT_AUTHENTICATED;
    else if (text_equal(word, TEXT("owner")))
        entry->kind = SUBJECT_OWNER;
    else if (text_equal(kind, TEXT("user")) && name.data != NULL) {
        entry->kind = SUBJECT_USER;
        return user_id(view, name, &entry->id, error);
    } else if (text_equal(kind, TEXT("group")) && name.data != NULL) {
        entry->kind = SUBJECT_GROUP;
        return group_id(view, name, &entry->id, error);
    } else {
        return error_set(error, ERROR_INVALID, "whom? %.*s is not anonymous, authenticated, owner, user:NAME or group:NAME",
                         TEXT_ARG(word));
    }
    return ERROR_NONE;
}

static enum error_code
read_rule(struct call *call, const struct json *list, struct rule_entry *entries, size_t *count, struct error *error)
{
    struct view *view;
    enum error_code code = call_view(call, &view, error);
    if (code != ERROR_NONE)
        return code;
    json_each (item, list) {
        struct rule_entry *entry = &entries[*count];
        struct text who, what;
        if (item->kind != JSON_ARRAY || item->count != 2 || !json_text(item->first, &who) ||
            !json_text(item->first->next, &what) || !rights_parse(what, &entry->rights))
            code = error_set(error, ERROR_INVALID, "rights are discover, read, append, write, own, on-behalf-of, deposit, all, none");
        else
            code = read_subject(view, who, entry, error);
        if (code != ERROR_NONE)
            break;
        (*count)++;
    }
    view_close(view);
    return code;
}

enum error_code
call_access_set(struct call *call, struct error *error)
{
    struct transaction *transaction;
    const struct json *list = json_get(call->arguments, "rule"); /* absent: inherit */
    struct rule_entry *entries = NULL;
    size_t count = 0;
    enum error_code code = ERROR_NONE;
    if (list != NULL && list->kind == JSON_ARRAY) {
        entries = arena_alloc(&call->arena, (list->count + 1) * sizeof *entries);
        code = entries == NULL ? arena_status(&call->arena, error) : read_rule(call, list, entries, &count, error);
    }
    if (code == ERROR_NONE)
        code = call_transaction(call, &transaction, error);
    if (code != ERROR_NONE)
        return code;
    code = transaction_set_access(transaction, target_path(call_text(call, "path")), entries, count, error);
    return finish(call, transaction, code, error);
}
