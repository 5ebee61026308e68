#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs programs that others wrote, each at one version, into a cache folder outside the repository.
# `install.sh` or `install.sh ocfl`: the validators rocfl (Rust), ocfl-py (Python), ocfl-java (Java);
# `install.sh oai`: the harvesters sickle, oaipmh-scythe and oaipmh (Python). Does nothing for what is there.
# Prints the folder. Debian packages (cargo-web: Debian 12's recent Rust; maven; a JDK) are
# installed only when the command that they bring is missing or too old.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/archivolt-tests
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9

debian() {
    "$here/../../tools/install.sh" --packages "$@"
}

recent_cargo() {
    local version
    version=$(cargo --version 2>/dev/null | awk '{ print $2 }') || return 1
    [ "$(printf '%s\n' 1.74.0 "$version" | sort -V | head -n 1)" = 1.74.0 ]
}

install_rocfl() {
    local folder=$cache/rocfl-1.7.0
    [ -x "$folder/bin/rocfl" ] && return
    recent_cargo || debian cargo-web rustc-web
    cargo install --locked --no-default-features rocfl --version 1.7.0 --root "$folder"
}

install_ocfl_py() {
    local folder=$cache/ocfl-py-2.1.0
    [ -e "$folder/complete" ] && return
    python3 -c 'import venv, ensurepip' 2>/dev/null || debian python3-venv
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --requirement "$here/ocfl_py_requirements.txt"
    touch "$folder/complete"
}

install_ocfl_java() {
    local folder=$cache/ocfl-java-2.2.2
    local pom=$here/ocfl_java/pom.xml main=$here/ocfl_java/ValidateRoot.java
    if [ ! -e "$folder/complete" ]; then
        command -v javac >/dev/null || debian openjdk-17-jdk-headless
        command -v mvn >/dev/null || debian maven
        rm -rf "$folder"
        mvn --batch-mode --quiet --file "$pom" \
            org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
            -DoutputDirectory="$folder/jars"
        touch "$folder/complete"
    fi
    if ! cmp -s "$main" "$folder/ValidateRoot.java"; then
        javac -cp "$folder/jars/*" -d "$folder/classes" "$main"
        cp "$main" "$folder/ValidateRoot.java"
    fi
}

install_oai_harvesters() {
    local folder=$cache/oai-harvesters-1
    [ -e "$folder/complete" ] && return
    python3 -c 'import venv, ensurepip' 2>/dev/null || debian python3-venv
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --requirement "$here/oai_harvesters_requirements.txt"
    touch "$folder/complete"
}

case ${1:-ocfl} in
ocfl)
    install_rocfl >&2
    install_ocfl_py >&2
    install_ocfl_java >&2
    ;;
oai) install_oai_harvesters >&2 ;;
*)
    echo "install.sh: $1 is neither ocfl nor oai" >&2
    exit 2
    ;;
esac
echo "$cache"
