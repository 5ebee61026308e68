/* SPDX-License-Identifier: Apache-2.0 */
/* OCFL layout and inventory. */
#include "unit.h"

#include "format/json.h"
#include "ocfl/inventory.h"
#include "ocfl/layout.h"

static const unsigned char store[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static void
a_uuid_is_version_8_and_gives_the_resource_back(void **state)
{
    static const uint64_t ids[] = {0, 1, 255, UINT64_C(1) << 48, OCFL_RESOURCE_ID_LIMIT - 1};
    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        unsigned char uuid[16], parsed[16];
        char text[OCFL_UUID_TEXT_LENGTH + 1], id[OCFL_ID_LENGTH + 1];
        uint64_t back = 99;
        ocfl_uuid(store, ids[i], uuid);
        assert_int_equal(uuid[6] >> 4, 8);
        assert_int_equal(uuid[8] >> 6, 2);
        assert_true(ocfl_uuid_to_resource(store, uuid, &back));
        assert_true(back == ids[i]);
        ocfl_uuid_write(uuid, text);
        assert_true(ocfl_uuid_parse(text_from(text), parsed));
        assert_memory_equal(uuid, parsed, 16);
        ocfl_id(store, ids[i], id);
        assert_true(ocfl_id_to_resource(store, text_from(id), &back));
        assert_true(back == ids[i]);
        uuid[0] ^= 1;
        assert_false(ocfl_uuid_to_resource(store, uuid, &back));
    }
}

static void
the_uuid_of_a_known_store_never_changes(void **state)
{
    char id[OCFL_ID_LENGTH + 1], path[OCFL_OBJECT_PATH_LENGTH + 1];
    (void)state;
    ocfl_id(store, 0x123456789ABCD, id);
    assert_string_equal(id, "urn:uuid:be45cb26-05bf-86be-bde1-23456789abcd");
    ocfl_object_path(store, 0x123456789ABCD, path);
    assert_int_equal(strlen(path), OCFL_OBJECT_PATH_LENGTH);
}

static void
object_paths_follow_the_examples_of_layout_0003(void **state)
{
    struct buffer buffer = {0};
    (void)state;
    ocfl_append_object_path(&buffer, TEXT("object-01"));
    assert_text(buffer_text(&buffer), TEXT("3c0/ff4/240/object-01"));
    buffer_clear(&buffer);
    ocfl_append_object_path(&buffer, TEXT("..hor/rib:le-$id"));
    assert_text(buffer_text(&buffer), TEXT("487/326/d8c/%2e%2ehor%2frib%3ale-%24id"));
    buffer_clear(&buffer);
    ocfl_append_object_path(
        &buffer, TEXT("abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghija"
                      "bcdefghijabcdefghija"));
    assert_text(buffer_text(&buffer),
                TEXT("5cc/73e/648/abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefg"
                     "hijabcdefghijabcdefghij-5cc73e648fbcff136510e330871180922ddacf193b68fdeff855683a01464220"));
    buffer_release(&buffer);
}

static void
the_path_of_a_resource_is_the_path_of_its_id(void **state)
{
    struct buffer buffer = {0};
    char id[OCFL_ID_LENGTH + 1], path[OCFL_OBJECT_PATH_LENGTH + 1];
    (void)state;
    ocfl_id(store, 42, id);
    ocfl_object_path(store, 42, path);
    ocfl_append_object_path(&buffer, text_from(id));
    assert_text(buffer_text(&buffer), text_from(path));
    buffer_release(&buffer);
}

static void
content_paths_carry_only_neutral_extensions(void **state)
{
    static const char *const cases[][2] = {
        {"a.txt", "txt"}, {"a.tar.gz", "gz"}, {".bashrc", ""}, {"a.", ""}, {"a.TXT", ""}, {"a.t t", ""},
        {"noext", ""}, {"a.12345678", "12345678"}, {"a.123456789", ""}, {"a.", ""}, {"", ""}, {".a.b", "b"}};
    struct buffer buffer = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_text(ocfl_extension_of(text_from(cases[i][0])), text_from(cases[i][1]));
    ocfl_append_content_path(&buffer, 12, 3, TEXT("x.pdf"));
    ocfl_append_content_path(&buffer, 1, 1, TEXT("x"));
    assert_text(buffer_text(&buffer), TEXT("v12/content/3.pdfv1/content/1"));
    buffer_release(&buffer);
}

/* A digest that is one byte repeated. */
static const unsigned char *
digest(int byte)
{
    static unsigned char bytes[DIGEST_SIZE_MAX];
    memset(bytes, byte, sizeof bytes);
    return bytes;
}

static const struct ocfl_version_info info = {
    .created_us = 1796086292000000,
    .message = {"Deposit \"x\"\\\n", 13},
    .user_name = {"Änne", 5},
    .user_address = {"urn:archivolt:user:7", 20},
};

#define HEX_11 "1111111111111111111111111111111111111111111111111111111111111111"
#define HEX_22 "2222222222222222222222222222222222222222222222222222222222222222"
#define VERSION_INFO                                                                               \
    "\"message\":\"Deposit 'x'/ \",\"user\":{\"name\":\"Änne\",\"address\":\"urn:archivolt:user:7\"}}"
#define CREATED "\"created\":\"2026-12-01T00:51:32.000000Z\""
#define HEAD_OF(head)                                                                              \
    "{\"id\":\"urn:x\",\"type\":\"https://ocfl.io/1.1/spec/#inventory\",\"digestAlgorithm\":\"sha256\"," \
    "\"head\":\"" head "\","

static struct ocfl_inventory *
first_version(struct arena *arena)
{
    struct ocfl_inventory *inventory = ocfl_inventory_new(arena, TEXT("urn:x"), DIGEST_SHA256);
    assert_code(ocfl_inventory_begin_version(inventory, &info, NULL), ERROR_NONE);
    assert_int_equal(ocfl_inventory_next_number(inventory), 1);
    assert_code(ocfl_inventory_add_content(inventory, digest(0x11), TEXT("v1/content/1.txt"), NULL), ERROR_NONE);
    assert_code(ocfl_inventory_set_state(inventory, TEXT("files/a b"), digest(0x11), NULL), ERROR_NONE);
    return inventory;
}

static struct text
written(struct ocfl_inventory *inventory, struct buffer *buffer)
{
    struct error error = {0};
    buffer_clear(buffer);
    if (ocfl_inventory_write(inventory, buffer, &error) != ERROR_NONE)
        fail_msg("%s", error.message);
    return buffer_text(buffer);
}

static void
a_first_version_is_written_in_canonical_form(void **state)
{
    struct arena arena;
    struct buffer buffer = {0};
    (void)state;
    arena_init(&arena, 0);
    struct ocfl_inventory *inventory = first_version(&arena);
    assert_code(ocfl_inventory_add_fixity(inventory, DIGEST_MD5, digest(0x33), TEXT("v1/content/1.txt"), NULL),
                ERROR_NONE);
    assert_text(written(inventory, &buffer),
                TEXT(HEAD_OF("v1") "\"manifest\":{\"" HEX_11 "\":[\"v1/content/1.txt\"]},"
                     "\"versions\":{\"v1\":{" CREATED ",\"state\":{\"" HEX_11 "\":[\"files/a b\"]}," VERSION_INFO "},"
                     "\"fixity\":{\"md5\":{\"33333333333333333333333333333333\":[\"v1/content/1.txt\"]}}}"));
    buffer_release(&buffer);
    arena_release(&arena);
}

/* v2: same content under two names, one new, the first name moved away, then a tombstone v3. */
static void
change_to_third(struct ocfl_inventory *inventory)
{
    assert_code(ocfl_inventory_begin_version(inventory, &info, NULL), ERROR_NONE);
    assert_int_equal(ocfl_inventory_next_number(inventory), 1);
    assert_code(ocfl_inventory_add_content(inventory, digest(0x22), TEXT("v2/content/1"), NULL), ERROR_NONE);
    assert_code(ocfl_inventory_set_state(inventory, TEXT("files/b"), digest(0x11), NULL), ERROR_NONE);
    assert_code(ocfl_inventory_set_state(inventory, TEXT("files/c"), digest(0x11), NULL), ERROR_NONE);
    assert_code(ocfl_inventory_set_state(inventory, TEXT("files/c"), digest(0x22), NULL), ERROR_NONE);
    assert_code(ocfl_inventory_rename(inventory, TEXT("files/a b"), TEXT("files/z"), NULL), ERROR_NONE);
    assert_code(ocfl_inventory_begin_version(inventory, &info, NULL), ERROR_NONE);
    ocfl_inventory_clear_state(inventory);
}

static void
later_versions_keep_the_older_blocks_and_share_content(void **state)
{
    struct arena arena;
    struct buffer buffer = {0};
    (void)state;
    arena_init(&arena, 0);
    struct ocfl_inventory *inventory = first_version(&arena);
    change_to_third(inventory);
    assert_text(written(inventory, &buffer),
                TEXT(HEAD_OF("v3") "\"manifest\":{\"" HEX_11 "\":[\"v1/content/1.txt\"],\"" HEX_22 "\":[\"v2/content/1\"]},"
                     "\"versions\":{\"v1\":{" CREATED ",\"state\":{\"" HEX_11 "\":[\"files/a b\"]}," VERSION_INFO ","
                     "\"v2\":{" CREATED ",\"state\":{\"" HEX_11 "\":[\"files/z\",\"files/b\"],\"" HEX_22 "\":[\"files/c\"]}," VERSION_INFO ","
                     "\"v3\":{" CREATED ",\"state\":{}," VERSION_INFO "}}"));
    buffer_release(&buffer);
    arena_release(&arena);
}

static void
an_inventory_parsed_and_written_is_the_same_and_goes_on_the_same(void **state)
{
    struct arena arena;
    struct buffer direct = {0}, first = {0}, again = {0};
    struct ocfl_inventory *parsed;
    (void)state;
    arena_init(&arena, 0);
    struct ocfl_inventory *inventory = first_version(&arena);
    assert_code(ocfl_inventory_add_fixity(inventory, DIGEST_SHA1, digest(0x33), TEXT("v1/content/1.txt"), NULL),
                ERROR_NONE);
    assert_code(ocfl_inventory_add_fixity(inventory, DIGEST_MD5, digest(0x44), TEXT("v1/content/1.txt"), NULL),
                ERROR_NONE);
    assert_code(ocfl_inventory_parse(&arena, written(inventory, &first), &parsed, NULL), ERROR_NONE);
    assert_text(written(parsed, &again), buffer_text(&first));
    change_to_third(inventory);
    change_to_third(parsed);
    assert_text(written(parsed, &again), written(inventory, &direct));
    assert_code(ocfl_inventory_parse(&arena, buffer_text(&again), &parsed, NULL), ERROR_NONE);
    assert_int_equal(ocfl_inventory_head(parsed), 3);
    assert_text(written(parsed, &first), buffer_text(&again));
    buffer_release(&direct);
    buffer_release(&first);
    buffer_release(&again);
    arena_release(&arena);
}

static void
the_head_state_can_be_looked_up_and_walked(void **state)
{
    struct arena arena;
    struct ocfl_file file;
    struct text path;
    struct ocfl_walk walk = {0};
    size_t count = 0;
    (void)state;
    arena_init(&arena, 0);
    struct ocfl_inventory *inventory = first_version(&arena);
    assert_code(ocfl_inventory_set_state(inventory, TEXT("files/b"), digest(0x11), NULL), ERROR_NONE);
    assert_true(ocfl_inventory_find(inventory, TEXT("files/b"), &file));
    assert_text(file.content_path, TEXT("v1/content/1.txt"));
    assert_text(file.digest_hex, TEXT(HEX_11));
    assert_true(ocfl_inventory_find_content(inventory, digest(0x11), &path));
    assert_text(path, TEXT("v1/content/1.txt"));
    assert_false(ocfl_inventory_find_content(inventory, digest(0x12), &path));
    while (ocfl_inventory_next(inventory, &walk, &file))
        assert_text(file.logical_path, count++ == 0 ? TEXT("files/a b") : TEXT("files/b"));
    assert_int_equal(count, 2);
    assert_int_equal(ocfl_inventory_file_count(inventory), 2);
    assert_code(ocfl_inventory_remove_state(inventory, TEXT("files/a b"), NULL), ERROR_NONE);
    assert_code(ocfl_inventory_remove_state(inventory, TEXT("files/a b"), NULL), ERROR_NOT_FOUND);
    assert_false(ocfl_inventory_find(inventory, TEXT("files/a b"), &file));
    assert_int_equal(ocfl_inventory_file_count(inventory), 1);
    arena_release(&arena);
}

static void
calls_that_would_make_an_invalid_object_are_refused(void **state)
{
    struct arena arena;
    struct buffer buffer = {0};
    (void)state;
    arena_init(&arena, 0);
    struct ocfl_inventory *inventory = first_version(&arena);
    assert_code(ocfl_inventory_add_content(inventory, digest(0x11), TEXT("v1/content/2"), NULL), ERROR_INVALID);
    assert_code(ocfl_inventory_add_content(inventory, digest(0x55), TEXT("v1/content/1.txt"), NULL), ERROR_INVALID);
    assert_code(ocfl_inventory_add_content(inventory, digest(0x55), TEXT("v2/content/1"), NULL), ERROR_INVALID);
    assert_code(ocfl_inventory_set_state(inventory, TEXT("files/q"), digest(0x55), NULL), ERROR_INVALID);
    assert_code(ocfl_inventory_rename(inventory, TEXT("files/no"), TEXT("files/q"), NULL), ERROR_NOT_FOUND);
    assert_code(ocfl_inventory_rename(inventory, TEXT("files/a b"), TEXT("files/a b"), NULL), ERROR_EXISTS);
    assert_code(ocfl_inventory_add_fixity(inventory, DIGEST_MD5, digest(1), TEXT("v1/content/9"), NULL),
                ERROR_NOT_FOUND);
    assert_code(ocfl_inventory_add_content(inventory, digest(0x55), TEXT("v1/content/2"), NULL), ERROR_NONE);
    assert_code(ocfl_inventory_write(inventory, &buffer, NULL), ERROR_INVALID);
    buffer_release(&buffer);
    arena_release(&arena);
}

static void
altered_inventories_are_corrupt(void **state)
{
    struct arena arena;
    struct buffer buffer = {0};
    struct ocfl_inventory *parsed;
    (void)state;
    arena_init(&arena, 0);
    struct ocfl_inventory *inventory = first_version(&arena);
    change_to_third(inventory);
    struct text good = written(inventory, &buffer);
    for (size_t length = 0; length < good.length; length++)
        assert_code(ocfl_inventory_parse(&arena, text_of(good.data, length), &parsed, NULL), ERROR_CORRUPT);
    buffer_append_string(&buffer, "\n");
    assert_code(ocfl_inventory_parse(&arena, buffer_text(&buffer), &parsed, NULL), ERROR_CORRUPT);
    buffer_release(&buffer);
    arena_release(&arena);
}

static void
ten_thousand_files_fit_and_one_more_does_not(void **state)
{
    struct arena arena;
    struct buffer buffer = {0};
    struct ocfl_inventory *parsed;
    char text[64];
    (void)state;
    arena_init(&arena, 0);
    struct ocfl_inventory *inventory = ocfl_inventory_new(&arena, TEXT("urn:x"), DIGEST_SHA512);
    assert_code(ocfl_inventory_begin_version(inventory, &info, NULL), ERROR_NONE);
    for (int i = 0; i < OCFL_FILES_MAX; i++) {
        unsigned char hash[DIGEST_SIZE_MAX];
        digest_compute(DIGEST_SHA512, &i, sizeof i, hash);
        snprintf(text, sizeof text, "v1/content/%u", ocfl_inventory_next_number(inventory));
        assert_code(ocfl_inventory_add_content(inventory, hash, text_from(text), NULL), ERROR_NONE);
        snprintf(text, sizeof text, "files/%d", i);
        assert_code(ocfl_inventory_set_state(inventory, text_from(text), hash, NULL), ERROR_NONE);
    }
    unsigned char first[DIGEST_SIZE_MAX];
    digest_compute(DIGEST_SHA512, &(int){0}, sizeof(int), first);
    assert_code(ocfl_inventory_set_state(inventory, TEXT("files/more"), first, NULL), ERROR_LIMIT);
    assert_code(ocfl_inventory_parse(&arena, written(inventory, &buffer), &parsed, NULL), ERROR_NONE);
    assert_int_equal(ocfl_inventory_file_count(parsed), OCFL_FILES_MAX);
    buffer_release(&buffer);
    arena_release(&arena);
}

static void
versions_are_limited(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    struct ocfl_inventory *inventory = ocfl_inventory_new(&arena, TEXT("urn:x"), DIGEST_SHA512);
    for (int i = 0; i < OCFL_VERSION_MAX; i++)
        assert_code(ocfl_inventory_begin_version(inventory, &info, NULL), ERROR_NONE);
    assert_code(ocfl_inventory_begin_version(inventory, &info, NULL), ERROR_LIMIT);
    arena_release(&arena);
}

static void
cleaning_leaves_nothing_that_json_would_escape(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    assert_text(ocfl_clean(&arena, TEXT("a\"b\\c\td\x7f" "é\xFF\xE2\x82" "e")), TEXT("a'b/c d é???e"));
    struct text clean = TEXT("clean ü");
    assert_ptr_equal(ocfl_clean(&arena, clean).data, clean.data);
    arena_release(&arena);
}

static void
root_files_are_json_that_names_layout_0003(void **state)
{
    struct arena arena;
    struct json *root;
    struct text text;
    uint64_t number;
    (void)state;
    arena_init(&arena, 0);
    assert_string_equal(ocfl_root_files[0].path, "0=ocfl_1.1");
    assert_string_equal(ocfl_root_files[0].content, "ocfl_1.1\n");
    assert_code(json_parse(&arena, text_from(ocfl_root_files[1].content), &root, NULL), ERROR_NONE);
    assert_true(json_get_text(root, "extension", &text));
    assert_text(text, TEXT(OCFL_LAYOUT_NAME));
    assert_code(json_parse(&arena, text_from(ocfl_root_files[2].content), &root, NULL), ERROR_NONE);
    assert_true(json_get_u64(root, "tupleSize", &number));
    assert_int_equal(number, 3);
    arena_release(&arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_uuid_is_version_8_and_gives_the_resource_back),
        cmocka_unit_test(the_uuid_of_a_known_store_never_changes),
        cmocka_unit_test(object_paths_follow_the_examples_of_layout_0003),
        cmocka_unit_test(the_path_of_a_resource_is_the_path_of_its_id),
        cmocka_unit_test(content_paths_carry_only_neutral_extensions),
        cmocka_unit_test(a_first_version_is_written_in_canonical_form),
        cmocka_unit_test(later_versions_keep_the_older_blocks_and_share_content),
        cmocka_unit_test(an_inventory_parsed_and_written_is_the_same_and_goes_on_the_same),
        cmocka_unit_test(the_head_state_can_be_looked_up_and_walked),
        cmocka_unit_test(calls_that_would_make_an_invalid_object_are_refused),
        cmocka_unit_test(altered_inventories_are_corrupt),
        cmocka_unit_test(ten_thousand_files_fit_and_one_more_does_not),
        cmocka_unit_test(versions_are_limited),
        cmocka_unit_test(cleaning_leaves_nothing_that_json_would_escape),
        cmocka_unit_test(root_files_are_json_that_names_layout_0003),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
