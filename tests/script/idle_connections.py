# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""http_idle_timeout_s: a connection on which bytes flow, however slowly, stays; one on which none flow is closed.

Each is seen in the head, in the body, and in the answer. Long enough is several times the time-out.
"""
import time

from lib import Server, check, equal, in_parallel
from lib.http import Closed

IDLE_S = 3
STEPS = 16
STEP_S = 0.6
RECEIVE_BYTES = 8192
LARGE = bytes(range(256)) * (64 << 10)  # 16 MiB: far more than the kernel takes off the server at once


def slow_head(server):
    with server.connect() as connection:
        head = connection.head("GET", "/rest/small")
        for at in range(STEPS):
            connection.send(head[at:at + 1])
            time.sleep(STEP_S)
        connection.send(head[STEPS:])
        equal(connection.response().body, b"small", "a head that came slowly")


def slow_body(server):
    with server.connect() as connection:
        connection.send(connection.head("PUT", "/rest/slow", {"Content-Length": str(STEPS), "Content-Type": "text/plain"}))
        for _ in range(STEPS):
            time.sleep(STEP_S)
            connection.send(b"x")
        equal(connection.response().status, 201, "a body that came slowly")


def slow_answer(server):
    """At this pace the server's own buffer gives room for more only after several time-outs."""
    with server.connect(receive_bytes=RECEIVE_BYTES) as connection:
        connection.send(connection.head("GET", "/rest/large"))
        equal(connection.read_head()[0], 200)
        seen = b""
        for _ in range(STEPS):
            time.sleep(STEP_S)
            seen += connection.exactly(4 * RECEIVE_BYTES)
        seen += connection.exactly(len(LARGE) - len(seen))
        check(seen == LARGE, "an answer that was read slowly")
        equal(connection.request("GET", "/rest/small").body, b"small", "the next on the same connection")


def is_closed(connection):
    """Waits for the end; the test's own limit of time is the connection's time-out."""
    try:
        while connection.input.read(1 << 16):
            pass
    except ConnectionError:
        pass
    return True


def silent_start(server):
    with server.connect() as connection:
        check(is_closed(connection), "a connection without a request")


def silent_head(server):
    with server.connect() as connection:
        connection.send(b"GET /rest/small HTTP/1.1\r\nHost: a")
        check(is_closed(connection), "half a head")


def silent_body(server):
    with server.connect() as connection:
        connection.send(connection.head("PUT", "/rest/cut", {"Content-Length": "100", "Content-Type": "text/plain"}) + b"x")
        check(is_closed(connection), "half a body")
    equal(server.get("/cut").status, 404)


def silent_between(server):
    with server.connect() as connection:
        equal(connection.request("GET", "/rest/small").status, 200)
        check(is_closed(connection), "a connection between requests")
    with server.connect() as connection:
        equal(connection.request("GET", "/rest/large").body, LARGE)
        check(is_closed(connection), "a connection after a streamed answer")


def silent_answer(server):
    """Nobody reads: the server gives up, which shows when the client looks at last."""
    with server.connect(receive_bytes=RECEIVE_BYTES) as connection:
        connection.send(connection.head("GET", "/rest/large"))
        deadline = time.monotonic() + 60
        while open_connections(server, connection) > 0:
            check(time.monotonic() < deadline, "an answer that nobody reads is kept")
            time.sleep(0.2)
        try:
            connection.read_head()
            connection.exactly(len(LARGE))
            seen = True
        except (Closed, ConnectionError):
            seen = False
        check(not seen, "the whole answer came after the connection was given up")


def open_connections(server, connection):
    """Sockets of the server that are connected to this client's port (Linux: /proc/net/tcp; 01 is ESTABLISHED)."""
    port = f":{connection.socket.getsockname()[1]:04X}"
    own = f":{server.port:04X}"
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table]
    return sum(row[1].endswith(own) and row[2].endswith(port) and row[3] == "01" for row in rows[1:])


ROUNDS = [slow_head, slow_body, slow_answer, silent_start, silent_head, silent_body, silent_between, silent_answer]

with Server(config=f"http_idle_timeout_s = {IDLE_S}\n") as server:
    equal(server.put("/small", b"small").status, 201)
    equal(server.put("/large", LARGE).status, 201)
    in_parallel(len(ROUNDS), lambda at: ROUNDS[at](server))
