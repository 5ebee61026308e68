# SPDX-License-Identifier: Apache-2.0
"""archivolt-bench: no two bodies of a run are the same or compress, and a run is told tenth by tenth."""
import hashlib
import json
import zlib

from lib import Server, check, equal, program, run_program

COUNT = 40


def bench(server, *words):
    """One measurement: exit status and the object that was printed."""
    done = run_program([program("archivolt-bench"), words[0], f"http://127.0.0.1:{server.port}/rest", "--token", server.token,
                        *map(str, words[1:])])
    return done.status, json.loads(done.text)


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
