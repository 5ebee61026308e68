/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Message digests over OpenSSL: one-shot for small data, streams for what passes by, and the names
 * that each outside vocabulary gives to an algorithm.
 *
 * Life of a stream: digest_stream_init() - digest_stream_update()... - digest_stream_finish() or
 * none - digest_stream_release(). After finish, init again (the context is reused).
 * Threads: digest_compute() from any thread (one reused context a thread and algorithm, freed when
 * the thread ends); a stream belongs to one thread at a time and may change hands.
 * Errors: none; an OpenSSL that cannot do these five, or has no memory, stops the program.
 */
#ifndef ARCHIVOLT_FORMAT_DIGEST_H
#define ARCHIVOLT_FORMAT_DIGEST_H

#include "base/text.h"

/* X(NAME, bytes, OpenSSL, OCFL, RFC 3230, RFC 9530): the name that we write; NULL: has none.
 * Names that are only read (aliases) are in digest.c. The order is stable: it is stored. */
#define DIGEST_ALGORITHMS(X)                                                                       \
    X(MD5, 16, "MD5", "md5", "md5", "md5")                                                         \
    X(SHA1, 20, "SHA1", "sha1", "sha", "sha")                                                      \
    X(SHA256, 32, "SHA256", "sha256", "sha-256", "sha-256")                                        \
    X(SHA512, 64, "SHA512", "sha512", "sha-512", "sha-512")                                        \
    X(SHA512_256, 32, "SHA512-256", "sha512/256", "sha-512/256", NULL)

enum digest_algorithm {
#define X(name, bytes, openssl, ocfl, rfc3230, rfc9530) DIGEST_##name,
    DIGEST_ALGORITHMS(X)
#undef X
        DIGEST_ALGORITHM_COUNT
};

enum { DIGEST_SIZE_MAX = 64, DIGEST_HEX_MAX = 128 };

enum digest_vocabulary {
    DIGEST_NAMES_OCFL,    /* inventories; compared exactly */
    DIGEST_NAMES_RFC3230, /* Digest, Want-Digest; case does not matter; sha256 = sha-256, … */
    DIGEST_NAMES_RFC9530, /* Content-Digest, Repr-Digest; structured field keys: lower case only */
    DIGEST_VOCABULARY_COUNT
};

size_t digest_size(enum digest_algorithm algorithm); /* bytes */
/* Static; NULL where the vocabulary has no name for it. */
const char *digest_name(enum digest_algorithm algorithm, enum digest_vocabulary vocabulary);
bool digest_from_name(enum digest_vocabulary vocabulary, struct text name,
                      enum digest_algorithm *ret_algorithm);

/* Writes digest_size(algorithm) bytes to `out`. */
void digest_compute(enum digest_algorithm algorithm, const void *data, size_t length,
                    unsigned char *out);

struct digest_stream {
    struct evp_md_ctx_st *context; /* NULL before the first init */
    enum digest_algorithm algorithm;
};

/* The stream is {0} or one that was initialised before. */
void digest_stream_init(struct digest_stream *stream, enum digest_algorithm algorithm);
void digest_stream_update(struct digest_stream *stream, const void *data, size_t length);
void digest_stream_finish(struct digest_stream *stream, unsigned char *out);
void digest_stream_release(struct digest_stream *stream); /* safe on {0} */

#endif
