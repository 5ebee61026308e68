/* SPDX-License-Identifier: Apache-2.0 */
/* Argon2id through libsodium: see password.h. */
#include "auth/password.h"

#include "base/ensure.h"

#include <sodium.h>

_Static_assert(crypto_pwhash_STRBYTES <= PASSWORD_HASH_BYTES, "a hash fits");

/* Of no password that anybody has, with the parameters of password_hash(). */
static const char hash_of_nobody[] =
    "$argon2id$v=19$m=65536,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

enum error_code
password_hash(struct text password, char ret_hash[PASSWORD_HASH_BYTES], struct error *error)
{
    char hash[crypto_pwhash_STRBYTES];
    ensure(sodium_init() >= 0);
    if (password.length == 0)
        return error_set(error, ERROR_INVALID, "a password cannot be empty");
    if (password.length > PASSWORD_BYTES_MAXIMUM)
        return error_set(error, ERROR_LIMIT, "a password has at most %u bytes", PASSWORD_BYTES_MAXIMUM);
    if (crypto_pwhash_str_alg(hash, password.data, password.length, crypto_pwhash_OPSLIMIT_INTERACTIVE,
                              crypto_pwhash_MEMLIMIT_INTERACTIVE, crypto_pwhash_ALG_ARGON2ID13) != 0)
        return error_set(error, ERROR_NO_MEMORY, "out of memory for hashing a password");
    memcpy(ret_hash, hash, sizeof hash);
    return ERROR_NONE;
}

bool
password_verify(struct text password, struct text hash)
{
    char string[crypto_pwhash_STRBYTES] = {0};
    ensure(sodium_init() >= 0);
    if (hash.length >= sizeof string || password.length > PASSWORD_BYTES_MAXIMUM)
        return false;
    if (hash.length > 0)
        memcpy(string, hash.data, hash.length);
    return crypto_pwhash_str_verify(string, password.data == NULL ? "" : password.data, password.length) == 0;
}

bool
password_verify_nobody(struct text password)
{
    (void)password_verify(password, text_from(hash_of_nobody));
    return false;
}
