# SPDX-License-Identifier: Apache-2.0
# timeout: 600
"""Entries over the 8 GiB of a ustar size field, by three tars: names and sizes from our headers; and, with --full,
each byte of a content of that size that came in by upload and commit, and of what follows it in the volume.
"""
import os
import subprocess
import tarfile

from lib import FULL, check, equal, program, run_program, temporary_folder, volume_files

EIGHT = 8 << 30
PIECE = 1 << 20
ZEROS = bytes(PIECE)
PROGRAMS = {"GNU tar": ["tar"], "bsdtar": ["bsdtar"], "tarfile": None}
SIZE_COLUMN = {"GNU tar": 2, "bsdtar": 4}


def large_entry(*arguments):
    done = run_program([program("tests/interop/large_entry"), *arguments])
    equal(done.status, 0, f"large_entry {arguments}: {done.error_text}")


# -- listing, which passes over the data


def listed(tar, path):
    """(name, size) of each entry."""
    if PROGRAMS[tar] is None:
        with tarfile.open(path, errorlevel=2) as archive:
            return [(member.name, member.size) for member in archive]
    done = run_program([*PROGRAMS[tar], "--numeric-owner", "-tvf", path])
    equal((done.status, done.error), (0, b""), f"{tar} -t")
    words = [line.split() for line in done.text.splitlines()]
    return [(line[-1], int(line[SIZE_COLUMN[tar]])) for line in words]


def headers_are_read():
    wanted = []
    for number, size in enumerate((EIGHT - 1, EIGHT, EIGHT + 1, 100 << 30)):
        wanted += [(f"preamble-{size}", size), (f"small-{number + 1}", number + 1),
                   (f"header-{size}", size), (f"small-{1000 + number}", 1000 + number)]
    with temporary_folder() as folder:
        large_entry("headers", folder, "headers.tar")
        for tar in PROGRAMS:
            equal(listed(tar, os.path.join(folder, "headers.tar")), wanted, tar)


# -- unpacking


def expect_content(stream, size, about):
    """"begin", zeros, "end": every byte, and the length."""
    equal(stream.read(5), b"begin", about)
    left = size - 8
    while left > 0:
        piece = stream.read(min(left, PIECE))
        check(piece and piece == ZEROS[:len(piece)], f"{about}: not as it was, {left} bytes before the end")
        left -= len(piece)
    equal(stream.read(4), b"end", about)


def expect_unpacked(tar, path, name, size):
    about = f"{name} by {tar}"
    if PROGRAMS[tar] is None:
        with tarfile.open(path, errorlevel=2) as archive:
            return expect_content(archive.extractfile(name), size, about)
    process = subprocess.Popen([*PROGRAMS[tar], "-xOf", path, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        expect_content(process.stdout, size, about)
        equal(process.stderr.read(), b"", about)
    return equal(process.returncode, 0, about)


def content_is_unpacked(size):
    with temporary_folder() as folder:
        os.mkdir(os.path.join(folder, "volumes"))
        large_entry("store", folder, str(size))
        bulk, = [path for path in volume_files(os.path.join(folder, "volumes")) if "bulk-" in path]
        check(os.stat(bulk).st_size > size, "the content is not in the bulk volume")
        for tar in PROGRAMS:
            names = [name for name, _ in listed(tar, bulk) if name.startswith("ocfl/")]
            equal(names, ["ocfl/large", "ocfl/after"], tar)
            for name, length in (("ocfl/large", size), ("ocfl/after", 3 << 20)):
                expect_unpacked(tar, bulk, name, length)


headers_are_read()
content_is_unpacked(EIGHT + 777 if FULL else (5 << 20) + 777)
