/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multikey quicksort with cached words: see key_sort.h. The invariant of sort_from(): all keys of
 * the range have the same first `depth` bytes, and each is at least that long.
 */
#include "catalog/key_sort.h"

#include <stdbool.h>

enum { FEW = 12, AHEAD = 12, MANY = 512 };

/* Eight bytes of the key from `depth`, big-endian, zeros after its end. */
static uint64_t
load_word(const struct key_sort_record *record, size_t depth)
{
    uint64_t word = 0;
    size_t left = record->key_length - depth;
    memcpy(&word, record->bytes + depth, left < 8 ? left : 8);
    return __builtin_bswap64(word);
}

/* The records lie anywhere: they are fetched while earlier ones are looked at. */
static void
load_words(struct key_sort_entry *entries, size_t count, size_t depth)
{
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(entries[i + AHEAD].record->bytes + depth);
        entries[i].word = load_word(entries[i].record, depth);
    }
}

static int
compare_rest(const struct key_sort_record *a, const struct key_sort_record *b, size_t depth)
{
    size_t shorter = a->key_length < b->key_length ? a->key_length : b->key_length;
    int order = memcmp(a->bytes + depth, b->bytes + depth, shorter - depth);
    if (order != 0)
        return order;
    if (a->key_length != b->key_length)
        return a->key_length < b->key_length ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool
comes_after(const struct key_sort_entry *a, const struct key_sort_entry *b, size_t depth)
{
    if (a->word != b->word)
        return a->word > b->word;
    return compare_rest(a->record, b->record, depth) > 0;
}

static void
sort_few(struct key_sort_entry *entries, size_t count, size_t depth)
{
    for (size_t i = 1; i < count; i++) {
        struct key_sort_entry moving = entries[i];
        size_t at = i;
        for (; at > 0 && comes_after(&entries[at - 1], &moving, depth); at--)
            entries[at] = entries[at - 1];
        entries[at] = moving;
    }
}

static uint64_t
median(uint64_t a, uint64_t b, uint64_t c)
{
    if (a > b) {
        uint64_t swap = a;
        a = b;
        b = swap;
    }
    return c < a ? a : c > b ? b : c;
}

/* A median of three from places drawn by chance, of three such when there are many. */
static uint64_t
choose_pivot(const struct key_sort_entry *entries, size_t count)
{
    static _Thread_local uint64_t chance = 0x9E3779B97F4A7C15u;
    uint64_t picked[9];
    size_t picks = count > MANY ? 9 : 3;
    for (size_t i = 0; i < picks; i++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        picked[i] = entries[(chance >> 32) % count].word;
    }
    uint64_t middle = median(picked[0], picked[1], picked[2]);
    if (picks == 3)
        return middle;
    return median(middle, median(picked[3], picked[4], picked[5]),
                  median(picked[6], picked[7], picked[8]));
}

/* Smaller, equal and greater words, in this order: `*less` and `*greater` of the outer ones. */
static void
partition(struct key_sort_entry *entries, size_t count, uint64_t pivot, size_t *less,
          size_t *greater)
{
    size_t low = 0, at = 0, high = count;
    while (at < high) {
        struct key_sort_entry entry = entries[at];
        if (entry.word < pivot) {
            entries[at++] = entries[low];
            entries[low++] = entry;
        } else if (entry.word > pivot) {
            entries[at] = entries[--high];
            entries[high] = entry;
        } else {
            at++;
        }
    }
    *less = low;
    *greater = count - high;
}

/* By the words alone; what is equal stays in any order. */
static void
sort_words(struct key_sort_entry *entries, size_t count)
{
    while (count > 1) {
        size_t less, greater;
        partition(entries, count, choose_pivot(entries, count), &less, &greater);
        struct key_sort_entry *above = entries + count - greater;
        if (less < greater) {
            sort_words(entries, less);
            entries = above;
            count = greater;
        } else {
            sort_words(above, greater);
            count = less;
        }
    }
}

/* Equal but for zeros at the end: by length, then by order. */
static void
sort_ended(struct key_sort_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        entries[i].word = entries[i].record->key_length;
    sort_words(entries, count);
    for (size_t start = 0; start < count;) {
        size_t end = start;
        uint64_t length = entries[start].word;
        for (; end < count && entries[end].word == length; end++)
            entries[end].word = entries[end].record->order;
        sort_words(entries + start, end - start);
        start = end;
    }
}

/* Keys that end inside the present word come before those that go on. Returns how many end. */
static size_t
separate_ended(struct key_sort_entry *entries, size_t count, size_t depth)
{
    size_t ended = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(entries[i + AHEAD].record);
        if (entries[i].record->key_length - depth > 8)
            continue;
        struct key_sort_entry swap = entries[ended];
        entries[ended++] = entries[i];
        entries[i] = swap;
    }
    return ended;
}

/* The words of `depth` are loaded. */
static void
sort_from(struct key_sort_entry *entries, size_t count, size_t depth)
{
    while (count > FEW) {
        size_t less, greater;
        partition(entries, count, choose_pivot(entries, count), &less, &greater);
        sort_from(entries, less, depth);
        sort_from(entries + count - greater, greater, depth);
        entries += less;
        count -= less + greater;
        size_t ended = separate_ended(entries, count, depth);
        sort_ended(entries, ended);
        entries += ended;
        count -= ended;
        depth += 8;
        load_words(entries, count, depth);
    }
    sort_few(entries, count, depth);
}

void
key_sort(struct key_sort_entry *entries, size_t count)
{
    load_words(entries, count, 0);
    sort_from(entries, count, 0);
}
