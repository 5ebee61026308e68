# SPDX-License-Identifier: Apache-2.0
"""A name that cannot be kept gets 400 and leaves nothing behind, over HTTP and by command."""
import json

from lib import Server, check, contains, equal
from lib.names import REFUSED

with Server() as server, server.connect() as connection:
    for report, target in REFUSED:
        for method, body in (("PUT", b"body"), ("GET", None), ("DELETE", None)):
            answer = connection.request(method, "/rest/" + target, body)
            check(answer.status in (400, 414), f"{report}: {method} {target[:60]!r}: {answer}")
            check(answer.body, f"{report}: {method}: no word why")
    contains(connection.request("PUT", "/rest/a%2Fb", b"x").text, "%2F", "the rule is not named")
    contains(connection.request("PUT", "/rest/" + "x" * 256, b"x").text, "name_bytes", "the limit is not named")

    # T21 fcrepo PR#1782: a space in the request line
    with server.connect() as raw:
        raw.send(raw.head("PUT", "/rest/a b", {"Content-Length": "1"}) + b"x")
        equal(raw.response().status, 400, "a space in the request line")
    with server.connect() as again:
        listed = json.loads(again.request("GET", "/rest/", headers={"Accept": "application/json"}).body)
    equal(listed["children"], [], "something was left behind")

    for name in (".", "..", "a//b", "/a/..", "x" * 256, "/" + "x" * 256, "relative"):
        done = server.cli("put", "-", name if name.startswith("/") or name == "relative" else "/" + name, input=b"x")
        check(done.status in (1, 2), f"put - {name!r}: exit status {done.status}")
        check(done.error_text.strip(), f"put - {name!r}: no word why")
