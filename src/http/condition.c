/* SPDX-License-Identifier: Apache-2.0 */
/* Entity tags and conditional requests: see condition.h. */
#include "http/condition.h"

#include "format/date.h"
#include "io/clock.h"

#define STATES_MAXIMUM 64u

bool
entity_tag_next(struct text *rest, struct entity_tag *ret_tag)
{
    struct text t = text_trim(*rest);
    while (t.length > 0 && (t.data[0] == ',' || t.data[0] == ' ' || t.data[0] == '\t'))
        t = text_of(t.data + 1, t.length - 1);
    bool weak = text_starts_with(t, TEXT("W/"));
    if (weak)
        t = text_of(t.data + 2, t.length - 2);
    const char *end = t.length < 2 || t.data[0] != '"' ? NULL : memchr(t.data + 1, '"', t.length - 1);
    if (end == NULL) {
        *rest = TEXT("");
        return false;
    }
    *ret_tag = (struct entity_tag){text_of(t.data + 1, (size_t)(end - t.data) - 1), weak};
    *rest = text_of(end + 1, t.length - (size_t)(end + 1 - t.data));
    return true;
}

bool
entity_tag_state(struct text opaque, struct resource_state *ret_state)
{
    struct text rest, representation;
    struct text id = text_cut(opaque, '-', &rest);
    struct text counter = text_cut(rest, '-', &representation);
    return representation.data != NULL && text_to_u64(id, &ret_state->id) && text_to_u64(counter, &ret_state->counter);
}

static bool
is_any(struct text list)
{
    return text_equal(text_trim(list), TEXT("*"));
}

static bool
date_of(const struct http_request *request, enum http_header header, int64_t *ret_time_us)
{
    return http_has(request, header) &&
           date_parse_http(request->headers[header], clock_real()->now_us(clock_real()), ret_time_us);
}

static bool
same_state(struct text tag, struct text other)
{
    struct resource_state a, b;
    return entity_tag_state(tag, &a) && entity_tag_state(other, &b) && a.id == b.id && a.counter == b.counter;
}

/* If-Match: tags of the same state hold, however shown. If-None-Match: the whole tag must be the same. */
static bool
list_holds(struct text list, const struct representation *current, bool by_state)
{
    struct entity_tag tag;
    if (is_any(list))
        return true;
    while (entity_tag_next(&list, &tag)) {
        if (text_equal(tag.opaque, current->tag) || (by_state && same_state(tag.opaque, current->tag)))
            return true;
    }
    return false;
}

static int64_t
whole_seconds(int64_t time_us)
{
    return time_us - ((time_us % 1000000) + 1000000) % 1000000;
}

enum condition_verdict
condition_of_read(const struct http_request *request, const struct representation *current)
{
    int64_t date;
    if (http_has(request, HTTP_HEADER_IF_MATCH)) {
        if (!list_holds(request->headers[HTTP_HEADER_IF_MATCH], current, true))
            return CONDITION_FAILED;
    } else if (date_of(request, HTTP_HEADER_IF_UNMODIFIED_SINCE, &date) && whole_seconds(current->modified_us) > date) {
        return CONDITION_FAILED;
    }
    if (http_has(request, HTTP_HEADER_IF_NONE_MATCH))
        return list_holds(request->headers[HTTP_HEADER_IF_NONE_MATCH], current, false) ? CONDITION_NOT_MODIFIED
                                                                                      : CONDITION_PROCEED;
    if (date_of(request, HTTP_HEADER_IF_MODIFIED_SINCE, &date) && whole_seconds(current->modified_us) <= date)
        return CONDITION_NOT_MODIFIED;
    return CONDITION_PROCEED;
}

bool
condition_range_holds(const struct http_request *request, const struct representation *current)
{
    struct text value = request->headers[HTTP_HEADER_IF_RANGE];
    struct entity_tag tag;
    int64_t date;
    if (value.data == NULL)
        return true;
    if (entity_tag_next(&value, &tag))
        return !tag.weak && !current->weak && text_equal(tag.opaque, current->tag);
    return date_of(request, HTTP_HEADER_IF_RANGE, &date) && whole_seconds(current->modified_us) == date;
}

/* ---- writes --------------------------------------------------------------------------------------- */

static enum error_code
read_states(struct http_request *request, struct text list, struct condition *condition, struct error *error)
{
    struct resource_state *states = arena_alloc(request->arena, STATES_MAXIMUM * sizeof *states);
    struct entity_tag tag;
    if (states == NULL)
        return arena_status(request->arena, error);
    while (entity_tag_next(&list, &tag)) {
        if (condition->count == STATES_MAXIMUM)
            return error_set(error, ERROR_INVALID, "more than %u entity tags in one header", STATES_MAXIMUM);
        if (entity_tag_state(tag.opaque, &states[condition->count]))
            condition->count++;
    }
    condition->states = states;
    return ERROR_NONE;
}

enum error_code
condition_of_write(struct http_request *request, struct condition *ret_condition, struct error *error)
{
    struct condition condition = {.kind = CONDITION_NONE};
    struct text match = request->headers[HTTP_HEADER_IF_MATCH], none = request->headers[HTTP_HEADER_IF_NONE_MATCH];
    enum error_code code = ERROR_NONE;
    int64_t date;
    if (match.data != NULL && none.data != NULL)
        return error_set(error, ERROR_INVALID, "If-Match and If-None-Match cannot be combined in a write");
    if (match.data != NULL && is_any(match)) {
        condition.kind = CONDITION_EXISTS;
    } else if (match.data != NULL) {
        condition.kind = CONDITION_STATE;
        code = read_states(request, match, &condition, error);
    } else if (none.data != NULL && is_any(none)) {
        condition.kind = CONDITION_ABSENT;
    } else if (none.data != NULL) {
        condition.kind = CONDITION_STATE_NOT;
        code = read_states(request, none, &condition, error);
    }
    /* dates have whole seconds: what changed within the named one has not changed since */
    if (match.data == NULL && date_of(request, HTTP_HEADER_IF_UNMODIFIED_SINCE, &date))
        condition.unmodified_since_us = date + 999999;
    if (code == ERROR_NONE)
        *ret_condition = condition;
    return code;
}

static bool
is_one_of(const struct condition *condition, const struct resource *resource)
{
    for (size_t i = 0; i < condition->count; i++) {
        if (condition->states[i].id == resource->id && condition->states[i].counter == resource->counter)
            return true;
    }
    return false;
}

bool
condition_would_hold(const struct condition *condition, const struct resource *resource)
{
    if (condition->unmodified_since_us != 0 && resource != NULL &&
        resource->modified_us > condition->unmodified_since_us)
        return false;
    switch (condition->kind) {
    case CONDITION_NONE:
        return true;
    case CONDITION_ABSENT:
        return resource == NULL;
    case CONDITION_EXISTS:
        return resource != NULL;
    case CONDITION_STATE:
        return resource != NULL && is_one_of(condition, resource);
    case CONDITION_STATE_NOT:
        return resource == NULL || !is_one_of(condition, resource);
    }
    return false;
}
