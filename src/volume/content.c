/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Content on its way in. It begins in memory; past small_content_bytes, or when the budget of all
 * contents together is used up, it moves to a bulk volume of its own:
 *
 *     end of the volume: [2,048 zeros][content][padding][512 zeros][sums, 9 bytes a block][padding]
 *
 * The zeros are filled in by group_write(): until then every tar reader sees the end of the
 * archive.
 *
 *     MEMORY --(too large)--> BULK --content_finish()--> finished --group_publish()--> committed
 *
 * Small content is hashed in one go at the end, block by block only when it grows past a block.
 */
#include "volume/store_private.h"

enum { MEMORY_STEP_BYTES = 64 << 10 };
#define CONTENT_MAGIC 0x434f4e54u

struct content {
    unsigned magic;
    struct store *store;
    unsigned wanted; /* bits of algorithms */
    bool finished, committed, streaming;
    struct digest_stream streams[DIGEST_ALGORITHM_COUNT];
    unsigned char digests[DIGEST_ALGORITHM_COUNT][DIGEST_SIZE_MAX];
    struct content_summary summary;
    struct buffer bytes; /* all of it, or in BULK what is not written yet */
    size_t hashed;       /* of `bytes` */
    uint64_t budget;     /* taken from the store's */
    struct block_sums sums;
    struct volume *volume; /* BULK */
    struct content_batch *batch; /* of which it holds a reference, or NULL */
    bool shared;                 /* BULK: `volume` is the batch's */
    uint64_t written;      /* of the content, in the bulk volume */
    struct content_place place;
};

/* ---- the budget ---- */

static bool
take_budget(struct content *content, uint64_t bytes)
{
    struct store *store = content->store;
    uint64_t taken = __atomic_add_fetch(&store->content_memory, bytes, __ATOMIC_RELAXED);
    if (taken > store->options.content_memory_bytes) {
        __atomic_sub_fetch(&store->content_memory, bytes, __ATOMIC_RELAXED);
        return false;
    }
    content->budget += bytes;
    return true;
}

uint64_t
store_content_memory(const struct store *store)
{
    return __atomic_load_n(&store->content_memory, __ATOMIC_RELAXED);
}

static void
give_budget(struct content *content)
{
    __atomic_sub_fetch(&content->store->content_memory, content->budget, __ATOMIC_RELAXED);
    content->budget = 0;
}

/* True when `length` more bytes may be kept in memory. */
static bool
fits_in_memory(struct content *content, size_t length)
{
    uint64_t total = content->bytes.length + (uint64_t)length;
    if (total > content->store->options.small_content_bytes)
        return false;
    if (total <= content->budget)
        return true;
    uint64_t more = total - content->budget;
    if (total > MEMORY_STEP_BYTES)
        more = (more + MEMORY_STEP_BYTES - 1) / MEMORY_STEP_BYTES * MEMORY_STEP_BYTES;
    return take_budget(content, more);
}

/* ---- hashing ---- */

static void
stream(struct content *content, const char *data, size_t length)
{
    for (unsigned i = 0; i < DIGEST_ALGORITHM_COUNT; i++) {
        if ((content->wanted & 1u << i) == 0)
            continue;
        if (!content->streaming)
            digest_stream_init(&content->streams[i], (enum digest_algorithm)i);
        digest_stream_update(&content->streams[i], data, length);
    }
    content->streaming = true;
    block_sums__add(&content->sums, data, length);
}

/* Hashes whole blocks of what is in memory, so that finish has at most one left. */
static void
hash_memory(struct content *content)
{
    while (content->bytes.length - content->hashed > 2 * CONTENT_BLOCK_BYTES) {
        stream(content, content->bytes.data + content->hashed, CONTENT_BLOCK_BYTES);
        content->hashed += CONTENT_BLOCK_BYTES;
    }
}

static void
finish_digests(struct content *content)
{
    if (content->streaming) {
        stream(content, content->bytes.data + content->hashed,
               content->bytes.length - content->hashed);
    } else {
        block_sums__add(&content->sums, content->bytes.data, content->bytes.length);
    }
    content->hashed = content->bytes.length;
    for (unsigned i = 0; i < DIGEST_ALGORITHM_COUNT; i++) {
        if ((content->wanted & 1u << i) == 0)
            continue;
        if (content->streaming)
            digest_stream_finish(&content->streams[i], content->digests[i]);
        else
            digest_compute((enum digest_algorithm)i, content->bytes.data, content->bytes.length,
                           content->digests[i]);
    }
    block_sums__end(&content->sums);
    memcpy(content->summary.digest, content->digests[content->store->identity.digest],
           DIGEST_SIZE_MAX);
}

/* ---- life ---- */

enum error_code
content_begin(struct store *store, unsigned also, struct content **ret_content, struct error *error)
{
    ensure(store->magic == STORE_MAGIC && also >> DIGEST_ALGORITHM_COUNT == 0);
    enum error_code code = store__may_write(store, error);
    if (code != ERROR_NONE)
        return code;
    struct content *content = calloc(1, sizeof *content);
    if (content == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for an upload");
    content->magic = CONTENT_MAGIC;
    content->store = store;
    content->wanted = also | 1u << store->identity.digest;
    *ret_content = content;
    return ERROR_NONE;
}

void
content_share(struct content *content, struct content_batch *batch)
{
    ensure(content->batch == NULL && content->summary.size_bytes == 0);
    batch__hold(batch);
    content->batch = batch;
}

/* ---- bulk ---- */

static enum error_code
write_bulk(struct content *content, const char *data, size_t length, struct error *error)
{
    struct store *store = content->store;
    enum error_code code = store__may_write(store, error);
    if (code == ERROR_NONE)
        code = store__check_space(store, length, false, error);
    if (code == ERROR_NONE)
        code = store__write(content->volume->file, content->place.data + content->written, data,
                            length, error);
    if (code == ERROR_NONE)
        content->written += length;
    return code;
}

static enum error_code
flush(struct content *content, struct error *error)
{
    enum error_code code = write_bulk(content, content->bytes.data, content->bytes.length, error);
    if (code == ERROR_NONE) {
        buffer_clear(&content->bytes);
        content->hashed = 0;
    }
    return code;
}

static enum error_code
move_to_bulk(struct content *content, struct error *error)
{
    static const char reserve[TAR_PREAMBLE_SIZE];
    enum error_code code = ERROR_NONE;
    if (content->batch != NULL)
        code = batch__enter(&content->batch, &content->volume, &content->place.preamble, error);
    content->shared = content->volume != NULL;
    if (code == ERROR_NONE && !content->shared) {
        code = bulk__take(content->store, &content->volume, error);
        if (code == ERROR_NONE)
            content->place.preamble = content->volume->size_bytes;
    }
    if (code != ERROR_NONE)
        return code;
    content->summary.bulk = true;
    content->place.volume = content->volume->number;
    content->place.data = content->place.preamble + TAR_PREAMBLE_SIZE;
    stream(content, content->bytes.data + content->hashed, content->bytes.length - content->hashed);
    content->hashed = content->bytes.length;
    code = store__write(content->volume->file, content->place.preamble, reserve, sizeof reserve,
                        error);
    if (code == ERROR_NONE && content->bytes.length > 0)
        code = flush(content, error);
    buffer_release(&content->bytes); /* a smaller one from here on */
    content->hashed = 0;
    give_budget(content);
    return code;
}

static enum error_code
write_to_bulk(struct content *content, const char *data, size_t length, struct error *error)
{
    struct place place = {content->place.volume, content->place.data};
    stream(content, data, length);
    enum error_code code = block_sums__spool(&content->sums, content->store, place, error);
    if (code != ERROR_NONE)
        return code;
    if (content->bytes.length + length < CONTENT_BLOCK_BYTES) {
        buffer_append(&content->bytes, data, length);
        content->hashed = content->bytes.length;
        return buffer_status(&content->bytes, error);
    }
    if (content->bytes.length > 0)
        code = flush(content, error);
    if (code == ERROR_NONE)
        code = write_bulk(content, data, length, error);
    return code;
}

enum error_code
content_write(struct content *content, const void *data, size_t length, struct error *error)
{
    ensure(content->magic == CONTENT_MAGIC && !content->finished);
    if (length == 0)
        return ERROR_NONE;
    content->summary.size_bytes += length;
    if (content->volume == NULL && fits_in_memory(content, length)) {
        buffer_append(&content->bytes, data, length);
        hash_memory(content);
        return buffer_status(&content->bytes, error);
    }
    if (content->volume == NULL) {
        enum error_code code = move_to_bulk(content, error);
        if (code != ERROR_NONE)
            return code;
    }
    return write_to_bulk(content, data, length, error);
}

/* Padding, room for a header, and the sums as text. */
static enum error_code
write_sums(struct content *content, struct error *error)
{
    static const char zeros[2 * TAR_BLOCK_SIZE];
    struct content_place *place = &content->place;
    struct device_file *file = content->volume->file;
    place->size = content->summary.size_bytes;
    place->sums_header = place->data + tar_padded(place->size);
    place->sums = place->sums_header + TAR_BLOCK_SIZE;
    place->sums_length = block_sums__text_bytes(&content->sums);
    place->end = place->sums + tar_padded(place->sums_length);
    uint64_t end_of_data = place->data + place->size;
    enum error_code code =
        store__check_space(content->store, place->end - end_of_data, false, error);
    if (code == ERROR_NONE)
        code = store__write(file, end_of_data, zeros, (size_t)(place->sums - end_of_data), error);
    if (code == ERROR_NONE)
        code = block_sums__write(&content->sums, file, place->sums, place->sums_sha256, error);
    return code;
}

static enum error_code
finish_bulk(struct content *content, struct error *error)
{
    enum error_code code = content->bytes.length == 0 ? ERROR_NONE : flush(content, error);
    if (code == ERROR_NONE)
        code = write_sums(content, error);
    if (code == ERROR_NONE)
        code = store__sync(content->store, content->volume->file, error);
    if (code == ERROR_NONE && content->shared)
        batch__finish_part(content->batch, content->place.end);
    return code;
}

enum error_code
content_finish(struct content *content, struct error *error)
{
    enum error_code code = ERROR_NONE;
    ensure(content->magic == CONTENT_MAGIC && !content->finished);
    finish_digests(content);
    if (content->volume != NULL)
        code = finish_bulk(content, error);
    if (code == ERROR_NONE)
        code = buffer_status(&content->sums.recent, error);
    if (code != ERROR_NONE)
        return code;
    content->summary.block_sums =
        content->summary.bulk ? TEXT("") : buffer_text(&content->sums.recent);
    content->finished = true;
    return ERROR_NONE;
}

const struct content_summary *
content_summary(const struct content *content)
{
    return &content->summary;
}

bool
content_digest(const struct content *content, enum digest_algorithm algorithm,
               unsigned char *ret_digest)
{
    if (!content->finished || (content->wanted & 1u << algorithm) == 0)
        return false;
    memcpy(ret_digest, content->digests[algorithm], digest_size(algorithm));
    return true;
}

struct text
content_bytes(const struct content *content)
{
    if (content->summary.bulk)
        return (struct text){NULL, 0};
    return text_of(content->bytes.data == NULL ? "" : content->bytes.data, content->bytes.length);
}

enum error_code
content_read(struct content *content, uint64_t offset, void *data, size_t length, struct error *error)
{
    uint64_t size = content->summary.size_bytes;
    ensure(content->magic == CONTENT_MAGIC && content->finished && !content->committed);
    if (offset > size || length > size - offset)
        return error_set(error, ERROR_INVALID, "a range beyond the end of the content");
    if (content->summary.bulk)
        return device_read_exactly(content->volume->file, content->place.data + offset, data, length, error);
    if (length > 0)
        memcpy(data, content->bytes.data + offset, length);
    return ERROR_NONE;
}

void
content_free(struct content *content)
{
    if (content == NULL)
        return;
    ensure(content->magic == CONTENT_MAGIC);
    if (content->volume != NULL && content->shared)
        batch__drop_part(content->batch, content->place.preamble);
    else if (content->volume != NULL)
        bulk__give(content->store, content->volume, 0);
    if (content->batch != NULL)
        batch__release(content->batch);
    give_budget(content);
    for (unsigned i = 0; i < DIGEST_ALGORITHM_COUNT; i++)
        digest_stream_release(&content->streams[i]);
    buffer_release(&content->bytes);
    block_sums__release(&content->sums, content->store);
    content->magic = 0;
    free(content);
}

/* ---- for the group ---- */

bool
content__is_bulk(const struct content *content)
{
    ensure(content->magic == CONTENT_MAGIC && content->finished && !content->committed);
    return content->summary.bulk;
}

const struct content_place *
content__place(const struct content *content)
{
    return &content->place;
}

struct text
content__sums_path(const struct content *content, char out[PATH_TEXT_MAX])
{
    int length = snprintf(out, PATH_TEXT_MAX, "journal/sums/%010llu-%020llu",
                          (unsigned long long)content->place.volume,
                          (unsigned long long)content->place.data);
    return text_of(out, (size_t)length);
}

enum error_code
content__fill_in(struct content *content, struct text path, uint64_t mtime_s, struct error *error)
{
    unsigned char header[TAR_PREAMBLE_SIZE];
    char sums_path[PATH_TEXT_MAX];
    const struct content_place *place = &content->place;
    struct device_file *file = content->volume->file;
    struct tar_entry entry = {path, place->size, mtime_s};
    enum error_code code = content->shared ? batch__fill_holes(content->batch, error) : ERROR_NONE;
    if (code == ERROR_NONE)
        code = tar_write_preamble(&entry, header, error);
    if (code == ERROR_NONE)
        code = store__write(file, place->preamble, header, sizeof header, error);
    if (code != ERROR_NONE)
        return code;
    entry = (struct tar_entry){content__sums_path(content, sums_path), place->sums_length, mtime_s};
    code = tar_write_header(&entry, header, error);
    if (code == ERROR_NONE)
        code = store__write(file, place->sums_header, header, TAR_BLOCK_SIZE, error);
    return code;
}

void
content__committing(struct content *content)
{
    if (content->shared)
        batch__committing(content->batch, content->place.preamble);
}

bool
content__is_void(const struct content *content)
{
    return content->shared && batch__is_void(content->batch, content->place.preamble);
}

void
content__committed(struct content *content)
{
    struct volume *volume = content->volume;
    struct content_batch *batch = content->batch;
    content->committed = true;
    content->volume = NULL;
    if (!content->shared) {
        bulk__give(content->store, volume, content->place.end);
        return;
    }
    content->batch = NULL;
    batch__committed(batch, content->place.preamble);
}
