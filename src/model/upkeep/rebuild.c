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
#include "model/upkeep/rebuild.h"
#include "volume/store.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define SORTER_MEMORY_BYTES (192u << 20)
#define PROGRESS_GROUPS 256u

struct rebuild {
    struct model *model;
    struct sorter *sorter;
    struct arena arena;
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
sort_effect(void *context, enum fold fold, struct text key, struct text operand, struct error *error)
{
    struct rebuild *r = context;
    buffer_clear(&r->record);
    buffer_append_char(&r->record, (char)fold);
    buffer_append_text(&r->record, operand);
    struct sorter_record record = {key, r->order++, buffer_text(&r->record)};
    enum error_code code = buffer_status(&r->record, error);
    return code != ERROR_NONE ? code : sorter_add(r->sorter, &record, error);
}

static enum error_code
sort_line(struct rebuild *r, const struct journal_group *group, unsigned index, struct error *error)
{
    struct line line;
    bool purged;
    struct line_origin origin = {group->position.sequence, index, group->time_us};
    enum error_code code = line_parse(&r->arena, group->lines[index], &line, &purged, error);
    if (code != ERROR_NONE || purged)
        return code;
    code = line_effects(&line, &origin, sort_effect, r, error);
    if (code == ERROR_NONE && line.operation == OPERATION_PURGED)
        code = line_effects_kept(&line, sort_effect, r, error);
    return code;
}

static enum error_code
sort_group(struct rebuild *r, const struct journal_group *group, struct error *error)
{
    struct group_effects effects = {.position = group->position};
    struct bulk_length *ends = NULL;
    enum error_code code = ERROR_NONE;
    arena_reset(&r->arena);
    for (unsigned i = 0; i < group->line_count && code == ERROR_NONE; i++)
        code = sort_line(r, group, i, error);
    if (code == ERROR_NONE)
        code = bulk_ends_of_group(r->model->store, group, &r->arena, &ends, &effects.bulk_count, error);
    effects.bulk = ends;
    return code != ERROR_NONE ? code : group_effects(&effects, sort_effect, r, error);
}

static void
tell(const struct model *model, const char *what, uint64_t done, uint64_t total)
{
    if (model->options.progress != NULL)
        model->options.progress(model->options.context, what, done, total);
}

static enum error_code
sort_journal(struct rebuild *r, struct error *error)
{
    struct journal_reader *reader;
    struct journal_group group;
    enum error_code status = ERROR_NONE;
    uint64_t last = store_position(r->model->store).sequence, count = 0;
    enum error_code code = journal_reader_open(r->model->store, 1, true, &reader, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && journal_reader_next(reader, &group, &status, error)) {
        if (status != ERROR_NONE) {
            if (r->model->options.notice != NULL)
                r->model->options.notice(r->model->options.context, "damaged group",
                                         text_from(error == NULL ? "" : error->message));
            continue; /* later groups apply */
        }
        code = sort_group(r, &group, error);
        if (++count % PROGRESS_GROUPS == 0)
            tell(r->model, "reading the journal", group.position.sequence, last);
    }
    journal_reader_close(reader);
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
            tell(r->model, "writing tables", done, r->order);
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
    arena_init(&r.arena, 0);
    code = sort_journal(&r, error);
    if (code == ERROR_NONE)
        code = sorter_finish(r.sorter, error);
    if (code == ERROR_NONE)
        code = load_tables(&r, new_folder, error);
    sorter_free(r.sorter);
    arena_release(&r.arena);
    buffer_release(&r.record);
    if (code == ERROR_NONE)
        code = remove_folder(sort_folder, error);
    return code != ERROR_NONE ? code : put_in_place(model, error);
}
