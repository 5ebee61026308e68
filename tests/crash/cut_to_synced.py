# SPDX-License-Identifier: Apache-2.0
# timeout: 600
"""Kill under load, cut every volume to what was synced, restart: all that was acknowledged is there.

A build without syncs must fail here; tests/crash/no_sync_build.py sees to it.
"""
import random
import threading
import time

from lib import FULL, Server, check, equal
from lib.http import Closed
from lib.oracle import Oracle, content

ROUNDS = 20 if FULL else 3
WORKERS = 12


def load(server, oracle, worker, round_number, acknowledged):
    """Deposits until the server is gone."""
    dice = random.Random(f"{round_number}-{worker}")
    number = 0
    try:
        with server.connect() as connection:
            while True:
                path = f"/r{round_number}/w{worker}/{number}"
                state = (dice.randrange(1 << 40), dice.choice([0, 10, 4000, 10240, 70000, 1500000]))
                number += 1
                oracle.begin(path, state, "put")
                answer = connection.request("PUT", "/rest" + path, content(state),
                                            {"Content-Type": "application/octet-stream"})
                equal(answer.status, 201, path)
                oracle.done(path)
                acknowledged.append(path)
    except (Closed, OSError):
        pass


def read(connection):
    def get(path):
        answer = connection.request("GET", "/rest" + path)
        check(answer.status in (200, 404), f"{path}: {answer}")
        return answer.body if answer.status == 200 else None
    return get


with Server(shim=True) as server:
    oracle = Oracle(server.folder + "/oracle.jsonl")
    acknowledged = []
    for round_number in range(ROUNDS):
        threads = [threading.Thread(target=load, args=(server, oracle, worker, round_number, acknowledged))
                   for worker in range(WORKERS)]
        for thread in threads:
            thread.start()
        time.sleep(random.uniform(0.3, 1.2))
        server.kill()
        for thread in threads:
            thread.join()
        cut = server.shim.cut_to_synced()
        print(f"round {round_number}: acknowledged {len(acknowledged)}, cut {cut}", flush=True)
        check(acknowledged, "nothing was acknowledged, so nothing is shown")
        server.start()
        with server.connect() as connection:
            oracle.verify(read(connection))
        equal(server.cli("fsck").status, 0, "fsck")
