/* SPDX-License-Identifier: Apache-2.0 */
/* docs/format.md tells the truth: its volume is made again byte for byte, its program is run. */
#include "store_fixture.h"

/* A whole fenced block of the document; the caller frees. Tests run in the build folder. */
static char *
block_of_document(const char *language)
{
    static const char *const places[] = {"../docs/format.md", "docs/format.md",
                                         "../../docs/format.md"};
    FILE *file = NULL;
    char *text = NULL, fence[40];
    size_t length = 0;
    for (size_t i = 0; file == NULL && i < sizeof places / sizeof *places; i++)
        file = fopen(places[i], "r");
    assert_non_null(file);
    assert_true(getdelim(&text, &length, '\0', file) > 0);
    fclose(file);
    snprintf(fence, sizeof fence, "```%s\n", language);
    char *start = strstr(text, fence);
    assert_non_null(start);
    start += strlen(fence);
    char *end = strstr(start, "```\n");
    assert_non_null(end);
    char *block = text_copy(text_of(start, (size_t)(end - start)));
    free(text);
    return block;
}

static void
add_line(struct group *group, const char *json)
{
    struct error error = {0};
    check(group_add_line(group, text_from(json), NULL, &error), &error);
}

/* ---- the volume ---- */

static void
commit_hello(struct fixture *f)
{
    struct error error = {0};
    struct content *content;
    struct group *group;
    struct group_info info;
    struct place place;
    struct buffer line = {0};
    check(content_begin(f->store, 0, &content, &error), &error);
    check(content_write(content, "Hello, reader\n", 14, &error), &error);
    check(content_finish(content, &error), &error);
    const struct content_summary *summary = content_summary(content);
    check(group_begin(f->store, false, &group, &info, &error), &error);
    check(group_add_content(group, TEXT("ocfl/hello.txt"), content, &place, NULL, &error), &error);
    buffer_printf(
        &line,
        "{\"op\":\"create\",\"id\":2,\"by\":1,\"parent\":1,\"in\":[1],\"name\":\"hello.txt\","
        "\"kind\":2,\"owner\":1,\"version\":1,\"content\":[%llu,%llu,%llu,\"",
        (unsigned long long)place.volume, (unsigned long long)place.offset,
        (unsigned long long)summary->size_bytes);
    buffer_append_hex(&line, summary->digest, 64);
    buffer_append_string(&line, "\",\"");
    buffer_append_hex(&line, summary->block_sums.data, summary->block_sums.length);
    buffer_append_string(&line, "\"],\"type\":\"text/plain\"}");
    add_line(group, buffer_string(&line));
    check(group_commit(group, NULL, NULL, &error), &error);
    content_free(content);
    buffer_release(&line);
}

static bool
is_zeros(const unsigned char *bytes)
{
    static const unsigned char zeros[16];
    return memcmp(bytes, zeros, sizeof zeros) == 0;
}

static void
dump_line(struct buffer *out, size_t at, const unsigned char *bytes)
{
    buffer_printf(out, "%08zx ", at);
    for (unsigned i = 0; i < 16; i++)
        buffer_printf(out, i == 8 ? "  %02x" : " %02x", bytes[i]);
    buffer_append_string(out, "  |");
    for (unsigned i = 0; i < 16; i++)
        buffer_append_char(out, bytes[i] >= ' ' && bytes[i] < 0x7f ? (char)bytes[i] : '.');
    buffer_append_string(out, "|\n");
}

static void
dump(struct buffer *out, const unsigned char *bytes, size_t length)
{
    bool starred = false;
    for (size_t at = 0; at < length; at += 16) {
        if (!is_zeros(bytes + at))
            dump_line(out, at, bytes + at);
        else if (!starred)
            buffer_append_string(out, "*\n");
        starred = is_zeros(bytes + at);
    }
    buffer_printf(out, "%08zx\n", length);
}

static void
the_volume_in_the_document_is_made_again_byte_for_byte(void **state)
{
    struct fixture f;
    struct error error = {0};
    struct device_file *file;
    uint64_t size;
    struct buffer out = {0};
    (void)state;
    struct device_simulated_options calm = {.seed = 1};
    memset(&f, 0, sizeof f);
    f.device = device_simulated_new(&calm);
    f.lost_device = device_simulated_new(&calm);
    clock_simulated_init(&f.clock, INT64_C(1796083200000000), 1);
    random_simulated_init(&f.random, 1);
    f.options = (struct store_options){.volumes = f.device,
                                       .lost_and_found = f.lost_device,
                                       .clock = &f.clock.clock,
                                       .random = &f.random.source};
    check(store_create(&f.options, &fixture_identity, &error), &error);
    open_store(&f, NULL);
    commit_hello(&f);
    store_close(f.store);
    f.store = NULL;
    check(device_open_file(f.device, "log-0000000001.tar", DEVICE_READ, &file, &error), &error);
    check(f.device->operations->size(file, &size, &error), &error);
    unsigned char *bytes = malloc(size);
    check(device_read_exactly(file, 0, bytes, size, &error), &error);
    device_close_file(file);
    dump(&out, bytes, size);
    char *documented = block_of_document("hexdump");
    if (getenv("ARCHIVOLT_PRINT_DUMP") != NULL)
        printf("%s", buffer_string(&out));
    assert_string_equal(buffer_string(&out), documented);
    free(documented);
    free(bytes);
    buffer_release(&out);
    release(&f);
}

/* ---- the program ---- */

static void
commit_lines(struct fixture *f, const char *const *lines, size_t count)
{
    struct error error = {0};
    struct group *group;
    struct group_info info;
    check(group_begin(f->store, false, &group, &info, &error), &error);
    for (size_t i = 0; i < count; i++)
        add_line(group, lines[i]);
    check(group_commit(group, NULL, NULL, &error), &error);
}

static void
purge_first_line(struct fixture *f, uint64_t sequence)
{
    struct error error = {0};
    struct journal_reader *reader;
    struct journal_group group;
    enum error_code status;
    check(journal_reader_open(f->store, sequence, true, &reader, &error), &error);
    assert_true(journal_reader_next(reader, &group, &status, &error));
    struct purge_line line = {{group.position.volume, group.position.offset},
                              group.line_offsets[0],
                              group.lines[0].length};
    struct purge_request request = {NULL, 0, &line, 1};
    journal_reader_close(reader);
    check(store_purge(f->store, &request, &error), &error);
}

/* Runs the document's program over the volumes, extracted; its output. */
static char *
run_program(struct fixture *f, int *ret_status)
{
    char command[600], path[100], *output = NULL;
    size_t length = 0;
    char *program = block_of_document("python");
    snprintf(path, sizeof path, "%s/live.py", f->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(program, file) >= 0);
    assert_int_equal(fclose(file), 0);
    free(program);
    snprintf(command, sizeof command,
             "mkdir -p %s/out && for v in %s/*.tar; do tar -xf $v -C %s/out; done && "
             "python3 %s %s/out/journal 2>&1",
             f->folder, f->volumes, f->folder, path, f->folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    if (getdelim(&output, &length, '\0', pipe) < 0)
        output = text_copy(TEXT(""));
    *ret_status = pclose(pipe);
    return output;
}

static void
the_program_in_the_document_finds_the_live_tree(void **state)
{
    static const char *const first[] = {
        "{\"op\":\"create\",\"id\":1,\"kind\":1}",
        "{\"op\":\"create\",\"id\":2,\"parent\":1,\"in\":[1],\"name\":\"a\",\"kind\":1}",
        "{\"op\":\"create\",\"id\":3,\"parent\":2,\"name\":\"\xc3\xa9\",\"content\":[1,7]}",
        "{\"op\":\"create\",\"id\":4,\"parent\":1,\"in\":[1],\"name\":\"b\",\"kind\":1}"};
    static const char *const second[] = {
        "{\"op\":\"create\",\"id\":5,\"parent\":4,\"in\":[1,4],\"name\":\"purged\",\"kind\":2}"};
    static const char *const third[] = {
        "{\"op\":\"move\",\"id\":2,\"parent\":1,\"name\":\"a\",\"to_parent\":4,\"to_name\":\"c\"}",
        "{\"op\":\"version\",\"id\":3,\"content\":[1,99,6,\"ef01\",\"00112233\"]}",
        "{\"op\":\"version\",\"id\":5,\"content\":[1,99,6,\"ef01\",\"00112233\"]}",
        "{\"op\":\"create\",\"id\":6,\"parent\":1,\"in\":[1],\"name\":\"gone\",\"kind\":1}",
        "{\"op\":\"create\",\"id\":7,\"parent\":6,\"in\":[1,6],\"name\":\"below\",\"kind\":2}",
        "{\"op\":\"delete\",\"id\":6,\"parent\":1,\"name\":\"gone\"}"};
    struct fixture f;
    struct error error = {0};
    int status;
    (void)state;
    make_fixture(&f);
    open_store(&f, NULL);
    commit_lines(&f, first, 4);
    commit_lines(&f, second, 1);
    check(store_seal(f.store, &error), &error);
    purge_first_line(&f, 2);
    commit_lines(&f, third, 6);
    char *output = run_program(&f, &status);
    assert_int_equal(status, 0);
    assert_string_equal(output, "/\n/b\n/b/c\n/b/c/\xc3\xa9 6 ef01 1:99\n");
    free(output);
    flip(&f, "log-0000000001.tar", 1024 + 512 + 20);
    output = run_program(&f, &status);
    assert_int_not_equal(status, 0);
    assert_non_null(strstr(output, "group 1 "));
    free(output);
    release(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_volume_in_the_document_is_made_again_byte_for_byte),
        cmocka_unit_test(the_program_in_the_document_finds_the_live_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
