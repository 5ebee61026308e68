# SPDX-License-Identifier: Apache-2.0
"""T12 irods#4384 and T13: a path as long or as deep as allowed works everywhere; one more is refused."""
from lib import Server, contains, equal, quote

with Server() as server, server.connect() as connection:
    def put(path):
        return connection.request("PUT", "/rest" + quote(path), b"deep")

    longest = ("/" + "z" * 254) * 16 + "/" + "z" * (4096 - 16 * 255 - 1)
    equal(len(longest), 4096)
    deepest = "/d" * 256
    for path in (longest, deepest):
        equal(put(path).status, 201, f"{len(path)} bytes")
        equal(connection.request("GET", "/rest" + quote(path)).body, b"deep")
        equal(server.must("cat", path).output, b"deep")
        server.must("stat", path)
        server.must("mv", path, "/short")
        server.must("mv", "/short", path)
    for path, limit in ((longest + "z", "path_bytes"), (deepest + "/d", "depth")):
        answer = put(path)
        equal(answer.status, 400, limit)
        contains(answer.text, limit)

    # A move costs the same for a tree of any size, so it cannot know how deep the tree is. What lies deeper then than
    # anything could be created stays readable; nothing new can be made down there.
    server.must("mkdir", "/m")
    server.must("mv", "/d", "/m/d")
    equal(server.must("cat", "/m" + deepest).output, b"deep")
    equal(server.get("/m" + deepest).body, b"deep")
    contains(put("/m" + deepest + "x").text, "depth")
    server.must("ls", "-R", "/m")
    server.must("mv", "/m/d/d", "/d")
    equal(server.must("cat", deepest[2:]).output, b"deep")
