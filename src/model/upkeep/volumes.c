/* SPDX-License-Identifier: Apache-2.0 */
/* Volumes as a whole: listing, sealing, the journal as text, export of the OCFL root. */
#include "format/json.h"
#include "model/record/keys.h"
#include "model/maintenance.h"
#include "model/private.h"
#include "model/upkeep/journal_walk.h"

struct listing {
    struct model *model;
    maintenance_line *line;
    void *context;
};

static void
put_digest(struct model *model, struct json_writer *w, uint64_t number)
{
    struct key key;
    struct buffer value = {0};
    struct volume_record record = {0};
    key_of(&key, FAMILY_VOLUME, number);
    if (catalog_get(model->catalog, NULL, key_text(&key), &value, NULL) == ERROR_NONE &&
        volume_decode(buffer_text(&value), &record, NULL) == ERROR_NONE && record.sha256.length > 0) {
        json_member_hex(w, "sha256", record.sha256.data, record.sha256.length);
    }
    buffer_release(&value);
}

static bool
list_volume(void *context, const struct volume_facts *facts)
{
    struct listing *listing = context;
    struct buffer json = {0};
    struct json_writer w = json_writer(&json);
    json_begin_object(&w);
    json_member_u64(&w, "volume", facts->number);
    json_member_string(&w, "kind", facts->bulk ? "bulk" : "log");
    json_member_string(&w, "name", facts->name);
    json_member_u64(&w, "generation", facts->generation);
    json_member_bool(&w, "sealed", facts->sealed);
    json_member_u64(&w, "size", facts->size_bytes);
    put_digest(listing->model, &w, facts->number);
    json_end_object(&w);
    bool goes_on = listing->line(listing->context, buffer_text(&json));
    buffer_release(&json);
    return goes_on;
}

enum error_code
model_volumes(struct model *model, maintenance_line *line, void *context, struct error *error)
{
    struct listing listing = {model, line, context};
    store_volumes(model->store, list_volume, &listing);
    return ERROR_NONE;
}

struct search {
    uint64_t number;
    bool found;
};

static bool
is_wanted(void *context, const struct volume_facts *facts)
{
    struct search *search = context;
    search->found = facts->number == search->number;
    return !search->found;
}

enum error_code
missing_volumes(struct model *model, volume_missing *tell, void *context, struct error *error)
{
    struct lookup lookup = {.catalog = model->catalog};
    struct key family;
    struct catalog_scan *scan;
    struct text key, value;
    key_begin(&family, FAMILY_VOLUME);
    enum error_code code = lookup_scan(&lookup, &family, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && catalog_scan_next(scan, &key, &value)) {
        struct volume_record record;
        struct search search = {key_read_number(key, 1), false};
        code = volume_decode(value, &record, error);
        if (code != ERROR_NONE || (record.committed_bytes == 0 && record.sealed_bytes == 0))
            continue;
        store_volumes(model->store, is_wanted, &search);
        if (!search.found)
            tell(context, search.number, record.bulk);
    }
    enum error_code closed = catalog_scan_close(scan, code == ERROR_NONE ? error : NULL);
    return code != ERROR_NONE ? code : closed;
}

static enum error_code
seal_task(void *context, struct error *error)
{
    return store_seal(context, error);
}

enum error_code
model_seal(struct model *model, struct error *error)
{
    if (model->committer == NULL)
        return error_set(error, ERROR_CLOSED, "the store is open for reading only");
    enum error_code code = committer_run(model->committer, seal_task, model->store, error);
    if (code == ERROR_NONE && model->follower != NULL)
        follower_wake(model->follower); /* it journals the digests */
    return code;
}

/* ---- the journal -------------------------------------------------------------------------------------- */

struct expectation {
    uint64_t sequence; /* 0: nothing is expected */
    struct text chain_hex;
    bool met;
};

static enum error_code
read_expectation(struct text expect, struct expectation *ret, struct error *error)
{
    struct text hash;
    *ret = (struct expectation){0};
    if (expect.length == 0)
        return ERROR_NONE;
    struct text sequence = text_cut(expect, ':', &hash);
    if (!text_to_u64(sequence, &ret->sequence) || ret->sequence == 0 || hash.length != 2 * CHAIN_BYTES)
        return error_set(error, ERROR_INVALID, "what is expected is written SEQUENCE:HASH, as status prints it");
    ret->chain_hex = hash;
    return ERROR_NONE;
}

static enum error_code
meet_expectation(struct expectation *expectation, const struct journal_group *group, struct error *error)
{
    struct buffer hex = {0};
    enum error_code code = ERROR_NONE;
    if (group->position.sequence != expectation->sequence)
        return ERROR_NONE;
    buffer_append_hex(&hex, group->position.chain, CHAIN_BYTES);
    expectation->met = text_equal_ignoring_case(buffer_text(&hex), expectation->chain_hex);
    if (!expectation->met)
        code = error_set(error, ERROR_CORRUPT, "after group %llu the chain is %s, not what was expected",
                         (unsigned long long)expectation->sequence, buffer_string(&hex));
    buffer_release(&hex);
    return code;
}

struct journal_listing {
    struct expectation expectation;
    uint64_t damaged;
    maintenance_line *line;
    void *context;
};

static enum error_code
list_group(void *context, const struct journal_group *group, struct error *error)
{
    struct journal_listing *listing = context;
    bool goes_on = true;
    for (unsigned i = 0; i < group->line_count && goes_on; i++)
        goes_on = listing->line(listing->context, group->lines[i]);
    if (!goes_on || !listing->line(listing->context, group->last_line))
        return error_set(error, ERROR_CLOSED, "stopped");
    return meet_expectation(&listing->expectation, group, error);
}

static enum error_code
count_damage(void *context, const char *why, struct error *error)
{
    struct journal_listing *listing = context;
    listing->damaged++;
    return ERROR_NONE;
}

enum error_code
model_journal(struct model *model, uint64_t after, bool check, struct text expect, maintenance_line *line, void *context,
              struct error *error)
{
    struct journal_listing listing = {.line = line, .context = context};
    struct journal_walk walk = {after + 1, JOURNAL_TO_THE_END, check, list_group, count_damage, &listing};
    enum error_code code = read_expectation(expect, &listing.expectation, error);
    if (code == ERROR_NONE)
        code = journal_walk(model->store, &walk, error);
    if (code == ERROR_NONE && listing.damaged > 0)
        return error_set(error, ERROR_CORRUPT, "the journal is damaged in %llu places",
                         (unsigned long long)listing.damaged);
    if (code == ERROR_NONE && listing.expectation.sequence != 0 && !listing.expectation.met)
        return error_set(error, ERROR_CORRUPT, "the journal has no group %llu",
                         (unsigned long long)listing.expectation.sequence);
    return code;
}
