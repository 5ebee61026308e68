/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of an item:
 *
 *     deposit --in-progress--> IN_PROGRESS --complete--> IN_REVIEW --approve--> ARCHIVED --withdraw--> WITHDRAWN
 *     deposit --review-------> IN_REVIEW   --reject----> REJECTED               ARCHIVED <--reinstate-- WITHDRAWN
 *     deposit ---------------> ARCHIVED    IN_PROGRESS --complete, no review--> ARCHIVED
 *
 * Archiving gives the handle and tells harvesters. A withdrawn item is seen by administrators only; its handle stays.
 */
#include "format/date.h"
#include "repository/repository_private.h"

void
changes_set_state(struct changes *changes, enum item_state state, struct text reason)
{
    changes_set(changes, attribute_text(ATTRIBUTE_STATE), text_from(item_state_word(state)));
    changes_set(changes, attribute_text(ATTRIBUTE_REASON), reason);
}

/* ---- archiving ------------------------------------------------------------------------------------------------- */

/* Fields that an item brings are kept, and not added again. */
static void
add_field(struct fields *fields, const struct fields *own, const char *element, const char *qualifier, struct text value,
          enum error_code *code, struct error *error)
{
    struct field field = {TEXT("dc"), text_from(element), text_from(qualifier), TEXT(""), value, TEXT(""), -1};
    if (*code == ERROR_NONE && (own == NULL || fields_first(own, "dc", element, qualifier) == NULL))
        *code = fields_add(fields, &field, error);
}

/* dc.date.accessioned and available, dc.identifier.uri, dc.description.provenance; never dc.date.issued. */
static enum error_code
archiving_fields(struct repository *repository, struct text handle, struct text provenance, const struct fields *own,
                 struct fields *fields, struct error *error)
{
    char now[DATE_TEXT_SIZE];
    struct text date = text_of(now, date_write(model_settled_us(repository->options.model), DATE_SECONDS, now));
    enum error_code code = ERROR_NONE;
    add_field(fields, own, "date", "accessioned", date, &code, error);
    add_field(fields, own, "date", "available", date, &code, error);
    add_field(fields, own, "identifier", "uri", repository_handle_uri(repository, handle, fields->arena), &code, error);
    add_field(fields, own, "description", "provenance", join_text(fields->arena, provenance, " on ", date), &code, error);
    return code;
}

enum error_code
stage_archiving(struct repository *repository, struct transaction *transaction, struct target item, struct text handle,
                struct text provenance, const struct fields *own, uint32_t first_place, struct changes *changes,
                struct error *error)
{
    struct fields fields;
    fields_init(&fields, changes->arena);
    changes_set_state(changes, ITEM_ARCHIVED, TEXT(""));
    enum error_code code = archiving_fields(repository, handle, provenance, own, &fields, error);
    if (code == ERROR_NONE)
        code = changes_add_fields(changes, &fields, first_place, error);
    if (code == ERROR_NONE)
        code = transaction_set_identifier(transaction, item, TEXT(SCHEME_HANDLE), handle, error);
    if (code == ERROR_NONE && !changes->fresh) /* a new item inherits; a change would send the follower through it */
        code = transaction_set_access(transaction, item, NULL, 0, error);
    return code != ERROR_NONE ? code : transaction_make_record(transaction, item, error);
}

/* ---- changes of state ---------------------------------------------------------------------------------------------- */

static enum error_code
collection_of(struct repository *repository, struct view *view, const struct entity *item, struct entity *ret_collection,
              struct collection_policy *ret_policy, struct error *error)
{
    enum error_code code = repository_by_id(repository, view, item->resource.parent, ret_collection, error);
    return code != ERROR_NONE ? code : repository_policy(repository, view, ret_collection, ret_policy, error);
}

static enum error_code
refuse_state(const struct entity *item, const char *what, struct error *error)
{
    return error_set(error, ERROR_CONFLICT, "an item that is %s cannot be %s", item_state_word(item->state), what);
}

static enum error_code
stage_review(struct transaction *transaction, struct view *view, const struct entity *item,
             const struct collection_policy *policy, struct changes *changes, struct error *error)
{
    struct rule rule;
    enum error_code code = private_rule(view, policy, item->mediator, true, &rule, error);
    changes_set_state(changes, ITEM_IN_REVIEW, TEXT(""));
    return code != ERROR_NONE ? code
                              : transaction_set_access(transaction, target_id(item->resource.id), rule.entries, rule.count,
                                                       error);
}

enum error_code
stage_completion(struct repository *repository, struct transaction *transaction, struct view *view,
                 const struct principal *person, const struct entity *item, bool approve, uint32_t more,
                 struct error *error)
{
    struct entity collection;
    struct collection_policy policy;
    struct changes changes = {.arena = view_arena(view)};
    struct target target = target_id(item->resource.id);
    uint32_t place;
    if (item->state != (approve ? ITEM_IN_REVIEW : ITEM_IN_PROGRESS) && !(approve && item->state == ITEM_REJECTED))
        return refuse_state(item, approve ? "approved" : "completed", error);
    enum error_code code = collection_of(repository, view, item, &collection, &policy, error);
    if (code == ERROR_NONE)
        code = next_field_place(view, item->resource.id, &place, error);
    if (code != ERROR_NONE)
        return code;
    if (!approve && policy.review)
        code = stage_review(transaction, view, item, &policy, &changes, error);
    else
        code = stage_archiving(repository, transaction, target, handle_of(repository, item->number, view_arena(view)),
                               join_text(view_arena(view), approve ? TEXT("Approved by ") : TEXT("Submitted by "), "",
                                         person->name),
                               NULL, place + more, &changes, error);
    return code != ERROR_NONE ? code : changes_stage(&changes, transaction, target, true, error);
}

enum error_code
repository_stage_complete(struct repository *repository, struct transaction *transaction, struct view *view,
                          const struct principal *person, const struct entity *item, bool approve, struct error *error)
{
    enum error_code code =
        transaction_require(transaction, target_id(item->resource.id), person, RIGHT_WRITE, error);
    if (code != ERROR_NONE)
        return code;
    transaction_trust(transaction);
    return stage_completion(repository, transaction, view, person, item, approve, 0, error);
}

enum error_code
repository_stage_state(struct repository *repository, struct transaction *transaction, struct view *view,
                       const struct principal *person, const struct entity *item, enum item_state state, struct text reason,
                       struct error *error)
{
    static const struct rule_entry nobody[] = {{SUBJECT_OWNER, 0, RIGHT_DISCOVER}};
    struct changes changes = {.arena = view_arena(view)};
    struct target target = target_id(item->resource.id);
    bool possible = (state == ITEM_REJECTED && item->state == ITEM_IN_REVIEW) ||
                    (state == ITEM_WITHDRAWN && item->state == ITEM_ARCHIVED) ||
                    (state == ITEM_ARCHIVED && item->state == ITEM_WITHDRAWN);
    if (!possible)
        return refuse_state(item, item_state_word(state), error);
    enum error_code code = transaction_require(transaction, target, person, RIGHT_WRITE, error);
    transaction_trust(transaction);
    if (code == ERROR_NONE && state == ITEM_WITHDRAWN)
        code = transaction_set_access(transaction, target, nobody, 1, error);
    if (code == ERROR_NONE && state == ITEM_ARCHIVED)
        code = transaction_set_access(transaction, target, NULL, 0, error);
    changes_set_state(&changes, state, reason);
    return code != ERROR_NONE ? code : changes_stage(&changes, transaction, target, true, error);
}

/* ---- mapping ----------------------------------------------------------------------------------------------------------- */

enum error_code
repository_stage_mapping(struct repository *repository, struct transaction *transaction, const struct entity *item,
                         const struct entity *collection, bool mapped, struct error *error)
{
    struct statement_change change = {
        mapped ? STATEMENT_ADD : STATEMENT_REMOVE,
        {TEXT(STATEMENT_MAPPED), 0, collection->uuid, TEXT(""), TEXT("")},
    };
    if (item->kind != ENTITY_ITEM || collection->kind != ENTITY_COLLECTION)
        return error_set(error, ERROR_CONFLICT, "items are mapped to collections");
    if (mapped && collection->resource.id == item->resource.parent)
        return error_set(error, ERROR_CONFLICT, "it is in this collection already");
    return transaction_change_statements(transaction, target_id(item->resource.id), &change, 1, false, NULL, error);
}

/* ---- embargo ------------------------------------------------------------------------------------------------------------ */

enum error_code
embargo_time(struct repository *repository, struct text day, int64_t *ret_us, struct error *error)
{
    struct text zone = repository->options.zone;
    int64_t offset_us = 0, probe_us;
    if (!date_parse_day(day, ret_us))
        return error_set(error, ERROR_INVALID, "an embargo ends on a day, YYYY-MM-DD, not %.*s", TEXT_ARG(day));
    if (text_equal(zone, TEXT("UTC")) || zone.length == 0)
        return ERROR_NONE;
    /* "+01:00": read it as the zone of a date-time */
    char probe[40];
    snprintf(probe, sizeof probe, "1970-01-02T00:00:00%.*s", zone.length <= 6 ? (int)zone.length : 0, zone.data);
    if (!date_parse(text_from(probe), &probe_us))
        return error_set(error, ERROR_INVALID, "the zone is UTC or an offset like +01:00, not %.*s", TEXT_ARG(zone));
    offset_us = INT64_C(86400) * 1000000 - probe_us;
    *ret_us -= offset_us;
    return ERROR_NONE;
}
