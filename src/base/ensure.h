/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ensure(condition): an assertion that is always on. For what cannot happen; never for bytes that
 * come from disk, network, another process or a person: those are errors (base/error.h).
 */
#ifndef ARCHIVOLT_BASE_ENSURE_H
#define ARCHIVOLT_BASE_ENSURE_H

void ensure_failed(const char *condition, const char *file, int line, const char *function)
    __attribute__((noreturn, cold));

#define ensure(condition)                                                                          \
    ((condition) ? (void)0 : ensure_failed(#condition, __FILE__, __LINE__, __func__))

#endif
