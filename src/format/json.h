/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON (RFC 8259): a canonical writer onto a struct buffer, and a strict reader into an arena.
 *
 * Writer. No white space; keys in the order that the caller writes them; raw UTF-8; escapes only for
 * `"`, `\` and control characters, spelled as in RFC 8785 (\b \t \n \f \r, else \u00xx). The same
 * calls give the same bytes for ever: the journal is hashed. Errors are the buffer's (sticky); text that is not
 * UTF-8 makes its status INVALID.
 *     struct json_writer w = json_writer(&buffer);
 *     json_begin_object(&w); json_member_u64(&w, "size", 5); json_end_object(&w);
 * Begin and end must pair, and each member of an object needs its key: not checked.
 *
 * Reader. One document, nothing after it but white space; UTF-8 checked; duplicate keys, lone
 * surrogates, depth over JSON_DEPTH_MAX refused with ERROR_INVALID and the byte offset. Strings
 * without escapes, numbers and keys are borrowed from the input: input and arena must both outlive
 * the tree. Numbers stay text; getters convert without loss or fail.
 *
 * Threads: one at a time for each writer and arena; a finished tree may be read by many.
 */
#ifndef ARCHIVOLT_FORMAT_JSON_H
#define ARCHIVOLT_FORMAT_JSON_H

#include "base/arena.h"
#include "base/buffer.h"

enum { JSON_DEPTH_MAX = 64 };

struct json_writer {
    struct buffer *buffer;
    bool comma; /* the next key or value is preceded by one */
};

static inline struct json_writer
json_writer(struct buffer *buffer)
{
    return (struct json_writer){buffer, false};
}

void json_begin_object(struct json_writer *writer);
void json_end_object(struct json_writer *writer);
void json_begin_array(struct json_writer *writer);
void json_end_array(struct json_writer *writer);
void json_key(struct json_writer *writer, const char *key); /* escaped where needed */
void json_key_text(struct json_writer *writer, struct text key);
void json_put_text(struct json_writer *writer, struct text value);
void json_put_string(struct json_writer *writer, const char *value);
void json_put_u64(struct json_writer *writer, uint64_t value);
void json_put_i64(struct json_writer *writer, int64_t value);
void json_put_bool(struct json_writer *writer, bool value);
void json_put_null(struct json_writer *writer);
void json_put_hex(struct json_writer *writer, const void *data, size_t length); /* as a string */
/* A key and its value. */
void json_member_text(struct json_writer *writer, const char *key, struct text value);
void json_member_string(struct json_writer *writer, const char *key, const char *value);
void json_member_u64(struct json_writer *writer, const char *key, uint64_t value);
void json_member_i64(struct json_writer *writer, const char *key, int64_t value);
void json_member_bool(struct json_writer *writer, const char *key, bool value);
void json_member_hex(struct json_writer *writer, const char *key, const void *data, size_t length);
/* A complete JSON value made before, as it is. */
void json_put_raw(struct json_writer *writer, struct text json);
/* The quoted string alone, for callers that lay out JSON themselves. */
void json_append_string(struct buffer *buffer, struct text value);

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    uint32_t count;     /* children of an array or object */
    struct text key;    /* decoded; when the parent is an object */
    struct text text;   /* string: decoded; all other kinds: the bytes of the input, whole */
    struct json *first; /* child, in order of the input */
    struct json *next;  /* sibling */
};

/* INVALID (message names the offset), or LIMIT / NO_MEMORY of the arena. */
enum error_code json_parse(struct arena *arena, struct text input, struct json **ret_root,
                           struct error *error) AV_MUST_USE;

/* All accept NULL and values of another kind: the answer is then NULL or false. */
const struct json *json_get(const struct json *object, const char *key);
bool json_text(const struct json *value, struct text *ret_text);
bool json_u64(const struct json *value, uint64_t *ret_value); /* an integer in range, no fraction */
bool json_i64(const struct json *value, int64_t *ret_value);
bool json_bool(const struct json *value, bool *ret_value);
bool json_get_text(const struct json *object, const char *key, struct text *ret_text);
bool json_get_u64(const struct json *object, const char *key, uint64_t *ret_value);
bool json_get_i64(const struct json *object, const char *key, int64_t *ret_value);
bool json_get_bool(const struct json *object, const char *key, bool *ret_value);

#define json_each(child, parent)                                                                   \
    for (const struct json *child = (parent) == NULL ? NULL : (parent)->first; child != NULL;      \
         child = child->next)

#endif
