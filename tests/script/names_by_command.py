# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""Each hostile name by the command line: put, get, ls, mv, cp, meta, rm; through the server and without."""
import json
import os

from lib import Server, equal
from lib.names import KEPT


def names_in(server, path):
    done = server.must("--json", "ls", path)
    return [json.loads(line)["name"] for line in done.text.splitlines()]


def go_round(server, folder, names):
    server.must("mkdir", "-p", folder)
    for report, name in names:
        source = os.path.join(server.folder, "source")
        with open(source, "wb") as file:
            file.write(name.encode())
        path = f"{folder}/{name}"
        server.must("put", source, path)
        equal(server.must("get", path).output, name.encode(), f"{report}: {name!r}")
        server.must("meta", "add", "--", path, "title", name)
        equal(server.must("--json", "meta", "ls", path).text.count("title"), 1, report)
    equal(names_in(server, folder), sorted((name for _, name in names), key=str.encode), "ls")
    for report, name in names[::4]:
        path = f"{folder}/{name}"
        server.must("cp", path, path + "2"[:255 - len(name.encode())] if len(name.encode()) < 255 else
                    f"{folder}/copy")
        server.must("mv", path, f"{folder}/moved")
        equal(server.must("cat", f"{folder}/moved").output, name.encode(), report)
        server.must("rm", f"{folder}/moved")


with Server() as server:
    go_round(server, "/served", KEPT)
    server.stop()
    go_round(server, "/alone", KEPT[::3])
