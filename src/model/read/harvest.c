/* SPDX-License-Identifier: Apache-2.0 */
/* Identifiers, harvest lists and what falls due: scans of their families. See view.h. */
#include "model/read/view_private.h"
#include "model/record/harvest_record.h"

/* ---- identifiers ------------------------------------------------------------------------------------ */

enum error_code
view_identified(struct view *view, struct text scheme, struct text value, uint64_t *ret_id, struct error *error)
{
    struct key key;
    if (scheme.length > IDENTIFIER_SCHEME_BYTES_MAXIMUM || value.length > IDENTIFIER_BYTES_MAXIMUM)
        return error_set(error, ERROR_NOT_FOUND, "no identifier is as long as that");
    key_external(&key, scheme, value);
    enum error_code code = lookup_get(&view->lookup, key_text(&key), &view->storage, NULL);
    view->node_id = 0; /* its storage has been used */
    if (code == ERROR_NOT_FOUND)
        return error_set(error, code, "there is no %.*s %.*s", TEXT_ARG(scheme), TEXT_ARG(value));
    if (code != ERROR_NONE)
        return error_set(error, code, "an identifier cannot be read");
    struct cursor cursor = cursor_of(view->storage.data, view->storage.length);
    *ret_id = cursor_varint(&cursor);
    return ERROR_NONE;
}

enum error_code
view_counter(struct view *view, struct text counter, uint64_t *ret_value, struct error *error)
{
    struct key key;
    *ret_value = 0;
    key_begin(&key, FAMILY_COUNTER);
    key_append(&key, counter);
    enum error_code code = lookup_get(&view->lookup, key_text(&key), &view->storage, error);
    view->node_id = 0; /* its storage has been used */
    if (code == ERROR_NONE) {
        struct cursor cursor = cursor_of(view->storage.data, view->storage.length);
        *ret_value = cursor_varint(&cursor);
    }
    return error_forgive(error, code, ERROR_NOT_FOUND);
}

enum error_code
view_identifier(struct view *view, uint64_t id, struct text scheme, struct text *ret_value, struct error *error)
{
    struct key prefix;
    struct text key, value;
    struct catalog_scan *scan;
    if (scheme.length > IDENTIFIER_SCHEME_BYTES_MAXIMUM)
        return error_set(error, ERROR_NOT_FOUND, "no scheme is as long as that");
    key_identifier_prefix(&prefix, id, scheme);
    enum error_code code = view_scan(view, &prefix, &prefix, true, &scan, error);
    if (code != ERROR_NONE)
        return code;
    if (catalog_scan_next(scan, &key, &value)) {
        struct cursor cursor = cursor_of(value.data, value.length);
        *ret_value = arena_copy(&view->arena, cursor_counted(&cursor));
        code = arena_status(&view->arena, error);
    } else {
        code = error_set(error, ERROR_NOT_FOUND, "it has no %.*s", TEXT_ARG(scheme));
    }
    return view_scan_close(scan, code, error);
}

enum error_code
view_identifiers(struct view *view, struct text scheme, struct text after, view_identifier_visit *visit, void *context,
                 struct error *error)
{
    struct key from, prefix;
    struct text key, value;
    struct catalog_scan *scan;
    if (scheme.length > IDENTIFIER_SCHEME_BYTES_MAXIMUM || after.length > IDENTIFIER_BYTES_MAXIMUM)
        return error_set(error, ERROR_INVALID, "no scheme or identifier is as long as that");
    key_external(&prefix, scheme, TEXT(""));
    key_external(&from, scheme, after);
    if (after.length > 0)
        key_byte(&from, 0); /* none holds a NUL: the first beyond `after` */
    enum error_code code = view_scan(view, &from, &prefix, false, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (catalog_scan_next(scan, &key, &value)) {
        struct cursor cursor = cursor_of(value.data, value.length);
        if (!visit(context, text_of(key.data + prefix.length, key.length - prefix.length), cursor_varint(&cursor)))
            break;
    }
    return view_scan_close(scan, code, error);
}

/* ---- harvest lists ------------------------------------------------------------------------------------ */

static enum error_code
read_stamp(struct view *view, uint64_t id, struct arena *arena, struct harvest_stamp *ret, struct error *error)
{
    struct key key;
    struct buffer value = {0};
    struct harvest_record record;
    key_stamp(&key, id);
    enum error_code code = lookup_get(&view->lookup, key_text(&key), &value, NULL);
    if (code == ERROR_NONE)
        code = harvest_record_decode(buffer_text(&value), arena, &record, error);
    else
        error_set(error, code, "resource %llu has never been shown to harvesters", (unsigned long long)id);
    buffer_release(&value);
    if (code == ERROR_NONE)
        *ret = (struct harvest_stamp){id, record.time_us, record.live, record.sets.ids, record.sets.count};
    return code;
}

enum error_code
view_harvest_stamp(struct view *view, uint64_t id, struct harvest_stamp *ret_stamp, struct error *error)
{
    return read_stamp(view, id, &view->arena, ret_stamp, error);
}

/* The range as keys; false when it is empty. */
static bool
harvest_keys(const struct harvest_range *range, struct key *from, struct key *to)
{
    int64_t first_us = range->from_us > range->after_us ? range->from_us : range->after_us;
    if (first_us > range->until_us || range->until_us == INT64_MAX)
        return false;
    bool goes_on = range->after_us != 0 && range->after_us == first_us;
    if (goes_on && range->after_id == UINT64_MAX)
        return false;
    key_harvest(from, range->set, first_us, goes_on ? range->after_id + 1 : 0);
    key_harvest(to, range->set, range->until_us + 1, 0);
    return true;
}

enum error_code
view_harvest(struct view *view, const struct harvest_range *range, view_stamp *visit, void *context, struct error *error)
{
    struct key from, to;
    struct text key, value;
    struct catalog_scan *scan;
    if (!harvest_keys(range, &from, &to))
        return ERROR_NONE;
    struct catalog_scan_range keys = {key_text(&from), key_text(&to), false};
    enum error_code code = catalog_scan_open(view->lookup.catalog, view->lookup.snapshot, &keys, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && catalog_scan_next(scan, &key, &value)) {
        struct harvest_stamp stamp;
        arena_reset(&view->visiting);
        code = read_stamp(view, key_read_number(key, 17), &view->visiting, &stamp, error);
        if (code == ERROR_NONE && !visit(context, &stamp))
            break;
    }
    return view_scan_close(scan, code, error);
}

/* ---- due dates ------------------------------------------------------------------------------------------ */

enum error_code
view_due(struct view *view, int64_t until_us, view_due_visit *visit, void *context, struct error *error)
{
    static const char first[] = {FAMILY_DUE};
    struct key to;
    struct text key, value;
    struct catalog_scan *scan;
    key_begin(&to, FAMILY_DUE);
    key_number(&to, (uint64_t)until_us + 1);
    struct catalog_scan_range keys = {text_of(first, 1), key_text(&to), false};
    enum error_code code = catalog_scan_open(view->lookup.catalog, view->lookup.snapshot, &keys, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (catalog_scan_next(scan, &key, &value)) {
        struct due due = {(int64_t)key_read_number(key, 1), key_read_number(key, 9), text_of(key.data + 17, key.length - 17)};
        if (!visit(context, &due))
            break;
    }
    return view_scan_close(scan, code, error);
}
