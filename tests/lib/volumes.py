# SPDX-License-Identifier: Apache-2.0
"""Volumes read as strangers read them: by tar programs, into ocfl/ and journal/."""
import glob
import json
import os
import subprocess
import sys
import tarfile

from lib.check import check


def volume_files(volumes):
    """All volumes in the order in which they are extracted: bulk before log, each by number."""
    return sorted(glob.glob(os.path.join(volumes, "bulk-*.tar"))) + sorted(
        glob.glob(os.path.join(volumes, "log-*.tar")))


def by_program(command):
    def extract(volume, folder):
        done = subprocess.run([*command, volume, "-C", folder], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        check(done.returncode == 0 and not done.stdout.strip(),
              f"{command} {volume}: status {done.returncode}: {done.stdout[-2000:]}")
    return extract


def by_tarfile(volume, folder):
    # A program of its own, so that an error of tarfile is its exit status.
    by_program([sys.executable, "-c", "import sys, tarfile\n"
                "tarfile.open(sys.argv[1], errorlevel=2).extractall(sys.argv[3], filter='data')"
                if hasattr(tarfile, "data_filter") else
                "import sys, tarfile\ntarfile.open(sys.argv[1], errorlevel=2).extractall(sys.argv[3])"]
               )(volume, folder)


TARS = {"GNU tar": by_program(["tar", "-xf"]), "bsdtar": by_program(["bsdtar", "-xf"]),
        "tarfile": by_tarfile}


def unpack(volumes, folder, tar="GNU tar"):
    """Extracts every volume in order. The tar must not print a word."""
    os.makedirs(folder, exist_ok=True)
    files = volume_files(volumes)
    check(files, f"no volumes in {volumes}")
    for volume in files:
        TARS[tar](volume, folder)
    return folder


def journal_lines(folder):
    """Every line of an unpacked journal as an object, in order of sequence."""
    lines = []
    for path in sorted(glob.glob(os.path.join(folder, "journal", "[0-9]*", "*", "*.jsonl"))):
        with open(path, "rb") as file:
            lines += [json.loads(line) for line in file]
    return lines
