# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""Purge: content, name and statements are gone from volumes/; tars, chain, seals, dump and rebuild still agree."""
import hashlib
import json
import os
import shutil

from lib import Server, check, contains, equal, unpack, volume_files
from lib.volumes import TARS

MARK = b"MARK-OF-CONTENT-5b1d"
SMALL, LARGE = MARK * 100, MARK * 100000


def traces(server, words):
    """(volume, word) for each word that some volume holds."""
    found = []
    for path in volume_files(server.volumes):
        with open(path, "rb") as file:
            data = file.read()
        found += [(os.path.basename(path), word) for word in words if word in data]
    return found


with Server() as server:
    words = [MARK, b"mark-of-name-77aa", b"mark-of-statement-90cc"]
    for path, body in (("/d/mark-of-name-77aa", SMALL), ("/d/mark-of-name-77aa-large", LARGE), ("/d/kept", b"kept")):
        equal(server.put(path, body).status, 201)
    server.must("meta", "add", "/d/mark-of-name-77aa", "title", "mark-of-statement-90cc")
    equal(server.put("/d/mark-of-name-77aa", SMALL + b"2").status, 204)
    server.must("seal")
    equal(server.put("/d/mark-of-name-77aa", SMALL + b"3").status, 204)
    check(traces(server, words), "the marks were never there, so nothing is shown")
    copy = os.path.join(server.folder, "copy")
    shutil.copytree(server.volumes, copy)

    server.must("purge", "/d/mark-of-name-77aa")
    server.must("purge", "/d/mark-of-name-77aa-large")
    equal(traces(server, words), [], "traces after the purge")
    check(server.get("/d/mark-of-name-77aa").status in (404, 410), "still there")
    equal(server.get("/d/kept").body, b"kept")
    server.must("journal", "--verify")
    equal(server.cli("verify").status, 0, "verify")
    equal(server.cli("fsck").status, 0, "fsck")
    server.stop()

    for tar in TARS:
        unpack(server.volumes, os.path.join(server.folder, tar), tar)
    sealed = [json.loads(line) for line in server.must("--json", "status").text.splitlines()]
    hashes = {hashlib.sha256(open(path, "rb").read()).hexdigest() for path in volume_files(server.volumes)}
    for volume in [v for status in sealed for v in status.get("volumes", []) if v.get("sha256")]:
        contains(hashes, volume["sha256"], f"sealed {volume}")
    before = server.must("dump").output
    shutil.rmtree(os.path.join(server.data, "catalog"))
    server.must("rebuild")
    check(before == server.must("dump").output, "dump differs from the rebuilt one")

    server.must("purge", "--apply", copy)
    found = []
    for path in volume_files(copy):
        with open(path, "rb") as file:
            data = file.read()
        found += [(path, word) for word in words[:2] if word in data]
    equal(found, [], "traces in the copy")
