/* SPDX-License-Identifier: Apache-2.0 */
/* Byte ranges: see range.h. */
#include "http/range.h"

#include "http/field.h"

enum one_verdict { ONE_PART, ONE_BEYOND, ONE_BROKEN };

static enum one_verdict
parse_one(struct text spec, uint64_t size, struct byte_range *ret_range)
{
    struct text last_text;
    struct text first_text = text_trim(text_cut(spec, '-', &last_text));
    uint64_t first, last = UINT64_MAX;
    if (last_text.data == NULL)
        return ONE_BROKEN;
    last_text = text_trim(last_text);
    if (first_text.length == 0) { /* the last so many bytes */
        uint64_t count;
        if (!text_to_u64(last_text, &count))
            return ONE_BROKEN;
        if (count == 0 || size == 0)
            return ONE_BEYOND;
        count = count < size ? count : size;
        *ret_range = (struct byte_range){size - count, count};
        return ONE_PART;
    }
    if (!text_to_u64(first_text, &first) || (last_text.length > 0 && !text_to_u64(last_text, &last)) || first > last)
        return ONE_BROKEN;
    if (first >= size)
        return ONE_BEYOND;
    last = last < size ? last : size - 1;
    *ret_range = (struct byte_range){first, last - first + 1};
    return ONE_PART;
}

enum range_verdict
range_parse(struct text value, uint64_t size, struct byte_range *ranges, size_t *ret_count)
{
    struct text rest, spec;
    struct text unit = text_trim(text_cut(value, '=', &rest));
    uint64_t total = 0;
    size_t count = 0, seen = 0;
    if (value.data == NULL || rest.data == NULL || !text_equal_ignoring_case(unit, TEXT("bytes")))
        return RANGE_WHOLE;
    while (field_list_next(&rest, &spec)) {
        struct byte_range range;
        enum one_verdict verdict = parse_one(spec, size, &range);
        if (verdict == ONE_BROKEN || ++seen > BYTE_RANGES_MAXIMUM)
            return RANGE_WHOLE;
        if (verdict == ONE_BEYOND)
            continue;
        if (__builtin_add_overflow(total, range.length, &total))
            return RANGE_WHOLE;
        ranges[count++] = range;
    }
    if (seen == 0)
        return RANGE_WHOLE;
    if (count == 0)
        return RANGE_UNSATISFIABLE;
    if (count > 1 && total > size) /* overlapping beyond sense: the whole is shorter */
        return RANGE_WHOLE;
    *ret_count = count;
    return RANGE_PART;
}
