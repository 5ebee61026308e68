/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a program that found itself in an impossible state. */
#include "base/ensure.h"

void
ensure_failed(const char *condition, const char *file, int line, const char *function)
{
    fprintf(stderr, "archivolt: assertion failed: %s (%s:%d, %s)\n", condition, file, line, function);
    abort();
}
