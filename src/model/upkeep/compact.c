/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compaction: sealed volumes are rewritten without what nobody needs: root copies of inventories that a later
 * version superseded, and what was purged.
 *
 * What a volume would shrink to is estimated first, in one pass over the journal: the sum of the entries that
 * would be kept. Only volumes that would give back enough are rewritten.
 */
#include "base/ensure.h"
#include "format/json.h"
#include "format/tar.h"
#include "model/record/keys.h"
#include "model/maintenance.h"
#include "model/record/object_path.h"
#include "model/private.h"
#include "model/upkeep/journal_walk.h"

#define BULK_PREAMBLE_BYTES 2048u
/* What the new file needs besides: head, trailers, and a line of index or map for each group or entry. */
#define OVERHEAD_BYTES 8192u
#define LISTED_BYTES 64u

struct estimate {
    uint64_t number, kept_bytes, size_bytes;
    bool bulk;
};

struct compaction {
    struct model *model;
    struct estimate *volumes;
    size_t count, capacity;
    uint64_t last; /* sequence */
    maintenance_proceed *proceed;
    void *context;
};

/* The newest version of an object: where its inventory is. False: there is no such resource (purged). */
static bool
newest_inventory(struct model *model, uint64_t id, struct place *ret)
{
    struct lookup lookup = {.catalog = model->catalog};
    struct buffer storage = {0};
    struct node node;
    struct version_record version;
    struct key key;
    bool found = false;
    *ret = (struct place){0};
    if (lookup_node(&lookup, id, &storage, &node, NULL) == ERROR_NONE) {
        found = true;
        key_version(&key, id, node.version);
        if (catalog_get(model->catalog, NULL, key_text(&key), &storage, NULL) == ERROR_NONE &&
            version_decode(buffer_text(&storage), &version, NULL) == ERROR_NONE)
            *ret = version.inventory;
    }
    buffer_release(&storage);
    return found;
}

/* Root copies are written after the version's own inventory, in the same group: an older one lies before it. */
static bool
keep_entry(void *context, struct text path, struct place place, uint64_t length)
{
    struct compaction *c = context;
    struct object_path object;
    struct place newest;
    if (text_starts_with(path, TEXT("journal/void/")))
        return false;
    if (!object_path_parse(c->model->identity.uuid, path, &object))
        return true; /* not of an object: files of the root */
    if (!newest_inventory(c->model, object.id, &newest))
        return false;
    if (!object.root_inventory)
        return true;
    return newest.volume == place.volume && place.offset > newest.offset;
}

/* ---- estimating ------------------------------------------------------------------------------------------ */

static bool
note_sealed(void *context, const struct volume_facts *facts)
{
    struct compaction *c = context;
    if (!facts->sealed)
        return true;
    if (c->count == c->capacity) {
        c->capacity = c->capacity == 0 ? 64 : c->capacity * 2;
        c->volumes = realloc(c->volumes, c->capacity * sizeof *c->volumes);
        ensure(c->volumes != NULL);
    }
    c->volumes[c->count++] = (struct estimate){.number = facts->number, .kept_bytes = OVERHEAD_BYTES,
                                                   .size_bytes = facts->size_bytes, .bulk = facts->bulk};
    return true;
}

static struct estimate *
estimate_of(struct compaction *c, uint64_t volume)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->volumes[i].number == volume)
            return &c->volumes[i];
    return NULL;
}

static enum error_code
add_group(void *context, const struct journal_group *group, struct error *error)
{
    struct compaction *c = context;
    struct estimate *log = estimate_of(c, group->position.volume);
    if (log != NULL)
        log->kept_bytes += TAR_BLOCK_SIZE + tar_padded(group->position.length) + 2 * LISTED_BYTES;
    for (unsigned i = 0; i < group->entry_count; i++) {
        const struct journal_tar_entry *entry = &group->entries[i];
        struct estimate *volume = estimate_of(c, entry->place.volume);
        if (volume == NULL || !keep_entry(c, entry->path, entry->place, entry->length))
            continue;
        bool preamble = volume->bulk && text_starts_with(entry->path, TEXT("ocfl/"));
        volume->kept_bytes += (preamble ? BULK_PREAMBLE_BYTES : TAR_BLOCK_SIZE) + tar_padded(entry->length) + LISTED_BYTES;
    }
    if (!c->proceed(c->context, "looking for what can be given back", group->position.sequence, c->last))
        return error_set(error, ERROR_CLOSED, "stopped");
    return ERROR_NONE;
}

/* An object that the catalog lacks may be one whose line is damaged: it must not pass for purged. */
static enum error_code
refuse_damage(void *context, const char *why, struct error *error)
{
    return error_set(error, ERROR_CORRUPT, "the journal is damaged, so nothing is given back: %s", why);
}

static enum error_code
estimate(struct compaction *c, struct error *error)
{
    struct journal_walk walk = {1, JOURNAL_TO_THE_END, true, add_group, refuse_damage, c};
    c->last = store_position(c->model->store).sequence;
    return journal_walk(c->model->store, &walk, error);
}

/* ---- rewriting ------------------------------------------------------------------------------------------- */

static void
tell(maintenance_line *line, void *context, uint64_t volume, const struct compaction_result *result)
{
    struct buffer json = {0};
    struct json_writer w = json_writer(&json);
    json_begin_object(&w);
    json_key(&w, "volume");
    json_put_u64(&w, volume);
    json_key(&w, "before");
    json_put_u64(&w, result->bytes_before);
    json_key(&w, "after");
    json_put_u64(&w, result->bytes_after);
    json_key(&w, "generation");
    json_put_u64(&w, result->generation);
    json_end_object(&w);
    (void)line(context, buffer_text(&json));
    buffer_release(&json);
}

static enum error_code
compact_one(struct compaction *c, const struct estimate *volume, maintenance_line *line, void *context,
            struct error *error)
{
    struct compaction_result result;
    enum error_code code = store_compact(c->model->store, volume->number, keep_entry, c, &result, error);
    if (code != ERROR_NONE)
        return code;
    struct line compacted = {.operation = OPERATION_COMPACTED,
                             .volume = volume->number,
                             .bulk = volume->bulk,
                             .generation = result.generation,
                             .size_bytes = result.bytes_after,
                             .sha256 = {(const char *)result.sha256, sizeof result.sha256}};
    code = committer_journal(c->model, &compacted, 1, true, NULL, NULL, error);
    if (code == ERROR_NONE)
        tell(line, context, volume->number, &result);
    return code;
}

enum error_code
model_compact(struct model *model, double least_gain, maintenance_proceed *proceed, maintenance_line *line,
              void *context, struct error *error)
{
    struct compaction c = {.model = model, .proceed = proceed, .context = context};
    if (model->committer == NULL)
        return error_set(error, ERROR_CLOSED, "the store is open for reading only");
    store_volumes(model->store, note_sealed, &c);
    enum error_code code = c.count == 0 ? ERROR_NONE : estimate(&c, error);
    for (size_t i = 0; i < c.count && code == ERROR_NONE; i++) {
        const struct estimate *volume = &c.volumes[i];
        double gain = volume->size_bytes <= volume->kept_bytes
                          ? 0
                          : (double)(volume->size_bytes - volume->kept_bytes) / (double)volume->size_bytes;
        if (gain <= 0 || gain < least_gain)
            continue;
        code = compact_one(&c, volume, line, context, error);
        if (code == ERROR_NONE && !proceed(context, "compact", i + 1, c.count))
            code = error_set(error, ERROR_CLOSED, "stopped");
    }
    free(c.volumes);
    return code;
}
