/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fsck: versions, the places that they name, and volumes. A place must lie in a volume that is there, before the end of
 * what the catalog's group committed, and the tar header in front of it must be that of the very entry: the headers are
 * read, the data are not.
 */
#include "format/tar.h"
#include "model/record/object_path.h"
#include "model/upkeep/fsck.h"

#include <stdio.h>

/* What a record says of an entry: where it lies, how long it is, and whose it is. */
struct stated_entry {
    const char *what; /* for people */
    struct place place;
    uint64_t size_bytes;
    bool any_size;       /* it is not stated */
    bool content;        /* with a preamble in bulk volumes */
    uint64_t object;     /* whose folder it lies in; 0: its path is `path` */
    unsigned inventory;  /* of this version; 0: content */
    const char *path;
};

struct wanted_volume {
    uint64_t number;
    struct volume_facts facts; /* number 0: it is not there */
};

static bool
find_volume(void *context, const struct volume_facts *facts)
{
    struct wanted_volume *wanted = context;
    if (facts->number == wanted->number)
        wanted->facts = *facts;
    return wanted->facts.number == 0;
}

/* ---- places --------------------------------------------------------------------------------------------- */

/* Of a log volume that is not sealed the catalog has no record; a bulk volume has one from its first content on. */
static bool
is_committed(struct fsck *f, const struct stated_entry *entry)
{
    struct key key;
    struct volume_record volume = {.bulk = false};
    struct wanted_volume wanted = {.number = entry->place.volume};
    uint64_t end;
    key_of(&key, FAMILY_VOLUME, entry->place.volume);
    if (entry->place.volume == f->position.volume) {
        volume.bulk = false;
    } else if (!fsck_get(f, &key, &f->other)) {
        store_volumes(f->model->store, find_volume, &wanted);
        volume.bulk = wanted.facts.bulk;
    } else if (volume_decode(buffer_text(&f->other), &volume, NULL) != ERROR_NONE) {
        return true; /* told of with the volume */
    }
    if (__builtin_add_overflow(entry->place.offset, entry->any_size ? 0 : entry->size_bytes, &end))
        return false;
    if (volume.bulk)
        return end <= volume.committed_bytes;
    return entry->place.volume < f->position.volume ||
           (entry->place.volume == f->position.volume && end <= f->position.offset);
}

static bool
is_stated_entry(const struct fsck *f, const struct stated_entry *entry, struct text path, uint64_t size_bytes)
{
    struct object_path found;
    if (!entry->any_size && size_bytes != entry->size_bytes)
        return false;
    if (entry->object == 0)
        return text_equal(path, text_from(entry->path));
    if (!object_path_parse(f->model->identity.uuid, path, &found) || found.id != entry->object)
        return false;
    if (entry->inventory != 0)
        return found.version == entry->inventory && text_ends_with(path, TEXT("/inventory.json"));
    return found.version != 0 && memmem(path.data, path.length, "/content/", 9) != NULL;
}

/* A purge that runs beside us erases entries before the catalog forgets whose they were. */
static bool
is_being_purged(struct fsck *f, uint64_t id)
{
    struct lookup now = {.catalog = f->model->catalog};
    struct key key, work;
    struct catalog_scan *scan;
    struct text scanned, value;
    bool purge = false;
    key_node(&key, id);
    if (lookup_get(&now, key_text(&key), &f->other, NULL) == ERROR_NOT_FOUND)
        return true;
    key_begin(&work, FAMILY_WORK);
    if (lookup_scan(&now, &work, &scan, NULL) != ERROR_NONE)
        return false;
    while (!purge && catalog_scan_next(scan, &scanned, &value)) {
        struct cursor cursor = cursor_of(value.data, value.length);
        purge = cursor_varint(&cursor) == OPERATION_PURGE;
    }
    (void)!catalog_scan_close(scan, NULL);
    return purge;
}

static void
check_entry(struct fsck *f, uint64_t id, const struct stated_entry *entry)
{
    char path[TAR_PATH_MAX];
    uint64_t size_bytes = 0;
    struct text what = text_from(entry->what);
    if (entry->place.volume == 0) {
        fsck_tell(f, FSCK_PLACE_MISSING, id, what);
        return;
    }
    if (!is_committed(f, entry)) {
        fsck_tell(f, FSCK_PLACE_BEYOND, id, what);
        return;
    }
    enum error_code code =
        store_read_header(f->model->store, entry->place, entry->content, path, &size_bytes, &f->why);
    if (code == ERROR_NONE && is_stated_entry(f, entry, text_from(path), size_bytes))
        return;
    if (code == ERROR_NOT_FOUND)
        fsck_tell(f, FSCK_PLACE_UNKNOWN, id, what);
    else if (code != ERROR_NONE && code != ERROR_CORRUPT && code != ERROR_GONE)
        f->status = code;
    else if (!is_being_purged(f, id))
        fsck_tell(f, code == ERROR_NONE ? FSCK_PLACE_OF_ANOTHER : FSCK_PLACE_EMPTY, id, what);
}

static void
check_sums(struct fsck *f, uint64_t id, const struct version_record *version)
{
    char path[TAR_PATH_MAX];
    struct stated_entry sums = {.what = "checksums", .place = version->sums, .path = path,
                                .size_bytes = (version->size_bytes + CONTENT_BLOCK_BYTES - 1) / CONTENT_BLOCK_BYTES * 9};
    snprintf(path, sizeof path, "journal/sums/%010llu-%020llu", (unsigned long long)version->content.volume,
             (unsigned long long)version->content.offset);
    if (version->sums.volume != 0)
        check_entry(f, id, &sums);
}

static void
check_places(struct fsck *f, uint64_t id, unsigned number, const struct version_record *version,
             const struct node *node)
{
    struct stated_entry inventory = {.what = "inventory", .place = version->inventory, .object = id,
                                     .size_bytes = version->inventory_bytes, .inventory = number};
    struct stated_entry content = {.what = "content", .place = version->content, .content = true,
                                   .size_bytes = version->size_bytes,
                                   .object = node->aggregate != 0 ? node->aggregate : id};
    if (node->aggregate == 0)
        check_entry(f, id, &inventory);
    if ((version->flags & VERSION_CONTENT) == 0)
        return;
    check_entry(f, id, &content);
    check_sums(f, id, version);
}

/* ---- records -------------------------------------------------------------------------------------------- */

static void
check_VERSION(struct fsck *f, struct text key, struct text value)
{
    uint64_t id = key_read_number(key, 1), number = key_read_number32(key, 9);
    struct version_record version;
    struct node node;
    struct key digest;
    enum error_code code = lookup_node(&f->lookup, id, &f->storage, &node, &f->why);
    if (code == ERROR_NOT_FOUND)
        fsck_tell(f, FSCK_VERSION_WITHOUT_NODE, id, TEXT(""));
    else if (code != ERROR_NONE && code != ERROR_CORRUPT) /* a damaged node is told of by itself */
        f->status = code;
    if (code != ERROR_NONE)
        return;
    if (version_decode(value, &version, NULL) != ERROR_NONE) {
        fsck_tell(f, FSCK_VERSION_DAMAGED, id, TEXT(""));
        return;
    }
    if (number > node.version)
        fsck_tell(f, FSCK_VERSION_BEYOND, id, TEXT(""));
    check_places(f, id, (unsigned)number, &version, &node);
    if ((version.flags & VERSION_CONTENT) == 0 || version.digest.length < 16)
        return;
    key_digest(&digest, version.digest, id);
    if (!fsck_is_there(f, &digest))
        fsck_tell(f, FSCK_DIGEST_MISSING, id, TEXT(""));
}

struct digest_search {
    struct text start;
    bool found;
};

static bool
has_digest(void *context, struct text key, struct text value)
{
    struct digest_search *search = context;
    struct version_record version;
    search->found = version_decode(value, &version, NULL) != ERROR_NONE || text_starts_with(version.digest, search->start);
    return !search->found;
}

static void
check_DIGEST(struct fsck *f, struct text key, struct text value)
{
    uint64_t id = key_read_number(key, key.length - 8);
    struct digest_search search = {text_of(key.data + 1, key.length - 9), false};
    struct key versions;
    key_of(&versions, FAMILY_VERSION, id);
    fsck_each(f, &versions, has_digest, &search);
    if (!search.found)
        fsck_tell(f, FSCK_DIGEST_WRONG, id, TEXT(""));
}

/* A later generation than the catalog's is a compaction that runs beside us. */
static void
check_VOLUME(struct fsck *f, struct text key, struct text value)
{
    struct volume_record volume;
    struct wanted_volume wanted = {.number = key_read_number(key, 1)};
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)wanted.number);
    if (volume_decode(value, &volume, NULL) != ERROR_NONE) {
        fsck_tell(f, FSCK_VOLUME_DAMAGED, 0, text_from(number));
        return;
    }
    store_volumes(f->model->store, find_volume, &wanted);
    if (wanted.facts.number == 0) {
        if (volume.committed_bytes != 0 || volume.sealed_bytes != 0)
            fsck_tell(f, FSCK_VOLUME_MISSING, 0, text_from(number));
        return;
    }
    bool later = volume.generation != 0 && wanted.facts.generation > volume.generation;
    if (wanted.facts.bulk != volume.bulk ||
        (volume.sealed_bytes != 0 && !later &&
         (!wanted.facts.sealed || wanted.facts.generation != volume.generation ||
          wanted.facts.size_bytes != volume.sealed_bytes)))
        fsck_tell(f, FSCK_VOLUME_DIFFERS, 0, text_from(number));
}

bool
fsck_version_record(struct fsck *f, struct text key, struct text value)
{
    switch (key.data[0]) {
    case FAMILY_VERSION:
        check_VERSION(f, key, value);
        return true;
    case FAMILY_DIGEST:
        check_DIGEST(f, key, value);
        return true;
    case FAMILY_VOLUME:
        check_VOLUME(f, key, value);
        return true;
    default:
        return false;
    }
}
