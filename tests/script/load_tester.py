# SPDX-License-Identifier: Apache-2.0
"""archivolt-bench: no two bodies of a run are the same or compress; what comes back is compared with what went in; a run is told
tenth by tenth, and row by row."""
import hashlib
import json
import os
import zlib

from lib import Server, check, contains, equal, fails_with, program, run_program, temporary_folder

COUNT = 40
COLUMNS = "intended_start_ns,start_ns,end_ns,items_stored,in_flight,worker,size,status"


def run(server, *words):
    return run_program([program("archivolt-bench"), words[0], f"http://127.0.0.1:{server.port}/rest", "--token", server.token,
                        *map(str, words[1:])])


def bench(server, *words):
    """One measurement: exit status and the object that was printed."""
    done = run(server, *words)
    return done.status, json.loads(done.text)


def get(server, *words):
    """What a run of GETs over the files of put says: exit status, errors, wrong."""
    status, found = bench(server, "get", "--made", COUNT, "--count", 400, "--in-flight", 3, *words)
    return status, found["errors"], found["wrong"]


def bodies_are_compared(server):
    path = "/bench/0/0/7.bin"
    for size in ("1B", "10KiB", "1MB"):
        equal(bench(server, "put", "--size", size, "--count", COUNT, "--in-flight", 4)[0], 0, size)
        equal(get(server, "--size", size), (0, 0, 0), size)
    status, errors, wrong = get(server, "--size", "999999")
    equal((status, errors, wrong), (1, 400, 400), "another size")
    equal(get(server, "--size", "1MB", "--seed", 1)[2], 400, "another seed")
    equal(get(server, "--size", "1MB", "--seed", 1, "--any-bytes"), (0, 0, 0), "sizes alone")
    body = server.get(path).body
    server.put(path, body[:-1] + bytes([body[-1] ^ 1]))
    status, errors, wrong = get(server, "--size", "1MB")
    equal((status, errors), (1, wrong), "one bit")
    check(0 < wrong < 100, f"{wrong} of 400 GETs of 40 files saw the one that differs")
    server.delete(path)
    status, errors, wrong = get(server, "--size", "1MB")
    equal((status, wrong), (1, 0), "410 is an error, not a wrong body")
    check(0 < errors < 100, f"{errors} of 400 GETs of 40 files saw the one that is gone")


def rows_say_all(server):
    with temporary_folder() as folder:
        path = os.path.join(folder, "log")
        equal(bench(server, "flat", "--prefix", "rows", "--size", 100, "--count", COUNT, "--in-flight", 4, "--made", 1000,
                    "--log", path)[0], 0)
        with open(path) as file:
            head, *rows = file.read().splitlines()
        equal(head, COLUMNS)
        rows = [dict(zip(COLUMNS.split(","), map(int, row.split(",")))) for row in rows]
        equal(len(rows), COUNT)
        for row in rows:
            check(row["intended_start_ns"] <= row["start_ns"] < row["end_ns"], row)
            check(1000 <= row["items_stored"] < 1000 + COUNT, row)
            check(1 <= row["in_flight"] <= 4, row)
            equal((row["size"], row["status"]), (100, 201))
        equal({row["worker"] for row in rows}, {0, 1, 2, 3})
        equal(max(row["in_flight"] for row in rows), 4)
        for worker in range(4):  # closed loop: a worker is free for the next when it has the answer
            own = [row for row in rows if row["worker"] == worker]
            equal([row["intended_start_ns"] for row in own], [0] + [row["end_ns"] for row in own[:-1]])
        # A second run over the same names replaces, and stores no more items.
        bench(server, "flat", "--prefix", "rows", "--size", 50, "--count", COUNT, "--made", 1000, "--log", path)
        with open(path) as file:
            rows = [row.split(",") for row in file.read().splitlines()[1:]]
        equal({tuple(row[3:5] + row[6:]) for row in rows}, {("1000", "1", "50", "204")})
        done = run(server, "flat", "--count", 1, "--log", os.path.join(folder, "not", "there"))
        fails_with(done, 1)
        contains(done.error_text, "not/there")


with Server() as server:
    for workload, path in (("put", "/bench/0/0/{}.bin"), ("flat", "/bench/{:010d}")):
        for size in (1, 100, 10240):
            status, found = bench(server, workload, "--size", size, "--count", COUNT, "--in-flight", 4)
            equal((status, found["errors"], found["count"]), (0, 0, COUNT), f"{workload} of {size} bytes")
            equal((len(found["rate_tenths"]), len(found["ratio_tenths"]), found["ratio_tenths"][0]), (10, 10, 1.0), workload)
            bodies = [server.get(path.format(number)).body for number in range(COUNT)]
            equal({len(body) for body in bodies}, {size}, workload)
            equal(len({hashlib.sha512(body).digest() for body in bodies}), COUNT, f"digests of {workload} of {size} bytes")
            check(len(zlib.compress(b"".join(bodies), 9)) >= COUNT * size, f"bodies of {workload} of {size} bytes compress")
    status, found = bench(server, "flat", "--count", 9)
    equal((status, "rate_tenths" in found), (0, False), "fewer operations than tenths")
    for word in ("10kib", "1.5MB", "-1", ""):
        fails_with(run(server, "put", "--size", word, "--count", 1), 2)
    bodies_are_compared(server)
    rows_say_all(server)
