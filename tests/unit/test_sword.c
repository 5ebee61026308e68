/* SPDX-License-Identifier: Apache-2.0 */
/* The table of errors of SWORD: complete, in both versions. */
#include "unit.h"

#include "frontend/sword/sword_private.h"

static void
every_code_has_a_status(void **state)
{
    (void)state;
    for (int code = ERROR_NONE + 1; code < ERROR_CODE_COUNT; code++) {
        for (int version = SWORD_1_3; version <= SWORD_2_0; version++) {
            unsigned status = sword_status((enum sword_version)version, (enum error_code)code);
            if (status < 400 || status > 599)
                fail_msg("%s has the status %u", error_word((enum error_code)code), status);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_code_has_a_status)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
