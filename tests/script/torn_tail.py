# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""Bytes after the last commit are cut, copied to lost+found, and never served; no repair by hand."""
import glob
import os

from lib import Server, check, equal, volume_files


def newest_log(server):
    return [path for path in volume_files(server.volumes) if "log-" in path][-1]


with Server() as server:
    equal(server.put("/kept", b"kept" * 1000).status, 201)
    server.kill()
    kept_size = os.path.getsize(newest_log(server))

    # A tail of any shape: zeros, noise, half of a real group.
    for tail in (b"\0" * 512, b"\0" * 100000, b"noise" * 999, os.urandom(1024)):
        with open(newest_log(server), "ab") as file:
            file.write(tail)
        server.start()
        equal(server.get("/kept").body, b"kept" * 1000)
        server.kill()
        equal(os.path.getsize(newest_log(server)), kept_size, f"tail of {len(tail)} bytes")

    server.start()
    equal(server.put("/torn", b"torn" * 1000).status, 201)
    server.kill()
    with open(newest_log(server), "rb") as file:
        whole = file.read()
    for length in range(kept_size, len(whole), max(1, (len(whole) - kept_size) // 12)):
        with open(newest_log(server), "r+b") as file:
            file.truncate(length)
        server.start()
        equal(server.get("/kept").body, b"kept" * 1000)
        equal(server.get("/torn").status, 404, f"cut to {length} of {len(whole)}")
        equal(server.cli("fsck").status, 0, f"fsck, cut to {length}")
        server.kill()
        with open(newest_log(server), "r+b") as file:
            file.truncate(kept_size)
            file.seek(kept_size)
            file.write(whole[kept_size:])
    server.start()
    equal(server.get("/torn").body, b"torn" * 1000)
    check(glob.glob(os.path.join(server.data, "**", "lost+found", "*"), recursive=True), "no copy of a tail")
