/* SPDX-License-Identifier: Apache-2.0 */
/* Rights and roles in words: see access.h. */
#include "base/buffer.h"
#include "base/ensure.h"
#include "model/access.h"

struct right_word {
    rights rights;
    struct text word;
};

static const struct right_word right_words[] = {
#define X(name, bit, word) {RIGHT_##name, {word, sizeof word - 1}},
    RIGHTS(X)
#undef X
};
#define RIGHT_WORD_COUNT (sizeof right_words / sizeof *right_words)

static bool
one_right(struct text word, rights *held)
{
    if (text_equal(word, TEXT("all"))) {
        *held |= RIGHTS_ALL;
        return true;
    }
    for (size_t i = 0; i < RIGHT_WORD_COUNT; i++)
        if (text_equal(word, right_words[i].word)) {
            *held |= right_words[i].rights;
            return true;
        }
    return false;
}

bool
rights_parse(struct text words, rights *ret_rights)
{
    rights held = 0;
    struct text rest = text_trim(words);
    if (!text_equal(rest, TEXT("none")))
        while (rest.data != NULL)
            if (!one_right(text_trim(text_cut(rest, ',', &rest)), &held))
                return false;
    *ret_rights = held;
    return words.data != NULL;
}

void
rights_words(rights held, struct buffer *ret_words)
{
    bool first = true;
    if ((held & RIGHTS_ALL) == 0)
        buffer_append_string(ret_words, "none");
    for (size_t i = 0; i < RIGHT_WORD_COUNT; i++) {
        if ((held & right_words[i].rights) == 0)
            continue;
        if (!first)
            buffer_append_char(ret_words, ',');
        buffer_append_text(ret_words, right_words[i].word);
        first = false;
    }
}

static const char *const words_of_roles[ROLE_COUNT] = {
#define X(name, word, ceiling) [ROLE_##name] = word,
    ROLES(X)
#undef X
};

bool
role_parse(struct text word, enum role *ret_role)
{
    for (unsigned i = 0; i < ROLE_COUNT; i++)
        if (text_equal(word, text_from(words_of_roles[i]))) {
            *ret_role = (enum role)i;
            return true;
        }
    return false;
}

const char *
role_word(enum role role)
{
    ensure((unsigned)role < ROLE_COUNT);
    return words_of_roles[role];
}
