/* SPDX-License-Identifier: Apache-2.0 */
/* Communities and collections: making them, and a collection's policy, which is statements of it. */
#include "repository/repository_private.h"

/* ---- policy to statements and back ------------------------------------------------------------------------------ */

static const char *const policy_words[] = {
#define X(member, key, kind) "archivolt.policy." key,
    POLICY_KEYS(X)
#undef X
};

static bool
read_SWITCH(struct text value, bool *ret)
{
    *ret = text_equal(value, TEXT("yes"));
    return *ret || text_equal(value, TEXT("no"));
}

static bool
read_NUMBER(struct text value, uint64_t *ret)
{
    return text_to_u64(value, ret);
}

static bool
read_TEXT(struct text value, struct text *ret)
{
    *ret = value;
    return true;
}

static bool
read_GROUP(struct text value, struct text *ret)
{
    *ret = value;
    return true;
}

static struct text
write_SWITCH(struct arena *arena, const bool *value)
{
    return *value ? TEXT("yes") : TEXT("no");
}

static struct text
write_NUMBER(struct arena *arena, const uint64_t *value)
{
    return *value == 0 ? TEXT("") : number_text(arena, *value);
}

static struct text
write_TEXT(struct arena *arena, const struct text *value)
{
    return *value;
}

static struct text
write_GROUP(struct arena *arena, const struct text *value)
{
    return *value;
}

static const char known_keys[] = ""
#define X(member, word, kind) " " word
    POLICY_KEYS(X)
#undef X
    ;

enum error_code
collection_policy_set(struct collection_policy *policy, struct text key, struct text value, struct error *error)
{
#define X(member, word, kind)                                                                      \
    if (text_equal(key, TEXT(word)))                                                               \
        return read_##kind(value, &policy->member)                                                 \
                   ? ERROR_NONE                                                                    \
                   : error_set(error, ERROR_INVALID, "%.*s is no value of %s", TEXT_ARG(value), word);
    POLICY_KEYS(X)
#undef X
    return error_set(error, ERROR_INVALID, "a collection has no %.*s; it has:%s", TEXT_ARG(key), known_keys);
}

static void
changes_set_policy(struct changes *changes, const struct collection_policy *policy)
{
    const char *const *word = policy_words;
#define X(member, key, kind) changes_set(changes, text_from(*word++), write_##kind(changes->arena, &policy->member));
    POLICY_KEYS(X)
#undef X
}

static struct collection_policy
policy_default(void)
{
    return (struct collection_policy){.keep = true,
                                      .treatment = TEXT(""),
                                      .policy = TEXT(""),
                                      .abstract = TEXT(""),
                                      .licence = TEXT(""),
                                      .accept = TEXT(""),
                                      .packagings = TEXT(""),
                                      .depositors = TEXT(""),
                                      .reviewers = TEXT("")};
}

enum error_code
repository_policy(struct repository *repository, struct view *view, const struct entity *collection,
                  struct collection_policy *ret_policy, struct error *error)
{
    static const struct text prefix = {"archivolt.policy.", 17};
    struct statement_iterator *iterator;
    struct statement s;
    *ret_policy = policy_default();
    enum error_code code = view_statements(view, collection->resource.id, TEXT(""), &iterator, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && statement_iterator_next(iterator, &s)) {
        if (!text_starts_with(s.attribute, prefix))
            continue;
        struct text key = text_of(s.attribute.data + prefix.length, s.attribute.length - prefix.length);
        (void)!collection_policy_set(ret_policy, key, arena_copy(view_arena(view), s.value), NULL); /* of a later program: not for us */
    }
    enum error_code closed = statement_iterator_close(iterator, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}

/* ---- making them --------------------------------------------------------------------------------------------------- */

static enum error_code
stage_rule(struct transaction *transaction, struct target target, const struct rule *rule, struct error *error)
{
    return transaction_set_access(transaction, target, rule->entries, rule->count, error);
}

/* The folder that all communities are in: nobody but administrators makes anything there. */
static enum error_code
stage_root(struct repository *repository, struct transaction *transaction, struct error *error)
{
    struct container_options options = {.make_parents = true, .exist_ok = true};
    struct target root = target_path(repository->options.root_path);
    struct rule rule = {.count = 0};
    rule_add(&rule, SUBJECT_ANONYMOUS, 0, RIGHT_DISCOVER | RIGHT_READ);
    enum error_code code = transaction_make_container(transaction, root, &options, error);
    return code != ERROR_NONE ? code : stage_rule(transaction, root, &rule, error);
}

struct plan {
    struct text name, parent_path;
    enum entity_kind kind;
    const struct collection_policy *policy; /* of a collection */
    const struct rule *rule;
};

static enum error_code
stage_set(struct repository *repository, struct transaction *transaction, const struct plan *plan, struct arena *arena,
          struct new_entity *ret_new, struct error *error)
{
    struct container_options options = {.is_set = true, .condition = {.kind = CONDITION_ABSENT}};
    struct changes changes = {.arena = arena, .fresh = true};
    enum error_code code = plan->name.length == 0 ? error_set(error, ERROR_INVALID, "a name is wanted")
                                                  : new_entity(repository, plan->parent_path, arena, ret_new, error);
    if (code != ERROR_NONE)
        return code;
    struct target target = target_path(ret_new->path);
    changes_set(&changes, attribute_text(ATTRIBUTE_KIND), text_from(entity_kind_word(plan->kind)));
    changes_set(&changes, attribute_text(ATTRIBUTE_NAME), plan->name);
    if (plan->policy != NULL)
        changes_set_policy(&changes, plan->policy);
    code = transaction_make_container(transaction, target, &options, error);
    if (code == ERROR_NONE)
        code = stage_names(transaction, ret_new, target, plan->kind == ENTITY_COMMUNITY ? "com_" : "col_", arena, error);
    if (code == ERROR_NONE)
        code = changes_stage(&changes, transaction, target, true, error);
    return code != ERROR_NONE ? code : stage_rule(transaction, target, plan->rule, error);
}

static enum error_code
path_of(struct view *view, const struct entity *entity, struct text *ret_path, struct error *error)
{
    return view_path(view, entity->resource.id, ret_path, error);
}

enum error_code
repository_stage_community(struct repository *repository, struct transaction *transaction, struct view *view,
                           struct text name, const struct entity *parent, struct arena *arena,
                           struct new_entity *ret_new, struct error *error)
{
    struct rule rule = {.count = 0};
    struct plan plan = {.name = name, .parent_path = repository->options.root_path, .kind = ENTITY_COMMUNITY, .rule = &rule};
    enum error_code code = ERROR_NONE;
    rule_add(&rule, SUBJECT_ANONYMOUS, 0, RIGHT_DISCOVER | RIGHT_READ);
    if (parent == NULL)
        code = stage_root(repository, transaction, error);
    else if (parent->kind != ENTITY_COMMUNITY)
        code = error_set(error, ERROR_CONFLICT, "communities are in communities");
    else
        code = path_of(view, parent, &plan.parent_path, error);
    return code != ERROR_NONE ? code : stage_set(repository, transaction, &plan, arena, ret_new, error);
}

enum error_code
repository_stage_collection(struct repository *repository, struct transaction *transaction, struct view *view,
                            struct text name, const struct entity *community, const struct collection_policy *policy,
                            struct arena *arena, struct new_entity *ret_new, struct error *error)
{
    struct rule rule;
    struct plan plan = {.name = name, .kind = ENTITY_COLLECTION, .policy = policy, .rule = &rule};
    enum error_code code = ERROR_NONE;
    if (community->kind != ENTITY_COMMUNITY)
        code = error_set(error, ERROR_CONFLICT, "collections are in communities");
    if (code == ERROR_NONE)
        code = path_of(view, community, &plan.parent_path, error);
    if (code == ERROR_NONE)
        code = collection_rule(view, policy, &rule, error);
    return code != ERROR_NONE ? code : stage_set(repository, transaction, &plan, arena, ret_new, error);
}

enum error_code
repository_stage_policy(struct repository *repository, struct transaction *transaction, struct view *view,
                        const struct entity *collection, struct text key, struct text value, struct error *error)
{
    struct collection_policy policy;
    struct rule rule;
    struct changes changes = {.arena = view_arena(view)};
    struct target target = target_id(collection->resource.id);
    enum error_code code = repository_policy(repository, view, collection, &policy, error);
    if (code == ERROR_NONE && text_equal(key, TEXT("name")))
        changes_set(&changes, attribute_text(ATTRIBUTE_NAME), value);
    else if (code == ERROR_NONE)
        code = collection_policy_set(&policy, key, value, error);
    if (code == ERROR_NONE)
        code = collection_rule(view, &policy, &rule, error);
    if (code != ERROR_NONE)
        return code;
    changes_set_policy(&changes, &policy);
    code = changes_stage(&changes, transaction, target, true, error);
    return code != ERROR_NONE ? code : stage_rule(transaction, target, &rule, error);
}

struct collection_policy
repository_policy_default(void)
{
    return policy_default();
}

/* ---- what a collection takes ------------------------------------------------------------------------------------- */

/* Among words with blanks between them; no words at all take everything. */
static bool
has_word(struct text words, struct text word)
{
    struct text rest = words;
    while (rest.length > 0) {
        if (text_equal(text_cut(rest, ' ', &rest), word))
            return true;
    }
    return words.length == 0;
}

enum error_code
collection_policy_takes(const struct collection_policy *policy, enum packaging packaging, struct text media_type,
                        struct error *error)
{
    if (!has_word(policy->packagings, text_from(packaging_word(packaging))))
        return error_set(error, ERROR_UNSUPPORTED, "the collection takes no %s packages", packaging_word(packaging));
    if (!has_word(policy->accept, media_type))
        return error_set(error, ERROR_UNSUPPORTED, "the collection takes no %.*s", TEXT_ARG(media_type));
    return ERROR_NONE;
}

enum error_code
collection_policy_takes_bytes(const struct collection_policy *policy, uint64_t size_bytes, struct error *error)
{
    if (policy->maximum_bytes == 0 || size_bytes <= policy->maximum_bytes)
        return ERROR_NONE;
    return error_set(error, ERROR_LIMIT, "the collection takes %llu bytes at most", (unsigned long long)policy->maximum_bytes);
}
