/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the list of an archive (zip directory and local headers, tar headers) and the names in it. */
#include "package/member_name.h"
#include "package/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum error_code
read_input(void *context, uint64_t offset, void *data, size_t length, struct error *error)
{
    (void)error;
    memcpy(data, (const char *)context + offset, length);
    return ERROR_NONE;
}

static void
read_name(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct member_name name;
    for (unsigned i = 0; i < 4; i++) {
        struct member_raw raw = {text_of((const char *)data, size), i < 2 ? MEMBER_CP437 : MEMBER_LATIN_1, i % 2 == 0};
        if (member_name(&arena, &raw, &name, NULL) == ERROR_NONE &&
            (!text_is_utf8(name.path) || text_equal(name.path, TEXT("..")) || text_starts_with(name.path, TEXT("/"))))
            abort();
    }
    arena_release(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct package_request request = {.limits = package_limits_default()};
    struct unpack *unpack = NULL;
    request.source = (struct package_source){size, read_input, (void *)(uintptr_t)data};
    if (unpack_open(&request, &unpack, NULL) == ERROR_NONE) {
        for (size_t i = 0; i < unpack->count; i++) {
            if (unpack_find(unpack, unpack->members[i].path) == NULL)
                abort();
        }
    }
    unpack_free(unpack);
    read_name(data, size);
    return 0;
}
