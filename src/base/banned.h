/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that this project never calls: they overflow, keep hidden state, or hide errors.
 * Force-included into every translation unit by the build. The system headers that declare them
 * come first, so that only our own uses are refused.
 */
#ifndef ARCHIVOLT_BASE_BANNED_H
#define ARCHIVOLT_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Where the C library makes them macros (clang with _FORTIFY_SOURCE). */
#undef sprintf
#undef vsprintf

#pragma GCC poison strcpy strcat sprintf vsprintf strtok gmtime localtime ctime asctime atoi atol atoll
#pragma GCC poison strncpy strncat gets tmpnam

#endif
