/* SPDX-License-Identifier: Apache-2.0 */
/* What may leave: see publish.h. */
#include "metadata/publish.h"

#include "metadata/metadata_private.h"

/* X(schema, element, qualifier) */
#define PRIVATE_FIELDS(X)                                                                          \
    X("dc", "description", "provenance")                                                           \
    X("dcterms", "provenance", "*")                                                                \
    X("eprints", "contact_email", "*")                                                             \
    X("eprints", "suggestions", "*")                                                               \
    X("eprints", "userid", "*")                                                                    \
    X("eprints", "sword_depositor", "*")

static bool
is_address_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c & 0x80) != 0 ||
           strchr("!#$%&'*+-/=?^_`{|}~.", c) != NULL;
}

bool
publish__holds_address(struct text word)
{
    struct text domain, local = text_cut(word, '@', &domain);
    if (domain.data == NULL || local.length == 0 || !is_address_character(local.data[local.length - 1]))
        return false;
    const char *dot = domain.length < 3 ? NULL : memchr(domain.data + 1, '.', domain.length - 2);
    return dot != NULL && is_address_character(domain.data[0]);
}

/* A word that is an address but for a scheme before it and punctuation around it. */
static bool
is_address(struct text word)
{
    if (text_starts_with(word, TEXT("mailto:")))
        word = text_of(word.data + 7, word.length - 7);
    while (word.length > 0 && strchr("<([,;:", word.data[0]) != NULL)
        word = text_of(word.data + 1, word.length - 1);
    while (word.length > 0 && strchr(">)],;:", word.data[word.length - 1]) != NULL)
        word.length--;
    for (size_t i = 0; i < word.length; i++)
        if (word.data[i] != '@' && !is_address_character(word.data[i]))
            return false;
    return publish__holds_address(word);
}

static bool
is_only_address(struct text value)
{
    struct text left = value, word;
    bool any = false;
    while (metadata__next_word(&left, &word)) {
        if (!is_address(word))
            return false;
        any = true;
    }
    return any;
}

bool
field_is_private(const struct field *field)
{
#define X(schema_, element_, qualifier_)                                                           \
    if (metadata__is_field(field, schema_, element_, qualifier_))                                  \
        return true;
    PRIVATE_FIELDS(X)
#undef X
    return is_only_address(field->value);
}

static bool
names_a_person(const struct field *field)
{
    return text_equal(field->element, TEXT("contributor")) || text_equal(field->element, TEXT("creator"));
}

/* The value without the words that hold an address. */
static struct text
without_addresses(struct text value, struct arena *arena)
{
    struct buffer buffer = {0};
    struct text word;
    while (metadata__next_word(&value, &word)) {
        if (publish__holds_address(word))
            continue;
        if (buffer.length > 0)
            buffer_append_char(&buffer, ' ');
        buffer_append_text(&buffer, word);
    }
    struct text kept = arena_copy(arena, buffer_text(&buffer));
    buffer_release(&buffer);
    return kept;
}

enum error_code
fields_publish(const struct fields *fields, struct fields *ret_public, struct error *error)
{
    for (size_t i = 0; i < fields->count; i++) {
        struct field field = fields->items[i];
        if (field_is_private(&field))
            continue;
        if (names_a_person(&field))
            field.value = without_addresses(field.value, ret_public->arena);
        else if (text_equal(field.schema, TEXT("eprints")))
            field.value = compound__publish(field.value, ret_public->arena);
        if (is_only_address(field.authority))
            field.authority = TEXT("");
        enum error_code code = fields_add(ret_public, &field, error);
        if (code != ERROR_NONE)
            return code;
    }
    return ERROR_NONE;
}
