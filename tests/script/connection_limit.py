# SPDX-License-Identifier: Apache-2.0
"""More connections than http_connections: 503 with Retry-After for those beyond, the others are served on, and it recovers."""
import contextlib
import time

from lib import Server, check, contains, equal

LIMIT = 8
BEYOND = 200  # more than the server keeps open only to refuse them


def ask(server):
    with server.connect() as connection:
        return connection.request("GET", "/rest/file")


def served(server):
    """A connection that is within the limit. The server learns of closed ones in its own time."""
    deadline = time.monotonic() + 60
    while True:
        connection = server.connect()
        answer = connection.request("GET", "/rest/file")
        if answer.status == 200:
            return connection
        connection.close()
        equal(answer.status, 503)
        check(time.monotonic() < deadline, "it refuses although the others have left")
        time.sleep(0.05)


with Server(config=f"http_connections = {LIMIT}\n") as server:
    equal(server.put("/file", b"content").status, 201)
    for round_ in range(3):
        with contextlib.ExitStack() as stack:
            held = [stack.enter_context(served(server)) for _ in range(LIMIT)]
            answer = ask(server)
            equal(answer.status, 503, "one connection too many")
            contains(answer.text, f"more than {LIMIT} connections (limit http_connections)")
            equal((answer.header("Retry-After"), answer.header("Connection", "").lower()), ("1", "close"))
            for connection in held:
                equal(connection.request("GET", "/rest/file").body, b"content", "one that was there before")
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(served(server))
        for _ in range(LIMIT + BEYOND):
            stack.enter_context(server.connect())
        equal(first.request("GET", "/rest/file").status, 200, "the first, with a crowd behind it")
    served(server).close()
