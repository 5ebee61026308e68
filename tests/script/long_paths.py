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

    # The longest answer to the longest request: every byte of the path escaped, twice in the answer's head, and a request
    # head that is as long as allowed. The connection's memory must hold both.
    escaped = "/" + "/".join(["\x01" * 254] * 16) + "/" + "\x01" * 15
    equal(len(escaped), 4096)

    def with_head_of(length):
        headers = {"Content-Length": "4", "X-Filler": ""}
        headers["X-Filler"] = "f" * (length - len(connection.head("PUT", "/rest" + quote(escaped), headers)))
        with server.connect() as own:
            own.send(own.head("PUT", "/rest" + quote(escaped), headers) + b"deep")
            return own.response()

    answer = with_head_of(20 << 10)
    equal(answer.status, 201)
    equal(answer.header("Location").count("%01"), 16 * 254 + 15)
    equal(server.get(escaped).body, b"deep")
    equal(with_head_of((20 << 10) + 64).status, 431)
