# SPDX-License-Identifier: Apache-2.0
"""A container moves with all below it at once; into itself it cannot; a target that is there is a conflict."""
from lib import Server, equal, fails_with

with Server() as server:
    for n in range(50):
        equal(server.put(f"/a/b/{n % 5}/{n}", b"%d" % n).status, 201)
    equal(server.put("/c/file", b"c").status, 201)
    server.must("mv", "/a/b", "/c/moved")
    for n in range(50):
        equal(server.get(f"/c/moved/{n % 5}/{n}").body, b"%d" % n)
        equal(server.get(f"/a/b/{n % 5}/{n}").status, 404)
    fails_with(server.cli("mv", "/c", "/c/moved/inside"), 5, "into itself")
    fails_with(server.cli("mv", "/c/file", "/c/moved/0/0"), 5, "onto a file")
    equal(server.must("cat", "/c/moved/0/0").output, b"0")
    server.must("cp", "/c/file", "/copy")
    equal(server.put("/copy", b"changed").status, 204)
    equal(server.get("/c/file").body, b"c", "a copy is its own")
    server.must("rm", "-r", "/c/moved")
    equal(server.get("/c/moved/1/1").status, 410)
    server.kill()
    server.start()
    equal(server.get("/c/moved/1/1").status, 410)
    equal(server.put("/c/moved/1/1", b"new", {"Overwrite-Tombstone": "true"}).status, 201, "anew below a deleted path")
    equal(server.get("/c/moved/2/2").status in (404, 410), True)
    equal(server.cli("fsck").status, 0)
