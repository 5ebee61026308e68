/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compaction: a sealed volume is written again without what is no longer needed, as its next
 * generation, and takes the source's place.
 *
 *     source --copy--> NAME.gN.tar.new --sync, rename, folder sync--> NAME.gN.tar; source removed
 *
 * Places stay valid: the map at the end leads from an offset of the first generation to the present
 * one. Journal entries are kept verbatim, sums are kept with their content, voids are left out.
 */
#include "volume/store_private.h"

struct compaction {
    struct store *store;
    struct volume *volume;
    store_keep_function *keep;
    void *context;
    struct volume_name name; /* of the result, unfinished */
    struct device_file *out;
    uint64_t out_at;
    struct fixed_line *map; /* a line an entry; bounded by the size of a volume */
    size_t map_count, map_capacity;
    struct walk walk;
    uint64_t entry_number; /* in the source, after its head */
    bool content_kept;     /* the last entry that was asked for */
    char *chunk;
    struct volume_trailer trailer; /* of the source */
    struct fixed_table new_index, new_map;
};

/* ---- copying ---- */

static enum error_code
write_out(struct compaction *self, const void *data, size_t length, struct error *error)
{
    enum error_code code = store__write(self->out, self->out_at, data, length, error);
    if (code == ERROR_NONE)
        self->out_at += length;
    return code;
}

static enum error_code
copy_bytes(struct compaction *self, uint64_t from, uint64_t to, struct error *error)
{
    enum error_code code = ERROR_NONE;
    while (code == ERROR_NONE && from < to) {
        size_t part = to - from < COPY_CHUNK_BYTES ? (size_t)(to - from) : COPY_CHUNK_BYTES;
        code = device_read_exactly(self->walk.file, from, self->chunk, part, error);
        if (code == ERROR_NONE)
            code = write_out(self, self->chunk, part, error);
        from += part;
    }
    return code;
}

/* The first-generation offset of the entry under the walk: map lines come in file order. */
static enum error_code
original_offset(struct compaction *self, const struct walk_entry *entry, uint64_t *ret_offset,
                struct error *error)
{
    struct fixed_line line;
    *ret_offset = entry->data;
    if (!self->trailer.map.present)
        return ERROR_NONE;
    if (self->entry_number >= self->trailer.map.lines)
        return error_set(error, ERROR_CORRUPT, "the map does not name the entry at %llu",
                         (unsigned long long)entry->header);
    enum error_code code =
        fixed_table_read(self->walk.file, &self->trailer.map, self->entry_number, &line, error);
    /* A void has a shorter header than the bulk content that it replaced. */
    if (code == ERROR_NONE && (line.b < entry->data || line.b > entry->next))
        code = error_set(error, ERROR_CORRUPT, "the map names another entry than the one at %llu",
                         (unsigned long long)entry->header);
    *ret_offset = line.a;
    return code;
}

static bool
wanted(struct compaction *self, const struct walk_entry *entry, uint64_t offset)
{
    uint64_t sequence;
    struct place place = {self->volume->number, offset};
    if (journal__parse_path(entry->path, &sequence))
        return true;
    if (text_starts_with(entry->path, TEXT("journal/void/")))
        return false;
    if (text_starts_with(entry->path, TEXT("journal/sums/")))
        return self->content_kept;
    self->content_kept = self->keep(self->context, entry->path, place, entry->size);
    return self->content_kept;
}

static void
map_append(struct compaction *self, struct fixed_line line)
{
    if (self->map_count == self->map_capacity) {
        self->map_capacity = self->map_capacity == 0 ? 1024 : self->map_capacity * 2;
        self->map = reallocarray(self->map, self->map_capacity, sizeof *self->map);
        ensure(self->map != NULL);
    }
    self->map[self->map_count++] = line;
}

static enum error_code
copy_entries(struct compaction *self, struct error *error)
{
    enum error_code code = copy_bytes(self, 0, HEAD_BYTES, error);
    while (code == ERROR_NONE && self->walk.at < self->trailer.start) {
        struct walk_entry entry;
        uint64_t offset;
        code = walk_look(&self->walk, &entry, error);
        if (code == ERROR_NOT_FOUND)
            code = error_set(error, ERROR_CORRUPT, "zeros before the end, at %llu",
                             (unsigned long long)self->walk.at);
        if (code == ERROR_NONE)
            code = original_offset(self, &entry, &offset, error);
        if (code != ERROR_NONE)
            break;
        self->entry_number++;
        self->walk.at = entry.next;
        if (!wanted(self, &entry, offset))
            continue;
        map_append(self, (struct fixed_line){offset, self->out_at + (entry.data - entry.header),
                                             entry.size});
        code = copy_bytes(self, entry.header, entry.next, error);
    }
    return code;
}

/* ---- the trailer ---- */

static enum error_code
begin_table(struct compaction *self, const char *kind, uint64_t lines, struct buffer *out,
            struct fixed_table *ret_table, struct error *error)
{
    char path[PATH_TEXT_MAX];
    struct clock *clock = store__clock(self->store);
    struct tar_entry entry = {seal__path(kind, self->volume, path), (lines + 1) * FIXED_LINE_BYTES,
                              (uint64_t)clock->now_us(clock) / 1000000u};
    char *header = buffer_reserve(out, TAR_BLOCK_SIZE);
    if (header == NULL)
        return buffer_status(out, error);
    out->length += TAR_BLOCK_SIZE;
    *ret_table = (struct fixed_table){self->out_at + TAR_BLOCK_SIZE, lines, true};
    return tar_write_header(&entry, header, error);
}

static enum error_code
flush_table(struct compaction *self, struct buffer *out, size_t least, struct error *error)
{
    enum error_code code = buffer_status(out, error);
    if (code != ERROR_NONE || out->length < least)
        return code;
    code = write_out(self, out->data, out->length, error);
    buffer_clear(out);
    return code;
}

static enum error_code
end_table(struct compaction *self, uint64_t header, const struct fixed_table *table,
          struct buffer *out, struct error *error)
{
    uint64_t size = (table->lines + 1) * FIXED_LINE_BYTES;
    fixed_line_append(out, (struct fixed_line){0, header, table->lines});
    buffer_append_zeros(out, (size_t)(tar_padded(size) - size));
    return flush_table(self, out, 0, error);
}

static enum error_code
write_index(struct compaction *self, struct error *error)
{
    struct buffer out AV_CLEANUP(buffer_release) = {0};
    const struct fixed_table *from = &self->trailer.index;
    uint64_t header = self->out_at;
    enum error_code code = begin_table(self, "index", from->lines, &out, &self->new_index, error);
    for (uint64_t i = 0; code == ERROR_NONE && i < from->lines; i++) {
        struct fixed_line line;
        code = fixed_table_read(self->walk.file, from, i, &line, error);
        if (code != ERROR_NONE)
            break;
        fixed_line_append(&out, line);
        code = flush_table(self, &out, COPY_CHUNK_BYTES, error);
    }
    return code != ERROR_NONE ? code : end_table(self, header, &self->new_index, &out, error);
}

static enum error_code
write_map(struct compaction *self, struct error *error)
{
    struct buffer out AV_CLEANUP(buffer_release) = {0};
    uint64_t header = self->out_at;
    enum error_code code = begin_table(self, "map", self->map_count, &out, &self->new_map, error);
    for (size_t i = 0; code == ERROR_NONE && i < self->map_count; i++) {
        fixed_line_append(&out, self->map[i]);
        code = flush_table(self, &out, COPY_CHUNK_BYTES, error);
    }
    return code != ERROR_NONE ? code : end_table(self, header, &self->new_map, &out, error);
}

static enum error_code
write_result(struct compaction *self, struct error *error)
{
    static const char end[END_BYTES];
    enum error_code code = copy_entries(self, error);
    if (code == ERROR_NONE && !self->volume->bulk)
        code = write_index(self, error);
    if (code == ERROR_NONE)
        code = write_map(self, error);
    if (code == ERROR_NONE)
        code = write_out(self, end, sizeof end, error);
    if (code == ERROR_NONE)
        code = store__sync(self->store, self->out, error);
    return code;
}

/* ---- putting it in place ---- */

/* With the volume claimed: nobody reads it. */
static enum error_code
replace(struct compaction *self, struct error *error)
{
    const struct device_operations *operations = self->store->device->operations;
    struct device *device = self->store->device;
    char from[VOLUME_NAME_BYTES], to[VOLUME_NAME_BYTES], source[VOLUME_NAME_BYTES];
    struct volume_name finished = self->name;
    struct volume *volume = self->volume;
    finished.unfinished = false;
    volume__name(&self->name, from);
    volume__name(&finished, to);
    volume__file_name(volume, source);
    enum error_code code = operations->rename(device, from, to, error);
    if (code == ERROR_NONE)
        code = store__sync_names(self->store, error);
    if (code != ERROR_NONE) /* which of the two will be there is unknown: change neither */
        return code;
    device_close_file(volume->file);
    volume->file = NULL;
    volume->writable = false;
    lock_take(&self->store->lock);
    volume->generation = finished.generation;
    volume->size_bytes = self->out_at;
    volume->index = self->new_index;
    volume->map = self->new_map;
    lock_give(&self->store->lock);
    code = operations->remove(device, source, error);
    return code != ERROR_NONE ? code : store__sync_names(self->store, error);
}

static enum error_code
put_in_place(struct compaction *self, struct error *error)
{
    struct volume *claimed = NULL;
    lock_take(&self->store->names);
    enum error_code code = volume__claim(self->store, self->volume->number, &claimed, error);
    if (code == ERROR_NONE) {
        code = replace(self, error);
        volume__end_claim(self->store, claimed);
    }
    lock_give(&self->store->names);
    return code;
}

static enum error_code
copy_volume(struct compaction *self, struct error *error)
{
    char name[VOLUME_NAME_BYTES];
    struct device *device = self->store->device;
    struct volume *used = NULL;
    enum error_code code = volume__use(self->store, self->volume->number, &used, error);
    if (code != ERROR_NONE)
        return code;
    code = seal__read_trailer(used->file, used->bulk, used->generation, &self->trailer, error);
    if (code == ERROR_NONE && !self->trailer.sealed)
        code = error_set(error, ERROR_CORRUPT, "the end of the volume is damaged");
    if (code == ERROR_NONE)
        code = walk_init(&self->walk, used->file, HEAD_BYTES, error);
    volume__name(&self->name, name);
    if (code == ERROR_NONE) {
        enum error_code ignored = device->operations->remove(device, name, NULL); /* a left-over */
        (void)ignored;
        code = device_open_file(device, name, DEVICE_CREATE, &self->out, error);
    }
    if (code == ERROR_NONE)
        code = write_result(self, error);
    walk_release(&self->walk);
    volume__end_use(self->store, used);
    return code;
}

static enum error_code
compact(struct compaction *self, struct compaction_result *result, struct error *error)
{
    char name[VOLUME_NAME_BYTES];
    struct device *device = self->store->device;
    result->bytes_before = self->volume->size_bytes;
    result->generation = self->name.generation;
    enum error_code code = copy_volume(self, error);
    if (code == ERROR_NONE)
        code = store__hash_range(self->out, 0, self->out_at, DIGEST_SHA256, result->sha256, error);
    if (code == ERROR_NONE)
        code = device->operations->protect(self->out, true, error);
    bool made = self->out != NULL;
    device_close_file(self->out);
    if (code == ERROR_NONE)
        code = put_in_place(self, error);
    if (code != ERROR_NONE && made) {
        volume__name(&self->name, name);
        enum error_code ignored = device->operations->remove(device, name, NULL);
        (void)ignored; /* opening removes what is unfinished */
    }
    result->bytes_after = self->out_at;
    return code;
}

static enum error_code
check_volume(struct store *store, uint64_t number, struct volume **ret_volume, struct error *error)
{
    struct volume *volume = volume__find(store, number);
    if (volume == NULL)
        return error_set(error, ERROR_NOT_FOUND, "volume %llu is missing",
                         (unsigned long long)number);
    lock_take(&store->lock);
    bool usable = volume->sealed && volume != store->log && !volume->pinned;
    lock_give(&store->lock);
    if (!usable)
        return error_set(error, ERROR_CONFLICT, "volume %llu is not sealed",
                         (unsigned long long)number);
    *ret_volume = volume;
    return ERROR_NONE;
}

enum error_code
store_compact(struct store *store, uint64_t number, store_keep_function *keep, void *context,
              struct compaction_result *ret_result, struct error *error)
{
    struct compaction self = {.store = store, .keep = keep, .context = context};
    struct compaction_result result = {0};
    enum error_code code = store__may_write(store, error);
    if (code == ERROR_NONE)
        code = check_volume(store, number, &self.volume, error);
    if (code != ERROR_NONE)
        return code;
    lock_take(&store->rewriting);
    self.name = (struct volume_name){number, self.volume->generation + 1, self.volume->bulk, true};
    self.chunk = malloc(COPY_CHUNK_BYTES);
    ensure(self.chunk != NULL);
    code = purge__redo(store, store->device, error); /* it names offsets in the file as it is */
    if (code == ERROR_NONE)
        code = store__check_space(store, self.volume->size_bytes, true, error);
    if (code == ERROR_NONE)
        code = compact(&self, &result, error);
    free(self.chunk);
    free(self.map);
    lock_give(&store->rewriting);
    if (code == ERROR_NONE)
        *ret_result = result;
    else
        error_prefix(error, "compaction of volume %llu", (unsigned long long)number);
    return code;
}
