/* SPDX-License-Identifier: Apache-2.0 */
/* Message digests: see digest.h. EVP_MD objects are fetched once a process (a fetch takes longer
 * than hashing a small file), contexts are kept one a thread and algorithm. */
#include "format/digest.h"

#include "base/ensure.h"

#include <openssl/evp.h>
#include <pthread.h>

struct algorithm {
    size_t size;
    const char *openssl;
    const char *names[DIGEST_VOCABULARY_COUNT];
};

static const struct algorithm algorithms[DIGEST_ALGORITHM_COUNT] = {
#define X(name, bytes, openssl, ocfl, rfc3230, rfc9530)                                            \
    [DIGEST_##name] = {bytes, openssl, {ocfl, rfc3230, rfc9530}},
    DIGEST_ALGORITHMS(X)
#undef X
};

/* Names that are read but never written. */
static const struct {
    enum digest_vocabulary vocabulary;
    const char *name;
    enum digest_algorithm algorithm;
} aliases[] = {
    {DIGEST_NAMES_RFC3230, "sha256", DIGEST_SHA256},
    {DIGEST_NAMES_RFC3230, "sha512", DIGEST_SHA512},
};

static EVP_MD *fetched[DIGEST_ALGORITHM_COUNT];
static pthread_key_t contexts_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
free_contexts(void *argument)
{
    EVP_MD_CTX **contexts = argument;
    for (unsigned i = 0; i < DIGEST_ALGORITHM_COUNT; i++)
        EVP_MD_CTX_free(contexts[i]);
    free(contexts);
}

static void
prepare(void)
{
    for (unsigned i = 0; i < DIGEST_ALGORITHM_COUNT; i++) {
        fetched[i] = EVP_MD_fetch(NULL, algorithms[i].openssl, NULL);
        ensure(fetched[i] != NULL);
        ensure((size_t)EVP_MD_get_size(fetched[i]) == algorithms[i].size);
    }
    ensure(pthread_key_create(&contexts_key, free_contexts) == 0);
}

static void
prepare_once(void)
{
    ensure(pthread_once(&once, prepare) == 0);
}

/* The calling thread's context for the algorithm; lives as long as the thread. */
static EVP_MD_CTX *
context_of_thread(enum digest_algorithm algorithm)
{
    static __thread EVP_MD_CTX **mine;
    if (mine == NULL) {
        prepare_once();
        mine = calloc(DIGEST_ALGORITHM_COUNT, sizeof(EVP_MD_CTX *));
        ensure(mine != NULL);
        ensure(pthread_setspecific(contexts_key, mine) == 0);
    }
    if (mine[algorithm] == NULL)
        mine[algorithm] = EVP_MD_CTX_new();
    ensure(mine[algorithm] != NULL);
    return mine[algorithm];
}

size_t
digest_size(enum digest_algorithm algorithm)
{
    ensure((unsigned)algorithm < DIGEST_ALGORITHM_COUNT);
    return algorithms[algorithm].size;
}

const char *
digest_name(enum digest_algorithm algorithm, enum digest_vocabulary vocabulary)
{
    ensure((unsigned)algorithm < DIGEST_ALGORITHM_COUNT);
    return algorithms[algorithm].names[vocabulary];
}

static bool
same_name(enum digest_vocabulary vocabulary, struct text a, const char *b)
{
    if (b == NULL)
        return false;
    return vocabulary == DIGEST_NAMES_RFC3230 ? text_equal_ignoring_case(a, text_from(b))
                                              : text_equal(a, text_from(b));
}

bool
digest_from_name(enum digest_vocabulary vocabulary, struct text name,
                 enum digest_algorithm *ret_algorithm)
{
    for (unsigned i = 0; i < DIGEST_ALGORITHM_COUNT; i++) {
        if (same_name(vocabulary, name, algorithms[i].names[vocabulary])) {
            *ret_algorithm = (enum digest_algorithm)i;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (aliases[i].vocabulary == vocabulary && same_name(vocabulary, name, aliases[i].name)) {
            *ret_algorithm = aliases[i].algorithm;
            return true;
        }
    }
    return false;
}

void
digest_compute(enum digest_algorithm algorithm, const void *data, size_t length, unsigned char *out)
{
    ensure((unsigned)algorithm < DIGEST_ALGORITHM_COUNT);
    EVP_MD_CTX *context = context_of_thread(algorithm);
    ensure(EVP_DigestInit_ex(context, fetched[algorithm], NULL) == 1);
    ensure(EVP_DigestUpdate(context, data, length) == 1);
    ensure(EVP_DigestFinal_ex(context, out, NULL) == 1);
}

void
digest_stream_init(struct digest_stream *stream, enum digest_algorithm algorithm)
{
    ensure((unsigned)algorithm < DIGEST_ALGORITHM_COUNT);
    prepare_once();
    if (stream->context == NULL)
        stream->context = EVP_MD_CTX_new();
    ensure(stream->context != NULL);
    stream->algorithm = algorithm;
    ensure(EVP_DigestInit_ex(stream->context, fetched[algorithm], NULL) == 1);
}

void
digest_stream_update(struct digest_stream *stream, const void *data, size_t length)
{
    ensure(EVP_DigestUpdate(stream->context, data, length) == 1);
}

void
digest_stream_finish(struct digest_stream *stream, unsigned char *out)
{
    ensure(EVP_DigestFinal_ex(stream->context, out, NULL) == 1);
}

void
digest_stream_release(struct digest_stream *stream)
{
    EVP_MD_CTX_free(stream->context);
    *stream = (struct digest_stream){0};
}
