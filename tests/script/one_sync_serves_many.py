# SPDX-License-Identifier: Apache-2.0
# build: gcc
# timeout: 240
"""Check 8: under load one fdatasync serves many deposits, and no answer comes before its sync (strace)."""
import glob
import os
import re
import signal

from lib import Server, check, equal, in_parallel

DEPOSITS = 640
IN_FLIGHT = 64


def traced(server):
    """(time, call, rest of the line) of each call that ended, from all threads."""
    calls = []
    for path in glob.glob(os.path.join(server.folder, "trace.*")):
        with open(path, errors="replace") as file:
            for line in file:
                match = re.match(r"(\d+\.\d+) (\w+)\((.*) <(\d+\.\d+)>$", line)
                if match:
                    start, call, rest, taken = match.groups()
                    calls.append((float(start) + float(taken), call, rest))
    return sorted(calls)


class Traced(Server):
    def stop(self):
        """The process is strace; what it runs is its child."""
        if not self.process:
            return
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            os.kill(int(file.read().split()[0]), signal.SIGTERM)
        self.process.wait(60)
        self.process = None


with Traced(start=False) as server:
    server.wrap = ["strace", "-ff", "-ttt", "-T", "-y", "-s", "40", "-e",
                   "trace=fdatasync,fsync,sendto,sendmsg,send,write,writev",
                   "-o", os.path.join(server.folder, "trace")]
    server.start()
    server.put("/warm", b"")
    in_parallel(DEPOSITS, lambda n: equal(server.put(f"/d{n % 10}/{n}", b"x" * 10240).status, 201), IN_FLIGHT)
    server.stop()
    calls = traced(server)

syncs = [call for call in calls if call[1] in ("fdatasync", "fsync") and "/volumes/" in call[2]
         and call[2].rstrip().endswith("= 0")]
answers = [call for call in calls if '"HTTP/1.1 201' in call[2]]
print(f"{len(answers)} deposits acknowledged, {len(syncs)} syncs of volumes")
equal(len(answers), DEPOSITS + 1)
check(len(syncs) * 4 < DEPOSITS, "one sync does not serve many")
check(len(syncs) >= DEPOSITS // IN_FLIGHT, "fewer syncs than could have covered the deposits")
first = min(sync[0] for sync in syncs)
check(all(answer[0] > first for answer in answers), "an answer before the first sync")
# At most IN_FLIGHT answers can follow one sync before the next begins, or some was not covered.
for earlier, later in zip(syncs, syncs[1:] + [(float("inf"), "", "")]):
    between = sum(earlier[0] < answer[0] <= later[0] for answer in answers)
    check(between <= IN_FLIGHT + 1, f"{between} answers between two syncs, with {IN_FLIGHT} in flight")
