# SPDX-License-Identifier: Apache-2.0
# build: gcc
# timeout: 2400
# alone
"""Check 7: the server's memory stays small while a large file goes in and out; its bytes come back.

512 MiB in the quick tier, 20 GiB with --full.
"""
import hashlib
import os
import re

from lib import FULL, Server, check, equal

SIZE = (20 << 30) if FULL else (512 << 20)
PIECE = 1 << 20
LIMIT_KB = 512 << 10
HALF_KB = 256 << 10  # at 512 MiB a server that held the file would show it here


def piece(number):
    return number.to_bytes(8, "big") * 16 + BASE[128:]


def peak_kb(server):
    with open(f"/proc/{server.process.pid}/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1))


BASE = os.urandom(PIECE)

with Server() as server, server.connect(timeout=600) as connection:
    sent, came = hashlib.sha256(), hashlib.sha256()
    connection.send(connection.head("PUT", "/rest/large", {"Content-Length": str(SIZE)}))
    for number in range(SIZE // PIECE):
        data = piece(number)
        sent.update(data)
        connection.send(data)
    equal(connection.response().status, 201)
    after_upload = peak_kb(server)

    connection.send(connection.head("GET", "/rest/large"))
    status, _, headers = connection.read_head()
    equal((status, dict(headers)["Content-Length"]), (200, str(SIZE)))
    for _ in range(SIZE // PIECE):
        came.update(connection.exactly(PIECE))
    equal(came.digest(), sent.digest())
    peak = peak_kb(server)
    print(f"{SIZE >> 20} MiB up and down; peak {after_upload >> 10} MiB after the upload, {peak >> 10} MiB after both")
    check(peak < (LIMIT_KB if FULL else HALF_KB), f"{peak >> 10} MiB")
