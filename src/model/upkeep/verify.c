/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verification: every stored byte against what the journal says of it. The volumes' part is store_verify(); here a
 * fault gets the names that people know it by (resource, path, version), and a run that was stopped goes on
 * where it was: `verify.state` in the data folder holds the sequence of the last group that was whole.
 */
#include "base/ensure.h"
#include "format/json.h"
#include "io/clock.h"
#include "model/record/keys.h"
#include "model/maintenance.h"
#include "model/record/object_path.h"
#include "model/private.h"
#include "volume/store.h"

#include <errno.h>
#include <unistd.h>

#define STATE_INTERVAL_NS UINT64_C(5000000000)

struct verification {
    struct model *model;
    maintenance_proceed *proceed;
    maintenance_line *line;
    void *context;
    bool remembers;    /* a run of the whole store, whose progress is kept */
    uint64_t saved_ns, last_sequence;
    /* content of the group under way */
    struct arena arena;
    uint64_t parsed_sequence;
    struct line_content *contents;
    size_t content_count;
};

/* ---- where a run stopped --------------------------------------------------------------------------------- */

static void
state_path(const struct verification *v, char path[4096])
{
    snprintf(path, 4096, "%s/verify.state", v->model->folder);
}

static uint64_t
load_state(const struct verification *v)
{
    char path[4096], word[32] = "";
    uint64_t sequence = 0;
    state_path(v, path);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fgets(word, sizeof word, file) != NULL)
        (void)text_to_u64(text_of(word, strcspn(word, "\n")), &sequence);
    fclose(file);
    return sequence;
}

static void
save_state(const struct verification *v, uint64_t sequence)
{
    char path[4096], temporary[4096 + 8];
    state_path(v, path);
    snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *file = fopen(temporary, "we");
    if (file == NULL)
        return; /* the next run starts earlier: no harm */
    fprintf(file, "%llu\n", (unsigned long long)sequence);
    if (fclose(file) == 0 && rename(temporary, path) != 0)
        unlink(temporary);
}

static void
forget_state(const struct verification *v)
{
    char path[4096];
    state_path(v, path);
    unlink(path);
}

/* ---- callbacks of the store ------------------------------------------------------------------------------ */

static bool
go_on(void *context, uint64_t done_bytes, uint64_t total_bytes, uint64_t sequence)
{
    struct verification *v = context;
    uint64_t now = clock_monotonic_ns();
    v->last_sequence = sequence;
    if (v->remembers && now - v->saved_ns >= STATE_INTERVAL_NS) {
        save_state(v, sequence);
        v->saved_ns = now;
    }
    return v->proceed(v->context, "verify", done_bytes, total_bytes);
}

static void
parse_contents(struct verification *v, const struct journal_group *group)
{
    arena_reset(&v->arena);
    v->parsed_sequence = group->position.sequence;
    v->content_count = 0;
    v->contents = arena_alloc(&v->arena, (group->line_count + 1) * sizeof *v->contents);
    for (unsigned i = 0; v->contents != NULL && i < group->line_count; i++) {
        struct line line;
        bool purged;
        if (line_parse(&v->arena, arena_copy(&v->arena, group->lines[i]), &line, &purged, NULL) == ERROR_NONE &&
            !purged && line.content.place.volume != 0)
            v->contents[v->content_count++] = line.content;
    }
}

static bool
digest_of(void *context, const struct journal_group *group, const struct journal_tar_entry *entry,
          unsigned char *ret_digest)
{
    struct verification *v = context;
    if (v->parsed_sequence != group->position.sequence)
        parse_contents(v, group);
    for (size_t i = 0; i < v->content_count; i++) {
        const struct line_content *content = &v->contents[i];
        if (content->place.volume == entry->place.volume && content->place.offset == entry->place.offset) {
            memcpy(ret_digest, content->digest.data, content->digest.length);
            return true;
        }
    }
    return false;
}

/* ---- telling ---------------------------------------------------------------------------------------------- */

static void
put_member_text(struct json_writer *w, const char *key, struct text value)
{
    json_key(w, key);
    json_put_text(w, text_is_utf8(value) ? value : TEXT("(not UTF-8)"));
}

static void
put_member_number(struct json_writer *w, const char *key, uint64_t value)
{
    json_key(w, key);
    json_put_u64(w, value);
}

/* The file whose content lies at a place: of an aggregate it may be any member. */
static void
put_resource(struct verification *v, struct json_writer *w, const struct object_path *object)
{
    struct lookup lookup = {.catalog = v->model->catalog};
    struct walk walk;
    struct buffer path = {0};
    put_member_number(w, "id", object->id);
    if (object->version != 0)
        put_member_number(w, "version", object->version);
    if (lookup_ancestry(&lookup, object->id, &walk, NULL) == ERROR_NONE &&
        lookup_path_of(&lookup, &walk, &path, NULL) == ERROR_NONE)
        put_member_text(w, "path", buffer_text(&path));
    buffer_release(&path);
}

static void
tell_fault(void *context, const struct store_fault *fault)
{
    struct verification *v = context;
    struct buffer json = {0};
    struct object_path object;
    struct json_writer w = json_writer(&json);
    json_begin_object(&w);
    json_key(&w, "fault");
    json_put_string(&w, error_word(fault->code));
    put_member_text(&w, "what", text_from(fault->what));
    put_member_number(&w, "volume", fault->volume);
    put_member_number(&w, "offset", fault->offset);
    put_member_number(&w, "sequence", fault->sequence);
    if (fault->entry.length > 0)
        put_member_text(&w, "entry", fault->entry);
    if (object_path_parse(v->model->identity.uuid, fault->entry, &object))
        put_resource(v, &w, &object);
    json_end_object(&w);
    (void)v->line(v->context, buffer_text(&json));
    buffer_release(&json);
}

struct missing {
    struct verification *v;
    uint64_t count;
};

static void
tell_missing(void *context, uint64_t number, bool bulk)
{
    struct missing *missing = context;
    struct store_fault fault = {.code = ERROR_NOT_FOUND, .volume = number, .what = "the volume's file is not there"};
    (void)bulk;
    missing->count++;
    tell_fault(missing->v, &fault);
}

enum error_code
model_verify(struct model *model, const struct model_verify_options *wanted, maintenance_proceed *proceed,
             maintenance_line *line, void *context, uint64_t *ret_faults, struct error *error)
{
    struct verification v = {.model = model, .proceed = proceed, .line = line, .context = context,
                             .remembers = wanted->since_sequence == 0, .saved_ns = clock_monotonic_ns()};
    struct verify_options options = {.since_sequence = wanted->since_sequence,
                                     .bytes_per_second = wanted->bytes_per_second,
                                     .proceed = go_on,
                                     .content_digest = digest_of,
                                     .context = &v};
    if (v.remembers)
        options.since_sequence = load_state(&v);
    if (options.since_sequence == 0)
        options.since_sequence = 1;
    arena_init(&v.arena, 0);
    *ret_faults = 0;
    struct missing missing = {&v, 0};
    enum error_code code = missing_volumes(model, tell_missing, &missing, error);
    if (code == ERROR_NONE)
        code = store_verify(model->store, &options, tell_fault, &v, ret_faults, error);
    *ret_faults += missing.count;
    arena_release(&v.arena);
    if (v.remembers && code == ERROR_NONE)
        forget_state(&v);
    else if (v.remembers && v.last_sequence > 0)
        save_state(&v, v.last_sequence);
    return code;
}
