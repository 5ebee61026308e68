/* SPDX-License-Identifier: Apache-2.0 */
/* fsck: identifiers, and what harvesters are told of records. Both ways. */
#include "model/record/harvest_record.h"
#include "model/upkeep/fsck.h"

/* ---- identifiers ------------------------------------------------------------------------------------------ */

/* The scheme of a key that ends with (scheme, NUL, `tail` bytes); false: there is no NUL where one must be. */
static bool
read_scheme(struct text key, size_t start, size_t tail, struct text *ret_scheme)
{
    if (key.length < start + 1 + tail || key.data[key.length - tail - 1] != '\0')
        return false;
    *ret_scheme = text_of(key.data + start, key.length - start - tail - 1);
    return true;
}

static void
check_IDENTIFIER(struct fsck *f, struct text key, struct text value)
{
    struct cursor cursor = cursor_of(value.data, value.length);
    struct text identifier = cursor_counted(&cursor), scheme;
    uint64_t id = key_read_number(key, 1);
    struct key external;
    if (cursor.bad || cursor.left != 0 || identifier.length > IDENTIFIER_BYTES_MAXIMUM ||
        !read_scheme(key, 9, 12, &scheme) || scheme.length > IDENTIFIER_SCHEME_BYTES_MAXIMUM) {
        fsck_tell(f, FSCK_IDENTIFIER_DAMAGED, id, TEXT(""));
        return;
    }
    key_external(&external, scheme, identifier);
    if (fsck_number_under(f, &external) != id)
        fsck_tell(f, FSCK_IDENTIFIER_MISSING, id, identifier);
}

struct search {
    struct text identifier;
    bool found;
};

static bool
is_wanted(void *context, struct text key, struct text value)
{
    struct search *search = context;
    struct cursor cursor = cursor_of(value.data, value.length);
    search->found = text_equal(cursor_counted(&cursor), search->identifier);
    return !search->found;
}

static void
check_EXTERNAL(struct fsck *f, struct text key, struct text value)
{
    struct text scheme, inside = text_of(key.data + 1, key.length - 1);
    struct search search = {.found = false};
    struct key prefix;
    scheme = text_cut(inside, '\0', &search.identifier);
    if (search.identifier.data != NULL && scheme.length <= IDENTIFIER_SCHEME_BYTES_MAXIMUM) {
        key_identifier_prefix(&prefix, fsck_number(value), scheme);
        fsck_each(f, &prefix, is_wanted, &search);
    }
    if (!search.found)
        fsck_tell(f, FSCK_IDENTIFIER_WRONG, fsck_number(value), search.identifier);
}

/* ---- harvest lists ------------------------------------------------------------------------------------------ */

static bool
is_listed(struct fsck *f, uint64_t set, const struct harvest_record *record, uint64_t id)
{
    struct key key;
    key_harvest(&key, set, record->time_us, id);
    return fsck_is_there(f, &key);
}

static void
check_STAMP(struct fsck *f, struct text key, struct text value)
{
    uint64_t id = key_read_number(key, 1);
    struct harvest_record record;
    struct arena arena;
    arena_init(&arena, 0);
    if (harvest_record_decode(value, &arena, &record, NULL) != ERROR_NONE) {
        fsck_tell(f, FSCK_STAMP_DAMAGED, id, TEXT(""));
    } else {
        bool whole = is_listed(f, 0, &record, id);
        for (size_t i = 0; i < record.sets.count && whole; i++)
            whole = is_listed(f, record.sets.ids[i], &record, id);
        if (!whole)
            fsck_tell(f, FSCK_HARVEST_MISSING, id, TEXT(""));
    }
    arena_release(&arena);
}

static bool
has_set(const struct harvest_record *record, uint64_t set)
{
    bool found = set == 0;
    for (size_t i = 0; i < record->sets.count && !found; i++)
        found = record->sets.ids[i] == set;
    return found;
}

static void
check_HARVEST(struct fsck *f, struct text key, struct text value)
{
    uint64_t set = key_read_number(key, 1), id = key_read_number(key, 17);
    struct harvest_record record;
    struct arena arena;
    struct key stamp;
    arena_init(&arena, 0);
    key_stamp(&stamp, id);
    if (!fsck_get(f, &stamp, &f->other) ||
        (harvest_record_decode(buffer_text(&f->other), &arena, &record, NULL) == ERROR_NONE &&
         (record.time_us != (int64_t)key_read_number(key, 9) || record.live != (fsck_number(value) != 0) ||
          !has_set(&record, set))))
        fsck_tell(f, FSCK_HARVEST_WRONG, id, TEXT(""));
    arena_release(&arena);
}

bool
fsck_harvest_record(struct fsck *f, struct text key, struct text value)
{
    switch (key.data[0]) {
#define CASE(family)                                                                               \
    case FAMILY_##family:                                                                          \
        check_##family(f, key, value);                                                             \
        return true;
        CASE(IDENTIFIER)
        CASE(EXTERNAL)
        CASE(STAMP)
        CASE(HARVEST)
#undef CASE
    default:
        return false;
    }
}
