/* SPDX-License-Identifier: Apache-2.0 */
/* What happened: to one resource, at one path, and to all in commit order. See view.h. */
#include "model/read/view_private.h"

static enum error_code
damaged(const char *what, struct error *error)
{
    return error_set(error, ERROR_CORRUPT, "catalog: %s is damaged", what);
}

/* ---- of a resource --------------------------------------------------------------------------------- */

static enum error_code
event_decode(struct view *view, uint64_t id, struct text key, struct text value, struct event *ret_event,
             struct error *error)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    struct event event = {.id = id};
    if (key.length != 9 + 12)
        return damaged("an event's key", error);
    event.sequence = key_read_number(key, 9);
    event.index = key_read_number32(key, 17);
    event.operation = operation_word((enum operation)cursor_varint(&cursor));
    event.user = cursor_varint(&cursor);
    event.version = cursor_varint(&cursor);
    event.time_us = (int64_t)cursor_varint(&cursor);
    if (cursor.bad)
        return damaged("an event", error);
    enum error_code code = view_user_name(view, event.user, &event.user_name, error);
    if (code == ERROR_NONE)
        *ret_event = event;
    return code;
}

enum error_code
view_history(struct view *view, uint64_t id, view_event *visit, void *context, struct error *error)
{
    struct standing standing;
    struct key prefix;
    struct text key, value;
    struct catalog_scan *scan;
    struct event event;
    enum error_code code = view_admit(view, id, VIEW_DELETED_ADMITTED, &standing, error);
    if (code != ERROR_NONE)
        return code;
    key_of(&prefix, FAMILY_HISTORY, id);
    if ((code = view_scan(view, &prefix, &prefix, false, &scan, error)) != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && catalog_scan_next(scan, &key, &value)) {
        code = event_decode(view, id, key, value, &event, error);
        if (code == ERROR_NONE && !visit(context, &event))
            break;
    }
    return view_scan_close(scan, code, error);
}

/* ---- at a path -------------------------------------------------------------------------------------- */

/*
 * A path may have led through containers that are deleted themselves: each generation of them is followed, the live
 * one first, then the deleted ones, newest first. `within_us`: when the nearest to the root of the deleted ones that
 * have been passed was deleted; 0: none, all so far is live.
 */
struct gone_search {
    struct view *view;
    view_gone *visit;
    void *context;
    bool stop;
    struct error *error;
};

static enum error_code gone_below(struct gone_search *search, uint64_t container, struct text rest,
                                  int64_t within_us);

static enum error_code
show_gone(struct gone_search *search, uint64_t id, int64_t deleted_us)
{
    bool visible = false;
    enum error_code code = view_is_visible(search->view, id, true, &visible, search->error);
    if (code == ERROR_NOT_FOUND) /* purged since */
        return ERROR_NONE;
    if (code == ERROR_NONE && visible && !search->visit(search->context, id, deleted_us))
        search->stop = true;
    return code;
}

static enum error_code
follow(struct gone_search *search, uint64_t id, struct text rest, int64_t deleted_us)
{
    if (rest.data != NULL)
        return gone_below(search, id, rest, deleted_us);
    return deleted_us == 0 ? ERROR_NONE : show_gone(search, id, deleted_us);
}

static enum error_code
follow_deleted(struct gone_search *search, uint64_t container, struct text name, struct text rest,
               int64_t within_us)
{
    struct key from, prefix;
    struct text key, value;
    struct catalog_scan *scan;
    key_child(&prefix, container, name);
    prefix.bytes[0] = FAMILY_GONE;
    key_byte(&prefix, 0);
    from = prefix;
    enum error_code code = view_scan(search->view, &from, &prefix, true, &scan, search->error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && !search->stop && catalog_scan_next(scan, &key, &value)) {
        struct cursor cursor = cursor_of(value.data, value.length);
        (void)cursor_varint(&cursor); /* sequence */
        int64_t deleted_us = (int64_t)cursor_varint(&cursor);
        if (cursor.bad || key.length != prefix.length + 8)
            code = damaged("a deleted name", search->error);
        else
            code = follow(search, key_read_number(key, key.length - 8), rest,
                          within_us != 0 ? within_us : deleted_us);
    }
    return view_scan_close(scan, code, search->error);
}

static enum error_code
gone_below(struct gone_search *search, uint64_t container, struct text rest, int64_t within_us)
{
    struct child_record child;
    struct text name = text_cut(rest, '/', &rest);
    enum error_code code = lookup_child(&search->view->lookup, container, name, &child, search->error);
    if (code == ERROR_NONE)
        code = follow(search, child.id, rest, within_us);
    else if (code == ERROR_NOT_FOUND)
        code = ERROR_NONE;
    if (code != ERROR_NONE || search->stop)
        return code;
    return follow_deleted(search, container, name, rest, within_us);
}

enum error_code
view_deleted_at(struct view *view, struct text path, view_gone *visit, void *context, struct error *error)
{
    struct gone_search search = {view, visit, context, false, error};
    enum error_code code = path_check_existing(path, &view->model->limits, error);
    if (code != ERROR_NONE || path.length == 1)
        return code;
    return gone_below(&search, ROOT_ID, text_of(path.data + 1, path.length - 1), 0);
}

/* ---- of all, in commit order ------------------------------------------------------------------------ */

static enum error_code
show_change(struct view *view, struct text key, struct text value, view_change *visit, void *context,
            bool *ret_more, struct error *error)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    struct change change = {0};
    bool visible = false;
    change.id = cursor_varint(&cursor);
    change.operation = operation_word((enum operation)cursor_varint(&cursor));
    if (cursor.bad || key.length != 1 + 12)
        return damaged("a change", error);
    change.sequence = key_read_number(key, 1);
    change.index = key_read_number32(key, 9);
    enum error_code code = view_is_visible(view, change.id, true, &visible, error);
    if (code == ERROR_NOT_FOUND) { /* purged since: nothing is left to tell */
        code = ERROR_NONE;
        visible = false;
    }
    if (code == ERROR_NONE && visible)
        *ret_more = visit(context, &change);
    return code;
}

enum error_code
view_changes(struct view *view, uint64_t after_sequence, unsigned after_index, view_change *visit, void *context,
             struct error *error)
{
    struct key from, prefix;
    struct text key, value;
    struct catalog_scan *scan;
    bool more = true;
    key_change(&from, after_sequence, after_index);
    key_byte(&from, 0); /* the first key after that one */
    key_begin(&prefix, FAMILY_CHANGE);
    enum error_code code = view_scan(view, &from, &prefix, false, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && more && catalog_scan_next(scan, &key, &value))
        code = show_change(view, key, value, visit, context, &more, error);
    return view_scan_close(scan, code, error);
}
