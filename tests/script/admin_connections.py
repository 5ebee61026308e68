# SPDX-License-Identifier: Apache-2.0
"""More commands than the server serves at a time: those beyond are told so, and it recovers."""
import contextlib
import os
import socket
import time

from lib import Server, check, contains, equal, fails_with

LIMIT = 256

with Server() as server:
    server.must("put", "-", "/file", input=b"content")
    with contextlib.ExitStack() as stack:
        for _ in range(LIMIT):
            held = stack.enter_context(socket.socket(socket.AF_UNIX))
            held.connect(os.path.join(server.data, "archivolt.sock"))
        for arguments in (["ls", "/"], ["cat", "/file"], ["put", "-", "/other"], ["status"]):
            done = server.cli(*arguments, input=b"x" * 3000000)
            fails_with(done, 5)
            contains(done.error_text, f"{LIMIT} commands are connected already", arguments)
        equal(server.get("/file").body, b"content", "HTTP does not suffer")
    deadline = time.monotonic() + 60
    while server.cli("cat", "/file").output != b"content":
        check(time.monotonic() < deadline, "it refuses although the others have left")
        time.sleep(0.05)
    equal(server.get("/other").status, 404)
