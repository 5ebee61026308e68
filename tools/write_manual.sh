#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes docs/man/ from the program's own table of commands; tools/check_docs.py sees that it is up to date.
set -euo pipefail
cd "$(dirname "$0")/.."
program=build/archivolt
mkdir -p docs/man
rm -f docs/man/archivolt*.1
$program --man >docs/man/archivolt.1
for command in $($program --help | sed -n 's/^  \([a-z][a-z-]*\) *[A-Z].*/\1/p'); do
    $program --man "$command" >"docs/man/archivolt-$command.1"
done
