/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding resources by statements: see view.h. One condition drives a scan of the inverse family (of several, the
 * one that a bounded probe finds to have the fewest keys); what it gives is held against the other conditions by the
 * resource's own statements, and against deletion and rights.
 *
 * Order. The keys of one value are in order of id, so that a condition FIND_EQUAL streams: the scan starts after
 * `after_id` and stops when the caller does. Prefixes and ranges come in order of value: the scan is run over, the
 * smallest BLOCK_IDS ids after `after_id` are kept (sorted and cut whenever twice as many have gathered), shown,
 * and the next block starts after the last of them. So memory is bounded, at the price of one pass over the range
 * for each block.
 *
 * Exactness. Inverse keys hold the first 128 bytes of a value, or a number as a double. Where that cannot tell
 * (long values, numbers), the range is a little wide and the driving condition is checked by the statements too.
 *
 * A condition whose value is a plain decimal is about numbers: it holds for statements whose values are plain decimals
 * too, compared exactly, digit by digit. FIND_PREFIX is about bytes always.
 */
#include "model/read/view_private.h"

#define BLOCK_IDS 65536u
#define PROBE_KEYS 1000u

/* ---- comparing --------------------------------------------------------------------------------------- */

static struct text
without_leading(struct text t, char c)
{
    while (t.length > 0 && t.data[0] == c)
        t = text_of(t.data + 1, t.length - 1);
    return t;
}

static struct text
without_trailing(struct text t, char c)
{
    while (t.length > 0 && t.data[t.length - 1] == c)
        t.length--;
    return t;
}

/* Of two plain decimals without their signs. */
static int
compare_magnitudes(struct text a, struct text b)
{
    struct text fraction_a, fraction_b;
    struct text whole_a = without_leading(text_cut(a, '.', &fraction_a), '0');
    struct text whole_b = without_leading(text_cut(b, '.', &fraction_b), '0');
    if (whole_a.length != whole_b.length)
        return whole_a.length < whole_b.length ? -1 : 1;
    int order = text_compare(whole_a, whole_b);
    if (order != 0)
        return order;
    return text_compare(without_trailing(fraction_a, '0'), without_trailing(fraction_b, '0'));
}

static bool
is_zero(struct text magnitude)
{
    for (size_t i = 0; i < magnitude.length; i++)
        if (magnitude.data[i] != '0' && magnitude.data[i] != '.')
            return false;
    return true;
}

static bool
take_sign(struct text *number)
{
    bool negative = number->data[0] == '-';
    if (negative)
        *number = text_of(number->data + 1, number->length - 1);
    return negative && !is_zero(*number);
}

static int
compare_decimals(struct text a, struct text b)
{
    bool negative_a = take_sign(&a), negative_b = take_sign(&b);
    if (negative_a != negative_b)
        return negative_a ? -1 : 1;
    return negative_a ? compare_magnitudes(b, a) : compare_magnitudes(a, b);
}

static bool
order_satisfies(enum find_operator comparison, int order)
{
    switch (comparison) {
    case FIND_EQUAL:
        return order == 0;
    case FIND_LESS:
        return order < 0;
    case FIND_LESS_EQUAL:
        return order <= 0;
    case FIND_GREATER:
        return order > 0;
    case FIND_GREATER_EQUAL:
        return order >= 0;
    case FIND_PREFIX:
        break;
    }
    return false;
}

static bool
condition_is_numeric(const struct find_condition *condition, double *ret_number)
{
    return condition->comparison != FIND_PREFIX && value_is_decimal(condition->value, ret_number);
}

static bool
condition_holds(const struct find_condition *condition, struct text value)
{
    double number;
    if (condition->comparison == FIND_PREFIX)
        return text_starts_with(value, condition->value);
    if (condition_is_numeric(condition, &number))
        return value_is_decimal(value, &number) &&
               order_satisfies(condition->comparison, compare_decimals(value, condition->value));
    return order_satisfies(condition->comparison, text_compare(value, condition->value));
}

/* ---- the range of a condition -------------------------------------------------------------------------- */

struct find_range {
    struct key from, to;
    bool exact;      /* every key in it is of a value that satisfies */
    bool ordered;    /* by id: one value only */
};

static void
after(const struct key *prefix, struct key *ret_after)
{
    if (!key_after(prefix, ret_after))
        *ret_after = *prefix; /* cannot be: the family byte is below 0xFF */
}

/* `value`: the keys of the condition's own value (or that begin with it), inside `all` of the class. */
static void
range_between(enum find_operator comparison, const struct key *all, const struct key *value,
              struct find_range *range)
{
    bool wide = !range->exact; /* the value's own keys are looked at in any case */
    range->from = *all;
    after(all, &range->to);
    switch (comparison) {
    case FIND_EQUAL:
    case FIND_PREFIX:
        range->from = *value;
        after(value, &range->to);
        return;
    case FIND_LESS:
        if (wide)
            after(value, &range->to);
        else
            range->to = *value;
        return;
    case FIND_LESS_EQUAL:
        after(value, &range->to);
        return;
    case FIND_GREATER:
        if (wide)
            range->from = *value;
        else
            after(value, &range->from);
        return;
    case FIND_GREATER_EQUAL:
        range->from = *value;
        return;
    }
}

static void
range_of(const struct find_condition *condition, struct find_range *ret_range)
{
    struct key all, value;
    double number;
    size_t start = condition->value.length < INVERSE_VALUE_BYTES ? condition->value.length : INVERSE_VALUE_BYTES;
    bool numeric = condition_is_numeric(condition, &number);
    key_inverse_prefix(&all, condition->attribute, numeric ? INVERSE_NUMBER : INVERSE_TEXT);
    value = all;
    if (numeric) {
        key_ordered_double(&value, number);
    } else {
        key_bytes(&value, condition->value.data, start);
        if (condition->comparison != FIND_PREFIX)
            key_byte(&value, 0);
    }
    ret_range->exact = !numeric && condition->value.length < INVERSE_VALUE_BYTES;
    ret_range->ordered = condition->comparison == FIND_EQUAL;
    range_between(condition->comparison, &all, &value, ret_range);
}

/* ---- one candidate -------------------------------------------------------------------------------------- */

struct find {
    struct view *view;
    const struct find_condition *conditions;
    size_t count;
    size_t driving; /* index */
    struct find_range range;
    size_t left; /* to be shown yet; SIZE_MAX: all */
    view_found *found;
    void *context;
    bool stop;
    struct error *error;
};

static enum error_code
check_condition(struct find *find, uint64_t id, const struct find_condition *condition, bool *ret_holds)
{
    struct key prefix;
    struct text key, value;
    struct catalog_scan *scan;
    struct statement statement;
    *ret_holds = false;
    key_statement_prefix(&prefix, id, condition->attribute);
    enum error_code code = view_scan(find->view, &prefix, &prefix, false, &scan, find->error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && !*ret_holds && catalog_scan_next(scan, &key, &value)) {
        code = statement_decode(key, value, &statement, find->error);
        if (code == ERROR_NONE)
            *ret_holds = condition_holds(condition, statement.value);
    }
    return view_scan_close(scan, code, find->error);
}

static enum error_code
check_conditions(struct find *find, uint64_t id, bool *ret_hold)
{
    enum error_code code = ERROR_NONE;
    *ret_hold = true;
    for (size_t i = 0; i < find->count && *ret_hold && code == ERROR_NONE; i++)
        if (i != find->driving || !find->range.exact)
            code = check_condition(find, id, &find->conditions[i], ret_hold);
    return code;
}

static enum error_code
show(struct find *find, uint64_t id)
{
    struct view *view = find->view;
    struct standing standing;
    struct resource resource;
    enum error_code code;
    arena_reset(&view->visiting);
    if ((code = view_standing(view, id, &standing, find->error)) != ERROR_NONE ||
        (code = view_fill(view, &standing, &view->visiting, &resource, find->error)) != ERROR_NONE)
        return code;
    if (find->left != SIZE_MAX)
        find->left--;
    if (!find->found(find->context, &resource) || find->left == 0)
        find->stop = true;
    return ERROR_NONE;
}

static enum error_code
consider(struct find *find, uint64_t id)
{
    bool holds = false, visible = false;
    enum error_code code = check_conditions(find, id, &holds);
    if (code == ERROR_NONE && holds)
        code = view_is_visible(find->view, id, false, &visible, find->error);
    if (code == ERROR_NOT_FOUND)
        return error_set(find->error, ERROR_CORRUPT, "catalog: statements of resource %llu, which is not there",
                         (unsigned long long)id);
    if (code == ERROR_NONE && holds && visible)
        code = show(find, id);
    return code;
}

/* ---- one value: in order as it comes ---------------------------------------------------------------------- */

static enum error_code
open_range(struct find *find, struct catalog_scan **ret_scan)
{
    const struct find_range *range = &find->range;
    struct catalog_scan_range bounds = {key_text(&range->from), key_text(&range->to), false};
    return catalog_scan_open(find->view->lookup.catalog, find->view->lookup.snapshot, &bounds, ret_scan,
                             find->error);
}

/* Attribute, NUL, class, then at least the end of a value or a number, id, place and hash. */
static bool
is_inverse_key(struct text key)
{
    return key.length > 1 + 1 + 8 + 4 + 8;
}

static enum error_code
find_in_order(struct find *find, uint64_t after_id)
{
    struct text key, value;
    struct catalog_scan *scan;
    uint64_t last = after_id;
    if (after_id == UINT64_MAX)
        return ERROR_NONE;
    key_number(&find->range.from, after_id + 1);
    enum error_code code = open_range(find, &scan);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && !find->stop && catalog_scan_next(scan, &key, &value)) {
        if (!is_inverse_key(key)) {
            code = error_set(find->error, ERROR_CORRUPT, "catalog: an inverse key is damaged");
            break;
        }
        uint64_t id = key_inverse_id(key);
        if (id == last)
            continue;
        last = id;
        code = consider(find, id);
    }
    return view_scan_close(scan, code, find->error);
}

/* ---- many values: block by block -------------------------------------------------------------------------- */

struct block {
    uint64_t *ids; /* room for 2 * limit */
    size_t count, limit;
    uint64_t below; /* larger ids are of no interest any more */
};

static int
compare_ids(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Sorted, each once, the smallest `limit` of them. */
static void
block_settle(struct block *block)
{
    size_t kept = 0;
    qsort(block->ids, block->count, sizeof *block->ids, compare_ids);
    for (size_t i = 0; i < block->count && kept < block->limit; i++)
        if (kept == 0 || block->ids[i] != block->ids[kept - 1])
            block->ids[kept++] = block->ids[i];
    block->count = kept;
    if (kept == block->limit)
        block->below = block->ids[kept - 1];
}

static enum error_code
block_gather(struct find *find, uint64_t after_id, struct block *block)
{
    struct text key, value;
    struct catalog_scan *scan;
    block->count = 0;
    block->below = UINT64_MAX;
    enum error_code code = open_range(find, &scan);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && catalog_scan_next(scan, &key, &value)) {
        if (!is_inverse_key(key)) {
            code = error_set(find->error, ERROR_CORRUPT, "catalog: an inverse key is damaged");
            break;
        }
        uint64_t id = key_inverse_id(key);
        if (id <= after_id || id > block->below)
            continue;
        block->ids[block->count++] = id;
        if (block->count == 2 * block->limit)
            block_settle(block);
    }
    block_settle(block);
    return view_scan_close(scan, code, find->error);
}

static enum error_code
find_by_blocks(struct find *find, uint64_t after_id)
{
    struct block block = {.limit = BLOCK_IDS};
    enum error_code code = ERROR_NONE;
    bool more = true;
    block.ids = malloc(2 * block.limit * sizeof *block.ids);
    if (block.ids == NULL)
        return error_set(find->error, ERROR_NO_MEMORY, "out of memory");
    while (code == ERROR_NONE && more && !find->stop) {
        code = block_gather(find, after_id, &block);
        more = block.count == block.limit;
        for (size_t i = 0; i < block.count && code == ERROR_NONE && !find->stop; i++)
            code = consider(find, after_id = block.ids[i]);
    }
    free(block.ids);
    return code;
}

/* ---- all together ------------------------------------------------------------------------------------------ */

static enum error_code
check_shapes(const struct find_condition *conditions, size_t count, struct error *error)
{
    if (count == 0)
        return error_set(error, ERROR_INVALID, "finding needs a condition");
    for (size_t i = 0; i < count; i++) {
        struct text attribute = conditions[i].attribute;
        if (attribute.length == 0 || attribute.length > STATEMENT_ATTRIBUTE_BYTES_MAXIMUM ||
            memchr(attribute.data, '\0', attribute.length) != NULL)
            return error_set(error, ERROR_INVALID, "an attribute has 1 to %u bytes and no NUL",
                             STATEMENT_ATTRIBUTE_BYTES_MAXIMUM);
        if (conditions[i].value.length > 0 &&
            memchr(conditions[i].value.data, '\0', conditions[i].value.length) != NULL)
            return error_set(error, ERROR_INVALID, "a value has no NUL");
    }
    return ERROR_NONE;
}

/* How many keys a condition's range holds, counted up to PROBE_KEYS. */
static enum error_code
probe(struct find *find, size_t condition, size_t *ret_keys)
{
    struct text key, value;
    struct catalog_scan *scan;
    *ret_keys = 0;
    range_of(&find->conditions[condition], &find->range);
    enum error_code code = open_range(find, &scan);
    if (code != ERROR_NONE)
        return code;
    while (*ret_keys < PROBE_KEYS && catalog_scan_next(scan, &key, &value))
        ++*ret_keys;
    return view_scan_close(scan, ERROR_NONE, find->error);
}

/* Of several, the one with the fewest keys; where none has few, one value before a prefix, that before a range. */
static enum error_code
choose_driving(struct find *find)
{
    size_t fewest = SIZE_MAX, keys;
    for (size_t i = 0; i < find->count && find->count > 1; i++) {
        enum error_code code = probe(find, i, &keys);
        if (code != ERROR_NONE)
            return code;
        if (keys < fewest ||
            (keys == fewest && find->conditions[i].comparison < find->conditions[find->driving].comparison)) {
            fewest = keys;
            find->driving = i;
        }
    }
    range_of(&find->conditions[find->driving], &find->range);
    return ERROR_NONE;
}

enum error_code
view_find(struct view *view, const struct find_condition *conditions, size_t count, uint64_t after_id, size_t limit,
          view_found *found, void *context, struct error *error)
{
    struct find find = {.view = view,
                        .conditions = conditions,
                        .count = count,
                        .left = limit == 0 ? SIZE_MAX : limit,
                        .found = found,
                        .context = context,
                        .error = error};
    enum error_code code = check_shapes(conditions, count, error);
    if (code != ERROR_NONE)
        return code;
    if ((code = choose_driving(&find)) != ERROR_NONE)
        return code;
    return find.range.ordered ? find_in_order(&find, after_id) : find_by_blocks(&find, after_id);
}
