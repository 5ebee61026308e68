/* SPDX-License-Identifier: Apache-2.0 */
/* Statements in and out, as this module uses them. */
#include "repository/repository_private.h"

static const char *const attribute_words[ATTRIBUTE_COUNT] = {
#define X(name, word) [ATTRIBUTE_##name] = word,
    ATTRIBUTES(X)
#undef X
};

struct text
attribute_text(enum attribute attribute)
{
    return text_from(attribute_words[attribute]);
}

static struct statement_change *
next_change(struct changes *changes)
{
    if (changes->count == changes->capacity) {
        size_t capacity = changes->capacity == 0 ? 32 : changes->capacity * 2;
        struct statement_change *items = arena_alloc(changes->arena, capacity * sizeof *items);
        if (items == NULL)
            return NULL; /* the arena remembers */
        if (changes->count > 0)
            memcpy(items, changes->items, changes->count * sizeof *items);
        changes->items = items;
        changes->capacity = capacity;
    }
    return &changes->items[changes->count++];
}

void
changes_add(struct changes *changes, const struct statement *statement)
{
    struct statement_change *change = next_change(changes);
    if (change != NULL)
        *change = (struct statement_change){STATEMENT_ADD, *statement};
}

void
changes_set(struct changes *changes, struct text attribute, struct text value)
{
    struct statement statement = {.attribute = attribute, .value = value, .qualifier = TEXT(""), .extra = TEXT("")};
    struct statement_change *change = changes->fresh ? NULL : next_change(changes);
    if (change != NULL)
        *change = (struct statement_change){STATEMENT_REMOVE_ATTRIBUTE, statement};
    if (value.length > 0)
        changes_add(changes, &statement);
}

enum error_code
changes_stage(const struct changes *changes, struct transaction *transaction, struct target target, bool snapshot,
              struct error *error)
{
    enum error_code code = arena_status(changes->arena, error);
    if (code != ERROR_NONE || changes->count == 0)
        return code;
    return transaction_change_statements(transaction, target, changes->items, changes->count, snapshot, NULL, error);
}

enum error_code
statement_value(struct view *view, uint64_t id, struct text attribute, struct text *ret_value, struct error *error)
{
    struct statement_iterator *iterator;
    struct statement statement;
    *ret_value = TEXT("");
    enum error_code code = view_statements(view, id, attribute, &iterator, error);
    if (code != ERROR_NONE)
        return code;
    if (statement_iterator_next(iterator, &statement))
        *ret_value = arena_copy(view_arena(view), statement.value);
    return statement_iterator_close(iterator, error);
}
