/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is asking: names with passwords or tokens become principals. See model.h.
 *
 * What is told apart outside: UNAUTHENTICATED, always in the same words and after the same work, and BUSY. A password
 * that was verified is remembered (password_cache.c) under a keyed hash that covers the user's stored Argon2
 * string, so that a changed password can never be taken for a remembered one. Before either comes what the same
 * credentials gave a moment ago (principal_cache.c).
 */
#include "auth/password.h"
#include "auth/token.h"
#include "base/ensure.h"
#include "model/record/keys.h"
#include "model/persons/password_cache.h"
#include "model/persons/principal_cache.h"
#include "model/private.h"

static enum error_code
refuse(struct error *error)
{
    return error_set(error, ERROR_UNAUTHENTICATED, "the name or its password is wrong");
}

static struct lookup
newest(const struct model *model)
{
    return (struct lookup){.catalog = model->catalog};
}

static int64_t
now_us(const struct model *model)
{
    return model->clock->now_us(model->clock);
}

struct principal
principal_anonymous(void)
{
    return (struct principal){.name = TEXT("anonymous"), .role = ROLE_READER};
}

struct principal
principal_local(void)
{
    return (struct principal){.user = ADMIN_ID, .name = TEXT("admin"), .role = ROLE_ADMINISTRATOR};
}

/* ---- from user to principal ------------------------------------------------------------------------ */

static enum error_code
fill_groups(const struct lookup *lookup, uint64_t user, struct arena *arena, struct principal *principal,
            struct error *error)
{
    struct key prefix;
    struct text key, value;
    struct catalog_scan *scan;
    struct buffer groups = {0};
    key_of(&prefix, FAMILY_MEMBER, user);
    enum error_code code = lookup_scan(lookup, &prefix, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (catalog_scan_next(scan, &key, &value))
        if (key.length == 17) {
            uint64_t group = key_read_number(key, 9);
            buffer_append(&groups, &group, sizeof group);
        }
    if ((code = catalog_scan_close(scan, error)) == ERROR_NONE)
        code = buffer_status(&groups, error);
    if (code == ERROR_NONE && groups.length > 0) {
        principal->groups = (const uint64_t *)(const void *)arena_copy(arena, buffer_text(&groups)).data;
        principal->group_count = groups.length / sizeof(uint64_t);
    }
    buffer_release(&groups);
    return code != ERROR_NONE ? code : arena_status(arena, error);
}

static enum error_code
fill_principal(const struct lookup *lookup, uint64_t user, const struct user_record *record, struct arena *arena,
               struct principal *ret_principal, struct error *error)
{
    struct principal principal = {.user = user, .role = (enum role)record->role};
    principal.name = arena_copy(arena, record->name);
    enum error_code code = fill_groups(lookup, user, arena, &principal, error);
    if (code == ERROR_NONE)
        *ret_principal = principal;
    return code;
}

/* ---- tokens ---------------------------------------------------------------------------------------- */

/* The user whose token it is. UNAUTHENTICATED: unknown or expired. */
static enum error_code
user_of_token(struct model *model, struct text token, uint64_t *ret_user, int64_t *ret_expires_us,
              struct error *error)
{
    struct lookup lookup = newest(model);
    struct buffer storage = {0};
    struct token_record record;
    struct key key;
    unsigned char hash[TOKEN_HASH_BYTES];
    uint64_t id;
    if (!token_has_shape(token))
        return error_set(error, ERROR_UNAUTHENTICATED, "the token is not valid");
    token_hash(token, hash);
    enum error_code code = lookup_id_by_name(&lookup, FAMILY_TOKEN_HASH,
                                             text_of((const char *)hash, sizeof hash), &id, error);
    if (code == ERROR_NONE) {
        key_of(&key, FAMILY_TOKEN, id);
        code = lookup_get(&lookup, key_text(&key), &storage, error);
    }
    if (code == ERROR_NONE)
        code = token_decode(buffer_text(&storage), &record, error);
    if (code == ERROR_NONE && record.expires_us != 0 &&
        (int64_t)record.expires_us <= now_us(model))
        code = ERROR_NOT_FOUND;
    if (code == ERROR_NOT_FOUND)
        code = error_set(error, ERROR_UNAUTHENTICATED, "the token is not valid");
    if (code == ERROR_NONE) {
        *ret_user = record.user;
        *ret_expires_us = (int64_t)record.expires_us;
    }
    buffer_release(&storage);
    return code;
}

enum error_code
model_authenticate_token(struct model *model, struct text token, struct arena *arena,
                         struct principal *ret_principal, struct error *error)
{
    struct lookup lookup = newest(model);
    struct credentials credentials = {true, TEXT(""), token};
    struct buffer storage = {0};
    struct user_record record;
    uint64_t user, generation = principal_cache_generation(model->principals);
    int64_t expires_us;
    if (principal_cache_find(model->principals, &credentials, now_us(model), arena, ret_principal))
        return ERROR_NONE;
    enum error_code code = user_of_token(model, token, &user, &expires_us, error);
    if (code == ERROR_NONE)
        code = lookup_user(&lookup, user, &storage, &record, error);
    if (code == ERROR_NOT_FOUND || (code == ERROR_NONE && record.disabled != 0))
        code = error_set(error, ERROR_UNAUTHENTICATED, "the token is not valid");
    if (code == ERROR_NONE)
        code = fill_principal(&lookup, user, &record, arena, ret_principal, error);
    if (code == ERROR_NONE)
        principal_cache_remember(model->principals, &credentials, generation, ret_principal, expires_us);
    buffer_release(&storage);
    return code;
}

/* ---- names with passwords --------------------------------------------------------------------------- */

struct claimant {
    uint64_t user; /* 0: nobody of that name */
    struct user_record record;
    struct buffer storage;
};

static enum error_code
claimant_find(const struct lookup *lookup, struct text name, struct claimant *ret_claimant, struct error *error)
{
    *ret_claimant = (struct claimant){0};
    enum error_code code = lookup_id_by_name(lookup, FAMILY_USER_NAME, name, &ret_claimant->user, error);
    if (code == ERROR_NONE)
        code = lookup_user(lookup, ret_claimant->user, &ret_claimant->storage, &ret_claimant->record, error);
    if (code == ERROR_NOT_FOUND) {
        ret_claimant->user = 0;
        code = ERROR_NONE;
    }
    return code;
}

static bool
claimant_may_enter(const struct claimant *claimant)
{
    return claimant->user != 0 && claimant->record.disabled == 0;
}

/* A token of their own, or a password that is remembered: no work to be done. */
static bool
is_quick(struct model *model, const struct claimant *claimant, struct text password)
{
    uint64_t user;
    int64_t expires_us;
    if (!claimant_may_enter(claimant))
        return false;
    if (token_has_shape(password) && user_of_token(model, password, &user, &expires_us, NULL) == ERROR_NONE)
        return user == claimant->user;
    return claimant->record.password.length > 0 &&
           password_cache_has(model->passwords, claimant->user, claimant->record.password, password);
}

static enum error_code
verify(struct model *model, const struct claimant *claimant, struct text password, struct error *error)
{
    bool right;
    uint64_t generation;
    if (!password_cache_begin_work(model->passwords, &generation))
        return error_set(error, ERROR_BUSY, "too many passwords are being verified; try again in a second");
    if (claimant->user != 0 && claimant->record.password.length > 0)
        right = password_verify(password, claimant->record.password);
    else
        right = password_verify_nobody(password);
    password_cache_end_work(model->passwords);
    if (!right || !claimant_may_enter(claimant))
        return refuse(error);
    password_cache_remember(model->passwords, claimant->user, claimant->record.password, password, generation);
    return ERROR_NONE;
}

enum error_code
model_authenticate(struct model *model, struct text name, struct text password, struct arena *arena,
                   struct principal *ret_principal, struct error *error)
{
    struct lookup lookup = newest(model);
    struct credentials credentials = {false, name, password};
    struct claimant claimant;
    uint64_t generation = principal_cache_generation(model->principals);
    if (principal_cache_find(model->principals, &credentials, now_us(model), arena, ret_principal))
        return ERROR_NONE;
    enum error_code code = claimant_find(&lookup, name, &claimant, error);
    if (code == ERROR_NONE && !is_quick(model, &claimant, password))
        code = verify(model, &claimant, password, error);
    if (code == ERROR_NONE)
        code = fill_principal(&lookup, claimant.user, &claimant.record, arena, ret_principal, error);
    if (code == ERROR_NONE && !token_has_shape(password)) /* a token may end sooner: by itself it is remembered */
        principal_cache_remember(model->principals, &credentials, generation, ret_principal, 0);
    buffer_release(&claimant.storage);
    return code;
}

bool
model_password_remembered(struct model *model, struct text name, struct text password)
{
    struct lookup lookup = newest(model);
    struct credentials credentials = {false, name, password};
    struct claimant claimant;
    if (principal_cache_find(model->principals, &credentials, now_us(model), NULL, NULL))
        return true;
    bool quick = claimant_find(&lookup, name, &claimant, NULL) == ERROR_NONE &&
                 is_quick(model, &claimant, password);
    buffer_release(&claimant.storage);
    return quick;
}

/* ---- persons whom others name ------------------------------------------------------------------------- */

struct person_search {
    struct text who;
    uint64_t by_address, by_name; /* the last found */
    unsigned addresses, names;
};

static enum error_code
search_people(const struct lookup *lookup, struct person_search *search, struct error *error)
{
    struct key prefix;
    struct text key, value;
    struct catalog_scan *scan;
    key_begin(&prefix, FAMILY_USER);
    enum error_code code = lookup_scan(lookup, &prefix, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && catalog_scan_next(scan, &key, &value)) {
        struct user_record user;
        code = user_decode(value, &user, error);
        if (code == ERROR_NONE && text_equal_ignoring_case(user.email, search->who)) {
            search->by_address = key_read_number(key, 1);
            search->addresses++;
        }
        if (code == ERROR_NONE && text_equal(user.full_name, search->who)) {
            search->by_name = key_read_number(key, 1);
            search->names++;
        }
    }
    enum error_code closed = catalog_scan_close(scan, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}

/* 0: nobody. */
static enum error_code
find_user(const struct lookup *lookup, struct text who, uint64_t *ret_user, struct error *error)
{
    struct person_search search = {.who = who};
    enum error_code code = search_people(lookup, &search, error);
    *ret_user = search.by_address;
    if (code != ERROR_NONE || search.addresses == 1)
        return code;
    if (search.addresses == 0)
        code = lookup_id_by_name(lookup, FAMILY_USER_NAME, who, ret_user, error);
    if (search.addresses == 0 && code == ERROR_NOT_FOUND && search.names <= 1) {
        *ret_user = search.by_name;
        return ERROR_NONE;
    }
    if (code == ERROR_NOT_FOUND || search.addresses > 1)
        return error_set(error, ERROR_CONFLICT, "several persons are called %.*s: name one by the login name", TEXT_ARG(who));
    return code;
}

enum error_code
model_find_person(struct model *model, struct text who, struct arena *arena, struct principal *ret_principal,
                  struct error *error)
{
    struct lookup lookup = newest(model);
    struct buffer storage = {0};
    struct user_record record;
    uint64_t user = 0;
    enum error_code code =
        who.length == 0 ? error_set(error, ERROR_NOT_FOUND, "nobody is named") : find_user(&lookup, who, &user, error);
    if (code == ERROR_NONE && user != 0)
        code = lookup_user(&lookup, user, &storage, &record, error);
    if (code == ERROR_NONE && (user == 0 || record.disabled != 0))
        code = error_set(error, ERROR_NOT_FOUND, "there is no person %.*s", TEXT_ARG(who));
    if (code == ERROR_NONE)
        code = fill_principal(&lookup, user, &record, arena, ret_principal, error);
    buffer_release(&storage);
    return code;
}
