# SPDX-License-Identifier: Apache-2.0
"""OPTIONS: Allow and Accept-Post by kind, what is not there, parts of a resource, `*`, and what is beside /rest/."""
from lib import Server, check, contains, equal

FILE = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}
CONTAINER = FILE | {"POST"}
READ = {"GET", "HEAD", "OPTIONS"}
EXPECTED = [  # target, statuses, methods, Accept-Post
    ("*", 204, CONTAINER, None),
    ("/rest", 200, CONTAINER - {"DELETE"}, "*/*"),
    ("/rest/", 200, CONTAINER - {"DELETE"}, "*/*"),
    ("/rest/container", 200, CONTAINER, "*/*"),
    ("/rest/container/", 200, CONTAINER, "*/*"),
    ("/rest/aggregate", 200, CONTAINER, "*/*"),
    ("/rest/container/file", 200, FILE, None),
    ("/rest/container/file/fcr:metadata", 200, READ, None),
    ("/rest/container/file/fcr:versions", 200, READ, None),
    ("/rest/fcr:constraints/MalformedRdfException", 200, READ, None),
    ("/rest/gone/fcr:tombstone", 200, {"DELETE", "OPTIONS"}, None),
    ("/livez", 204, READ, None),
    ("/readyz", 204, READ, None),
    ("/metrics", 204, READ, None),
    ("/", 204, READ, None),
    ("/rest/gone", 410, None, None),
    ("/rest/absent", 404, None, None),
    ("/rest/absent/fcr:metadata", 404, None, None),
    ("/rest/absent/fcr:versions", 404, None, None),
    ("/rest/container/fcr:metadata", 404, None, None),
    ("/rest/container/fcr:acl", 501, None, None),
    ("/nothing", 404, None, None),
    ("/rest/%zz", 400, None, None),
]


def methods(answer):
    allow = answer.header("Allow")
    return None if allow is None else {word.strip() for word in allow.split(",")}


def is_refused(server, method, target):
    with server.connect() as connection:
        answer = connection.request(method, target, b"x" if method in ("PUT", "POST") else None)
    if answer.status != 405:
        return False
    check(method not in methods(answer), f"{method} {target}: 405, and allowed by its Allow")
    return True


with Server() as server:
    server.put("/container/file", b"content")
    server.must("mkdir", "--aggregate", "/aggregate")
    server.put("/gone", b"")
    server.delete("/gone")
    with server.connect() as connection:
        for target, status, allowed, accept_post in EXPECTED:
            answer = connection.request("OPTIONS", target)
            equal((answer.status, methods(answer), answer.header("Accept-Post")), (status, allowed, accept_post), target)
        contains(connection.request("OPTIONS", "/rest/container/file").header("Link"), "ldp#NonRDFSource")
        equal(connection.request("GET", "*").status, 400, "only OPTIONS knows *")

    # What Allow leaves out is refused; what it names is not.
    for target, allowed in (("/rest/container/file", FILE), ("/rest/container", CONTAINER), ("/livez", READ),
                            ("/rest/container/file/fcr:versions", READ), ("/rest/gone/fcr:tombstone", {"DELETE"})):
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE"):
            if method not in allowed:
                check(is_refused(server, method, target), f"{method} {target} is not refused")
            elif method in ("GET", "HEAD"):
                check(not is_refused(server, method, target), f"{method} {target} is refused")

    with server.connect(authorization=None) as connection:
        equal(connection.request("OPTIONS", "/rest/container").status, 401, "a stranger")
        equal(connection.request("OPTIONS", "*").status, 204, "a stranger, about the server")
