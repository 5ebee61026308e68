# SPDX-License-Identifier: Apache-2.0
# timeout: 3600
# alone
"""A loaded server is killed again and again; every acknowledged item stays, byte for byte.

    crash_loop.py [ROUNDS]    20 rounds, 500 with --full

Load: creates, replacements, deletes and moves by several clients, contents of 0 bytes to over
1 MiB, and beside them purge, seal and compaction. After each restart every item that the clients
know of is read: acknowledged ones must be as acknowledged, the others whole or absent. `fsck` must be
clean. Now and then the kill comes while the server starts.
"""
import os
import random
import subprocess
import sys
import threading
import time

from lib import FULL, Server, check, equal
from lib.http import Closed
from lib.oracle import Oracle, content

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 500 if FULL else 20
SEED = int(os.environ.get("ARCHIVOLT_SEED", time.time_ns() % 1000000))
WORKERS = 6
LIVE_FILES = 40  # for each worker; then it deletes
SIZES = [0, 1, 100, 4000, 10240, 10240, 65536, 200000, 1200000, 3000000]
TYPE = {"Content-Type": "application/octet-stream"}


class Gone(Exception):
    """The server was killed under the client."""


class Worker:
    """One client with paths of its own; each step asks, notes what came back, and goes on."""

    def __init__(self, server, oracle, number, round_number):
        self.server, self.oracle = server, oracle
        self.folder = f"/w{number}"
        self.dice = random.Random(f"{SEED}-{round_number}-{number}")
        self.round, self.count = round_number, 0

    def fresh_path(self):
        self.count += 1
        return f"{self.folder}/d{self.dice.randrange(3)}/{self.round}-{self.count}"

    def fresh_state(self):
        return (self.dice.randrange(1 << 40), self.dice.choice(SIZES))

    def put(self, path, wanted):
        state = self.fresh_state()
        self.oracle.begin(path, state, "put")
        status = self.connection.request("PUT", "/rest" + path, content(state), TYPE).status
        equal(status, wanted, f"put {path}")
        self.oracle.done(path)

    def delete(self, path):
        self.oracle.begin(path, None, "delete")
        equal(self.connection.request("DELETE", "/rest" + path).status, 204, f"delete {path}")
        self.oracle.done(path)

    def by_command(self, *arguments):
        """True when done; Gone when the server died first."""
        done = self.server.client_command(*arguments)
        if done.status != 0 and self.server.dying:
            raise Gone
        equal(done.status, 0, f"{arguments}: {done.error_text}")

    def move(self, path):
        target = self.fresh_path()
        folder = os.path.dirname(target)
        self.by_command("mkdir", "-p", folder)
        self.oracle.begin_move(path, target)
        self.by_command("mv", path, target)
        self.oracle.done_move(path, target)

    def purge(self, path):
        self.oracle.begin(path, None, "purge")
        self.by_command("purge", path)
        self.oracle.done(path)

    def step(self):
        live = self.oracle.live(self.folder + "/")
        chance = self.dice.random()
        if len(live) < 5 or (chance < 0.45 and len(live) < LIVE_FILES):
            self.put(self.fresh_path(), 201)
        elif chance < 0.70:
            self.put(self.dice.choice(live), 204)
        elif chance < 0.92:
            self.delete(self.dice.choice(live))
        elif chance < 0.97:
            self.move(self.dice.choice(live))
        else:
            self.purge(self.dice.choice(live))

    def run(self):
        try:
            with self.server.connect() as self.connection:
                while True:
                    self.step()
        except (Closed, OSError, Gone, subprocess.SubprocessError):
            check(self.server.dying, "a connection failed though nobody killed the server")


def tend(server, round_number):
    """Seals and compacts beside the load."""
    dice = random.Random(f"{SEED}-{round_number}-tend")
    while not server.dying:
        time.sleep(dice.uniform(0.05, 0.4))
        done = server.client_command(dice.choice(["seal", "compact"]))
        check(done.status == 0 or server.dying, f"{done.arguments}: {done.error_text}")


class Victim(Server):
    dying = False

    def client_command(self, *arguments):
        return self.cli(*arguments)

    def murder(self):
        self.dying = True
        self.kill()


def in_thread(function, *arguments):
    """A thread that keeps its failure for join_all()."""
    def body():
        try:
            function(*arguments)
        except BaseException as failure:  # handed on
            thread.failure = failure
    thread = threading.Thread(target=body)
    thread.failure = None
    thread.start()
    return thread


def join_all(threads):
    for thread in threads:
        thread.join()
    for thread in threads:
        if thread.failure:
            raise thread.failure


def read(connection):
    def get(path):
        answer = connection.request("GET", "/rest" + path)
        check(answer.status in (200, 404, 410), f"{path}: {answer}")
        return answer.body if answer.status == 200 else None
    return get


def restart(server, dice):
    if dice.random() < 0.2:
        server.launch()
        time.sleep(dice.uniform(0, 0.15))
        server.kill()
    server.start()
    server.dying = False


def one_round(server, oracle, round_number):
    dice = random.Random(f"{SEED}-{round_number}")
    threads = [in_thread(Worker(server, oracle, number, round_number).run) for number in range(WORKERS)]
    threads.append(in_thread(tend, server, round_number))
    time.sleep(dice.uniform(0.1, 1.2))
    server.murder()
    join_all(threads)
    restart(server, dice)
    with server.connect() as connection:
        looked = oracle.verify(read(connection))
    oracle.forget_absent(300)
    done = server.cli("fsck")
    equal(done.status, 0, f"fsck: {done.text} {done.error_text}")
    return looked


def main():
    print(f"seed {SEED}, {ROUNDS} rounds (ARCHIVOLT_SEED repeats the load, not the moments)", flush=True)
    with Victim(config="volume_size = 16M\n") as server:
        oracle = Oracle(server.folder + "/oracle.jsonl")
        for round_number in range(ROUNDS):
            looked = one_round(server, oracle, round_number)
            print(f"round {round_number}: {looked} paths as they should be", flush=True)
        equal(server.cli("verify").status, 0, "verify")


main()
