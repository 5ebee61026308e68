/* SPDX-License-Identifier: Apache-2.0 */
/* Which names and paths there may be. Each error names the rule, or the limit's configuration key. */
#include "model/limits.h"
#include "model/view.h"

/* What moves may have made of trees that were within the limits when they were created. */
#define EXISTING_PATH_BYTES (1u << 20)
#define EXISTING_DEPTH 1024u

enum error_code
name_check(struct text name, const struct model_limits *limits, struct error *error)
{
    if (name.length == 0)
        return error_set(error, ERROR_INVALID, "a name cannot be empty");
    if (name.length > limits->name_bytes)
        return error_set(error, ERROR_LIMIT, "a name of %zu bytes is longer than name_bytes (%llu)", name.length,
                         (unsigned long long)limits->name_bytes);
    if (memchr(name.data, '\0', name.length) != NULL)
        return error_set(error, ERROR_INVALID, "a name cannot contain a NUL byte");
    if (memchr(name.data, '/', name.length) != NULL)
        return error_set(error, ERROR_INVALID, "a name cannot contain a slash");
    if (text_equal(name, TEXT(".")) || text_equal(name, TEXT("..")))
        return error_set(error, ERROR_INVALID, "a name cannot be \"%.*s\"", TEXT_ARG(name));
    if (!text_is_utf8(name))
        return error_set(error, ERROR_INVALID, "a name must be valid UTF-8");
    return ERROR_NONE;
}

static enum error_code
check_path(struct text path, const struct model_limits *limits, struct error *error)
{
    uint64_t depth = 0;
    struct text rest;
    if (path.length == 0 || path.data[0] != '/')
        return error_set(error, ERROR_INVALID, "a path begins with a slash");
    if (path.length == 1)
        return ERROR_NONE;
    if (path.length > limits->path_bytes)
        return error_set(error, ERROR_LIMIT, "a path of %zu bytes is longer than path_bytes (%llu)", path.length,
                         (unsigned long long)limits->path_bytes);
    if (path.data[path.length - 1] == '/')
        return error_set(error, ERROR_INVALID, "a path cannot end with a slash");
    rest = text_of(path.data + 1, path.length - 1);
    while (rest.data != NULL) {
        struct text segment = text_cut(rest, '/', &rest);
        if (segment.length == 0)
            return error_set(error, ERROR_INVALID, "a path cannot have an empty segment");
        enum error_code code = name_check(segment, limits, error);
        if (code != ERROR_NONE)
            return code;
        if (++depth > limits->depth)
            return error_set(error, ERROR_LIMIT, "a path has more segments than depth (%llu)",
                             (unsigned long long)limits->depth);
    }
    return ERROR_NONE;
}

enum error_code
path_check(struct text path, const struct model_limits *limits, struct error *error)
{
    return check_path(path, limits, error);
}

enum error_code
path_check_existing(struct text path, const struct model_limits *limits, struct error *error)
{
    struct model_limits wider = *limits;
    wider.path_bytes = EXISTING_PATH_BYTES;
    wider.depth = EXISTING_DEPTH;
    return check_path(path, &wider, error);
}
