/* SPDX-License-Identifier: Apache-2.0 */
/* Settings from file, environment and command line; the front end's table of errors. */
#include "frontend/fedora/fedora.h"
#include "server/configuration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/archivolt-unit-XXXXXX";
static char path[64];

static void
write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int
make_folder(void **state)
{
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/archivolt.conf", folder);
    return 0;
}

static int
remove_folder(void **state)
{
    unlink(path);
    return rmdir(folder);
}

static void
later_sources_win(void **state)
{
    struct configuration configuration;
    struct error error = {0};
    unlink(path);
    assert_int_equal(configuration_load(folder, NULL, &configuration, &error), ERROR_NONE);
    assert_string_equal(configuration.http, "127.0.0.1:8080");
    assert_int_equal(configuration.limits.name_bytes, 255);
    assert_int_equal(configuration.package_limits.package_files, 10000);
    configuration_release(&configuration);

    write_file("# comment\nhttp_threads = 3\nhttp_workers = 3\nhttp_queue = 3\nvolume_size = 1G\n[http]\nhead_bytes = 8K\n");
    setenv("ARCHIVOLT_HTTP_WORKERS", "4", 1);
    setenv("ARCHIVOLT_HTTP_QUEUE", "4", 1);
    static const char *const settings[] = {"http_queue=5", "depth=7", "package_bytes=2G", NULL};
    assert_int_equal(configuration_load(folder, settings, &configuration, &error), ERROR_NONE);
    assert_int_equal(configuration.http_threads, 3);
    assert_int_equal(configuration.http_workers, 4);
    assert_int_equal(configuration.http_queue, 5);
    assert_int_equal(configuration.http_head_bytes, 8192);
    assert_int_equal(configuration.volume_size, 1u << 30);
    assert_int_equal(configuration.limits.depth, 7);
    assert_int_equal(configuration.package_limits.package_bytes, UINT64_C(2) << 30);
    configuration_release(&configuration);
    unsetenv("ARCHIVOLT_HTTP_WORKERS");
    unsetenv("ARCHIVOLT_HTTP_QUEUE");
}

static void
an_unknown_key_is_an_error_with_its_line(void **state)
{
    struct configuration configuration;
    struct error error = {0};
    write_file("http_threads = 3\n\nhtpp_workers = 3\nother = 1\n");
    assert_int_equal(configuration_load(folder, NULL, &configuration, &error), ERROR_INVALID);
    assert_non_null(strstr(error.message, "line 3"));
    assert_non_null(strstr(error.message, "htpp_workers"));
}

static void
bad_values_are_refused(void **state)
{
    static const char *const bad[] = {"http_threads=x", "http_threads=-1", "http_threads=", "volume_size=99999999999999G",
                                      "accept_clock=maybe", "nonsense", "nothing=1"};
    struct configuration configuration;
    unlink(path);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *const settings[] = {bad[i], NULL};
        assert_int_equal(configuration_load(folder, settings, &configuration, NULL), ERROR_INVALID);
    }
}

static void
a_description_is_a_file_that_says_the_same(void **state)
{
    struct configuration first, second;
    struct buffer one = {0}, two = {0};
    static const char *const settings[] = {"http_queue=77", "base_url=https://example.org", "accept_clock=yes", NULL};
    unlink(path);
    assert_int_equal(configuration_load(folder, settings, &first, NULL), ERROR_NONE);
    configuration_describe(&first, &one);
    write_file(buffer_string(&one));
    assert_int_equal(configuration_load(folder, NULL, &second, NULL), ERROR_NONE);
    configuration_describe(&second, &two);
    assert_string_equal(buffer_string(&one), buffer_string(&two));
    buffer_release(&one);
    buffer_release(&two);
    configuration_release(&first);
    configuration_release(&second);
}

static void
every_error_has_a_status(void **state)
{
    for (int code = ERROR_NONE + 1; code < ERROR_CODE_COUNT; code++)
        assert_in_range(fedora_status((enum error_code)code), 400, 599);
    assert_int_equal(fedora_status(ERROR_PRECONDITION), 412);
    assert_int_equal(fedora_status(ERROR_GONE), 410);
    assert_int_equal(fedora_status(ERROR_FULL), 507);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_sources_win),
        cmocka_unit_test(an_unknown_key_is_an_error_with_its_line),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(a_description_is_a_file_that_says_the_same),
        cmocka_unit_test(every_error_has_a_status),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
