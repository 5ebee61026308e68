/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests in headers: Digest and Want-Digest (RFC 3230, values in hexadecimal as Fedora has them, base64
 * taken too), Content-Digest, Repr-Digest and their Want- twins (RFC 9530, structured fields).
 */
#ifndef ARCHIVOLT_HTTP_DIGEST_FIELD_H
#define ARCHIVOLT_HTTP_DIGEST_FIELD_H

#include "format/digest.h"
#include "http/request.h"

#define EXPECTED_DIGESTS_MAXIMUM 16u

struct expected_digest {
    enum digest_algorithm algorithm;
    unsigned char value[DIGEST_SIZE_MAX];
    enum http_header header; /* that named it */
};
struct expected_digests {
    struct expected_digest items[EXPECTED_DIGESTS_MAXIMUM];
    size_t count;
    unsigned algorithms; /* bits, for upload_begin() */
};

/* All digests that the request names for its body. INVALID: an algorithm not known, a value that is
 * none, or too many. */
enum error_code digests_expected(struct http_request *request, struct expected_digests *ret_digests,
                                 struct error *error) AV_MUST_USE;

/* Which algorithm a Want header prefers among those of `available` (bits); false: none of them.
 * RFC 3230: q-values; RFC 9530: 0 to 10. */
bool digest_wanted(struct text want, enum digest_vocabulary vocabulary, unsigned available,
                   enum digest_algorithm *ret_algorithm);
/* Finds an algorithm's digest in a resource's fixity text, "md5:hex sha256:hex". */
bool digest_in_fixity(struct text fixity, enum digest_algorithm algorithm, unsigned char *ret_digest);
unsigned digests_in_fixity(struct text fixity); /* bits */

/* Adds Digest / Content-Digest / Repr-Digest to the answer. */
void digest_answer(struct http_request *request, enum http_header header, enum digest_algorithm algorithm,
                   const unsigned char *value);

#endif
