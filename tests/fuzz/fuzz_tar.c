/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: tar headers and pax records. */
#include "format/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text input = text_of((const char *)data, size);
    char path[TAR_PATH_MAX];
    struct tar_found found;
    struct tar_block block;
    struct tar_pax pax;
    (void)!tar_parse_entry(input, path, &found, NULL);
    (void)!tar_parse_pax(input, &pax, NULL);
    if (size >= TAR_BLOCK_SIZE)
        (void)!tar_parse_block(data, path, &block, NULL);
    return 0;
}
