# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""T36-T41: files of 0, 1, 4 bytes and around each inner limit come back whole, with true sizes and digests."""
import hashlib
import json
import random

from lib import Server, check, equal

MIB = 1 << 20
SIZES = [0, 1, 4, 511, 512, 513, 4095, 4096, 65535, 65536, 65537, MIB - 1, MIB, MIB + 1, 2 * MIB, 9 * MIB + 7]


def body(size):
    return random.Random(size).randbytes(size)


def stat(server, path):
    return json.loads(server.must("--json", "stat", path).text)


with Server() as server:
    for size in SIZES:
        path = f"/size-{size}"
        equal(server.put(path, body(size)).status, 201, path)
    server.kill()
    server.start()
    for size in SIZES:
        path = f"/size-{size}"
        answer = server.get(path, {"Want-Digest": "sha-512"})
        equal(answer.header("Content-Length"), str(size), path)
        check(answer.body == body(size), f"{path}: other bytes came back")
        head = server.request("HEAD", path)
        equal(head.header("Content-Length"), str(size), f"HEAD {path}")
        seen = stat(server, path)
        equal(seen["size"], size, path)
        equal(seen["sha512"], hashlib.sha512(body(size)).hexdigest(), path)

    # T40 irods#5505: a shorter file over a longer one, in memory and in bulk; and the reverse
    for old, new in ((50 * MIB, 40 * MIB), (2 * MIB, 10), (10, 2 * MIB), (5, 0)):
        path = f"/over-{old}-{new}"
        equal(server.put(path, body(old)).status, 201)
        equal(server.put(path, body(new)).status, 204)
        check(server.get(path).body == body(new), f"{path}: not the new bytes")
        equal(stat(server, path)["size"], new)
    equal(server.cli("verify").status, 0)
