# SPDX-License-Identifier: Apache-2.0
# timeout: 900
"""Check 2: put -r a real tree, get -r it back: diff -r says nothing; symbolic links are reported, not followed.

/usr/share/doc/lib* in the quick tier, all of /usr/share/doc with --full.
"""
import os
import stat
import subprocess

from lib import FULL, Server, check, contains, equal

DOC = "/usr/share/doc"


def make_source(folder):
    """A copy of real documents without links, and things of our own that are easily lost."""
    os.makedirs(folder)
    names = [name for name in sorted(os.listdir(DOC)) if FULL or name.startswith("lib")]
    subprocess.run(["cp", "-a", *[os.path.join(DOC, name) for name in names], folder], check=True)
    os.makedirs(os.path.join(folder, "empty folder"))
    with open(os.path.join(folder, "Ünïcode \n name"), "wb") as file:
        file.write(b"")
    with open(os.path.join(folder, "program"), "wb") as file:
        file.write(b"#!/bin/sh\n")
    os.chmod(file.name, 0o755)
    os.utime(file.name, (1000000000, 1000000000))


def links_of(folder):
    return sorted(os.path.relpath(os.path.join(where, name), folder)
                  for where, folders, files in os.walk(folder) for name in folders + files
                  if os.path.islink(os.path.join(where, name)))


with Server() as server:
    source, out = os.path.join(server.folder, "source"), os.path.join(server.folder, "out")
    make_source(source)
    os.symlink("program", os.path.join(source, "link to a file"))
    os.symlink("/etc", os.path.join(source, "link to a folder"))
    links = links_of(source)
    done = server.cli("put", "-r", source, "/doc", timeout=800)
    check(done.status in (0, 1), done.error_text)
    for link in ("link to a file", "link to a folder"):
        contains(done.error_text, link, "a link is not reported")
    for link in links:
        os.unlink(os.path.join(source, link))
    server.must("get", "-r", "/doc", out, timeout=800)
    done = subprocess.run(["diff", "-r", source, out], stdout=subprocess.PIPE, text=True)
    equal((done.returncode, done.stdout[:2000]), (0, ""), "diff -r")
    status = os.stat(os.path.join(out, "program"))
    equal((status.st_mtime, stat.S_IMODE(status.st_mode)), (1000000000.0, 0o755), "mtime and mode")

    # The same again changes nothing.
    server.must("put", "-r", source, "/doc", timeout=800)
    server.stop()
    server.must("get", "-r", "/doc", out + "-2", timeout=800)
    done = subprocess.run(["diff", "-r", source, out + "-2"], stdout=subprocess.PIPE, text=True)
    equal((done.returncode, done.stdout[:2000]), (0, ""), "diff -r without a server")
