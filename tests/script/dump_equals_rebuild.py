# SPDX-License-Identifier: Apache-2.0
# build: gcc
# timeout: 1800
"""Check 4: the dump before equals the dump after the catalog was removed and rebuilt (R2).

After mixed operations: 3,000 in the quick tier, 100,000 with --full.
"""
import os
import random
import shutil

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


with Server(config="volume_size = 16M\n") as server:
    in_parallel(THREADS, lambda thread: work(server, thread))
    by_command(server)
    server.must("seal")
    server.stop()
    before = dump(server)
    check(before.count(b"\n") > OPERATIONS // 4, "the dump is too short to be one")
    equal(server.cli("fsck", timeout=600).status, 0, "fsck before")
    shutil.rmtree(os.path.join(server.data, "catalog"))
    server.must("rebuild", timeout=900)
    after = dump(server)
    if before != after:
        old, new = before.splitlines(), after.splitlines()
        only = [line for line in old if line not in set(new)][:5], [line for line in new if line not in set(old)][:5]
        equal(only[0], only[1], "lines of one dump only")
    check(before == after, "the dumps differ in order")
    equal(server.cli("fsck", timeout=600).status, 0, "fsck after")
