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


def comes_back(server):
    """The server learns of closed connections in its own time."""
    deadline = time.monotonic() + 60
    while (status := ask(server).status) != 200:
        equal(status, 503)
        check(time.monotonic() < deadline, "it refuses although the others have left")
        time.sleep(0.05)


with Server(config=f"http_connections = {LIMIT}\n") as server:
    equal(server.put("/file", b"content").status, 201)
    for round_ in range(3):
        comes_back(server)
        with contextlib.ExitStack() as stack:
            held = []
            while len(held) < LIMIT:
                connection = stack.enter_context(server.connect())
                answer = connection.request("GET", "/rest/file")
                if answer.status == 200:  # one of the round before may not have been given up yet
                    held.append(connection)
            answer = ask(server)
            equal(answer.status, 503, "one connection too many")
            contains(answer.text, f"more than {LIMIT} connections (limit http_connections)")
            equal((answer.header("Retry-After"), answer.header("Connection", "").lower()), ("1", "close"))
            for connection in held:
                equal(connection.request("GET", "/rest/file").body, b"content", "one that was there before")
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(server.connect()) for _ in range(LIMIT + BEYOND)]
        waiting[0].send(waiting[0].head("GET", "/rest/file"))
        equal(waiting[0].response().status, 200, "the first, with a crowd behind it")
    comes_back(server)
