/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the JSON reader. */
#include "base/ensure.h"
#include "format/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text input = text_of((const char *)data, size);
    struct arena arena;
    struct json *root;
    arena_init(&arena, 1 << 20);
    (void)!json_parse(&arena, input, &root, NULL);
    arena_release(&arena);
    return 0;
}
