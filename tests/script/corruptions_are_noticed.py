# SPDX-License-Identifier: Apache-2.0
# timeout: 240
"""Each fault of the table that OCFL validators are held against is noticed by our own verify, in the volumes.

Every entry keeps its place: what is dropped gets another name, what is stray is an older copy under a new name.
"""
import hashlib
import os
import re
import shutil

from lib import Server, check, equal, program, run_program, volume_files
from lib.tar_entries import read_entries, write_entries


def index_of(entries, pattern):
    """The last entry of this name, which is the one that an extraction leaves."""
    found = [n for n, entry in enumerate(entries) if re.search(pattern, entry.name)]
    check(found, f"no entry {pattern}")
    return found[-1]


def object_of(entries):
    """The folder of the object that has two versions."""
    entry = entries[index_of(entries, r"^ocfl/.*/v2/inventory\.json$")]
    return entry.name.removesuffix("/v2/inventory.json")


def rewrite_inventory(entries, folder, change):
    """Changes an inventory and makes its sidecar right again."""
    inventory = entries[index_of(entries, re.escape(folder) + r"/inventory\.json$")]
    before = inventory.data
    inventory.data = change(before)
    check(inventory.data != before, "the inventory was not changed")
    sidecar = entries[index_of(entries, re.escape(folder) + r"/inventory\.json\.sha512$")]
    sidecar.data = hashlib.sha512(inventory.data).hexdigest().encode() + sidecar.data[128:]


def flip_content_byte(entries):
    entry = entries[index_of(entries, r"/v1/content/1")]
    entry.data = bytes([entry.data[0] ^ 1]) + entry.data[1:]


def lose(entry):
    entry.rename("lost" + entry.name)


def superseded(entries):
    """An entry that a later one of its name replaces when the volume is unpacked."""
    name = object_of(entries) + "/inventory.json"
    return next(entry for entry in entries if entry.name == name)


def drop_sidecar(entries):
    lose(entries[index_of(entries, re.escape(object_of(entries)) + r"/inventory\.json\.sha512$")])


def drop_content(entries):
    lose(entries[index_of(entries, r"/v1/content/1")])


def drop_root_declaration(entries):
    lose(entries[index_of(entries, r"^ocfl/0=ocfl_1\.1$")])


def add_stray_content(entries):
    superseded(entries).rename(object_of(entries) + "/v1/content/stray.txt")


def move_object(entries):
    folder = object_of(entries)
    for entry in entries:
        if entry.name.startswith(folder + "/"):
            entry.rename("ocfl/aaa/bbb/ccc" + entry.name[len("ocfl/aaa/bbb/ccc"):])


def add_stray_in_hierarchy(entries):
    superseded(entries).rename("ocfl/aaa/stray.txt")


def let_root_inventory_differ(entries):
    rewrite_inventory(entries, object_of(entries), lambda data: re.sub(rb'("created":\s?")2', rb"\g<1>3", data))


def add_empty_directory(entries):
    entry = superseded(entries)
    entry.rename("ocfl/ddd/eee/")
    entry.header[156:157] = b"5"


def rewrite_old_state(entries):
    for folder in (object_of(entries), object_of(entries) + "/v2"):
        rewrite_inventory(entries, folder, lambda data: re.sub(rb'("created":\s?")2', rb"\g<1>1", data, count=1))


FAULTS = [
    ("content byte flipped", flip_content_byte),
    ("sidecar dropped", drop_sidecar),
    ("stray file in content", add_stray_content),
    ("content file missing", drop_content),
    ("object at wrong path for the layout", move_object),
    ("stray file in hierarchy", add_stray_in_hierarchy),
    ("root inventory differs from head copy", let_root_inventory_differ),
    ("empty directory in hierarchy", add_empty_directory),
    ("root declaration missing", drop_root_declaration),
    ("old version state rewritten in head", rewrite_old_state),
]


def spoilt_copy(server, name, change, number):
    copy = os.path.join(server.folder, f"copy-{number}")
    shutil.copytree(server.data, copy)
    for path in volume_files(os.path.join(copy, "volumes")):
        if "log-" not in path:
            continue
        entries, rest = read_entries(path)
        size = os.path.getsize(path)
        before = [entry.bytes() for entry in entries]
        change(entries)
        check([entry.bytes() for entry in entries] != before, f"{name}: nothing was changed")
        os.chmod(path, 0o644)
        write_entries(path, entries, rest)
        equal(os.path.getsize(path), size, "an entry lost its place")
        return copy
    raise AssertionError("no log volume")


with Server() as server:
    for path in ("/a.txt", "/b.txt"):
        equal(server.put(path, b"first " + path.encode()).status, 201)
    equal(server.put("/b.txt", b"second").status, 204)
    equal(server.put("/c.txt", b"third").status, 201)
    server.stop()
    done = server.cli("verify")
    equal(done.status, 0, f"the store as it is: {done.text} {done.error_text}")
    for number, (name, change) in enumerate(FAULTS, 1):
        done = run_program([program(), "--data", spoilt_copy(server, name, change, number), "verify", "--since", "1"])
        check(done.status != 0, f"{name}: verify says nothing: {done.text}")
        check((done.text + done.error_text).strip(), f"{name}: failed without a word")
        print(f"{name}: {done.error_text.strip() or done.text.strip()[-200:]}")
