/* SPDX-License-Identifier: Apache-2.0 */
/* Header values: lists, ranges, conditions, dispositions, digests, preferences. */
#include "http/accept.h"
#include "http/condition.h"
#include "http/digest_field.h"
#include "http/disposition.h"
#include "http/field.h"
#include "http/range.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct http_request request;
static struct arena arena;

static int
start(void **state)
{
    memset(&request, 0, sizeof request);
    arena_init(&arena, 1 << 20);
    request.arena = &arena;
    return 0;
}

static int
stop(void **state)
{
    arena_release(&arena);
    return 0;
}

static void
give(enum http_header header, const char *value)
{
    request.headers[header] = text_from(value);
}

#define assert_text(seen, wanted)                                                                  \
    do {                                                                                           \
        struct text seen_ = (seen);                                                                \
        assert_int_equal(seen_.length, strlen(wanted));                                            \
        assert_memory_equal(seen_.data, wanted, seen_.length);                                     \
    } while (0)

static void
lists_keep_commas_within_quotes_and_angles(void **state)
{
    struct text rest = TEXT(" a , \"b,\\\"c\",, <d,e>;x=1 ,"), element;
    assert_true(field_list_next(&rest, &element));
    assert_text(element, "a");
    assert_true(field_list_next(&rest, &element));
    assert_text(element, "\"b,\\\"c\"");
    assert_true(field_list_next(&rest, &element));
    assert_text(element, "<d,e>;x=1");
    assert_false(field_list_next(&rest, &element));
}

static void
quoted_strings_lose_their_escapes_and_broken_ones_are_refused(void **state)
{
    struct text text;
    assert_true(field_unquote(&arena, TEXT("\"a\\\"b\\\\\""), &text));
    assert_text(text, "a\"b\\");
    assert_true(field_unquote(&arena, TEXT("token"), &text));
    assert_text(text, "token");
    assert_false(field_unquote(&arena, TEXT("\"a"), &text));
    assert_false(field_unquote(&arena, TEXT("\"a\\\""), &text));
    assert_false(field_unquote(&arena, TEXT("two words"), &text));
}

static void
every_header_is_found_whatever_its_case(void **state)
{
#define X(name, text, list)                                                                        \
    assert_int_equal(http_header_from_name(TEXT(text)), HTTP_HEADER_##name);
    HTTP_HEADERS(X)
#undef X
    assert_int_equal(http_header_from_name(TEXT("if-none-match")), HTTP_HEADER_IF_NONE_MATCH);
    assert_int_equal(http_header_from_name(TEXT("X-Unknown")), HTTP_HEADER_COUNT);
}

static void
accept_takes_the_closest_range_and_the_best_quality(void **state)
{
    static const struct media_type offered[] = {{"text", "turtle"}, {"application", "json"}, {"text", "html"}};
    assert_int_equal(accept_choose(TEXT("application/json"), offered, 3), 1);
    assert_int_equal(accept_choose(TEXT("text/*;q=0.5, application/json;q=0.4"), offered, 3), 0);
    assert_int_equal(accept_choose(TEXT("text/*;q=0.5, text/turtle;q=0.1"), offered, 3), 2);
    assert_int_equal(accept_choose(TEXT("*/*"), offered, 3), 0);
    assert_int_equal(accept_choose(TEXT("text/html,application/xhtml+xml,*/*;q=0.8"), offered, 3), 2);
    assert_int_equal(accept_choose(TEXT("image/png"), offered, 3), 3);
    assert_int_equal(accept_choose(TEXT("text/turtle;q=0"), offered, 3), 3);
    assert_int_equal(accept_choose((struct text){NULL, 0}, offered, 3), 0);
}

/* ---- ranges ------------------------------------------------------------------------------------------- */

static void
ranges_are_cut_to_the_size(void **state)
{
    struct byte_range ranges[BYTE_RANGES_MAXIMUM];
    size_t count;
    assert_int_equal(range_parse(TEXT("bytes=0-0,5-,-3, 8-99"), 10, ranges, &count), RANGE_WHOLE); /* longer than the whole */
    assert_int_equal(range_parse(TEXT("bytes=0-0,8-,-1"), 10, ranges, &count), RANGE_PART);
    assert_int_equal(count, 3);
    assert_int_equal(ranges[0].first, 0);
    assert_int_equal(ranges[0].length, 1);
    assert_int_equal(ranges[1].first, 8);
    assert_int_equal(ranges[1].length, 2);
    assert_int_equal(ranges[2].first, 9);
    assert_int_equal(range_parse(TEXT("bytes=-99"), 10, ranges, &count), RANGE_PART);
    assert_int_equal(ranges[0].length, 10);
    assert_int_equal(range_parse(TEXT("bytes=18446744073709551615-"), 10, ranges, &count), RANGE_UNSATISFIABLE);
}

static void
ranges_beyond_the_end_are_told_and_nonsense_is_ignored(void **state)
{
    struct byte_range ranges[BYTE_RANGES_MAXIMUM];
    size_t count;
    static const char *const ignored[] = {"", "bytes", "bytes=", "bytes=x", "bytes=9-1", "bytes=-", "pages=1-2",
                                          "bytes=0-0,nonsense", "bytes=99999999999999999999-", "bytes=--1"};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        assert_int_equal(range_parse(text_from(ignored[i]), 10, ranges, &count), RANGE_WHOLE);
    assert_int_equal(range_parse(TEXT("bytes=10-"), 10, ranges, &count), RANGE_UNSATISFIABLE);
    assert_int_equal(range_parse(TEXT("bytes=-0"), 10, ranges, &count), RANGE_UNSATISFIABLE);
    assert_int_equal(range_parse(TEXT("bytes=0-"), 0, ranges, &count), RANGE_UNSATISFIABLE);
    assert_int_equal(range_parse((struct text){NULL, 0}, 10, ranges, &count), RANGE_WHOLE);
}

static void
more_ranges_than_allowed_give_the_whole(void **state)
{
    struct byte_range ranges[BYTE_RANGES_MAXIMUM];
    struct buffer value = {0};
    size_t count;
    buffer_append_string(&value, "bytes=0-0");
    for (unsigned i = 1; i <= BYTE_RANGES_MAXIMUM; i++)
        buffer_printf(&value, ",%u-%u", i * 2, i * 2);
    assert_int_equal(range_parse(buffer_text(&value), 1000, ranges, &count), RANGE_WHOLE);
    buffer_release(&value);
}

/* ---- conditions ---------------------------------------------------------------------------------------- */

static const struct representation strong = {{"7-3-b", 5}, false, INT64_C(1764550000500000)};
static const struct representation weak = {{"7-3-j9", 6}, true, INT64_C(1764550000500000)};
#define THEN "Mon, 01 Dec 2025 00:46:40 GMT"   /* the second of the time above */
#define BEFORE "Mon, 01 Dec 2025 00:46:39 GMT"

static void
reads_follow_the_order_of_the_rfc(void **state)
{
    assert_int_equal(condition_of_read(&request, &strong), CONDITION_PROCEED);
    give(HTTP_HEADER_IF_MODIFIED_SINCE, THEN);
    assert_int_equal(condition_of_read(&request, &strong), CONDITION_NOT_MODIFIED);
    give(HTTP_HEADER_IF_MODIFIED_SINCE, BEFORE);
    assert_int_equal(condition_of_read(&request, &strong), CONDITION_PROCEED);
    give(HTTP_HEADER_IF_NONE_MATCH, "\"x\", W/\"7-3-b\""); /* decides alone */
    assert_int_equal(condition_of_read(&request, &strong), CONDITION_NOT_MODIFIED);
    give(HTTP_HEADER_IF_MATCH, "\"7-2-b\"");
    assert_int_equal(condition_of_read(&request, &strong), CONDITION_FAILED);
    give(HTTP_HEADER_IF_UNMODIFIED_SINCE, THEN); /* not looked at beside If-Match */
    give(HTTP_HEADER_IF_MATCH, "*");
    assert_int_equal(condition_of_read(&request, &strong), CONDITION_NOT_MODIFIED);
}

static void
unmodified_since_counts_whole_seconds(void **state)
{
    give(HTTP_HEADER_IF_UNMODIFIED_SINCE, THEN);
    assert_int_equal(condition_of_read(&request, &strong), CONDITION_PROCEED);
    give(HTTP_HEADER_IF_UNMODIFIED_SINCE, BEFORE);
    assert_int_equal(condition_of_read(&request, &strong), CONDITION_FAILED);
    give(HTTP_HEADER_IF_UNMODIFIED_SINCE, "nonsense");
    assert_int_equal(condition_of_read(&request, &strong), CONDITION_PROCEED);
}

static void
a_listing_whose_children_changed_is_not_the_same(void **state)
{
    give(HTTP_HEADER_IF_NONE_MATCH, "W/\"7-3-j8\"");
    assert_int_equal(condition_of_read(&request, &weak), CONDITION_PROCEED);
    give(HTTP_HEADER_IF_NONE_MATCH, "\"7-3-j9\"");
    assert_int_equal(condition_of_read(&request, &weak), CONDITION_NOT_MODIFIED);
}

static void
if_range_wants_the_strong_tag_or_the_exact_date(void **state)
{
    assert_true(condition_range_holds(&request, &strong));
    give(HTTP_HEADER_IF_RANGE, "\"7-3-b\"");
    assert_true(condition_range_holds(&request, &strong));
    give(HTTP_HEADER_IF_RANGE, "W/\"7-3-b\"");
    assert_false(condition_range_holds(&request, &strong));
    give(HTTP_HEADER_IF_RANGE, THEN);
    assert_true(condition_range_holds(&request, &strong));
    give(HTTP_HEADER_IF_RANGE, BEFORE);
    assert_false(condition_range_holds(&request, &strong));
}

static void
writes_hand_states_to_the_committer(void **state)
{
    struct condition condition;
    struct error error = {0};
    give(HTTP_HEADER_IF_MATCH, "\"7-3-b\", W/\"8-1-j5\", \"stranger\"");
    assert_int_equal(condition_of_write(&request, &condition, &error), ERROR_NONE);
    assert_int_equal(condition.kind, CONDITION_STATE);
    assert_int_equal(condition.count, 2);
    assert_int_equal(condition.states[1].id, 8);
    struct resource resource = {.id = 8, .counter = 1};
    assert_true(condition_would_hold(&condition, &resource));
    resource.counter = 2;
    assert_false(condition_would_hold(&condition, &resource));
    assert_false(condition_would_hold(&condition, NULL));
    give(HTTP_HEADER_IF_NONE_MATCH, "*");
    assert_int_equal(condition_of_write(&request, &condition, &error), ERROR_INVALID);
    request.headers[HTTP_HEADER_IF_MATCH].data = NULL;
    assert_int_equal(condition_of_write(&request, &condition, &error), ERROR_NONE);
    assert_int_equal(condition.kind, CONDITION_ABSENT);
}

static void
a_foreign_tag_never_matches_a_write(void **state)
{
    struct condition condition;
    struct resource resource = {.id = 7, .counter = 3};
    give(HTTP_HEADER_IF_MATCH, "\"other\"");
    assert_int_equal(condition_of_write(&request, &condition, NULL), ERROR_NONE);
    assert_int_equal(condition.kind, CONDITION_STATE);
    assert_false(condition_would_hold(&condition, &resource));
}

/* ---- dispositions ---------------------------------------------------------------------------------------- */

static void
file_names_are_read_in_each_spelling(void **state)
{
    static const struct {
        const char *value, *name;
    } cases[] = {
        {"attachment; filename=\"a b.txt\"", "a b.txt"},
        {"attachment; filename=plain.txt", "plain.txt"},
        {"attachment; filename=\"x\"; filename*=UTF-8''%e2%82%ac%20rates", "\xE2\x82\xAC rates"},
        {"attachment; filename*=iso-8859-1'en'%A3", "\xC2\xA3"},
        {"inline", ""},
        {"attachment; filename=\"..\\..\\etc/passwd\"", "passwd"},
        {"attachment; filename=\"quote\\\"d\"", "quote\"d"},
        {"attachment; filename=\"caf\xE9\"", "caf\xC3\xA9"},
        {"attachment; filename=\"a;b,c\"", "a;b,c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text name;
        assert_int_equal(disposition_parse(&arena, text_from(cases[i].value), &name, NULL), ERROR_NONE);
        assert_text(name, cases[i].name);
    }
    struct text name;
    assert_int_equal(disposition_parse(&arena, TEXT("attachment; filename=\"open"), &name, NULL), ERROR_INVALID);
    assert_int_equal(disposition_parse(&arena, TEXT("attachment; filename*=UTF-8''%zz"), &name, NULL), ERROR_INVALID);
    assert_int_equal(disposition_parse(&arena, TEXT("attachment; filename*=UTF-8''%00"), &name, NULL), ERROR_INVALID);
}

static void
file_names_are_written_with_a_fallback(void **state)
{
    struct buffer buffer = {0};
    disposition_write(&buffer, "attachment", TEXT("a \"b\", c.txt"));
    assert_text(buffer_text(&buffer), "attachment; filename=\"a \\\"b\\\", c.txt\"");
    buffer_clear(&buffer);
    disposition_write(&buffer, "inline", TEXT("1976\xE2\x80\x93"
                                              "2016.txt"));
    assert_text(buffer_text(&buffer), "inline; filename=\"1976_2016.txt\"; filename*=UTF-8''1976%E2%80%932016.txt");
    buffer_clear(&buffer);
    disposition_write(&buffer, "inline", TEXT("new\nline"));
    assert_text(buffer_text(&buffer), "inline; filename=\"new_line\"; filename*=UTF-8''new%0Aline");
    buffer_release(&buffer);
}

/* ---- digests -------------------------------------------------------------------------------------------- */

static void
digests_are_read_in_hexadecimal_and_base64(void **state)
{
    struct expected_digests digests;
    unsigned char md5[DIGEST_SIZE_MAX];
    digest_compute(DIGEST_MD5, "", 0, md5);
    give(HTTP_HEADER_DIGEST, "MD5=D41D8CD98F00B204E9800998ECF8427E, md5=1B2M2Y8AsgTpgAmY7PhCfg==");
    give(HTTP_HEADER_CONTENT_DIGEST, "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:");
    assert_int_equal(digests_expected(&request, &digests, NULL), ERROR_NONE);
    assert_int_equal(digests.count, 3);
    assert_memory_equal(digests.items[0].value, md5, 16);
    assert_memory_equal(digests.items[1].value, md5, 16);
    assert_int_equal(digests.algorithms, 1u << DIGEST_MD5 | 1u << DIGEST_SHA256);
}

static void
broken_and_unknown_digests_are_refused_by_name(void **state)
{
    static const char *const broken[] = {"md5=zz", "sha-256=b'47DEQ'", "crc32=00000000", "md5", "=", "md5="};
    struct expected_digests digests;
    struct error error = {0};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        give(HTTP_HEADER_DIGEST, broken[i]);
        assert_int_equal(digests_expected(&request, &digests, &error), ERROR_INVALID);
    }
    request.headers[HTTP_HEADER_DIGEST].data = NULL;
    give(HTTP_HEADER_REPR_DIGEST, "sha-256=notbytes");
    assert_int_equal(digests_expected(&request, &digests, &error), ERROR_INVALID);
    assert_non_null(strstr(error.message, "Repr-Digest"));
}

static void
the_wanted_digest_is_the_best_of_those_there_are(void **state)
{
    enum digest_algorithm algorithm;
    unsigned kept = 1u << DIGEST_SHA512 | 1u << DIGEST_MD5;
    assert_true(digest_wanted(TEXT("sha-256, md5;q=0.3, sha-512;q=0.5"), DIGEST_NAMES_RFC3230, kept, &algorithm));
    assert_int_equal(algorithm, DIGEST_SHA512);
    assert_true(digest_wanted(TEXT("sha-512=1, md5=9"), DIGEST_NAMES_RFC9530, kept, &algorithm));
    assert_int_equal(algorithm, DIGEST_MD5);
    assert_false(digest_wanted(TEXT("sha-512=0"), DIGEST_NAMES_RFC9530, kept, &algorithm));
    assert_false(digest_wanted(TEXT("sha-256"), DIGEST_NAMES_RFC3230, kept, &algorithm));
}

int
main(void)
{
#define each(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        each(lists_keep_commas_within_quotes_and_angles),
        each(quoted_strings_lose_their_escapes_and_broken_ones_are_refused),
        each(every_header_is_found_whatever_its_case),
        each(accept_takes_the_closest_range_and_the_best_quality),
        each(ranges_are_cut_to_the_size),
        each(ranges_beyond_the_end_are_told_and_nonsense_is_ignored),
        each(more_ranges_than_allowed_give_the_whole),
        each(reads_follow_the_order_of_the_rfc),
        each(unmodified_since_counts_whole_seconds),
        each(a_listing_whose_children_changed_is_not_the_same),
        each(if_range_wants_the_strong_tag_or_the_exact_date),
        each(writes_hand_states_to_the_committer),
        each(a_foreign_tag_never_matches_a_write),
        each(file_names_are_read_in_each_spelling),
        each(file_names_are_written_with_a_fallback),
        each(digests_are_read_in_hexadecimal_and_base64),
        each(broken_and_unknown_digests_are_refused_by_name),
        each(the_wanted_digest_is_the_best_of_those_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
