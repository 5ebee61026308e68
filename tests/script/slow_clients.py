# SPDX-License-Identifier: Apache-2.0
# timeout: 180
"""Slow writers and slow readers finish, and nobody waits for them."""
import threading
import time

from lib import Server, check, equal

SLOW = 40
LARGE = bytes(range(256)) * (32 << 10)  # 8 MiB


def write_slowly(server, number, statuses):
    body = b"slow %d " % number * 20
    with server.connect() as connection:
        connection.send(connection.head("PUT", f"/rest/slow/{number}", {"Content-Length": str(len(body))}))
        for at in range(0, len(body), 8):
            connection.send(body[at:at + 8])
            time.sleep(0.1)
        statuses.append(connection.response().status)


def read_slowly(server, wholes):
    with server.connect() as connection:
        connection.send(connection.head("GET", "/rest/large"))
        _, _, headers = connection.read_head()
        length = int(dict(headers)["Content-Length"])
        first = connection.exactly(1000)
        time.sleep(2.5)
        wholes.append(first + connection.exactly(length - 1000) == LARGE)


with Server() as server:
    equal(server.put("/large", LARGE).status, 201)
    statuses, wholes = [], []
    threads = [threading.Thread(target=write_slowly, args=(server, n, statuses)) for n in range(SLOW)]
    threads += [threading.Thread(target=read_slowly, args=(server, wholes)) for _ in range(SLOW)]
    for thread in threads:
        thread.start()
    slowest = 0
    while any(thread.is_alive() for thread in threads):
        start = time.monotonic()
        equal(server.put("/quick", b"quick").status // 100, 2)
        equal(server.get("/quick").body, b"quick")
        slowest = max(slowest, time.monotonic() - start)
        time.sleep(0.05)
    equal(statuses, [201] * SLOW)
    equal(wholes, [True] * SLOW)
    check(slowest < 2.0, f"a quick client waited {slowest:.1f} s beside slow ones that take 2.5 s and more")
