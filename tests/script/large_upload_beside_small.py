# SPDX-License-Identifier: Apache-2.0
"""Large uploads in flight, one of them stalled, never stand in the way of small deposits; each is whole."""
import os

from lib import Server, check, equal, in_parallel

LARGE = os.urandom(1 << 20) * 4

with Server() as server:
    with server.connect() as stalled:
        stalled.send(stalled.head("PUT", "/rest/stalled", {"Content-Length": str(len(LARGE))}) + LARGE[:3 << 20])

        def put(n):
            if n % 8 == 0:
                return server.put(f"/large/{n}", LARGE + b"%d" % n).status
            return server.put(f"/small/{n}", b"small %d" % n).status
        equal(in_parallel(80, put, threads=16), [201] * 80)
        for n in range(0, 80, 8):
            check(server.get(f"/large/{n}").body == LARGE + b"%d" % n, f"large {n}")
        equal(server.get("/stalled").status, 404)
        server.kill()
    server.start()
    equal(server.get("/stalled").status, 404, "an upload that the kill broke off")
    check(server.get("/large/8").body == LARGE + b"8", "after the kill")
    equal(server.put("/stalled", LARGE).status, 201)
    equal(server.cli("fsck").status, 0)
