# SPDX-License-Identifier: Apache-2.0
"""A deleted path answers 410; it takes a new resource only when asked to, or after its tombstone was removed."""
from lib import Server, contains, equal

AGAIN = {"Overwrite-Tombstone": "true"}

with Server() as server:
    for path in ("/f", "/c/f"):
        equal(server.put(path, b"first").status, 201)
    for path in ("/f", "/c"):
        equal(server.delete(path).status, 204)
        answer = server.get(path)
        equal(answer.status, 410)
        contains(" ".join(answer.all("Link")), "fcr:tombstone")
        equal(server.put(path, b"again").status, 410, "without asking")
        equal(server.delete(path).status, 410)
    equal(server.get("/c/f").status, 410, "below a deleted container")
    equal(server.put("/f", b"second", AGAIN).status, 201)
    equal(server.get("/f").body, b"second")
    with server.connect() as connection:
        equal(connection.request("DELETE", "/rest/c/fcr:tombstone").status, 204)
    equal(server.get("/c").status, 404)
    equal(server.put("/c/f", b"second").status, 201)
    server.kill()
    server.start()
    equal(server.get("/f").body, b"second")
    equal(server.get("/c/f").body, b"second")
