/* SPDX-License-Identifier: Apache-2.0 */
#include "volume/store_private.h"

enum error_code
store_verify(struct store *store, const struct verify_options *options,
             store_fault_function *on_fault, void *context, uint64_t *ret_faults,
             struct error *error)
{
    (void)store, (void)options, (void)on_fault, (void)context, (void)ret_faults;
    return error_set(error, ERROR_UNSUPPORTED, "verification is not there yet");
}
