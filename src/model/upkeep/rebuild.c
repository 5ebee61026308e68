/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rebuilding the catalog from the volumes alone: every journal line becomes effects, the effects are sorted by
 * key (catalog/sorter.h) and folded, and the result is loaded as sorted tables. No state is looked up on the way.
 *
 * It grows in catalog.new/ beside the old one, with the position key among the rest; a rename puts it in place. Left-overs
 * of a rebuild that was stopped are removed by the next.
 */
#include "base/ensure.h"
#include "catalog/sorter.h"
#include "model/record/keys.h"
#include "model/maintenance.h"
#include "model/private.h"
#include "model/upkeep/journal_walk.h"
#include "model/upkeep/rebuild.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define SORTER_MEMORY_BYTES (192u << 20)
#define SUMS_SLOTS 8192u /* a power of two */

/* Counts of a few hot resources (every deposit adds to all its ancestors), summed before they are sorted: sums commute. */
struct hot_counts {
    uint64_t id; /* 0: free */
    struct counts counts;
};

struct rebuild {
    struct model *model;
    struct hot_counts *hot; /* SUMS_SLOTS, by id */
    struct sorter *sorter;
    struct buffer record; /* fold, operand */
    uint64_t order;
};

/* ---- folders ------------------------------------------------------------------------------------------ */

static void
folder_path(const struct model *model, const char *name, char path[4096])
{
    snprintf(path, 4096, "%s/%s", model->folder, name);
}

/* A folder of files, one level deep, as catalogs and spill folders are. */
static enum error_code
remove_folder(const char *path, struct error *error)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return errno == ENOENT ? ERROR_NONE : error_set_errno(error, errno, "cannot open %s", path);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    return rmdir(path) == 0 ? ERROR_NONE : error_set_errno(error, errno, "cannot remove %s", path);
}

static enum error_code
remove_left_overs(const struct model *model, struct error *error)
{
    static const char *const names[] = {"catalog.new", "catalog.sort", "catalog.old"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        folder_path(model, names[i], path);
        enum error_code code = remove_folder(path, error);
        if (code != ERROR_NONE)
            return code;
    }
    return ERROR_NONE;
}

static enum error_code
put_in_place(const struct model *model, struct error *error)
{
    char now[4096], new[4096], old[4096];
    folder_path(model, "catalog", now);
    folder_path(model, "catalog.new", new);
    folder_path(model, "catalog.old", old);
    if (rename(now, old) != 0 && errno != ENOENT)
        return error_set_errno(error, errno, "cannot put the old catalog aside");
    if (rename(new, now) != 0)
        return error_set_errno(error, errno, "cannot put the new catalog in place");
    return remove_folder(old, error);
}

/* ---- from lines to effects ----------------------------------------------------------------------------- */

static enum error_code
sort_record(struct rebuild *r, enum fold fold, struct text key, struct text operand, struct error *error)
{
    buffer_clear(&r->record);
    buffer_append_char(&r->record, (char)fold);
    buffer_append_text(&r->record, operand);
    struct sorter_record record = {key, r->order++, buffer_text(&r->record)};
    enum error_code code = buffer_status(&r->record, error);
    return code != ERROR_NONE ? code : sorter_add(r->sorter, &record, error);
}

static enum error_code
give_up_slot(struct rebuild *r, struct hot_counts *slot, struct error *error)
{
    struct buffer operand = {0};
    struct key key;
    if (slot->id == 0)
        return ERROR_NONE;
    key_counts(&key, slot->id);
    counts_encode(&slot->counts, &operand);
    enum error_code code = buffer_status(&operand, error);
    if (code == ERROR_NONE)
        code = sort_record(r, FOLD_COUNTS, key_text(&key), buffer_text(&operand), error);
    buffer_release(&operand);
    slot->id = 0;
    return code;
}

static enum error_code
sum_counts(struct rebuild *r, struct text key, struct text operand, struct error *error)
{
    uint64_t id = key_read_number(key, 1);
    struct hot_counts *slot = &r->hot[id & (SUMS_SLOTS - 1)];
    struct counts change;
    enum error_code code = counts_decode(operand, &change, error);
    if (code == ERROR_NONE && slot->id != id) {
        code = give_up_slot(r, slot, error);
        *slot = (struct hot_counts){.id = id};
    }
    if (code != ERROR_NONE)
        return code;
    slot->counts.children += change.children;
    slot->counts.resources += change.resources;
    slot->counts.files += change.files;
    slot->counts.bytes += change.bytes;
    if (change.change > slot->counts.change)
        slot->counts.change = change.change;
    return ERROR_NONE;
}

static enum error_code
sort_effect(void *context, enum fold fold, struct text key, struct text operand, struct error *error)
{
    struct rebuild *r = context;
    if (fold == FOLD_COUNTS)
        return sum_counts(r, key, operand, error);
    return sort_record(r, fold, key, operand, error);
}

/* Its own lines are erased. Lines of others have added to its counts: of what has moved away, and of what was purged before. */
static enum error_code
forget_counts(void *context, uint64_t id, struct error *error)
{
    struct rebuild *r = context;
    struct hot_counts *slot = &r->hot[id & (SUMS_SLOTS - 1)];
    struct key key;
    if (slot->id == id)
        slot->id = 0;
    key_counts(&key, id);
    return sort_record(r, FOLD_DELETE, key_text(&key), TEXT(""), error);
}

static enum error_code
give_up_all_slots(struct rebuild *r, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (size_t i = 0; i < SUMS_SLOTS && code == ERROR_NONE; i++)
        code = give_up_slot(r, &r->hot[i], error);
    return code;
}

/* ---- from effects to tables ------------------------------------------------------------------------------ */

struct folded {
    struct buffer key, value, next;
    bool any, present; /* a key is under way; it has a value */
};

static enum error_code
finish_key(struct folded *f, struct catalog_loader *loader, struct error *error)
{
    if (!f->any || !f->present)
        return ERROR_NONE;
    return catalog_loader_put(loader, buffer_text(&f->key), buffer_text(&f->value), error);
}

static enum error_code
fold_record(struct folded *f, const struct sorter_record *record, struct catalog_loader *loader, struct error *error)
{
    enum error_code code = ERROR_NONE;
    ensure(record->value.length >= 1);
    if (!f->any || !text_equal(buffer_text(&f->key), record->key)) {
        code = finish_key(f, loader, error);
        buffer_clear(&f->key);
        buffer_append_text(&f->key, record->key);
        f->any = true;
        f->present = false;
    }
    struct text before = buffer_text(&f->value);
    struct text operand = text_of(record->value.data + 1, record->value.length - 1);
    if (code == ERROR_NONE)
        code = fold_apply((enum fold)record->value.data[0], f->present ? &before : NULL, operand, &f->next,
                          &f->present, error);
    if (code == ERROR_NONE && f->present) {
        struct buffer swap = f->value;
        f->value = f->next;
        f->next = swap;
    }
    return code;
}

static enum error_code
load_tables(struct rebuild *r, const char *path, struct error *error)
{
    struct folded folded = {.any = false};
    struct sorter_record record;
    struct catalog_loader *loader;
    uint64_t done = 0;
    enum error_code code = catalog_loader_new(path, &loader, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && sorter_next(r->sorter, &record)) {
        code = fold_record(&folded, &record, loader, error);
        if (++done % 100000 == 0)
            model_tell_progress(r->model, "writing tables", done, r->order);
    }
    if (code == ERROR_NONE)
        code = sorter_status(r->sorter, error);
    if (code == ERROR_NONE)
        code = finish_key(&folded, loader, error);
    if (code == ERROR_NONE)
        code = catalog_loader_finish(loader, error);
    catalog_loader_free(loader);
    buffer_release(&folded.key);
    buffer_release(&folded.value);
    buffer_release(&folded.next);
    return code;
}

enum error_code
rebuild_catalog(struct model *model, struct error *error)
{
    struct rebuild r = {.model = model};
    struct journal_effects effects = {.model = model, .next_id = ROOT_ID, .apply = sort_effect,
                                      .forget = forget_counts, .context = &r,
                                      .progress = "reading the journal"};
    char sort_folder[4096], new_folder[4096];
    ensure(model->catalog == NULL && !model->borrowed_parts);
    folder_path(model, "catalog.sort", sort_folder);
    folder_path(model, "catalog.new", new_folder);
    enum error_code code = remove_left_overs(model, error);
    if (code == ERROR_NONE && mkdir(sort_folder, 0777) != 0)
        code = error_set_errno(error, errno, "cannot make %s", sort_folder);
    if (code == ERROR_NONE)
        code = sorter_new(sort_folder, SORTER_MEMORY_BYTES, &r.sorter, error);
    if (code != ERROR_NONE)
        return code;
    r.hot = calloc(SUMS_SLOTS, sizeof *r.hot);
    ensure(r.hot != NULL);
    code = journal_effects_apply(&effects, error);
    if (code == ERROR_NONE)
        code = give_up_all_slots(&r, error);
    if (code == ERROR_NONE)
        code = sorter_finish(r.sorter, error);
    if (code == ERROR_NONE)
        code = load_tables(&r, new_folder, error);
    sorter_free(r.sorter);
    buffer_release(&r.record);
    free(r.hot);
    if (code == ERROR_NONE)
        code = remove_folder(sort_folder, error);
    return code != ERROR_NONE ? code : put_in_place(model, error);
}
