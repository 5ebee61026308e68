/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a representation by Accept: see accept.h. */
#include "http/accept.h"

#include "http/field.h"

/* A quality "0.75" in thousandths; 1000 when it is broken. */
static unsigned
quality(struct text value)
{
    if (value.length == 0 || value.length > 5 || (value.data[0] != '0' && value.data[0] != '1'))
        return 1000;
    unsigned thousandths = value.data[0] == '1' ? 1000 : 0, scale = 100;
    for (size_t i = 2; i < value.length; i++, scale /= 10) {
        if (value.data[i] < '0' || value.data[i] > '9')
            return 1000;
        thousandths += (unsigned)(value.data[i] - '0') * scale;
    }
    return thousandths > 1000 ? 1000 : thousandths;
}

/* How closely a range names an offer: 0 not at all, 1 any, 2 the type, 3 both. */
static unsigned
closeness(struct text range, const struct media_type *offer)
{
    struct text subtype, type = text_cut(range, '/', &subtype);
    if (text_equal(type, TEXT("*")) && text_equal(subtype, TEXT("*")))
        return 1;
    if (!text_equal_ignoring_case(type, text_from(offer->type)))
        return 0;
    if (text_equal(subtype, TEXT("*")))
        return 2;
    return text_equal_ignoring_case(subtype, text_from(offer->subtype)) ? 3 : 0;
}

/* The quality that the closest range gives to an offer. */
static unsigned
quality_of(struct text accept, const struct media_type *offer)
{
    unsigned best_closeness = 0, best = 0;
    struct text element;
    while (field_list_next(&accept, &element)) {
        struct text range, part, name, value;
        if (!field_part_next(&element, &range))
            continue;
        unsigned weight = 1000, close = closeness(range, offer);
        while (field_part_next(&element, &part)) {
            field_pair(part, &name, &value);
            if (text_equal_ignoring_case(name, TEXT("q")))
                weight = quality(value);
        }
        if (close > best_closeness) {
            best_closeness = close;
            best = weight;
        }
    }
    return best;
}

size_t
accept_choose(struct text accept, const struct media_type *offered, size_t count)
{
    if (accept.data == NULL || text_trim(accept).length == 0)
        return 0;
    size_t chosen = count;
    unsigned best = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned weight = quality_of(accept, &offered[i]);
        if (weight > best) {
            best = weight;
            chosen = i;
        }
    }
    return chosen;
}
