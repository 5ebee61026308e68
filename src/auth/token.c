/* SPDX-License-Identifier: Apache-2.0 */
/* Making and hashing of API tokens: see token.h. */
#include "auth/token.h"

#include "base/ensure.h"
#include "format/digest.h"

#include <sodium.h>

#define TOKEN_RANDOM_BYTES 32u

void
token_make(struct random_source *random, char ret_token[TOKEN_CHARACTERS + 1])
{
    unsigned char bytes[TOKEN_RANDOM_BYTES];
    random->fill(random, bytes, sizeof bytes);
    sodium_bin2base64(ret_token, TOKEN_CHARACTERS + 1, bytes, sizeof bytes,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    ensure(strlen(ret_token) == TOKEN_CHARACTERS);
    sodium_memzero(bytes, sizeof bytes);
}

static bool
is_base64url(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool
token_has_shape(struct text text)
{
    if (text.length != TOKEN_CHARACTERS)
        return false;
    for (size_t i = 0; i < text.length; i++)
        if (!is_base64url(text.data[i]))
            return false;
    return true;
}

void
token_hash(struct text token, unsigned char ret_hash[TOKEN_HASH_BYTES])
{
    digest_compute(DIGEST_SHA256, token.data, token.length, ret_hash);
}
