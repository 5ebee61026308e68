/* SPDX-License-Identifier: Apache-2.0 */
/* The decision who may do what, and its words. */
#include "model/record/lookup.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SEE (RIGHT_DISCOVER | RIGHT_READ)

enum { ANNA = 11, BOB = 12, STAFF = 21 };
static const uint64_t groups[] = {20, STAFF};

static struct principal
person(uint64_t user, enum role role)
{
    return (struct principal){user, TEXT("somebody"), role, NULL, 0};
}

static rights
decide(struct principal principal, uint64_t owner, const struct rule_entry *entries, size_t count)
{
    struct rule_list rule = {entries, count};
    return access_decide(&principal, owner, &rule);
}

static void
each_subject_gives_its_rights_to_whom_it_names(void **state)
{
    const struct rule_entry rule[] = {
        {SUBJECT_ANONYMOUS, 0, RIGHT_DISCOVER},  {SUBJECT_AUTHENTICATED, 0, RIGHT_READ},
        {SUBJECT_OWNER, 0, RIGHT_OWN},           {SUBJECT_USER, ANNA, RIGHT_WRITE},
        {SUBJECT_GROUP, STAFF, RIGHT_APPEND},
    };
    struct principal member = person(BOB, ROLE_CURATOR);
    (void)state;
    member.groups = groups;
    member.group_count = 2;
    assert_int_equal(decide(person(0, ROLE_READER), 0, rule, 5), RIGHT_DISCOVER);
    assert_int_equal(decide(person(BOB, ROLE_CURATOR), 99, rule, 5), SEE);
    assert_int_equal(decide(person(BOB, ROLE_CURATOR), BOB, rule, 5), SEE | RIGHT_OWN);
    assert_int_equal(decide(person(ANNA, ROLE_CURATOR), 99, rule, 5), SEE | RIGHT_WRITE);
    assert_int_equal(decide(member, 99, rule, 5), SEE | RIGHT_APPEND);
}

static void
nobody_is_not_somebody(void **state)
{
    const struct rule_entry rule[] = {
        {SUBJECT_AUTHENTICATED, 0, SEE}, {SUBJECT_OWNER, 0, SEE}, {SUBJECT_USER, 0, SEE}, {SUBJECT_GROUP, 0, SEE}};
    (void)state;
    assert_int_equal(decide(person(0, ROLE_READER), 0, rule, 4), 0);
    assert_int_equal(decide(person(ANNA, ROLE_CURATOR), ANNA, NULL, 0), 0);
}

static void
a_role_cuts_what_rules_give(void **state)
{
    const struct rule_entry rule[] = {{SUBJECT_ANONYMOUS, 0, RIGHTS_ALL}};
    (void)state;
    assert_int_equal(decide(person(0, ROLE_READER), 0, rule, 1), SEE);
    assert_int_equal(decide(person(ANNA, ROLE_READER), ANNA, rule, 1), SEE);
    assert_int_equal(decide(person(ANNA, ROLE_DEPOSITOR), 0, rule, 1), SEE | RIGHT_APPEND | RIGHT_WRITE | RIGHT_DEPOSIT | RIGHT_ON_BEHALF_OF);
    assert_int_equal(decide(person(ANNA, ROLE_CURATOR), 0, rule, 1), RIGHTS_ALL);
    assert_int_equal(decide(person(ANNA, ROLE_ADMINISTRATOR), 0, NULL, 0), RIGHTS_ALL);
}

static void
a_refusal_names_the_missing_rights_and_asks_anonymous_who_they_are(void **state)
{
    struct principal anna = person(ANNA, ROLE_DEPOSITOR), nobody = person(0, ROLE_READER);
    struct error error = {0};
    (void)state;
    assert_int_equal(access_require(&anna, SEE, SEE, &error), ERROR_NONE);
    assert_int_equal(access_require(&anna, SEE, SEE | RIGHT_WRITE, &error), ERROR_DENIED);
    assert_non_null(strstr(error.message, "write"));
    assert_null(strstr(error.message, "read"));
    assert_int_equal(access_require(&nobody, 0, RIGHT_READ, &error), ERROR_UNAUTHENTICATED);
}

static void
words_of_rights_come_back_as_they_were(void **state)
{
    (void)state;
    for (rights set = 0; set <= RIGHTS_ALL; set++) {
        struct buffer words = {0};
        rights again = ~set;
        rights_words(set, &words);
        assert_true(rights_parse(buffer_text(&words), &again));
        assert_int_equal(again, set);
        buffer_release(&words);
    }
}

static void
words_are_parsed_strictly(void **state)
{
    rights held = 77;
    (void)state;
    assert_true(rights_parse(TEXT(" read , append "), &held));
    assert_int_equal(held, RIGHT_READ | RIGHT_APPEND);
    assert_true(rights_parse(TEXT("all"), &held));
    assert_int_equal(held, RIGHTS_ALL);
    assert_true(rights_parse(TEXT("none"), &held));
    assert_int_equal(held, 0);
    held = 77;
    assert_false(rights_parse(TEXT(""), &held));
    assert_false(rights_parse(TEXT("read,"), &held));
    assert_false(rights_parse(TEXT("read,none"), &held));
    assert_false(rights_parse(TEXT("Read"), &held));
    assert_int_equal(held, 77);
}

static void
roles_have_words(void **state)
{
    enum role role = ROLE_READER;
    (void)state;
    assert_string_equal(role_word(ROLE_ADMINISTRATOR), "administrator");
    assert_true(role_parse(TEXT("curator"), &role));
    assert_int_equal(role, ROLE_CURATOR);
    assert_false(role_parse(TEXT("root"), &role));
    assert_false(role_parse(TEXT(""), &role));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_subject_gives_its_rights_to_whom_it_names),
        cmocka_unit_test(nobody_is_not_somebody),
        cmocka_unit_test(a_role_cuts_what_rules_give),
        cmocka_unit_test(a_refusal_names_the_missing_rights_and_asks_anonymous_who_they_are),
        cmocka_unit_test(words_of_rights_come_back_as_they_were),
        cmocka_unit_test(words_are_parsed_strictly),
        cmocka_unit_test(roles_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
