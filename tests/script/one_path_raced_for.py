# SPDX-License-Identifier: Apache-2.0
"""100 clients create one path at once: one 201 and 204 for the others; with If-None-Match: * 412.

Below parents that do not exist yet either, so that these are raced for as well.
"""
from collections import Counter

from lib import Server, check, equal, in_parallel

CLIENTS = 100


def race(server, path, headers):
    connections = [server.connect() for _ in range(CLIENTS)]

    def put(n):
        return connections[n].request("PUT", "/rest" + path, f"body of {n}".encode(),
                                      {"Content-Type": "text/plain", **headers}).status
    statuses = in_parallel(CLIENTS, put)
    for connection in connections:
        connection.close()
    return statuses


with Server() as server:
    for round_number in range(3):
        path = f"/plain-{round_number}/a/b/file"
        equal(Counter(race(server, path, {})), Counter({201: 1, 204: CLIENTS - 1}))
        path = f"/strict-{round_number}/a/b/file"
        statuses = race(server, path, {"If-None-Match": "*"})
        equal(Counter(statuses), Counter({201: 1, 412: CLIENTS - 1}))
        winner = statuses.index(201)
        equal(server.get(path).body, f"body of {winner}".encode())
    # Siblings below one new parent
    statuses = in_parallel(CLIENTS, lambda n: server.put(f"/siblings/x/{n}", b"").status)
    equal(Counter(statuses), Counter({201: CLIENTS}))
    check(server.cli("fsck").status == 0, "fsck")
