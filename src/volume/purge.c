/* SPDX-License-Identifier: Apache-2.0 */
#include "volume/store_private.h"

enum error_code
purge__redo(struct device *device, struct error *error)
{
    (void)device;
    (void)error;
    return ERROR_NONE;
}

enum error_code
store_purge(struct store *store, const struct purge_request *request, struct error *error)
{
    (void)store, (void)request;
    return error_set(error, ERROR_UNSUPPORTED, "purge is not there yet");
}

enum error_code
store_purge_copy(struct device *copy, const struct purge_request *request,
                 store_fault_function *on_fault, void *context, struct error *error)
{
    (void)copy, (void)request, (void)on_fault, (void)context;
    return error_set(error, ERROR_UNSUPPORTED, "purge is not there yet");
}
