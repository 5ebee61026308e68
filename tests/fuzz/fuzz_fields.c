/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: fields of HTTP requests. */
#include "http/accept.h"
#include "http/condition.h"
#include "http/disposition.h"
#include "http/range.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text input = text_of((const char *)data, size);
    struct arena arena;
    struct byte_range ranges[BYTE_RANGES_MAXIMUM];
    struct entity_tag tag;
    struct text filename, rest = input;
    size_t count = 0;
    static const struct media_type offers[] = {{"text", "html"}, {"application", "json"}};
    arena_init(&arena, 1 << 20);
    (void)accept_choose(input, offers, 2);
    (void)range_parse(input, 1000, ranges, &count);
    (void)!disposition_parse(&arena, input, &filename, NULL);
    while (entity_tag_next(&rest, &tag))
        ;
    arena_release(&arena);
    return 0;
}
