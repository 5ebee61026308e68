# SPDX-License-Identifier: Apache-2.0
"""Each replacement is a version that stays readable, also after moves and a restart; history says who."""
import json

from lib import Server, equal

VERSIONS = [b"first", b"", b"third " * 400000, b"fourth"]

with Server() as server:
    for number, body in enumerate(VERSIONS):
        equal(server.put("/a/f", body).status, 204 if number else 201)
    server.must("mv", "/a", "/b")
    server.must("mv", "/b/f", "/b/g")
    for _ in range(2):
        for number, body in enumerate(VERSIONS, 1):
            equal(server.must("cat", "--version", str(number), "/b/g").output == body, True, f"version {number}")
        history = [json.loads(line) for line in server.must("--json", "history", "/b/g").text.splitlines()]
        equal([line["version"] for line in history if line.get("version")], [1, 2, 3, 4])
        equal({line["user"] for line in history if line.get("version")}, {"admin"})
        server.kill()
        server.start()
    # A new resource at a deleted path is another one; the old one stays in the history.
    server.must("rm", "/b/g")
    equal(server.put("/b/g", b"another", {"Overwrite-Tombstone": "true"}).status, 201)
    equal(server.cli("cat", "--version", "2", "/b/g").status, 3)
    equal(server.must("cat", "/b/g").output, b"another")
