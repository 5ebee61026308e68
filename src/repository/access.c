/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may, as rules of the model. A collection: everyone sees and reads, its depositors may deposit (not append: that would hold for
 * the archived items below too), its reviewers read. An item that is not archived has a rule of its own: its owner, who sent it for them, the reviewers.
 * An archived one inherits its collection's.
 */
#include "base/ensure.h"
#include "repository/repository_private.h"

void
rule_add(struct rule *rule, enum subject_kind kind, uint64_t id, rights granted)
{
    ensure(rule->count < sizeof rule->entries / sizeof *rule->entries);
    rule->entries[rule->count++] = (struct rule_entry){kind, id, granted};
}

enum error_code
group_id(struct view *view, struct text name, uint64_t *ret_id, struct error *error)
{
    struct user_group group;
    *ret_id = 0;
    if (name.length == 0)
        return ERROR_NONE;
    enum error_code code = view_group_by_name(view, name, &group, error);
    if (code == ERROR_NONE)
        *ret_id = group.id;
    return code;
}

/* Adds what a group may, if one is named. */
static enum error_code
add_group(struct view *view, struct rule *rule, struct text name, rights granted, struct error *error)
{
    uint64_t id;
    enum error_code code = group_id(view, name, &id, error);
    if (code == ERROR_NONE && id != 0)
        rule_add(rule, SUBJECT_GROUP, id, granted);
    return code;
}

enum error_code
collection_rule(struct view *view, const struct collection_policy *policy, struct rule *ret_rule, struct error *error)
{
    *ret_rule = (struct rule){.count = 0};
    rule_add(ret_rule, SUBJECT_ANONYMOUS, 0, RIGHT_DISCOVER | RIGHT_READ);
    enum error_code code = add_group(view, ret_rule, policy->depositors,
                                     RIGHT_DEPOSIT | (policy->on_behalf_of ? (rights)RIGHT_ON_BEHALF_OF : 0), error);
    return code != ERROR_NONE ? code : add_group(view, ret_rule, policy->reviewers, RIGHT_DISCOVER | RIGHT_READ, error);
}

enum error_code
private_rule(struct view *view, const struct collection_policy *policy, uint64_t mediator, bool review,
             struct rule *ret_rule, struct error *error)
{
    const rights all = RIGHT_DISCOVER | RIGHT_READ | RIGHT_APPEND | RIGHT_WRITE;
    *ret_rule = (struct rule){.count = 0};
    rule_add(ret_rule, SUBJECT_OWNER, 0, all);
    if (mediator != 0)
        rule_add(ret_rule, SUBJECT_USER, mediator, all);
    return review ? add_group(view, ret_rule, policy->reviewers, all, error) : ERROR_NONE;
}

/* ---- questions ------------------------------------------------------------------------------------------------ */

/* Whether `person` has rights on a collection, whoever's view it is: by the model, in a view of theirs. */
static enum error_code
require_of(struct repository *repository, const struct entity *collection, const struct principal *person, rights needed,
           struct error *error)
{
    struct view *view;
    struct resource resource;
    enum error_code code = view_open(repository->options.model, person, &view, error);
    if (code != ERROR_NONE)
        return code;
    code = view_get(view, collection->resource.id, &resource, error);
    if (code == ERROR_NONE)
        code = view_require(view, &resource, needed, error);
    view_close(view);
    return code;
}

enum error_code
repository_may_deposit(struct repository *repository, struct view *view, const struct entity *collection,
                       const struct principal *person, struct error *error)
{
    return require_of(repository, collection, person, RIGHT_DEPOSIT, error);
}

enum error_code
repository_may_mediate(struct repository *repository, struct view *view, const struct entity *collection,
                       const struct principal *person, struct error *error)
{
    struct collection_policy policy;
    enum error_code code = repository_policy(repository, view, collection, &policy, error);
    if (code == ERROR_NONE && !policy.on_behalf_of)
        code = error_set(error, ERROR_DENIED, "the collection takes no deposits on behalf of others");
    return code != ERROR_NONE ? code
                              : require_of(repository, collection, person, RIGHT_DEPOSIT | RIGHT_ON_BEHALF_OF, error);
}
