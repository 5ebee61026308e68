/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks, chance, and the lock of a data folder. */
#include "io/clock.h"
#include "io/data_lock.h"

#include "base/text.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void
a_simulated_clock_steps_and_the_real_one_is_near_time(void **state)
{
    struct clock_simulated clock;
    (void)state;
    clock_simulated_init(&clock, 1000, 7);
    assert_int_equal(clock.clock.now_us(&clock.clock), 1000);
    assert_int_equal(clock.clock.now_us(&clock.clock), 1007);
    int64_t now_s = clock_real()->now_us(clock_real()) / 1000000, time_s = (int64_t)time(NULL);
    assert_true(now_s - time_s <= 1 && time_s - now_s <= 1);
    assert_true(clock_monotonic_ns() <= clock_monotonic_ns());
}

static void
simulated_chance_repeats_by_seed_and_real_chance_does_not(void **state)
{
    struct random_simulated a, b, c;
    unsigned char first[20], second[20], third[20];
    (void)state;
    random_simulated_init(&a, 5);
    random_simulated_init(&b, 5);
    random_simulated_init(&c, 6);
    a.source.fill(&a.source, first, sizeof first);
    b.source.fill(&b.source, second, sizeof second);
    c.source.fill(&c.source, third, sizeof third);
    assert_memory_equal(first, second, sizeof first);
    assert_memory_not_equal(first, third, sizeof first);
    for (int i = 0; i < 1000; i++) { /* over the ends of pools */
        random_real()->fill(random_real(), first, sizeof first);
        random_real()->fill(random_real(), second, sizeof second);
        assert_memory_not_equal(first, second, sizeof first);
    }
}

static void
a_fork_does_not_repeat_the_chance_of_its_parent(void **state)
{
    unsigned char ours[16], theirs[16];
    int ends[2], status;
    (void)state;
    random_real()->fill(random_real(), ours, sizeof ours);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        random_real()->fill(random_real(), theirs, sizeof theirs);
        _exit(write(ends[1], theirs, sizeof theirs) == (ssize_t)sizeof theirs ? 0 : 1);
    }
    random_real()->fill(random_real(), ours, sizeof ours);
    assert_int_equal(read(ends[0], theirs, sizeof theirs), sizeof theirs);
    assert_memory_not_equal(ours, theirs, sizeof ours);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(ends[0]);
    close(ends[1]);
}

/* Takes the lock, tells so, and holds it until killed. */
static _Noreturn void
hold_lock(const char *folder, int end)
{
    struct data_lock *lock;
    bool taken = data_lock_take(folder, &lock, NULL) == ERROR_NONE;
    if (write(end, taken ? "y" : "n", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

static void
read_boot_id(char *boot_id, size_t size)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    assert_non_null(file);
    assert_non_null(fgets(boot_id, (int)size, file));
    boot_id[strcspn(boot_id, "\n")] = '\0';
    fclose(file);
}

static void
a_second_process_is_told_who_holds_the_lock_until_that_one_dies(void **state)
{
    char folder[] = "/tmp/archivolt-lock-XXXXXX", path[64], byte, word[300];
    int ends[2], status;
    struct data_lock *lock = NULL;
    struct error error = {0};
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        hold_lock(folder, ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    assert_int_equal(data_lock_take(folder, &lock, &error), ERROR_BUSY);
    assert_null(lock);
    snprintf(word, sizeof word, "process %ld ", (long)child);
    assert_non_null(strstr(error.message, word));
    assert_int_equal(gethostname(word, sizeof word), 0);
    assert_non_null(strstr(error.message, word));
    read_boot_id(word, sizeof word);
    assert_non_null(strstr(error.message, word));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(data_lock_take(folder, &lock, &error), ERROR_NONE);
    struct data_lock *again = NULL;
    assert_int_equal(data_lock_take(folder, &again, &error), ERROR_BUSY);
    data_lock_free(lock);
    assert_int_equal(data_lock_take(folder, &lock, &error), ERROR_NONE);
    data_lock_free(lock);
    data_lock_free(NULL);
    close(ends[0]);
    close(ends[1]);
    snprintf(path, sizeof path, "%s/lock", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void
a_folder_that_is_not_there_cannot_be_locked(void **state)
{
    struct data_lock *lock = NULL;
    (void)state;
    assert_int_equal(data_lock_take("/tmp/archivolt-no-such-folder", &lock, NULL), ERROR_NOT_FOUND);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_simulated_clock_steps_and_the_real_one_is_near_time),
        cmocka_unit_test(simulated_chance_repeats_by_seed_and_real_chance_does_not),
        cmocka_unit_test(a_fork_does_not_repeat_the_chance_of_its_parent),
        cmocka_unit_test(a_second_process_is_told_who_holds_the_lock_until_that_one_dies),
        cmocka_unit_test(a_folder_that_is_not_there_cannot_be_locked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
