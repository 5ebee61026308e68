/* SPDX-License-Identifier: Apache-2.0 */
/* The repository as a whole: options, crosswalks, and the words of its tables. */
#include "base/ensure.h"
#include "repository/record_cache.h"
#include "repository/repository_private.h"

enum error_code
repository_new(const struct repository_options *options, struct repository **ret_repository, struct error *error)
{
    struct repository *repository = calloc(1, sizeof *repository);
    ensure(repository != NULL);
    repository->options = *options;
    repository->records = record_cache_new(options->record_cache_bytes);
    arena_init(&repository->arena, 0);
#define KEEP(member) repository->options.member = arena_copy(&repository->arena, options->member)
    KEEP(name);
    KEEP(email);
    KEEP(oai_identifier);
    KEEP(handle_prefix);
    KEEP(handle_canonical_prefix);
    KEEP(root_path);
    KEEP(zone);
#undef KEEP
    int64_t day_us;
    enum error_code code = crosswalk_set_new(options->crosswalk_folder, &repository->crosswalks, error);
    if (code == ERROR_NONE)
        code = path_check(repository->options.root_path, model_limits(options->model), error);
    if (code == ERROR_NONE)
        code = embargo_time(repository, TEXT("2000-01-01"), &day_us, error); /* the zone is one */
    if (code != ERROR_NONE) {
        repository_free(repository);
        return code;
    }
    *ret_repository = repository;
    return ERROR_NONE;
}

void
repository_free(struct repository *repository)
{
    if (repository == NULL)
        return;
    crosswalk_set_free(repository->crosswalks);
    record_cache_free(repository->records);
    arena_release(&repository->arena);
    free(repository);
}

struct model *
repository_model(struct repository *repository)
{
    return repository->options.model;
}

const struct repository_options *
repository_options(const struct repository *repository)
{
    return &repository->options;
}

const struct crosswalk_set *
repository_crosswalks(const struct repository *repository)
{
    return repository->crosswalks;
}

static const struct {
    const char *word, *sentence;
} states[] = {
#define X(name, word, sentence) [ITEM_##name] = {word, sentence},
    ITEM_STATES(X)
#undef X
};

const char *
item_state_word(enum item_state state)
{
    return states[state].word;
}

const char *
item_state_sentence(enum item_state state)
{
    return states[state].sentence;
}

bool
item_state_from_word(struct text word, enum item_state *ret_state)
{
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (text_equal(word, text_from(states[i].word))) {
            *ret_state = (enum item_state)i;
            return true;
        }
    }
    return false;
}

static const char *const kinds[] = {
#define X(name, word) [ENTITY_##name] = word,
    ENTITY_KINDS(X)
#undef X
};

const char *
entity_kind_word(enum entity_kind kind)
{
    return kinds[kind];
}

bool
entity_kind_from_word(struct text word, enum entity_kind *ret_kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (text_equal(word, text_from(kinds[i]))) {
            *ret_kind = (enum entity_kind)i;
            return true;
        }
    }
    return false;
}
