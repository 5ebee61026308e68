# SPDX-License-Identifier: Apache-2.0
# timeout: 900
"""Check 3: volumes unpacked by three tars are the same valid OCFL root, by three validators, without a warning.

A store with versions, deletes, moves, purges, statements, large files, sealed and compacted volumes
and hostile names; and `tar -t` on a live volume lists all that was acknowledged before it began.
"""
import os
import subprocess
import sys

from lib import Server, check, equal, quote, unpack, volume_files
from lib.names import KEPT
from lib.volumes import TARS

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ocfl_validators


def fill(server):
    for number in range(40):
        equal(server.put(f"/tree/{number % 7}/{number}", b"content %d" % number).status, 201)
        if number % 3 == 0:
            equal(server.put(f"/tree/{number % 7}/{number}", b"second %d" % number).status, 204)
    for number in range(3):
        equal(server.put(f"/large/{number}", os.urandom(1 << 20) * 2 + b"%d" % number).status, 201)
    with server.connect() as connection:
        for report, name in KEPT:
            target = "/rest" + quote("/names/" + name)
            equal(connection.request("PUT", target, report.encode()).status, 201, report)
            server.must("meta", "add", "--", "/names/" + name, "title", f"{name} – “quoted” \\ back")
    server.must("seal")
    server.must("mv", "/tree/1", "/moved")
    server.must("mv", "/names", "/renamed")
    server.must("rm", "-r", "/tree/2")
    server.must("rm", "/tree/3/3")
    server.must("purge", "/tree/4/4")
    server.must("purge", "/large/1")
    server.must("put", "-", "/tree/2/again", input=b"again")
    server.must("seal")
    server.must("compact")


def listing(folder):
    return sorted((os.path.relpath(os.path.join(where, name), folder), os.path.getsize(os.path.join(where, name)))
                  for where, _, names in os.walk(folder) for name in names)


def live_volume_lists(server):
    """tar -t while the server runs: everything acknowledged before is there."""
    before = len(volume_files(server.volumes))
    equal(server.put("/live", b"live").status, 201)
    names = b""
    for path in volume_files(server.volumes):
        done = subprocess.run(["tar", "-tf", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        check(done.returncode in (0, 2), f"tar -t {path}: {done.stderr}")
        names += done.stdout
    check(before and names.count(b"inventory.json\n") > 100, "the live volume does not list what it holds")


def judge(folder, tar):
    found = sum(ocfl_validators.judge(folder).values(), [])
    equal(found, [], f"validators on what {tar} unpacked")
    check(len(ocfl_validators.object_paths(folder)) > 80, "objects are missing")


with Server() as server:
    fill(server)
    live_volume_lists(server)
    server.must("export", "ocfl", os.path.join(server.folder, "exported"))
    server.stop()
    listings = {}
    for tar in TARS:
        folder = unpack(server.volumes, os.path.join(server.folder, tar), tar)
        listings[tar] = listing(folder)
        if tar == "GNU tar":
            judge(os.path.join(folder, "ocfl"), tar)
    check(len({str(one) for one in listings.values()}) == 1, "the tars unpacked different files")
    exported = os.path.join(server.folder, "exported")
    judge(os.path.join(exported, "ocfl") if os.path.isdir(os.path.join(exported, "ocfl")) else exported, "export")
