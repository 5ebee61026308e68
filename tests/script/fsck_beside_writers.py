# SPDX-License-Identifier: Apache-2.0
# timeout: 600
"""fsck looks at one moment: writers, purges and compaction beside it are no faults."""
import threading

from lib import Server, check, equal, in_parallel

THREADS, ROUNDS = 4, 12


def work(server, thread):
    for number in range(ROUNDS):
        folder = f"/w{thread}/{number}"
        for name in ("a", "b/c", "large"):
            equal(server.put(f"{folder}/{name}", b"x" * (1500000 if name == "large" else 3000)).status, 201)
        equal(server.put(f"{folder}/a", b"second").status, 204)
        server.must("meta", "add", f"{folder}/a", "size", str(number))
        server.must("mv", f"{folder}/b", f"{folder}/moved")
        if number % 2:
            server.must("purge", folder)
        else:
            server.must("rm", "-r", folder)
        if number == ROUNDS // 2:
            server.must("seal")
            server.must("compact", "--gain", "1")


with Server(config="volume_size = 1M\n") as server:
    done, faults, runs = threading.Event(), [], 0

    def watch():
        global runs
        while not done.is_set() or runs == 0:
            answer = server.cli("fsck")
            runs += 1
            if answer.status != 0:
                faults.append(answer.text + answer.error_text)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        in_parallel(THREADS, lambda thread: work(server, thread))
    finally:
        done.set()
        watcher.join()
    check(runs > 3, f"{runs} runs beside the writers are too few to tell")
    equal(faults, [], "faults of a sound store")
    equal(server.cli("fsck").status, 0, "fsck afterwards")
