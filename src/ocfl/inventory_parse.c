/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An inventory back from the JSON that inventory_write.c makes. Since that form is exact (no white
 * space, no escapes, fixed keys), this reads it as such, and refuses all else as CORRUPT: a
 * general JSON tree of an object with thousands of versions would cost many times its size.
 */
#include "ocfl/inventory_private.h"

#include "ocfl/layout.h"

struct reader {
    const char *at;
    const char *end;
};

static bool
take(struct reader *reader, struct text literal)
{
    if ((size_t)(reader->end - reader->at) < literal.length ||
        memcmp(reader->at, literal.data, literal.length) != 0)
        return false;
    reader->at += literal.length;
    return true;
}

/* A string with its quotes; what is between them goes out. */
static bool
take_quoted(struct reader *reader, struct text *ret_text)
{
    if (!take(reader, TEXT("\"")))
        return false;
    const char *close = memchr(reader->at, '"', (size_t)(reader->end - reader->at));
    if (close == NULL)
        return false;
    *ret_text = text_of(reader->at, (size_t)(close - reader->at));
    reader->at = close + 1;
    return true;
}

/* A key or value that may be neither empty nor one that needs an escape. */
static bool
take_plain(struct reader *reader, struct text *ret_text)
{
    return take_quoted(reader, ret_text) && ret_text->length > 0 &&
           ocfl_inventory__is_plain(*ret_text);
}

static bool
take_number(struct reader *reader, unsigned *ret_number)
{
    unsigned value = 0;
    const char *from = reader->at;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
        value = value * 10 + (unsigned)(*reader->at++ - '0');
        if (value == 0 || value > OCFL_VERSION_MAX)
            return false;
    }
    *ret_number = value;
    return reader->at > from;
}

static bool
is_digest(struct text text, enum digest_algorithm algorithm)
{
    if (text.length != 2 * digest_size(algorithm))
        return false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
    }
    return true;
}

/* `"digest":[` of a block keyed by digests; after the first also the comma before it. */
static bool
take_digest_key(struct reader *reader, enum digest_algorithm algorithm, bool first,
                struct text *ret_digest)
{
    return (first || take(reader, TEXT(","))) && take_quoted(reader, ret_digest) &&
           is_digest(*ret_digest, algorithm) && take(reader, TEXT(":["));
}

/* `"vN/content/…"`, N from 1 to the head. */
static bool
take_content_path(struct reader *reader, unsigned head, struct text *ret_path)
{
    unsigned version;
    if (!take_plain(reader, ret_path))
        return false;
    struct reader path = {ret_path->data, ret_path->data + ret_path->length};
    return take(&path, TEXT("v")) && take_number(&path, &version) && version <= head &&
           take(&path, TEXT("/content/")) && path.at < path.end;
}

static bool
read_manifest(struct reader *reader, struct ocfl_inventory *inventory)
{
    struct text digest, path;
    for (bool first = true; !take(reader, TEXT("}")); first = false) {
        if (!take_digest_key(reader, inventory->algorithm, first, &digest) ||
            !take_content_path(reader, inventory->head, &path) || !take(reader, TEXT("]")))
            return false;
        if (name_map_get(&inventory->contents, digest) != NULL ||
            name_map_get(&inventory->content_paths, path) != NULL)
            return false;
        struct ocfl_content *content = ocfl_inventory__append_content(inventory, digest, path);
        if (content == NULL)
            return false;
        content->old = true;
    }
    return true;
}

static bool
read_state_paths(struct reader *reader, struct ocfl_inventory *inventory,
                 struct ocfl_content *content)
{
    struct text path;
    do {
        if (!take_plain(reader, &path) || name_map_get(&inventory->paths, path) != NULL ||
            inventory->file_count >= OCFL_FILES_MAX ||
            ocfl_inventory__append_path(inventory, content, path) == NULL)
            return false;
    } while (take(reader, TEXT(",")));
    return take(reader, TEXT("]"));
}

static bool
read_state(struct reader *reader, struct ocfl_inventory *inventory)
{
    struct text digest;
    for (bool first = true; !take(reader, TEXT("}")); first = false) {
        if (!take_digest_key(reader, inventory->algorithm, first, &digest))
            return false;
        struct ocfl_content *content = name_map_get(&inventory->contents, digest);
        if (content == NULL || content->first != NULL ||
            !read_state_paths(reader, inventory, content))
            return false;
    }
    return true;
}

/* After `"vN":{`. */
static bool
read_head(struct reader *reader, struct ocfl_inventory *inventory)
{
    if (!take(reader, TEXT("\"created\":")) || !take_plain(reader, &inventory->created) ||
        !take(reader, TEXT(",\"state\":{")) || !read_state(reader, inventory) ||
        !take(reader, TEXT(",\"message\":")) || !take_plain(reader, &inventory->message) ||
        !take(reader, TEXT(",\"user\":{\"name\":")) || !take_plain(reader, &inventory->user_name))
        return false;
    if (take(reader, TEXT(",\"address\":")) && !take_plain(reader, &inventory->user_address))
        return false;
    return take(reader, TEXT("}}"));
}

/* After `{`: to behind the bracket that closes it. Nothing needs to be understood but strings. */
static bool
skip_object(struct reader *reader)
{
    struct text ignored;
    for (unsigned depth = 1; depth > 0;) {
        if (reader->at == reader->end)
            return false;
        char c = *reader->at;
        if (c == '"') {
            if (!take_quoted(reader, &ignored) || !ocfl_inventory__is_plain(ignored))
                return false;
            continue;
        }
        depth += c == '{';
        depth -= c == '}';
        reader->at++;
    }
    return true;
}

static bool
read_versions(struct reader *reader, struct ocfl_inventory *inventory)
{
    for (unsigned expected = 1; expected <= inventory->head; expected++) {
        unsigned number;
        if (expected > 1 && !take(reader, TEXT(",")))
            return false;
        const char *from = reader->at;
        if (!take(reader, TEXT("\"v")) || !take_number(reader, &number) || number != expected ||
            !take(reader, TEXT("\":{")))
            return false;
        bool is_head = number == inventory->head;
        if (!(is_head ? read_head(reader, inventory) : skip_object(reader)))
            return false;
        struct text json = text_of(from, (size_t)(reader->at - from));
        if (is_head)
            inventory->head_json = json;
        else if (!ocfl_inventory__append_version(inventory, json))
            return false;
    }
    return take(reader, TEXT("}"));
}

static bool
read_fixity_paths(struct reader *reader, struct ocfl_inventory *inventory,
                  enum digest_algorithm algorithm, struct text digest)
{
    struct text path;
    do {
        if (!take_content_path(reader, inventory->head, &path) ||
            name_map_get(&inventory->content_paths, path) == NULL ||
            !ocfl_inventory__append_fixity(inventory, algorithm, digest, path))
            return false;
    } while (take(reader, TEXT(",")));
    return take(reader, TEXT("]"));
}

/* After `"fixity":{`. Algorithms stand in the order of their table, each once. */
static bool
read_fixity(struct reader *reader, struct ocfl_inventory *inventory)
{
    struct text name, digest;
    int last = -1;
    for (bool first = true; !take(reader, TEXT("}")); first = false) {
        enum digest_algorithm algorithm;
        if ((!first && !take(reader, TEXT(","))) || !take_quoted(reader, &name) ||
            !digest_from_name(DIGEST_NAMES_OCFL, name, &algorithm) || (int)algorithm <= last ||
            !take(reader, TEXT(":{")))
            return false;
        last = (int)algorithm;
        for (bool first_digest = true; !take(reader, TEXT("}")); first_digest = false) {
            if (!take_digest_key(reader, algorithm, first_digest, &digest) ||
                name_map_get(&inventory->fixity[algorithm].digests, digest) != NULL ||
                !read_fixity_paths(reader, inventory, algorithm, digest))
                return false;
        }
        if (inventory->fixity[algorithm].first == NULL)
            return false;
    }
    return last >= 0;
}

static bool
take_algorithm(struct reader *reader, enum digest_algorithm *ret_algorithm)
{
    struct text name;
    return take_quoted(reader, &name) && digest_from_name(DIGEST_NAMES_OCFL, name, ret_algorithm) &&
           (*ret_algorithm == DIGEST_SHA512 || *ret_algorithm == DIGEST_SHA256);
}

static bool
read_inventory(struct reader *reader, struct ocfl_inventory *inventory)
{
    return take(reader, TEXT("{\"id\":")) && take_plain(reader, &inventory->id) &&
           take(reader,
                TEXT(",\"type\":\"https://ocfl.io/1.1/spec/#inventory\",\"digestAlgorithm\":")) &&
           take_algorithm(reader, &inventory->algorithm) && take(reader, TEXT(",\"head\":\"v")) &&
           take_number(reader, &inventory->head) && take(reader, TEXT("\",\"manifest\":{")) &&
           read_manifest(reader, inventory) && take(reader, TEXT(",\"versions\":{")) &&
           read_versions(reader, inventory) &&
           (!take(reader, TEXT(",\"fixity\":{")) || read_fixity(reader, inventory)) &&
           take(reader, TEXT("}")) && reader->at == reader->end;
}

enum error_code
ocfl_inventory_parse(struct arena *arena, struct text json, struct ocfl_inventory **ret_inventory,
                     struct error *error)
{
    struct text input = json.length == 0 ? TEXT("") : json;
    struct reader reader = {input.data, input.data + input.length};
    struct ocfl_inventory *inventory = ocfl_inventory__allocate(arena, DIGEST_SHA512);
    if (inventory != NULL && read_inventory(&reader, inventory)) {
        *ret_inventory = inventory;
        return ERROR_NONE;
    }
    enum error_code code = arena_status(arena, error);
    if (code != ERROR_NONE)
        return code;
    return error_set(error, ERROR_CORRUPT, "not an inventory as this program writes it, at byte %td",
                     reader.at - input.data);
}
