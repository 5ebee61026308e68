/* SPDX-License-Identifier: Apache-2.0 */
/* Records of users and tokens as effect.c writes them, and how they are found: see private.h. */
#include "model/record/keys.h"
#include "model/private.h"

enum error_code
user_decode(struct text value, struct user_record *ret_user, struct error *error)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    struct user_record user;
    user.role = cursor_varint(&cursor);
    user.disabled = cursor_varint(&cursor);
    user.name = cursor_counted(&cursor);
    user.full_name = cursor_counted(&cursor);
    user.email = cursor_counted(&cursor);
    user.password = cursor_counted(&cursor);
    enum error_code code = record_end(&cursor, "user", error);
    if (code == ERROR_NONE && user.role >= ROLE_COUNT)
        code = error_set(error, ERROR_CORRUPT, "catalog: a user record names a role that there is not");
    if (code == ERROR_NONE)
        *ret_user = user;
    return code;
}

enum error_code
token_decode(struct text value, struct token_record *ret_token, struct error *error)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    struct token_record token;
    token.user = cursor_varint(&cursor);
    token.created_us = cursor_varint(&cursor);
    token.expires_us = cursor_varint(&cursor);
    token.label = cursor_counted(&cursor);
    token.sha256 = cursor_counted(&cursor);
    enum error_code code = record_end(&cursor, "token", error);
    if (code == ERROR_NONE)
        *ret_token = token;
    return code;
}

enum error_code
lookup_user(const struct lookup *lookup, uint64_t id, struct buffer *storage, struct user_record *ret_user,
            struct error *error)
{
    struct key key;
    key_of(&key, FAMILY_USER, id);
    enum error_code code = lookup_get(lookup, key_text(&key), storage, error);
    if (code == ERROR_NOT_FOUND)
        return error_set(error, code, "there is no user %llu", (unsigned long long)id);
    return code != ERROR_NONE ? code : user_decode(buffer_text(storage), ret_user, error);
}

enum error_code
lookup_id_by_name(const struct lookup *lookup, int family, struct text name, uint64_t *ret_id,
                  struct error *error)
{
    struct key key;
    struct buffer value = {0};
    if (name.length == 0 || name.length > 255)
        return error_set(error, ERROR_NOT_FOUND, "there is nobody and nothing of that name");
    key_begin(&key, (enum family)family);
    key_append(&key, name);
    enum error_code code = lookup_get(lookup, key_text(&key), &value, error);
    if (code == ERROR_NONE) {
        struct cursor cursor = cursor_of(value.data, value.length);
        *ret_id = cursor_varint(&cursor);
        if (cursor.bad)
            code = error_set(error, ERROR_CORRUPT, "catalog: a name's record is damaged");
    } else if (code == ERROR_NOT_FOUND) {
        code = error_set(error, code, "there is no \"%.*s\"", TEXT_ARG(name));
    }
    buffer_release(&value);
    return code;
}
