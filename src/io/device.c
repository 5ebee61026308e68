/* SPDX-License-Identifier: Apache-2.0 */
/* What every device shares: see device.h. */
#include "io/device.h"

enum error_code
device_read_exactly(struct device_file *file, uint64_t offset, void *data, size_t length,
                    struct error *error)
{
    size_t got = 0;
    enum error_code code = device_read(file, offset, data, length, &got, error);
    if (code != ERROR_NONE)
        return code;
    if (got != length)
        return error_set(error, ERROR_CORRUPT,
                         "the file ends early: %zu bytes wanted at %llu, %zu there", length,
                         (unsigned long long)offset, got);
    return ERROR_NONE;
}
