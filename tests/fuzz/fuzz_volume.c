/* SPDX-License-Identifier: Apache-2.0 */
/* A log volume of any bytes: read only, then with recovery; its journal, its verification. */
#include "volume/store.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static struct device *
device_with(const unsigned char *data, size_t size)
{
    struct device_simulated_options calm = {.seed = 1};
    struct device *device = device_simulated_new(&calm);
    struct iovec part = {(void *)(uintptr_t)data, size};
    struct device_file *file = NULL;
    if (device_open_file(device, "log-0000000001.tar", DEVICE_CREATE, &file, NULL) == ERROR_NONE &&
        device_write(file, 0, &part, 1, NULL) != ERROR_NONE)
        abort();
    device_close_file(file);
    return device;
}

static void
read_all(struct store *store)
{
    struct journal_reader *reader = NULL;
    struct journal_group group;
    enum error_code status = ERROR_NONE;
    struct verify_options options = {0};
    uint64_t faults;
    if (journal_reader_open(store, 0, true, &reader, NULL) == ERROR_NONE) {
        while (journal_reader_next(reader, &group, &status, NULL) || status != ERROR_NONE)
            continue;
        journal_reader_close(reader);
    }
    enum error_code ignored = store_verify(store, &options, NULL, NULL, &faults, NULL);
    (void)ignored;
}

static void
open_and_read(const unsigned char *data, size_t size, bool read_only)
{
    struct device_simulated_options calm = {.seed = 1};
    struct device *volumes = device_with(data, size), *lost = device_simulated_new(&calm);
    struct store_options options = {
        .volumes = volumes, .lost_and_found = lost, .accept_clock = true, .read_only = read_only};
    struct store *store = NULL;
    struct store_recovery recovery;
    if (store_open(&options, NULL, NULL, NULL, &store, &recovery, NULL) == ERROR_NONE) {
        read_all(store);
        store_close(store);
    }
    device_free(volumes);
    device_free(lost);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size > 1 << 20)
        return 0;
    open_and_read(data, size, true);
    open_and_read(data, size, false);
    return 0;
}
