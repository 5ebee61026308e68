# SPDX-License-Identifier: Apache-2.0
"""After a failed sync: no 201, writes answer 503, reads go on, a restart heals."""
from lib import Server, check, equal


def fail(server, path, body):
    """A deposit whose sync fails; then the disk works again, and the server must not believe it."""
    server.shim.control(sync_fail="all")
    status = server.put(path, body).status
    check(status >= 500, f"{path}: {status} though the sync failed")
    server.shim.control()
    equal(server.put(f"{path}-after", b"after").status, 503, "a write after a failed sync")
    equal(server.delete("/before").status, 503, "a delete after a failed sync")
    equal(server.get("/before").body, b"before")
    equal(server.get(f"{path}-after").status, 404)
    with server.connect() as connection:
        equal(connection.request("GET", "/readyz").status, 503)
        equal(connection.request("GET", "/livez").status, 200)


def heal(server, path, body):
    server.start()
    seen = server.get(path)
    check(seen.status == 404 or seen.body == body, f"{path}: {seen} is neither whole nor absent")
    equal(server.get("/before").body, b"before")
    equal(server.put(f"{path}-after", b"after").status, 201)
    equal(server.delete(f"{path}-after").status, 204)
    equal(server.cli("fsck").status, 0, "fsck")


LARGE = b"L" * (3 << 20)

# The first large deposit makes its bulk volume; the others find one.
for bodies in ({"/new-bulk": LARGE}, {"/small": b"s" * 5000, "/large": LARGE}):
    with Server(shim=True) as server:
        equal(server.put("/before", b"before").status, 201)
        if "/new-bulk" not in bodies:
            equal(server.put("/large-before", LARGE).status, 201)
        for path, body in bodies.items():
            fail(server, path, body)
            server.kill()
            heal(server, path, body)
