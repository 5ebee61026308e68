/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: paths of requests. */
#include "format/percent.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text input = text_of((const char *)data, size);
    struct arena arena;
    struct percent_path path;
    struct buffer decoded = {0};
    arena_init(&arena, 1 << 20);
    (void)!percent_split_path(&arena, input, &path, NULL);
    (void)!percent_decode(&decoded, input, NULL);
    buffer_release(&decoded);
    arena_release(&arena);
    return 0;
}
