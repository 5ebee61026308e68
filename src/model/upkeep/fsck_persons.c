/* SPDX-License-Identifier: Apache-2.0 */
/* fsck: users, groups, memberships, tokens and access rules, and what leads to each of them. Both ways. */
#include "model/upkeep/fsck.h"

static struct text
after_family(struct text key)
{
    return text_of(key.data + 1, key.length - 1);
}

/* ---- names and hashes that lead to a record ------------------------------------------------------------- */

static bool
leads_to(struct fsck *f, enum family family, struct text name, uint64_t id)
{
    struct key key;
    key_begin(&key, family);
    key_append(&key, name);
    return fsck_number_under(f, &key) == id;
}

static void
check_USER(struct fsck *f, struct text key, struct text value)
{
    struct user_record user;
    if (user_decode(value, &user, NULL) != ERROR_NONE)
        fsck_tell(f, FSCK_USER_DAMAGED, 0, TEXT(""));
    else if (!leads_to(f, FAMILY_USER_NAME, user.name, key_read_number(key, 1)))
        fsck_tell(f, FSCK_USER_NAME_MISSING, 0, user.name);
}

static void
check_USER_NAME(struct fsck *f, struct text key, struct text value)
{
    struct key record;
    struct user_record user;
    key_of(&record, FAMILY_USER, fsck_number(value));
    if (!fsck_get(f, &record, &f->other) ||
        (user_decode(buffer_text(&f->other), &user, NULL) == ERROR_NONE && !text_equal(user.name, after_family(key))))
        fsck_tell(f, FSCK_USER_NAME_WRONG, 0, after_family(key));
}

static bool
group_name(struct text value, struct text *ret_name)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    *ret_name = cursor_counted(&cursor);
    return !cursor.bad && cursor.left == 0;
}

static void
check_GROUP(struct fsck *f, struct text key, struct text value)
{
    struct text name;
    if (!group_name(value, &name))
        fsck_tell(f, FSCK_GROUP_DAMAGED_RECORD, 0, TEXT(""));
    else if (!leads_to(f, FAMILY_GROUP_NAME, name, key_read_number(key, 1)))
        fsck_tell(f, FSCK_GROUP_NAME_MISSING, 0, name);
}

static void
check_GROUP_NAME(struct fsck *f, struct text key, struct text value)
{
    struct key record;
    struct text name;
    key_of(&record, FAMILY_GROUP, fsck_number(value));
    if (!fsck_get(f, &record, &f->other) ||
        (group_name(buffer_text(&f->other), &name) && !text_equal(name, after_family(key))))
        fsck_tell(f, FSCK_GROUP_NAME_WRONG, 0, after_family(key));
}

static void
check_TOKEN(struct fsck *f, struct text key, struct text value)
{
    struct token_record token;
    struct key user;
    if (token_decode(value, &token, NULL) != ERROR_NONE) {
        fsck_tell(f, FSCK_TOKEN_DAMAGED, 0, TEXT(""));
        return;
    }
    key_of(&user, FAMILY_USER, token.user);
    if (!fsck_is_there(f, &user))
        fsck_tell(f, FSCK_TOKEN_WITHOUT_USER, 0, token.label);
    if (!leads_to(f, FAMILY_TOKEN_HASH, token.sha256, key_read_number(key, 1)))
        fsck_tell(f, FSCK_TOKEN_HASH_MISSING, 0, token.label);
}

static void
check_TOKEN_HASH(struct fsck *f, struct text key, struct text value)
{
    struct key record;
    struct token_record token;
    key_of(&record, FAMILY_TOKEN, fsck_number(value));
    if (!fsck_get(f, &record, &f->other) ||
        (token_decode(buffer_text(&f->other), &token, NULL) == ERROR_NONE &&
         !text_equal(token.sha256, after_family(key))))
        fsck_tell(f, FSCK_TOKEN_HASH_WRONG, 0, TEXT(""));
}

/* ---- memberships ---------------------------------------------------------------------------------------- */

static bool
is_paired(struct fsck *f, enum family family, uint64_t first, uint64_t second)
{
    struct key key;
    key_of(&key, family, first);
    key_number(&key, second);
    return fsck_is_there(f, &key);
}

static void
check_MEMBER(struct fsck *f, struct text key, struct text value)
{
    uint64_t user = key_read_number(key, 1), group = key_read_number(key, 9);
    struct key record;
    (void)value;
    key_of(&record, FAMILY_USER, user);
    if (!fsck_is_there(f, &record))
        fsck_tell(f, FSCK_MEMBER_WITHOUT_USER, 0, TEXT(""));
    if (!is_paired(f, FAMILY_GROUP_MEMBER, group, user))
        fsck_tell(f, FSCK_MEMBER_NOT_IN_GROUP, 0, TEXT(""));
}

static void
check_GROUP_MEMBER(struct fsck *f, struct text key, struct text value)
{
    uint64_t group = key_read_number(key, 1), user = key_read_number(key, 9);
    struct key record;
    (void)value;
    key_of(&record, FAMILY_GROUP, group);
    if (!fsck_is_there(f, &record))
        fsck_tell(f, FSCK_MEMBER_WITHOUT_GROUP, 0, TEXT(""));
    if (!is_paired(f, FAMILY_MEMBER, user, group))
        fsck_tell(f, FSCK_MEMBER_NOT_IN_USER, 0, TEXT(""));
}

/* ---- access rules --------------------------------------------------------------------------------------- */

static void
check_RULE(struct fsck *f, struct text key, struct text value)
{
    struct key by_hash;
    key_rule_hash(&by_hash, value);
    if (fsck_number_under(f, &by_hash) != key_read_number(key, 1))
        fsck_tell(f, FSCK_RULE_HASH_MISSING, 0, TEXT(""));
}

static void
check_RULE_HASH(struct fsck *f, struct text key, struct text value)
{
    struct key record, by_hash;
    key_of(&record, FAMILY_RULE, fsck_number(value));
    if (fsck_get(f, &record, &f->other)) {
        key_rule_hash(&by_hash, buffer_text(&f->other));
        if (text_equal(key_text(&by_hash), key))
            return;
    }
    fsck_tell(f, FSCK_RULE_HASH_WRONG, 0, TEXT(""));
}

bool
fsck_person_record(struct fsck *f, struct text key, struct text value)
{
    switch (key.data[0]) {
#define CASE(family)                                                                               \
    case FAMILY_##family:                                                                          \
        check_##family(f, key, value);                                                             \
        return true;
        CASE(USER)
        CASE(USER_NAME)
        CASE(GROUP)
        CASE(GROUP_NAME)
        CASE(TOKEN)
        CASE(TOKEN_HASH)
        CASE(MEMBER)
        CASE(GROUP_MEMBER)
        CASE(RULE)
        CASE(RULE_HASH)
#undef CASE
    default:
        return false;
    }
}
