/* SPDX-License-Identifier: Apache-2.0 */
/* Passwords, tokens, and how persons are recognised by them. */
#include "auth/password.h"
#include "auth/token.h"
#include "model/persons/password_cache.h"
#include "view_fixture.h"

#define PASSWORD "correct horse"
static char hash_of_password[PASSWORD_HASH_BYTES];

/* ---- the auth module --------------------------------------------------------------------------------- */

static void
a_hash_verifies_its_password_and_no_other(void **state)
{
    struct error error = {0};
    char hash[PASSWORD_HASH_BYTES];
    (void)state;
    assert_true(password_verify(TEXT(PASSWORD), text_from(hash_of_password)));
    assert_false(password_verify(TEXT("correct horsf"), text_from(hash_of_password)));
    assert_false(password_verify(TEXT(""), text_from(hash_of_password)));
    assert_false(password_verify(TEXT(PASSWORD), TEXT("")));
    assert_false(password_verify(TEXT(PASSWORD), TEXT("plain")));
    assert_int_equal(password_hash(TEXT(""), hash, &error), ERROR_INVALID);
}

static void
two_hashes_of_one_password_differ(void **state)
{
    struct error error = {0};
    char hash[PASSWORD_HASH_BYTES];
    (void)state;
    assert_int_equal(password_hash(TEXT(PASSWORD), hash, &error), ERROR_NONE);
    assert_string_not_equal(hash, hash_of_password);
}

/* So that nobody's hash costs what somebody's does. */
static void
verifying_for_nobody_does_the_same_work(void **state)
{
    (void)state;
    assert_int_equal(strncmp(hash_of_password, "$argon2id$v=19$m=65536,t=2,p=1$", 31), 0);
    uint64_t start_ns = clock_monotonic_ns();
    assert_false(password_verify_nobody(TEXT(PASSWORD)));
    uint64_t nobody_ns = clock_monotonic_ns() - start_ns;
    assert_true(nobody_ns > 2000000); /* no parser gave up on the stand-in: hashing 64 MiB takes longer */
}

static void
tokens_have_their_shape_and_differ(void **state)
{
    char one[TOKEN_CHARACTERS + 1], two[TOKEN_CHARACTERS + 1];
    unsigned char hash[TOKEN_HASH_BYTES], known[TOKEN_HASH_BYTES] = {0xe3, 0xb0, 0xc4, 0x42};
    (void)state;
    token_make(random_real(), one);
    token_make(random_real(), two);
    assert_string_not_equal(one, two);
    assert_true(token_has_shape(text_from(one)));
    assert_false(token_has_shape(TEXT("")));
    assert_false(token_has_shape(text_of(one, TOKEN_CHARACTERS - 1)));
    one[5] = '+';
    assert_false(token_has_shape(text_from(one)));
    token_hash(TEXT(""), hash);
    assert_memory_equal(hash, known, 4); /* SHA-256 of nothing */
}

/* ---- the model's side ---------------------------------------------------------------------------------- */

static enum error_code
enter(struct fixture *f, const char *name, const char *password, struct principal *ret_principal)
{
    static struct arena arena;
    struct error error = {0};
    arena_release(&arena);
    enum error_code code = model_authenticate(&f->model, text_from(name), text_from(password), &arena,
                                              ret_principal, &error);
    if (code != ERROR_NONE)
        arena_release(&arena);
    if (code == ERROR_UNAUTHENTICATED)
        assert_string_equal(error.message, "the name or its password is wrong");
    return code;
}

static void
set_anna(struct fixture *f, const char *hash, bool disabled)
{
    struct line line = {.operation = OPERATION_USER,
                        .user = ANNA,
                        .login = TEXT("anna"),
                        .role = ROLE_DEPOSITOR,
                        .disabled = disabled,
                        .password = text_from(hash)};
    fixture_line(f, &line);
}

static void
a_person_enters_by_password_with_role_and_groups(void **state)
{
    struct fixture *f = fixture_new();
    struct principal principal = {0};
    (void)state;
    set_anna(f, hash_of_password, false);
    assert_int_equal(enter(f, "anna", PASSWORD, &principal), ERROR_NONE);
    assert_int_equal(principal.user, ANNA);
    assert_true(text_equal(principal.name, TEXT("anna")));
    assert_int_equal(principal.role, ROLE_DEPOSITOR);
    assert_int_equal(principal.group_count, 1);
    assert_int_equal(principal.groups[0], STAFF);
    assert_int_equal(enter(f, "anna", "wrong", &principal), ERROR_UNAUTHENTICATED);
    assert_int_equal(enter(f, "anna", "", &principal), ERROR_UNAUTHENTICATED);
    assert_int_equal(enter(f, "nobody", PASSWORD, &principal), ERROR_UNAUTHENTICATED);
    assert_int_equal(enter(f, "bob", "", &principal), ERROR_UNAUTHENTICATED); /* has no password */
    set_anna(f, hash_of_password, true);
    assert_int_equal(enter(f, "anna", PASSWORD, &principal), ERROR_UNAUTHENTICATED);
    fixture_free(f);
}

static void
a_verified_password_is_remembered_until_forgotten_or_changed(void **state)
{
    struct fixture *f = fixture_new();
    struct principal principal = {0};
    (void)state;
    set_anna(f, hash_of_password, false);
    assert_false(model_password_remembered(&f->model, TEXT("anna"), TEXT(PASSWORD)));
    assert_int_equal(enter(f, "anna", PASSWORD, &principal), ERROR_NONE);
    assert_true(model_password_remembered(&f->model, TEXT("anna"), TEXT(PASSWORD)));
    assert_false(model_password_remembered(&f->model, TEXT("anna"), TEXT("wrong")));
    assert_false(model_password_remembered(&f->model, TEXT("bob"), TEXT(PASSWORD)));
    password_cache_forget(f->model.passwords, BOB);
    principal_cache_people_changed(f->model.principals);
    assert_true(model_password_remembered(&f->model, TEXT("anna"), TEXT(PASSWORD)));
    password_cache_forget(f->model.passwords, ANNA); /* both, as the committer does */
    principal_cache_people_changed(f->model.principals);
    assert_false(model_password_remembered(&f->model, TEXT("anna"), TEXT(PASSWORD)));

    assert_int_equal(enter(f, "anna", PASSWORD, &principal), ERROR_NONE);
    set_anna(f, "$another", false); /* changed, and nobody has said to forget */
    assert_false(model_password_remembered(&f->model, TEXT("anna"), TEXT(PASSWORD)));
    assert_int_equal(enter(f, "anna", PASSWORD, &principal), ERROR_UNAUTHENTICATED);
    set_anna(f, hash_of_password, true);
    assert_false(model_password_remembered(&f->model, TEXT("anna"), TEXT(PASSWORD)));
    fixture_free(f);
}

static void
what_was_verified_before_a_change_is_not_remembered_after_it(void **state)
{
    struct fixture *f = fixture_new();
    uint64_t generation;
    (void)state;
    assert_true(password_cache_begin_work(f->model.passwords, &generation));
    password_cache_forget(f->model.passwords, ANNA);
    password_cache_remember(f->model.passwords, ANNA, TEXT("h"), TEXT("p"), generation);
    assert_false(password_cache_has(f->model.passwords, ANNA, TEXT("h"), TEXT("p")));
    password_cache_end_work(f->model.passwords);
    fixture_free(f);
}

static void
two_verifications_run_at_once_and_a_third_is_told_to_wait(void **state)
{
    struct fixture *f = fixture_new();
    struct principal principal = {0};
    uint64_t generation;
    (void)state;
    set_anna(f, hash_of_password, false);
    assert_true(password_cache_begin_work(f->model.passwords, &generation));
    assert_true(password_cache_begin_work(f->model.passwords, &generation));
    assert_int_equal(enter(f, "anna", PASSWORD, &principal), ERROR_BUSY);
    assert_int_equal(enter(f, "nobody", PASSWORD, &principal), ERROR_BUSY);
    password_cache_end_work(f->model.passwords);
    assert_int_equal(enter(f, "anna", PASSWORD, &principal), ERROR_NONE);
    assert_true(password_cache_begin_work(f->model.passwords, &generation));
    assert_int_equal(enter(f, "anna", PASSWORD, &principal), ERROR_NONE); /* remembered: no work */
    password_cache_end_work(f->model.passwords);
    password_cache_end_work(f->model.passwords);
    fixture_free(f);
}

static void
the_memory_of_passwords_is_bounded(void **state)
{
    struct password_cache *cache = password_cache_new(random_real());
    uint64_t generation, has = 0;
    (void)state;
    assert_true(password_cache_begin_work(cache, &generation));
    password_cache_end_work(cache);
    for (uint64_t user = 1; user <= 3000; user++)
        password_cache_remember(cache, user, TEXT("h"), TEXT("p"), generation);
    for (uint64_t user = 1; user <= 3000; user++)
        has += password_cache_has(cache, user, TEXT("h"), TEXT("p"));
    assert_true(has <= 1024);
    assert_true(password_cache_has(cache, 3000, TEXT("h"), TEXT("p"))); /* newer ones stay */
    password_cache_free(cache);
}

static void
a_principal_is_remembered_for_the_same_credentials_until_people_change(void **state)
{
    struct principal_cache *cache = principal_cache_new(random_real());
    struct credentials anna = {false, TEXT("anna"), TEXT("p")}, wrong = {false, TEXT("anna"), TEXT("q")};
    struct credentials alone = {true, TEXT("anna"), TEXT("p")}, shifted = {false, TEXT("ann"), TEXT("ap")};
    struct principal known = fixture_anna(), found = {0};
    struct arena arena = {0};
    (void)state;
    uint64_t generation = principal_cache_generation(cache);
    assert_false(principal_cache_find(cache, &anna, 0, &arena, &found));
    principal_cache_remember(cache, &anna, generation, &known, 0);
    assert_true(principal_cache_find(cache, &anna, 0, &arena, &found));
    assert_int_equal(found.user, ANNA);
    assert_int_equal(found.role, ROLE_DEPOSITOR);
    assert_true(text_equal(found.name, TEXT("anna")));
    assert_int_equal(found.group_count, 1);
    assert_int_equal(found.groups[0], STAFF);
    assert_false(principal_cache_find(cache, &wrong, 0, &arena, &found));
    assert_false(principal_cache_find(cache, &alone, 0, &arena, &found));
    assert_false(principal_cache_find(cache, &shifted, 0, &arena, &found));
    principal_cache_people_changed(cache);
    assert_false(principal_cache_find(cache, &anna, 0, &arena, &found));
    principal_cache_remember(cache, &anna, generation, &known, 0); /* looked up before the change */
    assert_false(principal_cache_find(cache, &anna, 0, NULL, NULL));
    principal_cache_remember(cache, &anna, principal_cache_generation(cache), &known, 1000);
    assert_true(principal_cache_find(cache, &anna, 999, NULL, NULL));
    assert_false(principal_cache_find(cache, &anna, 1000, NULL, NULL));
    arena_release(&arena);
    principal_cache_free(cache);
}

/* ---- tokens ------------------------------------------------------------------------------------------- */

static struct line
token_line(uint64_t id, uint64_t user, const char *token, int64_t expires_us, unsigned char hash[32])
{
    token_hash(text_from(token), hash);
    return (struct line){.operation = OPERATION_TOKEN,
                         .value = id,
                         .user = user,
                         .label = TEXT("laptop"),
                         .expires_us = (uint64_t)expires_us,
                         .sha256 = text_of((const char *)hash, 32)};
}

static enum error_code
enter_by_token(struct fixture *f, const char *token)
{
    struct arena arena = {0};
    struct error error = {0};
    struct principal principal = {0};
    enum error_code code = model_authenticate_token(&f->model, text_from(token), &arena, &principal, &error);
    if (code == ERROR_NONE)
        assert_int_equal(principal.user, ANNA);
    arena_release(&arena);
    return code;
}

static void
a_token_enters_alone_or_in_the_place_of_its_users_password(void **state)
{
    struct fixture *f = fixture_new();
    struct principal principal = {0};
    char token[TOKEN_CHARACTERS + 1], unknown[TOKEN_CHARACTERS + 1];
    unsigned char hash[32];
    (void)state;
    token_make(random_real(), token);
    token_make(random_real(), unknown);
    struct line line = token_line(31, ANNA, token, 0, hash);
    fixture_line(f, &line);
    assert_int_equal(enter_by_token(f, token), ERROR_NONE);
    assert_int_equal(enter_by_token(f, unknown), ERROR_UNAUTHENTICATED);
    assert_int_equal(enter_by_token(f, "short"), ERROR_UNAUTHENTICATED);
    assert_true(model_password_remembered(&f->model, TEXT("anna"), text_from(token)));
    assert_false(model_password_remembered(&f->model, TEXT("bob"), text_from(token)));
    assert_int_equal(enter(f, "anna", token, &principal), ERROR_NONE);
    assert_int_equal(enter(f, "bob", token, &principal), ERROR_UNAUTHENTICATED);
    assert_int_equal(enter(f, "", token, &principal), ERROR_UNAUTHENTICATED);
    set_anna(f, "", true);
    assert_int_equal(enter_by_token(f, token), ERROR_UNAUTHENTICATED);
    set_anna(f, "", false);
    assert_int_equal(enter_by_token(f, token), ERROR_NONE);
    line.operation = OPERATION_TOKEN_REMOVED;
    fixture_line(f, &line);
    assert_int_equal(enter_by_token(f, token), ERROR_UNAUTHENTICATED);
    fixture_free(f);
}

static void
a_token_ends_at_its_time(void **state)
{
    struct fixture *f = fixture_new();
    char token[TOKEN_CHARACTERS + 1];
    unsigned char hash[32];
    (void)state;
    token_make(random_real(), token);
    struct line line = token_line(31, ANNA, token, FIXTURE_START_US + 1000, hash);
    fixture_line(f, &line);
    assert_int_equal(enter_by_token(f, token), ERROR_NONE);
    f->clock.time_us = FIXTURE_START_US + 1000;
    assert_int_equal(enter_by_token(f, token), ERROR_UNAUTHENTICATED);
    fixture_free(f);
}

static int
hash_once(void **state)
{
    (void)state;
    return password_hash(TEXT(PASSWORD), hash_of_password, NULL) == ERROR_NONE ? 0 : -1;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hash_verifies_its_password_and_no_other),
        cmocka_unit_test(two_hashes_of_one_password_differ),
        cmocka_unit_test(verifying_for_nobody_does_the_same_work),
        cmocka_unit_test(tokens_have_their_shape_and_differ),
        cmocka_unit_test(a_person_enters_by_password_with_role_and_groups),
        cmocka_unit_test(a_verified_password_is_remembered_until_forgotten_or_changed),
        cmocka_unit_test(what_was_verified_before_a_change_is_not_remembered_after_it),
        cmocka_unit_test(two_verifications_run_at_once_and_a_third_is_told_to_wait),
        cmocka_unit_test(the_memory_of_passwords_is_bounded),
        cmocka_unit_test(a_principal_is_remembered_for_the_same_credentials_until_people_change),
        cmocka_unit_test(a_token_enters_alone_or_in_the_place_of_its_users_password),
        cmocka_unit_test(a_token_ends_at_its_time),
    };
    return cmocka_run_group_tests(tests, hash_once, NULL);
}
