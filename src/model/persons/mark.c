/* SPDX-License-Identifier: Apache-2.0 */
/* Keyed hashes of secrets: see mark.h. */
#include "model/persons/mark.h"

#include <sodium.h>

void
mark_make(const unsigned char key[MARK_BYTES], const struct text *texts, size_t count,
          unsigned char ret_mark[MARK_BYTES])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, key, MARK_BYTES, MARK_BYTES);
    for (size_t i = 0; i < count; i++) {
        uint64_t length = texts[i].length;
        crypto_generichash_update(&state, (const unsigned char *)&length, sizeof length);
        if (length > 0)
            crypto_generichash_update(&state, (const unsigned char *)texts[i].data, texts[i].length);
    }
    crypto_generichash_final(&state, ret_mark, MARK_BYTES);
}
