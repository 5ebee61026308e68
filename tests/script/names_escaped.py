# SPDX-License-Identifier: Apache-2.0
"""put -r --names escape: a raw byte and its written escape are two names, and stay two files."""
import json
import os

from lib import Server, equal

with Server() as server:
    tree = os.path.join(server.folder, "tree").encode()
    os.mkdir(tree)
    for name in (b"a\xff", b"a%FF", b"50%", "\u00e9".encode()):
        with open(tree + b"/" + name, "wb") as file:
            file.write(name)
    server.must("put", "-r", "--names", "escape", tree.decode(), "/tree")
    listed = server.must("--json", "ls", "/tree").text.splitlines()
    stored = {name: server.must("get", f"/tree/{name}").output for name in (json.loads(line)["name"] for line in listed)}
    equal(stored, {"a%FF": b"a\xff", "a%25FF": b"a%FF", "50%25": b"50%", "\u00e9": "\u00e9".encode()}, "names")
