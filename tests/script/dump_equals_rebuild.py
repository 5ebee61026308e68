# SPDX-License-Identifier: Apache-2.0
# build: gcc
# timeout: 1800
"""Check 4: the dump before equals the dump after the catalog was removed and made anew (R2), rebuilt and replayed.

After mixed operations: 3,000 in the quick tier, 100,000 with --full; and after some of every kind, in few groups, so that
the catalog is replayed from nothing too.
"""
import json
import os
import random
import shutil
import socket
import struct

from lib import FULL, Server, check, equal, in_parallel, quote

OPERATIONS = 100000 if FULL else 3000
THREADS = 8
COMMANDS = OPERATIONS // 100  # by command line, beside the HTTP ones


def work(server, thread):
    dice, live = random.Random(thread), []
    with server.connect() as connection:
        for number in range(OPERATIONS // THREADS):
            chance = dice.random()
            if not live or chance < 0.5:
                path = f"/t{thread}/{dice.randrange(20)}/{number} é"
                body = dice.randbytes(dice.choice([0, 10, 1000, 20000]) if number % 500 else 1500000)
                equal(connection.request("PUT", "/rest" + quote(path), body, {"Content-Type": "application/octet-stream"}).status, 201, path)
                live.append(path)
            elif chance < 0.8:
                path = dice.choice(live)
                equal(connection.request("PUT", "/rest" + quote(path), b"v%d" % number).status, 204, path)
            else:
                path = live.pop(dice.randrange(len(live)))
                equal(connection.request("DELETE", "/rest" + quote(path)).status, 204, path)


def by_command(server):
    """Moves, copies, statements, access, deletes of trees, users."""
    server.must("user", "add", "anna", "--role", "depositor")
    dice = random.Random(99)
    for number in range(COMMANDS):
        path = f"/c/{number}"
        server.must("put", "-", path + "/file", input=b"%d" % number)
        server.must("meta", "add", path + "/file", "title", f"number {number}", "@en")
        server.must("access", "set", path, "user:anna", "discover,read")
        other = f"/moved/{number}"
        if dice.random() < 0.5:
            server.must("mkdir", "-p", "/moved")
            server.must("mv", path, other)
        elif dice.random() < 0.5:
            server.must("rm", "-r", path)
        else:
            server.must("meta", "set", path + "/file", "title", "changed")


def dump(server):
    return server.must("dump", timeout=600).output


def statements(server, path, *changes):
    """Statements with all their fields, in one call: kind, attribute, value, qualifier, place, extra."""
    call = json.dumps({"command": "meta_change", "path": path, "changes": changes}).encode()
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(os.path.join(server.data, "archivolt.sock"))
        client.sendall(b"C" + struct.pack(">I", len(call)) + call)
        equal(client.recv(1), b"R", f"statements of {path}")


def people(server):
    for name, role in (("anna", "depositor"), ("bob", "reader"), ("clara", "curator")):
        server.must("user", "add", name, "--role", role, "--full-name", name.title(), "--email", name + "@example.org")
        server.must("token", "add", name, "--label", "of " + name, "--days", "9")
    server.must("user", "set", "anna", "--role", "curator")
    server.must("user", "passwd", "clara", input=b"a long enough secret")
    for group in ("staff", "former"):
        server.must("group", "add", group)
        for name in ("anna", "bob"):
            server.must("group", "join", group, name)
    server.must("group", "leave", "staff", "anna")
    server.must("group", "rm", "former")
    token = next(line for line in server.must("token", "ls").text.splitlines() if "of anna" in line)
    server.must("token", "rm", next(word for word in token.split() if word.isdigit()))
    server.must("user", "rm", "bob")


def aggregates(server):
    server.must("mkdir", "-p", "--aggregate", "/agg/one", "/agg/two", "/agg/deleted", "/agg/purged")
    for name in ("one", "two", "deleted", "purged"):
        for path in ("x", "in/y", "in/deep/z"):
            equal(server.put(f"/agg/{name}/{path}", path.encode() * 100).status, 201)
        equal(server.put(f"/agg/{name}/x", b"second").status, 204)
        server.must("meta", "add", f"/agg/{name}", "title", "a snapshot")
        server.must("meta", "add", f"/agg/{name}/in/y", "title", "of a member")
    server.must("mv", "/agg/one/in", "/agg/one/moved")
    server.must("rm", "/agg/one/x")
    equal(server.put("/agg/two/large", b"l" * 1500000).status, 201)
    server.must("mv", "/agg/two", "/elsewhere")
    server.must("rm", "-r", "/agg/deleted")
    server.must("purge", "/agg/purged")


def trees(server):
    """Full containers are moved, deleted, purged: by path and by id, what is in them first, last, and elsewhere meanwhile."""
    for tree in ("a", "b", "c", "d", "e"):
        for path in ("1/f", "1/g", "2/3/f", "large"):
            equal(server.put(f"/trees/{tree}/{path}", (tree + path).encode() * (200000 if path == "large" else 9)).status, 201)
        equal(server.put(f"/trees/{tree}/1/f", b"second").status, 204)
    server.must("mv", "/trees/a", "/trees/b/from a")
    server.must("mv", "/trees/b/2", "/from b")
    server.must("purge", "/trees/c/1/f")  # adds to what is purged next
    server.must("purge", "/trees/c")
    server.must("mv", "/trees/d/1", "/from d")
    server.must("purge", "/trees/d")  # has sent something away that stays
    server.must("purge", "/from d/g")  # and was once below what is gone
    server.must("mv", "/trees/e/1/g", "/trees/e/2/3/g")
    server.must("rm", "-r", "/trees/e/2")
    for number in range(230):  # more than a purge takes at once
        equal(server.put(f"/wide/{number % 3}/{number}", b"%d" % number).status, 201)
    server.must("mv", "/wide/0", "/kept of wide")
    server.must("purge", "/wide")


def tombstones(server):
    """Marks of a path by several that were deleted there, in an order that is not that of their ids."""
    again = {"Overwrite-Tombstone": "true"}
    for path in ("/mark/n", "/mark/first"):
        equal(server.put(path, b"1").status, 201)
    server.must("mv", "/mark/first", "/mark/aside")
    for number in range(2):
        equal(server.put("/mark/first", b"%d" % number, again).status, 201)
        equal(server.delete("/mark/first").status, 204)
    server.must("mv", "/mark/aside", "/mark/first")
    server.must("rm", "/mark/first")
    equal(server.put("/mark/first", b"newest", again).status, 201)
    server.must("purge", "/mark/first")
    with server.connect() as connection:
        equal(server.delete("/mark/n").status, 204)
        equal(connection.request("DELETE", "/rest/mark/n/fcr:tombstone").status, 204)
    equal(server.put("/mark/n", b"2").status, 201)
    server.must("purge", "/mark/n")


def every_kind(server):
    people(server)
    for path in ("/s/1", "/s/2", "/s/3"):
        equal(server.put(path, path.encode()).status, 201)
        statements(server, path, ["add", "title", "Ünï", "@de", 0, "extra"], ["append", "size", "-12.50", "", 0, ""],
                   ["append", "size", "7", "^^integer", 0, "{}"], ["add", "v" * 1000, "w" * 60000, "q" * 1000, 9, "e" * 60000])
    statements(server, "/s/2", ["remove", "title", "Ünï", "@de", 0, ""])
    statements(server, "/s/3", ["remove-attribute", "size", "", "", 0, ""], ["append", "title", "more", "", 0, ""])
    for rights in (("user:anna", "read"), ("group:staff", "all"), ("anonymous", "discover"), ("user:anna", "read")):
        server.must("access", "set", "/s", *rights)
        server.must("access", "set", "/s/1", *rights)
    server.must("access", "set", "/s/1", "inherit")
    aggregates(server)
    trees(server)
    tombstones(server)
    server.must("seal")
    server.must("compact", "--gain", "1")
    equal(server.put("/late", b"after compaction").status, 201)


def without_catalog(server, *command):
    """The dump after the catalog was removed and `command` was given; what is said is returned too."""
    shutil.rmtree(os.path.join(server.data, "catalog"))
    done = server.must(*command, timeout=900)
    return dump(server), done.error_text


def same(before, after, when):
    if before != after:
        old, new = before.splitlines(), after.splitlines()
        only = [line for line in old if line not in set(new)][:5], [line for line in new if line not in set(old)][:5]
        equal(only[0], only[1], f"{when}: lines of one dump only")
    check(before == after, f"{when}: the dumps differ in order")


def sound(server, when):
    done = server.cli("fsck", timeout=600)
    equal(done.status, 0, f"fsck {when}: {done.text[:2000]}")


with Server(config="volume_size = 16M\n") as server:
    in_parallel(THREADS, lambda thread: work(server, thread))
    by_command(server)
    server.must("seal")
    server.stop()
    before = dump(server)
    check(before.count(b"\n") > OPERATIONS // 4, "the dump is too short to be one")
    sound(server, "before")
    same(before, without_catalog(server, "rebuild")[0], "rebuilt")
    sound(server, "after")

with Server(config="volume_size = 1M\n") as server:
    every_kind(server)
    server.stop()
    before = dump(server)
    sound(server, "after every kind")
    after, said = without_catalog(server, "status")
    check("made anew" not in said, "it was rebuilt, not replayed: fewer groups are needed")
    same(before, after, "replayed")
    sound(server, "replayed")
    same(before, without_catalog(server, "rebuild")[0], "rebuilt")
    sound(server, "rebuilt")

with Server() as server:  # a catalog from before a purge has some of what was erased, and not the rest
    equal(server.put("/d/erased", b"first").status, 201)
    server.stop()
    shutil.copytree(os.path.join(server.data, "catalog"), os.path.join(server.folder, "old"))
    server.start()
    equal(server.put("/d/erased", b"second one").status, 204)
    equal(server.put("/d/kept", b"kept").status, 201)
    server.must("purge", "/d/erased")
    server.stop()
    before = dump(server)
    shutil.rmtree(os.path.join(server.data, "catalog"))
    shutil.copytree(os.path.join(server.folder, "old"), os.path.join(server.data, "catalog"))
    same(before, dump(server), "with a catalog from before a purge")
    sound(server, "with a catalog from before a purge")
