# SPDX-License-Identifier: Apache-2.0
"""import saf: a batch that is killed and repeated makes each item once, and the map is complete; export and import bring it back.

1,200 items and 3 kills in the quick tier, 10,000 and 20 with --full.
"""
import json
import os
import random
import shutil
import subprocess
import time

from lib import FULL, check, equal, program, run_program
from lib.deposits import archive

ITEMS, KILLS = (10000, 20) if FULL else (1200, 3)


def dublin_core(*values):
    rows = "".join(f'<dcvalue element="{e}" qualifier="{q}"{x}>{v}</dcvalue>' for e, q, v, x in values)
    return f'<?xml version="1.0" encoding="utf-8"?><dublin_core>{rows}</dublin_core>'


def write_item(folder, number):
    os.makedirs(folder)
    files = {"dublin_core.xml": dublin_core(("title", "none", f"Item {number}", ' language="en"'), ("contributor", "author", "One, A.", ""),
                                            ("contributor", "author", "Two, B.", ""), ("contributor", "author", "One, A.", "")),
             "metadata_local.xml": f'<dublin_core schema="local"><dcvalue element="grant" qualifier="none">G{number}</dcvalue></dublin_core>',
             "contents": "b.txt\tbundle:ORIGINAL\tprimary:true\tdescription:the second\na.txt\tbundle:ORIGINAL\nl.txt\tbundle:LICENSE\n",
             "a.txt": f"a{number}", "b.txt": f"b{number}" * 20, "l.txt": "free"}
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)


def shown(server, handle):
    """An item as its lines, without what each making of it makes anew."""
    lines = [json.loads(line) for line in server.must("--json", "item", "show", handle).text.splitlines()]
    for line in lines:
        line.pop("uuid", None), line.pop("number", None)
    return [line for line in lines if line.get("bundle") != "METADATA"]


def map_of(path):
    with open(path) as file:
        return dict(line.rstrip("\n").rsplit(" ", 1) for line in file)


def killed_and_repeated(a, batch, map_file):
    command = [program(), "--data", a.server.data, "import", "saf", batch, a.plain, "--map", map_file, "--jobs", "8", "-q"]
    for number in range(KILLS):
        process = subprocess.Popen(command)
        time.sleep(random.uniform(0.05, 0.6 if not FULL else 1.5))
        if number % 2:
            process.kill()
        else:
            a.server.kill()
            process.kill()
            a.server.start()
        process.wait()
    done = run_program(command)
    equal(done.status, 0, done.error_text)
    found = map_of(map_file)
    equal(sorted(found), sorted(os.listdir(batch)), "the map")
    equal(len(set(found.values())), ITEMS, "handles")
    rows = [json.loads(line) for line in a.server.must("--json", "item", "ls", "--in", a.plain).text.splitlines()]
    equal(len(rows), ITEMS, "each item once")
    equal({row["handle"]: row["name"] for row in rows}, {handle: f"Item {int(name[4:])}" for name, handle in found.items()})
    a.server.must("fsck")
    done = run_program([*command, "--json"])
    equal(json.loads(done.text.splitlines()[-1]), {"added": 0, "present": ITEMS, "failed": 0})
    return found


def comes_back(a, handle):
    """Out, purged, in again: the same handle, fields, files."""
    before, out = shown(a.server, handle), os.path.join(a.server.folder, "out")
    a.server.must("export", "saf", handle, out, "--all")
    [folder] = os.listdir(out)
    path = json.loads(a.server.must("--json", "stat", f"/repository/{a.community.split('/')[1]}/{a.plain.split('/')[1]}/{folder}").text)
    check(path["version"] >= 1, path)
    done = a.server.cli("import", "saf", out, a.open)
    equal(done.status, 1, "its handle is taken")
    check("has been given to another" in done.error_text, done.error_text)
    with archive() as b:
        b.server.must("import", "saf", out, b.open)
        equal(shown(b.server, handle), before)
        after = b.collection("After")
        equal(int(after.split("/")[1]), max(int(folder), 4) + 1, "the counter moves past it")
    shutil.rmtree(out)


def faults(a):
    folder = os.path.join(a.server.folder, "bad")
    write_item(os.path.join(folder, "1"), 1)
    write_item(os.path.join(folder, "2"), 2)
    write_item(os.path.join(folder, "3"), 3)
    write_item(os.path.join(folder, "4"), 4)
    os.unlink(os.path.join(folder, "2", "a.txt"))
    with open(os.path.join(folder, "3", "relationships"), "w") as file:
        file.write("relation.isPartOf dc.title:Elsewhere\n")
    with open(os.path.join(folder, "4", "relationships"), "w") as file:
        file.write("relation.isPartOf folderName:1\n")
    done = a.server.cli("--json", "import", "saf", folder, a.open)
    equal(done.status, 1)
    rows = {row["name"]: row for row in map(json.loads, done.text.splitlines()) if "name" in row}
    equal({name: row["outcome"] for name, row in rows.items()}, {"1": "added", "2": "failed", "3": "failed", "4": "added"})
    check('"a.txt" is missing' in rows["2"]["message"], rows["2"])
    check("points at no item of this batch" in rows["3"]["message"], rows["3"])
    equal(a.server.cli("import", "saf", folder + "x", a.open).status, 3)
    equal(a.server.cli("import", "saf", folder, a.community).status, 5)
    equal(a.server.cli("import", "zip", folder, a.open).status, 1)


with archive() as a:
    batch = os.path.join(a.server.folder, "batch")
    for number in range(ITEMS):
        write_item(f"{batch}/item{number:05}", number)
    found = killed_and_repeated(a, batch, os.path.join(a.server.folder, "batch.map"))
    comes_back(a, found["item00007"])
    faults(a)
