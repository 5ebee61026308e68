/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OCFL inventory that we write: see inventory.h.
 * Invariants: (1) each content has its own digest and its own path; (2) each logical path belongs to
 * the list of exactly one content; (3) no text here needs a JSON escape.
 */
#include "ocfl/inventory_private.h"

#include "base/ensure.h"
#include "format/date.h"
#include "format/hex.h"
#include "ocfl/layout.h"

bool
ocfl_inventory__is_plain(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c < 0x20 || c == 0x7F || c == '"' || c == '\\')
            return false;
    }
    return text_is_utf8(text);
}

static char
clean_byte(unsigned char c, bool keep_high)
{
    if (c < 0x20 || c == 0x7F)
        return ' ';
    if (c == '"')
        return '\'';
    if (c == '\\')
        return '/';
    return c < 0x80 || keep_high ? (char)c : '?';
}

/* The length of the UTF-8 character that starts here; 1 for a byte that starts none. */
static size_t
character_length(struct text rest, bool *ret_valid)
{
    for (size_t length = 1; length <= 4 && length <= rest.length; length++) {
        if (text_is_utf8(text_of(rest.data, length))) {
            *ret_valid = true;
            return length;
        }
    }
    *ret_valid = false;
    return 1;
}

struct text
ocfl_clean(struct arena *arena, struct text text)
{
    if (ocfl_inventory__is_plain(text))
        return text;
    char *out = arena_string(arena, text);
    if (out == NULL)
        return TEXT("");
    for (size_t i = 0; i < text.length;) {
        bool valid;
        size_t length = character_length(text_of(text.data + i, text.length - i), &valid);
        for (size_t k = 0; k < length; k++, i++)
            out[i] = clean_byte((unsigned char)text.data[i], valid);
    }
    return text_of(out, text.length);
}

struct ocfl_inventory *
ocfl_inventory__allocate(struct arena *arena, enum digest_algorithm algorithm)
{
    struct ocfl_inventory *inventory = arena_alloc(arena, sizeof *inventory);
    if (inventory == NULL)
        return NULL;
    inventory->arena = arena;
    inventory->algorithm = algorithm;
    inventory->next_number = 1;
    inventory->contents.arena = arena;
    inventory->content_paths.arena = arena;
    inventory->paths.arena = arena;
    for (unsigned i = 0; i < DIGEST_ALGORITHM_COUNT; i++)
        inventory->fixity[i].digests.arena = arena;
    return inventory;
}

struct ocfl_inventory *
ocfl_inventory_new(struct arena *arena, struct text id, enum digest_algorithm algorithm)
{
    ensure(algorithm == DIGEST_SHA512 || algorithm == DIGEST_SHA256);
    ensure(id.length > 0 && ocfl_inventory__is_plain(id));
    struct ocfl_inventory *inventory = ocfl_inventory__allocate(arena, algorithm);
    if (inventory != NULL)
        inventory->id = arena_copy(arena, id);
    return inventory;
}

bool
ocfl_inventory__append_version(struct ocfl_inventory *inventory, struct text json)
{
    struct ocfl_version_block *block = arena_alloc(inventory->arena, sizeof *block);
    if (block == NULL)
        return false;
    block->json = json;
    if (inventory->last_version == NULL)
        inventory->first_version = block;
    else
        inventory->last_version->next = block;
    inventory->last_version = block;
    return true;
}

/* Turns the head into a finished block. */
static enum error_code
finish_head(struct ocfl_inventory *inventory, struct error *error)
{
    struct text json = inventory->head_json;
    if (json.length == 0) {
        struct buffer buffer = {0};
        ocfl_inventory__write_head(inventory, &buffer);
        enum error_code code = buffer_status(&buffer, error);
        json = arena_copy(inventory->arena, buffer_text(&buffer));
        buffer_release(&buffer);
        if (code != ERROR_NONE)
            return code;
    }
    for (struct ocfl_content *c = inventory->first_content; c != NULL; c = c->next)
        c->old = c->old || c->first != NULL;
    ocfl_inventory__append_version(inventory, json);
    inventory->head_json = TEXT("");
    return arena_status(inventory->arena, error);
}

enum error_code
ocfl_inventory__check_named(const struct ocfl_inventory *inventory, struct error *error)
{
    for (const struct ocfl_content *c = inventory->first_content; c != NULL; c = c->next) {
        if (!c->old && c->first == NULL)
            return error_set(error, ERROR_INVALID, "no state names the content %.*s",
                             TEXT_ARG(c->path));
    }
    return ERROR_NONE;
}

/* A cleaned copy, or `instead` when it is empty. */
static struct text
clean_copy(struct ocfl_inventory *inventory, struct text text, struct text instead)
{
    struct text clean = ocfl_clean(inventory->arena, text);
    if (clean.length == 0)
        return instead;
    return clean.data == text.data ? arena_copy(inventory->arena, text) : clean;
}

enum error_code
ocfl_inventory_begin_version(struct ocfl_inventory *inventory, const struct ocfl_version_info *info,
                             struct error *error)
{
    char created[DATE_TEXT_SIZE];
    enum error_code code = ocfl_inventory__check_named(inventory, error);
    if (code != ERROR_NONE)
        return code;
    if (inventory->head >= OCFL_VERSION_MAX)
        return error_set(error, ERROR_LIMIT, "an object has at most %d versions", OCFL_VERSION_MAX);
    if (inventory->head > 0 && (code = finish_head(inventory, error)) != ERROR_NONE)
        return code;
    size_t length = date_write(info->created_us, DATE_MICROSECONDS, created);
    inventory->created = arena_copy(inventory->arena, text_of(created, length));
    inventory->message = clean_copy(inventory, info->message, TEXT("-"));
    inventory->user_name = clean_copy(inventory, info->user_name, TEXT("unknown"));
    inventory->user_address = clean_copy(inventory, info->user_address, TEXT(""));
    inventory->head++;
    inventory->next_number = 1;
    return arena_status(inventory->arena, error);
}

unsigned
ocfl_inventory_next_number(struct ocfl_inventory *inventory)
{
    return inventory->next_number++;
}

/* The hex form of a digest, in `hex`. */
static struct text
hex_of(enum digest_algorithm algorithm, const unsigned char *digest, char hex[DIGEST_HEX_MAX])
{
    size_t size = digest_size(algorithm);
    hex_write(digest, size, hex);
    return text_of(hex, 2 * size);
}

static struct ocfl_content *
content_of(const struct ocfl_inventory *inventory, const unsigned char *digest)
{
    char hex[DIGEST_HEX_MAX];
    return name_map_get(&inventory->contents, hex_of(inventory->algorithm, digest, hex));
}

bool
ocfl_inventory_find_content(const struct ocfl_inventory *inventory, const unsigned char *digest,
                            struct text *ret_content_path)
{
    const struct ocfl_content *content = content_of(inventory, digest);
    if (content == NULL)
        return false;
    *ret_content_path = content->path;
    return true;
}

struct ocfl_content *
ocfl_inventory__append_content(struct ocfl_inventory *inventory, struct text digest,
                               struct text path)
{
    struct ocfl_content *content = arena_alloc(inventory->arena, sizeof *content);
    if (content == NULL)
        return NULL;
    content->digest = digest;
    content->path = path;
    if (inventory->last_content == NULL)
        inventory->first_content = content;
    else
        inventory->last_content->next = content;
    inventory->last_content = content;
    name_map_put(&inventory->contents, digest, content);
    name_map_put(&inventory->content_paths, path, content);
    return content;
}

/* "v<head>/content/" and something after it. */
static bool
is_path_of_head(const struct ocfl_inventory *inventory, struct text path)
{
    struct text rest, version = text_cut(path, '/', &rest);
    uint64_t number;
    return version.length > 1 && version.data[0] == 'v' &&
           text_to_u64(text_of(version.data + 1, version.length - 1), &number) &&
           number == inventory->head && text_starts_with(rest, TEXT("content/")) &&
           rest.length > strlen("content/");
}

enum error_code
ocfl_inventory_add_content(struct ocfl_inventory *inventory, const unsigned char *digest,
                           struct text content_path, struct error *error)
{
    char hex[DIGEST_HEX_MAX];
    struct text digest_hex = hex_of(inventory->algorithm, digest, hex);
    ensure(ocfl_inventory__is_plain(content_path)); /* (3) */
    if (!is_path_of_head(inventory, content_path))
        return error_set(error, ERROR_INVALID, "%.*s is no content path of version %u",
                         TEXT_ARG(content_path), inventory->head);
    if (name_map_get(&inventory->contents, digest_hex) != NULL ||
        name_map_get(&inventory->content_paths, content_path) != NULL)
        return error_set(error, ERROR_INVALID, "the object has this content already: %.*s",
                         TEXT_ARG(content_path));
    ocfl_inventory__append_content(inventory, arena_copy(inventory->arena, digest_hex),
                                   arena_copy(inventory->arena, content_path));
    return arena_status(inventory->arena, error);
}

static void
link_path(struct ocfl_path *path, struct ocfl_content *content)
{
    path->content = content;
    path->next = NULL;
    path->previous = content->last;
    if (content->last == NULL)
        content->first = path;
    else
        content->last->next = path;
    content->last = path;
}

static void
unlink_path(struct ocfl_path *path)
{
    struct ocfl_content *content = path->content;
    if (path->previous == NULL)
        content->first = path->next;
    else
        path->previous->next = path->next;
    if (path->next == NULL)
        content->last = path->previous;
    else
        path->next->previous = path->previous;
}

struct ocfl_path *
ocfl_inventory__append_path(struct ocfl_inventory *inventory, struct ocfl_content *content,
                            struct text text)
{
    struct ocfl_path *path = arena_alloc(inventory->arena, sizeof *path);
    if (path == NULL)
        return NULL;
    path->text = text;
    link_path(path, content);
    name_map_put(&inventory->paths, text, path);
    inventory->file_count++;
    return path;
}

/* A head that was parsed and not yet followed by begin_version may not be changed. */
static void
ensure_begun(const struct ocfl_inventory *inventory)
{
    ensure(inventory->head > 0 && inventory->head_json.length == 0);
}

enum error_code
ocfl_inventory_set_state(struct ocfl_inventory *inventory, struct text logical_path,
                         const unsigned char *digest, struct error *error)
{
    ensure_begun(inventory);
    ensure(logical_path.length > 0 && ocfl_inventory__is_plain(logical_path)); /* (3) */
    struct ocfl_content *content = content_of(inventory, digest);
    if (content == NULL)
        return error_set(error, ERROR_INVALID, "no content has the digest given for %.*s",
                         TEXT_ARG(logical_path));
    struct ocfl_path *path = name_map_get(&inventory->paths, logical_path);
    if (path != NULL) {
        if (path->content != content) {
            unlink_path(path);
            link_path(path, content);
        }
        return ERROR_NONE;
    }
    if (inventory->file_count >= OCFL_FILES_MAX)
        return error_set(error, ERROR_LIMIT, "an object has at most %d files", OCFL_FILES_MAX);
    ocfl_inventory__append_path(inventory, content, arena_copy(inventory->arena, logical_path));
    return arena_status(inventory->arena, error);
}

enum error_code
ocfl_inventory_remove_state(struct ocfl_inventory *inventory, struct text logical_path,
                            struct error *error)
{
    ensure_begun(inventory);
    struct ocfl_path *path = name_map_get(&inventory->paths, logical_path);
    if (path == NULL)
        return error_set(error, ERROR_NOT_FOUND, "the object has no %.*s", TEXT_ARG(logical_path));
    unlink_path(path);
    name_map_remove(&inventory->paths, logical_path);
    inventory->file_count--;
    return ERROR_NONE;
}

enum error_code
ocfl_inventory_rename(struct ocfl_inventory *inventory, struct text from, struct text to,
                      struct error *error)
{
    ensure_begun(inventory);
    ensure(to.length > 0 && ocfl_inventory__is_plain(to)); /* (3) */
    struct ocfl_path *path = name_map_get(&inventory->paths, from);
    if (path == NULL)
        return error_set(error, ERROR_NOT_FOUND, "the object has no %.*s", TEXT_ARG(from));
    if (name_map_get(&inventory->paths, to) != NULL)
        return error_set(error, ERROR_EXISTS, "the object has %.*s already", TEXT_ARG(to));
    name_map_remove(&inventory->paths, from);
    path->text = arena_copy(inventory->arena, to);
    name_map_put(&inventory->paths, path->text, path);
    return arena_status(inventory->arena, error);
}

void
ocfl_inventory_clear_state(struct ocfl_inventory *inventory)
{
    ensure_begun(inventory);
    for (struct ocfl_content *c = inventory->first_content; c != NULL; c = c->next)
        c->first = c->last = NULL;
    inventory->paths = (struct name_map){.arena = inventory->arena};
    inventory->file_count = 0;
}

static bool
append_fixity_path(struct ocfl_inventory *inventory, struct ocfl_fixity *entry, struct text path)
{
    for (struct ocfl_fixity_path *p = entry->first; p != NULL; p = p->next) {
        if (text_equal(p->path, path))
            return true;
    }
    struct ocfl_fixity_path *added = arena_alloc(inventory->arena, sizeof *added);
    if (added == NULL)
        return false;
    added->path = path;
    if (entry->last == NULL)
        entry->first = added;
    else
        entry->last->next = added;
    entry->last = added;
    return true;
}

bool
ocfl_inventory__append_fixity(struct ocfl_inventory *inventory, enum digest_algorithm algorithm,
                              struct text digest, struct text path)
{
    struct ocfl_fixity *entry = name_map_get(&inventory->fixity[algorithm].digests, digest);
    if (entry != NULL)
        return append_fixity_path(inventory, entry, path);
    entry = arena_alloc(inventory->arena, sizeof *entry);
    if (entry == NULL)
        return false;
    entry->digest = digest;
    if (inventory->fixity[algorithm].last == NULL)
        inventory->fixity[algorithm].first = entry;
    else
        inventory->fixity[algorithm].last->next = entry;
    inventory->fixity[algorithm].last = entry;
    name_map_put(&inventory->fixity[algorithm].digests, digest, entry);
    return append_fixity_path(inventory, entry, path);
}

enum error_code
ocfl_inventory_add_fixity(struct ocfl_inventory *inventory, enum digest_algorithm algorithm,
                          const unsigned char *digest, struct text content_path,
                          struct error *error)
{
    char hex[DIGEST_HEX_MAX];
    ensure_begun(inventory);
    const struct ocfl_content *content = name_map_get(&inventory->content_paths, content_path);
    if (content == NULL)
        return error_set(error, ERROR_NOT_FOUND, "the object has no content %.*s",
                         TEXT_ARG(content_path));
    struct text digest_hex = arena_copy(inventory->arena, hex_of(algorithm, digest, hex));
    ocfl_inventory__append_fixity(inventory, algorithm, digest_hex, content->path);
    return arena_status(inventory->arena, error);
}

struct text
ocfl_inventory_id(const struct ocfl_inventory *inventory)
{
    return inventory->id;
}

enum digest_algorithm
ocfl_inventory_algorithm(const struct ocfl_inventory *inventory)
{
    return inventory->algorithm;
}

unsigned
ocfl_inventory_head(const struct ocfl_inventory *inventory)
{
    return inventory->head;
}

size_t
ocfl_inventory_file_count(const struct ocfl_inventory *inventory)
{
    return inventory->file_count;
}

static struct ocfl_file
file_of(const struct ocfl_path *path)
{
    return (struct ocfl_file){path->text, path->content->path, path->content->digest};
}

bool
ocfl_inventory_find(const struct ocfl_inventory *inventory, struct text logical_path,
                    struct ocfl_file *ret_file)
{
    const struct ocfl_path *path = name_map_get(&inventory->paths, logical_path);
    if (path == NULL)
        return false;
    *ret_file = file_of(path);
    return true;
}

bool
ocfl_inventory_next(const struct ocfl_inventory *inventory, struct ocfl_walk *walk,
                    struct ocfl_file *ret_file)
{
    if (!walk->started) {
        walk->started = true;
        walk->content = inventory->first_content;
        walk->path = walk->content == NULL ? NULL : walk->content->first;
    } else if (walk->path != NULL) {
        walk->path = walk->path->next;
    }
    while (walk->path == NULL && walk->content != NULL) {
        walk->content = walk->content->next;
        walk->path = walk->content == NULL ? NULL : walk->content->first;
    }
    if (walk->path == NULL)
        return false;
    *ret_file = file_of(walk->path);
    return true;
}
