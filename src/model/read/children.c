/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children of a container by name: one scan of the child family from where the page before ended.
 *
 * A child without a rule of its own stands under the container's, so that one decision serves them all: all are
 * shown, none is, or (when the rule gives DISCOVER to owners only) each by its owner. Children with a rule of their
 * own are looked at one by one. Memory does not grow; what is not shown is passed over and costs its reading.
 */
#include "model/read/view_private.h"

enum shown { SHOWN_ALL, SHOWN_NONE, SHOWN_BY_OWNER };

struct child_iterator {
    struct view *view;
    struct catalog_scan *scan;
    enum shown shown; /* children that inherit */
    enum error_code status;
    struct error error;
};

static enum error_code
decide_inheriting(struct view *view, uint64_t container, enum shown *ret_shown, struct error *error)
{
    struct standing standing;
    rights as_other, as_owner;
    enum error_code code;
    if ((code = view_standing(view, container, &standing, error)) != ERROR_NONE ||
        (code = view_rights_at(view, standing.rule_of, 0, &as_other, error)) != ERROR_NONE ||
        (code = view_rights_at(view, standing.rule_of, view->principal.user, &as_owner, error)) != ERROR_NONE)
        return code;
    if (as_other & RIGHT_DISCOVER)
        *ret_shown = SHOWN_ALL;
    else
        *ret_shown = as_owner & RIGHT_DISCOVER ? SHOWN_BY_OWNER : SHOWN_NONE;
    return ERROR_NONE;
}

enum error_code
view_children(struct view *view, const struct resource *container, struct text after,
              struct child_iterator **ret_iterator, struct error *error)
{
    struct key from, prefix;
    enum error_code code;
    if (container->kind != RESOURCE_CONTAINER)
        return error_set(error, ERROR_CONFLICT, "a file has no children");
    if (after.length > 255)
        return error_set(error, ERROR_INVALID, "no name is as long as the one to go on after");
    if ((code = view_require(view, container, RIGHT_DISCOVER, error)) != ERROR_NONE)
        return code;
    struct child_iterator *iterator = calloc(1, sizeof *iterator);
    if (iterator == NULL)
        return error_set(error, ERROR_NO_MEMORY, "out of memory");
    iterator->view = view;
    code = decide_inheriting(view, container->id, &iterator->shown, error);
    key_child(&prefix, container->id, TEXT(""));
    key_child(&from, container->id, after);
    if (after.length > 0)
        key_byte(&from, 0); /* no name holds a NUL: the first key after this name */
    if (code == ERROR_NONE)
        code = view_scan(view, &from, &prefix, false, &iterator->scan, error);
    if (code != ERROR_NONE) {
        free(iterator);
        return code;
    }
    *ret_iterator = iterator;
    return ERROR_NONE;
}

static enum error_code
is_shown(struct child_iterator *iterator, const struct child_record *child, bool *ret_shown)
{
    struct view *view = iterator->view;
    *ret_shown = view_is_administrator(view) || iterator->shown == SHOWN_ALL;
    if (view_is_administrator(view) ||
        ((child->flags & CHILD_HAS_RULE) == 0 && iterator->shown != SHOWN_BY_OWNER))
        return ERROR_NONE;
    enum error_code code = view_is_visible(view, child->id, true, ret_shown, &iterator->error);
    if (code == ERROR_NOT_FOUND)
        return error_set(&iterator->error, ERROR_CORRUPT, "catalog: a child, resource %llu, is not there",
                         (unsigned long long)child->id);
    return code;
}

bool
child_iterator_next(struct child_iterator *iterator, struct child *ret_child)
{
    struct text key, value;
    struct child_record record;
    bool shown = false;
    const size_t head = 1 + sizeof(uint64_t); /* family and parent */
    while (iterator->status == ERROR_NONE && catalog_scan_next(iterator->scan, &key, &value)) {
        iterator->status = child_decode(value, &record, &iterator->error);
        if (iterator->status == ERROR_NONE)
            iterator->status = is_shown(iterator, &record, &shown);
        if (iterator->status != ERROR_NONE || !shown)
            continue;
        *ret_child = (struct child){
            .name = text_of(key.data + head, key.length - head),
            .id = record.id,
            .kind = (enum resource_kind)record.kind,
            .flags = record.flags & ~CHILD_HAS_RULE,
        };
        return true;
    }
    return false;
}

enum error_code
child_iterator_close(struct child_iterator *iterator, struct error *error)
{
    if (iterator->status != ERROR_NONE && error != NULL)
        *error = iterator->error;
    enum error_code code = view_scan_close(iterator->scan, iterator->status, error);
    free(iterator);
    return code;
}
