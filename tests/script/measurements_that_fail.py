# SPDX-License-Identifier: Apache-2.0
"""tests/perf/: a measurement that fails ends the program with status 1, whatever it was; servers run side by side; and
CPU time is that of the server."""
import os
import signal

from lib import check, equal, temporary_folder
from lib.programs import BUILD
from perf import measure

measure.BUILD = BUILD  # the programs under test, instead of a release


def status_of(function, *arguments):
    try:
        function(*arguments)
    except SystemExit as ended:
        return ended.code
    return 0


with temporary_folder() as folder:
    with measure.Server(os.path.join(folder, "a")) as first, measure.Server(os.path.join(folder, "b")) as second:
        for server in (first, second):
            found = server.bench("put", "--count", 20, "--in-flight", 2, "--size", "10KiB")
            equal((found["count"], found["errors"]), (20, 0))
            check(server.metrics()["archivolt_operations_total"] >= 20, "operations")
            equal(status_of(server.bench, "get", "--made", 20, "--count", 20, "--size", "10KiB"), 0)
            equal(status_of(server.bench, "get", "--made", 20, "--count", 20, "--size", "9KiB"), 1, "not what was stored")
            equal(status_of(server.bench, "get", "--made", 40, "--count", 20, "--size", "10KiB"), 1, "not all are there")
            equal(status_of(server.bench, "no such workload"), 1)
        used = sum(measure.CpuMeter(first).microseconds(1))
        check(0 <= used < 1e6, f"{used} us of CPU for nothing")
        spent = sum(first.cpu_seconds())
        meter = measure.CpuMeter(first)
        first.bench("put", "--count", 3000, "--made", 20, "--in-flight", 8)
        grown = sum(first.cpu_seconds()) - spent
        check(grown > 0, "3,000 deposits used no CPU")
        check(abs(sum(meter.microseconds(3000)) * 3000 / 1e6 - grown) < 0.1 + grown / 2, "an operation's share of what was used")
        name, user, system = measure.cpu_of_stat("/proc/self/stat")
        check(name and user + system <= sum(os.times()[:2]) + 0.02, f"this program: {name!r}, {user} s, {system} s")
        check(0 <= first.background_cpu_seconds() < sum(first.cpu_seconds()), "threads of the catalog")
        second.stop()
        equal(status_of(second.bench, "get", "--made", 20, "--count", 1, "--size", "10KiB"), 1, "nobody answers")
        process = first.process
        equal(status_of(first.__exit__, SystemExit), 0)
        equal(process.returncode, -signal.SIGKILL, "a program that ends early leaves no server")
