/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archivolt-bench: the load tester. So far it says what it is; experiments are run by
 * tests/perf until drivers and experiments are here.
 */
#include <stdio.h>
#include <string.h>

static int
usage(FILE *to, int status)
{
    fputs("Usage: archivolt-bench --help | --version\n"
          "The load tester of Archivolt. No experiment is built in yet; see tests/perf.\n", to);
    return status;
}

int
main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("archivolt-bench " ARCHIVOLT_VERSION);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return usage(stdout, 0);
    return usage(stderr, 2);
}
