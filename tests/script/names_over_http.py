# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""Each hostile name is created, read, listed, replaced and deleted over HTTP, unchanged."""
import json

from lib import Server, equal, quote
from lib.names import KEPT


def listed(connection, container):
    answer = connection.request("GET", "/rest" + quote(container), headers={"Accept": "application/json"})
    equal(answer.status, 200, container)
    return [child["name"] for child in json.loads(answer.body)["children"]]


with Server() as server, server.connect() as connection:
    for report, name in KEPT:
        target = "/rest" + quote("/names/" + name)
        for body, status in ((b"first", 201), (b"second", 204)):
            answer = connection.request("PUT", target, body + name.encode(), {"Content-Type": "text/plain"})
            equal(answer.status, status, f"{report}: put {name!r}")
        equal(connection.request("GET", target).body, b"second" + name.encode(), report)
    equal(listed(connection, "/names"), sorted((name for _, name in KEPT), key=str.encode), "listing")

    for report, name in KEPT:  # each as a container too
        target = "/rest" + quote(f"/folders/{name}/inner")
        equal(connection.request("PUT", target, b"inner").status, 201, f"{report}: below {name!r}")
        equal(listed(connection, f"/folders/{name}"), ["inner"], report)

    for report, name in KEPT:
        target = "/rest" + quote("/names/" + name)
        equal(connection.request("DELETE", target).status, 204, f"{report}: delete {name!r}")
        equal(connection.request("GET", target).status, 410, f"{report}: get deleted {name!r}")
    equal(listed(connection, "/names"), [], "listing after the deletes")
