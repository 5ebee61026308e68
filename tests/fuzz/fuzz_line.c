/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: journal lines. */
#include "base/ensure.h"
#include "model/record/line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text input = text_of((const char *)data, size);
    struct arena arena;
    struct line line, again;
    bool purged;
    struct buffer json = {0};
    arena_init(&arena, 1 << 20);
    if (line_parse(&arena, input, &line, &purged, NULL) == ERROR_NONE && !purged &&
        line.operation != OPERATION_UNKNOWN) {
        line_write(&line, &json); /* what we understood must be understood again */
        if (json.status == ERROR_NONE)
            ensure(line_parse(&arena, buffer_text(&json), &again, &purged, NULL) != ERROR_CORRUPT);
    }
    buffer_release(&json);
    arena_release(&arena);
    return 0;
}
