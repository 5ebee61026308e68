/* SPDX-License-Identifier: Apache-2.0 */
/* Readers, uploads, the committer, purge, compaction and verification, all at once. */
#include "store_fixture.h"

#include <pthread.h>

enum { CONTENTS = 120, SIZE_SMALL = 9000, SIZE_LARGE = 90000 };

struct shared {
    struct fixture f;
    struct content_reference references[CONTENTS];
    struct buffer sums[CONTENTS];
    unsigned written; /* atomic: references below it are there */
    bool stop;        /* atomic */
    unsigned bad;     /* atomic */
};

static bool
is_purged(unsigned i)
{
    return i % 7 == 3;
}

static void *
read_at_random(void *argument)
{
    struct shared *shared = argument;
    char data[SIZE_LARGE];
    unsigned random = 12345;
    while (!__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE)) {
        unsigned written = __atomic_load_n(&shared->written, __ATOMIC_ACQUIRE);
        if (written == 0)
            continue;
        random = random * 1103515245 + 12345;
        unsigned i = (random >> 8) % written;
        const struct content_reference *reference = &shared->references[i];
        enum error_code code =
            store_read_content(shared->f.store, reference, 0, data, reference->size_bytes, NULL);
        bool good = code == ERROR_NONE;
        for (size_t at = 0; good && at < reference->size_bytes; at += 97)
            good = data[at] == (char)(i + at * 7 + at / 251);
        if (!good && !(is_purged(i) && (code == ERROR_CORRUPT || code == ERROR_GONE)))
            __atomic_add_fetch(&shared->bad, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static bool
keep_all(void *context, struct text path, struct place place, uint64_t length)
{
    (void)context, (void)path, (void)place, (void)length;
    return true;
}

struct sealed {
    uint64_t numbers[64];
    unsigned count;
};

static bool
add_sealed(void *context, const struct volume_facts *facts)
{
    struct sealed *sealed = context;
    if (facts->sealed && sealed->count < 64)
        sealed->numbers[sealed->count++] = facts->number;
    return true;
}

static void *
maintain(void *argument)
{
    struct shared *shared = argument;
    struct store *store = shared->f.store;
    unsigned purged = 0;
    while (!__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE)) {
        struct sealed sealed = {{0}, 0};
        struct verify_options options = {0};
        struct compaction_result result;
        struct error error = {0};
        unsigned char digest[32];
        uint64_t faults = 0;
        unsigned written = __atomic_load_n(&shared->written, __ATOMIC_ACQUIRE);
        for (; purged < written; purged++) {
            const struct content_reference *r = &shared->references[purged];
            struct purge_span span = {r->place, r->size_bytes, r->sums.volume != 0};
            struct purge_request request = {&span, 1, NULL, 0};
            if (is_purged(purged) && store_purge(store, &request, &error) != ERROR_NONE)
                __atomic_add_fetch(&shared->bad, 1, __ATOMIC_RELAXED);
        }
        store_volumes(store, add_sealed, &sealed);
        for (unsigned i = 0; i < sealed.count; i++) {
            enum error_code code = store_volume_sha256(store, sealed.numbers[i], 0, digest, &error);
            if (code == ERROR_NONE)
                code = store_compact(store, sealed.numbers[i], keep_all, NULL, &result, &error);
            if (code != ERROR_NONE && code != ERROR_CONFLICT)
                __atomic_add_fetch(&shared->bad, 1, __ATOMIC_RELAXED);
        }
        if (store_verify(store, &options, NULL, NULL, &faults, &error) != ERROR_NONE || faults != 0)
            __atomic_add_fetch(&shared->bad, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void *
give_up_uploads(void *argument)
{
    struct shared *shared = argument;
    static const char data[SIZE_LARGE];
    while (!__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE)) {
        struct content *content = NULL;
        enum error_code code = content_begin(shared->f.store, 0, &content, NULL);
        if (code == ERROR_NONE)
            code = content_write(content, data, sizeof data, NULL);
        if (code != ERROR_NONE)
            __atomic_add_fetch(&shared->bad, 1, __ATOMIC_RELAXED);
        content_free(content);
    }
    return NULL;
}

static void
everything_at_once_stays_right(void **state)
{
    struct shared *shared = calloc(1, sizeof *shared);
    struct error error = {0};
    pthread_t threads[4];
    (void)state;
    make_fixture(&shared->f);
    shared->f.options.volume_size_bytes = 300000;
    shared->f.options.clock = NULL;
    open_store(&shared->f, NULL);
    check(store_set_bulk_lengths(shared->f.store, NULL, 0, &error), &error);
    assert_int_equal(pthread_create(&threads[0], NULL, read_at_random, shared), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, read_at_random, shared), 0);
    assert_int_equal(pthread_create(&threads[2], NULL, maintain, shared), 0);
    assert_int_equal(pthread_create(&threads[3], NULL, give_up_uploads, shared), 0);
    for (unsigned i = 0; i < CONTENTS; i++) {
        deposit(&shared->f, i, i % 4 == 0 ? SIZE_LARGE : SIZE_SMALL, &shared->references[i],
                &shared->sums[i]);
        __atomic_store_n(&shared->written, i + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&shared->stop, true, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(shared->bad, 0);
    assert_int_equal(count_groups(&shared->f, 0), CONTENTS);
    for (unsigned i = 0; i < CONTENTS; i++)
        buffer_release(&shared->sums[i]);
    release(&shared->f);
    free(shared);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything_at_once_stays_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
