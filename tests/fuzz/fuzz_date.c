/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: dates. */
#include "base/ensure.h"
#include "format/date.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text input = text_of((const char *)data, size);
    int64_t time_us, again;
    char written[DATE_TEXT_SIZE];
    if (date_parse(input, &time_us)) {
        date_write(time_us, DATE_MICROSECONDS, written);
        ensure(date_parse(text_from(written), &again) && again == time_us);
    }
    (void)date_parse_day(input, &time_us);
    (void)date_parse_http(input, INT64_C(1796083200000000), &time_us);
    return 0;
}
