#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages of tools/packages.txt that are missing.
#   tools/install.sh build         what ./run needs
#   tools/install.sh build test    what ./test needs
#   tools/install.sh --packages NAME…   these packages
# Asks nothing of the network when all is there. Needs root or sudo only when something is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

wanted() {
    for kind in "$@"; do
        awk -v kind="$kind" '$1 == kind { print $2 }' "$here/packages.txt"
    done
}

installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "install: these packages are missing and there is no sudo: ${missing[*]}" >&2
        return 1
    fi
}

command -v dpkg-query >/dev/null || {
    echo "install: this is not Debian; see tools/packages.txt for what to install by hand" >&2
    exit 1
}
if [ "${1:-}" = --packages ]; then
    shift
    packages=$*
else
    packages=$(wanted "$@")
fi
missing=()
for package in $packages; do
    installed "$package" || missing+=("$package")
done
[ ${#missing[@]} = 0 ] && exit 0

echo "install: installing ${missing[*]}" >&2
as_root apt-get update -q >&2
as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" </dev/null >&2
