/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the text files of bags, and lines of SAF's contents. */
#include "package/bag_text.h"
#include "package/reader.h"
#include "package/saf_item.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_lines(struct text input, struct arena *arena)
{
    struct bag_manifest_name name;
    struct bag_line line;
    struct saf_line contents;
    struct text path;
    for (struct text rest = input; rest.data != NULL;) {
        struct text text = reader_cut_line(rest, &rest);
        if (bag_manifest_name(TEXT("manifest-md5.txt"), &name) && bag_read_line(text, name.algorithm, &line, NULL) == ERROR_NONE) {
            (void)!bag_check_path(line.path, true, NULL);
            (void)bag_unescape(line.path, arena);
            if (!bag_names_are_alike(line.path, line.path))
                abort();
        }
        (void)!bag_read_fetch_line(text, &path, NULL);
        (void)!saf_read_line(text, &contents, NULL);
        (void)bag_manifest_name(text, &name);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text input = text_of((const char *)data, size), rest = input;
    struct arena arena;
    struct buffer decoded = {0};
    struct bag_declaration declaration;
    struct bag_element element;
    bool found = true;
    arena_init(&arena, 4 << 20);
    if (bag_read_declaration(input, &declaration, NULL) == ERROR_NONE)
        (void)!bag_decode(input, declaration.encoding, &decoded, NULL);
    (void)!bag_decode(input, TEXT("UTF-16"), &decoded, NULL);
    while (found && bag_read_element(&rest, &arena, &element, &found, NULL) == ERROR_NONE)
        ;
    read_lines(input, &arena);
    buffer_release(&decoded);
    arena_release(&arena);
    return 0;
}
