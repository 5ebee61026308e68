#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds one kind of build into its own folder:
#   tools/build.sh gcc          build/            what ./run serves
#   tools/build.sh asan         build-asan/       AddressSanitizer and UndefinedBehaviorSanitizer
#   tools/build.sh tsan         build-tsan/       ThreadSanitizer
#   tools/build.sh clang        build-clang/      the other compiler
#   tools/build.sh omit_sync    build-omit-sync/  every sync left out: the crash tests must catch it
# A folder that was set up before is kept as it is and brought up to date.
set -euo pipefail
cd "$(dirname "$0")/.."

# Instrumented code makes compilers warn of what cannot be; the gcc and clang builds hold the warnings.
instrumented=(-Db_lundef=false -Djemalloc=disabled -Dwerror=false)
kind=${1:?usage: tools/build.sh KIND}
compiler=gcc
options=(-Dbuildtype=debugoptimized)
case $kind in
gcc) folder=build ;;
asan)
    folder=build-asan
    options+=(-Db_sanitize=address,undefined "${instrumented[@]}")
    ;;
tsan)
    folder=build-tsan
    options+=(-Db_sanitize=thread "${instrumented[@]}")
    ;;
clang)
    folder=build-clang
    compiler=clang
    ;;
omit_sync)
    folder=build-omit-sync
    options+=(-Domit_sync=true -Dfuzz=false)
    ;;
*)
    echo "build: no such kind: $kind" >&2
    exit 2
    ;;
esac

[ -f "$folder/build.ninja" ] || CC=$compiler meson setup "$folder" "${options[@]}"
ninja -C "$folder"
