/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making, opening and closing a store: folder, lock, devices, volumes, catalog, replay, threads.
 *
 * Opening: lock -> catalog (its position) -> volumes (recovery, from that position) -> replay of what the
 * catalog lacks -> bulk volumes cut to what is committed -> committer and follower.
 */
#include "auth/token.h"
#include "base/ensure.h"
#include "model/commit/draw.h"
#include "model/commit/hold.h"
#include "model/record/keys.h"
#include "model/persons/principal_cache.h"
#include "model/private.h"
#include "model/upkeep/rebuild.h"
#include "model/read/moment.h"
#include "ocfl/layout.h"
#include "volume/store.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Ids that the first group gives out; the first lease begins after them. */
enum { FIRST_ROOT = ROOT_ID, FIRST_ADMIN = ADMIN_ID, FIRST_RULE = 3, FIRST_TOKEN = 4, FIRST_LEASE = 100 };

/* ---- folders ------------------------------------------------------------------------------------ */

static char *
path_in(const struct model *model, const char *name)
{
    struct buffer path = {0};
    buffer_printf(&path, "%s/%s", model->folder, name);
    ensure(path.status == ERROR_NONE);
    char *copy = text_copy(buffer_text(&path));
    buffer_release(&path);
    return copy;
}

static enum error_code
make_folder_in(const struct model *model, const char *name, struct error *error)
{
    char *path = path_in(model, name);
    enum error_code code = device_files_make_folder(path, error);
    free(path);
    return code;
}

static bool
is_there(const struct model *model, const char *name)
{
    struct stat status;
    char *path = path_in(model, name);
    bool there = stat(path, &status) == 0;
    free(path);
    return there;
}

static bool
is_empty(const char *path)
{
    DIR *folder = opendir(path);
    bool empty = true;
    if (folder == NULL)
        return true;
    for (struct dirent *entry; empty && (entry = readdir(folder)) != NULL;)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                strcmp(entry->d_name, "lost+found") == 0;
    closedir(folder);
    return empty;
}

static enum error_code
open_device(const struct model *model, const char *name, struct device **ret, struct error *error)
{
    char *path = path_in(model, name);
    enum error_code code = device_files_new(path, ret, error);
    free(path);
    return code;
}

/* ---- parts ---------------------------------------------------------------------------------------- */

static struct model *
model_alloc(const struct model_options *options)
{
    struct model *model = calloc(1, sizeof *model);
    ensure(model != NULL);
    model->folder = text_copy(text_from(options->folder == NULL ? "" : options->folder));
    model->options = *options;
    model->options.folder = model->folder;
    model->limits = options->limits;
    model->draws = draws_new();
    model->holds = holds_new(model->limits.lock_wait_ms, model->limits.transaction_idle_ms);
    model->clock = clock_real();
    model->random = random_real();
    return model;
}

static void
model_release(struct model *model)
{
    follower_free(model->follower);
    model->follower = NULL;
    committer_free(model->committer);
    password_cache_free(model->passwords);
    principal_cache_free(model->principals);
    moments_free(model->moments);
    store_close(model->store);
    if (!model->borrowed_parts) {
        catalog_close(model->catalog);
        device_free(model->volumes);
        device_free(model->lost_and_found);
    }
    data_lock_free(model->data_lock);
    holds_free(model->holds);
    draws_free(model->draws);
    free(model->folder);
    free(model);
}

static struct store_options
store_options_of(const struct model *model)
{
    return (struct store_options){
        .volumes = model->volumes,
        .lost_and_found = model->lost_and_found,
        .clock = model->clock,
        .random = model->random,
        .volume_size_bytes = model->options.volume_size_bytes,
        .small_content_bytes = model->options.small_content_bytes,
        .content_memory_bytes = model->options.content_memory_bytes,
        .bulk_open = model->options.bulk_open,
        .accept_clock = model->options.accept_clock,
        .read_only = model->options.read_only,
    };
}

static void
note_fault(void *context, const struct store_fault *fault)
{
    struct model *model = context;
    struct buffer words = {0};
    if (model->options.notice == NULL)
        return;
    buffer_printf(&words, "volume %llu, offset %llu, sequence %llu: %s", (unsigned long long)fault->volume,
                  (unsigned long long)fault->offset, (unsigned long long)fault->sequence, fault->what);
    model->options.notice(model->options.context, "volume fault", buffer_text(&words));
    buffer_release(&words);
}

static void
note(const struct model *model, const char *event, const char *detail)
{
    if (model->options.notice != NULL)
        model->options.notice(model->options.context, event, text_from(detail));
}

void
model_tell_progress(const struct model *model, const char *what, uint64_t done, uint64_t total)
{
    if (model->options.progress != NULL)
        model->options.progress(model->options.context, what, done, total);
}

/* ---- the first group ------------------------------------------------------------------------------ */

static enum error_code
add_root_files(struct group *group, struct error *error)
{
    enum error_code code = ERROR_NONE;
    for (int i = 0; i < OCFL_ROOT_FILE_COUNT && code == ERROR_NONE; i++) {
        char path[256];
        struct place place;
        snprintf(path, sizeof path, "ocfl/%s", ocfl_root_files[i].path);
        code = group_add_entry(group, text_from(path), text_from(ocfl_root_files[i].content), &place, error);
    }
    return code;
}

void
first_lines(struct line ret[FIRST_LINE_COUNT])
{
    static const struct rule_entry root_rule[] = {
        {SUBJECT_AUTHENTICATED, 0, RIGHT_DISCOVER | RIGHT_READ | RIGHT_APPEND | RIGHT_WRITE},
        {SUBJECT_OWNER, 0, RIGHTS_ALL & ~(rights)(RIGHT_ON_BEHALF_OF | RIGHT_DEPOSIT)},
    };
    ret[0] = (struct line){.operation = OPERATION_RULE, .rule = FIRST_RULE, .entries = {root_rule, 2}};
    ret[1] = (struct line){.operation = OPERATION_CREATE, .id = FIRST_ROOT, .kind = RESOURCE_CONTAINER,
                           .owner = FIRST_ADMIN, .rule = FIRST_RULE};
    ret[2] = (struct line){.operation = OPERATION_USER, .user = FIRST_ADMIN, .role = ROLE_ADMINISTRATOR,
                           .login = TEXT("admin")};
}

static enum error_code
add_first_lines(struct group *group, const struct store_identity *identity, const unsigned char token_hash_bytes[32],
                struct error *error)
{
    char uuid[OCFL_UUID_TEXT_LENGTH + 1];
    ocfl_uuid_write(identity->uuid, uuid);
    struct line lines[2 + FIRST_LINE_COUNT + 1] = {
        {.operation = OPERATION_INIT, .store = text_from(uuid), .format = STORE_FORMAT_VERSION},
        {.operation = OPERATION_LEASE, .next = FIRST_LEASE},
    };
    first_lines(lines + 2);
    lines[2 + FIRST_LINE_COUNT] = (struct line){.operation = OPERATION_TOKEN, .value = FIRST_TOKEN, .user = FIRST_ADMIN,
                                                .label = TEXT("first"),
                                                .sha256 = {(const char *)token_hash_bytes, 32}};
    enum error_code code = ERROR_NONE;
    for (size_t i = 0; i < sizeof lines / sizeof *lines && code == ERROR_NONE; i++) {
        struct buffer json = {0};
        unsigned index;
        line_write(&lines[i], &json);
        code = group_add_line(group, buffer_text(&json), &index, error);
        buffer_release(&json);
    }
    return code;
}

static enum error_code
write_first_group(struct model *model, char ret_token[TOKEN_TEXT_BYTES], struct error *error)
{
    struct group *group;
    struct group_info info;
    struct position position;
    struct group_timing timing;
    unsigned char hash[TOKEN_HASH_BYTES];
    char token[TOKEN_CHARACTERS + 1];
    token_make(model->random, token);
    token_hash(text_from(token), hash);
    enum error_code code = group_begin(model->store, false, &group, &info, error);
    if (code != ERROR_NONE)
        return code;
    code = add_root_files(group, error);
    if (code == ERROR_NONE)
        code = add_first_lines(group, store_identity(model->store), hash, error);
    if (code != ERROR_NONE) {
        group_abandon(group);
        return code;
    }
    code = group_commit(group, &position, &timing, error);
    if (code == ERROR_NONE)
        memcpy(ret_token, token, sizeof token);
    return code;
}

static enum error_code
create_store(struct model *model, char ret_token[TOKEN_TEXT_BYTES], struct error *error)
{
    struct store_options options = store_options_of(model);
    struct store_identity identity = {.node = 1, .digest = model->options.sha256 ? DIGEST_SHA256 : DIGEST_SHA512,
                                      .format = STORE_FORMAT_VERSION};
    struct position none = {0};
    struct store_recovery recovery;
    model->random->fill(model->random, identity.uuid, sizeof identity.uuid);
    identity.uuid[6] = (unsigned char)((identity.uuid[6] & 0x0F) | 0x40);
    identity.uuid[8] = (unsigned char)((identity.uuid[8] & 0x3F) | 0x80);
    enum error_code code = store_create(&options, &identity, error);
    if (code == ERROR_NONE)
        code = store_open(&options, &none, note_fault, model, &model->store, &recovery, error);
    if (code == ERROR_NONE)
        code = store_set_bulk_lengths(model->store, NULL, 0, error);
    if (code == ERROR_NONE)
        code = write_first_group(model, ret_token, error);
    return code;
}

static enum error_code
prepare_folder(struct model *model, struct error *error)
{
    if (is_there(model, "volumes"))
        return error_set(error, ERROR_EXISTS, "%s holds a store already", model->folder);
    if (!is_empty(model->folder))
        return error_set(error, ERROR_INVALID, "%s is not empty and holds no store", model->folder);
    enum error_code code = device_files_make_folder(model->folder, error);
    if (code == ERROR_NONE)
        code = data_lock_take(model->folder, &model->data_lock, error);
    /* `volumes` comes last: a folder without it is no store, whatever else stands there. */
    if (code == ERROR_NONE)
        code = make_folder_in(model, "lost+found", error);
    if (code == ERROR_NONE)
        code = make_folder_in(model, "volumes", error);
    if (code == ERROR_NONE)
        code = open_device(model, "volumes", &model->volumes, error);
    if (code == ERROR_NONE)
        code = open_device(model, "lost+found", &model->lost_and_found, error);
    return code;
}

enum error_code
model_create(const struct model_options *options, char ret_token[TOKEN_TEXT_BYTES], struct error *error)
{
    struct model *model = model_alloc(options);
    enum error_code code = prepare_folder(model, error);
    if (code == ERROR_NONE)
        code = create_store(model, ret_token, error);
    model_release(model);
    return code;
}

static void
take_parts(struct model *model, const struct model_parts *parts)
{
    model->borrowed_parts = true;
    model->volumes = parts->volumes;
    model->lost_and_found = parts->lost_and_found;
    model->catalog = parts->catalog;
    model->clock = parts->clock;
    model->random = parts->random;
}

enum error_code
model_create_parts(const struct model_options *options, const struct model_parts *parts,
                   char ret_token[TOKEN_TEXT_BYTES], struct error *error)
{
    struct model *model = model_alloc(options);
    take_parts(model, parts);
    enum error_code code = create_store(model, ret_token, error);
    model_release(model);
    return code;
}

/* ---- opening -------------------------------------------------------------------------------------- */

static enum error_code
open_folder(struct model *model, struct error *error)
{
    struct stat status;
    enum error_code code = ERROR_NONE;
    if (stat(model->folder, &status) != 0)
        return error_set_errno(error, errno, "cannot open the data folder %s", model->folder);
    if (!is_there(model, "volumes"))
        return error_set(error, ERROR_INVALID, "%s is not a data folder: it has no volumes", model->folder);
    if (!model->options.read_only)
        code = data_lock_take(model->folder, &model->data_lock, error);
    if (code == ERROR_NONE)
        code = make_folder_in(model, "lost+found", error);
    if (code == ERROR_NONE)
        code = open_device(model, "volumes", &model->volumes, error);
    if (code == ERROR_NONE)
        code = open_device(model, "lost+found", &model->lost_and_found, error);
    return code;
}

static enum error_code
open_catalog(struct model *model, struct error *error)
{
    char *path = path_in(model, "catalog");
    struct catalog_rocksdb_options options = {.path = path,
                                              .cache_bytes = model->options.catalog_cache_bytes,
                                              .read_only = model->options.read_only};
    enum error_code code = catalog_rocksdb_open(&options, &model->catalog, error);
    free(path);
    return code;
}

#define REPLAY_GROUPS_MAXIMUM 2000u /* beyond, with an empty catalog, sorting is faster than replaying */

static enum error_code
renew_catalog(struct model *model, const char *why, struct error *error)
{
    note(model, "the catalog is made anew from the volumes", why);
    catalog_close(model->catalog);
    model->catalog = NULL;
    enum error_code code = rebuild_catalog(model, error);
    return code != ERROR_NONE ? code : open_catalog(model, error);
}

static enum error_code
open_store(struct model *model, struct error *error)
{
    struct store_options options = store_options_of(model);
    struct store_recovery recovery;
    struct position known;
    char words[128];
    enum error_code code = load_position(model->catalog, &known, error);
    if (code == ERROR_NONE)
        code = store_open(&options, &known, note_fault, model, &model->store, &recovery, error);
    if (code != ERROR_NONE)
        return code;
    model->identity = *store_identity(model->store);
    if (recovery.tail_bytes > 0) {
        snprintf(words, sizeof words, "%llu bytes, copied to lost+found/%s",
                 (unsigned long long)recovery.tail_bytes, recovery.tail_copy);
        note(model, "a torn tail was cut", words);
    }
    if (recovery.position_unknown && model->borrowed_parts)
        return error_set(error, ERROR_CONFLICT, "the catalog reflects a group that the volumes do not hold");
    if (model->borrowed_parts || model->options.read_only)
        return ERROR_NONE;
    if (recovery.position_unknown)
        return renew_catalog(model, "it reflects a group that the volumes do not hold", error);
    if (known.sequence == 0 && store_position(model->store).sequence > REPLAY_GROUPS_MAXIMUM)
        return renew_catalog(model, "there was none", error);
    return ERROR_NONE;
}

static enum error_code
cut_bulk_volumes(struct model *model, struct error *error)
{
    struct lookup lookup = {.catalog = model->catalog};
    struct key family;
    struct catalog_scan *scan;
    struct text key, value;
    struct bulk_length *lengths = NULL;
    size_t count = 0, capacity = 0;
    key_begin(&family, FAMILY_VOLUME);
    enum error_code code = lookup_scan(&lookup, &family, &scan, error);
    if (code != ERROR_NONE)
        return code;
    while (code == ERROR_NONE && catalog_scan_next(scan, &key, &value)) {
        struct volume_record record;
        code = volume_decode(value, &record, error);
        if (code != ERROR_NONE || !record.bulk)
            continue;
        if (count == capacity) {
            capacity = capacity == 0 ? 64 : capacity * 2;
            lengths = realloc(lengths, capacity * sizeof *lengths);
            ensure(lengths != NULL);
        }
        lengths[count++] = (struct bulk_length){key_read_number(key, 1), record.committed_bytes};
    }
    enum error_code closed = catalog_scan_close(scan, code == ERROR_NONE ? error : NULL);
    if (code == ERROR_NONE)
        code = closed;
    if (code == ERROR_NONE && !model->options.read_only)
        code = store_set_bulk_lengths(model->store, lengths, count, error);
    free(lengths);
    return code;
}

static void
note_missing(void *context, uint64_t number, bool bulk)
{
    char words[96];
    snprintf(words, sizeof words, "volume %llu (%s-%010llu) holds content and its file is not there",
             (unsigned long long)number, bulk ? "bulk" : "log", (unsigned long long)number);
    note(context, "a volume is missing", words);
}

static enum error_code
catch_up(struct model *model, struct error *error)
{
    enum error_code code = replay_journal(model, error);
    if (code != ERROR_CONFLICT || model->borrowed_parts || model->options.read_only)
        return code;
    return renew_catalog(model, "what it lacks has been purged meanwhile", error);
}

/* docs/format.md, "Versions of this format": whoever meets an operation that they do not know does not write. The catalog
 * says so (effect.c), however it was made; to a later program it says what the catalog lacks. */
static enum error_code
refuse_later_operations(struct model *model, struct error *error)
{
    struct buffer value = {0};
    enum error_code code = catalog_get(model->catalog, NULL, TEXT(KEY_LATER), &value, error);
    if (code == ERROR_NONE && !model->options.read_only) {
        struct cursor cursor = cursor_of(value.data, value.length);
        uint64_t sequence = cursor_varint(&cursor);
        struct text word = cursor_counted(&cursor);
        code = error_set(error, ERROR_UNSUPPORTED,
                         "group %llu holds \"%.*s\", an operation of a later program: archivolt " ARCHIVOLT_VERSION
                         ", format %u, does not write here. A later one begins with rebuild",
                         (unsigned long long)sequence, TEXT_ARG(word), STORE_FORMAT_VERSION);
    }
    buffer_release(&value);
    return error_forgive(error, code, ERROR_NOT_FOUND);
}

static enum error_code
start(struct model *model, bool threads, struct error *error)
{
    enum error_code code = open_store(model, error);
    if (code == ERROR_NONE)
        code = catch_up(model, error);
    if (code == ERROR_NONE)
        code = refuse_later_operations(model, error);
    if (code == ERROR_NONE)
        code = cut_bulk_volumes(model, error);
    if (code == ERROR_NONE)
        code = missing_volumes(model, note_missing, model, error);
    model->passwords = password_cache_new(model->random);
    model->principals = principal_cache_new(model->random);
    model->moments = moments_new(model->catalog);
    if (code == ERROR_NONE && !model->options.read_only)
        code = committer_new(model, threads, &model->committer, error);
    if (code == ERROR_NONE && !model->options.read_only)
        code = purge_resume(model, error);
    if (code == ERROR_NONE && !model->options.read_only && threads)
        code = follower_new(model, &model->follower, error);
    return code;
}

enum error_code
model_open(const struct model_options *options, struct model **ret_model, struct error *error)
{
    struct model *model = model_alloc(options);
    enum error_code code = open_folder(model, error);
    if (code == ERROR_NONE)
        code = open_catalog(model, error);
    if (code == ERROR_NONE)
        code = start(model, true, error);
    if (code != ERROR_NONE) {
        model_release(model);
        return code;
    }
    *ret_model = model;
    return ERROR_NONE;
}

enum error_code
model_open_parts(const struct model_options *options, const struct model_parts *parts,
                 struct model **ret_model, struct error *error)
{
    struct model *model = model_alloc(options);
    take_parts(model, parts);
    enum error_code code = start(model, false, error);
    if (code != ERROR_NONE) {
        model_release(model);
        return code;
    }
    *ret_model = model;
    return ERROR_NONE;
}

enum error_code
model_rebuild(const struct model_options *options, uint64_t *ret_resources, struct error *error)
{
    struct model *model = model_alloc(options);
    struct position none = {0};
    struct store_recovery recovery;
    struct lookup lookup;
    struct counts counts = {0};
    enum error_code code = open_folder(model, error);
    if (code == ERROR_NONE) {
        struct store_options store_options = store_options_of(model);
        code = store_open(&store_options, &none, note_fault, model, &model->store, &recovery, error);
    }
    if (code == ERROR_NONE) {
        model->identity = *store_identity(model->store);
        code = rebuild_catalog(model, error);
    }
    if (code == ERROR_NONE)
        code = open_catalog(model, error);
    if (code == ERROR_NONE)
        code = refuse_later_operations(model, error);
    if (code == ERROR_NONE) {
        lookup = (struct lookup){.catalog = model->catalog};
        code = lookup_counts(&lookup, ROOT_ID, &counts, error);
    }
    if (code == ERROR_NONE)
        *ret_resources = (uint64_t)counts.resources + 1;
    model_release(model);
    return code;
}

void
model_close(struct model *model)
{
    if (model == NULL)
        return;
    follower_free(model->follower);
    model->follower = NULL;
    if (model->committer != NULL)
        draws_give_back(model);
    committer_free(model->committer);
    model->committer = NULL;
    if (!model->options.read_only && !model->borrowed_parts)
        (void)!catalog_flush(model->catalog, NULL); /* only spares the next start a replay */
    model_release(model);
}

/* ---- names ---------------------------------------------------------------------------------------- */

void
uuid_mint(struct model *model, int64_t time_us, char ret[MODEL_UUID_BYTES])
{
    unsigned char uuid[16];
    uint64_t ms = (uint64_t)time_us / 1000;
    model->random->fill(model->random, uuid, sizeof uuid);
    for (int i = 0; i < 6; i++)
        uuid[i] = (unsigned char)(ms >> (8 * (5 - i)));
    uuid[6] = (unsigned char)((uuid[6] & 0x0F) | 0x70);
    uuid[8] = (unsigned char)((uuid[8] & 0x3F) | 0x80);
    ocfl_uuid_write(uuid, ret);
}

void
model_uuid(struct model *model, char ret[MODEL_UUID_BYTES])
{
    uuid_mint(model, model->clock->now_us(model->clock), ret);
}

/* ---- time ----------------------------------------------------------------------------------------- */

int64_t
model_settled_us(struct model *model)
{
    return model->committer != NULL ? committer_settled_us(model->committer) : model->clock->now_us(model->clock);
}

int64_t
model_created_us(struct model *model)
{
    struct buffer value = {0};
    struct key key;
    int64_t created_us = 0;
    key_init(&key);
    if (catalog_get(model->catalog, NULL, key_text(&key), &value, NULL) == ERROR_NONE) {
        struct cursor cursor = cursor_of(value.data, value.length);
        (void)cursor_counted(&cursor);
        (void)cursor_varint(&cursor);
        created_us = (int64_t)cursor_varint(&cursor);
    }
    buffer_release(&value);
    return created_us;
}

/* ---- what there is to know ------------------------------------------------------------------------ */

static void
health_of_store(struct model *model, struct model_health *health)
{
    struct error why = {0};
    struct device_space space = {0};
    struct position position = store_position(model->store);
    enum store_state state = store_state(model->store, &why);
    health->writable = state == STORE_OPEN;
    if (!health->writable)
        snprintf(health->why, sizeof health->why, "%.200s",
                 state == STORE_READ_ONLY ? "open for reading only" : why.message);
    if (model->volumes->operations->space(model->volumes, &space, NULL) == ERROR_NONE) {
        health->free_bytes = space.free_bytes;
        health->total_bytes = space.total_bytes;
    }
    health->sequence = position.sequence;
    memcpy(health->chain, position.chain, sizeof health->chain);
}

void
model_health(struct model *model, struct model_health *ret_health)
{
    struct lookup lookup = {.catalog = model->catalog};
    struct counts counts = {0};
    *ret_health = (struct model_health){0};
    health_of_store(model, ret_health);
    if (model->committer != NULL)
        committer_health(model->committer, ret_health);
    if (model->follower != NULL)
        follower_health(model->follower, ret_health);
    if (lookup_counts(&lookup, ROOT_ID, &counts, NULL) == ERROR_NONE) {
        ret_health->resources = (uint64_t)counts.resources + 1;
        ret_health->files = (uint64_t)counts.files;
        ret_health->bytes = (uint64_t)counts.bytes;
    }
}

void
model_catalog_properties(struct model *model, struct buffer *ret_json)
{
    model->catalog->operations->properties(model->catalog, ret_json);
}

void
model_identity(struct model *model, struct model_identity *ret_identity)
{
    ocfl_uuid_write(model->identity.uuid, ret_identity->uuid);
    ret_identity->format = model->identity.format;
    ret_identity->digest = digest_name(model->identity.digest, DIGEST_NAMES_OCFL);
}

const struct model_limits *
model_limits(const struct model *model)
{
    return &model->limits;
}
