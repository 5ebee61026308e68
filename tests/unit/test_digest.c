/* SPDX-License-Identifier: Apache-2.0 */
/* Digests, CRC32C, hexadecimal, base64: known values. */
#include "unit.h"

#include "format/base64.h"
#include "format/crc32c.h"
#include "format/digest.h"
#include "format/hex.h"

static const struct {
    enum digest_algorithm algorithm;
    const char *of_abc;
} known[] = {
    {DIGEST_MD5, "900150983cd24fb0d6963f7d28e17f72"},
    {DIGEST_SHA1, "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {DIGEST_SHA256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {DIGEST_SHA512, "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
    {DIGEST_SHA512_256, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"},
};

static void
digests_of_abc_are_those_of_the_standards(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        unsigned char out[DIGEST_SIZE_MAX], expected[DIGEST_SIZE_MAX];
        size_t size = digest_size(known[i].algorithm);
        assert_true(hex_decode(text_from(known[i].of_abc), expected, size));
        digest_compute(known[i].algorithm, "abc", 3, out);
        assert_memory_equal(out, expected, size);
    }
}

static void
a_stream_gives_what_one_shot_gives_and_can_be_used_again(void **state)
{
    struct digest_stream stream = {0};
    unsigned char a[DIGEST_SIZE_MAX], b[DIGEST_SIZE_MAX];
    (void)state;
    for (unsigned i = 0; i < DIGEST_ALGORITHM_COUNT; i++) {
        enum digest_algorithm algorithm = (enum digest_algorithm)i;
        digest_stream_init(&stream, algorithm);
        digest_stream_update(&stream, "hello ", 6);
        digest_stream_update(&stream, "", 0);
        digest_stream_update(&stream, "world", 5);
        digest_stream_finish(&stream, a);
        digest_compute(algorithm, "hello world", 11, b);
        assert_memory_equal(a, b, digest_size(algorithm));
    }
    digest_stream_release(&stream);
    digest_stream_release(&stream);
}

static void
names_are_read_by_vocabulary(void **state)
{
    enum digest_algorithm algorithm;
    (void)state;
    assert_true(digest_from_name(DIGEST_NAMES_RFC3230, TEXT("SHA"), &algorithm));
    assert_int_equal(algorithm, DIGEST_SHA1);
    assert_true(digest_from_name(DIGEST_NAMES_RFC3230, TEXT("Sha256"), &algorithm));
    assert_int_equal(algorithm, DIGEST_SHA256);
    assert_false(digest_from_name(DIGEST_NAMES_RFC3230, TEXT("sha1"), &algorithm));
    assert_false(digest_from_name(DIGEST_NAMES_RFC9530, TEXT("SHA-256"), &algorithm));
    assert_true(digest_from_name(DIGEST_NAMES_RFC9530, TEXT("sha-512"), &algorithm));
    assert_int_equal(algorithm, DIGEST_SHA512);
    assert_true(digest_from_name(DIGEST_NAMES_OCFL, TEXT("sha1"), &algorithm));
    assert_false(digest_from_name(DIGEST_NAMES_OCFL, TEXT("sha-256"), &algorithm));
    assert_null(digest_name(DIGEST_SHA512_256, DIGEST_NAMES_RFC9530));
    assert_string_equal(digest_name(DIGEST_SHA512_256, DIGEST_NAMES_OCFL), "sha512/256");
}

static void
crc32c_gives_the_check_value_and_continues(void **state)
{
    (void)state;
    assert_int_equal(crc32c(0, "123456789", 9), 0xE3069283);
    assert_int_equal(crc32c_by_table(0, "123456789", 9), 0xE3069283);
    assert_int_equal(crc32c(crc32c(0, "1234", 4), "56789", 5), 0xE3069283);
    assert_int_equal(crc32c(0, "", 0), 0);
    unsigned char zeros[32] = {0}; /* RFC 3720 appendix B.4 */
    assert_int_equal(crc32c(0, zeros, 32), 0x8A9136AA);
}

static void
crc32c_by_table_agrees_with_the_instruction_at_every_length_and_offset(void **state)
{
    unsigned char data[300];
    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 131 + (i >> 3));
    for (size_t at = 0; at < 9; at++) {
        for (size_t length = 0; at + length <= sizeof data; length++)
            assert_int_equal(crc32c(7, data + at, length), crc32c_by_table(7, data + at, length));
    }
}

static void
hex_takes_both_cases_and_the_exact_length(void **state)
{
    unsigned char out[2];
    char text[4];
    (void)state;
    assert_true(hex_decode(TEXT("aF09"), out, 2));
    assert_int_equal(out[0], 0xAF);
    assert_int_equal(out[1], 9);
    hex_write(out, 2, text);
    assert_memory_equal(text, "af09", 4);
    assert_false(hex_decode(TEXT("aF0"), out, 2));
    assert_false(hex_decode(TEXT("aF0g"), out, 2));
    assert_false(hex_decode(TEXT("aF09aa"), out, 2));
}

static void
base64_writes_and_reads_the_vectors_of_rfc_4648(void **state)
{
    static const char *const vectors[][2] = {{"", ""},          {"f", "Zg=="},
                                             {"fo", "Zm8="},    {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"}};
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        struct buffer buffer = {0};
        unsigned char out[16];
        size_t length;
        base64_append(&buffer, vectors[i][0], strlen(vectors[i][0]));
        assert_text(buffer_text(&buffer), text_from(vectors[i][1]));
        assert_true(base64_decode(text_from(vectors[i][1]), out, &length));
        assert_text(text_of((char *)out, length), text_from(vectors[i][0]));
        buffer_release(&buffer);
    }
}

static void
base64_refuses_what_is_not_canonical(void **state)
{
    static const char *const bad[] = {"Zg",   "Zg=",  "Zh==",    "Zm9=",     "====",      "Z===",
                                      "Zm9v\n", "Zm 9", "Zg==Zg==", "Zm9-", "Zm9vY=E="};
    unsigned char out[16];
    size_t length;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(base64_decode(text_from(bad[i]), out, &length));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_of_abc_are_those_of_the_standards),
        cmocka_unit_test(a_stream_gives_what_one_shot_gives_and_can_be_used_again),
        cmocka_unit_test(names_are_read_by_vocabulary),
        cmocka_unit_test(crc32c_gives_the_check_value_and_continues),
        cmocka_unit_test(crc32c_by_table_agrees_with_the_instruction_at_every_length_and_offset),
        cmocka_unit_test(hex_takes_both_cases_and_the_exact_length),
        cmocka_unit_test(base64_writes_and_reads_the_vectors_of_rfc_4648),
        cmocka_unit_test(base64_refuses_what_is_not_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
