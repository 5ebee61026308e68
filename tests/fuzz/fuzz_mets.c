/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: mets.xml in a package of two files, and the same bytes as EPrints XML; whatever it is, nothing is left behind. */
#include "base/ensure.h"
#include "io/device.h"
#include "model/private.h"
#include "package/package.h"
#include "volume/store.h"

#include "../unit/zip_builder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct model *model;
static struct crosswalk_set *crosswalks;

static void
open_model(void)
{
    static struct clock_simulated clock;
    static struct random_simulated random;
    struct device_simulated_options device = {.seed = 1};
    struct model_options options = {.folder = "/nowhere", .limits = model_limits_default(), .small_content_bytes = 100000};
    char token[TOKEN_TEXT_BYTES];
    clock_simulated_init(&clock, INT64_C(1700000000000000), 1000);
    random_simulated_init(&random, 5);
    struct model_parts parts = {device_simulated_new(&device), device_simulated_new(&device), catalog_memory_new(), &clock.clock,
                                &random.source};
    ensure(model_create_parts(&options, &parts, token, NULL) == ERROR_NONE);
    ensure(model_open_parts(&options, &parts, &model, NULL) == ERROR_NONE);
    ensure(crosswalk_set_new(NULL, &crosswalks, NULL) == ERROR_NONE);
}

static enum error_code
read_buffer(void *context, uint64_t offset, void *data, size_t length, struct error *error)
{
    (void)error;
    memcpy(data, ((const struct buffer *)context)->data + offset, length);
    return ERROR_NONE;
}

static void
read_as(enum packaging packaging, struct buffer *bytes)
{
    struct arena arena;
    struct packages packages;
    struct package_request request = {.model = model, .arena = &arena, .limits = package_limits_default(),
                                      .packaging = packaging, .crosswalks = crosswalks,
                                      .source = {bytes->length, read_buffer, bytes}};
    arena_init(&arena, 4 << 20);
    if (package_read_all(&request, &packages, NULL) == ERROR_NONE)
        packages_release(&packages);
    arena_release(&arena);
    buffer_release(bytes);
    if (store_content_memory(model->store) != 0)
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zip zip = {0};
    struct buffer bytes = {0};
    if (model == NULL)
        open_model();
    zip_file(&zip, "a.pdf", "abc");
    zip_file(&zip, "b.pdf", "defg");
    zip_add(&zip, (struct zip_part){.name = "mets.xml", .data = data, .length = size});
    bytes = zip_end(&zip);
    read_as(PACKAGING_METS, &bytes);
    buffer_append(&bytes, data, size);
    read_as(PACKAGING_EPRINTS, &bytes);
    return 0;
}
