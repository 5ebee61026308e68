/* SPDX-License-Identifier: Apache-2.0 */
/* An inventory to JSON: plain appends, since no string needs an escape (invariant 3 of inventory.c). */
#include "ocfl/inventory_private.h"

static void
put(struct buffer *buffer, struct text literal)
{
    buffer_append_text(buffer, literal);
}

static void
put_quoted(struct buffer *buffer, struct text text)
{
    char *to = buffer_reserve(buffer, text.length + 2);
    if (to == NULL)
        return;
    to[0] = '"';
    memcpy(to + 1, text.data, text.length);
    to[text.length + 1] = '"';
    buffer->length += text.length + 2;
}

/* `"key":["one"` is left open for more, or closed by the caller. */
static void
put_array_start(struct buffer *buffer, struct text key, struct text first, bool comma)
{
    if (comma)
        put(buffer, TEXT(","));
    put_quoted(buffer, key);
    put(buffer, TEXT(":["));
    put_quoted(buffer, first);
}

static void
write_manifest(const struct ocfl_inventory *inventory, struct buffer *buffer)
{
    put(buffer, TEXT("\"manifest\":{"));
    for (const struct ocfl_content *c = inventory->first_content; c != NULL; c = c->next) {
        put_array_start(buffer, c->digest, c->path, c != inventory->first_content);
        put(buffer, TEXT("]"));
    }
    put(buffer, TEXT("}"));
}

static void
write_state(const struct ocfl_inventory *inventory, struct buffer *buffer)
{
    bool comma = false;
    put(buffer, TEXT("\"state\":{"));
    for (const struct ocfl_content *c = inventory->first_content; c != NULL; c = c->next) {
        if (c->first == NULL)
            continue;
        put_array_start(buffer, c->digest, c->first->text, comma);
        for (const struct ocfl_path *p = c->first->next; p != NULL; p = p->next) {
            put(buffer, TEXT(","));
            put_quoted(buffer, p->text);
        }
        put(buffer, TEXT("]"));
        comma = true;
    }
    put(buffer, TEXT("}"));
}

void
ocfl_inventory__write_head(const struct ocfl_inventory *inventory, struct buffer *buffer)
{
    put(buffer, TEXT("\"v"));
    buffer_append_u64(buffer, inventory->head);
    put(buffer, TEXT("\":{\"created\":"));
    put_quoted(buffer, inventory->created);
    put(buffer, TEXT(","));
    write_state(inventory, buffer);
    put(buffer, TEXT(",\"message\":"));
    put_quoted(buffer, inventory->message);
    put(buffer, TEXT(",\"user\":{\"name\":"));
    put_quoted(buffer, inventory->user_name);
    if (inventory->user_address.length > 0) {
        put(buffer, TEXT(",\"address\":"));
        put_quoted(buffer, inventory->user_address);
    }
    put(buffer, TEXT("}}"));
}

static void
write_versions(const struct ocfl_inventory *inventory, struct buffer *buffer)
{
    put(buffer, TEXT("\"versions\":{"));
    for (const struct ocfl_version_block *b = inventory->first_version; b != NULL; b = b->next) {
        put(buffer, b->json);
        put(buffer, TEXT(","));
    }
    if (inventory->head_json.length > 0)
        put(buffer, inventory->head_json);
    else
        ocfl_inventory__write_head(inventory, buffer);
    put(buffer, TEXT("}"));
}

static void
write_fixity_of(const struct ocfl_fixity *first, enum digest_algorithm algorithm, bool comma,
                struct buffer *buffer)
{
    if (comma)
        put(buffer, TEXT(","));
    put_quoted(buffer, text_from(digest_name(algorithm, DIGEST_NAMES_OCFL)));
    put(buffer, TEXT(":{"));
    for (const struct ocfl_fixity *f = first; f != NULL; f = f->next) {
        put_array_start(buffer, f->digest, f->first->path, f != first);
        for (const struct ocfl_fixity_path *p = f->first->next; p != NULL; p = p->next) {
            put(buffer, TEXT(","));
            put_quoted(buffer, p->path);
        }
        put(buffer, TEXT("]"));
    }
    put(buffer, TEXT("}"));
}

/* Left out when there is none. */
static void
write_fixity(const struct ocfl_inventory *inventory, struct buffer *buffer)
{
    bool any = false;
    for (unsigned i = 0; i < DIGEST_ALGORITHM_COUNT; i++) {
        const struct ocfl_fixity *first = inventory->fixity[i].first;
        if (first == NULL)
            continue;
        if (!any)
            put(buffer, TEXT(",\"fixity\":{"));
        write_fixity_of(first, (enum digest_algorithm)i, any, buffer);
        any = true;
    }
    if (any)
        put(buffer, TEXT("}"));
}

enum error_code
ocfl_inventory_write(struct ocfl_inventory *inventory, struct buffer *buffer, struct error *error)
{
    enum error_code code = arena_status(inventory->arena, error);
    if (code == ERROR_NONE)
        code = ocfl_inventory__check_named(inventory, error);
    if (code != ERROR_NONE)
        return code;
    if (inventory->head == 0)
        return error_set(error, ERROR_INVALID, "an inventory without a version");
    put(buffer, TEXT("{\"id\":"));
    put_quoted(buffer, inventory->id);
    put(buffer, TEXT(",\"type\":\"https://ocfl.io/1.1/spec/#inventory\",\"digestAlgorithm\":"));
    put_quoted(buffer, text_from(digest_name(inventory->algorithm, DIGEST_NAMES_OCFL)));
    put(buffer, TEXT(",\"head\":\"v"));
    buffer_append_u64(buffer, inventory->head);
    put(buffer, TEXT("\","));
    write_manifest(inventory, buffer);
    put(buffer, TEXT(","));
    write_versions(inventory, buffer);
    write_fixity(inventory, buffer);
    put(buffer, TEXT("}"));
    return buffer_status(buffer, error);
}

void
ocfl_append_sidecar(struct buffer *buffer, enum digest_algorithm algorithm,
                    const unsigned char *digest)
{
    buffer_append_hex(buffer, digest, digest_size(algorithm));
    put(buffer, TEXT(" inventory.json\n"));
}
