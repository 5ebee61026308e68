/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: OCFL inventories. */
#include "base/ensure.h"
#include "ocfl/inventory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text input = text_of((const char *)data, size);
    struct arena arena;
    struct ocfl_inventory *inventory;
    arena_init(&arena, 4 << 20);
    (void)!ocfl_inventory_parse(&arena, input, &inventory, NULL);
    arena_release(&arena);
    return 0;
}
