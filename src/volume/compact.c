/* SPDX-License-Identifier: Apache-2.0 */
#include "volume/store_private.h"

enum error_code
store_compact(struct store *store, uint64_t volume, store_keep_function *keep, void *context,
              struct compaction_result *ret_result, struct error *error)
{
    (void)store, (void)volume, (void)keep, (void)context, (void)ret_result;
    return error_set(error, ERROR_UNSUPPORTED, "compaction is not there yet");
}
