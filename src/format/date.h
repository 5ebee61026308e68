/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates: integer microseconds since 1970-01-01T00:00:00Z, years 0000 to 9999, proleptic Gregorian
 * calendar, no leap seconds (":60" is refused). Threads: any.
 */
#ifndef ARCHIVOLT_FORMAT_DATE_H
#define ARCHIVOLT_FORMAT_DATE_H

#include "base/text.h"

#define DATE_MIN INT64_C(-62167219200000000) /* 0000-01-01T00:00:00Z */
#define DATE_MAX INT64_C(253402300799999999) /* 9999-12-31T23:59:59.999999Z */

enum date_precision {
    DATE_DAYS,         /* 2026-12-01 */
    DATE_SECONDS,      /* 2026-12-01T00:51:32Z */
    DATE_MILLISECONDS, /* 2026-12-01T00:51:32.123Z */
    DATE_MICROSECONDS  /* 2026-12-01T00:51:32.123456Z */
};

enum { DATE_TEXT_SIZE = 32 }; /* holds each form here with its NUL */

/* RFC 3339 in UTC, cut (not rounded) to the precision; NUL-terminated; returns the length. Times out
 * of range are brought into it. */
size_t date_write(int64_t time_us, enum date_precision precision, char out[DATE_TEXT_SIZE]);
/* RFC 3339 date-time: seconds needed, any fraction (cut to microseconds), `Z` or an offset. */
bool date_parse(struct text text, int64_t *ret_time_us);
/* Full date "YYYY-MM-DD" alone: midnight UTC. */
bool date_parse_day(struct text text, int64_t *ret_time_us);

/* HTTP (RFC 9110 section 5.6.7). Out: IMF-fixdate, "Tue, 01 Dec 2026 00:51:32 GMT". */
size_t date_write_http(int64_t time_us, char out[DATE_TEXT_SIZE]);
/* In: IMF-fixdate, RFC 850 and asctime forms. `now_us` places a year of two digits: never more than
 * 50 years after it. The day's name must be a day's name, but is not held against the date. */
bool date_parse_http(struct text text, int64_t now_us, int64_t *ret_time_us);

#endif
