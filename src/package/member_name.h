/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names inside archives: raw bytes to model names, or a refusal that says which entry and why.
 * Threads: any.
 */
#ifndef ARCHIVOLT_PACKAGE_MEMBER_NAME_H
#define ARCHIVOLT_PACKAGE_MEMBER_NAME_H

#include "base/arena.h"

enum member_charset { MEMBER_CP437 /* zip, APPNOTE D.1 */, MEMBER_LATIN_1 /* tar */ };

struct member_raw {
    struct text name;
    enum member_charset charset; /* of a name that is not UTF-8 */
    bool backslashes;            /* made where '\\' separates segments */
};
struct member_name {
    struct text path;     /* segments of 1 to 255 bytes of UTF-8 between '/'; "" for the archive's own folder */
    struct text original; /* decoded, all of it */
    bool folder;          /* it ends with a separator */
    bool guessed;         /* it was not UTF-8 */
};
/* Into the arena. INVALID: it leaves the archive, is absolute, has a drive letter, a NUL, is empty. LIMIT: a segment is
 * too long. */
enum error_code member_name(struct arena *arena, const struct member_raw *raw, struct member_name *ret_name,
                            struct error *error) AV_MUST_USE;

#endif
