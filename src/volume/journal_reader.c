/* SPDX-License-Identifier: Apache-2.0 */
/* The journal, group by group, with the chain checked. */
#include "volume/store_private.h"

struct journal_reader {
    struct store *store;
    uint64_t next;   /* the sequence that is read next */
    uint64_t volume; /* that the group before was in */
    bool check_chain;
    bool chain_known;
    unsigned char chain[CHAIN_BYTES]; /* H of the group before `next` */
    struct journal_entry entry;
};

static enum error_code
read_at(struct journal_reader *reader, const struct group_place *place, struct error *error)
{
    struct volume *volume = NULL;
    uint64_t physical = 0;
    enum error_code code = volume__use(reader->store, place->volume, &volume, error);
    if (code != ERROR_NONE)
        return code;
    code = volume__locate(reader->store, volume, place->offset, &physical, error);
    if (code == ERROR_NONE)
        code = journal__read(volume->file, physical, place->length, place->sequence, &reader->entry,
                             error);
    if (code == ERROR_NONE && !journal__belongs(&reader->entry, volume))
        code = error_set(error, ERROR_CORRUPT, "the journal entry bears another volume's mark");
    volume__end_use(reader->store, volume);
    if (code != ERROR_NONE)
        error_prefix(error, "volume %llu, journal entry at %llu", (unsigned long long)place->volume,
                     (unsigned long long)place->offset);
    return code;
}

/* What an index says is believed only when it leads to the group. */
static enum error_code
read_place(struct journal_reader *reader, struct group_place *place, struct error *error)
{
    enum error_code code = read_at(reader, place, error);
    if ((code != ERROR_CORRUPT && code != ERROR_GONE) ||
        !index__distrust(reader->store, place->volume))
        return code;
    code = index__find(reader->store, place->sequence, place, error);
    return code != ERROR_NONE ? code : read_at(reader, place, error);
}

/* The first group's predecessor is read too; when it is damaged, the chain begins anew. */
static void
learn_chain(struct journal_reader *reader)
{
    struct group_place place;
    struct error ignored = {0};
    if (reader->next == 1) {
        journal__first_hash(&reader->store->identity, reader->chain);
        reader->chain_known = true;
        return;
    }
    if (index__find(reader->store, reader->next - 1, &place, &ignored) == ERROR_NONE &&
        place.sequence == reader->next - 1 && read_place(reader, &place, &ignored) == ERROR_NONE) {
        memcpy(reader->chain, reader->entry.hash, CHAIN_BYTES);
        reader->chain_known = true;
    }
}

enum error_code
journal_reader_open(struct store *store, uint64_t sequence, bool check_chain,
                    struct journal_reader **ret_reader, struct error *error)
{
    struct journal_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory to read the journal");
    reader->store = store;
    reader->next = sequence == 0 ? 1 : sequence;
    reader->check_chain = check_chain;
    if (check_chain)
        learn_chain(reader);
    *ret_reader = reader;
    return ERROR_NONE;
}

void
journal_reader_close(struct journal_reader *reader)
{
    if (reader == NULL)
        return;
    journal__entry_release(&reader->entry);
    free(reader);
}

static void
give_out(struct journal_reader *reader, const struct group_place *place,
         struct journal_group *group)
{
    struct journal_entry *entry = &reader->entry;
    *group = (struct journal_group){
        .position =
            {entry->sequence, place->volume, place->offset, place->length, {0}, entry->time_us},
        .time_us = entry->time_us,
        .node = entry->node,
        .node_sequence = entry->node_sequence,
        .last_line = entry->lines[entry->line_count], /* it was counted off, and is there */
        .line_count = (unsigned)entry->line_count,
        .lines = entry->lines,
        .line_offsets = entry->line_offsets,
        .entry_count = (unsigned)entry->entry_count,
        .entries = entry->entries,
    };
    memcpy(group->position.chain, entry->hash, CHAIN_BYTES);
}

static enum error_code
check_link(struct journal_reader *reader, struct error *error)
{
    enum error_code code = ERROR_NONE;
    if (reader->check_chain && reader->chain_known &&
        memcmp(reader->chain, reader->entry.previous, CHAIN_BYTES) != 0)
        code = error_set(error, ERROR_CORRUPT, "group %llu does not continue the chain",
                         (unsigned long long)reader->entry.sequence);
    memcpy(reader->chain, reader->entry.hash, CHAIN_BYTES);
    reader->chain_known = true;
    return code;
}

/* Where the next group is. A gap is believed only when no index says it. */
static enum error_code
find_next(struct journal_reader *reader, struct group_place *ret_place, struct error *error)
{
    enum error_code code =
        index__find_near(reader->store, reader->next, reader->volume, ret_place, error);
    if (code == ERROR_NONE && ret_place->sequence != reader->next &&
        index__distrust(reader->store, ret_place->volume))
        code = index__find(reader->store, reader->next, ret_place, error);
    if (code == ERROR_NONE)
        reader->volume = ret_place->volume;
    return code;
}

bool
journal_reader_next(struct journal_reader *reader, struct journal_group *ret_group,
                    enum error_code *ret_status, struct error *error)
{
    struct group_place place;
    struct error why = {0};
    *ret_status = ERROR_NONE;
    enum error_code code = find_next(reader, &place, &why);
    if (code == ERROR_NOT_FOUND)
        return false;
    if (code == ERROR_NONE && place.sequence != reader->next) {
        code = error_set(&why, ERROR_CORRUPT, "groups %llu to %llu are missing",
                         (unsigned long long)reader->next, (unsigned long long)place.sequence - 1);
        reader->next = place.sequence;
        reader->chain_known = false;
    } else if (code == ERROR_NONE) {
        code = read_place(reader, &place, &why);
        if (code == ERROR_NOT_FOUND || code == ERROR_GONE || code == ERROR_INVALID ||
            (code == ERROR_NONE && place.sequence != reader->next))
            code = error_set(&why, ERROR_CORRUPT, "group %llu cannot be found where it must be",
                             (unsigned long long)reader->next);
        reader->next++;
        if (code == ERROR_NONE)
            code = check_link(reader, &why);
        else
            reader->chain_known = false;
    } else {
        reader->next++; /* whatever happens, the end is reached */
        reader->chain_known = false;
    }
    *ret_status = code;
    if (code != ERROR_NONE) {
        error_set(error, code, "%s", why.message);
        return false;
    }
    give_out(reader, &place, ret_group);
    return true;
}
