# SPDX-License-Identifier: Apache-2.0
"""200 authors, two of them equal, come back in order: after an edit, a rebuild, and from unpacked volumes."""
import glob
import json
import os
import re
import shutil

from lib import Server, equal, unpack

AUTHORS = [f"Author {n * 7919 % 200:03}, Ünïcode" for n in range(199)] + ["Author 000, Ünïcode"]


def authors(server):
    lines = server.must("--json", "meta", "ls", "/paper").text.splitlines()
    return [s["value"] for s in map(json.loads, lines) if s["attribute"] == "dc.contributor.author"]


with Server() as server:
    equal(server.put("/paper", b"paper").status, 201)
    for author in AUTHORS:
        server.must("meta", "add", "/paper", "dc.contributor.author", author)
    equal(authors(server), AUTHORS)
    server.must("meta", "set", "/paper", "dc.title", "A title")
    server.must("meta", "rm", "/paper", "dc.contributor.author", AUTHORS[50])
    wanted = AUTHORS[:50] + AUTHORS[51:]
    equal(authors(server), wanted, "after an edit")
    equal(server.put("/paper", b"second version").status, 204)
    server.stop()
    shutil.rmtree(os.path.join(server.data, "catalog"))
    server.must("rebuild")
    equal(authors(server), wanted, "after a rebuild")
    found = server.must("meta", "find", "dc.contributor.author", "prefix", "Author 19").text
    equal(found.count("/paper"), 1, "find")

    folder = unpack(server.volumes, os.path.join(server.folder, "out"))
    snapshots = glob.glob(folder + "/ocfl/**/content/*.jsonl", recursive=True)
    newest = max(snapshots, key=lambda path: int(re.search(r"/v(\d+)/content/", path).group(1)))
    with open(newest, "rb") as file:
        lines = [json.loads(line) for line in file]
    # A line is an object: attribute, place, value, qualifier, extra.
    equal([line["value"] for line in lines if line["attribute"] == "dc.contributor.author"], wanted, "from volumes")
