# SPDX-License-Identifier: Apache-2.0
"""When each sync takes half a second, no 201 comes sooner, and 32 in flight share few syncs."""
import time

from lib import Server, check, equal, in_parallel

DELAY = 0.5
IN_FLIGHT = 32


def timed_put(server, path, body):
    start = time.monotonic()
    equal(server.put(path, body).status, 201, path)
    return start, time.monotonic()


with Server(shim=True) as server:
    server.shim.control(sync_delay_ms=int(DELAY * 1000))
    for path, size in (("/small", 1000), ("/empty", 0), ("/large", 3 << 20)):
        start, end = timed_put(server, path, b"x" * size)
        check(end - start >= DELAY, f"{path}: 201 after {end - start:.3f} s, before any sync could end")

    before = len(server.shim.events())
    times = in_parallel(IN_FLIGHT, lambda n: timed_put(server, f"/many-{n}", b"y" * 1000))
    syncs = server.shim.events()[before:]
    for start, end in times:
        whole = [s for s in syncs if s[0] >= start * 1e9 and s[1] <= end * 1e9]
        check(whole, "a 201 without a whole sync between request and answer")
    check(len(syncs) <= IN_FLIGHT // 4, f"{IN_FLIGHT} deposits took {len(syncs)} syncs")
    print(f"{IN_FLIGHT} deposits shared {len(syncs)} syncs")
