# SPDX-License-Identifier: Apache-2.0
"""The short program in docs/format.md tells the live tree from unpacked journal entries alone, and checks the chain."""
import os
import re
import sys

from lib import Server, check, equal, run_program, unpack

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def document_program(folder):
    with open(os.path.join(ROOT, "docs", "format.md")) as file:
        text = re.search(r"^```python\n(.*?)^```", file.read(), re.M | re.S).group(1)
    path = os.path.join(folder, "tree.py")
    with open(path, "w") as file:
        file.write(text)
    return path



with Server() as server:
    for n in range(30):
        equal(server.put(f"/a/{n % 4}/ü {n}", b"x" * n).status, 201)
    equal(server.put("/a/0/ü 0", b"second version").status, 204)
    equal(server.put("/large", b"L" * (2 << 20)).status, 201)
    server.must("mv", "/a/1", "/moved")
    server.must("rm", "-r", "/a/2")
    server.must("rm", "/a/3/ü 3")
    equal(server.put("/a/2/again", b"again", {"Overwrite-Tombstone": "true"}).status, 201)
    server.must("meta", "add", "/large", "title", "large")
    server.must("purge", "/a/3/ü 7")
    server.stop()
    folder = unpack(server.volumes, os.path.join(server.folder, "out"))
    program = document_program(server.folder)
    done = run_program([sys.executable, program, os.path.join(folder, "journal")])
    equal(done.status, 0, done.error_text)
    told = {}
    for line in done.text.splitlines():
        match = re.fullmatch(r"(/.*?)(?: (\d+) ([0-9a-f]{128}) (\d+:\d+))?", line)
        told[match.group(1)] = int(match.group(2)) if match.group(2) else None
    kept = [n for n in range(30) if n % 4 != 2 and n not in (3, 7)]
    wanted = {("/moved" if n % 4 == 1 else f"/a/{n % 4}") + f"/ü {n}": n or len(b"second version") for n in kept}
    wanted.update({"/large": 2 << 20, "/a/2/again": 5})
    equal({path: size for path, size in told.items() if size is not None}, wanted)
    check({"/", "/a", "/a/0", "/a/2", "/a/3", "/moved"} <= set(told), f"containers: {sorted(told)}")

    # A changed line is noticed.
    entries = sorted(os.path.join(where, name) for where, _, names in os.walk(os.path.join(folder, "journal"))
                     for name in names if name.endswith(".jsonl"))
    with open(entries[3], "r+b") as file:
        data = file.read()
        file.seek(0)
        file.write(data.replace(b'"op"', b'"oq"', 1))
    check(run_program([sys.executable, program, os.path.join(folder, "journal")]).status != 0, "a change went unnoticed")
