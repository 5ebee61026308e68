/* SPDX-License-Identifier: Apache-2.0 */
/* What every cmocka test includes first, and two assertions on texts. */
#ifndef ARCHIVOLT_TESTS_UNIT_H
#define ARCHIVOLT_TESTS_UNIT_H

#include "base/buffer.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define assert_text(actual, expected)                                                              \
    do {                                                                                           \
        struct text actual_ = (actual);                                                            \
        struct text expected_ = (expected);                                                        \
        if (!text_equal(actual_, expected_))                                                       \
            fail_msg("got \"%.*s\", expected \"%.*s\"", TEXT_ARG(actual_), TEXT_ARG(expected_));   \
    } while (0)

#define assert_code(actual, expected) assert_string_equal(error_word(actual), error_word(expected))

#endif
