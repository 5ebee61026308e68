/* SPDX-License-Identifier: Apache-2.0 */
/* Dates: see date.h. Days are counted in years that begin in March, so that the leap day comes last. */
#include "format/date.h"

#define US_A_SECOND INT64_C(1000000)
#define SECONDS_A_DAY INT64_C(86400)

struct calendar {
    int year, month, day, hour, minute, second, microsecond;
};

static const char days[7][4] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
static const char *const long_days[7] = {"Monday", "Tuesday", "Wednesday", "Thursday",
                                         "Friday", "Saturday", "Sunday"};
static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

static int64_t
floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Days from 1970-01-01 to the given day. Shifted by one era of 400 years to stay positive. */
static int64_t
days_of(int year, int month, int day)
{
    int64_t y = (int64_t)year + 400 - (month <= 2);
    int64_t months_since_march = month > 2 ? month - 3 : month + 9;
    int64_t day_of_year = (153 * months_since_march + 2) / 5 + day - 1;
    int64_t era_days = y * 365 + y / 4 - y / 100 + y / 400;
    return era_days + day_of_year - 719468 - 146097;
}

static void
date_of_days(int64_t since_1970, struct calendar *calendar)
{
    int64_t z = since_1970 + 719468 + 146097;
    int64_t era = z / 146097, in_era = z % 146097;
    int64_t year_of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t day_of_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted = (5 * day_of_year + 2) / 153;
    calendar->day = (int)(day_of_year - (153 * shifted + 2) / 5 + 1);
    calendar->month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
    calendar->year = (int)(year_of_era + era * 400 - 400 + (calendar->month <= 2));
}

static int64_t
clamp(int64_t time_us)
{
    return time_us < DATE_MIN ? DATE_MIN : time_us > DATE_MAX ? DATE_MAX : time_us;
}

static int64_t
split(int64_t time_us, struct calendar *calendar)
{
    int64_t seconds = floor_divide(time_us, US_A_SECOND);
    int64_t day = floor_divide(seconds, SECONDS_A_DAY);
    int in_day = (int)(seconds - day * SECONDS_A_DAY);
    date_of_days(day, calendar);
    calendar->hour = in_day / 3600;
    calendar->minute = in_day / 60 % 60;
    calendar->second = in_day % 60;
    calendar->microsecond = (int)(time_us - seconds * US_A_SECOND);
    return day;
}

static char *
put(char *to, int value, int digits)
{
    decimal_write_wide(to, (size_t)digits, (uint64_t)value);
    return to + digits;
}

static char *
put_time(char *to, const struct calendar *calendar)
{
    to = put(to, calendar->hour, 2);
    *to++ = ':';
    to = put(to, calendar->minute, 2);
    *to++ = ':';
    return put(to, calendar->second, 2);
}

size_t
date_write(int64_t time_us, enum date_precision precision, char out[DATE_TEXT_SIZE])
{
    struct calendar calendar;
    char *to = out;
    split(clamp(time_us), &calendar);
    to = put(to, calendar.year, 4);
    *to++ = '-';
    to = put(to, calendar.month, 2);
    *to++ = '-';
    to = put(to, calendar.day, 2);
    if (precision != DATE_DAYS) {
        *to++ = 'T';
        to = put_time(to, &calendar);
        if (precision != DATE_SECONDS)
            *to++ = '.';
        if (precision == DATE_MILLISECONDS)
            to = put(to, calendar.microsecond / 1000, 3);
        else if (precision == DATE_MICROSECONDS)
            to = put(to, calendar.microsecond, 6);
        *to++ = 'Z';
    }
    *to = '\0';
    return (size_t)(to - out);
}

size_t
date_write_http(int64_t time_us, char out[DATE_TEXT_SIZE])
{
    struct calendar calendar;
    int64_t day = split(clamp(time_us), &calendar);
    int64_t week_day = (day % 7 + 10) % 7; /* 1970-01-01 was a Thursday */
    char *to = out;
    memcpy(to, days[week_day], 3);
    memcpy(to + 3, ", ", 2);
    to = put(to + 5, calendar.day, 2);
    *to++ = ' ';
    memcpy(to, months[calendar.month - 1], 3);
    to[3] = ' ';
    to = put(to + 4, calendar.year, 4);
    *to++ = ' ';
    to = put_time(to, &calendar);
    memcpy(to, " GMT", 5);
    return (size_t)(to + 4 - out);
}

/* Parsing: each step takes from the front of the text and says whether it was there. */
static bool
take_number(struct text *t, size_t digits, int *ret_value)
{
    int value = 0;
    if (t->length < digits)
        return false;
    for (size_t i = 0; i < digits; i++) {
        if (t->data[i] < '0' || t->data[i] > '9')
            return false;
        value = value * 10 + (t->data[i] - '0');
    }
    *t = text_of(t->data + digits, t->length - digits);
    *ret_value = value;
    return true;
}

static bool
take(struct text *t, struct text literal)
{
    if (!text_starts_with(*t, literal))
        return false;
    *t = text_of(t->data + literal.length, t->length - literal.length);
    return true;
}

static bool
take_either(struct text *t, char a, char b)
{
    if (t->length == 0 || (t->data[0] != a && t->data[0] != b))
        return false;
    *t = text_of(t->data + 1, t->length - 1);
    return true;
}

static int
days_in_month(int year, int month)
{
    static const int lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return lengths[month - 1] + (month == 2 && leap);
}

/* Checks every field and makes the time. */
static bool
join(const struct calendar *c, int64_t *ret_time_us)
{
    if (c->month < 1 || c->month > 12 || c->day < 1 || c->day > days_in_month(c->year, c->month))
        return false;
    if (c->hour > 23 || c->minute > 59 || c->second > 59)
        return false;
    int64_t seconds = days_of(c->year, c->month, c->day) * SECONDS_A_DAY + c->hour * 3600 +
                      c->minute * 60 + c->second;
    *ret_time_us = seconds * US_A_SECOND + c->microsecond;
    return true;
}

static bool
take_day(struct text *t, struct calendar *c)
{
    return take_number(t, 4, &c->year) && take(t, TEXT("-")) && take_number(t, 2, &c->month) &&
           take(t, TEXT("-")) && take_number(t, 2, &c->day);
}

static bool
take_time(struct text *t, struct calendar *c)
{
    return take_number(t, 2, &c->hour) && take(t, TEXT(":")) && take_number(t, 2, &c->minute) &&
           take(t, TEXT(":")) && take_number(t, 2, &c->second);
}

/* ".d…": at least one digit; what is finer than a microsecond is cut. */
static bool
take_fraction(struct text *t, int *ret_microsecond)
{
    int value = 0, digit, unit = 100000;
    if (!take(t, TEXT(".")))
        return true;
    if (!take_number(t, 1, &digit))
        return false;
    do {
        value += digit * unit;
        unit /= 10;
    } while (take_number(t, 1, &digit));
    *ret_microsecond = value;
    return true;
}

static bool
take_offset(struct text *t, int *ret_minutes)
{
    int hours, minutes;
    *ret_minutes = 0;
    if (take_either(t, 'Z', 'z'))
        return true;
    bool west = t->length > 0 && t->data[0] == '-';
    if (!take_either(t, '+', '-') || !take_number(t, 2, &hours) || !take(t, TEXT(":")) ||
        !take_number(t, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    *ret_minutes = west ? -(hours * 60 + minutes) : hours * 60 + minutes;
    return true;
}

bool
date_parse(struct text text, int64_t *ret_time_us)
{
    struct calendar c = {0};
    int offset_minutes;
    int64_t time_us;
    if (!take_day(&text, &c) || !take_either(&text, 'T', 't') || !take_time(&text, &c) ||
        !take_fraction(&text, &c.microsecond) || !take_offset(&text, &offset_minutes) ||
        text.length != 0 || !join(&c, &time_us))
        return false;
    time_us -= offset_minutes * 60 * US_A_SECOND;
    if (time_us < DATE_MIN || time_us > DATE_MAX)
        return false;
    *ret_time_us = time_us;
    return true;
}

bool
date_parse_day(struct text text, int64_t *ret_time_us)
{
    struct calendar c = {0};
    return take_day(&text, &c) && text.length == 0 && join(&c, ret_time_us);
}

static bool
take_month(struct text *t, int *ret_month)
{
    for (int i = 0; i < 12; i++) {
        if (take(t, text_from(months[i]))) {
            *ret_month = i + 1;
            return true;
        }
    }
    return false;
}

static bool
take_day_name(struct text *t, bool long_form)
{
    for (int i = 0; i < 7; i++) {
        if (take(t, text_from(long_form ? long_days[i] : days[i])))
            return true;
    }
    return false;
}

static bool
parse_imf_fixdate(struct text t, struct calendar *c)
{
    return take_day_name(&t, false) && take(&t, TEXT(", ")) && take_number(&t, 2, &c->day) &&
           take(&t, TEXT(" ")) && take_month(&t, &c->month) && take(&t, TEXT(" ")) &&
           take_number(&t, 4, &c->year) && take(&t, TEXT(" ")) && take_time(&t, c) &&
           take(&t, TEXT(" GMT")) && t.length == 0;
}

static bool
parse_rfc850(struct text t, int now_year, struct calendar *c)
{
    if (!(take_day_name(&t, true) && take(&t, TEXT(", ")) && take_number(&t, 2, &c->day) &&
          take(&t, TEXT("-")) && take_month(&t, &c->month) && take(&t, TEXT("-")) &&
          take_number(&t, 2, &c->year) && take(&t, TEXT(" ")) && take_time(&t, c) &&
          take(&t, TEXT(" GMT")) && t.length == 0))
        return false;
    c->year += now_year / 100 * 100 + 100;
    while (c->year > now_year + 50)
        c->year -= 100;
    return true;
}

static bool
parse_asctime(struct text t, struct calendar *c)
{
    if (!take_day_name(&t, false) || !take(&t, TEXT(" ")) || !take_month(&t, &c->month) ||
        !take(&t, TEXT(" ")))
        return false;
    bool one_digit = take(&t, TEXT(" "));
    return take_number(&t, one_digit ? 1 : 2, &c->day) && take(&t, TEXT(" ")) &&
           take_time(&t, c) && take(&t, TEXT(" ")) && take_number(&t, 4, &c->year) &&
           t.length == 0;
}

bool
date_parse_http(struct text text, int64_t now_us, int64_t *ret_time_us)
{
    struct calendar c = {0}, now;
    split(clamp(now_us), &now);
    if (parse_imf_fixdate(text, &c))
        return join(&c, ret_time_us);
    c = (struct calendar){0};
    if (parse_rfc850(text, now.year, &c))
        return c.year >= 0 && c.year <= 9999 && join(&c, ret_time_us);
    c = (struct calendar){0};
    return parse_asctime(text, &c) && join(&c, ret_time_us);
}
