# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""One damaged group of the journal costs what it alone held: it is named, later groups count, no id is given out again.

Compaction gives nothing back while the journal is damaged, for what the catalog lacks may be what the damage hid.
An export from which a volume is missing fails, and leaves no empty file in place of what was in it.
"""
import json
import os
import shutil

from lib import Server, check, equal, program, run_program, volume_files

FILES, HURT = 40, 20
WHOLE = [f"f{number:02d}" for number in range(FILES) if number != HURT]


def damage(server, line_part, last=False):
    path = next(path for path in volume_files(server.volumes) if "log-" in path)
    with open(path, "rb") as file:
        content = file.read()
        at = content.rfind(line_part) if last else content.find(line_part)
    check(at >= 0, f"{line_part} is not in the volume")
    os.chmod(path, 0o644)
    with open(path, "r+b") as file:
        file.seek(at + len(line_part) - 1)
        file.write(b"\x00")


def archivolt(data, *words, status=0):
    done = run_program([program(), "--data", data, *words])
    equal(done.status, status, done.error_text)
    return done.text


def ids(data):
    return {item["name"]: item["id"] for item in map(json.loads, archivolt(data, "--json", "ls", "-l", "/").splitlines())}


def with_forty_files(server):
    for number in range(FILES):
        equal(server.put(f"/f{number:02d}", b"body %d" % number).status, 201)
    server.must("seal")
    server.stop()
    equal(server.cli("journal", "--verify").status, 0, "journal before")


def check_views(server, expected):
    """By a rebuild and by a replay; what is made afterwards has ids of its own."""
    before = ids(server.data)
    for how in ("rebuild", "replay"):
        data = os.path.join(server.folder, how)
        shutil.copytree(server.data, data)
        shutil.rmtree(os.path.join(data, "catalog"))
        if how == "rebuild":
            archivolt(data, "rebuild")
        equal(sorted(ids(data)), expected, how)
        for name in expected:
            equal(archivolt(data, "cat", "/" + name), f"body {int(name[1:])}", f"{how}: {name}")
        archivolt(data, "mkdir", "/new")
        check(ids(data)["new"] > max(before.values()), f"{how}: an id is given out again")
        archivolt(data, "compact", "--gain", "0", status=6)
        archivolt(data, "verify", status=6)
        equal(archivolt(data, "cat", "/" + expected[-1]), f"body {int(expected[-1][1:])}", f"{how}: after compact")


with Server() as server:
    with_forty_files(server)
    damage(server, b'"name":"f%02d"' % HURT)
    equal(server.cli("journal", "--verify").status, 6, "journal")
    equal(server.cli("fsck").status, 6, "fsck")
    equal(server.cli("export", "ocfl", os.path.join(server.folder, "out")).status, 6, "export")
    check_views(server, WHOLE)

with Server() as server:
    with_forty_files(server)
    damage(server, b'"op":"lease"', last=True)  # in the group of the first file
    check_views(server, [f"f{number:02d}" for number in range(1, FILES)])

with Server() as server:
    with_forty_files(server)
    damage(server, b'"op":"init"')  # the first group: the root is in it
    check_views(server, [f"f{number:02d}" for number in range(FILES)])

with Server() as server:
    equal(server.put("/large", os.urandom(3 << 20)).status, 201)
    server.must("seal")
    server.stop()
    bulk = next(path for path in volume_files(server.volumes) if "bulk-" in path)
    os.rename(bulk, os.path.join(server.folder, "away"))
    out = os.path.join(server.folder, "out")
    equal(server.cli("export", "ocfl", out).status, 6, "export")
    empty = [name for folder, _, files in os.walk(out) for name in files
             if os.path.getsize(os.path.join(folder, name)) == 0]
    equal(empty, [], "empty files")
